#define _XOPEN_SOURCE 700 /* realpath */
#include "options/files.h"

#include "base/guard.h"
#include "base/refuse.h"
#include "base/results.h"
#include "base/text.h"
#include "floors/floors_file.h"
#include "lines/junit.h"
#include "report/note/note.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Paths ----------------------------------------------------------------------------------- */

/* Returns the directory of a path, the caller's to free; NULL if memory runs out. */
static char *parent_of(const char *path)
{
    const size_t length = (size_t)(text_base(path) - path);
    return length > 0 ? strndup(path, length) : strdup(".");
}

/* Returns the absolute path of a name: its directory without links, and then the last name, which
 * may be a link or not there. The caller frees it; NULL if memory runs out. */
static char *place_of_name(const char *path)
{
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/') length--;
    char *own = strndup(path, length), *parent = own ? parent_of(own) : NULL;
    char *real = parent ? realpath(parent, NULL) : NULL, *place = NULL;
    if (real)
        place = text_join(strcmp(real, "/") == 0 ? "" : real, "/", text_base(own), "");
    else if (parent && errno != ENOMEM)
        place = strdup(own); /* not even its directory exists */
    free(own), free(parent), free(real);
    return place;
}

/* Returns the absolute path without links, the caller's to free; NULL if memory runs out. The file
 * need not exist. */
static char *place_of(const char *path)
{
    char *real = realpath(path, NULL);
    return real || errno == ENOMEM ? real : place_of_name(path);
}

/* Returns the way from the directory of one absolute path to another, the caller's to free; NULL if
 * memory runs out. */
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

/* Adds the path of an option; of results, also the names that the writer uses beside them. */
static ssimcu_status add_option(struct files *files, const struct file *option,
                                ssimcu_message *message)
{
    static const char *const endings[] = {"", ".partial", ".resume", ".resume.tmp"};
    const bool results = option->use == FILE_RESULTS || option->use == FILE_RESUMED;
    ssimcu_status status = SSIMCU_OK;
    for (int i = 0; i < (results ? 4 : 1) && status == SSIMCU_OK; i++) {
        char *name = results_beside(option->path, endings[i]);
        status = name ? add(files, option, name, message) : no_memory(message);
        free(name);
    }
    return status;
}

/* Adds a file that is read, under the name by which people know it. */
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
    ssimcu_status status = add_input(files, "REF", input->path[0], message);
    if (status == SSIMCU_OK) status = add_input(files, out, input->path[1], message);
    for (uint32_t i = 1; i < input->outs && status == SSIMCU_OK; i++)
        status = add_input(files, out, input->out[i], message);
    for (uint32_t i = 0; i < options->run.variants && status == SSIMCU_OK; i++)
        status = add_input(files, "--or", options->run.variant[i], message);
    const struct limits_file *limits = options->limits_read;
    for (size_t i = 0; limits && i < limits->rules && status == SSIMCU_OK; i++)
        status = add_input(files, "ignore_mask", limits->rule[i].mask_path, message);
    for (size_t i = 0; limits && i < limits->floors.looks && status == SSIMCU_OK; i++) {
        status = add_input(files, "limits", limits->floors.look[i].path, message);
        if (status == SSIMCU_OK)
            status = add_input(files, "floors", limits->floors.look[i].floors.path, message);
    }
    for (uint32_t i = 0; i < options->run.merges && status == SSIMCU_OK; i++)
        status = add_input(files, "results", options->run.merge[i], message);
    return status;
}

