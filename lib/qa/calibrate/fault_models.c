#include "calibrate/fault_models.h"

#include "sample_size.h"

enum {
    SPOTS = 3 /* dead pixels, or fireflies */,
    REACH = 2 /* pixels that a blur looks at beside one */
};

static const double MOST_HALF = 65504; /* no damage is infinite */
static const double FIREFLY = 4, GAIN = 1.1, CHROMA_CAST = 0.02;
static const double FRAME_GAIN = 1.02, FRAME_BLUR = 0.2, FRAME_SHIFT = 0.5, FRAME_NOISE = 0.25;

const char *const fault_model_names[FAULT_MODELS] = {"black",
                                                     "flat, its texture is missing",
                                                     "blur of 5 x 5",
                                                     "shift by one pixel",
                                                     "3 dead pixels",
                                                     "3 fireflies",
                                                     "10 % brighter",
                                                     "first channel 10 % more",
                                                     "swapped channels",
                                                     "twice the noise",
                                                     "another object's ID",
                                                     "2 % brighter",
                                                     "blur of 5 x 5, mixed by 20 %",
                                                     "resampled by half a pixel",
                                                     "a quarter more noise"};

uint32_t fault_model_draw(uint64_t *random, uint32_t most)
{
    *random += 0x9e3779b97f4a7c15u;
    uint64_t x = *random;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return (uint32_t)((x ^ x >> 31) % most);
}

/* ---- Samples --------------------------------------------------------------------------------- */

/* Returns the place of a sample. */
static void *at(const ssimcu_frame *frame, uint32_t x, uint32_t y, uint32_t channel)
{
    const size_t sample = ssimcu_sample_size(frame->bits);
    return (char *)frame->data + y * frame->pitch +
           ((size_t)x * frame->channels + channel) * sample;
}

/* Returns a sample as a number: white is 1. */
static double value_at(const ssimcu_frame *frame, uint32_t x, uint32_t y, uint32_t channel)
{
    const double number = ssimcu_sample_at(at(frame, x, y, channel), frame->bits);
    if (frame->bits < SSIMCU_BITS_FLOAT) return number / ((1u << frame->bits) - 1);
    return isfinite(number) ? number : 0;
}

static void put(ssimcu_frame *frame, uint32_t x, uint32_t y, uint32_t channel, double value)
{
    void *to = at(frame, x, y, channel);
    const bool floats = frame->bits >= SSIMCU_BITS_FLOAT;
    const double peak = floats ? 1 : (1u << frame->bits) - 1;
    const double whole = fmin(fmax(value, 0), 1) * peak + 0.5;
    const float number = (float)value;
    const uint16_t word = frame->bits == SSIMCU_BITS_F16
                              ? ssimcu_half_of((float)fmax(fmin(value, MOST_HALF), -MOST_HALF))
                          : floats ? 0
                                   : (uint16_t)whole;
    if (frame->bits == 8)
        *(uint8_t *)to = (uint8_t)whole;
    else if (frame->bits == SSIMCU_BITS_F32)
        memcpy(to, &number, sizeof number);
    else
        memcpy(to, &word, sizeof word);
}

/* ---- Damage ---------------------------------------------------------------------------------- */

bool fault_model_is_for(enum fault_model kind, bool exact, bool video, uint32_t colours)
{
    if (exact || kind == FAULT_MODEL_ID) return exact && kind == FAULT_MODEL_ID;
    if (kind == FAULT_MODEL_SWAPPED) return !video && colours == 3;
    return kind != FAULT_MODEL_CAST || colours == 3 || video;
}

/* Returns the mean of so many pixels, as far as the frame goes. */
static double mean_of(const ssimcu_frame *frame, int64_t left, int64_t top, int64_t right,
                      int64_t bottom, uint32_t channel)
{
    double sum = 0;
    int count = 0;
    for (int64_t y = top; y < bottom; y++)
        for (int64_t x = left; x < right; x++) {
            if (x < 0 || y < 0 || x >= frame->width || y >= frame->height) continue;
            sum += value_at(frame, (uint32_t)x, (uint32_t)y, channel);
            count++;
        }
    return sum / count;
}

