#include "search_model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PERIOD = 12 };

int search_is_second(uint32_t pattern, uint32_t x, uint32_t y)
{
    switch (pattern) {
    case 0: return 0;
    case 1: return (x + y) & 1;
    case 2: return x & 1;
    case 3: return x >> 1 & 1;
    case 4: return y & 1;
    default: return x / 6 & 1;
    }
}

static double round_half(double v)
{
    int exponent;
    if (v == 0) return 0;
    (void)frexp(v, &exponent);
    const int digit = exponent < -13 ? -24 : exponent - 11;
    return ldexp(nearbyint(ldexp(v, -digit)), digit);
}

/* Returns a level as the type stores it. */
double search_stored(const struct search_side *side, double v)
{
    switch (side->type) {
    case SSIMCU_TYPE_F16: return round_half(v * side->peak);
    case SSIMCU_TYPE_F32:
    case SSIMCU_TYPE_F64: return (float)(v * side->peak);
    case SSIMCU_TYPE_BF16: {
        int exponent;
        (void)frexp(v * side->peak, &exponent);
        return ldexp(nearbyint(ldexp(v * side->peak, 8 - exponent)), exponent - 8);
    }
    default: return nearbyint((v > 1 ? 1 : v) * side->peak);
    }
}

static uint16_t half_bits(double v)
{
    int exponent;
    if (v == 0) return 0;
    const double mantissa = frexp(v, &exponent);
    if (exponent < -13) return (uint16_t)ldexp(v, 24);
    return (uint16_t)((exponent + 14) * 1024 + (int)(mantissa * 2048) - 1024);
}

void search_store(const struct search_side *side, void *data, size_t i, double v)
{
    const float value = (float)v;
    uint32_t bits;
    switch (side->type) {
    case SSIMCU_TYPE_U8: ((uint8_t *)data)[i] = (uint8_t)v; return;
    case SSIMCU_TYPE_U16: ((uint16_t *)data)[i] = (uint16_t)v; return;
    case SSIMCU_TYPE_F16: ((uint16_t *)data)[i] = half_bits(v); return;
    case SSIMCU_TYPE_F32: ((float *)data)[i] = value; return;
    case SSIMCU_TYPE_F64: ((double *)data)[i] = v; return;
    default: memcpy(&bits, &value, sizeof bits); ((uint16_t *)data)[i] = (uint16_t)(bits >> 16);
    }
}

static long double srgb(long double v)
{
    v = v < 0 ? 0 : v > 1 ? 1 : v;
    return v <= 0.0031308L ? 12.92L * v : 1.055L * powl(v, 1 / 2.4L) - 0.055L;
}

static long double filmic(long double x)
{
    return (x * (0.22L * x + 0.03L) + 0.002L) / (x * (0.22L * x + 0.3L) + 0.06L) - 1 / 30.0L;
}

static long double pu21(long double v)
{
    long double y = v * 100;
    y = powl(y < 0.005L ? 0.005L : y > 10000 ? 10000 : y, 0.9062562627L);
    const long double ratio = (0.353487901L + 0.3734658629L * y) / (1 + 8.277049286e-05L * y);
    const long double code = 596.3148142L * (powl(ratio, 0.09150303166L) - 0.9099517204L);
    return (code > 0 ? code : 0) / 256;
}

static long double encode(ssimcu_transfer transfer, long double v)
{
    const long double x = v < 0 ? 0 : 1.758141L * v;
    switch (transfer) {
    case SSIMCU_TRANSFER_SRGB: return srgb(v);
    case SSIMCU_TRANSFER_PU21: return pu21(v);
    case SSIMCU_TRANSFER_HABLE: return srgb(filmic(x > 11.2L ? 11.2L : x) / filmic(11.2L));
    default: return v;
    }
}

/* Returns a level of colour over black, before the curve, with white at 1. */
static long double light_value(const struct search_row *row, int image, const double *level,
                               uint32_t c)
{
    const struct search_side *side = &row->side[image];
    const long double v = search_stored(side, level[c]) / (long double)side->peak;
    return row->channels % 2 ? v : v * search_stored(side, level[row->channels - 1]) / side->peak;
}

long double search_value(const struct search_row *row, int image, const double *level, uint32_t c)
{
    static const long double weights[][3] = {
        {0.2126L, 0.7152L, 0.0722L}, {0.2126L, 0.7152L, 0.0722L}, {0.299L, 0.587L, 0.114L}};
    const int is_float = row->side[image].type >= SSIMCU_TYPE_F16;
    const ssimcu_transfer curve = is_float ? row->transfer : SSIMCU_TRANSFER_NONE;
    const long double *w = weights[row->color == SSIMCU_COLOR_Y601 ? 2 : 1];
    long double light = 0, shown = 0;
    if (row->color == SSIMCU_COLOR_RGB || row->channels < 3)
        return encode(curve, light_value(row, image, level, c));
    for (uint32_t i = 0; i < 3; i++) {
        const long double v = light_value(row, image, level, i);
        light += w[i] * v;
        shown += w[i] * encode(curve, v);
    }
    if (!is_float)
        return floorl(shown * (long double)row->side[image].peak + 0.5L + 1e-9L) /
               (long double)row->side[image].peak;
    return curve == SSIMCU_TRANSFER_PU21 ? encode(curve, light) : shown;
}

