#include "loss_model.h"

#include "core/samples.h"
#include "device.h"

#include <math.h>
#include <stdlib.h>

enum { SIDE = 11, REACH = 5 };

static const double c1 = 0.01 * 0.01, c2 = 0.03 * 0.03;

struct loss_model loss_model_make(int width, int height, int channels, int frames)
{
    struct loss_model model = {
        .width = width, .height = height, .channels = channels, .frames = frames};
    for (int i = 0; i < 2; i++)
        model.side[i] = calloc(loss_model_samples(&model), sizeof *model.side[i]);
    return model;
}

void loss_model_free(struct loss_model *model)
{
    free(model->side[0]);
    free(model->side[1]);
    free(model->mask);
}

size_t loss_model_samples(const struct loss_model *model)
{
    return (size_t)model->width * model->height * model->channels * model->frames;
}

/* ---- The formulas ---------------------------------------------------------------------------- */

/* One channel of one frame. */
struct plane {
    const struct loss_model *model;
    const double *x, *y, *mask; /* mask NULL: none */
    double *by_x, *by_y;        /* gradients; NULL: not wanted */
    double window[SIDE * SIDE];
};

struct totals {
    double lost, windows, absolute, squares, pixels;
};

static void make_window(double window[SIDE * SIDE])
{
    double sum = 0;
    for (int i = 0; i < SIDE * SIDE; i++) {
        const int dx = i % SIDE - REACH, dy = i / SIDE - REACH;
        window[i] = exp(-(dx * dx + dy * dy) / (2 * 1.5 * 1.5));
        sum += window[i];
    }
    for (int i = 0; i < SIDE * SIDE; i++) window[i] /= sum;
}

/* Returns the index of the pixel in place i of the window at (x, y); -1: outside the frame. */
static long pixel_of(const struct loss_model *model, int x, int y, int i)
{
    const int at_x = x + i % SIDE - REACH, at_y = y + i / SIDE - REACH;
    if (at_x < 0 || at_y < 0 || at_x >= model->width || at_y >= model->height) return -1;
    return (long)at_y * model->width + at_x;
}

static double value_at(const struct plane *plane, const double *samples, long pixel)
{
    const int zero = plane->mask && plane->model->rule == SSIMCU_LOSS_MASK_ZERO;
    return pixel < 0 ? 0 : samples[pixel] * (zero ? plane->mask[pixel] : 1);
}

static double weight_of(const struct plane *plane, int x, int y, int window)
{
    const struct loss_model *const model = plane->model;
    if (!plane->mask || model->rule == SSIMCU_LOSS_MASK_ZERO) return 1;
    const double own = plane->mask[(long)y * model->width + x];
    if (model->rule == SSIMCU_LOSS_MASK_MEAN) return own;
    for (int i = 0; window && i < SIDE * SIDE; i++) {
        const long pixel = pixel_of(model, x, y, i);
        if (pixel >= 0 && plane->mask[pixel] == 0) return 0;
    }
    return own != 0;
}

/* Returns 1 - SSIM of a window, and adds its derivatives times `part`. */
static double window_at(const struct plane *plane, int x, int y, double part)
{
    double mean[2] = {0, 0}, var[2] = {0, 0}, both = 0, value[2][SIDE * SIDE];
    for (int i = 0; i < SIDE * SIDE; i++) {
        const long pixel = pixel_of(plane->model, x, y, i);
        value[0][i] = value_at(plane, plane->x, pixel);
        value[1][i] = value_at(plane, plane->y, pixel);
        for (int k = 0; k < 2; k++) mean[k] += plane->window[i] * value[k][i];
    }
    for (int i = 0; i < SIDE * SIDE; i++) {
        const double d[2] = {value[0][i] - mean[0], value[1][i] - mean[1]};
        for (int k = 0; k < 2; k++) var[k] += plane->window[i] * d[k] * d[k];
        both += plane->window[i] * d[0] * d[1];
    }
    const double p = 2 * mean[0] * mean[1] + c1, r = 2 * both + c2;
    const double q = mean[0] * mean[0] + mean[1] * mean[1] + c1, t = var[0] + var[1] + c2;
    const double ssim = p * r / (q * t);
    for (int i = 0; plane->by_x && i < SIDE * SIDE; i++) {
        const long pixel = pixel_of(plane->model, x, y, i);
        if (pixel < 0) continue;
        for (int k = 0; k < 2; k++) {
            const double own = value[k][i] - mean[k], other = value[1 - k][i] - mean[1 - k];
            const double by =
                2 * plane->window[i] *
                ((mean[1 - k] * r + p * other) / (q * t) - ssim * mean[k] / q - ssim * own / t);
            (k ? plane->by_y : plane->by_x)[pixel] -= part * by;
        }
    }
    return 1 - ssim;
}

