#define _XOPEN_SOURCE 700 /* realpath */
#include "report/folder.h"

#include "fail.h"
#include "results/text.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static ssimcu_status no_memory(ssimcu_message *message)
{
    return ssimcu_fail(message, SSIMCU_ERROR_MEMORY, "out of memory for the report");
}

static ssimcu_status write_error(const char *path, int error, ssimcu_message *message)
{
    if (error == ENOMEM) return no_memory(message);
    return ssimcu_fail(message, SSIMCU_ERROR_WRITE, "--report %.300s: %s", path, strerror(error));
}

/* Returns a copy without slashes at the end. The caller frees it. */
static char *trim(const char *path)
{
    char *text = strdup(path);
    if (!text) return NULL;
    for (size_t end = strlen(text); end > 1 && text[end - 1] == '/'; end--) text[end - 1] = '\0';
    return text;
}

/* ---- What is there --------------------------------------------------------------------------- */

static bool has_mark(const char *path)
{
    char start[512] = "", *name = text_join(path, "/", FOLDER_PAGE, "");
    FILE *file = name ? fopen(name, "re") : NULL;
    free(name);
    if (!file) return false;
    const size_t got = fread(start, 1, sizeof start - 1, file);
    fclose(file);
    start[got] = '\0';
    return strstr(start, FOLDER_MARK) != NULL;
}

/* Returns whether a report has a file of this name: the page, or a picture. */
static bool is_own(const char *name)
{
    const char *dot = strrchr(name, '.');
    return strcmp(name, FOLDER_PAGE) == 0 ||
           (strncmp(name, "frame-", 6) == 0 && dot && strcmp(dot, ".jpg") == 0);
}

/* Calls `visit` with each name in the folder. Returns false as soon as `visit` does, or if the
 * folder cannot be read. */
static bool each_name(const char *path, bool (*visit)(int folder, const char *name))
{
    DIR *folder = opendir(path);
    if (!folder) return false;
    bool good = true;
    for (struct dirent *entry; good && (entry = readdir(folder)) != NULL;)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            good = visit(dirfd(folder), entry->d_name);
    closedir(folder);
    return good;
}

static bool visit_own(int folder, const char *name)
{
    struct stat info;
    return is_own(name) && fstatat(folder, name, &info, AT_SYMLINK_NOFOLLOW) == 0 &&
           S_ISREG(info.st_mode);
}

static bool remove_own(int folder, const char *name)
{
    if (is_own(name)) (void)unlinkat(folder, name, 0);
    return true;
}

static ssimcu_status check_old(const char *path, ssimcu_message *message)
{
    struct stat info;
    if (lstat(path, &info) != 0) return SSIMCU_OK;
    if (!S_ISDIR(info.st_mode) || !has_mark(path))
        return ssimcu_fail(message, SSIMCU_ERROR_ARGUMENT,
                           "--report %.300s: is there and is no report, and is left alone", path);
    if (!each_name(path, visit_own))
        return ssimcu_fail(message, SSIMCU_ERROR_ARGUMENT,
                           "--report %.300s: the report there holds files of somebody else, and is "
                           "left alone",
                           path);
    return SSIMCU_OK;
}

bool folder_is_report(const char *path)
{
    struct stat info;
    char *own = trim(path);
    const bool is = own && lstat(own, &info) == 0 && check_old(own, NULL) == SSIMCU_OK;
    free(own);
    return is;
}

/* Returns the folder that holds the path. The caller frees it. */
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
                           "--report %.300s: expected the name of a folder", path);
    const ssimcu_status status = check_old(path, message);
    if (status != SSIMCU_OK) return status;
    if (stat(parent, &info) != 0 || access(parent, W_OK | X_OK) != 0)
        return write_error(path, errno, message);
    return S_ISDIR(info.st_mode) ? SSIMCU_OK : write_error(path, ENOTDIR, message);
}

ssimcu_status folder_check(const char *path, ssimcu_message *message)
{
    char *own = trim(path), *parent = own ? parent_of(own) : NULL;
    const ssimcu_status status = parent ? check(own, parent, message) : no_memory(message);
    free(own), free(parent);
    return status;
}

