/* The folder of a report: what may be replaced, what its pictures are, what a killed run has left,
 * and what becomes of it all if memory runs out. */
#include "check.h"

#include "record/record.h"
#include "report/folder/contents.h"
#include "report/folder/folder.h"
#include "report/frames/collect.h"
#include "report/index.h"
#include "report/report.h"
#include "scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct judged no_limits = {0};

TestSuite(report_folder, .init = scratch_enter, .fini = scratch_leave);

/* The n-th allocation of the report fails. */
static int allocations_left = -1;

void *__real_malloc(size_t size), *__wrap_malloc(size_t size);
void *__real_realloc(void *old, size_t size), *__wrap_realloc(void *old, size_t size);
void *__real_calloc(size_t count, size_t size), *__wrap_calloc(size_t count, size_t size);
char *__real_strdup(const char *text), *__wrap_strdup(const char *text);
char *__real_strndup(const char *text, size_t most), *__wrap_strndup(const char *text, size_t most);

static bool is_lost(void)
{
    if (allocations_left-- != 0) return false;
    errno = ENOMEM;
    return true;
}

void *__wrap_malloc(size_t size) { return is_lost() ? NULL : __real_malloc(size); }
void *__wrap_realloc(void *old, size_t size)
{
    return is_lost() ? NULL : __real_realloc(old, size);
}
void *__wrap_calloc(size_t count, size_t size)
{
    return is_lost() ? NULL : __real_calloc(count, size);
}
char *__wrap_strdup(const char *text) { return is_lost() ? NULL : __real_strdup(text); }
char *__wrap_strndup(const char *text, size_t most)
{
    return is_lost() ? NULL : __real_strndup(text, most);
}

/* ---- What may be replaced -------------------------------------------------------------------- */

static void put_file(const char *name, const char *text)
{
    (void)remove(name);
    FILE *to = fopen(name, "we");
    cr_assert(to && fputs(text, to) >= 0 && fclose(to) == 0);
}

static const char PAGE[] = CONTENTS_MARK "\">\n<img src=\"frame-000002-ref.jpg\">"
                                         "<a href=\"frame-000001-crop-ref.png\">"
                                         "<img src=\"frame-000002-ref.jpg\"><a href=\"#frame-7\">";

/* Makes what a killed run has left: a report that says that it is none yet. */
static void put_report(const char *folder);
static void put_leftover(const char *folder)
{
    put_report(folder);
    cr_assert(contents_mark_draft(folder) && contents_are_draft(folder));
}

/* Makes the folder of a report with two pictures. */
static void put_report(const char *folder)
{
    char name[100];
    cr_assert_eq(mkdir(folder, 0777), 0);
    snprintf(name, sizeof name, "%s/index.html", folder);
    put_file(name, PAGE);
    snprintf(name, sizeof name, "%s/frame-000002-ref.jpg", folder);
    put_file(name, "2");
    snprintf(name, sizeof name, "%s/frame-000001-crop-ref.png", folder);
    put_file(name, "1");
}

Test(report_folder, what_may_be_replaced)
{
    static const struct {
        const char *path, *why;
    } cases[] = {
        {"r", ""},
        {"r///", ""},
        {"./r", ""},
        {"new", ""},
        {"", "--report : expected the name of a directory"},
        {"/", "--report /: expected the name of a directory"},
        {".", "--report .: expected the name of a directory"},
        {"r/..", "--report r/..: expected the name of a directory"},
        {".//", "--report .: expected the name of a directory"},
        {"file", "--report file: exists and is not an ssimcu report; it was not overwritten"},
        {"link", "--report link: exists and is not an ssimcu report; it was not overwritten"},
        {"other", "--report other: exists and is not an ssimcu report; it was not overwritten"},
        {"foreign",
         "--report foreign: contains files that ssimcu did not write; it was not overwritten"},
        {"folder",
         "--report folder: contains files that ssimcu did not write; it was not overwritten"},
        {"unsaid",
         "--report unsaid: contains files that ssimcu did not write; it was not overwritten"},
        {"none/r", "--report none/r: No such file or directory"},
        {"file/r", "--report file/r: Permission denied"},
        {"program/r", "--report program/r: Not a directory"}};
    put_report("r"), put_report("foreign"), put_report("folder"), put_report("unsaid");
    put_file("file", PAGE), put_file("program", ""), put_file("foreign/notes.jpg", "mine");
    put_file("unsaid/frame-000003-ref.jpg", "3");
    (void)remove("folder/frame-000002-ref.jpg");
    cr_assert(chmod("program", 0777) == 0 && mkdir("folder/frame-000002-ref.jpg", 0777) == 0 &&
              symlink("r", "link") == 0 && mkdir("other", 0777) == 0);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ssimcu_message why = {{0}};
        const ssimcu_status status = folder_check(cases[i].path, &why);
        cr_expect_str_eq(why.text, cases[i].why, "%zu: %s", i, why.text);
        cr_expect_eq(status == SSIMCU_OK, why.text[0] == '\0', "%zu", i);
        cr_expect_eq(folder_is_report(cases[i].path), i < 3, "%zu", i);
    }
}

