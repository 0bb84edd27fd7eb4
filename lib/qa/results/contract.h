/* The contract: what a score means, and the names under which outputs say so. */
#ifndef SSIMCU_QA_CONTRACT_H
#define SSIMCU_QA_CONTRACT_H

#include "ssimcu.h"

#include <stdbool.h>

struct json_t; /* of jansson */

/* Version of the published schema of results and of --json, docs/results.schema.json. */
enum { CONTRACT_SCHEMA = 1 };

/* Names of paddings, colours, alphas, curves (ssimcu_transfer) and ways to treat samples that are
 * not finite, in the order of their enums and ended by NULL. */
extern const char *const contract_pads[], *const contract_colors[], *const contract_alphas[],
                                                                        *const contract_transfers[],
                                                                            *const contract_nans[];

/* Names of backgrounds, without an end: NULL if no alpha took part, "black", "white". */
extern const char *const contract_backgrounds[];

/* Returns what the channels of a score are: "rgb", "yuv" (planes), "y" (luma) or "grey". */
const char *contract_layout(const ssimcu_frame *ref, const ssimcu_frame *out, uint32_t planes,
                            const ssimcu_score *score);

/* Returns the name of a channel of that layout. */
const char *contract_channel(const char *layout, uint32_t channel);

/* Returns an object with each channel's score under its name. */
struct json_t *channels_to_json(const char *layout, uint32_t count, const double *value);

/* The part of every frame that alone is scored, in pixels; width 0: the whole frame. */
struct contract_region {
    uint32_t width, height, x, y;
};

/* What becomes of linear light before pictures are compared, as the command line has it. */
struct contract_light {
    unsigned transfer;            /* ssimcu_transfer */
    double exposure, white;       /* stops; luminance of light 1 under PU21, in cd/m2 */
    unsigned nan;                 /* index into contract_nans */
    const char *layer, *channels; /* choice within an EXR; NULL: none */
};

/* Which number the score is: what the library computes under these settings, and of which frames.
 * Scores of two contracts do not go together. */
struct contract {
    const ssimcu_settings *settings;
    bool video; /* planes are scored as they are stored, without colour or alpha */
    struct contract_region region;
    int64_t offset;                     /* frame n of REF is compared with n + offset of OUT */
    uint32_t tile;                      /* side of a tile in pixels; 0: there are none */
    const struct contract_light *light; /* NULL: no picture can be of linear light */
};
struct json_t *contract_to_json(const struct contract *contract);

/* Writes the light in words, such as "srgb, exposure 0". */
enum { CONTRACT_LIGHT_TEXT = 160 };
const char *contract_light_text(const struct contract_light *light, char text[CONTRACT_LIGHT_TEXT]);

/* Returns a file's name as UTF-8, because names are bytes; what is not UTF-8 becomes '?'. */
struct json_t *path_to_json(const char *path);

#endif
