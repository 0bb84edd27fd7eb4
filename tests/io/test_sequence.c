/* Frame numbers, patterns, directories, and which files of two sequences belong together. */
#include "scratch.h"
#include "sequence/sequence.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void make_directory(void)
{
    scratch_enter();
    cr_assert(mkdir("ref", 0777) == 0 && mkdir("out", 0777) == 0);
}

TestSuite(sequence, .init = make_directory, .fini = scratch_leave);

static void touch(const char *names)
{
    char copy[512], *rest = NULL;
    snprintf(copy, sizeof copy, "%s", names);
    for (char *name = strtok_r(copy, " ", &rest); name; name = strtok_r(NULL, " ", &rest)) {
        FILE *file = fopen(name, "w");
        cr_assert_not_null(file, "%s", name);
        fclose(file);
    }
}

static void expect_numbers(const ssimcu_ranges *ranges, const char *expected, const char *text)
{
    char got[256] = "";
    for (size_t i = 0; i < ranges->count; i++)
        snprintf(got + strlen(got), sizeof got - strlen(got), "%s%" PRId64, i ? " " : "",
                 ranges->number[i]);
    cr_assert_str_eq(got, expected, "%s", text);
}

static void expect_ranges(const char *text, const char *expected)
{
    ssimcu_ranges ranges;
    ssimcu_message why = {{0}};
    cr_assert_eq(ssimcu_ranges_parse(text, &ranges, &why), SSIMCU_OK, "%s: %s", text, why.text);
    expect_numbers(&ranges, expected, text);
    ssimcu_ranges_free(&ranges);
}

/* The last range may lack its end: its first frame is asked for, and what there is behind it. */
Test(sequence, ranges_without_an_end)
{
    static const struct {
        const char *text;
        size_t closed;
        int64_t in, out;
        size_t until_20;
    } rows[] = {{"0-", 1, INT64_C(1) << 33, -1, 20},
                {"0-x10", 1, 10, 11, 2},
                {"3-x4", 1, 7, 8, 5},
                {"1,5-7x2,9-x3", 4, 12, 10, 7},
                {"30-x5", 1, 35, 25, 1}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        ssimcu_ranges ranges, moved;
        cr_assert_eq(ssimcu_ranges_parse(rows[i].text, &ranges, NULL), SSIMCU_OK);
        cr_expect(ranges.count == SSIMCU_MAX_FRAMES &&
                  ranges.count - ranges.open == rows[i].closed);
        cr_expect(ssimcu_ranges_hold(&ranges, rows[i].in), "%s", rows[i].text);
        cr_expect_not(ssimcu_ranges_hold(&ranges, rows[i].out), "%s", rows[i].text);
        cr_expect_eq(ssimcu_ranges_until(&ranges, 20), rows[i].until_20, "%s", rows[i].text);
        cr_assert_eq(ssimcu_ranges_shift(&ranges, -4, &moved, NULL), SSIMCU_OK);
        cr_expect(moved.open <= moved.count && moved.number[moved.count - moved.open] >= 0);
        ssimcu_ranges_free(&ranges);
        ssimcu_ranges_free(&moved);
    }
}

