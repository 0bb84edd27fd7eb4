/* Whether every OUT is as it was scored and may go where it is to go. Nothing is written here. */
#include "accept/accept.h"

#include "base/overwrite_guard.h"
#include "base/refuse.h"
#include "base/text.h"

#include "image/formats.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- OUT ------------------------------------------------------------------------------------- */

/* The files that are accepted, by which DIR must not hold one of them. */
struct outs {
    struct out_file {
        dev_t device;
        ino_t inode;
    } * file;
    size_t count;
};

static int by_inode(const void *a, const void *b)
{
    const struct out_file *x = a, *y = b;
    if (x->device != y->device) return x->device < y->device ? -1 : 1;
    return (x->inode > y->inode) - (x->inode < y->inode);
}

/* Returns whether the OUT is a picture and unchanged, and fills in which file it is. */
static bool check_out(struct accept *accept, const struct accept_file *file, struct out_file *is)
{
    struct stat info;
    if (file->is.bytes < 0)
        accept_unfit(accept, file, SSIMCU_ERROR_ARGUMENT, "%.300s: expected a file, found a pipe",
                     file->out);
    else if (stat(file->out, &info) != 0)
        accept_unfit(accept, file, SSIMCU_ERROR_FILE, "%.300s: %s", file->out, strerror(errno));
    else if (!accept_is(&file->is, &info))
        accept_unfit(accept, file, SSIMCU_ERROR_MISMATCH, "%.300s has changed since it was scored",
                     file->out);
    else if (!guard_picture(file->out))
        accept_unfit(accept, file, SSIMCU_ERROR_DATA, "%.300s: not a " SSIMCU_IMAGE_FORMATS " file",
                     file->out);
    else {
        *is = (struct out_file){info.st_dev, info.st_ino};
        return true;
    }
    return false;
}

static ssimcu_status check_outs(struct accept *accept, struct outs *outs, ssimcu_message *message)
{
    outs->file = calloc(accept->count + 1, sizeof *outs->file);
    if (!outs->file) return no_memory(message);
    for (size_t i = 0; i < accept->count; i++)
        outs->count += check_out(accept, &accept->file[i], &outs->file[outs->count]);
    qsort(outs->file, outs->count, sizeof *outs->file, by_inode);
    return SSIMCU_OK;
}

/* ---- What is in DIR -------------------------------------------------------------------------- */

/* Returns whether no directory between DIR and the file is a link, which could lead anywhere. */
static bool check_way(struct accept *accept, const struct accept_file *file)
{
    struct stat info;
    char *way = strdup(file->path), *slash = way ? way + strlen(accept->into) + 1 : NULL;
    bool good = way != NULL;
    while (good && (slash = strchr(slash, '/')) != NULL) {
        *slash = '\0';
        good = lstat(way, &info) != 0 || !S_ISLNK(info.st_mode);
        if (!good)
            accept_unfit(accept, file, SSIMCU_ERROR_WRITE,
                         "%.300s is a link, which accept does not follow", way);
        *slash++ = '/';
    }
    if (!way) accept_unfit(accept, file, SSIMCU_ERROR_MEMORY, "out of memory");
    free(way);
    return good;
}

/* Checks what would be replaced, and notes what it is. */
static void check_place(struct accept *accept, const struct outs *outs, struct accept_file *file)
{
    struct stat named, info;
    if (!check_way(accept, file)) return;
    if (lstat(file->path, &named) != 0) {
        if (errno != ENOENT)
            accept_unfit(accept, file, SSIMCU_ERROR_WRITE, "%.300s: %s", file->path,
                         strerror(errno));
        return;
    }
    if (stat(file->path, &info) != 0) return; /* a link to nothing is replaced */
    const struct out_file is = {named.st_dev, named.st_ino};
    const char *kind = guard_picture(file->out), *there = guard_picture(file->path);
    if (bsearch(&is, outs->file, outs->count, sizeof is, by_inode))
        accept_unfit(accept, file, SSIMCU_ERROR_ARGUMENT,
                     "%.300s is an OUT of these results: expected another directory for --into",
                     file->path);
    else if (!kind) /* it could be read a moment ago */
        accept_unfit(accept, file, SSIMCU_ERROR_FILE, "%.300s: cannot be read", file->out);
    else if (!S_ISREG(info.st_mode) || (info.st_size > 0 && (!there || strcmp(there, kind) != 0)))
        accept_unfit(accept, file, SSIMCU_ERROR_WRITE,
                     "%.300s exists and is not a %s file; it was not overwritten", file->path,
                     kind);
    else
        file->exists = true;
    file->mode = info.st_mode & 07777;
    file->was = (struct accept_content){info.st_size, info.st_mtim.tv_sec, info.st_mtim.tv_nsec, 0};
    file->linked = S_ISLNK(named.st_mode);
}

