/* Pictures of linear light, and what they score by a model in double that shares nothing with
 * the library. */
#ifndef SSIMCU_TEST_RENDER_H
#define SSIMCU_TEST_RENDER_H

#include "check.h"

/* A float picture in one type and layout; the caller frees its memory. */
struct render {
    ssimcu_view view;
    void *memory;
    uint32_t width, height, channels;
};

struct render render_make(uint32_t width, uint32_t height, uint32_t channels, ssimcu_type type,
                          ssimcu_layout layout);
double render_get(const struct render *render, uint32_t x, uint32_t y, uint32_t c);
void render_set(struct render *render, uint32_t x, uint32_t y, uint32_t c, float value);

/* Makes light from shadows to highlights of 4, with detail; then noise, and fireflies of 10000. */
void render_paint(struct render *render, check_random *random, double noise, int fireflies);

/* Converts light to what is compared, and gives the L of it. */
double model_encode(const ssimcu_settings *settings, double v);
double model_range(const ssimcu_settings *settings);

/* Scores over a background, 0 or 1, and counts the pixels of one side that are clamped. */
double model_score(const struct render *ref, const struct render *out,
                   const ssimcu_settings *settings, double background);
uint64_t model_clamped(const struct render *render, const ssimcu_settings *settings);

#endif
