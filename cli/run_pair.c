/* ssimcu REF OUT: a batch of one, but faster. Both files are opened, then decoded at the same time
 * while the device starts. The record is then delivered like any other. */
#include "delivery.h"
#include "files.h"
#include "run.h"

#include "engine/score.h"
#include "hints/hints.h"
#include "source/match.h"
#include "source/region.h"

#include "fail.h"
#include "image/holds.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Largest pair that the CPU has scored before a GPU has. The whole program takes 71 to 88 ms
 * for a pair of 4K PNGs on 16 cores. On an H200 it takes 316 to 333 ms (all measured). Start and
 * end of the H200 cost about 0.25 s, whatever the size. A single thread scores a 4K RGB pair in 44
 * ms with AVX-512 and in 64 ms with AVX2. So there, too, the CPU is first by far. */
enum { CPU_FIRST_PIXELS = 4096 * 2160 };

/* One of the two files on its way to a frame. */
struct side {
    struct console_side *facts;
    const ssimcu_image_options *options;
    ssimcu_image *image;
    ssimcu_status status;
    ssimcu_message message;
    pthread_t thread;
    bool threaded;
};

/* The run of a pair. `status` is the first failure; `on_device` tells whose memory ran out. */
struct pair_run {
    struct delivery delivery;
    struct console_pair facts;
    struct pair pair;
    struct side side[2];
    ssimcu_context *context;
    ssimcu_map map;
    ssimcu_message reason;
    ssimcu_status status;
    ssimcu_message message;
    bool on_device;
};

static double now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

/* ---- Two files at the same time -------------------------------------------------------------- */

static void *open_side(void *argument)
{
    struct side *side = argument;
    struct console_side *facts = side->facts;
    const double start = now_ms();
    side->status = ssimcu_image_open(facts->path, side->options, &side->image, &side->message);
    facts->format = ssimcu_image_format(side->image);
    facts->frame = ssimcu_image_shape(side->image);
    facts->decode_ms += now_ms() - start;
    return NULL;
}

static void *decode_side(void *argument)
{
    struct side *side = argument;
    struct console_side *facts = side->facts;
    const double start = now_ms();
    side->status = ssimcu_frame_alloc(&facts->frame, &side->message);
    ssimcu_image_release_early(side->image);
    if (side->status == SSIMCU_OK)
        side->status = ssimcu_image_decode(side->image, &facts->frame, &side->message);
    facts->reader = ssimcu_image_reader(side->image);
    facts->decode_ms += now_ms() - start;
    return NULL;
}

/* Runs `step` for both sides, each on a thread of its own; finish waits for them. If a thread
 * cannot be started, the step runs at once. */
static void begin(struct side side[2], void *(*step)(void *))
{
    for (int i = 0; i < 2; i++) {
        side[i].threaded = pthread_create(&side[i].thread, NULL, step, &side[i]) == 0;
        if (!side[i].threaded) step(&side[i]);
    }
}

/* Waits for both sides and notes the first failure. */
static void finish(struct pair_run *run)
{
    for (int i = 0; i < 2; i++)
        if (run->side[i].threaded) pthread_join(run->side[i].thread, NULL);
    for (int i = 0; i < 2 && run->status == SSIMCU_OK; i++)
        if (run->side[i].status != SSIMCU_OK)
            run->status =
                ssimcu_fail(&run->message, run->side[i].status, "%s", run->side[i].message.text);
}

/* ---- Steps ----------------------------------------------------------------------------------- */

/* Opens both files. A pair that cannot be compared ends here, before any device is started. */
static void probe(struct pair_run *run)
{
    const struct console_side *ref = &run->facts.side[0], *out = &run->facts.side[1];
    const struct contract_region *region = &run->delivery.options->input.region;
    begin(run->side, open_side);
    finish(run);
    if (run->status != SSIMCU_OK) return;
    run->status = match_sizes(ref->path, &ref->frame, out->path, &out->frame, &run->message);
    const struct ssimcu_image_windows windows[] = {ssimcu_image_windows(run->side[0].image),
                                                   ssimcu_image_windows(run->side[1].image)};
    for (int i = 0; i < 2; i++) run->pair.record.light[i].outside = windows[i].outside;
    if (run->status == SSIMCU_OK)
        run->status = match_windows(ref->path, &windows[0], out->path, &windows[1], &run->message);
    if (run->status == SSIMCU_OK) run->status = region_check(region, &ref->frame, &run->message);
}

