/* The pool hands out every task once, and knows how many threads the process may use. */
#include "check.h"
#include "threads.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST = 5000 };

struct tally {
    atomic_int done[MOST];
    atomic_int open; /* pool threads that SIGINT could reach */
    pthread_t caller;
};

static void count_task(void *arg, size_t task)
{
    struct tally *tally = arg;
    sigset_t mask;
    atomic_fetch_add(&tally->done[task], 1);
    if (pthread_equal(pthread_self(), tally->caller)) return;
    pthread_sigmask(SIG_BLOCK, NULL, &mask);
    if (!sigismember(&mask, SIGINT)) atomic_fetch_add(&tally->open, 1);
}

/* Many runs of all sizes would show a thread that wakes late or leaves early, because it would
 * lose or double a task. */
Test(threads, every_task_runs_once)
{
    static const uint32_t counts[] = {0, 1, 2, 3, 8};
    static const size_t sizes[] = {0, 1, 2, 7, 100, MOST};
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
        struct ssimcu_threads *threads = ssimcu_threads_create(counts[c]);
        cr_assert_eq(threads == NULL, counts[c] <= 1);
        cr_assert_eq(ssimcu_threads_count(threads), counts[c] < 1 ? 1 : counts[c]);
        for (int run = 0; run < 600; run++) {
            const size_t size = sizes[run % 6];
            struct tally tally = {.caller = pthread_self()};
            ssimcu_threads_run(threads, size, count_task, &tally);
            for (size_t i = 0; i < MOST; i++)
                cr_assert_eq(tally.done[i], i < size, "%u threads, task %zu of %zu ran %d times",
                             counts[c], i, size, tally.done[i]);
            cr_assert_eq(tally.open, 0, "a pool thread takes SIGINT");
        }
        ssimcu_threads_destroy(threads);
    }
}

/* The argument of one job. A thread that wakes when its job is over must not take part in it. It
 * must not take another job's tasks for its own either: each argument is only open while its job
 * runs. */
struct open_job {
    atomic_int open, late;
};

static void look_whether_open(void *arg, size_t task)
{
    struct open_job *job = arg;
    (void)task;
    if (!atomic_load(&job->open)) atomic_store(&job->late, 1);
}

Test(threads, a_late_thread_finds_its_job_closed)
{
    alarm(60); /* Criterion leaks if several tests have a time limit */
    enum { RUNS = 20000, JOBS = 7 };
    static struct open_job job[JOBS];
    struct ssimcu_threads *threads = ssimcu_threads_create(8);
    for (int run = 0; run < RUNS; run++) {
        struct open_job *now = &job[run % JOBS];
        atomic_store(&now->open, 1);
        ssimcu_threads_run(threads, 2 + run % 60, look_whether_open, now);
        atomic_store(&now->open, 0);
        for (int k = 0; k < JOBS; k++)
            cr_assert_eq(atomic_load(&job[k].late), 0, "run %d: a task of a job that was over",
                         run);
    }
    ssimcu_threads_destroy(threads);
}

/* Two tasks that wait for each other end only if two threads run them. */
static void meet(void *arg, size_t task)
{
    (void)task;
    pthread_barrier_wait(arg);
}

Test(threads, tasks_run_side_by_side, .timeout = 20)
{
    pthread_barrier_t barrier;
    struct ssimcu_threads *threads = ssimcu_threads_create(4);
    pthread_barrier_init(&barrier, NULL, 4);
    for (int run = 0; run < 200; run++) ssimcu_threads_run(threads, 4, meet, &barrier);
    pthread_barrier_destroy(&barrier);
    ssimcu_threads_destroy(threads);
}

static void write_text(const char *root, const char *path, const char *text)
{
    char name[512];
    snprintf(name, sizeof name, "%s%s", root, path);
    for (char *slash = name + strlen(root) + 1; (slash = strchr(slash, '/')); *slash++ = '/') {
        *slash = '\0';
        (void)mkdir(name, 0700);
    }
    FILE *file = fopen(name, "w");
    cr_assert_not_null(file, "%s", name);
    fputs(text, file);
    fclose(file);
}

