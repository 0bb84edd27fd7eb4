/* ssimcu behind the interface of the peers: the permute, and the permute stage of a score. */
#include "bench.cuh"
#include "common/planned.h"

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
        const ssimcu_settings settings = SSIMCU_INIT(settings);
        ssimcu_view view = SSIMCU_INIT(view);
        view.frames = (uint32_t)case_.size[0], view.height = (uint32_t)case_.size[1];
        view.width = (uint32_t)case_.size[2], view.channels = (uint32_t)case_.size[3];
        view.data[0] = src;
        planned frames;
        planned_make(&frames, &settings, &view, &view, nullptr);
        frames.plan.planes_pitch = case_.size[2];
        const int64_t samples = case_.size[1] * case_.size[2] * case_.size[3];
        cudaError_t error = cudaSuccess;
        for (uint32_t frame = 0; frame < view.frames && error == cudaSuccess; frame++) {
            const ssimcu_planes_task task =
                planned_pixels(&frames, SSIMCU_REF, frame, dst + frame * samples);
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
