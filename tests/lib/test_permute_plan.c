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

/* The planes stage asks a plan for merging alone: rows of pixels that follow each other are one
 * row. */
Test(permute_plan, merging_alone_chooses_no_path_and_widens_nothing)
{
    struct ssimcu_permute_plan plan;
    cr_assert_eq(ssimcu_permute_plan_merge(&plan, 2, DIMS({2160, 3840 * 3, 3840}, {3840, 3, 1}), 1),
                 0);
    cr_assert(plan.rank == 1 && plan.element == 1);
    cr_assert(plan.dim[0].size == 2160 * 3840 && plan.dim[0].src_stride == 3);
    cr_assert_eq(ssimcu_permute_plan_merge(&plan, 2, DIMS({2160, 3872, 3840}, {3840, 1, 1}), 2), 0);
    cr_assert(plan.rank == 2 && plan.dim[1].size == 3840 && plan.dim[1].dst_stride == 1);
    cr_assert_eq(ssimcu_permute_plan_merge(&plan, 2, DIMS({9, 8, 32}, {1, 1, 1}), 2), 0);
    cr_assert(plan.rank == 1 && plan.dim[0].size == 9 && plan.dim[0].dst_stride == 32);
    cr_assert_eq(ssimcu_permute_plan_merge(&plan, 2, DIMS({0, 8, 32}, {1, 1, 1}), 2), -1);
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
    expect(2, DIMS({33, 1, 1000}, {1000, 33, 1}), 8, 8, "tile 8 B, 33x1000 [src 1,33 dst 1000,1]");
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

/* Bricks bring together runs that are only a few bytes long on both sides. */
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

/* Makes a packed array whose dimensions turn up in another order. */
struct shape {
    int rank;
    int64_t size[4];
    int order[4];
    uint32_t element;
    enum ssimcu_permute_path path;
};

static void expect_path(const struct shape *shape, enum ssimcu_permute_path plain_path)
{
    struct ssimcu_permute_dim dims[4];
    int64_t src = 1, dst = 1;
    for (int i = shape->rank - 1; i >= 0; i--) {
        dims[i].size = shape->size[i];
        dims[i].src_stride = src;
        src *= shape->size[i];
    }
    for (int i = shape->rank - 1; i >= 0; i--) {
        dims[shape->order[i]].dst_stride = dst;
        dst *= shape->size[shape->order[i]];
    }
    char text[256];
    const struct ssimcu_permute_plan plan = plan_of(shape->rank, dims, shape->element, 256);
    ssimcu_permute_plan_print(&plan, text, sizeof text);
    cr_assert_eq(plan.path, shape->path, "%s", text);
    cr_assert_eq(plan.plain_path, plain_path, "%s", text);
}

#define COPY SSIMCU_PERMUTE_COPY
#define SPLIT SSIMCU_PERMUTE_DEINTERLEAVE
#define JOIN SSIMCU_PERMUTE_INTERLEAVE
#define TILE SSIMCU_PERMUTE_TILE
#define BRICK SSIMCU_PERMUTE_BRICK
#define GENERIC SSIMCU_PERMUTE_GENERIC

/* The arrays of the benchmark's table take the paths that were tuned for them. */
Test(permute_plan, frames_and_matrices_keep_their_paths)
{
    static const struct shape shapes[] = {
        {4, {8, 2160, 3840, 3}, {0, 3, 1, 2}, 1, SPLIT},
        {3, {2160, 3840, 3}, {2, 0, 1}, 1, SPLIT},
        {4, {8, 2160, 3840, 3}, {0, 3, 1, 2}, 4, SPLIT},
        {4, {8, 3, 2160, 3840}, {0, 2, 3, 1}, 1, JOIN},
        {4, {8, 2160, 3840, 4}, {0, 3, 1, 2}, 1, SPLIT},
        {4, {8, 2160, 3840, 2}, {0, 3, 1, 2}, 1, SPLIT},
        {4, {8, 2160, 3840, 3}, {0, 3, 1, 2}, 2, SPLIT},
        {3, {16, 5792, 724}, {0, 2, 1}, 2, TILE},
        {3, {16, 5792, 724}, {0, 2, 1}, 4, TILE},
        {3, {16, 2896, 724}, {0, 2, 1}, 8, TILE},
        {3, {16, 1448, 724}, {0, 2, 1}, 16, TILE},
        {3, {16, 5792, 724}, {1, 0, 2}, 2, COPY},
        {3, {16, 5792, 724}, {1, 0, 2}, 4, COPY},
        {4, {2, 32, 1080, 1920}, {0, 2, 3, 1}, 1, JOIN},
        {4, {16, 4, 1080, 1920}, {0, 2, 3, 1}, 1, JOIN},
        {4, {2, 1080, 1920, 32}, {0, 3, 1, 2}, 1, SPLIT},
        {4, {16, 1080, 1920, 4}, {0, 3, 1, 2}, 1, SPLIT},
        {4, {8, 2160, 3841, 3}, {0, 3, 1, 2}, 1, SPLIT},
        {3, {2160, 3841, 3}, {2, 0, 1}, 1, SPLIT},
        {4, {8, 3, 2160, 3841}, {0, 2, 3, 1}, 1, JOIN},
        {3, {13, 5779, 727}, {0, 2, 1}, 1, TILE},
        {3, {13, 5779, 727}, {0, 2, 1}, 2, TILE},
        {3, {13, 5779, 727}, {0, 2, 1}, 4, TILE},
        {3, {13, 5779, 727}, {1, 0, 2}, 1, COPY},
        {3, {13, 5779, 727}, {1, 0, 2}, 2, COPY},
        {2, {8192, 8192}, {1, 0}, 4, TILE},
    };
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
        expect_path(&shapes[i], shapes[i].path);
}

/* Checks both sides of the limits up to which bricks were measured faster. */
Test(permute_plan, bricks_replace_the_paths_that_they_beat)
{
    static const struct {
        struct shape shape;
        enum ssimcu_permute_path plain_path;
    } cases[] = {
        {{3, {500, 101, 127}, {1, 0, 2}, 1, BRICK}, COPY},
        {{3, {500, 101, 129}, {1, 0, 2}, 1, COPY}, COPY},
        {{3, {500, 101, 31}, {1, 0, 2}, 4, BRICK}, COPY},
        {{3, {500, 101, 3}, {1, 0, 2}, 8, COPY}, COPY},
        {{2, {100001, 95}, {1, 0}, 1, BRICK}, TILE},
        {{2, {100001, 96}, {1, 0}, 1, TILE}, TILE},
        {{2, {100001, 255}, {1, 0}, 2, BRICK}, TILE},
        {{2, {100001, 256}, {1, 0}, 2, TILE}, TILE},
        {{2, {100001, 255}, {1, 0}, 4, BRICK}, TILE},
        {{2, {100001, 256}, {1, 0}, 4, TILE}, TILE},
        {{2, {100001, 40}, {1, 0}, 8, TILE}, TILE},
        {{3, {100003, 7, 5}, {0, 2, 1}, 4, BRICK}, GENERIC},
        {{3, {100003, 7, 5}, {0, 2, 1}, 8, BRICK}, GENERIC},
        {{3, {100003, 7, 5}, {0, 2, 1}, 16, GENERIC}, GENERIC},
        {{2, {1000001, 8}, {1, 0}, 1, SPLIT}, SPLIT},
        {{2, {1000001, 9}, {1, 0}, 1, BRICK}, SPLIT},
        {{2, {1000001, 9}, {1, 0}, 4, BRICK}, SPLIT},
        {{2, {1000001, 9}, {1, 0}, 8, SPLIT}, SPLIT},
        {{2, {7, 1000001}, {1, 0}, 1, JOIN}, JOIN},
        {{2, {8, 1000001}, {1, 0}, 1, BRICK}, JOIN},
        {{2, {8, 1000000}, {1, 0}, 1, JOIN}, JOIN},
        {{2, {9, 1000000}, {1, 0}, 1, BRICK}, JOIN},
        {{2, {9, 1000000}, {1, 0}, 2, JOIN}, JOIN},
        {{3, {500, 6, 511}, {0, 2, 1}, 4, BRICK}, JOIN},
        {{3, {500, 6, 512}, {0, 2, 1}, 4, JOIN}, JOIN},
        {{3, {500, 511, 4}, {0, 2, 1}, 4, SPLIT}, SPLIT},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        expect_path(&cases[i].shape, cases[i].plain_path);
}

/* A brick is not used if gaps leave it no longer runs. */
Test(permute_plan, gaps_keep_bricks_away)
{
    expect(3, DIMS({1000, 100 * 5, 100 * 4}, {100, 5, 4}, {4, 1, 1}), 1, 1,
           "copy 1 B, 100000x4 [src 5,1 dst 4,1]");
    expect(3, DIMS({500, 13 * 1000, 12 * 1000}, {1000, 13, 1}, {12, 1, 1000}), 1, 1,
           "deinterleave 1 B, 500x12x1000 [src 13000,1,13 dst 12000,1000,1]");
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
