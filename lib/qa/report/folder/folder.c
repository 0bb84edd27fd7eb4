#define _XOPEN_SOURCE 700 /* mkdtemp, strndup */
#include "report/folder/folder.h"
#include "report/folder/contents.h"

#include "base/text.h"
#include "fail.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

ssimcu_status folder_error(const char *path, int error, ssimcu_message *message)
{
    if (error == ENOMEM) return ssimcu_no_memory(message, "the report");
    return ssimcu_fail(message, SSIMCU_ERROR_WRITE, "--report %.300s: %s", path, strerror(error));
}

/* Returns a copy without trailing slashes. The caller frees it. */
static char *trim(const char *path)
{
    char *text = strdup(path);
    if (!text) return NULL;
    for (size_t end = strlen(text); end > 1 && text[end - 1] == '/'; end--) text[end - 1] = '\0';
    return text;
}

/* ---- What is there --------------------------------------------------------------------------- */

/* Returns whether a folder cannot be read, so that its contents are unknown. */
static bool is_lost(int error)
{
    return error == ENOMEM || error == EIO || error == EMFILE || error == ENFILE;
}

static ssimcu_status check_old(const char *path, ssimcu_message *message)
{
    struct stat info;
    if (lstat(path, &info) != 0) return SSIMCU_OK;
    errno = 0;
    const bool report = S_ISDIR(info.st_mode) && (contents_have_mark(path, CONTENTS_MARK) ||
                                                  (!is_lost(errno) && contents_are_draft(path))),
               alone = report && contents_are_report(path);
    if (!alone && is_lost(errno)) return folder_error(path, errno, message);
    if (!report)
        return ssimcu_fail(
            message, SSIMCU_ERROR_ARGUMENT,
            "--report %.300s: exists and is not an ssimcu report; it was not overwritten", path);
    if (!alone)
        return ssimcu_fail(
            message, SSIMCU_ERROR_ARGUMENT,
            "--report %.300s: contains files that ssimcu did not write; it was not overwritten",
            path);
    return SSIMCU_OK;
}

bool folder_is_report(const char *path)
{
    struct stat info;
    char *trimmed = trim(path);
    const bool is = trimmed && lstat(trimmed, &info) == 0 && check_old(trimmed, NULL) == SSIMCU_OK;
    free(trimmed);
    return is;
}

/* Returns the parent folder of the path. The caller frees it. */
static char *parent_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    if (!slash) return strdup(".");
    return strndup(path, slash == path ? 1 : (size_t)(slash - path));
}

static ssimcu_status check(const char *path, const char *parent, ssimcu_message *message)
{
    const char *base = text_base(path);
    struct stat info;
    if (base[0] == '\0' || strcmp(base, ".") == 0 || strcmp(base, "..") == 0)
        return ssimcu_fail(message, SSIMCU_ERROR_ARGUMENT,
                           "--report %.300s: expected the name of a directory", path);
    TRY(check_old(path, message));
    if (stat(parent, &info) != 0 || access(parent, W_OK | X_OK) != 0)
        return folder_error(path, errno, message);
    return S_ISDIR(info.st_mode) ? SSIMCU_OK : folder_error(path, ENOTDIR, message);
}

ssimcu_status folder_check(const char *path, ssimcu_message *message)
{
    char *trimmed = trim(path), *parent = trimmed ? parent_of(trimmed) : NULL;
    const ssimcu_status status =
        parent ? check(trimmed, parent, message) : ssimcu_no_memory(message, "the report");
    free(trimmed), free(parent);
    return status;
}

/* ---- Making ---------------------------------------------------------------------------------- */

/* A draft is PATH.ssimcu-XXXXXX. An earlier report is moved aside to PATH.ssimcu-XXXXXX.old. */
static const char DRAFT[] = ".ssimcu-", RANDOM[] = "XXXXXX", ASIDE[] = ".old";

/* Locks a folder while it is open. Returns its descriptor; -1: another run has the lock, locks are
 * not supported, or there is no folder. */
static int lock(const char *path)
{
    const int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) == 0) return fd;
    (void)close(fd);
    return -1;
}

