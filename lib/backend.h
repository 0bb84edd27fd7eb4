/* What a device must offer, as one table of functions per backend. The pipeline calls the stages in
 * their order and knows no device; a backend knows no order. Arguments are already checked.
 *
 * A backend that the build leaves out is a stub source file with the same symbol (cuda_stub), so
 * that no caller asks what was built.
 */
#ifndef SSIMCU_BACKEND_H
#define SSIMCU_BACKEND_H

#include "core/contract.h"
#include "core/permute_plan.h"
#include "core/pixel.h"
#include "core/samples.h"
#include "core/tile_means.h"
#include "ssimcu.h"

enum { SSIMCU_REF = 0, SSIMCU_OUT = 1, SSIMCU_PAIR = 2 };

/* The pair that the next stages work on. */
struct ssimcu_shape {
    uint32_t width, height; /* of both frames */
    uint32_t planes;        /* scored, 1 or 3 */
    uint32_t map_width;     /* window positions */
    uint32_t map_height;
    int zero_pad;
    int want_map;
    size_t frame_bytes[SSIMCU_PAIR]; /* rows without padding */
    struct ssimcu_tile_grid grid;    /* of the tiles whose means are wanted; width 0: none */
};

/* Pairs in device memory, as a request is made for. */
enum { SSIMCU_MAX_PASSES = 2 };

struct ssimcu_request_plan {
    struct ssimcu_shape shape; /* of each pair; want_map is 0 */
    uint32_t frames;           /* pairs */
    uint32_t passes;           /* over how many backgrounds each is scored */
    struct ssimcu_pixel_rule rule[SSIMCU_MAX_PASSES][SSIMCU_PAIR];
    /* as every pair lies; channel[] counts in a submission alone */
    struct ssimcu_samples source[SSIMCU_PAIR];
    int wait_asleep;
};

struct ssimcu_threads;         /* cpu/threads.h */
struct ssimcu_backend_state;   /* each backend's own */
struct ssimcu_backend_request; /* likewise */

struct ssimcu_backend {
    const char *name;  /* "cpu": the part before the colon in ssimcu_context_device */
    const char *build; /* "cuda 13.0": what ssimcu_build says */

    /* Usable devices; SSIMCU_ERROR_DEVICE and a reason when there is none. */
    ssimcu_status (*count)(uint32_t *count, ssimcu_message *message);
    /* settings: what a context would be opened with, NULL for the defaults. */
    ssimcu_status (*describe)(const ssimcu_settings *settings, uint32_t index,
                              ssimcu_device_info *info, ssimcu_message *message);

    /* *state is live or NULL; `threads` (NULL: none but the caller's) outlives it. close accepts
     * NULL. */
    ssimcu_status (*open)(const ssimcu_settings *settings, uint32_t index,
                          struct ssimcu_threads *threads, struct ssimcu_backend_state **state,
                          ssimcu_message *message);
    void (*close)(struct ssimcu_backend_state *state);

    /* The rest of this paragraph may be NULL where there is nothing to do. wait_asleep: download
     * sleeps from now on instead of spinning. pin, unpin: page-aligned host memory, from any
     * thread. */
    void (*wait_asleep)(struct ssimcu_backend_state *state);
    ssimcu_status (*pin)(const struct ssimcu_backend_state *state, void *data, size_t bytes,
                         ssimcu_message *message);
    void (*unpin)(const struct ssimcu_backend_state *state, void *data);

    /* Around the stages; NULL where there is nothing to do. enter makes the state's device current
     * for the thread and returns what was; leave takes that. */
    int (*enter)(const struct ssimcu_backend_state *state);
    void (*leave)(int before);

