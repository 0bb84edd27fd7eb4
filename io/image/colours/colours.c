#include "colours.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

/* ---- Curves ---------------------------------------------------------------------------------- */

/* A curve from samples to light. */
struct curve {
    double power, factor, offset, slope, limit, foot, rise; /* members of ICC's parametric curves */
    const uint8_t *table;                                   /* may be NULL */
    uint32_t count;
};

static uint32_t u32(const uint8_t *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static unsigned u16(const uint8_t *at) { return (unsigned)(at[0] << 8 | at[1]); }

static double light_of(const struct curve *curve, double x)
{
    if (curve->table) {
        const double place = x * (curve->count - 1);
        const uint32_t i = (uint32_t)place < curve->count - 1 ? (uint32_t)place : curve->count - 2;
        const double low = u16(curve->table + 2 * i), high = u16(curve->table + 2 * i + 2);
        return (low + (high - low) * (place - i)) / UINT16_MAX;
    }
    return x >= curve->limit ? pow(curve->factor * x + curve->offset, curve->power) + curve->rise
                             : curve->slope * x + curve->foot;
}

/* Returns whether two curves are equal, except for rounding and 2.2 instead of sRGB. */
static bool are_alike(const struct curve *a, const struct curve *b)
{
    for (int i = 0; i <= 32; i++)
        if (!(fabs(light_of(a, i / 32.0) - light_of(b, i / 32.0)) < 0.01)) return false;
    return true;
}

static struct curve power_of(double gamma) { return (struct curve){.power = gamma, .factor = 1}; }

/* Names the curve. Returns false if it has no name. */
static bool name_curve(const struct curve *curve, char name[64])
{
    static const struct curve srgb = {2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045,
                                      0,   0,         NULL,          0},
                              bt709 = {1 / 0.45, 1 / 1.099, 0.099 / 1.099, 1 / 4.5, 0.081,
                                       0,        0,         NULL,          0};
    const double gamma = log(light_of(curve, 0.5)) / log(0.5);
    const struct curve plain = power_of(gamma);
    name[0] = '\0';
    if (are_alike(curve, &srgb) || are_alike(curve, &bt709)) return true;
    if (!are_alike(curve, &plain)) return false;
    if (fabs(gamma - 1) < 0.02)
        snprintf(name, 64, "linear");
    else
        snprintf(name, 64, "gamma %.3g", gamma);
    return true;
}

void ssimcu_colours_of_gamma(double gamma, struct ssimcu_image_colours *colours)
{
    const struct curve curve = power_of(gamma);
    if (!name_curve(&curve, colours->transfer))
        snprintf(colours->transfer, sizeof colours->transfer, "unknown");
}

/* ---- Primaries ------------------------------------------------------------------------------- */

/* Known primaries: x and y of red, green, blue and white. ICC profiles store X, Y and Z of red,
 * green and blue, adapted to D50 by Bradford's method. */
static const struct primaries {
    const char *name;
    double xy[8], xyz[9];
} known[] = {
    {"",
     {.64, .33, .30, .60, .15, .06, .3127, .329},
     {.4360, .2225, .0139, .3851, .7169, .0971, .1430, .0606, .7139}},
    {"smpte432",
     {.68, .32, .265, .69, .15, .06, .3127, .329},
     {.5151, .2412, -.0011, .2920, .6922, .0419, .1571, .0666, .7841}},
    {"bt2020",
     {.708, .292, .170, .797, .131, .046, .3127, .329},
     {.6735, .2790, -.0019, .1657, .6753, .0300, .1250, .0456, .7969}},
    {"Adobe RGB",
     {.64, .33, .21, .71, .15, .06, .3127, .329},
     {.6097, .3111, .0195, .2053, .6257, .0609, .1492, .0632, .7446}},
    {"ProPhoto RGB",
     {.7347, .2653, .1596, .8404, .0366, .0001, .3457, .3585},
     {.7977, .2880, .0000, .1352, .7119, .0000, .0313, .0001, .8249}},
    {"ACES AP0",
     {.7347, .2653, 0, 1, .0001, -.077, .32168, .33767},
     {.9909, .3619, -.0027, .0122, .7225, .0082, -.0389, -.0844, .8194}},
    {"ACES AP1",
     {.713, .293, .165, .830, .128, .044, .32168, .33767},
     {.6899, .2845, -.0060, .1498, .6717, .0100, .1246, .0438, .8209}},
};

/* Returns the name of known primaries that these numbers match, except for rounding. */
static const char *find_primaries(const double *numbers, int count)
{
    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++) {
        const double *const own = count == 8 ? known[k].xy : known[k].xyz;
        bool same = true;
        for (int i = 0; i < count; i++) same = same && fabs(numbers[i] - own[i]) < 0.003;
        if (same) return known[k].name;
    }
    return NULL;
}

