#define _POSIX_C_SOURCE 200809L /* strndup */
#include "sequence/sequence.h"

#include "fail.h"

#include <stdlib.h>
#include <string.h>

static int by_number(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static bool parse_number(const char **text, int64_t *number)
{
    const char *digit = *text;
    *number = 0;
    for (; *digit >= '0' && *digit <= '9'; digit++) {
        *number = *number * 10 + (*digit - '0');
        if (*number > INT32_MAX) return false;
    }
    const bool any = digit != *text;
    *text = digit;
    return any;
}

enum { OPEN = -1 /* instead of a last number */ };

/* Parses "5", "1-9", "1-9x2", "5-" or "5-x2". */
static bool parse_range(const char **text, int64_t *first, int64_t *last, int64_t *step)
{
    if (!parse_number(text, first)) return false;
    *last = *first;
    *step = 1;
    if (**text != '-') return true;
    ++*text;
    if (**text == 'x' || **text == ',' || **text == '\0')
        *last = OPEN;
    else if (!parse_number(text, last) || *last < *first)
        return false;
    if (**text != 'x') return true;
    ++*text;
    return parse_number(text, step) && *step > 0;
}

static ssimcu_status not_last(ssimcu_message *message)
{
    FAIL(ARGUMENT, "a range without an end only as the last one");
}

static ssimcu_status add_range(ssimcu_ranges *ranges, int64_t first, int64_t last, int64_t step,
                               ssimcu_message *message)
{
    const size_t more = (size_t)((last - first) / step) + 1;
    if (more > SSIMCU_MAX_FRAMES - ranges->count)
        FAIL(LIMIT, "at most %d frames", SSIMCU_MAX_FRAMES);
    int64_t *grown = realloc(ranges->number, (ranges->count + more) * sizeof *grown);
    if (!grown) return ssimcu_no_memory(message, NULL);
    ranges->number = grown;
    for (int64_t n = first; n <= last; n += step) ranges->number[ranges->count++] = n;
    return SSIMCU_OK;
}

/* Adds a range without an end, which comes after all others. */
static ssimcu_status add_open(ssimcu_ranges *ranges, int64_t first, int64_t step,
                              ssimcu_message *message)
{
    const int64_t room = SSIMCU_MAX_FRAMES - (int64_t)ranges->count;
    const int64_t more = room > 1 ? room - 1 : 1;
    for (size_t i = 0; i < ranges->count; i++)
        if (ranges->number[i] >= first) return not_last(message);
    ranges->open = (size_t)more;
    return add_range(ranges, first, first + step * more, step, message);
}

static void sort_and_drop_doubles(ssimcu_ranges *ranges)
{
    size_t kept = 0;
    if (ranges->count == 0) return;
    qsort(ranges->number, ranges->count, sizeof *ranges->number, by_number);
    for (size_t i = 0; i < ranges->count; i++)
        if (kept == 0 || ranges->number[i] != ranges->number[kept - 1])
            ranges->number[kept++] = ranges->number[i];
    ranges->count = kept;
}

ssimcu_status ssimcu_ranges_parse(const char *text, ssimcu_ranges *ranges, ssimcu_message *message)
{
    const char *slash = strrchr(text, '/');
    *ranges = (ssimcu_ranges){0};
    ssimcu_status status = SSIMCU_OK;
    if (slash && !(ranges->shot = strndup(text, (size_t)(slash - text))))
        return ssimcu_no_memory(message, NULL);
    for (text = slash ? slash + 1 : text;;) {
        int64_t first, last, step;
        if (!parse_range(&text, &first, &last, &step) || (*text != ',' && *text != '\0'))
            status = ssimcu_fail(message, SSIMCU_ERROR_ARGUMENT,
                                 *text == ':' ? "a step such as 1-100x2 or 0-x2, without a colon"
                                              : "frames such as 1-100x2,120 or 100-");
        else if (ranges->open > 0)
            status = not_last(message);
        else if (last == OPEN)
            status = add_open(ranges, first, step, message);
        else
            status = add_range(ranges, first, last, step, message);
        if (status != SSIMCU_OK || *text == '\0') break;
        text++;
    }
    if (status == SSIMCU_OK)
        sort_and_drop_doubles(ranges);
    else
        ssimcu_ranges_free(ranges);
    return status;
}

void ssimcu_ranges_free(ssimcu_ranges *ranges)
{
    free(ranges->number);
    free(ranges->shot);
    *ranges = (ssimcu_ranges){0};
}

ssimcu_status ssimcu_ranges_shift(const ssimcu_ranges *ranges, int64_t offset,
                                  ssimcu_ranges *shifted, ssimcu_message *message)
{
    *shifted = (ssimcu_ranges){.number = malloc((ranges->count + 1) * sizeof *shifted->number)};
    if (!shifted->number) return ssimcu_no_memory(message, "the frames");
    for (size_t i = 0; i < ranges->count; i++)
        if (ranges->number[i] + offset >= 0)
            shifted->number[shifted->count++] = ranges->number[i] + offset;
    shifted->open = ranges->open < shifted->count ? ranges->open : shifted->count;
    return SSIMCU_OK;
}

size_t ssimcu_ranges_until(const ssimcu_ranges *ranges, int64_t end)
{
    size_t count = ranges->count - ranges->open;
    while (count < ranges->count && ranges->number[count] < end) count++;
    return count;
}

const int64_t *ssimcu_ranges_find(const ssimcu_ranges *ranges, int64_t number)
{
    return ranges->count == 0
               ? NULL
               : bsearch(&number, ranges->number, ranges->count, sizeof *ranges->number, by_number);
}

bool ssimcu_ranges_hold(const ssimcu_ranges *ranges, int64_t number)
{
    if (ranges->open == 0) return ssimcu_ranges_find(ranges, number) != NULL;
    const int64_t *const last = &ranges->number[ranges->count - 1];
    return number > *last ? (number - *last) % (*last - last[-1]) == 0
                          : ssimcu_ranges_find(ranges, number) != NULL;
}
