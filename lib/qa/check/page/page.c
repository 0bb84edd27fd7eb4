#include "check/page/page.h"

#include "check/page/frames.h"
#include "check/page/view.h"

#include "report/folder/contents.h"
#include "report/folder/folder.h"
#include "report/html/html_page.h"
#include "report/report.h"

#include "fail.h"

#include <stdlib.h>

extern const struct html_asset check_html;

struct check_page {
    const char *folder;
    struct inputs inputs;
    struct collected all;
};

ssimcu_status check_page_open(const char *folder, struct check_page **page, ssimcu_message *message)
{
    *page = NULL;
    if (!folder) return SSIMCU_OK;
    const ssimcu_status status = folder_check(folder, message);
    if (status != SSIMCU_OK) return status;
    *page = calloc(1, sizeof **page);
    if (!*page) return ssimcu_no_memory(message, "the report");
    (*page)->folder = folder;
    inputs_begin(&(*page)->inputs, folder);
    return SSIMCU_OK;
}

void check_page_add(struct check_page *page, const char *line)
{
    if (page) collect_line(&page->all, line, &page->inputs);
}

static void fill(struct model page, const void *user)
{
    const struct view *view = user;
    view_top(page, view);
    view_findings(page, view);
    view_sequences(page, view->all);
}

static bool put_page(FILE *to, const void *user)
{
    const struct html_page page = {
        .mark = CONTENTS_MARK, .kind = "ssimcu report", .template = &check_html, .pictures = true};
    return html_page_write(to, &page, fill, user);
}

/* How frames are read again. */
struct reading {
    struct source_input input;
    ssimcu_image_options limits;
    ssimcu_clip_format raw;
};

/* Makes it of the input and, for what that lacks, of the options in the header: a merge is not
 * told how frames are read. */
static void read_as_before(struct reading *reading, const struct source_input *input,
                           const json_t *header)
{
    const json_t *options = json_object_get(header, "options"), *most;
    const char *size = json_string_value(json_object_get(options, "size")),
               *format = json_string_value(json_object_get(options, "format"));
    ssimcu_image_options *limits = &reading->limits;
    *reading = (struct reading){*input, SSIMCU_INIT(image_options), {0}};
    if (input->limits) *limits = *input->limits;
    reading->input.limits = limits;
    if (!limits->layer) limits->layer = json_string_value(json_object_get(options, "layer"));
    if (!limits->channels)
        limits->channels = json_string_value(json_object_get(options, "channels"));
    if ((most = json_object_get(options, "max_pixels")) && json_integer_value(most) > 0)
        limits->max_pixels = (uint64_t)json_integer_value(most);
    if (!input->raw && size && format && ssimcu_raw_parse(size, format, &reading->raw))
        reading->input.raw = &reading->raw;
}

ssimcu_status check_page_write(struct check_page *page, const struct source_input *input,
                               uint64_t memory_bytes, ssimcu_message *message)
{
    struct folder_draft draft;
    struct reading reading;
    if (!page) return SSIMCU_OK;
    if (page->all.out_of_memory) return ssimcu_no_memory(message, "the report");
    ssimcu_status status = inputs_check(&page->inputs, page->folder, message);
    if (status == SSIMCU_OK) status = folder_make(page->folder, &draft, message);
    if (status != SSIMCU_OK) return status;
    const struct view view = {.all = &page->all, .folder = draft.path};
    read_as_before(&reading, input, page->all.header);
    status = frames_draw(&page->all, draft.path, &reading.input, memory_bytes, message);
    if (status == SSIMCU_OK)
        status = folder_write_page(page->folder, &draft, put_page, &view, message);
    if (status == SSIMCU_OK) status = folder_commit(page->folder, &draft, message);
    folder_close(&draft);
    return status;
}

ssimcu_status check_page_withdraw(const char *folder, const char *why, ssimcu_message *message)
{
    return folder ? report_withdraw(folder, why, message) : SSIMCU_OK;
}

void check_page_close(struct check_page *page)
{
    if (!page) return;
    collect_free(&page->all);
    inputs_end(&page->inputs);
    free(page);
}
