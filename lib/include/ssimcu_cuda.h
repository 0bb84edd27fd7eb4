/* ssimcu for callers whose data is in CUDA device memory already. Needs no CUDA header: a stream is
 * what the CUDA runtime calls cudaStream_t, a pointer to struct CUstream_st; NULL is the default
 * stream. The functions exist in every build; without CUDA they answer DEVICE.
 */
#ifndef SSIMCU_CUDA_H
#define SSIMCU_CUDA_H

#include "ssimcu.h"

#ifdef __cplusplus
extern "C" {
#endif

struct CUstream_st;

/* ssimcu_permute on memory of the current device. Queues one kernel on `stream` and returns: it
 * waits for nothing and allocates nothing, can be captured into a graph and may be called from any
 * thread. src and dst must stay as they are until the stream has passed this point; an error of the
 * kernel itself shows at the caller's next synchronisation.
 * Errors: ARGUMENT (as ssimcu_permute), DEVICE (no device, no CUDA in this build, launch failed).
 */
SSIMCU_API SSIMCU_MUST_CHECK ssimcu_status ssimcu_permute_async(const ssimcu_permute_layout *layout,
                                                                void *dst, const void *src,
                                                                struct CUstream_st *stream,
                                                                ssimcu_message *message);

#ifdef __cplusplus
}
#endif

#endif
