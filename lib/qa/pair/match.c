#include "pair/match.h"

#include "base/refuse.h"
#include "pair/tags.h"

#include "video/scale.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Pictures -------------------------------------------------------------------------------- */

ssimcu_status match_windows(const char *ref_name, const struct ssimcu_image_windows *ref,
                            const char *out_name, const struct ssimcu_image_windows *out,
                            ssimcu_message *message)
{
    if (!ref->known || !out->known || (ref->x == out->x && ref->y == out->y)) return SSIMCU_OK;
    FAIL(MISMATCH, "display windows differ: %.200s starts at %d, %d, %.200s at %d, %d", ref_name,
         ref->x, ref->y, out_name, out->x, out->y);
}

/* Returns whether scaling keeps the picture's shape. */
static bool scales(const ssimcu_frame *ref, const ssimcu_frame *out)
{
    return (uint64_t)ref->width * out->height == (uint64_t)out->width * ref->height;
}

/* Writes the filter that cuts bars off the larger frame; "" if bars are not the only difference. */
static void name_crop(const ssimcu_frame *ref, const ssimcu_frame *out, char *text, size_t size)
{
    const bool wide = ref->width == out->width, high = ref->height == out->height;
    const bool ref_is_larger = ref->width > out->width || ref->height > out->height;
    const ssimcu_frame *small = ref_is_larger ? out : ref;
    text[0] = '\0';
    if (wide != high)
        snprintf(text, size, "; ffmpeg -vf crop=%u:%u crops %s around its centre", small->width,
                 small->height, ref_is_larger ? "REF" : "OUT");
}

ssimcu_status match_sizes(const char *ref_name, const ssimcu_frame *ref, const char *out_name,
                          const ssimcu_frame *out, ssimcu_message *message)
{
    char mend[100] = "";
    if (ref->width == out->width && ref->height == out->height) return SSIMCU_OK;
    const bool integers = ref->bits < SSIMCU_BITS_FLOAT && out->bits < SSIMCU_BITS_FLOAT;
    if (integers && scales(ref, out)) /* ffmpeg would write linear light as something else */
        snprintf(mend, sizeof mend, "; ffmpeg -vf scale=%u:%u scales OUT", ref->width, ref->height);
    else if (integers)
        name_crop(ref, out, mend, sizeof mend);
    FAIL(MISMATCH, "sizes differ: %.150s is %ux%u, %.150s is %ux%u%s", ref_name, ref->width,
         ref->height, out_name, out->width, out->height, mend);
}

/* ---- Video ----------------------------------------------------------------------------------- */

/* Differences between the samples of two formats. */
enum { SIZE = 1, DEPTH = 2, LAYOUT = 4, RANGE = 8, MATRIX = 16, TAGS = RANGE | MATRIX };

static unsigned differences(const ssimcu_clip_format *ref, const ssimcu_clip_format *out)
{
    const ssimcu_frame *a = &ref->plane[0], *b = &out->plane[0];
    unsigned found = 0;
    if (a->width != b->width || a->height != b->height) found |= SIZE;
    if (a->bits != b->bits) found |= DEPTH;
    if (ref->chroma != out->chroma || ref->rgb != out->rgb) found |= LAYOUT;
    if (ref->range && out->range && ref->range != out->range) found |= RANGE;
    if (ref->matrix && out->matrix && strcmp(ref->matrix, out->matrix) != 0) found |= MATRIX;
    return found;
}

/* Returns whether players show the two differently. Only compressed video says how it is shown; for
 * y4m, the size may imply it. */
static bool displays_differ(const ssimcu_clip_format *ref, const ssimcu_clip_format *out)
{
    const ssimcu_frame *a = &ref->plane[0], *b = &out->plane[0];
    const bool turned = a->width == b->height && a->height == b->width;
    const bool said = (ref->coding && out->coding) || turned;
    return said && (ref->rotation != out->rotation || ref->mirrored != out->mirrored);
}

void match_colours_line(const char *out_name, const char *what, char *line, size_t size)
{
    snprintf(line, size, "%.300s: %s; samples are compared as they are stored", out_name, what);
}

bool match_colours(const ssimcu_clip_format *ref, const char *out_name,
                   const ssimcu_clip_format *out, char *text, size_t size)
{
    char what[160] = "";
    ssimcu_colours_name("transfers", ref->transfer, out->transfer, what, sizeof what);
    ssimcu_colours_name("primaries", ref->primaries, out->primaries, what, sizeof what);
    match_colours_line(out_name, what, text, size);
    return what[0] != '\0';
}

