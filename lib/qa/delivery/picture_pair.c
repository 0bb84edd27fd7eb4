#include "delivery/picture_pair.h"

#include "engine/score.h"
#include "hints/hints.h"
#include "maps/maps.h"
#include "options/options.h"
#include "pair/match.h"
#include "pair/names.h"
#include "pair/range.h"
#include "pair/region.h"
#include "record/record.h"

#include "clock.h"
#include "fail.h"
#include "image/channels.h"
#include "image/holds.h"
#include "sample_size.h"
#include "ssimcu_io.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Largest pair for which the CPU is faster than a GPU from a cold start. On 16 cores, the whole
 * program takes 71 to 88 ms for a pair of 4K PNGs. On an H200 it takes 316 to 333 ms (all
 * measured). Starting and stopping the H200 costs about 0.25 s, whatever the size. A single thread
 * scores a 4K RGB pair in 44 ms with AVX-512 and in 64 ms with AVX2. So the CPU is much faster even
 * with one thread. */
enum { CPU_FIRST_PIXELS = 4096 * 2160 };

/* The file of one thread. */
struct job {
    struct picture_side *side;
    const ssimcu_image_options *options;
    ssimcu_image *image;
    ssimcu_status status;
    ssimcu_message message;
    pthread_t thread;
    bool threaded;
};

static void *open_file(void *argument)
{
    struct job *job = argument;
    struct picture_side *side = job->side;
    const double start = ssimcu_clock_ms();
    job->status = ssimcu_image_open(side->path, job->options, &job->image, &job->message);
    side->format = ssimcu_image_format(job->image);
    side->frame = ssimcu_image_shape(job->image);
    side->decode_ms += ssimcu_clock_ms() - start;
    return NULL;
}

static void *decode_file(void *argument)
{
    struct job *job = argument;
    struct picture_side *side = job->side;
    const double start = ssimcu_clock_ms();
    job->status = ssimcu_frame_alloc(&side->frame, &job->message);
    ssimcu_image_release_early(job->image);
    if (job->status == SSIMCU_OK)
        job->status = ssimcu_image_decode(job->image, &side->frame, &job->message);
    side->reader = ssimcu_image_reader(job->image);
    side->decode_ms += ssimcu_clock_ms() - start;
    return NULL;
}

/* Runs `step` for both files, each in its own thread; finish waits for them. If a thread cannot be
 * started, the step runs at once. */
static void begin(struct job job[2], void *(*step)(void *))
{
    for (int i = 0; i < 2; i++) {
        job[i].threaded = pthread_create(&job[i].thread, NULL, step, &job[i]) == 0;
        if (!job[i].threaded) step(&job[i]);
    }
}

/* Waits for both files and returns the first failure. */
static ssimcu_status finish(struct job job[2], ssimcu_message *message)
{
    for (int i = 0; i < 2; i++)
        if (job[i].threaded) pthread_join(job[i].thread, NULL);
    for (int i = 0; i < 2; i++)
        if (job[i].status != SSIMCU_OK)
            return ssimcu_fail(message, job[i].status, "%s", job[i].message.text);
    return SSIMCU_OK;
}

struct picture_pair picture_pair_of(const struct options *options)
{
    const struct source_input *input = &options->input;
    return (struct picture_pair){.pair.record = record_new(),
                                 .settings = &options->settings,
                                 .needed = input->needed,
                                 .region = &input->region,
                                 .tile = options->tile,
                                 .memory_bytes = options->run.memory_bytes,
                                 .ranged = input->ranged,
                                 .side = {{.path = input->path[0]}, {.path = input->path[1]}}};
}

/* ---- Steps ----------------------------------------------------------------------------------- */

/* Checks both frames, and the memory that their decoders keep, against the memory limit. */
static ssimcu_status check_memory(const struct picture_pair *pair, const struct job job[2],
                                  ssimcu_message *message)
{
    const uint64_t limit = pair->memory_bytes;
    uint64_t need = 0;
    for (int i = 0; i < 2 && limit > 0; i++) {
        const ssimcu_frame *frame = &pair->side[i].frame;
        need += (uint64_t)frame->width * frame->height * frame->channels *
                ssimcu_sample_size(frame->bits);
        need += ssimcu_image_holds(job[i].image);
    }
    if (need <= limit) return SSIMCU_OK;
    FAIL(LIMIT, "%s, %s: the pair needs %llu bytes, --memory allows %llu", pair->side[0].path,
         pair->side[1].path, (unsigned long long)need, (unsigned long long)limit);
}

