#include "backend.h"

#include "fail.h"

const struct ssimcu_backend *ssimcu_backend_of(ssimcu_device device)
{
    switch (device) {
    case SSIMCU_DEVICE_CPU: return &ssimcu_backend_cpu;
    case SSIMCU_DEVICE_CUDA: return &ssimcu_backend_cuda;
    default: return NULL;
    }
}

ssimcu_status ssimcu_backend_open(const struct ssimcu_config *config,
                                  const struct ssimcu_backend **backend, uint32_t *index,
                                  struct ssimcu_backend_state **state, ssimcu_message *reason,
                                  ssimcu_message *message)
{
    const int automatic = config->settings.device == SSIMCU_DEVICE_AUTO;
    *backend = automatic ? &ssimcu_backend_cuda : ssimcu_backend_of(config->settings.device);
    *index = *backend == &ssimcu_backend_cpu ? 0 : config->settings.device_index;
    if (!automatic) return (*backend)->open(config, *index, state, message);

    ssimcu_message why = {{0}};
    if ((*backend)->open(config, *index, state, &why) == SSIMCU_OK) return SSIMCU_OK;
    (void)ssimcu_fail(reason, SSIMCU_OK, "auto: %s", why.text);
    *backend = &ssimcu_backend_cpu;
    *index = 0;
    return (*backend)->open(config, *index, state, message);
}
