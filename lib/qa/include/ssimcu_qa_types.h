/* Types of ssimcu_qa.h that the parts of the library share with its callers. Include ssimcu_qa.h,
 * which includes this. */
#ifndef SSIMCU_QA_TYPES_H
#define SSIMCU_QA_TYPES_H

#include "ssimcu.h"

/* ---- Choices --------------------------------------------------------------------------------- */

/* What decodes video. */
typedef enum ssimcu_decode {
    SSIMCU_DECODE_AUTO = 0, /* NVDEC if a GPU scores and nothing is judged, else the CPU */
    SSIMCU_DECODE_CPU = 1,
    SSIMCU_DECODE_CUDA = 2 /* NVDEC for at least one side, or an error */
} ssimcu_decode;

/* How maps are drawn. */
typedef enum ssimcu_map_style {
    SSIMCU_MAP_GREY = 0,   /* 255 times the value: the same in every frame */
    SSIMCU_MAP_HEAT = 1,   /* black is the best of this frame, yellow the worst */
    SSIMCU_MAP_OVERLAY = 2 /* the same over a dark OUT */
} ssimcu_map_style;

/* The size at which frames of video are compared, as --scale. */
typedef enum ssimcu_scale {
    SSIMCU_SCALE_NONE = 0, /* REF and OUT must have one size */
    SSIMCU_SCALE_REF = 1,  /* that of REF */
    SSIMCU_SCALE_OUT = 2,  /* that of OUT */
    SSIMCU_SCALE_SIZE = 3  /* scale_width x scale_height */
} ssimcu_scale;

/* ---- Facts of a frame ------------------------------------------------------------------------ */

/* What became of a pair. */
typedef enum ssimcu_record_kind {
    SSIMCU_RECORD_SCORED = 0,
    SSIMCU_RECORD_MISSING = 1, /* a side has no such frame */
    SSIMCU_RECORD_FAILED = 2   /* a frame could not be read or compared */
} ssimcu_record_kind;

/* What is known of REF or OUT in a frame of linear light. */
typedef struct ssimcu_light_share {
    uint32_t known;      /* 0: the picture is not of linear light */
    double clamped;      /* share of pixels that the curve cannot show, 0 to 1 */
    double outside;      /* share of the frame that lies outside an EXR's data window */
    uint64_t not_finite; /* samples that counted as 0 */
} ssimcu_light_share;

/* What the container of compressed video says of a frame. */
typedef struct ssimcu_coded {
    uint32_t known;
    uint64_t bytes; /* of its packet */
    double time;    /* seconds after the file's first frame; NAN: unknown */
} ssimcu_coded;

/* Tiles that a limits file leaves out: they count for none of a frame's numbers. */
typedef struct ssimcu_ignored {
    uint32_t tiles, all; /* how many, 0: none, and how many tiles there are */
    uint32_t crc;        /* CRC-32 of which they are: a byte a tile, row after row, 1 if left out */
    double share;        /* share of the scored pixels in them */
} ssimcu_ignored;

/* Data in an EXR, such as depth: the samples that count as 0 and as 1. */
typedef struct ssimcu_data_range {
    uint32_t known; /* 0: the picture is no data, or the caller says what 1 is */
    double low, high;
    double far;    /* share of samples that are far, and count as 1 */
    double beyond; /* share of others beyond low to high, which count by their logarithm */
} ssimcu_data_range;

/* Pixels that differ: of IDs and Cryptomatte all whose names do, else those whose samples are
 * further apart than a limit allows. */
typedef struct ssimcu_differing {
    uint32_t known; /* 0: nobody has counted them */
    double share;   /* part of the scored pixels */
    uint64_t blob;  /* pixels of the largest group of them that touch each other; 0: none */
    uint64_t x, y, width, height; /* what it covers, in the frame */
} ssimcu_differing;

/* A frame's score, and what came with it. Texts are static. A fact that is new is a member here. */
typedef struct ssimcu_scored {
    /* SSIM; NaN: the picture is too small for it, and other metrics alone are wanted. */
    double score;
    uint32_t channels; /* 0: parts of an RGB picture are ignored, or there is no SSIM; its channels
                          have no scores then */
    double channel[3];
    const char *layout; /* "rgb", "yuv" (planes), "y" (luma) or "grey"; "": there is no SSIM */
    uint32_t bits;      /* bits of the samples that were compared; 0: floats */
    ssimcu_background background;
    const char *backend; /* "cpu" or "cuda" */
    ssimcu_tile tile;    /* tile with the lowest score; width 0: there are no tiles */
    /* The largest shift of a tile; width 0: no tiles, or results of an earlier version. */
    ssimcu_tile_shift shift;
    ssimcu_ignored ignored;
    ssimcu_data_range range;
    ssimcu_differing differing;
    ssimcu_light_share light[2]; /* REF, OUT */
    char hints[272]; /* possible causes of a low score, "; " between; a share has none */
} ssimcu_scored;

/* ---- Facts of a run -------------------------------------------------------------------------- */

/* Statistics over the scored frames of one OUT. */
typedef struct ssimcu_statistics {
    double mean, harmonic_mean, min, max, p1, p5, p50, stddev;
    uint32_t has_harmonic_mean; /* 0: a score is 0 or below */
} ssimcu_statistics;

#endif
