/* TIFF through libtiff, from memory.
 *
 * Any error or warning of libtiff ends the read, except about tags that do not affect pixels.
 * Nothing is printed, and no handler is global, so many threads can read files. Features that
 * programs show differently are refused by name. */
#include "tiff_page.h"

#include "image/image_limits.h"
#include "tiff.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Thumbnails and the levels of a texture are pages, too. A file with more pages is not a
 * picture. */
enum { MAX_PAGES = 64 };

/* Bytes that libtiff may allocate at once for a page's tables, in addition to four times the file's
 * size. */
enum { TABLE_BYTES = 16 << 20 };

/* ---- libtiff's way to the file, and its messages --------------------------------------------- */

static tmsize_t read_bytes(thandle_t handle, void *to, tmsize_t size)
{
    ssimcu_tiff *const t = handle;
    const uint64_t left = t->at < t->file->size ? t->file->size - t->at : 0;
    const size_t got = (uint64_t)size < left ? (size_t)size : (size_t)left;
    memcpy(to, t->file->bytes + t->at, got);
    t->at += got;
    return (tmsize_t)got;
}

static tmsize_t write_bytes(thandle_t handle, void *from, tmsize_t size)
{
    (void)handle, (void)from, (void)size;
    return -1;
}

static toff_t seek(thandle_t handle, toff_t offset, int from)
{
    ssimcu_tiff *const t = handle;
    t->at = offset + (from == SEEK_CUR ? t->at : from == SEEK_END ? t->file->size : 0);
    return t->at;
}

static toff_t size_of(thandle_t handle) { return ((ssimcu_tiff *)handle)->file->size; }

static int no_close(thandle_t handle)
{
    (void)handle;
    return 0;
}

/* Lets libtiff decode from the file's bytes without a copy. */
static int map(thandle_t handle, void **bytes, toff_t *size)
{
    const ssimcu_file *const file = ((ssimcu_tiff *)handle)->file;
    memcpy(bytes, &file->bytes, sizeof *bytes); /* libtiff only reads them */
    *size = file->size;
    return 1;
}

static void unmap(thandle_t handle, void *bytes, toff_t size)
{
    (void)handle, (void)bytes, (void)size;
}

/* Warnings about unknown tags, and about the order of tags. Only its format string identifies such
 * a warning. If libtiff changes it, such files are refused, and a test fails. */
static const char *const unknown[] = {
    "Unknown field with tag %" PRIu16 " (0x%" PRIx16 ") encountered",
    "Defined set_field_type of custom tag %u (%s) is TIFF_SETGET_UNDEFINED and thus tag is not "
    "read from file"};
static const char unsorted[] = "Invalid TIFF directory; tags are not sorted in ascending order";

/* Handles errors and warnings. Nearly every program writes private tags, and many write faulty
 * texts, names and dates. Neither changes the samples. */
static int on_message(TIFF *tiff, void *user, const char *module, const char *format,
                      va_list values)
{
    (void)tiff, (void)module;
    ssimcu_tiff *const t = user;
    char text[sizeof t->complaint];
    vsnprintf(text, sizeof text, format, values);
    for (char *at = text; *at; at++)
        if (*at == '\n') *at = ' '; /* some have two lines */
    if (strcmp(format, unsorted) == 0)
        t->unsorted = true;
    else if (strcmp(format, unknown[0]) != 0 && strcmp(format, unknown[1]) != 0 &&
             !ssimcu_tiff_is_harmless(text) && !t->complaint[0])
        memcpy(t->complaint, text, sizeof text);
    return 1; /* 1: libtiff prints nothing */
}

