#include "structure.h"

#include "chunks.h"

#include "most_side.h"

#include <stdio.h>
#include <string.h>

/* Most bytes of a chunk before compression, all channels together. OpenEXR holds that much for each
 * chunk that it decodes. */
enum { MOST_CHUNK_BYTES = 1 << 29 };

enum { BAND_BYTES = 2 << 20 };

/* ---- Windows --------------------------------------------------------------------------------- */

static ssimcu_status check_window(struct ssimcu_exr_task *task,
                                  const struct ssimcu_exr_window *window, const char *name)
{
    const uint64_t width = exr_width(window), height = exr_height(window);
    if (width <= SSIMCU_MOST_SIDE && height <= SSIMCU_MOST_SIDE &&
        width * height <= task->max_pixels)
        return SSIMCU_OK;
    return exr_fail(task, SSIMCU_ERROR_LIMIT,
                    "%s window of %llux%llu pixels is over the limit of %d a side and %llu pixels",
                    name, (unsigned long long)width, (unsigned long long)height, SSIMCU_MOST_SIDE,
                    (unsigned long long)task->max_pixels);
}

/* Checks the windows of all parts against the limits, before anything that grows with a size. */
static ssimcu_status check_sizes(struct ssimcu_exr_task *task, struct exr_file *file)
{
    ssimcu_status status = SSIMCU_OK;
    for (uint32_t p = 0; p < file->parts && status == SSIMCU_OK; p++) {
        struct exr_part *part = &file->part[p];
        status = check_window(task, &part->display, "display");
        if (status == SSIMCU_OK) status = check_window(task, &part->data, "data");
        if (status != SSIMCU_OK) break;
        if (exr_chunks_pixel_bytes(part) == 0)
            return exr_fail(task, SSIMCU_ERROR_DATA, "damaged EXR (attribute channels)");
        if (!part->deep && exr_chunks_most_bytes(part) > MOST_CHUNK_BYTES)
            return exr_fail(task, SSIMCU_ERROR_LIMIT, "EXR with chunks of more than %d bytes",
                            MOST_CHUNK_BYTES);
        status = exr_chunks_count(task, part);
    }
    return status;
}

/* ---- Channels -------------------------------------------------------------------------------- */

static bool find_channel(const struct exr_part *part, const char *name, struct exr_channel *found)
{
    struct exr_cursor cursor = {part->channels.bytes, part->channels.size, 0};
    bool good;
    while (exr_header_next_channel(&cursor, found, &good))
        if (strcmp(found->name, name) == 0) return true;
    return false;
}

static bool is_named(const struct exr_part *part, const char *name)
{
    return part->name && part->name_size == strlen(name) &&
           memcmp(part->name, name, part->name_size) == 0;
}

/* The wanted channels, one name each. */
struct wish {
    uint32_t count;
    char name[SSIMCU_EXR_CHANNELS][SSIMCU_EXR_NAME];
};

static ssimcu_status split_names(struct ssimcu_exr_task *task, const char *names, struct wish *wish)
{
    for (const char *at = names;; at++) {
        const size_t length = strcspn(at, ",");
        if (length == 0 || length >= SSIMCU_EXR_NAME || wish->count == SSIMCU_EXR_CHANNELS)
            return exr_fail(task, SSIMCU_ERROR_ARGUMENT,
                            "channels %.200s: expected one name, or three with commas between",
                            names);
        memcpy(wish->name[wish->count], at, length);
        wish->name[wish->count++][length] = '\0';
        at += length;
        if (*at == '\0') break;
    }
    if (wish->count != 2) return SSIMCU_OK;
    return exr_fail(task, SSIMCU_ERROR_ARGUMENT,
                    "channels %.200s: expected one name, or three with commas between", names);
}

/* Whether a part has all wanted channels. Their names begin with `layer` and a dot unless it is
 * NULL. */
static bool has_all(const struct exr_part *part, const struct wish *wish, const char *layer,
                    struct ssimcu_exr_picture *picture, struct exr_channel *channel)
{
    for (uint32_t c = 0; c < wish->count; c++) {
        const int length = snprintf(picture->channel[c].name, SSIMCU_EXR_NAME, "%s%s%s",
                                    layer ? layer : "", layer ? "." : "", wish->name[c]);
        if (length >= SSIMCU_EXR_NAME || !find_channel(part, picture->channel[c].name, &channel[c]))
            return false;
        picture->channel[c].type = (enum ssimcu_exr_type)channel[c].type;
    }
    picture->count = wish->count;
    return true;
}

/* Finds the part that has the wanted channels. Looks at the first part alone unless the caller
 * asked for a layer or for channels. Returns -1 if there is none. */
static int find_part(const struct ssimcu_exr_task *task, const struct exr_file *file,
                     const struct wish *wish, struct ssimcu_exr_picture *picture,
                     struct exr_channel *channel)
{
    const uint32_t parts = task->layer || task->channels ? file->parts : 1;
    for (uint32_t p = 0; p < parts; p++)
        if (has_all(&file->part[p], wish, task->layer, picture, channel)) return (int)p;
    for (uint32_t p = 0; task->layer && p < parts; p++)
        if (is_named(&file->part[p], task->layer) &&
            has_all(&file->part[p], wish, NULL, picture, channel))
            return (int)p;
    return -1;
}

