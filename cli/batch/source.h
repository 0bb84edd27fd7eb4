/* What the files of the kinds of source share. A new kind is a file, and a row in source.c. */
#ifndef SSIMCU_CLI_SOURCE_H
#define SSIMCU_CLI_SOURCE_H

#include "batch/batch.h"

#include <pthread.h>

/* What REF or OUT is; LIST: there is a list instead. */
enum form {
    FORM_LIST = 1,
    FORM_PICTURE = 2,
    FORM_DIRECTORY = 4,
    FORM_PATTERN = 8,
    FORM_VIDEO = 16,
    FORM_RAW = 32
};

/* A kind that batch_open knows. */
struct source_row {
    struct batch_source_kind kind;
    int forms;    /* that a side may have */
    size_t bytes; /* of its own struct, which `open` gets zeroed but for what batch.h shows */
    /* `form`: of REF and each OUT. Of several OUTs, what concerns one alone goes to its
     * batch_out, whose status may already say that it is left out. */
    ssimcu_status (*open)(struct batch_source *source, const enum form *form,
                          ssimcu_message *message);
};

extern const struct source_row source_list, source_pictures, source_clips;

/* The path of an OUT. */
const char *source_out(const struct batch_input *input, uint32_t out);

struct batch_stretches {
    pthread_mutex_t lock;
    uint32_t length;
    uint64_t taken;                          /* that many, from the first on */
    uint32_t taker[BATCH_STRETCHES_AT_WORK]; /* of stretch n, at n modulo the array's size */
};

/* Takes the next stretch for this reader: how many are taken then. */
uint64_t source_take_stretch(struct batch_stretches *stretches, uint32_t reader);

/* Whether the pair at `position` is in the share that is asked for. */
bool source_in_share(const struct batch_input *input, uint64_t position);

/* Names the files of a record and notes which are not there; NULL: none. */
void source_name(struct record *record, const char *ref, const char *out);

/* Of two videos: MISMATCH, with the ffmpeg filter that mends OUT, where they cannot be compared. */
ssimcu_status source_compare_formats(const ssimcu_clip_format *ref, const ssimcu_clip_format *out,
                                     ssimcu_message *message);

/* Of video: ARGUMENT where the region divides samples of U and V, MISMATCH where a frame does not
 * hold it. */
ssimcu_status source_check_region(const struct contract_region *region,
                                  const ssimcu_clip_format *format, ssimcu_message *message);

/* Makes the pair's frames those of the region, if there is one. `format` is that of video, NULL of
 * pictures. */
void source_cut(const struct contract_region *region, const ssimcu_clip_format *format,
                struct batch_pair *pair);

/* source_pictures.c: `load` of pictures. A frame that is shared is REF of them all. */
ssimcu_status source_load_pictures(const struct batch_source *source, struct batch_pair *pair,
                                   ssimcu_message *message);

#endif