/* An offset keeps every frame that does not fall below 0, down to 0 itself. */
Test(sequence, ranges_move)
{
    static const struct {
        const char *text;
        int64_t offset;
        const char *expected;
    } rows[] = {{"0", 0, "0"},
                {"0", -1, ""},
                {"2", -2, "0"},
                {"2", -3, ""},
                {"0-3", -1, "0 1 2"},
                {"0-3", -3, "0"},
                {"0-3", -4, ""},
                {"1-5x2,9", -1, "0 2 4 8"},
                {"1-5x2,9", -3, "0 2 6"},
                {"5-7x2,9", 4, "9 11 13"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        ssimcu_ranges ranges, moved;
        cr_assert_eq(ssimcu_ranges_parse(rows[i].text, &ranges, NULL), SSIMCU_OK);
        cr_assert_eq(ssimcu_ranges_shift(&ranges, rows[i].offset, &moved, NULL), SSIMCU_OK);
        expect_numbers(&moved, rows[i].expected, rows[i].text);
        ssimcu_ranges_free(&ranges);
        ssimcu_ranges_free(&moved);
    }
}

Test(sequence, ranges_are_sorted_or_refused)
{
    expect_ranges("0", "0");
    expect_ranges("5,1-3,2", "1 2 3 5");
    expect_ranges("1-10x3,120", "1 4 7 10 120");
    expect_ranges("7-7x9", "7");
    expect_ranges("2147483647", "2147483647"); /* the last number, in each place of a range */
    expect_ranges("2147483645-2147483647", "2147483645 2147483646 2147483647");
    expect_ranges("7-9x2147483647", "7");
    static const char *const bad[] = {
        "",      ",",    "1,",         "1-x",          "-1",
        "3-1",   "1-3x", "1-3x0",      "1x2",          "1 2",
        "1-3-5", "a",    "2147483648", "1-2147483648", "1-2x2147483648",
        "1-5:2", "1-,2", "1-x2,1-x2",  "5,1-",         "1-x0",
        "1-x2-9"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        ssimcu_ranges ranges;
        ssimcu_message why = {{0}};
        cr_assert_eq(ssimcu_ranges_parse(bad[i], &ranges, &why), SSIMCU_ERROR_ARGUMENT, "%s",
                     bad[i]);
        cr_assert_neq(why.text[0], '\0');
        cr_assert_null(ranges.number);
    }
    ssimcu_ranges ranges;
    cr_assert_eq(ssimcu_ranges_parse("0-1048575,20000000", &ranges, NULL), SSIMCU_ERROR_LIMIT);
    cr_assert_eq(ssimcu_ranges_parse("0-1048575", &ranges, NULL), SSIMCU_OK);
    cr_assert(ranges.count == 1 << 20 && ssimcu_ranges_hold(&ranges, 12345) &&
              !ssimcu_ranges_hold(&ranges, 1 << 20));
    ssimcu_ranges_free(&ranges);
}

static void expect_files(const ssimcu_sequence *sequence, const char *expected)
{
    char got[1024] = "";
    for (size_t i = 0; i < sequence->count; i++)
        snprintf(got + strlen(got), sizeof got - strlen(got), "%s%s=%" PRId64, i ? " " : "",
                 sequence->file[i].path, sequence->file[i].number);
    cr_assert_str_eq(got, expected);
}

Test(sequence, patterns_find_their_files)
{
    touch("f.0001.png f.0010.png f.10000.png f.00011.png f.1.png f.0002.png.tmp g.0001.png f..png");
    ssimcu_sequence sequence;
    cr_assert_eq(ssimcu_sequence_pattern("f.%04d.png", NULL, &sequence, NULL), SSIMCU_OK);
    expect_files(&sequence, "f.0001.png=1 f.0010.png=10 f.10000.png=10000");
    ssimcu_sequence_free(&sequence);
    cr_assert_eq(ssimcu_sequence_pattern("./f.####.png", NULL, &sequence, NULL), SSIMCU_OK);
    expect_files(&sequence, "./f.0001.png=1 ./f.0010.png=10 ./f.10000.png=10000");
    ssimcu_sequence_free(&sequence);
    cr_assert_eq(ssimcu_sequence_pattern("f.%d.png", NULL, &sequence, NULL), SSIMCU_OK);
    expect_files(&sequence, "f.1.png=1 f.10000.png=10000");
    ssimcu_sequence_free(&sequence);
    cr_assert_eq(ssimcu_sequence_pattern("h.%d.png", NULL, &sequence, NULL), SSIMCU_ERROR_FILE);
    cr_assert_eq(ssimcu_sequence_pattern("gone/h.%d.png", NULL, &sequence, NULL),
                 SSIMCU_ERROR_FILE);
    cr_assert_eq(ssimcu_sequence_pattern("%d/%d.png", NULL, &sequence, NULL),
                 SSIMCU_ERROR_ARGUMENT);
    cr_assert_eq(ssimcu_sequence_pattern("%d/a.png", NULL, &sequence, NULL), SSIMCU_ERROR_ARGUMENT);
}

/* A number may have more digits than the pattern, but no more zeros in front. Frame 0 is one. */
Test(sequence, patterns_find_frame_0)
{
    static const struct {
        const char *pattern, *expected;
    } rows[] = {{"z.%d.png", "z.0.png=0 z.7.png=7 z.10.png=10"},
                {"z.%01d.png", "z.0.png=0 z.7.png=7 z.10.png=10"},
                {"z.#.png", "z.0.png=0 z.7.png=7 z.10.png=10"},
                {"z.%02d.png", "z.00.png=0 z.07.png=7 z.10.png=10"},
                {"z.##.png", "z.00.png=0 z.07.png=7 z.10.png=10"},
                {"z.%03d.png", "z.000.png=0"},
                {"z.###.png", "z.000.png=0"}};
    touch("z.0.png z.00.png z.000.png z.7.png z.07.png z.10.png");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        ssimcu_sequence sequence;
        cr_assert_eq(ssimcu_sequence_pattern(rows[i].pattern, NULL, &sequence, NULL), SSIMCU_OK);
        expect_files(&sequence, rows[i].expected);
        ssimcu_sequence_free(&sequence);
    }
}

