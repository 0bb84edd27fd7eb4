/* io/exr/: the checks of a header and its chunk tables, on files made byte by byte. No sample is
 * decoded here: exr.py does that. */
#define _GNU_SOURCE /* memmem */
#include "chunks.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

enum { NONE, RLE, ZIP = 3, HALF = 1, FLOAT = 2, MOST = 1 << 18 };

/* What to make. The comments name what 0 stands for. */
struct kind {
    int parts; /* 1: a file without parts */
    int32_t width, height;
    int32_t x, y;        /* the data window's corner; the display window's is 0, 0 */
    uint8_t compression; /* none */
    bool tiled;
    uint8_t mode;        /* of tiles of 16 x 8: one level */
    int32_t sampling[2]; /* of the last channel, "z": 1, 1 */
    const char *lacks;   /* an attribute to leave out: none */
    int32_t more_chunks; /* added to the right number in chunkCount, if has_count */
    bool has_count;
    uint32_t chunks; /* right number of chunks: those of scanlines or of one level */
};

struct made {
    uint8_t bytes[MOST];
    size_t size;
    size_t table;      /* place of the first chunk table */
    uint32_t chunks;   /* number of chunks of a part */
    size_t chunk[300]; /* places of all chunks */
};

static void put(struct made *m, uint64_t value, size_t bytes)
{
    cr_assert(m->size + bytes <= MOST);
    for (size_t i = 0; i < bytes; i++) m->bytes[m->size++] = (uint8_t)(value >> (8 * i));
}

static void put_text(struct made *m, const char *text)
{
    cr_assert(m->size + strlen(text) + 1 <= MOST);
    strcpy((char *)m->bytes + m->size, text);
    m->size += strlen(text) + 1;
}

static bool begin(struct made *m, const struct kind *kind, const char *name, uint32_t size)
{
    if (kind->lacks && strcmp(kind->lacks, name) == 0) return false;
    put_text(m, name);
    put_text(m, "any");
    put(m, size, 4);
    return true;
}

static void put_window(struct made *m, const struct kind *k, const char *name, int32_t x, int32_t y)
{
    if (!begin(m, k, name, 16)) return;
    const int32_t side[] = {x, y, x + k->width - 1, y + k->height - 1};
    for (int i = 0; i < 4; i++) put(m, (uint32_t)side[i], 4);
}

static void put_channels(struct made *m, const struct kind *k)
{
    static const char *const names[] = {"B", "G", "R", "z"};
    if (!begin(m, k, "channels", 4 * 18 + 1)) return;
    for (int c = 0; c < 4; c++) {
        put_text(m, names[c]);
        put(m, c == 3 ? FLOAT : HALF, 4);
        put(m, 0, 4);
        for (int i = 0; i < 2; i++)
            put(m, c == 3 && k->sampling[i] ? (uint32_t)k->sampling[i] : 1, 4);
    }
    put(m, 0, 1);
}

static void put_header(struct made *m, const struct kind *k, int part)
{
    const char *const type = k->tiled ? "tiledimage" : "scanlineimage";
    char name[] = {'p', (char)('0' + part % 64), '\0'};
    put_channels(m, k);
    if (begin(m, k, "compression", 1)) put(m, k->compression, 1);
    put_window(m, k, "dataWindow", k->x, k->y);
    put_window(m, k, "displayWindow", 0, 0);
    if (k->tiled && begin(m, k, "tiles", 9)) put(m, 16, 4), put(m, 8, 4), put(m, k->mode, 1);
    if ((k->parts > 1 || k->has_count) && begin(m, k, "chunkCount", 4))
        put(m, k->chunks + (uint32_t)k->more_chunks, 4);
    if (k->parts > 1 && begin(m, k, "type", (uint32_t)strlen(type))) put_text(m, type), m->size--;
    if (k->parts > 1 && begin(m, k, "name", 2)) put_text(m, name), m->size--;
    put(m, 0, 1);
}

/* Returns how many of `size` numbers from `first` on are multiples of `step`. */
static uint32_t multiples(int32_t first, int32_t size, int32_t step)
{
    uint32_t count = 0;
    for (int32_t i = first; i < first + size; i++) count += i % (step ? step : 1) == 0;
    return count;
}

static uint32_t row_bytes(const struct kind *k, int32_t y)
{
    const uint32_t z = multiples(k->x, k->width, k->sampling[0]) * multiples(y, 1, k->sampling[1]);
    return (uint32_t)k->width * 3 * 2 + z * 4;
}

static int32_t least(int32_t a, int32_t b) { return a < b ? a : b; }