bool match_note_colours(const struct ssimcu_image_colours *ref,
                        const struct ssimcu_image_colours *out, char **text)
{
    ssimcu_message what;
    ssimcu_colours_differ(ref, out, &what);
    free(*text); /* the pair is loaded again */
    *text = what.text[0] ? strdup(what.text) : NULL;
    return *text || !what.text[0];
}

bool match_hdr(const ssimcu_clip_format *ref, const char *out_name, const ssimcu_clip_format *out,
               double white, char *text, size_t size)
{
    const char *const a = ssimcu_clip_hdr(ref), *const b = ssimcu_clip_hdr(out);
    if (white > 0)
        snprintf(text, size,
                 "%.300s: samples of %s%s%s are compared as light, with 1 at %.9g cd/m2", out_name,
                 a, a == b ? "" : " and ", a == b ? "" : b, white);
    else
        snprintf(text, size,
                 "%.300s: samples of %s are compared in their own code values, not as light",
                 out_name, a ? a : "");
    return white > 0 || (a && a == b);
}

ssimcu_status match_srgb(const ssimcu_clip_format *ref, const ssimcu_clip_format *out,
                         ssimcu_message *message)
{
    const char *const a = ssimcu_clip_hdr(ref), *const b = ssimcu_clip_hdr(out);
    if (!a && !b) return SSIMCU_OK;
    FAIL(UNSUPPORTED, "SSIMULACRA2 is defined for sRGB, and %s has samples of %s%s",
         a ? "REF" : "OUT", a ? a : b, a && b ? "; --hdr srgb converts them to light" : "");
}

ssimcu_status match_siting(const ssimcu_clip_format *ref, const ssimcu_clip_format *out,
                           ssimcu_message *message)
{
    static const char *const places[] = {"left", "in the centre", "at the upper left"};
    static const char *const names[] = {"left", "center", "topleft"};
    if (!tags_sites_differ(ref, out)) return SSIMCU_OK;
    FAIL(MISMATCH,
         "chroma locations differ: REF has chroma %s, OUT %s; ffmpeg -vf zscale=chromal=%s "
         "converts OUT",
         places[ref->siting], places[out->siting], names[ref->siting]);
}

bool match_rates(const ssimcu_clip_format *ref, const char *out_name, const ssimcu_clip_format *out,
                 bool by_times, char *text, size_t size)
{
    static const double SAME = 0.0005; /* half the distance of 24 and 24000/1001 */
    if (!ref->rate[0] || !ref->rate[1] || !out->rate[0] || !out->rate[1]) return false;
    const double a = (double)ref->rate[0] / ref->rate[1], b = (double)out->rate[0] / out->rate[1];
    snprintf(text, size,
             "%.300s: REF has %.6g frames a second, OUT %.6g; they are compared by their %s",
             out_name, a, b, by_times ? "times" : "number");
    return fabs(a - b) > SAME * a;
}

/* Writes the ffmpeg filter that makes OUT comparable with REF. */
static void name_filter(const ssimcu_clip_format *ref, const ssimcu_clip_format *out, char *text,
                        size_t size)
{
    static const char *const ranges[] = {"auto", "limited", "full"};
    const ssimcu_frame *a = &ref->plane[0];
    const unsigned found = differences(ref, out);
    char scale[40] = "", range[50] = "", matrix[80] = "", name[16], format[32] = "";
    if (found & SIZE) snprintf(scale, sizeof scale, ":%u:%u", a->width, a->height);
    if (found & RANGE)
        snprintf(range, sizeof range, ":in_range=%s:out_range=%s", ranges[out->range],
                 ranges[ref->range]);
    if (found & MATRIX)
        snprintf(matrix, sizeof matrix, ":in_color_matrix=%.16s:out_color_matrix=%.16s",
                 out->matrix, ref->matrix);
    const bool scales = scale[0] || range[0] || matrix[0];
    ssimcu_clip_name(ref, name, sizeof name);
    if (found & (LAYOUT | DEPTH))
        snprintf(format, sizeof format, "%sformat=%s", scales ? "," : "", name);
    snprintf(text, size, "%s%s%s%s%s", scales ? "scale" : "", scale, range, matrix, format);
    if (scales) text[strlen("scale")] = '=';
}

