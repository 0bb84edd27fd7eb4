#include "plan/view.h"

#include "plan/frame.h"
#include "sized.h"

_Static_assert((int)SSIMCU_TYPE_U8 == SSIMCU_SAMPLE_U8 &&
                   (int)SSIMCU_TYPE_U16 == SSIMCU_SAMPLE_U16 &&
                   (int)SSIMCU_TYPE_F16 == SSIMCU_SAMPLE_F16 &&
                   (int)SSIMCU_TYPE_F32 == SSIMCU_SAMPLE_F32 &&
                   (int)SSIMCU_TYPE_BF16 == SSIMCU_SAMPLE_BF16 &&
                   (int)SSIMCU_TYPE_F64 == SSIMCU_SAMPLE_F64,
               "core/samples.h counts as the public enum does");

enum {
    MAX_FRAMES = 65535,
    MAX_PIXEL_STRIDE = 64
}; /* a side times MAX_PIXEL_STRIDE stays below 2^31 */

#define REFUSE(...) FAIL(ARGUMENT, "%s: " __VA_ARGS__)

static size_t sample_bytes(const ssimcu_view *view)
{
    return ssimcu_sample_bytes((uint32_t)view->type);
}

/* Returns the bytes of adjacent samples of a pixel. */
static size_t pixel_bytes(const ssimcu_view *view)
{
    return (view->layout == SSIMCU_LAYOUT_HWC ? view->channels : 1) * sample_bytes(view);
}

/* Returns the bytes from a row's first sample to the end of its last. */
static size_t row_bytes(const ssimcu_view *view)
{
    return (view->width - 1) * view->pixel_stride + pixel_bytes(view);
}

size_t ssimcu_view_bytes(const ssimcu_view *view)
{
    const uint32_t planes = view->layout == SSIMCU_LAYOUT_HWC ? 1 : view->channels;
    return view->width * view->pixel_stride * view->height * planes;
}

static ssimcu_status check_kind(const ssimcu_view *view, const char *name, ssimcu_message *message)
{
    if ((unsigned)view->layout > SSIMCU_LAYOUT_PLANES)
        REFUSE("layout is %u, expected 0 to %u", name, (unsigned)view->layout,
               (unsigned)SSIMCU_LAYOUT_PLANES);
    if ((unsigned)view->type > SSIMCU_TYPE_F64)
        REFUSE("type is %u, expected 0 to %u", name, (unsigned)view->type,
               (unsigned)SSIMCU_TYPE_F64);
    if (view->frames > MAX_FRAMES)
        REFUSE("%u frames, expected at most %d", name, view->frames, MAX_FRAMES);
    if ((unsigned)view->order > SSIMCU_ORDER_BGR)
        REFUSE("order is %u, expected 0 to %u", name, (unsigned)view->order,
               (unsigned)SSIMCU_ORDER_BGR);
    if ((unsigned)view->yuv.siting > SSIMCU_SITING_TOP_LEFT)
        REFUSE("yuv.siting is %u, expected 0 to %u", name, (unsigned)view->yuv.siting,
               (unsigned)SSIMCU_SITING_TOP_LEFT);
    const double red = view->yuv.red, blue = view->yuv.blue;
    if ((red != 0 || blue != 0) && !(red > 0 && blue > 0 && red + blue < 1))
        REFUSE("yuv: weights %g and %g, expected two above 0 that make less than 1", name, red,
               blue);
    return SSIMCU_OK;
}

static ssimcu_status set_peak(ssimcu_view *view, const char *name, ssimcu_message *message)
{
    const double most = view->type == SSIMCU_TYPE_U8 ? 255 : 65535;
    if (ssimcu_samples_are_float((uint32_t)view->type)) {
        if (view->peak == 0) view->peak = 1;
        if (!(view->peak >= 1e-30 && view->peak <= 1e30))
            REFUSE("peak is %g, expected 1e-30 to 1e30", name, view->peak);
        return SSIMCU_OK;
    }
    if (view->peak == 0) view->peak = most;
    if (!(view->peak >= 1 && view->peak <= most && (uint32_t)view->peak == view->peak))
        REFUSE("peak is %g, expected a whole number from 1 to %g", name, view->peak, most);
    return SSIMCU_OK;
}

/* Checks one stride. It must be at least `floor_bytes`, in whole samples; 0 becomes `least`. Adds
 * what `count` strides span to *span. */
static ssimcu_status set_stride(size_t *stride, size_t least, size_t floor_bytes, uint32_t count,
                                size_t sample, size_t *span, const char *name, const char *what,
                                ssimcu_message *message)
{
    size_t reach;
    if (*stride == 0) *stride = least;
    if (*stride < floor_bytes || *stride % sample != 0)
        REFUSE("%s %zu: expected at least %zu bytes, a multiple of %zu", name, what, *stride,
               floor_bytes, sample);
    if (__builtin_mul_overflow(*stride, (size_t)count, &reach) ||
        __builtin_add_overflow(*span, reach, span) || *span > PTRDIFF_MAX / 2)
        REFUSE("%s %zu times %u is beyond memory", name, what, *stride, count);
    return SSIMCU_OK;
}

