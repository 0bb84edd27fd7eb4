/* ssimcu REF OUT: open both files, decode them at the same time while the device starts, compare,
 * deliver. */
#include "map_files.h"
#include "pair_report.h"
#include "run.h"

#include "engine/score.h"
#include "files.h"
#include "hints/hints.h"
#include "source/match.h"
#include "source/region.h"

#include "fail.h"
#include "image/holds.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Up to this many pixels the CPU has scored a pair before a GPU has. Measured, whole program, a
 * pair of 4K PNGs on 16 cores: 71 to 88 ms on the CPU, 316 to 333 ms on an H200, whose start and
 * end cost about 0.25 s, whatever the size. One thread of AVX-512 scores a 4K RGB pair in 44 ms, of
 * AVX2 in 64 ms: also there the CPU is first by far at this size. */
enum { CPU_FIRST_PIXELS = 4096 * 2160 };

/* One of the two files on its way to a frame. */
struct side {
    struct console_side seen;
    const ssimcu_image_options *options;
    ssimcu_image *image;
    ssimcu_frame scored; /* of what was seen: all, or the region */
    double outside;      /* share of the frame outside the data window */
    ssimcu_status status;
    ssimcu_message message;
    pthread_t thread;
    bool threaded;
};

static double now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

static void *open_side(void *argument)
{
    struct side *side = argument;
    const double start = now_ms();
    side->status = ssimcu_image_open(side->seen.path, side->options, &side->image, &side->message);
    side->seen.format = ssimcu_image_format(side->image);
    side->seen.frame = ssimcu_image_shape(side->image);
    side->seen.decode_ms += now_ms() - start;
    return NULL;
}

static void *decode_side(void *argument)
{
    struct side *side = argument;
    const double start = now_ms();
    side->status = ssimcu_frame_alloc(&side->seen.frame, &side->message);
    ssimcu_image_release_early(side->image);
    if (side->status == SSIMCU_OK)
        side->status = ssimcu_image_decode(side->image, &side->seen.frame, &side->message);
    side->seen.reader = ssimcu_image_reader(side->image);
    side->seen.decode_ms += now_ms() - start;
    return NULL;
}

/* Runs `step` for both sides, each on its own thread; finish waits. Where no thread is to be had
 * the step runs at once. */
static void begin(struct side pair[2], void *(*step)(void *))
{
    for (int i = 0; i < 2; i++) {
        pair[i].threaded = pthread_create(&pair[i].thread, NULL, step, &pair[i]) == 0;
        if (!pair[i].threaded) step(&pair[i]);
    }
}

static const struct side *finish(struct side pair[2])
{
    for (int i = 0; i < 2; i++)
        if (pair[i].threaded) pthread_join(pair[i].thread, NULL);
    for (int i = 0; i < 2; i++)
        if (pair[i].status != SSIMCU_OK) return &pair[i];
    return NULL;
}

static enum exit_code code_of(ssimcu_status status, bool on_device)
{
    return status == SSIMCU_ERROR_MEMORY && on_device ? EXIT_DEVICE : exit_code_of(status);
}

static enum exit_code complain(ssimcu_status status, const ssimcu_message *message, bool on_device)
{
    console_line("%s", message->text);
    return code_of(status, on_device);
}

/* Both headers: a pair that cannot be compared ends here, before any device is started. */
static enum exit_code probe(struct side pair[2], const struct contract_region *region)
{
    begin(pair, open_side);
    const struct side *bad = finish(pair);
    if (bad) return complain(bad->status, &bad->message, false);
    const struct console_side *ref = &pair[0].seen, *out = &pair[1].seen;
    ssimcu_message message = {{0}};
    ssimcu_status status = match_sizes(ref->path, &ref->frame, out->path, &out->frame, &message);
    const struct ssimcu_image_windows windows[] = {ssimcu_image_windows(pair[0].image),
                                                   ssimcu_image_windows(pair[1].image)};
    for (int i = 0; i < 2; i++) pair[i].outside = windows[i].outside;
    if (status == SSIMCU_OK)
        status = match_windows(ref->path, &windows[0], out->path, &windows[1], &message);
    if (status == SSIMCU_OK) status = region_check(region, &ref->frame, &message);
    return status == SSIMCU_OK ? EXIT_SCORED : complain(status, &message, false);
}

