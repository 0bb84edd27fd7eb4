#include "path.h"

#include <limits.h>

/* Planes and maps start each row on 128 bytes, a device cache line. */
enum { ROW_FLOATS = 32 };

static int64_t round_up(int64_t value, int64_t to) { return (value + to - 1) / to * to; }

static size_t larger(size_t a, size_t b) { return a > b ? a : b; }

int64_t ssimcu_path_map_pitch(const struct ssimcu_shape *shape)
{
    return round_up(shape->map_width, ROW_FLOATS);
}

/* Whether no sample of this side can leave 0..255 in the planes: not floats, nor integers whose
 * peak is below what their bytes can hold. */
static int is_bounded(const struct ssimcu_samples *source, const struct ssimcu_pixel_rule *rule)
{
    return !ssimcu_samples_are_float(source->type) &&
           (rule->peak == UINT8_MAX || rule->peak == UINT16_MAX);
}

/* Large pairs without tiles, whose map would not be exact enough. */
static int uses_tensor_cores(const struct ssimcu_path *path)
{
    const struct ssimcu_shape *shape = &path->shape;
    const int64_t positions = (int64_t)shape->map_width * shape->map_height;
    return path->has_tensor_cores && positions >= SSIMCU_TENSOR_POSITIONS && !shape->grid.width &&
           is_bounded(&path->source[SSIMCU_REF], &path->rule[SSIMCU_REF]) &&
           is_bounded(&path->source[SSIMCU_OUT], &path->rule[SSIMCU_OUT]);
}

int ssimcu_path_reads_samples(const struct ssimcu_path *path)
{
    if (!uses_tensor_cores(path)) return 0;
    for (int slot = 0; slot < SSIMCU_PAIR; slot++) {
        const struct ssimcu_pixel_rule *rule = &path->rule[slot];
        if (path->source[slot].type != SSIMCU_SAMPLE_U8 || rule->peak != UINT8_MAX) return 0;
        if (rule->alpha || rule->luma[1] || rule->channels != path->shape.planes) return 0;
    }
    return path->source[SSIMCU_REF].pitch_bytes == path->source[SSIMCU_OUT].pitch_bytes &&
           path->source[SSIMCU_REF].step == path->source[SSIMCU_OUT].step;
}

/* The SSIM stage of one pair on its planes; the memory is set later. */
static struct ssimcu_ssim_task planes_task(const struct ssimcu_path *path)
{
    const struct ssimcu_shape *shape = &path->shape;
    const int64_t pitch = round_up(shape->width, ROW_FLOATS) * (int64_t)sizeof(float);
    const int64_t map_pitch = ssimcu_path_map_pitch(shape);
    return (struct ssimcu_ssim_task){
        .samples = SSIMCU_SSIM_F32,
        .tensor_cores = uses_tensor_cores(path),
        .width = (int)shape->width,
        .height = (int)shape->height,
        .channels = (int)shape->planes,
        .frames = 1,
        .zero_pad = shape->zero_pad,
        .pitch_bytes = pitch,
        .plane_bytes = pitch * shape->height,
        .map_pitch_floats = map_pitch,
        .map_plane_floats = map_pitch * shape->map_height,
    };
}

static const char *sample(const struct ssimcu_samples *source, uint32_t frame, uint32_t channel)
{
    return (const char *)source->channel[channel] + frame * source->frame_bytes;
}

/* Whether both sides' channels are equally far apart, so that one launch takes them all; sets how
 * far. */
static int is_even(const struct ssimcu_path *path, int64_t *plane_bytes)
{
    *plane_bytes = 0;
    if (path->source[SSIMCU_REF].step > 1 || path->shape.planes == 1) return 1;
    for (int slot = 0; slot < SSIMCU_PAIR; slot++)
        for (uint32_t c = 1; c < path->shape.planes; c++) {
            const int64_t apart = (int64_t)((uintptr_t)sample(&path->source[slot], 0, c) -
                                            (uintptr_t)sample(&path->source[slot], 0, c - 1));
            if (slot == SSIMCU_REF && c == 1) *plane_bytes = apart;
            if (apart != *plane_bytes) return 0;
        }
    return 1;
}

