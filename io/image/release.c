#define _DEFAULT_SOURCE /* madvise */
#include "release.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { HUGE_PAGE = 1 << 21, STEP = 1 << 20 /* less is not worth a system call */ };

/* Requests only whole pages inside the range, so that no further memory is used. */
void ssimcu_prefer_huge_pages(uint8_t *bytes, size_t size)
{
#ifdef MADV_HUGEPAGE
    const uintptr_t from = ((uintptr_t)bytes + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE,
                    to = ((uintptr_t)bytes + size) / HUGE_PAGE * HUGE_PAGE;
    if (from < to) (void)madvise((void *)from, to - from, MADV_HUGEPAGE);
#else
    (void)bytes;
    (void)size;
#endif
}

void ssimcu_release_bytes(const ssimcu_file *file, size_t end)
{
    struct ssimcu_origin *const origin = file->origin;
    if (!origin || end < origin->released + STEP) return;
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), bytes = (uintptr_t)file->bytes;
    const uintptr_t from = (bytes + origin->released + page - 1) / page * page,
                    to = (bytes + end) / page * page;
    if (madvise((void *)from, to - from, MADV_DONTNEED) == 0) origin->released = to - bytes;
}

static ssimcu_status changed(const ssimcu_file *file)
{
    FAIL_FILE(file, FILE, "was changed while it was read");
}

static bool is_same(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
           a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

static bool read_again(int fd, uint8_t *to, size_t size)
{
    for (size_t have = 0; have < size;) {
        const ssize_t got = pread(fd, to + have, size - have, (off_t)have);
        if (got == 0 || (got < 0 && errno != EINTR)) return false;
        if (got > 0) have += (size_t)got;
    }
    return true;
}

ssimcu_status ssimcu_release_undo(const ssimcu_file *file)
{
    struct ssimcu_origin *const origin = file->origin;
    if (!origin || origin->released == 0) return SSIMCU_OK;
    const int fd = open(origin->path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) FAIL_FILE(file, FILE, "cannot be read again: %s", strerror(errno));
    struct stat now;
    /* The image owns the bytes; readers borrow them as const. */
    const bool good = fstat(fd, &now) == 0 && is_same(&origin->seen, &now) &&
                      read_again(fd, (uint8_t *)file->bytes, origin->released);
    close(fd);
    if (!good) return changed(file);
    origin->released = 0;
    return SSIMCU_OK;
}

ssimcu_status ssimcu_release_check(const ssimcu_file *file, const struct ssimcu_origin *origin)
{
    struct stat now;
    return fstat(file->fd, &now) == 0 && is_same(&origin->seen, &now) ? SSIMCU_OK : changed(file);
}
