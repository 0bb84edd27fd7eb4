#include "api/prove_pair.h"

#include "fail.h"
#include "plan/metrics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What rows are parts of: each begins a few samples after the one above, so flat parts are flat in
 * both directions. Colours begin at nearly the same place, so flat parts are nearly grey: a
 * device's SSIMULACRA2 is least exact where colours are strong. Alpha is opaque where colours are
 * dark. */
enum { MOST_WIDTH = 1180, PER_ROW = 3, PER_CHANNEL = 5, OF_ALPHA = 128, BEGINNINGS = 512 };
enum { EDGE = 12 }; /* columns at the right and rows at the bottom */
enum { TEXTURE = BEGINNINGS + MOST_WIDTH };

/* Draws samples from 0 to 255: texture with some noise on the second side, flat dark that is
 * brighter there, flat bright that is darker, and texture with more noise beside a brighter part.
 * The sides differ everywhere: where they are equal, a window that is left out would not show. */
static void draw_texture(uint8_t texture[TEXTURE], int slot)
{
    for (uint32_t x = 0; x < TEXTURE; x++) {
        const uint32_t hash = (x * 2654435761u ^ 2246822519u) >> 16, part = x / 32 % 8;
        const int fine = (int)((5 * x & 255) ^ (x * x >> 4 & 63));
        const int is_dark = part / 2 == 1, is_bright = part / 2 == 2;
        const int value = is_dark ? 6 : is_bright ? 249 : fine;
        const int most = part < 2 ? 24 : part == 6 ? 48 : 0; /* noise */
        const int shift = is_dark ? 16 : is_bright ? -60 : part == 7 ? 30 : 0;
        const int other = value + shift + ((int)hash * 2 * most >> 16) - most;
        const int shown = slot == SSIMCU_REF ? value : other;
        texture[x] = (uint8_t)(shown < 0 ? 0 : shown > 255 ? 255 : shown);
    }
}

/* Returns a float sample of which white is 255. Halves have the nearest that they hold to eight
 * bits. The brightest are beyond white if that is counted. At the edge they also are if that has a
 * computation of its own, which goes on to the end of a strip. */
static float float_of(const struct ssimcu_plan *plan, int slot, int is_edge, uint32_t value)
{
    const struct ssimcu_pixel_rule *rule = &plan->rule[0][slot];
    const int is_half = plan->host[slot].type == SSIMCU_SAMPLE_F16;
    const int is_beyond = value > 240 && (rule->light.counted || (is_edge && !plan->bounded));
    const double white = is_half ? fmax(1 / rule->opaque, 0.02) : 1 / rule->opaque;
    const double sample = value / 255.0 * white * (is_beyond ? 8 : 1);
    return (float)(is_half ? fmin(sample, 65504) : sample);
}

/* Returns the bits of a sample of a type. */
static uint32_t bits_of(const struct ssimcu_plan *plan, int slot, int is_edge, uint32_t value)
{
    const struct ssimcu_samples *samples = &plan->host[slot];
    const struct ssimcu_pixel_rule *rule = &plan->rule[0][slot];
    const uint32_t most = samples->type == SSIMCU_SAMPLE_U8 && rule->peak > 255 ? 255 : rule->peak;
    union {
        float value;
        uint32_t bits;
    } number = {float_of(plan, slot, is_edge, value)};
    switch (samples->type) {
    case SSIMCU_SAMPLE_F32: return number.bits;
    case SSIMCU_SAMPLE_BF16: return number.bits >> 16;
    case SSIMCU_SAMPLE_F16: return value ? (number.bits >> 13) - (112u << 10) : 0;
    default: return (uint32_t)((uint64_t)value * most / 255) >> rule->low_bits << rule->low_bits;
    }
}

/* Writes samples of a row, of which `bits` has all 256. */
static void write_row(char *to, const struct ssimcu_samples *samples, const uint8_t *row,
                      uint32_t first, uint32_t end, const uint32_t bits[256])
{
    const size_t bytes = ssimcu_sample_bytes(samples->type), step = samples->step * bytes;
    for (uint32_t x = first; x < end; x++) {
        const uint32_t word = bits[row[x]];
        const uint16_t half = (uint16_t)word;
        if (bytes == 4)
            memcpy(to + x * step, &word, 4);
        else if (bytes == 2)
            memcpy(to + x * step, &half, 2);
        else
            to[x * step] = (char)word;
    }
}

/* Sets the 256 samples of a channel, and those of its negative. */
static void set_bits(const struct ssimcu_plan *plan, int slot, int is_chroma, uint32_t bits[2][256])
{
    for (uint32_t value = 0; value < 256; value++) {
        const uint32_t shown = is_chroma ? 64 + value / 2 : value;
        bits[0][value] = bits_of(plan, slot, 0, shown);
        bits[1][value] = bits_of(plan, slot, 1, 255 - shown);
    }
}

/* Draws one side. U and V have half the contrast, which keeps most colours in the gamut. The edge
 * of the second side is a negative, so that even one window that is lost there shows. */
