#include "options/internal.h"

#include "base/refuse.h"
#include "record/compat.h"

static ssimcu_status wrong(ssimcu_compat compat, const char *text, ssimcu_message *message)
{
    FAIL(ARGUMENT, "--compat %s: %s", ssimcu_compat_name(compat), text);
}

/* Refuses metrics that the tool lacks. SSIM is wanted unless only other metrics are named. */
static ssimcu_status check_metrics(const ssimcu_run_options *given, ssimcu_message *message)
{
    const uint32_t wanted = given->metrics | 1u << given->metric;
    for (int m = 0; m < SSIMCU_METRICS; m++) {
        if (!(wanted >> m & 1) || compat_has(given->compat, m)) continue;
        const bool other = compat_has(given->compat, SSIMCU_METRIC_SSIMULACRA2);
        FAIL(ARGUMENT, "--compat %s: the tool has no %s%s%s", ssimcu_compat_name(given->compat),
             metrics_name(m), other ? "; expected only --metric " : "",
             other ? metrics_name(SSIMCU_METRIC_SSIMULACRA2) : "");
    }
    return SSIMCU_OK;
}

/* Refuses options that only ssimcu's metrics have. */
static ssimcu_status check_options(const ssimcu_run_options *given, ssimcu_message *message)
{
    const ssimcu_compat compat = given->compat;
    if (given->device == SSIMCU_DEVICE_CUDA || given->all_devices)
        return wrong(compat, "only the CPU computes it, but --device asks for a GPU", message);
    if (given->decode == SSIMCU_DECODE_CUDA)
        return wrong(compat, "only the CPU computes it, but --decode cuda leaves frames on a GPU",
                     message);
    if (given->pad != SSIMCU_PAD_VALID)
        return wrong(compat, "the tool has its own windows and takes no --pad", message);
    if (given->map) return wrong(compat, "the tool has no maps for --map", message);
    if (given->tile != 0 && given->tile != SSIMCU_NONE)
        return wrong(compat, "the tool has no tiles", message);
    if (compat == SSIMCU_COMPAT_SSIMULACRA2 && given->color != SSIMCU_COLOR_RGB)
        return wrong(compat, "the tool scores R, G and B and takes no --color", message);
    return SSIMCU_OK;
}

ssimcu_status compat_options_take(struct options *options, ssimcu_message *message)
{
    const ssimcu_run_options *given = &options->run;
    if (given->compat == SSIMCU_COMPAT_NONE) return SSIMCU_OK;
    if (!ssimcu_compat_name(given->compat)) FAIL(ARGUMENT, "--compat: unknown tool");
    TRY(check_options(given, message));
    options->settings.compat = given->compat;
    options->settings.device = SSIMCU_DEVICE_CPU;
    options->tile = 0;
    return check_metrics(given, message);
}

ssimcu_status compat_options_match(const struct options *options, bool video,
                                   ssimcu_message *message)
{
    const ssimcu_settings *settings = &options->settings;
    if (settings->compat == SSIMCU_COMPAT_VMAF && !video && settings->color == SSIMCU_COLOR_RGB)
        return wrong(settings->compat,
                     "the tool scores luma of pictures: expected --color y709 or y601", message);
    if (settings->compat == SSIMCU_COMPAT_SSIMULACRA2 && video)
        return wrong(settings->compat, "the tool scores pictures, not Y, U and V", message);
    return SSIMCU_OK;
}