void ssimcu_colours_of_xy(const double xy[8], struct ssimcu_image_colours *colours)
{
    const char *const name = find_primaries(xy, 8);
    if (name)
        snprintf(colours->primaries, sizeof colours->primaries, "%s", name);
    else
        snprintf(colours->primaries, sizeof colours->primaries,
                 "%.3g,%.3g %.3g,%.3g %.3g,%.3g %.3g,%.3g", xy[0], xy[1], xy[2], xy[3], xy[4],
                 xy[5], xy[6], xy[7]);
}

void ssimcu_colours_of_codes(unsigned primaries, unsigned transfer, bool full,
                             struct ssimcu_image_colours *colours)
{
    /* Names as in video. Unknown values, and those of sRGB or BT.709, are "". */
    static const char *const
        primary_names[] = {[4] = "bt470m",    [5] = "bt470bg", [6] = "smpte170m", [7] = "smpte240m",
                           [8] = "film",      [9] = "bt2020",  [10] = "smpte428", [11] = "smpte431",
                           [12] = "smpte432", [22] = "ebu3213"},
        *const transfer_names[] = {
            [4] = "",           [5] = "gamma 2.8", [7] = "smpte240m",     [8] = "linear",
            [9] = "log100",     [10] = "log316",   [11] = "iec61966-2-4", [12] = "bt1361e",
            [16] = "smpte2084", [17] = "smpte428", [18] = "arib-std-b67"};
    const char *a = primaries < 23 ? primary_names[primaries] : NULL;
    const char *b = transfer < 19 ? transfer_names[transfer] : NULL;
    snprintf(colours->primaries, sizeof colours->primaries, "%s", a ? a : "");
    snprintf(colours->transfer, sizeof colours->transfer, "%s%s",
             b      ? b
             : full ? ""
                    : "sRGB",
             full ? "" : " in limited range");
}

/* ---- ICC profiles ---------------------------------------------------------------------------- */

enum { HEADER = 128 /* bytes before the number of tags */ };

struct profile {
    const uint8_t *bytes;
    size_t size;
};

/* A tag's data. */
struct part {
    const uint8_t *at; /* NULL: missing */
    size_t size;
};

static struct part find_part(const struct profile *profile, const char signature[4])
{
    enum { ENTRY = 12 };
    const uint32_t count = profile->size < HEADER + 4 ? 0 : u32(profile->bytes + HEADER);
    for (uint32_t i = 0; i < count && HEADER + 4 + (i + 1) * (size_t)ENTRY <= profile->size; i++) {
        const uint8_t *const entry = profile->bytes + HEADER + 4 + i * (size_t)ENTRY;
        const size_t from = u32(entry + 4), size = u32(entry + 8);
        if (memcmp(entry, signature, 4) == 0 && from <= profile->size &&
            size <= profile->size - from && size >= 12)
            return (struct part){profile->bytes + from, size};
    }
    return (struct part){NULL, 0};
}

/* Writes the profile's description. Unusual letters become question marks. */
static void describe(const struct profile *profile, char *text, size_t room)
{
    const struct part part = find_part(profile, "desc");
    size_t from = 12, length = 0, used = 0, step = 1;
    if (part.at && memcmp(part.at, "desc", 4) == 0) length = u32(part.at + 8);
    if (part.at && memcmp(part.at, "mluc", 4) == 0 && part.size >= 28) { /* the first language */
        length = u32(part.at + 20);
        from = u32(part.at + 24);
        step = 2;
    }
    for (size_t i = 0; i + step <= length && from <= part.size && i + step <= part.size - from;
         i += step) {
        const unsigned c = step == 1 ? part.at[from + i] : u16(part.at + from + i);
        if (c == 0 || used + 1 == room) break;
        text[used++] = c >= ' ' && c <= '~' ? (char)c : '?';
    }
    text[used] = '\0';
}

static double fixed(const uint8_t *at) { return (int32_t)u32(at) / 65536.0; }

