/* The pipeline: every frame once and in order, with the same bits, whatever thread decodes and
 * scores. What is refused or stopped ends it without losing what came before. */
#include "check.h"
#include "pair/pair.h"
#include "pair/slots.h"
#include "record/record.h"
#include "source_memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FRAMES = 1500, KINDS = 6, APART = 3 };

static char list[] = "/tmp/ssimcu-test-engine-XXXXXX";

static void make_list(void)
{
    static const char *const out[KINDS] = {"rgb8_b.png", "rgb8_a.png",    "grey8_a.png",
                                           "gone.png",   "truncated.png", "tiny16x16.jpg"};
    FILE *file = fdopen(mkstemp(list), "w");
    cr_assert_not_null(file);
    for (int i = 0; i < FRAMES; i++)
        fprintf(file, "%s/rgb8_a.png\t%s/%s\n", SSIMCU_TESTDATA, SSIMCU_TESTDATA,
                out[i % 7 < KINDS ? i % 7 : 0]);
    cr_assert_eq(fclose(file), 0);
}

static void remove_list(void) { unlink(list); }

TestSuite(engine, .init = make_list, .fini = remove_list);

struct seen {
    int frames, scored, missing, failed, most;
    int stop_at; /* frame that sets `stop` */
    ssimcu_stop stop;
    double score[FRAMES];
};

static bool take(void *user, struct record *record, bool known)
{
    struct seen *seen = user;
    cr_assert_not(known);
    cr_assert_eq(record->frame, seen->frames + 1, "frame %d came after %d", (int)record->frame,
                 seen->frames);
    seen->score[seen->frames++] = record->scored.score;
    seen->scored += record->kind == RECORD_SCORED;
    seen->missing += record->kind == RECORD_MISSING;
    seen->failed += record->kind == RECORD_FAILED;
    if (seen->frames == seen->stop_at) seen->stop = true;
    return seen->frames != seen->most;
}

static struct batch_times run_source(const struct batch_config *config, struct source *source)
{
    struct batch_times times;
    ssimcu_message why = {{0}};
    cr_assert_eq(batch_run(config, source, &times, &why), SSIMCU_OK, "%s", why.text);
    return times;
}

static struct batch_times run_input(struct batch_config config, struct source_input input)
{
    struct source *source = NULL;
    ssimcu_message why = {{0}};
    input.shard = input.shards = 1;
    config.settings.struct_size = sizeof config.settings;
    cr_assert_eq(source_open(&input, &source, &why), SSIMCU_OK, "%s", why.text);
    const struct batch_times times = run_source(&config, source);
    source_close(source);
    return times;
}

static struct batch_times run(struct batch_config config, ssimcu_device device, struct seen *seen)
{
    memset(seen->score, 0, sizeof seen->score);
    seen->frames = seen->scored = seen->missing = seen->failed = 0;
    config.settings.device = device;
    config.take = take;
    config.user = seen;
    return run_input(config, (struct source_input){.list = list});
}

static void expect_all(const struct seen *seen)
{
    cr_assert_eq(seen->frames, FRAMES);
    cr_assert_eq(seen->missing, (FRAMES + 3) / 7);
    cr_assert_eq(seen->failed, (FRAMES + 2) / 7 + (FRAMES + 1) / 7);
    cr_assert_eq(seen->scored, FRAMES - seen->missing - seen->failed);
}

Test(engine, in_place_or_apart_with_any_memory)
{
    static struct seen first, other;
    run((struct batch_config){0}, SSIMCU_DEVICE_CPU, &first);
    expect_all(&first);
    static const uint32_t memory[] = {1 << 30, 40 << 10, 90 << 10, 200 << 10};
    for (int i = 0; i < 4; i++) {
        const struct batch_times times =
            run((struct batch_config){.contexts = APART, .memory_bytes = memory[i]},
                SSIMCU_DEVICE_CPU, &other);
        expect_all(&other);
        cr_assert(times.memory_peak <= times.memory_limit && times.contexts == APART);
        cr_assert_eq(times.slots, times.threads + 2 * APART);
        for (int f = 0; f < FRAMES; f++)
            cr_assert_eq(first.score[f], other.score[f], "frame %d, %u", f, memory[i]);
    }
}

Test(engine, on_every_gpu)
{
    static struct seen cpu, gpu, again;
    if (!check_has_cuda()) return;
    run((struct batch_config){0}, SSIMCU_DEVICE_CPU, &cpu);
    run((struct batch_config){.all_devices = true}, SSIMCU_DEVICE_CUDA, &gpu);
    run((struct batch_config){.memory_bytes = 90 << 10}, SSIMCU_DEVICE_CUDA, &again);
    expect_all(&gpu);
    expect_all(&again);
    for (int f = 0; f < FRAMES; f++) {
        check_near(gpu.score[f], cpu.score[f], 1e-6, "frame %d", f);
        cr_assert_eq(gpu.score[f], again.score[f], "frame %d", f);
    }
}

