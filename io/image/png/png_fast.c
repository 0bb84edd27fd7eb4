/* The fast reader. igzip inflates a band of rows, which stays in the cache until its filters are
 * undone. The rows go directly into the frame if its samples are as in the file. Any fault or
 * unusual feature ends the read; see png_readers.h. */
#define _POSIX_C_SOURCE 200809L /* pthread_sigmask */
#include "png_inflate.h"
#include "unfilter.h"

#include "start_thread.h"

#include <isa-l.h>
#include <png.h>
#include <stdlib.h>
#include <string.h>

const char ssimcu_png_libraries[] = "libpng " PNG_LIBPNG_VER_STRING ", igzip " SSIMCU_TEXT(
    ISAL_MAJOR_VERSION) "." SSIMCU_TEXT(ISAL_MINOR_VERSION) "." SSIMCU_TEXT(ISAL_PATCH_VERSION);

/* On such a host 16-bit samples lie as in the file. */
enum { BIG_ENDIAN_HOST = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ };

/* A band is large enough to hide igzip's cost per call, and holds at least a group of rows that are
 * unfiltered together. It is small enough to stay in the cache. All scratch memory is below 1 MB;
 * libpng reads longer rows. Two threads share a ring of bands. More than two slots help if
 * inflating is fast. */
enum {
    BAND_BYTES = 64 << 10,
    BAND_MOST = 256 << 10,
    GROUP = 8,
    ROW_MOST = 192 << 10,
    SLACK = 64,
    PLACES = 4,
    PLACES_BYTES = 512 << 10
};

struct decoder {
    ssimcu_png_header header;
    ssimcu_frame *frame;
    const struct ssimcu_unfilter_level *level;
    size_t row;      /* bytes of a row, without the filter byte */
    uint32_t band;   /* rows of a band */
    bool as_in_file; /* the frame's samples are as in the file */
    uint8_t *memory;
    uint8_t *raw;    /* bytes of a band, with history before and a spare byte after them */
    size_t place;    /* bytes from one band's slot to the next */
    uint32_t places; /* bands in the ring; 1: one thread does everything */
    uint32_t adler;  /* Adler-32 of the bands so far */
    uint8_t *plain;  /* the row above, then the band's unfiltered rows; only the row above if the
                        rows go to the frame */
    ssimcu_png_inflater z;
};

static bool reserve(struct decoder *d, bool two_threads)
{
    const ssimcu_png_header *const header = &d->header;
    d->row = ssimcu_png_row_bytes(header);
    if (d->row > ROW_MOST) return false;
    const size_t rows = BAND_BYTES / (d->row + 1) / GROUP * GROUP;
    d->band = rows < GROUP ? GROUP : rows > header->height ? header->height : (uint32_t)rows;
    while (d->band > 1 && d->band * d->row > BAND_MOST) d->band /= 2;
    d->as_in_file = !header->palette && !header->key && (header->bits == 8 || BIG_ENDIAN_HOST);
    d->place = SSIMCU_PNG_HISTORY + d->band * (d->row + 1) + SLACK;
    d->places = !two_threads ? 1 : PLACES * d->place <= PLACES_BYTES ? PLACES : 2;
    const size_t plain = d->as_in_file ? d->row : (d->band + 1) * d->row;
    d->memory = calloc(1, d->places * d->place + plain);
    if (!d->memory) return false;
    d->raw = d->memory + SSIMCU_PNG_HISTORY;
    d->plain = d->memory + d->places * d->place;
    return true;
}

/* ---- Samples of the file to samples of the frame --------------------------------------------- */

static bool expand_palette(const ssimcu_png_header *header, uint8_t *to, const uint8_t *from)
{
    const uint32_t last = header->width - 1;
    uint8_t most = 0;
    for (uint32_t x = 0; x <= last; x++) most = from[x] > most ? from[x] : most;
    if (most >= header->color_count) return false;
    /* Copies four bytes per colour. If colours have three, the next one overwrites the fourth
     * byte. */
    const size_t channels = header->alpha ? 4 : 3;
    for (uint32_t x = 0; x < last; x++) memcpy(to + x * channels, header->color[from[x]], 4);
    memcpy(to + last * channels, header->color[from[last]], channels);
    return true;
}

