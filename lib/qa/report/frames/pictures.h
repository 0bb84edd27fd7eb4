/* Pictures of frames for the page. They are made after scoring, from frames that are read again, so
 * that the batch itself waits for none of this. */
#ifndef SSIMCU_QA_REPORT_PICTURES_H
#define SSIMCU_QA_REPORT_PICTURES_H

#include "facts/record_parts.h"
#include "source/source.h"

/* The views of a frame, all of the same size. */
enum { PICTURE_REF, PICTURE_OUT, PICTURE_DIFFERENCE, PICTURE_HEAT, PICTURE_VIEWS };
enum { PICTURE_NAME = 48, PICTURE_BARE = 24 };

/* A file in the report's directory. */
struct picture_file {
    char name[PICTURE_NAME]; /* letters, digits, '-' and '.', without directory; "": none */
    uint32_t width, height;  /* pixels */
};

/* A part of such a picture, in pixels of the picture. */
struct picture_box {
    double x, y, width, height;
};

/* A frame: what is wanted of it, and what was made. */
struct picture {
    /* Fields that the caller sets. */
    int64_t frame;
    const char *part;    /* NULL: none */
    int64_t number;      /* number in the names of its files, if it has a part */
    const char *variant; /* the reference that it was scored against; NULL: REF */
    uint32_t reference;  /* number of that reference, from 1; 0: REF, or it is not known */
    ssimcu_tile tile;    /* worst, in pixels of the whole frame; unknown: no box, no crop */
    bool views;          /* wanted: all views, whole and around the worst tile */
    bool thumbnail;      /* wanted: a small OUT */
    char bare[PICTURE_OUT + 1][PICTURE_BARE]; /* wanted: whole REF and OUT alone, in files of this
                                                 kind; "": not */
    /* Results, zeros at first. */
    struct picture_file whole[PICTURE_VIEWS], small;
    struct picture_file crop[PICTURE_VIEWS]; /* pixels of the frame itself, without loss */
    struct picture_box box, crop_box;        /* place of the tile in `whole` and in `crop` */
    double times, crop_times;                /* factors of the differences, as of difference_draw */
    bool excess;      /* the heat map shows how far tiles are beyond their floors */
    double low, high; /* SSIM at the ends of its colours otherwise */
    double score;     /* new score of a frame with views; more than 1e-4 off: the files changed */
    char why[256];    /* reason why there are no pictures; "": there are */
};

struct judge;

struct pictures_config {
    const char *directory;            /* directory for the files, which exists */
    const struct source_input *input; /* input of the frames, which is opened again */
    const ssimcu_settings *settings;  /* settings of the scores */
    const struct judge *judge;        /* floors, for maps; NULL: none */
    uint64_t memory_bytes;            /* limit as in struct batch_config */
    uint32_t most_side;               /* pixels of a whole picture on a side; 0: what suits */
    uint32_t most_bytes; /* size of a file; a larger one becomes a rougher JPEG; 0: any */
    /* Gets the number of frames done; returns false to stop. NULL is allowed. */
    bool (*progress)(void *user, size_t done, size_t count);
    void *user;
};

/* Makes the pictures of `count` frames, which are in order. A frame that cannot be read has a `why`
 * and no pictures. So have all if the input cannot be opened again, such as a pipe: that is no
 * error. Errors: WRITE, MEMORY. */
ssimcu_status pictures_make(const struct pictures_config *config, struct picture *picture,
                            size_t count, ssimcu_message *message);

/* Returns how large a pixel of a picture is drawn, 1 to 8 times: so that no side is above `side`.
 */
uint32_t pictures_times(const struct picture_file *file, uint32_t side);

/* Sorts numbers of frames. */
void pictures_sort(int64_t *number, size_t count);

/* Writes two or more of the heat map's colours, from `low` to `high` in even steps. */
void pictures_legend(uint8_t (*rgb)[3], size_t count);

#endif
