#include "hints/analysis.h"

#include "sample_size.h"

enum {
    GRID = 32,        /* cells across and down, with one point each */
    CLIPPED_MOST = 32 /* clipped pixels: at most one in so many */
};
_Static_assert(GRID *GRID == SIGNATURE_POINTS, "a point in each cell");

/* Returns the place of point `index` in its cell, across and down, in 65536ths. The place is the
 * same in every frame. */
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

/* ---- Samples --------------------------------------------------------------------------------- */

float analysis_to_display(float light)
{
    return light <= 0.0031308f ? 12.92f * light : 1.055f * powf(light, 1 / 2.4f) - 0.055f;
}

float analysis_to_light(float display)
{
    return display <= 0.04045f ? display / 12.92f : powf((display + 0.055f) / 1.055f, 2.4f);
}

float analysis_sample(const struct analysis *analysis, const ssimcu_frame *frame, uint32_t x,
                      uint32_t y, uint32_t channel)
{
    const void *row = (const char *)frame->data + y * frame->pitch;
    const size_t at = (size_t)x * frame->channels + channel;
    if (frame->bits == 8) return (float)((const uint8_t *)row)[at] / 255;
    if (!analysis_has_floats(frame))
        return (float)((const uint16_t *)row)[at] / (float)((1u << frame->bits) - 1);
    float sample = frame->bits == SSIMCU_BITS_F32 ? ((const float *)row)[at]
                                                  : ssimcu_half_value(((const uint16_t *)row)[at]);
    if (!(sample > 0 && isfinite(sample))) return 0;
    if (analysis->light) return sample;
    if (sample > 1) sample = 1;
    return frame->linear ? analysis_to_display(sample) : sample;
}

struct luma luma_of(const struct analysis *analysis, int side)
{
    const ssimcu_frame *frame = analysis->frame[side];
    const uint32_t channel = frame->channels > 2 ? 1 : 0;
    const size_t sample = ssimcu_sample_size(frame->bits);
    return (struct luma){analysis,
                         frame,
                         channel,
                         frame->channels * sample,
                         (const char *)frame->data + channel * sample,
                         analysis_has_floats(frame) ? 0 : 1 / (float)((1u << frame->bits) - 1)};
}

float luma_of_float(const struct luma *luma, uint32_t x, uint32_t y)
{
    return analysis_shown(luma->analysis,
                          analysis_sample(luma->analysis, luma->frame, x, y, luma->channel));
}

/* Reads the colour of a pixel of an interleaved frame. Returns its alpha if that counts, else 1. */
static float pixel_of(const struct analysis *analysis, const ssimcu_frame *frame, uint32_t x,
                      uint32_t y, float value[3])
{
    const uint32_t green = frame->channels > 2 ? 1 : 0, blue = 2 * green;
    value[0] = analysis_sample(analysis, frame, x, y, 0);
    value[1] = analysis_sample(analysis, frame, x, y, green);
    value[2] = analysis_sample(analysis, frame, x, y, blue);
    return analysis_has_alpha(analysis) && frame->channels % 2 == 0
               ? analysis_sample(analysis, frame, x, y, frame->channels - 1)
               : 1;
}

static void composite(float value[3], float alpha, bool over_white)
{
    for (int c = 0; c < 3; c++) value[c] = value[c] * alpha + (over_white ? 1 - alpha : 0);
}

bool samples_pixel(const struct analysis *analysis, int side, uint32_t x, uint32_t y,
                   float value[3])
{
    const ssimcu_frame *frame = analysis->frame[side];
    if (analysis->planes == 1) {
        const float alpha = pixel_of(analysis, frame, x, y, value);
        composite(value, alpha, analysis->score->background == SSIMCU_BACKGROUND_WHITE);
        return alpha >= 1;
    }
    for (uint32_t p = 0; p < analysis->planes; p++) {
        const uint64_t px = (uint64_t)x * frame[p].width / frame->width;
        const uint64_t py = (uint64_t)y * frame[p].height / frame->height;
        value[p] = analysis_sample(analysis, &frame[p], (uint32_t)px, (uint32_t)py, 0);
    }
    return true;
}

/* Clamps a sample above the peak, which the analysis need not report. 12 bits of a word count, as
 * in its text. */
static uint16_t to_word(float luma)
{
    return (uint16_t)((uint32_t)((luma < 1 ? luma : 1) * 4095 + 0.5f) * 16);
}