/* ---- Names and ways -------------------------------------------------------------------------- */

/* Returns the whole name, even of what is not there yet. The caller frees it. Returns NULL if the
 * parent is not there either. */
static char *whole_name(const char *path)
{
    char *own = trim(path), *parent = own ? parent_of(own) : NULL, *whole = NULL;
    char *real = parent ? realpath(parent, NULL) : NULL;
    if (real) whole = text_join(strcmp(real, "/") == 0 ? "" : real, "/", text_base(own), "");
    free(own), free(parent), free(real);
    return whole;
}

/* Returns "../" for each folder from `at` on, and then `rest`. */
static char *climb(const char *at, const char *rest)
{
    size_t up = 0;
    for (const char *c = at; *c; c++) up += *c == '/';
    char *way = malloc(3 * up + strlen(rest) + 1);
    if (!way) return NULL;
    for (size_t i = 0; i < up; i++) memcpy(way + 3 * i, "../", 3);
    strcpy(way + 3 * up, rest);
    return way;
}

char *folder_way(const char *path, const char *file)
{
    char *own = whole_name(path), *other = realpath(file, NULL), *way = NULL;
    if (own && other) {
        size_t same = 0; /* end of the last slash that both share */
        for (size_t i = 0; own[i] && own[i] == other[i]; i++)
            if (own[i] == '/') same = i + 1;
        /* A folder on the way down to ours has no slash at its end. */
        way = climb(own + same - 1, other + same);
    }
    free(own), free(other);
    return way;
}

/* ---- Making ---------------------------------------------------------------------------------- */

ssimcu_status folder_make(const char *path, char **draft, ssimcu_message *message)
{
    char *own = trim(path);
    *draft = own ? text_join(own, ".", "XXXXXX", "") : NULL;
    free(own);
    if (!*draft) return no_memory(message);
    if (mkdtemp(*draft)) {
        const mode_t mask = umask(0);
        umask(mask);
        if (chmod(*draft, 0777 & ~mask) == 0) return SSIMCU_OK;
    }
    const int error = errno;
    folder_drop(*draft);
    free(*draft);
    *draft = NULL;
    return write_error(path, error, message);
}

void folder_drop(const char *draft)
{
    (void)each_name(draft, remove_own);
    (void)rmdir(draft);
}

/* Moves an earlier report out of the way. *aside is NULL if there is none. */
static ssimcu_status put_aside(const char *path, const char *draft, char **aside,
                               ssimcu_message *message)
{
    struct stat info;
    *aside = NULL;
    if (lstat(path, &info) != 0) return SSIMCU_OK;
    const ssimcu_status status = check_old(path, message); /* it may have changed since */
    if (status != SSIMCU_OK) return SSIMCU_ERROR_WRITE;
    *aside = text_join(draft, ".", "old", "");
    if (!*aside) return no_memory(message);
    return rename(path, *aside) == 0 ? SSIMCU_OK : write_error(path, errno, message);
}

ssimcu_status folder_commit(const char *path, const char *draft, ssimcu_message *message)
{
    char *own = trim(path), *aside = NULL;
    ssimcu_status status = own ? put_aside(own, draft, &aside, message) : no_memory(message);
    if (status == SSIMCU_OK && rename(draft, own) != 0) {
        status = write_error(path, errno, message);
        if (aside) (void)rename(aside, own);
    } else if (status == SSIMCU_OK && aside) {
        folder_drop(aside);
    }
    free(own), free(aside);
    return status;
}

ssimcu_status folder_commit_page(const char *path, const char *draft, ssimcu_message *message)
{
    char *from = text_join(draft, "/", FOLDER_PAGE, ""),
         *to = text_join(path, "/", FOLDER_PAGE, "");
    ssimcu_status status = from && to ? SSIMCU_OK : no_memory(message);
    if (status == SSIMCU_OK && rename(from, to) != 0) status = write_error(path, errno, message);
    free(from), free(to);
    return status;
}
