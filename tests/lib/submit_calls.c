/* submit_calls: counts what a submission calls. The linker puts the functions below in front of
 * the originals, for the library and for the CUDA runtime in this program. They count every
 * allocation and every wait. This is a program of its own, because the linker's --wrap works on
 * a whole program.
 *
 * Prints a table of counts: while a request is made, which shows that counting works, and over
 * 100 submissions, where all must be 0. It also compares what a request takes of the device with
 * what ssimcu_request_memory announced; no other program may use the device meanwhile. The planes
 * of a video frame in host memory are compared with one wait. A graph captures a loss. */
#include "require.h"
#include "ssimcu_loss.h"

#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SUBMISSIONS = 100, WIDTH = 1280, HEIGHT = 720 };

/* Everything that allocates, frees or waits: X(return type, name, parameters, arguments). */
#define CALLS(X)                                                                                   \
    X(void *, malloc, (size_t bytes), (bytes))                                                     \
    X(void *, calloc, (size_t count, size_t bytes), (count, bytes))                                \
    X(void *, realloc, (void *old, size_t bytes), (old, bytes))                                    \
    X(void *, aligned_alloc, (size_t to, size_t bytes), (to, bytes))                               \
    X(int, posix_memalign, (void **memory, size_t to, size_t bytes), (memory, to, bytes))          \
    X(cudaError_t, cudaMalloc, (void **memory, size_t bytes), (memory, bytes))                     \
    X(cudaError_t, cudaMallocAsync, (void **memory, size_t bytes, cudaStream_t stream),            \
      (memory, bytes, stream))                                                                     \
    X(cudaError_t, cudaMallocHost, (void **memory, size_t bytes), (memory, bytes))                 \
    X(cudaError_t, cudaHostAlloc, (void **memory, size_t bytes, unsigned flags),                   \
      (memory, bytes, flags))                                                                      \
    X(cudaError_t, cudaHostRegister, (void *memory, size_t bytes, unsigned flags),                 \
      (memory, bytes, flags))                                                                      \
    X(cudaError_t, cudaFree, (void *memory), (memory))                                             \
    X(cudaError_t, cudaFreeHost, (void *memory), (memory))                                         \
    X(cudaError_t, cudaStreamCreateWithFlags, (cudaStream_t * stream, unsigned flags),             \
      (stream, flags))                                                                             \
    X(cudaError_t, cudaEventCreate, (cudaEvent_t * event), (event))                                \
    X(cudaError_t, cudaEventCreateWithFlags, (cudaEvent_t * event, unsigned flags),                \
      (event, flags))                                                                              \
    X(cudaError_t, cudaDeviceSynchronize, (void), ())                                              \
    X(cudaError_t, cudaStreamSynchronize, (cudaStream_t stream), (stream))                         \
    X(cudaError_t, cudaEventSynchronize, (cudaEvent_t event), (event))                             \
    X(cudaError_t, cudaMemcpy,                                                                     \
      (void *to, const void *from, size_t bytes, enum cudaMemcpyKind way), (to, from, bytes, way)) \
    X(cudaError_t, cudaMemset, (void *to, int value, size_t bytes), (to, value, bytes))

#define NAME(type, name, parameters, arguments) CALL_##name,
#define TEXT(type, name, parameters, arguments) #name,
enum call { CALLS(NAME) CALL_COUNT };
static const char *const CALL_NAME[CALL_COUNT] = {CALLS(TEXT)};
static unsigned counted[CALL_COUNT];
static int counting; /* the program has one thread */

