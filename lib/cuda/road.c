#include "road.h"

#include <limits.h>

/* Planes and maps start each row on 128 bytes, a device cache line. */
enum { ROW_FLOATS = 32, ALIGNED_BYTES = 16 };

static int64_t round_up(int64_t value, int64_t to) { return (value + to - 1) / to * to; }

static size_t larger(size_t a, size_t b) { return a > b ? a : b; }

int64_t ssimcu_road_map_pitch(const struct ssimcu_shape *shape)
{
    return round_up(shape->map_width, ROW_FLOATS);
}

/* Whether no sample of this side can leave 0..255 in the planes: not floats, nor integers whose
 * peak is below what their bytes can hold. */
static int is_bounded(const struct ssimcu_source *source, const struct ssimcu_pixel_rule *rule)
{
    return !ssimcu_source_is_float(source->type) &&
           (rule->peak == UINT8_MAX || rule->peak == UINT16_MAX);
}

/* Large pairs without tiles, whose map would not be exact enough. */
static int uses_tensor_cores(const struct ssimcu_road *road)
{
    const struct ssimcu_shape *shape = &road->shape;
    const int64_t positions = (int64_t)shape->map_width * shape->map_height;
    return road->has_tensor_cores && positions >= SSIMCU_TENSOR_POSITIONS && !shape->grid.width &&
           is_bounded(&road->source[SSIMCU_REF], &road->rule[SSIMCU_REF]) &&
           is_bounded(&road->source[SSIMCU_OUT], &road->rule[SSIMCU_OUT]);
}

int ssimcu_road_reads_samples(const struct ssimcu_road *road)
{
    if (!uses_tensor_cores(road)) return 0;
    for (int slot = 0; slot < SSIMCU_PAIR; slot++) {
        const struct ssimcu_pixel_rule *rule = &road->rule[slot];
        if (road->source[slot].type != SSIMCU_SAMPLE_U8 || rule->peak != UINT8_MAX) return 0;
        if (rule->alpha || rule->luma[1] || rule->channels != road->shape.planes) return 0;
    }
    return road->source[SSIMCU_REF].pitch_bytes == road->source[SSIMCU_OUT].pitch_bytes &&
           road->source[SSIMCU_REF].step == road->source[SSIMCU_OUT].step;
}

