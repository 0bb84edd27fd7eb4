/* The paths of a check become files: pictures one by one, and videos. */
#include "source/noref_shots.h"

#include "base/refuse.h"
#include "base/results.h"
#include "base/text.h"
#include "source/kind.h"

#include "reader.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The files so far, and the input that names them. */
struct paths {
    struct noref_items *items;
    const struct source_input *input;
};

/* Returns the name of a picture's sequence: its path with # for the number. A name without a number
 * that has a # itself, such as "f.#.png", gets another one, so that no sequence has it. */
static char *name_sequence(const char *path)
{
    const char *base = text_base(path);
    char *name = strdup(path);
    size_t start, end;
    if (name && ssimcu_sequence_digits(base, &start, &end)) {
        char *const at = name + (base - path) + start;
        *at = '#';
        memmove(at + 1, at + (end - start), strlen(at + (end - start)) + 1);
    } else if (name && strchr(base, '#')) {
        free(name);
        name = text_join(path, " (no number)", "", "");
    }
    return name;
}

/* Adds an item, which owns the texts. */
static ssimcu_status add_item(const struct paths *paths, struct noref_item item,
                              ssimcu_message *message)
{
    struct noref_items *items = paths->items;
    const bool good = item.path && item.shot &&
                      results_grow(&items->item, items->count, &items->room, sizeof item);
    if (good) {
        items->item[items->count++] = item;
        return SSIMCU_OK;
    }
    free(item.path), free(item.shot), free(item.why);
    return no_memory(message);
}

/* Adds a path that could not be opened, and why. It is a finding. */
static ssimcu_status add_lost(const struct paths *paths, const char *path, const char *why,
                              ssimcu_message *message)
{
    struct noref_item item = {.path = strdup(path), .why = strdup(why), .number = -1};
    const char *dot = strrchr(text_base(path), '.');
    if (dot && !strchr(path, '%'))
        item.shot = name_sequence(path), item.number = ssimcu_sequence_number(path);
    if (!dot || strchr(path, '%')) item.shot = strdup(path); /* a directory or a pattern */
    if (item.why) return add_item(paths, item, message);
    free(item.path), free(item.shot);
    return no_memory(message);
}

/* Adds a picture that a directory, a pattern or a list names. If it was not requested, its sequence
 * is noted, which may then lack frames. */
static ssimcu_status add_picture(const struct paths *paths, const char *path,
                                 ssimcu_message *message)
{
    const ssimcu_ranges *frames = paths->input->frames;
    const int64_t number = ssimcu_sequence_number(path);
    const bool empty = frames && !ssimcu_ranges_hold(frames, number);
    if (empty && number < 0) return SSIMCU_OK; /* a picture without a number lacks none */
    struct noref_item item = {
        .shot = name_sequence(path), .number = empty ? -1 : number, .empty = empty};
    item.path = strdup(empty && item.shot ? item.shot : path);
    return add_item(paths, item, message);
}

static ssimcu_status add_file(const struct paths *paths, const char *path, enum form form,
                              bool named, ssimcu_message *message)
{
    const ssimcu_ranges *frames = paths->input->frames;
    if (form & (FORM_VIDEO | FORM_RAW)) {
        const struct noref_item item = {.path = strdup(path),
                                        .shot = strdup(path),
                                        .number = ssimcu_sequence_number(path),
                                        .video = true,
                                        .raw = form == FORM_RAW};
        return add_item(paths, item, message);
    }
    if (named && frames && !ssimcu_ranges_hold(frames, ssimcu_sequence_number(path)))
        FAIL(FILE, "%.300s: is not one of --frames", path);
    if (frames && ssimcu_sequence_number(path) < 0)
        return add_lost(paths, path, "has no number, so it is not one of --frames", message);
    return add_picture(paths, path, message);
}

static int by_sequence(const void *a, const void *b)
{
    const struct noref_item *x = a, *y = b;
    const int order = strcmp(x->shot, y->shot);
    return order ? order : (x->number > y->number) - (x->number < y->number);
}