    /* The stages, in the order that the pipeline calls them. `slot` is SSIMCU_REF or SSIMCU_OUT.
     * reserve: buffers for this shape, nothing when they are large enough already.
     * upload:  the view's memory must stay readable until download returns.
     * permute: samples -> planes, under a rule. May run again on the same upload. May
     *          only note the rule, when ssim reads the samples where they are.
     * ssim, reduce: planes -> per-plane sums of 1 - SSIM, and the tiles' means.
     * download: waits for the above; fills sums[planes] and, unless NULL, the map (which ssim wrote
     *          when the shape wanted one) and the means; adds each stage's time since the last
     *          download to *ms.
     * Several pairs may go through the stages up to reduce one after the other before one download,
     * which then fills in the sums of all: SSIMCU_MAX_CHANNELS planes in all, without maps and
     * means. After an error in any stage, download waits for what is under way and forgets it.
     */
    ssimcu_status (*reserve)(struct ssimcu_backend_state *state, const struct ssimcu_shape *shape,
                             ssimcu_message *message);
    ssimcu_status (*upload)(struct ssimcu_backend_state *state, int slot, const ssimcu_view *view,
                            ssimcu_message *message);
    ssimcu_status (*permute)(struct ssimcu_backend_state *state, int slot,
                             const struct ssimcu_pixel_rule *rule, ssimcu_message *message);
    ssimcu_status (*ssim)(struct ssimcu_backend_state *state, ssimcu_message *message);
    ssimcu_status (*reduce)(struct ssimcu_backend_state *state, ssimcu_message *message);
    ssimcu_status (*download)(struct ssimcu_backend_state *state, double *sums, float *map,
                              double *means, ssimcu_stage_ms *ms, ssimcu_message *message);

    /* Pairs in the device's own memory, all stages at once, on the caller's stream. NULL where the
     * caller has no such memory. A request outlives the state.
     * request_bytes: what request_open takes. request_open: allocates; *work is live or NULL.
     * request_submit: queues; nothing is under way. request_poll: done or not. request_wait: the
     * results, [pass][frame][plane] sums and [pass][frame][tile] means, until the next submission.
     */
    ssimcu_status (*request_bytes)(const struct ssimcu_backend_state *state,
                                   const struct ssimcu_request_plan *plan, uint64_t *device_bytes,
                                   uint64_t *pinned_bytes, ssimcu_message *message);
    ssimcu_status (*request_open)(const struct ssimcu_backend_state *state,
                                  const struct ssimcu_request_plan *plan,
                                  struct ssimcu_backend_request **work, ssimcu_message *message);
    void (*request_close)(struct ssimcu_backend_request *work);
    ssimcu_status (*request_submit)(struct ssimcu_backend_request *work,
                                    const struct ssimcu_samples source[SSIMCU_PAIR], void *stream,
                                    ssimcu_message *message);
    ssimcu_status (*request_poll)(struct ssimcu_backend_request *work, uint32_t *done,
                                  ssimcu_message *message);
    ssimcu_status (*request_wait)(struct ssimcu_backend_request *work, const double **sums,
                                  const double **means, ssimcu_message *message);

    /* The permute core by itself, on this backend's memory; needs no state. `runner` is what it
     * runs on: the CPU's struct ssimcu_threads, which is done on return, or CUDA's stream, on which
     * it is queued. */
    ssimcu_status (*permute_plan)(const struct ssimcu_permute_plan *plan, void *dst,
                                  const void *src, void *runner, ssimcu_message *message);
};

extern const struct ssimcu_backend ssimcu_backend_cpu;
extern const struct ssimcu_backend ssimcu_backend_cuda; /* cuda/backend_cuda.c or its stub */

/* The backend of a kind, NULL for AUTO and for numbers that are no kind. */
const struct ssimcu_backend *ssimcu_backend_of(ssimcu_device device);

/* Opens the device that the settings ask for and says which in *backend and *index. AUTO never
 * fails for want of a GPU: it opens the CPU and puts why into `reason`. */
ssimcu_status ssimcu_backend_open(const ssimcu_settings *settings, struct ssimcu_threads *threads,
                                  const struct ssimcu_backend **backend, uint32_t *index,
                                  struct ssimcu_backend_state **state, ssimcu_message *reason,
                                  ssimcu_message *message);

#endif
