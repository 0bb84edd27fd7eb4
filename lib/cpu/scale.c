#include "cpu.h"

/* Intermediate values: rows of pixels without padding. */
struct numbers {
    uint32_t width, height, channels;
    uint16_t *data;
};

static size_t row_of(const struct numbers *numbers)
{
    return (size_t)numbers->width * numbers->channels;
}

static size_t count(const struct numbers *numbers) { return row_of(numbers) * numbers->height; }

/* Sets the shapes of the values before, between and after the two directions. */
static void find_shapes(const struct ssimcu_scale_task *task, struct numbers shape[3])
{
    const struct ssimcu_taps *x = &task->across, *y = &task->down;
    shape[0] = (struct numbers){x->from, y->from, task->channels, NULL};
    shape[1] = task->across_first ? (struct numbers){x->to, y->from, task->channels, NULL}
                                  : (struct numbers){x->from, y->to, task->channels, NULL};
    shape[2] = (struct numbers){x->to, y->to, task->channels, NULL};
}

size_t ssimcu_scale_cpu_bytes(const struct ssimcu_scale_task *task)
{
    struct numbers shape[3];
    find_shapes(task, shape);
    return (count(&shape[0]) + count(&shape[1]) + count(&shape[2])) * sizeof(uint16_t);
}

static void read_samples(const struct ssimcu_scale_task *task, struct numbers *to)
{
    for (uint32_t y = 0; y < to->height; y++) {
        const char *const row = (const char *)task->src + y * task->src_pitch;
        uint16_t *at = to->data + y * row_of(to);
        for (uint32_t x = 0; x < to->width; x++)
            for (uint32_t c = 0; c < to->channels; c++)
                *at++ = (uint16_t)ssimcu_scale_read(task, row, (int64_t)x * task->src_step + c);
    }
}

static void write_samples(const struct ssimcu_scale_task *task, const struct numbers *from)
{
    for (uint32_t y = 0; y < from->height; y++) {
        const uint16_t *const row = from->data + y * row_of(from);
        for (size_t i = 0; i < row_of(from); i++)
            ssimcu_scale_write(task, (char *)task->dst + y * task->dst_pitch, (int64_t)i, row[i]);
    }
}

/* Sums values that lie `step` apart. */
static uint32_t sum_of(const struct ssimcu_taps *taps, uint32_t i, const uint16_t *first,
                       size_t step, int32_t most)
{
    const int16_t *const weight = taps->weight + (size_t)i * taps->width;
    int32_t sum = 0;
    for (uint32_t k = 0; k < taps->width; k++)
        sum = ssimcu_scale_add(sum, weight[k], first[((size_t)taps->left[i] + k) * step]);
    return ssimcu_scale_round(sum, most);
}

static void scale_across(const struct ssimcu_taps *taps, const struct numbers *from,
                         const struct numbers *to, int32_t most)
{
    for (uint32_t y = 0; y < to->height; y++)
        for (uint32_t x = 0; x < to->width; x++)
            for (uint32_t c = 0; c < to->channels; c++)
                to->data[y * row_of(to) + x * to->channels + c] = (uint16_t)sum_of(
                    taps, x, from->data + y * row_of(from) + c, to->channels, most);
}

static void scale_down(const struct ssimcu_taps *taps, const struct numbers *from,
                       const struct numbers *to, int32_t most)
{
    for (uint32_t y = 0; y < to->height; y++)
        for (size_t i = 0; i < row_of(to); i++)
            to->data[y * row_of(to) + i] =
                (uint16_t)sum_of(taps, y, from->data + i, row_of(from), most);
}

void ssimcu_scale_cpu(const struct ssimcu_scale_task *task, uint16_t *memory)
{
    const int32_t most = (1 << ssimcu_scale_work_bits(task)) - 1;
    struct numbers shape[3];
    find_shapes(task, shape);
    for (int i = 0; i < 3; i++) {
        shape[i].data = memory;
        memory += count(&shape[i]);
    }
    read_samples(task, &shape[0]);
    if (task->across_first) {
        scale_across(&task->across, &shape[0], &shape[1], most);
        scale_down(&task->down, &shape[1], &shape[2], most);
    } else {
        scale_down(&task->down, &shape[0], &shape[1], most);
        scale_across(&task->across, &shape[1], &shape[2], most);
    }
    write_samples(task, &shape[2]);
}
