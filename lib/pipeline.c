/* ref, out -> upload -> permute (HWC -> CHW planes) -> ssim -> reduce -> download -> score.
 *
 * Frames with alpha may go through the part from permute on twice, once over black and once over
 * white; they are uploaded once. */
#include "pipeline.h"

#include "frame.h"

#include <string.h>

static uint32_t window_positions(uint32_t side, int zero_pad)
{
    return zero_pad ? side : side - (SSIMCU_TAPS - 1);
}

static uint32_t color_channels(const ssimcu_frame *frame) { return frame->channels >= 3 ? 3 : 1; }

ssimcu_status ssimcu_pipeline_shape(const ssimcu_context *context, const ssimcu_frame *ref,
                                    const ssimcu_frame *out, struct ssimcu_shape *shape,
                                    ssimcu_message *message)
{
    const int zero_pad = context->settings.pad == SSIMCU_PAD_ZERO;
    const uint32_t shallow = ref->bits < out->bits ? ref->bits : out->bits;
    const uint32_t deep = ref->bits < out->bits ? out->bits : ref->bits;
    if (ref->width != out->width || ref->height != out->height)
        return ssimcu_fail(message, SSIMCU_ERROR_MISMATCH,
                           "the frames differ in size: ref is %ux%u, out is %ux%u", ref->width,
                           ref->height, out->width, out->height);
    if (shallow != deep && (shallow != 8 || deep != 16))
        return ssimcu_fail(message, SSIMCU_ERROR_MISMATCH,
                           "the frames differ in depth: ref has %u bits, out has %u", ref->bits,
                           out->bits);
    if (!zero_pad && (ref->width < SSIMCU_TAPS || ref->height < SSIMCU_TAPS))
        return ssimcu_fail(
            message, SSIMCU_ERROR_TOO_SMALL,
            "%ux%u pixels: smaller than the %dx%d window (zero padding would score it)", ref->width,
            ref->height, SSIMCU_TAPS, SSIMCU_TAPS);
    const int luma = context->settings.color != SSIMCU_COLOR_RGB;
    const int grey = color_channels(ref) == 1 && color_channels(out) == 1;
    *shape = (struct ssimcu_shape){
        .width = ref->width,
        .height = ref->height,
        .planes = luma || grey ? 1 : 3,
        .map_width = window_positions(ref->width, zero_pad),
        .map_height = window_positions(ref->height, zero_pad),
        .zero_pad = zero_pad,
        .frame_bytes = {ssimcu_frame_row_bytes(ref) * ref->height,
                        ssimcu_frame_row_bytes(out) * out->height},
    };
    return SSIMCU_OK;
}

/* Over which backgrounds the pair is scored: bit 0 none, bit 1 black, bit 2 white. */
static unsigned backgrounds(const ssimcu_context *context, const ssimcu_frame *ref,
                            const ssimcu_frame *out)
{
    const unsigned none = 1u << SSIMCU_BACKGROUND_NONE, black = 1u << SSIMCU_BACKGROUND_BLACK,
                   white = 1u << SSIMCU_BACKGROUND_WHITE;
    if (context->settings.alpha == SSIMCU_ALPHA_IGNORE) return none;
    if (!ssimcu_frame_is_transparent(ref) && !ssimcu_frame_is_transparent(out)) return none;
    if (context->settings.alpha == SSIMCU_ALPHA_BLACK) return black;
    if (context->settings.alpha == SSIMCU_ALPHA_WHITE) return white;
    return black | white;
}

static struct ssimcu_pixel_rule make_rule(const ssimcu_context *context, const ssimcu_frame *frame,
                                          uint32_t bits, uint32_t planes,
                                          ssimcu_background background)
{
    static const uint32_t weights[][3] = {
        [SSIMCU_COLOR_RGB] = {0, 0, 0},
        [SSIMCU_COLOR_Y709] = {2126, 7152, 722},
        [SSIMCU_COLOR_Y601] = {2990, 5870, 1140},
    };
    const uint32_t peak = (1u << bits) - 1;
    struct ssimcu_pixel_rule rule = {
        .channels = frame->channels,
        .planes = planes,
        .bits = frame->bits,
        .peak = peak,
        .widen = bits > frame->bits ? 257 : 1,
        .alpha = frame->channels % 2 == 0 && background != SSIMCU_BACKGROUND_NONE,
        .background = background == SSIMCU_BACKGROUND_WHITE ? peak : 0,
    };
    memcpy(rule.luma, weights[context->settings.color], sizeof rule.luma);
    return rule;
}

#define TRY(call)                                                                                  \
    do {                                                                                           \
        const ssimcu_status status_ = (call);                                                      \
        if (status_ != SSIMCU_OK) return status_;                                                  \
    } while (0)

/* From the uploaded frames to the sums over one background. */
static ssimcu_status run_pass(ssimcu_context *context, const ssimcu_frame *const pair[SSIMCU_PAIR],
                              const struct ssimcu_shape *shape, ssimcu_score *score, float *map,
                              ssimcu_stage_ms *ms, ssimcu_message *message)
{
    const struct ssimcu_backend *backend = context->backend;
    for (int slot = 0; slot < SSIMCU_PAIR; slot++) {
        const struct ssimcu_pixel_rule rule =
            make_rule(context, pair[slot], score->bits, shape->planes, score->background);
        TRY(backend->permute(context->state, slot, &rule, message));
    }
    TRY(backend->ssim(context->state, message));
    TRY(backend->reduce(context->state, message));
    double sums[SSIMCU_MAX_CHANNELS] = {0};
    TRY(backend->download(context->state, sums, map, ms, message));
    const double positions = (double)shape->map_width * shape->map_height;
    score->channels = shape->planes;
    score->score = 0;
    for (uint32_t c = 0; c < shape->planes; c++) {
        score->channel[c] = 1.0 - sums[c] / positions;
        score->score += score->channel[c];
    }
    score->score /= shape->planes;
    return SSIMCU_OK;
}

ssimcu_status ssimcu_pipeline_run(ssimcu_context *context, const ssimcu_frame *ref,
                                  const ssimcu_frame *out, ssimcu_score *score, float *map,
                                  ssimcu_message *message)
{
    const struct ssimcu_backend *backend = context->backend;
    const ssimcu_frame *const pair[SSIMCU_PAIR] = {ref, out};
    struct ssimcu_shape shape;
    TRY(ssimcu_pipeline_shape(context, ref, out, &shape, message));
    shape.want_map = map != NULL;
    TRY(backend->reserve(context->state, &shape, message));
    for (int slot = 0; slot < SSIMCU_PAIR; slot++)
        TRY(backend->upload(context->state, slot, pair[slot], message));

    const unsigned over = backgrounds(context, ref, out);
    const int one_pass = (over & (over - 1)) == 0;
    ssimcu_score best = {0};
    ssimcu_stage_ms ms = {0};
    for (unsigned b = SSIMCU_BACKGROUND_NONE; b <= SSIMCU_BACKGROUND_WHITE; b++) {
        if (!(over & 1u << b)) continue;
        ssimcu_score pass = {.bits = ref->bits > out->bits ? ref->bits : out->bits,
                             .background = (ssimcu_background)b};
        TRY(run_pass(context, pair, &shape, &pass, one_pass ? map : NULL, &ms, message));
        if (best.channels == 0 || pass.score < best.score) best = pass;
    }
    if (map && !one_pass) /* the map belongs to the lower score: once more, now with it */
        TRY(run_pass(context, pair, &shape, &best, map, &ms, message));
    best.struct_size = score->struct_size;
    best.ms = ms;
    *score = best;
    return SSIMCU_OK;
}
