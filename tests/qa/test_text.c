/* Texts of results: UTF-8, escapes, digits, names of frames, XML, and small parts of a record. */
#include "check.h"

#include "base/overwrite_guard.h"
#include "base/text.h"
#include "base/xml.h"
#include "put_hints.h"
#include "record/record.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- Characters ------------------------------------------------------------------------------ */

/* Bytes, whether they are UTF-8, and what is shown of them. */
static const struct {
    const char *text;
    bool utf8;
    const char *shown;
} texts[] = {
    {"", true, ""},
    {"a~ \\", true, "a~ \\"},
    {"\x01\n\x1f\x7f", true, "\\x01\\n\\x1F\\x7F"},
    {"\xc2\x80\xc2\x9f\xc2\xa0", true, "\\xC2\\x80\\xC2\\x9F\xc2\xa0"}, /* control characters */
    {"\xc1\xbf", false, "\\xC1\\xBF"},                                  /* too long a form */
    {"\xdf\xbf\xe0\xa0\x80", true, "\xdf\xbf\xe0\xa0\x80"},
    {"\xe0\x9f\xbf", false, "\\xE0\\x9F\\xBF"},
    {"\xed\x9f\xbf\xee\x80\x80", true, "\xed\x9f\xbf\xee\x80\x80"},
    {"\xed\xa0\x80", false, "\\xED\\xA0\\x80"}, /* surrogates */
    {"\xed\xbf\xbf", false, "\\xED\\xBF\\xBF"},
    {"\xef\xbf\xbf\xf0\x90\x80\x80", true, "\xef\xbf\xbf\xf0\x90\x80\x80"},
    {"\xf0\x8f\xbf\xbf", false, "\\xF0\\x8F\\xBF\\xBF"},
    {"\xf4\x8f\xbf\xbf", true, "\xf4\x8f\xbf\xbf"},
    {"\xf4\x90\x80\x80", false, "\\xF4\\x90\\x80\\x80"}, /* above U+10FFFF */
    {"\xf5\x80\x80\x80", false, "\\xF5\\x80\\x80\\x80"},
    {"\x80", false, "\\x80"},
    {"a\xe5\x86", false, "a\\xE5\\x86"}, /* cut */
    {"\xc3(", false, "\\xC3("},
    {"\xe5\x86(\xe5(\x86", false, "\\xE5\\x86(\\xE5(\\x86"},
};

Test(text, characters)
{
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        char shown[200];
        cr_expect_eq(text_is_utf8(texts[i].text), texts[i].utf8, "text %zu", i);
        cr_expect_eq(text_escape(shown, texts[i].text), shown + strlen(texts[i].shown));
        cr_expect_str_eq(shown, texts[i].shown, "text %zu: %s", i, shown);
    }
}

static void expect_xml(const char *text, const char *expected)
{
    char *got = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&got, &size);
    xml_attribute(to, "n", text);
    fclose(to);
    cr_expect_str_eq(got, expected, "%s", got);
    free(got);
}

/* Long texts are written in pieces, none of which ends within a character. */
Test(text, xml)
{
    expect_xml("<a href='&'>\"", " n=\"&lt;a href=&#39;&amp;&#39;&gt;&quot;\"");
    expect_xml("\t\n\r\x02", " n=\"\\x09\\n\\x0D\\x02\"");
    expect_xml("\xef\xbf\xbd\xef\xbf\xbe\xef\xbf\xbf.", " n=\"\xef\xbf\xbd??.\"");
    for (size_t before = 250; before < 260; before++) {
        char text[600], expected[620];
        memset(text, 'x', before);
        strcpy(text + before, "\xf0\x9f\x98\x80\xe5\x86\x99\xc3\xa9<");
        snprintf(expected, sizeof expected, " n=\"%.*s&lt;\"", (int)before + 9, text);
        expect_xml(text, expected);
    }
    expect_xml("\x80\x80\x80\x80\x80", " n=\"\\x80\\x80\\x80\\x80\\x80\"");
}

/* ---- Numbers and names ----------------------------------------------------------------------- */

