#include "hints/look.h"

enum {
    GRID = 32,        /* cells across and down, with a point each */
    BLOCK = 8,        /* pixels a side around a point: the block of JPEG and of many video coders */
    CLIPPED_MOST = 32 /* most clipped pixels: one in so many */
};
_Static_assert(GRID *GRID == SIGNATURE_POINTS, "a point in each cell");

/* Returns where point `index` lies in its cell, across and down, in 65536ths. The place is the same
 * in every frame. */
static uint32_t jitter(uint32_t index)
{
    uint32_t bits = index * 0x9e3779b9u;
    bits ^= bits >> 15;
    bits *= 0x85ebca6bu;
    return bits ^ bits >> 13;
}

/* Finds a point of the grid on a plane. It is inside the plane at any size. */
static void point(const ssimcu_frame *plane, uint32_t index, uint32_t *x, uint32_t *y)
{
    const uint32_t within = jitter(index);
    const uint64_t across = (uint64_t)(index % GRID) << 16 | (within & 0xffff);
    const uint64_t down = (uint64_t)(index / GRID) << 16 | within >> 16;
    *x = (uint32_t)(across * plane->width / (GRID << 16));
    *y = (uint32_t)(down * plane->height / (GRID << 16));
}

/* Reads the colour of a pixel of an interleaved frame. Returns its alpha if that counts, else 1. */
static float pixel_of(const ssimcu_frame *frame, bool has_alpha, uint32_t x, uint32_t y,
                      float value[3])
{
    const float scale = 1.0f / (float)((1u << frame->bits) - 1);
    const uint32_t green = frame->channels > 2 ? 1 : 0, blue = 2 * green;
    value[0] = (float)look_sample(frame, x, y, 0) * scale;
    value[1] = (float)look_sample(frame, x, y, green) * scale;
    value[2] = (float)look_sample(frame, x, y, blue) * scale;
    return has_alpha && frame->channels % 2 == 0
               ? (float)look_sample(frame, x, y, frame->channels - 1) * scale
               : 1;
}

static void composite(float value[3], float alpha, bool over_white)
{
    for (int c = 0; c < 3; c++) value[c] = value[c] * alpha + (over_white ? 1 - alpha : 0);
}

bool samples_pixel(const struct look *look, int side, uint32_t x, uint32_t y, float value[3])
{
    const ssimcu_frame *frame = look->frame[side];
    if (look->planes == 1) {
        const float alpha = pixel_of(frame, look_has_alpha(look), x, y, value);
        composite(value, alpha, look->score->background == SSIMCU_BACKGROUND_WHITE);
        return alpha >= 1;
    }
    for (uint32_t p = 0; p < look->planes; p++) {
        const uint64_t px = (uint64_t)x * frame[p].width / frame->width;
        const uint64_t py = (uint64_t)y * frame[p].height / frame->height;
        value[p] = (float)look_sample(&frame[p], (uint32_t)px, (uint32_t)py, 0) /
                   (float)((1u << frame[p].bits) - 1);
    }
    return true;
}

/* Clamps a sample above the peak, which the look need not report. */
static uint16_t to_word(float luma) { return (uint16_t)((luma < 1 ? luma : 1) * 65535 + 0.5f); }

static void sample_planes(const struct look *look, int side, struct samples *samples,
                          struct signature *signature)
{
    for (uint32_t p = 0; p < look->planes; p++) {
        const ssimcu_frame *plane = &look->frame[side][p];
        const float scale = 1.0f / (float)((1u << plane->bits) - 1);
        for (uint32_t i = 0, x, y; i < SIGNATURE_POINTS; i++) {
            point(plane, i, &x, &y);
            samples->value[p][i] = (float)look_sample(plane, x, y, 0) * scale;
        }
    }
    for (uint32_t i = 0; i < SIGNATURE_POINTS; i++)
        signature->value[i] = to_word(samples->value[0][i]);
}

/* Finds BLOCK places around `centre` inside 0 to `size`: writes their start and returns their
 * length. */
