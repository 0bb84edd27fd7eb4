/* PNG: the format's row of the table, and the choice between its two readers. */
#include "image/orientation.h"
#include "image/release.h"
#include "png_readers.h"

#include "sample_size.h"

#include <stdlib.h>

static bool is_png(const ssimcu_file *file)
{
    return ssimcu_file_begins(file, "\x89PNG\r\n\x1A\n", SSIMCU_PNG_SIGNATURE);
}

/* Refuses an animation, because a score of its first frame would ignore the others. A decoder has
 * already verified the chunks. An animation of one frame is a picture. */
static ssimcu_status check_single(const ssimcu_file *file)
{
    ssimcu_png_chunk chunk = {.next = SSIMCU_PNG_SIGNATURE};
    while (ssimcu_png_chunk_at(file, chunk.next, &chunk) && chunk.type != SSIMCU_PNG_IDAT)
        if (chunk.type == SSIMCU_PNG_acTL && chunk.size == 8 && ssimcu_png_u32(chunk.data) > 1)
            FAIL_FILE(file, UNSUPPORTED,
                      "animated PNG of %u frames: only a single picture can be compared",
                      ssimcu_png_u32(chunk.data));
    return SSIMCU_OK;
}

static ssimcu_status read_by_either(ssimcu_file *file, ssimcu_frame *frame)
{
    file->reader = "igzip";
    if (ssimcu_png_read_fast(file, frame)) return SSIMCU_OK;
    file->reader = "libpng";
    TRY(ssimcu_release_undo(file));
    return ssimcu_png_read_libpng(file, frame);
}

/* ---- Orientation ----------------------------------------------------------------------------- */

/* Returns the stored shape of a picture with this upright shape. */
static ssimcu_frame stored_shape(const ssimcu_frame *shown, unsigned orientation)
{
    ssimcu_frame stored = *shown;
    if (orientation >= 5) stored.width = shown->height, stored.height = shown->width;
    stored.pitch = (size_t)stored.width * stored.channels * ssimcu_sample_size(stored.bits);
    return stored;
}

/* Decodes into a second frame, and turns the pixels. */
static ssimcu_status read_turned(ssimcu_file *file, const ssimcu_frame *frame, unsigned orientation)
{
    ssimcu_frame stored = stored_shape(frame, orientation);
    const size_t size = stored.channels * ssimcu_sample_size(stored.bits);
    stored.data = malloc(stored.pitch * stored.height);
    if (!stored.data) FAIL_FILE(file, MEMORY, "out of memory");
    const ssimcu_status status = read_by_either(file, &stored);
    const ssimcu_placement to = ssimcu_orientation_place(frame, orientation);
    for (uint32_t y = 0; y < stored.height && status == SSIMCU_OK; y++) {
        const uint8_t *const row = (const uint8_t *)stored.data + y * stored.pitch;
        uint8_t *const line = to.first + y * to.next_row;
        for (uint32_t x = 0; x < stored.width; x++)
            memcpy(line + x * to.next_pixel, row + x * size, size);
    }
    free(stored.data);
    return status;
}

static ssimcu_status read_header(ssimcu_file *file, ssimcu_frame *frame)
{
    TRY(read_by_either(file, frame));
    TRY(check_single(file));
    const unsigned orientation = ssimcu_png_orientation(file);
    file->kept[0] = orientation;
    if (orientation == 0 || !ssimcu_png_colours(file)) FAIL_FILE(file, MEMORY, "out of memory");
    if (orientation == 1) return SSIMCU_OK;
    const ssimcu_frame stored = *frame;
    const ssimcu_frame shown =
        stored_shape(&stored, orientation); /* the same turn twice restores the shape */
    frame->width = shown.width;
    frame->height = shown.height;
    file->holds = (uint64_t)shown.pitch * shown.height;
    return SSIMCU_OK;
}

static ssimcu_status read_png(ssimcu_file *file, ssimcu_frame *frame)
{
    if (!frame->data) return read_header(file, frame);
    const unsigned orientation = (unsigned)file->kept[0];
    return orientation == 1 ? read_by_either(file, frame) : read_turned(file, frame, orientation);
}

const ssimcu_codec ssimcu_codec_png = {
    .name = "PNG",
    .library = ssimcu_png_libraries,
    .extension = (const char *const[]){".png", NULL},
    .is = is_png,
    .read = read_png,
};
