/* The top of the page: the verdict, and what it is of. */
#include "check/page/view.h"

#include "report/html/html.h"

#include <inttypes.h>
#include <time.h>
#include <unistd.h>

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

/* Writes what was checked, in brief. */
static void put_subject(const struct view *view)
{
    const size_t count = json_array_size(json_object_get(view->all->header, "frames"));
    for (size_t i = 0; i < count && i < NAMED; i++) {
        const char *name = listed(view->all, "frames", i);
        html_print(view->to, "%s%s", i > 0 ? ", " : "", name ? name : "?");
    }
    if (count > NAMED) fprintf(view->to, " and %zu more", count - NAMED);
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

void view_title(const struct view *view)
{
    fprintf(view->to, "%s: ", outcome_of(view->all).words);
    put_subject(view);
}

/* Names the kinds of findings that fail, or of the others, with how many there are. */
static void put_kinds(const struct view *view, bool fail)
{
    const char *before = fail ? ": " : "";
    for (size_t k = 0; k < view->all->kinds; k++) {
        const struct collected_kind *kind = &view->all->kind[k];
        const uint64_t count = fail ? kind->failing : kind->others;
        if (count == 0) continue;
        html_print(view->to, "%s%s", before, kind->name);
        fprintf(view->to, " (%" PRIu64 ")", count);
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
static void put_sentence(const struct view *view)
{
    const struct collected *all = view->all;
    fprintf(view->to, "<li>%" PRIu64 " frame%s of %zu sequence%s checked", all->frames,
            all->frames == 1 ? "" : "s", all->sequences, all->sequences == 1 ? "" : "s");
    if (all->missing > 0) fprintf(view->to, ", %" PRIu64 " missing", all->missing);
    if (all->read < all->frames)
        fprintf(view->to, ", %" PRIu64 " unreadable", all->frames - all->read);
    const uint64_t sequences = sequences_that_fail(all);
    if (all->failed == 0)
        fputs(": no finding fails", view->to);
    else
        fprintf(view->to, ": %" PRIu64 " fail%s in %" PRIu64 " sequence%s", all->failed,
                all->failed == 1 ? "s" : "", sequences, sequences == 1 ? "" : "s");
    put_kinds(view, true);
    fputs(".</li>\n", view->to);
}

void view_verdict(const struct view *view)
{
    const struct collected *all = view->all;
    const struct outcome outcome = outcome_of(all);
    fprintf(view->to, "<header class=\"top %s\" data-verdict=\"%s\">\n<h1>Check of <bdi>",
            outcome.name, outcome.name);
    put_subject(view);
    fprintf(view->to,
            "</bdi></h1>\n<p class=\"verdict\"><span class=\"sign\" aria-hidden=\"true\">%s</span> "
            "%s</p>\n<ul class=\"reasons\">\n",
            outcome.sign, outcome.words);
    put_sentence(view);
    if (all->failing[false] > 0) {
        fputs("<li>Findings that do not fail: ", view->to);
        put_kinds(view, false);
        fputs(".</li>\n", view->to);
    }
    if (share_of(all, 1) > 0)
        fprintf(view->to, "<li>These are the sequences of share %d of %d; the merge judges.</li>\n",
                share_of(all, 0), share_of(all, 1));
    fputs(is_complete(all) ? "<li>The check is complete.</li>\n"
                           : "<li>The check is not complete: frames are lacking.</li>\n",
          view->to);
    fputs("</ul>\n</header>\n", view->to);
}

/* ---- Numbers --------------------------------------------------------------------------------- */

static void put_number(FILE *to, const char *name, uint64_t number, const char *what)
{
    fprintf(to, "<dl><dt>%s</dt><dd><b>%" PRIu64 "</b>%s</dd></dl>\n", name, number, what);
}

/* Writes a row of details: a list of the header, all of it. */
static void put_list(const struct view *view, const char *name, const char *list)
{
    const size_t count = json_array_size(json_object_get(view->all->header, list));
    fprintf(view->to, "<dt>%s</dt><dd>", name);
    for (size_t i = 0; i < count; i++) {
        const char *text = listed(view->all, list, i);
        if (i > 0) fputs(", ", view->to);
        html_name(view->to, text ? text : "?");
    }
    fputs(count > 0 ? "</dd>\n" : "none</dd>\n", view->to);
}

/* Writes when, where and by what the page was made. Two pages of the same results differ in this
 * alone. */
static void put_made(FILE *to)
{
    char host[256] = "", date[32];
    const time_t now = time(NULL);
    struct tm utc;
    gmtime_r(&now, &utc);
    strftime(date, sizeof date, "%Y-%m-%d %H:%M UTC", &utc);
    if (gethostname(host, sizeof host - 1) != 0) host[0] = '\0';
    fprintf(to, "<dt>Made</dt><dd class=\"made\">%s", date);
    if (host[0]) html_print(to, " at <bdi>%s</bdi>", host);
    html_print(to, "; ssimcu %s</dd>\n", ssimcu_version());
}

void view_facts(const struct view *view)
{
    const struct collected *all = view->all;
    FILE *to = view->to;
    fputs("<section id=\"facts\" aria-label=\"What it comes to\">\n<div class=\"numbers\">\n", to);
    put_number(to, "Frames", all->frames, "that are there");
    put_number(to, "Read", all->read, "could be looked at");
    put_number(to, "Missing", all->missing, "numbers that sequences lack");
    put_number(to, "With findings", all->found, "a gap counts as one");
    put_number(to, "Fail", all->failed, "by a kind that fails");
    put_number(to, "Sequences", all->sequences, "one after the other");
    fputs("</div>\n<dl class=\"details\">\n", to);
    put_list(view, "Frames", "frames");
    put_list(view, "Kinds that fail", "fail_on");
    put_made(to);
    fputs("</dl>\n</section>\n", to);
}
