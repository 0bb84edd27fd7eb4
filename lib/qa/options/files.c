#define _XOPEN_SOURCE 700 /* realpath */
#include "options/files.h"

#include "base/overwrite_guard.h"
#include "base/refuse.h"
#include "base/results.h"
#include "base/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Paths ----------------------------------------------------------------------------------- */

/* Returns the directory of a path, which the caller frees; NULL if memory runs out. */
static char *parent_of(const char *path)
{
    const size_t length = (size_t)(text_base(path) - path);
    return length > 0 ? strndup(path, length) : strdup(".");
}

/* Returns the absolute path of a name: its directory without links, and then the last name, which
 * may be a link or missing. The caller frees it; NULL if memory runs out. */
static char *place_of_name(const char *path)
{
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/') length--;
    char *trimmed = strndup(path, length), *parent = trimmed ? parent_of(trimmed) : NULL;
    char *real = parent ? realpath(parent, NULL) : NULL, *place = NULL;
    if (real)
        place = text_join(strcmp(real, "/") == 0 ? "" : real, "/", text_base(trimmed), "");
    else if (parent && errno != ENOMEM)
        place = strdup(trimmed); /* its directory does not exist either */
    free(trimmed), free(parent), free(real);
    return place;
}

/* Returns the absolute path without links, which the caller frees; NULL if memory runs out. The
 * file need not exist. */
static char *place_of(const char *path)
{
    char *real = realpath(path, NULL);
    return real || errno == ENOMEM ? real : place_of_name(path);
}

/* Returns the relative path from the directory of one absolute path to another. The caller frees
 * it; NULL if memory runs out. */
static char *way_between(const char *from, const char *to)
{
    static const char UP[] = "../";
    size_t same = 0, ups = 0;
    for (size_t i = 0; from[i] && from[i] == to[i]; i++)
        if (from[i] == '/') same = i + 1;
    for (const char *at = from + same; (at = strchr(at, '/')); at++) ups++;
    char *way = malloc(ups * strlen(UP) + strlen(to + same) + 1), *end = way;
    for (; way && ups > 0; ups--) end = stpcpy(end, UP);
    if (way) strcpy(end, to + same);
    return way;
}

char *files_way(const char *file, const char *directory, const char *name)
{
    char *from = place_of_name(file), *folder = place_of_name(directory);
    char *to = folder ? text_join(folder, "/", name, "") : NULL, *way = NULL;
    if (from && to) way = from[0] == '/' && to[0] == '/' ? way_between(from, to) : strdup(to);
    free(from), free(folder), free(to);
    return way;
}

static bool is_below(const char *inner, const char *outer)
{
    const size_t length = strlen(outer);
    return strncmp(inner, outer, length) == 0 && inner[length] == '/';
}

/* ---- The list -------------------------------------------------------------------------------- */

/* Adds one name of an option. */
static ssimcu_status add(struct files *files, const struct file *option, const char *name,
                         ssimcu_message *message)
{
    struct stat info;
    if (!results_grow(&files->file, files->count, &files->room, sizeof *files->file))
        return no_memory(message);
    struct file *file = &files->file[files->count];
    *file = *option;
    file->place = place_of(name);
    if (!file->place) return no_memory(message);
    file->exists = stat(name, &info) == 0 && (S_ISREG(info.st_mode) || S_ISDIR(info.st_mode));
    if (file->exists) file->device = info.st_dev, file->inode = info.st_ino;
    files->count++;
    return SSIMCU_OK;
}

/* Adds the path of an option. For results, also adds the names that the writer uses next to
 * them. */
static ssimcu_status add_option(struct files *files, const struct file *option,
                                ssimcu_message *message)
{
    static const char *const endings[] = {"", ".partial", ".resume", ".resume.tmp"};
    const bool results = option->use == FILE_RESULTS || option->use == FILE_RESUMED;
    for (int i = 0; i < (results ? 4 : 1); i++) {
        char *name = results_beside(option->path, endings[i]);
        ssimcu_status status = name ? add(files, option, name, message) : no_memory(message);
        free(name);
        TRY(status);
    }
    return SSIMCU_OK;
}