/* Puts chunk number i of a part: its place, its size, and as many bytes. */
static void put_chunk(struct made *m, const struct kind *k, int part, uint32_t i)
{
    const int32_t across = (k->width + 15) / 16, column = (int32_t)i % across,
                  row = (int32_t)i / across;
    uint32_t bytes = 0;
    if (k->parts > 1) put(m, (uint32_t)part, 4);
    if (k->tiled) {
        put(m, (uint32_t)column, 4), put(m, (uint32_t)row, 4), put(m, 0, 8);
        bytes = (uint32_t)(least(16, k->width - column * 16) * least(8, k->height - row * 8)) * 10;
    } else {
        const int32_t rows = k->compression == ZIP ? 16 : 1, y = k->y + (int32_t)i * rows;
        put(m, (uint32_t)y, 4);
        for (int32_t r = y; r < least(y + rows, k->y + k->height); r++) bytes += row_bytes(k, r);
    }
    put(m, bytes, 4);
    for (uint32_t b = 0; b < bytes; b++) put(m, 0, 1);
}

static struct made *make(struct kind k)
{
    static struct made made;
    struct made *const m = &made;
    m->size = 0;
    if (k.parts == 0) k.parts = 1;
    if (k.width == 0) k.width = 33, k.height = 21;
    const int32_t rows = k.compression == ZIP ? 16 : 1;
    if (k.chunks == 0)
        k.chunks = (uint32_t)(k.tiled ? (k.width + 15) / 16 * ((k.height + 7) / 8)
                                      : (k.height + rows - 1) / rows);
    m->chunks = k.chunks;
    put(m, 20000630, 4);
    put(m, 2 | (k.parts > 1 ? 0x1000 : 0) | (k.tiled && k.parts == 1 ? 0x200 : 0), 4);
    for (int p = 0; p < k.parts; p++) put_header(m, &k, p);
    if (k.parts > 1) put(m, 0, 1);
    m->table = m->size;
    const uint32_t all = k.chunks * (uint32_t)k.parts;
    cr_assert(all <= 300);
    memset(m->bytes + m->size, 0, all * 8);
    m->size += all * 8;
    for (uint32_t i = 0; i < all; i++) {
        m->chunk[i] = m->size;
        memcpy(m->bytes + m->table + i * 8, &(uint64_t){m->size}, 8);
        put_chunk(m, &k, (int)(i / k.chunks), i % k.chunks);
    }
    return m;
}

static struct ssimcu_exr_task task;

static uint64_t most_pixels = 1 << 20;

static ssimcu_status read_made(const struct made *m)
{
    struct ssimcu_exr_picture picture;
    task = (struct ssimcu_exr_task){.bytes = m->bytes, .size = m->size, .max_pixels = most_pixels};
    return ssimcu_exr_structure(&task, &picture);
}

static void expect(const struct made *m, ssimcu_status wanted, const char *text)
{
    const ssimcu_status status = read_made(m);
    cr_expect(status == wanted && strstr(task.text, text), "%s: %s, %s", text,
              ssimcu_status_name(status), task.text);
}

static const struct kind good[] = {{.parts = 1},
                                   {.compression = ZIP, .y = -5},
                                   {.tiled = true},
                                   {.parts = 3, .x = 4},
                                   {.parts = 2, .tiled = true, .compression = RLE},
                                   {.sampling = {2, 1}, .x = -5},
                                   {.sampling = {1, 2}, .y = 3},
                                   {.sampling = {3, 2}, .has_count = true}};
enum { GOOD = sizeof good / sizeof good[0] };

Test(exr_structure, takes_whole_files)
{
    for (size_t i = 0; i < GOOD; i++) {
        expect(make(good[i]), SSIMCU_OK, "");
        const uint64_t chunk = 33 * 10 * (good[i].compression == ZIP ? 16 : 1),
                       band = 33 * 21 * 3 * 2; /* the whole picture is less than a band holds */
        cr_expect_eq(task.facts.holds, 2 * (good[i].tiled ? 16 * 8 * 10 : chunk) + band, "%zu", i);
        cr_expect(task.facts.bits == SSIMCU_BITS_F16 && task.facts.channel_count == 3);
        cr_expect(task.facts.data.x0 == good[i].x && task.facts.data.y1 == good[i].y + 20);
    }
}

/* One float among halves makes all samples floats, wherever it stands. */
Test(exr_structure, halves_are_halves_alone)
{
    static const char *const wishes[] = {"z,G,R", "R,z,G", "R,G,z", "R,G,B"};
    struct ssimcu_exr_picture picture;
    for (int i = 0; i < 4; i++) {
        (void)read_made(make(good[0]));
        task.channels = wishes[i];
        cr_expect_eq(ssimcu_exr_structure(&task, &picture), SSIMCU_OK);
        cr_expect_eq(task.facts.bits, i < 3 ? SSIMCU_BITS_F32 : SSIMCU_BITS_F16, "%s", wishes[i]);
    }
}

