#include "base/draft.h"

#include "base/guard.h"
#include "base/refuse.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    START_BYTES = 64, /* more than the longest text that a kind of file begins with */
    TRIES = 8,        /* how often a leftover may vanish or come again meanwhile */
    WAITS = 100       /* milliseconds that another run may take to look at a new draft */
};

static ssimcu_status cannot(const char *path, int error, ssimcu_message *message)
{
    if (error == ENOMEM) return no_memory(message);
    return ssimcu_fail(message, SSIMCU_ERROR_WRITE, "%.300s: %s", path, strerror(error));
}

ssimcu_status draft_is_busy(const char *path, ssimcu_message *message)
{
    return ssimcu_fail(message, SSIMCU_ERROR_WRITE, "%.300s: is being written by another run",
                       path);
}

/* ---- Locks ----------------------------------------------------------------------------------- */

static bool is_named(const struct stat *file, const char *path)
{
    struct stat named;
    return lstat(path, &named) == 0 && named.st_dev == file->st_dev && named.st_ino == file->st_ino;
}

bool draft_lock(int fd, const char *path)
{
    struct stat file;
    if (flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) return false;
    return fstat(fd, &file) == 0 && is_named(&file, path);
}

/* Locks a draft that this run has just made. Another run may be looking whether it is a leftover,
 * and has it locked for a moment. */
static bool lock_new(int fd, const char *path)
{
    const struct timespec millisecond = {0, 1000000};
    for (int i = 0; i < WAITS; i++) {
        if (flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) break;
        (void)nanosleep(&millisecond, NULL);
    }
    return draft_lock(fd, path);
}

/* ---- Opening --------------------------------------------------------------------------------- */

static bool begins(const struct draft_kind *kind, const char *bytes, size_t length)
{
    return kind->begins ? kind->begins(bytes, length)
                        : guard_begins(bytes, length, kind->starts, true);
}

