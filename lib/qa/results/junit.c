#include "results/junit.h"

#include "results/guard.h"
#include "results/lines.h"
#include "results/results.h"
#include "results/text.h"

#include "fail.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Writes text as XML. Characters with a meaning there become entities; those that XML cannot hold
 * become '?'. */
static void put_text(FILE *to, const char *text)
{
    for (const unsigned char *at = (const unsigned char *)text; *at; at++) switch (*at) {
        case '&': fputs("&amp;", to); break;
        case '<': fputs("&lt;", to); break;
        case '>': fputs("&gt;", to); break;
        case '"': fputs("&quot;", to); break;
        case '\t':
        case '\n':
        case '\r': fprintf(to, "&#%d;", *at); break;
        default:
            if (at[0] == 0xEF && at[1] == 0xBF && at[2] >= 0xBE) { /* U+FFFE, U+FFFF */
                fputc('?', to);
                at += 2;
            } else {
                fputc(*at < 0x20 ? '?' : *at, to);
            }
        }
}

/* Returns a copy without what XML cannot hold, the caller's to free; NULL if memory runs out. */
static char *printable(const char *text)
{
    char *shown = malloc(4 * strlen(text) + 1);
    if (shown) text_escape(shown, text);
    return shown;
}

static void put_attribute(FILE *to, const char *name, const char *text)
{
    char *shown = printable(text);
    fprintf(to, " %s=\"", name);
    put_text(to, shown ? shown : "?");
    fputc('"', to);
    free(shown);
}

/* Names both sides, a line each; NULL: there is none. */
static void put_sides(FILE *to, const char *const path[2])
{
    for (int side = 0; side < 2; side++) {
        char *shown = path[side] ? printable(path[side]) : NULL;
        if (!shown) continue;
        fputs(side ? "OUT " : "REF ", to);
        put_text(to, shown);
        fputc('\n', to);
        free(shown);
    }
}

/* Writes in words what is wrong with a scored frame. */
static void describe(const struct verdict *verdict, const struct verdict_frame *frame, char *text,
                     size_t size)
{
    const struct record_tile *tile = &frame->tile;
    char score[TEXT_DIGITS], other[TEXT_DIGITS];
    size_t used = 0;
    text_digits(score, frame->score);
    for (int i = 0; i < FAULT_MISSING && used < size; i++) {
        if (!(frame->faults >> i & 1)) continue;
        const char *and = used > 0 ? "; " : "";
        const double limit = verdict_limit(verdict, i);
        const bool judged = i == FAULT_TILE   ? tile->known
                            : i == FAULT_DROP ? frame->has_baseline
                                              : i != FAULT_HINT || frame->hints;
        if (!judged)
            used += (size_t)snprintf(text + used, size - used, "%s%s", and, verdict_unjudged[i]);
        else if (i == FAULT_HINT)
            continue; /* the hints follow */
        else if (i == FAULT_FRAME)
            used += (size_t)snprintf(text + used, size - used, "%sscore %s under %.9g", and, score,
                                     limit);
        else if (i == FAULT_TILE)
            used +=
                (size_t)snprintf(text + used, size - used, "%stile %s at %ux%u+%u+%u under %.9g",
                                 and, text_digits(other, tile->score), tile->width, tile->height,
                                 tile->x, tile->y, limit);
        else
            used += (size_t)snprintf(text + used, size - used, "%sscore %s, was %s", and, score,
                                     text_digits(other, frame->baseline));
    }
    if (frame->hints && used < size)
        snprintf(text + used, size - used, "%s%s", used > 0 ? "; " : "", frame->hints);
}

static void put_frame(FILE *to, const struct verdict *verdict, const struct verdict_frame *frame)
{
    char text[1024] = "";
    const unsigned error = 1u << FAULT_FAILED | 1u << FAULT_MISSING;
    const char *element = frame->faults & error ? "error" : "failure";
    const char *kind = verdict_fault_names[FAULT_FAILED];
    for (int i = FAULT_COUNT; i-- > 0;)
        if (frame->faults >> i & 1) kind = verdict_fault_names[i];
    if (frame->reason)
        snprintf(text, sizeof text, "%s%s", frame->faults & 1u << FAULT_MISSING ? "missing: " : "",
                 frame->reason);
    else
        describe(verdict, frame, text, sizeof text);
    char name[TEXT_FRAME + 8] = "frame ";
    text_frame(name + strlen(name), frame->part, frame->frame);
    fputs("    <testcase classname=\"ssimcu.frame\"", to);
    put_attribute(to, "name", name);
    fputs(" time=\"0\">\n", to);
    fprintf(to, "      <%s type=\"%s\"", element, kind);
    put_attribute(to, "message", text);
    fputc('>', to);
    put_sides(to, (const char *const[2]){frame->ref, frame->out});
    fprintf(to, "</%s>\n    </testcase>\n", element);
}

static const char WHOLE[] = "    <testcase classname=\"ssimcu\" name=\"all frames\" time=\"0\"";

