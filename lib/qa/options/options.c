#include "options/options.h"

#include "base/refuse.h"
#include "base/text.h"
#include "engine/score.h"
#include "options/parts.h"
#include "options/paths.h"
#include "sized.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns a count: `usual` for 0, and 0 for SSIMCU_NONE. */
static uint32_t count_of(uint32_t given, uint32_t usual)
{
    return given == 0 ? usual : given == SSIMCU_NONE ? 0 : given;
}

/* ---- What is compared ------------------------------------------------------------------------ */

static ssimcu_status take_files(struct options *options, ssimcu_message *message)
{
    const ssimcu_run_options *given = &options->run;
    struct source_input *input = &options->input;
    for (uint32_t i = 0; i < given->merges; i++)
        if (!given->merge || !given->merge[i] || !given->merge[i][0])
            return refuse(message, "merge: expected the names of results files");
    if (given->merges > 0) return SSIMCU_OK;
    if (given->list && (given->ref || given->outs > 0))
        return refuse(message, "--list names all pairs: no file is expected beside it");
    if (given->list) return SSIMCU_OK;
    if (!given->ref || !given->out || given->outs == 0)
        return refuse(message, "expected two files, REF and OUT");
    if (given->outs > SOURCE_MOST_OUTS)
        return refuse(message, "%u OUTs: at most %d at a time", given->outs, (int)SOURCE_MOST_OUTS);
    if (!given->ref[0]) return refuse(message, "REF is an empty file name");
    for (uint32_t i = 0; i < given->outs; i++)
        if (!given->out[i] || !given->out[i][0])
            return refuse(message, "OUT is an empty file name");
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
    /* If all threads are asked for, each of two videos gets as many, because the slower one needs
     * most of them. Otherwise each gets half: scoring, a fifth of the work, runs while one side
     * waits for the other. */
    const uint32_t threads = options->settings.threads;
    const bool share = given->shards > 0, all = threads >= ssimcu_cpu_threads();
    if (share && (given->shard < 1 || given->shard > given->shards))
        return refuse(message, "--shard: expected I/N, a share from 1 to N");
    if (given->offset > SSIMCU_MAX_FRAMES || given->offset < -SSIMCU_MAX_FRAMES)
        return refuse(message, "--offset: expected at most 1048576 frames");
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

/* Checks --size and --format, which belong together. */
static ssimcu_status take_raw(struct options *options, ssimcu_message *message)
{
    const ssimcu_run_options *given = &options->run;
    if ((given->size != NULL) != (given->format != NULL))
        return refuse(message, "raw video needs both --size and --format");
    if (!given->size) return SSIMCU_OK;
    options->input.raw = &options->raw;
    if (ssimcu_raw_parse(given->size, given->format, &options->raw)) return SSIMCU_OK;
    return refuse(message,
                  "--size %.100s --format %.100s: expected such as 3840x2160 and yuv420p (also "
                  "yuv411p, yuv422p, yuv444p, gray; with a depth behind, 9 to 16)",
                  given->size, given->format);
}

/* ---- How it is scored ------------------------------------------------------------------------ */

ssimcu_status options_check_tile(const struct options *options, ssimcu_message *message)
{
    return options->tile == 0 || score_allows_tile(options->tile)
               ? SSIMCU_OK
               : refuse(message, "--tile: expected 0, or " SCORE_TILES);
}

/* Takes the side of tiles. Floors have one of their own, but their file is not read yet. */
static ssimcu_status take_tile(struct options *options, ssimcu_message *message)
{
    const ssimcu_run_options *given = &options->run;
    options->tile = count_of(given->tile, 64);
    return given->limits_file ? SSIMCU_OK : options_check_tile(options, message);
}

/* Whether something beside the metrics is made of SSIM. */
static bool asks_for_ssim(const ssimcu_run_options *given)
{
    const bool tiles = given->tile != 0 && given->tile != SSIMCU_NONE;
    return tiles || given->map || given->limits != 0 ||
           given->score_limits & 1u << SSIMCU_METRIC_SSIM || given->fail_on_hint;
}

/* Takes the metrics beside SSIM. SSIM is scored in any case, because records have it. The
 * first, which is printed, and those with limits are needed. */
static ssimcu_status take_metrics(struct options *options, ssimcu_message *message)
{
    const ssimcu_run_options *given = &options->run;
    static const uint32_t all = (1u << SSIMCU_METRICS) - 1, ssim = 1u << SSIMCU_METRIC_SSIM;
    if (given->metrics > all || (unsigned)given->metric >= SSIMCU_METRICS)
        return refuse(message, "--metric: no such metric");
    const uint32_t named = given->metrics | 1u << given->metric;
    const bool own = given->compat == SSIMCU_COMPAT_NONE;
    options->settings.metrics = named == ssim ? 0 : own ? named | ssim : named;
    options->input.metrics = named == ssim || !own ? 0 : named;
    if (own)
        options->input.needed = given->score_limits | given->frame_limits | 1u << given->metric |
                                (asks_for_ssim(given) ? ssim : 0);
    options->input.pads = given->pad == SSIMCU_PAD_ZERO;
    options->input.in_srgb = metrics_any_srgb(options->settings.metrics);
    return SSIMCU_OK;
}

/* ---- Choices and outputs --------------------------------------------------------------------- */

/* Refuses values that these types do not have. The core checks those of its own types. */
static ssimcu_status check_choices(struct options *options, ssimcu_message *message)
{
    const ssimcu_run_options *given = &options->run;
    const struct {
        unsigned value, most;
        const char *expected;
    } choices[] = {
        {given->device, SSIMCU_DEVICE_CUDA, "--device: expected auto, cpu or cuda"},
        {given->missing, SSIMCU_MISSING_END, "--missing: expected error, skip or end"},
        {given->stale, SSIMCU_STALE_WARN, "--stale: expected fail or warn"},
        {given->decode, SSIMCU_DECODE_CUDA, "--decode: expected auto, cpu or cuda"},
        {given->range, SSIMCU_VIDEO_RANGE_FULL, "--range: expected tags, limited or full"},
        {given->matrix && !given->matrix[0], false, "--matrix: expected a name"},
        {given->junit_cases, SSIMCU_JUNIT_SHOTS, "--junit-cases: expected frame or shot"},
        {given->map_style, SSIMCU_MAP_OVERLAY, "--map-style: expected grey, heat or overlay"},
        {given->results, SSIMCU_RESULTS_CSV, "results: expected auto, JSON or CSV"},
        {given->color, SSIMCU_COLOR_Y601, "--color: expected rgb, y709 or y601"},
        {given->pad, SSIMCU_PAD_ZERO, "--pad: expected valid or zero"},
        {given->alpha, SSIMCU_ALPHA_WHITE, "--alpha: expected worst, ignore, black or white"}};
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++)
        if (choices[i].value > choices[i].most) return refuse(message, "%s", choices[i].expected);
    return SSIMCU_OK;
}

