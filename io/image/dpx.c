/* DPX (SMPTE 268M), read without a library: a header with fixed offsets and uncompressed samples.
 *
 * Samples are read as stored, whether logarithmic, linear or video. No transfer is undone, and the
 * reference codes for black and white are ignored. There is no checksum, but missing samples are an
 * error. Bytes after the picture are skipped, because scanners store data there. */
#include "codec.h"
#include "image_limits.h"
#include "orientation.h"

#include <stdlib.h>

enum { UNDEFINED_16 = 0xFFFF };
static const uint32_t UNDEFINED = 0xFFFFFFFF;

/* offsets in the header; ELEMENT is the start of the first element's description */
enum {
    IMAGE_OFFSET = 4,
    FILE_SIZE = 16,
    ENCRYPTION_KEY = 660,
    ORIENTATION = 768,
    ELEMENTS = 770,
    WIDTH = 772,
    HEIGHT = 776,
    ELEMENT = 780,
    SIGN = ELEMENT,
    DESCRIPTOR = ELEMENT + 20,
    BITS = ELEMENT + 23,
    PACKING = ELEMENT + 24,
    ENCODING = ELEMENT + 26,
    DATA_OFFSET = ELEMENT + 28,
    LINE_PADDING = ELEMENT + 32,
    IMAGE_PADDING = ELEMENT + 36,
    HEADER_BYTES = 1408, /* general and image header; film and television headers may follow */
    ASPECT = 1628,
    FILM_RATE = 1724,
    VIDEO_RATE = 1940,
    ALL_HEADERS = 2048
};

enum { PACKED, FILLED_A, FILLED_B };

typedef struct dpx {
    const ssimcu_file *file;
    bool little_endian;
    uint32_t width, height; /* size of the stored lines */
    uint32_t channels, bits, packing;
    unsigned orientation; /* orientation as in Exif */
    uint32_t offset;      /* offset of the first line in the file */
    uint64_t line_bytes;  /* bytes from one line to the next */
} dpx;