#define WRAP(type, name, parameters, arguments)                                                    \
    type __real_##name parameters;                                                                 \
    type __wrap_##name parameters;                                                                 \
    type __wrap_##name parameters                                                                  \
    {                                                                                              \
        if (counting) counted[CALL_##name]++;                                                      \
        return __real_##name arguments;                                                            \
    }
CALLS(WRAP)

static void stop_unless(int good, const char *what)
{
    if (good) return;
    fprintf(stderr, "[FAIL] submit_calls: %s\n", what);
    exit(1);
}

/* Prints the calls that were made between the two marks and returns how many they are. */
static void start_counting(void)
{
    for (int i = 0; i < CALL_COUNT; i++) counted[i] = 0;
    counting = 1;
}

static unsigned stop_counting(const char *what)
{
    unsigned all = 0;
    counting = 0;
    for (int i = 0; i < CALL_COUNT; i++) {
        all += counted[i];
        if (counted[i]) printf("%-44s %-28s %u\n", what, CALL_NAME[i], counted[i]);
    }
    if (!all) printf("%-44s nothing\n", what);
    return all;
}

static size_t left_on_device(void)
{
    size_t left = 0, total = 0;
    stop_unless(cudaMemGetInfo(&left, &total) == cudaSuccess, "no word of the device's memory");
    return left;
}

/* Checks that a request takes what was announced, within the driver's rounding. The first
 * request is not measured, because with it the driver takes its own share. */
static void check_memory(ssimcu_context *context, const ssimcu_view *view,
                         const ssimcu_tiles *tiles)
{
    enum { ROUNDING = 4 << 20 };
    ssimcu_memory memory = {.struct_size = sizeof memory};
    ssimcu_message why = {{0}};
    ssimcu_request *request = NULL;
    size_t taken = 0;
    ssimcu_status status = ssimcu_request_memory(context, view, view, tiles, &memory, &why);
    for (int i = 0; status == SSIMCU_OK && i < 2; i++) {
        const size_t before = left_on_device();
        status = ssimcu_request_create(context, view, view, tiles, &request, &why);
        taken = before - left_on_device();
        ssimcu_request_destroy(&request);
    }
    stop_unless(status == SSIMCU_OK, why.text);
    printf("%-44s %.1f MB taken, %.1f announced, %.3f pinned\n", "memory of a request",
           (double)taken / 1e6, (double)memory.device_bytes / 1e6,
           (double)memory.pinned_bytes / 1e6);
    stop_unless(taken <= memory.device_bytes + ROUNDING && taken + ROUNDING >= memory.device_bytes,
                "another amount of memory than announced");
}

static unsigned count_submissions(ssimcu_context *context, const char *what, ssimcu_view view,
                                  const ssimcu_tiles *tiles, cudaStream_t stream)
{
    ssimcu_request *request = NULL;
    ssimcu_score score = {.struct_size = sizeof score};
    ssimcu_message why = {{0}};
    uint32_t done = 0;
    check_memory(context, &view, tiles);
    start_counting();
    ssimcu_status status = ssimcu_request_create(context, &view, &view, tiles, &request, &why);
    stop_unless(stop_counting("making a request") > 0, "nothing was counted: --wrap has no effect");
    for (int i = 0; status == SSIMCU_OK && i < 3; i++) { /* the first use loads the kernels */
        status = ssimcu_request_submit(request, &view, &view, stream, &why);
        if (status == SSIMCU_OK) status = ssimcu_request_score(request, 0, &score, NULL, &why);
    }
    unsigned all = 0;
    for (int i = 0; status == SSIMCU_OK && i < SUBMISSIONS; i++) {
        start_counting();
        status = ssimcu_request_submit(request, &view, &view, stream, &why);
        if (status == SSIMCU_OK) status = ssimcu_request_poll(request, &done, &why);
        counting = 0;
        for (int k = 0; k < CALL_COUNT; k++) {
            all += counted[k];
            if (counted[k]) printf("%-44s %-28s %u\n", what, CALL_NAME[k], counted[k]);
        }
        if (status == SSIMCU_OK) status = ssimcu_request_score(request, 0, &score, NULL, &why);
    }
    stop_unless(status == SSIMCU_OK, why.text);
    stop_unless(score.score == 1.0, "the score of a frame against itself is not 1");
    printf("%-44s %u calls in %d submissions\n", what, all, SUBMISSIONS);
    ssimcu_request_destroy(&request);
    return all;
}

/* Memory of a loss and its gradient. */
struct loss_memory {
    float *loss;
    void *workspace;
    size_t bytes;
    ssimcu_view gradient;
};

static void make_loss(ssimcu_context *context, const ssimcu_view *view,
                      const struct loss_memory *memory, cudaStream_t stream)
{
    ssimcu_message why = {{0}};
    stop_unless(ssimcu_loss_async(context, view, view, NULL, memory->loss, &memory->gradient, NULL,
                                  memory->workspace, memory->bytes, stream, &why) == SSIMCU_OK,
                why.text);
}

/* Makes losses and counts their calls. Then a graph captures one. */
static unsigned count_losses(ssimcu_context *context, const ssimcu_view *view, cudaStream_t stream)
{
    struct loss_memory memory = {.gradient = *view};
    cudaGraph_t graph = NULL;
    void *gradient = NULL;
    ssimcu_message why = {{0}};
    stop_unless(ssimcu_loss_workspace(context, view, view, NULL, &memory.bytes, &why) == SSIMCU_OK,
                why.text);
    memory.gradient.type = SSIMCU_TYPE_F32;
    stop_unless(
        cudaMalloc((void **)&memory.loss, SSIMCU_LOSS_NUMBERS * sizeof(float)) == cudaSuccess &&
            cudaMalloc(&memory.workspace, memory.bytes) == cudaSuccess &&
            cudaMalloc(&gradient, (size_t)WIDTH * HEIGHT * 3 * sizeof(float)) == cudaSuccess,
        "no device memory");
    memory.gradient.data[0] = gradient;
    make_loss(context, view, &memory, stream); /* the first use loads the kernels */
    start_counting();
    for (int i = 0; i < SUBMISSIONS; i++) make_loss(context, view, &memory, stream);
    const unsigned all = stop_counting("losses with a gradient");
    stop_unless(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal) == cudaSuccess,
                "no graph");
    make_loss(context, view, &memory, stream);
    stop_unless(cudaStreamEndCapture(stream, &graph) == cudaSuccess && graph,
                "a graph cannot capture a loss");
    (void)cudaGraphDestroy(graph);
    (void)cudaStreamSynchronize(stream);
    (void)cudaFree(memory.loss);
    (void)cudaFree(memory.workspace);
    (void)cudaFree(gradient);
    return all;
}

