#include "source/match.h"

#include "fail.h"

#include <stdio.h>
#include <string.h>

/* ---- Pictures -------------------------------------------------------------------------------- */

ssimcu_status match_windows(const char *ref_name, const struct ssimcu_image_windows *ref,
                            const char *out_name, const struct ssimcu_image_windows *out,
                            ssimcu_message *message)
{
    if (!ref->known || !out->known || (ref->x == out->x && ref->y == out->y)) return SSIMCU_OK;
    return ssimcu_fail(message, SSIMCU_ERROR_MISMATCH,
                       "display windows differ: %.200s starts at %d, %d, %.200s at %d, %d",
                       ref_name, ref->x, ref->y, out_name, out->x, out->y);
}

ssimcu_status match_sizes(const char *ref_name, const ssimcu_frame *ref, const char *out_name,
                          const ssimcu_frame *out, ssimcu_message *message)
{
    char mend[80] = "";
    if (ref->width == out->width && ref->height == out->height) return SSIMCU_OK;
    /* Scaling to another aspect ratio would make another picture. */
    if ((uint64_t)ref->width * out->height == (uint64_t)out->width * ref->height)
        snprintf(mend, sizeof mend, "; ffmpeg -vf scale=%u:%u would mend OUT", ref->width,
                 ref->height);
    return ssimcu_fail(message, SSIMCU_ERROR_MISMATCH,
                       "sizes differ: %.200s is %ux%u, %.200s is %ux%u%s", ref_name, ref->width,
                       ref->height, out_name, out->width, out->height, mend);
}

/* ---- Video ----------------------------------------------------------------------------------- */

static bool matrices_differ(const ssimcu_clip_format *ref, const ssimcu_clip_format *out)
{
    return ref->matrix && out->matrix && strcmp(ref->matrix, out->matrix) != 0;
}

static bool ranges_differ(const ssimcu_clip_format *ref, const ssimcu_clip_format *out)
{
    return ref->range && out->range && ref->range != out->range;
}

/* Whether players show the two otherwise. Only compressed video says how it is shown. */
static bool displays_differ(const ssimcu_clip_format *ref, const ssimcu_clip_format *out)
{
    return ref->coding && out->coding &&
           (ref->rotation != out->rotation || ref->mirrored != out->mirrored);
}

/* Writes the ffmpeg filter that makes OUT comparable with REF. */
static void name_filter(const ssimcu_clip_format *ref, const ssimcu_clip_format *out, char *text,
                        size_t size)
{
    static const char *const ranges[] = {"auto", "limited", "full"};
    const ssimcu_frame *a = &ref->plane[0], *b = &out->plane[0];
    char scale[40] = "", range[50] = "", matrix[80] = "", name[16], format[32] = "";
    if (a->width != b->width || a->height != b->height)
        snprintf(scale, sizeof scale, ":%u:%u", a->width, a->height);
    if (ranges_differ(ref, out))
        snprintf(range, sizeof range, ":in_range=%s:out_range=%s", ranges[out->range],
                 ranges[ref->range]);
    if (matrices_differ(ref, out))
        snprintf(matrix, sizeof matrix, ":in_color_matrix=%.16s:out_color_matrix=%.16s",
                 out->matrix, ref->matrix);
    const bool scales = scale[0] || range[0] || matrix[0];
    ssimcu_clip_name(ref, name, sizeof name);
    if (ref->chroma != out->chroma || a->bits != b->bits || ref->rgb != out->rgb)
        snprintf(format, sizeof format, "%sformat=%s", scales ? "," : "", name);
    snprintf(text, size, "%s%s%s%s%s", scales ? "scale" : "", scale, range, matrix, format);
    if (scales) text[strlen("scale")] = '=';
}

/* Writes in words what differs between the two formats. Returns false if nothing that matters
 * does. */
static bool differ(const ssimcu_clip_format *ref, const ssimcu_clip_format *out, char *what,
                   size_t size)
{
    static const char *const ranges[] = {"unknown", "limited", "full range"};
    static const char *const scans[] = {"unknown", "progressive", "interlaced"};
    static const char *const mirrored[] = {"", " and mirrored"};
    const ssimcu_frame *a = &ref->plane[0], *b = &out->plane[0];
    char name[2][16];
    ssimcu_clip_name(ref, name[0], sizeof name[0]);
    ssimcu_clip_name(out, name[1], sizeof name[1]);
    if (a->width != b->width || a->height != b->height)
        snprintf(what, size, "sizes differ: REF is %ux%u, OUT is %ux%u", a->width, a->height,
                 b->width, b->height);
    else if (a->bits != b->bits)
        snprintf(what, size, "depths differ: REF has %u bits, OUT has %u", a->bits, b->bits);
    else if (ref->chroma != out->chroma || ref->rgb != out->rgb)
        snprintf(what, size, "colourspaces differ: REF is %s, OUT is %s", name[0], name[1]);
    else if (ranges_differ(ref, out))
        snprintf(what, size, "colour ranges differ: REF is %s, OUT is %s", ranges[ref->range],
                 ranges[out->range]);
    else if (matrices_differ(ref, out))
        snprintf(what, size, "colour matrices differ: REF is %s, OUT is %s", ref->matrix,
                 out->matrix);
    else if (displays_differ(ref, out))
        snprintf(what, size, "rotations differ: REF is shown turned by %d degrees%s, OUT by %d%s",
                 ref->rotation, mirrored[ref->mirrored], out->rotation, mirrored[out->mirrored]);
    else if (ref->scan && out->scan && ref->scan != out->scan)
        snprintf(what, size, "REF is %s, OUT is %s", scans[ref->scan], scans[out->scan]);
    else
        return false;
    return true;
}

ssimcu_status match_formats(const ssimcu_clip_format *ref, const ssimcu_clip_format *out,
                            ssimcu_message *message)
{
    char what[128], filter[256];
    if (!differ(ref, out, what, sizeof what)) return SSIMCU_OK;
    name_filter(ref, out, filter, sizeof filter);
    return ssimcu_fail(message, SSIMCU_ERROR_MISMATCH, "%s%s%s%s", what,
                       filter[0] ? "; ffmpeg -vf " : "", filter,
                       filter[0] ? " would mend OUT" : "");
}
