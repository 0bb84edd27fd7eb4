#include "base/refuse.h"
#include "options/internal.h"

#include <math.h>
#include <string.h>

/* Checks the number of channels: one, or three. */
static bool are_channels(const char *channels)
{
    size_t commas = 0;
    bool good = channels[0] != ',' && channels[0] != '\0';
    for (const char *at = channels; *at; at++) {
        commas += *at == ',';
        good = good && !(at[0] == ',' && (at[1] == ',' || at[1] == '\0'));
    }
    return good && (commas == 0 || commas == 2);
}

static bool is_single(const ssimcu_run_options *given)
{
    return given->channels && !strchr(given->channels, ',');
}

/* Returns whether the caller requests a curve. */
static bool is_curved(const ssimcu_run_options *given)
{
    return given->hdr != SSIMCU_HDR_DEFAULT && given->hdr != SSIMCU_HDR_NONE;
}

static ssimcu_status check_light(const ssimcu_run_options *given, ssimcu_message *message)
{
    if (given->channels && !are_channels(given->channels))
        FAIL(ARGUMENT,
             "--channels %.200s: expected one name, or three separated by commas; compare two "
             "channels one after the other, or with --layers all",
             given->channels);
    if (given->layers && (given->layer || given->channels))
        FAIL(ARGUMENT, "--layers compares all layers and does not go with --layer or --channels");
    if (is_single(given) && is_curved(given) && !given->has_exposure)
        FAIL(ARGUMENT, "--hdr with a single channel needs --exposure: 0 if white is 1, -log2(X) if "
                       "white is X");
    if ((unsigned)given->hdr > SSIMCU_HDR_NONE) FAIL(ARGUMENT, "--hdr: unknown curve");
    if (given->has_exposure && !(fabs(given->exposure) <= 64))
        FAIL(ARGUMENT, "--exposure: expected a number from -64 to 64");
    if (given->white != 0 && !(given->white >= 1e-9 && given->white <= 1e9))
        FAIL(ARGUMENT, "--white: expected a number from 1e-9 to 1e9");
    if (given->layers && (given->hdr == SSIMCU_HDR_PU21 || given->hdr == SSIMCU_HDR_HABLE))
        FAIL(ARGUMENT,
             "--layers also compares data, which has no curve: expected --hdr srgb or none");
    return SSIMCU_OK;
}

/* Returns the curve of --hdr. A single channel counts as data, not light, and has no curve unless
 * --hdr sets one. Layers may be of both kinds, and AUTO distinguishes them. */
static ssimcu_transfer transfer_of(const ssimcu_run_options *given)
{
    static const ssimcu_transfer transfers[] = {SSIMCU_TRANSFER_AUTO, SSIMCU_TRANSFER_SRGB,
                                                SSIMCU_TRANSFER_PU21, SSIMCU_TRANSFER_HABLE,
                                                SSIMCU_TRANSFER_NONE};
    if (is_single(given) && given->hdr == SSIMCU_HDR_DEFAULT) return SSIMCU_TRANSFER_NONE;
    if (given->layers && given->hdr == SSIMCU_HDR_SRGB) return SSIMCU_TRANSFER_AUTO;
    return transfers[given->hdr];
}

/* Computes the light from --hdr and related options. For data, white is the value that --exposure
 * maps to 1, or the end of its range. */
ssimcu_status light_options_take(struct options *options, ssimcu_message *message)
{
    const ssimcu_run_options *given = &options->run;
    TRY(check_light(given, message));
    const ssimcu_transfer transfer = transfer_of(given);
    struct contract_light *light = &options->light;
    *light =
        (struct contract_light){.transfer = transfer == SSIMCU_TRANSFER_AUTO ? SSIMCU_TRANSFER_SRGB
                                            : transfer == SSIMCU_TRANSFER_NONE ? 0
                                                                               : transfer,
                                .exposure = given->has_exposure ? given->exposure : 0,
                                .white = given->white > 0 ? given->white : 100,
                                .nan = given->nan_zero != 0,
                                .layer = given->layer,
                                .channels = given->channels};
    options->settings.transfer = transfer;
    options->settings.gain = exp2(light->exposure);
    options->settings.white = light->white;
    options->settings.nan_zero = light->nan;
    options->input.layers = given->layers != 0;
    options->input.gain = options->settings.gain;
    options->input.white = given->hdr != SSIMCU_HDR_DEFAULT ? light->white : 0;
    options->input.ranged = given->layers || (!given->has_exposure && !is_curved(given));
    options->image.wide = options->input.ranged;
    options->image.layer = light->layer;
    options->image.channels = light->channels;
    return SSIMCU_OK;
}
