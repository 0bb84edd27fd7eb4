#include "permute_brick.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
    MAX_ELEMENT = 16,
    MIN_TILE_SIDE = 2,       /* elements; short sides have special tile shapes */
    MIN_WIDE_SIDE = 8,       /* the same for elements of more than 4 bytes */
    MIN_RUN_BYTES = 2048,    /* shorter runs of pixels are not worth a block of threads */
    MIN_TILE_BYTES = 4096,   /* smaller matrices are not worth a tile */
    TILE_SIDE_BYTES = 128,   /* a side this long needs no further dimension */
    MIN_BRICK_RUN = 64,      /* two sectors of device memory */
    SHORT_ROW_BYTES = 12288, /* shorter rows of interleaved pixels suit bricks */
    PLANE_ALIGNMENT = 16
};

static int is_element(uint32_t bytes)
{
    return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8 || bytes == 16;
}

static void remove_dim(struct ssimcu_permute_plan *plan, int i)
{
    plan->rank--;
    memmove(&plan->dim[i], &plan->dim[i + 1], (size_t)(plan->rank - i) * sizeof plan->dim[0]);
}

static void drop_unit_dims(struct ssimcu_permute_plan *plan)
{
    for (int i = plan->rank - 1; i >= 0; i--)
        if (plan->dim[i].size == 1) remove_dim(plan, i);
}

/* An insertion sort, because rank is at most 8 and equal strides keep the caller's order. */
static void sort_by_dst_stride(struct ssimcu_permute_plan *plan)
{
    for (int i = 1; i < plan->rank; i++) {
        const struct ssimcu_permute_dim moving = plan->dim[i];
        int j = i;
        for (; j > 0 && plan->dim[j - 1].dst_stride < moving.dst_stride; j--)
            plan->dim[j] = plan->dim[j - 1];
        plan->dim[j] = moving;
    }
}

/* Merges two neighbours into one dimension if the outer steps over exactly the inner, on both
 * sides. */
static void merge_dims(struct ssimcu_permute_plan *plan)
{
    for (int i = plan->rank - 2; i >= 0; i--) {
        struct ssimcu_permute_dim *outer = &plan->dim[i], *inner = &plan->dim[i + 1];
        if (outer->src_stride != inner->size * inner->src_stride ||
            outer->dst_stride != inner->size * inner->dst_stride)
            continue;
        inner->size *= outer->size;
        remove_dim(plan, i);
    }
}

static int can_double_element(const struct ssimcu_permute_plan *plan, size_t alignment)
{
    if (plan->rank == 0) return 0;
    const int last = plan->rank - 1;
    const struct ssimcu_permute_dim *inner = &plan->dim[last];
    if (inner->src_stride != 1 || inner->dst_stride != 1) return 0;
    if (inner->size % 2 != 0 || alignment % (2 * plan->element) != 0) return 0;
    for (int i = 0; i < last; i++)
        if (plan->dim[i].src_stride % 2 != 0 || plan->dim[i].dst_stride % 2 != 0) return 0;
    return 1;
}

static void widen_element(struct ssimcu_permute_plan *plan, size_t alignment)
{
    while (plan->element < MAX_ELEMENT && can_double_element(plan, alignment)) {
        plan->element *= 2;
        plan->dim[plan->rank - 1].size /= 2;
        for (int i = 0; i < plan->rank - 1; i++) {
            plan->dim[i].src_stride /= 2;
            plan->dim[i].dst_stride /= 2;
        }
    }
    drop_unit_dims(plan);
}

static int find_src_inner(const struct ssimcu_permute_plan *plan)
{
    for (int i = 0; i < plan->rank; i++)
        if (plan->dim[i].src_stride == 1) return i;
    return -1;
}

static int is_channel_count(int64_t size)
{
    return size >= 2 && size <= SSIMCU_PERMUTE_MAX_CHANNELS;
}

/* Returns whether these are runs of pixels with `channels` interleaved channels. Pixels may be
 * padded: the padding is read but not written. */
static int is_interleaved(const struct ssimcu_permute_dim *channels, int64_t pixel_stride,
                          int64_t pixels, uint32_t element)
{
    return is_channel_count(channels->size) && is_channel_count(pixel_stride) &&
           pixel_stride >= channels->size && pixel_stride <= 2 * channels->size &&
           pixels * channels->size * element >= MIN_RUN_BYTES;
}

/* One face of a tile: dimensions that are contiguous on one side. */
struct face {
    uint32_t set;
    int64_t size;
};

/* Adds the dimension that continues the face, if there is one outside `taken`. */
static int extend_face(const struct ssimcu_permute_plan *plan, struct face *face, int source,
                       uint32_t taken)
{
    for (int i = 0; i < plan->rank; i++) {
        const struct ssimcu_permute_dim *dim = &plan->dim[i];
        const int64_t stride = source ? dim->src_stride : dim->dst_stride;
        if (taken >> i & 1 || stride != face->size || face->size > INT32_MAX / dim->size) continue;
        face->set |= 1u << i;
        face->size *= dim->size;
        return 1;
    }
    return 0;
}

