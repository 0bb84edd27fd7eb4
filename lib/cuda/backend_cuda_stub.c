/* Replaces backend_cuda.c in builds without a CUDA toolkit: the same symbol, without a device. */
#include "backend.h"

#include "fail.h"

static ssimcu_status count(uint32_t *devices, ssimcu_message *message)
{
    *devices = 0;
    FAIL(DEVICE, "cuda: this ssimcu was built without CUDA");
}

static ssimcu_status describe(const struct ssimcu_config *config, uint32_t index,
                              ssimcu_device_info *info, ssimcu_message *message)
{
    (void)config, (void)index, (void)info;
    uint32_t devices;
    return count(&devices, message);
}

static ssimcu_status open_state(const struct ssimcu_config *config, uint32_t index,
                                struct ssimcu_backend_state **state, ssimcu_message *message)
{
    (void)config, (void)index;
    *state = NULL;
    uint32_t devices;
    return count(&devices, message);
}

static void close_state(struct ssimcu_backend_state *state) { (void)state; }

static ssimcu_status permute(const struct ssimcu_permute_plan *plan, void *dst, const void *src,
                             void *runner, ssimcu_message *message)
{
    (void)plan, (void)dst, (void)src, (void)runner;
    uint32_t devices;
    return count(&devices, message);
}

/* The other functions stay NULL. open never succeeds, so no context holds this table. */
const struct ssimcu_backend ssimcu_backend_cuda = {
    .name = "cuda",
    .build = "cpu, built without CUDA",
    .count = count,
    .describe = describe,
    .open = open_state,
    .close = close_state,
    .permute = permute,
};
