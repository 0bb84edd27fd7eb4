/* Equal samples are equal in every metric: 1, infinity, 1 and 100, to the bit. The search pairs
 * types, layouts, orders, strides and peaks, with and without alpha, luma and a curve. A family is
 * a list of values, and the kinds of samples that hold them all. */
#include "check.h"

#include <math.h>
#include <stdio.h>

enum { MOST_PIXELS = 251 * 163, MOST_STEP = 5, MOST_VALUES = 256, MOST_KINDS = 12 };

/* A place of samples in memory. */
struct form {
    ssimcu_layout layout;
    ssimcu_order order;
    uint32_t apart; /* samples between pixels, or between the rows of planes */
    int upwards;    /* rows from the bottom up */
};

static const struct form FORMS[] = {
    {SSIMCU_LAYOUT_HWC, SSIMCU_ORDER_RGB, 0, 0},    {SSIMCU_LAYOUT_CHW, SSIMCU_ORDER_RGB, 0, 0},
    {SSIMCU_LAYOUT_PLANES, SSIMCU_ORDER_RGB, 3, 0}, {SSIMCU_LAYOUT_HWC, SSIMCU_ORDER_BGR, 0, 1},
    {SSIMCU_LAYOUT_HWC, SSIMCU_ORDER_RGB, 1, 0},    {SSIMCU_LAYOUT_CHW, SSIMCU_ORDER_BGR, 2, 1},
};
enum { FORM_COUNT = sizeof FORMS / sizeof FORMS[0] };

/* A type and a peak; `scale` times a value of the family is a sample. */
struct kind {
    ssimcu_type type;
    double peak, scale;
};

struct family {
    const char *name;
    struct kind kind[MOST_KINDS];
    uint32_t kinds, values;
    double value[MOST_VALUES];
    uint32_t alphas; /* the first values that may be an alpha */
    int linear;      /* floats are linear light */
    int rounded;     /* types round the values, and a curve must clamp them first */
};

struct search {
    ssimcu_device device;
    const struct family *family;
    ssimcu_settings settings;
    uint32_t channels;
    uint32_t cases, wrong; /* so far */
};

/* ---- Samples --------------------------------------------------------------------------------- */

static size_t bytes_of(ssimcu_type type)
{
    return type == SSIMCU_TYPE_U8    ? 1
           : type == SSIMCU_TYPE_F32 ? 4
           : type == SSIMCU_TYPE_F64 ? 8
                                     : 2;
}

static bool is_float(ssimcu_type type) { return type != SSIMCU_TYPE_U8 && type != SSIMCU_TYPE_U16; }

/* Returns the bits of a number that binary16 holds. */
static uint16_t half_of(float value)
{
    const float magnitude = fabsf(value) * 0x1p-112f;
    uint32_t bits;
    memcpy(&bits, &magnitude, sizeof bits);
    return (uint16_t)(bits >> 13 | (value < 0 ? 0x8000u : 0));
}

static void store(const struct kind *kind, void *to, double value)
{
    const double sample = value * kind->scale;
    const float number = (float)sample;
    uint32_t bits;
    memcpy(&bits, &number, sizeof bits);
    switch (kind->type) {
    case SSIMCU_TYPE_U8: *(uint8_t *)to = (uint8_t)(sample + 0.5); return;
    case SSIMCU_TYPE_U16: *(uint16_t *)to = (uint16_t)(sample + 0.5); return;
    case SSIMCU_TYPE_F16: *(uint16_t *)to = half_of(number); return;
    case SSIMCU_TYPE_BF16: *(uint16_t *)to = (uint16_t)(bits >> 16); return;
    case SSIMCU_TYPE_F32: *(float *)to = number; return;
    default: *(double *)to = sample;
    }
}

/* Returns a sample's value. The first pixel, the one in the middle and the last have the first
 * value, the one in the middle and the last. */
