#include "report/report.h"
#include "report/folder/folder.h"
#include "report/frames/report_frame.h"
#include "report/page/page.h"

#include "fail.h"

#include <stdlib.h>
#include <string.h>

ssimcu_status report_open(const char *directory, bool alone, uint32_t frames,
                          struct report **report, ssimcu_message *message)
{
    TRY(folder_check(directory, message));
    struct report *new_report = calloc(1, sizeof *new_report);
    if (new_report) new_report->directory = directory;
    if (new_report) inputs_begin(&new_report->inputs, directory);
    if (new_report && collect_open(new_report, alone, frames)) {
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

/* Lists the frames that need pictures, without repeats, in order. */
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
                         .shot = record->shot,
                         .number = (int64_t)frame->at,
                         .variant = record->variant.path,
                         .reference = record->reference,
                         .tile = verdict_place(&frame->judged, record),
                         .views = page_has_card(page, frame),
                         .thumbnail = page->report->count > 1 &&
                                      sheet->frame[frame->at / page->report->stride] == frame};
    frame->picture = picture;
}

/* Describes the pictures of a frame without a reference: of each place with a finding, or of the
 * whole frame, next to its neighbours. Returns the number of pictures. */
static size_t describe_places(const struct report *report, struct report_frame *frame,
                              size_t number, struct picture *picture)
{
    const struct findings *findings = &frame->record.findings;
    const struct point *point = &report->point[frame->at];
    const struct band *band = collect_band(report, frame->at);
    size_t count = 0;
    frame->picture = picture;
    for (size_t i = 0; i <= findings->count && point->kind != RECORD_FAILED; i++) {
        const bool whole = i == findings->count;
        const struct finding_place none = {0}, *place = whole ? &none : &findings->at[i].place;
        if (whole ? count > 0 : place->width == 0 || count == COLLECT_PLACES) continue;
        picture[count] =
            (struct picture){.shot = frame->record.shot,
                             .number = (int64_t)(number + count),
                             .tile = {NAN, place->x, place->y, place->width, place->height},
                             .beside = {collect_beside(report, frame->at, -1),
                                        {point->path, point->frame, band ? band->layer : NULL},
                                        collect_beside(report, frame->at, 1)}};
        count++;
    }
    return frame->pictures = count;
}

static bool show_progress(void *user, size_t done, size_t count)
{
    struct page *page = user;
    const struct report_facts *facts = page->facts;
    if (facts->progress && !facts->progress(facts->user, done, count)) page->stopped = true;
    return !page->stopped;
}

/* Stores why there are no pictures, if no frame has any. */
static void note_lack(struct page *page, size_t count)
{
    const struct picture *picture = page->picture;
    const char *why = count > 0 ? picture[0].why : NULL;
    for (size_t i = 0; i < count; i++) {
        if (!picture[i].why[0]) return;
        if (strcmp(picture[i].why, picture[0].why) != 0) why = "the files cannot be read here.";
    }
    page->no_pictures = why;
}

/* Describes all pictures, for which there is room. `frame`: room for as many frames. */
static size_t describe_all(const struct page *page, struct report_frame *frame[])
{
    size_t count = 0;
    if (!page->report->alone) {
        count = choose(page, frame);
        for (size_t i = 0; i < count; i++) describe_picture(page, frame[i], &page->picture[i]);
        return count;
    }
    for (size_t i = 0; i < page->cards; i++)
        count += describe_places(page->report, page->card[i], count, page->picture + count);
    return count;
}

static ssimcu_status make_pictures(struct page *page, ssimcu_message *message)
{
    const struct report_facts *facts = page->facts;
    const struct report *report = page->report;
    const size_t most =
        report->alone ? page->cards * COLLECT_PLACES : page->cards + report->sheet.count;
    ssimcu_settings settings = {.struct_size = sizeof settings, .threads = facts->input->threads};
    if (!report->alone) settings = *facts->settings;
    if (report->alone || !report->has_backend[1])
        settings.device = SSIMCU_DEVICE_CPU; /* no GPU has started, and none is worth starting */
    const struct pictures_config config = {.alone = report->alone,
                                           .directory = page->folder,
                                           .input = facts->input,
                                           .settings = &settings,
                                           .judge = report->alone ? NULL : facts->judge,
                                           .memory_bytes = facts->memory_bytes,
                                           .progress = show_progress,
                                           .user = page};
    struct report_frame **frame = calloc(most + 1, sizeof *frame);
    page->picture = calloc(most + 1, sizeof *page->picture);
    const size_t count = frame && page->picture ? describe_all(page, frame) : 0;
    const ssimcu_status status = frame && page->picture
                                     ? pictures_make(&config, page->picture, count, message)
                                     : ssimcu_no_memory(message, "the report");
    if (status == SSIMCU_OK && !report->alone) note_lack(page, count);
    free(frame);
    return status;
}

/* ---- All of it ------------------------------------------------------------------------------- */

static ssimcu_status fill(void *user, const char *folder, bool *worth, ssimcu_message *message)
{
    struct page *page = user;
    page->folder = folder;
    const ssimcu_status status = make_pictures(page, message);
    (void)worth;
    if (status != SSIMCU_OK || !page->stopped) return status;
    return ssimcu_fail(message, SSIMCU_ERROR_WRITE, "--report %.300s: stopped, not written",
                       page->report->directory);
}

ssimcu_status report_write(struct report *report, const struct report_facts *facts,
                           ssimcu_message *message)
{
    struct page page = {.report = report, .facts = facts};
    if (report->out_of_memory) return ssimcu_no_memory(message, "the report");
    TRY(inputs_check(&report->inputs, report->directory, message));
    collect_sort(&report->rows);
    page.card = collect_cards(report, &page.cards);
    const ssimcu_status status =
        page.card ? folder_write(report->directory, fill, page_write, &page, message)
                  : ssimcu_no_memory(message, "the report");
    free(page.picture);
    free(page.card);
    return status;
}

ssimcu_status report_withdraw(const char *directory, const char *why, ssimcu_message *message)
{
    const struct page_withdrawn withdrawn = {why, directory};
    return folder_is_report(directory)
               ? folder_withdraw(directory, page_write_withdrawn, &withdrawn, message)
               : SSIMCU_OK;
}
