/* Directories and trees of picture files. */
#define _POSIX_C_SOURCE 200809L

#include "sequence/collect.h"

#include "fail.h"
#include "image/foreign.h"
#include "image/formats.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

/* ---- Collecting ------------------------------------------------------------------------------ */

/* Returns a new "directory/name", or NULL if memory runs out. */
static char *join_path(const char *directory, const char *name)
{
    const size_t length = strlen(directory), size = length + strlen(name) + 2;
    char *path = malloc(size);
    const char *slash = length == 0 || directory[length - 1] == '/' ? "" : "/";
    if (path) snprintf(path, size, "%s%s%s", directory, slash, name);
    return path;
}

bool ssimcu_sequence_add(ssimcu_sequence *sequence, const char *directory, const char *name,
                         int64_t number)
{
    if ((sequence->count & (sequence->count - 1)) == 0) { /* capacity doubles at powers of two */
        const size_t room = sequence->count ? 2 * sequence->count : 1;
        struct ssimcu_sequence_file *grown = realloc(sequence->file, room * sizeof *sequence->file);
        if (!grown) return false;
        sequence->file = grown;
    }
    char *path = join_path(directory, name);
    if (!path) return false;
    sequence->file[sequence->count++] =
        (struct ssimcu_sequence_file){.path = path, .number = number};
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

static int by_part(const void *a, const void *b)
{
    const struct ssimcu_sequence_file *x = a, *y = b;
    const int order = strcmp(x->shot, y->shot);
    return order ? order : by_number(a, b);
}

static void sort(ssimcu_sequence *sequence)
{
    if (sequence->tree) {
        qsort(sequence->file, sequence->count, sizeof *sequence->file, by_part);
        return;
    }
    qsort(sequence->file, sequence->count, sizeof *sequence->file, by_number);
    sequence->numbered = sequence->file[0].number >= 0;
    for (size_t i = 1; i < sequence->count; i++)
        if (sequence->file[i].number == sequence->file[i - 1].number) sequence->numbered = false;
    if (!sequence->numbered)
        qsort(sequence->file, sequence->count, sizeof *sequence->file, by_path);
}

static void drop_first(ssimcu_sequence *sequence, size_t count)
{
    struct ssimcu_sequence_file *file = sequence->file;
    for (size_t i = 0; i < count; i++) free(file[i].path), free(file[i].shot);
    sequence->count -= count;
    if (count > 0) memmove(file, file + count, sequence->count * sizeof *file);
}

void ssimcu_sequence_free(ssimcu_sequence *sequence)
{
    drop_first(sequence, sequence->count);
    free(sequence->file);
    *sequence = (ssimcu_sequence){0};
}

static bool is_file(DIR *directory, const char *name)
{
    struct stat info;
    return fstatat(dirfd(directory), name, &info, 0) != 0 || S_ISREG(info.st_mode);
}

static ssimcu_status cannot_list(const char *path, ssimcu_message *message)
{
    if (errno == ENOMEM) return ssimcu_no_memory(message, "the names of files");
    FAIL(FILE, "%.300s: %s", path, strerror(errno));
}

ssimcu_status ssimcu_sequence_walk(const char *path, bool all,
                                   bool (*take)(const char *name, void *arg), void *arg,
                                   ssimcu_message *message)
{
    DIR *directory = opendir(path[0] ? path : ".");
    if (!directory) return cannot_list(path, message);
    ssimcu_status status = SSIMCU_OK;
    for (;;) {
        errno = 0;
        const struct dirent *entry = readdir(directory);
        if (!entry && errno != 0) status = cannot_list(path, message);
        if (!entry) break;
        if ((!all && !is_file(directory, entry->d_name)) || take(entry->d_name, arg)) continue;
        status = ssimcu_no_memory(message, "the names of files");
        break;
    }
    closedir(directory);
    return status;
}

ssimcu_status ssimcu_sequence_finish(ssimcu_sequence *sequence, ssimcu_status status,
                                     const char *name, ssimcu_message *message)
{
    if (status == SSIMCU_OK && sequence->count == 0)
        status = ssimcu_fail(message, SSIMCU_ERROR_FILE, "%.300s: no " SSIMCU_IMAGE_FORMATS " file",
                             name);
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
    const char *extension;
    for (size_t i = 0; (extension = ssimcu_image_extension(i)); i++)
        if (strcasecmp(dot, extension) == 0) return true;
    return false;
}

bool ssimcu_sequence_digits(const char *name, size_t *start, size_t *end)
{
    const char *dot = strrchr(name, '.');
    size_t at = dot ? (size_t)(dot - name) : strlen(name);
    while (at > 0 && (name[at - 1] < '0' || name[at - 1] > '9')) at--;
    *end = at;
    while (at > 0 && name[at - 1] >= '0' && name[at - 1] <= '9') at--;
    *start = at;
    return *end > at && *end - at <= SEQUENCE_MAX_DIGITS;
}

int64_t ssimcu_sequence_number(const char *path)
{
    size_t start, end;
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    return ssimcu_sequence_digits(name, &start, &end) ? strtoll(name + start, NULL, 10) : -1;
}

struct directory_walk {
    const char *path;
    ssimcu_sequence *sequence;
};

static bool take_picture(const char *name, void *arg)
{
    const struct directory_walk *here = arg;
    return !is_picture_name(name) ||
           ssimcu_sequence_add(here->sequence, here->path, name, ssimcu_sequence_number(name));
}

struct search {
    const char *path;
    bool directory;       /* the directory holds another directory */
    ssimcu_status status; /* UNSUPPORTED if the directory holds a file of an unsupported format,
                           * which `message` names */
    ssimcu_message *message;
};

static bool look_at(const char *name, void *arg)
{
    struct search *search = arg;
    struct stat info;
    if (name[0] == '.') return true;
    char *path = join_path(search->path, name);
    if (!path) return false;
    if (stat(path, &info) == 0 && S_ISDIR(info.st_mode)) search->directory = true;
    if (search->status == SSIMCU_OK)
        search->status = ssimcu_foreign_check_file(path, search->message);
    free(path);
    return true;
}

/* Explains why a directory has no pictures by naming its contents. */
static ssimcu_status explain(const char *path, ssimcu_message *message)
{
    struct search search = {.path = path, .message = message};
    TRY(ssimcu_sequence_walk(path, true, look_at, &search, message));
    TRY(search.status);
    FAIL(FILE, "%.300s: no " SSIMCU_IMAGE_FORMATS " file%s", path,
         search.directory ? ", but directories; --recursive walks them" : "");
}

ssimcu_status ssimcu_sequence_directory(const char *path, ssimcu_sequence *sequence,
                                        ssimcu_message *message)
{
    *sequence = (ssimcu_sequence){.listed = true};
    struct directory_walk here = {path, sequence};
    ssimcu_status status = ssimcu_sequence_walk(path, false, take_picture, &here, message);
    if (status == SSIMCU_OK && sequence->count == 0) status = explain(path, message);
    return ssimcu_sequence_finish(sequence, status, path, message);
}

/* ---- Trees ----------------------------------------------------------------------------------- */

struct tree {
    const char *shot; /* path of the walked directory relative to the root */
    const char *path; /* the same path with the root in front */
    ssimcu_sequence *sequence;
    char **shots; /* relative paths of all directories found so far, in the order of the walk */
    size_t count;
};

/* Takes ownership of `shot`; NULL means that its allocation failed. */
static bool add_shot(struct tree *tree, char *shot)
{
    char **grown = shot ? realloc(tree->shots, (tree->count + 1) * sizeof *grown) : NULL;
    if (grown)
        tree->shots = grown, grown[tree->count++] = shot;
    else
        free(shot);
    return grown != NULL;
}

static bool take_from_tree(const char *name, void *arg)
{
    struct tree *tree = arg;
    ssimcu_sequence *const sequence = tree->sequence;
    struct stat info;
    if (name[0] == '.') return true;
    char *path = join_path(tree->path, name);
    if (!path) return false;
    const bool is_directory = lstat(path, &info) == 0 && S_ISDIR(info.st_mode);
    const bool is_picture =
        is_picture_name(name) && stat(path, &info) == 0 && S_ISREG(info.st_mode);
    free(path);
    if (is_directory)
        return add_shot(tree,
                        strcmp(tree->shot, ".") == 0 ? strdup(name) : join_path(tree->shot, name));
    if (!is_picture) return true;
    return ssimcu_sequence_add(sequence, tree->path, name, ssimcu_sequence_number(name)) &&
           (sequence->file[sequence->count - 1].shot = strdup(tree->shot)) != NULL;
}

ssimcu_status ssimcu_sequence_tree(const char *path, ssimcu_sequence *sequence,
                                   ssimcu_message *message)
{
    *sequence = (ssimcu_sequence){.listed = true, .tree = true};
    struct tree tree = {.sequence = sequence};
    ssimcu_status status =
        add_shot(&tree, strdup(".")) ? SSIMCU_OK : ssimcu_no_memory(message, "the names of files");
    for (size_t i = 0; i < tree.count && status == SSIMCU_OK; i++) {
        char *here = i == 0 ? strdup(path) : join_path(path, tree.shots[i]);
        tree.shot = tree.shots[i];
        tree.path = here;
        status = here ? ssimcu_sequence_walk(here, true, take_from_tree, &tree, message)
                      : ssimcu_no_memory(message, "the names of files");
        free(here);
    }
    for (size_t i = 0; i < tree.count; i++) free(tree.shots[i]);
    free(tree.shots);
    return ssimcu_sequence_finish(sequence, status, path, message);
}

/* ---- Offsets --------------------------------------------------------------------------------- */

static void drop_before(ssimcu_sequence *sequence, int64_t number)
{
    size_t count = 0;
    while (count < sequence->count && sequence->file[count].number < number) count++;
    drop_first(sequence, count);
}

ssimcu_status ssimcu_sequence_offset(ssimcu_sequence *ref, ssimcu_sequence *out, int64_t offset,
                                     bool keep, ssimcu_message *message)
{
    const ssimcu_sequence *unnumbered = !ref->numbered ? ref : out;
    if (!ref->numbered || !out->numbered)
        FAIL(
            ARGUMENT,
            "--offset: expected a different number in each file's name, found names such as %.300s",
            unnumbered->file[0].path);
    out->by_number = true;
    for (size_t i = 0; i < out->count; i++) out->file[i].number -= offset;
    const int64_t ref_first = ref->file[0].number, out_first = out->file[0].number;
    drop_before(ref, keep ? 0 : out_first);
    drop_before(out, keep ? 0 : ref_first);
    if (ref->count > 0 && out->count > 0) return SSIMCU_OK;
    FAIL(MISMATCH, "--offset %lld: no frame of REF pairs with a frame of OUT", (long long)offset);
}
