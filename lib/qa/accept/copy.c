/* Files get their new content. All copies are made before the first name is given, so that a full
 * disk or a file that changes leaves every reference as it was. */
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

/* Sees to it that the names in a directory are on the disk, if its file system can. */
static void sync_directory(const char *path)
{
    const int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return;
    (void)fsync(fd);
    (void)close(fd);
}

/* Makes DIR, and the directories in it that the file needs. */
static ssimcu_status make_directories(const struct accept *accept, struct accept_file *file,
                                      ssimcu_message *message)
{
    int error = 0;
    for (char *slash = file->path + strlen(accept->into); slash && error == 0;
         slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(file->path, 0777) != 0 && errno != EEXIST) error = errno;
        *slash = '/';
    }
    return error == 0 ? SSIMCU_OK : atomic_file_cannot(file->path, error, message);
}

/* Copies an OUT that is open to a file that is open, and checks that it is the one that was
 * scored. */
static ssimcu_status copy_open(struct accept_file *file, int from, ssimcu_message *message)
{
    const int to = fileno(file->draft.file);
    bool writing = false;
    struct stat info;
    const int error = accept_sum(from, to, &file->is.crc, &writing);
    if (error != 0 && !writing && error != ENOMEM)
        return fail_errno(message, SSIMCU_ERROR_FILE, file->out, error);
    if (error != 0) return atomic_file_cannot(file->draft.name, error, message);
    if (fstat(from, &info) != 0 || !accept_is(&file->is, &info) ||
        lseek(to, 0, SEEK_END) != (off_t)file->is.bytes)
        FAIL(MISMATCH, "%.300s has changed since it was scored; nothing was replaced", file->out);
    if (file->exists) (void)fchmod(to, file->mode & 0777); /* a file system may have none */
    return atomic_file_finish(&file->draft, 0, message);
}

static bool begins(const char *bytes, size_t length)
{
    return ssimcu_image_kind(bytes, length) != NULL;
}

/* Returns the name of a copy beside what it replaces, which no run takes for a frame; the draft's
 * to free. NULL if memory runs out. */
static char *copy_name(const struct accept_file *file)
{
    const char *base = text_base(file->path);
    char *directory = strndup(file->path, (size_t)(base - file->path));
    char *name = directory ? text_join(directory, ".", base, ".accept") : NULL;
    free(directory);
    return name;
}

/* Returns whether what has the copy's name may go: it is a beginning of OUT, so that nothing is
 * lost with it. A picture of somebody else is none. */
static bool may_replace(const char *name, int from)
{
    enum { CHUNK = 1 << 14 };
    char left[CHUNK], out[CHUNK];
    const int fd = open(name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    bool same = fd >= 0;
    if (fd < 0) return errno == ENOENT;
    ssize_t got = 1;
    for (off_t at = 0; same && got > 0; at += got) {
        got = pread(fd, left, sizeof left, at);
        same = got >= 0 && pread(from, out, sizeof out, at) >= got &&
               memcmp(left, out, (size_t)got) == 0;
    }
    (void)close(fd);
    return same;
}

static ssimcu_status open_copy(struct accept_file *file, int from, ssimcu_message *message)
{
    static const struct atomic_file_kind kind = {.name = "a copy of accept", .begins = begins};
    char *name = copy_name(file);
    if (!name || may_replace(name, from))
        return atomic_file_open(&file->draft, file->path, name, &kind, ATOMIC_FILE_REPLACE,
                                message);
    const ssimcu_status status = guard_refuse(name, kind.name, message);
    free(name);
    return status;
}

static ssimcu_status copy(struct accept *accept, struct accept_file *file, ssimcu_message *message)
{
    TRY(make_directories(accept, file, message));
    const int from = open(file->out, O_RDONLY | O_CLOEXEC);
    if (from < 0) return fail_errno(message, SSIMCU_ERROR_FILE, file->out, errno);
    ssimcu_status status = open_copy(file, from, message);
    if (status == SSIMCU_OK) status = copy_open(file, from, message);
    atomic_file_rest(&file->draft); /* DIR's lock is that of all copies */
    (void)close(from);
    return status;
}

/* Gives a copy its name, which its line in the log precedes. */
static ssimcu_status give_name(struct accept *accept, struct accept_file *file,
                               ssimcu_message *message)
{
    TRY(accept_log_add(accept, file, message));
    TRY(atomic_file_give_name(&file->draft, message));
    file->named = true;
    accept_done(accept, file);
    return SSIMCU_OK;
}

static ssimcu_status give_names(struct accept *accept, ssimcu_message *message)
{
    ssimcu_status status = SSIMCU_OK;
    for (size_t i = 0; i < accept->count && status == SSIMCU_OK; i++) {
        struct accept_file *file = &accept->file[i];
        if (!file->there) status = give_name(accept, file, message);
    }
    for (size_t i = 0; i < accept->count; i++) {
        struct accept_file *file = &accept->file[i];
        char *base = (char *)(uintptr_t)text_base(file->path);
        if (!file->named) continue;
        *base = '\0'; /* the name has had its use */
        if (i == 0 || strcmp(file->path, accept->file[i - 1].path) != 0) sync_directory(file->path);
    }
    return status;
}

ssimcu_status accept_copy(struct accept *accept, ssimcu_message *message)
{
    if (accept->done.already == accept->count) return SSIMCU_OK;
    TRY(accept_log_begin(accept, message));
    for (size_t i = 0; i < accept->count; i++)
        if (!accept->file[i].there) TRY(copy(accept, &accept->file[i], message));
    sync_directory(accept->into); /* a new log is there before its lines */
    return give_names(accept, message);
}
