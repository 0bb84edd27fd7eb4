/* Batches of device frames. */
#include "bits.h"

#include <stdio.h>

/* Contexts of several settings, each with the fewest channels that it makes a difference for. */
static struct {
    struct setup setup;
    uint32_t channels;
    ssimcu_context *context;
} DEVICE[] = {
    {{.pad = SSIMCU_PAD_VALID}, 1, NULL},
    {{.pad = SSIMCU_PAD_ZERO}, 1, NULL},
    {{.color = SSIMCU_COLOR_Y709, .alpha = SSIMCU_ALPHA_BLACK}, 3, NULL},
    {{.pad = SSIMCU_PAD_ZERO, .color = SSIMCU_COLOR_Y601, .alpha = SSIMCU_ALPHA_WHITE}, 4, NULL},
    {{.alpha = SSIMCU_ALPHA_IGNORE}, 4, NULL}};

static const struct kind DEVICE_KIND[] = {{SSIMCU_LAYOUT_HWC, SSIMCU_TYPE_U8, 0, 0, 0, false},
                                          {SSIMCU_LAYOUT_CHW, SSIMCU_TYPE_U8, 0, 0, 0, false},
                                          {SSIMCU_LAYOUT_PLANES, SSIMCU_TYPE_U8, 0, 0, 0, false},
                                          {SSIMCU_LAYOUT_HWC, SSIMCU_TYPE_U8, 0, 0, 0, true},
                                          {SSIMCU_LAYOUT_CHW, SSIMCU_TYPE_U8, 0, 0, 0, true},
                                          {SSIMCU_LAYOUT_PLANES, SSIMCU_TYPE_U8, 0, 0, 0, true},
                                          {SSIMCU_LAYOUT_HWC, SSIMCU_TYPE_U8, 0, 0, 1, false},
                                          {SSIMCU_LAYOUT_CHW, SSIMCU_TYPE_U8, 0, 0, 1, false},
                                          {SSIMCU_LAYOUT_PLANES, SSIMCU_TYPE_U8, 0, 0, 1, false},
                                          {SSIMCU_LAYOUT_HWC, SSIMCU_TYPE_F32, 0, 0, 0, false},
                                          {SSIMCU_LAYOUT_CHW, SSIMCU_TYPE_F32, 0, 255, 0, true},
                                          {SSIMCU_LAYOUT_PLANES, SSIMCU_TYPE_F32, 0, 0, 1, false},
                                          {SSIMCU_LAYOUT_HWC, SSIMCU_TYPE_U16, 0, 1023, 1, true},
                                          {SSIMCU_LAYOUT_CHW, SSIMCU_TYPE_F16, 0, 0, 0, false}};

static void compare_batches(const struct picture *ref, const struct picture *out, const char *label)
{
    static const struct {
        uint32_t frames, tile;
    } batch[] = {{0, 0}, {1, 0}, {3, 0}, {8, 0}, {0, 64}, {3, 32}};
    struct answer answer[MOST_FRAMES];
    for (size_t i = 0; i < COUNT(DEVICE); i++)
        for (size_t k = 0; k < COUNT(batch); k++) {
            ssimcu_view a = ref->view, b = out->view;
            const uint32_t frames = batch[k].frames, tile = batch[k].tile;
            if (a.channels < DEVICE[i].channels || frames > a.frames) continue;
            a.frames = b.frames = frames;
            const uint32_t count = request(DEVICE[i].context, &a, &b, tile, answer);
            for (uint32_t n = 0; n < count; n++)
                print(answer[n], "request: %s tile %u %s pair %u of %u", label, tile,
                      name_of(&DEVICE[i].setup), n, frames);
        }
}

/* Scores requests. A GPU takes the tensor cores from 512 x 512 windows on. Kinds that differ
 * come last. */
void requests(ssimcu_device device)
{
    static const uint32_t size[][2] = {{11, 11},   {37, 53},   {521, 522},  {522, 522},
                                       {512, 512}, {640, 480}, {1920, 1080}};
    const uint32_t kinds = COUNT(DEVICE_KIND);
    for (size_t i = 0; i < COUNT(DEVICE); i++) {
        DEVICE[i].setup.device = device;
        DEVICE[i].context = must_open(&DEVICE[i].setup);
    }
    for (uint32_t i = 0; i < COUNT(size) * (kinds + 3) * 3; i++) {
        const uint32_t *s = size[i / 3 / (kinds + 3)], k = i / 3 % (kinds + 3);
        struct kind ref = DEVICE_KIND[k % kinds],
                    out = k < kinds ? ref : DEVICE_KIND[(k * 5 + 3) % kinds];
        const struct shape shape = {s[0], s[1], s[0] < 1000 ? MOST_FRAMES : 3, i};
        char label[256];
        ref.channels = out.channels = i % 3 + (i % 3 ? 2 : 1);
        if (!due()) continue;
        struct picture a = make_picture(ref, shape, 0), b = make_picture(out, shape, 1);
        pin(DEVICE[0].context, &a), pin(DEVICE[0].context, &b);
        snprintf(label, sizeof label, "%ux%u %s; %s", s[0], s[1], name_of_kind(ref),
                 name_of_kind(out));
        compare_batches(&a, &b, label);
        unpin_and_free(DEVICE[0].context, &a), unpin_and_free(DEVICE[0].context, &b);
    }
    for (size_t i = 0; i < COUNT(DEVICE); i++) ssimcu_close(&DEVICE[i].context);
}
