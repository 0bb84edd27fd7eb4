#include "calibrate/write.h"

#include "base/refuse.h"
#include "base/text.h"
#include "report/folder/contents.h"
#include "report/folder/folder.h"
#include "report/html/head.h"
#include "report/html/html.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

struct page {
    const struct calibrate_files *files;
    const struct learner *learner;
};

/* ---- The top --------------------------------------------------------------------------------- */

static void put_head(FILE *to, const struct page *page)
{
    head_plain(to, CONTENTS_MARK);
    fputs("Calibration of ", to);
    html_text(to, text_base(page->files->path));
    head_end(to, "ssimcu report");
}

static void put_number(FILE *to, const char *name, double number, const char *what)
{
    fprintf(to, "<dl><dt>%s</dt><dd><b>%.9g</b>%s</dd></dl>\n", name, number, what);
}

/* Writes the name of a file behind what comes before it. */
static void put_name(FILE *to, const char *before, const char *name)
{
    fputs(before, to);
    html_name(to, name);
}

static void put_paths(FILE *to, const struct page *page)
{
    const struct calibrate_files *files = page->files;
    const struct learner *learner = page->learner;
    put_name(to, "</div>\n<dl class=\"details\"><dt>REF</dt><dd>", files->ref);
    for (uint32_t i = 0; i < learner->runs; i++)
        put_name(to, i > 0 ? ", " : "</dd><dt>Runs</dt><dd>", learner->run[i]);
    put_name(to, "</dd><dt>Limits</dt><dd>", files->path);
    fprintf(to, "</dd><dt>Tiles</dt><dd>%u x %u pixels</dd></dl>\n</section>\n", files->tile,
            files->tile);
}

static void put_top(FILE *to, const struct page *page)
{
    const struct learner *learner = page->learner;
    char few[64];
    snprintf(few, sizeof few, "too few to verify the rate: %d are needed", LEARN_VERIFIED);
    fputs("<header class=\"top open\">\n<h1>Calibration of <bdi>", to);
    html_text(to, text_base(page->files->path));
    fprintf(to,
            "</bdi></h1>\n<p class=\"verdict\">%" PRIu64
            " frame%s learnt</p>\n</header>\n<main>\n<section id=\"facts\">\n<div "
            "class=\"numbers\">\n",
            learner->frames, learner->frames == 1 ? "" : "s");
    put_number(to, "Accepted runs", learner->usable,
               learner->usable < LEARN_VERIFIED ? few : "enough to keep the rate");
    put_number(to, "Frames", (double)learner->frames,
               learner->usable < LEARN_LEAST ? "that share the floors of their shot"
                                             : "each with floors of its own");
    put_number(to, "Shots", (double)learner->shots, "each with limits of its own");
    put_number(to, "False alarms", learner->rate, "wanted share of accepted frames beyond a limit");
    put_number(to, "Not learnt", (double)learner->left_out, "frames of runs far from the others");
    put_paths(to, page);
}

static void put_method(FILE *to, const struct learner *learner)
{
    const bool shared = learner->usable < LEARN_LEAST;
    fputs("<section id=\"method\">\n<h2>How they are learnt</h2>\n<p>Each tile of a frame has six "
          "numbers: its score, its shift, its difference, its texture, and its brightest and "
          "darkest deviation. The first four count for the whole frame, too. ",
          to);
    fputs(shared ? "There are too few runs for floors of each frame. So the frames of a shot teach "
                   "the mean and the spread of every number, and they share them."
                 : "Over the accepted runs of the frame, each number has a mean and a spread: the "
                   "tile's floor. The spread is averaged over the tiles around.",
          to);
    fprintf(to,
            "</p>\n<p>Every sample is judged by floors that the others teach. How many standard "
            "deviations its tiles are beyond them is what accepted renders show. A generalised "
            "Pareto distribution is fitted to the furthest tiles of a shot, and Student's to what "
            "all tiles of a frame show together. The limit is where the "
            "share of frames beyond it is %.9g for all rules together, times a margin of "
            "%g.</p>\n</section>\n",
            learner->rate, TAIL_MARGIN);
}

/* ---- Shots ----------------------------------------------------------------------------------- */

enum { STRIP_WIDTH = 300, STRIP_HEIGHT = 16 };

/* Draws the furthest tiles as ticks, of which there is one at each place, and the limit as a line.
 */
static void put_strip(FILE *to, const struct learnt_shot *shot, int rule)
{
    const struct tail *tail = &shot->tails[rule];
    const double end = 1.05 * fmax(shot->limit[rule], shot->highest[rule]);
    bool at[STRIP_WIDTH + 1] = {false};
    for (size_t i = 0; i < tail->count; i++)
        at[(size_t)(STRIP_WIDTH * fmin(fmax(tail->largest[i] / end, 0), 1))] = true;
    fprintf(to,
            "<svg width=\"%d\" height=\"%d\" role=\"img\" aria-label=\"furthest tiles of %s, and "
            "the limit\"><path class=\"curve tile\" d=\"",
            STRIP_WIDTH, STRIP_HEIGHT, floor_rule_names[rule]);
    for (int x = 0; x <= STRIP_WIDTH; x++)
        if (at[x]) fprintf(to, "M%d 4v8", x);
    const double limit = STRIP_WIDTH * shot->limit[rule] / end;
    fprintf(to,
            "\"/><g class=\"limit\"><line x1=\"%.1f\" x2=\"%.1f\" y1=\"0\" y2=\"%d\"/></g></svg>",
            limit, limit, STRIP_HEIGHT);
}

