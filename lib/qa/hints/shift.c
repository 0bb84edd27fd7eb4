#include "hints/analysis.h"

/* Finding a shift: blocks of OUT are compared with REF at every displacement. Each displacement has
 * a misfit, the mean over the blocks. It is 0 if OUT is REF displaced, and about 1 if the two have
 * nothing in common. */
enum {
    REACH = 8,          /* pixels in each direction */
    BLOCK = 16,         /* pixels of a side */
    MARGIN = REACH + 1, /* pixels of REF around a block */
    AROUND = BLOCK + 2 * MARGIN,
    SIDE_LEAST = AROUND + REACH, /* least pixels of a frame's side */
    GRID = 8,                    /* blocks across and down */
    FEW = 16,                    /* blocks that are examined first */
    LEAST = 4,                   /* least number of useful blocks */
    BITS = 10,                   /* bits of a sample here */
    FLAT = 2                     /* standard deviation of a block without detail, in 8-bit steps */
};

/* Largest share of the misfit that may remain. A displaced and coded OUT keeps a quarter to two
 * thirds. Aligned frames gain at most 0.03 by any displacement. */
static const float FITS = 0.8f;

/* Least mean of weigh(), and least ratio of opposite sides. A coder lowers the mean to 0.2 at
 * quality 40, but equally on all sides. A displacement of 0.7 pixels would be four times as far
 * from one side as from the other. */
static const float NEARER = 0.15f, ALIKE = 0.6f;

struct block {
    int16_t out[BLOCK][BLOCK];
    int16_t ref[AROUND][AROUND];
    float spread; /* variance of REF under the block, times the pixels */
};

static uint32_t green_of(const ssimcu_frame *frame) { return frame->channels > 2 ? 1 : 0; }

static void copy_floats(int16_t *to, uint32_t side, const struct analysis *analysis,
                        const ssimcu_frame *frame, uint32_t x, uint32_t y)
{
    for (uint32_t i = 0; i < side * side; i++) {
        const float sample =
            analysis_sample(analysis, frame, x + i % side, y + i / side, green_of(frame));
        to[i] = (int16_t)(analysis_shown(analysis, sample) * ((1 << BITS) - 1) + 0.5f);
    }
}

static void copy(int16_t *to, uint32_t side, const struct analysis *analysis, int of, uint32_t x,
                 uint32_t y)
{
    const ssimcu_frame *frame = analysis->frame[of];
    const uint32_t step = frame->channels, down = frame->bits > BITS ? frame->bits - BITS : 0;
    const uint32_t up = frame->bits < BITS ? BITS - frame->bits : 0;
    if (analysis_has_floats(frame)) {
        copy_floats(to, side, analysis, frame, x, y);
        return;
    }
    const uint32_t peak = (1u << frame->bits) - 1;
    for (uint32_t row = 0; row < side; row++, to += side) {
        const char *start = (const char *)frame->data + (y + row) * frame->pitch;
        const size_t first = (size_t)x * step + green_of(frame);
        const uint8_t *bytes = (const uint8_t *)(const void *)start + first;
        const uint16_t *words = (const uint16_t *)(const void *)start + first;
        for (uint32_t i = 0; i < side; i++) {
            const uint32_t sample = frame->bits == 8 ? bytes[i * step] : words[i * step];
            to[i] = (int16_t)((sample < peak ? sample : peak) << up >> down);
        }
    }
}

/* Returns the variance of the difference of two blocks, times the pixels. Brightness does not
 * count. Their rows have `a_row` and `b_row` samples. */
static float difference(const int16_t *a, int a_row, const int16_t *b, int b_row)
{
    int32_t sum = 0, squares = 0;
    for (int y = 0; y < BLOCK; y++, a += a_row, b += b_row)
        for (int x = 0; x < BLOCK; x++) {
            const int16_t apart = (int16_t)(a[x] - b[x]);
            sum += apart;
            squares += (int32_t)apart * apart;
        }
    return (float)squares - (float)sum * (float)sum / (BLOCK * BLOCK);
}

