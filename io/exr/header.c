#include "header.h"

#include "fail.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { VERSION = 2, TILED = 0x200, LONG_NAMES = 0x400, DEEP = 0x800, MULTIPART = 0x1000 };
enum { CHANNELS = 1, COMPRESSION = 2, DATA_WINDOW = 4, DISPLAY_WINDOW = 8, TILES = 16 };

ssimcu_status exr_fail(struct ssimcu_exr_task *task, ssimcu_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(task->text, sizeof task->text, format, arguments);
    va_end(arguments);
    return status;
}

static ssimcu_status damaged(struct ssimcu_exr_task *task, const char *what)
{
    FAIL_EXR(DATA, "damaged EXR (%s)", what);
}

/* ---- Bytes ----------------------------------------------------------------------------------- */

static bool take(struct exr_cursor *cursor, void *to, size_t size)
{
    if (size > cursor->size - cursor->at) return false;
    memcpy(to, cursor->bytes + cursor->at, size);
    cursor->at += size;
    return true;
}

/* Reads a number, which EXR stores with the lowest byte first. */
static bool take_number(struct exr_cursor *cursor, uint32_t *number)
{
    uint8_t byte[4];
    if (!take(cursor, byte, sizeof byte)) return false;
    *number = (uint32_t)exr_number_at(byte, sizeof byte);
    return true;
}

/* Returns a text that ends in 0, without copying it, and moves past its end. Returns NULL if it
 * does not end within `most` bytes. */
static const char *take_text(struct exr_cursor *cursor, size_t most)
{
    const size_t left = cursor->size - cursor->at, reach = left < most ? left : most;
    const char *text = (const char *)cursor->bytes + cursor->at;
    const char *end = memchr(text, 0, reach);
    if (!end) return NULL;
    cursor->at += (size_t)(end - text) + 1;
    return text;
}

bool exr_walk_next(struct exr_walk *walk)
{
    struct exr_cursor *const cursor = &walk->cursor;
    struct exr_channel *const channel = &walk->channel;
    uint32_t linear = 0, x = 0, y = 0;
    channel->name = take_text(cursor, SSIMCU_EXR_NAME);
    if (channel->name && channel->name[0] == '\0') return false;
    walk->damaged = !channel->name || !take_number(cursor, &channel->type) ||
                    !take_number(cursor, &linear) || !take_number(cursor, &x) ||
                    !take_number(cursor, &y) || channel->type > 2 || x == 0 || y == 0 ||
                    x > INT32_MAX || y > INT32_MAX;
    channel->x_sampling = (int32_t)x;
    channel->y_sampling = (int32_t)y;
    return !walk->damaged;
}

/* ---- Attributes ------------------------------------------------------------------------------ */

static bool take_window(struct exr_cursor *cursor, struct ssimcu_exr_window *window)
{
    uint32_t side[4];
    for (int i = 0; i < 4; i++)
        if (!take_number(cursor, &side[i])) return false;
    *window = (struct ssimcu_exr_window){(int32_t)side[0], (int32_t)side[1], (int32_t)side[2],
                                         (int32_t)side[3]};
    return window->x0 <= window->x1 && window->y0 <= window->y1;
}

static bool take_tiles(struct exr_cursor *cursor, struct exr_part *part)
{
    return take_number(cursor, &part->tile_width) && take_number(cursor, &part->tile_height) &&
           take(cursor, &part->tile_mode, 1) && part->tile_width > 0 && part->tile_height > 0 &&
           part->tile_width <= INT32_MAX && part->tile_height <= INT32_MAX &&
           (part->tile_mode & 15) <= 2 && part->tile_mode >> 4 <= 1;
}

static bool take_count(struct exr_cursor *cursor, struct exr_part *part)
{
    uint32_t count;
    if (!take_number(cursor, &count)) return false;
    part->chunks = count;
    part->has_count = true;
    return true;
}

static bool take_type(const struct exr_cursor *value, struct exr_part *part)
{
    static const struct {
        const char *name;
        bool tiled, deep;
    } types[] = {{"scanlineimage", false, false},
                 {"tiledimage", true, false},
                 {"deepscanline", false, true},
                 {"deeptile", true, true}};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (value->size == strlen(types[i].name) &&
            memcmp(value->bytes, types[i].name, value->size) == 0) {
            part->type = types[i].name;
            part->tiled = types[i].tiled;
            part->deep = types[i].deep;
            return true;
        }
    return false;
}