/* The SSIM stage of one pair on its planes; the memory is set later. */
static struct ssimcu_ssim_task planes_task(const struct ssimcu_road *road)
{
    const struct ssimcu_shape *shape = &road->shape;
    const int64_t pitch = round_up(shape->width, ROW_FLOATS) * (int64_t)sizeof(float);
    const int64_t map_pitch = ssimcu_road_map_pitch(shape);
    return (struct ssimcu_ssim_task){
        .samples = SSIMCU_SSIM_F32,
        .tensor_cores = uses_tensor_cores(road),
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

static const char *sample(const struct ssimcu_source *source, uint32_t frame, uint32_t channel)
{
    return (const char *)source->channel[channel] + frame * source->frame_bytes;
}

/* Whether both sides' channels are equally far apart, so that one launch takes them all; sets how
 * far. */
static int is_even(const struct ssimcu_road *road, int64_t *plane_bytes)
{
    *plane_bytes = 0;
    if (road->source[SSIMCU_REF].step > 1 || road->shape.planes == 1) return 1;
    for (int slot = 0; slot < SSIMCU_PAIR; slot++)
        for (uint32_t c = 1; c < road->shape.planes; c++) {
            const int64_t apart = (int64_t)((uintptr_t)sample(&road->source[slot], 0, c) -
                                            (uintptr_t)sample(&road->source[slot], 0, c - 1));
            if (slot == SSIMCU_REF && c == 1) *plane_bytes = apart;
            if (apart != *plane_bytes) return 0;
        }
    return 1;
}

/* The SSIM stage of one pair on its samples as they lie: all channels in a launch, or one. */
static struct ssimcu_ssim_task samples_task(const struct ssimcu_road *road)
{
    struct ssimcu_ssim_task task = planes_task(road);
    if (!is_even(road, &task.plane_bytes)) task.channels = 1;
    task.samples = SSIMCU_SSIM_U8;
    task.interleaved = road->source[SSIMCU_REF].step > 1;
    task.pitch_bytes = road->source[SSIMCU_REF].pitch_bytes;
    return task;
}

/* Partial sums of one pair. */
static size_t partials(const struct ssimcu_road *road)
{
    const struct ssimcu_ssim_task task =
        ssimcu_road_reads_samples(road) ? samples_task(road) : planes_task(road);
    return ssimcu_ssim_partials(&task) * (road->shape.planes / task.channels);
}

/* The most that any way makes: memory is laid out before it is known which it will be. */
static size_t most_partials(const struct ssimcu_road *road)
{
    struct ssimcu_ssim_task task = planes_task(road);
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
    return larger(most, ssimcu_ssim_partials(&task) * road->shape.planes);
}

struct ssimcu_road_bytes ssimcu_road_bytes(const struct ssimcu_road *road)
{
    const struct ssimcu_shape *shape = &road->shape;
    const struct ssimcu_ssim_task task = planes_task(road);
    const int map = shape->want_map || shape->grid.width;
    return (struct ssimcu_road_bytes){
        .planes = (size_t)task.plane_bytes * shape->planes,
        .partial = most_partials(road) * road->frames * sizeof(double),
        .sums = (size_t)shape->planes * road->frames * sizeof(double),
        .map = map ? (size_t)task.map_plane_floats * shape->planes * sizeof(float) : 0,
        .means = (size_t)shape->grid.columns * shape->grid.rows * road->frames * sizeof(double),
    };
}

int ssimcu_road_fits(const struct ssimcu_road *road)
{
    return most_partials(road) <= (size_t)INT_MAX / road->frames;
}

/* Interleaved integers whose rows follow each other without a gap. */
static int is_dense(const struct ssimcu_source *source, const struct ssimcu_pixel_rule *rule,
                    const struct ssimcu_shape *shape, const char *first)
{
    const int64_t row =
        (int64_t)shape->width * rule->channels * ssimcu_source_sample_bytes(source->type);
    return !ssimcu_source_is_float(source->type) && source->step == rule->channels &&
           source->pitch_bytes == row && (uintptr_t)first % ALIGNED_BYTES == 0;
}

static cudaError_t write_planes(const struct ssimcu_road *road, int slot, uint32_t frame,
                                cudaStream_t stream)
{
    const struct ssimcu_shape *shape = &road->shape;
    const struct ssimcu_ssim_task planes = planes_task(road);
    const int64_t pitch = planes.pitch_bytes / (int64_t)sizeof(float);
    const struct ssimcu_pixel_rule *rule = &road->rule[slot];
    struct ssimcu_source source = road->source[slot];
    for (uint32_t c = 0; c < rule->channels; c++) source.channel[c] = sample(&source, frame, c);
    if (is_dense(&source, rule, shape, source.channel[0])) {
        const struct ssimcu_permute_pixels_task task = {
            .rule = *rule,
            .width = shape->width,
            .height = shape->height,
            .frames = 1,
            .src = source.channel[0],
            .src_bytes = shape->frame_bytes[slot],
            .dst = road->planes[slot],
            .dst_pitch_floats = pitch,
            .dst_plane_floats = pitch * shape->height,
        };
        return ssimcu_permute_pixels_cuda(&task, stream);
    }
    const struct ssimcu_source_task task = {
        .source = source,
        .rule = *rule,
        .width = shape->width,
        .height = shape->height,
        .dst = road->planes[slot],
        .dst_pitch_floats = pitch,
        .dst_plane_floats = pitch * shape->height,
    };
    return ssimcu_source_cuda(&task, stream);
}

cudaError_t ssimcu_road_permute(const struct ssimcu_road *road, uint32_t frame, cudaStream_t stream)
{
    if (ssimcu_road_reads_samples(road)) return cudaSuccess;
    const cudaError_t error = write_planes(road, SSIMCU_REF, frame, stream);
    return error == cudaSuccess ? write_planes(road, SSIMCU_OUT, frame, stream) : error;
}

/* 8-bit samples of `frames` pairs from `frame` on: one launch, or one for each plane. */
static cudaError_t score_samples(const struct ssimcu_road *road, uint32_t frame, uint32_t frames,
                                 cudaStream_t stream)
{
    struct ssimcu_ssim_task task = samples_task(road);
    const size_t per_launch = ssimcu_ssim_partials(&task);
    const uint32_t launches = road->shape.planes / (uint32_t)task.channels;
    task.frames = (int)frames;
    task.frame_bytes = road->source[SSIMCU_REF].frame_bytes;
    for (uint32_t c = 0; c < launches; c++) {
        task.ref = sample(&road->source[SSIMCU_REF], frame, c);
        task.out = sample(&road->source[SSIMCU_OUT], frame, c);
        task.partial = road->partial + (frame * launches + c) * per_launch;
        task.map = road->map ? road->map + c * task.map_plane_floats : NULL;
        const cudaError_t error = ssimcu_ssim_cuda(&task, stream);
        if (error != cudaSuccess) return error;
    }
    return cudaSuccess;
}

cudaError_t ssimcu_road_ssim(const struct ssimcu_road *road, uint32_t frame, cudaStream_t stream)
{
    if (ssimcu_road_reads_samples(road)) return score_samples(road, frame, 1, stream);
    struct ssimcu_ssim_task task = planes_task(road);
    task.ref = road->planes[SSIMCU_REF];
    task.out = road->planes[SSIMCU_OUT];
    task.partial = road->partial + frame * ssimcu_ssim_partials(&task);
    task.map = road->map;
    return ssimcu_ssim_cuda(&task, stream);
}

cudaError_t ssimcu_road_means(const struct ssimcu_road *road, uint32_t frame, cudaStream_t stream)
{
    const struct ssimcu_shape *shape = &road->shape;
    if (!shape->grid.width) return cudaSuccess;
    const struct ssimcu_tile_means_task task = {
        .map = road->map,
        .width = (int)shape->map_width,
        .height = (int)shape->map_height,
        .planes = (int)shape->planes,
        .pitch_floats = ssimcu_road_map_pitch(shape),
        .plane_floats = ssimcu_road_map_pitch(shape) * shape->map_height,
        .grid = shape->grid,
        .means = road->means + (size_t)frame * shape->grid.columns * shape->grid.rows,
    };
    return ssimcu_tile_means_cuda(&task, stream);
}

cudaError_t ssimcu_road_reduce(const struct ssimcu_road *road, cudaStream_t stream)
{
    return ssimcu_reduce_cuda(road->partial, partials(road) * road->frames,
                              (int)(road->shape.planes * road->frames), road->sums, stream);
}

/* Whether one launch takes all pairs as they lie. */
static int is_one_launch(const struct ssimcu_road *road)
{
    int64_t plane_bytes;
    return ssimcu_road_reads_samples(road) && is_even(road, &plane_bytes) &&
           road->source[SSIMCU_REF].frame_bytes == road->source[SSIMCU_OUT].frame_bytes;
}

cudaError_t ssimcu_road_run(const struct ssimcu_road *road, cudaStream_t stream)
{
    cudaError_t error = cudaSuccess;
    if (is_one_launch(road)) {
        error = score_samples(road, 0, road->frames, stream);
    } else {
        for (uint32_t f = 0; f < road->frames && error == cudaSuccess; f++) {
            error = ssimcu_road_permute(road, f, stream);
            if (error == cudaSuccess) error = ssimcu_road_ssim(road, f, stream);
            if (error == cudaSuccess) error = ssimcu_road_means(road, f, stream);
        }
    }
    return error == cudaSuccess ? ssimcu_road_reduce(road, stream) : error;
}
