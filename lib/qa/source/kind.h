/* Declarations that all kinds of source share. A new kind is a file with a row, and an entry in
 * source.c. */
#pragma once

#include "source/source.h"

#include "image/colours/colours.h"
#include "image/declared.h"
#include "image/file_memory.h"

/* The form of REF or OUT. */
enum form {
    FORM_LIST = 1, /* there is a list instead */
    FORM_PICTURE = 2,
    FORM_DIRECTORY = 4,
    FORM_PATTERN = 8,
    FORM_VIDEO = 16,
    FORM_RAW = 32
};

/* A kind that source_open knows. */
struct source_row {
    struct source_kind kind;
    int forms;    /* sum of the forms that a side may have */
    size_t bytes; /* size of the kind's struct; `open` gets it zeroed after struct source */
    /* Opens the source; `form` has the form of REF and of each OUT. Errors of only one of several
     * OUTs go to its source_out, whose status may already say that it is left out. */
    ssimcu_status (*open)(struct source *source, const enum form *form, ssimcu_message *message);
};

extern const struct source_row source_list, source_pictures, source_clips;

/* Finds the forms of REF and OUT. Fails if no kind of source takes them. */
ssimcu_status kind_forms(const struct source_input *input, enum form form[2],
                         ssimcu_message *message);

/* Lists the files of a side (0 or 1) that is a directory or a pattern. Requested frames are numbers
 * of REF. */
ssimcu_status kind_list_files(const struct source_input *input, const enum form *form, int side,
                              ssimcu_sequence *sequence, ssimcu_message *message);

/* Decodes a picture file, which is opened only once because it may be a pipe. The caller frees the
 * frame, and *channels (the list of ssimcu_image_channels), even after an error. `memory`,
 * `colours` and `channels` may be NULL. */
ssimcu_status kind_read_picture(struct ssimcu_file_memory *memory, const char *path,
                                const ssimcu_image_options *limits, ssimcu_frame *frame,
                                struct ssimcu_image_windows *windows,
                                struct ssimcu_image_colours *colours, char **channels,
                                ssimcu_message *message);

/* Finds the GPU whose video engines decode; -1: the CPU decodes. */
ssimcu_status kind_choose_gpu(const struct source_input *input, int *gpu, ssimcu_message *message);

/* Loads a side's video frame: points to it in its decoder, or reads it into the pair's memory. */
ssimcu_status kind_load_frame(const ssimcu_clip *clip, int side, ssimcu_clip_place place,
                              struct pair *pair, ssimcu_message *message);

/* Returns the options for reading files. */
ssimcu_image_options kind_options(const struct source_input *input);

/* Returns the path of an OUT. */
const char *kind_out_path(const struct source_input *input, uint32_t out);

/* Names the files of a record, and notes which are missing. A path of NULL is missing. */
void kind_name_files(struct record *record, const char *ref, const char *out);

/* Loads two pictures: the `load` of a kind. A shared frame is REF of all pairs. */
ssimcu_status source_pictures_load(const struct source *source, struct pair *pair,
                                   ssimcu_message *message);