Test(engine, refused_results_end_it)
{
    for (uint32_t contexts = 0; contexts <= APART; contexts += APART) {
        static struct seen seen = {.most = 100};
        run((struct batch_config){.contexts = contexts}, SSIMCU_DEVICE_CPU, &seen);
        cr_assert_eq(seen.frames, 100, "nothing is handed out after a refusal");
    }
}

Test(engine, a_stop_loses_no_frame_that_was_begun)
{
    for (uint32_t contexts = 0; contexts <= APART; contexts += APART) {
        static struct seen seen;
        seen.stop = false;
        seen.stop_at = 20;
        run((struct batch_config){.contexts = contexts, .stop = &seen.stop}, SSIMCU_DEVICE_CPU,
            &seen);
        cr_assert(seen.frames >= 20 && seen.frames < FRAMES / 2, "%d frames", seen.frames);
    }
}

/* ---- Memory ---- */

/* A count of pages in 32 bits would cut these sizes down. */
Test(engine, no_memory_for_16_tib)
{
    static const size_t large[] = {((size_t)1 << 44) + 4096, (size_t)1 << 44, SIZE_MAX / 4};
    struct slots slots;
    cr_assert(slots_start(&slots, 1, UINT64_MAX, NULL));
    struct pair pair = {.slot = slots_take(&slots)};
    for (int i = 0; i < 6; i++) {
        ssimcu_message why = {{0}};
        const size_t bytes[2] = {i % 2 ? 4096 : large[i / 2], i % 2 ? large[i / 2] : 4096};
        const ssimcu_status status = slots_reserve(&pair, bytes, 100, &why);
        cr_assert(status == SSIMCU_ERROR_LIMIT || status == SSIMCU_ERROR_MEMORY, "%zu bytes: %d",
                  large[i / 2], (int)status);
        cr_assert(slots.used == 0 && !pair.memory[0] && !pair.memory[1]);
    }
    const size_t small[2] = {5000, 1};
    cr_assert_eq(slots_reserve(&pair, small, 100, NULL), SSIMCU_OK);
    cr_assert_eq(slots.used, 3 * 4096 + 100);
    slots_give(pair.slot);
    slots_end(&slots);
}

/* ---- Other scorers, other sources ---- */

static int forgotten;

static ssimcu_status forget(void *user, ssimcu_context *context, const struct pair *pair,
                            ssimcu_score *score, ssimcu_message *message)
{
    (void)user, (void)context, (void)score, (void)message;
    cr_assert(pair->planes == 1 && pair->plane[0][0].data && pair->plane[1][0].data);
    __atomic_add_fetch(&forgotten, 1, __ATOMIC_RELAXED);
    return SSIMCU_OK;
}

Test(engine, a_scorer_that_does_nothing)
{
    for (uint32_t contexts = 0; contexts <= APART; contexts += APART) {
        static struct seen seen;
        forgotten = 0;
        const struct batch_times times = run(
            (struct batch_config){.contexts = contexts, .score = forget}, SSIMCU_DEVICE_CPU, &seen);
        expect_all(&seen);
        cr_assert_eq(forgotten, seen.scored);
        cr_assert_eq(times.pairs, (uint64_t)seen.scored);
        cr_assert(times.stage.ssim == 0 && times.decode > 0);
        for (int f = 0; f < FRAMES; f++) cr_assert_eq(seen.score[f], 0);
    }
}

struct repeated {
    struct source *memory;
    const double *score; /* the kept pairs' scores */
    int pairs;
};

static bool take_repeated(void *user, struct record *record, bool known)
{
    struct repeated *repeated = user;
    cr_assert(!known && record->kind == RECORD_SCORED);
    cr_assert_eq(record->frame, repeated->pairs);
    cr_assert_eq(record->scored.score, repeated->score[repeated->pairs++ % 5]);
    return true;
}