static ssimcu_status open_tiff(ssimcu_tiff *t)
{
    const ssimcu_file *const file = t->file;
    TIFFOpenOptions *const options = TIFFOpenOptionsAlloc();
    if (!options) FAIL_FILE(file, MEMORY, "out of memory");
    TIFFOpenOptionsSetMaxSingleMemAlloc(options, (tmsize_t)file->size * 4 + TABLE_BYTES);
    TIFFOpenOptionsSetErrorHandlerExtR(options, on_message, t);
    TIFFOpenOptionsSetWarningHandlerExtR(options, on_message, t);
    /* libtiff puts the name into its messages; a real file name could contain quotes. */
    t->tiff = TIFFClientOpenExt("TIFF", "rc", t, read_bytes, write_bytes, seek, no_close, size_of,
                                map, unmap, options);
    TIFFOpenOptionsFree(options);
    return t->tiff ? SSIMCU_OK : ssimcu_tiff_damaged(t, "no directory");
}

/* ---- The page -------------------------------------------------------------------------------- */

static ssimcu_status refuse(const ssimcu_tiff *t, const char *what)
{
    FAIL_FILE(t->file, UNSUPPORTED, "%s", what);
}

/* Returns a 16-bit tag, or its default if the file lacks it; 0 if there is no default. */
static uint16_t tag(const ssimcu_tiff *t, uint32_t which)
{
    uint16_t value = 0;
    return TIFFGetFieldDefaulted(t->tiff, which, &value) ? value : 0;
}

/* Returns whether the page is a level of a texture: each side is half of that in `size`, the
 * previous level. `size` then becomes the page's size. Renderers' tools mark textures, but not
 * their levels. */
static bool is_level(const ssimcu_tiff *t, uint32_t size[2])
{
    const char *format = NULL;
    uint32_t side[2] = {0};
    TIFFGetField(t->tiff, TIFFTAG_IMAGEWIDTH, &side[0]);
    TIFFGetField(t->tiff, TIFFTAG_IMAGELENGTH, &side[1]);
    bool half = TIFFGetField(t->tiff, TIFFTAG_PIXAR_TEXTUREFORMAT, &format) != 0;
    half = half && (size[0] > 1 || size[1] > 1);
    for (int i = 0; i < 2; i++) {
        half = half && (side[i] == size[i] / 2 || side[i] == size[i] - size[i] / 2);
        size[i] = side[i];
    }
    return half;
}

/* Finds the file's only page of full resolution. If there were several, the score of one would
 * ignore the others. */
static ssimcu_status find_page(ssimcu_tiff *t)
{
    int found = -1;
    uint32_t size[2] = {0};
    for (int page = 0;; page++) {
        uint32_t kind = 0;
        if (t->unsorted && ssimcu_tiff_has_twice(t))
            return ssimcu_tiff_damaged(t, "a tag occurs twice");
        TIFFGetFieldDefaulted(t->tiff, TIFFTAG_SUBFILETYPE, &kind);
        if (!(kind & FILETYPE_REDUCEDIMAGE) && !is_level(t, size)) {
            if (found >= 0)
                return refuse(t, "TIFF of more than one page: only a single picture can be "
                                 "compared");
            found = page;
        }
        if (TIFFLastDirectory(t->tiff)) {
            if (found < 0) return refuse(t, "TIFF with only a thumbnail");
            if (page != found && !TIFFSetDirectory(t->tiff, (tdir_t)found)) break;
            return SSIMCU_OK;
        }
        if (page == MAX_PAGES) return refuse(t, "TIFF with too many pages");
        if (ssimcu_tiff_lacks_next(t)) /* a truncated file of several pages looks the same */
            FAIL_FILE(t->file, DATA, "truncated TIFF (a later page begins beyond its end)");
        if (!TIFFReadDirectory(t->tiff)) break;
    }
    return ssimcu_tiff_damaged(t, "a page cannot be read");
}