Test(text, digits_and_names)
{
    char digits[TEXT_DIGITS], name[TEXT_FRAME], shot[TEXT_FRAME - 30] = "", expected[TEXT_FRAME];
    cr_expect_str_eq(text_digits(digits, 1), "1.000000000");
    cr_expect_str_eq(text_digits(digits, 0.9999999999), "0.999999999");
    cr_expect_str_eq(text_digits(digits, 0.9999999994), "0.999999999");
    cr_expect_str_eq(text_digits(digits, -0.5), "-0.500000000");
    cr_expect_str_eq(text_frame(name, NULL, -7), "-7");
    cr_expect_str_eq(text_frame(name, ".", 7), "7");
    cr_expect_str_eq(text_frame(name, "sh", 7), "sh/7");
    memset(shot, 'p', TEXT_FRAME - 32);
    snprintf(expected, sizeof expected, "%s/7", shot);
    cr_expect_str_eq(text_frame(name, shot, 7), expected, "it fits");
    memset(shot, 'p', TEXT_FRAME - 31);
    shot[0] = 'q';
    snprintf(expected, sizeof expected, "...%s/7", shot + 1);
    cr_expect_str_eq(text_frame(name, shot, 7), expected, "its beginning is cut");
    cr_expect_str_eq(text_base("a/b/c"), "c");
    cr_expect_str_eq(text_base("c"), "c");
    cr_expect_str_eq(text_base("a/"), "");
    char *joined = text_join("a", "/", "", "bc");
    cr_expect_str_eq(joined, "a/bc");
    free(joined);
}

/* ---- Parts of a record ----------------------------------------------------------------------- */

Test(text, order_of_frames)
{
    cr_expect_eq(record_order(NULL, 2, NULL, 2), 0);
    cr_expect_eq(record_order(NULL, 1, NULL, 2), -1);
    cr_expect_eq(record_order("a", 3, "a", 2), 1);
    cr_expect_eq(record_order(NULL, 9, "a", 1), -1);
    cr_expect_eq(record_order("b", 1, "a", 9), 1);
    cr_expect_eq(record_order("", 1, NULL, 1), 0);
}

/* A hint is a finding of the kind that its first word names, whole; no other word is a hint. */
Test(text, kinds_of_hints)
{
    static const enum finding_kind kinds[] = {FINDING_SHIFT, FINDING_GAIN, FINDING_BLACK};
    struct record record = {0};
    put_hints(&record, "shift +1 +0; gain r 0.9; black; blackish; framed +1; ; blac");
    cr_assert_eq(record.findings.count, 3u);
    for (int i = 0; i < 3; i++) {
        const struct finding *found = &record.findings.at[i];
        cr_expect(found->kind == kinds[i] && !found->fails && found->place.width == 0, "%d", i);
        cr_expect(isnan(found->value) && isnan(found->limit), "%d", i);
    }
    cr_expect_str_eq(record.findings.at[1].text, "gain r 0.9");
    record_clear(&record);
}

/* Channels that one side or both leave out are named once; those that are compared are not. */
Test(text, channels_that_are_not_compared)
{
    static const struct {
        const char *ref, *out, *left;
    } rows[] = {{"*R\n*G\n A\n", "*R\n*G\n A\n Z\n", "A\nZ"},
                {" A\n N.x\n", "*A\n N.xy\n", "A\nN.x\nN.xy"},
                {"*R\n", "*R\n", NULL},
                {NULL, " A\n", "A"},
                {" A\n", NULL, "A"},
                {NULL, NULL, NULL},
                {"*A\n", " A\n", NULL},
                {" AB\n", " A\n", "AB\nA"}};
    struct record record = {0};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        cr_assert(record_leave(&record, (const char *const[]){rows[i].ref, rows[i].out}));
        const char *left = record.text[RECORD_LEFT];
        cr_expect_eq(left != NULL, rows[i].left != NULL, "row %zu", i);
        if (left) cr_expect_str_eq(left, rows[i].left, "row %zu: %s", i, left);
    }
    record_clear(&record);
}

Test(text, light_of_two_frames)
{
    const ssimcu_frame byte = {.width = 10, .height = 5, .bits = 8},
                       half = {.width = 10, .height = 5, .bits = SSIMCU_BITS_F16};
    ssimcu_score score = SSIMCU_INIT(score);
    ssimcu_light_share light[2] = {{.outside = 0.5}};
    score.light[0].clamped = 10, score.light[1].clamped = 5, score.light[1].not_finite = 3;
    record_light(light, (const ssimcu_frame *const[]){&byte, &half}, &score);
    cr_expect(!light[0].known && light[0].clamped == 0.2 && light[0].outside == 0.5);
    cr_expect(light[1].known && light[1].clamped == 0.1 && light[1].not_finite == 3);
    cr_expect_eq(record_clamped(light), 0.2);
    light[1].clamped = 0.25;
    cr_expect_eq(record_clamped(light), 0.25);
}

