/* ssimcu REF OUT: open both files, decode them at the same time while the device starts, compare,
 * report. */
#include "run.h"

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
    struct report_side seen;
    const ssimcu_image_options *options;
    ssimcu_image *image;
    ssimcu_frame scored; /* of what was seen: all, or the region */
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

static uint8_t grey_level(const ssimcu_map *map, uint32_t x, uint32_t y)
{
    const size_t plane = (size_t)map->width * map->height, at = (size_t)y * map->width + x;
    float sum = 0;
    for (uint32_t c = 0; c < map->channels; c++) sum += map->data[c * plane + at];
    const float mean = fminf(fmaxf(sum / (float)map->channels, 0.0f), 1.0f);
    return (uint8_t)lrintf(255.0f * mean);
}

/* The window nearest to frame coordinate `at`. */
static uint32_t nearest(uint32_t at, uint32_t border, uint32_t positions)
{
    const uint32_t inner = at < border ? 0 : at - border;
    return inner < positions ? inner : positions - 1;
}

/* The map as an 8-bit grey picture as large as the frame: 255 * the mean of the channels' SSIM, 0
 * where that is negative. Where no window is centred the nearest window's value stands. */
static ssimcu_status write_map(const char *path, const ssimcu_map *map, ssimcu_message *message)
{
    const uint32_t border = map->border;
    ssimcu_frame picture = {.width = map->width + 2 * border,
                            .height = map->height + 2 * border,
                            .channels = 1,
                            .bits = 8};
    ssimcu_status status = ssimcu_frame_alloc(&picture, message);
    if (status != SSIMCU_OK) return status;
    for (uint32_t y = 0; y < picture.height; y++) {
        uint8_t *row = (uint8_t *)picture.data + y * picture.pitch;
        for (uint32_t x = 0; x < picture.width; x++)
            row[x] =
                grey_level(map, nearest(x, border, map->width), nearest(y, border, map->height));
    }
    status = ssimcu_image_write_png(path, &picture, message);
    ssimcu_frame_free(&picture);
    return status;
}

static enum exit_code code_of(ssimcu_status status, bool on_device)
{
    return status == SSIMCU_ERROR_MEMORY && on_device ? EXIT_DEVICE : exit_code_of(status);
}

static enum exit_code complain(ssimcu_status status, const ssimcu_message *message, bool on_device)
{
    report_line("%s", message->text);
    return code_of(status, on_device);
}

