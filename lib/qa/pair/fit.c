#include "pair/fit.h"

#include "base/refuse.h"
#include "pair/tags.h"

#include "sample_size.h"

#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 64 };

static size_t align(size_t bytes) { return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT; }

/* ---- What must be done ----------------------------------------------------------------------- */

/* Returns how many bits the samples of `format` lack, if they can be widened without loss. */
static uint32_t shift_of(const ssimcu_clip_format *format, const ssimcu_clip_format *other)
{
    const uint32_t bits = format->plane[0].bits, more = other->plane[0].bits;
    const bool limited = format->range != SSIMCU_RANGE_FULL && other->range != SSIMCU_RANGE_FULL;
    return limited && !format->rgb && !other->rgb && more > bits ? more - bits : 0;
}

/* Finds the size at which a side is compared: the side's size if nothing is scaled. */
static void find_size(const struct contract_scale *scale, const ssimcu_clip_format *const side[2],
                      int at, uint32_t size[2])
{
    const bool given = scale->to == SSIMCU_SCALE_SIZE;
    const int as = scale->to == SSIMCU_SCALE_REF ? 0 : scale->to == SSIMCU_SCALE_OUT ? 1 : at;
    size[0] = given ? scale->width : side[as]->plane[0].width;
    size[1] = given ? scale->height : side[as]->plane[0].height;
}

static ssimcu_status no_size(uint32_t width, uint32_t height, ssimcu_message *message)
{
    FAIL(MISMATCH, "--scale: %ux%u is not a size", width, height);
}

/* Finds out how a side is scaled. Frames in device memory are scaled there. */
static ssimcu_status scale_side(const ssimcu_clip_format *format, const uint32_t size[2],
                                ssimcu_scaler_name name, struct fit *fit, ssimcu_message *message)
{
    fit->scales = true;
    TRY(ssimcu_scaler_check(format, size[0], size[1], message));
    if (!format->on_device)
        return ssimcu_scaler_open(&fit->wide, size[0], size[1], name, &fit->scaler, message);
    ssimcu_scaler_shift(format, size[0], size[1], fit->beside);
    return SSIMCU_OK;
}

/* Fits one side to a size, and widens it. */
static ssimcu_status fit_side(const ssimcu_clip_format *clip, const uint32_t size[2],
                              ssimcu_scaler_name name, uint32_t shift, struct fit *fit,
                              ssimcu_message *message)
{
    const ssimcu_frame *const plane = &clip->plane[0];
    const bool scales = size[0] != plane->width || size[1] != plane->height;
    const uint32_t bits = plane->bits + shift;
    *fit = (struct fit){
        .on = scales || shift > 0, .format = *clip, .wide = *clip, .name = name, .shift = shift};
    if (!fit->on) return SSIMCU_OK;
    if (!ssimcu_clip_format_as(clip, plane->width, plane->height, bits, &fit->wide) ||
        !ssimcu_clip_format_as(clip, size[0], size[1], bits, &fit->format))
        return no_size(size[0], size[1], message);
    return scales ? scale_side(clip, size, name, fit, message) : SSIMCU_OK;
}

ssimcu_status fit_make(const struct contract_scale *scale, const ssimcu_clip_format *ref,
                       const ssimcu_clip_format *out, struct fit fit[2], ssimcu_message *message)
{
    ssimcu_clip_format settled[2] = {*ref, *out};
    const ssimcu_clip_format *const side[2] = {&settled[0], &settled[1]};
    const ssimcu_scaler_name name = (ssimcu_scaler_name)scale->scaler;
    tags_settle(settled);
    for (int s = 0; s < 2; s++) {
        uint32_t size[2];
        find_size(scale, side, s, size);
        TRY(fit_side(side[s], size, name, shift_of(side[s], side[!s]), &fit[s], message));
    }
    return SSIMCU_OK;
}

ssimcu_status fit_light(double white, struct fit fit[2], ssimcu_message *message)
{
    for (int s = 0; s < 2; s++)
        if (!ssimcu_video_light_knows(&fit[s].format)) return SSIMCU_OK;
    for (int s = 0; s < 2; s++) {
        fit[s].on = true;
        TRY(ssimcu_video_light_open(&fit[s].format, white, &fit[s].light, message));
    }
    return SSIMCU_OK;
}

void fit_close(struct fit fit[2])
{
    for (int s = 0; s < 2; s++) {
        ssimcu_scaler_close(&fit[s].scaler);
        ssimcu_video_light_close(&fit[s].light);
    }
}

bool fit_says(const struct fit fit[2], const char *out_name, char *text, size_t size)
{
    const struct fit *const wide = fit[0].shift > 0 ? &fit[0] : &fit[1];
    const uint32_t bits = wide->format.plane[0].bits;
    snprintf(text, size, "%.300s: samples of %u bits in %s are multiplied by %u, to %u bits",
             out_name, bits - wide->shift, wide == &fit[0] ? "REF" : "OUT", 1u << wide->shift,
             bits);
    return wide->shift > 0;
}

/* ---- Frames ---------------------------------------------------------------------------------- */

bool fit_changes(const struct fit *fit) { return fit->scales || fit->shift > 0; }

/* Finds the spread along one axis; `per` pixels share a sample of U and V. A filter adds its reach.
 * A sample that lies only partly under a pixel, or next to its pixels, adds one of either size. */
static uint32_t spread_along(const struct fit *fit, uint32_t from, uint32_t to, uint32_t per)
{
    enum { REACH = 3 /* samples on either side that the widest filter reads */ };
    const double scale = (double)to / from;
    uint32_t spread = 0;
    if (fit->scales && from != to)
        spread += per * (uint32_t)ceil(REACH * fmax(scale, 1) + scale + 1) + 1;
    if (fit->light) spread += 2 * per - 2; /* U and V are interpolated between two samples */
    return spread;
}

