/* A record as a line of CSV. */
#include "base/json.h"
#include "base/text.h"
#include "facts/record.h"
#include "lines/lines.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char record_csv_header[] =
    "frame,status,score,channels,channel_1,channel_2,channel_3,bits,background,backend,ref,out,"
    "message,tile_score,tile_x,tile_y,tile_width,tile_height,hints,part,"
    "clamped_ref,clamped_out,not_finite_ref,not_finite_out,"
    "range_low,range_high,not_compared,"
    "shift_levels,shift_channel,shift_x,shift_y,shift_width,shift_height,"
    "floor_rule,floor_excess,floor_channel,floor_x,floor_y,floor_width,floor_height,variant,stale,"
    "psnr,mse,psnr_1,psnr_2,psnr_3,ms_ssim,ms_ssim_1,ms_ssim_2,ms_ssim_3,ssimulacra2,"
    "bytes_ref,bytes_out,time_ref,time_out";

/* Writes a field, in quotes if it needs them. Line breaks and other control characters are escaped,
 * so that a record is one line whatever its files are called. Returns false if memory runs out. */
static bool put_field(FILE *to, const char *text)
{
    fputc(',', to);
    if (!text) return true;
    char *escaped = malloc(4 * strlen(text) + 1);
    if (!escaped) return false;
    (void)text_escape(escaped, text);
    const bool quoted = strpbrk(escaped, ",\"") != NULL;
    if (quoted) fputc('"', to);
    for (const char *at = escaped; *at; at++) fprintf(to, *at == '"' ? "\"\"" : "%c", *at);
    if (quoted) fputc('"', to);
    free(escaped);
    return true;
}

/* Writes a value; one that is not known makes an empty field. */
static void put_value(FILE *to, double value)
{
    if (isnan(value))
        fputc(',', to);
    else
        fprintf(to, ",%.*g", JSON_DIGITS, value); /* "inf" */
}

static bool put_score(FILE *to, const struct record *record)
{
    put_value(to, record->score);
    fprintf(to, ",%s", record->layout);
    for (uint32_t c = 0; c < 3; c++)
        if (c < record->channels)
            fprintf(to, ",%.*g", JSON_DIGITS, record->channel[c]);
        else
            fputc(',', to);
    fprintf(to, ",%u", record->bits);
    return put_field(to, contract_backgrounds[record->background]) &&
           put_field(to, record->backend);
}

static void put_tile(FILE *to, const struct record_tile *tile)
{
    if (tile->known)
        fprintf(to, ",%.*g,%u,%u,%u,%u", JSON_DIGITS, tile->score, tile->x, tile->y, tile->width,
                tile->height);
    else
        fputs(",,,,,", to);
}

static void put_shift(FILE *to, const struct record *record)
{
    const ssimcu_tile_shift *shift = &record->shift;
    if (shift->width > 0)
        fprintf(to, ",%.*g,%s,%u,%u,%u,%u", JSON_DIGITS, shift->levels,
                contract_channel(record->layout, shift->channel), shift->x, shift->y, shift->width,
                shift->height);
    else
        fputs(",,,,,,", to);
}

static void put_floor(FILE *to, const struct record *record)
{
    const struct floor_excess *floor = &record->floor;
    const struct floor_place *place = &floor->place[record->floor_worst];
    if (floor->known)
        fprintf(to, ",%s,%.*g,%s,%u,%u,%u,%u", floor_rule_names[record->floor_worst], JSON_DIGITS,
                floor->z[record->floor_worst],
                record_floor_has_channel(record->floor_worst)
                    ? contract_channel(record->layout, place->channel)
                    : "",
                place->x, place->y, place->width, place->height);
    else
        fputs(",,,,,,,", to);
}

static void put_metrics(FILE *to, const struct record *record)
{
    for (int m = SSIMCU_METRIC_PSNR; m < SSIMCU_METRICS; m++) {
        const double *channel = record_metric_channels(record, m);
        if (record_has(record, m) && isnan(record_value(record, m)))
            fputs(",nan", to); /* a tool's own */
        else
            put_value(to, record_value(record, m));
        if (m == SSIMCU_METRIC_PSNR) put_value(to, record_has(record, m) ? record->mse : NAN);
        for (uint32_t c = 0; c < 3 && m != SSIMCU_METRIC_SSIMULACRA2; c++)
            put_value(to, channel && c < record->channels ? channel[c] : NAN);
    }
}

static void put_coded(FILE *to, const struct record_coded coded[2])
{
    for (int s = 0; s < 2; s++)
        if (coded[s].known)
            fprintf(to, ",%" PRIu64, coded[s].bytes);
        else
            fputc(',', to);
    for (int s = 0; s < 2; s++) put_value(to, coded[s].known ? coded[s].time : NAN);
}

static void put_light(FILE *to, const struct record_light light[2])
{
    for (int s = 0; s < 2; s++)
        if (light[s].known)
            fprintf(to, ",%.*g", JSON_DIGITS, light[s].clamped);
        else
            fputc(',', to);
    for (int s = 0; s < 2; s++)
        if (light[s].known)
            fprintf(to, ",%" PRIu64, light[s].not_finite);
        else
            fputc(',', to);
}

/* Writes names with spaces between. */
static bool put_left(FILE *to, const char *left)
{
    char *names = left ? strdup(left) : NULL;
    for (char *at = names; at && *at; at++)
        if (*at == '\n') *at = ' ';
    const bool good = (names || !left) && put_field(to, names);
    free(names);
    return good;
}

static bool put_record(FILE *to, const struct record *record)
{
    const char *message = record->kind == RECORD_FAILED    ? record->message.text
                          : record->kind == RECORD_MISSING ? record_missing(record)
                                                           : NULL;
    fprintf(to, "%" PRId64, record->frame);
    bool good = put_field(to, record_status(record));
    if (record->kind != RECORD_SCORED) fputs(",,,,,,,,", to);
    if (good && record->kind == RECORD_SCORED) good = put_score(to, record);
    for (int s = 0; s < 2 && good; s++) good = put_field(to, record->side[s].path);
    good = good && put_field(to, message);
    put_tile(to, &record->tile);
    good = good && put_field(to, record->hints) && put_field(to, record->part);
    put_light(to, record->light);
    if (record->range.known)
        fprintf(to, ",%.*g,%.*g", JSON_DIGITS, record->range.low, JSON_DIGITS, record->range.high);
    else
        fputs(",,", to);
    good = good && put_left(to, record->left);
    put_shift(to, record);
    put_floor(to, record);
    good = put_field(to, record->variant.path) && good;
    fputs(!record->floor.known ? "," : record->floor.stale ? ",1" : ",0", to);
    put_metrics(to, record);
    put_coded(to, record->coded);
    return good;
}

char *record_to_csv(const struct record *record)
{
    char *line = NULL;
    size_t size;
    FILE *to = open_memstream(&line, &size);
    if (!to) return NULL;
    const bool good = put_record(to, record) && !ferror(to);
    if (fclose(to) == 0 && good) return line;
    free(line);
    return NULL;
}
