/* Types of ssimcu_qa.h that the modules of the library share with callers. Include ssimcu_qa.h,
 * which includes this file. */
#ifndef SSIMCU_QA_TYPES_H
#define SSIMCU_QA_TYPES_H

#include "ssimcu.h"

/* ---- Choices --------------------------------------------------------------------------------- */

/* The decoder of video. */
typedef enum ssimcu_decode {
    SSIMCU_DECODE_AUTO = 0, /* NVDEC if a GPU scores, without limits, JUnit, Markdown and maps;
                               else the CPU */
    SSIMCU_DECODE_CPU = 1,
    SSIMCU_DECODE_CUDA = 2 /* NVDEC for at least one side; otherwise an error */
} ssimcu_decode;

/* The style of maps. */
typedef enum ssimcu_map_style {
    SSIMCU_MAP_GREY = 0,   /* 255 times the value: comparable between frames */
    SSIMCU_MAP_HEAT = 1,   /* the frame's best value is black, its worst yellow */
    SSIMCU_MAP_OVERLAY = 2 /* the heat map over a darkened OUT */
} ssimcu_map_style;

/* The size at which video frames are compared, as --scale. */
typedef enum ssimcu_scale {
    SSIMCU_SCALE_NONE = 0, /* REF and OUT must have the same size */
    SSIMCU_SCALE_REF = 1,  /* the size of REF */
    SSIMCU_SCALE_OUT = 2,  /* the size of OUT */
    SSIMCU_SCALE_SIZE = 3  /* scale_width x scale_height */
} ssimcu_scale;

/* ---- Facts of a frame ------------------------------------------------------------------------ */

/* The outcome of a pair, or of a frame without a reference. */
typedef enum ssimcu_record_kind {
    SSIMCU_RECORD_SCORED = 0,
    SSIMCU_RECORD_MISSING = 1, /* a side lacks the frame */
    SSIMCU_RECORD_FAILED = 2,  /* a frame could not be read or compared */
    SSIMCU_RECORD_CHECKED = 3  /* a frame without a reference was read and examined */
} ssimcu_record_kind;

/* Facts about REF or OUT in a frame of linear light. */
typedef struct ssimcu_light_share {
    uint32_t known;      /* 0: the picture is not linear light */
    double clamped;      /* share of pixels outside the range of the curve, 0 to 1 */
    double outside;      /* share of the frame outside an EXR's data window */
    uint64_t not_finite; /* samples that are not finite and count as 0 */
} ssimcu_light_share;

/* Facts about a frame from the container of compressed video. */
typedef struct ssimcu_coded {
    uint32_t known;
    uint64_t bytes; /* size of its packet */
    double time;    /* seconds after the file's first frame; NAN: unknown */
} ssimcu_coded;

/* Tiles that a limits file leaves out. They do not count in any number of a frame. */
typedef struct ssimcu_ignored {
    uint32_t tiles, all; /* number of ignored tiles, and of all tiles */
    uint32_t crc;        /* CRC-32 of one byte per tile, row after row: 1 if ignored, else 0 */
    double share;        /* share of the scored pixels in them */
} ssimcu_ignored;

/* Data in an EXR, such as depth: the values that count as 0 and as 1. */
typedef struct ssimcu_data_range {
    uint32_t known; /* 0: the picture is not data, or the caller sets the range */
    double low, high;
    double far;    /* share of samples that are far and count as 1 */
    double beyond; /* share of other samples outside low to high, which count by their logarithm */
} ssimcu_data_range;

/* Differing pixels. In IDs and Cryptomatte, pixels with different names; else those with a sample
 * that differs by more than the threshold. */
typedef struct ssimcu_diff {
    uint32_t known;               /* 0: not counted */
    double ratio;                 /* share of the scored pixels, 0 to 1 */
    uint64_t cluster;             /* pixels of the largest connected group; 0: none */
    uint64_t x, y, width, height; /* its bounding box in the frame */
} ssimcu_diff;

/* The score of a frame, and facts about it. Texts are static. A new fact is a member here. */
typedef struct ssimcu_scored {
    /* SSIM. NaN: the picture is too small for it, and only other metrics are wanted. */
    double score;
    uint32_t channels; /* 0: areas of an RGB picture are ignored, or there is no SSIM; then the
                          channels have no scores */
    double channel[3];
    const char *layout; /* "rgb", "yuv" (planes), "y" (luma) or "grey"; "": no SSIM */
    uint32_t bits;      /* bits of the compared samples; 0: floats */
    ssimcu_background background;
    const char *backend; /* "cpu" or "cuda" */
    ssimcu_tile tile;    /* tile with the lowest score; width 0: no tiles */
    /* The largest level shift of a tile. Width 0: no tiles, or results of an earlier version. */
    ssimcu_level_shift level_shift;
    ssimcu_ignored ignored;
    ssimcu_data_range range;
    ssimcu_diff diff;
    ssimcu_light_share light[2]; /* REF, OUT */
} ssimcu_scored;

/* ---- Facts of a run -------------------------------------------------------------------------- */

/* Statistics over the scored frames of one OUT. */
typedef struct ssimcu_statistics {
    double mean, harmonic_mean, min, max, p1, p5, p50, stddev;
    uint32_t has_harmonic_mean; /* 0: a score is 0 or below */
} ssimcu_statistics;

#endif
