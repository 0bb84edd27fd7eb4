// device_permute: frames that are already in GPU memory, on a stream of the caller.
// ssimcu_permute_async turns two frames of interleaved RGB bytes with padded rows (HWC) into planes
// (CHW). It is queued between an upload and a download, and the host waits once, at the end. The
// host's ssimcu_permute then checks every byte. The program prints one line and exits with 77 if
// there is no GPU.
#include <ssimcu.hpp>

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

static void good(cudaError_t error, const char *what)
{
    if (error == cudaSuccess) return;
    std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
    std::exit(error == cudaErrorNoDevice || error == cudaErrorInsufficientDriver ? 77 : 1);
}

int main()
{
    const int64_t frames = 2, height = 2160, width = 3840, pitch = 12288;
    // [frame, y, x, channel] -> [frame, channel, y, x]
    ssimcu_permute_layout planes = SSIMCU_INIT(permute_layout);
    planes.rank = 4;
    planes.element = 1;
    const int64_t size[] = {frames, height, width, 3}, stride[] = {height * pitch, pitch, 3, 1};
    const uint32_t order[] = {0, 3, 1, 2};
    std::memcpy(planes.size, size, sizeof size);
    std::memcpy(planes.src_stride, stride, sizeof stride);
    std::memcpy(planes.order, order, sizeof order);

    const size_t src_bytes = static_cast<size_t>(frames * height * pitch);
    const size_t dst_bytes = static_cast<size_t>(frames * height * width * 3);
    std::vector<uint8_t> pixels(src_bytes), expected(dst_bytes), got(dst_bytes);
    for (size_t i = 0; i < src_bytes; i++) pixels[i] = static_cast<uint8_t>(i * 2654435761u >> 13);

    cudaStream_t stream;
    void *src, *dst;
    good(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "stream");
    good(cudaMalloc(&src, src_bytes), "memory");
    good(cudaMalloc(&dst, dst_bytes), "memory");

    good(cudaMemcpyAsync(src, pixels.data(), src_bytes, cudaMemcpyHostToDevice, stream), "upload");
    ssimcu::call(ssimcu_permute_async, &planes, dst, src, stream); // throws if it fails
    good(cudaMemcpyAsync(got.data(), dst, dst_bytes, cudaMemcpyDeviceToHost, stream), "download");
    good(cudaStreamSynchronize(stream), "stream");

    ssimcu::call(ssimcu_permute, nullptr, &planes, expected.data(), pixels.data());
    const bool equal = got == expected;
    std::printf("%lld frames of %lldx%lld to planes on a stream: %s\n", (long long)frames,
                (long long)width, (long long)height, equal ? "equal to the host's" : "WRONG");

    good(cudaFree(dst), "memory");
    good(cudaFree(src), "memory");
    good(cudaStreamDestroy(stream), "stream");
    return equal ? 0 : 1;
}