/* Returns the SSIM of the window whose first sample is (x0, y0). */
static long double window_ssim(const long double value[2][2], uint32_t pattern, uint32_t x0,
                               uint32_t y0)
{
    long double weight[SEARCH_WINDOW], total = 0, m[5] = {0};
    for (int i = 0; i < SEARCH_WINDOW; i++)
        total += weight[i] = expl(-(i - 5.0L) * (i - 5.0L) / (2 * 1.5L * 1.5L));
    for (uint32_t i = 0; i < SEARCH_WINDOW * SEARCH_WINDOW; i++) {
        const int second =
            search_is_second(pattern, x0 + i % SEARCH_WINDOW, y0 + i / SEARCH_WINDOW);
        const long double x = value[0][second], y = value[1][second],
                          w = weight[i % SEARCH_WINDOW] * weight[i / SEARCH_WINDOW] /
                              (total * total);
        m[0] += w * x, m[1] += w * y, m[2] += w * x * x, m[3] += w * y * y, m[4] += w * x * y;
    }
    const long double c1 = 1e-4L, c2 = 9e-4L, xy = m[0] * m[1];
    return (2 * xy + c1) * (2 * (m[4] - xy) + c2) /
           ((m[0] * m[0] + m[1] * m[1] + c1) * (m[2] - m[0] * m[0] + m[3] - m[1] * m[1] + c2));
}

/* Returns the mean over a frame. Windows that lie alike in the pattern are computed once. */
static long double plane_ssim(const long double value[2][2], uint32_t pattern, uint32_t side)
{
    const uint32_t windows = side - SEARCH_WINDOW + 1,
                   across = pattern == 5 ? PERIOD
                            : pattern    ? 4
                                         : 1,
                   down = pattern == 1 || pattern == 4 ? 2 : 1;
    long double sum = 0;
    for (uint32_t y = 0; y < down && y < windows; y++)
        for (uint32_t x = 0; x < across && x < windows; x++)
            sum += window_ssim(value, pattern, x, y) *
                   (((windows - x + across - 1) / across) * ((windows - y + down - 1) / down));
    return sum / ((long double)windows * windows);
}

double search_score(const struct search_row *row, const struct search_content *content,
                    uint32_t side)
{
    const uint32_t planes = row->color == SSIMCU_COLOR_RGB && row->channels >= 3 ? 3 : 1;
    long double sum = 0;
    for (uint32_t c = 0; c < planes; c++) {
        long double value[2][2];
        for (int image = 0; image < 2; image++)
            for (int k = 0; k < 2; k++)
                value[image][k] = search_value(row, image, content->level[image][k], c);
        sum += plane_ssim((const long double(*)[2])value, content->pattern, side);
    }
    return (double)(sum / planes);
}

/* ---- The search ------------------------------------------------------------------------------ */

void search_draw(const struct search_row *row, const struct search_content *content, uint32_t side,
                 ssimcu_view view[2])
{
    for (int image = 0; image < 2; image++) {
        double *const data = malloc((size_t)side * side * row->channels * sizeof *data);
        for (uint32_t i = 0; i < side * side; i++)
            for (uint32_t c = 0; c < row->channels; c++) {
                const int second = search_is_second(content->pattern, i % side, i / side);
                search_store(&row->side[image], data, i * row->channels + c,
                             search_stored(&row->side[image], content->level[image][second][c]));
            }
        view[image] = (ssimcu_view){.struct_size = sizeof view[image],
                                    .width = side,
                                    .height = side,
                                    .channels = row->channels,
                                    .type = row->side[image].type,
                                    .peak = row->side[image].peak,
                                    .data = {data}};
    }
}

double search_unit(check_random *random) { return check_draw(random) / 4294967296.0; }

static double draw_level(check_random *random, const struct search_row *row)
{
    const double v = search_unit(random);
    if (row->transfer == SSIMCU_TRANSFER_PU21) return 5e-5 * pow(10, v * (v < 0.5 ? 2 : 6));
    return check_draw(random) & 1 ? v : v * v * v;
}

static double brightest_of(const struct search_row *row)
{
    return row->brightest > 0 ? row->brightest : 1;
}