/* ---- Contents -------------------------------------------------------------------------------- */

static void list(void *user, const char *name) { strcat(strcat(user, name), " "); }

/* Pictures are listed in order, each once, however many there are. */
Test(report_folder, pictures_of_a_page)
{
    enum { MANY = 300, NAME = sizeof "frame-000000-ref.jpg" };
    static char text[MANY * 64], got[MANY * 64], name[64];
    size_t used = 0;
    put_report("r");
    contents_each_picture("r", list, got);
    cr_expect_str_eq(got, "frame-000001-crop-ref.png frame-000002-ref.jpg ");
    put_file("r/index.html",
             "\"frame-1\"frame-1.gif\"frames.jpg\"x-1.jpg\"frame-a.b.png\" frame-2.jpg");
    got[0] = '\0';
    contents_each_picture("r", list, got);
    cr_expect_str_eq(got, "frame-a.b.png ");
    for (int i = 0; i < MANY; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "<a href=\"frame-%06d-ref.jpg\">",
                                 i * 7 % MANY);
    put_file("r/index.html", text);
    got[0] = '\0';
    contents_each_picture("r", list, got);
    cr_expect_eq(strlen(got), (size_t)MANY * NAME);
    for (size_t i = 0; i < MANY; i++) {
        snprintf(name, sizeof name, "frame-%06zu-ref.jpg ", i);
        cr_expect(strncmp(got + i * NAME, name, NAME) == 0, "%.20s, not %s", got + i * NAME, name);
    }
}

/* ---- What a killed run has left -------------------------------------------------------------- */

static bool is_there(const char *path)
{
    struct stat info;
    return lstat(path, &info) == 0;
}

static void make_draft(void)
{
    struct folder_draft draft;
    ssimcu_message why = {{0}};
    cr_assert_eq(folder_make("r", &draft, &why), SSIMCU_OK, "%s", why.text);
    cr_expect(is_there(draft.path) && draft.lock >= 0);
    folder_close(&draft);
}