/* Opens the device. AUTO becomes the CPU if that is done first, and the reason then says so. */
static ssimcu_status open_device(struct pair_run *run, ssimcu_message *message)
{
    ssimcu_settings settings = run->delivery.options->settings;
    const ssimcu_frame *frame = &run->facts.side[0].frame;
    const uint64_t pixels = (uint64_t)frame->width * frame->height;
    const bool cpu_first = settings.device == SSIMCU_DEVICE_AUTO && pixels <= CPU_FIRST_PIXELS;
    if (cpu_first) settings.device = SSIMCU_DEVICE_CPU;
    run->on_device = settings.device != SSIMCU_DEVICE_CPU;
    const ssimcu_status status = ssimcu_open(&settings, &run->context, message);
    return !cpu_first ? status
                      : ssimcu_fail(&run->reason, status,
                                    "auto: one pair of %llu pixels is scored before a GPU starts",
                                    (unsigned long long)pixels);
}

/* Decodes both files while the device starts. */
static void prepare(struct pair_run *run)
{
    ssimcu_message message = {{0}};
    struct console_pair *facts = &run->facts;
    begin(run->side, decode_side);
    const double start = now_ms();
    const ssimcu_status opened = open_device(run, &message);
    facts->start_ms = now_ms() - start;
    finish(run);
    if (run->status != SSIMCU_OK) {
        run->on_device = false;
    } else if (opened != SSIMCU_OK) {
        run->status = ssimcu_fail(&run->message, opened, "%s", message.text);
    } else {
        facts->device = ssimcu_context_device(run->context);
        facts->reason =
            run->reason.text[0] ? run->reason.text : ssimcu_context_reason(run->context);
        run->on_device = strcmp(facts->device, "cpu") != 0;
    }
}

static void look(const struct pair *pair, const ssimcu_score *score, struct record *record)
{
    struct hints hints;
    struct signature signature[2];
    const ssimcu_frame *ref = pair->plane[0], *out = pair->plane[1];
    if (ref->bits >= SSIMCU_BITS_FLOAT || out->bits >= SSIMCU_BITS_FLOAT)
        return; /* hints know only integers */
    look_pair(ref, out, 1, score, &hints, signature);
    hints_text(&hints, record->hints, sizeof record->hints);
}

/* Scores the frames and fills in the record. */
static void compare(struct pair_run *run)
{
    const struct options *options = run->delivery.options;
    struct pair *pair = &run->pair;
    struct record *record = &pair->record;
    ssimcu_score score = SSIMCU_INIT(score);
    ssimcu_message cause = {{0}};
    pair->planes = 1;
    for (int i = 0; i < 2; i++) pair->plane[i][0] = run->facts.side[i].frame;
    region_cut_pair(&options->input.region, NULL, pair);
    const ssimcu_frame *const frame[2] = {pair->plane[0], pair->plane[1]};
    ssimcu_status status = SSIMCU_OK;
    if (options->map) status = map_prepare(run->context, frame[0], frame[1], &run->map, &cause);
    if (status == SSIMCU_OK)
        status = score_frames(run->context, frame, 1, options->tile, &score,
                              options->map ? &run->map : NULL, &record->tile, &cause);
    if (status != SSIMCU_OK) {
        run->status = ssimcu_fail(&run->message, status, "%s, %s: %s", run->facts.side[0].path,
                                  run->facts.side[1].path, cause.text);
        return;
    }
    score_note(pair, run->context, &score);
    run->facts.ms = score.ms;
    look(pair, &score, record);
}

/* Writes the map; with -v, says what its colours stand for. */
static void write_map(struct pair_run *run)
{
    const struct options *options = run->delivery.options;
    const struct record *record = &run->pair.record;
    const struct shown_frame out = {run->pair.plane[1], 1, NULL, record->background,
                                    options->settings.gain};
    struct map_files *maps = &run->delivery.maps;
    ssimcu_floats map = {0};
    if (!options->map) return;
    maps->status = map_of_picture(&run->map, &map, &maps->message);
    if (maps->status != SSIMCU_OK) return;
    const struct map_range range = map_range(&map);
    maps->status =
        map_file_write(options->map, options->map_style, &map, &range, &out, &maps->message);
    if (maps->status == SSIMCU_OK && options->verbose && options->map_style != MAP_GREY)
        console_line("map %s: black is %.6f and above, yellow %.6f and below", options->map,
                     range.high, range.low);
    free(map.value);
}

