/* ssimcu_permute and ssimcu_permute_async on all backends: random layouts against a loop that
 * follows the header's words, and everything that they must refuse. Destinations are poisoned:
 * every element must be written and nothing else. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */

#include "check.h"
#include "device.h"
#include "ssimcu_cuda.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { MOST_DIMS = 8, GUARD = 64, POISON = 0xA5, CASES = 20000 };

/* A layout, the strides that it means, and memory for it. */
struct example {
    ssimcu_permute_layout layout;
    int64_t size[MOST_DIMS]; /* the destination's sizes */
    int64_t src_stride[MOST_DIMS], dst_stride[MOST_DIMS];
    size_t src_bytes, dst_bytes; /* first to last element, and GUARD bytes around dst */
    size_t src_at, dst_at;       /* offsets of the first element, aligned to the element alone */
    uint8_t *src, *expected, *got;
};

static void shuffle(check_random *random, uint32_t *order, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) order[i] = i;
    for (uint32_t i = count; i-- > 1;) {
        const uint32_t j = check_between(random, 0, i), k = order[i];
        order[i] = order[j], order[j] = k;
    }
}

/* Makes dense strides, or gaps between the dimensions, which may be nested in any order. Sets
 * the layout's `given` too and returns the elements spanned. */
static int64_t lay_out(check_random *random, uint32_t rank, const int64_t *size, int64_t *stride,
                       int64_t *given)
{
    const bool dense = check_between(random, 0, 2) == 0;
    uint32_t nest[MOST_DIMS];
    int64_t step = 1, last = 0;
    shuffle(random, nest, rank);
    if (dense || check_between(random, 0, 1))
        for (uint32_t i = 0; i < rank; i++) nest[i] = i;
    for (uint32_t i = rank; i-- > 0;) {
        stride[nest[i]] = step;
        last += (size[nest[i]] - 1) * step;
        step *= size[nest[i]];
        if (!dense && check_between(random, 0, 3) == 0) step += check_between(random, 1, 7);
    }
    for (uint32_t i = 0; i < rank; i++) given[i] = dense ? 0 : stride[i];
    return last + 1;
}

/* Makes source windows that overlap: a dimension steps over less than what lies inside it. */
static int64_t overlap(check_random *random, struct example *e)
{
    const uint32_t rank = e->layout.rank, k = check_between(random, 0, rank - 1);
    int64_t last = 0;
    e->src_stride[k] = check_between(random, 1, 3);
    for (uint32_t i = 0; i < rank; i++) {
        e->layout.src_stride[i] = e->src_stride[i];
        last += (e->layout.size[i] - 1) * e->src_stride[i];
    }
    return last + 1;
}

static void make_memory(check_random *random, struct example *e, int64_t src_span, int64_t dst_span)
{
    const size_t element = e->layout.element;
    e->src_at = check_between(random, 0, 3) ? 0 : check_between(random, 0, 15) * element;
    e->dst_at = GUARD + (check_between(random, 0, 3) ? 0 : check_between(random, 0, 15) * element);
    e->src_bytes = e->src_at + (size_t)src_span * element;
    e->dst_bytes = e->dst_at + (size_t)dst_span * element + GUARD;
    e->src = aligned_alloc(64, (e->src_bytes + 63) / 64 * 64);
    e->expected = malloc(e->dst_bytes);
    e->got = aligned_alloc(64, (e->dst_bytes + 63) / 64 * 64);
    cr_assert(e->src && e->expected && e->got);
    for (size_t i = 0; i < e->src_bytes; i++) e->src[i] = (uint8_t)check_draw(random);
    memset(e->expected, POISON, e->dst_bytes);
}

static void free_example(struct example *e) { free(e->src), free(e->expected), free(e->got); }

/* Completes a layout that has its rank, element, sizes and order: strides, memory and the
 * expected result, element by element. */
