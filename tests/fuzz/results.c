#define _XOPEN_SOURCE 700 /* mkdtemp */
#include "facts/record.h"
#include "lines/earlier.h"
#include "lines/lines.h"
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
static size_t check_lines(const struct earlier_results *loaded)
{
    size_t scored = 0;
    ssimcu_message why = {{0}};
    for (size_t i = 0; i < loaded->count; i++) {
        struct record record, found;
        const struct earlier_line *line = &loaded->line[i];
        FUZZ_CHECK(i == 0 ||
                   record_order(line[-1].part, line[-1].frame, line->part, line->frame) < 0);
        if (earlier_record(loaded, i, &record, &why) != SSIMCU_OK) {
            FUZZ_CHECK(fuzz_is_line(why.text));
            continue;
        }
        FUZZ_CHECK(record.frame == loaded->line[i].frame);
        if (record.kind == RECORD_SCORED) {
            FUZZ_CHECK(isfinite(record.scored.score));
            FUZZ_CHECK(earlier_find(loaded, record.part, record.frame, &found) &&
                       found.scored.score == record.scored.score);
            record_clear(&found);
            scored++;
        }
        record_clear(&record);
    }
    return scored;
}

static void merge(int parts, bool latest)
{
    static const char *const endings[] = {"", ".resume", ".partial"};
    struct earlier_results loaded = {0};
    ssimcu_message why = {{0}};
    ssimcu_status status = SSIMCU_OK;
    for (int i = 0; i < parts && status == SSIMCU_OK; i++)
        status = earlier_add(&loaded, path_of(endings[i]), latest, &why);
    if (status == SSIMCU_OK)
        (void)check_lines(&loaded);
    else
        FUZZ_CHECK(fuzz_is_line(why.text));
    earlier_free(&loaded);
}

/* Checks that what a resumed run saves holds the same scores when it is read again. */
static void resume(void)
{
    struct earlier_results loaded = {0}, again = {0};
    ssimcu_message why = {{0}};
    char path[128];
    snprintf(path, sizeof path, "%s", path_of(""));
    ssimcu_status status = earlier_resume(&loaded, path, &why);
    if (status == SSIMCU_OK && loaded.header.contract) status = earlier_save(&loaded, path, &why);
    FUZZ_CHECK(status == SSIMCU_OK || fuzz_is_line(why.text));
    if (status == SSIMCU_OK) {
        const size_t scored = check_lines(&loaded);
        FUZZ_CHECK(earlier_resume(&again, path, &why) == SSIMCU_OK);
        FUZZ_CHECK(check_lines(&again) == scored);
        earlier_free(&again);
    }
    earlier_free(&loaded);
}

void fuzz_results(const uint8_t *data, size_t size)
{
    static const char *const endings[] = {"", ".resume", ".partial"};
    if (size < 1) return;
    make_folder();
    const uint8_t flags = *data++;
    int parts = 0;
    for (size--; parts < 3 && (parts == 0 || size > 0); parts++) {
        const uint8_t *end = memchr(data, 0, size);
        const size_t length = end && parts < 2 ? (size_t)(end - data) : size;
        write_part(endings[parts], data, length);
        data += length + (length < size);
        size -= length + (length < size);
    }
    if (flags & 1)
        resume();
    else
        merge(parts, flags & 2);
    for (int i = 0; i < 3; i++) (void)unlink(path_of(endings[i]));
    (void)unlink(path_of(".resume.tmp"));
}