/* Describes in which display tags two formats of the same samples differ. */
static bool tags_differ(const ssimcu_clip_format *ref, const ssimcu_clip_format *out, char *what,
                        size_t size)
{
    static const char *const scans[] = {"unknown", "progressive", "interlaced"};
    static const char *const first[] = {"", "top", "bottom"};
    if (ref->scan && out->scan && ref->scan != out->scan)
        snprintf(what, size, "REF is %s, OUT is %s", scans[ref->scan], scans[out->scan]);
    else if (ref->fields && out->fields && ref->fields != out->fields)
        snprintf(what, size, "field orders differ: the %s field is first in REF, the %s in OUT",
                 first[ref->fields], first[out->fields]);
    else
        return false;
    return true;
}

/* Describes the differences between two formats. `own` are those of the files. Returns false if no
 * difference matters. */
static bool differ(const ssimcu_clip_format *const own[2], const ssimcu_clip_format *ref,
                   const ssimcu_clip_format *out, char *what, size_t size)
{
    static const char *const ranges[] = {"unknown", "limited", "full range"};
    static const char *const mirrored[] = {"", " and mirrored"};
    const ssimcu_frame *a = &ref->plane[0], *b = &out->plane[0];
    const unsigned found = differences(ref, out);
    char name[2][16];
    for (int s = 0; s < 2; s++) ssimcu_clip_name(own[s], name[s], sizeof name[s]);
    if (displays_differ(own[0], own[1]))
        snprintf(what, size, "rotations differ: REF is shown turned by %d degrees%s, OUT by %d%s",
                 ref->rotation, mirrored[ref->mirrored], out->rotation, mirrored[out->mirrored]);
    else if (found & SIZE)
        snprintf(what, size, "sizes differ: REF is %ux%u, OUT is %ux%u", a->width, a->height,
                 b->width, b->height);
    else if (found & DEPTH)
        snprintf(what, size, "depths differ: REF has %u bits, OUT has %u", a->bits, b->bits);
    else if (found & LAYOUT)
        snprintf(what, size, "colourspaces differ: REF is %s, OUT is %s", name[0], name[1]);
    else if (found & RANGE)
        snprintf(what, size, "colour ranges differ: REF is %s, OUT is %s", ranges[ref->range],
                 ranges[out->range]);
    else if (found & MATRIX)
        snprintf(what, size, "colour matrices differ: REF is %s, OUT is %s", ref->matrix,
                 out->matrix);
    else
        return tags_differ(ref, out, what, size);
    return true;
}

/* Returns whether only the size differs, and the shapes by at most a hundredth. */
static bool diff_in_size_alone(const ssimcu_clip_format *ref, const ssimcu_clip_format *out)
{
    const ssimcu_frame *a = &ref->plane[0], *b = &out->plane[0];
    const double x = (double)a->width * b->height, y = (double)b->width * a->height;
    return fabs(x - y) * 100 <= x && !ref->rgb && !out->rgb &&
           !(differences(ref, out) & (LAYOUT | TAGS));
}

/* Writes how to make sides agree that players rotate differently. ffmpeg rotates the frames that it
 * decodes. */
static void advise_turn(const ssimcu_clip_format *const own[2], char *text, size_t size)
{
    static const char *const turns[] = {"", " (transpose=1)", " (hflip,vflip)", " (transpose=2)"};
    const ssimcu_frame *const a = &own[0]->plane[0], *const b = &own[1]->plane[0];
    const bool ref = own[0]->rotation != 0 || own[0]->mirrored;
    const ssimcu_clip_format *const tagged = own[!ref];
    const char *const name = ref ? "REF" : "OUT", *const other = ref ? "OUT" : "REF";
    if (tagged->rotation % 180 != 0 && a->width == b->width && a->height == b->height &&
        a->width != a->height)
        snprintf(text, size,
                 "; if %s is stored like it, ffmpeg -noautorotate -i %s "
                 "-vf sidedata=delete:DISPLAYMATRIX -c:v ffv1 %s.mkv drops the tag",
                 other, name, name);
    else
        snprintf(text, size, "; ffmpeg -i %s -c:v ffv1 %s.mkv turns %s as players do%s", name, name,
                 name, tagged->mirrored ? "" : turns[tagged->rotation / 90 % 4]);
}