static double value_at(const struct search *search, uint32_t pixel, uint32_t pixels, uint32_t c)
{
    const struct family *family = search->family;
    const bool is_alpha = search->channels % 2 == 0 && c == search->channels - 1;
    const uint32_t count = is_alpha ? family->alphas : family->values;
    if (pixel == 0) return family->value[0];
    if (pixel == pixels / 2) return family->value[count / 2];
    if (pixel == pixels - 1) return family->value[count - 1];
    return family->value[(pixel * 2654435761u + c * 40503u + pixel / 97) / 65536 % count];
}

/* Lays out the family's picture. */
static ssimcu_view lay_out(const struct search *search, const struct kind *kind,
                           const struct form *form, uint32_t width, uint32_t height, char *memory)
{
    const uint32_t channels = search->channels;
    const bool upwards = form->upwards && search->device == SSIMCU_DEVICE_CPU; /* GPUs refuse it */
    const bool planes = form->layout != SSIMCU_LAYOUT_HWC, blue = form->order == SSIMCU_ORDER_BGR;
    const size_t size = bytes_of(kind->type), step = planes ? 1 : channels + form->apart,
                 row = step * width + (planes ? form->apart : 0), plane = row * height;
    ssimcu_view view = SSIMCU_INIT(
        view, .width = width, .height = height, .channels = channels, .layout = form->layout,
        .type = kind->type, .peak = kind->peak, .order = form->order,
        .pitch = (ptrdiff_t)(row * size) * (upwards ? -1 : 1), .pixel_stride = step * size,
        .plane_stride = form->layout == SSIMCU_LAYOUT_CHW ? plane * size : 0,
        .linear = search->family->linear && is_float(kind->type));
    for (uint32_t c = 0; c < channels; c++) {
        const size_t own = blue && c < 3 && channels > 2 ? 2 - c : c;
        char *first = memory + own * (planes ? plane : 1) * size;
        for (uint32_t i = 0; i < width * height; i++) {
            const size_t y = upwards ? height - 1 - i / width : i / width;
            store(kind, first + (y * row + i % width * step) * size,
                  value_at(search, i, width * height, c));
        }
        first = memory + c * (planes ? plane : 1) * size;
        if (upwards) first += (height - 1) * row * size;
        if (c == 0 || form->layout == SSIMCU_LAYOUT_PLANES) view.data[c] = first;
    }
    return view;
}

/* ---- Cases ----------------------------------------------------------------------------------- */

static bool is_best(const ssimcu_score *score, bool large)
{
    return !(score->score < 1) && isinf(score->metric[SSIMCU_METRIC_PSNR]) && score->mse == 0 &&
           (!large || score->metric[SSIMCU_METRIC_MS_SSIM] == 1) &&
           (score->metric[SSIMCU_METRIC_SSIMULACRA2] == 100 ||
            isnan(score->metric[SSIMCU_METRIC_SSIMULACRA2]));
}

/* Scores one pair. One in 64 is large enough for all metrics. One in five is too small for SSIM,
 * without which floats take another way. */
static void try_pair(struct search *search, ssimcu_context *context, const struct kind *const *kind,
                     const struct form *const *form)
{
    static double memory[2][MOST_PIXELS * MOST_STEP];
    const bool doubles = kind[0]->type == SSIMCU_TYPE_F64 || kind[1]->type == SSIMCU_TYPE_F64;
    if (doubles && search->device != SSIMCU_DEVICE_CPU) return; /* GPUs refuse them */
    const bool large = search->cases++ % 64 == 0;
    const uint32_t width = large ? 251 : 21, height = large ? 163 : search->cases % 5 ? 19 : 9;
    ssimcu_view side[2];
    ssimcu_score score = SSIMCU_INIT(score);
    ssimcu_message why = {{0}};
    for (int i = 0; i < 2; i++)
        side[i] = lay_out(search, kind[i], form[i], width, height, (char *)memory[i]);
    const ssimcu_status status =
        ssimcu_compare_views(context, &side[0], &side[1], &score, NULL, NULL, &why);
    cr_assert_eq(status, SSIMCU_OK, "%s: %s", search->family->name, why.text);
    if (is_best(&score, large) || search->wrong++ >= 12) return;
    fprintf(stderr,
            "%s, %ux%u of %u: type %d, peak %g, form %d beside %d, %g, %d; transfer %d, alpha %d, "
            "color %d: %.17g, %g dB, %.17g, %.17g\n",
            search->family->name, width, height, search->channels, (int)kind[0]->type,
            kind[0]->peak, (int)(form[0] - FORMS), (int)kind[1]->type, kind[1]->peak,
            (int)(form[1] - FORMS), (int)search->settings.transfer, (int)search->settings.alpha,
            (int)search->settings.color, score.score, score.metric[SSIMCU_METRIC_PSNR],
            score.metric[SSIMCU_METRIC_MS_SSIM], score.metric[SSIMCU_METRIC_SSIMULACRA2]);
}

