#include "hints_find.h"
#include "check.h"

#include <stdlib.h>
#include <string.h>

static void fetch_patches(struct hints_fetch *base, const ssimcu_patch *patches, uint32_t count)
{
    struct analysis_apart *apart = (struct analysis_apart *)base;
    ssimcu_message why = {{0}};
    apart->lists++;
    cr_assert_eq(ssimcu_view_patches(apart->context, apart->view, apart->frame, 2 * HINTS_PLANES,
                                     patches, count, &why),
                 SSIMCU_OK, "%s", why.text);
}

/* Makes a frame of the same shape, full of noise. */
static ssimcu_frame noise_like(check_random *random, const ssimcu_frame *from)
{
    ssimcu_frame frame = *from;
    const uint32_t sample = from->bits == 8 ? 1 : from->bits == SSIMCU_BITS_F32 ? 4 : 2;
    frame.pitch = (size_t)from->width * from->channels * sample;
    frame.data = malloc(frame.pitch * frame.height);
    cr_assert(frame.data);
    const size_t bytes = frame.pitch * frame.height;
    for (size_t i = 0; i < bytes; i += sizeof(uint32_t)) {
        const uint32_t noise = (uint32_t)check_draw(random);
        memcpy((char *)frame.data + i, &noise, bytes - i < sizeof noise ? bytes - i : sizeof noise);
    }
    return frame;
}

/* Returns whether a plane is a V that lies in U, and the frame of such a V of 8 bits. */
static bool lies_beside(const ssimcu_frame *plane, uint32_t number)
{
    return number == 2 && plane->channels == 2;
}

static ssimcu_frame beside(const ssimcu_frame *u)
{
    ssimcu_frame v = *u;
    v.data = (char *)u->data + 1;
    return v;
}

void analysis_apart_open(struct analysis_apart *apart, const ssimcu_frame *ref,
                         const ssimcu_frame *out, uint32_t planes)
{
    const ssimcu_settings settings = SSIMCU_INIT(settings, .device = SSIMCU_DEVICE_CPU);
    check_random random = {9};
    *apart = (struct analysis_apart){.base = {.patches = fetch_patches, .list = apart->list},
                                     .context = check_open(&settings),
                                     .planes = planes};
    for (uint32_t i = 0; i < 2 * HINTS_PLANES; i++) {
        const uint32_t p = i % HINTS_PLANES;
        const ssimcu_frame *const from = &(i < HINTS_PLANES ? ref : out)[p < planes ? p : 0];
        apart->view[i] = SSIMCU_INIT(view, .width = 0);
        cr_assert_eq(ssimcu_frame_view(from, &apart->view[i], NULL), SSIMCU_OK);
        apart->frame[i] = lies_beside(from, p) ? beside(&apart->frame[i - 1])
                          : p < planes         ? noise_like(&random, from)
                                               : apart->frame[i - p];
    }
}

void analysis_apart_close(struct analysis_apart *apart)
{
    for (uint32_t i = 0; i < 2 * HINTS_PLANES; i++)
        if (i % HINTS_PLANES < apart->planes && !lies_beside(&apart->frame[i], i % HINTS_PLANES))
            free(apart->frame[i].data);
    ssimcu_close(&apart->context);
}

void analysis_both(const ssimcu_frame *ref, const ssimcu_frame *out, uint32_t planes,
                   const ssimcu_score *score, struct hints *hints, struct signature signature[2])
{
    static struct hints fetched;
    static struct signature fetched_signature[2];
    struct analysis_apart apart;
    analysis_apart_open(&apart, ref, out, planes);
    analyse_pair(ref, out, planes, score, NULL, hints, signature);
    analyse_pair(apart.frame, apart.frame + HINTS_PLANES, planes, score, &apart.base, &fetched,
                 fetched_signature);
    cr_assert_eq(fetched.count, hints->count, "%u hints by fetching, not %u", fetched.count,
                 hints->count);
    for (uint32_t i = 0; i < hints->count; i++) cr_assert_str_eq(fetched.text[i], hints->text[i]);
    cr_assert_arr_eq(fetched_signature, signature, sizeof fetched_signature);
    analysis_apart_close(&apart);
}