static uint32_t u32(const uint8_t *at, bool little_endian)
{
    return little_endian
               ? (uint32_t)at[3] << 24 | (uint32_t)at[2] << 16 | (uint32_t)at[1] << 8 | at[0]
               : (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static uint16_t u16(const uint8_t *at, bool little_endian)
{
    return (uint16_t)(little_endian ? at[1] << 8 | at[0] : at[0] << 8 | at[1]);
}

static uint32_t field(const dpx *d, size_t at)
{
    return u32(d->file->bytes + at, d->little_endian);
}

static uint32_t field_16(const dpx *d, size_t at)
{
    return u16(d->file->bytes + at, d->little_endian);
}

static uint32_t defined(uint32_t value) { return value == UNDEFINED ? 0 : value; }

/* ---- The header ------------------------------------------------------------------------------ */

static ssimcu_status damaged(const dpx *d, const char *text)
{
    FAIL_FILE(d->file, DATA, "damaged DPX (%s)", text);
}

/* Names a feature of the file that this reader does not support; NULL: none. */
static const char *trouble(const dpx *d)
{
    const uint8_t *const bytes = d->file->bytes;
    const uint32_t key = field(d, ENCRYPTION_KEY), encoding = field_16(d, ENCODING);
    if (key != 0 && key != UNDEFINED) return "encryption";
    const uint32_t elements = field_16(d, ELEMENTS);
    if (elements == 0 || elements == UNDEFINED_16) return "no image element";
    if (elements != 1) return "more than one image element";
    if (bytes[DESCRIPTOR] != 6 && bytes[DESCRIPTOR] != 50 && bytes[DESCRIPTOR] != 51)
        return "elements other than RGB, RGBA and luma";
    if (defined(field(d, SIGN)) != 0) return "signed samples";
    if (d->bits != 8 && d->bits != 10 && d->bits != 12 && d->bits != 16)
        return "samples of a size other than 8, 10, 12 and 16 bits";
    if (encoding != 0 && encoding != UNDEFINED_16) return "run-length encoding";
    if ((d->bits == 10 || d->bits == 12) && d->packing > FILLED_B) return "unknown packing";
    if (d->bits == 10 && d->channels == 1) /* programs disagree about the samples' order */
        return "10-bit luma";
    return NULL;
}

/* Returns the bytes of a line's samples. Lines should begin at 32-bit boundaries. */
static uint64_t sample_bytes(const dpx *d)
{
    const uint64_t samples = (uint64_t)d->width * d->channels;
    if (d->bits == 8) return samples;
    if (d->bits == 10 && d->packing != PACKED) return (samples + 2) / 3 * 4;
    if (d->bits != 16 && d->packing == PACKED) return (samples * d->bits + 31) / 32 * 4;
    return samples * 2;
}

static ssimcu_status measure(dpx *d)
{
    const uint32_t at = field(d, DATA_OFFSET);
    const uint32_t in_line = defined(field(d, LINE_PADDING)),
                   behind = defined(field(d, IMAGE_PADDING));
    const uint64_t bytes = sample_bytes(d), words = (bytes + 3) / 4 * 4;
    d->offset = field(d, IMAGE_OFFSET);
    if (at != 0 && at != UNDEFINED && at != d->offset)
        return damaged(d, "two offsets for the samples");
    if (d->offset < HEADER_BYTES || d->offset > d->file->size)
        return damaged(d, "the samples are not in the file");
    const uint64_t left = d->file->size - d->offset;
    const uint64_t whole = (words + in_line) * d->height, ragged = (bytes + in_line) * d->height;
    const uint64_t size = field(d, FILE_SIZE);
    /* If lines end within a word, bytes after the picture make the file ambiguous. Its header must
     * then give the picture's length. */
    const bool told = size == d->offset + whole || size == d->offset + whole + behind;
    d->line_bytes = words + in_line;
    if (left == whole || left == whole + behind) return SSIMCU_OK;
    if (left > whole && (words == bytes || told)) return SSIMCU_OK;
    /* Some programs end a line where its samples end. A truncated file could look like theirs, so
     * this is accepted only if the header gives the file's exact size. */
    d->line_bytes = bytes + in_line;
    if (size == d->file->size && (left == ragged || left == ragged + behind)) return SSIMCU_OK;
    FAIL_FILE(d->file, DATA, "%s DPX (%llu bytes of samples, expected %llu)",
              left < whole ? "truncated" : "damaged", (unsigned long long)left,
              (unsigned long long)whole);
}

/* Converts DPX's scan direction, which counts from 0, to Exif's orientation; 0 if it is unknown. */
static unsigned orientation_of(const dpx *d)
{
    static const uint8_t exif[] = {1, 2, 4, 3, 5, 6, 8, 7};
    const uint32_t value = field_16(d, ORIENTATION);
    return value == UNDEFINED_16 ? 1 : value < sizeof exif ? exif[value] : 0;
}

static ssimcu_status examine(dpx *d)
{
    const ssimcu_file *const file = d->file;
    if (file->size < HEADER_BYTES) FAIL_FILE(file, DATA, "truncated DPX (the header ends early)");
    d->little_endian = file->bytes[0] == 'X';
    const uint32_t size = defined(field(d, FILE_SIZE)); /* ImageMagick writes a value that is too
                                                           small */
    if (size > file->size)
        FAIL_FILE(file, DATA, "truncated DPX (%llu bytes, its header says %u)",
                  (unsigned long long)file->size, size);
    const uint8_t descriptor = file->bytes[DESCRIPTOR];
    d->channels = descriptor == 50 ? 3 : descriptor == 51 ? 4 : 1;
    d->bits = file->bytes[BITS];
    d->packing = field_16(d, PACKING);
    d->width = field(d, WIDTH);
    d->height = field(d, HEIGHT);
    d->orientation = orientation_of(d);
    const char *const why = trouble(d);
    if (why) FAIL_FILE(file, UNSUPPORTED, "DPX with %s is not supported", why);
    if (d->width == 0 || d->height == 0) return damaged(d, "a side is 0");
    if (d->orientation == 0) return damaged(d, "unknown orientation");
    TRY(ssimcu_limits_check(&file->options, file->name, d->width, d->height, file->message));
    return measure(d);
}

/* ---- Samples --------------------------------------------------------------------------------- */

/* Unpacks three samples from each word, the first in the highest bits. The lowest `low` bits are
 * unused. */
static inline __attribute__((always_inline)) void read_filled_10(const uint8_t *from, uint16_t *to,
                                                                 size_t count, unsigned low,
                                                                 const bool little_endian)
{
    for (; count >= 3; count -= 3, from += 4, to += 3) {
        const uint32_t word = u32(from, little_endian) >> low;
        to[0] = (uint16_t)(word >> 20 & 1023);
        to[1] = (uint16_t)(word >> 10 & 1023);
        to[2] = (uint16_t)(word & 1023);
    }
    for (size_t i = 0; i < count; i++)
        to[i] = (uint16_t)(u32(from, little_endian) >> low >> (20 - 10 * i) & 1023);
}

/* Unpacks samples that follow each other without gaps, the first in a word's lowest bits. */
static void read_packed(const dpx *d, const uint8_t *from, uint16_t *to, size_t count)
{
    uint64_t held = 0;
    uint32_t bits = 0;
    for (size_t i = 0; i < count; i++) {
        if (bits < d->bits) {
            held |= (uint64_t)u32(from, d->little_endian) << bits;
            bits += 32;
            from += 4;
        }
        to[i] = (uint16_t)(held & ((1U << d->bits) - 1));
        held >>= d->bits;
        bits -= d->bits;
    }
}

static void read_line(const dpx *d, const uint8_t *from, void *to, size_t count)
{
    uint16_t *const wide = to;
    if (d->bits == 8) {
        memcpy(to, from, count);
    } else if (d->bits != 16 && d->packing == PACKED) {
        read_packed(d, from, wide, count);
    } else if (d->bits == 10) {
        const unsigned low = d->packing == FILLED_A ? 2 : 0;
        if (d->little_endian)
            read_filled_10(from, wide, count, low, true);
        else
            read_filled_10(from, wide, count, low, false);
    } else {
        const unsigned low = d->bits == 12 && d->packing == FILLED_A ? 4 : 0;
        const unsigned peak = (1U << d->bits) - 1;
        for (size_t i = 0; i < count; i++)
            wide[i] = (uint16_t)(u16(from + 2 * i, d->little_endian) >> low & peak);
    }
}

static ssimcu_status decode(const dpx *d, const ssimcu_frame *frame)
{
    const size_t samples = (size_t)d->width * d->channels;
    const size_t size = d->channels * (d->bits > 8 ? 2 : 1);
    const ssimcu_placement place = ssimcu_orientation_place(frame, d->orientation);
    const bool plain = place.next_pixel == (ptrdiff_t)size;
    uint8_t *const line = plain ? NULL : malloc(d->width * size);
    if (!plain && !line) FAIL_FILE(d->file, MEMORY, "out of memory");
    for (uint32_t y = 0; y < d->height; y++) {
        const uint8_t *const from = d->file->bytes + d->offset + y * d->line_bytes;
        uint8_t *const to = place.first + y * place.next_row;
        read_line(d, from, plain ? to : line, samples);
        for (uint32_t x = 0; x < d->width && !plain; x++)
            memcpy(to + x * place.next_pixel, line + x * size, size);
    }
    free(line);
    return SSIMCU_OK;
}

/* ---- The row of the table -------------------------------------------------------------------- */

static bool is_dpx(const ssimcu_file *file)
{
    return ssimcu_file_begins(file, "SDPX", 4) || ssimcu_file_begins(file, "XPDS", 4);
}

static float field_float(const dpx *d, size_t at)
{
    const uint32_t bits = field(d, at);
    float number = 0;
    if (bits != UNDEFINED) memcpy(&number, &bits, sizeof number);
    return number;
}

/* Notes what the headers that may follow declare. */
static void declare(const dpx *d, ssimcu_file *file)
{
    if (file->size < ALL_HEADERS || d->offset < ALL_HEADERS) return;
    const uint32_t across = defined(field(d, ASPECT)), down = defined(field(d, ASPECT + 4));
    const double film = (double)field_float(d, FILM_RATE),
                 rate = film > 0 ? film : (double)field_float(d, VIDEO_RATE);
    if (across > 0 && down > 0)
        snprintf(file->declared[SSIMCU_DECLARED_PIXEL_ASPECT], 48, "%u/%u", across, down);
    if (rate > 0) snprintf(file->declared[SSIMCU_DECLARED_RATE], 48, "%.6g", rate);
}

static ssimcu_status read_dpx(ssimcu_file *file, ssimcu_frame *frame)
{
    file->reader = "ssimcu";
    dpx d = {.file = file};
    TRY(examine(&d));
    if (frame->data) return decode(&d, frame);
    frame->width = d.orientation >= 5 ? d.height : d.width;
    frame->height = d.orientation >= 5 ? d.width : d.height;
    frame->channels = d.channels;
    frame->bits = d.bits;
    declare(&d, file);
    return SSIMCU_OK;
}

const ssimcu_codec ssimcu_codec_dpx = {
    .name = "DPX",
    .library = "",
    .extension = (const char *const[]){".dpx", NULL},
    .is = is_dpx,
    .read = read_dpx,
};