/* Reads a curve. Returns false if it is not one, or of a kind that is not supported here. */
static bool read_curve(const struct part *part, struct curve *curve)
{
    static const uint8_t counts[] = {1, 3, 4, 5, 7};
    if (!part->at) return false;
    if (memcmp(part->at, "curv", 4) == 0) {
        const uint32_t count = u32(part->at + 8);
        if (count > (part->size - 12) / 2) return false;
        *curve = power_of(count == 1 ? u16(part->at + 12) / 256.0 : 1);
        if (count > 1) curve->table = part->at + 12, curve->count = count;
        return true;
    }
    const unsigned kind = u16(part->at + 8);
    if (memcmp(part->at, "para", 4) != 0 || kind >= sizeof counts) return false;
    if (part->size < 12 + 4 * (size_t)counts[kind]) return false;
    double n[7] = {0, 1};
    for (int i = 0; i < counts[kind]; i++) n[i] = fixed(part->at + 12 + 4 * i);
    *curve = (struct curve){n[0], n[1], n[2], n[3], n[4], n[6], n[5], NULL, 0};
    if (kind == 1 || kind == 2) /* both end where their base would be below 0 */
        *curve = (struct curve){n[0], n[1], n[2], 0, -n[2] / n[1], n[3], n[3], NULL, 0};
    return true;
}

/* Names the curve of a profile if all channels share it. */
static bool name_curves(const struct profile *profile, char name[64])
{
    static const char signatures[][5] = {"rTRC", "gTRC", "bTRC", "kTRC"};
    struct curve curve[4];
    bool has[4];
    for (int i = 0; i < 4; i++) {
        const struct part part = find_part(profile, signatures[i]);
        has[i] = read_curve(&part, &curve[i]);
    }
    if (has[3]) return name_curve(&curve[3], name);
    return has[0] && has[1] && has[2] && are_alike(&curve[0], &curve[1]) &&
           are_alike(&curve[0], &curve[2]) && name_curve(&curve[0], name);
}

/* Reads the primaries. *check is a checksum of their bytes, or of the whole profile if it has no
 * primaries. */
static bool read_primaries(const struct profile *profile, double xyz[9], uint32_t *check)
{
    static const char signatures[][5] = {"rXYZ", "gXYZ", "bXYZ"};
    bool all = true;
    *check = 0;
    for (int i = 0; i < 3 && all; i++) {
        const struct part part = find_part(profile, signatures[i]);
        all = part.at && part.size >= 20;
        for (int c = 0; c < 3 && all; c++) xyz[i * 3 + c] = fixed(part.at + 8 + 4 * c);
        if (all) *check = (uint32_t)crc32(*check, part.at + 8, 12);
    }
    if (!all) /* skips the header, which has a date */
        *check = (uint32_t)crc32(0, profile->bytes + HEADER, (uInt)(profile->size - HEADER));
    return all;
}

void ssimcu_colours_of_icc(const uint8_t *bytes, size_t size, struct ssimcu_image_colours *colours)
{
    const struct profile profile = {bytes, size};
    char name[36];
    double xyz[9];
    uint32_t check;
    if (size < HEADER || memcmp(bytes + 36, "acsp", 4) != 0) return; /* not a profile */
    describe(&profile, name, sizeof name);
    const bool grey = find_part(&profile, "kTRC").at != NULL;
    const bool has = read_primaries(&profile, xyz, &check);
    const char *const found = grey ? "" : has ? find_primaries(xyz, 9) : NULL;
    const bool named = name_curves(&profile, colours->transfer);
    if (!has && !grey && strncmp(name, "sRGB", 4) == 0) return; /* sRGB as tables */
    if (!named) snprintf(colours->transfer, sizeof colours->transfer, "those of ICC \"%s\"", name);
    if (found)
        snprintf(colours->primaries, sizeof colours->primaries, "%s", found);
    else
        snprintf(colours->primaries, sizeof colours->primaries, "those of ICC \"%s\" (%08x)", name,
                 check);
}

/* ---- Two files ------------------------------------------------------------------------------- */

void ssimcu_colours_name(const char *property, const char *ref, const char *out, char *text,
                         size_t size)
{
    const size_t used = strlen(text);
    if (ref[0] && out[0] && strcmp(ref, out) != 0)
        snprintf(text + used, size - used, "%s%s are %s in REF, %s in OUT", used ? "; " : "",
                 property, ref, out);
}

void ssimcu_colours_differ(const struct ssimcu_image_colours *ref,
                           const struct ssimcu_image_colours *out, ssimcu_message *text)
{
    text->text[0] = '\0';
    ssimcu_colours_name("transfers", ref->transfer[0] ? ref->transfer : "sRGB",
                        out->transfer[0] ? out->transfer : "sRGB", text->text, sizeof text->text);
    ssimcu_colours_name("primaries", ref->primaries[0] ? ref->primaries : "bt709",
                        out->primaries[0] ? out->primaries : "bt709", text->text,
                        sizeof text->text);
}