/* Luma of integers is rounded, that of floats is not; so they do not meet. */
static bool may_meet(const struct search *search, const struct kind *a, const struct kind *b)
{
    return search->settings.color == SSIMCU_COLOR_RGB || search->channels < 3 ||
           is_float(a->type) == is_float(b->type);
}

/* Tries every pair of kinds. Each form meets dense pixels on either side, and another form. */
static void try_settings(struct search *search)
{
    const struct family *family = search->family;
    ssimcu_context *context = check_open(&search->settings);
    for (uint32_t a = 0; a < family->kinds; a++)
        for (uint32_t b = 0; b < family->kinds; b++) {
            const struct kind *kind[2] = {&family->kind[a], &family->kind[b]};
            if (!may_meet(search, kind[0], kind[1])) continue;
            for (uint32_t f = 0; f < FORM_COUNT; f++) {
                const struct form *own = &FORMS[(f + b) % FORM_COUNT];
                const struct form *sides[2] = {f % 2 ? FORMS : own, f % 2 ? own : FORMS};
                if (f == 0) sides[1] = &FORMS[(a + 1) % FORM_COUNT];
                try_pair(search, context, kind, sides);
            }
        }
    ssimcu_close(&context);
}

/* Tries a family under a curve: grey, colour and luma without alpha, then alpha in every way. */
static void try_transfer(struct search *search, ssimcu_transfer transfer)
{
    const unsigned all =
        (1u << SSIMCU_METRIC_SSIM) | (1u << SSIMCU_METRIC_PSNR) | (1u << SSIMCU_METRIC_MS_SSIM);
    search->settings = check_settings_for(search->device, SSIMCU_PAD_VALID);
    search->settings.transfer = transfer;
    search->settings.metrics =
        all | (transfer == SSIMCU_TRANSFER_PU21 ? 0 : 1u << SSIMCU_METRIC_SSIMULACRA2);
    const bool is_ends = search->family->rounded && transfer != SSIMCU_TRANSFER_SRGB;
    search->channels = 1;
    try_settings(search);
    search->channels = 3;
    try_settings(search);
    search->settings.color = SSIMCU_COLOR_Y709; /* under PU21 luma comes before the curve */
    if (!search->family->rounded || transfer != SSIMCU_TRANSFER_PU21) try_settings(search);
    search->settings.color = SSIMCU_COLOR_RGB;
    search->channels = 4; /* white is no end of the other curves */
    if (is_ends) return;
    for (int alpha = SSIMCU_ALPHA_WORST; alpha <= SSIMCU_ALPHA_WHITE; alpha++) {
        search->settings.alpha = (ssimcu_alpha)alpha;
        try_settings(search);
    }
}

static void end_search(const struct search *search)
{
    printf("%s: %u pairs of equal samples on %s, %u of them unequal\n", search->family->name,
           search->cases, search->device == SSIMCU_DEVICE_CUDA ? "cuda" : "cpu", search->wrong);
    fflush(stdout);
    cr_assert_eq(search->wrong, 0, "%u of %u", search->wrong, search->cases);
}

