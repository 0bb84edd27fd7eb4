/* The sections that differ for frames without a reference: the verdict, the numbers, and the places
 * of findings in its sequences. */
#include "record/record.h"
#include "report/page/page.h"

#include <inttypes.h>

enum {
    NAMED = 3,     /* paths in the title */
    LISTED = 1000, /* most sequences in the list */
    STRIP = 300    /* places of a sequence's strip, and its width */
};

/* ---- The verdict ----------------------------------------------------------------------------- */

static struct page_outcome outcome_of(const struct page *page, char words[64])
{
    const struct verdict *verdict = page->facts->verdict;
    if (verdict->bad > 0) {
        snprintf(words, 64, "%" PRIu64 " frame%s", verdict->bad,
                 verdict->bad == 1 ? " fails" : "s fail");
        return (struct page_outcome){"failed", words, "\xE2\x9C\x95"};
    }
    if (verdict->nothing_scored)
        return (struct page_outcome){"failed", "No frame could be read", "\xE2\x9C\x95"};
    if (verdict->incomplete) return (struct page_outcome){"open", "Not complete", "\xE2\x80\xA6"};
    if (page->facts->share)
        return (struct page_outcome){"open", "No frame of the share fails", "\xE2\x80\xA6"};
    return (struct page_outcome){"passed", "No frame fails", "\xE2\x9C\x93"};
}

/* Describes the inputs in brief. */
static void set_subject(struct model to, const struct page *page)
{
    const json_t *paths = json_object_get(page->facts->header->input, "paths");
    const size_t count = json_array_size(paths);
    struct markup text; /* not escaped: the template does that */
    if (!model_open(to, &text)) return;
    for (size_t i = 0; i < count && i < NAMED; i++) {
        const char *name = json_string_value(json_array_get(paths, i));
        fprintf(text.to, "%s%s", i > 0 ? ", " : "", name ? name : "?");
    }
    if (count > NAMED) fprintf(text.to, " and %zu more", count - NAMED);
    model_close(to, "subject", &text);
}

/* The outcome of a sequence's frames. */
struct sequence {
    uint64_t frames, read, missing, found, failed;
    int64_t first, last; /* numbers; -1: none */
};

static struct sequence sequence_of(const struct report *report, const struct band *band)
{
    struct sequence sequence = {.first = -1, .last = -1};
    for (size_t i = band->first; i < collect_end(report, band); i++) {
        const struct point *point = &report->point[i];
        sequence.frames += point->path != NULL;
        sequence.read += point->kind == RECORD_CHECKED;
        sequence.missing += point->lacks;
        sequence.found += point->kinds != 0;
        sequence.failed += point->fails != 0;
        if (sequence.first < 0 || point->frame < sequence.first) sequence.first = point->frame;
        if (point->frame > sequence.last) sequence.last = point->frame;
    }
    return sequence;
}

static void add_sentence(struct model to, const struct page *page)
{
    const struct report *report = page->report;
    const struct summary *summary = page->facts->summary;
    const uint64_t frames = summary->checked + summary->failed, failed = page->facts->verdict->bad;
    uint64_t sequences = 0;
    char missing[40] = "", unread[40] = "", fails[80] = ": no finding fails";
    for (size_t i = 0; i < report->bands; i++)
        sequences += sequence_of(report, &report->band[i]).failed > 0;
    if (summary->lacking > 0)
        snprintf(missing, sizeof missing, ", %" PRIu64 " missing", summary->lacking);
    if (summary->failed > 0)
        snprintf(unread, sizeof unread, ", %" PRIu64 " unreadable", summary->failed);
    if (failed > 0)
        snprintf(fails, sizeof fails, ": %" PRIu64 " fail%s in %" PRIu64 " shot%s", failed,
                 failed == 1 ? "s" : "", sequences, text_plural(sequences));
    model_text(model_item(to, "reasons"), "text",
               "%" PRIu64 " frame%s of %zu shot%s checked%s%s%s.", frames, text_plural(frames),
               report->bands, text_plural(report->bands), missing, unread, fails);
}

