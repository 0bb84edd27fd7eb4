/* png_mutations [COUNT [SEED]]: gives PNGs, damaged at random, to both readers of io/image/, and
 * to the fast one with a thread and with two. Most PNGs are small, some have several bands. The
 * fast reader may take nothing that libpng refuses, nor make other pixels of what both take.
 * CRCs are right again in half of them, Adler-32 in another half, so that the damage behind them
 * is reached.
 *
 * This is a plain program, which every sanitizer takes and which can run for any time. */
#include "png_maker.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static uint32_t state = 1;

static uint32_t below(uint32_t count) { return (png_random(&state) >> 3) % count; }

static bool one_in(uint32_t count) { return below(count) == 0; }

/* ---- An inflate that takes any code, complete or not, to know the Adler-32 of what igzip might
 * ---- */

struct lenient {
    const uint8_t *at, *end;
    uint32_t held, count;
    bool over;
    uint8_t made[1 << 16];
    size_t size;
};

struct code {
    uint16_t count[16], symbol[320];
};

static uint32_t bits(struct lenient *z, uint32_t count)
{
    while (z->count < count) {
        if (z->at == z->end) z->over = true;
        z->held |= (uint32_t)(z->at == z->end ? 0 : *z->at++) << z->count;
        z->count += 8;
    }
    const uint32_t value = z->held & ((1U << count) - 1);
    z->held >>= count;
    z->count -= count;
    return value;
}

static void make_code(struct code *code, const uint8_t *length, uint32_t count)
{
    uint16_t at[17] = {0};
    memset(code, 0, sizeof *code);
    for (uint32_t i = 0; i < count; i++) code->count[length[i]]++;
    code->count[0] = 0;
    for (uint32_t i = 1; i < 16; i++) at[i + 1] = (uint16_t)(at[i] + code->count[i]);
    for (uint32_t i = 0; i < count; i++)
        if (length[i]) code->symbol[at[length[i]]++] = (uint16_t)i;
}

static uint32_t decode(struct lenient *z, const struct code *code)
{
    int value = 0, first = 0, index = 0;
    for (int length = 1; length < 16 && !z->over; length++) {
        value |= (int)bits(z, 1);
        if (value - code->count[length] < first)
            return value >= first ? code->symbol[index + value - first] : 999;
        index += code->count[length];
        first = (first + code->count[length]) << 1;
        value <<= 1;
    }
    return 999;
}

static bool put(struct lenient *z, uint8_t byte)
{
    if (z->size == sizeof z->made) return false;
    z->made[z->size++] = byte;
    return true;
}

static bool codes_block(struct lenient *z, const struct code *literals,
                        const struct code *distances)
{
    static const uint16_t base[] = {3,  4,  5,  6,  7,  8,  9,  10, 11,  13,  15,  17,  19,  23, 27,
                                    31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258};
    static const uint8_t extra[] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
                                    2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
    for (uint32_t symbol; (symbol = decode(z, literals)) != 256;) {
        if (symbol > 285 || z->over) return false;
        if (symbol < 256) {
            if (!put(z, (uint8_t)symbol)) return false;
            continue;
        }
        uint32_t length = base[symbol - 257] + bits(z, extra[symbol - 257]);
        const uint32_t far = decode(z, distances);
        if (far > 29) return false;
        const uint32_t more = far < 4 ? 0 : far / 2 - 1;
        const uint32_t distance = (far < 4 ? far : (2 + far % 2) << more) + 1 + bits(z, more);
        if (distance > z->size) return false;
        for (; length; length--)
            if (!put(z, z->made[z->size - distance])) return false;
    }
    return true;
}