/* Pairs that lie in memory score as they do alone, in turn. No more are kept than have room. */
BACKEND_TEST(engine, from_memory)
{
    enum { KEPT = 5, SIDE = 40 };
    double score[KEPT];
    struct source *memory = source_memory(KEPT * 3 << 12, KEPT);
    struct repeated repeated = {memory, score, 0};
    struct batch_config config = {
        .settings = {.struct_size = sizeof config.settings, .device = device},
        .take = take_repeated,
        .user = &repeated};
    ssimcu_context *alone = check_open(&config.settings);
    cr_assert_not_null(memory);
    for (uint32_t i = 0; i <= KEPT; i++) {
        const uint32_t grey = 40 * i + 7;
        ssimcu_frame out = check_flat(SIDE, SIDE + i, 1, &grey), ref = out;
        cr_assert_eq(ssimcu_frame_alloc(&ref, NULL), SSIMCU_OK);
        check_random random = {i};
        for (uint32_t y = 0; y < ref.height; y++)
            for (uint32_t x = 0; x < ref.width; x++)
                check_set_sample(&ref, x, y, 0, check_draw(&random) >> 24);
        const struct pair pair = {.plane = {{ref}, {out}}, .planes = 1};
        cr_assert_eq(source_memory_keep(memory, &pair), i < KEPT);
        if (i < KEPT) score[i] = check_compare(alone, &ref, &out).score;
        ssimcu_frame_free(&ref);
        ssimcu_frame_free(&out);
    }
    for (uint32_t contexts = 0; contexts <= APART; contexts += APART) {
        repeated.pairs = 0;
        config.contexts = contexts;
        source_memory_rewind(memory, 1003);
        cr_assert_eq(source_count(memory), 1003);
        const struct batch_times times = run_source(&config, memory);
        cr_assert(repeated.pairs == 1003 && times.pairs == 1003 && times.memory_peak == 0);
    }
    source_close(memory);
    ssimcu_close(&alone);
}

/* ---- Video ---- */

enum { WIDTH = 700, HEIGHT = 520, CLIP_FRAMES = 40, FRAME_BYTES = WIDTH * HEIGHT * 3 / 2 };

struct clip {
    uint8_t *bytes[2]; /* random samples, 4:2:0 */
    char path[2][40];
    ssimcu_context *alone; /* it scores planes by themselves */
    int frames;
};

static void make_clip(struct clip *clip, int side, check_random *random)
{
    strcpy(clip->path[side], "/tmp/ssimcu-test-engine-XXXXXX");
    FILE *file = fdopen(mkstemp(clip->path[side]), "w");
    uint8_t *bytes = clip->bytes[side] = malloc((size_t)CLIP_FRAMES * FRAME_BYTES);
    cr_assert(file && bytes);
    for (size_t i = 0; i < (size_t)CLIP_FRAMES * FRAME_BYTES; i++)
        bytes[i] = (uint8_t)check_draw(random);
    fprintf(file, "YUV4MPEG2 W%d H%d C420jpeg\n", WIDTH, HEIGHT);
    for (int f = 0; f < CLIP_FRAMES; f++) {
        fputs("FRAME\n", file);
        fwrite(bytes + (size_t)f * FRAME_BYTES, 1, FRAME_BYTES, file);
    }
    cr_assert_eq(fclose(file), 0);
}

/* Returns plane p of a frame of one side. */
static ssimcu_frame plane_of(const struct clip *clip, int side, int frame, int p)
{
    static const size_t at[3] = {0, WIDTH * HEIGHT, WIDTH * HEIGHT * 5 / 4};
    const uint32_t shot = p == 0 ? 1 : 2;
    return (ssimcu_frame){.width = WIDTH / shot,
                          .height = HEIGHT / shot,
                          .channels = 1,
                          .bits = 8,
                          .pitch = WIDTH / shot,
                          .data = clip->bytes[side] + (size_t)frame * FRAME_BYTES + at[p]};
}

static bool take_video(void *user, struct record *record, bool known)
{
    struct clip *clip = user;
    cr_assert(!known && record->kind == RECORD_SCORED && record->scored.channels == 3);
    cr_assert_eq(record->frame, clip->frames);
    for (int p = 0; p < 3; p++) {
        const ssimcu_frame ref = plane_of(clip, 0, clip->frames, p);
        const ssimcu_frame out = plane_of(clip, 1, clip->frames, p);
        cr_assert_eq(record->scored.channel[p], check_compare(clip->alone, &ref, &out).score,
                     "frame %d, plane %d", clip->frames, p);
    }
    clip->frames++;
    return true;
}

/* Every plane of every frame scores as it does alone, whatever thread scores it, with any memory.
 */
BACKEND_TEST(engine, video)
{
    const ssimcu_settings settings = {.struct_size = sizeof settings, .device = device};
    struct clip clip = {.alone = check_open(&settings)};
    check_random random = {5};
    for (int side = 0; side < 2; side++) make_clip(&clip, side, &random);
    static const uint32_t memory[] = {1 << 30, 2 << 20, 5 << 20};
    for (int i = 0; i < 6; i++) {
        const struct batch_config config = {.settings = settings,
                                            .contexts = i % 2 ? APART : 0,
                                            .memory_bytes = memory[i / 2],
                                            .take = take_video,
                                            .user = &clip};
        clip.frames = 0;
        const struct batch_times times =
            run_input(config, (struct source_input){.path = {clip.path[0], clip.path[1]}});
        cr_assert_eq(clip.frames, CLIP_FRAMES);
        cr_assert_eq(times.pairs, (uint64_t)CLIP_FRAMES);
        cr_assert(times.stage.ssim > 0);
    }
    for (int side = 0; side < 2; side++) {
        unlink(clip.path[side]);
        free(clip.bytes[side]);
    }
    ssimcu_close(&clip.alone);
}