/* The SSIM stage of one pair on its samples as they lie: all channels in a launch, or one. */
static struct ssimcu_ssim_task samples_task(const struct ssimcu_path *path)
{
    struct ssimcu_ssim_task task = planes_task(path);
    if (!is_even(path, &task.plane_bytes)) task.channels = 1;
    task.samples = SSIMCU_SSIM_U8;
    task.interleaved = path->source[SSIMCU_REF].step > 1;
    task.pitch_bytes = path->source[SSIMCU_REF].pitch_bytes;
    return task;
}

/* Partial sums of one pair. */
static size_t partials(const struct ssimcu_path *path)
{
    const struct ssimcu_ssim_task task =
        ssimcu_path_reads_samples(path) ? samples_task(path) : planes_task(path);
    return ssimcu_ssim_partials(&task) * (path->shape.planes / task.channels);
}

/* The most that any way makes: memory is laid out before it is known which it will be. */
static size_t most_partials(const struct ssimcu_path *path)
{
    struct ssimcu_ssim_task task = planes_task(path);
    task.tensor_cores = 0;
    size_t most = ssimcu_ssim_partials(&task);
    task.tensor_cores = 1;
    most = larger(most, ssimcu_ssim_partials(&task));
    task.samples = SSIMCU_SSIM_U8;
    most = larger(most, ssimcu_ssim_partials(&task));
    task.interleaved = task.channels > 1;
    most = larger(most, ssimcu_ssim_partials(&task));
    task.interleaved = 0;
    task.channels = 1;
    return larger(most, ssimcu_ssim_partials(&task) * path->shape.planes);
}

struct ssimcu_path_bytes ssimcu_path_bytes(const struct ssimcu_path *path)
{
    const struct ssimcu_shape *shape = &path->shape;
    const struct ssimcu_ssim_task task = planes_task(path);
    const int map = shape->want_map || shape->grid.width;
    return (struct ssimcu_path_bytes){
        .planes = (size_t)task.plane_bytes * shape->planes,
        .partial = most_partials(path) * path->frames * sizeof(double),
        .sums = (size_t)shape->planes * path->frames * sizeof(double),
        .map = map ? (size_t)task.map_plane_floats * shape->planes * sizeof(float) : 0,
        .means = (size_t)shape->grid.columns * shape->grid.rows * path->frames * sizeof(double),
    };
}

int ssimcu_path_fits(const struct ssimcu_path *path)
{
    return most_partials(path) <= (size_t)INT_MAX / path->frames;
}

static cudaError_t write_planes(const struct ssimcu_path *path, int slot, uint32_t frame,
                                cudaStream_t stream)
{
    const struct ssimcu_shape *shape = &path->shape;
    const struct ssimcu_ssim_task planes = planes_task(path);
    const int64_t pitch = planes.pitch_bytes / (int64_t)sizeof(float);
    const struct ssimcu_pixel_rule *rule = &path->rule[slot];
    struct ssimcu_planes_task task = {
        .samples = path->source[slot],
        .rule = *rule,
        .width = shape->width,
        .height = shape->height,
        .dst = path->planes[slot],
        .dst_pitch_floats = pitch,
        .dst_plane_floats = pitch * shape->height,
    };
    for (uint32_t c = 0; c < rule->channels; c++)
        task.samples.channel[c] = sample(&path->source[slot], frame, c);
    return ssimcu_planes_cuda(&task, stream);
}

cudaError_t ssimcu_path_permute(const struct ssimcu_path *path, uint32_t frame, cudaStream_t stream)
{
    if (ssimcu_path_reads_samples(path)) return cudaSuccess;
    const cudaError_t error = write_planes(path, SSIMCU_REF, frame, stream);
    return error == cudaSuccess ? write_planes(path, SSIMCU_OUT, frame, stream) : error;
}

