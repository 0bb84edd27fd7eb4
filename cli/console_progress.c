#include "console.h"

#include "clock.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <unistd.h>

enum { BAR_CHARS = 24, MOST_COMPLAINTS = 20 };
static const double BAR_SECONDS = 0.2, OPENJD_SECONDS = 1.0;

static double now(void) { return ssimcu_clock_ms() / 1e3; }

void console_progress_start(struct console_progress *progress, enum progress kind, int64_t total)
{
    if (kind == PROGRESS_AUTO && !isatty(STDERR_FILENO)) kind = PROGRESS_NONE;
    *progress = (struct console_progress){
        .kind = kind, .total = total, .start_time = now(), .last_percent = -1};
    progress->draw_time = -OPENJD_SECONDS; /* the first frame shows at once */
}

static void erase(struct console_progress *progress)
{
    if (progress->drawn) fputs("\r\033[K", stderr);
    progress->drawn = false;
}

static void describe(const struct console_progress *progress, double time)
{
    const double seconds = time - progress->start_time;
    /* skipped frames do not count for the speed */
    const double speed = seconds > 0 ? (double)(progress->done - progress->skipped) / seconds : 0;
    fprintf(stderr, "%" PRId64, progress->done);
    if (progress->total >= 0) fprintf(stderr, "/%" PRId64, progress->total);
    fprintf(stderr, " frames, %.1f/s", speed);
    if (progress->total >= 0 && speed > 0) {
        const long left = (long)((double)(progress->total - progress->done) / speed + 0.5);
        fprintf(stderr, ", %ld:%02ld:%02ld left", left / 3600, left / 60 % 60, left % 60);
    }
    if (progress->worst_frame[0])
        fprintf(stderr, ", worst %.6f at frame %s", progress->worst, progress->worst_frame);
}

static void draw_bar(struct console_progress *progress, double time)
{
    erase(progress);
    if (progress->total > 0) {
        const int full = (int)(progress->done * BAR_CHARS / progress->total);
        fputc('[', stderr);
        for (int i = 0; i < BAR_CHARS; i++) fputc(i < full ? '#' : '.', stderr);
        fputs("] ", stderr);
    }
    describe(progress, time);
    fflush(stderr);
    progress->drawn = true;
}

static void print_openjd(struct console_progress *progress, double time)
{
    const int percent = progress->total > 0 ? (int)(progress->done * 100 / progress->total)
                                            : progress->last_percent;
    if (percent != progress->last_percent)
        fprintf(stderr, "openjd_progress: %d\n", percent < 100 ? percent : 100);
    progress->last_percent = percent;
    fputs("openjd_status: ", stderr);
    describe(progress, time);
    fputc('\n', stderr);
}

/* Returns whether it is time to update the display. If so, the current time is stored. */
static bool is_due(struct console_progress *progress)
{
    const double time = now();
    const double pause = progress->kind == PROGRESS_OPENJD ? OPENJD_SECONDS : BAR_SECONDS;
    if (progress->kind == PROGRESS_NONE || time - progress->draw_time < pause) return false;
    progress->draw_time = time;
    return true;
}

void console_progress_done(struct console_progress *progress, int64_t done)
{
    progress->done = done;
    if (!is_due(progress)) return;
    if (progress->kind == PROGRESS_OPENJD)
        print_openjd(progress, progress->draw_time);
    else
        draw_bar(progress, progress->draw_time);
}

void console_progress_pair(struct console_progress *progress, const ssimcu_record *record)
{
    const double score = record->metrics.metric[progress->metric];
    progress->done++;
    if (record->known) progress->skipped++;
    if (record->kind == SSIMCU_RECORD_SCORED && !isnan(score) &&
        (!progress->worst_frame[0] || score < progress->worst)) {
        char name[TEXT_FRAME];
        progress->worst = score;
        text_escape(progress->worst_frame, text_frame(name, record->shot, record->frame));
    }
    console_progress_done(progress, progress->done);
}

void console_complaint(struct console_progress *progress, const ssimcu_record *record)
{
    static const char *const names[] = {"REF", "OUT", "REF and OUT"};
    char name[TEXT_FRAME];
    if (progress->complaints++ >= MOST_COMPLAINTS) return;
    erase(progress);
    text_frame(name, record->shot, record->frame);
    if (record->kind == SSIMCU_RECORD_FAILED) {
        console_line("frame %s: %.450s", name, record->message);
        return;
    }
    const bool both = record->missing[0] && record->missing[1];
    const int side = record->missing[0] ? 0 : 1;
    const char *path = both ? NULL : record->path[side];
    console_line("frame %s: missing in %s%s%.400s", name, names[both ? 2 : side], path ? ": " : "",
                 path ? path : "");
}

void console_progress_pictures(struct console_progress *progress, size_t done, size_t count)
{
    const bool openjd = progress->kind == PROGRESS_OPENJD;
    if (!is_due(progress)) return;
    erase(progress);
    fprintf(stderr, "%sreport: %zu/%zu frames%s", openjd ? "openjd_status: " : "", done, count,
            openjd ? "\n" : "");
    fflush(stderr);
    progress->drawn = !openjd;
}

void console_progress_pictures_end(struct console_progress *progress) { erase(progress); }

void console_openjd_fail(const ssimcu_summary *summary, bool skips)
{
    char mean[TEXT_DIGITS];
    fprintf(stderr,
            "openjd_fail: %" PRIu64 " of %" PRIu64 " frames outside the limits, %" PRIu64
            " missing, %" PRIu64 " failed",
            summary->bad, summary->pairs, skips ? 0 : summary->missing, summary->failed);
    for (int m = 0; m < SSIMCU_METRICS; m++)
        if (summary->low_mean >> m & 1)
            fprintf(stderr, "; mean %s%s%s is too low", m > 0 ? metrics_name(m) : "",
                    m > 0 ? " " : "", metrics_text(mean, m, summary->metric_score[m]));
    if (!summary->complete) fputs("; incomplete", stderr);
    fputc('\n', stderr);
}

/* ---- Callbacks ------------------------------------------------------------------------------- */

void console_on_begin(void *user, int64_t total)
{
    struct console_call *call = user;
    const struct arguments *arguments = call->arguments;
    console_progress_start(&call->progress, arguments->quiet ? PROGRESS_NONE : arguments->progress,
                           total);
}

/* Removes the bar, or prints the last openjd lines. */
void console_on_end(void *user)
{
    struct console_progress *progress = &((struct console_call *)user)->progress;
    erase(progress);
    if (progress->kind == PROGRESS_OPENJD) print_openjd(progress, now());
    if (progress->complaints > MOST_COMPLAINTS)
        console_line("and %" PRIu64 " more frames", progress->complaints - MOST_COMPLAINTS);
}

ssimcu_status console_on_line(void *user, const char *line)
{
    struct console_call *call = user;
    call->lost = console_put(line);
    return call->lost ? SSIMCU_ERROR_WRITE : SSIMCU_OK;
}

ssimcu_status console_on_text(void *user, const char *text)
{
    char cut[1 << 14], escaped[4 * sizeof cut];
    snprintf(cut, sizeof cut, "%s", text);
    text_escape(escaped, cut);
    return console_on_line(user, escaped);
}

void console_on_log(void *user, ssimcu_log level, const char *line)
{
    const struct console_call *call = user;
    if (level == SSIMCU_LOG_WARNING || call->arguments->verbose) console_line("%s", line);
}
