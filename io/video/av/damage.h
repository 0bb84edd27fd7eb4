/* What a decoder says about damage.
 *
 * FFmpeg reports much damage in messages alone: a wrong slice checksum of FFV1, for example,
 * neither marks the picture nor fails the call. So a message of level error counts as damage of the
 * picture that was being decoded. That picture may be on another thread, several pictures ahead of
 * the one that comes out.
 *
 * A picture is named by the number of its packet: a decoder carries the number from the packet to
 * its messages and to the picture. */
#ifndef SSIMCU_VIDEO_AV_DAMAGE_H
#define SSIMCU_VIDEO_AV_DAMAGE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum {
    DAMAGE_TEXT = 160,
    DAMAGE_MOST = 64,
    DAMAGE_TIMES = 128, /* packets whose times are kept */
    DAMAGE_LATE = 64    /* more packets than any decoder takes before their pictures come out */
};

/* The damage of one file. Any thread may call the functions. */
struct damage {
    pthread_mutex_t lock;
    int64_t packet;            /* packet that the file's own thread reads or decodes */
    int64_t pts[DAMAGE_TIMES]; /* times of the packets read last; AV_NOPTS_VALUE: unknown */
    atomic_bool complained;    /* a decoder has complained, or has concealed damage */
    atomic_llong gap;          /* last packet before which H.264 lacks a picture; -1: none */
    int64_t piece;  /* bytes from the start of the next packet to that of a piece that the
                       container calls damaged; INT64_MAX: there is none */
    int64_t broken; /* packet that was read when the container lacked one of its own; -1:
                       it never did */
    char codec[32]; /* Matroska's name of a codec of video that FFmpeg does not know; "": none */
    uint32_t count;
    struct {
        int64_t packet;
        char text[DAMAGE_TEXT];
    } entry[DAMAGE_MOST]; /* the first messages; with a full list the file ends as after a lost
                             picture */
};

void damage_start(struct damage *damage);
void damage_end(struct damage *damage);

/* Adds a message about a packet. The first one about it is kept. */
void damage_note(struct damage *damage, int64_t packet, const char *text);

/* Makes what was said of a packet that of another one. */
void damage_move(struct damage *damage, int64_t from, int64_t to);

/* Whether the picture of this packet is damaged. Writes the first message about it and forgets all
 * of them. */
bool damage_take(struct damage *damage, int64_t packet, char text[DAMAGE_TEXT]);

/* Whether a packet before this one is damaged whose picture has not come out. */
bool damage_is_before(struct damage *damage, int64_t packet);

/* Says that the packet has been read and what its time is. The next one is read now. */
void damage_next_packet(struct damage *damage, int64_t pts);

/* Whether a damaged packet has no picture: the one of packet `packet` comes out, whose time is
 * `pts`, and pictures come out by their times. Without times it takes DAMAGE_LATE packets to know.
 * Otherwise like damage_take. A full list counts as damage, because any message may be missing. */
bool damage_take_lost(struct damage *damage, int64_t packet, int64_t pts, char text[DAMAGE_TEXT]);

/* Like damage_take, of all packets. */
bool damage_take_all(struct damage *damage, char text[DAMAGE_TEXT]);

/* Forgets everything, because what is in the decoder will not come out. */
void damage_forget(struct damage *damage);

/* Forgets what the container has said. */
void damage_forget_container(struct damage *damage);

/* Sends FFmpeg's messages, for the whole process, to the files that they are about. `opaque` of a
 * file's AVFormatContext and AVCodecContext points to its struct damage. All other messages are
 * dropped. */
void damage_listen(void);

#endif
