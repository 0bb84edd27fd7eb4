/* Calls of the loss. A byte says which arguments are given, and those behind it what they are. */
#include "arguments.h"
#include "ssimcu_loss.h"
#include "targets.h"

#include <math.h>
#include <stdlib.h>

enum { BY_REF, BY_OUT, MASK, OTHERS };
enum { TYPES = SSIMCU_TYPE_F64 + 1 };

/* What a call is given. */
struct call {
    ssimcu_context *context;
    ssimcu_view ref, out, other[OTHERS];
    const ssimcu_view *given[2]; /* of the sides; NULL in some inputs */
    const ssimcu_view *by_ref, *by_out;
    ssimcu_loss_options options;
    double *numbers; /* exactly as many bytes as are written */
    void *memory, *workspace;
    size_t bytes;
};

static bool is_whole(const ssimcu_view *view) { return view->type <= SSIMCU_TYPE_U16; }

static bool has_doubles(const struct call *call)
{
    return call->ref.type == SSIMCU_TYPE_F64 || call->out.type == SSIMCU_TYPE_F64;
}

/* Makes a mask or a gradient, mostly one that fits. */
static void make_other(struct fuzz_input *in, const ssimcu_view *ref, int which, ssimcu_view *view)
{
    ssimcu_view like = *ref;
    if (which == MASK) like.channels = 1;
    const uint8_t kind = fuzz_byte(in);
    if (which == MASK && kind & 1) like.frames = 1;
    if (kind < 16)
        fuzz_view(in, view);
    else
        fuzz_view_apart(in, &like, TYPES, view);
}

/* Makes both sides: of any kind, or of any type with gaps. */
static void make_sides(struct fuzz_input *in, bool any, struct call *call)
{
    if (any) {
        fuzz_pair(in, &call->ref, &call->out);
        return;
    }
    ssimcu_view like = SSIMCU_INIT(view);
    like.width = fuzz_byte(in) % 48 + 1;
    like.height = fuzz_byte(in) % 48 + 1;
    like.channels = fuzz_byte(in) % 4 + 1;
    like.frames = fuzz_byte(in) % 4;
    fuzz_view_apart(in, &like, TYPES, &call->ref);
    fuzz_view_apart(in, &like, TYPES, &call->out);
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

static void make_memory(struct call *call, ssimcu_status measured)
{
    if (measured != SSIMCU_OK || call->bytes > 1 << 26) call->bytes = 0;
    FUZZ_CHECK(posix_memalign(&call->memory, 256, call->bytes > 0 ? call->bytes : 1) == 0);
    call->workspace = call->memory;
    call->numbers = calloc(SSIMCU_LOSS_NUMBERS, has_doubles(call) ? sizeof(double) : sizeof(float));
    FUZZ_CHECK(call->numbers);
}

/* Spoils an argument that is no view. */
static void spoil(struct call *call, uint8_t which)
{
    if (which == 255) call->given[0] = NULL;
    if (which == 254) call->given[1] = NULL;
    if (which == 253) call->workspace = NULL;
    if (which == 252) call->workspace = (char *)call->memory + 8;
    if (which == 251 && call->bytes > 0) call->bytes--;
}

/* Integers have a loss that is a number, and S is 1 at most. */
static void check(const struct call *call)
{
    const float *const single = (const float *)(const void *)call->numbers;
    const ssimcu_view *const mask = call->options.mask;
    if (!is_whole(&call->ref) || !is_whole(&call->out) || (mask && !is_whole(mask))) return;
    for (int i = 0; i < SSIMCU_LOSS_NUMBERS; i++) FUZZ_CHECK(isfinite(single[i]));
    FUZZ_CHECK(single[SSIMCU_LOSS_SSIM] <= 1.0001f);
}

static void scale(const struct call *call, uint8_t seed)
{
    const double factor = (double)seed / 16;
    const float single = (float)factor;
    const ssimcu_view *const gradient = &call->other[BY_OUT];
    ssimcu_message why = {{0}};
    const ssimcu_status status = ssimcu_loss_scale_async(
        call->context, gradient,
        gradient->type == SSIMCU_TYPE_F64 ? (const void *)&factor : &single, NULL, &why);
    FUZZ_CHECK(status == SSIMCU_OK || fuzz_is_line(why.text));
}

/* Measures and makes the loss. What can be made can be measured. */
static void run(struct call *call, uint8_t spoilt)
{
    ssimcu_message why = {{0}};
    const ssimcu_status measured = ssimcu_loss_workspace(call->context, &call->ref, &call->out,
                                                         &call->options, &call->bytes, &why);
    FUZZ_CHECK(measured == SSIMCU_OK || fuzz_is_line(why.text));
    make_memory(call, measured);
    spoil(call, spoilt);
    const ssimcu_status ran = ssimcu_loss_async(
        call->context, call->given[0], call->given[1], &call->options, call->numbers, call->by_out,
        call->by_ref, call->workspace, call->bytes, NULL, &why);
    FUZZ_CHECK(ran == SSIMCU_OK || fuzz_is_line(why.text));
    FUZZ_CHECK(ran != SSIMCU_OK || (measured == SSIMCU_OK && spoilt <= 250));
    if (ran == SSIMCU_OK) check(call);
}

void fuzz_loss(const uint8_t *data, size_t size)
{
    struct fuzz_input in = {data, data + size};
    const uint8_t flags = fuzz_byte(&in);
    struct call call = {.context = NULL};
    ssimcu_settings settings = SSIMCU_INIT(settings);
    settings.device = SSIMCU_DEVICE_CPU;
    settings.threads = 1 + (flags >> 7);
    FUZZ_CHECK(ssimcu_open(&settings, &call.context, NULL) == SSIMCU_OK);
    make_sides(&in, flags & 8, &call);
    make_options(&in, &call.options);
    for (int i = 0; i < OTHERS; i++) make_other(&in, &call.ref, i, &call.other[i]);
    call.given[0] = &call.ref, call.given[1] = &call.out;
    call.by_ref = flags & 1 ? &call.other[BY_REF] : NULL;
    call.by_out = flags & 2 ? &call.other[BY_OUT] : NULL;
    call.options.mask = flags & 4 ? &call.other[MASK] : NULL;
    run(&call, fuzz_byte(&in));
    scale(&call, flags);
    free(call.numbers);
    free(call.memory);
    for (int i = 0; i < OTHERS; i++) fuzz_view_free(&call.other[i]);
    fuzz_view_free(&call.ref);
    fuzz_view_free(&call.out);
    ssimcu_close(&call.context);
}