Test(sequence, patterns_expand)
{
    ssimcu_ranges ranges;
    ssimcu_sequence sequence;
    cr_assert_eq(ssimcu_ranges_parse("7,100-101", &ranges, NULL), SSIMCU_OK);
    cr_assert_eq(ssimcu_sequence_pattern("a/##/x.png", &ranges, &sequence, NULL), SSIMCU_OK);
    expect_files(&sequence, "a/07/x.png=7 a/100/x.png=100 a/101/x.png=101");
    ssimcu_sequence_free(&sequence);
    ssimcu_ranges_free(&ranges);
    static const char *const no[] = {"a.png", "100%.png", "%s.png", "%x.png", "%099d.png", "%"};
    for (size_t i = 0; i < sizeof no / sizeof no[0]; i++)
        cr_assert_not(ssimcu_sequence_is_pattern(no[i]), "%s", no[i]);
}

Test(sequence, directories_are_sorted_by_number)
{
    touch("ref/b2.PNG ref/a10.jpg ref/c.txt ref/.hidden.png ref/a9.jpeg ref/noext");
    ssimcu_sequence sequence;
    cr_assert_eq(ssimcu_sequence_directory("ref", &sequence, NULL), SSIMCU_OK);
    cr_assert(sequence.numbered);
    expect_files(&sequence, "ref/b2.PNG=2 ref/a9.jpeg=9 ref/a10.jpg=10");
    ssimcu_sequence_free(&sequence);
    touch("ref/z9.png ref/plain.png ref/123456789012345678901.png");
    cr_assert_eq(ssimcu_sequence_directory("ref/", &sequence, NULL), SSIMCU_OK);
    cr_assert_not(sequence.numbered);
    expect_files(&sequence, "ref/123456789012345678901.png=-1 ref/a10.jpg=10 ref/a9.jpeg=9 "
                            "ref/b2.PNG=2 ref/plain.png=-1 ref/z9.png=9");
    ssimcu_sequence_free(&sequence);
    cr_assert_eq(ssimcu_sequence_directory("out", &sequence, NULL), SSIMCU_ERROR_FILE);
    cr_assert_eq(ssimcu_sequence_directory("gone", &sequence, NULL), SSIMCU_ERROR_FILE);
}