static ssimcu_status set_pixel_stride(ssimcu_view *view, const char *name, ssimcu_message *message)
{
    const size_t sample = sample_bytes(view), pixel = pixel_bytes(view);
    if (view->pixel_stride == 0) view->pixel_stride = pixel;
    if (view->pixel_stride < pixel || view->pixel_stride > MAX_PIXEL_STRIDE ||
        view->pixel_stride % sample != 0)
        REFUSE("pixel_stride %zu: expected %zu to %d bytes, a multiple of %zu", name,
               view->pixel_stride, pixel, MAX_PIXEL_STRIDE, sample);
    return SSIMCU_OK;
}

/* Planes may be interleaved row by row, so a plane's stride must only be at least a row. With a
 * larger pixel stride, planes may also be interleaved pixel by pixel. The frames of a batch may be
 * interleaved in the same ways. */
static ssimcu_status set_strides(ssimcu_view *view, const char *name, ssimcu_message *message)
{
    TRY(set_pixel_stride(view, name, message));
    const size_t sample = sample_bytes(view), dense = view->width * view->pixel_stride;
    const size_t row = view->pixel_stride > pixel_bytes(view) ? sample : row_bytes(view);
    size_t span = 0;
    const int upwards = view->pitch < 0;
    size_t pitch = upwards ? -(size_t)view->pitch : (size_t)view->pitch;
    TRY(set_stride(&pitch, dense, row_bytes(view), view->height, sample, &span, name, "pitch",
                   message));
    view->pitch = upwards ? -(ptrdiff_t)pitch : (ptrdiff_t)pitch;
    const size_t plane = pitch * view->height;
    if (view->layout != SSIMCU_LAYOUT_CHW) view->plane_stride = 0;
    if (view->layout == SSIMCU_LAYOUT_CHW)
        TRY(set_stride(&view->plane_stride, plane, row, view->channels, sample, &span, name,
                       "plane_stride", message));
    if (view->frames <= 1) {
        view->frames = 1;
        view->frame_stride = 0;
        return SSIMCU_OK;
    }
    const size_t planes = view->plane_stride * view->channels;
    return set_stride(&view->frame_stride, planes > plane ? planes : plane, row, view->frames,
                      sample, &span, name, "frame_stride", message);
}

static ssimcu_status set_data(ssimcu_view *view, const char *name, int want_data,
                              ssimcu_message *message)
{
    const size_t sample = sample_bytes(view);
    const uint32_t pointers = view->layout == SSIMCU_LAYOUT_PLANES ? view->channels : 1;
    for (uint32_t i = 0; i < 4; i++) {
        if (i >= pointers || !want_data) {
            view->data[i] = NULL;
            continue;
        }
        if (!view->data[i]) REFUSE("data[%u] is NULL", name, i);
        if ((uintptr_t)view->data[i] % sample != 0)
            REFUSE("data[%u] is not aligned to %zu bytes", name, i, sample);
    }
    return SSIMCU_OK;
}

/* Describes other orders of the colours as planes that are interleaved pixel by pixel. */
static void set_order(ssimcu_view *view)
{
    if (view->order == SSIMCU_ORDER_BGR && view->channels >= 3) {
        const struct ssimcu_samples samples = ssimcu_view_samples(view);
        for (uint32_t c = 0; c < view->channels; c++)
            view->data[c] = samples.channel[c < 3 ? 2 - c : c];
        view->layout = SSIMCU_LAYOUT_PLANES;
        view->plane_stride = 0;
    }
    view->order = SSIMCU_ORDER_RGB;
}

ssimcu_status ssimcu_view_check(const ssimcu_view *theirs, const char *name, int want_data,
                                ssimcu_view *view, ssimcu_message *message)
{
    TRY(ssimcu_sized_read(view, sizeof *view, SSIMCU_VIEW_OLDEST, theirs, name, message));
    const ssimcu_frame shape = {
        .width = view->width, .height = view->height, .channels = view->channels, .bits = 8};
    TRY(ssimcu_frame_check_shape(&shape, name, message));
    TRY(check_kind(view, name, message));
    TRY(set_peak(view, name, message));
    TRY(set_strides(view, name, message));
    TRY(set_data(view, name, want_data, message));
    set_order(view);
    return SSIMCU_OK;
}

static ssimcu_type type_of(const ssimcu_frame *frame)
{
    switch (frame->bits) {
    case SSIMCU_BITS_F16: return SSIMCU_TYPE_F16;
    case SSIMCU_BITS_F32: return SSIMCU_TYPE_F32;
    default: return frame->bits == 8 ? SSIMCU_TYPE_U8 : SSIMCU_TYPE_U16;
    }
}

