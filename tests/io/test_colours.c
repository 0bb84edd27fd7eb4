/* What files say of their colours: names for what is known, one name for what is the same, and
 * nothing for sRGB. Profiles that are cut or changed do no harm. */
#include "image/colours/colours.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 8192 };

struct icc {
    uint8_t bytes[MOST];
    size_t size;
    uint32_t tags;
};

static void put(uint8_t *at, uint32_t value, int bytes)
{
    for (int i = 0; i < bytes; i++) at[i] = (uint8_t)(value >> 8 * (bytes - 1 - i));
}

/* Adds a tag, whose data is put at the end. There is room for ten. */
static void add(struct icc *icc, const char *signature, const uint8_t *data, size_t size)
{
    uint8_t *const entry = icc->bytes + 132 + 12 * icc->tags++;
    memcpy(entry, signature, 4);
    put(entry + 4, (uint32_t)icc->size, 4);
    put(entry + 8, (uint32_t)size, 4);
    memcpy(icc->bytes + icc->size, data, size);
    icc->size += (size + 3) / 4 * 4;
    put(icc->bytes + 128, icc->tags, 4);
}

static void begin(struct icc *icc, const char *name, bool v4)
{
    uint8_t data[200] = {0};
    *icc = (struct icc){.size = 132 + 12 * 10};
    memcpy(icc->bytes + 36, "acsp", 4);
    memcpy(data, v4 ? "mluc" : "desc", 4);
    put(data + 8, v4 ? 1 : (uint32_t)strlen(name) + 1, 4);
    if (v4) {
        put(data + 12, 12, 4);
        put(data + 20, 2 * (uint32_t)strlen(name), 4);
        put(data + 24, 28, 4);
        for (size_t i = 0; name[i]; i++) data[29 + 2 * i] = (uint8_t)name[i];
    } else {
        memcpy(data + 12, name, strlen(name));
    }
    add(icc, "desc", data, 28 + 2 * strlen(name));
}

static void add_primaries(struct icc *icc, const double xyz[9])
{
    static const char signatures[][5] = {"rXYZ", "gXYZ", "bXYZ"};
    for (int i = 0; i < 3; i++) {
        uint8_t data[20] = "XYZ ";
        for (int c = 0; c < 3; c++)
            put(data + 8 + 4 * c, (uint32_t)(int32_t)lround(xyz[i * 3 + c] * 65536), 4);
        add(icc, signatures[i], data, sizeof data);
    }
}

/* A curve: a power, the parts of sRGB as parameters, or those as a table. */
enum { POWER, PARAMETERS, TABLE };

static size_t make_curve(uint8_t *data, int kind, double power)
{
    static const double srgb[] = {2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045};
    memset(data, 0, 12 + 2 * 1024);
    memcpy(data, kind == PARAMETERS ? "para" : "curv", 4);
    if (kind == POWER) {
        put(data + 8, 1, 4);
        put(data + 12, (uint32_t)lround(power * 256), 2);
        return 14;
    }
    if (kind == PARAMETERS) {
        put(data + 8, 3, 2);
        for (int i = 0; i < 5; i++) put(data + 12 + 4 * i, (uint32_t)lround(srgb[i] * 65536), 4);
        return 32;
    }
    put(data + 8, 1024, 4);
    for (int i = 0; i < 1024; i++) {
        const double x = i / 1023.0, y = x < 0.04045 ? x / 12.92 : pow((x + 0.055) / 1.055, 2.4);
        put(data + 12 + 2 * i, (uint32_t)lround(y * 65535), 2);
    }
    return 12 + 2 * 1024;
}

static const double srgb[9] = {.4361, .2225, .0139, .3851, .7169, .0971, .1431, .0606, .7141};
static const double p3[9] = {.5151, .2412, -.0011, .2920, .6922, .0419, .1571, .0666, .7841};
static const double odd[9] = {.1431, .0606, .7141, .3851, .7169, .0971, .4361, .2225, .0139};

