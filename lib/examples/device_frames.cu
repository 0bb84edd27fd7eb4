// device_frames REF OUT: the score of two pictures in GPU memory, on a stream of the caller. A
// renderer or a decoder has its frames there; here an upload stands for it. From then on the host
// only queues work and sometimes checks whether the score is ready. The program also names the
// worst tile of 256 x 256 pixels. It exits with 77 if there is no GPU.
#include <ssimcu_cuda.h>
#include <ssimcu_io.h>

#include <cuda_runtime.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

static ssimcu_message why;

static void good(cudaError_t error, const char *what)
{
    if (error == cudaSuccess) return;
    std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
    std::exit(1);
}

static void good(ssimcu_status status)
{
    if (status == SSIMCU_OK) return;
    std::fprintf(stderr, "%s: %s\n", ssimcu_status_name(status), why.text);
    std::exit(1);
}

static ssimcu_frame load(const char *path)
{
    ssimcu_frame frame;
    good(ssimcu_image_read(path, nullptr, &frame, &why));
    return frame;
}

// Copies a frame to device memory, with rows as cudaMallocPitch lays them.
static ssimcu_view upload(const ssimcu_frame &frame, cudaStream_t stream)
{
    ssimcu_view view = SSIMCU_INIT(view);
    good(ssimcu_frame_view(&frame, &view, &why));
    void *memory = nullptr;
    size_t pitch = 0;
    good(cudaMallocPitch(&memory, &pitch, frame.pitch, frame.height), "memory");
    view.pitch = static_cast<ptrdiff_t>(pitch);
    good(cudaMemcpy2DAsync(memory, pitch, frame.data, frame.pitch, frame.pitch, frame.height,
                           cudaMemcpyHostToDevice, stream),
         "upload");
    view.data[0] = memory;
    return view;
}

static void name_worst_tile(const ssimcu_tiles &tiles)
{
    uint32_t worst = 0;
    for (uint32_t i = 1; i < tiles.rows * tiles.columns; i++)
        if (tiles.data[i] < tiles.data[worst]) worst = i;
    std::fprintf(stderr, "worst tile: %.6f at pixel (%u, %u)\n", tiles.data[worst],
                 worst % tiles.columns * tiles.width, worst / tiles.columns * tiles.height);
}

int main(int argc, char **argv)
{
    if (argc != 3) return std::fprintf(stderr, "usage: device_frames REF OUT\n"), 2;
    uint32_t devices = 0;
    if (ssimcu_device_count(SSIMCU_DEVICE_CUDA, &devices, &why) != SSIMCU_OK)
        return std::fprintf(stderr, "%s\n", why.text), 77;

    ssimcu_settings settings = SSIMCU_INIT(settings);
    settings.device = SSIMCU_DEVICE_CUDA;
    ssimcu_context *context = nullptr;
    good(ssimcu_open(&settings, &context, &why));

    cudaStream_t stream;
    good(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "stream");
    ssimcu_frame ref_frame = load(argv[1]), out_frame = load(argv[2]);
    const ssimcu_view ref = upload(ref_frame, stream), out = upload(out_frame, stream);

    // This is done once for a shape. Everything is allocated here.
    ssimcu_tiles tiles = SSIMCU_INIT(tiles);
    tiles.width = tiles.height = 256;
    good(ssimcu_views_layout(context, &ref, &out, nullptr, &tiles, &why));
    std::vector<double> scores(size_t{tiles.rows} * tiles.columns);
    tiles.data = scores.data();
    ssimcu_request *request = nullptr;
    good(ssimcu_request_create(context, &ref, &out, &tiles, &request, &why));

    // Each pair takes three steps: submit, go on with other things, collect.
    good(ssimcu_request_submit(request, &ref, &out, stream, &why));
    uint32_t done = 0;
    while (good(ssimcu_request_poll(request, &done, &why)), !done)
        std::this_thread::sleep_for(std::chrono::microseconds(100));
    ssimcu_score score = SSIMCU_INIT(score);
    good(ssimcu_request_score(request, 0, &score, &tiles, &why));
    std::printf("%.9f\n", score.score);
    name_worst_tile(tiles);

    ssimcu_request_destroy(&request);
    ssimcu_close(&context);
    good(cudaFree(const_cast<void *>(ref.data[0])), "memory");
    good(cudaFree(const_cast<void *>(out.data[0])), "memory");
    good(cudaStreamDestroy(stream), "stream");
    ssimcu_frame_free(&ref_frame);
    ssimcu_frame_free(&out_frame);
    return 0;
}
