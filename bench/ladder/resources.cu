/* Registers and occupancy of every kernel in a launch. The launch is captured into a graph, whose
 * kernel nodes name the kernel, its grid and its block. So a method need not name its kernels, and
 * the library's are looked up in the same way. */
#include "workspace.cuh"

#include <cstdio>

namespace ladder
{
namespace
{

void append(std::string *list, const std::string &item)
{
    if (!list->empty()) *list += " / ";
    *list += item;
}

std::string occupancy_of(int blocks, int threads)
{
    int device = 0, limit = 0, warp = 0;
    BENCH_CUDA(cudaGetDevice(&device));
    BENCH_CUDA(cudaDeviceGetAttribute(&limit, cudaDevAttrMaxThreadsPerMultiProcessor, device));
    BENCH_CUDA(cudaDeviceGetAttribute(&warp, cudaDevAttrWarpSize, device));
    char text[64];
    snprintf(text, sizeof text, "%d warps, %.0f %%", blocks * threads / warp,
             100.0 * blocks * threads / limit);
    return text;
}

/* Adds one kernel's figures. Returns false if the runtime does not tell them. */
bool add_kernel(cudaGraphNode_t node, Resources *resources)
{
    cudaKernelNodeParams kernel = {};
    cudaFuncAttributes attributes = {};
    int blocks = 0;
    if (cudaGraphKernelNodeGetParams(node, &kernel) != cudaSuccess) return false;
    const int threads = (int)(kernel.blockDim.x * kernel.blockDim.y * kernel.blockDim.z);
    if (cudaFuncGetAttributes(&attributes, kernel.func) != cudaSuccess ||
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel.func, threads,
                                                      kernel.sharedMemBytes) != cudaSuccess)
        return false;
    append(&resources->registers, std::to_string(attributes.numRegs));
    append(&resources->local_bytes, std::to_string(attributes.localSizeBytes));
    append(&resources->shared_bytes,
           std::to_string(attributes.sharedSizeBytes + kernel.sharedMemBytes));
    append(&resources->occupancy, occupancy_of(blocks, threads));
    return true;
}

} // namespace

Resources resources_of(const Ready &ready, cudaStream_t stream)
{
    cudaGraph_t graph = nullptr;
    BENCH_CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    ready.launch();
    BENCH_CUDA(cudaStreamEndCapture(stream, &graph));
    size_t count = 0;
    BENCH_CUDA(cudaGraphGetNodes(graph, nullptr, &count));
    std::vector<cudaGraphNode_t> nodes(count);
    BENCH_CUDA(cudaGraphGetNodes(graph, nodes.data(), &count));
    Resources resources;
    for (cudaGraphNode_t node : nodes) {
        cudaGraphNodeType type;
        BENCH_CUDA(cudaGraphNodeGetType(node, &type));
        if (type != cudaGraphNodeTypeKernel || add_kernel(node, &resources)) continue;
        (void)cudaGetLastError();
        for (std::string *list : {&resources.registers, &resources.local_bytes,
                                  &resources.shared_bytes, &resources.occupancy})
            append(list, "?");
    }
    BENCH_CUDA(cudaGraphDestroy(graph));
    return resources;
}

} // namespace ladder