/* ---- Families -------------------------------------------------------------------------------- */

/* All bytes. As shares of white they count as the nearest float. */
BACKEND_TEST(identity, bytes_are_equal_in_every_type)
{
    static struct family family = {
        .name = "bytes",
        .kind = {{SSIMCU_TYPE_U8, 255, 1},
                 {SSIMCU_TYPE_U16, 65535, 257},
                 {SSIMCU_TYPE_F16, 255, 1},
                 {SSIMCU_TYPE_BF16, 255, 1},
                 {SSIMCU_TYPE_F32, 1, 1.0 / 255},
                 {SSIMCU_TYPE_F32, 255, 1},
                 {SSIMCU_TYPE_F32, 65535, 257},
                 {SSIMCU_TYPE_F64, 1, 1.0 / 255}},
        .kinds = 8,
        .values = 256,
        .alphas = 256,
    };
    for (int i = 0; i < 256; i++) family.value[i] = i;
    struct search search = {.device = device, .family = &family};
    try_transfer(&search, SSIMCU_TRANSFER_AUTO);
    end_search(&search);
}

/* Words of ten bits in the lower bits of 16 and in the upper ones, and as floats. */
BACKEND_TEST(identity, ten_bits_are_equal_in_every_type)
{
    static struct family family = {
        .name = "ten bits",
        .kind = {{SSIMCU_TYPE_U16, 1023, 1},
                 {SSIMCU_TYPE_U16, 1023 << 6, 64},
                 {SSIMCU_TYPE_F16, 1023, 1},
                 {SSIMCU_TYPE_F32, 1023, 1},
                 {SSIMCU_TYPE_F64, 1023, 1}},
        .kinds = 5,
        .values = 256,
        .alphas = 256,
    };
    for (int i = 0; i < 256; i++) family.value[i] = i < 255 ? 4 * i + i % 3 : 1023;
    struct search search = {.device = device, .family = &family};
    try_transfer(&search, SSIMCU_TRANSFER_AUTO);
    end_search(&search);
}

/* Light in 128ths up to twice white, below 0, and the least that binary16 has. */
BACKEND_TEST(identity, light_is_equal_in_every_type)
{
    static struct family family = {
        .name = "light",
        .kind = {{SSIMCU_TYPE_F16, 1, 1},
                 {SSIMCU_TYPE_BF16, 1, 1},
                 {SSIMCU_TYPE_F32, 1, 1},
                 {SSIMCU_TYPE_F32, 4, 4},
                 {SSIMCU_TYPE_F64, 0.25, 0.25}},
        .kinds = 5,
        .values = 256,
        .alphas = 129,
        .linear = 1,
    };
    for (int i = 0; i < 252; i++) family.value[i] = i / 128.0;
    family.value[252] = -0.5, family.value[253] = 0x1p-14, family.value[254] = 0x1p-22;
    family.value[255] = 2;
    struct search search = {.device = device, .family = &family};
    for (int transfer = SSIMCU_TRANSFER_SRGB; transfer <= SSIMCU_TRANSFER_NONE; transfer++)
        try_transfer(&search, (ssimcu_transfer)transfer);
    end_search(&search);
}

/* Subnormal numbers, and those near them. */
BACKEND_TEST(identity, tiny_floats_are_equal)
{
    static struct family family = {
        .name = "tiny",
        .kind = {{SSIMCU_TYPE_F32, 1, 1}, {SSIMCU_TYPE_F32, 4, 4}, {SSIMCU_TYPE_F64, 1, 1}},
        .kinds = 3,
        .values = 8,
        .alphas = 8,
        .value = {0, 0x1p-149, 0x1.8p-140, 0x1p-127, 0x1p-126, 0x1p-30, 0.5, 1},
        .linear = 1,
    };
    struct search search = {.device = device, .family = &family};
    for (int transfer = SSIMCU_TRANSFER_SRGB; transfer <= SSIMCU_TRANSFER_NONE; transfer++)
        try_transfer(&search, (ssimcu_transfer)transfer);
    end_search(&search);
}

