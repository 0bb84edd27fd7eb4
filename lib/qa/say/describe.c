/* What a run came to, in lines for a person. */
#include "say/describe.h"

#include "base/text.h"
#include "delivery/picture_pair.h"
#include "facts/record.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PARTS_NAMED = 20, HINTS_NAMED = 10 };

/* Advice about pixels that were clamped. */
#define CLAMPED_ADVICE "what differs there does not count (--hdr pu21 or none, --exposure)"

static const char *const NAMES[] = {"REF", "OUT"};

/* ---- The summary ----------------------------------------------------------------------------- */

static void say_entry(const struct say *to, const char *label, const struct ranking_entry *entry,
                      const char *score)
{
    char name[TEXT_FRAME];
    say(to, "%s: %s frame %s%s%s", label, score, text_frame(name, entry->part, entry->frame),
        entry->out ? " " : "", entry->out ? entry->out : "");
}

/* Names a frame with a low score. One that is identical to its reference is none. */
static void say_worst(const struct say *to, const struct ranking_entry *entry, ssimcu_metric metric)
{
    char text[TEXT_DIGITS + RECORD_TILE_TEXT + 32], digits[TEXT_DIGITS], tile[RECORD_TILE_TEXT];
    if (entry->value == metrics_best(metric)) return;
    snprintf(text, sizeof text, "%s%s%s%s%s%s",
             metric == SSIMCU_METRIC_SSIM ? "" : metrics_name(metric),
             metric == SSIMCU_METRIC_SSIM ? "" : " ", metrics_text(digits, metric, entry->value),
             entry->tile.width > 0 ? " (tile " : "",
             entry->tile.width > 0 ? record_tile_text(tile, &entry->tile) : "",
             entry->tile.width > 0 ? ")" : "");
    say_entry(to, "worst", entry, text);
}

/* Prints the mean of each plane of video. */
static void say_planes(const struct say *to, const struct summary *s)
{
    char y[TEXT_DIGITS], u[TEXT_DIGITS], v[TEXT_DIGITS];
    if (s->numbers.layout && strcmp(s->numbers.layout, "yuv") == 0)
        say(to, "planes: Y %s, U %s, V %s", text_digits(y, s->numbers.channel[0]),
            text_digits(u, s->numbers.channel[1]), text_digits(v, s->numbers.channel[2]));
}

static void say_part(const struct say *to, const struct summary_part *part)
{
    char mean[TEXT_DIGITS], min[TEXT_DIGITS], low[TEXT_DIGITS], p5[TEXT_DIGITS], tiles[80] = "";
    const struct summary_metric *ssim = &part->numbers.metrics[SSIMCU_METRIC_SSIM];
    if (ssim->scored == 0) {
        say(to, "part %s: %" PRIu64 " frames, %s%s", part->name, part->pairs,
            part->scored > 0 ? "without " : "none scored",
            part->scored > 0 ? metrics_name(SSIMCU_METRIC_SSIM) : "");
        return;
    }
    if (part->numbers.tiled > 0)
        snprintf(tiles, sizeof tiles, "; tile %s at frame %" PRId64 ", p5 %s",
                 text_digits(low, part->numbers.tiles.min), part->worst_tile,
                 text_digits(p5, part->numbers.tiles.p5));
    say(to, "part %s: %" PRIu64 " frames, mean %s, min %s at frame %" PRId64 "%s", part->name,
        part->pairs, text_digits(mean, ssim->score), text_digits(min, ssim->all.min), part->worst,
        tiles);
}

/* Says which channels of an EXR no score covers, and that --alpha, if it asks for something, does
 * not concern them. `frames`: how many frames have such; 0: a pair. `layers`: of every layer. */
static void say_left(const struct say *to, const char *left, uint64_t frames, bool layers,
                     const ssimcu_settings *settings)
{
    enum { NAMED = 12 };
    char names[1024] = "", of[64] = "", more[64] = "";
    size_t used = 0;
    unsigned count = 0;
    for (const char *name = left; *name; count++) {
        const int length = (int)strcspn(name, "\n");
        if (count < NAMED && used + (size_t)length + 2 < sizeof names)
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%.*s", used ? " " : "",
                                     length, name);
        else
            more[0] = 1;
        name += length + (name[length] != '\0');
    }
    if (frames > 0) snprintf(of, sizeof of, " in %" PRIu64 " frames", frames);
    if (more[0]) snprintf(more, sizeof more, " ..., %u channels in all", count);
    const char *option =
        settings->alpha == SSIMCU_ALPHA_WORST ? "" : "--alpha does not concern EXR; ";
    say(to, "not compared%s: %s%s (%s%s)", of, names, more, option,
        layers ? "previews of Cryptomatte and names with a comma are left out"
               : "--layers all compares every layer");
}

