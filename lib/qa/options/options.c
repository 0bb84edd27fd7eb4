#include "options/options.h"

#include "base/refuse.h"
#include "base/text.h"
#include "engine/score.h"
#include "options/internal.h"
#include "options/paths.h"
#include "sized.h"

#include <stdlib.h>
#include <string.h>

/* Returns a count: `usual` for 0, and 0 for SSIMCU_NONE. */
static uint32_t count_of(uint32_t given, uint32_t usual)
{
    return given == 0 ? usual : given == SSIMCU_NONE ? 0 : given;
}

/* ---- Inputs ---------------------------------------------------------------------------------- */

/* Checks the paths of frames without a reference. */
static ssimcu_status take_frames_alone(struct options *options, ssimcu_message *message)
{
    const ssimcu_run_options *given = &options->run;
    if (given->ref) FAIL(ARGUMENT, "check: expected no reference");
    if (given->list && given->outs > 0)
        FAIL(ARGUMENT, "--list names all frames: expected no other frames");
    if ((given->outs == 0 && !given->list) || (given->outs > 0 && !given->out))
        FAIL(ARGUMENT, "check: expected frames");
    if (given->stream[0] != given->stream[1])
        FAIL(ARGUMENT, "--stream: expected one number, because a check has no reference");
    for (uint32_t i = 0; i < given->outs; i++)
        if (!given->out[i] || !given->out[i][0]) FAIL(ARGUMENT, "check: a path is empty");
    options->input.path[1] = given->outs > 0 ? given->out[0] : NULL;
    return SSIMCU_OK;
}

static ssimcu_status take_files(struct options *options, ssimcu_message *message)
{
    const ssimcu_run_options *given = &options->run;
    struct source_input *input = &options->input;
    for (uint32_t i = 0; i < given->merges; i++)
        if (!given->merge || !given->merge[i] || !given->merge[i][0])
            FAIL(ARGUMENT, "merge: expected the names of results files");
    if (given->merges > 0) return SSIMCU_OK;
    if (given->check) return take_frames_alone(options, message);
    if (given->list && (given->ref || given->outs > 0))
        FAIL(ARGUMENT, "--list names all pairs: expected no other file");
    if (given->list) return SSIMCU_OK;
    if (!given->ref || !given->out || given->outs == 0)
        FAIL(ARGUMENT, "expected two files, REF and OUT");
    if (given->outs > SOURCE_MOST_OUTS)
        FAIL(ARGUMENT, "%u OUTs: expected at most %d at a time", given->outs,
             (int)SOURCE_MOST_OUTS);
    if (!given->ref[0]) FAIL(ARGUMENT, "REF is an empty file name");
    for (uint32_t i = 0; i < given->outs; i++)
        if (!given->out[i] || !given->out[i][0]) FAIL(ARGUMENT, "OUT is an empty file name");
    input->path[0] = given->ref;
    input->path[1] = given->out[0];
    input->out = given->out;
    input->outs = given->outs;
    return SSIMCU_OK;
}

static ssimcu_status take_input(struct options *options, ssimcu_message *message)
{
    const ssimcu_run_options *given = &options->run;
    struct source_input *input = &options->input;
    /* If all threads are requested, each of two videos gets all of them, because the slower one
     * needs most of them. Otherwise each gets half. Scoring, a fifth of the work, runs while one
     * side waits for the other. */
    const uint32_t threads = options->settings.threads;
    const bool share = given->shards > 0, all = threads >= ssimcu_cpu_threads();
    if (share && (given->shard < 1 || given->shard > given->shards))
        FAIL(ARGUMENT, "--shard: expected I/N, a share from 1 to N");
    if (given->offset > SSIMCU_MAX_FRAMES || given->offset < -SSIMCU_MAX_FRAMES)
        FAIL(ARGUMENT, "--offset: expected at most 1048576 frames");
    options->share = share;
    *input = (struct source_input){
        .list = given->list,
        .limits = &options->image,
        .color = given->color,
        .decode = given->decode,
        .gpu = given->device_index,
        .threads = all ? threads : (threads + 1) / 2,
        .range = (ssimcu_range)given->range,
        .matrix = given->matrix,
        .stream = {given->stream[0], given->stream[1]},
        .shortest = given->missing == SSIMCU_MISSING_END,
        .recursive = given->recursive != 0,
        .offset = given->offset,
        .region = {given->region.width, given->region.height, given->region.x, given->region.y},
        .shard = share ? given->shard : 1,
        .shards = share ? given->shards : 1};
    return take_files(options, message);
}

