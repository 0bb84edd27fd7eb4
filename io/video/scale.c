#include "video/scale.h"
#include "video/clip_codec.h"

#include "fail.h"

#include <stdlib.h>
#include <string.h>
#include <zimg.h>

enum { ALIGNMENT = 64 /* zimg requires it of rows */ };

/* One graph scales all planes. If the source size is not a whole number of chroma samples, each
 * plane has a separate graph that treats it as grey. */
struct ssimcu_scaler {
    zimg_filter_graph *graph[SSIMCU_MAX_PLANES];
    uint32_t graphs;
    ssimcu_frame from[SSIMCU_MAX_PLANES]; /* shapes with aligned rows */
    ssimcu_frame to[SSIMCU_MAX_PLANES];
    uint32_t planes;
    size_t from_bytes, to_bytes, work_bytes;
};

static size_t align(size_t bytes) { return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT; }

/* ---- Opening --------------------------------------------------------------------------------- */

static ssimcu_status zimg_fail(ssimcu_message *message)
{
    char said[160] = "";
    const zimg_error_code_e error = zimg_get_last_error(said, sizeof said);
    zimg_clear_last_error();
    return ssimcu_fail(
        message, error == ZIMG_ERROR_OUT_OF_MEMORY ? SSIMCU_ERROR_MEMORY : SSIMCU_ERROR_UNSUPPORTED,
        "--scale: zimg: %s", said);
}

static void describe(const ssimcu_clip_format *format, uint32_t width, uint32_t height,
                     zimg_image_format *image)
{
    static const zimg_chroma_location_e places[] = {[SSIMCU_SITING_LEFT] = ZIMG_CHROMA_LEFT,
                                                    [SSIMCU_SITING_CENTER] = ZIMG_CHROMA_CENTER,
                                                    [SSIMCU_SITING_TOP_LEFT] =
                                                        ZIMG_CHROMA_TOP_LEFT};
    const uint32_t bits = format->plane[0].bits, across = ssimcu_clip_across(format);
    zimg_image_format_default(image, ZIMG_API_VERSION);
    image->width = width;
    image->height = height;
    image->pixel_type = bits > 8 ? ZIMG_PIXEL_WORD : ZIMG_PIXEL_BYTE;
    image->depth = bits;
    image->subsample_w = across == 4 ? 2 : across / 2;
    image->subsample_h = ssimcu_clip_down(format) / 2;
    image->color_family = format->planes == 3 ? ZIMG_COLOR_YUV : ZIMG_COLOR_GREY;
    image->pixel_range = format->range == SSIMCU_RANGE_FULL ? ZIMG_RANGE_FULL : ZIMG_RANGE_LIMITED;
    image->chroma_location = places[format->siting];
}

/* Returns the instruction set that zimg may use. Before 3.0.6 its AVX-512 code omits taps when it
 * downscales: one column in 16 is wrong. */
static zimg_cpu_type_e instructions(void)
{
    unsigned major = 0, minor = 0, micro = 0;
    zimg_get_version_info(&major, &minor, &micro);
    const bool good = major > 3 || (major == 3 && (minor > 0 || micro >= 6));
    return good ? ZIMG_CPU_AUTO_64B : ZIMG_CPU_AUTO;
}

static void choose_filter(ssimcu_scaler_name name, zimg_graph_builder_params *params)
{
    static const zimg_resample_filter_e filters[] = {
        [SSIMCU_SCALER_BICUBIC] = ZIMG_RESIZE_BICUBIC,
        [SSIMCU_SCALER_BILINEAR] = ZIMG_RESIZE_BILINEAR,
        [SSIMCU_SCALER_LANCZOS] = ZIMG_RESIZE_LANCZOS,
        [SSIMCU_SCALER_SPLINE36] = ZIMG_RESIZE_SPLINE36};
    zimg_graph_builder_params_default(params, ZIMG_API_VERSION);
    params->resample_filter = params->resample_filter_uv = filters[name];
    if (name == SSIMCU_SCALER_BICUBIC)
        params->filter_param_a = params->filter_param_a_uv = 0,
        params->filter_param_b = params->filter_param_b_uv = 0.6;
    if (name == SSIMCU_SCALER_LANCZOS) params->filter_param_a = params->filter_param_a_uv = 3;
    params->cpu_type = instructions();
}

