/* Damage that a decoder reports.
 *
 * FFmpeg reports much damage only in messages. A wrong slice checksum of FFV1, for example, neither
 * marks the picture nor fails the call. So a message of level error counts as damage of the picture
 * being decoded. Another thread may be decoding it, several pictures ahead of the one that comes
 * out.
 *
 * The number of its packet identifies a picture. The decoder passes it on to its messages and to
 * the picture. */
#pragma once

#include <libavcodec/avcodec.h>
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

/* ---- Numbers of packets ----------------------------------------------------------------------
 *
 * No field serves all versions of FFmpeg. Version 5 copies a field of the decoder to its pictures.
 * Version 6 deprecates that and copies a field of the packet, and version 7 has only the latter.
 * All code that depends on this is here. */

#define NUMBER_UNKNOWN INT64_MIN

#if LIBAVCODEC_VERSION_MAJOR >= 60
#    define NUMBERS_FLAGS AV_CODEC_FLAG_COPY_OPAQUE

/* NULL: unknown. */
static inline void *number_as_opaque(int64_t number)
{
    return number == NUMBER_UNKNOWN ? NULL : (void *)(uintptr_t)(number + 1);
}

static inline void number_set_packet(AVCodecContext *decoder, AVPacket *packet, int64_t number)
{
    (void)decoder;
    packet->opaque = number_as_opaque(number);
}

/* Returns the packet of a picture; NUMBER_UNKNOWN if the decoder has not passed it on. */
static inline int64_t number_of_picture(const AVFrame *frame)
{
    return frame->opaque ? (int64_t)(uintptr_t)frame->opaque - 1 : NUMBER_UNKNOWN;
}

/* Does what a decoder does. Only tests call it. */
static inline void number_set_picture(AVFrame *frame, int64_t number)
{
    frame->opaque = number_as_opaque(number);
}
#else
#    define NUMBERS_FLAGS 0

static inline void number_set_packet(AVCodecContext *decoder, AVPacket *packet, int64_t number)
{
    (void)packet;
    decoder->reordered_opaque = number;
}

static inline int64_t number_of_picture(const AVFrame *frame) { return frame->reordered_opaque; }

static inline void number_set_picture(AVFrame *frame, int64_t number)
{
    frame->reordered_opaque = number;
}
#endif

/* Prepares a decoder before it is opened. Messages of the opening are about no packet. */
static inline void numbers_start(AVCodecContext *decoder, struct damage *damage)
{
    struct damage_subject *const opening = &damage->subject[DAMAGE_TIMES];
    *opening = (struct damage_subject){damage, NUMBER_UNKNOWN};
    decoder->opaque = opening;
    decoder->flags |= NUMBERS_FLAGS;
}

/* Numbers the packet that is sent next. A frame thread that takes it copies `opaque`. By the time
 * that an entry is used again, its packet has been decoded. */
static inline void number_packet(AVCodecContext *decoder, struct damage *damage, AVPacket *packet,
                                 int64_t number)
{
    struct damage_subject *const subject = &damage->subject[damage->packet % DAMAGE_TIMES];
    *subject = (struct damage_subject){damage, number};
    decoder->opaque = subject;
    number_set_packet(decoder, packet, number);
}

/* Returns the list of a prepared decoder or one of its frame threads; NULL for other decoders. */
static inline struct damage *numbers_damage(const AVCodecContext *decoder)
{
    const struct damage_subject *const subject = decoder->opaque;
    return subject ? subject->damage : NULL;
}

/* Returns the packet that a prepared decoder or one of its frame threads decodes. */
static inline int64_t number_of_current(const AVCodecContext *decoder)
{
    return ((const struct damage_subject *)decoder->opaque)->packet;
}