/* Works out what results are, and the counts that are defaults. */
static ssimcu_status take_outputs(struct options *options, ssimcu_message *message)
{
    ssimcu_run_options *run = &options->run;
    const ssimcu_status status = count_options_check(run, message);
    if (status != SSIMCU_OK) return status;
    const bool csv = run->results == SSIMCU_RESULTS_CSV;
    if (run->resume && !run->output && !csv) run->output = run->resume;
    options->csv = csv || (run->results == SSIMCU_RESULTS_AUTO && run->output &&
                           text_ends(run->output, ".csv"));
    run->worst = count_of(run->worst, 5);
    run->report_frames = count_of(run->report_frames, 12);
    return SSIMCU_OK;
}

/* Names the folder of pictures, beside the Markdown. */
static ssimcu_status take_markdown(struct options *options, ssimcu_message *message)
{
    const char *path = options->run.markdown;
    if (!path) return SSIMCU_OK;
    options->pictures_name = path_with_ending(path, ".md", ".pictures");
    if (!options->pictures_name) return no_memory(message);
    options->pictures = options->input.outs > 1 ? path : options->pictures_name;
    return SSIMCU_OK;
}

/* Refuses values that a merge cannot have. */
static ssimcu_status check_merge(struct options *options, ssimcu_message *message)
{
    if (options->run.merges == 0) return SSIMCU_OK;
    if (options->image.max_pixels > 0 && !options->run.report && !options->run.markdown)
        return refuse(message,
                      "merge: reads pictures for --report alone, which --max-pixels needs");
    if (options->input.shortest)
        return refuse(message,
                      "merge: --missing end has nothing to end, it is for the runs before");
    return SSIMCU_OK;
}

