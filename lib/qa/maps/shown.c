/* Frames of any kind as RGB of 8 bits. They are resampled as stored, and converted to RGB in the
 * requested size. This is less work, and chroma needs no extra step. */
#include "maps/maps.h"

#include "sample_size.h"

/* ---- Linear light as a screen shows it ------------------------------------------------------- */

static double light_sample(const ssimcu_frame *frame, const uint8_t *row, size_t i)
{
    const double value = ssimcu_sample_at(row + i * ssimcu_sample_size(frame->bits), frame->bits);
    /* An infinite half is drawn like NaN. */
    return frame->bits == SSIMCU_BITS_F16 && isinf(value) ? NAN : value;
}

static uint16_t curve(double value)
{
    if (!(value > 0)) return 0; /* NaN is 0, too */
    if (value > 1) value = 1;
    value = value <= 0.0031308 ? 12.92 * value : 1.055 * pow(value, 1 / 2.4) - 0.055;
    return (uint16_t)lrint(UINT16_MAX * value);
}

/* Turns a frame of floats into 16-bit samples, grey or RGB, on the sRGB curve, with memory from
 * ssimcu_frame_alloc. Colours are already multiplied by alpha, which lets the background through.
 * NaN and infinity become 0. */
static ssimcu_status curve_light(const struct shown_frame *frame, const ssimcu_frame *from,
                                 ssimcu_frame *to, ssimcu_message *message)
{
    const uint32_t channels = from->channels, colours = channels < 3 ? 1 : 3;
    const double gain = frame->gain > 0 ? frame->gain : 1;
    const bool over_white = frame->background == SSIMCU_BACKGROUND_WHITE && colours != channels;
    *to = (ssimcu_frame){
        .width = from->width, .height = from->height, .channels = colours, .bits = 16};
    const ssimcu_status status = ssimcu_frame_alloc(to, message);
    for (uint32_t y = 0; y < from->height && status == SSIMCU_OK; y++) {
        const uint8_t *row = (const uint8_t *)from->data + y * from->pitch;
        uint16_t *end = (uint16_t *)(void *)((uint8_t *)to->data + y * to->pitch);
        for (uint32_t x = 0; x < from->width; x++)
            for (uint32_t c = 0; c < colours; c++) {
                const size_t at = (size_t)x * channels;
                const double through = over_white ? 1 - light_sample(from, row, at + colours) : 0;
                *end++ = curve(gain * light_sample(from, row, at + c) + through);
            }
    }
    return status;
}

/* ---- Areas in another size ------------------------------------------------------------------- */

/* Resamples the area of plane p into new memory. */
static ssimcu_status resample(const struct shown_frame *frame, uint32_t p,
                              const struct shown_area *part, ssimcu_frame *to,
                              ssimcu_message *message)
{
    const uint32_t across = map_divide_up(frame->plane[0].width, frame->plane[p].width);
    const uint32_t down = map_divide_up(frame->plane[0].height, frame->plane[p].height);
    const uint32_t x = part->x / across, y = part->y / down;
    ssimcu_frame from = frame->plane[p];
    const uint32_t bytes = (from.bits % SSIMCU_BITS_FLOAT + 7) / 8;
    ssimcu_frame curved = {0};
    from.data = (uint8_t *)from.data + y * from.pitch + (size_t)x * from.channels * bytes;
    from.width = map_divide_up(part->x + part->width, across) - x;
    from.height = map_divide_up(part->y + part->height, down) - y;
    ssimcu_status status = SSIMCU_OK;
    if (from.bits >= SSIMCU_BITS_FLOAT) {
        status = curve_light(frame, &from, &curved, message);
        from = curved;
    }
    to->channels = from.channels;
    to->bits = from.bits;
    if (status == SSIMCU_OK) status = ssimcu_frame_alloc(to, message);
    if (status == SSIMCU_OK) status = ssimcu_resize(&from, to, message);
    ssimcu_frame_free(&curved);
    return status;
}

/* ---- Colours --------------------------------------------------------------------------------- */

static const uint8_t *row_of(const ssimcu_frame *frame, uint32_t y)
{
    return (const uint8_t *)frame->data + y * frame->pitch;
}

/* Returns sample i of a row; the peak is 1. */
static double sample(const ssimcu_frame *frame, const uint8_t *row, size_t i)
{
    const double value = frame->bits > 8 ? ((const uint16_t *)(const void *)row)[i] : row[i];
    return value / ((1u << frame->bits) - 1);
}