/* A frame that failed is not missing, whatever comes after; both sides may be missing. */
Test(text, what_became_of_a_frame)
{
    struct record record = {0};
    cr_expect_str_eq(record_status(&record), "ok");
    record_miss(&record, 1);
    cr_expect_str_eq(record_status(&record), "missing");
    cr_expect_str_eq(record_missing(&record), "out");
    record_miss(&record, 0);
    cr_expect_str_eq(record_missing(&record), "both");
    record.missing[1] = false;
    cr_expect_str_eq(record_missing(&record), "ref");
    record_fail(&record, SSIMCU_ERROR_DATA, &(ssimcu_message){"cut"});
    record_miss(&record, 1);
    cr_expect_str_eq(record_status(&record), "data");
    cr_expect_str_eq(record.message.text, "cut");
}

/* ---- Files ----------------------------------------------------------------------------------- */

static void put_file(const char *name, const char *text)
{
    FILE *to = fopen(name, "we");
    cr_assert(to && fputs(text, to) >= 0 && fclose(to) == 0);
}

/* The first bytes tell what may be replaced; `half`: also if a killed run has left the file. */
Test(text, files_that_may_be_replaced)
{
    static const struct {
        const char *text;
        bool allowed, half;
    } files[] = {{"", true, true},
                 {"{", false, true},
                 {"x", false, false},
                 {"f", false, true},
                 {"{\"type\":\"batch\"", false, true},
                 {"{\"type\":\"batch\",", true, true},
                 {"{\"type\":\"batch\",\"a\":1}\n", true, true},
                 {"{\"type\":\"frame\",", false, false},
                 {"{\n", false, false},
                 {"frame,status,score,", true, true},
                 {"frame,status,scor", false, true},
                 {"frame,status,scores", false, false}};
    char name[] = "/tmp/ssimcu-test-text-XXXXXX";
    ssimcu_message why = {{0}};
    cr_assert(mkdtemp(name) && chdir(name) == 0);
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        put_file("f.x", files[i].text);
        cr_expect_eq(guard_allows_results("f.x", false), files[i].allowed, "file %zu", i);
        cr_expect_eq(guard_allows_results("f.x", true), files[i].half, "file %zu", i);
        cr_expect_eq(guard_check("f", ".x", true, NULL) == SSIMCU_OK, files[i].half, "%zu", i);
    }
    cr_expect(guard_allows_results(".", false) && guard_allows_results("none", false));
    static const char *const other[] = {"verdict", NULL}, *const own[] = {"frame,", NULL};
    static const struct atomic_file_kind verdict = {.name = "a verdict", .starts = other},
                                         frames = {.name = "frames", .starts = own};
    cr_expect_eq(guard_remove("f.x", &verdict, &why), SSIMCU_ERROR_WRITE);
    cr_expect_str_eq(why.text, "f.x exists and is not a verdict; it was not overwritten");
    cr_expect(guard_remove(".", &frames, NULL) == SSIMCU_OK && access("f.x", F_OK) == 0);
    cr_expect(guard_remove("f.x", &frames, NULL) == SSIMCU_OK && access("f.x", F_OK) != 0);
    cr_expect(guard_remove("f.x", &frames, NULL) == SSIMCU_OK && rmdir(name) == 0);
    cr_expect(guard_is_csv("frame,status,score,a") && !guard_is_csv("frame,status"));
}

Test(text, files_that_are_there)
{
    char name[] = "/tmp/ssimcu-test-text-XXXXXX";
    const int file = mkstemp(name);
    struct record record = {0};
    cr_assert(file >= 0 && write(file, "12345", 5) == 5 && close(file) == 0);
    cr_expect(record_name(&record, 1, name) && record.side[1].known && record.side[1].bytes == 5);
    cr_expect(record.side[1].seconds > 0 && !record.side[0].path);
    record_clear(&record);
    cr_expect(!record.side[1].path && unlink(name) == 0);
    cr_expect_not(record_name(&record, 0, name));
    cr_expect(!record.side[0].known && strcmp(record.side[0].path, name) == 0);
    record_clear(&record);
    cr_expect(record_name(&record, 0, "/tmp") && !record.side[0].known);
    record_clear(&record);
    cr_expect(record_name(&record, 0, "-") && record.side[0].path[0] == '-');
    record_clear(&record);
}