/* Fills in planes with aligned rows and returns their bytes. */
static size_t lay_out(const ssimcu_clip_format *format, ssimcu_frame plane[SSIMCU_MAX_PLANES])
{
    size_t bytes = 0;
    for (uint32_t p = 0; p < format->planes; p++) {
        plane[p] = format->plane[p];
        plane[p].pitch = align(plane[p].pitch);
        bytes += plane[p].pitch * plane[p].height;
    }
    return bytes;
}

/* Describes a plane as grey. The active region excludes the part of the last samples beyond the
 * frame's edge. It also accounts for chroma that is not centred on its luma.
 */
static void describe_plane(const ssimcu_clip_format *from, const ssimcu_clip_format *to, uint32_t p,
                           zimg_image_format format[2])
{
    const ssimcu_clip_format *const side[2] = {from, to};
    const ssimcu_frame *const luma = &from->plane[0];
    double shift[2] = {0, 0};
    for (int s = 0; s < 2; s++) {
        describe(from, side[s]->plane[p].width, side[s]->plane[p].height, &format[s]);
        format[s].color_family = ZIMG_COLOR_GREY;
        format[s].subsample_w = format[s].subsample_h = 0;
    }
    if (p == 0) return;
    ssimcu_scaler_shift(from, to->plane[0].width, to->plane[0].height, shift);
    format[0].active_region.left = shift[0];
    format[0].active_region.top = shift[1];
    format[0].active_region.width = (double)luma->width / ssimcu_clip_across(from);
    format[0].active_region.height = (double)luma->height / ssimcu_clip_down(from);
}

static ssimcu_status build_graphs(ssimcu_scaler *scaler, const ssimcu_clip_format *from,
                                  const ssimcu_clip_format *to, ssimcu_scaler_name name,
                                  ssimcu_message *message)
{
    const bool whole = from->plane[0].width % ssimcu_clip_across(from) == 0 &&
                       from->plane[0].height % ssimcu_clip_down(from) == 0;
    zimg_graph_builder_params params;
    choose_filter(name, &params);
    scaler->graphs = whole ? 1 : from->planes;
    for (uint32_t p = 0; p < scaler->graphs; p++) {
        zimg_image_format format[2];
        size_t bytes;
        describe(from, from->plane[0].width, from->plane[0].height, &format[0]);
        describe(from, to->plane[0].width, to->plane[0].height, &format[1]);
        if (!whole) describe_plane(from, to, p, format);
        scaler->graph[p] = zimg_filter_graph_build(&format[0], &format[1], &params);
        if (!scaler->graph[p] ||
            zimg_filter_graph_get_tmp_size(scaler->graph[p], &bytes) != ZIMG_ERROR_SUCCESS)
            return zimg_fail(message);
        if (bytes > scaler->work_bytes) scaler->work_bytes = bytes;
    }
    return SSIMCU_OK;
}

static ssimcu_status build(ssimcu_scaler *scaler, const ssimcu_clip_format *from,
                           const ssimcu_clip_format *to, ssimcu_scaler_name name,
                           ssimcu_message *message)
{
    TRY(build_graphs(scaler, from, to, name, message));
    scaler->planes = from->planes;
    scaler->from_bytes = lay_out(from, scaler->from);
    scaler->to_bytes = lay_out(to, scaler->to);
    scaler->work_bytes = align(scaler->work_bytes);
    return SSIMCU_OK;
}

