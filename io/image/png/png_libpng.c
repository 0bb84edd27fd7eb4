/* PNG of every kind through libpng's sequential reader, directly into the caller's rows.
 *
 * Every libpng error, benign or not, ends the read. Examples are a wrong CRC in any chunk, missing
 * or surplus image data, and a missing IEND. check_stream checks the stream's end. Chunks that do
 * not change the samples are skipped unread, so that a compressed text or profile costs neither
 * time nor memory. png_marks.c reads those that matter. Gamma and profiles are not applied. */
#include "png_readers.h"

#include <png.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <zlib.h>

/* A reader lives in the caller of setjmp, so that a longjmp leaves no member undefined. */
typedef struct reader {
    const ssimcu_file *file;
    size_t at; /* offset of the next byte in the file */
    png_structp png;
    png_infop info;
    bool out_of_memory;
    char ends[32];          /* where the file ends too early; "": it does not */
    uint64_t raw;           /* bytes that the image data inflates to */
    ssimcu_message warning; /* libpng's first warning; "": none */
    ssimcu_status status;
    jmp_buf stop;
} reader;

static _Noreturn void on_error(png_structp png, const char *text)
{
    reader *const r = png_get_error_ptr(png);
    if (r->out_of_memory)
        r->status = ssimcu_file_fail(r->file, SSIMCU_ERROR_MEMORY, "out of memory");
    else if (r->ends[0])
        r->status = ssimcu_file_fail(r->file, SSIMCU_ERROR_DATA, "truncated PNG (%s)", r->ends);
    else
        r->status = ssimcu_file_fail(r->file, SSIMCU_ERROR_DATA, "damaged PNG (%s)", text);
    longjmp(r->stop, 1);
}

/* Keeps the first warning, for a remark once the pixels are good. For a bad file the error is
 * enough. */
static void on_warning(png_structp png, const char *text)
{
    reader *const r = png_get_error_ptr(png);
    if (!r->warning.text[0])
        snprintf(r->warning.text, sizeof r->warning.text, "%s: %s", r->file->name, text);
}

/* Records that memory ran out, which libpng reports only as text. */
static void *allocate(png_structp png, png_alloc_size_t size)
{
    reader *const r = png_get_mem_ptr(png);
    void *const memory = malloc(size);
    if (!memory) r->out_of_memory = true;
    return memory;
}

static void release(png_structp png, void *memory)
{
    (void)png;
    free(memory);
}

static void supply(png_structp png, png_bytep to, size_t size)
{
    reader *const r = png_get_io_ptr(png);
    if (size > r->file->size - r->at) {
        const png_uint_32 type = png_get_io_chunk_type(png);
        if (png_get_io_state(png) & PNG_IO_CHUNK_HDR)
            snprintf(r->ends, sizeof r->ends, "IEND is missing");
        else
            snprintf(r->ends, sizeof r->ends, "%c%c%c%c ends early", (int)(type >> 24),
                     (int)(type >> 16 & 255), (int)(type >> 8 & 255), (int)(type & 255));
        png_error(png, r->ends);
    }
    memcpy(to, r->file->bytes + r->at, size);
    r->at += size;
}

