/* Numbers of packets, which link a decoder's messages and pictures to the packets.
 *
 * No field serves all versions of FFmpeg. Version 5 copies a field of the decoder to its pictures.
 * Version 6 deprecates that and copies a field of the packet, and version 7 has only the latter.
 * All code that depends on this is here. */
#pragma once

#include "video/av/damage.h"

#include <libavcodec/avcodec.h>

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
