/* bench_nvdec decode N FRAMES FILE...: runs N decoders at once and prints frames a second. Each
 * decodes the first FRAMES frames of one of the files.
 *
 * bench_nvdec score READERS REF OUT: runs the batch on the GPU and prints pairs a second. READERS
 * 0: the number that suits it.
 *
 * bench_nvdec read READERS REF OUT: does the same without the scores.
 *
 * The engines of CUDA device 0 decode. With cpu- before the first word the CPU decodes, two threads
 * for each decoder.
 *
 * bench_nvdec --check: decodes on the CPU, because a clip that the engines take needs an encoder.
 */
#include "common/checks.h"
#include "common/common.h"
#include "engine/batch.h"
#include "pair/pair.h"
#include "record/record.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 64 };

static bool on_cpu;
static unsigned long long most; /* limit of frames for each decoder */
static atomic_ullong frames;

static ssimcu_status open_clip(const char *path, ssimcu_clip **clip, ssimcu_message *message)
{
    const ssimcu_image_options threads = {.struct_size = sizeof threads, .threads = 2};
    const ssimcu_clip_gpu first = {.index = 0};
    const ssimcu_clip_how how = {.gpu = on_cpu ? NULL : &first};
    return ssimcu_clip_open_how(path, NULL, &threads, NULL, &how, clip, message);
}

static void *decode(void *path)
{
    ssimcu_clip *clip;
    ssimcu_message message = {{0}};
    bool end = false;
    ssimcu_status status = open_clip(path, &clip, &message);
    if (status == SSIMCU_OK && !on_cpu && !ssimcu_clip_shape(clip)->on_device) {
        fprintf(stderr, "%s: %s\n", (char *)path, ssimcu_clip_why_not_gpu(clip));
        exit(1);
    }
    for (unsigned long long i = 0; i < most && status == SSIMCU_OK && !end; i++) {
        ssimcu_clip_place place;
        ssimcu_view plane[SSIMCU_MAX_PLANES];
        status = ssimcu_clip_next(clip, NULL, &place, &end, &message);
        if (status != SSIMCU_OK || end) break;
        if (!on_cpu) status = ssimcu_clip_device_view(clip, place, plane, &message);
        ssimcu_clip_release(clip, place);
        atomic_fetch_add(&frames, 1);
    }
    if (status != SSIMCU_OK) fprintf(stderr, "%s\n", message.text);
    ssimcu_clip_close(&clip);
    return NULL;
}

static int run_decoders(int count, char **path, int paths)
{
    pthread_t thread[MOST];
    const double start = now_ms();
    for (int i = 0; i < count; i++)
        if (pthread_create(&thread[i], NULL, decode, path[i % paths]) != 0) return 1;
    for (int i = 0; i < count; i++) pthread_join(thread[i], NULL);
    const double time = (now_ms() - start) / 1e3;
    printf("decoders %d frames %llu seconds %.3f a_second %.1f\n", count,
           (unsigned long long)frames, time, (double)frames / time);
    return frames == 0;
}

static bool take(void *user, struct record *record, bool known)
{
    (void)known;
    *(uint64_t *)user += record->kind == RECORD_SCORED;
    return true;
}

/* Scores nothing, so that the rest of the batch can be timed alone. */
static ssimcu_status no_score(void *user, ssimcu_context *lane, const struct pair *pair,
                              ssimcu_score *score, ssimcu_message *message)
{
    (void)user, (void)lane, (void)message;
    score->channels = pair->planes;
    return SSIMCU_OK;
}

static int run_batch(uint32_t readers, bool scores, char **path, uint64_t *scored)
{
    const uint32_t threads = ssimcu_cpu_threads();
    const struct source_input input = {
        .path = {path[0], path[1]},
        .shard = 1,
        .shards = 1,
        .threads = threads,
        .decode = on_cpu ? SSIMCU_DECODE_CPU : SSIMCU_DECODE_CUDA,
    };
    struct batch_config config = {.settings = SSIMCU_INIT(settings),
                                  .readers = readers,
                                  .tile = 64,
                                  .score = scores ? NULL : no_score,
                                  .take = take,
                                  .user = scored};
    config.settings.device = SSIMCU_DEVICE_CUDA;
    struct source *source;
    struct batch_times times = {0};
    ssimcu_message message = {{0}};
    const double start = now_ms();
    ssimcu_status status = source_open(&input, &source, &message);
    if (status == SSIMCU_OK) status = batch_run(&config, source, &times, &message);
    const double all = (now_ms() - start) / 1e3;
    if (message.text[0]) fprintf(stderr, "%s\n", message.text);
    printf("readers %u threads %u contexts %u pairs %" PRIu64
           " seconds %.3f a_second %.1f with_start %.3f "
           "on_device %" PRIu64 " from_host_mib %.1f score_ms %.0f decode_ms %.0f upload_ms %.0f\n",
           times.readers, times.threads, times.contexts, *scored, times.whole / 1e3,
           (double)*scored / times.whole * 1e3, all, times.on_device,
           (double)times.from_host / 1048576, times.score, times.decode, times.stage.upload);
    source_close(source);
    return status != SSIMCU_OK;
}

static int check(void)
{
    enum { FRAMES = 40, DECODERS = 3 };
    char path[2][CHECK_PATH], *paths[2] = {path[0], path[1]};
    for (int side = 0; side < 2; side++) {
        ssimcu_frame frame = check_frame(655, 467, 1, 8, side);
        check_path(path[side], side ? "out.y4m" : "ref.y4m");
        check_write_clip(path[side], &frame, FRAMES);
        ssimcu_frame_free(&frame);
    }
    on_cpu = true;
    most = FRAMES;
    check_that(run_decoders(DECODERS, paths, 2) == 0 && frames == DECODERS * FRAMES,
               "%llu frames decoded of %d", (unsigned long long)frames, DECODERS * FRAMES);
    for (uint32_t readers = 0; readers <= 2; readers++)
        for (int scores = 0; scores <= 1; scores++) {
            uint64_t scored = 0;
            const int failed = run_batch(readers, scores, paths, &scored);
            check_that(!failed && scored == FRAMES, "%" PRIu64 " pairs of %d", scored, FRAMES);
        }
    return check_end();
}

int main(int argc, char **argv)
{
    if (check_asked(argc, argv)) {
        check_needs_cuda();
        return check();
    }
    const char *what = argc > 3 ? argv[1] : "";
    on_cpu = strncmp(what, "cpu-", 4) == 0;
    if (on_cpu) what += 4;
    const int number = argc > 3 ? atoi(argv[2]) : -1;
    if (strcmp(what, "decode") == 0 && number > 0 && number <= MOST && argc > 4) {
        most = strtoull(argv[3], NULL, 10);
        return run_decoders(number, argv + 4, argc - 4);
    }
    const bool scores = strcmp(what, "score") == 0;
    if ((scores || strcmp(what, "read") == 0) && argc == 5 && number >= 0)
        return run_batch((uint32_t)number, scores, argv + 3, &(uint64_t){0});
    fprintf(stderr,
            "usage: bench_nvdec [cpu-]decode N FRAMES FILE... | [cpu-]score|read READERS REF "
            "OUT | --check\n");
    return 2;
}