static void complete(check_random *random, struct example *e)
{
    ssimcu_permute_layout *layout = &e->layout;
    const uint32_t rank = layout->rank;
    int64_t at[MOST_DIMS] = {0};
    layout->struct_size = sizeof *layout;
    for (uint32_t k = 0; k < rank; k++) e->size[k] = layout->size[layout->order[k]];
    int64_t src_span = lay_out(random, rank, layout->size, e->src_stride, layout->src_stride);
    if (check_between(random, 0, 19) == 0) src_span = overlap(random, e);
    make_memory(random, e, src_span,
                lay_out(random, rank, e->size, e->dst_stride, layout->dst_stride));
    for (;;) {
        int64_t from = 0, to = 0;
        for (uint32_t k = 0; k < rank; k++) {
            from += at[k] * e->src_stride[layout->order[k]];
            to += at[k] * e->dst_stride[k];
        }
        memcpy(e->expected + e->dst_at + to * layout->element,
               e->src + e->src_at + from * layout->element, layout->element);
        uint32_t k = rank;
        while (k > 0 && ++at[k - 1] == e->size[k - 1]) at[--k] = 0;
        if (k == 0) return;
    }
}

/* Makes a layout: mostly small, now and then large enough for the tiles, the blocks and the runs
 * of channels. */
static void random_example(check_random *random, struct example *e)
{
    static const int64_t sizes[] = {1,  2,  2,  3,  3,  4,  5,   7,   8,   11,   13,  16,
                                    17, 31, 32, 33, 64, 67, 131, 257, 521, 1031, 4099};
    const int64_t most = check_between(random, 0, 9) ? 1500 : 40000;
    int64_t count = 1;
    *e = (struct example){.layout = {.rank = check_between(random, 1, MOST_DIMS),
                                     .element = 1u << check_between(random, 0, 4)}};
    for (uint32_t i = 0; i < e->layout.rank; i++) {
        const int64_t size = sizes[check_between(random, 0, sizeof sizes / sizeof sizes[0] - 1)];
        e->layout.size[i] = count * size <= most ? size : 1;
        count *= e->layout.size[i];
    }
    uint32_t place[MOST_DIMS]; /* random, so that any dimension may be long */
    int64_t size[MOST_DIMS];
    shuffle(random, place, e->layout.rank);
    memcpy(size, e->layout.size, sizeof size);
    for (uint32_t i = 0; i < e->layout.rank; i++) e->layout.size[i] = size[place[i]];
    shuffle(random, e->layout.order, e->layout.rank);
    complete(random, e);
}

static const char *describe(const ssimcu_permute_layout *layout)
{
    static char text[1024];
    int used = snprintf(text, sizeof text, "element %u", layout->element);
    for (uint32_t i = 0; i < layout->rank; i++)
        used += snprintf(text + used, sizeof text - (size_t)used,
                         "; size %lld src %lld, order %u dst %lld", (long long)layout->size[i],
                         (long long)layout->src_stride[i], layout->order[i],
                         (long long)layout->dst_stride[i]);
    return text;
}

/* Runs the example; a `context` of NULL is the calling thread alone, or CUDA. */
static void check_example(ssimcu_device device, ssimcu_context *context, struct example *e)
{
    ssimcu_message message = {{0}};
    ssimcu_status status;
    memset(e->got, POISON, e->dst_bytes);
    if (device == SSIMCU_DEVICE_CPU)
        status =
            ssimcu_permute(context, &e->layout, e->got + e->dst_at, e->src + e->src_at, &message);
    else
        status = device_permute_async(&e->layout, e->got, e->dst_bytes, e->dst_at, e->src,
                                      e->src_bytes, e->src_at, &message);
    cr_assert_eq(status, SSIMCU_OK, "%s: %s", describe(&e->layout), message.text);
    cr_assert_eq(memcmp(e->expected, e->got, e->dst_bytes), 0, "src at %zu, dst at %zu, %s",
                 e->src_at, e->dst_at, describe(&e->layout));
}

BACKEND_TEST(permute_api, random_layouts)
{
    check_random random = {21};
    for (int i = 0; i < CASES; i++) {
        struct example e;
        random_example(&random, &e);
        check_example(device, NULL, &e);
        free_example(&e);
    }
}

