/* What REF and OUT are. */
#define _POSIX_C_SOURCE 200809L

#include "batch/source.h"

#include "reader.h"

#include <string.h>
#include <sys/stat.h>

static bool ends_with_y4m(const char *path)
{
    const size_t length = strlen(path);
    return length >= 4 && strcmp(path + length - 4, ".y4m") == 0;
}

/* A regular file is told by its first bytes; a pipe cannot be asked without taking them away. */
static bool is_y4m(const char *path, const struct stat *info)
{
    char magic[10];
    size_t got = 0;
    ssimcu_reader *reader = NULL;
    if (!S_ISREG(info->st_mode)) return ends_with_y4m(path);
    if (ssimcu_reader_open(path, NULL, &reader, NULL) != SSIMCU_OK) return false;
    const bool read = ssimcu_reader_bytes(reader, magic, sizeof magic, &got, NULL) == SSIMCU_OK;
    ssimcu_reader_close(&reader);
    if (read && got == sizeof magic && memcmp(magic, "YUV4MPEG2", 9) == 0) return true;
    return ends_with_y4m(path); /* a damaged one shall be called that, not a bad picture */
}

static enum source_kind kind_of(const char *path, const struct batch_options *batch)
{
    struct stat info;
    const bool exists = stat(path, &info) == 0;
    if (exists && S_ISDIR(info.st_mode)) return SOURCE_DIRECTORY;
    if (!exists && ssimcu_sequence_is_pattern(path)) return SOURCE_PATTERN;
    if (exists && strcmp(path, "-") != 0 && is_y4m(path, &info)) return SOURCE_Y4M;
    if (batch->size) return SOURCE_RAW;
    if (strcmp(path, "-") == 0 || (!exists && ends_with_y4m(path))) return SOURCE_Y4M;
    return SOURCE_PICTURE;
}

void source_kinds(const struct options *options, enum source_kind kind[2])
{
    const char *const path[2] = {options->ref, options->out};
    struct stat info;
    for (int side = 0; side < 2; side++) kind[side] = kind_of(path[side], &options->batch);
    for (int side = 0; side < 2; side++) /* such as <(ffmpeg ...) against a y4m */
        if (kind[side] == SOURCE_PICTURE && kind[!side] == SOURCE_Y4M &&
            stat(path[side], &info) == 0 && S_ISFIFO(info.st_mode))
            kind[side] = SOURCE_Y4M;
}

bool source_is_batch(const struct options *options)
{
    enum source_kind kind[2];
    if (options->batch.wanted) return true;
    source_kinds(options, kind);
    return kind[0] != SOURCE_PICTURE || kind[1] != SOURCE_PICTURE;
}
