/* The outcome of a run, in lines for users. */
#include "messages/describe.h"

#include "base/text.h"
#include "delivery/picture_pair.h"
#include "record/record.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SHOTS_NAMED = 20 };

/* Advice about clamped pixels. */
#define CLAMPED_ADVICE                                                                             \
    "Differences there do not count; --exposure, --hdr pu21 or --hdr none can show them"

static const char *const NAMES[] = {"REF", "OUT"};

/* ---- The summary ----------------------------------------------------------------------------- */

static void print_entry(const struct line_sink *to, const char *label,
                        const struct ranking_entry *entry, const char *score)
{
    char name[TEXT_FRAME];
    print_line(to, "%s%s frame %s%s%s", label, score, text_frame(name, entry->shot, entry->frame),
               entry->out ? " " : "", entry->out ? entry->out : "");
}

/* Names a frame with a low score, unless it is identical to its reference. */
static void print_worst(const struct line_sink *to, const struct ranking_entry *entry,
                        ssimcu_metric metric)
{
    char text[TEXT_DIGITS + RECORD_TILE_TEXT + 32], digits[TEXT_DIGITS], tile[RECORD_TILE_TEXT];
    if (entry->value == metrics_best(metric)) return;
    snprintf(text, sizeof text, "%s%s%s%s%s%s",
             metric == SSIMCU_METRIC_SSIM ? "" : metrics_name(metric),
             metric == SSIMCU_METRIC_SSIM ? "" : " ", metrics_text(digits, metric, entry->value),
             entry->tile.width > 0 ? " (tile " : "",
             entry->tile.width > 0 ? record_tile_text(tile, &entry->tile) : "",
             entry->tile.width > 0 ? ")" : "");
    print_entry(to, "worst: ", entry, text);
}

/* Prints the mean of each plane of video. */
static void print_planes(const struct line_sink *to, const struct summary *s)
{
    char y[TEXT_DIGITS], u[TEXT_DIGITS], v[TEXT_DIGITS];
    if (s->numbers.layout && strcmp(s->numbers.layout, "yuv") == 0)
        print_line(to, "planes: Y %s, U %s, V %s", text_digits(y, s->numbers.channel[0]),
                   text_digits(u, s->numbers.channel[1]), text_digits(v, s->numbers.channel[2]));
}

static void print_shot(const struct line_sink *to, const struct summary_shot *shot)
{
    char mean[TEXT_DIGITS], min[TEXT_DIGITS], low[TEXT_DIGITS], p5[TEXT_DIGITS], tiles[80] = "";
    const struct summary_metric *ssim = &shot->numbers.metrics[SSIMCU_METRIC_SSIM];
    if (ssim->scored == 0) {
        print_line(to, "shot %s: %" PRIu64 " frame%s, %s%s", shot->name, shot->pairs,
                   text_plural(shot->pairs), shot->scored > 0 ? "without " : "none scored",
                   shot->scored > 0 ? metrics_name(SSIMCU_METRIC_SSIM) : "");
        return;
    }
    if (shot->numbers.tiled > 0)
        snprintf(tiles, sizeof tiles, "; tile %s at frame %" PRId64 ", p5 %s",
                 text_digits(low, shot->numbers.tiles.min), shot->worst_tile,
                 text_digits(p5, shot->numbers.tiles.p5));
    print_line(to, "shot %s: %" PRIu64 " frame%s, mean %s, min %s at frame %" PRId64 "%s",
               shot->name, shot->pairs, text_plural(shot->pairs), text_digits(mean, ssim->score),
               text_digits(min, ssim->all.min), shot->worst, tiles);
}

/* Prints which channels of an EXR no score or check covers, and whether --alpha, if set, does not
 * apply to them. `frames` is the number of such frames; 0: a pair. `layers`: this holds for all
 * layers. `settings`: NULL for a check. */
