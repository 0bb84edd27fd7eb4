#include "delivery/map_files.h"

#include "options/files.h"

#include "base/refuse.h"
#include "base/text.h"
#include "pair/pair.h"
#include "record/record.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NAME_BYTES = 100 /* most bytes of OUT's name in a map's name */ };

ssimcu_status map_file_write(const char *path, ssimcu_map_style style, const ssimcu_floats *map,
                             const struct map_range *range, const struct shown_frame *out,
                             ssimcu_message *message)
{
    const struct shown_area all = {0, 0, map->width, map->height};
    ssimcu_frame below = {0}, picture = {0};
    ssimcu_status status = SSIMCU_OK;
    if (style == SSIMCU_MAP_OVERLAY)
        status = shown_draw(out, &all, map->width, map->height, &below, message);
    if (status == SSIMCU_OK) status = map_draw(style, map, range, &below, &picture, message);
    if (status == SSIMCU_OK) status = ssimcu_image_write_png(path, &picture, message);
    ssimcu_frame_free(&picture);
    ssimcu_frame_free(&below);
    return status;
}

/* ---- The directory --------------------------------------------------------------------------- */

static ssimcu_status make_directory(const char *path, ssimcu_message *message)
{
    struct stat info;
    const bool exists = stat(path, &info) == 0;
    if (exists ? !S_ISDIR(info.st_mode)
               : text_ends(path, ".png")) /* seems to be the file of a single pair */
        FAIL(ARGUMENT,
             "--map %.300s: expected a directory: a batch writes a map for each bad frame", path);
    if ((exists || mkdir(path, 0777) == 0) && access(path, W_OK | X_OK) == 0) return SSIMCU_OK;
    FAIL(WRITE, "--map %.300s: cannot write (%s)", path, strerror(errno));
}

ssimcu_status map_files_open(struct map_files *files, const struct options *options,
                             ssimcu_message *message)
{
    if (!options->run.map) return SSIMCU_OK;
    files->directory = options->run.map;
    files->style = options->run.map_style;
    files->gain = options->settings.gain;
    files->keep = options->input.list != NULL;
    return make_directory(options->run.map, message);
}

/* ---- Maps ------------------------------------------------------------------------------------ */

/* Returns the length of a file's name without its extension. */
static size_t stem_length(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot && dot > name ? (size_t)(dot - name) : strlen(name);
}

/* Copies a text with '+' for slashes and '_' for other unusual characters. */
static void plain_name(const char *start, size_t length, char name[NAME_BYTES + 1])
{
    if (length > NAME_BYTES) length = NAME_BYTES;
    while (length > 0 && ((unsigned char)start[length] & 0xc0) == 0x80)
        length--; /* characters are not cut */
    for (size_t i = 0; i < length; i++) {
        const unsigned char byte = (unsigned char)start[i];
        const bool plain = byte >= 0x80 || (byte >= '0' && byte <= '9') ||
                           ((byte | 0x20) >= 'a' && (byte | 0x20) <= 'z') || strchr("._-", byte);
        name[i] = plain ? (char)byte : byte == '/' ? '+' : '_';
    }
    name[length] = '\0';
}

static char *name_map(const struct map_files *files, const struct pair *pair)
{
    char name[NAME_BYTES + 1] = "", shot[NAME_BYTES + 1] = "";
    const char *out = pair->record->side[1].path ? text_base(pair->record->side[1].path) : "";
    const size_t size = strlen(files->directory) + sizeof name + sizeof shot + 40;
    char *path = malloc(size);
    if (!pair->format[1]) plain_name(out, stem_length(out), name);
    if (pair->record->shot) plain_name(pair->record->shot, strlen(pair->record->shot), shot);
    if (path)
        snprintf(path, size, "%s/%s%s%06lld%s%s.png", files->directory, shot, shot[0] ? "_" : "",
                 (long long)pair->record->frame, name[0] ? "_" : "", name);
    return path;
}

static ssimcu_status write_map(const struct map_files *files, const struct pair *pair,
                               const ssimcu_floats *map, const struct map_range *range,
                               ssimcu_background background, ssimcu_message *message)
{
    const struct shown_frame out = {pair->plane[1], pair->planes, pair->format[1], background,
                                    files->gain};
    struct stat info;
    char *path = name_map(files, pair);
    ssimcu_status status;
    if (!path)
        status = ssimcu_no_memory(message, "the map");
    else if (files->keep && lstat(path, &info) == 0)
        status = ssimcu_fail(
            message, SSIMCU_ERROR_WRITE,
            "%.300s exists and could be an input of the list; it was not overwritten", path);
    else if (!files_map_may_go(path))
        status = ssimcu_fail(message, SSIMCU_ERROR_WRITE,
                             "%.300s exists and is not a PNG; it was not overwritten", path);
    else
        status = map_file_write(path, files->style, map, range, &out, message);
    free(path);
    return status;
}

/* Notes whether a map was written. */
static void note(struct map_files *files, ssimcu_status status, const ssimcu_message *message)
{
    pthread_mutex_lock(&files->lock);
    files->written += status == SSIMCU_OK;
    if (files->status == SSIMCU_OK && status != SSIMCU_OK) {
        files->status = status;
        files->message = *message;
    }
    pthread_mutex_unlock(&files->lock);
}

static bool has_failed(struct map_files *files)
{
    pthread_mutex_lock(&files->lock);
    const bool failed = files->status != SSIMCU_OK;
    pthread_mutex_unlock(&files->lock);
    return failed;
}

/* Makes the map of a pair and the range of its colours. The caller frees map->value. */
static ssimcu_status make_map(const struct judge *judge, ssimcu_context *context,
                              const struct pair *pair, ssimcu_score *score, ssimcu_floats *map,
                              struct map_range *range, ssimcu_message *message)
{
    const ssimcu_frame *const frame[2] = {pair->plane[0], pair->plane[1]};
    TRY(excess_score(judge, context, pair, score, map, message));
    const bool excess = map->value != NULL;
    if (!excess) TRY(map_score(context, frame, pair->planes, score, map, message));
    *range = excess ? map_of_excess(map) : map_range(map);
    return SSIMCU_OK;
}

ssimcu_status map_files_add(struct map_files *files, const struct judge *judge,
                            ssimcu_context *context, const struct pair *pair,
                            ssimcu_message *message)
{
    struct map_range range;
    ssimcu_score score = SSIMCU_INIT(score);
    ssimcu_floats map = {0};
    ssimcu_message cause = {{0}};
    if (has_failed(files)) return SSIMCU_OK;
    ssimcu_status status = make_map(judge, context, pair, &score, &map, &range, &cause);
    if (status == SSIMCU_ERROR_DEVICE) return ssimcu_fail(message, status, "%s", cause.text);
    if (status == SSIMCU_OK)
        status = write_map(files, pair, &map, &range, score.background, &cause);
    free(map.value);
    note(files, status, &cause);
    return SSIMCU_OK;
}
