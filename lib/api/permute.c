/* The public permute. It checks a layout once and makes a plan of it. */
#include "api/context.h"
#include "core/permute_plan.h"
#include "sized.h"
#include "ssimcu_cuda.h"

enum { WIDEST = 16 }; /* maximum bytes moved at once */

/* One side of a layout, with its dimensions in that side's order. */
struct side {
    const char *name;
    int64_t size[SSIMCU_PERMUTE_MAX_RANK], stride[SSIMCU_PERMUTE_MAX_RANK];
    int64_t bytes; /* bytes from the first element to the end of the last */
};

#define REFUSE(...) FAIL(ARGUMENT, "layout: " __VA_ARGS__)

static ssimcu_status check_dims(const ssimcu_permute_layout *layout, ssimcu_message *message)
{
    uint32_t seen = 0;
    if (layout->rank < 1 || layout->rank > SSIMCU_PERMUTE_MAX_RANK)
        REFUSE("rank is %u, expected 1 to %d", layout->rank, SSIMCU_PERMUTE_MAX_RANK);
    const uint32_t element = layout->element;
    if (element == 0 || element > WIDEST || (element & (element - 1)) != 0)
        REFUSE("element is %u, expected 1, 2, 4, 8 or 16 bytes", element);
    for (uint32_t i = 0; i < layout->rank; i++) {
        if (layout->size[i] < 1)
            REFUSE("size[%u] is %lld, expected 1 or more", i, (long long)layout->size[i]);
        if (layout->order[i] >= layout->rank || (seen >> layout->order[i] & 1))
            REFUSE("order[%u] is %u, expected each of 0 to %u once", i, layout->order[i],
                   layout->rank - 1);
        seen |= 1u << layout->order[i];
    }
    return SSIMCU_OK;
}

static int all_zero(const int64_t *stride, uint32_t rank)
{
    while (rank > 0 && stride[rank - 1] == 0) rank--;
    return rank == 0;
}

/* Fills in the strides and the bytes spanned. Strides are dense if none are given. The plan
 * multiplies size by stride, at most twice the span, so the span must be under half of INT64_MAX.
 */
static ssimcu_status measure_side(struct side *side, const int64_t *stride, uint32_t rank,
                                  uint32_t element, ssimcu_message *message)
{
    const int dense = all_zero(stride, rank);
    int64_t step = 1, last = 0;
    for (int i = (int)rank - 1; i >= 0; i--) {
        int64_t reach;
        side->stride[i] = dense ? step : stride[i];
        if (side->stride[i] < 1)
            REFUSE("%s_stride[%d] is %lld, expected 1 or more, or all of them 0", side->name, i,
                   (long long)side->stride[i]);
        if (__builtin_mul_overflow(side->size[i] - 1, side->stride[i], &reach) ||
            __builtin_add_overflow(last, reach, &last) ||
            last >= INT64_MAX / 2 / (int64_t)element ||
            (dense && __builtin_mul_overflow(step, side->size[i], &step)))
            REFUSE("%s_stride[%d] %lld times size %lld is beyond 64 bits", side->name, i,
                   (long long)side->stride[i], (long long)side->size[i]);
    }
    side->bytes = (last + 1) * element;
    return SSIMCU_OK;
}

/* Checks that no two elements of the destination share a place. Each stride must exceed the span of
 * all dimensions with smaller strides. */
static ssimcu_status check_nesting(const struct side *dst, uint32_t rank, ssimcu_message *message)
{
    for (uint32_t i = 0; i < rank; i++) {
        int64_t span = 1;
        if (dst->size[i] == 1) continue;
        for (uint32_t k = 0; k < rank; k++)
            if (k != i && dst->stride[k] <= dst->stride[i])
                span += (dst->size[k] - 1) * dst->stride[k];
        if (dst->stride[i] < span)
            REFUSE("dst_stride[%u] is %lld, but the dimensions inside span %lld: elements overlap",
                   i, (long long)dst->stride[i], (long long)span);
    }
    return SSIMCU_OK;
}

static ssimcu_status check_memory(const struct side *dst_side, const struct side *src_side,
                                  const void *dst, const void *src, uint32_t element,
                                  ssimcu_message *message)
{
    const uintptr_t to = (uintptr_t)dst, from = (uintptr_t)src;
    if (!dst || !src) FAIL(ARGUMENT, "%s is NULL", dst ? "src" : "dst");
    if (to % element != 0 || from % element != 0)
        FAIL(ARGUMENT, "%s is not aligned to its elements of %u bytes",
             to % element != 0 ? "dst" : "src", element);
    if (to >= from ? to - from < (uintptr_t)src_side->bytes
                   : from - to < (uintptr_t)dst_side->bytes)
        FAIL(ARGUMENT, "dst and src overlap: dst spans %lld bytes, src %lld",
             (long long)dst_side->bytes, (long long)src_side->bytes);
    return SSIMCU_OK;
}

static ssimcu_status make_plan(const ssimcu_permute_layout *theirs, const void *dst,
                               const void *src, struct ssimcu_permute_plan *plan,
                               ssimcu_message *message)
{
    ssimcu_permute_layout own;
    const ssimcu_permute_layout *layout = &own;
    struct side from = {.name = "src"}, to = {.name = "dst"};
    struct ssimcu_permute_dim dims[SSIMCU_PERMUTE_MAX_RANK];
    TRY(ssimcu_sized_read(&own, sizeof own, SSIMCU_PERMUTE_LAYOUT_OLDEST, theirs, "layout",
                          message));
    TRY(check_dims(layout, message));
    const uint32_t rank = layout->rank, element = layout->element;
    for (uint32_t i = 0; i < rank; i++) {
        from.size[i] = layout->size[i];
        to.size[i] = layout->size[layout->order[i]];
    }
    TRY(measure_side(&from, layout->src_stride, rank, element, message));
    TRY(measure_side(&to, layout->dst_stride, rank, element, message));
    TRY(check_nesting(&to, rank, message));
    TRY(check_memory(&to, &from, dst, src, element, message));
    for (uint32_t i = 0; i < rank; i++)
        dims[i] =
            (struct ssimcu_permute_dim){to.size[i], from.stride[layout->order[i]], to.stride[i]};
    const uintptr_t both = (uintptr_t)dst | (uintptr_t)src | WIDEST;
    if (ssimcu_permute_plan_make(plan, (int)rank, dims, element, both & -both) == 0)
        return SSIMCU_OK;
    FAIL(INTERNAL, "layout: no plan");
}

ssimcu_status ssimcu_permute(ssimcu_context *context, const ssimcu_permute_layout *layout,
                             void *dst, const void *src, ssimcu_message *message)
{
    struct ssimcu_permute_plan plan;
    TRY(make_plan(layout, dst, src, &plan, message));
    if (!context) return ssimcu_backend_cpu.permute(&plan, dst, src, NULL, message);
    TRY(ssimcu_context_enter(context, message));
    const ssimcu_status status =
        ssimcu_backend_cpu.permute(&plan, dst, src, context->config.threads, message);
    ssimcu_context_leave(context);
    return status;
}

ssimcu_status ssimcu_permute_async(const ssimcu_permute_layout *layout, void *dst, const void *src,
                                   struct CUstream_st *stream, ssimcu_message *message)
{
    struct ssimcu_permute_plan plan;
    TRY(make_plan(layout, dst, src, &plan, message));
    return ssimcu_backend_cuda.permute(&plan, dst, src, stream, message);
}