/* These layouts are large enough for many tasks and for the writes that bypass the caches. */
BACKEND_TEST(permute_api, large_layouts)
{
    static const ssimcu_permute_layout large[] = {
        {.element = 1, .rank = 3, .size = {1201, 2503, 3}, .order = {2, 0, 1}},
        {.element = 4, .rank = 3, .size = {1080, 800, 3}, .order = {2, 0, 1}},
        {.element = 2, .rank = 3, .size = {1080, 500, 8}, .order = {2, 0, 1}},
        {.element = 1, .rank = 3, .size = {3, 1201, 2503}, .order = {1, 2, 0}},
        {.element = 2, .rank = 3, .size = {3, 1080, 1400}, .order = {1, 2, 0}},
        {.element = 8, .rank = 3, .size = {5, 540, 430}, .order = {1, 2, 0}},
        {.element = 1, .rank = 3, .size = {300, 1500, 19}, .order = {2, 0, 1}},
        {.element = 1, .rank = 3, .size = {32, 300, 901}, .order = {1, 2, 0}},
        {.element = 1, .rank = 2, .size = {4096, 2048}, .order = {1, 0}},
        {.element = 2, .rank = 2, .size = {2053, 2069}, .order = {1, 0}},
        {.element = 4, .rank = 3, .size = {3, 1031, 709}, .order = {0, 2, 1}},
        {.element = 16, .rank = 2, .size = {701, 809}, .order = {1, 0}},
        {.element = 4, .rank = 3, .size = {61, 211, 173}, .order = {1, 0, 2}},
        {.element = 4, .rank = 3, .size = {60007, 5, 7}, .order = {2, 0, 1}},
        {.element = 1, .rank = 1, .size = {9000001}, .order = {0}},
        {.element = 1,
         .rank = 8,
         .size = {2, 3, 64, 5, 7, 11, 16, 4},
         .order = {7, 2, 0, 5, 1, 6, 4, 3}},
    };
    static const uint32_t threads[] = {1, 2, 5};
    check_random random = {22};
    for (size_t i = 0; i < sizeof large / sizeof large[0]; i++) {
        struct example e = {.layout = large[i]};
        complete(&random, &e);
        check_example(device, NULL, &e);
        for (int t = 0; t < 3 && device == SSIMCU_DEVICE_CPU; t++) {
            const ssimcu_settings settings = {
                .struct_size = sizeof settings, .device = device, .threads = threads[t]};
            ssimcu_context *context = check_open(&settings);
            check_example(device, context, &e);
            ssimcu_close(&context);
        }
        free_example(&e);
    }
}

/* Offsets exceed 32 bits on both sides; memory that is not touched costs nothing. */
Test(permute_api, elements_far_apart)
{
    const int64_t gap = (INT64_C(1) << 32) + 5, apart = gap + 4096;
    const ssimcu_permute_layout layout = {.struct_size = sizeof layout,
                                          .rank = 2,
                                          .element = 1,
                                          .size = {2, 600},
                                          .order = {1, 0},
                                          .src_stride = {gap, 1},
                                          .dst_stride = {gap / 600, 1}};
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    uint8_t *src = mmap(NULL, (size_t)apart, PROT_READ | PROT_WRITE, flags, -1, 0);
    uint8_t *dst = mmap(NULL, (size_t)apart, PROT_READ | PROT_WRITE, flags, -1, 0);
    if (src == MAP_FAILED || dst == MAP_FAILED) cr_skip_test("no 8 GiB of address space");
    ssimcu_message message = {{0}};
    for (int64_t i = 0; i < 600; i++) src[i] = (uint8_t)(i % 251 + 1), src[gap + i] = (uint8_t)~i;
    cr_assert_eq(ssimcu_permute(NULL, &layout, dst, src, &message), SSIMCU_OK, "%s", message.text);
    for (int64_t i = 0; i < 600; i++) {
        cr_assert_eq(dst[i * (gap / 600)], (uint8_t)(i % 251 + 1));
        cr_assert_eq(dst[i * (gap / 600) + 1], (uint8_t)~i);
    }
    munmap(src, (size_t)apart);
    munmap(dst, (size_t)apart);
}

/* ---- Misuse ---- */

static const ssimcu_permute_layout GOOD = {
    .struct_size = sizeof GOOD, .rank = 3, .element = 4, .size = {4, 6, 3}, .order = {2, 0, 1}};

