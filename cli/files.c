#include "files.h"

#include "results/beside.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A directory cannot be replaced, and the writer says so. */
static void note(struct outputs *outputs, const char *option, const char *path, const char *name)
{
    struct stat info;
    if (stat(name, &info) != 0 || S_ISDIR(info.st_mode)) return;
    outputs->file[outputs->count++] = (struct output){option, path, info.st_dev, info.st_ino};
}

void outputs_add(struct outputs *outputs, const char *option, const char *path)
{
    note(outputs, option, path, path);
}

ssimcu_status outputs_add_results(struct outputs *outputs, const char *option, const char *path,
                                  ssimcu_message *message)
{
    static const char *const endings[] = {"", ".partial", ".resume", ".resume.tmp"};
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        char *name = results_beside(path, endings[i]);
        if (!name) return results_no_memory(message);
        note(outputs, option, path, name);
        free(name);
    }
    return SSIMCU_OK;
}

const struct output *outputs_find(const struct outputs *outputs, const char *input)
{
    struct stat info;
    if (outputs->count == 0) return NULL; /* spares looking at every file of a directory */
    const bool there =
        strcmp(input, "-") == 0 ? fstat(STDIN_FILENO, &info) == 0 : stat(input, &info) == 0;
    for (uint32_t i = 0; there && i < outputs->count; i++) {
        const struct output *file = &outputs->file[i];
        if (file->device == info.st_dev && file->inode == info.st_ino) return file;
    }
    return NULL;
}
