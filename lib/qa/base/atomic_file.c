#include "base/atomic_file.h"

#include "base/overwrite_guard.h"
#include "base/refuse.h"
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    TRIES = 8,  /* how often a leftover may vanish or reappear meanwhile */
    WAITS = 100 /* milliseconds that another run may take to examine a new file */
};

ssimcu_status atomic_file_cannot(const char *path, int error, ssimcu_message *message)
{
    if (error == ENOMEM) return no_memory(message);
    return fail_errno(message, SSIMCU_ERROR_WRITE, path, error);
}

static const char BUSY[] = " is being written by another run";

ssimcu_status atomic_file_is_busy(const char *path, ssimcu_message *message)
{
    FAIL(WRITE, "%.300s%s", path, BUSY);
}

bool atomic_file_was_busy(const char *why) { return text_ends(why, BUSY); }

/* ---- Locks ----------------------------------------------------------------------------------- */

static bool is_named(const struct stat *file, const char *path)
{
    struct stat named;
    return lstat(path, &named) == 0 && named.st_dev == file->st_dev && named.st_ino == file->st_ino;
}

bool atomic_file_lock(int fd, const char *path)
{
    struct stat file;
    if (flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) return false;
    return fstat(fd, &file) == 0 && is_named(&file, path);
}

/* Locks a file that this run has just made. Another run may be checking whether it is a leftover,
 * and hold its lock for a moment. */
static bool lock_new(int fd, const char *path)
{
    const struct timespec millisecond = {0, 1000000};
    for (int i = 0; i < WAITS; i++) {
        if (flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) break;
        (void)nanosleep(&millisecond, NULL);
    }
    return atomic_file_lock(fd, path);
}

/* ---- Opening --------------------------------------------------------------------------------- */