static size_t stem_length(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot ? (size_t)(dot - name) : strlen(name);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct ssimcu_sequence_file *)a)->path,
                  ((const struct ssimcu_sequence_file *)b)->path);
}

/* Finds a picture that has the file's name and another ending: no run could tell the two apart.
 * The pictures are sorted by their names. Returns NULL if there is none. */
static const char *find_namesake(const ssimcu_sequence *pictures, const char *name)
{
    const size_t length = stem_length(name);
    size_t low = 0, high = pictures->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (strncmp(text_base(pictures->file[middle].path), name, length + 1) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < pictures->count; low++) {
        const char *other = text_base(pictures->file[low].path);
        if (strncmp(other, name, length + 1) != 0) break;
        if (stem_length(other) == length && strcmp(other, name) != 0) return other;
    }
    return NULL;
}

/* Checks the names that are new in their directories. */
static ssimcu_status check_names(struct accept *accept, ssimcu_message *message)
{
    ssimcu_status status = SSIMCU_OK;
    ssimcu_sequence pictures = {0};
    char *last = NULL;
    for (size_t i = 0; i < accept->count && status != SSIMCU_ERROR_MEMORY; i++) {
        const struct accept_file *file = &accept->file[i];
        const size_t length = (size_t)(text_base(file->path) - file->path);
        if (file->exists) continue;
        if (!last || strlen(last) != length || strncmp(last, file->path, length) != 0) {
            free(last);
            ssimcu_sequence_free(&pictures);
            last = strndup(file->path, length);
            status = last ? ssimcu_sequence_directory(last, &pictures, NULL) : SSIMCU_ERROR_MEMORY;
            if (pictures.count > 0)
                qsort(pictures.file, pictures.count, sizeof *pictures.file, by_name);
        }
        const char *other = find_namesake(&pictures, text_base(file->path));
        if (other)
            accept_unfit(accept, file, SSIMCU_ERROR_MISMATCH,
                         "%.250s would have the same name as %.150s: remove that first", file->path,
                         other);
    }
    free(last);
    ssimcu_sequence_free(&pictures);
    return status == SSIMCU_ERROR_MEMORY ? no_memory(message) : SSIMCU_OK;
}

/* ---- Contents -------------------------------------------------------------------------------- */

/* Reads a file for its CRC. */
static ssimcu_status sum(const char *path, struct accept_content *content, ssimcu_message *message)
{
    bool writing;
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    const int error = fd < 0 ? errno : accept_sum(fd, -1, &content->crc, &writing);
    if (fd >= 0) (void)close(fd);
    if (error == ENOMEM) return no_memory(message);
    return error == 0 ? SSIMCU_OK : fail_errno(message, SSIMCU_ERROR_FILE, path, error);
}

/* Finds out what is replaced, and what is there already. */
static ssimcu_status compare(struct accept *accept, ssimcu_message *message)
{
    for (size_t i = 0; i < accept->count; i++) {
        struct accept_file *file = &accept->file[i];
        if (!file->exists) continue;
        TRY(sum(file->path, &file->was, message));
        if (file->linked || file->was.bytes != file->is.bytes) continue;
        TRY(sum(file->out, &file->is, message));
        file->there = file->is.crc == file->was.crc;
        accept->done.already += file->there;
    }
    return SSIMCU_OK;
}

ssimcu_status accept_check_into(const struct accept *accept, ssimcu_message *message)
{
    struct stat info;
    const bool exists = stat(accept->into, &info) == 0;
    if (exists ? S_ISDIR(info.st_mode) : !ssimcu_sequence_is_pattern(accept->into))
        return SSIMCU_OK;
    FAIL(ARGUMENT, "--into %.300s: expected a directory", accept->into);
}

ssimcu_status accept_check(struct accept *accept, ssimcu_message *message)
{
    struct outs outs = {0};
    ssimcu_status status = check_outs(accept, &outs, message);
    const bool fit = status == SSIMCU_OK && accept->unfit == 0;
    for (size_t i = 0; i < accept->count && fit; i++) check_place(accept, &outs, &accept->file[i]);
    free(outs.file);
    if (fit) status = check_names(accept, message);
    if (status != SSIMCU_OK) return status;
    if (accept->unfit == 0) return compare(accept, message);
    if (accept->unfit == 1)
        return ssimcu_fail(message, accept->status, "%.440s; nothing was replaced",
                           accept->why.text);
    return ssimcu_fail(message, accept->status,
                       "%.400s; %llu more cannot be accepted; nothing was replaced",
                       accept->why.text, (unsigned long long)accept->unfit - 1);
}
