/* stress_runs: runs side by side and one after the other, by the public functions alone. It is a
 * plain program because Criterion does not run under ThreadSanitizer.
 *
 * beside: two runs at once in one process, again and again. Another thread cancels one of them in
 * its middle. The other has the records of a run alone, to the bit and in their order. memory:
 * 250 runs, each with results, a report at times, and a call for two files. What the process
 * holds stays the same. AddressSanitizer's build finds leaks by itself. With the argument cuda the
 * former is done on a GPU alone, because its driver holds what it likes. */
#define _POSIX_C_SOURCE 200809L /* mkdtemp, setenv */
#define STRESS "stress_runs"
#include "require.h"
#include "stress.h"
#include <ssimcu_io.h>
#include <ssimcu_qa.h>

#include <dirent.h>
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    PAIRS = 96, /* more than are under way at once on many cores */
    FEW = 2,
    SIDE = 64
};

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
/* Races and leaks show soon, and a run takes 20 times as long. */
enum { TIMES = 2, WARM_RUNS = 3, RUNS = 8 };
#else
enum { TIMES = 10, WARM_RUNS = 50, RUNS = 250 };
#endif

static ssimcu_device device = SSIMCU_DEVICE_CPU;
static const char *const many_out = "many/out", *const few_out = "few/out";

/* ---- Pictures -------------------------------------------------------------------------------- */

static void write_picture(const char *path, int seed)
{
    static uint8_t pixels[SIDE][SIDE];
    const ssimcu_frame frame = {
        .width = SIDE, .height = SIDE, .channels = 1, .bits = 8, .pitch = SIDE, .data = pixels};
    ssimcu_message why = {{0}};
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++) pixels[y][x] = (uint8_t)(x * y * 3 + (x + seed) * 5 % 64);
    REQUIRE(ssimcu_image_write_png(path, &frame, &why) == SSIMCU_OK, "%s", why.text);
}

static void make_pictures(const char *folder, int count)
{
    char path[64];
    mkdir(folder, 0777);
    for (int side = 0; side < 2; side++) {
        snprintf(path, sizeof path, "%s/%s", folder, side ? "out" : "ref");
        mkdir(path, 0777);
        for (int i = 0; i < count; i++) {
            snprintf(path, sizeof path, "%s/%s/%03d.png", folder, side ? "out" : "ref", i);
            write_picture(path, side * (i + 1));
        }
    }
}

/* ---- Side by side ---------------------------------------------------------------------------- */

/* A run and what its records were. */
struct side {
    ssimcu_run *run;
    ssimcu_status status;
    double score[PAIRS];
    int count;
    int cancel_at; /* records before another thread cancels it; 0: never */
    pthread_mutex_t lock;
    pthread_cond_t changed; /* signals `ready` and `cancelled` */
    int ready;              /* the record is there, or the run has ended */
    int cancelled;
};

static void tell(struct side *side)
{
    pthread_mutex_lock(&side->lock);
    side->ready = 1;
    pthread_cond_signal(&side->changed);
    pthread_mutex_unlock(&side->lock);
}

/* A fast machine would be done before it is cancelled. */
static void wait_until_cancelled(struct side *side)
{
    pthread_mutex_lock(&side->lock);
    while (!side->cancelled) pthread_cond_wait(&side->changed, &side->lock);
    pthread_mutex_unlock(&side->lock);
}

static ssimcu_status take(void *user, const ssimcu_record *record)
{
    struct side *side = user;
    REQUIRE(record->kind == SSIMCU_RECORD_SCORED && record->frame == side->count &&
                side->count < PAIRS,
            "frame %d came as number %d", (int)record->frame, side->count);
    side->score[side->count++] = record->scored.score;
    if (side->count == side->cancel_at) {
        tell(side);
        wait_until_cancelled(side);
    }
    return SSIMCU_OK;
}

static void *score(void *argument)
{
    struct side *side = argument;
    const ssimcu_run_hooks hooks = SSIMCU_INIT(run_hooks, .user = side, .record = take);
    side->status = ssimcu_run_score(side->run, &hooks, NULL);
    tell(side);
    return NULL;
}

static void open_side(struct side *side, int cancel_at)
{
    const ssimcu_run_options options = SSIMCU_INIT(run_options, .ref = "many/ref", .out = &many_out,
                                                   .outs = 1, .threads = 3, .device = device);
    ssimcu_message why = {{0}};
    *side = (struct side){.cancel_at = cancel_at,
                          .lock = PTHREAD_MUTEX_INITIALIZER,
                          .changed = PTHREAD_COND_INITIALIZER};
    REQUIRE(ssimcu_run_open(&options, &side->run, &why) == SSIMCU_OK, "%s", why.text);
}

static void cancel_when_ready(struct side *side)
{
    pthread_mutex_lock(&side->lock);
    while (!side->ready) pthread_cond_wait(&side->changed, &side->lock);
    ssimcu_run_cancel(side->run);
    side->cancelled = 1;
    pthread_cond_signal(&side->changed);
    pthread_mutex_unlock(&side->lock);
}

