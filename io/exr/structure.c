#include "structure.h"

#include "chunks.h"

#include "fail.h"
#include "most_side.h"

#include <string.h>

/* Maximum bytes of a chunk before compression, over all channels. OpenEXR holds as much for each
 * chunk that it decodes. */
enum { MOST_CHUNK_BYTES = 1 << 29 };

enum { BAND_BYTES = 2 << 20 };

/* ---- Windows --------------------------------------------------------------------------------- */

static ssimcu_status check_window(struct ssimcu_exr_task *task,
                                  const struct ssimcu_exr_window *window, const char *name)
{
    const uint64_t width = exr_width(window), height = exr_height(window);
    if (width <= SSIMCU_MOST_SIDE && height <= SSIMCU_MOST_SIDE &&
        width * height <= task->max_pixels)
        return SSIMCU_OK;
    FAIL_EXR(LIMIT, "%s window of %llux%llu pixels is over the limit of %d a side and %llu pixels",
             name, (unsigned long long)width, (unsigned long long)height, SSIMCU_MOST_SIDE,
             (unsigned long long)task->max_pixels);
}

/* Checks the windows of all parts against the limits, before any work that grows with them. */
static ssimcu_status check_sizes(struct ssimcu_exr_task *task, struct exr_file *file)
{
    for (uint32_t p = 0; p < file->parts; p++) {
        struct exr_part *part = &file->part[p];
        TRY(check_window(task, &part->display, "display"));
        TRY(check_window(task, &part->data, "data"));
        if (exr_chunks_pixel_bytes(part) == 0) FAIL_EXR(DATA, "damaged EXR (attribute channels)");
        if (!part->deep && exr_chunks_most_bytes(part) > MOST_CHUNK_BYTES)
            FAIL_EXR(LIMIT, "EXR with chunks of more than %d bytes", MOST_CHUNK_BYTES);
        TRY(exr_chunks_count(task, part));
    }
    return SSIMCU_OK;
}

/* ---- All ------------------------------------------------------------------------------------- */

/* Chooses the height of a band: whole rows of chunks, at least one per thread. A band is small
 * enough to stay in a cache on its way to the caller. Of 0.5 to 8 MB, 2 MB took the least time. */
static uint64_t choose_band(uint64_t height, uint64_t row_bytes, uint64_t chunk_rows,
                            uint64_t threads)
{
    const uint64_t fitting = BAND_BYTES / (row_bytes * chunk_rows);
    const uint64_t rows = chunk_rows * (fitting > threads ? fitting : threads);
    return rows < height ? rows : height;
}

static void take_floats(const uint8_t *bytes, int count, float *to)
{
    for (int i = 0; i < count; i++) {
        const uint32_t bits = (uint32_t)exr_number_at(bytes + 4 * i, 4);
        memcpy(&to[i], &bits, 4);
    }
}

static void describe(struct ssimcu_exr_task *task, const struct exr_part *part,
                     struct ssimcu_exr_picture *picture)
{
    const uint64_t threads = task->threads > 0 ? task->threads : 1;
    struct ssimcu_exr_facts *const facts = &task->facts;
    bool half = true;
    for (uint32_t c = 0; c < picture->count; c++)
        half = half && !(task->wide && task->facts.numbers) &&
               picture->channel[c].type == SSIMCU_EXR_HALF;
    const uint64_t row_bytes =
        exr_width(&part->data) * picture->count * (half ? sizeof(uint16_t) : sizeof(float));
    facts->channel_count = picture->count;
    facts->bits = half ? (uint16_t)SSIMCU_BITS_F16 : (uint16_t)SSIMCU_BITS_F32;
    facts->data = part->data;
    facts->display = part->display;
    facts->has_xy = part->xy && !facts->numbers;
    if (facts->has_xy) take_floats(part->xy, 8, facts->xy);
    if (part->aspect) take_floats(part->aspect, 1, &facts->aspect);
    for (int i = 0; i < 2 && part->rate; i++)
        facts->rate[i] = (uint32_t)exr_number_at(part->rate + 4 * i, 4);
    facts->compression = part->compression;
    picture->chunk_width = part->tiled ? part->tile_width : (uint32_t)exr_width(&part->data);
    picture->chunk_rows = exr_chunks_rows(part);
    picture->chunk_count =
        exr_chunks_across(task, picture) *
        ((exr_height(&part->data) + picture->chunk_rows - 1) / picture->chunk_rows);
    picture->compression = part->compression;
    picture->channels = part->channels;
    picture->band_rows =
        (uint32_t)choose_band(exr_height(&part->data), row_bytes, picture->chunk_rows, threads);
    facts->band_bytes = picture->band_rows * row_bytes;
    facts->holds = 2 * threads * exr_chunks_most_bytes(part) + facts->band_bytes;
}

ssimcu_status ssimcu_exr_structure(struct ssimcu_exr_task *task, struct ssimcu_exr_picture *picture)
{
    struct exr_file file = {.parts = 0};
    *picture = (struct ssimcu_exr_picture){.part = -1};
    TRY(exr_header_read(task, &file));
    if (file.deep && !file.multipart) FAIL_EXR(UNSUPPORTED, "deep EXR is not supported");
    TRY(check_sizes(task, &file));
    TRY(exr_choice_make(task, &file, picture));
    TRY(exr_chunks_check(task, &file, picture));
    describe(task, &file.part[picture->part], picture);
    return SSIMCU_OK;
}
