/* All that differs in a pair is one row or one column of one channel: the first, the middle or the
 * last. So no other difference hides a window or a sample that a kernel leaves out at an end. */
#include "core/contract.h"
#include "picture.h"
#include "ssim_reference.h"

#include <math.h>
#include <stdlib.h>

/* Windows over a line end within MARGIN of it. */
enum { LINES = 6, AWAY = 100, MARGIN = 2 * SSIMCU_TAPS };

/* The types in every layout that a kernel of its own reads: pixels, planes, and every other
 * sample. Luma of equal channels is their value. */
static const struct kind {
    struct picture_kind picture; /* all hold bytes without rounding */
    uint32_t channels, extra;    /* extra samples after each pixel */
    ssimcu_color color;
} KINDS[] = {
    {{SSIMCU_LAYOUT_HWC, SSIMCU_TYPE_U8, 255, 0}, 3, 0, SSIMCU_COLOR_RGB},
    {{SSIMCU_LAYOUT_CHW, SSIMCU_TYPE_U8, 255, 0}, 3, 0, SSIMCU_COLOR_RGB},
    {{SSIMCU_LAYOUT_HWC, SSIMCU_TYPE_U8, 255, 0}, 1, 1, SSIMCU_COLOR_RGB},
    {{SSIMCU_LAYOUT_HWC, SSIMCU_TYPE_U16, 65535, 0}, 3, 0, SSIMCU_COLOR_RGB},
    {{SSIMCU_LAYOUT_CHW, SSIMCU_TYPE_U16, 1020, 0}, 3, 0, SSIMCU_COLOR_RGB},
    {{SSIMCU_LAYOUT_HWC, SSIMCU_TYPE_U16, 65535, 0}, 1, 1, SSIMCU_COLOR_RGB},
    {{SSIMCU_LAYOUT_HWC, SSIMCU_TYPE_F16, 255, 0}, 3, 0, SSIMCU_COLOR_RGB},
    {{SSIMCU_LAYOUT_CHW, SSIMCU_TYPE_F16, 255, 0}, 3, 0, SSIMCU_COLOR_RGB},
    {{SSIMCU_LAYOUT_HWC, SSIMCU_TYPE_BF16, 255, 0}, 3, 0, SSIMCU_COLOR_RGB},
    {{SSIMCU_LAYOUT_CHW, SSIMCU_TYPE_BF16, 255, 0}, 3, 0, SSIMCU_COLOR_RGB},
    {{SSIMCU_LAYOUT_HWC, SSIMCU_TYPE_F32, 255, 0}, 3, 0, SSIMCU_COLOR_RGB},
    {{SSIMCU_LAYOUT_CHW, SSIMCU_TYPE_F32, 255, 0}, 3, 0, SSIMCU_COLOR_RGB},
    {{SSIMCU_LAYOUT_CHW, SSIMCU_TYPE_F32, 255, 0}, 3, 0, SSIMCU_COLOR_Y709},
};
enum { KIND_COUNT = sizeof KINDS / sizeof KINDS[0] };

/* A row or a column of one channel. */
struct line {
    bool is_row;
    uint32_t at, channel;
};

static struct line line_of(uint32_t width, uint32_t height, uint32_t number)
{
    const bool is_row = number >= LINES / 2;
    const uint32_t side = is_row ? height : width, at[] = {0, side / 2, side - 1};
    return (struct line){is_row, at[number % 3], number % 3};
}

/* Returns a sample of all channels of both sides, before one side differs. */
static uint32_t sample_at(uint32_t x, uint32_t y)
{
    return 100 + (((x * 73856093u) ^ (y * 19349663u)) * 2654435761u >> 28);
}

/* Returns the mean of 1 - SSIM by the reference, from the part of the frame around the line. */
static double model_loss(uint32_t width, uint32_t height, struct line line, int zero_pad)
{
    const uint32_t side = line.is_row ? height : width, shrink = zero_pad ? 0 : SSIMCU_TAPS - 1,
                   low = line.at > MARGIN ? line.at - MARGIN : 0,
                   high = line.at + MARGIN < side ? line.at + MARGIN : side,
                   w = line.is_row ? width : high - low, h = line.is_row ? high - low : height;
    float *const ref = malloc((size_t)w * h * sizeof *ref), *const out =
                                                                malloc((size_t)w * h * sizeof *out);
    double sum = 0;
    for (uint32_t y = 0; y < h; y++)
        for (uint32_t x = 0; x < w; x++) {
            const uint32_t at_x = line.is_row ? x : x + low, at_y = line.is_row ? y + low : y;
            const bool differs = (line.is_row ? at_y : at_x) == line.at;
            ref[y * w + x] = (float)sample_at(at_x, at_y);
            out[y * w + x] = ref[y * w + x] + (differs ? AWAY : 0);
        }
    cr_assert_eq(reference_ssim(ref, out, w, h, zero_pad, 255, &sum, NULL), 0);
    free(ref), free(out);
    return sum / ((double)(width - shrink) * (height - shrink));
}

