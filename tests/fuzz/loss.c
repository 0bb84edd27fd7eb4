/* Calls of the loss. A byte says which arguments are given, and those behind it what they are. */
#include "arguments.h"
#include "ssimcu_loss.h"
#include "targets.h"

#include <math.h>
#include <stdlib.h>

enum { BY_REF, BY_OUT, MASK, OTHERS };

static bool is_whole(const ssimcu_view *view) { return view->type <= SSIMCU_TYPE_U16; }

/* Makes a mask or a gradient, mostly one that fits. */
static void make_other(struct fuzz_input *in, const ssimcu_view *ref, int which, ssimcu_view *view)
{
    ssimcu_view like = *ref;
    if (which == MASK) like.channels = 1;
    if (fuzz_byte(in) < 16)
        fuzz_view(in, view);
    else
        fuzz_view_like(in, &like, 5, view);
}

static void make_options(struct fuzz_input *in, ssimcu_loss_options *options)
{
    static const double weights[] = {0, 1, 0.2, -3, 1e31, NAN};
    *options = SSIMCU_INIT(loss_options);
    options->pad = (ssimcu_pad)fuzz_choice(in, 2);
    options->mask_rule = (ssimcu_loss_mask)fuzz_choice(in, 3);
    options->ssim = weights[fuzz_choice(in, 3)];
    options->l1 = weights[fuzz_choice(in, 4)];
    options->mse = weights[fuzz_choice(in, 4) + (fuzz_byte(in) > 250)];
    if (fuzz_byte(in) > 250) options->struct_size = fuzz_byte(in);
}

/* Integers have a loss that is a number, and S is 1 at most. */
static void check(const ssimcu_view *ref, const ssimcu_view *out, const ssimcu_view *mask,
                  const float *loss)
{
    if (!is_whole(ref) || !is_whole(out) || (mask && !is_whole(mask))) return;
    for (int i = 0; i < SSIMCU_LOSS_NUMBERS; i++) FUZZ_CHECK(isfinite(loss[i]));
    FUZZ_CHECK(loss[SSIMCU_LOSS_SSIM] <= 1.0001f);
}

static void scale(ssimcu_context *context, const ssimcu_view *gradient, uint8_t seed)
{
    const float factor = (float)seed / 16;
    ssimcu_message why = {{0}};
    const ssimcu_status status = ssimcu_loss_scale_async(context, gradient, &factor, NULL, &why);
    FUZZ_CHECK(status == SSIMCU_OK || fuzz_is_line(why.text));
}

void fuzz_loss(const uint8_t *data, size_t size)
{
    struct fuzz_input in = {data, data + size};
    const uint8_t flags = fuzz_byte(&in);
    ssimcu_settings settings = SSIMCU_INIT(settings);
    ssimcu_context *context = NULL;
    ssimcu_message why = {{0}};
    ssimcu_loss_options options;
    ssimcu_view ref, out, other[OTHERS];
    float loss[SSIMCU_LOSS_NUMBERS] = {0};
    void *workspace = NULL;
    size_t bytes = 0;
    settings.device = SSIMCU_DEVICE_CPU;
    settings.threads = 1 + (flags >> 7);
    FUZZ_CHECK(ssimcu_open(&settings, &context, NULL) == SSIMCU_OK);
    fuzz_pair(&in, &ref, &out);
    make_options(&in, &options);
    for (int i = 0; i < OTHERS; i++) make_other(&in, &ref, i, &other[i]);
    options.mask = flags & 4 ? &other[MASK] : NULL;
    const ssimcu_view *const by_ref = flags & 1 ? &other[BY_REF] : NULL, *const by_out =
                                                                             flags & 2
                                                                                 ? &other[BY_OUT]
                                                                                 : NULL;
    ssimcu_status status = ssimcu_loss_workspace(context, &ref, &out, &options, &bytes, &why);
    FUZZ_CHECK(status == SSIMCU_OK || fuzz_is_line(why.text));
    if (status != SSIMCU_OK || bytes > 1 << 26) bytes = 0;
    FUZZ_CHECK(posix_memalign(&workspace, 256, bytes > 0 ? bytes : 1) == 0);
    const ssimcu_status ran = ssimcu_loss_async(context, &ref, &out, &options, loss, by_out, by_ref,
                                                workspace, bytes, NULL, &why);
    FUZZ_CHECK(ran == SSIMCU_OK || fuzz_is_line(why.text));
    FUZZ_CHECK(ran != SSIMCU_OK || status == SSIMCU_OK);
    if (ran == SSIMCU_OK) check(&ref, &out, options.mask, loss);
    scale(context, &other[BY_OUT], flags);
    free(workspace);
    for (int i = 0; i < OTHERS; i++) fuzz_view_free(&other[i]);
    fuzz_view_free(&ref);
    fuzz_view_free(&out);
    ssimcu_close(&context);
}
