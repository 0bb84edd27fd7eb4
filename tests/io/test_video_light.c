/* PQ and HLG as light: the numbers of BT.2100, colours, and where U and V lie. */
#include "video/clip_codec.h"
#include "video/light.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static ssimcu_clip_format format_of(uint32_t chroma, uint32_t bits, const char *transfer)
{
    ssimcu_clip_format format;
    cr_assert(ssimcu_clip_format_make(64, 48, chroma, bits, &format));
    strcpy(format.transfer, transfer);
    return format;
}

/* Returns the light of a frame whose planes hold these samples everywhere. */
static void light_of(const ssimcu_clip_format *format, double white, const uint32_t sample[3],
                     float light[3])
{
    ssimcu_video_light *maker;
    ssimcu_frame plane[SSIMCU_MAX_PLANES];
    cr_assert(ssimcu_video_light_open(format, white, &maker, NULL) == SSIMCU_OK);
    void *own = malloc(format->frame_bytes), *memory = malloc(ssimcu_video_light_bytes(maker));
    cr_assert(own && memory);
    ssimcu_clip_planes(format, own, plane);
    for (uint32_t p = 0; p < format->planes; p++)
        for (uint32_t i = 0; i < plane[p].width * plane[p].height * plane[p].channels; i++)
            if (plane[p].bits > 8)
                ((uint16_t *)plane[p].data)[i] = (uint16_t)sample[format->rgb ? i % 3 : p];
            else
                ((uint8_t *)plane[p].data)[i] = (uint8_t)sample[format->rgb ? i % 3 : p];
    ssimcu_video_light_run(maker, memory, plane);
    cr_expect(plane[0].bits == SSIMCU_BITS_F32 && plane[0].linear && plane[0].channels == 3);
    const float *const first = plane[0].data;
    for (uint32_t i = 0; i < 64 * 48 * 3; i++)
        cr_assert(first[i] == first[i % 3], "%u: %g, not %g", i, first[i], first[i % 3]);
    memcpy(light, first, 3 * sizeof *light);
    ssimcu_video_light_close(&maker);
    free(own), free(memory);
}

/* Grey: 64 to 940 of 10 bits are codes of 0 to 1. */
Test(video_light, grey_is_what_the_standard_says)
{
    static const struct {
        const char *transfer;
        double code, nits;
    } rows[] = {{"smpte2084", 0, 0},         {"smpte2084", 0.5081, 100},
                {"smpte2084", 0.7518, 1000}, {"smpte2084", 1, 10000},
                {"arib-std-b67", 0, 0},      {"arib-std-b67", 0.5, 50.7},
                {"arib-std-b67", 0.75, 203}, {"arib-std-b67", 1, 1000}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const ssimcu_clip_format format = format_of(420, 16, rows[i].transfer);
        const uint32_t luma = (uint32_t)lrint((16 + 219 * rows[i].code) * 256);
        float light[3];
        light_of(&format, 100, (const uint32_t[]){luma, 128 << 8, 128 << 8}, light);
        for (int c = 0; c < 3; c++)
            cr_expect(fabs(light[c] * 100 - rows[i].nits) <= 2e-3 * rows[i].nits + 1e-5,
                      "row %zu: %g cd/m2", i, light[c] * 100);
    }
}

