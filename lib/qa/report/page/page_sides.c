/* Frames of several OUTs, any two of them one over the other. Without the script a card shows the
 * first OUT, and links to the pictures of all. */
#include "report/folder/contents.h"
#include "report/html/head.h"
#include "report/html/html.h"
#include "report/page/page.h"
#include "report/page/page_index.h"

#include <inttypes.h>
#include <math.h>

/* What can be shown as A or B: number 0 is REF, others are OUTs from 1 on. */
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

static void put_choice(FILE *to, const struct sides *sides, const char *side, size_t chosen)
{
    fprintf(to, "<label>%s <select id=\"side-%s\">", side, side);
    for (size_t i = 0; i <= sides->index->count; i++) {
        if (i > 0 && !sides->index->row[i - 1].report) continue;
        html_print(to, "<option value=\"%zu\"%s>%s</option>", i, i == chosen ? " selected" : "",
                   name_of(sides, i));
    }
    fputs("</select></label>\n", to);
}

/* Returns the second OUT that has results, or REF if there is a single one. */
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
static void put_list(FILE *to, const struct sides *sides, size_t at)
{
    char text[HTML_VALUE];
    fputs("<ul class=\"scores\">\n", to);
    for (size_t i = 0; i <= sides->index->count; i++) {
        const struct picture_file *const file = file_of(sides, i, at);
        const struct report *const report = i > 0 ? sides->index->row[i - 1].report : NULL;
        const double score = report ? score_of(report, sides->frame[at]) : NAN;
        if (!file->name[0]) continue; /* nor has an OUT without result any */
        html_print(to, "<li><a data-side=\"%zu\" href=\"%s\"><bdi>%s</bdi></a> ", i, file->name,
                   name_of(sides, i));
        if (!isnan(score)) fputs(html_value(text, report->metric, score), to);
        fputs("</li>\n", to);
    }
    fputs("</ul>\n", to);
}

static void put_stack(FILE *to, const struct sides *sides, size_t at, size_t a, size_t b)
{
    const struct picture_file *const under = file_of(sides, a, at), *over = file_of(sides, b, at);
    if (!over->name[0]) over = under;
    fprintf(to,
            "<figure><div class=\"stack wipes\"><a href=\"%s\"><img class=\"a\" src=\"%s\" "
            "width=\"%u\" height=\"%u\" loading=\"lazy\" decoding=\"sync\" alt=\"A, frame %" PRId64
            "\"></a><img class=\"wiped js b\" src=\"%s\" width=\"%u\" height=\"%u\" "
            "loading=\"lazy\" decoding=\"sync\" alt=\"\"></div>\n"
            "<label class=\"wipe js\"><span>A</span><input type=\"range\" min=\"0\" max=\"100\" "
            "value=\"50\" aria-label=\"wipe from A to B, frame %" PRId64 "\"><span>B</span>"
            "</label></figure>\n",
            under->name, under->name, under->width, under->height, sides->frame[at], over->name,
            under->width, under->height, sides->frame[at]);
}

static void put_card(FILE *to, const struct sides *sides, size_t at, size_t a, size_t b)
{
    fprintf(to,
            "<article class=\"card\" id=\"frame-%" PRId64 "\" tabindex=\"-1\">\n<header>"
            "<h3>Frame %" PRId64 "</h3><span class=\"buttons js\"><button type=\"button\" "
            "class=\"flicker\" aria-pressed=\"false\">B over A</button></span></header>\n",
            sides->frame[at], sides->frame[at]);
    put_list(to, sides, at);
    if (file_of(sides, a, at)->name[0]) put_stack(to, sides, at, a, b);
    fputs("</article>\n", to);
}

static void put_top(FILE *to, const struct index *index)
{
    head_scripts(to, CONTENTS_MARK, &sides_js, &cards_js);
    html_print(to, "Frames of two OUTs against %s", page_base(index->ref));
    head_end(to, "ssimcu report");
    html_print(to,
               "<body>\n<header class=\"top open\">\n<h1>%zu OUTs <span class=\"against\">against"
               "</span> <bdi>%s</bdi></h1>\n<p class=\"verdict\">Side by side</p>\n</header>\n"
               "<nav aria-label=\"Pages\"><ul><li><a href=\"../" CONTENTS_PAGE
               "\">All OUTs</a></li></ul></nav>\n",
               index->count, page_base(index->ref));
}

void page_sides(FILE *to, const struct sides *sides)
{
    const size_t a = sides->ref + 1, b = second_of(sides);
    put_top(to, sides->index);
    fputs("<main>\n<section id=\"frames\">\n<h2>Frames</h2>\n<p>The lowest frames of every OUT. "
          "The line lies between B, on its left, and A.</p>\n<div class=\"filters sides js\">\n",
          to);
    put_choice(to, sides, "A", a);
    put_choice(to, sides, "B", b);
    fputs("</div>\n<p class=\"keys js\"><span><kbd>N</kbd> next frame</span> <span><kbd>P</kbd> "
          "previous frame</span> <span><kbd>F</kbd> B over A and back</span> <span>"
          "<kbd>\xE2\x86\x90</kbd> <kbd>\xE2\x86\x92</kbd> slide B over A</span></p>\n",
          to);
    for (size_t i = 0; i < sides->frames; i++) put_card(to, sides, i, a, b);
    fputs("</section>\n</main>\n", to);
    head_script(to, &cards_js);
    head_script(to, &sides_js);
    fputs("</body>\n</html>\n", to);
}
