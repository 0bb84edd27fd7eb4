#include "limits/limits_read.h"

#include "base/json.h"
#include "base/results.h"

#include "fail.h"
#include "sample_size.h"
#include "ssimcu_io.h"

#include <string.h>
#include <zlib.h>

enum { MOST_PIXELS = 1 << 24 /* largest side of a frame */ };

static bool add(struct ignored_areas *areas, struct ignored_rect rect)
{
    if (!results_grow(&areas->rect, areas->count, &areas->room, sizeof rect)) return false;
    areas->rect[areas->count++] = rect;
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

ssimcu_status limits_ignore_take(const json_t *list, struct ignored_areas *areas)
{
    if (json_array_size(list) == 0) return SSIMCU_ERROR_DATA;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *numbers = json_array_get(list, i);
        struct ignored_rect rect;
        if (json_array_size(numbers) != 4 || !take_number(numbers, 0, 0, &rect.x) ||
            !take_number(numbers, 1, 0, &rect.y) || !take_number(numbers, 2, 1, &rect.width) ||
            !take_number(numbers, 3, 1, &rect.height))
            return SSIMCU_ERROR_DATA;
        if (!add(areas, rect)) return SSIMCU_ERROR_MEMORY;
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

/* Adds the runs of non-black pixels of row y. */
static bool add_row(const uint8_t *row, size_t pixel, uint32_t y, struct ignored_areas *areas)
{
    for (uint32_t x = 0; x < areas->width;) {
        const uint32_t from = x;
        const bool black = is_black(row + x * pixel, pixel);
        while (x < areas->width && is_black(row + x * pixel, pixel) == black) x++;
        if (!black && !add(areas, (struct ignored_rect){from, y, x - from, 1})) return false;
    }
    return true;
}

/* Joins the last runs with those of the rows before, from `band` to `last`, if they are equal.
 * Returns the beginning of the band with the last row. */
static size_t join(struct ignored_areas *areas, size_t band, size_t last)
{
    const size_t count = areas->count - last;
    bool same = last - band == count;
    for (size_t i = 0; i < count && same; i++)
        same = areas->rect[band + i].x == areas->rect[last + i].x &&
               areas->rect[band + i].width == areas->rect[last + i].width;
    if (!same) return last;
    for (size_t i = 0; i < count; i++) areas->rect[band + i].height++;
    areas->count = last;
    return band;
}

static bool take_mask(const ssimcu_frame *mask, struct ignored_areas *areas)
{
    const size_t pixel = mask->channels * ssimcu_sample_size(mask->bits);
    size_t band = 0;
    areas->width = mask->width;
    areas->height = mask->height;
    for (uint32_t y = 0; y < mask->height; y++) {
        const size_t last = areas->count;
        if (!add_row((const uint8_t *)mask->data + y * mask->pitch, pixel, y, areas)) return false;
        band = join(areas, band, last);
    }
    return true;
}

ssimcu_status limits_ignore_read(const char *path, struct ignored_areas *areas,
                                 ssimcu_message *message)
{
    ssimcu_frame mask = {0};
    ssimcu_status status = ssimcu_image_read(path, NULL, &mask, message);
    if (status != SSIMCU_OK) return status;
    if (mask.channels % 2 == 0)
        status = ssimcu_fail(message, SSIMCU_ERROR_UNSUPPORTED, "%.300s: has alpha", path);
    else if (!take_mask(&mask, areas))
        status = ssimcu_no_memory(message, "the mask");
    ssimcu_frame_free(&mask);
    return status;
}

/* ---- The fingerprint ------------------------------------------------------------------------- */

void limits_print_add(struct limits_print *print, const char *text)
{
    const char *added = text ? text : "";
    const uint32_t bytes = (uint32_t)strlen(added) + 1;
    print->crc = (uint32_t)crc32(print->crc, (const Bytef *)added, bytes);
    print->bytes += bytes;
}

void limits_print_write(const struct limits_print *print, char text[LEARNED_PRINT])
{
    snprintf(text, LEARNED_PRINT, "%08x%08x", print->crc, print->bytes);
}

static void add_parts(struct limits_print *print, const struct ignored_areas *areas)
{
    char text[64];
    snprintf(text, sizeof text, "%u,%u", areas->width, areas->height);
    limits_print_add(print, text);
    for (size_t i = 0; i < areas->count; i++) {
        const struct ignored_rect *rect = &areas->rect[i];
        snprintf(text, sizeof text, "%u,%u,%u,%u", rect->x, rect->y, rect->width, rect->height);
        limits_print_add(print, text);
    }
}

/* Adds the frames that a rule matches. */
static void add_match(struct limits_print *print, const json_t *rules, size_t at,
                      const struct limits_rule *rule)
{
    limits_print_add(print, rule->match);
    limits_print_add(print, json_text(json_array_get(rules, at), "frames"));
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