/* ---- The run --------------------------------------------------------------------------------- */

/* Decodes with half of the threads each, because both files are decoded at the same time. */
static uint32_t threads_per_file(uint32_t threads) { return threads >= 4 ? threads / 2 : 1; }

/* Scores the pair. The record is then a scored or a failed one. */
static void score_record(struct pair_run *run)
{
    const struct options *options = run->delivery.options;
    ssimcu_image_options image = options->image;
    image.threads = threads_per_file(options->settings.threads);
    if (options->verbose) image.remark = console_remark;
    for (int i = 0; i < 2; i++)
        run->side[i] = (struct side){.facts = &run->facts.side[i], .options = &image};
    const struct record *record = &run->pair.record;
    if (record->kind == RECORD_FAILED) /* memory ran out for its names */
        run->status = ssimcu_fail(&run->message, record->status, "%s", record->message.text);
    else
        probe(run);
    if (run->status == SSIMCU_OK) prepare(run);
    if (run->status == SSIMCU_OK) compare(run);
    if (run->status == SSIMCU_OK) {
        if (options->verbose) console_stages(&run->facts);
        write_map(run);
    } else {
        console_line("%s", run->message.text);
        if (run->pair.record.kind == RECORD_SCORED)
            record_fail(&run->pair.record, run->status, &run->message);
    }
}

/* Returns the exit code. That of a failure comes before that of an incomplete batch. */
static enum exit_code conclude(const struct pair_run *run, enum exit_code code)
{
    if (run->status == SSIMCU_OK || code == EXIT_OUTPUT || code == EXIT_INTERNAL) return code;
    return run->status == SSIMCU_ERROR_MEMORY && run->on_device ? EXIT_DEVICE
                                                                : console_exit_code(run->status);
}

/* Scores the pair of the source. There is none if it is in another share. */
static enum exit_code score(struct pair_run *run, struct source *source)
{
    struct delivery *delivery = &run->delivery;
    struct record *record = &run->pair.record;
    ssimcu_message message = {{0}};
    const ssimcu_status status = delivery_begin(delivery, source, &message);
    if (status != SSIMCU_OK) return delivery_end_early(delivery->options, status, &message);
    if (source->kind->next(source, &run->pair)) {
        const bool known = delivery_find_known(delivery, record);
        if (!known) score_record(run);
        delivery_take(delivery, record, known);
    }
    delivery->summary.complete = delivery->status == SSIMCU_OK;
    const enum exit_code code = delivery_report(delivery, delivery_end(delivery));
    record_clear(record);
    return conclude(run, code);
}

static ssimcu_status check_files(const struct options *options, const struct source *source,
                                 ssimcu_message *message)
{
    struct files files = {0};
    ssimcu_status status = files_add(&files, options, true, message);
    if (status == SSIMCU_OK) status = files_check(&files, source, message);
    files_free(&files);
    return status;
}

enum exit_code run_pair(const struct options *options)
{
    struct source *source = NULL;
    struct console_progress progress;
    struct pair_run run = {
        .delivery = {.options = options,
                     .pair = &run.facts,
                     .input = &options->input,
                     .settings = &options->settings,
                     .progress = &progress,
                     .seconds = -1},
        .facts = {.options = options,
                  .record = &run.pair.record,
                  .side = {{.path = options->input.path[0]}, {.path = options->input.path[1]}}},
        .map = {.struct_size = sizeof run.map}};
    ssimcu_message message = {{0}};
    const enum progress kind = options->batch.progress;
    console_progress_start(&progress, kind == PROGRESS_OPENJD ? kind : PROGRESS_NONE, 1);
    ssimcu_status status = source_open(&options->input, &source, &message);
    if (status == SSIMCU_OK) status = check_files(options, source, &message);
    const enum exit_code code =
        status == SSIMCU_OK ? score(&run, source) : delivery_end_early(options, status, &message);
    console_progress_end(&progress);
    delivery_free(&run.delivery);
    for (int i = 0; i < 2; i++) {
        ssimcu_frame_free(&run.facts.side[i].frame);
        ssimcu_image_close(&run.side[i].image);
    }
    free(run.map.data);
    ssimcu_close(&run.context);
    source_close(source);
    return code;
}