static ssimcu_status take_frames(struct options *options, ssimcu_message *message)
{
    const ssimcu_run_options *given = &options->run;
    ssimcu_message cause = {{0}};
    if (!given->frames) return SSIMCU_OK;
    options->input.frames = &options->frames;
    const ssimcu_status status = ssimcu_ranges_parse(given->frames, &options->frames, &cause);
    if (status == SSIMCU_OK) return status;
    return ssimcu_fail(message, status, "--frames %.200s: expected %s", given->frames, cause.text);
}

/* Checks --size and --format, which must be used together. */
static ssimcu_status take_raw(struct options *options, ssimcu_message *message)
{
    const ssimcu_run_options *given = &options->run;
    if ((given->size != NULL) != (given->format != NULL))
        FAIL(ARGUMENT, "raw video needs both --size and --format");
    if (!given->size) return SSIMCU_OK;
    options->input.raw = &options->raw;
    if (ssimcu_raw_parse(given->size, given->format, &options->raw)) return SSIMCU_OK;
    FAIL(ARGUMENT,
         "--size %.100s --format %.100s: expected a size and a format such as 3840x2160 and "
         "yuv420p (also yuv411p, yuv422p, yuv444p, gray; a depth of 9 to 16 may follow)",
         given->size, given->format);
}

/* ---- Scoring --------------------------------------------------------------------------------- */

ssimcu_status options_check_tile(const struct options *options, ssimcu_message *message)
{
    return options->tile == 0 || score_allows_tile(options->tile)
               ? SSIMCU_OK
               : refuse(message, "--tile: expected 0, or " SCORE_TILES);
}

/* Sets the side of tiles. Learned limits have one, too, but their file is not read yet. */
static ssimcu_status take_tile(struct options *options, ssimcu_message *message)
{
    const ssimcu_run_options *given = &options->run;
    options->tile = count_of(given->tile, 64);
    return given->limits_file ? SSIMCU_OK : options_check_tile(options, message);
}

/* Returns whether outputs other than metrics need SSIM. */
static bool asks_for_ssim(const ssimcu_run_options *given)
{
    const bool tiles = given->tile != 0 && given->tile != SSIMCU_NONE;
    return tiles || given->map || given->limits != 0 ||
           given->score_limits & 1u << SSIMCU_METRIC_SSIM || given->fail_on;
}

/* Sets the metrics other than SSIM. SSIM is always scored, because records have it. The first
 * metric, which is printed, and those with limits are required. */
static ssimcu_status take_metrics(struct options *options, ssimcu_message *message)
{
    const ssimcu_run_options *given = &options->run;
    static const uint32_t all = (1u << SSIMCU_METRICS) - 1, ssim = 1u << SSIMCU_METRIC_SSIM;
    if (given->metrics > all || (unsigned)given->metric >= SSIMCU_METRICS)
        FAIL(ARGUMENT, "--metric: unknown metric");
    const uint32_t named = given->metrics | 1u << given->metric;
    const bool is_ssimcu = given->compat == SSIMCU_COMPAT_NONE;
    options->settings.metrics = named == ssim ? 0 : is_ssimcu ? named | ssim : named;
    options->input.metrics = named == ssim || !is_ssimcu ? 0 : named;
    if (is_ssimcu)
        options->input.needed = given->score_limits | given->frame_limits | 1u << given->metric |
                                (asks_for_ssim(given) ? ssim : 0);
    options->input.pads = given->pad == SSIMCU_PAD_ZERO;
    options->input.in_srgb = metrics_any_srgb(options->settings.metrics);
    return SSIMCU_OK;
}