static ssimcu_status check_together(struct options *options, ssimcu_message *message)
{
    const ssimcu_status status = limit_options_match(options, &options->limits, message);
    if (status != SSIMCU_OK) return status;
    if (options->run.junit_cases == SSIMCU_JUNIT_SHOTS && !options->run.junit)
        return refuse(message, "--junit-cases needs --junit");
    if (options->run.map_style != SSIMCU_MAP_GREY && !options->run.map)
        return refuse(message, "--map-style needs --map");
    if (options->run.resume && text_ends(options->run.resume, ".csv"))
        return refuse(message, "--resume: JSON Lines can be resumed, CSV cannot");
    if (options->share && (options->run.junit || options->run.markdown))
        return refuse(message, "--%s: a share has no verdict, the merge has",
                      options->run.junit ? "junit" : "markdown");
    if (options->input.outs > 1 && options->csv && !options->run.output)
        return refuse(message, "--csv: several OUTs have a file each, --output DIR");
    return SSIMCU_OK;
}

/* Chooses the decoder. NVDEC does not see damage that a decoder on the CPU sees. So a run that
 * judges frames uses NVDEC only if it is asked for. NVDEC needs the GPU to score. It excludes maps,
 * because those are drawn from frames in host memory. */
static ssimcu_status choose_decoder(struct options *options, ssimcu_message *message)
{
    const bool judges = verdict_any_limit(&options->limits) || options->run.limits_file ||
                        options->run.junit || options->run.markdown;
    const bool on_cpu = options->settings.device == SSIMCU_DEVICE_CPU;
    struct source_input *input = &options->input;
    if (input->decode == SSIMCU_DECODE_CUDA) {
        if (on_cpu)
            return refuse(message,
                          "--decode cuda leaves frames on the GPU that scores them: --device cuda");
        if (options->run.map) return refuse(message, "--map draws what --decode cpu decodes");
        if (input->white > 0)
            return refuse(message, "--hdr makes light of what --decode cpu decodes");
    } else if (judges || on_cpu || options->run.map || input->white > 0) {
        input->decode = SSIMCU_DECODE_CPU;
    }
    input->all_gpus = options->run.all_devices;
    if (input->all_gpus) input->gpu = 0; /* the first reader's */
    return SSIMCU_OK;
}

/* ---- All of them ----------------------------------------------------------------------------- */

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
    const ssimcu_status status =
        ssimcu_sized_read(given, sizeof *given, SSIMCU_RUN_OPTIONS_OLDEST,
                          options ? options : &defaults, "run_options", message);
    if (status != SSIMCU_OK) return status;
    if (given->layers) return refuse(message, "layers: all layers take a run");
    if (given->scale != SSIMCU_SCALE_NONE) return refuse(message, "scale: scaling takes a run");
    if (given->align) return refuse(message, "align: times take a run");
    given->labels = NULL;
    given->groups = 0;
    given->ref = ref;
    given->out = out;
    given->outs = 1;
    given->list = NULL;
    given->merges = 0;
    return SSIMCU_OK;
}

typedef ssimcu_status options_step(struct options *options, ssimcu_message *message);

ssimcu_status options_make(struct options *options, const ssimcu_run_options *given,
                           ssimcu_message *message)
{
    static options_step *const steps[] = {take_input,
                                          ladder_options_take,
                                          take_frames,
                                          light_options_take,
                                          take_metrics,
                                          take_raw,
                                          take_tile,
                                          compat_options_take,
                                          limit_options_take,
                                          check_choices,
                                          take_outputs,
                                          take_markdown,
                                          variant_options_take,
                                          check_merge,
                                          check_together,
                                          choose_decoder};
    ssimcu_status status = SSIMCU_OK;
    *options = (struct options){.run = *given};
    for (int kind = 0; kind < KIND_COUNT; kind++) options->unfit[kind] = verbs_unfit(given, kind);
    take_settings(options);
    for (size_t i = 0; i < sizeof steps / sizeof *steps && status == SSIMCU_OK; i++)
        status = steps[i](options, message);
    return status;
}

void options_free(struct options *options)
{
    ssimcu_ranges_free(&options->frames);
    free(options->pictures_name);
    ladder_options_free(options);
}