/* Opens both files. A pair that cannot be compared ends here, before a device is started. */
static ssimcu_status probe(struct picture_pair *pair, struct job job[2], ssimcu_message *message)
{
    const struct picture_side *ref = &pair->side[0], *out = &pair->side[1];
    begin(job, open_file);
    TRY(finish(job, message));
    const struct ssimcu_image_windows windows[] = {ssimcu_image_windows(job[0].image),
                                                   ssimcu_image_windows(job[1].image)};
    const char *const channels[] = {ssimcu_image_channels(job[0].image),
                                    ssimcu_image_channels(job[1].image)};
    const struct ssimcu_image_colours colours[] = {ssimcu_image_colours(job[0].image),
                                                   ssimcu_image_colours(job[1].image)};
    for (int i = 0; i < 2; i++) pair->side[i].outside = windows[i].outside;
    TRY(match_sizes(ref->path, &ref->frame, out->path, &out->frame, message));
    if (!record_leave(pair->pair.record, channels))
        return ssimcu_no_memory(message, "the channels");
    if (!match_note_colours(&colours[0], &colours[1], &pair->pair.record->text[RECORD_COLOURS]))
        return ssimcu_no_memory(message, "the colours");
    TRY(match_windows(ref->path, &windows[0], out->path, &windows[1], message));
    if (pair->region) TRY(region_check(pair->region, &ref->frame, message));
    return check_memory(pair, job, message);
}

/* Opens the device. AUTO becomes the CPU if it finishes first; the reason then records that. */
static ssimcu_status open_device(struct picture_pair *pair, ssimcu_message *message)
{
    ssimcu_settings settings = *pair->settings;
    const ssimcu_frame *frame = &pair->side[0].frame;
    const uint64_t pixels = (uint64_t)frame->width * frame->height;
    const bool cpu_first = settings.device == SSIMCU_DEVICE_AUTO && pixels <= CPU_FIRST_PIXELS;
    if (pair->context) return SSIMCU_OK;
    if (cpu_first) settings.device = SSIMCU_DEVICE_CPU;
    pair->on_device = settings.device != SSIMCU_DEVICE_CPU;
    pair->owns_context = true;
    const ssimcu_status status = ssimcu_open(&settings, &pair->context, message);
    return !cpu_first ? status
                      : ssimcu_fail(&pair->auto_reason, status,
                                    "auto: the CPU is faster for one pair of %llu pixels",
                                    (unsigned long long)pixels);
}

static void note_device(struct picture_pair *pair)
{
    const char *chosen = pair->auto_reason.text;
    pair->device = ssimcu_context_device(pair->context);
    pair->reason = chosen[0] ? chosen : ssimcu_context_reason(pair->context);
    pair->on_device = strcmp(pair->device, "cpu") != 0;
}

/* Decodes both files while the device starts. */
static ssimcu_status prepare(struct picture_pair *pair, struct job job[2], ssimcu_message *message)
{
    ssimcu_message cause = {{0}};
    begin(job, decode_file);
    const double start = ssimcu_clock_ms();
    const ssimcu_status opened = open_device(pair, &cause);
    pair->start_ms = ssimcu_clock_ms() - start;
    const ssimcu_status status = finish(job, message);
    if (status != SSIMCU_OK) {
        pair->on_device = false;
        return status;
    }
    if (opened != SSIMCU_OK) return ssimcu_fail(message, opened, "%s", cause.text);
    note_device(pair);
    return SSIMCU_OK;
}

static void look(struct pair *pair, const ssimcu_score *score)
{
    struct hints hints;
    struct signature signature[2];
    struct record *record = pair->record;
    analyse_pair(pair->plane[0], pair->plane[1], 1, score, NULL, &hints, signature);
    judge_hint(record, &hints);
    judge_note_hints(record, &hints);
}

