#include "limits/limits_read.h"

#include "base/results.h"

#include "fail.h"
#include "sample_size.h"
#include "ssimcu_io.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { MOST_PIXELS = 1 << 24 /* of a side of a frame */ };

static bool add(struct ignored_parts *parts, struct ignored_rect rect)
{
    if (!results_grow(&parts->rect, parts->count, &parts->room, sizeof rect)) return false;
    parts->rect[parts->count++] = rect;
    return true;
}

/* ---- Rectangles ------------------------------------------------------------------------------ */

static bool take_number(const json_t *list, size_t at, uint32_t least, uint32_t *number)
{
    const json_t *json = json_array_get(list, at);
    const json_int_t value = json_integer_value(json);
    *number = (uint32_t)value;
    return json_is_integer(json) && value >= least && value <= MOST_PIXELS;
}

ssimcu_status limits_ignore_take(const json_t *list, struct ignored_parts *parts)
{
    if (json_array_size(list) == 0) return SSIMCU_ERROR_DATA;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *own = json_array_get(list, i);
        struct ignored_rect rect;
        if (json_array_size(own) != 4 || !take_number(own, 0, 0, &rect.x) ||
            !take_number(own, 1, 0, &rect.y) || !take_number(own, 2, 1, &rect.width) ||
            !take_number(own, 3, 1, &rect.height))
            return SSIMCU_ERROR_DATA;
        if (!add(parts, rect)) return SSIMCU_ERROR_MEMORY;
    }
    return SSIMCU_OK;
}

/* ---- Masks ----------------------------------------------------------------------------------- */

static bool is_black(const uint8_t *pixel, size_t bytes)
{
    for (size_t b = 0; b < bytes; b++)
        if (pixel[b] != 0) return false;
    return true;
}

/* Adds the runs of pixels of row y that are not black. */
static bool add_row(const uint8_t *row, size_t pixel, uint32_t y, struct ignored_parts *parts)
{
    for (uint32_t x = 0; x < parts->width;) {
        const uint32_t from = x;
        const bool black = is_black(row + x * pixel, pixel);
        while (x < parts->width && is_black(row + x * pixel, pixel) == black) x++;
        if (!black && !add(parts, (struct ignored_rect){from, y, x - from, 1})) return false;
    }
    return true;
}

/* Makes the last runs one with those of the rows before, from `band` to `last`, if they are the
 * same. Returns the beginning of the band that the last row is in. */
static size_t join(struct ignored_parts *parts, size_t band, size_t last)
{
    const size_t count = parts->count - last;
    bool same = last - band == count;
    for (size_t i = 0; i < count && same; i++)
        same = parts->rect[band + i].x == parts->rect[last + i].x &&
               parts->rect[band + i].width == parts->rect[last + i].width;
    if (!same) return last;
    for (size_t i = 0; i < count; i++) parts->rect[band + i].height++;
    parts->count = last;
    return band;
}

static bool take_mask(const ssimcu_frame *mask, struct ignored_parts *parts)
{
    const size_t pixel = mask->channels * ssimcu_sample_size(mask->bits);
    size_t band = 0;
    parts->width = mask->width;
    parts->height = mask->height;
    for (uint32_t y = 0; y < mask->height; y++) {
        const size_t last = parts->count;
        if (!add_row((const uint8_t *)mask->data + y * mask->pitch, pixel, y, parts)) return false;
        band = join(parts, band, last);
    }
    return true;
}

ssimcu_status limits_ignore_read(const char *path, struct ignored_parts *parts,
                                 ssimcu_message *message)
{
    ssimcu_frame mask = {0};
    ssimcu_status status = ssimcu_image_read(path, NULL, &mask, message);
    if (status != SSIMCU_OK) return status;
    if (mask.channels % 2 == 0)
        status = ssimcu_fail(message, SSIMCU_ERROR_UNSUPPORTED, "%.300s: has alpha", path);
    else if (!take_mask(&mask, parts))
        status = ssimcu_no_memory(message, "the mask");
    ssimcu_frame_free(&mask);
    return status;
}

/* ---- The fingerprint ------------------------------------------------------------------------- */

void limits_print_add(struct limits_print *print, const char *text)
{
    const char *own = text ? text : "";
    const uint32_t bytes = (uint32_t)strlen(own) + 1;
    print->crc = (uint32_t)crc32(print->crc, (const Bytef *)own, bytes);
    print->bytes += bytes;
}

void limits_print_write(const struct limits_print *print, char text[FLOORS_PRINT])
{
    snprintf(text, FLOORS_PRINT, "%08x%08x", print->crc, print->bytes);
}

static void add_parts(struct limits_print *print, const struct ignored_parts *parts)
{
    char text[64];
    snprintf(text, sizeof text, "%u,%u", parts->width, parts->height);
    limits_print_add(print, text);
    for (size_t i = 0; i < parts->count; i++) {
        const struct ignored_rect *rect = &parts->rect[i];
        snprintf(text, sizeof text, "%u,%u,%u,%u", rect->x, rect->y, rect->width, rect->height);
        limits_print_add(print, text);
    }
}

/* Adds what a rule is for. */
static void add_match(struct limits_print *print, const json_t *rules, size_t at,
                      const struct limits_rule *rule)
{
    limits_print_add(print, rule->match);
    limits_print_add(print,
                     json_string_value(json_object_get(json_array_get(rules, at), "frames")));
}

static void fingerprint_compare(const json_t *rules, struct limits_file *file)
{
    struct limits_print print = {0};
    char text[80];
    for (size_t i = 0; i < file->rules; i++) {
        const struct compare_rule *compare = &file->rule[i].compare;
        if (compare->as == COMPARE_BY_NAME && !compare->has_range) continue;
        add_match(&print, rules, i, &file->rule[i]);
        snprintf(text, sizeof text, "%d,%d,%.9g,%.9g", compare->as, compare->has_range,
                 compare->low, compare->high);
        limits_print_add(&print, text);
    }
    if (print.bytes > 0) limits_print_write(&print, file->compared);
}

void limits_ignore_fingerprint(const json_t *rules, struct limits_file *file)
{
    struct limits_print print = {0};
    fingerprint_compare(rules, file);
    for (size_t i = 0; i < file->rules; i++) {
        const struct limits_rule *rule = &file->rule[i];
        if (rule->ignore.count == 0 && !rule->mask_path) continue;
        add_match(&print, rules, i, rule);
        add_parts(&print, &rule->ignore);
        add_parts(&print, &rule->mask);
    }
    if (print.bytes > 0) limits_print_write(&print, file->ignored);
}
