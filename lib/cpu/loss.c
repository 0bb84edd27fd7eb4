/* The loss on the CPU: the plain definition of kernels/loss. Threads take bands of rows, whose sums
 * are added in order, so any number of threads gives the same bits. */
#include "cpu.h"
#include "loss_band.h"
#include "loss_rows.h"
#include "ssimcu_loss.h"
#include "threads.h"

#include <stdatomic.h>

/* Rows of a band. It reads 20 more, and recomputes the windows of 10 more. A 1080p picture of three
 * channels still has 51 bands. */
enum { BAND = 64 };

struct run {
    const struct ssimcu_loss_task *task;
    int counts;                    /* count the mask instead of computing the loss */
    size_t bands, across;          /* bands in total, and per channel */
    double part[3];                /* ssimcu_loss_band.part of every band */
    struct ssimcu_loss_sums *sums; /* one per band */
    double *memory;                /* one block per lane; one thread runs each lane */
    atomic_size_t next;
};

static size_t bands_of(int height) { return ((size_t)height + BAND - 1) / BAND; }

static size_t bands_in(const struct ssimcu_loss_task *task)
{
    return (size_t)task->frames * task->channels * bands_of(task->height);
}

static size_t lanes_of(const struct ssimcu_loss_task *task, const struct ssimcu_threads *threads)
{
    const size_t bands = bands_in(task), most = ssimcu_threads_count(threads);
    return bands < most ? bands : most;
}

size_t ssimcu_loss_cpu_bytes(const struct ssimcu_loss_task *task,
                             const struct ssimcu_threads *threads)
{
    return lanes_of(task, threads) * ssimcu_loss_band_doubles(task) * sizeof(double) +
           bands_in(task) * sizeof(struct ssimcu_loss_sums);
}

static void work(void *arg, size_t lane)
{
    struct run *const run = arg;
    const struct ssimcu_loss_task *const task = run->task;
    struct ssimcu_loss_band own = {.task = task, .part = run->part};
    size_t band;
    own.memory = run->memory + lane * ssimcu_loss_band_doubles(task);
    ssimcu_loss_band_clear(&own);
    while ((band = atomic_fetch_add_explicit(&run->next, 1, memory_order_relaxed)) < run->bands) {
        const size_t plane = band / run->across, channels = run->counts ? 1 : task->channels;
        own.frame = (int)(plane / channels);
        own.channel = (int)(plane % channels);
        own.first = (int)(band % run->across) * BAND;
        own.end = own.first + BAND < task->height ? own.first + BAND : task->height;
        own.sums = (struct ssimcu_loss_sums){0, 0, 0};
        if (run->counts)
            ssimcu_loss_band_count(&own);
        else
            ssimcu_loss_band_make(&own);
        run->sums[band] = own.sums;
    }
}

/* Runs all bands and adds their sums. */
static struct ssimcu_loss_sums run_bands(struct run *run, struct ssimcu_threads *threads)
{
    struct ssimcu_loss_sums all = {0, 0, 0};
    atomic_init(&run->next, 0);
    ssimcu_threads_run(threads, lanes_of(run->task, threads), work, run);
    for (size_t i = 0; i < run->bands; i++) {
        all.windows += run->sums[i].windows;
        all.absolute += run->sums[i].absolute;
        all.squares += run->sums[i].squares;
    }
    return all;
}

/* Returns the total weights of the windows and the pixels of the frames. */
static struct ssimcu_loss_sums weigh(struct run *run, struct ssimcu_threads *threads)
{
    const struct ssimcu_loss_task *const task = run->task;
    const double planes = (double)task->frames * task->channels;
    if (!ssimcu_loss_has_weights(task))
        return (struct ssimcu_loss_sums){planes *
                                             ssimcu_ssim_positions(task->width, task->zero_pad) *
                                             ssimcu_ssim_positions(task->height, task->zero_pad),
                                         planes * task->width * task->height, 0};
    const int frames = task->mask.frame != 0 ? task->frames : 1;
    run->counts = 1;
    run->bands = frames * run->across;
    struct ssimcu_loss_sums all = run_bands(run, threads);
    run->counts = 0;
    all.windows *= planes / frames;
    all.absolute *= planes / frames;
    return all;
}

static void put_number(const struct ssimcu_loss_task *task, int index, double value)
{
    if (task->doubles)
        task->doubles[index] = value;
    else
        task->loss[index] = (float)value;
}

void ssimcu_loss_cpu(const struct ssimcu_loss_task *task, struct ssimcu_threads *threads)
{
    const size_t lanes = lanes_of(task, threads) * ssimcu_loss_band_doubles(task);
    struct run run = {.task = task,
                      .across = bands_of(task->height),
                      .memory = task->workspace,
                      .sums = (struct ssimcu_loss_sums *)((double *)task->workspace + lanes)};
    const struct ssimcu_loss_sums weight = weigh(&run, threads);
    const double windows = weight.windows > 0 ? 1 / weight.windows : 0;
    const double pixels = weight.absolute > 0 ? 1 / weight.absolute : 0;
    run.part[0] = task->ssim * windows;
    run.part[1] = task->l1 * pixels;
    run.part[2] = task->mse * pixels;
    run.bands = bands_in(task);
    const struct ssimcu_loss_sums sums = run_bands(&run, threads);
    put_number(task, SSIMCU_LOSS_TOTAL,
               run.part[0] * sums.windows + run.part[1] * sums.absolute +
                   run.part[2] * sums.squares);
    put_number(task, SSIMCU_LOSS_SSIM, 1 - windows * sums.windows);
    put_number(task, SSIMCU_LOSS_L1, pixels * sums.absolute);
    put_number(task, SSIMCU_LOSS_MSE, pixels * sums.squares);
}

void ssimcu_loss_scale_cpu(const struct ssimcu_loss_task *task, const void *factor)
{
    const struct ssimcu_loss_samples *const gradient = &task->gradient[0];
    const double by = gradient->type == SSIMCU_SAMPLE_F64 ? *(const double *)factor
                                                          : (double)*(const float *)factor;
    if (by == 1) return;
    for (int frame = 0; frame < task->frames; frame++)
        for (int channel = 0; channel < task->channels; channel++)
            for (int y = 0; y < task->height; y++)
                ssimcu_loss_multiply(gradient, ssimcu_loss_row(gradient, frame, channel, y),
                                     task->width, by);
}
