/* Names of picture files: what a directory holds, what a pattern stands for. */
#define _POSIX_C_SOURCE 200809L

#include "sequence/sequence.h"

#include "fail.h"
#include "image/codec.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

enum { MAX_DIGITS = 18 }; /* a number of so many fits in 64 bits */

static ssimcu_status no_memory(ssimcu_message *message)
{
    return ssimcu_fail(message, SSIMCU_ERROR_MEMORY, "out of memory for the names of files");
}

/* ---- Collecting ------------------------------------------------------------------------------ */

static bool add_file(ssimcu_sequence *sequence, const char *directory, const char *name,
                     int64_t number)
{
    if ((sequence->count & (sequence->count - 1)) == 0) { /* room doubles at powers of two */
        const size_t room = sequence->count ? 2 * sequence->count : 1;
        struct ssimcu_sequence_file *grown = realloc(sequence->file, room * sizeof *sequence->file);
        if (!grown) return false;
        sequence->file = grown;
    }
    const size_t size = strlen(directory) + strlen(name) + 2;
    char *path = malloc(size);
    if (!path) return false;
    const size_t length = strlen(directory);
    const char *slash = length == 0 || directory[length - 1] == '/' ? "" : "/";
    snprintf(path, size, "%s%s%s", directory, slash, name);
    sequence->file[sequence->count++] = (struct ssimcu_sequence_file){path, number};
    return true;
}

static int by_number(const void *a, const void *b)
{
    const struct ssimcu_sequence_file *x = a, *y = b;
    return x->number != y->number ? (x->number > y->number) - (x->number < y->number)
                                  : strcmp(x->path, y->path);
}

static int by_path(const void *a, const void *b)
{
    return strcmp(((const struct ssimcu_sequence_file *)a)->path,
                  ((const struct ssimcu_sequence_file *)b)->path);
}

static void sort(ssimcu_sequence *sequence)
{
    qsort(sequence->file, sequence->count, sizeof *sequence->file, by_number);
    sequence->numbered = sequence->file[0].number >= 0;
    for (size_t i = 1; i < sequence->count; i++)
        if (sequence->file[i].number == sequence->file[i - 1].number) sequence->numbered = false;
    if (!sequence->numbered)
        qsort(sequence->file, sequence->count, sizeof *sequence->file, by_path);
}

void ssimcu_sequence_free(ssimcu_sequence *sequence)
{
    for (size_t i = 0; i < sequence->count; i++) free(sequence->file[i].path);
    free(sequence->file);
    *sequence = (ssimcu_sequence){0};
}

/* A pipe in a directory would block whoever opens it. A name that leads nowhere stays: whether that
 * frame is missing is not for the list to say. */
static bool is_file(DIR *directory, const char *name)
{
    struct stat info;
    return fstatat(dirfd(directory), name, &info, 0) != 0 || S_ISREG(info.st_mode);
}

/* Calls take(name) for each file in a directory. */
static ssimcu_status walk(const char *path, bool (*take)(const char *name, void *arg), void *arg,
                          ssimcu_message *message)
{
    DIR *directory = opendir(path[0] ? path : ".");
    if (!directory)
        return ssimcu_fail(message, SSIMCU_ERROR_FILE, "%.300s: %s", path, strerror(errno));
    ssimcu_status status = SSIMCU_OK;
    for (;;) {
        errno = 0;
        const struct dirent *entry = readdir(directory);
        if (!entry && errno != 0)
            status = ssimcu_fail(message, SSIMCU_ERROR_FILE, "%.300s: %s", path, strerror(errno));
        if (!entry) break;
        if (!is_file(directory, entry->d_name) || take(entry->d_name, arg)) continue;
        status = no_memory(message);
        break;
    }
    closedir(directory);
    return status;
}

/* Sorts what was collected; frees it where something was wrong. */
static ssimcu_status finish(ssimcu_sequence *sequence, ssimcu_status status, const char *name,
                            ssimcu_message *message)
{
    if (status == SSIMCU_OK && sequence->count == 0)
        status =
            ssimcu_fail(message, SSIMCU_ERROR_FILE, "%.300s: no " SSIMCU_CODEC_NAMES " file", name);
    if (status == SSIMCU_OK)
        sort(sequence);
    else
        ssimcu_sequence_free(sequence);
    return status;
}

/* ---- Directories ----------------------------------------------------------------------------- */

static bool is_picture_name(const char *name)
{
    const char *dot = strrchr(name, '.');
    if (name[0] == '.' || !dot) return false;
    for (const ssimcu_codec *const *codec = ssimcu_codecs; *codec; codec++)
        for (const char *const *extension = (*codec)->extension; *extension; extension++)
            if (strcasecmp(dot, *extension) == 0) return true;
    return false;
}

/* The last run of digits before the extension, -1 where there is none. */
static int64_t number_in(const char *name)
{
    const char *end = strrchr(name, '.');
    while (end > name && (end[-1] < '0' || end[-1] > '9')) end--;
    const char *start = end;
    while (start > name && start[-1] >= '0' && start[-1] <= '9') start--;
    if (start == end || end - start > MAX_DIGITS) return -1;
    return strtoll(start, NULL, 10);
}