/* Both entries must refuse with a message that names the field, and write nothing. */
static void refused(const ssimcu_permute_layout *layout, void *dst, const void *src,
                    const char *word)
{
    ssimcu_message message[2] = {{{0}}};
    cr_assert_eq(ssimcu_permute(NULL, layout, dst, src, &message[0]), SSIMCU_ERROR_ARGUMENT,
                 "accepted, expected %s", word);
    cr_assert_eq(ssimcu_permute_async(layout, dst, src, NULL, &message[1]), SSIMCU_ERROR_ARGUMENT);
    for (int i = 0; i < 2; i++)
        cr_assert(strstr(message[i].text, word) && !strchr(message[i].text, '\n'), "%s: %s", word,
                  message[i].text);
}

static _Alignas(16) uint8_t memory[2][4096];

#define REFUSED(change, word)                                                                      \
    do {                                                                                           \
        ssimcu_permute_layout bad = GOOD;                                                          \
        change;                                                                                    \
        refused(&bad, memory[0], memory[1], word);                                                 \
    } while (0)

Test(permute_api, wrong_layouts_are_refused)
{
    memset(memory[0], POISON, sizeof memory[0]);
    refused(NULL, memory[0], memory[1], "layout is NULL");
    REFUSED(bad.struct_size = 0, "struct_size is 0");
    REFUSED(bad.struct_size++, "struct_size");
    REFUSED(bad.rank = 0, "rank is 0");
    REFUSED(bad.rank = 9, "rank is 9");
    REFUSED(bad.element = 0, "element is 0");
    REFUSED(bad.element = 3, "element is 3");
    REFUSED(bad.element = 32, "element is 32");
    REFUSED(bad.size[1] = 0, "size[1] is 0");
    REFUSED(bad.size[2] = -3, "size[2] is -3");
    REFUSED(bad.order[2] = 3, "order[2] is 3");
    REFUSED(bad.order[1] = 2, "order[1] is 2");
    REFUSED((bad.src_stride[0] = 18, bad.src_stride[1] = 3), "src_stride[2] is 0");
    REFUSED((bad.src_stride[0] = 18, bad.src_stride[1] = -3, bad.src_stride[2] = 1),
            "src_stride[1] is -3");
    REFUSED(bad.dst_stride[1] = 6, "dst_stride[2] is 0");
    for (size_t i = 0; i < sizeof memory[0]; i++) cr_assert_eq(memory[0][i], POISON);
}

#define STRIDES(field, a, b, c) bad.field[0] = (a), bad.field[1] = (b), bad.field[2] = (c)

/* The destination is 3 x 4 x 6. */
Test(permute_api, overlapping_elements_are_refused)
{
    memset(memory[0], POISON, sizeof memory[0]);
    REFUSED((STRIDES(dst_stride, 23, 6, 1)), "dst_stride[0] is 23");
    REFUSED((STRIDES(dst_stride, 24, 5, 1)), "dst_stride[1] is 5");
    REFUSED((STRIDES(dst_stride, 1, 1, 12)), "dst_stride[0] is 1");
    REFUSED((STRIDES(dst_stride, 1, 2, 11)), "dst_stride[1] is 2");
    REFUSED((STRIDES(dst_stride, 24, 6, 0)), "dst_stride[2] is 0");
    for (size_t i = 0; i < sizeof memory[0]; i++) cr_assert_eq(memory[0][i], POISON);
    ssimcu_permute_layout fine = GOOD;
    fine.dst_stride[0] = 1, fine.dst_stride[1] = 3, fine.dst_stride[2] = 12;
    cr_assert_eq(ssimcu_permute(NULL, &fine, memory[0], memory[1], NULL), SSIMCU_OK);
}

