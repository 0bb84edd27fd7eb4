#include "run/hooks.h"

#include <string.h>

enum { LINE_BYTES = 1 << 14 };

void say(const struct say *to, const char *format, ...)
{
    char text[LINE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    to->line(to->user, text);
}

void hooks_log(const ssimcu_run_hooks *hooks, ssimcu_log level, const char *format, ...)
{
    char text[LINE_BYTES];
    va_list arguments;
    if (!hooks->log) return;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    hooks->log(hooks->user, level, text);
}

ssimcu_status hooks_failed(ssimcu_status status, ssimcu_message *message)
{
    return status == SSIMCU_OK ? status
                               : ssimcu_fail(message, status, "a callback ended the run (%s)",
                                             ssimcu_status_name(status));
}

static ssimcu_light_share light_of(const struct record_light *light)
{
    return (ssimcu_light_share){light->known, light->clamped, light->outside, light->not_finite};
}

void hooks_scored(const struct record *record, ssimcu_scored *scored)
{
    const struct record_tile *tile = &record->tile;
    *scored = (ssimcu_scored){
        .score = record->score,
        .channels = record->channels,
        .layout = record->layout,
        .bits = record->bits,
        .background = record->background,
        .backend = record->backend,
        .tile = {tile->known, tile->score, tile->x, tile->y, tile->width, tile->height},
        .light = {light_of(&record->light[0]), light_of(&record->light[1])}};
    memcpy(scored->channel, record->channel, sizeof scored->channel);
    memcpy(scored->hints, record->hints, sizeof scored->hints);
}

_Static_assert(sizeof((ssimcu_scored *)0)->hints == RECORD_HINTS_BYTES, "hints are copied whole");

ssimcu_status hooks_record(const ssimcu_run_hooks *hooks, const struct record *record, bool known,
                           ssimcu_message *message)
{
    if (!hooks->record) return SSIMCU_OK;
    const bool failed = record->kind == RECORD_FAILED;
    ssimcu_record shown = {.frame = record->frame,
                           .out = record->out,
                           .kind = (ssimcu_record_kind)record->kind,
                           .known = known,
                           .part = record->part,
                           .path = {record->side[0].path, record->side[1].path},
                           .missing = {record->missing[0], record->missing[1]},
                           .status = failed ? record->status : SSIMCU_OK,
                           .message = failed ? record->message.text : ""};
    if (record->kind == RECORD_SCORED) hooks_scored(record, &shown.scored);
    return hooks_failed(hooks->record(hooks->user, &shown), message);
}
