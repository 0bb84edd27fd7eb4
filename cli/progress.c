#define _POSIX_C_SOURCE 200809L

#include "progress.h"

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

void progress_start(struct progress_state *progress, enum progress kind, int64_t total)
{
    if (kind == PROGRESS_AUTO && !isatty(STDERR_FILENO)) kind = PROGRESS_NONE;
    *progress = (struct progress_state){
        .kind = kind, .total = total, .start = now(), .worst_frame = -1, .last_percent = -1};
    progress->last = -OPENJD_SECONDS; /* the first frame shows at once */
}

static void erase(struct progress_state *progress)
{
    if (progress->drawn) fputs("\r\033[K", stderr);
    progress->drawn = false;
}

/* Frames that were skipped say nothing about the speed. */
static double rate(const struct progress_state *progress, double time)
{
    const double seconds = time - progress->start;
    return seconds > 0 ? (double)(progress->done - progress->skipped) / seconds : 0;
}

static void describe(const struct progress_state *progress, double time)
{
    const double speed = rate(progress, time);
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

static void draw_bar(struct progress_state *progress, double time)
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

static void print_openjd(struct progress_state *progress, double time)
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

static void show(struct progress_state *progress, double pause)
{
    const double time = now();
    if (time - progress->last < pause) return;
    progress->last = time;
    if (progress->kind == PROGRESS_OPENJD)
        print_openjd(progress, time);
    else
        draw_bar(progress, time);
}

void progress_frame(struct progress_state *progress, const struct record *record, bool skipped)
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

void progress_complain(struct progress_state *progress, const struct record *record)
{
    ssimcu_message line;
    if (progress->complaints++ >= MOST_COMPLAINTS) return;
    erase(progress);
    record_complaint(record, &line);
    fprintf(stderr, "ssimcu: %s\n", line.text);
}

void progress_end(struct progress_state *progress)
{
    erase(progress);
    if (progress->kind == PROGRESS_OPENJD) print_openjd(progress, now());
    if (progress->complaints > MOST_COMPLAINTS)
        fprintf(stderr, "ssimcu: and %" PRIu64 " frames more\n",
                progress->complaints - MOST_COMPLAINTS);
}