struct directory_walk {
    const char *path;
    ssimcu_sequence *sequence;
};

static bool take_picture(const char *name, void *arg)
{
    const struct directory_walk *here = arg;
    return !is_picture_name(name) || add_file(here->sequence, here->path, name, number_in(name));
}

ssimcu_status ssimcu_sequence_directory(const char *path, ssimcu_sequence *sequence,
                                        ssimcu_message *message)
{
    *sequence = (ssimcu_sequence){.listed = true};
    struct directory_walk here = {path, sequence};
    return finish(sequence, walk(path, take_picture, &here, message), path, message);
}

/* ---- Patterns -------------------------------------------------------------------------------- */

struct pattern {
    const char *text;
    size_t start, end; /* the place of the number */
    int digits;        /* at least */
};

static bool find_place(const char *text, size_t from, struct pattern *pattern)
{
    for (size_t i = from; text[i]; i++) {
        size_t end = i;
        int digits = 0;
        if (text[i] == '#') {
            while (text[end] == '#') end++;
            digits = (int)(end - i);
        } else if (text[i] == '%') {
            end = i + 1;
            while (text[end] >= '0' && text[end] <= '9' && digits <= MAX_DIGITS)
                digits = digits * 10 + (text[end++] - '0');
            if (text[end++] != 'd') continue;
        } else {
            continue;
        }
        *pattern = (struct pattern){text, i, end, digits};
        return digits <= MAX_DIGITS;
    }
    return false;
}

bool ssimcu_sequence_is_pattern(const char *path)
{
    struct pattern pattern;
    return find_place(path, 0, &pattern);
}

/* The number in a name that the pattern's last part stands for, -1 where it is another name. */
static int64_t number_of(const struct pattern *pattern, size_t base, const char *name)
{
    const size_t before = pattern->start - base;
    const char *after = pattern->text + pattern->end;
    if (strncmp(name, pattern->text + base, before) != 0) return -1;
    const char *digit = name + before;
    int digits = 0;
    while (digit[digits] >= '0' && digit[digits] <= '9') digits++;
    const bool padded = digit[0] == '0' && digits > pattern->digits && digits > 1;
    if (digits == 0 || digits < pattern->digits || digits > MAX_DIGITS || padded) return -1;
    return strcmp(digit + digits, after) == 0 ? strtoll(digit, NULL, 10) : -1;
}

struct pattern_walk {
    const struct pattern *pattern;
    size_t base; /* where the name starts, behind the directory */
    const char *directory;
    ssimcu_sequence *sequence;
};

static bool take_match(const char *name, void *arg)
{
    const struct pattern_walk *here = arg;
    const int64_t number = number_of(here->pattern, here->base, name);
    return number < 0 || add_file(here->sequence, here->directory, name, number);
}

static ssimcu_status look_for_files(const struct pattern *pattern, ssimcu_sequence *sequence,
                                    ssimcu_message *message)
{
    const char *slash = strrchr(pattern->text, '/');
    const size_t base = slash ? (size_t)(slash - pattern->text) + 1 : 0;
    if (base > pattern->start)
        return ssimcu_fail(message, SSIMCU_ERROR_ARGUMENT,
                           "%.300s: a number in a directory's name needs --frames", pattern->text);
    char *directory = strndup(pattern->text, base);
    if (!directory) return no_memory(message);
    struct pattern_walk here = {pattern, base, directory, sequence};
    const ssimcu_status status = walk(directory, take_match, &here, message);
    free(directory);
    return status;
}

static ssimcu_status expand(const struct pattern *pattern, const ssimcu_ranges *ranges,
                            ssimcu_sequence *sequence, ssimcu_message *message)
{
    const size_t size = strlen(pattern->text) + 2 * MAX_DIGITS + 1;
    char *name = malloc(size);
    bool good = name != NULL;
    for (size_t i = 0; good && i < ranges->count; i++) {
        snprintf(name, size, "%.*s%0*lld%s", (int)pattern->start, pattern->text,
                 pattern->digits > 0 ? pattern->digits : 1, (long long)ranges->number[i],
                 pattern->text + pattern->end);
        good = add_file(sequence, "", name, ranges->number[i]);
    }
    free(name);
    return good ? SSIMCU_OK : no_memory(message);
}

ssimcu_status ssimcu_sequence_pattern(const char *text, const ssimcu_ranges *ranges,
                                      ssimcu_sequence *sequence, ssimcu_message *message)
{
    struct pattern pattern, second;
    *sequence = (ssimcu_sequence){0};
    if (!find_place(text, 0, &pattern) || find_place(text, pattern.end, &second))
        return ssimcu_fail(message, SSIMCU_ERROR_ARGUMENT,
                           "%.300s: expected one place for a number, such as %%04d or ####", text);
    const ssimcu_status status = ranges ? expand(&pattern, ranges, sequence, message)
                                        : look_for_files(&pattern, sequence, message);
    return finish(sequence, status, text, message);
}
