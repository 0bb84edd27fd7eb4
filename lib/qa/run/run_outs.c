/* The runs of all OUTs. */
#include "run/run.h"

#include "base/refuse.h"

#include <stdlib.h>

static void make_out(struct ssimcu_run *run, uint32_t at)
{
    struct out_run *out = &run->out[at];
    const struct options *options = &run->outs.options[at];
    out->input = options->input;
    out->input.outs = 0;
    out->input.color = options->settings.color;
    out->input.stop = &run->stop;
    out->delivery =
        (struct delivery){.options = options,
                          .hooks = &run->hooks,
                          .number = at,
                          .pictures = run->is_pair ? &run->pictures : NULL,
                          .input = &out->input,
                          .settings = &options->settings,
                          .judge = &run->judging,
                          .limits = options->run.limits_file ? &run->limits : NULL,
                          .cases.by_part = options->run.junit_cases == SSIMCU_JUNIT_SHOTS,
                          .maps.lock = PTHREAD_MUTEX_INITIALIZER,
                          .seconds = -1,
                          .stop = &run->stop};
}

ssimcu_status run_make_outs(struct ssimcu_run *run, ssimcu_message *message)
{
    TRY(out_options_open(&run->options, &run->outs, message));
    run->out = calloc(run->outs.count, sizeof *run->out);
    if (!run->out) return no_memory(message);
    for (uint32_t i = 0; i < run->outs.count; i++) make_out(run, i);
    return SSIMCU_OK;
}

ssimcu_status run_open_variants(struct ssimcu_run *run, ssimcu_message *message)
{
    const struct options *options = &run->options;
    if (options->run.variants == 0) return SSIMCU_OK;
    if (source_is_video(run->source)) FAIL(ARGUMENT, "--or takes pictures, not video");
    return variants_open(&run->input, options->run.variant, options->run.variants, &run->variants,
                         message);
}