/* Opens the device. AUTO is the CPU where that is done first; `reason` then says so. */
static ssimcu_status open_device(const struct options *options, const ssimcu_frame *frame,
                                 ssimcu_context **context, ssimcu_message *reason,
                                 ssimcu_message *message)
{
    ssimcu_settings settings = options->settings;
    const uint64_t pixels = (uint64_t)frame->width * frame->height;
    const bool cpu_first = settings.device == SSIMCU_DEVICE_AUTO && pixels <= CPU_FIRST_PIXELS;
    if (cpu_first) settings.device = SSIMCU_DEVICE_CPU;
    const ssimcu_status status = ssimcu_open(&settings, context, message);
    return !cpu_first ? status
                      : ssimcu_fail(reason, status,
                                    "auto: one pair of %llu pixels is scored before a GPU starts",
                                    (unsigned long long)pixels);
}

/* Decodes both files while the device starts. */
static enum exit_code prepare(struct scored_pair *result, struct side pair[2],
                              ssimcu_context **context, ssimcu_message *reason)
{
    ssimcu_message message = {{0}};
    begin(pair, decode_side);
    const double start = now_ms();
    const ssimcu_status status =
        open_device(result->options, &pair[0].seen.frame, context, reason, &message);
    result->start_ms = now_ms() - start;
    const struct side *bad = finish(pair);
    if (bad) return complain(bad->status, &bad->message, false);
    const bool on_cpu = result->options->settings.device == SSIMCU_DEVICE_CPU || reason->text[0];
    if (status != SSIMCU_OK) return complain(status, &message, !on_cpu);
    result->device = ssimcu_context_device(*context);
    result->reason = reason->text[0] ? reason->text : ssimcu_context_reason(*context);
    return EXIT_SCORED;
}

static void look(const ssimcu_frame *const frame[2], struct scored_pair *result)
{
    struct hints hints;
    struct signature signature[2];
    if (frame[0]->bits >= SSIMCU_BITS_FLOAT || frame[1]->bits >= SSIMCU_BITS_FLOAT)
        return; /* hints know integers alone */
    look_pair(frame[0], frame[1], 1, &result->score, &hints, signature);
    hints_text(&hints, result->hints, sizeof result->hints);
}

static ssimcu_status compare(ssimcu_context *context, const struct side pair[2],
                             struct scored_pair *result, ssimcu_map *map, ssimcu_message *message)
{
    const ssimcu_frame *const frame[2] = {&pair[0].scored, &pair[1].scored};
    const bool want_map = result->options->map != NULL;
    ssimcu_status status = SSIMCU_OK;
    if (want_map) status = map_prepare(context, frame[0], frame[1], map, message);
    if (status == SSIMCU_OK)
        status = score_frames(context, frame, 1, result->options->tile, &result->score,
                              want_map ? map : NULL, &result->tile, message);
    if (status != SSIMCU_OK) return status;
    record_light(result->light, frame, &result->score);
    result->tile.x += result->options->input.region.x;
    result->tile.y += result->options->input.region.y;
    look(frame, result);
    return SSIMCU_OK;
}

/* Writes the map, and says what its colours stand for. */
static ssimcu_status write_map(const struct scored_pair *result, const ssimcu_frame *out,
                               const ssimcu_map *raw, ssimcu_message *message)
{
    const struct options *options = result->options;
    const struct shown_frame shown = {out, 1, NULL, result->score.background,
                                      options->settings.gain};
    ssimcu_floats map = {0};
    if (!options->map) return SSIMCU_OK;
    ssimcu_status status = map_of_picture(raw, &map, message);
    if (status != SSIMCU_OK) return status;
    const struct map_range range = map_range(&map);
    status = map_file_write(options->map, options->map_style, &map, &range, &shown, message);
    if (status == SSIMCU_OK && options->verbose && options->map_style != MAP_GREY)
        console_line("map %s: black is %.6f and above, yellow %.6f and below", options->map,
                     range.high, range.low);
    free(map.value);
    return status;
}