ssimcu_view ssimcu_view_of_frame(const ssimcu_frame *frame)
{
    const int is_float = (frame->bits & SSIMCU_BITS_FLOAT) != 0;
    return (ssimcu_view){
        .struct_size = sizeof(ssimcu_view),
        .width = frame->width,
        .height = frame->height,
        .channels = frame->channels,
        .type = type_of(frame),
        .peak = is_float ? 1 : (double)((1u << frame->bits) - 1),
        .pitch = (ptrdiff_t)ssimcu_frame_pitch(frame),
        .pixel_stride = (size_t)frame->channels * ssimcu_sample_bytes((uint32_t)type_of(frame)),
        .data = {frame->data},
        .frames = 1,
        .linear = frame->linear,
    };
}

struct ssimcu_samples ssimcu_view_samples(const ssimcu_view *view)
{
    struct ssimcu_samples samples = {
        .pitch_bytes = view->pitch,
        .frame_bytes = (int64_t)view->frame_stride,
        .step = (uint32_t)(view->pixel_stride / sample_bytes(view)),
        .planar = view->layout != SSIMCU_LAYOUT_HWC && view->channels > 1,
        .type = (uint32_t)view->type,
        .scale = (float)(255.0 / view->peak),
    };
    const size_t apart =
        view->layout == SSIMCU_LAYOUT_HWC ? sample_bytes(view) : view->plane_stride;
    if (!view->data[0]) return samples; /* a description without memory */
    for (uint32_t c = 0; c < view->channels; c++)
        samples.channel[c] = view->layout == SSIMCU_LAYOUT_PLANES
                                 ? view->data[c]
                                 : (const char *)view->data[0] + c * apart;
    return samples;
}

uint32_t ssimcu_view_bits(const ssimcu_view *view)
{
    if (ssimcu_samples_are_float((uint32_t)view->type)) return 0;
    for (uint32_t bits = 1; bits <= 16; bits++)
        if ((uint32_t)view->peak == (1u << bits) - 1 ||
            (bits > 8 && (uint32_t)view->peak == ((1u << bits) - 1) << (16 - bits)))
            return bits;
    return 0;
}

uint32_t ssimcu_view_low_bits(const ssimcu_view *view)
{
    const uint32_t bits = ssimcu_view_bits(view);
    return bits > 0 && view->peak > (1u << bits) - 1 ? 16 - bits : 0;
}

/* Defines functions that test whether a row of alpha differs from the peak: a sample is smaller or,
 * for floats, larger or NaN. Callers pass a constant step, so that the loops are vectorised. */
#define ROW_HAS(type, what, value)                                                                 \
    static inline __attribute__((always_inline)) int row_has_##what(                               \
        const void *row, uint32_t width, const uint32_t step, float peak)                          \
    {                                                                                              \
        const type *alpha = row;                                                                   \
        int found = 0;                                                                             \
        for (uint32_t x = 0; x < width; x++) found |= value;                                       \
        return found;                                                                              \
    }
ROW_HAS(uint8_t, u8, alpha[(size_t)x * step] < (int)peak)
ROW_HAS(uint16_t, u16, alpha[(size_t)x * step] < (int)peak)
ROW_HAS(uint16_t, f16, ssimcu_sample_half(alpha[(size_t)x * step]) != peak)
ROW_HAS(float, f32, alpha[(size_t)x * step] != peak)
ROW_HAS(uint16_t, bf16, ssimcu_sample_bfloat(alpha[(size_t)x * step]) != peak)

static inline __attribute__((always_inline)) int
row_has(const void *row, uint32_t type, uint32_t width, const uint32_t step, float peak)
{
    switch (type) {
    case SSIMCU_SAMPLE_U8: return row_has_u8(row, width, step, peak);
    case SSIMCU_SAMPLE_U16: return row_has_u16(row, width, step, peak);
    case SSIMCU_SAMPLE_F16: return row_has_f16(row, width, step, peak);
    case SSIMCU_SAMPLE_BF16: return row_has_bf16(row, width, step, peak);
    default: return row_has_f32(row, width, step, peak);
    }
}

int ssimcu_view_is_transparent(const ssimcu_view *view)
{
    if (view->channels % 2 != 0) return 0;
    const struct ssimcu_samples samples = ssimcu_view_samples(view);
    const char *row = samples.channel[view->channels - 1];
    const float peak = (float)view->peak;
    for (uint32_t y = 0; y < view->height; y++, row += view->pitch)
        if (samples.step == 1   ? row_has(row, samples.type, view->width, 1, peak)
            : samples.step == 2 ? row_has(row, samples.type, view->width, 2, peak)
            : samples.step == 4 ? row_has(row, samples.type, view->width, 4, peak)
                                : row_has(row, samples.type, view->width, samples.step, peak))
            return 1;
    return 0;
}

int ssimcu_view_matches(const ssimcu_view *a, const ssimcu_view *b)
{
    return a->width == b->width && a->height == b->height && a->channels == b->channels &&
           a->layout == b->layout && a->type == b->type && a->peak == b->peak &&
           a->pixel_stride == b->pixel_stride && a->pitch == b->pitch &&
           a->plane_stride == b->plane_stride && a->frames == b->frames &&
           a->frame_stride == b->frame_stride && a->linear == b->linear;
}