/* Lists the names of the channels of all parts, as far as the text has room. */
static void list_channels(const struct exr_file *file, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (uint32_t p = 0; p < file->parts; p++) {
        struct exr_cursor cursor = {file->part[p].channels.bytes, file->part[p].channels.size, 0};
        struct exr_channel channel;
        bool good;
        while (exr_header_next_channel(&cursor, &channel, &good)) {
            const size_t length = strlen(channel.name) + 2;
            if (used + length + 4 > size) {
                snprintf(text + used, size - used, " ...");
                return;
            }
            used +=
                (size_t)snprintf(text + used, size - used, "%s%s", used ? " " : "", channel.name);
        }
    }
}

static ssimcu_status no_channels(struct ssimcu_exr_task *task, const struct exr_file *file)
{
    char names[200];
    struct exr_channel channel;
    const struct exr_part *part = &file->part[0];
    const bool asked = task->layer || task->channels;
    if (!asked && (find_channel(part, "RY", &channel) || find_channel(part, "BY", &channel)))
        return exr_fail(task, SSIMCU_ERROR_UNSUPPORTED,
                        "EXR of luminance and chroma (Y, RY, BY), which is not supported");
    list_channels(file, names, sizeof names);
    return exr_fail(task, SSIMCU_ERROR_UNSUPPORTED,
                    "EXR without %s%.60s%s%.60s; it has %s (--layer or --channels choose)",
                    asked ? "" : "channels R, G, B", task->layer ? task->layer : "",
                    task->layer && task->channels ? "." : "", task->channels ? task->channels : "",
                    names);
}

static ssimcu_status find_picture(struct ssimcu_exr_task *task, const struct exr_file *file,
                                  struct ssimcu_exr_picture *picture)
{
    struct wish wish = {0};
    struct exr_channel channel[SSIMCU_EXR_CHANNELS];
    ssimcu_status status = split_names(task, task->channels ? task->channels : "R,G,B", &wish);
    if (status != SSIMCU_OK) return status;
    picture->part = find_part(task, file, &wish, picture, channel);
    if (picture->part < 0 && !task->layer && !task->channels) { /* Y alone: grey */
        const struct wish grey = {1, {"Y"}};
        struct exr_channel chroma;
        if (!find_channel(&file->part[0], "RY", &chroma) &&
            !find_channel(&file->part[0], "BY", &chroma))
            picture->part = find_part(task, file, &grey, picture, channel);
    }
    if (picture->part < 0) return no_channels(task, file);
    const struct exr_part *part = &file->part[picture->part];
    if (part->deep)
        return exr_fail(task, SSIMCU_ERROR_UNSUPPORTED, "deep EXR, which is not supported");
    for (uint32_t c = 0; c < picture->count; c++)
        if (channel[c].x_sampling != 1 || channel[c].y_sampling != 1)
            return exr_fail(task, SSIMCU_ERROR_UNSUPPORTED,
                            "EXR whose channel %.100s is subsampled, which is not supported",
                            channel[c].name);
    picture->tiled = part->tiled;
    return SSIMCU_OK;
}

/* ---- All ------------------------------------------------------------------------------------- */

/* Chooses the height of a band: whole rows of chunks, at least one for each thread. A band is
 * small, so that it stays in a cache on its way to the caller. Of 0.5 to 8 MB, 2 MB took the least
 * time. */
static uint64_t choose_band(uint64_t height, uint64_t row_bytes, uint64_t chunk_rows,
                            uint64_t threads)
{
    const uint64_t fitting = BAND_BYTES / (row_bytes * chunk_rows);
    const uint64_t rows = chunk_rows * (fitting > threads ? fitting : threads);
    return rows < height ? rows : height;
}

static void describe(struct ssimcu_exr_task *task, const struct exr_part *part,
                     struct ssimcu_exr_picture *picture)
{
    const uint64_t threads = task->threads > 0 ? task->threads : 1;
    struct ssimcu_exr_facts *const facts = &task->facts;
    bool half = true;
    for (uint32_t c = 0; c < picture->count; c++)
        half = half && picture->channel[c].type == SSIMCU_EXR_HALF;
    const uint64_t row_bytes =
        exr_width(&part->data) * picture->count * (half ? sizeof(uint16_t) : sizeof(float));
    facts->channel_count = picture->count;
    facts->bits = half ? SSIMCU_BITS_F16 : SSIMCU_BITS_F32;
    facts->data = part->data;
    facts->display = part->display;
    picture->chunk_rows = exr_chunks_rows(part);
    picture->band_rows =
        (uint32_t)choose_band(exr_height(&part->data), row_bytes, picture->chunk_rows, threads);
    facts->band_bytes = picture->band_rows * row_bytes;
    facts->holds = 2 * threads * exr_chunks_most_bytes(part) + facts->band_bytes;
}

ssimcu_status ssimcu_exr_structure(struct ssimcu_exr_task *task, struct ssimcu_exr_picture *picture)
{
    struct exr_file file = {.parts = 0};
    *picture = (struct ssimcu_exr_picture){.part = -1};
    ssimcu_status status = exr_header_read(task, &file);
    if (status == SSIMCU_OK && file.deep && !file.multipart)
        return exr_fail(task, SSIMCU_ERROR_UNSUPPORTED, "deep EXR, which is not supported");
    if (status == SSIMCU_OK) status = check_sizes(task, &file);
    if (status == SSIMCU_OK) status = find_picture(task, &file, picture);
    if (status == SSIMCU_OK) status = exr_chunks_check(task, &file);
    if (status == SSIMCU_OK) describe(task, &file.part[picture->part], picture);
    return status;
}