void page_noref_verdict(struct model to, const struct page *page)
{
    const struct header *header = page->facts->header;
    char words[64];
    const struct page_outcome outcome = outcome_of(page, words);
    set_subject(to, page);
    model_text(to, "title", "%s: %s", outcome.text,
               json_string_value(json_object_get(to.json, "subject")));
    model_texts(to, "outcome sign verdict", outcome.name, outcome.sign, outcome.text);
    add_sentence(to, page);
    if (page->facts->share)
        model_text(model_item(to, "reasons"), "text",
                   "These are the shots of share %u of %u; the merge judges.", header->shard,
                   header->shards);
    model_text(model_item(to, "reasons"), "text", "The check is %s.",
               page->facts->verdict->incomplete ? "incomplete: frames were not checked"
                                                : "complete");
}

/* ---- Numbers --------------------------------------------------------------------------------- */

static void add_number(struct model to, const char *title, uint64_t value, const char *text)
{
    const struct model number = model_item(to, "numbers");
    model_texts(number, "title text", title, text);
    model_number(number, "value", value);
}

void page_noref_numbers(struct model to, const struct page *page)
{
    const struct summary *summary = page->facts->summary;
    const struct verdict *verdict = page->facts->verdict;
    add_number(to, "Frames", summary->checked + summary->failed, "that exist");
    add_number(to, "Read", summary->checked, "could be read");
    add_number(to, "Missing", summary->lacking, "numbers missing in shots");
    add_number(to, "With findings", verdict->found, "a gap counts as one");
    add_number(to, "Fail", verdict->bad, "by a kind that fails");
    add_number(to, "Shots", page->report->bands, "one after the other");
}

/* ---- Sequences ------------------------------------------------------------------------------- */

/* Draws the sequence as a line from its first number to its last. Each finding is a tick: a long
 * one where a frame fails. */
static void set_strip(struct model row, const struct report *report, const struct band *band,
                      const struct sequence *sequence)
{
    static const char *const names[] = {"short", "long"}, *const ticks[] = {"5v6", "1v14"};
    const int64_t length = sequence->last - sequence->first, per = length / STRIP + 1;
    bool marked[2][STRIP] = {{false}};
    if (sequence->first < 0) return;
    const struct model strip = model_in(row, "strip");
    model_text(strip, "first", "%" PRId64, sequence->first);
    model_text(strip, "last", "%" PRId64, sequence->last);
    for (size_t i = band->first; i < collect_end(report, band); i++) {
        const struct point *point = &report->point[i];
        if (point->kinds) marked[point->fails != 0][(point->frame - sequence->first) / per] = true;
    }
    for (int fails = 0; fails < 2; fails++) {
        struct markup path;
        if (!model_open(strip, &path)) return;
        for (int64_t i = 0; i < STRIP; i++)
            if (marked[fails][i] && (fails || !marked[1][i]))
                fprintf(path.to, "M%.1f %s",
                        ((double)i + 0.5) * STRIP / ((double)(length / per) + 1), ticks[fails]);
        model_close(strip, names[fails], &path);
    }
}

static void add_row(struct model to, const struct report *report, const struct band *band,
                    const struct sequence *sequence)
{
    const struct model row = model_item(to, "shots");
    const uint64_t cells[] = {sequence->frames, sequence->read, sequence->missing, sequence->found,
                              sequence->failed};
    model_text(row, "shot", "%s", band->shot);
    set_strip(row, report, band, sequence);
    for (size_t i = 0; i < sizeof cells / sizeof cells[0]; i++)
        model_number(model_item(row, "cells"), "name", cells[i]);
}

/* Sequences that fail come first, then those with findings. */
void page_noref_shots(struct model to, const struct page *page)
{
    static const char *const heads[] = {"Frames", "Read", "Missing", "With findings", "Fail"};
    const struct report *report = page->report;
    const int states = report->bands > LISTED ? 3 : 1;
    size_t listed = 0;
    model_flag(to, "any_shots", report->bands > 0);
    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++)
        model_list(to, "shot_heads", "%s", heads[i]);
    for (int state = states; state-- > 0;)
        for (size_t i = 0; i < report->bands && listed < LISTED; i++) {
            const struct sequence sequence = sequence_of(report, &report->band[i]);
            if (states > 1 && state != (sequence.failed > 0) + (sequence.found > 0)) continue;
            add_row(to, report, &report->band[i], &sequence);
            listed++;
        }
    if (report->bands > listed) model_number(to, "shots_more", report->bands - listed);
}