static void draw_side(const struct ssimcu_plan *plan, int slot, int is_chroma)
{
    const struct ssimcu_samples *samples = &plan->host[slot];
    const struct ssimcu_pixel_rule *rule = &plan->rule[0][slot];
    const uint32_t width = plan->shape.width, height = plan->shape.height;
    uint32_t bits[2][256];
    uint8_t texture[TEXTURE], opaque[MOST_WIDTH];
    memset(opaque, 255, sizeof opaque);
    draw_texture(texture, slot);
    set_bits(plan, slot, is_chroma, bits);
    for (uint32_t c = 0; c < rule->channels; c++) {
        const int is_alpha = rule->channels % 2 == 0 && c + 1 == rule->channels;
        const int is_opaque = is_alpha && !rule->alpha, has_edge = slot != SSIMCU_REF && !is_opaque;
        const uint32_t begin = is_alpha ? OF_ALPHA : PER_CHANNEL * c;
        for (uint32_t y = 0; y < height; y++) {
            const uint8_t *row = is_opaque ? opaque : texture + (PER_ROW * y + begin) % BEGINNINGS;
            char *to = (char *)(uintptr_t)samples->channel[c] + y * samples->pitch_bytes;
            const uint32_t edge = !has_edge ? width : y + EDGE < height ? width - EDGE : 0;
            write_row(to, samples, row, 0, edge, bits[0]);
            write_row(to, samples, row, edge, width, bits[1]);
        }
    }
}

/* Sets the addresses of one side. */
static void set_side(struct ssimcu_plan *plan, int slot, char *to)
{
    struct ssimcu_samples *samples = &plan->host[slot];
    const size_t apart = samples->planar ? (size_t)samples->pitch_bytes * plan->shape.height
                                         : ssimcu_sample_bytes(samples->type);
    for (uint32_t c = 0; c < plan->rule[0][slot].channels; c++)
        samples->channel[c] = plan->samples[slot].channel[c] = to + c * apart;
}

void ssimcu_trial_end(struct ssimcu_trial *trial)
{
    for (uint32_t p = 0; p < SSIMCU_MAX_CHANNELS; p++)
        for (int slot = 0; slot < SSIMCU_PAIR; slot++) free(trial->memory[p][slot]);
    free(trial->map);
}

/* Removes the metrics that a plane of the fixed pair is too small for. */
static void drop_metrics(struct ssimcu_trial *trial)
{
    unsigned kept = (1u << SSIMCU_METRICS) - 1;
    for (uint32_t p = 0; p < trial->plans; p++)
        for (int m = 0; m < SSIMCU_METRICS; m++)
            if (!ssimcu_metrics_fits((ssimcu_metric)m, &trial->plan[p].shape)) kept &= ~(1u << m);
    for (uint32_t p = 0; p < trial->plans; p++) trial->plan[p].metrics &= kept;
}

/* Draws both sides of a plane. */
static ssimcu_status draw_plane(struct ssimcu_trial *trial, uint32_t p, ssimcu_message *message)
{
    struct ssimcu_plan *plan = &trial->plan[p];
    for (int slot = 0; slot < SSIMCU_PAIR; slot++) {
        char *to = trial->memory[p][slot] = calloc(1, plan->bytes.samples[slot]);
        if (!to) return ssimcu_no_memory(message, "the pair that proves a device");
        set_side(plan, slot, to);
        draw_side(plan, slot, p > 0);
    }
    return SSIMCU_OK;
}

ssimcu_status ssimcu_trial_make(struct ssimcu_trial *trial, const struct ssimcu_traits *traits,
                                const struct ssimcu_plan *plan, uint32_t plans,
                                const uint32_t size[2], const struct ssimcu_trial *drawn,
                                ssimcu_message *message)
{
    trial->plans = plans;
    for (uint32_t p = 0; p < plans; p++) {
        struct ssimcu_plan *own = &trial->plan[p];
        const int half[2] = {plan[p].shape.width < plan[0].shape.width,
                             plan[p].shape.height < plan[0].shape.height};
        *own = plan[p];
        ssimcu_plan_resize(own, traits, (size[0] + (uint32_t)half[0]) >> half[0],
                           (size[1] + (uint32_t)half[1]) >> half[1]);
        if (own->chroma) own->chroma = &trial->plan[1];
        if (!drawn) TRY(draw_plane(trial, p, message));
        for (int slot = 0; slot < SSIMCU_PAIR && drawn; slot++)
            set_side(own, slot, drawn->memory[p][slot]);
    }
    drop_metrics(trial);
    const struct ssimcu_shape *shape = &trial->plan[0].shape;
    if (!plan->want_map) return SSIMCU_OK;
    trial->map =
        malloc((size_t)shape->map_width * shape->map_height * shape->planes * sizeof(float));
    return trial->map ? SSIMCU_OK : ssimcu_no_memory(message, "the pair that proves a device");
}