/* Adds an input file under the name that users know. */
static ssimcu_status add_input(struct files *files, const char *role, const char *path,
                               ssimcu_message *message)
{
    const struct file input = {.role = role, .path = path, .use = FILE_READ};
    return path && strcmp(path, "-") != 0 ? add(files, &input, path, message) : SSIMCU_OK;
}

static ssimcu_status add_inputs(struct files *files, const struct options *options,
                                ssimcu_message *message)
{
    const struct source_input *input = &options->input;
    const char *out = input->path[0] ? "OUT" : "FRAMES"; /* a check has no REF */
    const struct limits_file *limits = options->limits_read;
    TRY(add_input(files, "REF", input->path[0], message));
    TRY(add_input(files, out, input->path[1], message));
    for (uint32_t i = 1; i < options->run.outs; i++)
        TRY(add_input(files, out, options->run.out[i], message));
    for (uint32_t i = 0; i < options->run.variants; i++)
        TRY(add_input(files, "--or", options->run.variant[i], message));
    for (size_t i = 0; limits && i < limits->rules; i++)
        TRY(add_input(files, "ignore_mask", limits->rule[i].mask_path, message));
    for (size_t i = 0; limits && i < limits->learned.variants; i++) {
        TRY(add_input(files, "limits", limits->learned.variant[i].path, message));
        TRY(add_input(files, "learned limits", limits->learned.variant[i].learned.path, message));
    }
    for (uint32_t i = 0; i < options->run.merges; i++)
        TRY(add_input(files, "results", options->run.merge[i], message));
    return SSIMCU_OK;
}

ssimcu_status files_add(struct files *files, const struct options *options, bool pair,
                        ssimcu_message *message)
{
    if (files->count == 0) TRY(add_inputs(files, options, message));
    for (int i = 0; i < path_row_count; i++) {
        const struct path_row *row = &path_rows[i];
        const char *path = path_in(options, row);
        struct file option = {.role = row->name, .path = path, .use = row->use, .kind = row->kind};
        if (!path || (row->use == FILE_RESULTS && path == options->run.resume)) continue;
        option.directory = row->use == FILE_REPORT || (row->use == FILE_MAP && !pair);
        TRY(row->use == FILE_READ ? add_input(files, row->name, path, message)
                                  : add_option(files, &option, message));
    }
    return SSIMCU_OK;
}

void files_free(struct files *files)
{
    for (size_t i = 0; i < files->count; i++) free(files->file[i].place);
    free(files->file);
    *files = (struct files){0};
}

/* ---- Outputs and each other ------------------------------------------------------------------ */

static bool is_same(const struct file *a, const struct file *b)
{
    if (strcmp(a->place, b->place) == 0) return true;
    return a->exists && b->exists && a->device == b->device && a->inode == b->inode;
}

/* Returns whether two may be one file: two inputs, two names of one option, or results and the
 * results that they continue. */
static bool may_meet(const struct file *a, const struct file *b)
{
    const bool reads = a->use == FILE_READ && b->use == FILE_READ;
    const bool appends_in_place = (a->use == FILE_RESULTS && b->use == FILE_RESUMED) ||
                                  (a->use == FILE_RESUMED && b->use == FILE_RESULTS);
    return reads || appends_in_place || a->path == b->path;
}

/* Writes how an output, `a`, conflicts with another file of the run. */
static ssimcu_status clash(const struct file *a, const char *how, const struct file *b,
                           ssimcu_message *message)
{
    FAIL(ARGUMENT, "--%s %.200s: %s%s%s %.200s", a->role, a->path, how,
         b->use == FILE_READ ? "" : "--", b->role, b->path);
}

/* Checks a directory that the run fills against another file. A report replaces everything in its
 * directory, and maps choose their file names. */
static ssimcu_status check_directory(const struct file *directory, const struct file *other,
                                     ssimcu_message *message)
{
    const bool report = directory->use == FILE_REPORT;
    if (is_below(other->place, directory->place) &&
        (report || !strchr(other->place + strlen(directory->place) + 1, '/')))
        return clash(directory, "would contain ", other, message);
    if (report && is_below(directory->place, other->place))
        return clash(directory, "would lie in ", other, message);
    return SSIMCU_OK;
}