/* Chooses the faces of a tile, the shorter growing first. Returns 1 if they are worth a tile. */
static int find_faces(struct ssimcu_permute_plan *plan)
{
    const int last = plan->rank - 1, inner = plan->src_inner;
    struct face src = {1u << inner, plan->dim[inner].size};
    struct face dst = {1u << last, plan->dim[last].size};
    for (int grows = 1; grows;) {
        const int source = src.size <= dst.size;
        const int64_t enough = TILE_SIDE_BYTES / plan->element;
        const uint32_t taken = src.set | dst.set;
        grows = 0;
        for (int turn = 0; turn < 2 && !grows; turn++) {
            struct face *face = source == !turn ? &src : &dst;
            if (face->size < enough) grows = extend_face(plan, face, face == &src, taken);
        }
    }
    plan->src_set = src.set;
    plan->dst_set = dst.set;
    const int64_t least = plan->element > 4 ? MIN_WIDE_SIDE : MIN_TILE_SIDE;
    return src.size >= least && dst.size >= least &&
           (src.size > MIN_TILE_BYTES || dst.size > MIN_TILE_BYTES ||
            src.size * dst.size * plan->element >= MIN_TILE_BYTES);
}

static enum ssimcu_permute_path choose_path(struct ssimcu_permute_plan *plan)
{
    if (plan->rank == 0) return SSIMCU_PERMUTE_COPY;
    const int last = plan->rank - 1, inner = plan->src_inner;
    const struct ssimcu_permute_dim *d = &plan->dim[last];
    if (d->dst_stride != 1 || inner < 0) return SSIMCU_PERMUTE_GENERIC;
    if (inner == last) return SSIMCU_PERMUTE_COPY;
    const struct ssimcu_permute_dim *s = &plan->dim[inner];
    if (is_interleaved(s, d->src_stride, d->size, plan->element))
        return SSIMCU_PERMUTE_DEINTERLEAVE;
    if (s->dst_stride == d->size && is_interleaved(d, s->dst_stride, s->size, plan->element))
        return SSIMCU_PERMUTE_INTERLEAVE;
    return find_faces(plan) ? SSIMCU_PERMUTE_TILE : SSIMCU_PERMUTE_GENERIC;
}

/* Returns the contiguous bytes that a copy or a tile moves at a time, on the worse side. */
static int64_t shortest_piece(const struct ssimcu_permute_plan *plan)
{
    int64_t src = 1, dst = 1;
    if (plan->path == SSIMCU_PERMUTE_COPY)
        return plan->rank == 0 ? INT64_MAX : plan->dim[plan->rank - 1].size * plan->element;
    for (int i = 0; i < plan->rank; i++) {
        if (plan->src_set >> i & 1) src *= plan->dim[i].size;
        if (plan->dst_set >> i & 1) dst *= plan->dim[i].size;
    }
    return (src < dst ? src : dst) * plan->element;
}

/* Returns whether so many channels suit bricks better. The interleaved paths suit a power of two
 * with aligned planes, and long runs of pixels whose elements are not small. */
static int are_channels_for_bricks(const struct ssimcu_permute_plan *plan)
{
    const int split = plan->path == SSIMCU_PERMUTE_DEINTERLEAVE, last = plan->rank - 1;
    const int inner = plan->src_inner, pixels = split ? last : inner;
    const int64_t channels = plan->dim[split ? inner : last].size;
    int64_t bits = 0;
    if (channels <= 4) return 0;
    for (int i = 0; i < plan->rank; i++)
        if (i != pixels) bits |= split ? plan->dim[i].dst_stride : plan->dim[i].src_stride;
    if ((channels & (channels - 1)) == 0 && bits * plan->element % PLANE_ALIGNMENT == 0) return 0;
    if (plan->dim[pixels].size * channels * plan->element < SHORT_ROW_BYTES) return 1;
    return split ? channels > 8 && plan->element <= 4 : channels >= 8 && plan->element == 1;
}

/* Gives up the path for bricks if its pieces are short. Device memory moves whole sectors: n bytes
 * at any place touch (n + 31) / 32 of them, and short pieces leave much of them unused. The limits
 * come from 500 random arrays of bench_permute, each measured on both paths on an H200. Bricks were
 * faster for 129 of the 153 arrays that take this path. The slowest array then ran at 43 % of a
 * copy's bandwidth instead of 7. All arrays together took 1.2 times as long as copies instead of
 * 1.6. Copies of 128 bytes are realigned; elements of 8 bytes and more fill sectors better. */
