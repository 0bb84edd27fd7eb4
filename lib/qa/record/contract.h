/* The contract: the meaning of a score, and the names that outputs use for it. */
#pragma once

#include "ssimcu_qa_types.h"

#include <stdbool.h>

struct json_t; /* jansson's JSON value */

/* Version of the published schema of results and of --json, docs/results.schema.json. Versions 1
 * to 3, which had other keys and kinds, are not read. */
enum { CONTRACT_SCHEMA = 4 };

/* Names of paddings, colours, alphas, curves (ssimcu_transfer) and treatments of samples that are
 * not finite. Each list follows its enum and ends with NULL. */
extern const char *const contract_pads[], *const contract_colors[], *const contract_alphas[],
                                                                        *const contract_transfers[],
                                                                            *const contract_nans[];

/* Names of the ranges of video samples, of the sizes to which video is scaled, and of the filters.
 * The first range stands for the files' tags. Each list ends with NULL. */
extern const char *const contract_ranges[], *const contract_scales[], *const contract_scalers[];

/* Names of backgrounds: NULL if there was no alpha, "black", "white". This list has no NULL at its
 * end. */
extern const char *const contract_backgrounds[];

/* Returns the layout of a score's channels: "rgb", "yuv" (planes), "y" (luma) or "grey". */
const char *contract_layout(const ssimcu_frame *ref, const ssimcu_frame *out, uint32_t planes,
                            const ssimcu_score *score);

/* The layout of a record without SSIM, which has no channels. */
#define CONTRACT_NO_LAYOUT ""
/* Values of contract_layout; the list ends with NULL. */
extern const char *const contract_layouts[];

/* Returns the name of a channel of that layout. */
const char *contract_channel(const char *layout, uint32_t channel);

/* Returns an object that maps each channel's name to its score; NULL if memory runs out. */
struct json_t *contract_channels_to_json(const char *layout, uint32_t count, const double *value);

/* The area of each frame that is scored, in pixels; width 0: the whole frame. */
struct contract_region {
    uint32_t width, height, x, y;
};

/* The size at which frames of video are compared. */
struct contract_scale {
    ssimcu_scale to;
    uint32_t width, height; /* pixels, for SSIMCU_SCALE_SIZE */
    unsigned scaler;        /* index of contract_scalers */
};

/* The treatment of linear light before pictures are compared, as on the command line. */
struct contract_light {
    unsigned transfer;            /* index of contract_transfers: 0, or a ssimcu_transfer */
    double exposure, white;       /* stops; luminance of light 1 under PU21, in cd/m2 */
    unsigned nan;                 /* index into contract_nans */
    const char *layer, *channels; /* choice within an EXR; may be NULL */
};

/* The definition of a score: the library's settings, and the frames that it is computed from.
 * Scores under different contracts must not be combined. */
struct contract {
    const ssimcu_settings *settings;
    bool video; /* true: planes are scored as they are stored, without colour or alpha */
    struct contract_region region;
    struct contract_scale scale; /* video only */
    uint32_t stream[2];          /* video streams of REF and OUT, from 0 */
    bool align;                  /* video frames are paired by their times */
    int64_t offset;              /* frame n of REF is compared with n + offset of OUT */
    uint32_t tile;               /* side of a tile in pixels; 0: no tiles */
    const char *ignored;         /* fingerprint of the ignored areas; "": none */
    const char *compared;        /* fingerprint of how layers are compared; "": by their names */
    double diff_threshold;       /* samples of differing pixels differ by more than this */
    const char *learned;         /* fingerprint of the learned limits; "": none */
    unsigned range;     /* index of contract_ranges, which overrides the files' tags; 0: the tags */
    const char *matrix; /* matrix of video, which overrides the files' tags; NULL: the tags */
    const struct contract_light *light; /* NULL: no input can be linear light */
    ssimcu_metric metric;               /* the primary one of the settings' metrics and SSIM */
};

/* Returns the contract as a JSON object; NULL if memory runs out. */
struct json_t *contract_to_json(const struct contract *contract);

/* Returns whether such an object describes video. */
bool contract_is_video(const struct json_t *contract);

/* Return the fingerprints of such an object. "": no areas are ignored, layers are compared by their
 * names, or there are no learned limits. */
const char *contract_ignored(const struct json_t *contract);
const char *contract_compared(const struct json_t *contract);
const char *contract_learned(const struct json_t *contract);

/* Return the tool that such an object names, and its definition in words; NULL: the scores are
 * ssimcu's. */
const char *contract_compat(const struct json_t *contract);
const char *contract_definition(const struct json_t *contract);

/* Returns whether both objects name the same tool, or none. */
bool contract_same_tool(const struct json_t *contract, const struct json_t *other);

/* Returns the metrics of such an object other than SSIM as the sum of 1 << ssimcu_metric, and the
 * primary metric. */
uint32_t contract_metrics(const struct json_t *contract, ssimcu_metric *first);

/* A member that differs between two contracts. */
struct contract_difference {
    char name[80];                /* such as "pad" or "light.exposure" */
    struct json_t *value, *other; /* borrowed; either may be NULL */
};

/* Finds the first member by which two contracts give another SSIM. Their other metrics and their
 * learned limits may differ, because these do not change it. `ignored`: ignored areas count. */
bool contract_find_difference(const struct json_t *contract, const struct json_t *other,
                              bool ignored, struct contract_difference *found);

/* Returns whether two contracts give the same SSIM. */
bool contract_same_ssim(const struct json_t *contract, const struct json_t *other);

/* Writes the light in words, such as "srgb, exposure 0", and returns `text`. */
enum { CONTRACT_LIGHT_TEXT = 160 };
const char *contract_light_text(const struct contract_light *light, char text[CONTRACT_LIGHT_TEXT]);
