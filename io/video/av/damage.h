/* Damage that a decoder reports.
 *
 * FFmpeg reports much damage only in messages. A wrong slice checksum of FFV1, for example, neither
 * marks the picture nor fails the call. So a message of level error counts as damage of the picture
 * being decoded. Another thread may be decoding it, several pictures ahead of the one that comes
 * out.
 *
 * The number of its packet identifies a picture. The decoder passes it on to its messages and to
 * the picture (numbers.h). */
#pragma once

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum {
    DAMAGE_TEXT = 160,
    DAMAGE_MOST = 64,
    DAMAGE_TIMES = 128, /* packets whose times are stored */
    DAMAGE_LATE = 64    /* more packets than any decoder delays */
};

/* What messages of a decoder are about. AVCodecContext.opaque points to it. */
struct damage_subject {
    struct damage *damage;
    int64_t packet;
};

/* The damage of one file. Any thread may call these functions. */
struct damage {
    pthread_mutex_t lock;
    int64_t packet;            /* packet that the file's calling thread reads or decodes */
    int64_t pts[DAMAGE_TIMES]; /* times of the packets read last; AV_NOPTS_VALUE: unknown */
    atomic_bool complained;    /* a decoder has reported or concealed damage */
    atomic_llong gap;          /* last packet before which an H.264 picture is missing; -1: none */
    int64_t piece;  /* bytes from the start of the next packet to that of a piece that the container
                       reports as damaged; INT64_MAX: none */
    int64_t broken; /* packet being read when the container missed one of its packets; -1: none */
    struct damage_subject subject[DAMAGE_TIMES + 1]; /* the packets sent last; the last entry stands
                                                        for the time before the first packet */
    char codec[32]; /* Matroska's name of a video codec that FFmpeg does not know, or "" */
    uint32_t count;
    struct {
        int64_t packet;
        char text[DAMAGE_TEXT];
    } entry[DAMAGE_MOST]; /* the first messages; if the list is full, the file ends as after a lost
                             picture */
};

void damage_start(struct damage *damage);
void damage_end(struct damage *damage);

/* Adds a message about a packet. Only its first message is kept. */
void damage_note(struct damage *damage, int64_t packet, const char *text);

/* Moves the messages about one packet to another. */
void damage_move(struct damage *damage, int64_t from, int64_t to);

/* Returns whether the picture of this packet is damaged. Writes its first message and removes all
 * of them. */
bool damage_take(struct damage *damage, int64_t packet, char text[DAMAGE_TEXT]);

/* Returns whether an earlier packet is damaged whose picture has not come out. */
bool damage_is_before(struct damage *damage, int64_t packet);

/* Records the time of the packet just read, and moves to the next. */
void damage_next_packet(struct damage *damage, int64_t pts);

/* Returns whether a damaged packet's picture is lost, now that the picture of `packet` with time
 * `pts` comes out. Pictures come out in order of time; without times a picture is lost after
 * DAMAGE_LATE packets. A full list counts as damage, because any message may be missing. Otherwise
 * like damage_take. */
bool damage_take_lost(struct damage *damage, int64_t packet, int64_t pts, char text[DAMAGE_TEXT]);

/* Like damage_take, but for all packets. */
bool damage_take_all(struct damage *damage, char text[DAMAGE_TEXT]);

/* Removes all entries, because pictures in the decoder will not come out. */
void damage_forget(struct damage *damage);

/* Removes the container's messages. */
void damage_forget_container(struct damage *damage);

/* Routes FFmpeg's messages in the whole process to the files that they are about. `opaque` of a
 * file's AVFormatContext points to its struct damage, and that of a decoder to its subject. All
 * other messages are dropped. */
void damage_listen(void);