void fit_spread(const struct fit *fit, uint32_t spread[2])
{
    const ssimcu_frame *const from = &fit->wide.plane[0], *const to = &fit->format.plane[0];
    spread[0] = spread[1] = 0;
    if (!fit->scales && !fit->light) return;
    spread[0] = spread_along(fit, from->width, to->width, ssimcu_clip_across(&fit->format));
    spread[1] = spread_along(fit, from->height, to->height, ssimcu_clip_down(&fit->format));
}

size_t fit_bytes(const struct fit *fit, const ssimcu_clip_format *format)
{
    size_t bytes = format->frame_bytes;
    if (format->on_device) return fit->format.frame_bytes;
    if (fit->shift > 0) bytes = align(bytes) + fit->wide.frame_bytes;
    if (fit->scaler) bytes = align(bytes) + ssimcu_scaler_bytes(fit->scaler);
    return fit->light ? align(bytes) + ssimcu_video_light_bytes(fit->light) : bytes;
}

static void widen_row(const void *from, uint32_t from_bits, uint16_t *to, uint32_t width,
                      uint32_t shift)
{
    const uint8_t *const bytes = from;
    const uint16_t *const words = from;
    if (from_bits > 8)
        for (uint32_t x = 0; x < width; x++) to[x] = (uint16_t)(words[x] << shift);
    else
        for (uint32_t x = 0; x < width; x++) to[x] = (uint16_t)(bytes[x] << shift);
}

static void widen(const struct fit *fit, void *memory, ssimcu_frame plane[SSIMCU_MAX_PLANES])
{
    ssimcu_frame wide[SSIMCU_MAX_PLANES];
    ssimcu_clip_planes(&fit->wide, memory, wide);
    for (uint32_t p = 0; p < fit->wide.planes; p++) {
        for (uint32_t y = 0; y < wide[p].height; y++)
            widen_row((const uint8_t *)plane[p].data + y * plane[p].pitch, plane[p].bits,
                      (uint16_t *)(void *)((uint8_t *)wide[p].data + y * wide[p].pitch),
                      wide[p].width, fit->shift);
        plane[p] = wide[p];
    }
}

ssimcu_status fit_frame(const struct fit *fit, const ssimcu_clip_format *format, void *memory,
                        ssimcu_frame plane[SSIMCU_MAX_PLANES], ssimcu_message *message)
{
    uint8_t *at = (uint8_t *)memory + align(format->frame_bytes);
    if (fit->shift > 0) {
        widen(fit, at, plane);
        at += align(fit->wide.frame_bytes);
    }
    if (fit->scaler) {
        TRY(ssimcu_scaler_run(fit->scaler, at, plane, message));
        at += align(ssimcu_scaler_bytes(fit->scaler));
    }
    if (fit->light) ssimcu_video_light_run(fit->light, at, plane);
    return SSIMCU_OK;
}

/* ---- Frames of another size ------------------------------------------------------------------ */

void fit_copy(const struct fit *fit, void *memory, ssimcu_frame plane[SSIMCU_MAX_PLANES])
{
    uint8_t *at = memory;
    for (uint32_t p = 0; p < (fit->light ? 1 : fit->format.planes); p++) {
        const size_t row =
            (size_t)plane[p].width * plane[p].channels * ssimcu_sample_size(plane[p].bits);
        for (uint32_t y = 0; y < plane[p].height; y++)
            memcpy(at + y * row, (const uint8_t *)plane[p].data + y * plane[p].pitch, row);
        plane[p].data = at;
        plane[p].pitch = row;
        at += row * plane[p].height;
    }
}

/* Makes a fit for frames of this size, like that of the others except for the scaler. */
static ssimcu_status make_other(const struct fit *fit, const ssimcu_clip_format *format,
                                struct fit *other, ssimcu_message *message)
{
    const ssimcu_frame *const luma = &format->plane[0], *const to = &fit->format.plane[0];
    *other = *fit;
    other->scaler = NULL;
    other->scales = luma->width != to->width || luma->height != to->height;
    if (!ssimcu_clip_format_as(&fit->wide, luma->width, luma->height, fit->wide.plane[0].bits,
                               &other->wide))
        return no_size(luma->width, luma->height, message);
    return other->scales ? ssimcu_scaler_open(&other->wide, to->width, to->height, fit->name,
                                              &other->scaler, message)
                         : SSIMCU_OK;
}

ssimcu_status fit_other_size(const struct fit *fit, const ssimcu_clip_format *format, void *memory,
                             ssimcu_frame plane[SSIMCU_MAX_PLANES], uint32_t spread[2],
                             ssimcu_message *message)
{
    ssimcu_clip_format actual = *format;
    struct fit other;
    if (!ssimcu_clip_format_as(format, plane[0].width, plane[0].height, plane[0].bits, &actual))
        return no_size(plane[0].width, plane[0].height, message);
    ssimcu_status status = make_other(fit, &actual, &other, message);
    void *const work = status == SSIMCU_OK ? malloc(fit_bytes(&other, &actual) + ALIGNMENT) : NULL;
    if (status == SSIMCU_OK && !work) status = ssimcu_no_memory(message, "a frame");
    if (status == SSIMCU_OK) status = fit_frame(&other, &actual, work, plane, message);
    if (status == SSIMCU_OK) {
        fit_copy(fit, memory, plane);
        fit_spread(&other, spread);
    }
    free(work);
    ssimcu_scaler_close(&other.scaler);
    return status;
}
