#include "report/folder/inputs.h"

#include "fail.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

void inputs_begin(struct inputs *inputs, const char *folder)
{
    struct stat info;
    *inputs = (struct inputs){0};
    if (stat(folder, &info) == 0) inputs->device = info.st_dev, inputs->inode = info.st_ino;
}

void inputs_add(struct inputs *inputs, const char *file)
{
    const char *slash = file && inputs->inode != 0 ? strrchr(file, '/') : NULL;
    const size_t length = slash ? (size_t)(slash - file) + 1 : 0;
    const char *last = inputs->last;
    if (!slash || (last && strncmp(last, file, length) == 0 && last[length] == '\0')) return;
    free(inputs->last);
    inputs->last = strndup(file, length);
    struct stat info;
    if (inputs->last && stat(inputs->last, &info) == 0 && info.st_dev == inputs->device &&
        info.st_ino == inputs->inode)
        inputs->held = true;
}

ssimcu_status inputs_check(const struct inputs *inputs, const char *folder, ssimcu_message *message)
{
    if (!inputs->held) return SSIMCU_OK;
    return ssimcu_fail(message, SSIMCU_ERROR_WRITE,
                       "--report %.300s: contains an input; it was not overwritten", folder);
}

void inputs_end(struct inputs *inputs) { free(inputs->last); }