static void swap(uint8_t *restrict to, const uint8_t *restrict from, size_t size)
{
    for (size_t i = 0; i < size; i += 2) to[i] = from[i + 1], to[i + 1] = from[i];
}

/* Adds alpha to each pixel: 0 if it has the key's colour. */
static void expand_key(const ssimcu_png_header *header, uint8_t *to, const uint8_t *from)
{
    const size_t channels = header->channels;
    uint16_t value[4];
    for (uint32_t x = 0; x < header->width; x++) {
        bool same = true;
        for (size_t c = 0; c < channels; c++) {
            value[c] = *from++;
            if (header->bits == 16) value[c] = (uint16_t)(value[c] << 8 | *from++);
            same &= value[c] == header->key_color[c];
        }
        value[channels] = same ? 0 : UINT16_MAX;
        for (size_t c = 0; c <= channels; c++) {
            if (header->bits == 16)
                memcpy(to, &value[c], 2), to += 2;
            else
                *to++ = (uint8_t)value[c];
        }
    }
}

static bool convert(const struct decoder *d, uint8_t *to, const uint8_t *from)
{
    if (d->header.palette) return expand_palette(&d->header, to, from);
    if (d->header.key)
        expand_key(&d->header, to, from);
    else
        swap(to, from, d->row);
    return true;
}

/* ---- The picture ----------------------------------------------------------------------------- */

static uint8_t *raw_of(const struct decoder *d, uint32_t band)
{
    return d->raw + band % d->places * d->place;
}

static uint32_t rows_of(const struct decoder *d, uint32_t band)
{
    const uint32_t left = d->header.height - band * d->band;
    return left < d->band ? left : d->band;
}

/* Inflates a band, and copies its end to the place before the next band, as history. */
static bool inflate_band(struct decoder *d, uint32_t band)
{
    uint8_t *const raw = raw_of(d, band), *const next = raw_of(d, band + 1);
    const size_t size = rows_of(d, band) * (d->row + 1);
    if (!ssimcu_png_inflate(&d->z, raw, size)) return false;
    memmove(next - SSIMCU_PNG_HISTORY, raw + size - SSIMCU_PNG_HISTORY, SSIMCU_PNG_HISTORY);
    return true;
}

/* Undoes a band's filters, and updates the checksum. The checksum is computed here because
 * inflating takes longer and may run on the other thread. */
static bool unfilter_band(struct decoder *d, uint32_t band)
{
    const uint32_t y = band * d->band, rows = rows_of(d, band);
    d->adler = isal_adler32(d->adler, raw_of(d, band), rows * (d->row + 1));
    uint8_t *const frame_rows = (uint8_t *)d->frame->data + y * d->frame->pitch;
    struct ssimcu_filtered_rows filtered = {.raw = raw_of(d, band),
                                            .to = d->as_in_file ? frame_rows : d->plain + d->row,
                                            .pitch = d->as_in_file ? d->frame->pitch : d->row,
                                            .above = d->plain,
                                            .row_bytes = d->row,
                                            .pixel_bytes =
                                                (uint32_t)ssimcu_png_pixel_bytes(&d->header)};
    if (d->as_in_file && y > 0) filtered.above = frame_rows - d->frame->pitch;
    if (!ssimcu_unfilter(d->level, filtered, rows)) return false;
    if (d->as_in_file) return true;
    for (uint32_t k = 0; k < rows; k++)
        if (!convert(d, frame_rows + k * d->frame->pitch, d->plain + (k + 1) * d->row))
            return false;
    memcpy(d->plain, d->plain + rows * d->row, d->row);
    return true;
}

/* ---- All bands, by one thread or by two ------------------------------------------------------ */