/* Adds a plane to the sums. With parts of the loss, it adds to the gradients instead. */
static void add_plane(const struct plane *plane, struct totals *totals, const double part[3])
{
    const struct loss_model *const model = plane->model;
    const int edge = model->pad == SSIMCU_PAD_ZERO ? 0 : REACH;
    for (int y = 0; y < model->height; y++)
        for (int x = 0; x < model->width; x++) {
            const long pixel = (long)y * model->width + x;
            const double d = value_at(plane, plane->y, pixel) - value_at(plane, plane->x, pixel);
            const double weight = weight_of(plane, x, y, 0);
            if (plane->by_x) {
                const double by = weight * (part[1] * ((d > 0) - (d < 0)) + part[2] * 2 * d);
                plane->by_y[pixel] += by;
                plane->by_x[pixel] -= by;
            } else {
                totals->pixels += weight;
                totals->absolute += weight * fabs(d);
                totals->squares += weight * d * d;
            }
            if (x < edge || y < edge || x >= model->width - edge || y >= model->height - edge)
                continue;
            const double windows = weight_of(plane, x, y, 1);
            if (windows == 0) continue;
            const double lost = window_at(plane, x, y, part ? part[0] * windows : 0);
            totals->windows += windows;
            totals->lost += windows * lost;
        }
    for (long i = 0; plane->by_x && plane->mask && model->rule == SSIMCU_LOSS_MASK_ZERO &&
                     i < (long)model->width * model->height;
         i++) {
        plane->by_x[i] *= plane->mask[i];
        plane->by_y[i] *= plane->mask[i];
    }
}

static struct totals add_all(const struct loss_model *model, double *const gradient[2],
                             const double part[3])
{
    const long pixels = (long)model->width * model->height;
    struct totals totals = {0};
    struct plane plane = {.model = model};
    make_window(plane.window);
    for (int p = 0; p < model->channels * model->frames; p++) {
        plane.x = model->side[0] + p * pixels;
        plane.y = model->side[1] + p * pixels;
        plane.mask = model->mask ? model->mask + p / model->channels * pixels : NULL;
        plane.by_x = gradient ? gradient[0] + p * pixels : NULL;
        plane.by_y = gradient ? gradient[1] + p * pixels : NULL;
        add_plane(&plane, &totals, part);
    }
    return totals;
}

void loss_model_run(const struct loss_model *model, double number[SSIMCU_LOSS_NUMBERS],
                    double *gradient[2])
{
    const struct totals all = add_all(model, NULL, NULL);
    const double windows = all.windows > 0 ? 1 / all.windows : 0;
    const double pixels = all.pixels > 0 ? 1 / all.pixels : 0;
    const double ssim = model->ssim == 0 && model->l1 == 0 && model->mse == 0 ? 1 : model->ssim;
    const double part[3] = {ssim * windows, model->l1 * pixels, model->mse * pixels};
    number[SSIMCU_LOSS_SSIM] = 1 - all.lost * windows;
    number[SSIMCU_LOSS_L1] = all.absolute * pixels;
    number[SSIMCU_LOSS_MSE] = all.squares * pixels;
    number[SSIMCU_LOSS_TOTAL] = ssim * all.lost * windows + model->l1 * number[SSIMCU_LOSS_L1] +
                                model->mse * number[SSIMCU_LOSS_MSE];
    if (!gradient) return;
    for (int i = 0; i < 2; i++)
        memset(gradient[i], 0, loss_model_samples(model) * sizeof *gradient[i]);
    (void)add_all(model, gradient, part);
}

/* ---- Pictures -------------------------------------------------------------------------------- */

struct picture loss_picture(const struct loss_model *model, int channels, int frames,
                            struct picture_kind kind, uint32_t extra)
{
    enum { MOST = 4 };
    ssimcu_frame frame[MOST];
    cr_assert(frames <= MOST);
    for (int f = 0; f < frames; f++) {
        frame[f] =
            check_frame((uint32_t)model->width, (uint32_t)model->height, (uint32_t)channels, 8);
        memset(frame[f].data, 0, frame[f].pitch * frame[f].height);
    }
    const struct picture made = picture_make_apart(frame, (uint32_t)frames, kind, extra);
    for (int f = 0; f < frames; f++) ssimcu_frame_free(&frame[f]);
    return made;
}

