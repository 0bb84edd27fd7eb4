/* The index says which picture is the n-th without decoding. It orders packets by their times.
 *
 * A file has an index if each packet is one picture with a time of its own. In H.264 and HEVC these
 * times must also agree with the stream's numbers of pictures. A file that breaks this anywhere up
 * to the wanted picture has no index.
 *
 * The file is read a second time, up to the packets around the wanted picture and no further. */
#ifndef SSIMCU_VIDEO_AV_INDEX_H
#define SSIMCU_VIDEO_AV_INDEX_H

#include "video/av/damage.h"

#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <stdbool.h>
#include <stdint.h>

struct video_file;

struct picture_index {
    AVFormatContext *format; /* a second one, for the index alone */
    AVPacket *packet;
    AVCodecParserContext *parser; /* parser of H.264 and HEVC, which number pictures; or NULL */
    AVCodecContext *parsed;
    struct damage damage; /* messages about the container, from when it is opened */
    struct index_entry {
        int64_t pts;
        int64_t position; /* place of the packet in the file; -1: unknown */
        uint32_t packet;  /* number of the packet in the file's order */
        int64_t order;    /* grows with the stream's own number of the picture; 0: it has none */
        bool key; /* decoding can begin here: no picture from here on needs an earlier one */
    } * entry;    /* sorted by pts */
    uint64_t count, room;
    uint32_t packets; /* packets read so far */
    int64_t resets;   /* how often the pictures' numbers have begun anew */
    int64_t dts;      /* decoding time of the last packet; must grow */
    bool opened;
    bool ended;  /* all packets have been read */
    bool broken; /* there is no index */
};

/* Reads on until it is certain which picture has the number `picture`. False if there is no such
 * picture, or no index. */
bool index_reach(struct picture_index *index, struct video_file *file, const char *path,
                 uint64_t picture);

void index_close(struct picture_index *index);

#endif
