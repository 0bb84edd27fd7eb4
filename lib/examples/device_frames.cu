// device_frames REF OUT: the score of two pictures in GPU memory, on a stream of the caller. A
// renderer or a decoder has its frames there; here an upload stands for it. From then on the host
// only queues work and sometimes checks whether the score is ready. The program also names the
// worst tile of 256 x 256 pixels. It exits with 77 if there is no GPU.
#include <ssimcu_io.hpp>

#include <cuda_runtime.h>

#include <chrono>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <thread>

static void good(cudaError_t error, const char *what)
{
    if (error != cudaSuccess)
        throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(error));
}

// Copies a frame to device memory, with rows as cudaMallocPitch lays them.
static ssimcu_view upload(const ssimcu::frame &frame, cudaStream_t stream)
{
    ssimcu_view view = ssimcu::view(frame);
    void *memory = nullptr;
    size_t pitch = 0;
    good(cudaMallocPitch(&memory, &pitch, frame->pitch, frame->height), "memory");
    view.pitch = static_cast<ptrdiff_t>(pitch);
    good(cudaMemcpy2DAsync(memory, pitch, frame->data, frame->pitch, frame->pitch, frame->height,
                           cudaMemcpyHostToDevice, stream),
         "upload");
    view.data[0] = memory;
    return view;
}

static void compare(const ssimcu::frame &ref_frame, const ssimcu::frame &out_frame)
{
    cudaStream_t stream;
    good(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "stream");
    const ssimcu_view ref = upload(ref_frame, stream), out = upload(out_frame, stream);

    // This is done once for a shape. Everything is allocated here.
    ssimcu_settings settings = SSIMCU_INIT(settings);
    settings.device = SSIMCU_DEVICE_CUDA;
    ssimcu::context context(settings);
    const ssimcu::tiles tiles = {256, 256};
    ssimcu::request request(context, ref, out, &tiles);

    // Each pair takes three steps: submit, go on with other things, collect.
    request.submit(ref, out, stream);
    while (!request.poll()) std::this_thread::sleep_for(std::chrono::microseconds(100));
    const ssimcu_score score = request.score();
    std::printf("%.9f\n", score.score);
    std::fprintf(stderr, "worst tile: %.6f at pixel (%u, %u)\n", score.worst.score, score.worst.x,
                 score.worst.y);

    good(cudaFree(const_cast<void *>(ref.data[0])), "memory");
    good(cudaFree(const_cast<void *>(out.data[0])), "memory");
    good(cudaStreamDestroy(stream), "stream");
}

int main(int argc, char **argv)
{
    ssimcu_message why = {};
    uint32_t devices = 0;
    if (argc != 3) return std::fprintf(stderr, "usage: device_frames REF OUT\n"), 2;
    if (ssimcu_device_count(SSIMCU_DEVICE_CUDA, &devices, &why) != SSIMCU_OK)
        return std::fprintf(stderr, "%s\n", why.text), 77;
    try {
        compare(ssimcu::image(argv[1]).decode(), ssimcu::image(argv[2]).decode());
        return 0;
    } catch (const std::exception &error) {
        return std::fprintf(stderr, "%s\n", error.what()), 1;
    }
}
