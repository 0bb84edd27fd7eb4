/* Results when memory runs out: a whole line or none, a whole file or none, never another
 * result. */
#include "base/json.h"
#include "check.h"
#include "fail.h"
#include "lines/junit.h"
#include "lines/lines.h"
#include "lines/results_reader.h"
#include "lines/writer.h"
#include "record/record.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The n-th allocation fails, for every n: the result is a whole line or none. Jansson takes a
 * function that counts its allocations; the linker puts functions in between that count the
 * program's. */
static int allocations_left = -1;

void *__real_malloc(size_t size), *__real_realloc(void *old, size_t size);
void *__real_calloc(size_t count, size_t size), *__wrap_calloc(size_t count, size_t size);
char *__real_strdup(const char *text);
void *__wrap_malloc(size_t size), *__wrap_realloc(void *old, size_t size);
char *__wrap_strdup(const char *text);

void *__wrap_malloc(size_t size) { return allocations_left-- == 0 ? NULL : __real_malloc(size); }

void *__wrap_realloc(void *old, size_t size)
{
    return allocations_left-- == 0 ? NULL : __real_realloc(old, size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return allocations_left-- == 0 ? NULL : __real_calloc(count, size);
}

char *__wrap_strdup(const char *text)
{
    return allocations_left-- == 0 ? NULL : __real_strdup(text);
}

/* Its findings need no memory: what is lost is that of the line. */
static struct record whole_record(void)
{
    static struct finding hints[] = {{FINDING_BLACK, false, NAN, NAN, {0}, "black"},
                                     {FINDING_SHIFT, true, 1.5, 0.5, {1, 2, 3, 4}, "shift +1 +0"}};
    struct record record = {
        .frame = 1, .scored.score = 0.5, .scored.channels = 1, .scored.layout = "grey"};
    record.scored.tile = (ssimcu_tile){0.25, 64, 0, 64, 64};
    record.scored.backend = "cpu";
    record.metrics = 1u << SSIMCU_METRIC_PSNR | 1u << SSIMCU_METRIC_MS_SSIM;
    record.metric[SSIMCU_METRIC_PSNR] = INFINITY;
    record.shot = "\xc3\xa9"; /* UTF-8, unlike the names below */
    record.side[0] = (struct record_side){"\xc3\xa9 \xff.png", true, 10, 20, 30};
    record.findings = (struct findings){.at = hints, .count = 2, .room = 2};
    return record;
}

static char *summary_line(void)
{
    const struct limits limits = {
        .has = 1u << SSIMCU_LIMIT_MIN_FRAME | 1u << SSIMCU_LIMIT_MIN_TILE,
        .number = {[SSIMCU_LIMIT_MIN_FRAME] = 0.6, [SSIMCU_LIMIT_MIN_TILE] = 0.5},
        .has_score = 1,
        .min_score = {0.9}};
    struct summary summary;
    struct verdict verdict;
    summary_start(&summary, 3);
    verdict_start(&verdict, &limits);
    for (int i = 0; i < 4; i++) {
        struct record record = whole_record(), own;
        record.frame = i;
        record.scored.score = 0.25 * i;
        summary_add(&summary, &record);
        if (!record_copy(&own, &record)) {
            verdict.out_of_memory = true;
            continue;
        }
        verdict_add(&verdict, &own, &(struct verdict_baseline){record.scored.score, 0.5, true});
        record_clear(&own);
    }
    const bool good = summary_finish(&summary) && verdict_finish(&verdict, &summary);
    char *line = good ? summary_to_json(&summary, &verdict) : NULL;
    summary_free(&summary);
    verdict_free(&verdict);
    return line;
}

static char *record_line(void)
{
    const struct record record = whole_record();
    return record_to_json(&record);
}

static char *csv_line(void)
{
    const struct record record = whole_record();
    return record_to_csv(&record);
}

static json_t *some_object(const char *name)
{
    struct object object = object_new();
    object_path(&object, name, "\xc3\xa9.png");
    object_bool(&object, "shortest", true);
    return object_end(&object);
}

/* Returns false and makes nothing if an allocation fails. */
static bool some_header(struct header *header)
{
    *header = (struct header){.contract = contract_to_json(&(struct contract){
                                  .settings = &(ssimcu_settings){.struct_size = 1},
                                  .region = {1, 2, 3, 4},
                                  .offset = 1,
                                  .tile = 64}),
                              .input = some_object("ref"),
                              .device = some_object("cpu"),
                              .shard = 2,
                              .shards = 3,
                              .begin = 4,
                              .end = 5};
    const bool good = header->contract && header->input && header->device;
    if (!good) header_clear(header);
    return good;
}

static char *header_line(void)
{
    struct header header;
    char *line = some_header(&header) ? header_to_json(&header) : NULL;
    header_clear(&header);
    return line;
}

Test(results_lost, a_lost_allocation_gives_no_line)
{
    static char *(*const make[])(void) = {record_line, csv_line, summary_line, header_line};
    json_set_alloc_funcs(__wrap_malloc, free);
    for (size_t i = 0; i < sizeof make / sizeof make[0]; i++) {
        allocations_left = -1;
        char *whole = make[i](), *line = NULL;
        int n = 0;
        for (; !line; n++) {
            allocations_left = n;
            line = make[i]();
            cr_assert(!line || strcmp(line, whole) == 0, "%d: %s", n, line);
        }
        cr_assert_gt(n, make[i] == csv_line ? 5 : 20);
        free(whole), free(line);
    }
}

static const char LOST[] = "results_lost.jsonl";

/* A share of eight frames, of which one has failed. */
static ssimcu_status write_results(ssimcu_message *message)
{
    struct header header;
    struct summary summary;
    struct writer *writer = NULL;
    summary_start(&summary, 3);
    ssimcu_status status = some_header(&header) ? SSIMCU_OK : SSIMCU_ERROR_MEMORY;
    if (status == SSIMCU_OK) status = writer_open(LOST, false, false, &writer, message);
    if (status == SSIMCU_OK) status = writer_begin(writer, &header, message);
    for (int i = 0; i < 8 && status == SSIMCU_OK; i++) {
        struct record record = whole_record();
        record.frame = i;
        if (i == 5) record_fail(&record, SSIMCU_ERROR_DATA, &(ssimcu_message){"damaged"});
        summary_add(&summary, &record);
        status = writer_add(writer, &record, message);
    }
    summary.complete = true;
    if (status == SSIMCU_OK) status = summary_finish(&summary) ? SSIMCU_OK : SSIMCU_ERROR_MEMORY;
    if (status == SSIMCU_OK) status = writer_end(writer, &summary, NULL, message);
    writer_drop(writer);
    writer_close(writer);
    summary_free(&summary);
    header_clear(&header);
    return status;
}

static bool is_there(const char *path)
{
    FILE *file = fopen(path, "r");
    if (file) fclose(file);
    return file != NULL;
}

/* A file is written whole or not at all, and read whole or not at all. */
Test(results_lost, a_lost_allocation_gives_no_file)
{
    json_set_alloc_funcs(__wrap_malloc, free);
    ssimcu_status status = SSIMCU_ERROR_MEMORY;
    remove("results_lost.jsonl.partial"); /* a test that was killed may have left it */
    for (int n = 0; status != SSIMCU_OK; n++) {
        ssimcu_message message = {{0}};
        remove(LOST);
        allocations_left = n;
        status = write_results(&message);
        allocations_left = -1;
        cr_assert(status == SSIMCU_OK || status == SSIMCU_ERROR_MEMORY, "%d: %s", n, message.text);
        cr_assert_eq(is_there(LOST), status == SSIMCU_OK);
        cr_assert_not(is_there("results_lost.jsonl.partial"));
    }
    status = SSIMCU_ERROR_MEMORY;
    for (int n = 0; status != SSIMCU_OK; n++) {
        ssimcu_message message = {{0}};
        struct results_reader loaded = {0};
        struct record record = {0};
        allocations_left = n;
        status = results_reader_add(&loaded, LOST, false, &message);
        if (status == SSIMCU_OK) status = results_reader_add(&loaded, LOST, false, &message);
        if (status == SSIMCU_OK) status = results_reader_record(&loaded, 3, &record, &message);
        allocations_left = -1;
        cr_assert(status == SSIMCU_OK || status == SSIMCU_ERROR_MEMORY, "%d: %s", n, message.text);
        if (status == SSIMCU_OK)
            cr_assert(loaded.count == 8 && loaded.complete && loaded.shard_read[2] &&
                      record.scored.score == 0.5 && record.scored.tile.x == 64 &&
                      loaded.header.device);
        record_clear(&record);
        results_reader_free(&loaded);
    }
    remove(LOST);
}

static const char LOST_XML[] = "results_lost.xml";

/* Four frames beyond a limit, with names longer than what is escaped at once. */
static ssimcu_status write_junit(ssimcu_message *message)
{
    struct summary summary;
    struct verdict verdict;
    struct junit_cases cases = {0};
    const struct limits limits = {
        .has = 1u << SSIMCU_LIMIT_MIN_FRAME | 1u << SSIMCU_LIMIT_MIN_TILE,
        .number = {[SSIMCU_LIMIT_MIN_FRAME] = 0.9, [SSIMCU_LIMIT_MIN_TILE] = 0.9}};
    char long_name[1024] = "a";
    for (int i = 0; i < 500; i++) strcat(long_name, "\xc3\xa9");
    summary_start(&summary, 0);
    verdict_start(&verdict, &limits);
    for (int i = 0; i < 4; i++) {
        struct record record = whole_record(), own;
        record.frame = i;
        record.side[1].path = long_name;
        summary_add(&summary, &record);
        if (!record_copy(&own, &record)) {
            cases.out_of_memory = true;
            continue;
        }
        const struct judged judged = verdict_add(&verdict, &own, NULL);
        junit_add(&cases, &own, &judged);
        record_clear(&own);
    }
    const struct junit_run run = {.cases = &cases, .side = {long_name, "out"}, .report = "r"};
    ssimcu_status status = SSIMCU_ERROR_MEMORY;
    if (summary_finish(&summary) && verdict_finish(&verdict, &summary))
        status = junit_write(LOST_XML, &run, &verdict, &summary, message);
    junit_free(&cases);
    summary_free(&summary);
    verdict_free(&verdict);
    return status;
}

/* Reads what follows the suite's date and host. */
static void read_junit(char *text, size_t size)
{
    FILE *file = fopen(LOST_XML, "r");
    cr_assert(file);
    text[fread(text, 1, size - 1, file)] = '\0';
    fclose(file);
    char *from = strstr(text, "<properties>");
    cr_assert(from);
    memmove(text, from, strlen(from) + 1);
}

Test(results_lost, a_lost_allocation_gives_no_other_verdict)
{
    static char whole[1 << 15], text[sizeof whole];
    ssimcu_message message;
    allocations_left = -1;
    cr_assert_eq(write_junit(&message), SSIMCU_OK);
    read_junit(whole, sizeof whole);
    cr_assert(strstr(whole, "</testsuites>") && !strstr(whole, "?") && !strstr(whole, "\\xC3") &&
              !strstr(whole, "\\xA9"));
    ssimcu_status status = SSIMCU_ERROR_MEMORY;
    int n = 0;
    for (; status != SSIMCU_OK; n++) {
        remove(LOST_XML);
        allocations_left = n;
        status = write_junit(&message);
        const bool lost = allocations_left < 0;
        allocations_left = -1;
        cr_assert_eq(is_there(LOST_XML), status == SSIMCU_OK, "%d", n);
        cr_assert(status != SSIMCU_OK || !lost, "%d", n);
    }
    read_junit(text, sizeof text);
    cr_assert(strcmp(text, whole) == 0 && n > 20);
    remove(LOST_XML);
}

static int held; /* allocations of the process's own functions for Jansson */

static void *hold(size_t size)
{
    held++;
    return malloc(size);
}

static void let_go(void *memory)
{
    held -= memory != NULL;
    free(memory);
}

/* A process may use Jansson beside the library, with functions of its own. */
Test(results_lost, functions_of_the_process_stay_in_use)
{
    ssimcu_status status;
    json_set_alloc_funcs(hold, let_go);
    json_t *own = json_string("its own");
    json_t *read = json_from_text("[1]", 3, &status);
    cr_assert(own && read && status == SSIMCU_OK);
    const int most = held;
    json_decref(own);
    cr_expect(held < most);
    json_decref(read);
    cr_expect(most > 2 && held == 0);
}