static void sample_planes(const struct analysis *analysis, int side, struct samples *samples,
                          struct signature *signature)
{
    for (uint32_t p = 0; p < analysis->planes; p++) {
        const ssimcu_frame *plane = &analysis->frame[side][p];
        for (uint32_t i = 0, x, y; i < SIGNATURE_POINTS; i++) {
            point(plane, i, &x, &y);
            samples->value[p][i] = analysis_sample(analysis, plane, x, y, 0);
        }
    }
    for (uint32_t i = 0; i < SIGNATURE_POINTS; i++)
        signature->value[i] = to_word(samples->value[0][i]);
}

/* ---- Around a point -------------------------------------------------------------------------- */

/* Finds AROUND_SIDE places around `centre` inside 0 to `size`. Writes their start and returns their
 * number. */
static uint32_t place_block(uint32_t centre, uint32_t size, uint32_t *start)
{
    const uint32_t length = size < AROUND_SIDE ? size : AROUND_SIDE;
    *start = centre < length / 2 ? 0 : centre - length / 2;
    if (*start > size - length) *start = size - length;
    return length;
}

static uint32_t channel_of(const ssimcu_frame *frame, uint32_t colour)
{
    return frame->channels > 2 ? colour : 0;
}

/* Reads a channel of a block of integers, as analysis_sample does for single samples. */
static void read_whole(const ssimcu_frame *frame, uint32_t channel, uint32_t left, uint32_t top,
                       uint32_t width, float *value, uint32_t count)
{
    const float peak = (float)((1u << frame->bits) - 1);
    const uint32_t step = frame->channels;
    for (uint32_t i = 0; i < count; i += width, top++) {
        const void *row = (const char *)frame->data + top * frame->pitch;
        const uint8_t *bytes = (const uint8_t *)row + (size_t)left * step + channel;
        const uint16_t *words = (const uint16_t *)row + (size_t)left * step + channel;
        for (uint32_t x = 0; x < width; x++)
            value[3 * (i + x)] =
                (float)(frame->bits == 8 ? bytes[x * step] : words[x * step]) / peak;
    }
}

/* Returns the block around a point. */
static ssimcu_patch block_of(const ssimcu_frame *frame, uint32_t index)
{
    uint32_t x, y;
    ssimcu_patch block = {.step = 1};
    point(frame, index, &x, &y);
    block.columns = place_block(x, frame->width, &block.x);
    block.rows = place_block(y, frame->height, &block.y);
    return block;
}

void samples_fetch_around(const struct analysis *analysis, uint32_t step)
{
    if (!analysis->fetch) return;
    for (uint32_t n = 0; n < 2 * analysis->planes; n++)
        for (uint32_t i = 0; i < SIGNATURE_POINTS; i += step) {
            const uint32_t plane = n % analysis->planes;
            const int side = (int)(n / analysis->planes);
            fetch_add(analysis, side, plane, block_of(&analysis->frame[side][plane], i));
        }
    fetch_now(analysis);
}

static void read_around(const struct analysis *analysis, int side, uint32_t plane, uint32_t index,
                        struct around *around)
{
    const ssimcu_frame *frame = &analysis->frame[side][plane];
    const ssimcu_patch block = block_of(frame, index);
    const uint32_t left = block.x, top = block.y, width = block.columns;
    around->count = width * block.rows;
    if (!analysis_has_floats(frame) &&
        !(analysis_has_alpha(analysis) && frame->channels % 2 == 0)) {
        const bool planar = analysis->planes > 1;
        for (uint32_t c = planar ? plane : 0; c < (planar ? plane + 1 : 3); c++)
            read_whole(frame, planar ? 0 : channel_of(frame, c), left, top, width,
                       &around->pixel[0][c], around->count);
        return;
    }
    for (uint32_t i = 0; i < around->count; i++) {
        const uint32_t px = left + i % width, py = top + i / width;
        if (analysis->planes > 1)
            around->pixel[i][plane] = analysis_sample(analysis, frame, px, py, 0);
        else
            samples_pixel(analysis, side, px, py, around->pixel[i]);
    }
}

void samples_around(const struct analysis *analysis, int side, uint32_t index,
                    struct around *around)
{
    uint32_t least = AROUND_SIDE * AROUND_SIDE;
    for (uint32_t p = 0; p < analysis->planes; p++) {
        read_around(analysis, side, p, index, around);
        if (around->count < least) least = around->count;
    }
    around->count = least;
}