static ssimcu_status check_two(const struct file *a, const struct file *b, ssimcu_message *message)
{
    if (may_meet(a, b)) return SSIMCU_OK;
    if (a->use == FILE_READ) return check_two(b, a, message);
    if (is_same(a, b))
        return clash(a, b->use == FILE_READ ? "would overwrite an input, " : "is the same file as ",
                     b, message);
    if (a->directory) TRY(check_directory(a, b, message));
    return b->directory ? check_directory(b, a, message) : SSIMCU_OK;
}

static ssimcu_status check_each_other(const struct files *files, ssimcu_message *message)
{
    for (size_t a = 0; a < files->count; a++)
        for (size_t b = a + 1; b < files->count; b++)
            TRY(check_two(&files->file[a], &files->file[b], message));
    return SSIMCU_OK;
}

/* ---- Outputs and input frames ---------------------------------------------------------------- */

struct check {
    const struct files *files;
    bool maps; /* the run fills a directory with maps */
    ssimcu_status status;
    ssimcu_message *message;
};

static bool is_file(const struct file *file, const struct stat *info)
{
    return file->exists && file->device == info->st_dev && file->inode == info->st_ino;
}

/* Checks one frame, "-" for standard input, and its directory, because a map could have the frame's
 * name. Returns false to stop at the first conflict. */
static bool check_frame(void *user, const char *role, const char *path)
{
    struct check *check = user;
    struct stat info, folder;
    const bool standard = strcmp(path, "-") == 0;
    const bool exists = standard ? fstat(STDIN_FILENO, &info) == 0 : stat(path, &info) == 0;
    const bool needs_folder = check->maps && !standard;
    char *parent = needs_folder ? parent_of(path) : NULL;
    const bool in_folder = parent && stat(parent, &folder) == 0;
    if (needs_folder && !parent) check->status = no_memory(check->message);
    free(parent);
    for (size_t i = 0; i < check->files->count && check->status == SSIMCU_OK; i++) {
        const struct file *file = &check->files->file[i];
        if (file->use == FILE_READ) continue;
        const bool holds = file->use == FILE_MAP && file->directory && in_folder;
        if (exists && !file->directory && is_file(file, &info))
            check->status =
                refuse(check->message, "--%s %.200s: would overwrite an input, %s %.200s",
                       file->role, file->path, role, path);
        else if (holds && is_file(file, &folder))
            check->status =
                refuse(check->message,
                       "--map %.200s: contains an input, %s %.200s: expected another directory",
                       file->path, role, path);
    }
    return check->status == SSIMCU_OK;
}

/* ---- Outputs and existing files -------------------------------------------------------------- */

bool files_map_may_go(const char *path)
{
    return guard_allows(path, (const char *const[]){"\x89PNG\r\n\x1a\n", NULL}, false);
}

/* Checks the kind of each file to be replaced. Results to resume are checked when they are read. */
static ssimcu_status check_kinds(const struct files *files, ssimcu_message *message)
{
    for (size_t i = 0; i < files->count; i++) {
        const struct file *file = &files->file[i];
        const char *kind = NULL;
        if (file->kind && !guard_allows_kind(file->path, file->kind, false))
            kind = file->kind->name;
        if (file->use == FILE_MAP && !file->directory && !files_map_may_go(file->path))
            kind = "a PNG";
        if (kind)
            FAIL(WRITE, "%.300s exists and is not %s; it was not overwritten", file->path, kind);
    }
    return SSIMCU_OK;
}

ssimcu_status files_check(const struct files *files, const struct source *source,
                          const struct variants *variants, ssimcu_message *message)
{
    struct check check = {.files = files, .message = message};
    bool writes = false;
    for (size_t i = 0; i < files->count; i++) {
        const struct file *file = &files->file[i];
        writes = writes || file->use != FILE_READ;
        check.maps = check.maps || (file->use == FILE_MAP && file->directory);
    }
    if (!writes) return SSIMCU_OK; /* avoids visiting every frame of a directory */
    if (source) (void)source_visit_files(source, check_frame, &check);
    (void)variants_visit_files(variants, check_frame, &check);
    TRY(check.status);
    TRY(check_each_other(files, message));
    return check_kinds(files, message);
}