static void start(reader *r)
{
    r->png = png_create_read_struct_2(PNG_LIBPNG_VER_STRING, r, on_error, on_warning, r, allocate,
                                      release);
    r->info = png_create_info_struct(r->png);
    if (!r->info) {
        r->status = ssimcu_file_fail(r->file, SSIMCU_ERROR_MEMORY, "out of memory");
        longjmp(r->stop, 1);
    }
    png_set_read_fn(r->png, r, supply);
    png_set_crc_action(r->png, PNG_CRC_ERROR_QUIT, PNG_CRC_ERROR_QUIT);
    png_set_benign_errors(r->png, 0);
    /* image.c limits the size, with another status, before libpng allocates. */
    png_set_user_limits(r->png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
    /* Skipped chunks take no memory, so the file's size is a better limit than libpng's 8 MB. */
    png_set_chunk_malloc_max(r->png, 0);
    png_set_keep_unknown_chunks(r->png, PNG_HANDLE_CHUNK_NEVER, NULL, -1);
    png_read_info(r->png, r->info);
}

static void shape(reader *r, ssimcu_frame *frame)
{
    const int color = png_get_color_type(r->png, r->info);
    const bool alpha =
        (color & PNG_COLOR_MASK_ALPHA) || png_get_valid(r->png, r->info, PNG_INFO_tRNS);
    frame->width = png_get_image_width(r->png, r->info);
    frame->height = png_get_image_height(r->png, r->info);
    frame->channels = (color & PNG_COLOR_MASK_COLOR ? 3U : 1U) + alpha;
    frame->bits = png_get_bit_depth(r->png, r->info) == 16 ? 16 : 8;
    /* Deflate expands by at most 1032 to 1, so the header alone can show that a file is too
     * short. */
    const uint64_t raw = (uint64_t)png_get_rowbytes(r->png, r->info) * frame->height;
    if (raw / 1032 > r->file->size) {
        snprintf(r->ends, sizeof r->ends, "too short for its size");
        png_error(r->png, r->ends);
    }
}

static uint8_t *row(const ssimcu_frame *frame, uint32_t y)
{
    return (uint8_t *)frame->data + y * frame->pitch;
}

/* Turns palette indices into colours in place, from the right because a colour is wider than its
 * index. libpng is not used because it turns an index beyond the palette into black. */
static void expand_palette(reader *r, const ssimcu_frame *frame)
{
    png_colorp colors = NULL;
    png_bytep alphas = NULL;
    int color_count = 0, alpha_count = 0;
    png_get_PLTE(r->png, r->info, &colors, &color_count);
    png_get_tRNS(r->png, r->info, &alphas, &alpha_count, NULL);
    for (uint32_t y = 0; y < frame->height; y++) {
        uint8_t *const line = row(frame, y);
        for (uint32_t x = frame->width; x-- > 0;) {
            const uint8_t index = line[x];
            if (index >= color_count) png_error(r->png, "a pixel is not in the palette");
            uint8_t *const to = line + (size_t)x * frame->channels;
            to[0] = colors[index].red;
            to[1] = colors[index].green;
            to[2] = colors[index].blue;
            if (frame->channels == 4) to[3] = index < alpha_count ? alphas[index] : 255;
        }
    }
}

/* Returns the bytes of all rows in the file, with their filter bytes. */
static uint64_t raw_bytes(const reader *r)
{
    const uint32_t width = png_get_image_width(r->png, r->info),
                   height = png_get_image_height(r->png, r->info);
    const uint64_t bits =
        (uint64_t)png_get_bit_depth(r->png, r->info) * png_get_channels(r->png, r->info);
    if (png_get_interlace_type(r->png, r->info) == PNG_INTERLACE_NONE)
        return ((width * bits + 7) / 8 + 1) * height;
    uint64_t bytes = 0;
    for (int pass = 0; pass < PNG_INTERLACE_ADAM7_PASSES; pass++) {
        const uint64_t columns = PNG_PASS_COLS(width, pass), rows = PNG_PASS_ROWS(height, pass);
        if (columns) bytes += ((columns * bits + 7) / 8 + 1) * rows;
    }
    return bytes;
}

static void pixels(reader *r, const ssimcu_frame *frame)
{
    r->raw = raw_bytes(r);
    const bool palette = png_get_color_type(r->png, r->info) == PNG_COLOR_TYPE_PALETTE;
    if (palette)
        png_set_packing(r->png);
    else
        png_set_expand(r->png);
    if (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__) png_set_swap(r->png);
    const int passes = png_set_interlace_handling(r->png);
    png_read_update_info(r->png, r->info);
    const size_t wanted = (size_t)frame->width * (palette ? 1 : frame->channels * frame->bits / 8);
    if (png_get_rowbytes(r->png, r->info) != wanted) png_error(r->png, "unexpected row size");

    for (int pass = 0; pass < passes; pass++)
        for (uint32_t y = 0; y < frame->height; y++) png_read_row(r->png, row(frame, y), NULL);
    png_read_end(r->png, r->info);
    if (palette) expand_palette(r, frame);
}

/* ---- The stream's end ------------------------------------------------------------------------ */

/* The data is inflated a second time. The fast reader checks the same while it reads, so few files
 * come here. */

/* Inflates the bytes of one IDAT and drops the result. Returns zlib's state. */
static int inflate_idat(z_stream *z, const ssimcu_png_chunk *chunk, uint64_t raw)
{
    uint8_t dropped[1 << 14];
    int state = Z_OK;
    z->next_in = (Bytef *)(uintptr_t)chunk->data; /* zlib only reads */
    z->avail_in = chunk->size;
    do {
        z->next_out = dropped;
        z->avail_out = sizeof dropped;
        state = inflate(z, Z_NO_FLUSH);
    } while (state == Z_OK && z->avail_out == 0 && z->total_out <= raw);
    return state == Z_BUF_ERROR ? Z_OK : state; /* BUF_ERROR: zlib needs the next IDAT */
}

/* Inflates all IDATs. Returns the fault, or NULL. */
static const char *find_trouble(z_stream *z, const ssimcu_file *file, uint64_t raw, int *state)
{
    ssimcu_png_chunk chunk = {.next = SSIMCU_PNG_SIGNATURE};
    while (ssimcu_png_chunk_at(file, chunk.next, &chunk) && chunk.type != SSIMCU_PNG_IEND) {
        if (chunk.type != SSIMCU_PNG_IDAT || chunk.size == 0) continue;
        if (*state == Z_STREAM_END) return "surplus data";
        *state = inflate_idat(z, &chunk, raw);
        if (*state == Z_STREAM_END && z->avail_in) return "surplus data";
        if (*state != Z_OK && *state != Z_STREAM_END) return z->msg ? z->msg : "wrong data";
        if (z->total_out > raw) return "too much image data";
    }
    return *state == Z_STREAM_END ? NULL : "the checksum is missing"; /* libpng has read all rows */
}

/* Checks that all IDATs together are one zlib stream of `raw` bytes with the right checksum.
 * libpng, which has already read the file, stops once it has all rows, and then detects only some
 * faults at the end. Errors: DATA, MEMORY. */
static ssimcu_status check_stream(const ssimcu_file *file, uint64_t raw)
{
    z_stream z = {0};
    int state = inflateInit(&z);
    const char *const trouble = state == Z_OK ? find_trouble(&z, file, raw, &state) : "";
    inflateEnd(&z);
    if (!trouble) return SSIMCU_OK;
    if (state == Z_MEM_ERROR) FAIL_FILE(file, MEMORY, "out of memory");
    FAIL_FILE(file, DATA, "damaged PNG (IDAT: %s)", trouble);
}

/* ---- All ------------------------------------------------------------------------------------- */

static void guarded(reader *r, ssimcu_frame *frame)
{
    if (setjmp(r->stop)) return;
    start(r);
    if (frame->data)
        pixels(r, frame);
    else
        shape(r, frame);
}

ssimcu_status ssimcu_png_read_libpng(const ssimcu_file *file, ssimcu_frame *frame)
{
    reader r = {.file = file};
    guarded(&r, frame);
    png_destroy_read_struct(&r.png, &r.info, NULL);
    if (r.status != SSIMCU_OK || !frame->data) return r.status;
    const ssimcu_status status = check_stream(file, r.raw);
    if (status == SSIMCU_OK && r.warning.text[0] && file->options.remark)
        file->options.remark(file->options.user, r.warning.text);
    return status;
}
