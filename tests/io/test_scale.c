/* Scaled frames: where their samples lie, what their memory is, and what is refused. What zimg
 * computes is held against ffmpeg in video/ladder.py. */
#include "video/clip_codec.h"
#include "video/scale.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* The value of a ramp at a place of luma, in columns and rows of a frame. */
static double ramp(double x, double y, const ssimcu_frame *luma)
{
    return 100 + 400 * (x / luma->width + y / luma->height);
}

/* Returns where the sample of a plane lies, in edges of luma. */
static double place(uint32_t at, uint32_t per, bool beside)
{
    return per == 1 ? at + 0.5 : beside ? (double)per * at + 0.5 : (double)per * (at + 0.5);
}

static void fill(const ssimcu_clip_format *format, ssimcu_frame plane[SSIMCU_MAX_PLANES])
{
    for (uint32_t p = 0; p < format->planes; p++) {
        const uint32_t across = p > 0 ? ssimcu_clip_across(format) : 1;
        const uint32_t down = p > 0 ? ssimcu_clip_down(format) : 1;
        for (uint32_t y = 0; y < plane[p].height; y++)
            for (uint32_t x = 0; x < plane[p].width; x++)
                ((uint16_t *)plane[p].data)[y * plane[p].pitch / 2 + x] =
                    (uint16_t)(ramp(place(x, across, format->siting != SSIMCU_SITING_CENTER),
                                    place(y, down, format->siting == SSIMCU_SITING_TOP_LEFT),
                                    &format->plane[0]) +
                               0.5);
    }
}

/* Expects the same ramp at the places of the scaled samples, but for the frame's edges. */
static void expect_ramp(const ssimcu_clip_format *format, const ssimcu_frame *plane)
{
    for (uint32_t p = 0; p < format->planes; p++) {
        const uint32_t across = p > 0 ? ssimcu_clip_across(format) : 1;
        const uint32_t down = p > 0 ? ssimcu_clip_down(format) : 1;
        for (uint32_t y = 8; y + 8 < plane[p].height; y++)
            for (uint32_t x = 8; x + 8 < plane[p].width; x++) {
                const uint16_t *row = (const uint16_t *)plane[p].data + y * plane[p].pitch / 2;
                const double want =
                    ramp(place(x, across, format->siting != SSIMCU_SITING_CENTER),
                         place(y, down, format->siting == SSIMCU_SITING_TOP_LEFT), &plane[0]);
                cr_assert(row[x] > want - 1.7 && row[x] < want + 1.7,
                          "%u, siting %d: plane %u at %u,%u: %u, not %.2f, %ux%u", format->chroma,
                          format->siting, p, x, y, row[x], want, format->plane[0].width,
                          format->plane[0].height);
            }
    }
}

/* Ramps of luma and chroma stay where they are, at every siting and subsampling, in both
 * directions, with memory that is not aligned. */
Test(scale, chroma_stays_where_it_is)
{
    static const uint32_t chromas[] = {420, 422, 444, 411, 400},
                          sizes[][2] = {{256, 160}, {64, 40}},
                          sides[][2] = {{128, 80}, {127, 80}, {128, 79}, {125, 77}};
    for (size_t c = 0; c < sizeof chromas / sizeof *chromas; c++)
        for (int siting = 0; siting <= SSIMCU_SITING_TOP_LEFT; siting++)
            for (int size = 0; size < 8; size++) {
                const uint32_t *const side = sides[size / 2], *const to = sizes[size % 2];
                ssimcu_clip_format from;
                ssimcu_scaler *scaler = NULL;
                ssimcu_message why = {{0}};
                ssimcu_frame plane[SSIMCU_MAX_PLANES];
                if (chromas[c] != 420 && siting == SSIMCU_SITING_TOP_LEFT) continue;
                cr_assert(ssimcu_clip_format_make(side[0], side[1], chromas[c], 10, &from));
                from.siting = (ssimcu_siting)siting;
                const ssimcu_status status =
                    ssimcu_scaler_open(&from, to[0], to[1], SSIMCU_SCALER_BILINEAR, &scaler, &why);
                cr_assert(status == SSIMCU_OK, "%s", why.text);
                uint8_t *own = malloc(from.frame_bytes + 2), *memory;
                memory = malloc(ssimcu_scaler_bytes(scaler) + 1);
                cr_assert(own && memory);
                ssimcu_clip_planes(&from, own + 2, plane);
                fill(&from, plane);
                cr_assert(ssimcu_scaler_run(scaler, memory + 1, plane, &why) == SSIMCU_OK, "%s",
                          why.text);
                cr_assert(plane[0].width == to[0] && plane[0].height == to[1]);
                expect_ramp(&from, plane);
                ssimcu_scaler_close(&scaler);
                cr_expect(!scaler);
                free(own), free(memory);
            }
}

