/* Patterns: file names with a placeholder for a number. */
#define _POSIX_C_SOURCE 200809L

#include "sequence/collect.h"

#include "fail.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct pattern {
    const char *text;
    size_t start, end; /* position of the placeholder in `text`, with the frames before it */
    size_t frames;     /* length of these, such as "1001-1010" of "1001-1010#"; 0: none */
    int digits;        /* minimum number of digits */
};

/* Returns the length of a run of a character. */
static size_t run_of(const char *text, char character)
{
    size_t length = 0;
    while (text[length] == character) length++;
    return length;
}

/* Reads digits at *end, and moves past them. Returns their number, or a larger one than is
 * allowed. */
static int take_digits(const char *text, size_t *end)
{
    int digits = 0;
    while (text[*end] >= '0' && text[*end] <= '9' && digits <= SEQUENCE_MAX_DIGITS)
        digits = digits * 10 + (text[(*end)++] - '0');
    return digits;
}

/* Finds the end of a placeholder: %d, %04d, a run of #, at least two @, $F or $F4. A single @ is
 * part of names such as icon@2x. Returns 0 if there is none at `at`. */
static size_t place_end(const char *text, size_t at, int *digits)
{
    size_t end = at;
    if (text[at] == '#' || (text[at] == '@' && text[at + 1] == '@')) {
        end += run_of(text + at, text[at]);
        *digits = end - at <= SEQUENCE_MAX_DIGITS ? (int)(end - at) : SEQUENCE_MAX_DIGITS + 1;
    } else if (text[at] == '%') {
        end = at + 1;
        *digits = take_digits(text, &end);
        if (text[end++] != 'd') return 0;
    } else if (text[at] == '$' && text[at + 1] == 'F') {
        end = at + 2;
        *digits = take_digits(text, &end);
    }
    return end > at ? end : 0;
}

/* Returns how many bytes before the placeholder are frames, such as "1001-1010x2". They follow a
 * dot or begin the name. */
static size_t frames_before(const char *text, size_t place)
{
    size_t first = place;
    while (first > 0 && strchr("0123456789,-x", text[first - 1])) first--;
    const bool begins = first == 0 || text[first - 1] == '.' || text[first - 1] == '/';
    const bool range = memchr(text + first, '-', place - first) != NULL;
    const bool ends = place > first && text[place - 1] >= '0' && text[place - 1] <= '9';
    return begins && range && ends ? place - first : 0;
}

static bool find_place(const char *text, size_t from, struct pattern *pattern)
{
    for (size_t i = from; text[i]; i++) {
        int digits = 0;
        const size_t end = place_end(text, i, &digits);
        if (end == 0) continue;
        const size_t frames = frames_before(text, i);
        if (frames > 0 && end - i == 1) digits = 4; /* what # after frames means elsewhere */
        *pattern = (struct pattern){text, i - frames, end, frames, digits};
        return digits <= SEQUENCE_MAX_DIGITS;
    }
    return false;
}

bool ssimcu_sequence_is_pattern(const char *path)
{
    struct pattern pattern;
    return find_place(path, 0, &pattern);
}

/* Returns the number in a file's name; -1 if the name does not match the pattern after its last
 * slash. */
static int64_t number_of(const struct pattern *pattern, size_t base, const char *name)
{
    const size_t before = pattern->start - base;
    const char *after = pattern->text + pattern->end;
    if (strncmp(name, pattern->text + base, before) != 0) return -1;
    const char *digit = name + before;
    int digits = 0;
    while (digit[digits] >= '0' && digit[digits] <= '9') digits++;
    const bool padded = digit[0] == '0' && digits > pattern->digits && digits > 1;
    if (digits == 0 || digits < pattern->digits || digits > SEQUENCE_MAX_DIGITS || padded)
        return -1;
    return strcmp(digit + digits, after) == 0 ? strtoll(digit, NULL, 10) : -1;
}

struct pattern_walk {
    const struct pattern *pattern;
    size_t base; /* start of the file's name in the pattern, after the directory */
    const char *directory;
    ssimcu_sequence *sequence;
};

static bool take_match(const char *name, void *arg)
{
    const struct pattern_walk *here = arg;
    const int64_t number = number_of(here->pattern, here->base, name);
    return number < 0 || ssimcu_sequence_add(here->sequence, here->directory, name, number);
}

static ssimcu_status look_for_files(const struct pattern *pattern, ssimcu_sequence *sequence,
                                    ssimcu_message *message)
{
    const char *slash = strrchr(pattern->text, '/');
    const size_t base = slash ? (size_t)(slash - pattern->text) + 1 : 0;
    if (base > pattern->start)
        FAIL(ARGUMENT, "%.300s: a number in a directory's name needs --frames with an end",
             pattern->text);
    char *directory = strndup(pattern->text, base);
    if (!directory) return ssimcu_no_memory(message, "the names of files");
    struct pattern_walk here = {pattern, base, directory, sequence};
    const ssimcu_status status = ssimcu_sequence_walk(directory, false, take_match, &here, message);
    free(directory);
    return status;
}

static ssimcu_status expand(const struct pattern *pattern, const ssimcu_ranges *ranges,
                            ssimcu_sequence *sequence, ssimcu_message *message)
{
    const size_t size = strlen(pattern->text) + 2 * SEQUENCE_MAX_DIGITS + 1;
    char *name = malloc(size);
    bool good = name != NULL;
    for (size_t i = 0; good && i < ranges->count; i++) {
        snprintf(name, size, "%.*s%0*lld%s", (int)pattern->start, pattern->text,
                 pattern->digits > 0 ? pattern->digits : 1, (long long)ranges->number[i],
                 pattern->text + pattern->end);
        good = ssimcu_sequence_add(sequence, "", name, ranges->number[i]);
    }
    free(name);
    return good ? SSIMCU_OK : ssimcu_no_memory(message, "the names of files");
}

/* Collects the files of the pattern's own frames. */
static ssimcu_status expand_own(const struct pattern *pattern, const ssimcu_ranges *ranges,
                                ssimcu_sequence *sequence, ssimcu_message *message)
{
    ssimcu_ranges own = {0};
    ssimcu_message cause = {{0}};
    if (ranges)
        FAIL(ARGUMENT, "%.300s: has frames of its own, so --frames has none", pattern->text);
    char *text = strndup(pattern->text + pattern->start, pattern->frames);
    if (!text) return ssimcu_no_memory(message, "the names of files");
    ssimcu_status status = ssimcu_ranges_parse(text, &own, &cause);
    free(text);
    if (status != SSIMCU_OK)
        return ssimcu_fail(message, status, "%.300s: expected %s", pattern->text, cause.text);
    status = expand(pattern, &own, sequence, message);
    ssimcu_ranges_free(&own);
    return status;
}

ssimcu_status ssimcu_sequence_pattern(const char *text, const ssimcu_ranges *ranges,
                                      ssimcu_sequence *sequence, ssimcu_message *message)
{
    struct pattern pattern, second;
    *sequence = (ssimcu_sequence){0};
    if (!find_place(text, 0, &pattern) || find_place(text, pattern.end, &second))
        FAIL(ARGUMENT, "%.300s: expected one place for a number, such as %%04d or ####", text);
    const ssimcu_status status =
        pattern.frames > 0        ? expand_own(&pattern, ranges, sequence, message)
        : ranges && !ranges->open ? expand(&pattern, ranges, sequence, message)
                                  : look_for_files(&pattern, sequence, message);
    return ssimcu_sequence_finish(sequence, status, text, message);
}