static uint32_t channel_in_memory(const ssimcu_view *view, uint32_t channel)
{
    return view->order == SSIMCU_ORDER_BGR && view->channels >= 3 && channel < 3 ? 2 - channel
                                                                                 : channel;
}

void loss_picture_get(const struct picture *picture, double *samples)
{
    const ssimcu_view *const v = &picture->view;
    for (uint32_t f = 0; f < v->frames; f++)
        for (uint32_t c = 0; c < v->channels; c++)
            for (uint32_t y = 0; y < v->height; y++)
                for (uint32_t x = 0; x < v->width; x++)
                    *samples++ = picture_value(picture, f, x, y, channel_in_memory(v, c)) / v->peak;
}

void loss_picture_set(struct picture *picture, double *samples)
{
    const ssimcu_view *const v = &picture->view;
    const double half = ssimcu_samples_are_float((uint32_t)v->type) ? 0 : 0.5;
    const double *next = samples;
    for (uint32_t f = 0; f < v->frames; f++)
        for (uint32_t c = 0; c < v->channels; c++)
            for (uint32_t y = 0; y < v->height; y++)
                for (uint32_t x = 0; x < v->width; x++)
                    picture_set(picture, f, x, y, channel_in_memory(v, c),
                                *next++ * v->peak + half);
    loss_picture_get(picture, samples);
}

/* ---- Calls ----------------------------------------------------------------------------------- */

static void *lend(ssimcu_device device, void *memory, size_t bytes)
{
    return device == SSIMCU_DEVICE_CUDA ? device_copy(memory, bytes) : memory;
}

/* Brings back what was lent. `memory` NULL: it is not wanted. */
static void take_back(ssimcu_device device, void *lent, void *memory, size_t bytes)
{
    if (device != SSIMCU_DEVICE_CUDA) return;
    if (memory) device_fetch(memory, lent, bytes);
    device_free(lent);
}

static int is_wide(const struct picture *picture) { return picture->view.type == SSIMCU_TYPE_F64; }

/* Takes the numbers from where the call wrote them. */
static void take_numbers(struct loss_call *call, const unsigned char *written)
{
    float single[SSIMCU_LOSS_NUMBERS];
    if (is_wide(call->ref) || is_wide(call->out)) {
        memcpy(call->loss, written, sizeof call->loss);
        return;
    }
    memcpy(single, written, sizeof single);
    for (int i = 0; i < SSIMCU_LOSS_NUMBERS; i++) call->loss[i] = (double)single[i];
    for (size_t i = sizeof single; i < sizeof call->loss; i++) cr_assert_eq(written[i], 0xff);
}

void loss_call(struct loss_call *call)
{
    struct picture *const picture[] = {call->ref, call->out, call->mask, call->gradient[0],
                                       call->gradient[1]};
    enum { REF, OUT, MASK, BY_REF, BY_OUT, PICTURES };
    ssimcu_view view[PICTURES];
    void *lent[PICTURES] = {NULL}, *workspace = NULL;
    _Alignas(double) unsigned char numbers[sizeof call->loss];
    size_t bytes = 0;
    ssimcu_message why = {{0}};
    for (int i = 0; i < PICTURES; i++)
        if (picture[i]) {
            lent[i] = lend(call->device, picture[i]->memory, picture[i]->bytes);
            view[i] = picture_view_at(picture[i], lent[i]);
        }
    call->options.mask = call->mask ? &view[MASK] : NULL;
    ssimcu_status status =
        ssimcu_loss_workspace(call->context, &view[REF], &view[OUT], &call->options, &bytes, &why);
    cr_assert_eq(status, SSIMCU_OK, "%s", why.text);
    cr_assert_eq(posix_memalign(&workspace, 256, bytes), 0);
    memset(workspace, 0xff, bytes);
    memset(numbers, 0xff, sizeof numbers);
    void *const work = lend(call->device, workspace, bytes);
    void *const loss = lend(call->device, numbers, sizeof numbers);
    status = ssimcu_loss_async(call->context, &view[REF], &view[OUT], &call->options, loss,
                               picture[BY_OUT] ? &view[BY_OUT] : NULL,
                               picture[BY_REF] ? &view[BY_REF] : NULL, work, bytes, NULL, &why);
    cr_assert_eq(status, SSIMCU_OK, "%s", why.text);
    take_back(call->device, loss, numbers, sizeof numbers);
    take_numbers(call, numbers);
    take_back(call->device, work, NULL, 0);
    for (int i = 0; i < PICTURES; i++)
        if (picture[i])
            take_back(call->device, lent[i], i >= BY_REF ? picture[i]->memory : NULL,
                      picture[i]->bytes);
    free(workspace);
}
