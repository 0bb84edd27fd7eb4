#include "report.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { BAR_CHARS = 24, MOST_COMPLAINTS = 20 };
static const double BAR_SECONDS = 0.2, OPENJD_SECONDS = 1.0;

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

void report_progress_start(struct report_progress *progress, enum progress kind, int64_t total)
{
    if (kind == PROGRESS_AUTO && !isatty(STDERR_FILENO)) kind = PROGRESS_NONE;
    *progress = (struct report_progress){
        .kind = kind, .total = total, .start = now(), .worst_frame = -1, .last_percent = -1};
    progress->last = -OPENJD_SECONDS; /* the first frame shows at once */
}

static void erase(struct report_progress *progress)
{
    if (progress->drawn) fputs("\r\033[K", stderr);
    progress->drawn = false;
}

static void describe(const struct report_progress *progress, double time)
{
    const double seconds = time - progress->start;
    /* frames that were skipped say nothing about the speed */
    const double speed = seconds > 0 ? (double)(progress->done - progress->skipped) / seconds : 0;
    fprintf(stderr, "%" PRId64, progress->done);
    if (progress->total >= 0) fprintf(stderr, "/%" PRId64, progress->total);
    fprintf(stderr, " frames, %.1f/s", speed);
    if (progress->total >= 0 && speed > 0) {
        const long left = (long)((double)(progress->total - progress->done) / speed + 0.5);
        fprintf(stderr, ", %ld:%02ld:%02ld left", left / 3600, left / 60 % 60, left % 60);
    }
    if (progress->worst_frame >= 0)
        fprintf(stderr, ", worst %.6f at frame %" PRId64, progress->worst, progress->worst_frame);
}

static void draw_bar(struct report_progress *progress, double time)
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

static void print_openjd(struct report_progress *progress, double time)
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

static void show(struct report_progress *progress, double pause)
{
    const double time = now();
    if (time - progress->last < pause) return;
    progress->last = time;
    if (progress->kind == PROGRESS_OPENJD)
        print_openjd(progress, time);
    else
        draw_bar(progress, time);
}

void report_progress_pair(struct report_progress *progress, const struct record *record,
                          bool skipped)
{
    progress->done++;
    if (skipped) progress->skipped++;
    if (record->kind == RECORD_SCORED &&
        (progress->worst_frame < 0 || record->score < progress->worst)) {
        progress->worst = record->score;
        progress->worst_frame = record->frame;
    }
    if (progress->kind != PROGRESS_NONE)
        show(progress, progress->kind == PROGRESS_OPENJD ? OPENJD_SECONDS : BAR_SECONDS);
}

void report_complaint(struct report_progress *progress, const struct record *record)
{
    static const char *const names[] = {"REF", "OUT", "REF and OUT"};
    if (progress->complaints++ >= MOST_COMPLAINTS) return;
    erase(progress);
    if (record->kind == RECORD_FAILED) {
        report_line("frame %" PRId64 ": %.450s", record->frame, record->message.text);
        return;
    }
    const bool both = record->missing[0] && record->missing[1];
    const int side = record->missing[0] ? 0 : 1;
    const char *path = both ? NULL : record->side[side].path;
    report_line("frame %" PRId64 ": missing in %s%s%.400s", record->frame, names[both ? 2 : side],
                path ? ": " : "", path ? path : "");
}

void report_progress_end(struct report_progress *progress)
{
    erase(progress);
    if (progress->kind == PROGRESS_OPENJD) print_openjd(progress, now());
    if (progress->complaints > MOST_COMPLAINTS)
        report_line("and %" PRIu64 " frames more", progress->complaints - MOST_COMPLAINTS);
}

/* ---- The end --------------------------------------------------------------------------------- */

void report_summary(const struct summary *s)
{
    char digits[7][REPORT_DIGITS_BYTES];
    report_line("%" PRIu64 " frames: %" PRIu64 " scored, %" PRIu64 " missing, %" PRIu64 " failed%s",
                s->pairs, s->scored, s->missing, s->failed, s->complete ? "" : "; INCOMPLETE");
    if (s->scored == 0) return;
    report_line("mean %s%s%s, min %s, p1 %s, p5 %s, p50 %s, max %s, stddev %.9f",
                report_digits(s->mean, digits[0]), s->has_harmonic_mean ? ", harmonic " : "",
                s->has_harmonic_mean ? report_digits(s->harmonic_mean, digits[1]) : "",
                report_digits(s->min, digits[2]), report_digits(s->p1, digits[3]),
                report_digits(s->p5, digits[4]), report_digits(s->p50, digits[5]),
                report_digits(s->max, digits[6]), s->stddev);
    for (uint32_t i = 0; i < s->worst_count; i++)
        report_line("worst: %s frame %" PRId64 "%s%s", report_digits(s->worst[i].score, digits[0]),
                    s->worst[i].frame, s->worst[i].out ? " " : "",
                    s->worst[i].out ? s->worst[i].out : "");
}

void report_times(const struct batch_times *t)
{
    report_line("backend %s: %s", t->device, t->reason);
    report_line("%" PRIu64 " pairs in %.0f ms (device start %.0f ms before): %u decoding threads, "
                "%u lanes, %" PRIu64 " slots, at most %.0f of %.0f MiB for frames",
                t->pairs, t->whole, t->start, t->threads, t->lanes, t->slots,
                (double)t->memory_peak / 1048576, (double)t->memory_limit / 1048576);
    report_line("ms of all threads: decode %.0f, score %.0f; of that on the device: upload %.0f, "
                "planes %.0f, ssim %.0f, reduce %.0f, download %.0f",
                t->decode, t->score, t->stage.upload, t->stage.planes, t->stage.ssim,
                t->stage.reduce, t->stage.download);
}
