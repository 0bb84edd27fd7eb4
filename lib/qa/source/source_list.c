/* Source: a list of pairs of pictures, one pair a line. */
#include "facts/record.h"
#include "pair/pair.h"
#include "pair/region.h"
#include "pair/slots.h"
#include "source/kind.h"
#include "source/share.h"

#include "fail.h"
#include "reader.h"

#include <string.h>

enum { MAX_LINE = 1 << 14 };

struct list {
    struct source base;
    ssimcu_reader *reader;
    uint64_t lines; /* number of lines read */
};

/* Reads up to the next wanted line. Its number, from 1, is the frame. A line that is too long makes
 * its record FAILED. Returns false at the end, and if the list cannot be read on. */
static bool next_line(struct list *list, char line[MAX_LINE], struct record *record)
{
    const struct source_input *input = list->base.input;
    long length = 0;
    for (;;) {
        ssimcu_message why = {{0}};
        const ssimcu_status status =
            ssimcu_reader_line(list->reader, line, MAX_LINE, &length, &why);
        if (status == SSIMCU_OK && length < 0) return false;
        record->frame = (int64_t)++list->lines;
        if (status != SSIMCU_OK && status != SSIMCU_ERROR_DATA) {
            (void)ssimcu_fail(&list->base.damage, status, "frame %lld: %.450s",
                              (long long)record->frame, why.text);
            return false;
        }
        if (length > 0 && line[length - 1] == '\r') line[--length] = '\0';
        if (length == 0) continue;
        if (input->frames && !ssimcu_ranges_hold(input->frames, record->frame)) continue;
        if (!share_has(input, list->lines - 1)) continue;
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
    if (record->kind == RECORD_FAILED) return true;
    char *tab = strchr(line, '\t');
    if (!tab || tab == line || tab[1] == '\0' || strchr(tab + 1, '\t')) {
        record_fail(record,
                    ssimcu_fail(&why, SSIMCU_ERROR_DATA, "the list's line is not REF, a tab, OUT"),
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