static struct search_content draw_content(check_random *random, const struct search_row *row)
{
    struct search_content content = {.pattern = check_draw(random) % SEARCH_PATTERNS};
    const double near = pow(10, -3 * search_unit(random));
    const int is_extreme = check_draw(random) % 8 == 0; /* black and white alone */
    for (int c = 0; c < 4; c++) {
        const double base = draw_level(random, row);
        for (int i = 0; i < 4; i++) {
            const double v = base * (1 - near) + draw_level(random, row) * near;
            content.level[i / 2][i % 2][c] =
                is_extreme ? check_draw(random) & 1 : fmin(v, brightest_of(row));
        }
    }
    return content;
}

static void step(check_random *random, const struct search_row *row, struct search_content *content)
{
    for (uint32_t k = check_between(random, 1, 4); k-- > 0;) {
        double *level = &content->level[check_draw(random) & 1][check_draw(random) & 1]
                                       [check_draw(random) % row->channels];
        *level *= 1 + (search_unit(random) - 0.5) * pow(10, -5 * search_unit(random));
        *level = fmin(*level, brightest_of(row));
    }
}

void search_note(double *worst, double error)
{
    if (isnan(error) || error > *worst) *worst = error;
}

double search_climb(search_error *error_of, void *object, const struct search_row *row, int draws)
{
    check_random random = {4711};
    struct search_content best = draw_content(&random, row);
    double worst = error_of(object, row, &best);
    for (int i = 0; i < draws; i++) {
        struct search_content next = best;
        if (i < draws / 2)
            next = draw_content(&random, row);
        else
            step(&random, row, &next);
        const double error = error_of(object, row, &next);
        if (!(error <= worst)) best = next;
        search_note(&worst, error);
    }
    return worst;
}

const struct search_side SEARCH_SIDE[SEARCH_SIDES] = {
    {"u8", SSIMCU_TYPE_U8, 255},
    {"u8 peak 200", SSIMCU_TYPE_U8, 200},
    {"10 bit", SSIMCU_TYPE_U16, 1023},
    {"u16", SSIMCU_TYPE_U16, 65535},
    {"f16", SSIMCU_TYPE_F16, 1},
    {"f32", SSIMCU_TYPE_F32, 1},
    {"f32 peak 255", SSIMCU_TYPE_F32, 255},
    {"f64", SSIMCU_TYPE_F64, 1},
};

struct search_row search_pairing(size_t i, ssimcu_transfer transfer, uint32_t channels)
{
    return (struct search_row){
        .side = {SEARCH_SIDE[i / SEARCH_SIDES], SEARCH_SIDE[i % SEARCH_SIDES]},
        .transfer = transfer,
        .color = SSIMCU_COLOR_RGB,
        .channels = channels};
}

int search_is_float(const struct search_side *side) { return side->type >= SSIMCU_TYPE_F16; }

int search_is_even(const struct search_row *row)
{
    const struct search_side *side = row->side;
    const int bytes = side[0].type == SSIMCU_TYPE_U8 ? 0 : 1;
    if (row->brightest > 0) return 0;
    if (row->transfer != SSIMCU_TRANSFER_NONE &&
        (search_is_float(&side[0]) || search_is_float(&side[1])))
        return 1;
    if (side[bytes].peak == 255 && side[!bytes].type == SSIMCU_TYPE_U16)
        return side[bytes].type == SSIMCU_TYPE_U8 && side[!bytes].peak == 65535;
    return side[0].peak == side[1].peak;
}

int search_is_scored(const struct search_row *row, ssimcu_device device)
{
    const struct search_side *side = row->side;
    const int floats = search_is_float(&side[0]) + search_is_float(&side[1]);
    if (device != SSIMCU_DEVICE_CPU)
        for (int i = 0; i < 2; i++)
            if (side[i].type == SSIMCU_TYPE_F64) return 0;
    if (row->transfer == SSIMCU_TRANSFER_PU21) return floats == 2;
    return row->transfer == SSIMCU_TRANSFER_NONE || floats > 0;
}

int search_draws(int draws)
{
    const char *wish = getenv("SSIMCU_SEARCH");
    return wish ? atoi(wish) : draws;
}

int search_report(const char *number, const char *kind, const struct search_row *row,
                  ssimcu_device device, double worst, double bound)
{
    static const char *const curve[] = {
        [SSIMCU_TRANSFER_NONE] = "",
        [SSIMCU_TRANSFER_SRGB] = ", sRGB",
        [SSIMCU_TRANSFER_PU21] = ", PU21",
        [SSIMCU_TRANSFER_HABLE] = ", Hable",
    };
    const int is_bad = !(worst <= bound);
    /* One write a line: the tests of a program run side by side and share its output. */
    printf("worst\t%s\t%s\t%s\t%s, %s%s\t%.3g\t%.3g%s\n", number, kind,
           device == SSIMCU_DEVICE_CPU ? "CPU" : "GPU", row->side[0].name, row->side[1].name,
           curve[row->transfer], worst, bound, is_bad ? "\tTOO MUCH" : "");
    fflush(stdout);
    return is_bad;
}
