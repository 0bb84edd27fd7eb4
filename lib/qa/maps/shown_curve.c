#include "maps/shown_curve.h"

#include <math.h>
#include <string.h>

/* Returns the value of an IEEE 754 binary16. */
static double value_of_half(uint16_t bits)
{
    const int exponent = bits >> 10 & 31, fraction = bits & 1023;
    double value = ldexp(fraction + (exponent > 0 ? 1024 : 0), (exponent > 0 ? exponent : 1) - 25);
    if (exponent == 31) value = NAN; /* infinity is drawn like NaN */
    return bits >> 15 ? -value : value;
}

static double sample(const ssimcu_frame *frame, const uint8_t *row, size_t i)
{
    uint16_t half;
    float value;
    if (frame->bits == SSIMCU_BITS_F16) {
        memcpy(&half, row + i * sizeof half, sizeof half);
        return value_of_half(half);
    }
    memcpy(&value, row + i * sizeof value, sizeof value);
    return value;
}

static uint16_t curve(double value)
{
    if (!(value > 0)) return 0; /* NaN is 0, too */
    if (value > 1) value = 1;
    value = value <= 0.0031308 ? 12.92 * value : 1.055 * pow(value, 1 / 2.4) - 0.055;
    return (uint16_t)lrint(UINT16_MAX * value);
}

ssimcu_status shown_curve(const struct shown_frame *frame, const ssimcu_frame *from,
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
                const double through = over_white ? 1 - sample(from, row, at + colours) : 0;
                *end++ = curve(gain * sample(from, row, at + c) + through);
            }
    }
    return status;
}
