#include "console.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { BAR_CHARS = 24, MOST_COMPLAINTS = 20, PARTS_NAMED = 20 };
static const double BAR_SECONDS = 0.2, OPENJD_SECONDS = 1.0;

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

void console_progress_start(struct console_progress *progress, enum progress kind, int64_t total)
{
    if (kind == PROGRESS_AUTO && !isatty(STDERR_FILENO)) kind = PROGRESS_NONE;
    *progress = (struct console_progress){
        .kind = kind, .total = total, .start_time = now(), .worst_frame = -1, .last_percent = -1};
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
    /* frames that were skipped do not count for the speed */
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

static void show(struct console_progress *progress, double pause)
{
    const double time = now();
    if (time - progress->draw_time < pause) return;
    progress->draw_time = time;
    if (progress->kind == PROGRESS_OPENJD)
        print_openjd(progress, time);
    else
        draw_bar(progress, time);
}

void console_progress_pair(struct console_progress *progress, const struct record *record,
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

void console_complaint(struct console_progress *progress, const struct record *record)
{
    static const char *const names[] = {"REF", "OUT", "REF and OUT"};
    if (progress->complaints++ >= MOST_COMPLAINTS) return;
    erase(progress);
    if (record->kind == RECORD_FAILED) {
        console_line("frame %" PRId64 ": %.450s", record->frame, record->message.text);
        return;
    }
    const bool both = record->missing[0] && record->missing[1];
    const int side = record->missing[0] ? 0 : 1;
    const char *path = both ? NULL : record->side[side].path;
    console_line("frame %" PRId64 ": missing in %s%s%.400s", record->frame, names[both ? 2 : side],
                 path ? ": " : "", path ? path : "");
}

void console_progress_end(struct console_progress *progress)
{
    erase(progress);
    if (progress->kind == PROGRESS_OPENJD) print_openjd(progress, now());
    if (progress->complaints > MOST_COMPLAINTS)
        console_line("and %" PRIu64 " frames more", progress->complaints - MOST_COMPLAINTS);
}

void console_progress_pictures(struct console_progress *progress, size_t done, size_t count)
{
    const double time = now();
    const bool openjd = progress->kind == PROGRESS_OPENJD;
    if (progress->kind == PROGRESS_NONE ||
        time - progress->draw_time < (openjd ? OPENJD_SECONDS : BAR_SECONDS))
        return;
    progress->draw_time = time;
    erase(progress);
    fprintf(stderr, "%sreport: %zu/%zu frames%s", openjd ? "openjd_status: " : "", done, count,
            openjd ? "\n" : "");
    fflush(stderr);
    progress->drawn = !openjd;
}

void console_progress_pictures_end(struct console_progress *progress) { erase(progress); }

/* ---- The summary ----------------------------------------------------------------------------- */

static void console_entry(const char *label, const struct ranking_entry *entry, const char *score)
{
    console_line("%s: %s frame %" PRId64 "%s%s", label, score, entry->frame, entry->out ? " " : "",
                 entry->out ? entry->out : "");
}

static void console_worst(const struct ranking_entry *entry)
{
    char text[TEXT_DIGITS + CONSOLE_TILE + 16], digits[TEXT_DIGITS], tile[CONSOLE_TILE];
    snprintf(text, sizeof text, "%s%s%s%s", text_digits(digits, entry->score),
             entry->tile.known ? " (tile " : "",
             entry->tile.known ? console_tile(tile, &entry->tile) : "",
             entry->tile.known ? ")" : "");
    console_entry("worst", entry, text);
}

static void console_statistics(const struct statistics *s)
{
    char mean[TEXT_DIGITS], min[TEXT_DIGITS], max[TEXT_DIGITS], p1[TEXT_DIGITS], p5[TEXT_DIGITS],
        p50[TEXT_DIGITS], digits[TEXT_DIGITS], harmonic[40] = "";
    if (s->has_harmonic_mean)
        snprintf(harmonic, sizeof harmonic, ", harmonic %s", text_digits(digits, s->harmonic_mean));
    console_line("mean %s%s, min %s, p1 %s, p5 %s, p50 %s, max %s, stddev %.9f",
                 text_digits(mean, s->mean), harmonic, text_digits(min, s->min),
                 text_digits(p1, s->p1), text_digits(p5, s->p5), text_digits(p50, s->p50),
                 text_digits(max, s->max), s->stddev);
}

/* Prints the mean of each plane of video. */
static void console_planes(const struct summary *s)
{
    char y[TEXT_DIGITS], u[TEXT_DIGITS], v[TEXT_DIGITS];
    if (s->layout && strcmp(s->layout, "yuv") == 0)
        console_line("planes: Y %s, U %s, V %s", text_digits(y, s->channel[0]),
                     text_digits(u, s->channel[1]), text_digits(v, s->channel[2]));
}

static void console_part(const struct summary_part *part)
{
    char mean[TEXT_DIGITS], min[TEXT_DIGITS];
    if (part->scored == 0)
        console_line("part %s: %" PRIu64 " frames, none scored", part->name, part->pairs);
    else
        console_line("part %s: %" PRIu64 " frames, mean %s, min %s at frame %" PRId64, part->name,
                     part->pairs, text_digits(mean, part->mean), text_digits(min, part->min),
                     part->worst);
}

void console_summary(const struct summary *s)
{
    char text[CONSOLE_TILE];
    console_line("%" PRIu64 " frames: %" PRIu64 " scored, %" PRIu64 " missing, %" PRIu64
                 " failed%s",
                 s->pairs, s->scored, s->missing, s->failed, s->complete ? "" : "; INCOMPLETE");
    for (uint32_t i = 0; i < s->parts && i < PARTS_NAMED; i++) console_part(&s->part[i]);
    if (s->parts > PARTS_NAMED) console_line("and %u parts more", s->parts - PARTS_NAMED);
    if (s->scored == 0) return;
    console_statistics(&s->all);
    console_planes(s);
    for (uint32_t i = 0; i < s->worst.count; i++) console_worst(&s->worst.entry[i]);
    for (uint32_t i = 0; i < s->worst_tiles.count; i++)
        console_entry("worst tile", &s->worst_tiles.entry[i],
                      console_tile(text, &s->worst_tiles.entry[i].tile));
}

void console_times(const struct batch_times *t)
{
    console_line("backend %s: %s", t->device, t->reason);
    console_line("%" PRIu64 " pairs in %.0f ms (device start %.0f ms before): %u decoding threads, "
                 "%u readers, %u lanes, %" PRIu64 " slots, at most %.0f of %.0f MiB for frames",
                 t->pairs, t->whole, t->start, t->threads, t->readers, t->lanes, t->slots,
                 (double)t->memory_peak / 1048576, (double)t->memory_limit / 1048576);
    console_line("ms of all threads: decode %.0f, score %.0f; of that on the device: upload %.0f, "
                 "planes %.0f, ssim %.0f, reduce %.0f, download %.0f",
                 t->decode, t->score, t->stage.upload, t->stage.planes, t->stage.ssim,
                 t->stage.reduce, t->stage.download);
    if (t->on_device > 0)
        console_line("%" PRIu64 " frames stayed in device memory, %.0f MiB of others were uploaded",
                     t->on_device, (double)t->from_host / 1048576);
}