/* ---- Choices and outputs --------------------------------------------------------------------- */

/* Refuses invalid values of options and of fields without an option. */
static ssimcu_status check_choices(struct options *options, ssimcu_message *message)
{
    const ssimcu_run_options *given = &options->run;
    if ((unsigned)given->device > SSIMCU_DEVICE_CUDA)
        FAIL(ARGUMENT, "--device: expected auto, cpu or cuda");
    if (given->matrix && !given->matrix[0]) FAIL(ARGUMENT, "--matrix: expected a name");
    if ((unsigned)given->results > SSIMCU_RESULTS_CSV)
        FAIL(ARGUMENT, "results: expected auto, JSON or CSV");
    return verbs_check_values(given, message);
}

/* Sets the results to resume. The files that an interrupted run left may be named as well. */
static ssimcu_status take_resumed(struct options *options, ssimcu_message *message)
{
    static const char LEFT[] = ".partial";
    const char *name = options->run.resume;
    if (!name || !text_ends(name, LEFT)) return SSIMCU_OK;
    options->resume_name = strndup(name, strlen(name) - strlen(LEFT));
    options->run.resume = options->resume_name;
    return options->resume_name ? SSIMCU_OK : no_memory(message);
}

/* Sets the form of results, the default counts, and the folder of pictures next to the Markdown. */
static ssimcu_status take_outputs(struct options *options, ssimcu_message *message)
{
    ssimcu_run_options *run = &options->run;
    TRY(take_resumed(options, message));
    const bool csv = run->results == SSIMCU_RESULTS_CSV;
    if (run->resume && !run->output && !csv) run->output = run->resume;
    options->csv = csv || (run->results == SSIMCU_RESULTS_AUTO && run->output &&
                           text_ends(run->output, ".csv"));
    run->worst = count_of(run->worst, 5);
    run->report_frames = count_of(run->report_frames, 12);
    if (!run->markdown) return SSIMCU_OK;
    options->pictures_name = path_with_ending(run->markdown, ".md", ".pictures");
    if (!options->pictures_name) return no_memory(message);
    options->pictures = options->input.outs > 1 ? run->markdown : options->pictures_name;
    return SSIMCU_OK;
}

/* Refuses values that a merge cannot have. */
static ssimcu_status check_merge(struct options *options, ssimcu_message *message)
{
    if (options->run.merges == 0) return SSIMCU_OK;
    if (options->image.max_pixels > 0 && !options->run.report && !options->run.markdown)
        FAIL(ARGUMENT,
             "merge: --max-pixels needs --report or --markdown, for which merge reads pictures");
    if (options->input.shortest) FAIL(ARGUMENT, "merge: --missing end is for runs, which it ends");
    return SSIMCU_OK;
}

static ssimcu_status check_together(struct options *options, ssimcu_message *message)
{
    TRY(limit_options_match(options, &options->limits, message));
    if (options->run.check && options->frames.shot)
        FAIL(ARGUMENT,
             "--frames %.200s: check takes numbers for all shots, without the name of a shot",
             options->run.frames);
    if (options->run.resume && text_ends(options->run.resume, ".csv"))
        FAIL(ARGUMENT, "--resume: expected JSON Lines, found CSV");
    if (options->share && (options->run.junit || options->run.markdown || options->run.rerender))
        FAIL(ARGUMENT, "--%s: a share has no verdict; give the option to the merge",
             options->run.junit      ? "junit"
             : options->run.markdown ? "markdown"
                                     : "rerender");
    if (options->input.outs > 1 && options->csv && !options->run.output)
        FAIL(ARGUMENT, "--csv: several OUTs need --output DIR, for a file each");
    return SSIMCU_OK;
}

