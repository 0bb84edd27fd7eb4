#include "pair/tags.h"

#include <stdio.h>
#include <string.h>

static bool has_matrix(const ssimcu_clip_format *format)
{
    return format->planes == SSIMCU_MAX_PLANES && !format->rgb;
}

static bool has_siting(const ssimcu_clip_format *format)
{
    return has_matrix(format) && format->chroma != 444;
}

static void settle_siting(ssimcu_clip_format side[2])
{
    const bool named[2] = {side[0].siting_named, side[1].siting_named};
    if (!has_siting(&side[0]) || !has_siting(&side[1]) || (named[0] && named[1])) return;
    for (int s = 0; s < 2; s++)
        if (!named[s] && named[!s]) side[s].siting = side[!s].siting;
    if (side[0].siting != side[1].siting) side[0].siting = side[1].siting = SSIMCU_SITING_LEFT;
}

static void settle_matrix(ssimcu_clip_format side[2])
{
    if (!has_matrix(&side[0]) || !has_matrix(&side[1])) return;
    if (!side[0].matrix) side[0].matrix = side[1].matrix;
    if (!side[0].matrix) side[0].matrix = ssimcu_clip_matrix(&side[0]);
    if (!side[1].matrix) side[1].matrix = side[0].matrix;
}

void tags_settle(ssimcu_clip_format side[2])
{
    for (int s = 0; s < 2; s++) {
        ssimcu_clip_format *const to = &side[s], *const other = &side[!s];
        if (!to->transfer[0]) memcpy(to->transfer, other->transfer, sizeof to->transfer);
        if (!to->rgb && !other->rgb && to->range == SSIMCU_RANGE_UNKNOWN) to->range = other->range;
    }
    settle_matrix(side); /* its guess reads the transfer */
    settle_siting(side);
}

bool tags_sites_differ(const ssimcu_clip_format *ref, const ssimcu_clip_format *out)
{
    return has_siting(ref) && has_siting(out) && ref->siting_named && out->siting_named &&
           ref->siting != out->siting;
}

/* Adds a tag that a side took over. */
static void add(char text[TAGS_TEXT], int side, const char *tag, const char *value)
{
    const size_t used = strlen(text);
    snprintf(text + used, TAGS_TEXT - used, "%s%s %.16s in %s", used > 0 ? ", " : "", tag, value,
             side == 0 ? "REF" : "OUT");
}

void tags_taken(const ssimcu_clip_format *const own[2], const ssimcu_clip_format *const settled[2],
                bool light, char text[TAGS_TEXT])
{
    static const char *const ranges[] = {"", "limited", "full"};
    static const char *const sitings[] = {"left", "center", "top left"};
    text[0] = '\0';
    for (int s = 0; s < 2; s++) {
        const ssimcu_clip_format *const now = settled[s];
        if (own[s]->range != now->range) add(text, s, "range", ranges[now->range]);
        if (light && !own[s]->transfer[0]) add(text, s, "transfer", now->transfer);
        if (has_matrix(now) && !own[s]->matrix && own[!s]->matrix)
            add(text, s, "matrix", now->matrix);
        if (own[s]->siting != now->siting) add(text, s, "siting", sitings[now->siting]);
    }
}
