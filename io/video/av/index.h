/* The index finds the n-th picture without decoding. It orders packets by their times.
 *
 * A file has an index if each packet is one picture with a distinct time. In H.264 and HEVC these
 * times must also agree with the stream's picture numbers. A file that violates this up to the
 * wanted picture has no index.
 *
 * The file is read a second time, but only up to the packets around the wanted picture. */
#pragma once

#include "video/av/damage.h"

#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <stdbool.h>
#include <stdint.h>

struct video_file;

struct picture_index {
    AVFormatContext *format; /* a second one, only for the index */
    AVPacket *packet;
    AVCodecParserContext *parser; /* for H.264 and HEVC, which number pictures; otherwise NULL */
    AVCodecContext *parsed;
    struct damage damage; /* messages about this second container */
    struct index_entry {
        int64_t pts;
        int64_t position; /* offset of the packet in the file; -1: unknown */
        uint32_t packet;  /* number of the packet in file order */
        int64_t order;    /* grows with the stream's picture number; 0: no such number */
        bool key; /* decoding can begin here, because no picture from here on needs an earlier
                     one */
    } * entry;    /* sorted by pts */
    uint64_t count, room;
    uint32_t packets; /* packets read so far */
    int64_t resets;   /* how often the picture numbers have restarted */
    int64_t dts;      /* decoding time of the last packet; must grow */
    bool opened;
    bool ended;  /* all packets have been read */
    bool broken; /* the file has no index */
};

/* Reads on until the packet of picture number `picture` is certain. Returns false if there is no
 * such picture, or no index. */
bool index_reach(struct picture_index *index, struct video_file *file, const char *path,
                 uint64_t picture);

void index_close(struct picture_index *index);
