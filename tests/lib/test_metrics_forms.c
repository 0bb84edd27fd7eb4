/* Every metric takes every form of a view: all types in all orders, layouts and strides give the
 * numbers of dense pixels, and nothing outside the view is read. Unreadable pages enclose the
 * memory of each form. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "check.h"

#include <math.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { WIDTH = 179, HEIGHT = 166, CHANNELS = 3, MOST_CHANNELS = 4, GAP = 6 };
enum {
    METRICS = (1u << SSIMCU_METRIC_PSNR) | (1u << SSIMCU_METRIC_MS_SSIM) |
              (1u << SSIMCU_METRIC_SSIMULACRA2)
};

/* A place of samples in memory. A channel is `channel_step` samples from the one before it, a pixel
 * `pixel` samples, a row `pixel * WIDTH + gap`. */
struct form {
    const char *name;
    ssimcu_layout layout;
    ssimcu_order order;
    uint32_t pixel; /* samples from pixel to pixel; 1: planes */
    uint32_t gap;   /* samples between rows */
    int upwards;    /* rows from the bottom up */
};

static const struct form FORMS[] = {
    {"dense pixels", SSIMCU_LAYOUT_HWC, SSIMCU_ORDER_RGB, 3, 0, 0},
    {"rows with gaps", SSIMCU_LAYOUT_HWC, SSIMCU_ORDER_RGB, 3, GAP, 0},
    {"pixels apart", SSIMCU_LAYOUT_HWC, SSIMCU_ORDER_RGB, 4, 0, 0},
    {"blue first", SSIMCU_LAYOUT_HWC, SSIMCU_ORDER_BGR, 3, 0, 0},
    {"blue first, gaps", SSIMCU_LAYOUT_HWC, SSIMCU_ORDER_BGR, 3, GAP, 0},
    {"blue first, pixels apart", SSIMCU_LAYOUT_HWC, SSIMCU_ORDER_BGR, 4, 0, 0},
    {"planes", SSIMCU_LAYOUT_CHW, SSIMCU_ORDER_RGB, 1, 0, 0},
    {"planes with gaps", SSIMCU_LAYOUT_CHW, SSIMCU_ORDER_RGB, 1, GAP, 0},
    {"planes, blue first", SSIMCU_LAYOUT_CHW, SSIMCU_ORDER_BGR, 1, 0, 0},
    {"planes apart", SSIMCU_LAYOUT_PLANES, SSIMCU_ORDER_RGB, 1, 0, 0},
    {"planes apart, blue first", SSIMCU_LAYOUT_PLANES, SSIMCU_ORDER_BGR, 1, GAP, 0},
    {"pointers into pixels", SSIMCU_LAYOUT_PLANES, SSIMCU_ORDER_RGB, 3, 0, 0},
    {"bottom up", SSIMCU_LAYOUT_HWC, SSIMCU_ORDER_RGB, 3, 0, 1},
    {"bottom up, blue first", SSIMCU_LAYOUT_HWC, SSIMCU_ORDER_BGR, 3, GAP, 1},
};
enum { FORM_COUNT = sizeof FORMS / sizeof FORMS[0] };

static const struct kind {
    ssimcu_type type;
    double peak;
    size_t bytes;
} KINDS[] = {{SSIMCU_TYPE_U8, 255, 1},   {SSIMCU_TYPE_U8, 200, 1}, {SSIMCU_TYPE_U16, 65535, 2},
             {SSIMCU_TYPE_U16, 1023, 2}, {SSIMCU_TYPE_F16, 1, 2},  {SSIMCU_TYPE_BF16, 1, 2},
             {SSIMCU_TYPE_F32, 1, 4},    {SSIMCU_TYPE_F64, 1, 8}};
enum { KIND_COUNT = sizeof KINDS / sizeof KINDS[0] };

/* A view and the pages that its samples lie in. */
struct fenced {
    ssimcu_view view;
    char *pages;
    size_t bytes;
};

