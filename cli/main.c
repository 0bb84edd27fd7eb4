/* ssimcu REF OUT: open both files, decode them at the same time while the device starts, compare,
 * report. Score on stdout and nothing else there; everything else on stderr. */
#define _POSIX_C_SOURCE 200809L

#include "batch.h"
#include "batch/source.h"
#include "fail.h"
#include "options.h"
#include "report.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* One of the two files on its way to a frame. */
struct side {
    const char *path;
    const ssimcu_image_options *options;
    ssimcu_image *image;
    ssimcu_frame frame;
    double decode_ms;
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

static enum exit_code code_of(ssimcu_status status, bool on_device)
{
    return status == SSIMCU_ERROR_MEMORY && on_device ? EXIT_DEVICE : exit_code_of(status);
}

static enum exit_code complain(ssimcu_status status, const ssimcu_message *message, bool on_device)
{
    fprintf(stderr, "ssimcu: %s\n", message->text);
    return code_of(status, on_device);
}

static void *open_side(void *argument)
{
    struct side *side = argument;
    const double start = now_ms();
    side->status = ssimcu_image_open(side->path, side->options, &side->image, &side->message);
    if (side->status == SSIMCU_OK) side->frame = ssimcu_image_shape(side->image);
    side->decode_ms += now_ms() - start;
    return NULL;
}

static void *decode_side(void *argument)
{
    struct side *side = argument;
    const double start = now_ms();
    side->status = ssimcu_frame_alloc(&side->frame, &side->message);
    if (side->status == SSIMCU_OK)
        side->status = ssimcu_image_decode(side->image, &side->frame, &side->message);
    side->decode_ms += now_ms() - start;
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

static bool same_file(const char *a, const char *b)
{
    struct stat x, y;
    return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

static ssimcu_status compare(ssimcu_context *context, const struct side pair[2],
                             const struct options *options, ssimcu_score *score, ssimcu_map *map,
                             ssimcu_message *message)
{
    const ssimcu_frame *ref = &pair[0].frame, *out = &pair[1].frame;
    if (!options->map) return ssimcu_compare(context, ref, out, score, message);
    ssimcu_view a = SSIMCU_INIT(view), b = SSIMCU_INIT(view);
    ssimcu_status status = ssimcu_frame_view(ref, &a, message);
    if (status == SSIMCU_OK) status = ssimcu_frame_view(out, &b, message);
    if (status == SSIMCU_OK) status = ssimcu_views_layout(context, &a, &b, map, NULL, message);
    if (status != SSIMCU_OK) return status;
    map->data = calloc((size_t)map->width * map->height, map->channels * sizeof *map->data);
    if (!map->data) return ssimcu_fail(message, SSIMCU_ERROR_MEMORY, "map: out of memory");
    return ssimcu_compare_views(context, &a, &b, score, map, NULL, message);
}

static ssimcu_status write_map(const char *path, const ssimcu_map *map, ssimcu_message *message)
{
    ssimcu_frame picture;
    ssimcu_status status = report_map_picture(map, &picture, message);
    if (status == SSIMCU_OK) status = ssimcu_image_write_png(path, &picture, message);
    ssimcu_frame_free(&picture);
    return status;
}

/* Prints and writes what was asked for, and says whether the score is good enough. */
static enum exit_code deliver(const struct report *report, const ssimcu_map *map)
{
    const struct options *options = report->options;
    enum exit_code code = EXIT_SCORED;
    ssimcu_message message = {{0}};
    if (options->verbose) report_stages(report);
    if (!options->quiet && !report_score(report)) {
        perror("ssimcu: standard output");
        code = EXIT_OUTPUT;
    }
    const ssimcu_status status = options->map ? write_map(options->map, map, &message) : SSIMCU_OK;
    if (status != SSIMCU_OK) code = complain(status, &message, false);
    if (code == EXIT_SCORED && options->has_min_score && report->score.score < options->min_score)
        code = EXIT_BELOW;
    return code;
}

/* Both headers: a pair that cannot be compared ends here, before any device is started. */
static enum exit_code probe(struct side pair[2])
{
    begin(pair, open_side);
    const struct side *bad = finish(pair);
    if (bad) return complain(bad->status, &bad->message, false);
    const ssimcu_frame *ref = &pair[0].frame, *out = &pair[1].frame;
    if (ref->width == out->width && ref->height == out->height) return EXIT_SCORED;
    fprintf(stderr, "ssimcu: sizes differ: %s is %ux%u, %s is %ux%u\n", pair[0].path, ref->width,
            ref->height, pair[1].path, out->width, out->height);
    return EXIT_MISMATCH;
}

/* Decodes both files while the device starts. */
static enum exit_code prepare(const struct options *options, struct side pair[2],
                              ssimcu_context **context, double *start_ms)
{
    ssimcu_settings settings = options->settings;
    ssimcu_message message = {{0}};
    begin(pair, decode_side);
    const double start = now_ms();
    const ssimcu_status status = ssimcu_open(&settings, context, &message);
    *start_ms = now_ms() - start;
    const struct side *bad = finish(pair);
    if (bad) return complain(bad->status, &bad->message, false);
    return status == SSIMCU_OK ? EXIT_SCORED : complain(status, &message, true);
}

static struct report_side report_side(const struct side *side)
{
    return (struct report_side){side->path, ssimcu_image_format(side->image), side->frame,
                                side->decode_ms};
}

static enum exit_code score_pair(const struct options *options, struct side pair[2],
                                 ssimcu_context **context, ssimcu_map *map)
{
    struct report report = {.options = options, .score = {.struct_size = sizeof report.score}};
    ssimcu_message message = {{0}};
    enum exit_code code = probe(pair);
    if (code == EXIT_SCORED) code = prepare(options, pair, context, &report.start_ms);
    if (code != EXIT_SCORED) return code;
    report.ref = report_side(&pair[0]);
    report.out = report_side(&pair[1]);
    report.device = ssimcu_context_device(*context);
    report.reason = ssimcu_context_reason(*context);
    const ssimcu_status status = compare(*context, pair, options, &report.score, map, &message);
    if (status == SSIMCU_OK) return deliver(&report, map);
    fprintf(stderr, "ssimcu: %s, %s: %s\n", options->ref, options->out, message.text);
    return code_of(status, strcmp(report.device, "cpu") != 0);
}

static void print_remark(void *user, const char *line)
{
    (void)user;
    fprintf(stderr, "ssimcu: %s\n", line);
}

static enum exit_code run_score(struct options *options)
{
    if (options->map &&
        (same_file(options->map, options->ref) || same_file(options->map, options->out))) {
        fprintf(stderr, "ssimcu: --map %s: would overwrite an input\n", options->map);
        return EXIT_USAGE;
    }
    if (options->verbose) options->image.remark = print_remark;
    struct side pair[2] = {{.path = options->ref, .options = &options->image},
                           {.path = options->out, .options = &options->image}};
    ssimcu_context *context = NULL;
    ssimcu_map map = {.struct_size = sizeof map};
    const enum exit_code code = score_pair(options, pair, &context, &map);
    for (int i = 0; i < 2; i++) {
        ssimcu_frame_free(&pair[i].frame);
        ssimcu_image_close(&pair[i].image);
    }
    free(map.data);
    ssimcu_close(&context);
    return code;
}

static enum exit_code list_devices(void)
{
    ssimcu_message why = {{0}};
    uint32_t count = 0;
    ssimcu_device_info cpu = {.struct_size = sizeof cpu};
    const ssimcu_status found = ssimcu_device_describe(SSIMCU_DEVICE_CPU, 0, &cpu, &why);
    if (found != SSIMCU_OK) return complain(found, &why, true);
    printf("cpu     %s\n", cpu.name);
    if (ssimcu_device_count(SSIMCU_DEVICE_CUDA, &count, &why) != SSIMCU_OK)
        fprintf(stderr, "ssimcu: %s\n", why.text);
    for (uint32_t i = 0; i < count; i++) {
        ssimcu_device_info info = {.struct_size = sizeof info};
        const ssimcu_status status = ssimcu_device_describe(SSIMCU_DEVICE_CUDA, i, &info, &why);
        if (status != SSIMCU_OK) return complain(status, &why, true);
        printf("cuda:%-2u %s, compute capability %u.%u, %llu MiB\n", i, info.name,
               info.compute / 10, info.compute % 10, (unsigned long long)(info.memory_bytes >> 20));
    }
    return EXIT_SCORED;
}

/* A closed standard stream would hand its number to the next file opened, and a score could land in
 * a picture. Its place is taken by a descriptor that refuses writing, so that the loss is noticed.
 */
static void fill_standard_streams(void)
{
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) == -1) (void)open("/dev/null", O_RDONLY);
}

int main(int argc, char **argv)
{
    struct options options;
    fill_standard_streams();
    signal(SIGPIPE, SIG_IGN); /* a reader that went away is an output that failed: exit 74 */
    if (!options_parse(&options, argc, argv)) {
        ssimcu_ranges_free(&options.batch.frames);
        return EXIT_USAGE;
    }
    enum exit_code code = EXIT_SCORED;
    switch (options.action) {
    case ACTION_SCORE:
        code = options.batch.list || source_is_batch(&options) ? batch_run(&options)
                                                               : run_score(&options);
        break;
    case ACTION_MERGE: code = batch_merge(&options); break;
    case ACTION_HELP: options_help(); break;
    case ACTION_LIST_DEVICES: code = list_devices(); break;
    case ACTION_VERSION:
        printf("ssimcu %s (%s; %s)\n", ssimcu_version(), ssimcu_build(), ssimcu_image_libraries());
        break;
    }
    if (code != EXIT_OUTPUT && (fflush(stdout) != 0 || ferror(stdout))) {
        perror("ssimcu: standard output");
        code = EXIT_OUTPUT;
    }
    ssimcu_ranges_free(&options.batch.frames);
    return code;
}