/* Names the frames that are furthest beyond their limits or nearest to them. */
static void say_furthest(const struct say *to, const struct ranking *furthest)
{
    char text[VERDICT_FURTHEST + 40];
    for (uint32_t i = 0; i < furthest->count; i++) {
        const struct ranking_entry *entry = &furthest->entry[i];
        if (entry->value >= 0) continue;
        if (isinf(entry->value))
            snprintf(text, sizeof text, "%s,", entry->what);
        else if (entry->value == -DBL_MAX) /* a value that is no number */
            snprintf(text, sizeof text, "inf, %s,", entry->what);
        else
            snprintf(text, sizeof text, "%.2f, %s,", -entry->value, entry->what);
        say_entry(to, isinf(entry->value) ? "not judged" : "of its limit", entry, text);
    }
}

/* Names the frames and the tiles with the lowest values. */
static void say_lowest(const struct say *to, const struct summary *s)
{
    char text[RECORD_TILE_TEXT];
    for (uint32_t i = 0; i < s->worst.count; i++) say_worst(to, &s->worst.entry[i], s->metric);
    for (uint32_t i = 0; i < s->worst_tiles.count; i++)
        if (s->worst_tiles.entry[i].tile.score != 1)
            say_entry(to, "worst tile", &s->worst_tiles.entry[i],
                      record_tile_text(text, &s->worst_tiles.entry[i].tile));
}

static void say_summary(const struct say *to, const struct delivery *delivery)
{
    const struct summary *s = &delivery->summary;
    const bool layers = delivery->input->layers;
    const ssimcu_settings *settings = delivery->settings;
    char spread[DESCRIBE_SPREAD];
    say(to, "%" PRIu64 " frames: %" PRIu64 " scored, %" PRIu64 " missing, %" PRIu64 " failed%s",
        s->pairs, s->scored, s->missing, s->failed, s->complete ? "" : "; INCOMPLETE");
    for (uint32_t i = 0; i < s->parts && i < PARTS_NAMED; i++) say_part(to, &s->part[i]);
    if (s->parts > PARTS_NAMED) say(to, "and %u parts more", s->parts - PARTS_NAMED);
    describe_coded(to, s);
    if (s->left) say_left(to, s->left, s->left_frames, layers, settings);
    if (s->windows > 0)
        say(to,
            "data windows differ in %" PRIu64
            " frames, the first is %s: what is outside of one counts as 0",
            s->windows, s->windows_frame);
    if (s->scored == 0) return;
    describe_statistics(to, s);
    if (s->numbers.tiled > 0)
        say(to, "worst tiles: %s", describe_spread(spread, SSIMCU_METRIC_SSIM, &s->numbers.tiles));
    say_planes(to, s);
    if (delivery->verdict.furthest.count > 0)
        say_furthest(to, &delivery->verdict.furthest);
    else
        say_lowest(to, s);
}

/* ---- Beside the verdict ---------------------------------------------------------------------- */

/* Whether no frame between the first and the last of a run lacks its hints. */
static bool is_whole(const struct hinted_run *run)
{
    return run->count == (uint64_t)(run->last - run->first) + 1;
}

/* Says in words what a run of frames that all show another frame means. Returns false if the run
 * has too few of them to tell, or frames between that do not. */
static bool say_ahead(const struct say *to, const struct hinted_run *run, const char *first)
{
    enum { LEAST = 3 };
    int k = 0;
    char cause[80];
    if (run->count < LEAST || !is_whole(run) || sscanf(run->hints, "frame %d", &k) != 1 ||
        strchr(run->hints, ';'))
        return false;
    const char *plural = abs(k) > 1 ? "s" : "";
    if (run->from_start)
        snprintf(cause, sizeof cause, "--offset %+d compares them in step", -k);
    else if (abs(k) == 1)
        snprintf(cause, sizeof cause, "a frame was %s before", k > 0 ? "dropped" : "added");
    else
        snprintf(cause, sizeof cause, "frames were %s before", k > 0 ? "dropped" : "added");
    say(to, "hint: from frame %s to %" PRId64 " OUT is %d frame%s %s: %s", first, run->last, abs(k),
        plural, k > 0 ? "ahead" : "behind", cause);
    return true;
}