static const char *compression_trouble(uint16_t compression)
{
    switch (compression) {
    case COMPRESSION_NONE:
    case COMPRESSION_LZW:
    case COMPRESSION_PACKBITS:
    case COMPRESSION_ADOBE_DEFLATE:
    case COMPRESSION_DEFLATE: return NULL;
    case COMPRESSION_OJPEG:
    case COMPRESSION_JPEG: return "JPEG compression";
    case COMPRESSION_CCITTRLE:
    case COMPRESSION_CCITTRLEW:
    case COMPRESSION_CCITTFAX3:
    case COMPRESSION_CCITTFAX4: return "CCITT fax compression";
    case COMPRESSION_ZSTD: return "Zstandard compression";
    case COMPRESSION_LZMA: return "LZMA compression";
    case COMPRESSION_WEBP: return "WebP compression";
    case COMPRESSION_LERC: return "LERC compression";
    case COMPRESSION_JP2000: return "JPEG 2000 compression";
    default: return "a compression other than LZW, deflate and PackBits";
    }
}

static const char *photometric_trouble(uint16_t photometric)
{
    switch (photometric) {
    case PHOTOMETRIC_MINISBLACK:
    case PHOTOMETRIC_MINISWHITE:
    case PHOTOMETRIC_RGB:
    case PHOTOMETRIC_PALETTE: return NULL;
    case PHOTOMETRIC_MASK: return "a transparency mask";
    case PHOTOMETRIC_SEPARATED: return "CMYK";
    case PHOTOMETRIC_YCBCR: return "YCbCr";
    case PHOTOMETRIC_CIELAB:
    case PHOTOMETRIC_ICCLAB:
    case PHOTOMETRIC_ITULAB: return "Lab";
    case PHOTOMETRIC_LOGL:
    case PHOTOMETRIC_LOGLUV: return "LogLuv";
    case PHOTOMETRIC_CFA: return "raw data of a camera";
    default: return "a colour space other than grey, palette and RGB";
    }
}

/* Names an unsupported feature of the samples, or returns NULL. Unsupported are depths other than
 * 8, 16 and (floats) 32 bits, signed and complex samples, and invalid combinations with a
 * palette. */
static const char *sample_trouble(ssimcu_tiff *t, uint16_t format)
{
    if (format == SAMPLEFORMAT_IEEEFP) {
        t->floating = true;
        if (t->bits != 16 && t->bits != 32) return "floats of a size other than 16 and 32 bits";
        const bool plain =
            t->photometric == PHOTOMETRIC_RGB || t->photometric == PHOTOMETRIC_MINISBLACK;
        return plain ? NULL : "floats other than RGB and grey with 0 as black";
    }
    if (format == SAMPLEFORMAT_INT) return "signed samples";
    if (format != SAMPLEFORMAT_UINT && format != SAMPLEFORMAT_VOID) return "complex samples";
    if (t->bits < 8) return "samples below 8 bits";
    if (t->bits != 8 && t->bits != 16) return "integer samples of a size other than 8 and 16 bits";
    if (t->photometric == PHOTOMETRIC_PALETTE && t->bits != 8) return "a palette above 8 bits";
    return NULL;
}

/* Names an unsupported feature of the channels, or returns NULL. A picture has its colours, and at
 * most one more sample, which must be declared as alpha. */
static const char *channels_trouble(ssimcu_tiff *t)
{
    const uint16_t colors = t->photometric == PHOTOMETRIC_RGB ? 3 : 1;
    uint16_t extra = 0, *kinds = NULL;
    TIFFGetFieldDefaulted(t->tiff, TIFFTAG_EXTRASAMPLES, &extra, &kinds);
    if (t->samples != colors + extra) return "samples that are neither colours nor alpha";
    if (extra > 1) return "more than one extra sample";
    const uint16_t kind = extra == 1 && kinds ? kinds[0] : EXTRASAMPLE_UNSPECIFIED;
    if (extra == 1 && kind != EXTRASAMPLE_ASSOCALPHA && kind != EXTRASAMPLE_UNASSALPHA)
        return "an extra sample of unspecified meaning (tiffset -s 338 1 2 FILE marks it as alpha, "
               "-s 338 1 1 as premultiplied alpha)";
    t->alpha = extra == 1;
    t->associated = t->alpha && kind == EXTRASAMPLE_ASSOCALPHA;
    if (t->alpha && t->photometric == PHOTOMETRIC_PALETTE) return "a palette with alpha";
    if (t->associated && t->photometric == PHOTOMETRIC_MINISWHITE)
        return "associated alpha where 0 is white";
    return NULL;
}

