/* Which picture is the n-th, known without decoding: by the times of the packets, in their order.
 * That holds where each packet is one picture and each has a time of its own, which agrees with the
 * numbers of pictures in H.264 and HEVC. What does not look like that, anywhere up to the picture
 * asked for, has no index.
 *
 * The file is read a second time, up to the packets around the picture asked for and no further. */
#ifndef SSIMCU_VIDEO_AV_INDEX_H
#define SSIMCU_VIDEO_AV_INDEX_H

#include "video/av/damage.h"

#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <stdbool.h>
#include <stdint.h>

struct video_file;

struct picture_index {
    AVFormatContext *format; /* its own */
    AVPacket *packet;
    AVCodecParserContext *parser; /* of H.264 and HEVC, which put pictures out by numbers */
    AVCodecContext *parsed;
    struct damage damage; /* what is said about the container, once it is opened */
    struct index_entry {
        int64_t pts;
        int64_t position; /* of the packet, in the file; -1: unknown */
        uint32_t packet;  /* its number, in the file's order */
        int64_t order;    /* grows with the number that the stream itself gives the picture; or 0 */
        bool key;         /* decoding can begin here: no picture from it on needs an earlier one */
    } * entry;            /* by pts */
    uint64_t count, room;
    uint32_t packets; /* read */
    int64_t resets;   /* how often the pictures' numbers have begun anew */
    int64_t dts;      /* of the last of them: it grows */
    bool opened;
    bool ended;  /* all of them */
    bool broken; /* there is no index */
};

/* Reads on until it is certain which picture is this one. False where there is no such picture, or
 * no index. */
bool index_reach(struct picture_index *index, struct video_file *file, const char *path,
                 uint64_t picture);

void index_close(struct picture_index *index);

#endif