/* Checks the pairs of ref/ and out/, written as "frame:ref>out ...". */
static ssimcu_status match(const char *ranges_text, bool shortest, char *got, size_t size)
{
    ssimcu_ranges ranges = {0};
    ssimcu_sequence ref, out;
    ssimcu_pairs pairs;
    if (ranges_text) cr_assert_eq(ssimcu_ranges_parse(ranges_text, &ranges, NULL), SSIMCU_OK);
    cr_assert_eq(ssimcu_sequence_directory("ref", &ref, NULL), SSIMCU_OK);
    cr_assert_eq(ssimcu_sequence_directory("out", &out, NULL), SSIMCU_OK);
    const ssimcu_status status =
        ssimcu_pairs_match(&ref, &out, ranges_text ? &ranges : NULL, shortest, &pairs, NULL);
    got[0] = '\0';
    for (size_t i = 0; i < pairs.count; i++) {
        const struct ssimcu_pair *pair = &pairs.pair[i];
        snprintf(got + strlen(got), size - strlen(got), "%s%" PRId64 ":%s>%s", i ? " " : "",
                 pair->frame, pair->ref ? pair->ref + 4 : "-", pair->out ? pair->out + 4 : "-");
    }
    ssimcu_pairs_free(&pairs);
    ssimcu_sequence_free(&ref);
    ssimcu_sequence_free(&out);
    ssimcu_ranges_free(&ranges);
    return status;
}

static void expect_match(const char *ranges, bool shortest, const char *expected)
{
    char got[1024];
    cr_assert_eq(match(ranges, shortest, got, sizeof got), SSIMCU_OK);
    cr_assert_str_eq(got, expected);
}

Test(sequence, match_by_number)
{
    touch("ref/a.1.png ref/a.2.png ref/a.4.png out/b9.png out/b2.png out/b1.png");
    expect_match(NULL, false, "1:a.1.png>b1.png 2:a.2.png>b2.png 4:a.4.png>- 9:->b9.png");
    expect_match(NULL, true, "1:a.1.png>b1.png 2:a.2.png>b2.png 4:a.4.png>-");
    expect_match("2-4", false, "2:a.2.png>b2.png 3:->- 4:a.4.png>-");
    expect_match("2-4", true, "2:a.2.png>b2.png");
}

Test(sequence, match_by_name)
{
    touch("ref/a1.png ref/b1.png ref/c.png out/b1.jpg out/d.png out/a1.png");
    expect_match(NULL, false, "0:a1.png>a1.png 1:b1.png>b1.jpg 2:c.png>- 3:->d.png");
    touch("out/c.jpeg out/c.jpg");
    char got[1024];
    cr_assert_eq(match(NULL, false, got, sizeof got), SSIMCU_ERROR_MISMATCH);
}

/* Numbers that two pairs share are no frames. */
Test(sequence, match_by_name_with_equal_numbers)
{
    touch("ref/a1.png ref/b1.png out/a1.png out/b1.png");
    expect_match(NULL, false, "0:a1.png>a1.png 1:b1.png>b1.png");
}

Test(sequence, match_of_nothing_in_common)
{
    touch("ref/a1.png ref/b1.png out/c1.png out/d2.png");
    char got[1024];
    cr_assert_eq(match(NULL, false, got, sizeof got), SSIMCU_ERROR_MISMATCH);
}

Test(sequence, the_last_digits_are_the_number)
{
    static const struct {
        const char *name;
        size_t start, end;
    } cases[] = {{"sh010.0001.png", 6, 10}, {"sh010_v2.0001.png", 9, 13}, {"f7_left.jpg", 1, 2},
                 {"a.png2", 0, 0},          {"plain.png", 0, 0},          {"12", 0, 2},
                 {"v2.mp4.png", 5, 6}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        size_t start, end;
        const bool any = ssimcu_sequence_digits(cases[i].name, &start, &end);
        cr_assert_eq(any, cases[i].end > 0, "%s", cases[i].name);
        if (any) cr_assert(start == cases[i].start && end == cases[i].end, "%s", cases[i].name);
    }
    size_t start, end;
    cr_assert_not(ssimcu_sequence_digits("1234567890123456789.png", &start, &end));
}