static ssimcu_status judge(ssimcu_tiff *t)
{
    t->compression = tag(t, TIFFTAG_COMPRESSION);
    const char *trouble = compression_trouble(t->compression);
    if (!trouble) {
        if (!TIFFGetField(t->tiff, TIFFTAG_PHOTOMETRIC, &t->photometric))
            FAIL_FILE(t->file, DATA, "damaged TIFF (PhotometricInterpretation is missing)");
        trouble = photometric_trouble(t->photometric);
    }
    t->bits = tag(t, TIFFTAG_BITSPERSAMPLE);
    t->samples = tag(t, TIFFTAG_SAMPLESPERPIXEL);
    if (!trouble) trouble = sample_trouble(t, tag(t, TIFFTAG_SAMPLEFORMAT));
    if (!trouble) trouble = channels_trouble(t);
    if (!trouble && tag(t, TIFFTAG_FILLORDER) == FILLORDER_LSB2MSB) trouble = "bits in reverse";
    if (!trouble) return SSIMCU_OK;
    FAIL_FILE(t->file, UNSUPPORTED, "TIFF with %s is not supported", trouble);
}

/* Reads the colour map. Its values have 16 bits, but most programs convert from 8: they write v *
 * 257, v * 256 or, wrongly, v. */
static ssimcu_status read_map(ssimcu_tiff *t)
{
    if (!TIFFGetField(t->tiff, TIFFTAG_COLORMAP, &t->map[0], &t->map[1], &t->map[2]))
        return ssimcu_tiff_damaged(t, "the colour map is missing");
    bool times_257 = true, times_256 = true, times_1 = true;
    for (int i = 0; i < 3 << 8; i++) {
        const uint16_t value = t->map[i >> 8][i & 255];
        times_257 = times_257 && value >> 8 == (value & 255);
        times_256 = times_256 && (value & 255) == 0;
        times_1 = times_1 && value < 256;
    }
    t->map_bits = times_257 || times_256 ? 8 : 16;
    if (times_1 && t->map_bits == 16)
        return refuse(t, "TIFF with a colour map of 8-bit values is not supported");
    return SSIMCU_OK;
}

static ssimcu_status measure(ssimcu_tiff *t)
{
    const uint16_t layout = tag(t, TIFFTAG_PLANARCONFIG);
    TIFFGetField(t->tiff, TIFFTAG_IMAGEWIDTH, &t->width);
    TIFFGetField(t->tiff, TIFFTAG_IMAGELENGTH, &t->height);
    if (t->width == 0 || t->height == 0) return ssimcu_tiff_damaged(t, "a side is 0");
    t->orientation = tag(t, TIFFTAG_ORIENTATION);
    t->swapped = TIFFIsByteSwapped(t->tiff) != 0;
    t->predictor = PREDICTOR_NONE;
    if (t->compression != COMPRESSION_NONE && t->compression != COMPRESSION_PACKBITS)
        t->predictor = tag(t, TIFFTAG_PREDICTOR);
    if (t->predictor < PREDICTOR_NONE ||
        t->predictor > (t->floating ? PREDICTOR_FLOATINGPOINT : PREDICTOR_HORIZONTAL))
        return ssimcu_tiff_damaged(t, "unknown predictor");
    t->planes = layout == PLANARCONFIG_SEPARATE ? t->samples : 1;
    t->tiled = TIFFIsTiled(t->tiff) != 0;
    t->block_width = t->width;
    if (t->tiled) {
        TIFFGetField(t->tiff, TIFFTAG_TILEWIDTH, &t->block_width);
        TIFFGetField(t->tiff, TIFFTAG_TILELENGTH, &t->block_height);
    } else {
        TIFFGetFieldDefaulted(t->tiff, TIFFTAG_ROWSPERSTRIP, &t->block_height);
        if (t->block_height > t->height) t->block_height = t->height;
    }
    if (t->block_width == 0 || t->block_height == 0)
        return ssimcu_tiff_damaged(t, "a strip or tile has no pixels");
    t->across = (t->width - 1) / t->block_width + 1;
    t->down = (t->height - 1) / t->block_height + 1;
    return ssimcu_limits_check(&t->file->options, t->file->name, t->width, t->height,
                               t->file->message);
}

