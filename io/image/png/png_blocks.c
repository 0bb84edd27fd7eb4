/* Checks the headers of deflate blocks by zlib's rules. igzip accepts codes with unused bit
 * patterns, which no encoder writes and zlib refuses. So each header is checked here before igzip
 * reads it. */
#include "png_inflate.h"

#include <string.h>

enum { LENGTH_BITS = 7, LENGTH_CODES = 19, LITERALS = 286, DISTANCES = 30, END_OF_BLOCK = 256 };

struct bits {
    uint64_t held;
    uint32_t count;
    const uint8_t *at, *end;
    bool short_of; /* the data ended too early */
};

static uint32_t peek(struct bits *b, uint32_t count)
{
    for (; b->count < count; b->count += 8) {
        if (b->at == b->end) b->short_of = true;
        b->held |= (uint64_t)(b->at == b->end ? 0 : *b->at++) << b->count;
    }
    return (uint32_t)b->held & ((1U << count) - 1);
}

static uint32_t take(struct bits *b, uint32_t count)
{
    const uint32_t value = peek(b, count);
    b->held >>= count;
    b->count -= count;
    return value;
}

/* Returns how many bit patterns of length `longest` are unused: 0 for a complete set of codes,
 * negative if codes overlap. */
static int unused(const uint8_t *length, uint32_t count, uint32_t longest)
{
    int left = 1 << longest;
    for (uint32_t i = 0; i < count; i++)
        if (length[i]) left -= 1 << (longest - length[i]);
    return left;
}

/* Like zlib, accepts two incomplete codes: a single code of one bit, and no code at all in a block
 * without distances. */
static bool is_allowed(const uint8_t *length, uint32_t count)
{
    const int left = unused(length, count, 15);
    uint32_t used = 0, ones = 0;
    for (uint32_t i = 0; i < count; i++) used += length[i] != 0, ones += length[i] == 1;
    return left == 0 || used == 0 || (used == 1 && ones == 1);
}

/* Lists, for each pattern of 7 bits, the symbol whose code it begins with. */
static void list_symbols(const uint8_t length[LENGTH_CODES], uint8_t symbol[1 << LENGTH_BITS])
{
    uint32_t code = 0;
    for (uint32_t bits = 1; bits <= LENGTH_BITS; bits++, code <<= 1)
        for (uint32_t i = 0; i < LENGTH_CODES; i++) {
            if (length[i] != bits) continue;
            uint32_t reversed = 0;
            for (uint32_t j = 0; j < bits; j++) reversed |= (code >> j & 1) << (bits - 1 - j);
            for (uint32_t j = reversed; j < 1 << LENGTH_BITS; j += 1U << bits)
                symbol[j] = (uint8_t)i;
            code++;
        }
}

static bool read_lengths(struct bits *b, const uint8_t code[LENGTH_CODES], uint8_t *length,
                         uint32_t count)
{
    uint8_t symbols[1 << LENGTH_BITS];
    list_symbols(code, symbols);
    for (uint32_t have = 0; have < count && !b->short_of;) {
        const uint8_t symbol = symbols[peek(b, LENGTH_BITS)];
        take(b, code[symbol]);
        if (symbol < 16) {
            length[have++] = symbol;
            continue;
        }
        if (symbol == 16 && have == 0) return false;
        const uint8_t value = symbol == 16 ? length[have - 1] : 0;
        const uint32_t repeat = symbol == 16   ? 3 + take(b, 2)
                                : symbol == 17 ? 3 + take(b, 3)
                                               : 11 + take(b, 7);
        if (repeat > count - have) return false;
        memset(length + have, value, repeat);
        have += repeat;
    }
    return true;
}

static bool dynamic_is_good(struct bits *b)
{
    static const uint8_t order[LENGTH_CODES] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                                11, 4,  12, 3, 13, 2, 14, 1, 15};
    uint8_t code[LENGTH_CODES] = {0}, length[LITERALS + DISTANCES] = {0};
    const uint32_t literals = 257 + take(b, 5), distances = 1 + take(b, 5);
    const uint32_t codes = 4 + take(b, 4);
    if (literals > LITERALS || distances > DISTANCES) return false;
    for (uint32_t i = 0; i < codes; i++) code[order[i]] = (uint8_t)take(b, 3);
    if (unused(code, LENGTH_CODES, LENGTH_BITS) != 0) return false;
    return read_lengths(b, code, length, literals + distances) && length[END_OF_BLOCK] &&
           is_allowed(length, literals) && is_allowed(length + literals, distances);
}

bool ssimcu_png_block_is_good(uint64_t bits, uint32_t count, const uint8_t *more, size_t size,
                              bool *last)
{
    struct bits b = {.held = count < 64 ? bits & (((uint64_t)1 << count) - 1) : bits,
                     .count = count,
                     .at = more,
                     .end = more + size};
    *last = take(&b, 1);
    const uint32_t kind = take(&b, 2);
    if (b.short_of || kind == 3) return false;
    return kind != 2 || (dynamic_is_good(&b) && !b.short_of);
}