/* Scores the frames, with a map if wanted, and judges the areas that are not ignored. */
static ssimcu_status score(struct picture_pair *whole, ssimcu_message *message)
{
    struct pair *pair = &whole->pair;
    const ssimcu_frame *const frame[2] = {pair->plane[0], pair->plane[1]};
    ssimcu_map *map = whole->wants_map ? &whole->map : NULL;
    struct learned_tiles *tiles = whole->judge ? &whole->tiles : NULL;
    struct ignored_tiles ignored;
    whole->score = SSIMCU_INIT(score);
    whole->map = SSIMCU_INIT(map);
    whole->tiles.plain = whole->judge && !whole->judge->find;
    if (map) TRY(map_prepare(whole->context, frame[0], frame[1], map, message));
    const bool on_device = whole->on_device;
    TRY(score_frames(whole->context, frame, 1, whole->tile, tiles, &whole->score, map, message));
    note_device(whole);
    whole->fell_back = on_device && !whole->on_device;
    pair->record->metrics =
        whole->settings->compat != SSIMCU_COMPAT_NONE ? whole->settings->metrics : 0;
    TRY(score_need(whole->needed, pair, &whole->score, message));
    const ssimcu_status status =
        score_note(pair, whole->context, whole->judge, tiles, &ignored, &whole->score, message);
    ignored_free(&ignored);
    return status;
}

/* Scores the frames and fills in the record. */
static ssimcu_status compare(struct picture_pair *whole, ssimcu_message *message)
{
    struct pair *pair = &whole->pair;
    ssimcu_message cause = {{0}};
    ssimcu_status status = SSIMCU_OK;
    const ssimcu_image_options *image = whole->image;
    const char *name = image->channels ? image->channels : image->layer;
    const struct range_of range = {whole->settings->gain, name && names_are_depth(name), NULL};
    pair->planes = 1;
    for (int i = 0; i < 2; i++) {
        pair->plane[i][0] = whole->side[i].frame;
        pair->record->scored.light[i].outside = whole->side[i].outside;
    }
    if (whole->counts)
        status = diff_count(pair, &whole->diff, whole->region, &pair->record->scored.diff, &cause);
    if (status == SSIMCU_OK && whole->ranged &&
        (range_is_for(pair->plane[0]) || range_is_for(pair->plane[1])))
        status = range_apply(pair, &range, &pair->record->scored.range, &cause);
    if (status == SSIMCU_OK && whole->region) region_cut_pair(whole->region, NULL, pair);
    if (status == SSIMCU_OK) status = score(whole, &cause);
    if (status != SSIMCU_OK)
        return ssimcu_fail(message, status, "%s, %s: %s", whole->side[0].path, whole->side[1].path,
                           cause.text);
    look(pair, &whole->score);
    return SSIMCU_OK;
}

ssimcu_status picture_pair_score(struct picture_pair *pair, ssimcu_message *message)
{
    ssimcu_image_options image = *pair->image;
    /* Each file gets half of the threads, because both are decoded at the same time. */
    image.threads = image.threads >= 4 ? image.threads / 2 : 1;
    struct job job[2];
    for (int i = 0; i < 2; i++) job[i] = (struct job){.side = &pair->side[i], .options = &image};
    ssimcu_status status = probe(pair, job, message);
    if (status == SSIMCU_OK && !ssimcu_is_stopped(pair->stop)) status = prepare(pair, job, message);
    if (status == SSIMCU_OK && !ssimcu_is_stopped(pair->stop)) {
        status = compare(pair, message);
        pair->scored = status == SSIMCU_OK;
    }
    for (int i = 0; i < 2; i++) ssimcu_image_close(&job[i].image);
    return status;
}

void picture_pair_free(struct picture_pair *pair)
{
    for (int i = 0; i < 2; i++) ssimcu_frame_free(&pair->side[i].frame);
    free(pair->map.data);
    pair->map.data = NULL;
    learned_tiles_free(&pair->tiles);
    record_free(pair->pair.record);
    if (pair->owns_context) ssimcu_close(&pair->context);
}