/* Writes 0 to 1 in 64ths as a sample of its type. Halves hold these exactly. */
static void store(const struct kind *kind, void *to, uint32_t value)
{
    const float share = (float)value / 64;
    uint32_t bits;
    memcpy(&bits, &share, sizeof bits);
    switch (kind->type) {
    case SSIMCU_TYPE_U8: *(uint8_t *)to = (uint8_t)(value * kind->peak / 64); return;
    case SSIMCU_TYPE_U16: *(uint16_t *)to = (uint16_t)(value * kind->peak / 64); return;
    case SSIMCU_TYPE_F16:
        *(uint16_t *)to = value ? (uint16_t)((bits >> 13) - (112 << 10)) : 0;
        return;
    case SSIMCU_TYPE_BF16: *(uint16_t *)to = (uint16_t)(bits >> 16); return;
    case SSIMCU_TYPE_F32: *(float *)to = share; return;
    default: *(double *)to = (double)share;
    }
}

/* Returns memory whose last byte, or first if `at_start`, has an unreadable page next to it. */
static char *fence(struct fenced *fenced, size_t bytes, int at_start)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), inside = (bytes + page - 1) / page * page;
    fenced->bytes = inside + 2 * page;
    fenced->pages =
        mmap(NULL, fenced->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    cr_assert_neq((void *)fenced->pages, MAP_FAILED);
    cr_assert_eq(mprotect(fenced->pages, page, PROT_NONE), 0);
    cr_assert_eq(mprotect(fenced->pages + page + inside, page, PROT_NONE), 0);
    return fenced->pages + page + (at_start ? 0 : inside - bytes);
}

/* Lays out a picture, whose samples are 64ths. The last row has no gap behind it. */
static struct fenced lay_out(const struct form *form, const struct kind *kind,
                             const uint8_t *picture, int at_start)
{
    const size_t size = kind->bytes, row = (size_t)form->pixel * WIDTH + form->gap,
                 plane = row * HEIGHT, planes = form->pixel == 1 ? CHANNELS : 1,
                 used = form->pixel > CHANNELS ? form->pixel - CHANNELS : 0;
    struct fenced fenced;
    const size_t samples = planes * plane - form->gap - used;
    char *memory = fence(&fenced, samples * size, at_start);
    const int blue_first = form->order == SSIMCU_ORDER_BGR;
    for (uint32_t y = 0; y < HEIGHT; y++)
        for (uint32_t x = 0; x < WIDTH; x++)
            for (uint32_t c = 0; c < CHANNELS; c++) {
                const size_t line = form->upwards ? HEIGHT - 1 - y : y,
                             place = blue_first ? CHANNELS - 1 - c : c;
                const size_t at =
                    line * row + x * form->pixel + place * (form->pixel == 1 ? plane : 1);
                store(kind, memory + at * size, picture[(y * WIDTH + x) * CHANNELS + c]);
            }
    fenced.view = (ssimcu_view){.struct_size = sizeof fenced.view,
                                .width = WIDTH,
                                .height = HEIGHT,
                                .channels = CHANNELS,
                                .layout = form->layout,
                                .type = kind->type,
                                .peak = kind->peak,
                                .pitch = (ptrdiff_t)(row * size) * (form->upwards ? -1 : 1),
                                .pixel_stride = form->pixel * size,
                                .order = form->order};
    char *first = memory + (form->upwards ? (HEIGHT - 1) * row * size : 0);
    for (uint32_t c = 0; c < (form->layout == SSIMCU_LAYOUT_PLANES ? CHANNELS : 1); c++)
        fenced.view.data[c] = first + c * (form->pixel == 1 ? plane : 1) * size;
    return fenced;
}

static void make_pictures(uint8_t picture[2][WIDTH * HEIGHT * CHANNELS])
{
    check_random random = {54};
    for (uint32_t i = 0; i < WIDTH * HEIGHT * CHANNELS; i++) {
        const uint32_t c = i % CHANNELS, x = i / CHANNELS % WIDTH, y = i / CHANNELS / WIDTH;
        const uint32_t smooth = (x * (c + 1) / 8 + y / (c + 2)) % 56;
        picture[0][i] = (uint8_t)(smooth + check_between(&random, 0, 8));
        picture[1][i] = (uint8_t)(picture[0][i] ^ (check_draw(&random) % 5 ? 0 : 3 - c));
    }
}