/* Returns REF under the displaced block. */
static const int16_t *ref_at(const struct block *block, int right, int down)
{
    return &block->ref[MARGIN - down][MARGIN - right];
}

/* Returns how far OUT is from REF displaced. */
static float misfit(const struct block *block, int right, int down)
{
    return difference(block->out[0], BLOCK, ref_at(block, right, down), AROUND);
}

static float spread_of(const struct block *block)
{
    float sum = 0, squares = 0;
    for (int y = MARGIN; y < MARGIN + BLOCK; y++)
        for (int x = MARGIN; x < MARGIN + BLOCK; x++) {
            sum += block->ref[y][x];
            squares += (float)block->ref[y][x] * block->ref[y][x];
        }
    return squares - sum * sum / (BLOCK * BLOCK);
}

/* Finds where block `index` and its surroundings start: each somewhere in its cell of the frame. */
static void place(const ssimcu_frame *frame, uint32_t index, uint32_t *x, uint32_t *y)
{
    const uint32_t scatter = index * 0x9e3779b9u;
    const uint64_t across = (uint64_t)(index % GRID) << 8 | scatter >> 24;
    const uint64_t down = (uint64_t)(index / GRID) << 8 | (scatter >> 16 & 0xff);
    *x = (uint32_t)(across * (frame->width - AROUND + 1) / (GRID << 8));
    *y = (uint32_t)(down * (frame->height - AROUND + 1) / (GRID << 8));
}

/* Loads a block. Returns false if it is flat, and so useless. */
static bool load_block(const struct analysis *analysis, uint32_t index, struct block *block)
{
    const uint32_t least = FLAT << (BITS - 8);
    uint32_t x, y;
    place(analysis->frame[0], index, &x, &y);
    copy(block->ref[0], AROUND, analysis, 0, x, y);
    copy(block->out[0], BLOCK, analysis, 1, x + MARGIN, y + MARGIN);
    block->spread = spread_of(block);
    return block->spread > (float)(BLOCK * BLOCK * least * least);
}

static bool is_large_enough(const ssimcu_frame *frame)
{
    return frame->width >= SIDE_LEAST && frame->height >= SIDE_LEAST;
}

/* All blocks and their surroundings are few samples. */
void shift_add(const struct analysis *analysis)
{
    if (!is_large_enough(analysis->frame[0])) return;
    for (uint32_t i = 0; i < GRID * GRID; i++) {
        ssimcu_patch patch = {.columns = AROUND, .rows = AROUND, .step = 1};
        place(analysis->frame[0], i, &patch.x, &patch.y);
        fetch_add(analysis, 0, 0, patch);
        patch.x += MARGIN, patch.y += MARGIN;
        patch.columns = patch.rows = BLOCK;
        fetch_add(analysis, 1, 0, patch);
    }
}

/* Estimates the detail in a block from a few of REF's samples. */
static double glance(const struct analysis *analysis, uint32_t index)
{
    enum { STEP = 5, ACROSS = 4 };
    double sum = 0, squares = 0;
    uint32_t x, y;
    const ssimcu_frame *ref = analysis->frame[0];
    place(ref, index, &x, &y);
    for (uint32_t i = 0; i < ACROSS * ACROSS; i++) {
        const double sample = analysis_shown(
            analysis, analysis_sample(analysis, ref, x + MARGIN + i % ACROSS * STEP,
                                      y + MARGIN + i / ACROSS * STEP, green_of(ref)));
        sum += sample;
        squares += sample * sample;
    }
    return squares - sum * sum / (ACROSS * ACROSS);
}

/* Loads the FEW blocks with the most detail. Returns how many of them are useful. */
static uint32_t load_best(const struct analysis *analysis, struct block block[FEW])
{
    double detail[GRID * GRID];
    uint32_t count = 0;
    for (uint32_t i = 0; i < GRID * GRID; i++) detail[i] = glance(analysis, i);
    for (uint32_t k = 0; k < FEW; k++) {
        uint32_t most = 0;
        for (uint32_t i = 1; i < GRID * GRID; i++)
            if (detail[i] > detail[most]) most = i;
        detail[most] = -1;
        count += load_block(analysis, most, &block[count]);
    }
    return count;
}