/* Every chunk of every file, with each thing wrong that a chunk can have. */
Test(exr_structure, refuses_what_is_wrong_with_a_chunk)
{
    for (size_t i = 0; i < GOOD; i++) {
        struct made *m = make(good[i]);
        put(m, 0, 1); /* the last chunk could take it */
        const bool parts = good[i].parts > 1, packed = good[i].compression != NONE;
        const size_t size_at = (parts ? 4U : 0U) + (good[i].tiled ? 16 : 4);
        const uint32_t all = m->chunks * (parts ? (uint32_t)good[i].parts : 1);
        for (uint32_t c = 0; c < all; c++) {
            uint8_t *const entry = m->bytes + m->table + c * 8, *const at = m->bytes + m->chunk[c];
            const uint64_t places[] = {0, m->chunk[0] - 1, m->size - 1, m->size + 1, UINT64_MAX};
            static const char *const texts[] = {"is missing", "lies in the header",
                                                "beyond the file", "beyond the file",
                                                "beyond the file"};
            for (int k = 0; k < 5; k++) {
                memcpy(entry, &places[k], 8);
                expect(m, SSIMCU_ERROR_DATA, texts[k]);
            }
            memcpy(entry, &(uint64_t){m->chunk[c]}, 8);
            for (size_t b = 0; b < size_at; b += 4) {
                at[b] ^= 1;
                expect(m, SSIMCU_ERROR_DATA,
                       parts && b == 0 ? "belongs to another part" : "another place");
                at[b] ^= 1;
            }
            uint32_t bytes;
            memcpy(&bytes, at + size_at, 4);
            for (int more = -1; more <= 1; more++) {
                const bool fits = more == 0 || (more < 0 && packed);
                memcpy(at + size_at, &(uint32_t){bytes + (uint32_t)more}, 4);
                expect(m, fits ? SSIMCU_OK : SSIMCU_ERROR_DATA, fits ? "" : "has a wrong size");
            }
            memset(at + size_at, 0, 4);
            expect(m, SSIMCU_ERROR_DATA, "has a wrong size");
            memcpy(at + size_at, &bytes, 4);
        }
        expect(m, SSIMCU_OK, "");
        for (size_t size = m->size - 1; size-- > 0;) {
            m->size = size;
            cr_expect_eq(read_made(m), SSIMCU_ERROR_DATA, "%zu, cut at %zu", i, size);
        }
    }
}

Test(exr_structure, wants_every_attribute)
{
    static const char *const names[] = {"channels", "compression", "dataWindow", "displayWindow",
                                        "tiles",    "chunkCount",  "type",       "name"};
    for (int n = 0; n < 8; n++)
        for (int parts = 1; parts < 3; parts++)
            expect(make((struct kind){.parts = parts, .tiled = true, .lacks = names[n]}),
                   n < 5 || parts > 1 ? SSIMCU_ERROR_DATA : SSIMCU_OK,
                   n < 5       ? " is missing"
                   : parts > 1 ? "a part lacks its name, its type or its number"
                               : "");
}

/* OpenEXR sorts the list, so that another order would exchange channels. */
Test(exr_structure, channels_must_ascend)
{
    static const char names[] = "ABCZ";
    for (const char *name = names; *name; name++) {
        struct made *const m = make(good[0]);
        m->bytes[8 + sizeof "channels" + sizeof "any" + 4 + 18] = (uint8_t)*name; /* "G" */
        expect(m, *name == 'C' ? SSIMCU_ERROR_UNSUPPORTED : SSIMCU_ERROR_DATA,
               *name == 'C' ? "without channels R, G, B" : "attribute channels");
    }
}

Test(exr_structure, names_what_it_does_not_read)
{
    const ssimcu_status no = SSIMCU_ERROR_UNSUPPORTED;
    expect(make((struct kind){.compression = 10}), no, "HTJ2K compression");
    expect(make((struct kind){.compression = 11}), no, "HTJ2K compression");
    expect(make((struct kind){.compression = 12}), no, "unknown compression, 12");
    struct made *m = make(good[0]);
    m->bytes[4] = 3;
    expect(m, no, "unknown version, 0x3");
    m->bytes[4] = 2, m->bytes[5] = 0x20;
    expect(m, no, "unknown version, 0x2002");
    m->bytes[5] = 0x08;
    expect(m, no, "deep EXR");
    for (int mode = 3; mode < 256; mode++)
        if (mode < 0x10 || mode > 0x12)
            expect(make((struct kind){.tiled = true, .mode = (uint8_t)mode}), SSIMCU_ERROR_DATA,
                   "attribute tiles");
}

Test(exr_structure, holds_the_number_of_chunks)
{
    for (int32_t more = -1; more <= 1; more++)
        for (size_t i = 0; i < GOOD; i++) {
            struct kind kind = good[i];
            kind.has_count = true;
            kind.more_chunks = more;
            expect(make(kind), more ? SSIMCU_ERROR_DATA : SSIMCU_OK, more ? "its size needs" : "");
        }
}

