/* The interface of a device: one table of functions per backend. Callers make plans (plan.h) and
 * know nothing of devices; a backend runs plans. Arguments have already been checked.
 *
 * A backend that is not built has a stub with the same symbol (cuda/backend_cuda_stub.c), so
 * callers do not depend on the build. */
#pragma once

#include "core/patches.h"
#include "core/permute_plan.h"
#include "core/scale.h"
#include "plan/plan.h"

/* The instructions that the CPU backend uses. Scores of pictures and every element of a map agree
 * within 1e-7 between levels. Pictures of only a few windows average out less rounding error; their
 * scores agree within 4e-7. Each level gives the same bits with any number of threads. Only tests
 * and benchmarks request a level other than the best. */
enum ssimcu_cpu_level {
    SSIMCU_CPU_BEST, /* the best that this CPU has */
    SSIMCU_CPU_PLAIN,
    SSIMCU_CPU_AVX2, /* AVX2 with FMA */
    SSIMCU_CPU_AVX512,
    SSIMCU_CPU_NEON
};

struct ssimcu_loss_task;       /* loss/loss.h */
struct ssimcu_threads;         /* threads.h */
struct ssimcu_backend_state;   /* defined by each backend */
struct ssimcu_backend_request; /* defined by each backend */

/* The arguments that a state is opened with. */
struct ssimcu_config {
    ssimcu_settings settings;
    enum ssimcu_cpu_level cpu_level; /* DEVICE error if the CPU or the build lacks it */
    struct ssimcu_threads *threads;  /* NULL: only the calling thread; outlives the state */
};

/* Rows to copy from device memory to host memory. */
struct ssimcu_rows {
    void *to;
    size_t to_pitch;
    const void *from;
    size_t from_pitch;
    size_t bytes, count; /* bytes of a row; number of rows */
};

/* Pairs in device memory, on the caller's stream. A request outlives the state.
 *
 *   bytes:   returns the memory that open takes. Errors: LIMIT.
 *   open:    allocates. *request is live or NULL.
 *   submit:  queues the plan on samples in its layout. Nothing may be in progress.
 *   poll:    returns whether the submission is done.
 *   collect: waits. The results are valid until the next submission. */
struct ssimcu_backend_requests {
    ssimcu_status (*bytes)(const struct ssimcu_plan *plan, uint64_t *device_bytes,
                           uint64_t *pinned_bytes, ssimcu_message *message);
    ssimcu_status (*open)(const struct ssimcu_backend_state *state, const struct ssimcu_plan *plan,
                          int wait_asleep, struct ssimcu_backend_request **request,
                          ssimcu_message *message);
    void (*close)(struct ssimcu_backend_request *request);
    ssimcu_status (*submit)(struct ssimcu_backend_request *request,
                            const struct ssimcu_samples samples[SSIMCU_PAIR], void *stream,
                            ssimcu_message *message);
    ssimcu_status (*poll)(struct ssimcu_backend_request *request, uint32_t *done,
                          ssimcu_message *message);
    ssimcu_status (*collect)(struct ssimcu_backend_request *request, struct ssimcu_results *results,
                             ssimcu_message *message);
};

struct ssimcu_backend {
    const char *name;  /* "cpu": the part before the colon in ssimcu_context_device */
    const char *build; /* text of ssimcu_build: "cpu, cuda 13.0" */

    /* Counts usable devices. Fails with DEVICE and a reason if there are none. */
    ssimcu_status (*count)(uint32_t *count, ssimcu_message *message);
    /* Describes a device. `config` is that of a context; NULL means the defaults on all threads. */
    ssimcu_status (*describe)(const struct ssimcu_config *config, uint32_t index,
                              ssimcu_device_info *info, ssimcu_message *message);

    /* Opens and closes a device. *state is live or NULL. close accepts NULL. */
    ssimcu_status (*open)(const struct ssimcu_config *config, uint32_t index,
                          struct ssimcu_backend_state **state, ssimcu_message *message);
    void (*close)(struct ssimcu_backend_state *state);

    /* Returns the traits that plans for this device depend on. They live as long as the state. */
    const struct ssimcu_traits *(*traits)(const struct ssimcu_backend_state *state);

