/* The contract: what a score means, and the names that outputs use for it. */
#ifndef SSIMCU_QA_CONTRACT_H
#define SSIMCU_QA_CONTRACT_H

#include "ssimcu_qa_types.h"

#include <stdbool.h>

struct json_t; /* jansson's JSON value */

/* Version of the published schema of results and of --json, docs/results.schema.json. In version 1
 * the frames of --recursive were positions. All else of it is still read. */
enum { CONTRACT_SCHEMA = 2 };

/* Names of paddings, colours, alphas, curves (ssimcu_transfer) and treatments of samples that are
 * not finite. Each list has the order of its enum and ends with NULL. */
extern const char *const contract_pads[], *const contract_colors[], *const contract_alphas[],
                                                                        *const contract_transfers[],
                                                                            *const contract_nans[];

/* Names of ranges of video samples; the first is what the files say. NULL ends the list, as those
 * of the sizes to which video is scaled, and of the filters. */
extern const char *const contract_ranges[], *const contract_scales[], *const contract_scalers[];

/* Names of backgrounds: NULL if no alpha took part, "black", "white". No NULL ends the list. */
extern const char *const contract_backgrounds[];

/* Returns the layout of a score's channels: "rgb", "yuv" (planes), "y" (luma) or "grey". */
const char *contract_layout(const ssimcu_frame *ref, const ssimcu_frame *out, uint32_t planes,
                            const ssimcu_score *score);

/* The layout of a record without SSIM, which has no channels. */
#define CONTRACT_NO_LAYOUT ""
/* Values of contract_layout, ended by NULL. */
extern const char *const contract_layouts[];

/* Returns the name of a channel of that layout. */
const char *contract_channel(const char *layout, uint32_t channel);

/* Returns an object with each channel's score under its name; NULL if memory runs out. */
struct json_t *contract_channels_to_json(const char *layout, uint32_t count, const double *value);

/* The only part of every frame that is scored, in pixels; width 0: the whole frame. */
struct contract_region {
    uint32_t width, height, x, y;
};

/* The size at which frames of video are compared. */
struct contract_scale {
    ssimcu_scale to;
    uint32_t width, height; /* of SSIMCU_SCALE_SIZE, in pixels */
    unsigned scaler;        /* index of contract_scalers */
};

/* The treatment of linear light before pictures are compared, as the command line has it. */
struct contract_light {
    unsigned transfer;            /* index of contract_transfers: 0, or a ssimcu_transfer */
    double exposure, white;       /* stops; luminance of light 1 under PU21, in cd/m2 */
    unsigned nan;                 /* index into contract_nans */
    const char *layer, *channels; /* choice within an EXR; NULL: none */
};

/* The definition of a score: the library's settings, and the frames that it is computed from.
 * Scores of two contracts do not go together. */
struct contract {
    const ssimcu_settings *settings;
    bool video; /* true: planes are scored as they are stored, without colour or alpha */
    struct contract_region region;
    struct contract_scale scale; /* of video */
    uint32_t stream[2];          /* video stream of REF and of OUT, from 0 */
    bool align;                  /* frames of video are paired by their times */
    int64_t offset;              /* frame n of REF is compared with n + offset of OUT */
    uint32_t tile;               /* side of a tile in pixels; 0: no tiles */
    const char *ignored;         /* fingerprint of the parts of frames that are ignored; "": none */
    const char *compared;        /* fingerprint of how layers are compared; "": by name */
    double differ_above;         /* how far apart samples of pixels are that differ; 0: at all */
    const char *floors;          /* that of the floors by which excess is told; "": none */
    unsigned range;     /* index of contract_ranges, which overrules the files; 0: what they say */
    const char *matrix; /* matrix of video, which overrules the files; NULL: what they say */
    const struct contract_light *light; /* NULL: nothing can be of linear light */
    ssimcu_metric metric;               /* the first of the settings' metrics and SSIM */
};

/* Returns the contract as a JSON object; NULL if memory runs out. */
struct json_t *contract_to_json(const struct contract *contract);

/* Returns whether such an object is of video. */
bool contract_is_video(const struct json_t *contract);

/* Return the fingerprints in such an object; "": nothing is ignored, layers are compared by their
 * names, or there are no floors. */
const char *contract_ignored(const struct json_t *contract);
const char *contract_compared(const struct json_t *contract);
const char *contract_floors(const struct json_t *contract);

/* Return the tool in such an object whose numbers the scores are, and their definition in words;
 * NULL: ssimcu's own. */
const char *contract_compat(const struct json_t *contract);
const char *contract_definition(const struct json_t *contract);

/* Returns whether the scores of two such objects are of one tool, or both of ssimcu. */
bool contract_same_tool(const struct json_t *contract, const struct json_t *other);

/* Returns the metrics of such an object that are beside SSIM, 1 << ssimcu_metric added up, and the
 * first of all. */
uint32_t contract_metrics(const struct json_t *contract, ssimcu_metric *first);

/* Returns whether two contracts have the same SSIM: their metrics may differ, because each has its
 * own numbers whatever others are wanted, and their floors, which change no score. False if memory
 * runs out. */
bool contract_same_ssim(const struct json_t *contract, const struct json_t *other);

/* Writes the light in words, such as "srgb, exposure 0", and returns `text`. */
enum { CONTRACT_LIGHT_TEXT = 160 };
const char *contract_light_text(const struct contract_light *light, char text[CONTRACT_LIGHT_TEXT]);

#endif