static double blurred(const ssimcu_frame *frame, uint32_t x, uint32_t y, uint32_t channel)
{
    return mean_of(frame, (int64_t)x - REACH, (int64_t)y - REACH, (int64_t)x + REACH + 1,
                   (int64_t)y + REACH + 1, channel);
}

static double mixed(double from, double to, double share) { return from + share * (to - from); }

/* What a pixel becomes. `flat`: the mean of the square. */
static double changed(enum fault_model kind, const struct damaged *frames, uint32_t x, uint32_t y,
                      uint32_t channel, double flat)
{
    const ssimcu_frame *before = frames->before;
    const double value = value_at(before, x, y, channel);
    switch (kind) {
    case FAULT_MODEL_BLACK: return frames->plane > 0 ? 0.5 : 0;
    case FAULT_MODEL_FLAT: return flat;
    case FAULT_MODEL_BLUR: return blurred(before, x, y, channel);
    case FAULT_MODEL_FRAME_BLUR: return mixed(value, blurred(before, x, y, channel), FRAME_BLUR);
    case FAULT_MODEL_SHIFT: return value_at(before, x > 0 ? x - 1 : 0, y, channel);
    case FAULT_MODEL_FRAME_SHIFT:
        return mixed(value, value_at(before, x > 0 ? x - 1 : 0, y, channel), FRAME_SHIFT);
    case FAULT_MODEL_FRAME_GAIN: return frames->plane == 0 ? value * FRAME_GAIN : value;
    case FAULT_MODEL_FRAME_NOISE:
        return mixed(value, value_at(frames->ref, x, y, channel), -FRAME_NOISE);
    case FAULT_MODEL_GAIN: return frames->plane == 0 ? value * GAIN : value;
    case FAULT_MODEL_CAST:
        if (frames->video) return frames->plane == 1 ? value + CHROMA_CAST : value;
        return channel == 0 ? value * GAIN : value;
    case FAULT_MODEL_SWAPPED: return value_at(before, x, y, 2 - channel);
    case FAULT_MODEL_ID: return 1;
    default: return 2 * value - value_at(frames->ref, x, y, channel);
    }
}

static void put_spots(const struct damaged *frames, const struct fault_model_square *square,
                      uint32_t colours, double value, uint64_t random)
{
    for (int i = 0; i < SPOTS && frames->plane == 0; i++) {
        const uint32_t x = square->x + fault_model_draw(&random, square->width);
        const uint32_t y = square->y + fault_model_draw(&random, square->height);
        for (uint32_t c = 0; c < colours; c++) put(frames->out, x, y, c, value);
    }
}

void fault_model_apply(enum fault_model kind, const struct damaged *frames,
                       const struct fault_model_square *square, uint64_t random)
{
    const uint32_t colours = frames->out->channels > 2 ? 3 : 1; /* alpha stays */
    const double brightest = frames->out->bits >= SSIMCU_BITS_FLOAT ? FIREFLY : 1;
    const uint32_t right = square->x + square->width, bottom = square->y + square->height;
    if (kind == FAULT_MODEL_DEAD || kind == FAULT_MODEL_FIREFLIES) {
        put_spots(frames, square, colours, kind == FAULT_MODEL_DEAD ? 0 : brightest, random);
        return;
    }
    for (uint32_t c = 0; c < colours; c++) {
        const double flat = mean_of(frames->before, square->x, square->y, right, bottom, c);
        for (uint32_t y = square->y; y < bottom; y++)
            for (uint32_t x = square->x; x < right; x++)
                put(frames->out, x, y, c, changed(kind, frames, x, y, c, flat));
    }
}
