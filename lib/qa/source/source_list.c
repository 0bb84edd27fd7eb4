/* Source: a list of pairs of pictures, one pair per line. */
#include "record/record.h"

#include "base/refuse.h"
#include "pair/pair.h"
#include "source/kind.h"
#include "source/share.h"

#include "reader.h"

#include <string.h>

enum { MAX_LINE = 1 << 14 };

struct list {
    struct source base;
    ssimcu_reader *reader;
    uint64_t lines; /* number of lines read */
    size_t missed;  /* the next requested frame after them */
};

/* Makes the next requested line after the last one missing. Returns false if there is none. */
static bool miss_next(struct list *list, struct record *record)
{
    const struct source_input *input = list->base.input;
    const ssimcu_ranges *frames = input->frames;
    for (; frames && list->missed < frames->count - frames->open; list->missed++) {
        const int64_t line = frames->number[list->missed];
        if (line <= (int64_t)list->lines || !share_has(input, (uint64_t)line - 1)) continue;
        record->frame = line;
        for (int side = 0; side < 2; side++) record_miss(record, side);
        list->missed++;
        return true;
    }
    return false;
}

/* Reads up to the next wanted line. Its number, from 1, is the frame. A line that is too long makes
 * its record FAILED, and a requested empty line makes it MISSING. Returns false at the end, or if
 * the list cannot be read further. */
static bool next_line(struct list *list, char line[MAX_LINE], struct record *record)
{
    const struct source_input *input = list->base.input;
    long length = 0;
    for (;;) {
        ssimcu_message why = {{0}};
        const ssimcu_status status =
            ssimcu_reader_line(list->reader, line, MAX_LINE, &length, &why);
        if (status == SSIMCU_OK && length < 0) return miss_next(list, record);
        record->frame = (int64_t)++list->lines;
        if (status != SSIMCU_OK && status != SSIMCU_ERROR_DATA) {
            (void)ssimcu_fail(&list->base.damage, status, "frame %lld: %.450s",
                              (long long)record->frame, why.text);
            return false;
        }
        if (length > 0 && line[length - 1] == '\r') line[--length] = '\0';
        if (length == 0 && !input->frames) continue;
        if (input->frames && !ssimcu_ranges_hold(input->frames, record->frame)) continue;
        if (!share_has(input, list->lines - 1)) continue;
        for (int side = 0; side < 2 && length == 0; side++) record_miss(record, side);
        if (status != SSIMCU_OK) record_fail(record, status, &why);
        return true;
    }
}

static bool next(struct source *source, struct pair *pair)
{
    struct list *list = (struct list *)source;
    struct record *record = pair->record;
    ssimcu_message why = {{0}};
    char line[MAX_LINE];
    if (!next_line(list, line, record)) return false;
    if (record->kind != RECORD_SCORED) return true;
    char *tab = strchr(line, '\t');
    if (!tab || tab == line || tab[1] == '\0' || strchr(tab + 1, '\t')) {
        record_fail(record, fail_data(&why, "expected REF, a tab and OUT in the list's line"),
                    &why);
        return true;
    }
    *tab = '\0';
    kind_name_files(record, line, tab + 1);
    return true;
}

static void close_list(struct source *source)
{
    ssimcu_reader_close(&((struct list *)source)->reader);
}

static ssimcu_status open_list(struct source *source, const enum form *form,
                               ssimcu_message *message)
{
    (void)form;
    return ssimcu_reader_open(source->input->list, source->input->stop,
                              &((struct list *)source)->reader, message);
}

const struct source_row source_list = {
    .kind = {.next = next, .load = source_pictures_load, .close = close_list},
    .forms = FORM_LIST,
    .bytes = sizeof(struct list),
    .open = open_list,
};
