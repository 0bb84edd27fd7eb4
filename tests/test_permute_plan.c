/* The permute plan's arithmetic; no device takes part. */
#include "check.h"
#include "core/permute_plan.h"

#include <stdlib.h>

static struct ssimcu_permute_plan plan_of(int rank, const struct ssimcu_permute_dim *dims,
                                          uint32_t element, size_t alignment)
{
    struct ssimcu_permute_plan plan;
    cr_assert_eq(ssimcu_permute_plan_make(&plan, rank, dims, element, alignment), 0);
    return plan;
}

static void expect(int rank, const struct ssimcu_permute_dim *dims, uint32_t element,
                   size_t alignment, const char *expected)
{
    char text[256];
    const struct ssimcu_permute_plan plan = plan_of(rank, dims, element, alignment);
    cr_assert_str_eq(ssimcu_permute_plan_print(&plan, text, sizeof text), expected);
}

#define DIMS(...)                                                                                  \
    (const struct ssimcu_permute_dim[]) { __VA_ARGS__ }

Test(permute_plan, hwc_to_chw_of_a_4k_frame_deinterleaves)
{
    expect(3, DIMS({2160, 3840 * 3, 3840}, {3840, 3, 1}, {3, 1, 2160 * 3840}), 1, 256,
           "deinterleave 1 B, 3x8294400 [src 1,3 dst 8294400,1]");
    expect(3, DIMS({2160, 3840 * 4, 3840}, {3840, 4, 1}, {4, 1, 2160 * 3840}), 2, 256,
           "deinterleave 2 B, 4x8294400 [src 1,4 dst 8294400,1]");
}

Test(permute_plan, pitched_rows_stay_apart)
{
    expect(3, DIMS({2160, 3841 * 3, 3872}, {3841, 3, 1}, {3, 1, 2160 * 3872}), 1, 256,
           "deinterleave 1 B, 3x2160x3841 [src 1,11523,3 dst 8363520,3872,1]");
}

Test(permute_plan, chw_to_hwc_interleaves)
{
    expect(3, DIMS({3, 2160 * 3840, 1}, {2160, 3840, 3840 * 3}, {3840, 1, 3}), 1, 256,
           "interleave 1 B, 8294400x3 [src 1,8294400 dst 3,1]");
}

Test(permute_plan, up_to_32_channels_count_as_interleaved)
{
    expect(2, DIMS({32, 1, 1000}, {1000, 32, 1}), 4, 4,
           "deinterleave 4 B, 32x1000 [src 1,32 dst 1000,1]");
    expect(2, DIMS({33, 1, 1000}, {1000, 33, 1}), 4, 4, "tile 4 B, 33x1000 [src 1,33 dst 1000,1]");
}

Test(permute_plan, same_layout_is_one_wide_copy)
{
    expect(3, DIMS({4, 600, 600}, {20, 30, 30}, {30, 1, 1}), 2, 16, "copy 16 B, 300 [src 1 dst 1]");
    expect(3, DIMS({4, 600, 600}, {20, 30, 30}, {30, 1, 1}), 2, 2, "copy 2 B, 2400 [src 1 dst 1]");
    expect(2, DIMS({7, 1, 1}, {1, 9, 9}), 4, 4, "copy 4 B, 7 [src 1 dst 1]");
    expect(2, DIMS({1, 1, 1}, {1, 9, 9}), 4, 4, "copy 4 B, 1 [src  dst ]");
}

Test(permute_plan, outer_swap_copies_wide_rows)
{
    expect(3, DIMS({16, 5792 * 724, 724}, {5792, 724, 16 * 724}, {724, 1, 1}), 2, 256,
           "copy 8 B, 5792x16x181 [src 181,1048352,1 dst 2896,181,1]");
}

Test(permute_plan, inner_swap_is_tiled)
{
    expect(3, DIMS({16, 5792 * 724, 5792 * 724}, {5792, 724, 1}, {724, 1, 5792}), 4, 256,
           "tile 4 B, 16x724x5792 [src 4193408,1,724 dst 4193408,5792,1]");
}

Test(permute_plan, thin_and_broadcast_shapes_are_generic)
{
    expect(2, DIMS({5, 1, 100}, {100, 11, 1}), 4, 4, "generic 4 B, 5x100 [src 1,11 dst 100,1]");
    expect(2, DIMS({3, 0, 10}, {10, 2, 1}), 4, 4, "generic 4 B, 3x10 [src 0,2 dst 10,1]");
}

/* A short inner dimension takes the next one into the tile's side. */
Test(permute_plan, short_sides_grow)
{
    struct ssimcu_permute_plan plan;
    const struct ssimcu_permute_dim dims[] = {
        {90720, 470, 1}, {47, 10, 907200}, {5, 2, 90720}, {2, 1, 453600}};
    cr_assert_eq(ssimcu_permute_plan_make(&plan, 4, dims, 1, 1), 0);
    cr_assert_eq(plan.path, SSIMCU_PERMUTE_TILE);
    cr_assert_eq(plan.dst_set, 1u << 3, "the long dimension is a side by itself");
    cr_assert_eq(plan.src_set, 7u, "2 elements, then 5, then 47");
}