ssimcu_status ssimcu_scaler_open(const ssimcu_clip_format *from, uint32_t width, uint32_t height,
                                 ssimcu_scaler_name name, ssimcu_scaler **scaler,
                                 ssimcu_message *message)
{
    ssimcu_clip_format to;
    *scaler = NULL;
    if (from->rgb || width % ssimcu_clip_across(from) || height % ssimcu_clip_down(from))
        return ssimcu_scaler_check(from, width, height, message);
    if (!ssimcu_clip_format_make(width, height, from->chroma, from->plane[0].bits, &to))
        FAIL(MISMATCH, "--scale: %ux%u is not a size", width, height);
    ssimcu_scaler *made = calloc(1, sizeof *made);
    if (!made) return ssimcu_no_memory(message, NULL);
    const ssimcu_status status = build(made, from, &to, name, message);
    *scaler = made;
    if (status != SSIMCU_OK) ssimcu_scaler_close(scaler);
    return status;
}

void ssimcu_scaler_close(ssimcu_scaler **scaler)
{
    if (!scaler || !*scaler) return;
    for (uint32_t p = 0; p < (*scaler)->graphs; p++) zimg_filter_graph_free((*scaler)->graph[p]);
    free(*scaler);
    *scaler = NULL;
}

/* ---- Frames ---------------------------------------------------------------------------------- */

size_t ssimcu_scaler_bytes(const ssimcu_scaler *scaler)
{
    return scaler->to_bytes + scaler->work_bytes + scaler->from_bytes + ALIGNMENT;
}

/* Copies a plane to aligned rows at `at`. */
static void copy_plane(ssimcu_frame *plane, const ssimcu_frame *shape, uint8_t *at)
{
    const size_t row = shape->width * (size_t)(shape->bits > 8 ? 2 : 1);
    for (uint32_t y = 0; y < shape->height; y++)
        memcpy(at + y * shape->pitch, (const uint8_t *)plane->data + y * plane->pitch, row);
    *plane = *shape;
    plane->data = at;
}

ssimcu_status ssimcu_scaler_run(const ssimcu_scaler *scaler, void *memory,
                                ssimcu_frame plane[SSIMCU_MAX_PLANES], ssimcu_message *message)
{
    zimg_image_buffer_const from = {.version = ZIMG_API_VERSION};
    zimg_image_buffer to = {.version = ZIMG_API_VERSION};
    uint8_t *at = (uint8_t *)memory + (align((uintptr_t)memory) - (uintptr_t)memory);
    uint8_t *const work = at + scaler->to_bytes;
    uint8_t *copy = work + scaler->work_bytes;
    for (uint32_t p = 0; p < scaler->planes; p++) {
        if (((uintptr_t)plane[p].data | plane[p].pitch) % ALIGNMENT != 0)
            copy_plane(&plane[p], &scaler->from[p], copy);
        copy += scaler->from[p].pitch * scaler->from[p].height;
        from.plane[p].data = plane[p].data;
        from.plane[p].stride = (ptrdiff_t)plane[p].pitch;
        from.plane[p].mask = ZIMG_BUFFER_MAX;
        plane[p] = scaler->to[p];
        plane[p].data = at;
        at += plane[p].pitch * plane[p].height;
        to.plane[p].data = plane[p].data;
        to.plane[p].stride = (ptrdiff_t)plane[p].pitch;
        to.plane[p].mask = ZIMG_BUFFER_MAX;
    }
    for (uint32_t p = 0; p < scaler->graphs; p++) {
        from.plane[0] = from.plane[p], to.plane[0] = to.plane[p];
        if (zimg_filter_graph_process(scaler->graph[p], &from, &to, work, NULL, NULL, NULL, NULL) ==
            ZIMG_ERROR_SUCCESS)
            continue;
        (void)zimg_fail(message);
        return SSIMCU_ERROR_INTERNAL;
    }
    return SSIMCU_OK;
}
