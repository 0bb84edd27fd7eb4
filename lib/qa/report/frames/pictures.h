/* Pictures of frames for the page. They are made after scoring or a check, from frames that are
 * read again, so that the run itself does not wait for them. */
#pragma once

#include "record/record_types.h"
#include "source/source.h"

/* The views of a frame, all of the same size. */
enum { PICTURE_REF, PICTURE_OUT, PICTURE_DIFFERENCE, PICTURE_HEAT, PICTURE_VIEWS };
enum { PICTURE_NAME = 48, PICTURE_BARE = 24 };

/* The pictures of a frame without a reference: the frame and its neighbours. */
enum { PICTURE_BEFORE, PICTURE_HERE, PICTURE_BEHIND, PICTURE_BESIDE };

/* An area of a picture, in pixels. */
struct picture_box {
    double x, y, width, height;
};

/* A file in the report's directory. */
struct picture_file {
    char name[PICTURE_NAME]; /* letters, digits, '-' and '.', without directory; "": none */
    uint32_t width, height;  /* pixels */
    struct picture_box box;  /* place of the tile; width 0: none */
};

/* A readable frame without a reference. */
struct picture_frame {
    const char *path;  /* NULL: no frame */
    int64_t frame;     /* number; -1: none */
    const char *layer; /* its layer of an EXR; may be NULL */
};

/* A frame: the wanted pictures, and the results. */
struct picture {
    /* Members that the caller sets. */
    int64_t frame;
    const char *shot;    /* may be NULL */
    int64_t number;      /* number in the names of its files, if it has a shot */
    const char *variant; /* the reference that it was scored against; NULL: REF */
    uint32_t reference;  /* index of that variant, from 1; 0: REF, or unknown */
    ssimcu_tile tile;    /* worst tile, in pixels of the whole frame; unknown: no box, no crop */
    bool views;          /* wanted: all views, whole and around the worst tile */
    bool thumbnail;      /* wanted: a small OUT */
    char bare[PICTURE_OUT + 1][PICTURE_BARE];    /* wanted: only whole REF and OUT, as files of this
                                                    kind; "": no */
    struct picture_frame beside[PICTURE_BESIDE]; /* wanted, without a reference */
    /* Results, initially zero. */
    struct picture_file whole[PICTURE_VIEWS], small;
    struct picture_file crop[PICTURE_VIEWS]; /* pixels of the frame, lossless */
    double times, crop_times;                /* factors of the differences, as in difference_draw */
    bool excess;      /* the heat map shows how far tiles are over their learned limits */
    double low, high; /* otherwise, SSIM at the ends of its colours */
    double score;     /* new score of a frame with views; if it is off by more than 1e-4, the files
                         changed */
    char why[256];    /* reason why there are no pictures; "": there are pictures */
};

struct judge;

struct pictures_config {
    bool alone;                       /* the frames have no reference, and use `beside` */
    const char *directory;            /* existing directory for the files */
    const struct source_input *input; /* input of the frames; it is opened again */
    const ssimcu_settings *settings;  /* settings of the scores */
    const struct judge *judge;        /* learned limits, for maps; may be NULL */
    uint64_t memory_bytes;            /* limit as in struct batch_config */
    uint32_t most_side;               /* longest side of a whole picture; 0: automatic */
    uint32_t most_bytes; /* largest file; a larger one gets a lower JPEG quality; 0: no limit */
    /* Gets the number of frames done; returns false to stop. May be NULL. */
    bool (*progress)(void *user, size_t done, size_t count);
    void *user;
};

/* Makes the pictures of `count` frames. Without a reference, `whole` becomes the place of the tile
 * in the frame and its neighbours, or the whole frames if there is no place.
 *
 * A frame that cannot be read has a `why` and no pictures. The same holds for all frames if the
 * input, such as a pipe, cannot be opened again. Neither is an error. Errors: WRITE, MEMORY. */
ssimcu_status pictures_make(const struct pictures_config *config, struct picture *picture,
                            size_t count, ssimcu_message *message);

/* Returns the scale at which a pixel of a picture is drawn, 1 to 8, so that no side exceeds `side`.
 */
uint32_t pictures_times(const struct picture_file *file, uint32_t side);

/* Sorts numbers of frames. */
void pictures_sort(int64_t *number, size_t count);

/* Writes two or more colours of the heat map, from `low` to `high` in even steps. */
void pictures_legend(uint8_t (*rgb)[3], size_t count);