/* Drafts that no run has locked go. A report that made room comes back if there is none. */
Test(report_folder, leftovers)
{
    static const char *const stay[] = {"r.ssimcu-abcde",      "r.ssimcu-abcdefg",
                                       "rr.ssimcu-abcdef",    "r.other--abcdef",
                                       "r.ssimcu-abcdef.new", "r.ssimcu-living",
                                       "r.ssimcu-living.old"},
                             *const copies[] = {"r.ssimcu-backup", "r.ssimcu-backup.old"},
                             *const go[] = {"r.ssimcu-abcdef", "r.ssimcu-123456.old"};
    enum { STAY = sizeof stay / sizeof stay[0] };
    for (size_t i = 0; i < STAY; i++) put_leftover(stay[i]);
    for (int i = 0; i < 2; i++) put_leftover(go[i]), put_report(copies[i]);
    put_report("r"), put_file("r/index.html", CONTENTS_MARK "\">new");
    const int living = open("r.ssimcu-living", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    cr_assert(living >= 0 && flock(living, LOCK_EX) == 0);
    make_draft();
    for (size_t i = 0; i < STAY; i++) cr_expect(is_there(stay[i]), "%s", stay[i]);
    for (int i = 0; i < 2; i++) cr_expect_not(is_there(go[i]), "%s", go[i]);
    for (int i = 0; i < 2; i++) cr_expect(folder_is_report(copies[i]), "%s", copies[i]);
    put_leftover(go[1]);
    make_draft(); /* there is a report */
    cr_expect(!is_there(go[1]) && !is_there("r/frame-000003-ref.jpg"));
    contents_drop("r");
    put_leftover(go[1]);
    make_draft();
    cr_expect(is_there("r/index.html") && !is_there(go[1]) && !contents_are_draft("r"));
    (void)close(living);
    make_draft();
    cr_expect(!is_there("r.ssimcu-living") && !is_there("r.ssimcu-living.old"));
}

/* ---- Memory ---------------------------------------------------------------------------------- */

static bool put_new(FILE *to, const void *user)
{
    fprintf(to, CONTENTS_MARK "\">%s", (const char *)user);
    return true;
}

/* Replaces the report by another one, then its page, and looks at what is there. */
static ssimcu_status replace(ssimcu_message *why)
{
    struct folder_draft draft;
    ssimcu_status status = folder_check("r/", why);
    if (status == SSIMCU_OK) status = folder_make("r/", &draft, why);
    if (status != SSIMCU_OK) return status;
    status = folder_write_page("r", &draft, put_new, "first", why);
    if (status == SSIMCU_OK) status = folder_commit("r/", &draft, why);
    folder_close(&draft);
    return status == SSIMCU_OK ? folder_replace_page("r", put_new, "second", why) : status;
}

static ssimcu_status replace_index(ssimcu_message *why)
{
    struct index none = {.ref = "ref"};
    ssimcu_status status = index_check("outs", why);
    if (status == SSIMCU_OK) status = index_write("outs", &none, why);
    return status == SSIMCU_OK ? index_withdraw("outs", "it was stopped", why) : status;
}

/* Counts what lies in the working directory. */
static bool count_one(void *user, int folder, const char *name)
{
    (void)folder, (void)name;
    ++*(int *)user;
    return true;
}

/* Any allocation may fail: the report is a report all the same, and nothing lies beside it. */
Test(report_folder, a_lost_allocation_loses_no_report)
{
    static ssimcu_status (*const all[])(ssimcu_message *) = {replace, replace_index};
    cr_assert_eq(mkdir("outs", 0777), 0);
    put_report("r");
    for (int i = 0; i < 2; i++) {
        ssimcu_status status = SSIMCU_ERROR_MEMORY;
        for (int n = 0; status != SSIMCU_OK; n++) {
            int there = 0;
            ssimcu_message why = {{0}};
            allocations_left = n;
            status = all[i](&why);
            const bool lost = allocations_left < 0;
            allocations_left = -1;
            cr_assert(status == SSIMCU_OK || strstr(why.text, "out of memory") ||
                          strstr(why.text, "is left alone"),
                      "%d: %s", n, why.text);
            cr_assert(folder_is_report("r") && contents_each(".", count_one, &there), "%d", n);
            cr_assert_eq(there, 2, "%d: %d", n, there);
            if (status == SSIMCU_OK && lost) status = SSIMCU_ERROR_MEMORY; /* it could do without */
        }
    }
    cr_expect(contents_have_mark("outs", CONTENTS_INDEX_MARK));
}

/* Nothing stays in memory. A sanitizer's memory is its own. */
Test(report_folder, nothing_stays_in_memory)
{
    enum { FIRST = 8, RUNS = 4, LEAST = 32 /* bytes of the smallest allocation */ };
    size_t before = 0;
    ssimcu_message why = {{0}};
    cr_assert_eq(mkdir("outs", 0777), 0);
    put_report("r"), put_report("file");
    for (int k = 0; k < FIRST + RUNS; k++) {
        if (k == FIRST) before = mallinfo2().uordblks; /* the allocator keeps a few for later */
        put_leftover("r.ssimcu-abcdef"), put_leftover("r.ssimcu-123456.old");
        cr_assert(folder_is_report("r") && !folder_is_report("new"));
        cr_assert_eq(folder_check("none/r", &why), SSIMCU_ERROR_WRITE);
        cr_assert(replace(NULL) == SSIMCU_OK && replace_index(NULL) == SSIMCU_OK);
    }
    cr_expect_lt(mallinfo2().uordblks, before + RUNS * LEAST);
}

/* Opens a report, adds frames of two folders and closes it. Returns whether no memory was lacking.
 */
static bool collect(void)
{
    char shot[] = "sh010", path[] = "a/ref.png";
    struct report *report = NULL;
    if (report_open("no-such-report", false, 2, &report, NULL) != SSIMCU_OK) return false;
    report->inputs.inode = 1; /* as if there were a report before it */
    for (int n = 0; n < 4; n++) {
        const struct record record = {.frame = n,
                                      .scored.score = 0.9,
                                      .scored.channels = 1,
                                      .scored.layout = "grey",
                                      .scored.backend = "cpu",
                                      .shot = shot,
                                      .text = {[RECORD_LEFT] = shot, [RECORD_PENDING_HINTS] = shot},
                                      .side = {{.path = path}, {.path = path}}};
        shot[4] = path[0] = (char)('1' + n / 2);
        report_add(report, &record, &no_limits);
    }
    const bool good = !report->out_of_memory;
    report_close(report);
    return good;
}

/* Whichever allocation is lost, the report says so and what it had is free. */
Test(report_folder, frames_that_find_no_memory)
{
    size_t before = 0;
    bool good = false, lost = true;
    cr_assert(collect());
    for (int n = 0; lost; n++) {
        if (n == 0) before = mallinfo2().uordblks;
        allocations_left = n;
        good = collect();
        lost = allocations_left < 0;
        allocations_left = -1;
        cr_expect_leq(mallinfo2().uordblks, before, "allocation %d", n);
    }
    cr_expect(good);
}