/* Removes the remains of a killed run under this name, or gives the earlier report its name back. A
 * folder without the mark belongs to a user. The lock shows whether the run is alive. While a
 * report is moved aside, its run has locked the draft, which may already have the report's name. */
static void drop_leftover(const char *path, const char *name, bool aside)
{
    char *draft = strdup(name);
    struct stat info;
    if (!draft) return;
    if (aside) draft[strlen(draft) - strlen(ASIDE)] = '\0';
    if (lstat(draft, &info) != 0) {
        free(draft);
        draft = strdup(path);
    }
    const bool gone = aside && draft && lstat(draft, &info) != 0;
    const int fd = draft && !gone ? lock(draft) : -1;
    if ((gone || fd >= 0) && contents_are_draft(name)) {
        const bool back = aside && lstat(path, &info) != 0 && rename(name, path) == 0;
        if (back) contents_unmark_draft(path);
        if (!back) contents_drop(name);
    }
    if (fd >= 0) (void)close(fd);
    free(draft);
}

struct leftovers {
    const char *path; /* path of the report */
    const char *base; /* its base name */
};

static bool visit_leftover(void *user, int folder, const char *name)
{
    const struct leftovers *leftovers = user;
    const size_t base = strlen(leftovers->base), draft = base + strlen(DRAFT) + strlen(RANDOM);
    const bool aside = strlen(name) > draft && strcmp(name + draft, ASIDE) == 0;
    (void)folder;
    if (strncmp(name, leftovers->base, base) != 0 ||
        strncmp(name + base, DRAFT, strlen(DRAFT)) != 0 || (strlen(name) != draft && !aside))
        return true;
    char *parent = strndup(leftovers->path, (size_t)(leftovers->base - leftovers->path));
    char *whole = parent ? text_join(parent, name, "", "") : NULL;
    if (whole) drop_leftover(leftovers->path, whole, aside);
    free(parent), free(whole);
    return true;
}

static void drop_leftovers(const char *path)
{
    char *parent = parent_of(path);
    struct leftovers leftovers = {path, text_base(path)};
    if (parent) (void)contents_each(parent, visit_leftover, &leftovers);
    free(parent);
}

/* Makes the draft and locks it. Returns false on error. If another run was quicker, errno is
 * EWOULDBLOCK, ENOENT or EEXIST: it took the draft for a leftover, or took its name. mkdir applies
 * the umask; reading the umask would change it for all threads. */
static bool make_locked(struct folder_draft *draft)
{
    if (!mkdtemp(draft->path) || rmdir(draft->path) != 0 || mkdir(draft->path, 0777) != 0)
        return false;
    draft->lock = lock(draft->path);
    return draft->lock >= 0 || (errno != EWOULDBLOCK && errno != ENOENT);
}

ssimcu_status folder_make(const char *path, struct folder_draft *draft, ssimcu_message *message)
{
    enum { TRIES = 8 };
    char *trimmed = trim(path);
    bool made = false;
    *draft = (struct folder_draft){.lock = -1};
    if (trimmed) drop_leftovers(trimmed);
    draft->path = trimmed ? text_join(trimmed, DRAFT, RANDOM, "") : NULL;
    for (int i = 0; draft->path && !made && i < TRIES; i++) {
        strcpy(draft->path + strlen(draft->path) - strlen(RANDOM), RANDOM);
        made = make_locked(draft);
        if (!made && errno != EWOULDBLOCK && errno != ENOENT && errno != EEXIST) break;
    }
    free(trimmed);
    if (made && contents_mark_draft(draft->path)) return SSIMCU_OK;
    const ssimcu_status status =
        draft->path ? folder_error(path, errno, message) : ssimcu_no_memory(message, "the report");
    if (made) folder_close(draft);
    free(draft->path);
    draft->path = NULL;
    return status;
}

ssimcu_status folder_write_page(const char *path, const struct folder_draft *draft, folder_put *put,
                                const void *user, ssimcu_message *message)
{
    char *name = text_join(draft->path, "/", CONTENTS_PAGE, "");
    if (!name) return ssimcu_no_memory(message, "the report");
    FILE *to = fopen(name, "wxe");
    bool good = to != NULL;
    const bool lost = good && !put(to, user);
    if (good && (ferror(to) || fflush(to) != 0)) good = false;
    int error = errno;
    if (to && fclose(to) != 0 && good) good = false, error = errno;
    free(name);
    if (lost) return ssimcu_no_memory(message, "the report");
    return good ? SSIMCU_OK : folder_error(path, error, message);
}

