#include "delivery/hooks.h"

#include "base/numbers.h"
#include "lines/lines.h"
#include "record/record.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_BYTES = 1 << 14, MOST_REMARKS = 20 };

void print_line(const struct line_sink *to, const char *format, ...)
{
    char text[LINE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    to->line(to->user, text);
}

void hooks_log(struct hooks *hooks, ssimcu_log level, const char *format, ...)
{
    char text[LINE_BYTES];
    va_list arguments;
    if (!hooks->call.log) return;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    pthread_mutex_lock(&hooks->lock);
    hooks->call.log(hooks->call.user, level, text);
    pthread_mutex_unlock(&hooks->lock);
}

void hooks_detail(void *hooks, const char *line)
{
    hooks_log(hooks, SSIMCU_LOG_DETAIL, "%s", line);
}

void hooks_remark(void *user, const char *line)
{
    struct hooks *hooks = user;
    pthread_mutex_lock(&hooks->lock);
    const unsigned before = hooks->remarks++;
    pthread_mutex_unlock(&hooks->lock);
    if (before < MOST_REMARKS) hooks_log(hooks, SSIMCU_LOG_WARNING, "%s", line);
    if (before == MOST_REMARKS)
        hooks_log(hooks, SSIMCU_LOG_WARNING, "further warnings about files are not shown");
}

ssimcu_status hooks_print_line(void *user, const char *line)
{
    struct hooks *hooks = user;
    pthread_mutex_lock(&hooks->lock);
    const ssimcu_status status = hooks->call.line(hooks->call.user, line);
    pthread_mutex_unlock(&hooks->lock);
    return status;
}

ssimcu_status hooks_failed(ssimcu_status status, ssimcu_message *message)
{
    if (status == SSIMCU_OK) return status;
    return ssimcu_fail(message, status, "a callback ended the run (%s)",
                       ssimcu_status_name(status));
}

ssimcu_metric_values hooks_metrics(const struct record *record)
{
    ssimcu_metric_values values;
    for (int m = 0; m < SSIMCU_METRICS; m++) {
        const double *channel = record_metric_channels(record, m);
        values.metric[m] = record_value(record, m);
        for (uint32_t c = 0; c < 3; c++)
            values.metric_channel[m][c] = channel && c < record->scored.channels ? channel[c] : NAN;
    }
    values.mse = record_has(record, SSIMCU_METRIC_PSNR) ? record->mse : NAN;
    return values;
}

void hooks_left(const struct record *record, char text[HOOKS_LEFT])
{
    static const char more[] = "...";
    const char *left = record->text[RECORD_LEFT] ? record->text[RECORD_LEFT] : "";
    size_t used = strlen(left);
    if (used >= HOOKS_LEFT) { /* names are not cut */
        for (used = HOOKS_LEFT - sizeof more; used > 0 && left[used - 1] != '\n';) used--;
        memcpy(text + used, more, sizeof more);
    } else {
        text[used] = '\0';
    }
    memcpy(text, left, used);
}

_Static_assert((int)SSIMCU_LEARNED_RULES == (int)LEARNED_RULES, "each rule is shown");

static ssimcu_learned_excess learned_of(const struct record *record)
{
    const struct learned_excess *learned = &record->learned;
    const struct learned_place *place = &learned->place[record->learned_worst];
    ssimcu_learned_excess shown = {.known = learned->known};
    if (!learned->known) return shown;
    memcpy(shown.excess, learned->z, sizeof shown.excess);
    shown.worst = learned_rule_names[record->learned_worst];
    shown.x = place->x, shown.y = place->y;
    shown.width = place->width, shown.height = place->height;
    shown.channel = place->channel;
    shown.stale = learned->stale;
    return shown;
}

/* Returns the public view of a record. */
static ssimcu_record shown_of(const struct record *record)
{
    const bool failed = record->kind == RECORD_FAILED;
    return (ssimcu_record){.frame = record->frame,
                           .out = record->out,
                           .kind = record->kind,
                           .shot = record->shot,
                           .path = {record->side[0].path, record->side[1].path},
                           .missing = {record->missing[0], record->missing[1]},
                           .status = failed ? record->status : SSIMCU_OK,
                           .message = failed ? record->message.text : "",
                           .not_compared = record->text[RECORD_LEFT],
                           .assumed = record->text[RECORD_ASSUMED],
                           .colours = record->text[RECORD_COLOURS],
                           .streams = record->text[RECORD_STREAMS],
                           .layer = record->text[RECORD_LAYER],
                           .variant = record->variant.path,
                           .learned = learned_of(record),
                           .metrics = hooks_metrics(record),
                           .coded = {record->coded[0], record->coded[1]},
                           .by_nvdec = {record->by_nvdec[0], record->by_nvdec[1]},
                           .facts = record};
}

/* Returns the public view of findings, which the caller frees; NULL if memory runs out. */
static ssimcu_finding *show_findings(const struct findings *findings)
{
    ssimcu_finding *shown = calloc(findings->count + 1, sizeof *shown);
    for (size_t i = 0; shown && i < findings->count; i++) {
        const struct finding *finding = &findings->at[i];
        shown[i] = (ssimcu_finding){finding_row(finding->kind)->name,
                                    finding->fails,
                                    finding->value,
                                    finding->limit,
                                    finding->place.x,
                                    finding->place.y,
                                    finding->place.width,
                                    finding->place.height,
                                    finding->text};
    }
    return shown;
}

char *ssimcu_record_json(const ssimcu_record *record)
{
    const locale_t before = numbers_begin();
    char *text = record_to_json(record->facts);
    numbers_end(before);
    return text;
}

ssimcu_status hooks_record(struct hooks *hooks, const struct record *record, bool known,
                           ssimcu_message *message)
{
    if (!hooks->call.record) return SSIMCU_OK;
    ssimcu_record shown = shown_of(record);
    ssimcu_finding *finding = show_findings(&record->findings);
    if (!finding) return ssimcu_no_memory(message, "the findings");
    shown.known = known;
    shown.finding = finding;
    shown.findings = (uint32_t)record->findings.count;
    if (record->kind == RECORD_SCORED) shown.scored = record->scored;
    pthread_mutex_lock(&hooks->lock);
    const ssimcu_status status = hooks->call.record(hooks->call.user, &shown);
    pthread_mutex_unlock(&hooks->lock);
    free(finding);
    return hooks_failed(status, message);
}