/* Opens and locks what is there under the draft's name. *fd is -1 if it is gone meanwhile. */
static ssimcu_status open_leftover(const struct draft *draft, const struct draft_kind *kind,
                                   bool go_on, int *fd, ssimcu_message *message)
{
    struct stat info;
    char start[START_BYTES];
    *fd = open(draft->name, (go_on ? O_RDWR : O_RDONLY) | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (*fd < 0 && errno == ENOENT) return SSIMCU_OK;
    if (*fd < 0 && errno != ELOOP) return cannot(draft->name, errno, message);
    if (*fd >= 0 && !draft_lock(*fd, draft->name)) return draft_is_busy(draft->name, message);
    if (*fd >= 0 && fstat(*fd, &info) == 0 && S_ISREG(info.st_mode)) {
        const ssize_t got = pread(*fd, start, sizeof start, 0);
        if (go_on || got == 0 || (got > 0 && begins(kind, start, (size_t)got))) return SSIMCU_OK;
    }
    return ssimcu_fail(message, SSIMCU_ERROR_WRITE, "%.300s: is not %s, and is left alone",
                       draft->name, kind->name);
}

/* Makes way for a draft, or makes the leftover the draft, *fd. `leftover` stays open and locked
 * until the new draft is locked, too. */
static ssimcu_status take_over(const struct draft *draft, const struct draft_kind *kind,
                               enum draft_left left, int *leftover, int *fd,
                               ssimcu_message *message)
{
    if (*leftover >= 0) (void)close(*leftover);
    const ssimcu_status status = open_leftover(draft, kind, left == DRAFT_GO_ON, leftover, message);
    if (status != SSIMCU_OK || *leftover < 0) return status;
    if (left == DRAFT_REFUSE && lseek(*leftover, 0, SEEK_END) > 0) return SSIMCU_ERROR_WRITE;
    if (left == DRAFT_GO_ON) {
        *fd = *leftover;
        *leftover = -1;
    } else if (unlink(draft->name) != 0 && errno != ENOENT) {
        return cannot(draft->name, errno, message);
    }
    return SSIMCU_OK;
}

/* Opens and locks the file under the draft's name. */
static ssimcu_status open_locked(struct draft *draft, const struct draft_kind *kind,
                                 enum draft_left left, int *fd, ssimcu_message *message)
{
    int leftover = -1;
    ssimcu_status status = SSIMCU_OK;
    for (int i = 0; i < TRIES && *fd < 0 && status == SSIMCU_OK; i++) {
        *fd = open(draft->name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        draft->made = *fd >= 0;
        if (*fd < 0)
            status = errno == EEXIST ? take_over(draft, kind, left, &leftover, fd, message)
                                     : cannot(draft->name, errno, message);
    }
    if (status == SSIMCU_OK && (*fd < 0 || (draft->made && !lock_new(*fd, draft->name)))) {
        draft->made = false; /* it is another run's now */
        status = draft_is_busy(draft->name, message);
    }
    if (leftover >= 0) (void)close(leftover);
    return status;
}

static ssimcu_status check_place(const char *path, ssimcu_message *message)
{
    struct stat old;
    if (stat(path, &old) != 0 || S_ISREG(old.st_mode)) return SSIMCU_OK;
    return ssimcu_fail(message, SSIMCU_ERROR_WRITE, "%.300s: not a regular file", path);
}

ssimcu_status draft_open(struct draft *draft, const char *path, char *name,
                         const struct draft_kind *kind, enum draft_left left,
                         ssimcu_message *message)
{
    int fd = -1;
    struct stat info;
    *draft = (struct draft){.path = strdup(path), .name = name};
    if (!draft->path || !name) return no_memory(message);
    ssimcu_status status = check_place(path, message); /* rename would replace it */
    if (status == SSIMCU_OK) status = open_locked(draft, kind, left, &fd, message);
    if (status == SSIMCU_OK && fstat(fd, &info) != 0) status = cannot(name, errno, message);
    if (status == SSIMCU_OK) {
        draft->device = info.st_dev, draft->inode = info.st_ino;
        draft->file = fdopen(fd, "w"); /* which leaves the content as it is */
        if (!draft->file) status = no_memory(message);
    }
    if (status != SSIMCU_OK && draft->made) (void)unlink(name);
    draft->made = status == SSIMCU_OK;
    if (status != SSIMCU_OK && fd >= 0) (void)close(fd);
    return status;
}

ssimcu_status draft_is_left(const struct draft *draft, ssimcu_message *message)
{
    return ssimcu_fail(message, SSIMCU_ERROR_WRITE,
                       "%.300s is what a run that was cut short has left: go on with --resume "
                       "%.120s, or remove it",
                       draft->name, draft->path);
}

/* ---- The end --------------------------------------------------------------------------------- */

/* Returns whether the draft's name still is this draft. */
static bool is_own(const struct draft *draft)
{
    const struct stat file = {.st_dev = draft->device, .st_ino = draft->inode};
    return draft->made && is_named(&file, draft->name);
}

ssimcu_status draft_finish(struct draft *draft, int error, ssimcu_message *message)
{
    if (error == 0 && ferror(draft->file)) error = errno != 0 ? errno : EIO;
    if (error == 0 && fflush(draft->file) != 0) error = errno;
    if (error == 0 && fsync(fileno(draft->file)) != 0 && errno != EINVAL) error = errno;
    return error == 0 ? SSIMCU_OK : cannot(draft->name, error, message);
}

void draft_rest(struct draft *draft)
{
    if (draft->file) (void)fclose(draft->file);
    draft->file = NULL;
}

ssimcu_status draft_give_name(struct draft *draft, ssimcu_message *message)
{
    if (!is_own(draft)) return draft_is_busy(draft->name, message);
    if (rename(draft->name, draft->path) != 0) return cannot(draft->path, errno, message);
    draft->made = false;
    draft_rest(draft);
    return SSIMCU_OK;
}

ssimcu_status draft_end(struct draft *draft, int error, ssimcu_message *message)
{
    const ssimcu_status status = draft_finish(draft, error, message);
    return status == SSIMCU_OK ? draft_give_name(draft, message) : status;
}

void draft_keep(struct draft *draft)
{
    draft_rest(draft);
    free(draft->path);
    free(draft->name);
    *draft = (struct draft){0};
}

void draft_drop(struct draft *draft)
{
    if (is_own(draft)) (void)unlink(draft->name);
    draft_keep(draft);
}