static void print_left(const struct line_sink *to, const char *left, uint64_t frames, bool layers,
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
    if (frames > 0) snprintf(of, sizeof of, " in %" PRIu64 " frame%s", frames, text_plural(frames));
    if (more[0]) snprintf(more, sizeof more, " ..., %u channels in all", count);
    const char *option =
        !settings || settings->alpha == SSIMCU_ALPHA_WORST ? "" : "--alpha does not apply to EXR; ";
    print_line(to, "not %s%s: %s%s (%s%s)", settings ? "compared" : "checked", of, names, more,
               option,
               layers     ? "previews of Cryptomatte and names with a comma are left out"
               : settings ? "--layers all compares every layer"
                          : "--layers all checks every layer");
}

/* Names the frames that are furthest over their limits or nearest to them. A value that is not a
 * number is infinitely far over its limit. */
static void print_furthest(const struct line_sink *to, const struct ranking *furthest)
{
    char text[VERDICT_FURTHEST + 42], label[40];
    for (uint32_t i = 0; i < furthest->count; i++) {
        const struct ranking_entry *entry = &furthest->entry[i];
        if (entry->value >= 0) continue;
        if (isinf(entry->value))
            snprintf(label, sizeof label, "not judged: ");
        else if (entry->value == -DBL_MAX)
            snprintf(label, sizeof label, "inf x ");
        else
            snprintf(label, sizeof label, "%.2f x ", -entry->value);
        snprintf(text, sizeof text, "%s,", entry->what);
        print_entry(to, label, entry, text);
    }
}

/* Names the frames and the tiles with the lowest values. */
static void print_lowest(const struct line_sink *to, const struct summary *s)
{
    char text[RECORD_TILE_TEXT];
    for (uint32_t i = 0; i < s->worst.count; i++) print_worst(to, &s->worst.entry[i], s->metric);
    for (uint32_t i = 0; i < s->worst_tiles.count; i++)
        if (s->worst_tiles.entry[i].tile.score != 1)
            print_entry(to, "worst tile: ", &s->worst_tiles.entry[i],
                        record_tile_text(text, &s->worst_tiles.entry[i].tile));
}

static void print_summary(const struct line_sink *to, const struct delivery *delivery)
{
    const struct summary *s = &delivery->summary;
    const bool layers = delivery->input->layers;
    const ssimcu_settings *settings = delivery->settings;
    char spread[DESCRIBE_SPREAD];
    print_line(to,
               "%" PRIu64 " frame%s: %" PRIu64 " scored, %" PRIu64 " missing, %" PRIu64 " failed%s",
               s->pairs, text_plural(s->pairs), s->scored, s->missing, s->failed,
               s->complete ? "" : "; INCOMPLETE");
    for (uint32_t i = 0; i < s->shots && i < SHOTS_NAMED; i++) print_shot(to, &s->shot[i]);
    if (s->shots > SHOTS_NAMED) print_line(to, "and %u more shots", s->shots - SHOTS_NAMED);
    describe_coded(to, s);
    if (s->left) print_left(to, s->left, s->left_frames, layers, settings);
    if (s->windows > 0)
        print_line(to,
                   "data windows differ in %" PRIu64
                   " frames, first in %s: pixels outside a window count as 0",
                   s->windows, s->windows_frame);
    if (s->scored == 0) return;
    describe_statistics(to, s);
    if (s->numbers.tiled > 0)
        print_line(to, "worst tiles: %s",
                   describe_spread(spread, SSIMCU_METRIC_SSIM, &s->numbers.tiles));
    print_planes(to, s);
    if (delivery->verdict.furthest.count > 0)
        print_furthest(to, &delivery->verdict.furthest);
    else
        print_lowest(to, s);
}

/* ---- Notes next to the verdict --------------------------------------------------------------- */

static void print_clamped(const struct line_sink *to, const struct verdict *verdict,
                          const struct summary *summary)
{
    char name[TEXT_FRAME];
    if (verdict->clamped > 0)
        print_line(to,
                   "clamped: the tone curve clips more than %g %% of the pixels of %" PRIu64
                   " of %" PRIu64 " frames, up to %.1f %% in frame %s. " CLAMPED_ADVICE,
                   100 * RECORD_CLAMPED_MOST, verdict->clamped, summary->scored,
                   100 * verdict->most_clamped,
                   text_frame(name, verdict->clamped_shot, verdict->clamped_frame));
}