/* With two threads, filters are undone while a later band is inflated. At most d->places bands are
 * inflated but still filtered. */
struct run {
    struct decoder *d;
    uint32_t bands;
    pthread_mutex_t lock; /* protects the fields below */
    pthread_cond_t changed;
    uint32_t inflated, done;
    bool failed; /* a band is damaged: both threads end */
};

/* Waits until band `next` can be inflated or, if `inflated`, unfiltered. Returns false if the run
 * has failed.
 */
static bool wait_for(struct run *run, uint32_t next, bool inflated)
{
    pthread_mutex_lock(&run->lock);
    while (!run->failed && (inflated ? run->inflated <= next : next - run->done >= run->d->places))
        pthread_cond_wait(&run->changed, &run->lock);
    const bool go_on = !run->failed;
    pthread_mutex_unlock(&run->lock);
    return go_on;
}

static void say(struct run *run, uint32_t *count, bool good)
{
    pthread_mutex_lock(&run->lock);
    *count += good;
    run->failed |= !good;
    pthread_cond_signal(&run->changed); /* only the other thread waits */
    pthread_mutex_unlock(&run->lock);
}

static void *unfilter_all(void *argument)
{
    struct run *const run = argument;
    for (uint32_t i = 0; i < run->bands && wait_for(run, i, true); i++)
        say(run, &run->done, unfilter_band(run->d, i));
    return NULL;
}

static bool by_one(struct decoder *d, uint32_t bands)
{
    for (uint32_t i = 0; i < bands; i++)
        if (!inflate_band(d, i) || !unfilter_band(d, i)) return false;
    return true;
}

/* This thread inflates, and a new one does the rest. If none can be started, this thread does
 * both. */
static bool run_bands(struct decoder *d, uint32_t bands)
{
    struct run run = {.d = d, .bands = bands};
    pthread_t thread;
    if (d->places < 2 || bands < 2) return by_one(d, bands);
    pthread_mutex_init(&run.lock, NULL);
    pthread_cond_init(&run.changed, NULL);
    const bool started = ssimcu_start_thread(&thread, unfilter_all, &run);
    for (uint32_t i = 0; started && i < bands && wait_for(&run, i, false); i++)
        say(&run, &run.inflated, inflate_band(d, i));
    if (started) pthread_join(thread, NULL);
    pthread_cond_destroy(&run.changed);
    pthread_mutex_destroy(&run.lock);
    return started ? !run.failed : by_one(d, bands);
}

static bool read_pixels(struct decoder *d, const ssimcu_file *file)
{
    const ssimcu_png_header *const header = &d->header;
    const uint32_t bands = (header->height - 1) / d->band + 1;
    size_t next = 0;
    return ssimcu_png_inflate_start(&d->z, file, header->data,
                                    (uint64_t)header->height * (d->row + 1)) &&
           run_bands(d, bands) &&
           ssimcu_png_inflate_finish(&d->z, raw_of(d, bands), d->adler, &next) &&
           ssimcu_png_chunks_end_well(file, next);
}

bool ssimcu_png_read_fast(const ssimcu_file *file, ssimcu_frame *frame)
{
    struct decoder *const d = malloc(sizeof *d);
    if (!d) return false;
    d->header = (ssimcu_png_header){0};
    d->frame = frame;
    d->memory = NULL;
    d->adler = 1;
    const ssimcu_png_header *const header = &d->header;
    bool good = ssimcu_png_chunks_read_header(file, &d->header) &&
                ssimcu_png_row_bytes(header) * (uint64_t)header->height / 1032 <= file->size;
    if (good && !frame->data) {
        frame->width = header->width;
        frame->height = header->height;
        frame->channels =
            (header->palette ? 3U : header->channels) + (header->alpha || header->key);
        frame->bits = header->bits;
    } else if (good) {
        d->level = ssimcu_unfilter_best();
        good = reserve(d, file->options.threads > 1) && read_pixels(d, file);
        free(d->memory);
    }
    free(d);
    return good;
}
