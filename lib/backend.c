#include "backend.h"

#include "fail.h"

/* Up to this many pixels the CPU has scored a single pair before a GPU has. Measured: beside the
 * decoding, which both pay, a GPU costs the rest of its 0.19 s start, which a 4K PNG's decoding
 * just covers, and 0.1 s for its first compare and its end, whatever the size (whole program on an
 * H200: 0.27 to 0.30 s up to 4K). The CPU costs 44 ms for a 4K RGB pair on one thread of AVX-512,
 * 64 ms of AVX2. */
enum { CPU_FIRST_PIXELS = 4096 * 2160 };

const struct ssimcu_backend *ssimcu_backend_of(ssimcu_device device)
{
    switch (device) {
    case SSIMCU_DEVICE_CPU: return &ssimcu_backend_cpu;
    case SSIMCU_DEVICE_CUDA: return &ssimcu_backend_cuda;
    default: return NULL;
    }
}

static int cpu_pays(const ssimcu_settings *settings, ssimcu_message *reason)
{
    const uint64_t pixels = settings->single_pair_pixels;
    if (pixels == 0 || pixels > CPU_FIRST_PIXELS) return 0;
    (void)ssimcu_fail(reason, SSIMCU_OK,
                      "auto: one pair of %llu pixels is scored before a GPU starts",
                      (unsigned long long)pixels);
    return 1;
}

ssimcu_status ssimcu_backend_open(const ssimcu_settings *settings, struct ssimcu_threads *threads,
                                  const struct ssimcu_backend **backend, uint32_t *index,
                                  struct ssimcu_backend_state **state, ssimcu_message *reason,
                                  ssimcu_message *message)
{
    const int automatic = settings->device == SSIMCU_DEVICE_AUTO;
    *backend = automatic ? &ssimcu_backend_cuda : ssimcu_backend_of(settings->device);
    *index = *backend == &ssimcu_backend_cpu ? 0 : settings->device_index;
    if (!automatic) return (*backend)->open(settings, *index, threads, state, message);

    ssimcu_message why = {{0}};
    if (!cpu_pays(settings, reason)) {
        if ((*backend)->open(settings, *index, threads, state, &why) == SSIMCU_OK) return SSIMCU_OK;
        (void)ssimcu_fail(reason, SSIMCU_OK, "auto: %s", why.text);
    }
    *backend = &ssimcu_backend_cpu;
    *index = 0;
    return (*backend)->open(settings, *index, threads, state, message);
}
