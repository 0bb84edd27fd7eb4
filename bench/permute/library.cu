/* ssimcu behind the interface of the peers: the permute, and the permute stage of a score. */
#include "bench.cuh"

namespace bench
{
namespace
{

class Library : public Implementation
{
  public:
    explicit Library(cudaStream_t stream) : stream_(stream) {}

    bool prepare(const Case &c) override
    {
        case_ = c;
        const Move move = move_of(c.rank, c.size, c.order);
        constexpr size_t ALIGNMENT = 256; /* bytes, for both buffers */
        has_plan_ = ssimcu_permute_plan_make(&plan_, move.rank, move.dim,
                                             (uint32_t)bytes_of(c.type), ALIGNMENT) == 0;
        return true;
    }
    bool may_refuse() const override { return false; }

    std::string name() const override
    {
        if (case_.to_float) return "**ssimcu** (pixels)";
        char text[256];
        const std::string plan = ssimcu_permute_plan_print(&plan_, text, sizeof text);
        return "**ssimcu** (" + plan.substr(0, plan.find(',')) + ")";
    }

    const char *launch(void *dst, const void *src) override
    {
        if (case_.to_float) return launch_pixels(static_cast<float *>(dst), src);
        if (!has_plan_) return "no plan";
        const cudaError_t error = ssimcu_permute_cuda(&plan_, dst, src, stream_);
        return error == cudaSuccess ? nullptr : cudaGetErrorString(error);
    }

  private:
    /* Converts frames of N x H x W x C, a launch for each. */
    const char *launch_pixels(float *dst, const void *src) const
    {
        const int64_t height = case_.size[1], width = case_.size[2], channels = case_.size[3];
        const int64_t samples = height * width * channels;
        ssimcu_planes_task task = {};
        task.rule.channels = task.rule.planes = (uint32_t)channels;
        task.rule.bits = 8;
        task.rule.peak = 255;
        task.rule.widen = 1;
        task.width = width;
        task.height = height;
        task.dst_pitch_floats = width;
        task.dst_plane_floats = height * width;
        task.samples.type = SSIMCU_SAMPLE_U8;
        task.samples.step = (uint32_t)channels;
        task.samples.pitch_bytes = width * channels;
        cudaError_t error = cudaSuccess;
        for (int64_t frame = 0; frame < case_.size[0] && error == cudaSuccess; frame++) {
            for (int c = 0; c < channels; c++)
                task.samples.channel[c] = static_cast<const char *>(src) + frame * samples + c;
            task.dst = dst + frame * samples;
            error = ssimcu_planes_cuda(&task, stream_);
        }
        return error == cudaSuccess ? nullptr : cudaGetErrorString(error);
    }

    cudaStream_t stream_;
    Case case_ = {};
    ssimcu_permute_plan plan_ = {};
    bool has_plan_ = false;
};

} // namespace

std::unique_ptr<Implementation> make_library(cudaStream_t stream)
{
    return std::make_unique<Library>(stream);
}

} // namespace bench