bool samples_are_clipped(const struct analysis *analysis, const struct around *around,
                         uint32_t channel)
{
    uint32_t clipped = 0;
    for (uint32_t i = 0; i < around->count; i++) {
        const float value = around->pixel[i][channel];
        clipped += value <= 0 || (value >= 1 && !analysis->light);
    }
    return clipped * CLIPPED_MOST > around->count;
}

/* ---- At the points --------------------------------------------------------------------------- */

void samples_add(const struct analysis *analysis)
{
    ssimcu_patch at = {.columns = 1, .rows = 1, .step = 1};
    for (uint32_t n = 0; n < 2 * analysis->planes; n++)
        for (uint32_t i = 0; i < SIGNATURE_POINTS; i++) {
            const uint32_t side = n / analysis->planes, plane = n % analysis->planes;
            point(&analysis->frame[side][plane], i, &at.x, &at.y);
            fetch_add(analysis, (int)side, plane, at);
        }
}

void samples_take(const struct analysis *analysis, int side, struct samples *samples,
                  struct signature *signature)
{
    const ssimcu_frame *frame = analysis->frame[side];
    const bool over_white = analysis->score->background == SSIMCU_BACKGROUND_WHITE;
    samples->transparent = 0;
    if (analysis->planes > 1) {
        sample_planes(analysis, side, samples, signature);
        return;
    }
    for (uint32_t i = 0, x, y; i < SIGNATURE_POINTS; i++) {
        float value[3];
        point(frame, i, &x, &y);
        const float alpha = pixel_of(analysis, frame, x, y, value);
        samples->transparent += alpha < 1;
        /* Luma is always over black: the score's background may differ from frame to frame. */
        const float luma = alpha * (value[0] + 2 * value[1] + value[2]) / 4;
        signature->value[i] = to_word(analysis_shown(analysis, luma));
        composite(value, alpha, over_white);
        for (int c = 0; c < 3; c++) samples->value[c][i] = value[c];
    }
}

/* Finds a point that is moved by so many pixels. */
static void point_moved(const ssimcu_frame *plane, uint32_t index, uint32_t by, uint32_t *x,
                        uint32_t *y)
{
    point(plane, index, x, y);
    *x = *x + by < plane->width ? *x + by : *x - (by < *x ? by : *x);
    *y = *y + by < plane->height ? *y + by : *y - (by < *y ? by : *y);
}

void samples_add_moved(const struct analysis *analysis, uint32_t by)
{
    ssimcu_patch at = {.columns = 1, .rows = 1, .step = 1};
    for (uint32_t i = 0; i < SIGNATURE_POINTS; i++) {
        point_moved(analysis->frame[0], i, by, &at.x, &at.y);
        fetch_add(analysis, 0, 0, at);
    }
}

void samples_moved(const struct analysis *analysis, uint32_t by, struct signature *signature)
{
    const struct luma luma = luma_of(analysis, 0);
    for (uint32_t i = 0, x, y; i < SIGNATURE_POINTS; i++) {
        point_moved(luma.frame, i, by, &x, &y);
        signature->value[i] = to_word(luma_at(&luma, x, y));
    }
}

double signature_unexplained(const struct signature *a, const struct signature *b)
{
    static const double TWO_LEVELS = 514.0 * 514.0; /* least variance, in 65536ths of the peak */
    uint64_t x = 0, y = 0, xx = 0, xy = 0, yy = 0;
    for (uint32_t i = 0; i < SIGNATURE_POINTS; i++) {
        const uint64_t av = a->value[i], bv = b->value[i];
        x += av;
        y += bv;
        xx += av * av;
        xy += av * bv;
        yy += bv * bv;
    }
    const double n = SIGNATURE_POINTS, mean_x = (double)x / n, mean_y = (double)y / n;
    const double var_x = (double)xx / n - mean_x * mean_x, var_y = (double)yy / n - mean_y * mean_y;
    const double both = (double)xy / n - mean_x * mean_y;
    if (var_x < TWO_LEVELS || var_y < TWO_LEVELS || both < 0) return 1;
    const double rest = 1 - both * both / (var_x * var_y);
    return rest > 0 ? rest : 0;
}