/* Counts the tiles of all levels by their definition. */
static uint32_t tiles_of(int32_t width, int32_t height, uint32_t mode, bool up)
{
    uint32_t count = 0, levels[2] = {1, 1};
    const int32_t longest = width > height ? width : height, size[] = {width, height};
    for (int i = 0; i < 2; i++)
        for (int32_t left = mode == 1 ? longest : size[i]; left > 1;
             left = up ? (left + 1) / 2 : left / 2)
            levels[i]++;
    for (uint32_t ly = 0; ly < levels[1]; ly++)
        for (uint32_t lx = 0; lx < levels[0]; lx++) {
            if (mode == 1 && lx != ly) continue;
            int32_t w = up ? (width + (1 << lx) - 1) >> lx : width >> lx,
                    h = up ? (height + (1 << ly) - 1) >> ly : height >> ly;
            w = w > 0 ? w : 1, h = h > 0 ? h : 1;
            count += (uint32_t)((w + 15) / 16 * ((h + 7) / 8));
        }
    return count;
}

Test(exr_structure, counts_the_tiles_of_all_levels)
{
    for (int32_t width = 1; width < 70; width++)
        for (int32_t height = 1; height < 40; height += 3)
            for (uint32_t mode = 1; mode <= 2; mode++)
                for (int up = 0; up < 2; up++)
                    for (int32_t more = -1; more <= 1; more++) {
                        const uint32_t tiles = tiles_of(width, height, mode, up);
                        struct made *m = make((struct kind){.width = width,
                                                            .height = height,
                                                            .tiled = true,
                                                            .mode = (uint8_t)(mode | (up ? 16 : 0)),
                                                            .has_count = true});
                        uint8_t *const count = m->bytes + m->table - 5; /* the last attribute */
                        memcpy(count, &(uint32_t){tiles + (uint32_t)more}, 4);
                        (void)read_made(m); /* the chunks of the other levels are not there */
                        cr_expect_eq(strstr(task.text, "its size needs") != NULL, more != 0,
                                     "%dx%d, %u, %d: %s", width, height, mode, up, task.text);
                    }
}

Test(exr_structure, a_short_number_of_chunks_is_none)
{
    struct made *const m = make((struct kind){.has_count = true});
    m->bytes[m->table - 1 - 4 - 4] = 3; /* its size, in front of its value */
    expect(m, SSIMCU_ERROR_DATA, "attribute chunkCount");
}

Test(exr_structure, a_size_of_tiles_is_whole)
{
    struct made *const m = make((struct kind){.tiled = true});
    uint8_t *const at = memmem(m->bytes, m->size, "tiles", sizeof "tiles");
    cr_assert(at);
    at[sizeof "tiles" + sizeof "any"] = 8; /* its size, which is 9 */
    expect(m, SSIMCU_ERROR_DATA, "attribute tiles");
}

static void expect_window(const char *name, int32_t x1, int32_t y1, ssimcu_status wanted,
                          const char *text)
{
    struct made *const m = make((struct kind){.width = 40, .height = 10});
    uint8_t *const at = memmem(m->bytes, m->size, name, strlen(name));
    cr_assert(at);
    memcpy(at + strlen(name) + 1 + 4 + 4 + 8, (int32_t[]){x1, y1}, 8);
    expect(m, wanted, text);
}

Test(exr_structure, holds_limits)
{
    const ssimcu_status large = SSIMCU_ERROR_LIMIT, bad = SSIMCU_ERROR_DATA;
    expect_window("dataWindow", (1 << 24) - 1, 0, large, "data window of 16777216x1");
    expect_window("displayWindow", 0, (1 << 24) - 1, large, "display window of 1x16777216");
    expect_window("displayWindow", 1023, 1023, SSIMCU_OK, "");
    expect_window("displayWindow", 1024, 1023, large, "display window of 1025x1024 pixels");
    expect_window("dataWindow", 1024, 1023, large, "data window of 1025x1024 pixels");
    expect_window("dataWindow", 1023, 1023, bad, "too short for its size");
    expect_window("dataWindow", -1, 9, bad, "attribute dataWindow");
    expect_window("displayWindow", 39, -1, bad, "attribute displayWindow");
    most_pixels = UINT64_MAX;
    expect_window("displayWindow", (1 << 24) - 1, 0, large, "display window of 16777216x1");
    expect_window("displayWindow", 0, (1 << 24) - 1, large, "display window of 1x16777216");
    expect_window("displayWindow", 0, (1 << 24) - 2, SSIMCU_OK, "");
    expect(make((struct kind){.parts = 256, .width = 1, .height = 1}), SSIMCU_OK, "");
    expect(make((struct kind){.parts = 257, .width = 1, .height = 1}), large,
           "more than 256 parts");
}