static void make(struct icc *icc, const char *name, const double xyz[9], int kind, double power)
{
    static uint8_t data[12 + 2 * 1024];
    begin(icc, name, kind == PARAMETERS);
    if (xyz) add_primaries(icc, xyz);
    const size_t size = make_curve(data, kind, power);
    add(icc, xyz ? "rTRC" : "kTRC", data, size);
    if (!xyz) return;
    const size_t first = icc->size - (size + 3) / 4 * 4; /* all have the same data */
    for (int i = 0; i < 2; i++) {
        add(icc, i ? "gTRC" : "bTRC", data, 0);
        put(icc->bytes + 132 + 12 * (icc->tags - 1) + 4, (uint32_t)first, 4);
        put(icc->bytes + 132 + 12 * (icc->tags - 1) + 8, (uint32_t)size, 4);
    }
}

static struct ssimcu_image_colours read_icc(const struct icc *icc, size_t size)
{
    struct ssimcu_image_colours colours = {{0}, {0}};
    uint8_t *const copy = malloc(size ? size : 1); /* a sanitizer sees a read past it */
    memcpy(copy, icc->bytes, size);
    ssimcu_colours_of_icc(copy, size, &colours);
    free(copy);
    return colours;
}

Test(colours, names_profiles)
{
    static const struct {
        const double *xyz;
        int kind;
        double power;
        const char *transfer, *primaries;
    } cases[] = {{srgb, PARAMETERS, 0, "", ""},
                 {srgb, TABLE, 0, "", ""},
                 {srgb, POWER, 2.2, "", ""},
                 {srgb, POWER, 1, "linear", ""},
                 {srgb, POWER, 1.8, "gamma 1.8", ""},
                 {p3, PARAMETERS, 0, "", "smpte432"},
                 {p3, POWER, 2.6, "gamma 2.6", "smpte432"},
                 {NULL, TABLE, 0, "", ""},
                 {NULL, POWER, 1.8, "gamma 1.8", ""}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        static struct icc icc;
        make(&icc, "any name", cases[i].xyz, cases[i].kind, cases[i].power);
        const struct ssimcu_image_colours colours = read_icc(&icc, icc.size);
        cr_expect_str_eq(colours.transfer, cases[i].transfer, "%zu: %s", i, colours.transfer);
        cr_expect_str_eq(colours.primaries, cases[i].primaries, "%zu: %s", i, colours.primaries);
    }
}

/* Gives one channel another curve than the others have. */
static void change_curve(struct icc *icc, const char *signature, int kind, double power)
{
    static uint8_t data[12 + 2 * 1024];
    const size_t size = make_curve(data, kind, power);
    for (uint32_t i = 0; i < icc->tags; i++) {
        uint8_t *const entry = icc->bytes + 132 + 12 * i;
        if (memcmp(entry, signature, 4) != 0) continue;
        put(entry + 4, (uint32_t)icc->size, 4);
        put(entry + 8, (uint32_t)size, 4);
    }
    memcpy(icc->bytes + icc->size, data, size);
    icc->size += (size + 3) / 4 * 4;
}

/* A profile has a named curve only if red, green and blue share it. */
Test(colours, compares_the_curves_of_all_channels)
{
    static const char signatures[][5] = {"rTRC", "gTRC", "bTRC"};
    for (int kind = POWER; kind <= TABLE; kind++)
        for (int c = 0; c < 3; c++)
            for (int other = 0; other < 2; other++) {
                static struct icc icc;
                make(&icc, "any name", srgb, kind, 1.8);
                change_curve(&icc, signatures[c], other ? POWER : kind, other ? 1.6 : 1.8);
                const struct ssimcu_image_colours colours = read_icc(&icc, icc.size);
                const char *const wanted = other           ? "those of ICC \"any name\""
                                           : kind == POWER ? "gamma 1.8"
                                                           : "";
                cr_expect_str_eq(colours.transfer, wanted, "kind %d, %s: %s", kind, signatures[c],
                                 colours.transfer);
            }
}

Test(colours, tells_unknown_profiles_apart)
{
    static struct icc icc;
    struct ssimcu_image_colours colours[4];
    make(&icc, "My camera", odd, PARAMETERS, 0);
    colours[0] = read_icc(&icc, icc.size);
    icc.bytes[30]++; /* the date */
    colours[1] = read_icc(&icc, icc.size);
    make(&icc, "My camera", (const double[9]){.2, .0606, .7141, .3851, .7169, .0971, .4361, .2225},
         PARAMETERS, 0);
    colours[2] = read_icc(&icc, icc.size);
    make(&icc, "My scanner", odd, PARAMETERS, 0);
    colours[3] = read_icc(&icc, icc.size);
    cr_expect_eq(strncmp(colours[0].primaries, "those of ICC \"My camera\" (", 26), 0, "%s",
                 colours[0].primaries);
    cr_expect_str_eq(colours[0].primaries, colours[1].primaries);
    for (int i = 2; i < 4; i++) cr_expect_str_neq(colours[0].primaries, colours[i].primaries);
}

