#include "report/folder/contents.h"
#include "report/folder/folder.h"
#include "report/frames/collect.h"
#include "report/index.h"
#include "report/page/page_index.h"
#include "report/report.h"

#include "base/text.h"
#include "fail.h"
#include "report/frames/report_frame.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { FRAMES = 6 /* most frames */ };

static char *folder_of(const char *directory)
{
    return text_join(directory, "/", SIDES_FOLDER, "");
}

static ssimcu_status sides_withdraw(const char *directory, const char *why, ssimcu_message *message)
{
    char *const folder = folder_of(directory);
    const ssimcu_status status =
        folder ? report_withdraw(folder, why, message) : ssimcu_no_memory(message, "the report");
    free(folder);
    return status;
}

/* ---- Frames ---------------------------------------------------------------------------------- */

static void add_number(int64_t number, int64_t frame[FRAMES], size_t *count)
{
    for (size_t i = 0; i < *count; i++)
        if (frame[i] == number) return;
    if (*count < FRAMES) frame[(*count)++] = number;
}

/* Picks the lowest frame of every OUT, then the second lowest, and so on. */
static size_t choose(const struct index *index, int64_t frame[FRAMES])
{
    size_t count = 0;
    bool any = true;
    for (size_t k = 0; any && count < FRAMES; k++) {
        any = false;
        for (size_t i = 0; i < index->count; i++) {
            const struct report *const report = index->row[i].report;
            if (!report || k >= report->worst.count || report->cards_each == 0) continue;
            any = true;
            add_number(report->worst.frame[k]->record.frame, frame, &count);
        }
    }
    pictures_sort(frame, count);
    return count;
}

/* ---- Pictures -------------------------------------------------------------------------------- */

static ssimcu_status draw_out(const struct sides *sides, size_t out, const char *directory,
                              ssimcu_message *message)
{
    const struct index *const index = sides->index;
    const struct pictures_config config = {.directory = directory,
                                           .input = index->row[out].input,
                                           .settings = index->settings,
                                           .memory_bytes = index->memory_bytes,
                                           .progress = index->progress,
                                           .user = index->user};
    struct picture *const picture = sides->picture + out * sides->frames;
    for (size_t i = 0; i < sides->frames; i++) {
        picture[i].frame = sides->frame[i];
        snprintf(picture[i].bare[PICTURE_OUT], PICTURE_BARE, "out%zu", out);
        if (out == sides->ref) strcpy(picture[i].bare[PICTURE_REF], "ref");
    }
    return pictures_make(&config, picture, sides->frames, message);
}

static bool has_pictures(const struct sides *sides)
{
    for (size_t i = 0; i < sides->frames * sides->index->count; i++)
        if (sides->picture[i].whole[PICTURE_OUT].name[0]) return true;
    return false;
}

static ssimcu_status fill(void *user, const char *folder, bool *worth, ssimcu_message *message)
{
    const struct sides *sides = user;
    for (size_t i = 0; i < sides->index->count; i++)
        if (sides->index->row[i].report) TRY(draw_out(sides, i, folder, message));
    *worth = has_pictures(sides);
    return SSIMCU_OK;
}

/* Draws the lowest frames of every OUT for all OUTs, and writes the page. */
static ssimcu_status write_sides(const char *directory, struct index *index,
                                 ssimcu_message *message)
{
    int64_t frame[FRAMES];
    struct sides sides = {.index = index, .frame = frame, .frames = choose(index, frame)};
    while (sides.ref < index->count && !index->row[sides.ref].report) sides.ref++;
    if (sides.frames == 0) return SSIMCU_OK;
    char *const folder = folder_of(directory);
    sides.picture = calloc(index->count * sides.frames, sizeof *sides.picture);
    const ssimcu_status status = folder && sides.picture
                                     ? folder_write(folder, fill, page_sides, &sides, message)
                                     : ssimcu_no_memory(message, "the report");
    index->sides = status == SSIMCU_OK && has_pictures(&sides);
    free(sides.picture);
    free(folder);
    return status;
}

/* ---- The page over them ---------------------------------------------------------------------- */

static ssimcu_status check_page(const char *directory, ssimcu_message *message)
{
    struct stat info;
    char *const name = text_join(directory, "/", CONTENTS_PAGE, "");
    if (!name) return ssimcu_no_memory(message, "the report");
    const bool there = lstat(name, &info) == 0;
    free(name);
    errno = 0;
    if (!there || contents_have_mark(directory, CONTENTS_INDEX_MARK)) return SSIMCU_OK;
    if (errno != 0) return folder_error(directory, errno, message);
    return ssimcu_fail(message, SSIMCU_ERROR_ARGUMENT,
                       "--report %.300s: the " CONTENTS_PAGE
                       " there is not a page over several OUTs; it was not overwritten",
                       directory);
}

ssimcu_status index_check(const char *directory, ssimcu_message *message)
{
    TRY(check_page(directory, message));
    char *const folder = folder_of(directory);
    const ssimcu_status status =
        folder ? folder_check(folder, message) : ssimcu_no_memory(message, "the report");
    free(folder);
    return status;
}

ssimcu_status index_write(const char *directory, struct index *index, ssimcu_message *message)
{
    TRY(write_sides(directory, index, message));
    if (!index->sides) TRY(sides_withdraw(directory, "it drew no frames", message));
    TRY(check_page(directory, message));
    return folder_replace_page(directory, page_index, index, message);
}

ssimcu_status index_withdraw(const char *directory, const char *why, ssimcu_message *message)
{
    if (contents_have_mark(directory, CONTENTS_INDEX_MARK))
        TRY(folder_withdraw(directory, page_index_withdrawn, why, message));
    return sides_withdraw(directory, why, message);
}
