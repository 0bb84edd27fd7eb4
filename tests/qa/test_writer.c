/* Files of results: what may be opened, what is there after which end, and lines without a file. */
#include "check.h"

#include "base/json.h"
#include "lines/lines.h"
#include "lines/writer.h"
#include "record/record.h"
#include "scratch.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

TestSuite(writer, .init = scratch_enter, .fini = scratch_leave);

static void put_file(const char *name, const char *text)
{
    FILE *to = fopen(name, "we");
    cr_assert(to && fputs(text, to) >= 0 && fclose(to) == 0);
}

static const char *read_file(const char *name)
{
    static char text[4096];
    FILE *from = fopen(name, "re");
    if (!from) return "none";
    text[fread(text, 1, sizeof text - 1, from)] = '\0';
    fclose(from);
    return text;
}

/* Writes results of so many pairs, and gives them their name or not. */
static ssimcu_status write_pairs(struct writer *writer, int pairs, bool complete)
{
    const struct record missing = {.frame = 7, .kind = RECORD_MISSING, .missing = {true, true}};
    struct header header = {.contract = json_object(), .input = json_object()};
    struct summary summary;
    summary_start(&summary, 0);
    ssimcu_status status = writer_begin(writer, &header, NULL);
    for (int i = 0; i < pairs && status == SSIMCU_OK; i++) {
        summary_add(&summary, &missing);
        status = writer_add(writer, &missing, NULL);
    }
    summary.complete = complete;
    cr_assert(summary_finish(&summary));
    if (status == SSIMCU_OK) status = writer_end(writer, &summary, NULL, NULL);
    summary_free(&summary);
    header_clear(&header);
    return status;
}

/* Returns whether the text behind its first line is that of such a pair. */
static bool has_pair(const char *text)
{
    static const char begin[] = "\n7,missing,,,,,,,,,,,both,";
    const char *line = text + strcspn(text, "\n");
    if (strncmp(line, begin, sizeof begin - 1) != 0) return false;
    line += sizeof begin - 1;
    return strcmp(line + strspn(line, ","), "\n") == 0; /* no other column has anything */
}

/* FILE has its name at a complete end. FILE.partial stays if another run could go on with it. */
Test(writer, what_is_there_at_the_end)
{
    static const struct {
        int pairs; /* below 0: the writer does not begin */
        bool complete, dropped, whole, partial;
    } rows[] = {{1, true, false, true, false},  {0, true, false, true, false},
                {1, false, false, false, true}, {0, false, false, false, false},
                {1, false, true, false, false}, {-1, false, false, false, false}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct writer *writer = NULL;
        cr_assert_eq(writer_open("r", true, false, &writer, NULL), SSIMCU_OK);
        if (rows[i].pairs >= 0)
            cr_assert_eq(write_pairs(writer, rows[i].pairs, rows[i].complete), SSIMCU_OK);
        if (rows[i].dropped) writer_drop(writer);
        writer_close(writer);
        cr_expect_eq(access("r", F_OK) == 0, rows[i].whole, "row %zu", i);
        cr_expect_eq(access("r.partial", F_OK) == 0, rows[i].partial, "row %zu", i);
        const char *text = read_file(rows[i].whole ? "r" : "r.partial");
        if (rows[i].pairs > 0 && !rows[i].dropped)
            cr_expect(has_pair(text), "row %zu: %s", i, text);
        (void)remove("r"), (void)remove("r.partial");
    }
}

