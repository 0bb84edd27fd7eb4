#include "files.h"

#include "results/guard.h"
#include "results/junit.h"
#include "results/results.h"
#include "results/text.h"

#include "fail.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static ssimcu_status no_memory(ssimcu_message *message)
{
    return ssimcu_fail(message, SSIMCU_ERROR_MEMORY, "out of memory");
}

/* ---- Paths ----------------------------------------------------------------------------------- */

/* Returns the directory of a path, the caller's to free; NULL if memory runs out. */
static char *parent_of(const char *path)
{
    const size_t length = (size_t)(text_base(path) - path);
    return length > 0 ? strndup(path, length) : strdup(".");
}

/* Returns the absolute path without links, the caller's to free; NULL if memory runs out. The file
 * need not exist. */
static char *place_of(const char *path)
{
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/') length--;
    char *own = strndup(path, length), *parent = own ? parent_of(own) : NULL, *place = NULL;
    char *real = own ? realpath(own, NULL) : NULL;
    if (parent && !real && (real = realpath(parent, NULL))) {
        place = text_join(strcmp(real, "/") == 0 ? "" : real, "/", text_base(own), "");
        free(real);
    } else {
        place = real ? real : parent ? strdup(own) : NULL; /* not even its directory exists */
    }
    free(own), free(parent);
    return place;
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
    if (files->count == files->room) {
        const size_t room = files->room ? 2 * files->room : 16;
        struct file *grown = realloc(files->file, room * sizeof *grown);
        if (!grown) return no_memory(message);
        files->file = grown;
        files->room = room;
    }
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

ssimcu_status files_add(struct files *files, const struct options *options, bool pair,
                        ssimcu_message *message)
{
    ssimcu_status status = SSIMCU_OK;
    for (int i = 0; i < option_count() && status == SSIMCU_OK; i++) {
        const struct option_row *row = option_at(i);
        const char *path = option_path(options, row);
        struct file option = {.option = row->name, .path = path, .use = row->use};
        if (!path || (row->use == FILE_RESULTS && path == options->batch.resume)) continue;
        option.directory = row->use == FILE_REPORT || (row->use == FILE_MAP && !pair);
        status = add_option(files, &option, message);
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

/* Returns whether two names may be of one file: both are read, both belong to one option, or the
 * results are those that are resumed. */
static bool may_meet(const struct file *a, const struct file *b)
{
    const bool reads = a->use == FILE_READ && b->use == FILE_READ;
    const bool goes_on = (a->use == FILE_RESULTS && b->use == FILE_RESUMED) ||
                         (a->use == FILE_RESUMED && b->use == FILE_RESULTS);
    return reads || goes_on || a->path == b->path;
}

static ssimcu_status clash(const struct file *a, const struct file *b, const char *relation,
                           ssimcu_message *message)
{
    return ssimcu_fail(message, SSIMCU_ERROR_ARGUMENT, "--%s %.200s: %s --%s %.200s", a->option,
                       a->path, relation, b->option, b->path);
}

/* Checks a directory against another file. A report replaces everything in its directory, and maps
 * choose their own names. */
static ssimcu_status check_directory(const struct file *directory, const struct file *other,
                                     ssimcu_message *message)
{
    const bool report = directory->use == FILE_REPORT;
    if (is_below(other->place, directory->place) &&
        (report || !strchr(other->place + strlen(directory->place) + 1, '/')))
        return clash(directory, other, "would hold", message);
    if (report && is_below(directory->place, other->place))
        return clash(directory, other, "would lie in", message);
    return SSIMCU_OK;
}

static ssimcu_status check_two(const struct file *a, const struct file *b, ssimcu_message *message)
{
    if (may_meet(a, b)) return SSIMCU_OK;
    if (a->use == FILE_READ && is_same(a, b))
        return ssimcu_fail(message, SSIMCU_ERROR_ARGUMENT,
                           "--%s %.200s: would overwrite an input, the %s %.200s", b->option,
                           b->path, a->option, a->path);
    if (b->use == FILE_READ && is_same(a, b)) return check_two(b, a, message);
    if (is_same(a, b)) return clash(a, b, "is the same file as", message);
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

/* ---- Outputs and inputs ---------------------------------------------------------------------- */

struct check {
    const struct files *files;
    ssimcu_status status;
    ssimcu_message *message;
};

static bool holds(const struct file *directory, const struct stat *parent)
{
    return directory->exists && directory->device == parent->st_dev &&
           directory->inode == parent->st_ino;
}

/* Checks that this input is not in the directory of the maps, where a map could get its name.
 * Returns false if it is, or if memory runs out. */
static bool check_maps(struct check *check, const char *role, const char *path)
{
    const struct file *maps = NULL;
    struct stat info;
    for (size_t i = 0; i < check->files->count && !maps; i++) {
        const struct file *file = &check->files->file[i];
        if (file->use == FILE_MAP && file->directory && file->exists) maps = file;
    }
    if (!maps || strcmp(path, "-") == 0) return true;
    char *parent = parent_of(path);
    if (!parent)
        check->status = no_memory(check->message);
    else if (stat(parent, &info) == 0 && holds(maps, &info))
        check->status = ssimcu_fail(check->message, SSIMCU_ERROR_ARGUMENT,
                                    "--map %.200s: holds an input, %s %.200s: maps go elsewhere",
                                    maps->path, role, path);
    free(parent);
    return check->status == SSIMCU_OK;
}

/* Checks one file that is read, "-" for standard input. Returns false at the first clash. */
static bool check_input(void *user, const char *role, const char *path)
{
    struct check *check = user;
    struct stat info;
    const bool exists =
        strcmp(path, "-") == 0 ? fstat(STDIN_FILENO, &info) == 0 : stat(path, &info) == 0;
    for (size_t i = 0; i < check->files->count && exists && check->status == SSIMCU_OK; i++) {
        const struct file *file = &check->files->file[i];
        if (file->use != FILE_READ && !file->directory && file->exists &&
            file->device == info.st_dev && file->inode == info.st_ino)
            check->status = ssimcu_fail(check->message, SSIMCU_ERROR_ARGUMENT,
                                        "--%s %.200s: would overwrite an input, %s %.200s",
                                        file->option, file->path, role, path);
    }
    return check->status == SSIMCU_OK && check_maps(check, role, path);
}

/* Checks what the command line names as REF, OUT or results against the report's directory. */
static bool check_report(struct check *check, const char *role, const char *path)
{
    for (size_t i = 0; i < check->files->count && path && check->status == SSIMCU_OK; i++) {
        const struct file *file = &check->files->file[i];
        if (file->use != FILE_REPORT) continue;
        char *place = place_of(path);
        const char *relation = !place                            ? NULL
                               : strcmp(place, file->place) == 0 ? "is"
                               : is_below(place, file->place)    ? "would hold"
                               : is_below(file->place, place)    ? "would lie in"
                                                                 : NULL;
        if (!place) check->status = no_memory(check->message);
        if (relation)
            check->status =
                ssimcu_fail(check->message, SSIMCU_ERROR_ARGUMENT, "--report %.200s: %s %s, %.200s",
                            file->path, relation, role, path);
        free(place);
    }
    return check->status == SSIMCU_OK;
}

static ssimcu_status check_inputs(const struct files *files, const struct options *options,
                                  const struct source *source, ssimcu_message *message)
{
    static const char *const roles[] = {"REF", "OUT"};
    const struct source_input *input = &options->input;
    struct check check = {files, SSIMCU_OK, message};
    bool good = true;
    for (int side = 0; side < 2 && good; side++)
        good = check_report(&check, roles[side], input->path[side]);
    for (uint32_t i = 1; i < input->outs && good; i++)
        good = check_report(&check, roles[1], input->out[i]);
    for (int i = 0; i < options->file_count && good; i++)
        good = check_report(&check, "results", options->files[i]) &&
               check_input(&check, "results", options->files[i]);
    if (source) good = good && source_visit_files(source, check_input, &check);
    for (int side = 0; side < 2 && good && !source && options->file_count == 0; side++)
        good = check_input(&check, roles[side], input->path[side]);
    return check.status;
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
        if (file->use == FILE_JUNIT && !junit_may_go(file->path)) kind = "not JUnit XML";
        if (file->use == FILE_MAP && !file->directory && !files_map_may_go(file->path))
            kind = "not a PNG";
        if (file->use == FILE_RESULTS && !guard_allows_results(file->path, false))
            kind = "not a results file";
        if (kind)
            return ssimcu_fail(message, SSIMCU_ERROR_WRITE, "%.300s: is %s, and is left alone",
                               file->path, kind);
    }
    return SSIMCU_OK;
}

ssimcu_status files_check(const struct files *files, const struct options *options,
                          const struct source *source, ssimcu_message *message)
{
    if (files->count == 0) return SSIMCU_OK;
    ssimcu_status status = check_inputs(files, options, source, message);
    if (status == SSIMCU_OK) status = check_each_other(files, message);
    return status == SSIMCU_OK ? check_kinds(files, message) : status;
}
