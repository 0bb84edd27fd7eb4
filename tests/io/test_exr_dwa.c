/* io/exr/dwa.c: the counters of chunks made here. No sample is decoded. */
#include "structure.h"

#include <criterion/criterion.h>
#include <string.h>
#include <zlib.h>

enum { DWAA = 8, DWAB = 9, WIDTH = 33, ROWS = 21, PIXELS = WIDTH * ROWS, BLOCKS = 5 * 3 };

/* The counters by their places. */
enum {
    VERSION,
    UNKNOWN_SIZE,
    UNKNOWN_PACKED,
    AC_PACKED,
    RLE_RAW = 7,
    AC_COUNT,
    DC_COUNT,
    COUNTERS = 11
};

/* "A" half, "B" half, "b.G" float, "id" uint, "m" half and subsampled. */
static const uint8_t list[] = "A\0\1\0\0\0\0\0\0\0\1\0\0\0\1\0\0\0"
                              "B\0\1\0\0\0\0\0\0\0\1\0\0\0\1\0\0\0"
                              "b.G\0\2\0\0\0\0\0\0\0\1\0\0\0\1\0\0\0"
                              "id\0\0\0\0\0\0\0\0\0\1\0\0\0\1\0\0\0"
                              "m\0\1\0\0\0\0\0\0\0\2\0\0\0\2\0\0\0";
enum { SUBSAMPLED = 17 * 11 };

static struct {
    uint8_t file[1 << 14];
    size_t rules; /* bytes of the rules, their size among them */
    uint64_t counter[COUNTERS];
    uint32_t unknown; /* bytes that are deflated */
    uint32_t compression;
} made;

static ssimcu_status check(char *text)
{
    static const uint8_t bytes[PIXELS * 16]; /* more than all channels have */
    uint8_t *const chunk = made.file + 16;
    uLongf packed = sizeof made.file - 1024; /* the rest is for what stands in front */
    cr_assert(made.unknown <= sizeof bytes);
    cr_assert_eq(compress(chunk + COUNTERS * 8 + made.rules, &packed, bytes, made.unknown), Z_OK);
    if (made.counter[UNKNOWN_PACKED] == 0) made.counter[UNKNOWN_PACKED] = packed;
    memcpy(chunk, made.counter, sizeof made.counter);
    const uint32_t size = (uint32_t)(COUNTERS * 8 + made.rules + packed);
    memcpy(made.file + 12, &size, 4);
    memcpy(made.file, &(uint64_t){8}, 8);
    struct ssimcu_exr_task task = {
        .bytes = made.file, .size = 16 + size, .facts.data = {2, 4, 2 + WIDTH - 1, 4 + ROWS - 1}};
    const struct ssimcu_exr_picture picture = {.chunk_count = 1,
                                               .chunk_width = WIDTH,
                                               .chunk_rows = ROWS,
                                               .compression = made.compression,
                                               .chunk_head = 4,
                                               .offsets = made.file,
                                               .channels = {list, sizeof list}};
    const ssimcu_status status = ssimcu_exr_dwa_check(&task, &picture);
    if (text) strcpy(text, task.text);
    return status;
}

/* Sets rules in their stored form, and the counters that fit them. */
static void set(uint64_t version, const char *rules, size_t size, uint32_t unknown, uint64_t rle,
                uint64_t blocks)
{
    memset(&made, 0, sizeof made);
    made.compression = DWAA;
    made.unknown = unknown;
    made.counter[VERSION] = version;
    made.counter[UNKNOWN_SIZE] = unknown;
    made.counter[RLE_RAW] = rle;
    made.counter[DC_COUNT] = blocks;
    if (version < 2) return;
    made.rules = 2 + size;
    made.file[16 + COUNTERS * 8] = (uint8_t)made.rules;
    memcpy(made.file + 16 + COUNTERS * 8 + 2, rules, size);
}

#define SET(version, rules, ...) set(version, rules, sizeof(rules) - 1, __VA_ARGS__)

/* Names and types; A runs of bytes, B and G lossy. */
#define RULES "A\0\x08\1B\0\x34\1G\0\x24\2"
enum { UNKNOWN = PIXELS * 4 + SUBSAMPLED * 2, RUNS = PIXELS * 2 };

