/* ref, out -> upload -> permute (samples -> planes) -> ssim -> reduce -> download -> score.
 *
 * Views with alpha may go through the part from permute on twice, once over black and once over
 * white; they are uploaded once. The planes of a video frame go through all of it but the download
 * one behind the other, and are waited for together. */
#include "pipeline.h"

#include "fail.h"

#include "view.h"

#include <math.h>
#include <string.h>

static uint32_t window_positions(uint32_t side, int zero_pad)
{
    return zero_pad ? side : side - (SSIMCU_TAPS - 1);
}

static uint32_t color_channels(const ssimcu_view *view) { return view->channels >= 3 ? 3 : 1; }

ssimcu_status ssimcu_pipeline_shape(const ssimcu_settings *settings,
                                    const ssimcu_view pair[SSIMCU_PAIR], struct ssimcu_shape *shape,
                                    ssimcu_message *message)
{
    const int zero_pad = settings->pad == SSIMCU_PAD_ZERO;
    const ssimcu_view *ref = &pair[SSIMCU_REF], *out = &pair[SSIMCU_OUT];
    if (ref->width != out->width || ref->height != out->height)
        return ssimcu_fail(message, SSIMCU_ERROR_MISMATCH,
                           "the frames differ in size: ref is %ux%u, out is %ux%u", ref->width,
                           ref->height, out->width, out->height);
    if (ref->frames != out->frames)
        return ssimcu_fail(message, SSIMCU_ERROR_MISMATCH, "frames: ref has %u, out has %u",
                           ref->frames, out->frames);
    if (!zero_pad && (ref->width < SSIMCU_TAPS || ref->height < SSIMCU_TAPS))
        return ssimcu_fail(
            message, SSIMCU_ERROR_TOO_SMALL,
            "%ux%u pixels: smaller than the %dx%d window (zero padding would score it)", ref->width,
            ref->height, SSIMCU_TAPS, SSIMCU_TAPS);
    const int luma = settings->color != SSIMCU_COLOR_RGB;
    const int grey = color_channels(ref) == 1 && color_channels(out) == 1;
    *shape = (struct ssimcu_shape){
        .width = ref->width,
        .height = ref->height,
        .planes = luma || grey ? 1 : 3,
        .map_width = window_positions(ref->width, zero_pad),
        .map_height = window_positions(ref->height, zero_pad),
        .zero_pad = zero_pad,
        .frame_bytes = {ssimcu_view_bytes(ref), ssimcu_view_bytes(out)},
    };
    return SSIMCU_OK;
}

unsigned ssimcu_pipeline_backgrounds(const ssimcu_settings *settings)
{
    switch (settings->alpha) {
    case SSIMCU_ALPHA_IGNORE: return 1u << SSIMCU_BACKGROUND_NONE;
    case SSIMCU_ALPHA_BLACK: return 1u << SSIMCU_BACKGROUND_BLACK;
    case SSIMCU_ALPHA_WHITE: return 1u << SSIMCU_BACKGROUND_WHITE;
    default: return 1u << SSIMCU_BACKGROUND_BLACK | 1u << SSIMCU_BACKGROUND_WHITE;
    }
}

/* The same for a pair that can be looked at: without alpha that matters there is no background. */
static unsigned backgrounds(const ssimcu_settings *settings, const ssimcu_view pair[SSIMCU_PAIR])
{
    const unsigned over = ssimcu_pipeline_backgrounds(settings);
    return over == 1u << SSIMCU_BACKGROUND_NONE || ssimcu_view_is_transparent(&pair[SSIMCU_REF]) ||
                   ssimcu_view_is_transparent(&pair[SSIMCU_OUT])
               ? over
               : 1u << SSIMCU_BACKGROUND_NONE;
}

/* 8-bit samples that meet 16-bit ones are widened, v * 257. */
static int is_widened(const ssimcu_view *view, const ssimcu_view *other)
{
    return view->type == SSIMCU_TYPE_U8 && view->peak == UINT8_MAX &&
           other->type == SSIMCU_TYPE_U16 && other->peak == UINT16_MAX;
}