static void beside(void)
{
    static struct side alone, side[2];
    int cut_short = 0;
    open_side(&alone, 0);
    score(&alone);
    REQUIRE(alone.status == SSIMCU_OK && alone.count == PAIRS, "a run alone has %d records",
            alone.count);
    ssimcu_run_close(&alone.run);
    for (int time = 0; time < TIMES; time++) {
        pthread_t thread[2];
        for (int i = 0; i < 2; i++) open_side(&side[i], i == 0 ? 1 + time % (PAIRS / 2) : 0);
        for (int i = 0; i < 2; i++)
            REQUIRE(pthread_create(&thread[i], NULL, score, &side[i]) == 0, "no thread");
        cancel_when_ready(&side[0]);
        for (int i = 0; i < 2; i++) pthread_join(thread[i], NULL);
        REQUIRE(side[0].status == SSIMCU_OK && side[1].status == SSIMCU_OK, "a run failed");
        REQUIRE(side[1].count == PAIRS && !ssimcu_run_was_cancelled(side[1].run),
                "the run beside has %d records", side[1].count);
        REQUIRE(side[0].count >= side[0].cancel_at, "%d records before the end", side[0].count);
        REQUIRE((side[0].count < PAIRS) <= ssimcu_run_was_cancelled(side[0].run),
                "a run of %d records was not cancelled", side[0].count);
        for (int i = 0; i < 2; i++) {
            REQUIRE(memcmp(side[i].score, alone.score, sizeof(double) * (size_t)side[i].count) == 0,
                    "two runs at once have other scores");
            ssimcu_run_close(&side[i].run);
        }
        cut_short += side[0].count < PAIRS;
    }
    REQUIRE(cut_short > 0, "no run was cut short"); /* how many depends on the machine */
}

/* ---- One after the other --------------------------------------------------------------------- */

static ssimcu_status count_line(void *user, const char *line)
{
    *(int *)user += line[0] == '{';
    return SSIMCU_OK;
}

static void run_once(int time)
{
    int lines = 0;
    ssimcu_run_options options =
        SSIMCU_INIT(run_options, .ref = "few/ref", .out = &few_out, .outs = 1);
    const ssimcu_run_hooks hooks = SSIMCU_INIT(run_hooks, .user = &lines, .line = count_line);
    ssimcu_file_result result = SSIMCU_INIT(file_result);
    ssimcu_run *run = NULL;
    ssimcu_message why = {{0}};
    options.device = SSIMCU_DEVICE_CPU, options.threads = 2;
    options.limits = 1u << SSIMCU_LIMIT_MIN_TILE, options.limit[SSIMCU_LIMIT_MIN_TILE] = 1;
    if (time % 4 == 1) options.output = "results.jsonl", options.junit = "results.xml";
    if (time % 50 == 2) options.report = "report";
    REQUIRE(ssimcu_run_open(&options, &run, &why) == SSIMCU_OK &&
                ssimcu_run_score(run, &hooks, &why) == SSIMCU_OK,
            "%s", why.text);
    REQUIRE(ssimcu_run_exit_code(run) == SSIMCU_EXIT_BELOW, "a run passes");
    REQUIRE(lines == (options.output ? 0 : FEW + 2), "%d lines", lines);
    char *json = ssimcu_run_json(run, 0);
    REQUIRE(json, "no JSON");
    ssimcu_text_free(json);
    ssimcu_run_close(&run);
    REQUIRE(ssimcu_compare_files(NULL, "few/ref/000.png", "few/out/000.png", &options, &result,
                                 &why) == SSIMCU_OK,
            "%s", why.text);
}

static int open_descriptors(void)
{
    int count = 0;
    DIR *const folder = opendir("/proc/self/fd");
    while (folder && readdir(folder)) count++;
    if (folder) closedir(folder);
    return count;
}

static void memory(void)
{
    for (int i = 0; i < WARM_RUNS; i++) run_once(i);
    const size_t held = mallinfo2().uordblks;
    const int descriptors = open_descriptors();
    for (int i = 0; i < RUNS; i++) run_once(i);
    const size_t now = mallinfo2().uordblks;
    REQUIRE(open_descriptors() == descriptors, "%d descriptors, before %d", open_descriptors(),
            descriptors);
    /* What one run in 50 leaves is at least 16 bytes each. Less is the rest of a block that was too
     * short to be cut off: which block is taken depends on the threads. */
    REQUIRE(SANITIZED || now < held + RUNS / 50 * 16, "%zu bytes held, before %zu", now, held);
}

/* Whether the device is there; without it the test is skipped. */
static int has_device(void)
{
    const ssimcu_settings settings = SSIMCU_INIT(settings, .device = device);
    ssimcu_context *context = NULL;
    ssimcu_message why = {{0}};
    const int found = ssimcu_open(&settings, &context, &why) == SSIMCU_OK;
    ssimcu_close(&context);
    REQUIRE(found || !is_required("cuda"), "cuda is required (SSIMCU_REQUIRE): %s", why.text);
    if (!found) printf("[SKIP] stress_runs::beside_cuda %s\n", why.text);
    return found;
}

/* Starts the program again so that malloc keeps nothing for a thread: else what threads have freed
 * counts as held. */
static void count_exactly(char **argv)
{
    static const char name[] = "GLIBC_TUNABLES";
    mallopt(M_ARENA_MAX, 1);
    if (SANITIZED || getenv(name)) return;
    setenv(name, "glibc.malloc.tcache_count=0", 1);
    execv("/proc/self/exe", argv);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "cuda") == 0) device = SSIMCU_DEVICE_CUDA;
    if (!has_device()) return 77;
    count_exactly(argv);
    char folder[] = "/tmp/ssimcu-stress-runs-XXXXXX", command[64];
    REQUIRE(mkdtemp(folder) && chdir(folder) == 0, "no folder");
    make_pictures("many", PAIRS);
    make_pictures("few", FEW);
    beside();
    printf("[PASS] stress_runs::beside%s\n", device == SSIMCU_DEVICE_CPU ? "" : "_cuda");
    if (device == SSIMCU_DEVICE_CPU) {
        memory();
        printf("[PASS] stress_runs::memory\n");
    }
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    return system(command) != 0;
}