static void prefer_brick(struct ssimcu_permute_plan *plan)
{
    /* Pieces of fewer bytes take bricks. The limits are for elements of 1, 2, 4, 8 and 16 bytes. */
    static const int64_t copy[] = {128, 128, 128, 0, 0}, tile[] = {96, 512, 1024, 192, 0};
    int size = 0, wanted = 0;
    while (1u << size < plan->element) size++;
    plan->plain_path = plan->path;
    switch (plan->path) {
    case SSIMCU_PERMUTE_COPY: wanted = shortest_piece(plan) < copy[size]; break;
    case SSIMCU_PERMUTE_TILE: wanted = shortest_piece(plan) < tile[size]; break;
    case SSIMCU_PERMUTE_GENERIC: wanted = plan->element <= 8; break;
    default: wanted = are_channels_for_bricks(plan);
    }
    if (wanted && ssimcu_permute_brick_choose(plan) >= MIN_BRICK_RUN)
        plan->path = SSIMCU_PERMUTE_BRICK;
}

/* Returns whether the largest offset on either side needs a wide index. Both ends of a signed
 * stride count. */
static int needs_wide_index(const struct ssimcu_permute_plan *plan)
{
    int64_t src = 0, dst = 0;
    for (int i = 0; i < plan->rank; i++) {
        const struct ssimcu_permute_dim *d = &plan->dim[i];
        src += (d->size - 1) * (d->src_stride < 0 ? -d->src_stride : d->src_stride);
        dst += (d->size - 1) * (d->dst_stride < 0 ? -d->dst_stride : d->dst_stride);
    }
    return src > INT32_MAX || dst > INT32_MAX || ssimcu_permute_plan_count(plan) > INT32_MAX;
}

int ssimcu_permute_plan_merge(struct ssimcu_permute_plan *plan, int rank,
                              const struct ssimcu_permute_dim *dims, uint32_t element)
{
    memset(plan, 0, sizeof *plan);
    if (rank < 0 || rank > SSIMCU_PERMUTE_MAX_RANK || !is_element(element)) return -1;
    for (int i = 0; i < rank; i++)
        if (dims[i].size < 1) return -1;
    plan->rank = rank;
    plan->element = element;
    if (rank > 0) memcpy(plan->dim, dims, (size_t)rank * sizeof *dims);
    drop_unit_dims(plan);
    sort_by_dst_stride(plan);
    merge_dims(plan);
    return 0;
}

int ssimcu_permute_plan_make(struct ssimcu_permute_plan *plan, int rank,
                             const struct ssimcu_permute_dim *dims, uint32_t element,
                             size_t alignment)
{
    if (ssimcu_permute_plan_merge(plan, rank, dims, element) != 0) return -1;
    widen_element(plan, alignment);
    plan->src_inner = find_src_inner(plan);
    plan->path = choose_path(plan);
    prefer_brick(plan);
    plan->wide_index = needs_wide_index(plan);
    return 0;
}

int64_t ssimcu_permute_plan_count(const struct ssimcu_permute_plan *plan)
{
    int64_t count = 1;
    for (int i = 0; i < plan->rank; i++) count *= plan->dim[i].size;
    return count;
}

/* Appends one list of numbers, truncated to the remaining space. */
static void append(char *text, size_t size, const char *lead, int rank, const int64_t *number,
                   const char *separator)
{
    size_t used = strlen(text);
    used += (size_t)snprintf(text + used, size - used, "%s", lead);
    for (int i = 0; i < rank && used < size; i++)
        used +=
            (size_t)snprintf(text + used, size - used, "%s%" PRId64, i ? separator : "", number[i]);
}

const char *ssimcu_permute_plan_print(const struct ssimcu_permute_plan *plan, char *text,
                                      size_t size)
{
    static const char *const name[] = {"copy", "deinterleave", "interleave",
                                       "tile", "brick",        "generic"};
    int64_t count[SSIMCU_PERMUTE_MAX_RANK], src[SSIMCU_PERMUTE_MAX_RANK],
        dst[SSIMCU_PERMUTE_MAX_RANK], brick[SSIMCU_PERMUTE_MAX_RANK];
    for (int i = 0; i < plan->rank; i++) {
        count[i] = plan->dim[i].size;
        src[i] = plan->dim[i].src_stride;
        dst[i] = plan->dim[i].dst_stride;
        brick[i] = plan->brick[i];
    }
    if (size == 0) return text;
    snprintf(text, size, "%s %u B%s, ", name[plan->path], plan->element,
             plan->wide_index ? " 64-bit" : "");
    append(text, size, plan->rank ? "" : "1", plan->rank, count, "x");
    append(text, size, " [src ", plan->rank, src, ",");
    append(text, size, " dst ", plan->rank, dst, ",");
    append(text, size, "]", 0, NULL, "");
    if (plan->path == SSIMCU_PERMUTE_BRICK) append(text, size, " by ", plan->rank, brick, "x");
    return text;
}