/* Both ends of a curve and what is clamped to them, whatever the peak: beside integers, too. */
BACKEND_TEST(identity, ends_of_a_curve_are_equal_at_every_peak)
{
    static struct family family = {
        .name = "ends",
        .kind = {{SSIMCU_TYPE_F32, 1, 1},
                 {SSIMCU_TYPE_F32, 1000, 1000},
                 {SSIMCU_TYPE_F32, 3.7f, 3.7f},
                 {SSIMCU_TYPE_F32, 1.0f / 3, 1.0f / 3},
                 {SSIMCU_TYPE_F16, 255, 255},
                 {SSIMCU_TYPE_F64, 49, 49},
                 {SSIMCU_TYPE_U8, 255, 255},
                 {SSIMCU_TYPE_U16, 65535, 65535}},
        .kinds = 8,
        .values = 2,
        .alphas = 2,
        .value = {0, 1},
        .linear = 1,
    };
    struct search search = {.device = device, .family = &family};
    try_transfer(&search, SSIMCU_TRANSFER_SRGB);
    try_transfer(&search, SSIMCU_TRANSFER_NONE);
    family.kinds = 6; /* integers are never clamped */
    family.rounded = 1;
    family.values = 4;
    family.alphas = 1;
    for (int transfer = SSIMCU_TRANSFER_SRGB; transfer <= SSIMCU_TRANSFER_HABLE; transfer++) {
        const double least = transfer == SSIMCU_TRANSFER_PU21 ? 101 : 7;
        const double clamped[] = {0, -1, 2 * least, least};
        memcpy(family.value, clamped, sizeof clamped);
        try_transfer(&search, (ssimcu_transfer)transfer);
    }
    end_search(&search);
}

/* Fills a picture of whole shares of 255, alike in all channels. */
static ssimcu_view fill_greys(const struct kind *kind, uint32_t channels, int linear, char *memory)
{
    enum { WIDTH = 67, HEIGHT = 41 };
    for (uint32_t i = 0; i < WIDTH * HEIGHT * channels; i++)
        store(kind, memory + i * bytes_of(kind->type), 255 - i / channels % 256);
    return (ssimcu_view){.struct_size = sizeof(ssimcu_view),
                         .width = WIDTH,
                         .height = HEIGHT,
                         .channels = channels,
                         .type = kind->type,
                         .peak = kind->peak,
                         .linear = linear,
                         .data = {memory}};
}

/* The weights of luma add up to 1: luma of equal channels is the grey that they show. A whole
 * number of a GPU's planes is 1e-9 of white, whose square is above this bound. */
BACKEND_TEST(identity, luma_of_greys_is_that_grey)
{
    static const struct kind kinds[] = {{SSIMCU_TYPE_U8, 255, 1},
                                        {SSIMCU_TYPE_U16, 65535, 257},
                                        {SSIMCU_TYPE_F16, 255, 1},
                                        {SSIMCU_TYPE_BF16, 255, 1},
                                        {SSIMCU_TYPE_F32, 255, 1}};
    static float memory[2][67 * 41 * 3];
    for (int way = 0; way < 5 * 2 * 4; way++) {
        const struct kind *const kind = &kinds[way % 5];
        ssimcu_settings settings = check_settings_for(device, SSIMCU_PAD_VALID);
        settings.metrics = 1u << SSIMCU_METRIC_SSIM | 1u << SSIMCU_METRIC_PSNR;
        settings.color = way / 5 % 2 ? SSIMCU_COLOR_Y601 : SSIMCU_COLOR_Y709;
        settings.transfer = (ssimcu_transfer)(SSIMCU_TRANSFER_SRGB + way / 10);
        const int linear = settings.transfer != SSIMCU_TRANSFER_NONE;
        if (linear && !is_float(kind->type)) continue;
        const ssimcu_view grey = fill_greys(kind, 1, linear, (char *)memory[0]),
                          rgb = fill_greys(kind, 3, linear, (char *)memory[1]);
        ssimcu_context *context = check_open(&settings);
        ssimcu_score score = SSIMCU_INIT(score);
        for (int swapped = 0; swapped < 2; swapped++) {
            cr_assert_eq(ssimcu_compare_views(context, swapped ? &rgb : &grey,
                                              swapped ? &grey : &rgb, &score, NULL, NULL, NULL),
                         SSIMCU_OK);
            cr_assert(score.score > 1 - 1e-15 && score.mse < 1e-20,
                      "type %d, transfer %u, color %u: %.17g", (int)kind->type, settings.transfer,
                      settings.color, score.mse);
        }
        ssimcu_close(&context);
    }
}