static uint8_t level(double value) { return (uint8_t)lrint(255 * fmin(fmax(value, 0), 1)); }

/* Draws grey or RGB, over the background if alpha counts. */
static void colour_picture(const ssimcu_frame *frame, ssimcu_background background, uint32_t y,
                           uint8_t *to)
{
    const uint8_t *row = row_of(frame, y);
    const uint32_t channels = frame->channels, colours = channels < 3 ? 1 : 3;
    const double ground = background == SSIMCU_BACKGROUND_WHITE ? 1 : 0;
    const bool mixed = background != SSIMCU_BACKGROUND_NONE && colours != channels;
    for (uint32_t x = 0; x < frame->width; x++, to += 3) {
        const size_t at = (size_t)x * channels;
        const double alpha = mixed ? sample(frame, row, at + colours) : 1;
        for (uint32_t c = 0; c < 3; c++) {
            const double value = sample(frame, row, at + (colours == 3 ? c : 0));
            to[c] = level(value * alpha + ground * (1 - alpha));
        }
    }
}

/* The numbers that convert samples of video to R, G and B. */
struct matrix {
    double black, luma; /* black level, and the distance from it to 1, both relative to the peak */
    double middle, chroma; /* the same for U and V, whose values are -1/2 to 1/2 */
    double red, blue;      /* weights in Y */
};

static struct matrix matrix_of(const ssimcu_clip_format *format)
{
    const ssimcu_frame *luma = &format->plane[0];
    const double peak = (1u << luma->bits) - 1, unit = (double)(1u << (luma->bits - 8)) / peak;
    ssimcu_yuv yuv;
    (void)ssimcu_clip_yuv(format, &yuv); /* players guess, too */
    struct matrix m = {16 * unit, 219 * unit, 128 * unit, 224 * unit, 0, 0};
    if (!yuv.limited) m = (struct matrix){0, 1, 128 * unit, 1, 0, 0};
    m.red = yuv.red;
    m.blue = yuv.blue;
    return m;
}

static void colour_video(const ssimcu_frame plane[SSIMCU_MAX_PLANES], uint32_t planes,
                         const struct matrix *m, uint32_t y, uint8_t *to)
{
    const double green = 1 - m->red - m->blue;
    for (uint32_t x = 0; x < plane[0].width; x++, to += 3) {
        double chroma[2] = {0, 0};
        const double luma = (sample(&plane[0], row_of(&plane[0], y), x) - m->black) / m->luma;
        for (uint32_t p = 1; p < planes; p++)
            chroma[p - 1] = (sample(&plane[p], row_of(&plane[p], y), x) - m->middle) / m->chroma;
        const double r = luma + 2 * (1 - m->red) * chroma[1];
        const double b = luma + 2 * (1 - m->blue) * chroma[0];
        to[0] = level(r);
        to[1] = level((luma - m->red * r - m->blue * b) / green);
        to[2] = level(b);
    }
}

/* ---- Pictures -------------------------------------------------------------------------------- */

ssimcu_status shown_draw(const struct shown_frame *frame, const struct shown_area *part,
                         uint32_t width, uint32_t height, ssimcu_frame *picture,
                         ssimcu_message *message)
{
    ssimcu_frame plane[SSIMCU_MAX_PLANES] = {{0}};
    *picture = (ssimcu_frame){.width = width, .height = height, .channels = 3, .bits = 8};
    ssimcu_status status = ssimcu_frame_alloc(picture, message);
    for (uint32_t p = 0; p < frame->planes && status == SSIMCU_OK; p++) {
        plane[p] = (ssimcu_frame){.width = width, .height = height};
        status = resample(frame, p, part, &plane[p], message);
    }
    const struct matrix matrix = frame->format ? matrix_of(frame->format) : (struct matrix){0};
    for (uint32_t y = 0; y < height && status == SSIMCU_OK; y++) {
        uint8_t *to = (uint8_t *)picture->data + y * picture->pitch;
        if (frame->format && !frame->format->rgb)
            colour_video(plane, frame->planes, &matrix, y, to);
        else
            colour_picture(plane, frame->background, y, to);
    }
    for (uint32_t p = 0; p < frame->planes; p++) ssimcu_frame_free(&plane[p]);
    if (status != SSIMCU_OK) ssimcu_frame_free(picture);
    return status;
}