/* Runs of a few bytes on both sides, and the bricks that bring them together. */
Test(permute_plan, short_runs_go_by_bricks)
{
    expect(3, DIMS({33296, 1206, 3}, {402, 3, 99888}, {3, 1, 1}), 1, 256,
           "brick 1 B, 402x33296x3 [src 3,1206,1 dst 99888,3,1] by 58x64x3");
    expect(5,
           DIMS({5386, 8690, 79}, {11, 790, 850988}, {5, 158, 9360868}, {79, 2, 1}, {2, 1, 425494}),
           1, 256,
           "brick 1 B, 5x11x2x5386x79 [src 158,790,1,8690,2 dst 9360868,850988,425494,79,1] by "
           "5x1x2x16x79");
    expect(4, DIMS({543, 35224, 35224}, {17, 2072, 1}, {259, 8, 17}, {8, 1, 4403}), 2, 256,
           "brick 2 B, 543x8x259x17 [src 35224,1,8,2072 dst 35224,4403,17,1] by 1x8x29x17");
    expect(4, DIMS({25216, 1131, 87}, {13, 87, 2193792}, {3, 29, 1}, {29, 1, 3}), 1, 1,
           "brick 1 B, 13x25216x29x3 [src 87,1131,1,29 dst 2193792,87,3,1] by 13x8x29x3");
    expect(4, DIMS({48305, 1000, 1000}, {2, 500, 100}, {100, 5, 1}, {5, 1, 200}), 1, 1,
           "brick 1 B, 48305x5x200 [src 1000,1,5 dst 1000,200,1] by 16x5x200");
    expect(3, DIMS({500, 100 * 63, 63}, {100, 63, 500 * 63}, {63, 1, 1}), 1, 1,
           "brick 1 B, 100x500x63 [src 63,6300,1 dst 31500,63,1] by 15x16x63");
}

/* From 64 bytes on a path keeps its pieces, and where gaps leave a brick no longer ones. */
Test(permute_plan, longer_pieces_keep_their_paths)
{
    expect(3, DIMS({500, 100 * 64, 64}, {100, 64, 500 * 64}, {64, 1, 1}), 1, 1,
           "copy 1 B, 100x500x64 [src 64,6400,1 dst 32000,64,1]");
    expect(2, DIMS({1000, 64, 1}, {64, 1, 1000}), 1, 1, "tile 1 B, 64x1000 [src 1,64 dst 1000,1]");
    expect(3, DIMS({1000, 100 * 5, 100 * 4}, {100, 5, 4}, {4, 1, 1}), 1, 1,
           "copy 1 B, 100000x4 [src 5,1 dst 4,1]");
}

Test(permute_plan, index_width_follows_the_largest_offset)
{
    const int64_t most = INT32_MAX;
    cr_assert_not(plan_of(1, DIMS({most, 1, 1}), 1, 1).wide_index);
    cr_assert(plan_of(1, DIMS({most + 2, 1, 1}), 1, 1).wide_index);
    cr_assert(plan_of(2, DIMS({2, most + 1, 1}, {2, 1, 2}), 1, 1).wide_index);
    cr_assert(plan_of(2, DIMS({2, 1, -most - 1}, {2, 2, 1}), 1, 1).wide_index);
}

Test(permute_plan, nonsense_is_refused)
{
    struct ssimcu_permute_plan plan;
    cr_assert_eq(ssimcu_permute_plan_make(&plan, 9, NULL, 4, 4), -1);
    cr_assert_eq(ssimcu_permute_plan_make(&plan, -1, NULL, 4, 4), -1);
    cr_assert_eq(ssimcu_permute_plan_make(&plan, 1, DIMS({0, 1, 1}), 4, 4), -1);
    cr_assert_eq(ssimcu_permute_plan_make(&plan, 1, DIMS({1, 1, 1}), 3, 4), -1);
    cr_assert_eq(ssimcu_permute_plan_make(&plan, 0, NULL, 4, 4), 0);
}

Test(permute_plan, printing_never_overruns)
{
    const struct ssimcu_permute_plan plan =
        plan_of(3, DIMS({2160, 11520, 3840}, {3840, 3, 1}, {3, 1, 8294400}), 1, 1);
    for (size_t size = 0; size < 60; size++) {
        char text[64];
        for (size_t i = 0; i < sizeof text; i++) text[i] = '#';
        ssimcu_permute_plan_print(&plan, text, size);
        for (size_t i = size; i < sizeof text; i++) cr_assert_eq(text[i], '#', "size %zu", size);
    }
}
