/* Scores two picture files in one call. */
#include "base/numbers.h"
#include "base/refuse.h"
#include "delivery/hooks.h"
#include "delivery/picture_pair.h"
#include "options/internal.h"
#include "options/options.h"
#include "record/record.h"

#include "sized.h"

#include <stdio.h>

static ssimcu_file_facts facts_of(const struct picture_side *side)
{
    const ssimcu_frame *frame = &side->frame;
    return (ssimcu_file_facts){side->format,  side->reader,    frame->width,
                               frame->height, frame->channels, frame->bits};
}

/* Scores the pair of these options and fills in the result. */
static ssimcu_status score(ssimcu_context *context, const struct options *options,
                           ssimcu_file_result *result, ssimcu_message *message)
{
    ssimcu_image_options image = options->image;
    image.threads = options->settings.threads;
    struct picture_pair pair = picture_pair_of(options);
    pair.image = &image;
    pair.context = context;
    const ssimcu_status status =
        pair.pair.record ? picture_pair_score(&pair, message) : no_memory(message);
    if (status == SSIMCU_OK) {
        result->scored = pair.pair.record->scored;
        result->metrics = hooks_metrics(pair.pair.record);
        for (int i = 0; i < 2; i++) result->side[i] = facts_of(&pair.side[i]);
        hooks_left(pair.pair.record, result->not_compared);
        (void)findings_line(result->hints, sizeof result->hints, &pair.pair.record->findings,
                            ~(finding_mask)0);
        const char *const colours = pair.pair.record->text[RECORD_COLOURS];
        snprintf(result->colours, sizeof result->colours, "%s", colours ? colours : "");
    }
    picture_pair_free(&pair);
    return status;
}

ssimcu_status ssimcu_compare_files(ssimcu_context *context, const char *ref, const char *out,
                                   const ssimcu_run_options *options, ssimcu_file_result *result,
                                   ssimcu_message *message)
{
    ssimcu_run_options given;
    ssimcu_file_result made;
    struct options own;
    TRY(options_read_for(ref, &out, options, &given, message));
    TRY(ssimcu_sized_read(&made, sizeof made, SSIMCU_FILE_RESULT_OLDEST, result, "file_result",
                          message));
    made = (ssimcu_file_result){.struct_size = sizeof made};
    ssimcu_status status = options_make(&own, &given, message);
    if (status == SSIMCU_OK) status = compat_options_match(&own, false, message);
    const locale_t before = numbers_begin();
    if (status == SSIMCU_OK) status = score(context, &own, &made, message);
    numbers_end(before);
    options_free(&own);
    if (status == SSIMCU_OK) ssimcu_sized_write(result, &made);
    return status;
}
