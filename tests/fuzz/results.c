#define _XOPEN_SOURCE 700 /* mkdtemp */
#include "lines/lines.h"
#include "lines/results_reader.h"
#include "record/record.h"
#include "targets.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64];

static void remove_folder(void) { (void)rmdir(folder); }

/* Returns a folder of this process alone, in memory if there is such a place. */
static void make_folder(void)
{
    if (folder[0]) return;
    snprintf(folder, sizeof folder, "%s/ssimcu-fuzz-XXXXXX",
             access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    FUZZ_CHECK(mkdtemp(folder));
    atexit(remove_folder);
}

static const char *path_of(const char *ending)
{
    static char path[128];
    snprintf(path, sizeof path, "%s/a.jsonl%s", folder, ending);
    return path;
}

static void write_part(const char *ending, const uint8_t *data, size_t size)
{
    FILE *file = fopen(path_of(ending), "wb");
    FUZZ_CHECK(file && fwrite(data, 1, size, file) == size && fclose(file) == 0);
}

/* Checks that what was read is in order, and that every score is one. */
static size_t check_lines(const struct results_reader *loaded)
{
    size_t scored = 0;
    ssimcu_message why = {{0}};
    for (size_t i = 0; i < loaded->count; i++) {
        struct record record, found;
        const struct results_line *line = &loaded->line[i];
        FUZZ_CHECK(i == 0 ||
                   record_order(line[-1].shot, line[-1].frame, line->shot, line->frame) < 0);
        if (results_reader_record(loaded, i, &record, &why) != SSIMCU_OK) {
            FUZZ_CHECK(fuzz_is_line(why.text));
            continue;
        }
        FUZZ_CHECK(record.frame == loaded->line[i].frame);
        if (record.kind == RECORD_SCORED) {
            FUZZ_CHECK(isfinite(record.scored.score));
            FUZZ_CHECK(results_reader_find(loaded, record.shot, record.frame, &found) &&
                       found.scored.score == record.scored.score);
            record_clear(&found);
            scored++;
        }
        record_clear(&record);
    }
    return scored;
}

static void merge(int shots, bool latest)
{
    static const char *const endings[] = {"", ".resume", ".partial"};
    struct results_reader loaded = {0};
    ssimcu_message why = {{0}};
    ssimcu_status status = SSIMCU_OK;
    for (int i = 0; i < shots && status == SSIMCU_OK; i++)
        status = results_reader_add(&loaded, path_of(endings[i]), latest, &why);
    if (status == SSIMCU_OK)
        (void)check_lines(&loaded);
    else
        FUZZ_CHECK(fuzz_is_line(why.text));
    results_reader_free(&loaded);
}

/* Checks that what a resumed run saves holds the same scores when it is read again. */
static void resume(void)
{
    struct results_reader loaded = {0}, again = {0};
    ssimcu_message why = {{0}};
    char path[128];
    snprintf(path, sizeof path, "%s", path_of(""));
    ssimcu_status status = results_reader_resume(&loaded, path, &why);
    if (status == SSIMCU_OK && loaded.header.contract)
        status = results_reader_save(&loaded, path, &why);
    FUZZ_CHECK(status == SSIMCU_OK || fuzz_is_line(why.text));
    if (status == SSIMCU_OK) {
        const size_t scored = check_lines(&loaded);
        FUZZ_CHECK(results_reader_resume(&again, path, &why) == SSIMCU_OK);
        FUZZ_CHECK(check_lines(&again) == scored);
        results_reader_free(&again);
    }
    results_reader_free(&loaded);
}

void fuzz_results(const uint8_t *data, size_t size)
{
    static const char *const endings[] = {"", ".resume", ".partial"};
    if (size < 1) return;
    make_folder();
    const uint8_t flags = *data++;
    int shots = 0;
    for (size--; shots < 3 && (shots == 0 || size > 0); shots++) {
        const uint8_t *end = memchr(data, 0, size);
        const size_t length = end && shots < 2 ? (size_t)(end - data) : size;
        write_part(endings[shots], data, length);
        data += length + (length < size);
        size -= length + (length < size);
    }
    if (flags & 1)
        resume();
    else
        merge(shots, flags & 2);
    for (int i = 0; i < 3; i++) (void)unlink(path_of(endings[i]));
    (void)unlink(path_of(".resume.tmp"));
}