/* Returns what the pool makes of a file system with these files, ended by NULL. */
static uint32_t usable_with(const char *const *files)
{
    char root[] = "/tmp/ssimcu-threads-XXXXXX", command[64];
    cr_assert_not_null(mkdtemp(root));
    for (; files[0]; files += 2) write_text(root, files[0], files[1]);
    const uint32_t usable = ssimcu_threads_usable(root);
    snprintf(command, sizeof command, "rm -r %s", root);
    cr_assert_eq(system(command), 0);
    return usable;
}

#define SELF "/proc/self/cgroup"
#define V2 "/sys/fs/cgroup"
#define V1 "/sys/fs/cgroup/cpu"
#define USABLE(...) usable_with((const char *const[]){__VA_ARGS__, NULL})

Test(threads, a_quota_counts)
{
    const uint32_t all = ssimcu_threads_usable("/nowhere");
    if (all < 2) cr_skip_test("one CPU: no quota could be told from none");
    cr_assert_eq(USABLE(SELF, "0::/\n"), all);
    cr_assert_eq(USABLE(SELF, "0::/\n", V2 "/cpu.max", "max 100000\n"), all);
    cr_assert_eq(USABLE(SELF, "0::/\n", V2 "/cpu.max", "100000 100000\n"), 1);
    cr_assert_eq(USABLE(SELF, "0::/\n", V2 "/cpu.max", "1000 100000\n"), 1);
    cr_assert_eq(USABLE(SELF, "0::/\n", V2 "/cpu.max", "150000 100000\n"), 2, "rounded up");
    cr_assert_eq(USABLE(SELF, "0::/a/b\n", V2 "/a/b/cpu.max", "50000 100000\n"), 1);
    cr_assert_eq(USABLE(SELF, "0::/a/b\n", V2 "/a/cpu.max", "100000 100000\n"), 1, "the parent's");
    cr_assert_eq(USABLE(SELF, "0::/host/name\n", V2 "/cpu.max", "90000 100000\n"), 1);
    cr_assert_eq(USABLE(SELF, "7:memory:/m\n4:cpu,cpuacct:/a\n", V1 "/a/cpu.cfs_quota_us", "5000\n",
                        V1 "/a/cpu.cfs_period_us", "100000\n"),
                 1);
    cr_assert_eq(USABLE(SELF, "4:cpu,cpuacct:/a\n", V1 "/a/cpu.cfs_quota_us", "-1\n",
                        V1 "/a/cpu.cfs_period_us", "100000\n"),
                 all);
    cr_assert_eq(USABLE(SELF, "3:cpuset:/a\n", V1 "/a/cpu.cfs_quota_us", "5000\n",
                        V1 "/a/cpu.cfs_period_us", "100000\n"),
                 all, "another controller's group");
    cr_assert_eq(USABLE(SELF, "nonsense\n::\n0:\n", V2 "/cpu.max", "words\n"), all);
}

Test(threads, the_affinity_mask_counts)
{
    cr_assert_geq(ssimcu_cpu_threads(), 1);
    FILE *pipe = popen("nproc", "r");
    unsigned cpus = 0;
    cr_assert_eq(fscanf(pipe, "%u", &cpus), 1);
    pclose(pipe);
    cr_assert_eq(ssimcu_threads_usable("/nowhere"), cpus);
}

/* A context takes its threads along and gives them back. */
Test(threads, a_context_scores_the_same_with_any)
{
    ssimcu_frame ref, out;
    check_reference_pair(200, 100, &ref, &out);
    ssimcu_settings settings = {.struct_size = sizeof settings, .device = SSIMCU_DEVICE_CPU};
    const double alone = check_score(&settings, &ref, &out).score;
    for (uint32_t threads = 1; threads <= 5; threads++) {
        settings.threads = threads;
        cr_assert_eq(check_score(&settings, &ref, &out).score, alone, "%u threads", threads);
    }
    settings.threads = UINT32_MAX;
    cr_assert_eq(check_score(&settings, &ref, &out).score, alone);
    ssimcu_frame_free(&ref);
    ssimcu_frame_free(&out);
}