/* Prints and writes what was asked for, and says whether the score is good enough. */
static enum exit_code deliver(const struct scored_pair *result, const ssimcu_frame *out,
                              const ssimcu_map *map, struct report *report)
{
    const struct options *options = result->options;
    enum exit_code code = EXIT_SCORED;
    ssimcu_message message = {{0}};
    if (options->verbose) console_stages(result);
    if (!options->quiet && options->json)
        code = console_json(result);
    else if (!options->quiet && !console_score(result->score.score, NULL))
        code = EXIT_OUTPUT;
    ssimcu_status status = write_map(result, out, map, &message);
    if (status != SSIMCU_OK) code = complain(status, &message, false);
    status = pair_report_write(report, result, &message);
    if (status != SSIMCU_OK) code = complain(status, &message, false);
    const bool passed = console_pair_verdict(result);
    return code == EXIT_SCORED && !passed ? EXIT_BELOW : code;
}

static enum exit_code run_scored(const struct options *options, struct side pair[2],
                                 ssimcu_context **context, ssimcu_map *map, struct report *report)
{
    struct scored_pair result = {.options = options, .score = {.struct_size = sizeof result.score}};
    ssimcu_message message = {{0}}, reason = {{0}};
    enum exit_code code = probe(pair, &options->input.region);
    if (code == EXIT_SCORED) code = prepare(&result, pair, context, &reason);
    if (code != EXIT_SCORED) return code;
    for (int i = 0; i < 2; i++) {
        result.side[i] = pair[i].seen;
        result.light[i].outside = pair[i].outside;
        pair[i].scored = pair[i].seen.frame;
        region_cut(&options->input.region, &pair[i].scored);
    }
    const ssimcu_status status = compare(*context, pair, &result, map, &message);
    if (status == SSIMCU_OK) return deliver(&result, &pair[1].scored, map, report);
    console_line("%s, %s: %s", pair[0].seen.path, pair[1].seen.path, message.text);
    return code_of(status, strcmp(result.device, "cpu") != 0);
}

/* Both files are decoded at the same time. */
static uint32_t threads_per_file(uint32_t threads) { return threads >= 4 ? threads / 2 : 1; }

enum exit_code run_pair(const struct options *options)
{
    const char *const *path = options->input.path;
    struct outputs outputs = {0};
    if (options->map) outputs_add(&outputs, "--map", options->map);
    if (outputs_find(&outputs, path[0]) || outputs_find(&outputs, path[1])) {
        console_line("--map %s: would overwrite an input", options->map);
        return EXIT_USAGE;
    }
    ssimcu_image_options image = options->image;
    image.threads = threads_per_file(options->settings.threads);
    if (options->verbose) image.remark = console_remark;
    struct side pair[2] = {{.seen.path = path[0], .options = &image},
                           {.seen.path = path[1], .options = &image}};
    ssimcu_context *context = NULL;
    ssimcu_map map = {.struct_size = sizeof map};
    struct report *report = NULL;
    ssimcu_message message = {{0}};
    const ssimcu_status status = pair_report_open(options, &report, &message);
    if (status != SSIMCU_OK) {
        console_line("%s", message.text);
        report_close(report);
        return status == SSIMCU_ERROR_ARGUMENT ? EXIT_USAGE : exit_code_of(status);
    }
    const enum exit_code code = run_scored(options, pair, &context, &map, report);
    report_close(report);
    for (int i = 0; i < 2; i++) {
        ssimcu_frame_free(&pair[i].seen.frame);
        ssimcu_image_close(&pair[i].image);
    }
    free(map.data);
    ssimcu_close(&context);
    return code;
}