    /* Pins and unpins page-aligned host memory, from any thread. NULL: the backend has nothing to
     * do. */
    ssimcu_status (*pin)(const struct ssimcu_backend_state *state, void *data, size_t bytes,
                         ssimcu_message *message);
    void (*unpin)(const struct ssimcu_backend_state *state, void *data);

    /* Pairs in host memory. The calls have this order:
     *
     *   reserve: makes room for up to SSIMCU_MAX_CHANNELS plans that follow each other.
     *            It allocates nothing if there is enough already.
     *   submit:  queues a plan of one pair, whose samples must stay readable until collect
     *            returns. `map`: NULL, or room for the map that the plan wants, in rows without
     *            padding.
     *   collect: waits for all that was submitted. It gives the results of each plan in the
     *            order of submission, valid until the next reserve. It adds each stage's time
     *            to *ms. It must also be called after an error of submit; then its results
     *            mean nothing. */
    ssimcu_status (*reserve)(struct ssimcu_backend_state *state, const struct ssimcu_plan *plan,
                             uint32_t plans, ssimcu_message *message);
    ssimcu_status (*submit)(struct ssimcu_backend_state *state, const struct ssimcu_plan *plan,
                            float *map, ssimcu_message *message);
    ssimcu_status (*collect)(struct ssimcu_backend_state *state, struct ssimcu_results *results,
                             ssimcu_stage_ms *ms, ssimcu_message *message);

    /* Copies rows and waits. NULL: the device uses host memory, so the caller copies. */
    ssimcu_status (*read)(struct ssimcu_backend_state *state, const struct ssimcu_rows *rows,
                          ssimcu_message *message);

    /* Gathers patches and waits. The task's places are in host memory. Sets task->to to the pixels
     * in host memory, which the state owns and keeps until the next call. */
    ssimcu_status (*patches)(struct ssimcu_backend_state *state, struct ssimcu_patches_task *task,
                             ssimcu_message *message);

    /* Scales. The task's tables are in host memory and live as long as the state. Sets task->dst to
     * memory that the state owns and keeps until the next call with this place. */
    ssimcu_status (*scale)(struct ssimcu_backend_state *state, struct ssimcu_scale_task *task,
                           uint32_t place, ssimcu_message *message);

    const struct ssimcu_backend_requests *requests; /* NULL: callers have no device memory */

    /* The loss, in the caller's memory of this device. On CUDA the work is only queued on the
     * caller's `stream`, so that a graph can capture it. On the CPU the work is done on return.
     *
     *   loss_bytes: returns the bytes of task->workspace. It reads no data.
     *   loss_scale: multiplies task->gradient[0] by *factor, a float, or a double for doubles.
     *     Of the rest only the task's size matters.
     */
    size_t (*loss_bytes)(const struct ssimcu_backend_state *state,
                         const struct ssimcu_loss_task *task);
    ssimcu_status (*loss)(struct ssimcu_backend_state *state, const struct ssimcu_loss_task *task,
                          void *stream, ssimcu_message *message);
    ssimcu_status (*loss_scale)(struct ssimcu_backend_state *state,
                                const struct ssimcu_loss_task *task, const void *factor,
                                void *stream, ssimcu_message *message);

    /* Runs only the permute core, on this backend's memory, without a state. On the CPU `runner` is
     * a struct ssimcu_threads, and the work is done on return. On CUDA it is a stream, and the work
     * is queued there. */
    ssimcu_status (*permute)(const struct ssimcu_permute_plan *plan, void *dst, const void *src,
                             void *runner, ssimcu_message *message);
};

extern const struct ssimcu_backend ssimcu_backend_cpu;
extern const struct ssimcu_backend ssimcu_backend_cuda; /* cuda/backend_cuda.c or its stub */

/* Returns the backend of a kind; NULL for AUTO and for invalid numbers. */
const struct ssimcu_backend *ssimcu_backend_of(ssimcu_device device);

/* Opens the device that the settings select, and returns it in *backend and *index. If there is no
 * GPU, AUTO opens the CPU and writes the cause to `reason`. */
ssimcu_status ssimcu_backend_open(const struct ssimcu_config *config,
                                  const struct ssimcu_backend **backend, uint32_t *index,
                                  struct ssimcu_backend_state **state, ssimcu_message *reason,
                                  ssimcu_message *message);