ssimcu_status files_add(struct files *files, const struct options *options, bool pair,
                        ssimcu_message *message)
{
    ssimcu_status status = files->count == 0 ? add_inputs(files, options, message) : SSIMCU_OK;
    for (int i = 0; i < PATH_ROWS && status == SSIMCU_OK; i++) {
        const struct path_row *row = &path_rows[i];
        const char *path = path_in(options, row);
        struct file option = {.role = row->name, .path = path, .use = row->use};
        if (!path || (row->use == FILE_RESULTS && path == options->run.resume)) continue;
        option.directory = row->use == FILE_REPORT || (row->use == FILE_MAP && !pair);
        status = row->use == FILE_READ ? add_input(files, row->name, path, message)
                                       : add_option(files, &option, message);
    }
    return status;
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

/* Returns whether two may be one file: two inputs, two names of one option, and results and those
 * that they go on with. */
static bool may_meet(const struct file *a, const struct file *b)
{
    const bool reads = a->use == FILE_READ && b->use == FILE_READ;
    const bool goes_on = (a->use == FILE_RESULTS && b->use == FILE_RESUMED) ||
                         (a->use == FILE_RESUMED && b->use == FILE_RESULTS);
    return reads || goes_on || a->path == b->path;
}

/* Says how an output, `a`, meets another file of the run. */
static ssimcu_status clash(const struct file *a, const char *how, const struct file *b,
                           ssimcu_message *message)
{
    return refuse(message, "--%s %.200s: %s%s%s %.200s", a->role, a->path, how,
                  b->use == FILE_READ ? "" : "--", b->role, b->path);
}

/* Checks a directory that the run fills against another file. A report replaces all that lies in
 * its directory, and maps get names of their own choice in theirs. */
static ssimcu_status check_directory(const struct file *directory, const struct file *other,
                                     ssimcu_message *message)
{
    const bool report = directory->use == FILE_REPORT;
    if (is_below(other->place, directory->place) &&
        (report || !strchr(other->place + strlen(directory->place) + 1, '/')))
        return clash(directory, "would hold ", other, message);
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
    ssimcu_status status = a->directory ? check_directory(a, b, message) : SSIMCU_OK;
    if (status == SSIMCU_OK && b->directory) status = check_directory(b, a, message);
    return status;
}

static ssimcu_status check_each_other(const struct files *files, ssimcu_message *message)
{
    ssimcu_status status = SSIMCU_OK;
    for (size_t a = 0; a < files->count; a++)
        for (size_t b = a + 1; b < files->count && status == SSIMCU_OK; b++)
            status = check_two(&files->file[a], &files->file[b], message);
    return status;
}

/* ---- Outputs and the frames that are read ---------------------------------------------------- */

struct check {
    const struct files *files;
    bool maps; /* true: the run fills a directory with maps */
    ssimcu_status status;
    ssimcu_message *message;
};

static bool is_file(const struct file *file, const struct stat *info)
{
    return file->exists && file->device == info->st_dev && file->inode == info->st_ino;
}

/* Checks one frame, "-" for standard input, and the directory in which it lies, because a map could
 * get its name. Stops with false at the first clash. */
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
                refuse(check->message, "--map %.200s: holds an input, %s %.200s: maps go elsewhere",
                       file->path, role, path);
    }
    return check->status == SSIMCU_OK;
}

/* ---- Outputs and what is there --------------------------------------------------------------- */

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
        if (file->use == FILE_JUNIT && !guard_allows(file->path, junit_kind.starts, false))
            kind = "not JUnit XML";
        if (file->use == FILE_MARKDOWN && !guard_allows(file->path, note_kind.starts, false))
            kind = "not a note of ssimcu";
        if (file->use == FILE_MAP && !file->directory && !files_map_may_go(file->path))
            kind = "not a PNG";
        if (file->use == FILE_RESULTS && !files->own_results &&
            !guard_allows_results(file->path, false))
            kind = "not a results file";
        if (kind)
            return ssimcu_fail(message, SSIMCU_ERROR_WRITE, "%.300s: is %s, and is left alone",
                               file->path, kind);
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
    if (!writes) return SSIMCU_OK; /* spares looking at every frame of a directory */
    if (source) (void)source_visit_files(source, check_frame, &check);
    (void)variants_visit_files(variants, check_frame, &check);
    if (check.status == SSIMCU_OK) check.status = check_each_other(files, message);
    return check.status == SSIMCU_OK ? check_kinds(files, message) : check.status;
}