static void put_shot(FILE *to, const struct learnt_shot *shot)
{
    fprintf(to, "<tbody><tr><th scope=\"rowgroup\" class=\"shot\" rowspan=\"%d\">", FLOOR_RULES);
    html_name(to, shot->part && strcmp(shot->part, ".") != 0 ? shot->part : "*");
    fprintf(to,
            "</th><td class=\"n\" rowspan=\"%d\">%" PRIu64 "</td><td class=\"n\" rowspan=\"%d\">"
            "%" PRIu64 "</td>",
            FLOOR_RULES, shot->frames, FLOOR_RULES, shot->samples);
    for (int r = 0; r < FLOOR_RULES; r++) {
        fprintf(to,
                "%s<th scope=\"row\">%s</th><td class=\"n\">%.3f</td><td class=\"n\">%.3f</td><td>",
                r > 0 ? "<tr>" : "", floor_rule_names[r], shot->highest[r], shot->limit[r]);
        put_strip(to, shot, r);
        fputs("</td></tr>\n", to);
    }
    fputs("</tbody>\n", to);
}

static void put_shots(FILE *to, const struct learner *learner)
{
    fputs(
        "<section id=\"shots\">\n<h2>Limits</h2>\n<p>How many standard deviations a tile, or all "
        "tiles of a frame together, may be beyond their floors, and the furthest that an accepted "
        "one was. The furthest are ticks, the limit is a dashed line. The axis begins at "
        "0.</p>\n",
        to);
    html_table(to, "Limits", NULL);
    html_head(to, false, "Shot");
    html_heads(to, true, (const char *const[]){"Frames", "Samples"}, 2);
    html_head(to, false, "Rule");
    html_heads(to, true, (const char *const[]){"Highest accepted", "Limit"}, 2);
    html_head(to, false, "Furthest tiles");
    fputs("</tr></thead>\n", to);
    for (size_t i = 0; i < learner->shots; i++) put_shot(to, &learner->shot[i]);
    fputs("</table></div>\n</section>\n", to);
}

/* ---- What they find -------------------------------------------------------------------------- */

static uint64_t tried_of(const struct trials_found *found, int kind)
{
    uint64_t tried = 0;
    for (int size = 0; size < TRIAL_SIZES; size++) tried += found->tried[kind][size];
    return tried;
}

static void put_found_row(FILE *to, const struct trials_found *found, int kind)
{
    fputs("<tr><th scope=\"row\">", to);
    html_text(to, damage_names[kind]);
    fputs("</th>", to);
    for (int size = 0; size < TRIAL_SIZES; size++) {
        const uint64_t tried = found->tried[kind][size], seen = found->found[kind][size];
        fputs("<td class=\"n\">", to);
        if (tried > 0)
            fprintf(to, "%.0f %% (%" PRIu64 " of %" PRIu64 ")",
                    100.0 * (double)seen / (double)tried, seen, tried);
        fputs("</td>", to);
    }
    fputs("</tr>\n", to);
}

static void put_found(FILE *to, const struct trials_found *found)
{
    uint64_t tried = 0;
    char head[TRIAL_HEAD];
    for (int kind = 0; kind < DAMAGES; kind++) tried += tried_of(found, kind);
    if (tried == 0) return;
    fputs("<section class=\"found\">\n<h2>What the limits find", to);
    if (found->layer) fputs(" in ", to), html_name(to, found->layer);
    fputs("</h2>\n<p>Some accepted frames were "
          "damaged in random squares, or slightly as a whole. This share of them is beyond a "
          "limit. What is not found "
          "here, the gate cannot see.</p>\n",
          to);
    html_table(to, "What the limits find", NULL);
    html_head(to, false, "Fault");
    for (int size = 0; size < TRIAL_SIZES; size++) html_head(to, true, trials_head(head, size));
    html_table_body(to);
    for (int kind = 0; kind < DAMAGES; kind++)
        if (tried_of(found, kind) > 0) put_found_row(to, found, kind);
    html_table_end(to);
    fputs("</section>\n", to);
}

static void put_notes(FILE *to, const struct learner *learner)
{
    fputs("<section id=\"named\">\n<h2>Runs and frames that were named</h2>\n", to);
    fputs(learner->notes > 0 ? "<ul class=\"reasons\">\n" : "<p>None.</p>\n", to);
    for (size_t i = 0; i < learner->notes; i++) {
        fputs("<li>", to);
        html_text(to, learner->note[i]);
        fputs("</li>\n", to);
    }
    fputs(learner->notes > 0 ? "</ul>\n</section>\n" : "</section>\n", to);
}

/* ---- The folder ------------------------------------------------------------------------------ */

static void put_page(FILE *to, const void *user)
{
    const struct page *page = user;
    put_head(to, page);
    fputs("<body>\n", to);
    put_top(to, page);
    put_shots(to, page->learner);
    for (size_t i = 0; i < page->learner->founds; i++) put_found(to, &page->learner->found[i]);
    put_notes(to, page->learner);
    put_method(to, page->learner);
    fputs("</main>\n</body>\n</html>\n", to);
}

ssimcu_status calibrate_page_write(const char *folder, const struct calibrate_files *files,
                                   const struct learner *learner, ssimcu_message *message)
{
    struct folder_draft draft;
    const struct page page = {files, learner};
    if (learner->lost_note) return no_memory(message);
    ssimcu_status status = folder_check(folder, message);
    if (status == SSIMCU_OK) status = folder_make(folder, &draft, message);
    if (status != SSIMCU_OK) return status;
    status = folder_write_page(folder, &draft, put_page, &page, message);
    if (status == SSIMCU_OK) status = folder_commit(folder, &draft, message);
    folder_close(&draft);
    return status;
}