static void say_run(const struct say *to, const struct hinted_run *run)
{
    char first[TEXT_FRAME];
    text_frame(first, run->part, run->first);
    if (run->count == 1)
        say(to, "hint: frame %s: %s", first, run->hints);
    else if (!is_whole(run))
        say(to, "hint: %" PRIu64 " of the frames %s to %" PRId64 ": %s", run->count, first,
            run->last, run->hints);
    else if (!say_ahead(to, run, first))
        say(to, "hint: frame %s to %" PRId64 ": %s%s", first, run->last, run->hints,
            run->alike ? "" : " at first");
}

/* Says the hints: of frames with a fault first, then, if `all`, of others. */
static void say_hints(const struct say *to, const struct verdict *verdict, bool all)
{
    const struct hinted *hinted = &verdict->hinted;
    size_t named = 0;
    uint64_t more = all ? hinted->more : 0;
    for (int bad = 1; bad >= (all ? 0 : 1); bad--)
        for (size_t i = 0; i < hinted->runs; i++) {
            const struct hinted_run *run = &hinted->run[i];
            if ((run->bad > 0) != bad) continue;
            if (named++ < HINTS_NAMED)
                say_run(to, run);
            else
                more += run->count;
        }
    if (more > 0) say(to, "hint: %" PRIu64 " frames more", more);
}

static void say_clamped(const struct say *to, const struct verdict *verdict,
                        const struct summary *summary)
{
    char name[TEXT_FRAME];
    if (verdict->clamped > 0)
        say(to,
            "clamped: %" PRIu64 " of %" PRIu64 " frames have more than %g %% of their "
            "pixels where the curve ends, up to %.1f %% in frame %s: " CLAMPED_ADVICE,
            verdict->clamped, summary->scored, 100 * RECORD_CLAMPED_MOST,
            100 * verdict->most_clamped,
            text_frame(name, verdict->clamped_part, verdict->clamped_frame));
}

/* Names rules that are for no frame: a shot may be called otherwise by now. */
static void say_rules(const struct say *to, const struct verdict *verdict)
{
    const struct limits_file *file = verdict->limits.file;
    for (size_t i = 0; file && i < file->rules; i++)
        if (verdict->matched[i] == 0)
            say(to, "%s: rule %zu \"%s\" is for no frame", file->path, i + 1, file->rule[i].name);
}

/* Prints what the score does not cover. */
static void say_light(const struct say *to, const ssimcu_light_share light[2])
{
    if (record_clamped(light) > RECORD_CLAMPED_MOST)
        say(to,
            "clamped: %.1f %% of REF's pixels and %.1f %% of OUT's are where the curve "
            "ends: " CLAMPED_ADVICE,
            100 * light[0].clamped, 100 * light[1].clamped);
    for (int s = 0; s < 2; s++)
        if (light[s].not_finite > 0)
            say(to, "--nan zero: %" PRIu64 " samples of %s are not finite and counted as 0",
                light[s].not_finite, NAMES[s]);
}

static void say_range(const struct say *to, const struct record *record)
{
    const ssimcu_data_range *range = &record->scored.range;
    char far[80] = "", beyond[80] = "";
    if (!range->known) return;
    if (range->far > 0)
        snprintf(far, sizeof far, "; %.1f %% of them are far and count as the highest",
                 100 * range->far);
    if (range->beyond > 0)
        snprintf(beyond, sizeof beyond, "; %.3g %% lie beyond and count by their logarithm",
                 100 * range->beyond);
    say(to, "compared as data, within %.9g to %.9g, the range of %s samples%s%s", range->low,
        range->high, range->beyond > 0 ? "most" : "both files'", far, beyond);
}

static void say_differing(const struct say *to, const ssimcu_differing *differing)
{
    char share[RECORD_TILE_TEXT], blob[RECORD_TILE_TEXT];
    if (!differing->known) return;
    const ssimcu_differing alone = {.share = differing->share};
    say(to, "differing: share of pixels %s; their largest group has %s",
        record_differing_text(share, &alone, false), record_differing_text(blob, differing, true));
}

/* Says where the frame lies outside the data window of one side, and not of the other. */
static void say_windows(const struct say *to, const ssimcu_light_share light[2])
{
    const int side = light[1].outside > light[0].outside;
    if (light[0].outside == light[1].outside) return;
    say(to, "data windows differ: %.1f %% of the frame is outside %s's, and counts as 0",
        100 * light[side].outside, NAMES[side]);
}

