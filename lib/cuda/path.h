/* The path of pairs from samples in device memory to sums and means: which kernels they take, what
 * memory lies between, and the launches, queued on a stream. Both the host's pairs, uploaded, and
 * the caller's device frames take it. */
#ifndef SSIMCU_CUDA_PATH_H
#define SSIMCU_CUDA_PATH_H

#include "backend.h"
#include "kernels.h"

struct ssimcu_path {
    struct ssimcu_shape shape;
    uint32_t frames; /* pairs */
    struct ssimcu_samples source[SSIMCU_PAIR];
    struct ssimcu_pixel_rule rule[SSIMCU_PAIR];
    int has_tensor_cores; /* that the kernels can use */
    /* memory */
    float *planes[SSIMCU_PAIR]; /* of one pair; unused where samples are read as they lie */
    double *partial;            /* of all pairs */
    double *sums;               /* frames x planes */
    float *map;                 /* of one pair; NULL: neither map nor means are wanted */
    double *means;              /* frames x tiles */
};

/* Bytes of each of the above. */
struct ssimcu_path_bytes {
    size_t planes, partial, sums, map, means;
};

struct ssimcu_path_bytes ssimcu_path_bytes(const struct ssimcu_path *path);

/* Blocks and partial sums are counted in 32 bits; whether the batch is small enough. */
int ssimcu_path_fits(const struct ssimcu_path *path);

/* Whether 8-bit samples are read where they are. Otherwise they become planes first. */
int ssimcu_path_reads_samples(const struct ssimcu_path *path);

/* Floats from a row of the map to the next. */
int64_t ssimcu_path_map_pitch(const struct ssimcu_shape *shape);

/* The stages of pair `frame`, in this order. permute: samples -> planes, nothing where they are
 * read as they are. ssim: partial sums and the map. means: the map's tiles. */
cudaError_t ssimcu_path_permute(const struct ssimcu_path *path, uint32_t frame,
                                cudaStream_t stream);
cudaError_t ssimcu_path_ssim(const struct ssimcu_path *path, uint32_t frame, cudaStream_t stream);
cudaError_t ssimcu_path_means(const struct ssimcu_path *path, uint32_t frame, cudaStream_t stream);

/* Partial sums of all pairs -> sums. */
cudaError_t ssimcu_path_reduce(const struct ssimcu_path *path, cudaStream_t stream);

/* All of it, for all pairs. */
cudaError_t ssimcu_path_run(const struct ssimcu_path *path, cudaStream_t stream);

#endif