void folder_close(struct folder_draft *draft)
{
    contents_drop(draft->path);
    if (draft->lock >= 0) (void)close(draft->lock);
    free(draft->path);
    *draft = (struct folder_draft){.lock = -1};
}

/* Moves an earlier report aside. *aside is NULL if there is none. */
static ssimcu_status put_aside(const char *path, const struct folder_draft *draft, char **aside,
                               ssimcu_message *message)
{
    struct stat info;
    *aside = NULL;
    if (lstat(path, &info) != 0) return SSIMCU_OK;
    const ssimcu_status status = check_old(path, message); /* it may have changed since */
    if (status != SSIMCU_OK) return SSIMCU_ERROR_WRITE;
    *aside = text_join(draft->path, ASIDE, "", "");
    if (!*aside) return ssimcu_no_memory(message, "the report");
    if (contents_mark_draft(path) && rename(path, *aside) == 0) return SSIMCU_OK;
    const ssimcu_status failed = folder_error(path, errno, message);
    contents_unmark_draft(path);
    return failed;
}

ssimcu_status folder_commit(const char *path, const struct folder_draft *draft,
                            ssimcu_message *message)
{
    char *trimmed = trim(path), *aside = NULL;
    ssimcu_status status = trimmed ? put_aside(trimmed, draft, &aside, message)
                                   : ssimcu_no_memory(message, "the report");
    if (status == SSIMCU_OK && rename(draft->path, trimmed) != 0) {
        status = folder_error(path, errno, message);
        if (aside && rename(aside, trimmed) == 0) contents_unmark_draft(trimmed);
    } else if (status == SSIMCU_OK) {
        contents_unmark_draft(trimmed);
        if (aside) contents_drop(aside);
    }
    free(trimmed), free(aside);
    return status;
}

ssimcu_status folder_write(const char *path, folder_fill *fill, folder_put *put, void *user,
                           ssimcu_message *message)
{
    struct folder_draft draft;
    bool worth = true;
    TRY(folder_make(path, &draft, message));
    ssimcu_status status = fill ? fill(user, draft.path, &worth, message) : SSIMCU_OK;
    if (status == SSIMCU_OK && worth) status = folder_write_page(path, &draft, put, user, message);
    if (status == SSIMCU_OK && worth) status = folder_commit(path, &draft, message);
    folder_close(&draft);
    return status;
}

static ssimcu_status commit_page(const char *path, const struct folder_draft *draft,
                                 ssimcu_message *message)
{
    char *from = text_join(draft->path, "/", CONTENTS_PAGE, ""),
         *to = text_join(path, "/", CONTENTS_PAGE, "");
    ssimcu_status status = from && to ? SSIMCU_OK : ssimcu_no_memory(message, "the report");
    if (status == SSIMCU_OK && rename(from, to) != 0) status = folder_error(path, errno, message);
    free(from), free(to);
    return status;
}

/* Removes the page of a report, whose pictures stay. Returns whether it is gone. */
static bool drop_page(const char *path)
{
    char *page = text_join(path, "/", CONTENTS_PAGE, "");
    (void)contents_mark_draft(path); /* a later report may replace the rest */
    const bool gone = page && (unlink(page) == 0 || errno == ENOENT);
    free(page);
    return gone;
}

ssimcu_status folder_replace_page(const char *path, folder_put *put, const void *user,
                                  ssimcu_message *message)
{
    struct folder_draft draft;
    TRY(folder_make(path, &draft, message));
    ssimcu_status status = folder_write_page(path, &draft, put, user, message);
    if (status == SSIMCU_OK) status = commit_page(path, &draft, message);
    folder_close(&draft);
    return status;
}

ssimcu_status folder_withdraw(const char *path, folder_put *put, const void *user,
                              ssimcu_message *message)
{
    const ssimcu_status status = folder_replace_page(path, put, user, message);
    return status == SSIMCU_OK || drop_page(path) ? SSIMCU_OK : status;
}
