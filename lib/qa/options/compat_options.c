#include "options/parts.h"

#include "base/refuse.h"
#include "facts/compat.h"

static ssimcu_status wrong(ssimcu_compat compat, const char *text, ssimcu_message *message)
{
    return refuse(message, "--compat %s: %s", ssimcu_compat_name(compat), text);
}

/* Refuses metrics that the tool lacks. SSIM is wanted unless another metric alone is named. */
static ssimcu_status check_metrics(const ssimcu_run_options *given, ssimcu_message *message)
{
    const uint32_t wanted = given->metrics | 1u << given->metric;
    for (int m = 0; m < SSIMCU_METRICS; m++) {
        if (!(wanted >> m & 1) || compat_has(given->compat, m)) continue;
        const bool other = compat_has(given->compat, SSIMCU_METRIC_SSIMULACRA2);
        return refuse(message, "--compat %s: the tool has no %s%s%s%s",
                      ssimcu_compat_name(given->compat), metrics_name(m),
                      other ? ", it needs --metric " : "",
                      other ? metrics_name(SSIMCU_METRIC_SSIMULACRA2) : "", other ? " alone" : "");
    }
    return SSIMCU_OK;
}

/* Refuses options that are ssimcu's own. */
static ssimcu_status check_options(const ssimcu_run_options *given, ssimcu_message *message)
{
    const ssimcu_compat compat = given->compat;
    if (given->device == SSIMCU_DEVICE_CUDA || given->all_devices)
        return wrong(compat, "the CPU computes it, and --device asks for a GPU", message);
    if (given->decode == SSIMCU_DECODE_CUDA)
        return wrong(compat, "the CPU computes it, and --decode cuda leaves frames on a GPU",
                     message);
    if (given->pad != SSIMCU_PAD_VALID)
        return wrong(compat, "the tool has its own windows, --pad is for those of ssimcu", message);
    if (given->map) return wrong(compat, "the tool has no maps for --map", message);
    if (given->tile != 0 && given->tile != SSIMCU_NONE)
        return wrong(compat, "the tool has no tiles", message);
    if (compat == SSIMCU_COMPAT_SSIMULACRA2 && given->color != SSIMCU_COLOR_RGB)
        return wrong(compat, "scores R, G and B, without --color", message);
    return SSIMCU_OK;
}

ssimcu_status compat_options_take(struct options *options, ssimcu_message *message)
{
    const ssimcu_run_options *given = &options->run;
    if (given->compat == SSIMCU_COMPAT_NONE) return SSIMCU_OK;
    if (!ssimcu_compat_name(given->compat)) return refuse(message, "--compat: no such tool");
    const ssimcu_status status = check_options(given, message);
    options->settings.compat = given->compat;
    options->settings.device = SSIMCU_DEVICE_CPU;
    options->tile = 0;
    return status == SSIMCU_OK ? check_metrics(given, message) : status;
}

ssimcu_status compat_options_match(const struct options *options, bool video,
                                   ssimcu_message *message)
{
    const ssimcu_settings *settings = &options->settings;
    if (settings->compat == SSIMCU_COMPAT_VMAF && !video && settings->color == SSIMCU_COLOR_RGB)
        return wrong(settings->compat, "of pictures it takes luma, --color y709 or y601", message);
    if (settings->compat == SSIMCU_COMPAT_SSIMULACRA2 && video)
        return wrong(settings->compat, "scores pictures, not Y, U and V", message);
    return SSIMCU_OK;
}