static bool read_codes(struct lenient *z, struct code *literals, struct code *distances)
{
    static const uint8_t order[] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                    11, 4,  12, 3, 13, 2, 14, 1, 15};
    uint8_t length[320 + 138] = {0};
    const uint32_t literal_count = bits(z, 5) + 257, distance_count = bits(z, 5) + 1;
    const uint32_t count = bits(z, 4) + 4;
    for (uint32_t i = 0; i < count; i++) length[order[i]] = (uint8_t)bits(z, 3);
    make_code(literals, length, 19);
    memset(length, 0, sizeof length);
    for (uint32_t i = 0; i < literal_count + distance_count;) {
        const uint32_t symbol = decode(z, literals);
        if (symbol > 18 || z->over) return false;
        uint32_t repeat = symbol < 16    ? 1
                          : symbol == 16 ? 3 + bits(z, 2)
                          : symbol == 17 ? 3 + bits(z, 3)
                                         : 11 + bits(z, 7);
        const uint8_t value = symbol < 16 ? (uint8_t)symbol : symbol == 16 && i ? length[i - 1] : 0;
        for (; repeat; repeat--) length[i++] = value;
    }
    make_code(literals, length, literal_count);
    make_code(distances, length + literal_count, distance_count);
    return true;
}

static bool fixed_codes(struct code *literals, struct code *distances)
{
    uint8_t length[288];
    for (int i = 0; i < 288; i++) length[i] = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8;
    make_code(literals, length, 288);
    memset(length, 5, 30);
    make_code(distances, length, 30);
    return true;
}

static bool stored(struct lenient *z)
{
    z->held = z->count = 0;
    uint32_t size = bits(z, 16);
    bits(z, 16);
    for (; size && !z->over; size--)
        if (!put(z, (uint8_t)bits(z, 8))) return false;
    return !z->over;
}

/* Puts the Adler-32 of what the stream holds behind it, if the stream can be read at all. */
static void repair_adler(uint8_t *zlib, size_t *size)
{
    static struct lenient z;
    struct code literals, distances;
    z.at = zlib + 2, z.end = zlib + *size;
    z.held = z.count = 0;
    z.over = false;
    z.size = 0;
    for (bool last = false; !last;) {
        last = bits(&z, 1);
        const uint32_t kind = bits(&z, 2);
        if (kind == 3 || z.over) return;
        if (kind == 0 ? !stored(&z)
                      : !(kind == 1 ? fixed_codes(&literals, &distances)
                                    : read_codes(&z, &literals, &distances)) ||
                            !codes_block(&z, &literals, &distances))
            return;
    }
    const uint32_t adler = (uint32_t)adler32(1, z.made, (uInt)z.size);
    const size_t at = (size_t)(z.at - zlib) - z.count / 8;
    if (at + 4 > *size) return;
    for (int i = 0; i < 4; i++) zlib[at + (size_t)i] = (uint8_t)(adler >> (24 - 8 * i));
    if (!one_in(4)) *size = at + 4;
}

/* ---- Files ----------------------------------------------------------------------------------- */

static void flip(uint8_t *bytes, size_t size, uint32_t count)
{
    for (; count && size; count--) {
        uint8_t *const byte = bytes + below((uint32_t)size);
        *byte = (uint8_t)(one_in(2) ? *byte ^ 1U << below(8) : below(256));
    }
}

static void put_data(made_png *png, png_shape shape)
{
    static uint8_t raw[1 << 18];
    const png_style style = {(int)below(10), (int)below(5), one_in(4) ? 9 + (int)below(7) : 15, 0};
    const size_t row = png_row_bytes(shape) + 1;
    size_t size = shape.height * row, zlib_size = 0;
    for (size_t i = 0; i < size; i++)
        raw[i] = i % row ? (uint8_t)(below(1 + (uint32_t)i % 200) ^ i)
                         : (uint8_t)below(one_in(40) ? 6 : 5);
    if (one_in(20)) size = size + below(3) - 1;
    uint8_t *const zlib = png_deflate(raw, size, style, &zlib_size);
    if (one_in(2)) {
        const size_t start = zlib_size < 90 || one_in(4) ? zlib_size : 90; /* headers */
        flip(zlib, start, 1 + below(2));
        if (one_in(2)) repair_adler(zlib, &zlib_size);
    }
    if (one_in(20)) zlib_size -= below(5) < zlib_size ? below(5) : 0;
    const size_t idat = one_in(2) ? 1 + below(60) : 0, cut = one_in(10) ? below(8) : zlib_size;
    if (one_in(30)) png_put_chunk(png, "IDAT", "", 0);
    png_put_idats(png, zlib, cut < zlib_size ? cut : zlib_size, idat);
    if (cut < zlib_size && one_in(2)) png_put_chunk(png, one_in(2) ? "tEXt" : "IDAT", "", 0);
    if (cut < zlib_size) png_put_idats(png, zlib + cut, zlib_size - cut, idat);
    if (one_in(30)) png_put_chunk(png, "IDAT", "xy", below(3));
    free(zlib);
}