static struct picture make_picture(const struct kind *kind, uint32_t width, uint32_t height)
{
    ssimcu_frame frame = check_frame(width, height, kind->channels, 8);
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++)
            for (uint32_t c = 0; c < kind->channels; c++)
                check_set_sample(&frame, x, y, c, sample_at(x, y));
    const struct picture picture = picture_make_apart(&frame, 1, kind->picture, kind->extra);
    ssimcu_frame_free(&frame);
    return picture;
}

/* Returns whether a line is of this channel. Luma takes all. */
static bool is_in(const struct kind *kind, struct line line, uint32_t channel)
{
    return kind->channels == 1 || kind->color != SSIMCU_COLOR_RGB || channel == line.channel;
}

static void move_line(struct picture *picture, const struct kind *kind, struct line line,
                      uint32_t away)
{
    const ssimcu_view *const view = &picture->view;
    for (uint32_t i = 0; i < (line.is_row ? view->width : view->height); i++) {
        const uint32_t x = line.is_row ? i : line.at, y = line.is_row ? line.at : i;
        for (uint32_t c = 0; c < kind->channels; c++)
            if (is_in(kind, line, c))
                picture_set(picture, 0, x, y, c,
                            (sample_at(x, y) + away) * kind->picture.peak / 255);
    }
}

/* Checks SSIM and the mean square of each channel. A mean square has no rounding to speak of. */
static void check_score_of(const ssimcu_score *score, const struct kind *kind, uint32_t width,
                           uint32_t height, struct line line, double loss)
{
    const double share = line.is_row ? 1.0 / height : 1.0 / width,
                 square = share * AWAY * AWAY / (255.0 * 255);
    for (uint32_t c = 0; c < score->channels; c++) {
        const double psnr = score->metric_channel[SSIMCU_METRIC_PSNR][c];
        if (is_in(kind, line, c)) {
            check_near(1 - score->channel[c], loss, 0.01 * loss,
                       "SSIM of kind %d, %ux%u, %s %u, channel %u", (int)(kind - KINDS), width,
                       height, line.is_row ? "row" : "column", line.at, c);
            check_near(pow(10, -psnr / 10), square, 1e-6 * square,
                       "square of kind %d, %ux%u, %s %u, channel %u", (int)(kind - KINDS), width,
                       height, line.is_row ? "row" : "column", line.at, c);
        } else {
            cr_assert(score->channel[c] == 1 && isinf(psnr), "kind %d, %ux%u, channel %u",
                      (int)(kind - KINDS), width, height, c);
        }
    }
}

static void check_kind(ssimcu_device device, ssimcu_pad pad, const struct kind *kind,
                       const uint32_t *size, const double loss[LINES])
{
    ssimcu_settings settings = check_settings_for(device, pad);
    settings.color = kind->color;
    settings.metrics = 1u << SSIMCU_METRIC_SSIM | 1u << SSIMCU_METRIC_PSNR;
    ssimcu_context *context = check_open(&settings);
    struct picture ref = make_picture(kind, size[0], size[1]),
                   out = make_picture(kind, size[0], size[1]);
    for (uint32_t i = 0; i < LINES; i++) {
        const struct line line = line_of(size[0], size[1], i);
        move_line(&out, kind, line, AWAY);
        const ssimcu_score score = picture_compare(context, &ref, &out);
        move_line(&out, kind, line, 0);
        check_score_of(&score, kind, size[0], size[1], line, loss[i]);
    }
    picture_free(&ref), picture_free(&out);
    ssimcu_close(&context);
}

static void check_size(ssimcu_device device, uint32_t width, uint32_t height)
{
    const uint32_t size[2] = {width, height};
    for (int pad = SSIMCU_PAD_VALID; pad <= SSIMCU_PAD_ZERO; pad++) {
        double loss[LINES];
        for (uint32_t i = 0; i < LINES; i++)
            loss[i] = model_loss(width, height, line_of(width, height, i), pad == SSIMCU_PAD_ZERO);
        for (size_t k = 0; k < KIND_COUNT; k += CHECK_LESS)
            check_kind(device, (ssimcu_pad)pad, &KINDS[k], size, loss);
    }
}

/* These are the kernels of a GPU. Each size ends within a strip, a tile and a vector. Rows of
 * pixels of 16 bits begin within a word. */
BACKEND_TEST(ssim_ends, in_double) { check_size(device, 75, 61); }
BACKEND_TEST(ssim_ends, by_multiply_adds) { check_size(device, 163, 167); }
BACKEND_TEST(ssim_ends, on_tensor_cores) { check_size(device, 523, 526); }