/* Reads everything except the pixels. Reports unsupported features before libtiff's warnings,
 * because libtiff warns about much that it does not know. If memory ran out in libtiff, tags may be
 * wrong without a warning. */
static ssimcu_status examine(ssimcu_tiff *t)
{
    errno = 0;
    TRY(open_tiff(t));
    TRY(find_page(t));
    if (errno == ENOMEM) return ssimcu_tiff_damaged(t, "");
    TRY(judge(t));
    if (t->complaint[0]) return ssimcu_tiff_damaged(t, "");
    TRY(measure(t));
    if (t->photometric == PHOTOMETRIC_PALETTE) TRY(read_map(t));
    return ssimcu_tiff_check_blocks(t);
}

static void shape(const ssimcu_tiff *t, ssimcu_frame *frame)
{
    const bool palette = t->photometric == PHOTOMETRIC_PALETTE;
    frame->width = t->orientation >= 5 ? t->height : t->width;
    frame->height = t->orientation >= 5 ? t->width : t->height;
    frame->channels = palette ? 3 : t->samples;
    frame->bits = palette ? t->map_bits : t->associated ? 16 : t->bits;
    if (!t->floating) return;
    frame->channels = t->samples - t->associated;
    frame->bits = SSIMCU_BITS_FLOAT + t->bits;
    frame->linear = 1;
}

static void read_profile(const ssimcu_tiff *t, struct ssimcu_image_colours *colours)
{
    uint32_t size = 0;
    const void *profile = NULL;
    if (TIFFGetField(t->tiff, TIFFTAG_ICCPROFILE, &size, &profile) && profile)
        ssimcu_colours_of_icc(profile, size, colours);
    if (t->floating)
        colours->transfer[0] = '\0'; /* it counts as light, whatever the file
                                        declares */
}

static void declare_compression(const ssimcu_tiff *t, char text[48])
{
    const char *name = t->compression == COMPRESSION_NONE       ? "none"
                       : t->compression == COMPRESSION_LZW      ? "LZW"
                       : t->compression == COMPRESSION_PACKBITS ? "PackBits"
                                                                : "deflate";
    snprintf(text, 48, "%s", name);
}

/* ---- The functions of tiff.h ----------------------------------------------------------------- */

ssimcu_status ssimcu_tiff_read(ssimcu_file *file, ssimcu_frame *frame)
{
    file->reader = "libtiff";
    ssimcu_tiff t = {.file = file};
    ssimcu_status status = examine(&t);
    if (status == SSIMCU_OK && !frame->data) {
        shape(&t, frame);
        read_profile(&t, &file->colours);
        declare_compression(&t, file->declared[SSIMCU_DECLARED_COMPRESSION]);
        file->holds = ssimcu_tiff_block_bytes(&t);
    }
    if (status == SSIMCU_OK && frame->data) status = ssimcu_tiff_decode(&t, frame);
    if (t.tiff) TIFFClose(t.tiff);
    return status;
}

const char ssimcu_tiff_library[] = "libtiff " SSIMCU_TEXT(TIFFLIB_MAJOR_VERSION) "." SSIMCU_TEXT(
    TIFFLIB_MINOR_VERSION) "." SSIMCU_TEXT(TIFFLIB_MICRO_VERSION);