/* Once the buffers are there, all planes take one wait, and no CUDA call allocates. */
static void check_planes(ssimcu_context *context)
{
    ssimcu_frame plane[3];
    ssimcu_view view[3];
    ssimcu_score score = {.struct_size = sizeof score};
    ssimcu_message why = {{0}};
    ssimcu_status status = SSIMCU_OK;
    for (uint32_t p = 0; p < 3; p++) {
        const uint32_t part = p == 0 ? 1 : 2;
        plane[p] = (ssimcu_frame){
            .width = WIDTH / part, .height = HEIGHT / part, .channels = 1, .bits = 8};
        stop_unless(ssimcu_frame_alloc(&plane[p], &why) == SSIMCU_OK, why.text);
        memset(plane[p].data, 77, plane[p].pitch * plane[p].height);
        stop_unless(ssimcu_frame_pin(context, &plane[p], &why) == SSIMCU_OK, why.text);
        view[p] = SSIMCU_INIT(view);
        stop_unless(ssimcu_frame_view(&plane[p], &view[p], &why) == SSIMCU_OK, why.text);
    }
    for (int i = 0; status == SSIMCU_OK && i < 3; i++) {
        if (i == 2) start_counting();
        status = ssimcu_compare_planes(context, view, view, 3, &score, NULL, &why);
    }
    (void)stop_counting("comparing three planes");
    stop_unless(status == SSIMCU_OK, why.text);
    stop_unless(score.score == 1.0, "the score of planes against themselves is not 1");
    unsigned all = 0;
    for (int i = 0; i < CALL_COUNT; i++)
        if (strncmp(CALL_NAME[i], "cuda", 4) == 0) all += counted[i];
    stop_unless(all == 1 && counted[CALL_cudaStreamSynchronize] == 1,
                "three planes are not waited for just once");
    for (int p = 0; p < 3; p++) {
        ssimcu_frame_unpin(context, &plane[p]);
        ssimcu_frame_free(&plane[p]);
    }
}

int main(void)
{
    const ssimcu_settings settings = {.struct_size = sizeof settings, .device = SSIMCU_DEVICE_CUDA};
    ssimcu_context *context = NULL;
    ssimcu_message why = {{0}};
    if (ssimcu_open(&settings, &context, &why) != SSIMCU_OK) {
        stop_unless(!is_required("cuda"), why.text);
        printf("[SKIP] submit_calls::cuda: %s\n", why.text);
        return 0;
    }
    const size_t bytes = (size_t)WIDTH * HEIGHT * 4 * sizeof(float);
    void *memory = NULL;
    cudaStream_t stream = NULL;
    stop_unless(cudaMalloc(&memory, bytes) == cudaSuccess &&
                    cudaMemset(memory, 0x3c, bytes) == cudaSuccess &&
                    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess,
                "no device memory");
    const ssimcu_tiles tiles = {.struct_size = sizeof tiles, .width = 64, .height = 64};
    const ssimcu_view rgb = {.struct_size = sizeof rgb,
                             .width = WIDTH,
                             .height = HEIGHT,
                             .channels = 3,
                             .data = {memory}};
    ssimcu_view rgba = rgb, wide = rgb, planes = rgb;
    rgba.channels = 4;
    wide.type = SSIMCU_TYPE_U16;
    planes.type = SSIMCU_TYPE_F32, planes.layout = SSIMCU_LAYOUT_CHW;
    unsigned all = count_submissions(context, "RGB u8, read as it lies", rgb, NULL, stream);
    all += count_submissions(context, "RGB u8, tiles", rgb, &tiles, stream);
    all += count_submissions(context, "RGBA u8, two backgrounds", rgba, NULL, stream);
    all += count_submissions(context, "RGB u16", wide, NULL, stream);
    all += count_submissions(context, "planes of f32", planes, NULL, stream);
    all += count_losses(context, &rgb, stream);
    stop_unless(all == 0, "a submission allocates or waits");
    check_planes(context);
    (void)cudaFree(memory);
    (void)cudaStreamDestroy(stream);
    ssimcu_close(&context);
    puts("[PASS] submit_calls::cuda");
    return 0;
}