static void put_others(made_png *png, png_shape shape)
{
    static const char *const types[] = {"tEXt", "gAMA", "eXIf", "iCCP", "prIv", "priv", "PLTE",
                                        "tRNS", "IHDR", "CRIT", "a1bc", "acTL", "cICP", "hIST"};
    uint8_t bytes[800];
    for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (uint8_t)below(256);
    if (one_in(6)) png_put_chunk(png, types[below(one_in(2) ? 5 : 14)], bytes, below(40));
    if (shape.color == PALETTE ? !one_in(20) : one_in(20))
        png_put_chunk(png, "PLTE", bytes, one_in(10) ? below(800) : one_in(4) ? 600 : 768);
    static const size_t sizes[] = {2, 0, 6, 100};
    if (!one_in(4)) return;
    for (int i = 0; i < 6 && shape.bits == 8 && !one_in(5); i += 2) bytes[i] = 0;
    png_put_chunk(png, "tRNS", bytes, one_in(10) ? below(300) : sizes[shape.color % 4]);
}

static void make(made_png *png)
{
    static const int colors[] = {GREY, RGB, PALETTE, GREY_ALPHA, RGBA};
    png_shape shape = {1 + below(12), 1 + below(20), one_in(3) ? 16 : 8, colors[below(5)]};
    if (one_in(100)) shape.width = 100 + below(60), shape.height = 150 + below(50);
    if (shape.color == PALETTE) shape.bits = 8;
    png->size = 0;
    png_put_start(png, shape);
    put_others(png, shape);
    put_data(png, shape);
    if (one_in(6)) put_others(png, (png_shape){.color = GREY});
    if (!one_in(40)) png_put_chunk(png, "IEND", "x", one_in(40));
    if (one_in(20)) png_put(png, "behind the end", below(14));
    if (one_in(3)) {
        flip(png->bytes + 8, png->size - 8,
             1 + below(2)); /* what has another signature is no PNG */
        if (one_in(2)) png_repair_crcs(png);
    }
    if (one_in(50)) png->size -= below((uint32_t)png->size);
}

static int complain(const made_png *png, long index)
{
    FILE *const file = fopen("differs.png", "wb");
    if (file) fwrite(png->bytes, 1, png->size, file), fclose(file);
    printf("png_mutations: file %ld: the readers differ; it is differs.png\n", index);
    return 1;
}

int main(int count, char **argument)
{
    const long files = count > 1 ? atol(argument[1]) : 20000;
    if (count > 2) state = (uint32_t)atol(argument[2]) | 1;
    made_png png = {0};
    long verdicts[4] = {0};
    for (long i = 0; i < files; i++) {
        make(&png);
        uint8_t *const bytes = malloc(png.size + !png.size); /* the exact size, for sanitizers */
        memcpy(bytes, png.bytes, png.size);
        const enum verdict verdict = png_compare_readers(bytes, png.size);
        free(bytes);
        verdicts[verdict]++;
        if (verdict == DIFFER) return complain(&png, i);
    }
    printf("png_mutations: %ld files: both read %ld, libpng alone %ld, neither %ld\n", files,
           verdicts[BOTH_READ], verdicts[ONLY_LIBPNG_READ], verdicts[REFUSED]);
    free(png.bytes);
    return verdicts[BOTH_READ] < files / 5 || verdicts[REFUSED] < files / 5;
}