struct ssimcu_pixel_rule ssimcu_pipeline_rule(const ssimcu_settings *settings,
                                              const ssimcu_view pair[SSIMCU_PAIR], int slot,
                                              uint32_t planes, ssimcu_background background)
{
    static const uint32_t weights[][3] = {
        [SSIMCU_COLOR_RGB] = {0, 0, 0},
        [SSIMCU_COLOR_Y709] = {2126, 7152, 722},
        [SSIMCU_COLOR_Y601] = {2990, 5870, 1140},
    };
    const ssimcu_view *view = &pair[slot];
    const int widened = is_widened(view, &pair[!slot]);
    const uint32_t peak = widened                                          ? UINT16_MAX
                          : ssimcu_samples_are_float((uint32_t)view->type) ? UINT8_MAX
                                                                           : (uint32_t)view->peak;
    struct ssimcu_pixel_rule rule = {
        .channels = view->channels,
        .planes = planes,
        .bits = view->type == SSIMCU_TYPE_U8 ? 8 : 16,
        .peak = peak,
        .widen = widened ? 257 : 1,
        .alpha = view->channels % 2 == 0 && background != SSIMCU_BACKGROUND_NONE,
        .background = background == SSIMCU_BACKGROUND_WHITE ? peak : 0,
    };
    memcpy(rule.luma, weights[settings->color], sizeof rule.luma);
    return rule;
}

uint32_t ssimcu_pipeline_bits(const ssimcu_view pair[SSIMCU_PAIR])
{
    const uint32_t ref = ssimcu_view_bits(&pair[SSIMCU_REF]),
                   out = ssimcu_view_bits(&pair[SSIMCU_OUT]);
    return ref == 0 || out == 0 ? 0 : ref > out ? ref : out;
}

ssimcu_status ssimcu_pipeline_score(const struct ssimcu_shape *shape, const double *sums,
                                    ssimcu_score *score, ssimcu_message *message)
{
    const double positions = (double)shape->map_width * shape->map_height;
    score->channels = shape->planes;
    score->score = 0;
    for (uint32_t c = 0; c < shape->planes; c++) {
        score->channel[c] = 1.0 - sums[c] / positions;
        score->score += score->channel[c];
    }
    score->score /= shape->planes;
    if (isfinite(score->score)) return SSIMCU_OK;
    return ssimcu_fail(message, SSIMCU_ERROR_DATA,
                       "ref or out: a sample is not finite, or more than 65536 times the peak");
}

#define TRY(call)                                                                                  \
    do {                                                                                           \
        const ssimcu_status status_ = (call);                                                      \
        if (status_ != SSIMCU_OK) return status_;                                                  \
    } while (0)

static ssimcu_status queue_upload(ssimcu_context *context, const ssimcu_view pair[SSIMCU_PAIR],
                                  const struct ssimcu_shape *shape, ssimcu_message *message)
{
    const struct ssimcu_backend *backend = context->backend;
    TRY(backend->reserve(context->state, shape, message));
    for (int slot = 0; slot < SSIMCU_PAIR; slot++)
        TRY(backend->upload(context->state, slot, &pair[slot], message));
    return SSIMCU_OK;
}

/* From the uploaded samples to the sums over one background, which download brings. */
static ssimcu_status queue_pass(ssimcu_context *context, const ssimcu_view pair[SSIMCU_PAIR],
                                uint32_t planes, ssimcu_background background,
                                ssimcu_message *message)
{
    const struct ssimcu_backend *backend = context->backend;
    for (int slot = 0; slot < SSIMCU_PAIR; slot++) {
        const struct ssimcu_pixel_rule rule =
            ssimcu_pipeline_rule(&context->settings, pair, slot, planes, background);
        TRY(backend->permute(context->state, slot, &rule, message));
    }
    TRY(backend->ssim(context->state, message));
    return backend->reduce(context->state, message);
}

static ssimcu_status run_pass(ssimcu_context *context, const ssimcu_view pair[SSIMCU_PAIR],
                              const struct ssimcu_shape *shape, const struct ssimcu_wanted *wanted,
                              ssimcu_score *score, ssimcu_message *message)
{
    double sums[SSIMCU_MAX_CHANNELS] = {0};
    TRY(queue_pass(context, pair, shape->planes, score->background, message));
    TRY(context->backend->download(context->state, sums, wanted ? wanted->map : NULL,
                                   wanted ? wanted->means : NULL, &score->ms, message));
    return ssimcu_pipeline_score(shape, sums, score, message);
}