/* Returns the misfit of one block. It is at most 1, so that a damaged block does not outweigh the
 * others. */
static float share(const struct block *block, int right, int down)
{
    const float value = misfit(block, right, down) / (2 * block->spread);
    return value < 1 ? value : 1;
}

static float mean_share(const struct block *block, uint32_t count, int right, int down)
{
    float sum = 0;
    for (uint32_t i = 0; i < count; i++) sum += share(&block[i], right, down);
    return sum / (float)count;
}

/* Returns whether there may be a shift. Aligned frames fit worse one pixel off, if there is any
 * detail. Most frames need only this test. */
static bool may_be_off(const struct block *block, uint32_t count)
{
    const float here = mean_share(block, count, 0, 0);
    if (here > 0.3f) return true;
    for (int down = -1; down <= 1; down++)
        for (int right = -1; right <= 1; right++)
            if (mean_share(block, count, right, down) < 0.95f * here) return true;
    return false;
}

static bool find(const struct block *block, uint32_t count, int best[2])
{
    const float here = mean_share(block, count, 0, 0);
    float least = here;
    for (int down = -REACH; down <= REACH; down++)
        for (int right = -REACH; right <= REACH; right++) {
            const float value = mean_share(block, count, right, down);
            if (value >= least) continue;
            least = value;
            best[0] = right;
            best[1] = down;
        }
    return least < FITS * here;
}

/* Writes how much nearer OUT is to REF displaced by `at` than to REF displaced by `other`, relative
 * to the distance of those two. The value is 1 if OUT is the former plus an independent error, and
 * 0 in the middle. Returns false if nothing separates the two, as along an edge. */
static bool weigh(const struct block *block, const int at[2], const int other[2], float *nearer)
{
    const float apart =
        difference(ref_at(block, at[0], at[1]), AROUND, ref_at(block, other[0], other[1]), AROUND);
    const float least = BLOCK * BLOCK * (float)(1 << 2 * (BITS - 8)); /* one level */
    if (apart < least) return false;
    *nearer = (misfit(block, other[0], other[1]) - misfit(block, at[0], at[1])) / apart;
    *nearer = *nearer > 2 ? 2 : *nearer < -2 ? -2 : *nearer;
    return true;
}

static bool are_alike(float a, float b) { return a > ALIKE * b && b > ALIKE * a; }

/* Returns whether the whole frame confirms the shift, against no shift and against one pixel more
 * or less. So half a pixel is not a shift. */
static bool is_confirmed(const struct analysis *analysis, const int at[2])
{
    enum { OTHERS = 5 };
    const int other[OTHERS][2] = {
        {0, 0}, {at[0] - 1, at[1]}, {at[0] + 1, at[1]}, {at[0], at[1] - 1}, {at[0], at[1] + 1}};
    uint32_t count[OTHERS] = {0};
    float sum[OTHERS] = {0}, nearer = 0;
    for (uint32_t i = 0; i < GRID * GRID; i++) {
        struct block block;
        if (!load_block(analysis, i, &block)) continue;
        for (int k = 0; k < OTHERS; k++) {
            if (!weigh(&block, at, other[k], &nearer)) continue;
            count[k]++;
            sum[k] += nearer;
        }
    }
    for (int k = 0; k < OTHERS; k++) {
        if (count[k] < LEAST || sum[k] < NEARER * (float)count[k]) return false;
        sum[k] /= (float)count[k];
    }
    return are_alike(sum[1], sum[2]) && are_alike(sum[3], sum[4]);
}

bool shift_find(const struct analysis *analysis)
{
    struct block block[FEW];
    int best[2] = {0, 0};
    if (!is_large_enough(analysis->frame[0])) return false;
    const uint32_t count = load_best(analysis, block);
    return count >= LEAST && may_be_off(block, count) && find(block, count, best) &&
           is_confirmed(analysis, best) &&
           hints_add(analysis->hints, "shift %+d %+d", best[0], best[1]);
}
