/* What a decoder says about damage. FFmpeg tells much of it in messages alone: FFV1's slice
 * checksums, for one, neither mark the picture nor fail the call. So a message of level error
 * counts as damage of the picture that was being decoded, which may be on another thread, several
 * pictures ahead of the one that comes out.
 *
 * A picture is named by the number of its packet: a decoder carries the number from the packet to
 * its messages and to the picture. */
#ifndef SSIMCU_VIDEO_AV_DAMAGE_H
#define SSIMCU_VIDEO_AV_DAMAGE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

enum { DAMAGE_TEXT = 160, DAMAGE_MOST = 64 };

/* Of one file. All functions are for any thread. */
struct damage {
    pthread_mutex_t lock;
    int64_t packet; /* the one that is read or decoded by the thread that owns the file */
    uint32_t count;
    struct {
        int64_t packet;
        char text[DAMAGE_TEXT];
    } entry[DAMAGE_MOST]; /* the first ones; what does not fit ends the file like a lost picture */
};

void damage_start(struct damage *damage);
void damage_end(struct damage *damage);

void damage_note(struct damage *damage, int64_t packet, const char *text);

/* Whether the picture of this packet is damaged; writes the first message about it, and forgets all
 * of them. */
bool damage_take(struct damage *damage, int64_t packet, char text[DAMAGE_TEXT]);

/* The same for a packet before this one, whose picture has not come out. */
bool damage_take_before(struct damage *damage, int64_t packet, char text[DAMAGE_TEXT]);

/* Forgets everything: what is in the decoder will not come out. */
void damage_forget(struct damage *damage);

/* Sends FFmpeg's messages, of the whole process, to the files that they are about: those of which
 * `opaque` of the AVFormatContext and AVCodecContext is the struct damage. Others are dropped. */
void damage_listen(void);

#endif