/* A frame of one value keeps it in every depth and by every filter, up to the peak. */
Test(scale, flat_frames_stay)
{
    for (uint32_t bits = 8; bits <= 16; bits += 2)
        for (int filter = 0; filter <= SSIMCU_SCALER_SPLINE36; filter++) {
            ssimcu_clip_format from;
            ssimcu_scaler *scaler;
            ssimcu_frame plane[SSIMCU_MAX_PLANES];
            const uint32_t value = (1u << bits) - 1;
            cr_assert(ssimcu_clip_format_make(66, 34, 420, bits, &from));
            cr_assert(ssimcu_scaler_open(&from, 94, 20, (ssimcu_scaler_name)filter, &scaler,
                                         NULL) == SSIMCU_OK);
            void *own = malloc(from.frame_bytes), *memory = malloc(ssimcu_scaler_bytes(scaler));
            cr_assert(own && memory);
            for (size_t i = 0; i < from.frame_bytes / (bits > 8 ? 2 : 1); i++)
                if (bits > 8)
                    ((uint16_t *)own)[i] = (uint16_t)value;
                else
                    ((uint8_t *)own)[i] = (uint8_t)value;
            ssimcu_clip_planes(&from, own, plane);
            cr_assert(ssimcu_scaler_run(scaler, memory, plane, NULL) == SSIMCU_OK);
            for (uint32_t x = 0; x < plane[1].width; x++)
                cr_expect((bits > 8 ? ((uint16_t *)plane[1].data)[x]
                                    : ((uint8_t *)plane[1].data)[x]) == value);
            ssimcu_scaler_close(&scaler);
            free(own), free(memory);
        }
}

Test(scale, what_is_refused)
{
    static const struct {
        uint32_t width, height, chroma;
        uint32_t to_width, to_height;
        bool rgb;
        const char *says;
    } rows[] = {{64, 48, 420, 128, 95, false, "128x95: scaled yuv420p needs"},
                {64, 48, 411, 130, 96, false, "130x96: scaled yuv411p needs a multiple of 4 by 1"},
                {64, 48, 444, 128, 96, true, "found RGB"},
                {64, 48, 444, 0, 96, false, "0x96 is not a size"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ssimcu_clip_format from;
        ssimcu_scaler *scaler;
        ssimcu_message why = {{0}};
        cr_assert(ssimcu_clip_format_make(rows[i].width, rows[i].height, rows[i].chroma, 8, &from));
        if (rows[i].rgb) ssimcu_clip_format_make_rgb(&from);
        cr_expect(ssimcu_scaler_open(&from, rows[i].to_width, rows[i].to_height,
                                     SSIMCU_SCALER_BICUBIC, &scaler, &why) != SSIMCU_OK);
        cr_expect(!scaler && strstr(why.text, rows[i].says), "row %zu: %s", i, why.text);
    }
    ssimcu_scaler_close(NULL);
    ssimcu_clip_format odd;
    ssimcu_message why = {{0}};
    cr_assert(ssimcu_clip_format_make(63, 48, 420, 8, &odd));
    cr_expect(ssimcu_scaler_check(&odd, 128, 96, &why) == SSIMCU_ERROR_MISMATCH);
    cr_expect(strstr(why.text, "63x48: scaled yuv420p needs a multiple"));
}
