/* Frames of several OUTs, any two on top of each other. Without the script, a card shows the first
 * OUT and links to the pictures of all. */
#include "report/folder/contents.h"
#include "report/html/html_page.h"
#include "report/page/page.h"
#include "report/page/page_index.h"

#include <inttypes.h>
#include <math.h>

extern const struct html_asset sides_html;

/* The choices for A and B: 0 is REF, others are OUTs from 1 on. */
static const struct picture_file *file_of(const struct sides *sides, size_t choice, size_t at)
{
    const size_t out = choice == 0 ? sides->ref : choice - 1;
    const struct picture *const picture = &sides->picture[out * sides->frames + at];
    return &picture->whole[choice == 0 ? PICTURE_REF : PICTURE_OUT];
}

static const char *name_of(const struct sides *sides, size_t choice)
{
    return choice == 0 ? "REF" : page_base(sides->index->row[choice - 1].name);
}

static void add_choice(struct model page, const struct sides *sides, const char *side,
                       size_t chosen)
{
    const struct model to = model_item(page, "choices");
    model_texts(to, "side", side);
    for (size_t i = 0; i <= sides->index->count; i++) {
        if (i > 0 && !sides->index->row[i - 1].report) continue;
        const struct model option = model_item(to, "options");
        model_number(option, "at", i);
        model_flag(option, "chosen", i == chosen);
        model_texts(option, "name", name_of(sides, i));
    }
}

/* Returns the second OUT that has results, or REF if there is only one. */
static size_t second_of(const struct sides *sides)
{
    for (size_t i = sides->ref + 1; i < sides->index->count; i++)
        if (sides->index->row[i].report) return i + 1;
    return 0;
}

static double score_of(const struct report *report, int64_t frame)
{
    for (size_t i = 0; i < report->count; i++)
        if (report->point[i].frame == frame) return report->point[i].value[report->metric];
    return NAN;
}

/* Lists the pictures of a frame, each with its score. The script takes them from here. */
static void add_pictures(struct model card, const struct sides *sides, size_t at)
{
    for (size_t i = 0; i <= sides->index->count; i++) {
        const struct picture_file *const file = file_of(sides, i, at);
        const struct report *const report = i > 0 ? sides->index->row[i - 1].report : NULL;
        if (!file->name[0]) continue; /* an OUT without a result has none */
        const struct model to = model_item(card, "pictures");
        model_number(to, "side", i);
        model_texts(to, "file name", file->name, name_of(sides, i));
        model_value(to, "score", report ? report->metric : SSIMCU_METRIC_SSIM,
                    report ? score_of(report, sides->frame[at]) : NAN);
    }
}

static void add_card(struct model page, const struct sides *sides, size_t at, size_t a, size_t b)
{
    const struct picture_file *const under = file_of(sides, a, at), *over = file_of(sides, b, at);
    const struct model card = model_item(page, "cards");
    model_text(card, "frame", "%" PRId64, sides->frame[at]);
    add_pictures(card, sides, at);
    if (!under->name[0]) return;
    const struct model stack = model_in(card, "stack");
    model_texts(stack, "under over", under->name, over->name[0] ? over->name : under->name);
    model_number(stack, "width", under->width);
    model_number(stack, "height", under->height);
}

static void fill(struct model page, const void *user)
{
    const struct sides *const sides = user;
    const char *const ref = page_base(sides->index->ref);
    const size_t a = sides->ref + 1, b = second_of(sides);
    model_text(page, "title", "Frames of two OUTs against %s", ref);
    model_number(page, "count", sides->index->count);
    model_texts(page, "ref", ref);
    add_choice(page, sides, "A", a);
    add_choice(page, sides, "B", b);
    for (size_t i = 0; i < sides->frames; i++) add_card(page, sides, i, a, b);
}

bool page_sides(FILE *to, const void *sides)
{
    const struct html_page page = {.mark = CONTENTS_MARK,
                                   .kind = "ssimcu report",
                                   .template = &sides_html,
                                   .pictures = true,
                                   .script = {&cards_js, &sides_js}};
    return html_page_write(to, &page, fill, sides);
}