/* Names rules that match no frame: a shot may have been renamed. */
static void print_rules(const struct line_sink *to, const struct verdict *verdict)
{
    const struct limits_file *file = verdict->limits.file;
    for (size_t i = 0; file && i < file->rules; i++)
        if (verdict->matched[i] == 0)
            print_line(to, "%s: rule %zu \"%s\" matches no frame", file->path, i + 1,
                       file->rule[i].name);
}

/* Prints the data that the score does not cover. */
static void print_light(const struct line_sink *to, const ssimcu_light_share light[2])
{
    if (record_clamped(light) > RECORD_CLAMPED_MOST)
        print_line(to,
                   "clamped: the tone curve clips %.1f %% of REF's pixels and %.1f %% of "
                   "OUT's. " CLAMPED_ADVICE,
                   100 * light[0].clamped, 100 * light[1].clamped);
    for (int s = 0; s < 2; s++)
        if (light[s].not_finite > 0)
            print_line(to, "--nan zero: %" PRIu64 " samples of %s are not finite and counted as 0",
                       light[s].not_finite, NAMES[s]);
}

static void print_range(const struct line_sink *to, const struct record *record)
{
    const ssimcu_data_range *range = &record->scored.range;
    char far[80] = "", beyond[80] = "";
    if (!range->known) return;
    if (range->far > 0)
        snprintf(far, sizeof far, "; %.1f %% of them count as the highest, because they are far",
                 100 * range->far);
    if (range->beyond > 0)
        snprintf(beyond, sizeof beyond, "; %.3g %% lie outside and count by their logarithm",
                 100 * range->beyond);
    print_line(to, "compared as data, within %.9g to %.9g, the range of %s samples%s%s", range->low,
               range->high, range->beyond > 0 ? "most" : "both files'", far, beyond);
}

static void print_diff(const struct line_sink *to, const ssimcu_diff *diff)
{
    char ratio[RECORD_TILE_TEXT], cluster[RECORD_TILE_TEXT];
    if (!diff->known) return;
    const ssimcu_diff ratio_only = {.ratio = diff->ratio};
    print_line(to, "different pixels: a ratio of %s; the largest cluster has %s",
               record_diff_text(ratio, &ratio_only, false), record_diff_text(cluster, diff, true));
}

/* Prints the share of the frame that is outside one side's data window, if the windows differ. */
static void print_windows(const struct line_sink *to, const ssimcu_light_share light[2])
{
    const int side = light[1].outside > light[0].outside;
    if (light[0].outside == light[1].outside) return;
    print_line(to,
               "data windows differ: %.1f %% of the frame is outside that of %s and counts as 0",
               100 * light[side].outside, NAMES[side]);
}

/* Prints the data that the score of a pair covers and does not cover. */
static void print_pair_light(const struct line_sink *to, const struct record *record,
                             const ssimcu_settings *settings)
{
    print_light(to, record->scored.light);
    print_windows(to, record->scored.light);
    print_range(to, record);
    print_diff(to, &record->scored.diff);
    const char *left = record->text[RECORD_LEFT];
    if (left) print_left(to, left, 0, false, settings);
}

/* Prints the hints of a pair or of frames. `all`: even of frames without a fault. */
static void print_out_hints(const struct line_sink *to, const struct delivery *delivery, bool all)
{
    const struct picture_pair *pictures = delivery->pictures;
    if (!pictures) describe_hints(to, &delivery->verdict, all);
    for (size_t i = 0; pictures && i < pictures->pair.record->findings.count; i++) {
        char line[FINDING_LINE];
        const struct finding *finding = &pictures->pair.record->findings.at[i];
        if (finding->kind >= FINDING_MISSING && !finding_row(finding->kind)->broken)
            print_line(to, "hint: %s", finding_line(line, finding));
    }
}

/* Prints the frames that pass only with a variant. */
static void print_variants(const struct line_sink *to, const struct delivery *delivery)
{
    const struct picture_pair *pictures = delivery->pictures;
    const uint64_t count = delivery->summary.variants;
    if (count > 0 && pictures)
        print_line(to, "passes against --or %s", pictures->pair.record->variant.path);
    else if (count > 0)
        print_line(to, "--or: %" PRIu64 " frame%s against another reference:%s", count,
                   count > 1 ? "s pass" : " passes", delivery->summary.variants_named);
}

