#include "calibrate/write.h"

#include "base/refuse.h"
#include "report/folder/contents.h"
#include "report/folder/folder.h"
#include "report/html/html_page.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

extern const struct html_asset calibrate_html;

struct page {
    const struct calibrate_files *files;
    const struct learner *learner;
};

/* ---- The top --------------------------------------------------------------------------------- */

static void add_number(struct model page, const char *name, double number, const char *what)
{
    const struct model to = model_item(page, "numbers");
    model_text(to, "name", "%s", name);
    model_text(to, "number", "%.9g", number);
    model_text(to, "what", "%s", what);
}

static void set_numbers(struct model page, const struct learner *learner)
{
    char few[64];
    snprintf(few, sizeof few, "too few to verify the rate: %d are needed", LEARN_VERIFIED);
    add_number(page, "Accepted runs", learner->usable,
               learner->usable < LEARN_VERIFIED ? few : "enough to keep the rate");
    add_number(page, "Frames", (double)learner->frames,
               learner->usable < LEARN_LEAST ? "that share the learned limits of their shot"
                                             : "each with its own learned limits");
    add_number(page, "Shots", (double)learner->shots, "each with its own limits");
    add_number(page, "False alarms", learner->rate, "target share of accepted frames over a limit");
    add_number(page, "Not learned", (double)learner->left_out,
               "frames of runs far from the others");
}

static void set_paths(struct model page, const struct page *own)
{
    const char *const name = text_base(own->files->path);
    model_text(page, "title", "Calibration of %s", name);
    model_texts(page, "name ref path", name, own->files->ref, own->files->path);
    model_number(page, "tile", own->files->tile);
    for (uint32_t i = 0; i < own->learner->runs; i++) {
        const struct model to = model_item(page, "runs");
        model_text(to, "before", i > 0 ? ", " : "");
        model_text(to, "run", "%s", own->learner->run[i]);
    }
}

/* ---- Shots ----------------------------------------------------------------------------------- */

enum { STRIP_WIDTH = 300 };

/* Draws the furthest tiles as ticks, of which there is one at each place, and the limit as a line.
 */
static void set_strip(struct model to, const struct learnt_shot *shot, int rule)
{
    const struct tail *tail = &shot->tails[rule];
    const double end = 1.05 * fmax(shot->limit[rule], shot->highest[rule]);
    bool at[STRIP_WIDTH + 1] = {false};
    char ticks[(STRIP_WIDTH + 1) * sizeof "M300 4v8"] = "", *next = ticks;
    for (size_t i = 0; i < tail->count; i++)
        at[(size_t)(STRIP_WIDTH * fmin(fmax(tail->largest[i] / end, 0), 1))] = true;
    for (int x = 0; x <= STRIP_WIDTH; x++)
        if (at[x]) next += sprintf(next, "M%d 4v8", x);
    model_text(to, "ticks", "%s", ticks);
    model_text(to, "at", "%.1f", STRIP_WIDTH * shot->limit[rule] / end);
}

static void add_shot(struct model page, const struct learnt_shot *shot)
{
    const struct model to = model_item(page, "shots");
    model_text(to, "shot", "%s", shot->shot && strcmp(shot->shot, ".") != 0 ? shot->shot : "*");
    model_number(to, "rows", LEARNED_RULES);
    model_number(to, "frames", shot->frames);
    model_number(to, "samples", shot->samples);
    for (int rule = 0; rule < LEARNED_RULES; rule++) {
        const struct model row = model_item(to, "rules");
        model_flag(row, "first", rule == 0);
        model_text(row, "rule", "%s", learned_rule_names[rule]);
        model_text(row, "highest", "%.3f", shot->highest[rule]);
        model_text(row, "limit", "%.3f", shot->limit[rule]);
        set_strip(row, shot, rule);
    }
}

/* ---- What they find -------------------------------------------------------------------------- */

static uint64_t tried_of(const struct injection_found *found, int kind)
{
    uint64_t tried = 0;
    for (int size = 0; size < INJECTION_SIZES; size++) tried += found->tried[kind][size];
    return tried;
}

static void add_fault(struct model table, const struct injection_found *found, int kind)
{
    const struct model row = model_item(table, "faults");
    model_text(row, "fault", "%s", fault_model_names[kind]);
    for (int size = 0; size < INJECTION_SIZES; size++) {
        const uint64_t tried = found->tried[kind][size], seen = found->found[kind][size];
        char share[80] = "";
        if (tried > 0)
            snprintf(share, sizeof share, "%.0f %% (%" PRIu64 " of %" PRIu64 ")",
                     100.0 * (double)seen / (double)tried, seen, tried);
        model_list(row, "sizes", "%s", share);
    }
}

static void add_found(struct model page, const struct injection_found *found)
{
    uint64_t tried = 0;
    char head[INJECTION_HEAD];
    for (int kind = 0; kind < FAULT_MODELS; kind++) tried += tried_of(found, kind);
    if (tried == 0) return;
    const struct model table = model_item(page, "found");
    model_text(table, "layer", "%s", found->layer ? found->layer : "");
    for (int size = 0; size < INJECTION_SIZES; size++)
        model_list(table, "heads", "%s", injection_head(head, size));
    for (int kind = 0; kind < FAULT_MODELS; kind++)
        if (tried_of(found, kind) > 0) add_fault(table, found, kind);
}

/* ---- The folder ------------------------------------------------------------------------------ */

static void fill(struct model page, const void *user)
{
    const struct page *own = user;
    const struct learner *learner = own->learner;
    set_paths(page, own);
    set_numbers(page, learner);
    model_number(page, "frames", learner->frames);
    model_plural(page, learner->frames);
    for (size_t i = 0; i < learner->shots; i++) add_shot(page, &learner->shot[i]);
    for (size_t i = 0; i < learner->founds; i++) add_found(page, &learner->found[i]);
    model_flag(page, "noted", learner->notes > 0);
    for (size_t i = 0; i < learner->notes; i++) model_list(page, "notes", "%s", learner->note[i]);
    model_flag(page, "shared", learner->usable < LEARN_LEAST);
    model_text(page, "rate", "%.9g", learner->rate);
    model_text(page, "margin", "%g", TAIL_MARGIN);
}

static bool put_page(FILE *to, const void *user)
{
    const struct html_page page = {
        .mark = CONTENTS_MARK, .kind = "ssimcu report", .template = &calibrate_html};
    return html_page_write(to, &page, fill, user);
}

ssimcu_status calibrate_page_write(const char *folder, const struct calibrate_files *files,
                                   const struct learner *learner, ssimcu_message *message)
{
    struct page page = {files, learner};
    if (learner->lost_note) return no_memory(message);
    TRY(folder_check(folder, message));
    return folder_write(folder, NULL, put_page, &page, message);
}