/* Stores a pair of random samples that differ by up to `noise` of white. Returns the square of the
 * difference of what is stored. */
static double store_pair(check_random *random, double noise, const struct kind *const kind[2],
                         char *const to[2])
{
    const double value = (double)check_draw(random) / 0x1p32 * 0.9;
    double share[2];
    for (int s = 0; s < 2; s++) {
        const double own = value + s * noise * (double)check_draw(random) / 0x1p32,
                     sample = own * kind[s]->peak;
        store(kind[s], to[s], sample);
        share[s] =
            (is_float(kind[s]->type) ? (double)(float)sample : floor(sample + 0.5)) / kind[s]->peak;
    }
    return (share[0] - share[1]) * (share[0] - share[1]);
}

/* Samples of unlike whites are rounded on one scale, and no more. */
BACKEND_TEST(identity, unlike_whites_keep_the_root_of_the_squares)
{
    enum { SIDE = 64, COUNT = SIDE * SIDE };
    static const struct kind kinds[] = {{SSIMCU_TYPE_U16, 65535, 1}, {SSIMCU_TYPE_U16, 1023, 1},
                                        {SSIMCU_TYPE_U16, 4095, 1},  {SSIMCU_TYPE_F32, 1, 1},
                                        {SSIMCU_TYPE_F32, 3.7, 1},   {SSIMCU_TYPE_F32, 255, 1}};
    static float memory[2][COUNT];
    static const double noise[] = {0, 1e-5, 1e-3, 0.1};
    check_random random = {93};
    ssimcu_settings settings = check_settings_for(device, SSIMCU_PAD_VALID);
    settings.metrics = 1u << SSIMCU_METRIC_PSNR;
    for (int pair = 0; pair < 36 * 4; pair++) {
        const struct kind *const kind[2] = {&kinds[pair / 4 % 6], &kinds[pair / 24]};
        ssimcu_view view[2];
        double sum = 0;
        for (size_t i = 0; i < COUNT; i++) {
            char *const to[2] = {(char *)memory[0] + i * bytes_of(kind[0]->type),
                                 (char *)memory[1] + i * bytes_of(kind[1]->type)};
            sum += store_pair(&random, noise[pair % 4], kind, to);
        }
        for (int s = 0; s < 2; s++)
            view[s] = (ssimcu_view){.struct_size = sizeof *view,
                                    .width = SIDE,
                                    .height = SIDE,
                                    .channels = 1,
                                    .type = kind[s]->type,
                                    .peak = kind[s]->peak,
                                    .data = {memory[s]}};
        ssimcu_context *context = check_open(&settings);
        ssimcu_score score = SSIMCU_INIT(score);
        cr_assert_eq(ssimcu_compare_views(context, &view[0], &view[1], &score, NULL, NULL, NULL),
                     SSIMCU_OK);
        ssimcu_close(&context);
        check_near(sqrt(score.mse), sqrt(sum / COUNT), 6e-8, "peaks %g and %g", kind[0]->peak,
                   kind[1]->peak);
        if (device == SSIMCU_DEVICE_CPU && sum / COUNT > 1e-9)
            check_near(10 * log10(score.mse / (sum / COUNT)), 0, 1e-5, "dB of peaks %g and %g",
                       kind[0]->peak, kind[1]->peak);
    }
}