static void put_whole(FILE *to, const struct verdict *verdict, const struct summary *summary)
{
    char mean[TEXT_DIGITS];
    fputs(WHOLE, to);
    if (verdict->passed) {
        fputs("/>\n", to);
        return;
    }
    const char *type = verdict->nothing_scored ? "no score"
                       : verdict->incomplete   ? "incomplete"
                       : verdict->low_mean     ? "min_score"
                                               : "frames";
    fprintf(to, ">\n      <failure type=\"%s\" message=\"", type);
    fprintf(to,
            "%" PRIu64 " frames: %" PRIu64 " scored, %" PRIu64 " missing, %" PRIu64
            " failed, %" PRIu64 " below a limit",
            summary->pairs, summary->scored, summary->missing, summary->failed, verdict->bad);
    if (summary->scored > 0) fprintf(to, "; mean %s", text_digits(mean, summary->all.mean));
    if (verdict->low_mean) fprintf(to, " under %.9g", verdict->limits.min_score);
    if (verdict->incomplete) fputs("; incomplete", to);
    fputs("\"/>\n    </testcase>\n", to);
}

/* Returns whether the frame has a case. Frames that max_bad forgives have none. */
static bool has_case(const struct verdict *verdict, const struct verdict_frame *frame)
{
    return !frame->scored || verdict->too_many;
}

/* Starts the suite. Ant's schema wants a date, a host and a time everywhere; frames have time 0,
 * because their times are not recorded. */
static void put_suite(FILE *to, size_t tests, size_t failures, size_t errors)
{
    char host[256] = "", date[32];
    const time_t now = time(NULL);
    struct tm utc;
    if (gethostname(host, sizeof host - 1) != 0 || host[0] == '\0') strcpy(host, "localhost");
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%S", gmtime_r(&now, &utc));
    fprintf(to,
            "  <testsuite id=\"0\" package=\"ssimcu\" name=\"ssimcu\" timestamp=\"%s\" time=\"0\"",
            date);
    put_attribute(to, "hostname", host);
    fprintf(to, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\">\n    <properties/>\n", tests,
            failures, errors);
}

static const char START[] = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n";
static const char END[] = "    <system-out/>\n    <system-err/>\n  </testsuite>\n</testsuites>\n";

static void put_early_end(FILE *to, const struct junit_end *end)
{
    fputs(START, to);
    put_suite(to, 1, 0, 1);
    fprintf(to, "%s>\n      <error type=\"%s\"", WHOLE, ssimcu_status_name(end->status));
    put_attribute(to, "message", end->text);
    fputc('>', to);
    put_sides(to, end->side);
    fprintf(to, "</error>\n    </testcase>\n%s", END);
}

static void put_all(FILE *to, const struct verdict *verdict, const struct summary *summary)
{
    size_t failures = !verdict->passed, errors = 0;
    for (size_t i = 0; i < verdict->listed; i++) {
        const struct verdict_frame *frame = &verdict->frame[i];
        failures += has_case(verdict, frame) && frame->scored;
        errors += !frame->scored;
    }
    size_t cases = 1;
    for (size_t i = 0; i < verdict->listed; i++) cases += has_case(verdict, &verdict->frame[i]);
    fputs(START, to);
    put_suite(to, cases, failures, errors);
    put_whole(to, verdict, summary);
    for (size_t i = 0; i < verdict->listed; i++)
        if (has_case(verdict, &verdict->frame[i])) put_frame(to, verdict, &verdict->frame[i]);
    fputs(END, to);
}

/* Writes the file: `end`, or the verdict if that is NULL. */
static ssimcu_status write_file(const char *path, const struct junit_end *end,
                                const struct verdict *verdict, const struct summary *summary,
                                ssimcu_message *message)
{
    struct stat old;
    if (stat(path, &old) == 0 && !S_ISREG(old.st_mode)) /* rename would replace it */
        return ssimcu_fail(message, SSIMCU_ERROR_WRITE, "%.300s: not a regular file", path);
    char *temporary = results_beside(path, ".tmp");
    if (!temporary) return results_no_memory(message);
    FILE *to = fopen(temporary, "we");
    bool good = to != NULL;
    if (good && end) put_early_end(to, end);
    if (good && !end) put_all(to, verdict, summary);
    if (good && (ferror(to) || fflush(to) != 0)) good = false;
    int error = errno;
    if (to && fclose(to) != 0 && good) good = false, error = errno;
    if (good && rename(temporary, path) != 0) good = false, error = errno;
    if (!good && to) (void)unlink(temporary);
    free(temporary);
    if (good) return SSIMCU_OK;
    return ssimcu_fail(message, SSIMCU_ERROR_WRITE, "%.300s: %s", path, strerror(error));
}

ssimcu_status junit_write(const char *path, const struct verdict *verdict,
                          const struct summary *summary, ssimcu_message *message)
{
    return write_file(path, NULL, verdict, summary, message);
}

ssimcu_status junit_write_end(const char *path, const struct junit_end *end,
                              ssimcu_message *message)
{
    const ssimcu_status status = junit_remove(path, message);
    return status == SSIMCU_OK ? write_file(path, end, NULL, NULL, message) : status;
}

ssimcu_status junit_remove(const char *path, ssimcu_message *message)
{
    return guard_remove(path, junit_may_go(path), "JUnit XML", message);
}

bool junit_may_go(const char *path)
{
    return guard_allows(path, (const char *const[]){START, NULL}, false);
}