/* Says what the score of a pair covers, and what it does not. */
static void say_pair_light(const struct say *to, const struct record *record,
                           const ssimcu_settings *settings)
{
    say_light(to, record->scored.light);
    say_windows(to, record->scored.light);
    say_range(to, record);
    say_differing(to, &record->scored.differing);
    const char *left = record->text[RECORD_LEFT];
    if (left) say_left(to, left, 0, false, settings);
}

/* Says the hints of a pair or of frames. `all`: also of those without a fault. */
static void say_out_hints(const struct say *to, const struct delivery *delivery, bool all)
{
    const struct picture_pair *pictures = delivery->pictures;
    if (!pictures)
        say_hints(to, &delivery->verdict, all);
    else if (pictures->pair.record->scored.hints[0])
        say(to, "hint: %s", pictures->pair.record->scored.hints);
}

/* Says what passes only against another reference. */
static void say_variants(const struct say *to, const struct delivery *delivery)
{
    const struct picture_pair *pictures = delivery->pictures;
    const uint64_t count = delivery->summary.variants;
    if (count > 0 && pictures)
        say(to, "passes against --or %s", pictures->pair.record->variant.path);
    else if (count > 0)
        say(to, "--or: %" PRIu64 " frames pass against another reference:%s", count,
            delivery->summary.variants_named);
}

/* Says which references are others than those that floors were learnt against. Nobody knows why: a
 * file of another format, such as EXR beside PNG, is another file, too. */
static void say_stale(const struct say *to, const struct delivery *delivery)
{
    const struct limits_file *limits = delivery->limits;
    const uint64_t count = delivery->summary.stale;
    if (count > 0)
        say(to,
            "%s: its floors were learnt against other files than REF, which has changed or is of "
            "another format: %" PRIu64 " frame%s:%s; calibrate again",
            limits ? limits->path : "--limits", count, count == 1 ? "" : "s",
            delivery->summary.stale_named);
}

/* ---- All of it ------------------------------------------------------------------------------- */

void describe_out(const struct delivery *delivery, bool brief, const struct say *to)
{
    const struct summary *summary = &delivery->summary;
    const struct picture_pair *pictures = delivery->pictures;
    if (!brief && !pictures && (summary->pairs > 0 || summary->complete)) say_summary(to, delivery);
    if (!brief) say_variants(to, delivery);
    say_stale(to, delivery);
    if (delivery->options->run.baseline && delivery->baseline_frames < summary->scored)
        say(to, "--baseline %s: has no score of %llu frames", delivery->options->run.baseline,
            (unsigned long long)(summary->scored - delivery->baseline_frames));
    if (delivery->options->share) return;
    if (!brief && pictures && summary->scored > 0)
        say_pair_light(to, pictures->pair.record, delivery->settings);
    if (!brief && !pictures) say_clamped(to, &delivery->verdict, summary);
    if (!brief && !pictures) say_rules(to, &delivery->verdict);
    if (pictures && summary->scored > 0)
        describe_pair_verdict(to, pictures, &delivery->verdict, summary);
    else if (!pictures)
        describe_verdict(to, &delivery->verdict, summary);
    if (!brief || !delivery->verdict.passed) say_out_hints(to, delivery, !brief);
}

void describe_times(const struct batch_times *t, const struct say *to)
{
    say(to, "backend %s: %s", t->device, t->reason);
    say(to,
        "%" PRIu64 " pairs in %.0f ms (device start %.0f ms before): %u decoding threads, "
        "%u readers, %u lanes, %" PRIu64 " slots, at most %.0f of %.0f MiB for frames",
        t->pairs, t->whole, t->start, t->threads, t->readers, t->lanes, t->slots,
        (double)t->memory_peak / 1048576, (double)t->memory_limit / 1048576);
    say(to,
        "ms of all threads: decode %.0f, score %.0f; of that on the device: upload %.0f, "
        "planes %.0f, ssim %.0f, reduce %.0f, download %.0f",
        t->decode, t->score, t->stage.upload, t->stage.planes, t->stage.ssim, t->stage.reduce,
        t->stage.download);
    if (t->on_device > 0)
        say(to, "%" PRIu64 " frames stayed in device memory, %.0f MiB of others were uploaded",
            t->on_device, (double)t->from_host / 1048576);
}
