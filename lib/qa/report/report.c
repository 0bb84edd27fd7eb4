#include "report/report.h"
#include "report/folder/folder.h"
#include "report/frames/report_frame.h"
#include "report/page/page.h"

#include "fail.h"

#include <stdlib.h>
#include <string.h>

ssimcu_status report_open(const char *directory, uint32_t frames, struct report **report,
                          ssimcu_message *message)
{
    const ssimcu_status status = folder_check(directory, message);
    if (status != SSIMCU_OK) return status;
    struct report *new_report = calloc(1, sizeof *new_report);
    if (new_report) new_report->directory = directory;
    if (new_report) inputs_begin(&new_report->inputs, directory);
    if (new_report && collect_open(new_report, frames)) {
        *report = new_report;
        return SSIMCU_OK;
    }
    report_close(new_report);
    return ssimcu_no_memory(message, "the report");
}

void report_order_by(struct report *report, ssimcu_metric metric) { report->metric = metric; }

void report_add(struct report *report, const struct record *record, const struct judged *judged)
{
    collect_add(report, record, judged);
}

void report_close(struct report *report)
{
    if (!report) return;
    collect_close(report);
    free(report);
}

/* ---- Pictures -------------------------------------------------------------------------------- */

/* Chooses the frames that need pictures, each once, in order. */
static size_t choose(const struct page *page, struct report_frame *frame[])
{
    const struct frame_list *sheet = &page->report->sheet;
    size_t count = 0;
    for (size_t i = 0; i < page->cards; i++) frame[count++] = page->card[i];
    for (size_t i = 0; i < sheet->count && page->report->count > 1; i++)
        if (sheet->frame[i]->record.kind == RECORD_SCORED && !page_has_card(page, sheet->frame[i]))
            frame[count++] = sheet->frame[i];
    struct frame_list list = {.frame = frame, .count = count};
    collect_sort(&list);
    return count;
}

static void describe_picture(const struct page *page, struct report_frame *frame,
                             struct picture *picture)
{
    const struct record *record = &frame->record;
    const struct frame_list *sheet = &page->report->sheet;
    *picture =
        (struct picture){.frame = record->frame,
                         .part = record->part,
                         .number = (int64_t)frame->at,
                         .variant = record->variant.path,
                         .reference = record->reference,
                         .tile = verdict_place(&frame->judged, record),
                         .views = page_has_card(page, frame),
                         .thumbnail = page->report->count > 1 &&
                                      sheet->frame[frame->at / page->report->stride] == frame};
    frame->picture = picture;
}

static bool show_progress(void *user, size_t done, size_t count)
{
    struct page *page = user;
    const struct report_facts *facts = page->facts;
    if (facts->progress && !facts->progress(facts->user, done, count)) page->stopped = true;
    return !page->stopped;
}

/* Notes the reason why there are no pictures, if no frame has any. */
static void note_lack(struct page *page, const struct picture *picture, size_t count)
{
    const char *why = count > 0 ? picture[0].why : NULL;
    for (size_t i = 0; i < count; i++) {
        if (!picture[i].why[0]) return;
        if (strcmp(picture[i].why, picture[0].why) != 0) why = "the files cannot be read here.";
    }
    page->no_pictures = why;
}

static ssimcu_status make_pictures(struct page *page, const char *directory,
                                   struct picture **picture, ssimcu_message *message)
{
    const struct report_facts *facts = page->facts;
    const size_t most = page->cards + page->report->sheet.count;
    ssimcu_settings settings = *facts->settings;
    if (!page->report->has_backend[1])
        settings.device = SSIMCU_DEVICE_CPU; /* no GPU has started yet, and none is worth it */
    struct report_frame **frame = calloc(most + 1, sizeof *frame);
    *picture = calloc(most + 1, sizeof **picture);
    ssimcu_status status = frame && *picture ? SSIMCU_OK : ssimcu_no_memory(message, "the report");
    if (status == SSIMCU_OK) {
        const size_t count = choose(page, frame);
        const struct pictures_config config = {.directory = directory,
                                               .input = facts->input,
                                               .settings = &settings,
                                               .judge = facts->judge,
                                               .memory_bytes = facts->memory_bytes,
                                               .progress = show_progress,
                                               .user = page};
        for (size_t i = 0; i < count; i++) describe_picture(page, frame[i], &(*picture)[i]);
        status = pictures_make(&config, *picture, count, message);
        note_lack(page, *picture, count);
    }
    free(frame);
    return status;
}

/* ---- All of it ------------------------------------------------------------------------------- */

static bool put_page(FILE *to, const void *user) { return page_write(to, user); }

static ssimcu_status fill(struct page *page, const struct folder_draft *draft,
                          ssimcu_message *message)
{
    struct picture *picture = NULL;
    ssimcu_status status = make_pictures(page, draft->path, &picture, message);
    if (status == SSIMCU_OK && page->stopped)
        status = ssimcu_fail(message, SSIMCU_ERROR_WRITE, "--report %.300s: stopped, not written",
                             page->report->directory);
    if (status == SSIMCU_OK)
        status = folder_write_page(page->report->directory, draft, put_page, page, message);
    free(picture);
    return status;
}

ssimcu_status report_write(struct report *report, const struct report_facts *facts,
                           ssimcu_message *message)
{
    struct page page = {.report = report, .facts = facts};
    struct folder_draft draft;
    if (report->out_of_memory) return ssimcu_no_memory(message, "the report");
    ssimcu_status status = inputs_check(&report->inputs, report->directory, message);
    if (status != SSIMCU_OK) return status;
    page.card = collect_cards(report, &page.cards);
    if (!page.card) status = ssimcu_no_memory(message, "the report");
    collect_sort(&report->rows);
    if (status == SSIMCU_OK) status = folder_make(report->directory, &draft, message);
    if (status == SSIMCU_OK) {
        status = fill(&page, &draft, message);
        if (status == SSIMCU_OK) status = folder_commit(report->directory, &draft, message);
        folder_close(&draft);
    }
    free(page.card);
    return status;
}

/* A report's early end. */
struct withdrawn {
    const char *why, *directory;
};

static bool put_withdrawn(FILE *to, const void *user)
{
    const struct withdrawn *withdrawn = user;
    return page_write_withdrawn(to, withdrawn->why, withdrawn->directory);
}

ssimcu_status report_withdraw(const char *directory, const char *why, ssimcu_message *message)
{
    const struct withdrawn withdrawn = {why, directory};
    if (!folder_is_report(directory)) return SSIMCU_OK;
    return folder_replace_page(directory, put_withdrawn, &withdrawn, message);
}