/* Numbers match files only if the names of a side differ in nothing else. */
Test(sequence, shots_are_not_mixed)
{
    touch("ref/sh010.1.png ref/sh010.2.png out/sh010_v2.0001.png out/sh010_v2.0002.png");
    expect_match(NULL, false, "1:sh010.1.png>sh010_v2.0001.png 2:sh010.2.png>sh010_v2.0002.png");
    static const char *const strays[] = {"out/sh020_v2.0003.png", "out/sh010_v3.0003.png",
                                         "out/sh010_v2.0003_left.png", "out/sh010_v2_0003.png"};
    for (size_t i = 0; i < sizeof strays / sizeof strays[0]; i++) {
        char got[1024];
        touch(strays[i]);
        cr_assert_eq(match(NULL, false, got, sizeof got), SSIMCU_ERROR_MISMATCH, "%s", strays[i]);
        cr_assert_eq(unlink(strays[i]), 0);
    }
    touch("out/sh010_v2.0003.JPG"); /* another extension is no other shot */
    expect_match("3", false, "3:->sh010_v2.0003.JPG");
}

/* Numbers of OUT become those of REF; what one side has before the other begins is left out. */
Test(sequence, an_offset_renumbers_out)
{
    static const struct {
        int64_t offset;
        bool keep;
        const char *ref, *out;
    } cases[] = {{1, false, "ref/a1.png=1 ref/a2.png=2", "out/a2.png=1 out/a3.png=2"},
                 {-1, false, "ref/a2.png=2", "out/a1.png=2 out/a2.png=3 out/a3.png=4"},
                 {2, false, "ref/a1.png=1 ref/a2.png=2", "out/a3.png=1"},
                 {2, true, "ref/a1.png=1 ref/a2.png=2", "out/a2.png=0 out/a3.png=1"},
                 {3, false, NULL, NULL},
                 {-2, false, NULL, NULL}};
    touch("ref/a1.png ref/a2.png out/a1.png out/a2.png out/a3.png");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ssimcu_sequence ref, out;
        ssimcu_pairs pairs;
        cr_assert_eq(ssimcu_sequence_directory("ref", &ref, NULL), SSIMCU_OK);
        cr_assert_eq(ssimcu_sequence_directory("out", &out, NULL), SSIMCU_OK);
        const ssimcu_status status =
            ssimcu_sequence_offset(&ref, &out, cases[i].offset, cases[i].keep, NULL);
        cr_assert_eq(status, cases[i].ref ? SSIMCU_OK : SSIMCU_ERROR_MISMATCH, "%zu", i);
        if (cases[i].ref) {
            expect_files(&ref, cases[i].ref);
            expect_files(&out, cases[i].out);
            cr_assert_eq(ssimcu_pairs_match(&ref, &out, NULL, false, &pairs, NULL), SSIMCU_OK);
            for (size_t p = 0; p < pairs.count; p++)
                if (pairs.pair[p].ref && pairs.pair[p].out)
                    cr_assert_eq(pairs.pair[p].out[5] - pairs.pair[p].ref[5], cases[i].offset);
            ssimcu_pairs_free(&pairs);
        }
        ssimcu_sequence_free(&ref);
        ssimcu_sequence_free(&out);
    }
    ssimcu_sequence ref, out;
    touch("out/z.png");
    cr_assert_eq(ssimcu_sequence_directory("ref", &ref, NULL), SSIMCU_OK);
    cr_assert_eq(ssimcu_sequence_directory("out", &out, NULL), SSIMCU_OK);
    cr_assert_eq(ssimcu_sequence_offset(&ref, &out, 1, false, NULL), SSIMCU_ERROR_ARGUMENT);
    ssimcu_sequence_free(&ref);
    ssimcu_sequence_free(&out);
}