/* A primary of BT.2020 in Y, U and V, and the same in R, G and B, in every range and depth. */
Test(video_light, colours)
{
    static const double weight[] = {0.2627, 0.678, 0.0593};
    for (uint32_t bits = 8; bits <= 12; bits += 2)
        for (int full = 0; full < 2; full++)
            for (int c = 0; c < 3; c++) {
                ssimcu_clip_format yuv = format_of(444, bits, "smpte2084"), rgb = yuv;
                const double most = (double)((1u << bits) - 1), unit = (double)(1u << (bits - 8));
                const double y = 0.7 * weight[c],
                             u = ((c == 2 ? 0.7 : 0) - y) / 2 / (1 - weight[2]),
                             v = ((c == 0 ? 0.7 : 0) - y) / 2 / (1 - weight[0]);
                const uint32_t code[] = {
                    (uint32_t)lrint(full ? y * most : (16 + 219 * y) * unit),
                    (uint32_t)lrint(128 * unit + u * (full ? most : 224 * unit)),
                    (uint32_t)lrint(128 * unit + v * (full ? most : 224 * unit))};
                float light[3], wanted[3];
                ssimcu_clip_format_make_rgb(&rgb);
                rgb.range = yuv.range = full ? SSIMCU_RANGE_FULL : SSIMCU_RANGE_LIMITED;
                light_of(&yuv, 100, code, light);
                uint32_t only[3] = {0, 0, 0};
                only[c] = (uint32_t)lrint(0.7 * most);
                light_of(&rgb, 100, only, wanted);
                for (int k = 0; k < 3; k++)
                    cr_expect(fabsf(light[k] - wanted[k]) < (bits == 8 ? 0.5f : 0.1f),
                              "%u bits, full %d, primary %d, colour %d: %g, not %g", bits, full, c,
                              k, light[k], wanted[k]);
            }
}

/* A ramp of V that luma cannot see lies where the file has it: R rises with it evenly. */
Test(video_light, chroma_lies_where_the_file_has_it)
{
    for (int siting = 0; siting <= SSIMCU_SITING_TOP_LEFT; siting++) {
        ssimcu_clip_format format = format_of(420, 16, "arib-std-b67");
        ssimcu_video_light *maker;
        ssimcu_frame plane[SSIMCU_MAX_PLANES];
        format.siting = (ssimcu_siting)siting;
        cr_assert(ssimcu_video_light_open(&format, 1000, &maker, NULL) == SSIMCU_OK);
        uint16_t *own = malloc(format.frame_bytes);
        float *memory = malloc(ssimcu_video_light_bytes(maker));
        cr_assert(own && memory);
        ssimcu_clip_planes(&format, own, plane);
        const double left = siting == SSIMCU_SITING_CENTER ? 1 : 0.5,
                     top = siting == SSIMCU_SITING_TOP_LEFT ? 0.5 : 1;
        for (uint32_t p = 0; p < 3; p++)
            for (uint32_t y = 0; y < plane[p].height; y++)
                for (uint32_t x = 0; x < plane[p].width; x++)
                    ((uint16_t *)plane[p].data)[y * plane[p].width + x] =
                        (uint16_t)(p == 0   ? (16 + 219 * 0.3) * 256
                                   : p == 1 ? 128 * 256
                                            : 128 * 256 + 50 * ((2 * x + left) + (2 * y + top)));
        ssimcu_video_light_run(maker, memory, plane);
        /* Below half of the code, light of the scene is its square; luminance hardly changes. */
        for (uint32_t y = 2; y < 46; y++)
            for (uint32_t x = 2; x < 62; x++) {
                const float *const at = memory + (y * 64 + x) * 3;
                const double v = 50 * (x + 0.5 + y + 0.5) / (224 * 256),
                             red = 0.3 + 2 * (1 - 0.2627) * v,
                             green = 0.3 - 2 * 0.2627 * (1 - 0.2627) / 0.678 * v;
                cr_assert(fabs(sqrt(at[0] / at[1]) - red / green) < 2e-4, "%d at %u,%u: %g, not %g",
                          siting, x, y, sqrt(at[0] / at[1]), red / green);
            }
        ssimcu_video_light_close(&maker);
        free(own), free(memory);
    }
}

Test(video_light, what_is_refused)
{
    ssimcu_clip_format format = format_of(420, 10, "smpte2084");
    ssimcu_video_light *maker;
    ssimcu_message why = {{0}};
    cr_expect(ssimcu_video_light_knows(&format));
    format.matrix = "ictcp";
    cr_expect(ssimcu_video_light_open(&format, 100, &maker, &why) == SSIMCU_ERROR_UNSUPPORTED);
    cr_expect(!maker && strstr(why.text, "ictcp"), "%s", why.text);
    format = format_of(400, 10, "smpte2084");
    cr_expect(!ssimcu_video_light_knows(&format));
    format = format_of(420, 10, "bt709");
    cr_expect(!ssimcu_video_light_knows(&format));
    ssimcu_video_light_close(NULL);
}