Test(colours, wants_a_profile_to_be_one)
{
    static struct icc icc;
    make(&icc, "My camera", odd, PARAMETERS, 0);
    icc.bytes[36] = 'x';
    const struct ssimcu_image_colours colours = read_icc(&icc, icc.size);
    cr_expect(!colours.transfer[0] && !colours.primaries[0]);
}

/* Some profiles have nothing but tables of colours. */
Test(colours, knows_tables_of_srgb_by_their_name)
{
    static struct icc icc;
    begin(&icc, "sRGB v4 ICC preference", true);
    struct ssimcu_image_colours colours = read_icc(&icc, icc.size);
    cr_expect(!colours.transfer[0] && !colours.primaries[0]);
    begin(&icc, "Film", true);
    colours = read_icc(&icc, icc.size);
    cr_expect_str_eq(colours.transfer, "those of ICC \"Film\"");
}

Test(colours, survives_profiles_that_are_cut_or_changed)
{
    static struct icc icc;
    uint32_t seed = 1;
    for (int kind = POWER; kind <= TABLE; kind++) {
        make(&icc, "any name", p3, kind, 2.4);
        for (size_t size = 0; size < icc.size; size++) (void)read_icc(&icc, size);
        for (int i = 0; i < 20000; i++) {
            seed = seed * 1664525 + 1013904223;
            const size_t at = (seed >> 8) % (i % 2 ? 400 : icc.size);
            const uint8_t kept = icc.bytes[at];
            icc.bytes[at] = (uint8_t)(i % 3 ? seed >> 24 : 255);
            const struct ssimcu_image_colours colours = read_icc(&icc, icc.size);
            cr_assert(memchr(colours.transfer, 0, sizeof colours.transfer) &&
                      memchr(colours.primaries, 0, sizeof colours.primaries));
            icc.bytes[at] = kept;
        }
    }
}

Test(colours, names_numbers_and_codes)
{
    static const double xy[][8] = {{.64, .33, .30, .60, .15, .06, .3127, .3290},
                                   {.6400, .3300, .3000, .6001, .1500, .0600, .31270, .32902},
                                   {.68, .32, .265, .69, .15, .06, .3127, .329},
                                   {1, 0, 0, 1, 0, 0, 1 / 3.0, 1 / 3.0}};
    static const char *const names[] = {"", "", "smpte432", "1,0 0,1 0,0 0.333,0.333"};
    for (int i = 0; i < 4; i++) {
        struct ssimcu_image_colours colours = {{0}, {0}};
        ssimcu_colours_of_xy(xy[i], &colours);
        cr_expect_str_eq(colours.primaries, names[i]);
    }
    static const struct {
        double gamma;
        const char *name;
    } gammas[] = {{2.2, ""}, {100000 / 45455.0, ""}, {1, "linear"}, {1.8, "gamma 1.8"}};
    for (int i = 0; i < 4; i++) {
        struct ssimcu_image_colours colours = {{0}, {0}};
        ssimcu_colours_of_gamma(gammas[i].gamma, &colours);
        cr_expect_str_eq(colours.transfer, gammas[i].name);
    }
    static const struct {
        unsigned primaries, transfer;
        bool full;
        const char *names[2];
    } codes[] = {{1, 13, true, {"", ""}},
                 {1, 1, true, {"", ""}},
                 {2, 2, true, {"", ""}},
                 {9, 16, true, {"bt2020", "smpte2084"}},
                 {12, 13, true, {"smpte432", ""}},
                 {9, 18, false, {"bt2020", "arib-std-b67 in limited range"}},
                 {255, 255, false, {"", "sRGB in limited range"}}};
    for (int i = 0; i < 7; i++) {
        struct ssimcu_image_colours colours = {{0}, {0}};
        ssimcu_colours_of_codes(codes[i].primaries, codes[i].transfer, codes[i].full, &colours);
        cr_expect_str_eq(colours.primaries, codes[i].names[0], "%d", i);
        cr_expect_str_eq(colours.transfer, codes[i].names[1], "%d", i);
    }
}