/* 8-bit samples of `frames` pairs from `frame` on: one launch, or one for each plane. */
static cudaError_t score_samples(const struct ssimcu_path *path, uint32_t frame, uint32_t frames,
                                 cudaStream_t stream)
{
    struct ssimcu_ssim_task task = samples_task(path);
    const size_t per_launch = ssimcu_ssim_partials(&task);
    const uint32_t launches = path->shape.planes / (uint32_t)task.channels;
    task.frames = (int)frames;
    task.frame_bytes = path->source[SSIMCU_REF].frame_bytes;
    for (uint32_t c = 0; c < launches; c++) {
        task.ref = sample(&path->source[SSIMCU_REF], frame, c);
        task.out = sample(&path->source[SSIMCU_OUT], frame, c);
        task.partial = path->partial + (frame * launches + c) * per_launch;
        task.map = path->map ? path->map + c * task.map_plane_floats : NULL;
        const cudaError_t error = ssimcu_ssim_cuda(&task, stream);
        if (error != cudaSuccess) return error;
    }
    return cudaSuccess;
}

cudaError_t ssimcu_path_ssim(const struct ssimcu_path *path, uint32_t frame, cudaStream_t stream)
{
    if (ssimcu_path_reads_samples(path)) return score_samples(path, frame, 1, stream);
    struct ssimcu_ssim_task task = planes_task(path);
    task.ref = path->planes[SSIMCU_REF];
    task.out = path->planes[SSIMCU_OUT];
    task.partial = path->partial + frame * ssimcu_ssim_partials(&task);
    task.map = path->map;
    return ssimcu_ssim_cuda(&task, stream);
}

cudaError_t ssimcu_path_means(const struct ssimcu_path *path, uint32_t frame, cudaStream_t stream)
{
    const struct ssimcu_shape *shape = &path->shape;
    if (!shape->grid.width) return cudaSuccess;
    const struct ssimcu_tile_means_task task = {
        .map = path->map,
        .width = (int)shape->map_width,
        .height = (int)shape->map_height,
        .planes = (int)shape->planes,
        .pitch_floats = ssimcu_path_map_pitch(shape),
        .plane_floats = ssimcu_path_map_pitch(shape) * shape->map_height,
        .grid = shape->grid,
        .means = path->means + (size_t)frame * shape->grid.columns * shape->grid.rows,
    };
    return ssimcu_tile_means_cuda(&task, stream);
}

cudaError_t ssimcu_path_reduce(const struct ssimcu_path *path, cudaStream_t stream)
{
    return ssimcu_reduce_cuda(path->partial, partials(path) * path->frames,
                              (int)(path->shape.planes * path->frames), path->sums, stream);
}

/* Whether one launch takes all pairs as they lie. */
static int is_one_launch(const struct ssimcu_path *path)
{
    int64_t plane_bytes;
    return ssimcu_path_reads_samples(path) && is_even(path, &plane_bytes) &&
           path->source[SSIMCU_REF].frame_bytes == path->source[SSIMCU_OUT].frame_bytes;
}

cudaError_t ssimcu_path_run(const struct ssimcu_path *path, cudaStream_t stream)
{
    cudaError_t error = cudaSuccess;
    if (is_one_launch(path)) {
        error = score_samples(path, 0, path->frames, stream);
    } else {
        for (uint32_t f = 0; f < path->frames && error == cudaSuccess; f++) {
            error = ssimcu_path_permute(path, f, stream);
            if (error == cudaSuccess) error = ssimcu_path_ssim(path, f, stream);
            if (error == cudaSuccess) error = ssimcu_path_means(path, f, stream);
        }
    }
    return error == cudaSuccess ? ssimcu_path_reduce(path, stream) : error;
}