static ssimcu_status add_files(const struct paths *paths, const struct source_input *one,
                               const enum form *form, ssimcu_message *message)
{
    struct noref_items *items = paths->items;
    ssimcu_sequence files = {0};
    const size_t first = items->count;
    ssimcu_message why = {{0}};
    ssimcu_status status = kind_list_files(one, form, 0, &files, &why);
    if (status == SSIMCU_ERROR_FILE || status == SSIMCU_ERROR_UNSUPPORTED)
        return add_lost(paths, one->path[1], text_behind(why.text, one->path[1]), message);
    if (status != SSIMCU_OK) return ssimcu_fail(message, status, "%s", why.text);
    for (size_t i = 0; i < files.count && status == SSIMCU_OK; i++)
        status = add_picture(paths, files.file[i].path, message);
    if (status == SSIMCU_OK && items->count == first) /* no picture has a number */
        status = add_lost(paths, one->path[1], "contains no frame of --frames", message);
    ssimcu_sequence_free(&files);
    if (status == SSIMCU_OK)
        qsort(items->item + first, items->count - first, sizeof *items->item, by_sequence);
    return status;
}

/* Adds everything that a path stands for. Pipes are refused, because threads could not seek in
 * them. A path that does not exist is a finding. */
static ssimcu_status add_path(const struct paths *paths, const char *path, bool named,
                              ssimcu_message *message)
{
    struct source_input one = *paths->input;
    enum form form[2];
    struct stat info;
    one.path[0] = one.path[1] = path;
    one.list = NULL, one.frames = NULL; /* frames that are not requested are dropped one by one */
    const bool there = stat(path, &info) == 0;
    const int error = errno;
    if (strcmp(path, "-") == 0 || (there && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode)))
        FAIL(ARGUMENT, "%.300s: expected a file or a directory", path);
    one.recursive = one.recursive && there && S_ISDIR(info.st_mode); /* files have nothing below */
    TRY(kind_forms(&one, form, message));
    if (form[0] & (FORM_DIRECTORY | FORM_PATTERN)) return add_files(paths, &one, form, message);
    if (!there) return add_lost(paths, path, strerror(error), message);
    return add_file(paths, path, form[0], named, message);
}

/* Adds the paths of a list, one per line. */
static ssimcu_status add_list(const struct paths *paths, const char *list, ssimcu_message *message)
{
    enum { MAX_LINE = 1 << 14 };
    ssimcu_reader *reader = NULL;
    char line[MAX_LINE];
    long length = 0;
    ssimcu_status status = ssimcu_reader_open(list, paths->input->stop, &reader, message);
    while (status == SSIMCU_OK) {
        status = ssimcu_reader_line(reader, line, sizeof line, &length, message);
        if (status != SSIMCU_OK || length < 0) break;
        if (length > 0 && line[length - 1] == '\r') line[--length] = '\0';
        if (length > 0) status = add_path(paths, line, false, message);
    }
    ssimcu_reader_close(&reader);
    return status;
}

ssimcu_status noref_add_paths(struct noref_items *items, const struct source_input *input,
                              ssimcu_message *message)
{
    const struct paths paths = {items, input};
    ssimcu_status status = SSIMCU_OK;
    size_t lost = 0;
    for (uint32_t i = 0; i < input->outs && status == SSIMCU_OK; i++)
        status = add_path(&paths, input->out[i], true, message);
    if (input->list && status == SSIMCU_OK) status = add_list(&paths, input->list, message);
    for (size_t i = 0; i < items->count; i++) lost += items->item[i].why != NULL;
    if (status != SSIMCU_OK || input->list || lost < items->count || lost == 0) return status;
    FAIL(FILE, "%.300s: %s", items->item[0].path, items->item[0].why); /* there is nothing at all */
}

void noref_items_free(struct noref_items *items)
{
    for (size_t i = 0; i < items->count; i++)
        free(items->item[i].path), free(items->item[i].shot), free(items->item[i].why);
    free(items->item);
    *items = (struct noref_items){0};
}