/* Prints the references that differ from those that limits were learned from. The cause is unknown:
 * a file of another format, such as EXR instead of PNG, also differs. */
static void print_stale(const struct line_sink *to, const struct delivery *delivery)
{
    const struct limits_file *limits = delivery->limits;
    const uint64_t count = delivery->summary.stale;
    if (count > 0)
        print_line(to,
                   "%s: its learned limits belong to another REF, which has changed or has another "
                   "format: %" PRIu64 " frame%s:%s; calibrate again",
                   limits ? limits->path : "--limits", count, text_plural(count),
                   delivery->summary.stale_named);
}

/* ---- The whole description ------------------------------------------------------------------- */

/* Prints the outcome of frames without a reference. */
static void print_checked(const struct line_sink *to, const struct summary *summary,
                          const struct verdict *verdict, bool merge)
{
    char missing[40] = "", unread[40] = "";
    if (summary->lacking > 0)
        snprintf(missing, sizeof missing, ", %" PRIu64 " missing", summary->lacking);
    if (summary->failed > 0)
        snprintf(unread, sizeof unread, ", %" PRIu64 " unreadable", summary->failed);
    print_line(to,
               "%s%" PRIu64 " frame%s checked%s%s: %" PRIu64 " with findings, %" PRIu64 " failed",
               merge ? "results of a check: " : "", summary->checked + summary->failed,
               text_plural(summary->checked + summary->failed), missing, unread, verdict->found,
               verdict->bad);
}

void describe_out(const struct delivery *delivery, bool brief, const struct line_sink *to)
{
    const struct summary *summary = &delivery->summary;
    if (delivery->header.check) {
        if (!brief && summary->complete)
            print_checked(to, summary, &delivery->verdict, delivery->options->run.merges > 0);
        if (!brief && summary->left)
            print_left(to, summary->left, summary->left_frames, delivery->input->layers, NULL);
        return;
    }
    const struct picture_pair *pictures = delivery->pictures;
    if (!brief && !pictures && (summary->pairs > 0 || summary->complete))
        print_summary(to, delivery);
    if (!brief) print_variants(to, delivery);
    print_stale(to, delivery);
    if (delivery->options->run.baseline && delivery->baseline_frames < summary->scored)
        print_line(to, "--baseline %s: lacks the scores of %llu frame%s",
                   delivery->options->run.baseline,
                   (unsigned long long)(summary->scored - delivery->baseline_frames),
                   text_plural(summary->scored - delivery->baseline_frames));
    if (delivery->options->share) return;
    if (!brief && pictures && summary->scored > 0)
        print_pair_light(to, pictures->pair.record, delivery->settings);
    if (!brief && !pictures) print_clamped(to, &delivery->verdict, summary);
    if (!brief && !pictures) print_rules(to, &delivery->verdict);
    if (pictures && summary->scored > 0)
        describe_pair_verdict(to, pictures, &delivery->verdict, summary);
    else if (!pictures)
        describe_verdict(to, &delivery->verdict, summary);
    if (!brief || !delivery->verdict.passed) print_out_hints(to, delivery, !brief);
}

void describe_times(const struct batch_times *t, const struct line_sink *to)
{
    print_line(to, "backend %s: %s", t->device, t->reason);
    print_line(to,
               "%" PRIu64 " pairs in %.0f ms (device start %.0f ms before): %u decoding threads, "
               "%u readers, %u contexts, %" PRIu64 " slots, at most %.0f of %.0f MiB for frames",
               t->pairs, t->whole, t->start, t->threads, t->readers, t->contexts, t->slots,
               (double)t->memory_peak / 1048576, (double)t->memory_limit / 1048576);
    print_line(to,
               "ms of all threads: decode %.0f, score %.0f; of that on the device: upload %.0f, "
               "planes %.0f, ssim %.0f, reduce %.0f, download %.0f",
               t->decode, t->score, t->stage.upload, t->stage.planes, t->stage.ssim,
               t->stage.reduce, t->stage.download);
    if (t->on_device > 0)
        print_line(to,
                   "%" PRIu64 " frames stayed in device memory, %.0f MiB of others were uploaded",
                   t->on_device, (double)t->from_host / 1048576);
}
