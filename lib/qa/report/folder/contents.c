#define _XOPEN_SOURCE 700 /* getdelim */
#include "report/folder/contents.h"

#include "base/results.h"
#include "base/text.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The text in the marker file of a draft. */
static const char ATOMIC_FILE_TEXT[] =
    "A report of ssimcu that is being written. It may be removed.\n";

/* Opens the marker file of a draft, even if memory ran out. Returns -1 and sets errno on error. */
static int open_mark(const char *path, int flags)
{
    const int folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder < 0) return -1;
    const int fd = openat(folder, CONTENTS_DRAFT, flags | O_NOFOLLOW | O_CLOEXEC, 0666);
    const int error = errno;
    (void)close(folder);
    errno = error;
    return fd;
}

bool contents_mark_draft(const char *path)
{
    const ssize_t length = (ssize_t)strlen(ATOMIC_FILE_TEXT);
    const int fd = open_mark(path, O_WRONLY | O_CREAT | O_TRUNC);
    if (fd < 0) return false;
    const ssize_t put = write(fd, ATOMIC_FILE_TEXT, (size_t)length);
    const int error = put < 0 ? errno : ENOSPC;
    const bool good = close(fd) == 0 && put == length;
    if (!good) errno = error;
    return good;
}

void contents_unmark_draft(const char *path)
{
    const int folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder < 0) return;
    (void)unlinkat(folder, CONTENTS_DRAFT, 0);
    (void)close(folder);
}

bool contents_are_draft(const char *path)
{
    char text[sizeof ATOMIC_FILE_TEXT] = "";
    const int fd = open_mark(path, O_RDONLY | O_NONBLOCK);
    const ssize_t got = fd >= 0 ? read(fd, text, sizeof text) : -1;
    if (fd >= 0) (void)close(fd);
    return got >= 0 && memcmp(text, ATOMIC_FILE_TEXT, (size_t)got) == 0; /* a killed run began it */
}

bool contents_have_mark(const char *path, const char *mark)
{
    char start[512] = "", *name = text_join(path, "/", CONTENTS_PAGE, "");
    FILE *file = name ? fopen(name, "re") : NULL;
    free(name);
    if (!file) return false;
    const size_t got = fread(start, 1, sizeof start - 1, file);
    fclose(file);
    start[got] = '\0';
    return strstr(start, mark) != NULL;
}

/* Names of pictures in a page, sorted; owned. */
struct names {
    char **name;
    size_t count, room;
};

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool is_picture(const char *name)
{
    const char *dot = strrchr(name, '.');
    return strncmp(name, "frame-", 6) == 0 && dot &&
           (strcmp(dot, ".jpg") == 0 || strcmp(dot, ".png") == 0);
}

static bool keep_name(struct names *names, const char *name)
{
    const bool good = results_grow(&names->name, names->count, &names->room, sizeof *names->name) &&
                      text_copy(&names->name[names->count], name);
    names->count += good;
    return good;
}

static void free_names(struct names *names)
{
    for (size_t i = 0; i < names->count; i++) free(names->name[i]);
    free(names->name);
}

/* Reads the names of pictures in a report's page, where they are in quotes. Returns false on
 * error. */
static bool read_names(const char *path, struct names *names)
{
    char *name = text_join(path, "/", CONTENTS_PAGE, ""), *text = NULL;
    FILE *file = name ? fopen(name, "re") : NULL;
    bool good = file != NULL;
    size_t size = 0;
    for (ssize_t length; good && (length = getdelim(&text, &size, '"', file)) > 0;) {
        if (text[length - 1] == '"') text[length - 1] = '\0';
        if (is_picture(text)) good = keep_name(names, text);
    }
    good = good && !ferror(file);
    const int error = errno;
    if (file) fclose(file);
    if (names->count > 0) qsort(names->name, names->count, sizeof *names->name, compare_names);
    free(name), free(text);
    errno = error;
    return good;
}

/* Returns whether a report has a file of this name: the page, or a picture in the page. `names` is
 * NULL for a draft, which has no page yet. */
static bool is_own(const char *name, const struct names *names)
{
    if (strcmp(name, CONTENTS_PAGE) == 0 || strcmp(name, CONTENTS_DRAFT) == 0) return true;
    return is_picture(name) &&
           (!names || (names->count > 0 && bsearch(&name, names->name, names->count,
                                                   sizeof *names->name, compare_names)));
}

bool contents_each(const char *path, bool (*visit)(void *user, int folder, const char *name),
                   void *user)
{
    DIR *folder = opendir(path);
    if (!folder) return false;
    bool good = true;
    for (struct dirent *entry; good && (entry = readdir(folder)) != NULL;)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            good = visit(user, dirfd(folder), entry->d_name);
    closedir(folder);
    return good;
}

static bool visit_own(void *user, int folder, const char *name)
{
    struct stat info;
    return is_own(name, user) && fstatat(folder, name, &info, AT_SYMLINK_NOFOLLOW) == 0 &&
           S_ISREG(info.st_mode);
}

bool contents_are_report(const char *path)
{
    struct names names = {0};
    if (contents_are_draft(path)) return contents_each(path, visit_own, NULL);
    const bool alone = read_names(path, &names) && contents_each(path, visit_own, &names);
    const int error = errno; /* the read error, if any */
    free_names(&names);
    errno = error;
    return alone;
}

static bool remove_own(void *user, int folder, const char *name)
{
    (void)user;
    if (is_own(name, NULL) && strcmp(name, CONTENTS_DRAFT) != 0) (void)unlinkat(folder, name, 0);
    return true;
}

void contents_drop(const char *path)
{
    (void)contents_each(path, remove_own, NULL);
    contents_unmark_draft(path); /* last: if killed earlier, a draft remains */
    (void)rmdir(path);
}

bool contents_each_picture(const char *path, void (*visit)(void *user, const char *name),
                           void *user)
{
    struct names names = {0};
    const bool good = read_names(path, &names) || errno == ENOENT;
    for (size_t i = 0; i < names.count; i++)
        if (i == 0 || strcmp(names.name[i], names.name[i - 1]) != 0) visit(user, names.name[i]);
    free_names(&names);
    return good;
}