/* Reads an attribute if this reader needs it. Returns false if it is damaged. */
static bool take_value(struct exr_part *part, const char *name, struct exr_cursor value)
{
    unsigned found = 0;
    bool good = true;
    if (strcmp(name, "channels") == 0) {
        part->channels = (struct ssimcu_exr_list){value.bytes, value.size};
        found = CHANNELS;
    } else if (strcmp(name, "compression") == 0) {
        good = take(&value, &part->compression, 1);
        found = COMPRESSION;
    } else if (strcmp(name, "dataWindow") == 0) {
        good = take_window(&value, &part->data);
        found = DATA_WINDOW;
    } else if (strcmp(name, "displayWindow") == 0) {
        good = take_window(&value, &part->display);
        found = DISPLAY_WINDOW;
    } else if (strcmp(name, "tiles") == 0) {
        good = take_tiles(&value, part);
        found = TILES;
    } else if (strcmp(name, "chromaticities") == 0) {
        part->xy = value.size == 32 ? value.bytes : NULL;
    } else if (strcmp(name, "pixelAspectRatio") == 0) {
        part->aspect = value.size == 4 ? value.bytes : NULL;
    } else if (strcmp(name, "framesPerSecond") == 0) {
        part->rate = value.size == 8 ? value.bytes : NULL;
    } else if (strcmp(name, "chunkCount") == 0) {
        good = take_count(&value, part);
    } else if (strcmp(name, "type") == 0) {
        good = take_type(&value, part);
    } else if (strcmp(name, "name") == 0) {
        part->name = (const char *)value.bytes; /* a text without a 0 */
        part->name_size = value.size;
        good = !memchr(value.bytes, 0, value.size);
    }
    part->found |= found;
    return good;
}

/* Reads one header. Sets *end if it is empty, which ends the headers of a multi-part file. */
static ssimcu_status read_header(struct ssimcu_exr_task *task, struct exr_cursor *cursor,
                                 struct exr_part *part, bool *end)
{
    bool first = true;
    for (;; first = false) {
        const char *name = take_text(cursor, SSIMCU_EXR_NAME);
        if (!name) return damaged(task, "its header ends early");
        *end = name[0] == '\0' && first;
        if (name[0] == '\0') return SSIMCU_OK;
        uint32_t size;
        if (!take_text(cursor, SSIMCU_EXR_NAME) || !take_number(cursor, &size) ||
            size > cursor->size - cursor->at)
            return damaged(task, "its header ends early");
        const struct exr_cursor value = {cursor->bytes + cursor->at, size, 0};
        if (!take_value(part, name, value)) FAIL_EXR(DATA, "damaged EXR (attribute %s)", name);
        cursor->at += size;
    }
}

static ssimcu_status check_part(struct ssimcu_exr_task *task, const struct exr_file *file,
                                struct exr_part *part)
{
    const unsigned needed = CHANNELS | COMPRESSION | DATA_WINDOW | DISPLAY_WINDOW;
    if ((part->found & needed) != needed) return damaged(task, "an attribute is missing");
    if (!file->multipart && !part->deep) part->tiled = file->single_tiled;
    if (part->tiled && !(part->found & TILES)) return damaged(task, "attribute tiles is missing");
    if (file->multipart && (!part->name || !part->type || !part->has_count))
        return damaged(task, "a part lacks its name, its type or its number of chunks");
    if (part->compression == 10 || part->compression == 11)
        FAIL_EXR(UNSUPPORTED, "EXR with HTJ2K compression (of OpenEXR 3.4) is not supported");
    if (part->compression > 9)
        FAIL_EXR(UNSUPPORTED, "EXR with an unknown compression, %u", part->compression);
    return SSIMCU_OK;
}

static ssimcu_status read_version(struct ssimcu_exr_task *task, struct exr_file *file)
{
    uint32_t magic, version;
    if (!take_number(&file->cursor, &magic) || !take_number(&file->cursor, &version))
        return damaged(task, "its header ends early");
    const uint32_t flags = version & ~0xffu;
    if ((version & 0xff) != VERSION || (flags & ~(uint32_t)(TILED | LONG_NAMES | DEEP | MULTIPART)))
        FAIL_EXR(UNSUPPORTED, "EXR of an unknown version, 0x%x", version);
    file->single_tiled = (flags & TILED) != 0;
    file->deep = (flags & DEEP) != 0;
    file->multipart = (flags & MULTIPART) != 0;
    return SSIMCU_OK;
}

ssimcu_status exr_header_read(struct ssimcu_exr_task *task, struct exr_file *file)
{
    bool end = false;
    file->cursor = (struct exr_cursor){task->bytes, task->size, 0};
    TRY(read_version(task, file));
    while (file->parts == 0 || file->multipart) {
        struct exr_part *part = &file->part[file->parts];
        TRY(read_header(task, &file->cursor, part, &end));
        if (end) break;
        if (file->parts == EXR_MOST_PARTS)
            FAIL_EXR(LIMIT, "EXR with more than %d parts", EXR_MOST_PARTS);
        TRY(check_part(task, file, part));
        file->parts++;
    }
    return file->parts == 0 ? damaged(task, "it has no header") : SSIMCU_OK;
}
