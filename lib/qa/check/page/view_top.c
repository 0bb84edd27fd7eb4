/* The top of the page: the verdict, what it is of, and what it comes to. */
#include "check/page/view.h"

#include <inttypes.h>

enum { NAMED = 3 /* paths that the title names */ };

static bool is_complete(const struct collected *all)
{
    return json_is_true(json_object_get(all->summary, "complete"));
}

/* Returns a number of the header's share, I (0) or N (1); 0: the results are of all frames. */
static int share_of(const struct collected *all, size_t i)
{
    const json_int_t number =
        json_integer_value(json_array_get(json_object_get(all->header, "shard"), i));
    return number > 0 && number <= INT32_MAX ? (int)number : 0;
}

/* Returns a text of the header's list; NULL: there are no more. */
static const char *listed(const struct collected *all, const char *list, size_t i)
{
    return json_string_value(json_array_get(json_object_get(all->header, list), i));
}

/* Returns the outcome: a class of the style, a sign, and words. */
struct outcome {
    const char *name, *sign;
    char words[64];
};
static struct outcome outcome_of(const struct collected *all)
{
    struct outcome outcome = {"failed", "\xE2\x9C\x95", ""};
    if (all->failed > 0)
        snprintf(outcome.words, sizeof outcome.words, "%" PRIu64 " %s", all->failed,
                 all->failed == 1 ? "frame fails" : "frames fail");
    else if (all->read == 0)
        snprintf(outcome.words, sizeof outcome.words, "No frame could be read");
    else if (!is_complete(all))
        outcome = (struct outcome){"open", "\xE2\x80\xA6", "Not complete"};
    else if (share_of(all, 1) > 0)
        outcome = (struct outcome){"open", "\xE2\x80\xA6", "No frame of the share fails"};
    else
        outcome = (struct outcome){"passed", "\xE2\x9C\x93", "No frame fails"};
    return outcome;
}

/* Says what was checked, in brief. */
static void set_subject(struct model page, const struct collected *all)
{
    const size_t count = json_array_size(json_object_get(all->header, "frames"));
    struct markup text; /* not escaped: the template does that */
    if (!model_open(page, &text)) return;
    for (size_t i = 0; i < count && i < NAMED; i++) {
        const char *name = listed(all, "frames", i);
        fprintf(text.to, "%s%s", i > 0 ? ", " : "", name ? name : "?");
    }
    if (count > NAMED) fprintf(text.to, " and %zu more", count - NAMED);
    model_close(page, "subject", &text);
    model_text(page, "title", "%s: %s", outcome_of(all).words,
               json_string_value(json_object_get(page.json, "subject")));
}

/* Names the kinds of findings that fail, or of the others, with how many there are. */
static void add_kinds(struct model page, const struct collected *all, bool fail)
{
    const char *before = fail ? ": " : "";
    for (size_t k = 0; k < all->kinds; k++) {
        const struct collected_kind *kind = &all->kind[k];
        const uint64_t count = fail ? kind->failing : kind->others;
        if (count == 0) continue;
        const struct model to = model_item(page, fail ? "fails" : "others");
        model_texts(to, "before kind", before, kind->name);
        model_number(to, "count", count);
        before = ", ";
    }
}

static uint64_t sequences_that_fail(const struct collected *all)
{
    uint64_t count = 0;
    for (size_t i = 0; i < all->sequences; i++) count += all->sequence[i].failed > 0;
    return count;
}

/* Says the verdict in a sentence. */
static void set_sentence(struct model page, const struct collected *all)
{
    const uint64_t sequences = sequences_that_fail(all);
    char missing[40] = "", unread[40] = "", failed[80] = ": no finding fails";
    if (all->missing > 0) snprintf(missing, sizeof missing, ", %" PRIu64 " missing", all->missing);
    if (all->read < all->frames)
        snprintf(unread, sizeof unread, ", %" PRIu64 " unreadable", all->frames - all->read);
    if (all->failed > 0)
        snprintf(failed, sizeof failed, ": %" PRIu64 " fail%s in %" PRIu64 " sequence%s",
                 all->failed, all->failed == 1 ? "s" : "", sequences, sequences == 1 ? "" : "s");
    model_text(page, "sentence", "%" PRIu64 " frame%s of %zu sequence%s checked%s%s%s", all->frames,
               all->frames == 1 ? "" : "s", all->sequences, all->sequences == 1 ? "" : "s", missing,
               unread, failed);
}

/* ---- Numbers --------------------------------------------------------------------------------- */

static void add_number(struct model page, const char *name, uint64_t number, const char *what)
{
    const struct model to = model_item(page, "numbers");
    model_text(to, "name", "%s", name);
    model_number(to, "number", number);
    model_text(to, "what", "%s", what);
}

/* Adds a row of details: a list of the header, all of it. */
static void add_list(struct model page, const struct collected *all, const char *name,
                     const char *list)
{
    const size_t count = json_array_size(json_object_get(all->header, list));
    const struct model to = model_item(page, "lists");
    model_text(to, "name", "%s", name);
    for (size_t i = 0; i < count; i++) {
        const struct model item = model_item(to, "items");
        const char *text = listed(all, list, i);
        model_text(item, "before", i > 0 ? ", " : "");
        model_text(item, "item", "%s", text ? text : "?");
    }
}

static void set_facts(struct model page, const struct collected *all)
{
    add_number(page, "Frames", all->frames, "that are there");
    add_number(page, "Read", all->read, "could be looked at");
    add_number(page, "Missing", all->missing, "numbers that sequences lack");
    add_number(page, "With findings", all->found, "a gap counts as one");
    add_number(page, "Fail", all->failed, "by a kind that fails");
    add_number(page, "Sequences", all->sequences, "one after the other");
    add_list(page, all, "Frames", "frames");
    add_list(page, all, "Kinds that fail", "fail_on");
}

void view_top(struct model page, const struct view *view)
{
    const struct collected *all = view->all;
    const struct outcome outcome = outcome_of(all);
    model_texts(page, "outcome sign words", outcome.name, outcome.sign, outcome.words);
    model_flag(page, "complete", is_complete(all));
    set_subject(page, all);
    set_sentence(page, all);
    add_kinds(page, all, true);
    add_kinds(page, all, false);
    model_flag(page, "any_others", all->failing[false] > 0);
    if (share_of(all, 1) > 0) {
        const struct model share = model_in(page, "share");
        model_number(share, "number", (uint64_t)share_of(all, 0));
        model_number(share, "count", (uint64_t)share_of(all, 1));
    }
    set_facts(page, all);
}