Test(permute_api, sizes_beyond_64_bits_are_refused)
{
    REFUSED(bad.size[0] = bad.size[1] = INT64_MAX, "beyond 64 bits");
    REFUSED((bad.size[0] = INT64_C(1) << 40, bad.size[1] = INT64_C(1) << 40), "beyond 64 bits");
    REFUSED(bad.size[0] = INT64_C(1) << 59, "beyond 64 bits");
    REFUSED((STRIDES(src_stride, INT64_MAX, 3, 1)), "src_stride[0]");
    REFUSED((STRIDES(src_stride, INT64_MAX / 3 - 1, 3, 1)), "src_stride[0]");
    REFUSED((STRIDES(dst_stride, INT64_MAX / 2, 6, 1)), "dst_stride[0]");
    /* a dimension of one element steps nowhere, whatever its stride */
    ssimcu_permute_layout fine = GOOD;
    fine.size[0] = 1;
    fine.src_stride[0] = INT64_MAX, fine.src_stride[1] = 3, fine.src_stride[2] = 1;
    cr_assert_eq(ssimcu_permute(NULL, &fine, memory[0], memory[1], NULL), SSIMCU_OK);
}

/* Each side holds 72 elements of 4 bytes. */
Test(permute_api, wrong_memory_is_refused)
{
    refused(&GOOD, NULL, memory[1], "dst is NULL");
    refused(&GOOD, memory[0], NULL, "src is NULL");
    refused(&GOOD, memory[0] + 2, memory[1], "dst is not aligned");
    refused(&GOOD, memory[0], memory[1] + 1, "src is not aligned");
    refused(&GOOD, memory[0], memory[0], "overlap");
    refused(&GOOD, memory[0], memory[0] + 284, "overlap");
    refused(&GOOD, memory[0] + 284, memory[0], "overlap");
    cr_assert_eq(ssimcu_permute(NULL, &GOOD, memory[0], memory[0] + 288, NULL), SSIMCU_OK);
    cr_assert_eq(ssimcu_permute(NULL, &GOOD, memory[0] + 288, memory[0], NULL), SSIMCU_OK);
    ssimcu_permute_layout bytes = GOOD;
    bytes.element = 1;
    refused(&bytes, memory[0] + 71, memory[0], "overlap");
    refused(&bytes, memory[0], memory[0] + 71, "overlap");
    cr_assert_eq(ssimcu_permute(NULL, &bytes, memory[0] + 72, memory[0], NULL), SSIMCU_OK);
}

/* The answer without CUDA, or without a device, is an error and no crash. */
Test(permute_api, no_device_is_an_error)
{
    uint32_t count;
    ssimcu_message message = {{0}};
    if (ssimcu_device_count(SSIMCU_DEVICE_CUDA, &count, NULL) == SSIMCU_OK)
        cr_skip_test("there is a CUDA device");
    cr_assert_eq(ssimcu_permute_async(&GOOD, memory[0], memory[1], NULL, &message),
                 SSIMCU_ERROR_DEVICE);
    cr_assert_eq(strncmp(message.text, "cuda: ", 6), 0, "%s", message.text);
}

/* Moves more than 2^31 elements, each of which is checked on the device. */
Test(permute_api, more_than_31_bits_cuda)
{
    static const ssimcu_permute_layout huge[] = {
        {.element = 1, .rank = 3, .size = {27000, 27200, 3}, .order = {2, 0, 1}},
        {.element = 1, .rank = 3, .size = {3, 27000, 27200}, .order = {1, 2, 0}},
        {.element = 1, .rank = 2, .size = {46349, 46351}, .order = {1, 0}},
        {.element = 1, .rank = 3, .size = {61356701, 5, 7}, .order = {0, 2, 1}},
        {.element = 1, .rank = 3, .size = {3, 23173, 30911}, .order = {1, 0, 2}},
        {.element = 1,
         .rank = 2,
         .size = {2, 1000},
         .order = {1, 0},
         .src_stride = {(INT64_C(1) << 31) + 3, 1}},
    };
    if (!check_has_cuda()) return;
    for (size_t i = 0; i < sizeof huge / sizeof huge[0]; i++) {
        ssimcu_permute_layout layout = huge[i];
        ssimcu_message message = {{0}};
        uint64_t wrong = 0;
        layout.struct_size = sizeof layout;
        const ssimcu_status status = device_permute_huge(&layout, &wrong, &message);
        if (status == SSIMCU_ERROR_MEMORY) cr_skip_test("%s", message.text);
        cr_assert_eq(status, SSIMCU_OK, "%s: %s", describe(&layout), message.text);
        cr_assert_eq(wrong, 0, "%s: %llu elements wrong", describe(&layout),
                     (unsigned long long)wrong);
    }
}
