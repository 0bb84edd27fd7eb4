/* A record as a line of CSV. */
#include "results/lines.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char record_csv_header[] =
    "frame,status,score,channels,channel_1,channel_2,channel_3,bits,background,backend,ref,out,"
    "message";

/* A field in quotes where it needs them. */
static void put_field(FILE *to, const char *text)
{
    fputc(',', to);
    if (!text) return;
    if (!strpbrk(text, ",\"\r\n")) {
        fputs(text, to);
        return;
    }
    fputc('"', to);
    for (; *text; text++) fprintf(to, *text == '"' ? "\"\"" : "%c", *text);
    fputc('"', to);
}

static void put_score(FILE *to, const struct record *record)
{
    fprintf(to, ",%.*g,%s", LINE_DIGITS, record->score, record->layout);
    for (uint32_t c = 0; c < 3; c++)
        if (c < record->channels)
            fprintf(to, ",%.*g", LINE_DIGITS, record->channel[c]);
        else
            fputc(',', to);
    fprintf(to, ",%u", record->bits);
    put_field(to, contract_backgrounds[record->background]);
    put_field(to, record->backend);
}

char *record_to_csv(const struct record *record)
{
    char *line = NULL;
    size_t size;
    FILE *to = open_memstream(&line, &size);
    if (!to) return NULL;
    fprintf(to, "%" PRId64, record->frame);
    put_field(to, record_status(record));
    if (record->kind == RECORD_SCORED)
        put_score(to, record);
    else
        fputs(",,,,,,,,", to);
    for (int s = 0; s < 2; s++) put_field(to, record->side[s].path);
    put_field(to, record->kind == RECORD_FAILED    ? record->message.text
                  : record->kind == RECORD_MISSING ? record_missing(record)
                                                   : NULL);
    const bool failed = ferror(to);
    if (fclose(to) == 0 && !failed) return line;
    free(line);
    return NULL;
}
