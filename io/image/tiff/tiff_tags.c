#include "tiff_page.h"

#include <string.h>
#include <strings.h>

/* The tags that affect pixels, by libtiff's names. NULL: a value that libtiff drops is harmless. */
static const struct {
    uint16_t tag;
    const char *name;
} deciding[] = {{TIFFTAG_SUBFILETYPE, "SubfileType"},
                {TIFFTAG_OSUBFILETYPE, "OldSubfileType"},
                {TIFFTAG_IMAGEWIDTH, "ImageWidth"},
                {TIFFTAG_IMAGELENGTH, "ImageLength"},
                {TIFFTAG_BITSPERSAMPLE, "BitsPerSample"},
                {TIFFTAG_COMPRESSION, "Compression"},
                {TIFFTAG_PHOTOMETRIC, "PhotometricInterpretation"},
                {TIFFTAG_FILLORDER, "FillOrder"},
                {TIFFTAG_STRIPOFFSETS, "StripOffsets"},
                {TIFFTAG_ORIENTATION, NULL},
                {TIFFTAG_SAMPLESPERPIXEL, "SamplesPerPixel"},
                {TIFFTAG_ROWSPERSTRIP, "RowsPerStrip"},
                {TIFFTAG_STRIPBYTECOUNTS, "StripByteCounts"},
                {TIFFTAG_PLANARCONFIG, "PlanarConfiguration"},
                {TIFFTAG_PREDICTOR, "Predictor"},
                {TIFFTAG_COLORMAP, "ColorMap"},
                {TIFFTAG_TILEWIDTH, "TileWidth"},
                {TIFFTAG_TILELENGTH, "TileLength"},
                {TIFFTAG_TILEOFFSETS, "TileOffsets"},
                {TIFFTAG_TILEBYTECOUNTS, "TileByteCounts"},
                {TIFFTAG_EXTRASAMPLES, "ExtraSamples"},
                {TIFFTAG_SAMPLEFORMAT, "SampleFormat"},
                {TIFFTAG_IMAGEDEPTH, "ImageDepth"},
                {TIFFTAG_TILEDEPTH, "TileDepth"}};

enum { DECIDING = sizeof deciding / sizeof deciding[0] };

bool ssimcu_tiff_is_harmless(const char *complaint)
{
    const char *const open = strchr(complaint, '"'), *const close = strrchr(complaint, '"');
    if (!open || close == open) return false;
    const size_t length = (size_t)(close - open) - 1;
    for (size_t i = 0; i < DECIDING; i++) {
        const char *const name = deciding[i].name;
        if (name && strlen(name) == length && strncasecmp(name, open + 1, length) == 0)
            return false;
    }
    return true;
}

/* ---- The directory's bytes ------------------------------------------------------------------- */

/* A directory in the file. */
struct directory {
    const uint8_t *entry; /* the first one */
    uint64_t entries;
    size_t entry_bytes, place_bytes; /* sizes of an entry, and of an offset in the file */
    bool big_endian;
};

static uint64_t number_at(const struct directory *d, const uint8_t *at, size_t bytes)
{
    uint64_t value = 0;
    for (size_t i = 0; i < bytes; i++) value = value << 8 | at[d->big_endian ? i : bytes - 1 - i];
    return value;
}

/* Finds libtiff's current directory. Returns false if it does not lie in the file. */
static bool find_directory(const ssimcu_tiff *t, struct directory *d)
{
    const ssimcu_file *const file = t->file;
    const uint64_t from = TIFFCurrentDirOffset(t->tiff);
    *d = (struct directory){.big_endian = file->bytes[0] == 'M'};
    const bool big = file->bytes[d->big_endian ? 3 : 2] == '+'; /* BigTIFF */
    const size_t count_bytes = big ? 8 : 2;
    d->entry_bytes = big ? 20 : 12;
    d->place_bytes = big ? 8 : 4;
    if (from > file->size || file->size - from < count_bytes) return false;
    d->entries = number_at(d, file->bytes + from, count_bytes);
    d->entry = file->bytes + from + count_bytes;
    return d->entries <= (file->size - from - count_bytes) / d->entry_bytes;
}

bool ssimcu_tiff_has_twice(const ssimcu_tiff *t)
{
    struct directory d;
    uint32_t seen = 0;
    _Static_assert(DECIDING <= 32, "each has a bit of `seen`");
    if (!find_directory(t, &d)) return true;
    for (uint64_t k = 0; k < d.entries; k++)
        for (size_t i = 0; i < DECIDING; i++) {
            if (number_at(&d, d.entry + k * d.entry_bytes, 2) != deciding[i].tag) continue;
            if (seen >> i & 1) return true;
            seen |= (uint32_t)1 << i;
        }
    return false;
}

bool ssimcu_tiff_lacks_next(const ssimcu_tiff *t)
{
    struct directory d;
    if (!find_directory(t, &d)) return false;
    const uint8_t *const at = d.entry + d.entries * d.entry_bytes;
    const uint8_t *const end = t->file->bytes + t->file->size;
    return (size_t)(end - at) >= d.place_bytes && number_at(&d, at, d.place_bytes) >= t->file->size;
}