/* Parts are matched and numbered each by itself. */
Test(sequence, folders_of_a_tree_match_by_themselves)
{
    cr_assert(mkdir("ref/b", 0777) == 0 && mkdir("ref/b/c", 0777) == 0 &&
              mkdir("ref/a", 0777) == 0);
    cr_assert(mkdir("out/b", 0777) == 0 && mkdir("out/b/c", 0777) == 0 &&
              mkdir("out/.h", 0777) == 0);
    touch(
        "ref/z.png ref/b/f10.png ref/b/f9.png ref/b/c/x.png ref/a/1.png out/z.jpg out/b/v2_10.png "
        "out/b/v2_9.png out/b/c/x.png out/b/c/y.png out/.h/1.png out/b/note.txt");
    cr_assert(symlink(".", "out/b/loop") == 0 && mkfifo("out/b/pipe1.png", 0777) == 0);
    static const char *const expected[] = {
        "0 . ref/z.png out/z.jpg",           "1 a ref/a/1.png -",
        "9 b ref/b/f9.png out/b/v2_9.png",   "10 b ref/b/f10.png out/b/v2_10.png",
        "0 b/c ref/b/c/x.png out/b/c/x.png", "1 b/c - out/b/c/y.png"};
    ssimcu_sequence ref, out;
    ssimcu_pairs pairs;
    cr_assert_eq(ssimcu_sequence_tree("ref", &ref, NULL), SSIMCU_OK);
    cr_assert_eq(ssimcu_sequence_tree("out/", &out, NULL), SSIMCU_OK);
    cr_assert_eq(ssimcu_pairs_match(&ref, &out, NULL, false, &pairs, NULL), SSIMCU_OK);
    cr_assert_eq(pairs.count, 6u);
    for (size_t i = 0; i < 6; i++) {
        const struct ssimcu_pair *pair = &pairs.pair[i];
        char got[128];
        snprintf(got, sizeof got, "%" PRId64 " %s %s %s", pair->frame, pair->shot,
                 pair->ref ? pair->ref : "-", pair->out ? pair->out : "-");
        cr_assert_str_eq(got, expected[i]);
    }
    ssimcu_pairs_free(&pairs);
    ssimcu_sequence_free(&ref);
    ssimcu_sequence_free(&out);
    touch("ref/b/other.png");
    cr_assert_eq(ssimcu_sequence_tree("ref", &ref, NULL), SSIMCU_OK);
    cr_assert_eq(ssimcu_sequence_tree("out", &out, NULL), SSIMCU_OK);
    cr_assert_eq(ssimcu_pairs_match(&ref, &out, NULL, false, &pairs, NULL), SSIMCU_ERROR_MISMATCH);
    ssimcu_sequence_free(&ref);
    ssimcu_sequence_free(&out);
    cr_assert_eq(ssimcu_sequence_tree("gone", &ref, NULL), SSIMCU_ERROR_FILE);
    cr_assert_eq(ssimcu_sequence_tree("out/.h", &ref, NULL), SSIMCU_OK); /* hidden, but named */
    ssimcu_sequence_free(&ref);
}

/* The sequence is large, and its directory lists it in another order. */
Test(sequence, three_thousand_pairs_match)
{
    char name[64];
    for (int i = 0; i < 3000; i++) {
        snprintf(name, sizeof name, "ref/x%d.png out/y%05d.png", i * 7919 % 3000, i);
        touch(name);
    }
    ssimcu_sequence ref, out;
    ssimcu_pairs pairs;
    cr_assert_eq(ssimcu_sequence_directory("ref", &ref, NULL), SSIMCU_OK);
    cr_assert_eq(ssimcu_sequence_directory("out", &out, NULL), SSIMCU_OK);
    cr_assert_eq(ssimcu_pairs_match(&ref, &out, NULL, false, &pairs, NULL), SSIMCU_OK);
    cr_assert_eq(pairs.count, 3000u);
    for (int i = 0; i < 3000; i++) {
        cr_assert_eq(pairs.pair[i].frame, i);
        snprintf(name, sizeof name, "ref/x%d.png", i);
        cr_assert_str_eq(pairs.pair[i].ref, name);
        snprintf(name, sizeof name, "out/y%05d.png", i);
        cr_assert_str_eq(pairs.pair[i].out, name);
    }
    ssimcu_pairs_free(&pairs);
    ssimcu_sequence_free(&ref);
    ssimcu_sequence_free(&out);
}