/* Chooses the decoder. NVDEC does not see damage that a decoder on the CPU sees. So a run that
 * judges frames uses NVDEC only on request. NVDEC needs the GPU to score. It excludes maps, because
 * those are drawn from frames in host memory. */
static ssimcu_status choose_decoder(struct options *options, ssimcu_message *message)
{
    const bool judges = verdict_any_limit(&options->limits) || options->run.limits_file ||
                        options->run.junit || options->run.markdown;
    const bool on_cpu = options->settings.device == SSIMCU_DEVICE_CPU;
    struct source_input *input = &options->input;
    if (input->decode == SSIMCU_DECODE_CUDA) {
        if (on_cpu)
            FAIL(ARGUMENT,
                 "--decode cuda leaves frames on the GPU that scores them: expected --device cuda");
        if (options->run.map) FAIL(ARGUMENT, "--map needs --decode cpu");
        if (input->white > 0) FAIL(ARGUMENT, "--hdr needs --decode cpu");
    } else if (judges || on_cpu || options->run.map || input->white > 0) {
        input->decode = SSIMCU_DECODE_CPU;
    }
    input->all_gpus = options->run.all_devices;
    if (input->all_gpus) input->gpu = 0; /* the GPU of the first reader */
    return SSIMCU_OK;
}

/* ---- All options ----------------------------------------------------------------------------- */

static void take_settings(struct options *options)
{
    const ssimcu_run_options *given = &options->run;
    const uint32_t most = ssimcu_cpu_threads();
    const bool some = given->threads > 0 && given->threads < most;
    options->settings =
        (ssimcu_settings){.struct_size = sizeof options->settings,
                          .device = given->all_devices ? SSIMCU_DEVICE_CUDA : given->device,
                          .device_index = given->device_index,
                          .pad = given->pad,
                          .color = given->color,
                          .alpha = given->alpha,
                          .threads = some ? given->threads : most};
    options->image = (ssimcu_image_options){.struct_size = sizeof options->image,
                                            .max_pixels = given->max_pixels};
}

ssimcu_status options_read_for(const char *ref, const char *const *out,
                               const ssimcu_run_options *options, ssimcu_run_options *given,
                               ssimcu_message *message)
{
    const ssimcu_run_options defaults = SSIMCU_INIT(run_options);
    TRY(ssimcu_sized_read(given, sizeof *given, SSIMCU_RUN_OPTIONS_OLDEST,
                          options ? options : &defaults, "run_options", message));
    if (given->layers) FAIL(ARGUMENT, "--layers is not available for a single pair");
    if (given->scale != SSIMCU_SCALE_NONE)
        FAIL(ARGUMENT, "--scale is not available for a single pair");
    if (given->align) FAIL(ARGUMENT, "--align is not available for a single pair");
    given->labels = NULL;
    given->groups = 0;
    given->ref = ref, given->out = out, given->outs = 1;
    given->list = NULL;
    given->merges = 0;
    return SSIMCU_OK;
}

typedef ssimcu_status options_step(struct options *options, ssimcu_message *message);

ssimcu_status options_make(struct options *options, const ssimcu_run_options *given,
                           ssimcu_message *message)
{
    static options_step *const steps[] = {
        take_input,         ladder_options_take, take_frames,
        light_options_take, take_metrics,        take_raw,
        take_tile,          compat_options_take, limit_options_take,
        check_choices,      take_outputs,        variant_options_take,
        check_merge,        check_together,      choose_decoder};
    *options = (struct options){.run = *given};
    for (int kind = 0; kind < KIND_COUNT; kind++) options->unfit[kind] = verbs_unfit(given, kind);
    take_settings(options);
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) TRY(steps[i](options, message));
    return SSIMCU_OK;
}

void options_free(struct options *options)
{
    ssimcu_ranges_free(&options->frames);
    free(options->pictures_name);
    free(options->resume_name);
    ladder_options_free(options);
}