/* Both headers: a pair that cannot be compared ends here, before any device is started. */
static enum exit_code probe(struct side pair[2], const struct contract_region *region)
{
    begin(pair, open_side);
    const struct side *bad = finish(pair);
    if (bad) return complain(bad->status, &bad->message, false);
    const struct report_side *ref = &pair[0].seen, *out = &pair[1].seen;
    ssimcu_message message = {{0}};
    ssimcu_status status =
        batch_check_sizes(ref->path, &ref->frame, out->path, &out->frame, &message);
    if (status == SSIMCU_OK) status = batch_region_check(region, &ref->frame, &message);
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
static enum exit_code prepare(struct report *report, struct side pair[2], ssimcu_context **context,
                              ssimcu_message *reason)
{
    ssimcu_message message = {{0}};
    begin(pair, decode_side);
    const double start = now_ms();
    const ssimcu_status status =
        open_device(report->options, &pair[0].seen.frame, context, reason, &message);
    report->start_ms = now_ms() - start;
    const struct side *bad = finish(pair);
    if (bad) return complain(bad->status, &bad->message, false);
    const bool on_cpu = report->options->settings.device == SSIMCU_DEVICE_CPU || reason->text[0];
    if (status != SSIMCU_OK) return complain(status, &message, !on_cpu);
    report->device = ssimcu_context_device(*context);
    report->reason = reason->text[0] ? reason->text : ssimcu_context_reason(*context);
    return EXIT_SCORED;
}

/* Room for the map of the pair. */
static ssimcu_status prepare_map(ssimcu_context *context, const struct side pair[2],
                                 ssimcu_map *map, ssimcu_message *message)
{
    ssimcu_view ref = SSIMCU_INIT(view), out = SSIMCU_INIT(view);
    ssimcu_status status = ssimcu_frame_view(&pair[0].scored, &ref, message);
    if (status == SSIMCU_OK) status = ssimcu_frame_view(&pair[1].scored, &out, message);
    if (status == SSIMCU_OK) status = ssimcu_views_layout(context, &ref, &out, map, NULL, message);
    if (status != SSIMCU_OK) return status;
    map->data = calloc((size_t)map->width * map->height, map->channels * sizeof *map->data);
    return map->data ? SSIMCU_OK : ssimcu_fail(message, SSIMCU_ERROR_MEMORY, "map: out of memory");
}

static void look(const ssimcu_frame *const frame[2], struct report *report)
{
    struct hints hints;
    struct signature signature[2];
    hints_look(frame[0], frame[1], 1, &report->score, &hints, signature);
    batch_hints(&hints, report->hints);
}

static ssimcu_status compare(ssimcu_context *context, const struct side pair[2],
                             struct report *report, ssimcu_map *map, ssimcu_message *message)
{
    const ssimcu_frame *const frame[2] = {&pair[0].scored, &pair[1].scored};
    const bool want_map = report->options->map != NULL;
    ssimcu_status status = SSIMCU_OK;
    if (want_map) status = prepare_map(context, pair, map, message);
    if (status == SSIMCU_OK)
        status = batch_compare(context, frame, 1, report->options->tile, &report->score,
                               want_map ? map : NULL, &report->tile, message);
    if (status != SSIMCU_OK) return status;
    report->tile.x += report->options->input.region.x;
    report->tile.y += report->options->input.region.y;
    look(frame, report);
    return SSIMCU_OK;
}

/* Prints and writes what was asked for, and says whether the score is good enough. */
static enum exit_code deliver(const struct report *report, const ssimcu_map *map)
{
    const struct options *options = report->options;
    enum exit_code code = EXIT_SCORED;
    ssimcu_message message = {{0}};
    if (options->verbose) report_stages(report);
    if (!options->quiet && options->json)
        code = report_json(report);
    else if (!options->quiet && !report_score(report->score.score))
        code = EXIT_OUTPUT;
    const ssimcu_status status = options->map ? write_map(options->map, map, &message) : SSIMCU_OK;
    if (status != SSIMCU_OK) code = complain(status, &message, false);
    const bool passed = report_pair_verdict(report);
    return code == EXIT_SCORED && !passed ? EXIT_BELOW : code;
}

static enum exit_code score_pair(const struct options *options, struct side pair[2],
                                 ssimcu_context **context, ssimcu_map *map)
{
    struct report report = {.options = options, .score = {.struct_size = sizeof report.score}};
    ssimcu_message message = {{0}}, reason = {{0}};
    enum exit_code code = probe(pair, &options->input.region);
    if (code == EXIT_SCORED) code = prepare(&report, pair, context, &reason);
    if (code != EXIT_SCORED) return code;
    for (int i = 0; i < 2; i++) {
        report.side[i] = pair[i].seen;
        pair[i].scored = pair[i].seen.frame;
        batch_region_cut(&options->input.region, &pair[i].scored);
    }
    const ssimcu_status status = compare(*context, pair, &report, map, &message);
    if (status == SSIMCU_OK) return deliver(&report, map);
    report_line("%s, %s: %s", pair[0].seen.path, pair[1].seen.path, message.text);
    return code_of(status, strcmp(report.device, "cpu") != 0);
}

/* Two threads for each file where four can run. */
static uint32_t threads_per_file(uint32_t asked)
{
    return asked >= 4 && ssimcu_cpu_threads() >= 4 ? 2 : 1;
}

enum exit_code run_pair(const struct options *options)
{
    const char *const *path = options->input.path;
    struct outputs outputs = {0};
    if (options->map) outputs_add(&outputs, "--map", options->map);
    if (outputs_find(&outputs, path[0]) || outputs_find(&outputs, path[1])) {
        report_line("--map %s: would overwrite an input", options->map);
        return EXIT_USAGE;
    }
    ssimcu_image_options image = options->image;
    image.threads = threads_per_file(options->settings.threads);
    if (options->verbose) image.remark = report_remark;
    struct side pair[2] = {{.seen.path = path[0], .options = &image},
                           {.seen.path = path[1], .options = &image}};
    ssimcu_context *context = NULL;
    ssimcu_map map = {.struct_size = sizeof map};
    const enum exit_code code = score_pair(options, pair, &context, &map);
    for (int i = 0; i < 2; i++) {
        ssimcu_frame_free(&pair[i].seen.frame);
        ssimcu_image_close(&pair[i].image);
    }
    free(map.data);
    ssimcu_close(&context);
    return code;
}
