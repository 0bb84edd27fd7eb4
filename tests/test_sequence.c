/* Frame numbers, patterns, directories, and which files of two sequences belong together. */
#include "sequence/sequence.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char directory[] = "/tmp/ssimcu-test-sequence-XXXXXX";

static void make_directory(void)
{
    cr_assert(mkdtemp(directory) && chdir(directory) == 0);
    cr_assert(mkdir("ref", 0777) == 0 && mkdir("out", 0777) == 0);
}

static void remove_directory(void)
{
    char command[64];
    snprintf(command, sizeof command, "rm -r '%s'", directory);
    cr_expect(system(command) == 0);
}

TestSuite(sequence, .init = make_directory, .fini = remove_directory);

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

static void expect_ranges(const char *text, const char *expected)
{
    ssimcu_ranges ranges;
    ssimcu_message why = {{0}};
    char got[256] = "";
    cr_assert_eq(ssimcu_ranges_parse(text, &ranges, &why), SSIMCU_OK, "%s: %s", text, why.text);
    for (size_t i = 0; i < ranges.count; i++)
        snprintf(got + strlen(got), sizeof got - strlen(got), "%s%" PRId64, i ? " " : "",
                 ranges.number[i]);
    cr_assert_str_eq(got, expected, "%s", text);
    ssimcu_ranges_free(&ranges);
}

Test(sequence, ranges)
{
    expect_ranges("0", "0");
    expect_ranges("5,1-3,2", "1 2 3 5");
    expect_ranges("1-10x3,120", "1 4 7 10 120");
    expect_ranges("7-7x9", "7");
    static const char *const bad[] = {"",      ",",   "1,",  "1-",    "-1", "3-1",        "1-3x",
                                      "1-3x0", "1x2", "1 2", "1-3-5", "a",  "2147483648", "1-5:2"};
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

Test(sequence, directories)
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

/* Pairs of ref/ and out/ as "frame:ref>out ...". */
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

/* A sequence that is large, in a directory order that is not its own. */
Test(sequence, match_many)
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
