/* The contract: what a score means, and the names under which outputs say so. */
#ifndef SSIMCU_QA_CONTRACT_H
#define SSIMCU_QA_CONTRACT_H

#include "ssimcu.h"

#include <stdbool.h>

struct json_t; /* of jansson */

/* The names of paddings, colours and alphas, in the order of their enums and ended by NULL. */
extern const char *const contract_pads[], *const contract_colors[], *const contract_alphas[];

/* Likewise of backgrounds, without end: NULL where no alpha took part, "black", "white". */
extern const char *const contract_backgrounds[];

/* Likewise of ssimcu_transfer, and of what becomes of samples that are not finite. */
extern const char *const contract_transfers[], *const contract_nans[];

/* What the channels of a score are: "rgb", "yuv" (planes), "y" (luma) or "grey". */
const char *contract_layout(const ssimcu_frame *ref, const ssimcu_frame *out, uint32_t planes,
                            const ssimcu_score *score);

/* The name of a channel there, and each channel's score under its name. */
const char *contract_channel(const char *layout, uint32_t channel);
struct json_t *channels_to_json(const char *layout, uint32_t count, const double *value);

/* A part of every frame that alone is scored, in pixels; width 0: there is none. */
struct contract_region {
    uint32_t width, height, x, y;
};

/* What becomes of pictures of linear light before they are compared, as the command line has it. */
struct contract_light {
    unsigned transfer;            /* ssimcu_transfer */
    double exposure, white, peak; /* stops; cd/m2 of white under PU21; the sample that is white */
    unsigned nan;                 /* of contract_nans: an error, zero */
    const char *layer, *channels; /* of EXR; NULL: not asked for */
};

/* Which number the score is: what the library computes, under these settings, and of what. Scores
 * of two contracts do not go together. */
struct contract {
    const ssimcu_settings *settings;
    int peak;   /* the L of the formula; 0: that is said elsewhere */
    bool video; /* planes as they are stored, which have neither colour nor alpha */
    struct contract_region region;
    int64_t offset;                     /* frame n of REF was compared with n + offset of OUT */
    uint32_t tile;                      /* pixels of a tile's side; 0: there are none */
    const struct contract_light *light; /* NULL: no picture can be of linear light */
};
struct json_t *contract_to_json(const struct contract *contract);

/* Whether scores of the two go together. One that knows nothing of linear light, of an older
 * version, goes with any. */
bool contract_same(const struct json_t *a, const struct json_t *b);

/* "srgb, exposure 0, peak 1": what is not the default, but for the first two. */
enum { CONTRACT_LIGHT_TEXT = 160 };
const char *contract_light_text(const struct contract_light *light, char text[CONTRACT_LIGHT_TEXT]);

/* A file's name: names are bytes, JSON is UTF-8, and what is not is shown as '?'. */
struct json_t *path_to_json(const char *path);

#endif