/* Opens and locks the file at the temporary name. *fd is -1 if it has vanished. */
static ssimcu_status open_leftover(const struct atomic_file *draft,
                                   const struct atomic_file_kind *kind, bool go_on, int *fd,
                                   ssimcu_message *message)
{
    struct stat info;
    char start[ATOMIC_FILE_START];
    *fd = open(draft->name, (go_on ? O_RDWR : O_RDONLY) | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (*fd < 0 && errno == ENOENT) return SSIMCU_OK;
    if (*fd < 0 && errno != ELOOP) return atomic_file_cannot(draft->name, errno, message);
    if (*fd >= 0 && !atomic_file_lock(*fd, draft->name))
        return atomic_file_is_busy(draft->name, message);
    if (*fd >= 0 && fstat(*fd, &info) == 0 && S_ISREG(info.st_mode)) {
        const ssize_t got = pread(*fd, start, sizeof start, 0);
        if (go_on || got == 0 || (got > 0 && guard_is_kind(kind, start, (size_t)got, true)))
            return SSIMCU_OK;
    }
    return guard_refuse(draft->name, kind->name, message);
}

/* Makes way for a new file, or makes the leftover the new file, *fd. `leftover` stays open and
 * locked until the new file is locked, too. */
static ssimcu_status take_over(const struct atomic_file *draft, const struct atomic_file_kind *kind,
                               enum atomic_file_left left, int *leftover, int *fd,
                               ssimcu_message *message)
{
    if (*leftover >= 0) (void)close(*leftover);
    TRY(open_leftover(draft, kind, left == ATOMIC_FILE_GO_ON, leftover, message));
    if (*leftover < 0) return SSIMCU_OK;
    if (left == ATOMIC_FILE_REFUSE && lseek(*leftover, 0, SEEK_END) > 0) return SSIMCU_ERROR_WRITE;
    if (left == ATOMIC_FILE_GO_ON) {
        *fd = *leftover;
        *leftover = -1;
    } else if (unlink(draft->name) != 0 && errno != ENOENT) {
        return atomic_file_cannot(draft->name, errno, message);
    }
    return SSIMCU_OK;
}

/* Fails because the temporary name cannot be made. A missing directory is named by the user's path.
 */
static ssimcu_status cannot_make(const struct atomic_file *draft, int error,
                                 ssimcu_message *message)
{
    const char *slash = strrchr(draft->path, '/');
    if (error != ENOENT || !slash) return atomic_file_cannot(draft->name, error, message);
    FAIL(WRITE, "%.200s: cannot be written: there is no directory %.*s", draft->path,
         (int)(slash - draft->path), draft->path);
}

/* Opens and locks the file at the temporary name. */
static ssimcu_status open_locked(struct atomic_file *draft, const struct atomic_file_kind *kind,
                                 enum atomic_file_left left, int *fd, ssimcu_message *message)
{
    int leftover = -1;
    ssimcu_status status = SSIMCU_OK;
    for (int i = 0; i < TRIES && *fd < 0 && status == SSIMCU_OK; i++) {
        *fd = open(draft->name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        draft->made = *fd >= 0;
        if (*fd < 0)
            status = errno == EEXIST ? take_over(draft, kind, left, &leftover, fd, message)
                                     : cannot_make(draft, errno, message);
    }
    if (status == SSIMCU_OK && (*fd < 0 || (draft->made && !lock_new(*fd, draft->name)))) {
        draft->made = false; /* now it belongs to another run */
        status = atomic_file_is_busy(draft->name, message);
    }
    if (leftover >= 0) (void)close(leftover);
    return status;
}

static ssimcu_status check_place(const char *path, ssimcu_message *message)
{
    struct stat old;
    if (stat(path, &old) != 0 || S_ISREG(old.st_mode)) return SSIMCU_OK;
    FAIL(WRITE, "%.300s: not a regular file", path);
}

ssimcu_status atomic_file_open(struct atomic_file *draft, const char *path, char *name,
                               const struct atomic_file_kind *kind, enum atomic_file_left left,
                               ssimcu_message *message)
{
    int fd = -1;
    struct stat info;
    *draft = (struct atomic_file){.path = strdup(path), .name = name};
    if (!draft->path || !name) return no_memory(message);
    ssimcu_status status = check_place(path, message); /* rename would replace it */
    if (status == SSIMCU_OK) status = open_locked(draft, kind, left, &fd, message);
    if (status == SSIMCU_OK && fstat(fd, &info) != 0)
        status = atomic_file_cannot(name, errno, message);
    if (status == SSIMCU_OK) {
        draft->device = info.st_dev, draft->inode = info.st_ino;
        draft->file = fdopen(fd, "w"); /* keeps the content */
        if (!draft->file) status = no_memory(message);
    }
    if (status != SSIMCU_OK && draft->made) (void)unlink(name);
    draft->made = status == SSIMCU_OK;
    if (status != SSIMCU_OK && fd >= 0) (void)close(fd);
    return status;
}

ssimcu_status atomic_file_is_left(const struct atomic_file *draft, ssimcu_message *message)
{
    FAIL(WRITE,
         "%.300s is left from an interrupted run: continue with --resume %.120s, or remove it",
         draft->name, draft->path);
}

/* ---- The end --------------------------------------------------------------------------------- */

/* Returns whether the temporary name still belongs to this file. */
static bool is_own(const struct atomic_file *draft)
{
    const struct stat file = {.st_dev = draft->device, .st_ino = draft->inode};
    return draft->made && is_named(&file, draft->name);
}

ssimcu_status atomic_file_finish(struct atomic_file *draft, int error, ssimcu_message *message)
{
    if (error == 0 && ferror(draft->file)) error = errno != 0 ? errno : EIO;
    if (error == 0 && fflush(draft->file) != 0) error = errno;
    if (error == 0 && fsync(fileno(draft->file)) != 0 && errno != EINVAL) error = errno;
    return error == 0 ? SSIMCU_OK : atomic_file_cannot(draft->name, error, message);
}

void atomic_file_rest(struct atomic_file *draft)
{
    if (draft->file) (void)fclose(draft->file);
    draft->file = NULL;
}

ssimcu_status atomic_file_give_name(struct atomic_file *draft, ssimcu_message *message)
{
    if (!is_own(draft)) return atomic_file_is_busy(draft->name, message);
    if (rename(draft->name, draft->path) != 0)
        return atomic_file_cannot(draft->path, errno, message);
    draft->made = false;
    atomic_file_rest(draft);
    return SSIMCU_OK;
}

ssimcu_status atomic_file_end(struct atomic_file *draft, int error, ssimcu_message *message)
{
    TRY(atomic_file_finish(draft, error, message));
    return atomic_file_give_name(draft, message);
}

void atomic_file_keep(struct atomic_file *draft)
{
    atomic_file_rest(draft);
    free(draft->path);
    free(draft->name);
    *draft = (struct atomic_file){0};
}

void atomic_file_drop(struct atomic_file *draft)
{
    if (is_own(draft)) (void)unlink(draft->name);
    atomic_file_keep(draft);
}