static ssimcu_status run(ssimcu_context *context, const ssimcu_view pair[SSIMCU_PAIR],
                         const struct ssimcu_wanted *wanted, ssimcu_score *score,
                         ssimcu_message *message)
{
    struct ssimcu_shape shape;
    TRY(ssimcu_pipeline_shape(&context->settings, pair, &shape, message));
    shape.want_map = wanted->map != NULL;
    shape.grid = wanted->grid;
    TRY(queue_upload(context, pair, &shape, message));

    const unsigned over = backgrounds(&context->settings, pair);
    const int one_pass = (over & (over - 1)) == 0;
    const int wants = wanted->map || wanted->means;
    ssimcu_score best = {0}, pass = {.bits = ssimcu_pipeline_bits(pair)};
    for (unsigned b = SSIMCU_BACKGROUND_NONE; b <= SSIMCU_BACKGROUND_WHITE; b++) {
        if (!(over & 1u << b)) continue;
        pass.background = (ssimcu_background)b;
        TRY(run_pass(context, pair, &shape, one_pass ? wanted : NULL, &pass, message));
        if (best.channels == 0 || pass.score < best.score) best = pass;
    }
    best.ms = pass.ms;
    if (wants && !one_pass) /* they belong to the lower score: once more, now with them */
        TRY(run_pass(context, pair, &shape, wanted, &best, message));
    best.struct_size = sizeof best;
    *score = best;
    return SSIMCU_OK;
}

/* Planes of any sizes, one behind the other; the score is their mean, weighted by their areas. */
static ssimcu_status run_planes(ssimcu_context *context, uint32_t planes,
                                ssimcu_view pair[][SSIMCU_PAIR], ssimcu_score *score,
                                ssimcu_message *message)
{
    struct ssimcu_shape shape[SSIMCU_MAX_CHANNELS];
    double sums[SSIMCU_MAX_CHANNELS] = {0}, sum = 0, area = 0;
    *score = (ssimcu_score){.struct_size = sizeof *score, .channels = planes};
    for (uint32_t p = 0; p < planes; p++)
        TRY(ssimcu_pipeline_shape(&context->settings, pair[p], &shape[p], message));
    for (uint32_t p = 0; p < planes; p++) {
        TRY(queue_upload(context, pair[p], &shape[p], message));
        TRY(queue_pass(context, pair[p], 1, SSIMCU_BACKGROUND_NONE, message));
    }
    TRY(context->backend->download(context->state, sums, NULL, NULL, &score->ms, message));
    for (uint32_t p = 0; p < planes; p++) {
        const double pixels = (double)shape[p].width * shape[p].height;
        const uint32_t bits = ssimcu_pipeline_bits(pair[p]);
        ssimcu_score own;
        TRY(ssimcu_pipeline_score(&shape[p], &sums[p], &own, message));
        score->channel[p] = own.score;
        if (score->bits < bits) score->bits = bits;
        sum += own.score * pixels;
        area += pixels;
    }
    score->score = planes > 1 ? sum / area : score->channel[0];
    return SSIMCU_OK;
}

/* Around a run: the device must be good, and is current meanwhile. */
static ssimcu_status enter(const ssimcu_context *context, int *before, ssimcu_message *message)
{
    if (context->failed.text[0])
        return ssimcu_fail(message, SSIMCU_ERROR_DEVICE, "the context's device has failed: %.400s",
                           context->failed.text);
    *before = context->backend->enter ? context->backend->enter(context->state) : 0;
    return SSIMCU_OK;
}

/* After an error nothing may still read the caller's memory. */
static ssimcu_status leave(ssimcu_context *context, int before, ssimcu_status status,
                           const ssimcu_message *why, ssimcu_message *message)
{
    double sums[SSIMCU_MAX_CHANNELS];
    ssimcu_stage_ms ms = {0};
    if (status != SSIMCU_OK)
        (void)context->backend->download(context->state, sums, NULL, NULL, &ms, NULL);
    if (context->backend->leave) context->backend->leave(before);
    if (status == SSIMCU_ERROR_DEVICE) context->failed = *why;
    return status == SSIMCU_OK ? status : ssimcu_fail(message, status, "%s", why->text);
}

ssimcu_status ssimcu_pipeline_run(ssimcu_context *context, const ssimcu_view pair[SSIMCU_PAIR],
                                  const struct ssimcu_wanted *wanted, ssimcu_score *score,
                                  ssimcu_message *message)
{
    ssimcu_message why = {{0}};
    int before = 0;
    TRY(enter(context, &before, message));
    const ssimcu_status status = run(context, pair, wanted, score, &why);
    return leave(context, before, status, &why, message);
}

ssimcu_status ssimcu_pipeline_planes(ssimcu_context *context, uint32_t planes,
                                     ssimcu_view pair[][SSIMCU_PAIR], ssimcu_score *score,
                                     ssimcu_message *message)
{
    ssimcu_message why = {{0}};
    int before = 0;
    TRY(enter(context, &before, message));
    const ssimcu_status status = run_planes(context, planes, pair, score, &why);
    return leave(context, before, status, &why, message);
}
