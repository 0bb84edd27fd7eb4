/* Pictures of frames for the page, made when all is scored: the frames are read again, so that the
 * batch itself waits for none of this. */
#ifndef SSIMCU_QA_REPORT_PICTURES_H
#define SSIMCU_QA_REPORT_PICTURES_H

#include "source/source.h"

/* Of a shown frame; each of the three in the same size. */
enum { PICTURE_REF, PICTURE_OUT, PICTURE_HEAT, PICTURE_VIEWS };
enum { PICTURE_NAME = 48 };

/* A file in the report's directory. */
struct picture_file {
    char name[PICTURE_NAME]; /* without directory, of letters, digits, '-' and '.'; "": none */
    uint32_t width, height;  /* pixels */
};

/* A part of such a picture, in its pixels. */
struct picture_box {
    double x, y, width, height;
};

/* One frame: what is wanted of it, and what came of that. */
struct picture {
    /* set by the caller */
    int64_t frame;
    const char *path[2];     /* REF, OUT: as the record has them */
    struct record_tile tile; /* the worst, in pixels of the whole frame; unknown: no box, no crop */
    bool views;              /* REF, OUT and heat map, whole and around the worst tile */
    bool thumbnail;          /* a small OUT */
    /* made; zeros at first */
    struct picture_file whole[PICTURE_VIEWS], crop[PICTURE_VIEWS], small;
    struct picture_box box, crop_box; /* where the tile lies in `whole` and in `crop` */
    double low, high;                 /* SSIM at the ends of the heat map's colours */
    double score;  /* of a shown frame, scored again: more than 1e-6 away the files changed */
    char why[256]; /* there are no pictures, because ...; "": there are */
};

struct pictures_config {
    const char *directory;            /* exists; files go there */
    const struct source_input *input; /* where the frames came from, to be opened again */
    const ssimcu_settings *settings;  /* as they were scored */
    uint64_t memory_bytes;            /* as in struct batch_config */
    /* How many of the frames are done; false stops. May be NULL. */
    bool (*progress)(void *user, size_t done, size_t count);
    void *user;
};

/* Makes the pictures of `count` frames, which come by rising number. A frame that cannot be read
 * has a `why` and no pictures, and so have all where the input cannot be opened again, such as a
 * pipe: that is no error. Errors: WRITE, MEMORY. */
ssimcu_status pictures_make(const struct pictures_config *config, struct picture *picture,
                            size_t count, ssimcu_message *message);

/* The heat map's colours, from `low` to `high` in even steps. */
void pictures_legend(uint8_t (*rgb)[3], size_t count);

#endif