static uint32_t place_block(uint32_t centre, uint32_t size, uint32_t *start)
{
    const uint32_t length = size < BLOCK ? size : BLOCK;
    *start = centre < length / 2 ? 0 : centre - length / 2;
    if (*start > size - length) *start = size - length;
    return length;
}

/* Pixels of a plane around a point. */
struct patch {
    const ssimcu_frame *frame;
    uint32_t left, top, width, height;
};

static struct patch patch_around(const ssimcu_frame *frame, uint32_t index)
{
    struct patch patch = {.frame = frame};
    uint32_t x, y;
    point(frame, index, &x, &y);
    patch.width = place_block(x, frame->width, &patch.left);
    patch.height = place_block(y, frame->height, &patch.top);
    return patch;
}

/* Returns the mean, or -1 if more than a few of the pixels are clipped. */
static float mean_of(const struct patch *patch, float sum, uint32_t clipped)
{
    const uint32_t pixels = patch->width * patch->height;
    return clipped * CLIPPED_MOST <= pixels ? sum / (float)pixels : -1;
}

static float mean_channel(const struct patch *patch, uint32_t channel)
{
    const uint32_t peak = (1u << patch->frame->bits) - 1;
    uint32_t sum = 0, clipped = 0;
    for (uint32_t y = 0; y < patch->height; y++)
        for (uint32_t x = 0; x < patch->width; x++) {
            const uint32_t sample =
                look_sample(patch->frame, patch->left + x, patch->top + y, channel);
            sum += sample;
            clipped += sample == 0 || sample >= peak;
        }
    return mean_of(patch, (float)sum / (float)peak, clipped);
}

static void mean_composited(const struct look *look, int side, const struct patch *patch,
                            float value[3])
{
    float sum[3] = {0};
    uint32_t clipped[3] = {0};
    for (uint32_t y = 0; y < patch->height; y++)
        for (uint32_t x = 0; x < patch->width; x++) {
            float pixel[3];
            samples_pixel(look, side, patch->left + x, patch->top + y, pixel);
            for (int c = 0; c < 3; c++) {
                sum[c] += pixel[c];
                clipped[c] += pixel[c] <= 0 || pixel[c] >= 1;
            }
        }
    for (int c = 0; c < 3; c++) value[c] = mean_of(patch, sum[c], clipped[c]);
}

void samples_means(const struct look *look, int side, struct samples *samples)
{
    const ssimcu_frame *frame = look->frame[side];
    const bool planar = look->planes > 1, grey = planar || frame->channels < 3;
    for (uint32_t i = 0; i < SIGNATURE_POINTS; i++) {
        float value[3];
        struct patch patch = patch_around(frame, i);
        if (look_has_alpha(look)) mean_composited(look, side, &patch, value);
        for (uint32_t c = 0; c < look->channels; c++) {
            if (planar) patch = patch_around(&frame[c], i);
            if (!look_has_alpha(look)) value[c] = mean_channel(&patch, grey ? 0 : c);
            samples->value[c][i] = value[c];
        }
    }
}

void samples_take(const struct look *look, int side, struct samples *samples,
                  struct signature *signature)
{
    const ssimcu_frame *frame = look->frame[side];
    const bool has_alpha = look_has_alpha(look);
    const bool over_white = look->score->background == SSIMCU_BACKGROUND_WHITE;
    samples->transparent = 0;
    if (look->planes > 1) {
        sample_planes(look, side, samples, signature);
        return;
    }
    for (uint32_t i = 0, x, y; i < SIGNATURE_POINTS; i++) {
        float value[3];
        point(frame, i, &x, &y);
        const float alpha = pixel_of(frame, has_alpha, x, y, value);
        samples->transparent += alpha < 1;
        /* Luma is always over black: the score's background may differ from frame to frame. */
        const float luma = alpha * (value[0] + 2 * value[1] + value[2]) / 4;
        signature->value[i] = to_word(luma);
        composite(value, alpha, over_white);
        for (int c = 0; c < 3; c++) samples->value[c][i] = value[c];
    }
}