/* Writes the filter that makes the lines agree. ffmpeg does not move lines by one in 4:2:0. */
static void advise_lines(const ssimcu_clip_format *ref, const ssimcu_clip_format *out, char *text,
                         size_t size)
{
    const char *const order = ref->fields == SSIMCU_FIELDS_BOTTOM ? "bff" : "tff";
    char name[16];
    ssimcu_clip_name(out, name, sizeof name);
    if (ref->scan && out->scan && ref->scan != out->scan)
        snprintf(text, size,
                 "; if only a tag is wrong, ffmpeg -vf setfield=prog corrects %s; otherwise "
                 "bwdif=send_frame makes its frames progressive",
                 ref->scan == SSIMCU_SCAN_INTERLACED ? "REF" : "OUT");
    else
        snprintf(text, size,
                 "; if only OUT's tag is wrong, ffmpeg -vf setfield=%s corrects OUT; otherwise "
                 "fieldorder=%s,format=%s converts it",
                 order, order, name);
}

/* Writes advice about the difference. */
static void advise(const ssimcu_clip_format *ref, const ssimcu_clip_format *out, char *text,
                   size_t size)
{
    static const char *const ranges[] = {"", "limited", "full"};
    const ssimcu_frame *a = &ref->plane[0], *b = &out->plane[0];
    const unsigned found = differences(ref, out);
    char filter[256], range[40] = "", matrix[40] = "", name[16];
    text[0] = '\0';
    const bool curves =
        ref->transfer[0] && out->transfer[0] && ssimcu_clip_hdr(ref) != ssimcu_clip_hdr(out);
    if (curves)
        snprintf(filter, sizeof filter, "ffmpeg's zscale with tonemap, from %s to %s,",
                 out->transfer, ref->transfer);
    else
        name_filter(ref, out, filter, sizeof filter);
    if (found & RANGE) snprintf(range, sizeof range, " --range %s", ranges[ref->range]);
    if (found & MATRIX) snprintf(matrix, sizeof matrix, " --matrix %.16s", ref->matrix);
    if (!scales(a, b)) name_crop(a, b, text, size);
    if (text[0]) return;
    if (found & SIZE && diff_in_size_alone(ref, out) &&
        ssimcu_scaler_check(out, a->width, a->height, NULL) == SSIMCU_OK) {
        snprintf(text, size, "; --scale ref scales OUT to REF's size");
    } else if (!scales(a, b) && !diff_in_size_alone(ref, out)) {
        return;
    } else if (found & TAGS && !(found & ~(unsigned)TAGS)) {
        snprintf(text, size,
                 "; if only OUT's tag is wrong,%s%s compares the samples as they are; otherwise "
                 "%s%s converts OUT",
                 range, matrix, curves ? "" : "ffmpeg -vf ", filter);
    } else if (curves) {
        snprintf(text, size, "; %s converts OUT", filter);
    } else if (found == DEPTH && a->bits < b->bits) {
        ssimcu_clip_name(out, name, sizeof name);
        snprintf(text, size, "; ffmpeg -vf format=%s widens REF without loss", name);
    } else if (filter[0]) {
        snprintf(text, size, "; ffmpeg -vf %s converts OUT", filter);
    }
}

ssimcu_status match_formats(const ssimcu_clip_format *const own[2], const ssimcu_clip_format *ref,
                            const ssimcu_clip_format *out, ssimcu_message *message)
{
    char what[128], advice[448] = "";
    if (!differ(own, ref, out, what, sizeof what)) return SSIMCU_OK;
    if (displays_differ(own[0], own[1]))
        advise_turn(own, advice, sizeof advice);
    else if (differences(ref, out))
        advise(ref, out, advice, sizeof advice);
    else
        advise_lines(ref, out, advice, sizeof advice);
    FAIL(MISMATCH, "%s%.350s", what, advice);
}

/* ---- One side by itself ---------------------------------------------------------------------- */

bool match_dolby(const char *name, const ssimcu_clip_format *format, char *text, size_t size)
{
    snprintf(text, size,
             "%.300s: Dolby Vision of profile %u: its samples are IPTPQc2, not YCbCr, and are "
             "compared as they are stored",
             name, format->dolby);
    return format->dolby > 0;
}

bool match_grain(const char *name, const ssimcu_clip_format *format, char *text, size_t size)
{
    snprintf(text, size, "%.300s: film grain that the decoder adds is compared, too", name);
    return format->grain;
}

ssimcu_status match_ycbcr(const ssimcu_clip_format *ref, const ssimcu_clip_format *out,
                          ssimcu_message *message)
{
    if (!ref->dolby && !out->dolby) return SSIMCU_OK;
    FAIL(UNSUPPORTED, "--hdr and SSIMULACRA2 need YCbCr, but %s is Dolby Vision of profile %u",
         ref->dolby ? "REF" : "OUT", ref->dolby ? ref->dolby : out->dolby);
}