/* ---- Two threads inside, and a fork ---------------------------------------------------------- */

struct shared {
    ssimcu_context *context;
    ssimcu_frame ref, out;
    double alone;
    atomic_int right, refused;
};

static void *compare_shared(void *arg)
{
    struct shared *shared = arg;
    for (int i = 0; i < 100; i++) {
        ssimcu_score score = SSIMCU_INIT(score);
        ssimcu_message why = {{0}};
        const ssimcu_status status =
            ssimcu_compare(shared->context, &shared->ref, &shared->out, &score, &why);
        if (status == SSIMCU_OK && score.score == shared->alone)
            atomic_fetch_add(&shared->right, 1);
        else if (status == SSIMCU_ERROR_ARGUMENT && strstr(why.text, "another thread"))
            atomic_fetch_add(&shared->refused, 1);
        else
            cr_assert_fail("%s, %.17g: %s", ssimcu_status_name(status), score.score, why.text);
    }
    return NULL;
}

Test(threads, a_second_one_in_a_context_is_refused)
{
    alarm(60); /* Criterion leaks if several tests have a time limit */
    enum { MANY = 4 };
    const ssimcu_settings settings = {
        .struct_size = sizeof settings, .device = SSIMCU_DEVICE_CPU, .threads = 2};
    static struct shared shared;
    pthread_t thread[MANY];
    check_reference_pair(1000, 700, &shared.ref, &shared.out);
    shared.context = check_open(&settings);
    shared.alone = check_compare(shared.context, &shared.ref, &shared.out).score;
    for (int i = 0; i < MANY; i++)
        cr_assert_eq(pthread_create(&thread[i], NULL, compare_shared, &shared), 0);
    for (int i = 0; i < MANY; i++) pthread_join(thread[i], NULL);
    cr_assert_eq(shared.right + shared.refused, MANY * 100);
    cr_assert(shared.right > 0 && shared.refused > 0, "%d right, %d refused", (int)shared.right,
              (int)shared.refused);
    cr_assert_eq(check_compare(shared.context, &shared.ref, &shared.out).score, shared.alone);
    ssimcu_close(&shared.context);
    ssimcu_frame_free(&shared.ref);
    ssimcu_frame_free(&shared.out);
}

/* Compares in a child, if it is told to, and closes the context. */
static int use_in_child(ssimcu_context *context, const ssimcu_frame *ref, const ssimcu_frame *out,
                        double expected, bool compares)
{
    ssimcu_score score = SSIMCU_INIT(score);
    alarm(20); /* a limit for a child that hangs */
    if (compares &&
        (ssimcu_compare(context, ref, out, &score, NULL) != SSIMCU_OK || score.score != expected))
        return 1;
    ssimcu_close(&context);
    return context ? 2 : 0;
}

Test(threads, a_child_compares_and_closes)
{
    alarm(60); /* Criterion leaks if several tests have a time limit */
    const ssimcu_settings settings = {
        .struct_size = sizeof settings, .device = SSIMCU_DEVICE_CPU, .threads = 4};
    ssimcu_frame ref, out;
    check_reference_pair(200, 100, &ref, &out);
    ssimcu_context *context = check_open(&settings);
    const double before = check_compare(context, &ref, &out).score;
    for (int compares = 0; compares < 2; compares++) {
        int ended = -1;
        poll(NULL, 0, 50); /* the context's threads sleep */
        const pid_t child = fork();
        if (child == 0) _exit(use_in_child(context, &ref, &out, before, compares));
        cr_assert_eq(waitpid(child, &ended, 0), child);
        cr_assert(WIFEXITED(ended) && WEXITSTATUS(ended) == 0, "%d: ended with %#x", compares,
                  ended);
    }
    cr_assert_eq(check_compare(context, &ref, &out).score, before);
    ssimcu_close(&context);
    ssimcu_frame_free(&ref);
    ssimcu_frame_free(&out);
}