/* Scores a pair, or returns 0 if a GPU reads no such view. */
static int score_pair(ssimcu_context *context, const struct fenced side[2], ssimcu_score *score,
                      const char *name)
{
    ssimcu_message why = {{0}};
    *score = (ssimcu_score){.struct_size = sizeof *score};
    const ssimcu_status status =
        ssimcu_compare_views(context, &side[0].view, &side[1].view, score, NULL, NULL, &why);
    if (status == SSIMCU_ERROR_UNSUPPORTED) return 0;
    cr_assert_eq(status, SSIMCU_OK, "%s: %s", name, why.text);
    return 1;
}

static void check_equal(const ssimcu_score *score, const ssimcu_score *plain, const char *name,
                        size_t kind)
{
    static const double limit[] = {1e-6, 1e-6, 1e-6, 1e-3};
    for (int m = SSIMCU_METRIC_PSNR; m < SSIMCU_METRICS; m++)
        check_near(score->metric[m], plain->metric[m], limit[m], "%s, kind %zu, metric %d", name,
                   kind, m);
    check_near(score->score, plain->score, limit[0], "%s, kind %zu", name, kind);
    for (uint32_t c = 0; c < plain->channels; c++)
        check_near(score->channel[c], plain->channel[c], limit[0], "%s, kind %zu, channel %u", name,
                   kind, c);
}

/* Compares both sides in form `of[0]` and `of[1]` with dense pixels, at both ends of memory. */
static int check_pair(ssimcu_context *context, const struct form *const of[2], size_t kind,
                      const uint8_t picture[2][WIDTH * HEIGHT * CHANNELS],
                      const ssimcu_score *plain)
{
    int scored = 0;
    for (int at_start = 0; at_start < 2; at_start++) {
        struct fenced side[2];
        ssimcu_score score;
        for (int i = 0; i < 2; i++) side[i] = lay_out(of[i], &KINDS[kind], picture[i], at_start);
        if (score_pair(context, side, &score, of[1]->name)) {
            check_equal(&score, plain, of[1]->name, kind);
            scored++;
        }
        for (int i = 0; i < 2; i++) munmap(side[i].pages, side[i].bytes);
    }
    return scored;
}

/* Compares all forms with dense pixels. Returns SSIMULACRA2 of these in the first kind. */
static double check_forms(ssimcu_device device, ssimcu_color color)
{
    static uint8_t picture[2][WIDTH * HEIGHT * CHANNELS];
    ssimcu_settings settings = check_settings_for(device, SSIMCU_PAD_VALID);
    double first = 0;
    int scored = 0;
    settings.metrics = METRICS;
    settings.color = color;
    ssimcu_context *context = check_open(&settings);
    make_pictures(picture);
    for (size_t k = 0; k < KIND_COUNT; k++) {
        struct fenced side[2];
        ssimcu_score plain;
        /* doubles are rounded to floats, which a GPU takes */
        const struct kind *as = KINDS[k].type == SSIMCU_TYPE_F64 ? &KINDS[k - 1] : &KINDS[k];
        for (int i = 0; i < 2; i++) side[i] = lay_out(&FORMS[0], as, picture[i], 0);
        cr_assert(score_pair(context, side, &plain, "dense"));
        for (int i = 0; i < 2; i++) munmap(side[i].pages, side[i].bytes);
        if (k == 0) first = plain.metric[SSIMCU_METRIC_SSIMULACRA2];
        for (size_t f = 0; f < FORM_COUNT; f++) {
            const struct form *both[2] = {&FORMS[f], &FORMS[f]}, *one[2] = {&FORMS[0], &FORMS[f]};
            scored += check_pair(context, both, k, picture, &plain);
            scored += check_pair(context, one, k, picture, &plain);
        }
    }
    cr_assert_geq(scored, (int)((KIND_COUNT - 1) * (FORM_COUNT - 2) * 4));
    ssimcu_close(&context);
    return first;
}

/* SSIMULACRA2 always compares colours, whatever SSIM compares. */
BACKEND_TEST(metrics_forms, every_form_of_every_type)
{
    const double colors = check_forms(device, SSIMCU_COLOR_RGB);
    check_near(check_forms(device, SSIMCU_COLOR_Y709), colors, 1e-3, "beside luma");
}