Test(exr_dwa, counters_follow_the_rules)
{
    static const struct {
        const char *what, *rules;
        size_t size;
        uint32_t unknown, rle, blocks;
    } rows[] = {
        {"as OpenEXR writes them", RULES, sizeof RULES - 1, UNKNOWN, RUNS, 2 * BLOCKS},
        {"no rules", "", 0, UNKNOWN + PIXELS * 8, 0, 0},
        {"another type", "B\0\x34\2", 4, UNKNOWN + PIXELS * 8, 0, 0},
        {"another case", "b\0\x34\1", 4, UNKNOWN + PIXELS * 8, 0, 0},
        {"any case", "b\0\x35\1", 4, UNKNOWN + PIXELS * 6, 0, BLOCKS},
        {"a whole name", "b.G\0\x24\2", 6, UNKNOWN + PIXELS * 8, 0, 0},
        {"the last one counts", "B\0\x34\1B\0\x08\1", 8, UNKNOWN + PIXELS * 6, RUNS, 0},
        {"subsampled", "m\0\x04\1", 4, PIXELS * 12, 0, 3 * 2},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        set(2, rows[i].rules, rows[i].size, rows[i].unknown, rows[i].rle, rows[i].blocks);
        cr_expect_eq(check(NULL), SSIMCU_OK, "%s", rows[i].what);
    }
}

Test(exr_dwa, old_versions_know_names)
{
    for (uint64_t version = 0; version < 2; version++) {
        SET(version, "", UNKNOWN, RUNS, 2 * BLOCKS);
        cr_expect_eq(check(NULL), SSIMCU_OK);
    }
}

Test(exr_dwa, refuses_counters_that_are_wrong)
{
    static const int counters[] = {UNKNOWN_SIZE, RLE_RAW, DC_COUNT};
    for (uint32_t compression = DWAA; compression <= DWAB; compression++)
        for (int i = 0; i < 3; i++)
            for (int more = -1; more <= 1; more++) {
                char text[SSIMCU_EXR_TEXT];
                SET(2, RULES, UNKNOWN, RUNS, 2 * BLOCKS);
                made.compression = compression;
                made.counter[counters[i]] += (uint64_t)more;
                cr_expect_eq(check(text), more ? SSIMCU_ERROR_DATA : SSIMCU_OK);
                if (more)
                    cr_expect_str_eq(text, "damaged EXR (chunk 1 of 1 does not hold its pixels)");
            }
    SET(2, RULES, UNKNOWN, RUNS, 0);
    made.compression = 3; /* ZIP has no counters */
    cr_expect_eq(check(NULL), SSIMCU_OK);
}

Test(exr_dwa, refuses_data_that_is_not_there)
{
    SET(2, RULES, UNKNOWN, RUNS, 2 * BLOCKS);
    made.unknown--;
    cr_expect_eq(check(NULL), SSIMCU_ERROR_DATA);
    SET(2, RULES, UNKNOWN, RUNS, 2 * BLOCKS);
    made.counter[UNKNOWN_PACKED] = 1 << 20;
    cr_expect_eq(check(NULL), SSIMCU_ERROR_DATA);
    SET(2, RULES, UNKNOWN, RUNS, 2 * BLOCKS);
    made.counter[AC_COUNT] = 1;
    cr_expect_eq(check(NULL), SSIMCU_ERROR_DATA);
    made.counter[AC_PACKED] = 1;
    cr_expect_eq(check(NULL), SSIMCU_OK);
}

Test(exr_dwa, refuses_damaged_rules)
{
    static const uint8_t sizes[] = {0, 1, 255};
    for (int i = 0; i < 3; i++) {
        SET(2, RULES, UNKNOWN, RUNS, 2 * BLOCKS);
        made.file[16 + COUNTERS * 8] = sizes[i];
        cr_expect_eq(check(NULL), SSIMCU_ERROR_DATA, "%u", sizes[i]);
    }
    SET(2, "B\0\x34", UNKNOWN + PIXELS * 8, 0, 0);
    cr_expect_eq(check(NULL), SSIMCU_ERROR_DATA, "a rule without its type");
    SET(2, "B", UNKNOWN + PIXELS * 8, 0, 0);
    cr_expect_eq(check(NULL), SSIMCU_ERROR_DATA, "a name without an end");
    SET(2, "B\0\x3c\1", UNKNOWN + PIXELS * 6, 0, 0);
    cr_expect_eq(check(NULL), SSIMCU_ERROR_DATA, "no such method");
}
