/* Memory for the bytes of files: which piece the next file gets, and that no image gets one that
 * another has. */
#include "image/file_memory.h"

#include "image_file.h"

#include <criterion/criterion.h>

enum { MB = 1 << 20 };

static struct ssimcu_file_memory memory;

static void start(void) { ssimcu_file_memory_start(&memory); }

static void end(void) { ssimcu_file_memory_end(&memory); }

TestSuite(file_memory, .init = start, .fini = end);

static struct ssimcu_file_piece *take(size_t size)
{
    struct ssimcu_file_piece *const piece = ssimcu_file_memory_take(&memory, size);
    cr_assert(piece && piece->size >= size);
    return piece;
}

static void give(struct ssimcu_file_piece *piece) { ssimcu_file_memory_give(&memory, piece); }

Test(file_memory, the_next_file_gets_the_same)
{
    struct ssimcu_file_piece *const ref = take(4 * MB), *const out = take(MB);
    cr_assert_neq(ref, out);
    give(ref);
    give(out);
    cr_expect_eq(take(4 * MB + MB / 4), ref, "a little larger");
    cr_expect_eq(take(MB - MB / 4), out, "a little smaller");
    give(ref);
    give(out);
}

/* Otherwise each piece would become as large as the largest file. */
Test(file_memory, a_huge_file_does_not_keep_its_memory)
{
    struct ssimcu_file_piece *const huge = take(64 * MB), *const other = take(MB);
    give(huge);
    give(other);
    struct ssimcu_file_piece *const first = take(MB), *const second = take(MB);
    cr_expect_eq(first, other);
    cr_expect_leq(second->size, 2 * MB);
    cr_expect_null(memory.idle);
    give(first);
    give(second);
}

Test(file_memory, refuses_what_no_memory_has)
{
    cr_expect_null(ssimcu_file_memory_take(&memory, SIZE_MAX));
    cr_expect_null(ssimcu_file_memory_take(&memory, SIZE_MAX - 8));
}

Test(file_memory, images_that_are_open_at_once_have_their_own)
{
    static const char *const name[] = {"grey8_a.png", "grey8_b.png", "rgb10_a.dpx"};
    enum { COUNT = sizeof name / sizeof *name };
    ssimcu_image *image[COUNT];
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < COUNT; i++)
            cr_assert_eq(
                ssimcu_image_open_in(&memory, testdata(name[i]).text, NULL, &image[i], NULL),
                SSIMCU_OK);
        cr_assert(ssimcu_image_open_in(&memory, testdata("empty.png").text, NULL,
                                       &(ssimcu_image *){0}, NULL) != SSIMCU_OK);
        for (int i = 0; i < COUNT; i++) {
            ssimcu_frame frame = ssimcu_image_shape(image[i]), expected = {0};
            allocate_frame(&frame);
            cr_expect_eq(ssimcu_image_decode(image[i], &frame, NULL), SSIMCU_OK);
            cr_assert_eq(read_image(testdata(name[i]).text, NULL, &expected, NULL), SSIMCU_OK);
            cr_expect(same_pixels(&frame, &expected), "%s", name[i]);
            free(frame.data);
            free(expected.data);
            ssimcu_image_close(&image[i]);
        }
        int pieces = 0;
        for (struct ssimcu_file_piece *at = memory.idle; at; at = at->next) pieces++;
        cr_expect_leq(pieces, COUNT + 1);
    }
}
