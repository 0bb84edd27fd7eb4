/* How fuzz_exr changes its inputs: as libFuzzer does, but mostly inside the chunks of a file.
 * The chunks' sizes and places are then made to fit; data that deflate packs is changed inside.
 * A changed byte elsewhere rarely comes past the header and the table of chunks. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

enum { MOST_UNPACKED = 1 << 18 };

/* A file of one part, up to its table of chunks. */
struct layout {
    size_t table, chunks; /* place of the table; number of chunks */
    size_t head;          /* bytes of a chunk before its size */
    int is_deflated;
};

static uint32_t get_u32(const uint8_t *from)
{
    uint32_t value;
    memcpy(&value, from, sizeof value);
    return value;
}

static uint64_t get_u64(const uint8_t *from)
{
    uint64_t value;
    memcpy(&value, from, sizeof value);
    return value;
}

static size_t text_end(const uint8_t *data, size_t size, size_t at)
{
    while (at < size && data[at]) at++;
    return at + 1;
}

/* Returns whether the file is of one part, and every chunk lies behind the one before it. */
static int find_layout(const uint8_t *data, size_t size, struct layout *layout)
{
    size_t at = 8;
    if (size < 16 || (get_u32(data + 4) & 0x1800)) return 0; /* several parts, or deep */
    layout->head = get_u32(data + 4) & 0x200 ? 16 : 4;
    layout->is_deflated = 0;
    while (at < size && data[at]) {
        const uint8_t *name = data + at;
        at = text_end(data, size, text_end(data, size, at));
        if (at + 4 > size || get_u32(data + at) > size - at - 4) return 0;
        if (strcmp((const char *)name, "compression") == 0 && get_u32(data + at) == 1) {
            const uint8_t kind = data[at + 4];
            layout->is_deflated = kind == 2 || kind == 3; /* zips, zip */
        }
        at += 4 + get_u32(data + at);
    }
    layout->table = ++at;
    if (at + 8 > size) return 0;
    const uint64_t first = get_u64(data + at);
    if (first <= at || first > size || (first - at) % 8 != 0) return 0;
    layout->chunks = (size_t)(first - at) / 8;
    uint64_t place = first;
    for (size_t i = 0; i < layout->chunks; i++) {
        if (get_u64(data + at + 8 * i) != place || place + layout->head + 4 > size) return 0;
        const uint32_t bytes = get_u32(data + place + layout->head);
        if (bytes > size - place - layout->head - 4) return 0;
        place += layout->head + 4 + bytes;
    }
    return 1;
}

/* Changes a chunk's bytes, which have room for `most`. Packed ones stay packed. */
static size_t change(uint8_t *bytes, size_t size, size_t most, int is_deflated, unsigned seed)
{
    static uint8_t unpacked[MOST_UNPACKED];
    uLongf length = sizeof unpacked, packed = most;
    if (!is_deflated || seed % 4 == 0 || uncompress(unpacked, &length, bytes, size) != Z_OK)
        return LLVMFuzzerMutate(bytes, size, most);
    /* The window says how many bytes there are. Mostly as many are kept; now and then the change
     * may show. */
    const size_t changed =
        LLVMFuzzerMutate(unpacked, length, seed % 16 == 1 ? sizeof unpacked : length);
    if (seed % 16 != 1 && changed < length) memset(unpacked + changed, 0, length - changed);
    if (compress2(bytes, &packed, unpacked, seed % 16 == 1 ? changed : length, 1) != Z_OK)
        return size;
    return packed;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    struct layout layout;
    if (seed % 8 == 0 || !find_layout(data, size, &layout) || layout.chunks == 0)
        return LLVMFuzzerMutate(data, size, max_size);
    const size_t chunk = seed / 8 % layout.chunks;
    const size_t start = (size_t)get_u64(data + layout.table + 8 * chunk) + layout.head + 4;
    const size_t old = get_u32(data + start - 4), rest = size - start - old;
    const size_t most = old + (max_size > size ? max_size - size : 0);
    uint8_t *bytes = malloc(most + 1);
    if (!bytes) return size;
    memcpy(bytes, data + start, old);
    const size_t now = change(bytes, old, most, layout.is_deflated, seed / 64);
    memmove(data + start + now, data + start + old, rest);
    memcpy(data + start, bytes, now);
    free(bytes);
    const uint32_t written = (uint32_t)now;
    memcpy(data + start - 4, &written, sizeof written);
    for (size_t i = chunk + 1; i < layout.chunks; i++) {
        const uint64_t place = get_u64(data + layout.table + 8 * i) + now - old;
        memcpy(data + layout.table + 8 * i, &place, sizeof place);
    }
    return size - old + now;
}