/* What another run has left, or somebody else, is not written over; `resumed`: what may be. */
Test(writer, what_may_be_opened)
{
    static const struct {
        const char *name, *text, *why, *resumed;
    } rows[] = {
        {"r", "my notes", "r exists and is not a results file; it was not overwritten", ""},
        {"r", "frame,status,score,", "", ""},
        {"r.resume", "my notes",
         "r.resume exists and is not a results file; it was not overwritten", ""},
        {"r.resume", "{\"ty", "", ""},
        {"r.partial", "my notes",
         "r.partial exists and is not a results file; it was not overwritten", ""},
        {"r.partial", "{\"ty",
         "r.partial is left from an interrupted run: continue with --resume r, or remove it", ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        for (int resumed = 0; resumed < 2; resumed++) {
            const char *expected = resumed ? rows[i].resumed : rows[i].why;
            struct writer *writer = NULL;
            ssimcu_message why = {{0}};
            put_file(rows[i].name, rows[i].text);
            const ssimcu_status status = writer_open("r", true, resumed, &writer, &why);
            cr_expect_str_eq(why.text, expected, "row %zu: %s", i, why.text);
            cr_expect_eq(status, expected[0] ? SSIMCU_ERROR_WRITE : SSIMCU_OK, "row %zu", i);
            cr_expect_eq(writer != NULL, status == SSIMCU_OK);
            writer_close(writer);
            cr_expect_str_eq(read_file(rows[i].name), rows[i].text, "row %zu", i);
            (void)remove(rows[i].name);
        }
}

Test(writer, what_cannot_be_opened)
{
    struct writer *writer = NULL, *second = NULL;
    ssimcu_message why = {{0}};
    cr_assert_eq(mkdir("folder", 0777), 0);
    cr_expect_eq(writer_open("folder", true, true, &writer, &why), SSIMCU_ERROR_WRITE);
    cr_expect_str_eq(why.text, "folder: not a regular file");
    cr_expect(writer == NULL && access("folder.partial", F_OK) != 0);
    why.text[0] = '\0';
    cr_expect_eq(writer_open("none/r", true, false, &writer, &why), SSIMCU_ERROR_WRITE);
    cr_expect_str_eq(why.text, "none/r: cannot be written: there is no directory none");
    cr_assert_eq(writer_open("r", true, false, &writer, NULL), SSIMCU_OK);
    for (int resumed = 0; resumed < 2; resumed++) {
        why.text[0] = '\0';
        cr_expect_eq(writer_open("r", true, resumed, &second, &why), SSIMCU_ERROR_WRITE);
        cr_expect_str_eq(why.text, "r.partial is being written by another run");
    }
    writer_close(writer);
}

/* A program without standard input gets the descriptor 0 for its file. */
Test(writer, without_standard_input)
{
    struct writer *writer = NULL;
    cr_assert_eq(close(0), 0);
    cr_assert_eq(writer_open("r", false, false, &writer, NULL), SSIMCU_OK);
    cr_expect_neq(access("r.partial", F_OK), -1);
    cr_expect_eq(write_pairs(writer, 1, true), SSIMCU_OK);
    writer_close(writer);
    cr_expect(strstr(read_file("r"), "\"missing\":\"both\""));
}

/* Another file may come to the place while a run writes. */
Test(writer, what_comes_during_the_run_stays)
{
    struct writer *writer = NULL;
    cr_assert_eq(writer_open("r", true, false, &writer, NULL), SSIMCU_OK);
    put_file("r", "my notes");
    put_file("r.resume", "{\"ty");
    cr_expect_eq(write_pairs(writer, 1, true), SSIMCU_ERROR_WRITE);
    writer_close(writer);
    cr_expect_str_eq(read_file("r"), "my notes");
    (void)remove("r"), (void)remove("r.partial");
    cr_assert_eq(writer_open("r", true, false, &writer, NULL), SSIMCU_OK);
    cr_expect_eq(write_pairs(writer, 1, true), SSIMCU_OK);
    writer_close(writer);
    cr_expect_neq(access("r.resume", F_OK), 0, "what was to be resumed is finished");
}

static ssimcu_status count_lines(void *user, const char *line)
{
    cr_expect_null(strchr(line, '\n'));
    return ++*(int *)user == 3 ? SSIMCU_ERROR_INTERNAL : SSIMCU_OK;
}

/* Lines go to a function, whose error ends the run. */
Test(writer, lines_without_a_file)
{
    int lines = 0;
    struct writer *writer = NULL;
    cr_assert_eq(writer_stream(count_lines, &lines, true, &writer, NULL), SSIMCU_OK);
    cr_expect_eq(write_pairs(writer, 1, true), SSIMCU_OK);
    cr_expect_eq(lines, 2);
    lines = 0;
    cr_expect_eq(write_pairs(writer, 5, true), SSIMCU_ERROR_INTERNAL);
    cr_expect_eq(lines, 3);
    const struct record missing = {.kind = RECORD_MISSING, .missing = {true, true}};
    ssimcu_message why = {{0}};
    lines = 1;
    cr_expect(writer_add(writer, &missing, &why) == SSIMCU_OK && !why.text[0], "%s", why.text);
    cr_expect_eq(writer_add(writer, &missing, &why), SSIMCU_ERROR_INTERNAL);
    cr_expect_not_null(strstr(why.text, "refused"), "the program would end without a reason");
    writer_close(writer);
    writer_drop(NULL), writer_close(NULL);
}
