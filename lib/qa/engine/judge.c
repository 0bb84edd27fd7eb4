#include "engine/judge.h"

#include "base/refuse.h"
#include "learned/noise_class.h"
#include "pair/pair.h"
#include "record/record.h"

#include <math.h>
#include <zlib.h>

/* Moves the places from the scored region to the frame. */
static void move(struct learned_excess *excess, const struct pair *pair)
{
    for (int r = 0; r < LEARNED_RULES; r++) {
        excess->place[r].x += pair->x;
        excess->place[r].y += pair->y;
    }
}

/* Reports which frames the learned limits belong to. */
static ssimcu_status mismatch(const struct learned_grid *learned, const struct learned_grid *frame,
                              ssimcu_message *message)
{
    FAIL(MISMATCH,
         "not judged: its learned limits are for %u x %u pixels (channels %u, tile %u), the frame "
         "has %u x %u (channels %u, tile %u)",
         learned->width, learned->height, learned->channels, learned->tile, frame->width,
         frame->height, frame->channels, frame->tile);
}

/* Leaves out the tiles that some areas touch. The areas of a mask belong to frames of one size. */
static ssimcu_status leave_out(const struct ignored_areas *areas, const struct learned_tiles *tiles,
                               const struct pair *pair, struct ignored_tiles *ignored,
                               ssimcu_message *message)
{
    if (!ignored->tile && !ignored_make(tiles, ignored))
        return ssimcu_no_memory(message, "the ignored areas");
    if (areas->width > 0 && (areas->width != pair->width || areas->height != pair->height))
        FAIL(MISMATCH, "not judged: its ignore_mask has %u x %u pixels, the frame has %u x %u",
             areas->width, areas->height, pair->width, pair->height);
    ignored_add(areas, pair->x, pair->y, pair->spread, tiles, ignored);
    return SSIMCU_OK;
}

ssimcu_status judge_find_ignored(const struct judge *judge, const struct learned_tiles *tiles,
                                 const struct pair *pair, struct ignored_tiles *ignored,
                                 ssimcu_message *message)
{
    const struct ignored_areas *areas;
    size_t at = 0;
    *ignored = (struct ignored_tiles){0};
    while (judge->ignored && (areas = judge->ignored(judge->user, pair->record, &at)))
        TRY(leave_out(areas, tiles, pair, ignored, message));
    return SSIMCU_OK;
}

ssimcu_status judge_ignore(const struct judge *judge, const struct learned_tiles *tiles,
                           struct pair *pair, ssimcu_score *score, struct ignored_tiles *ignored,
                           ssimcu_message *message)
{
    struct record *record = pair->record;
    record->scored.ignored = (ssimcu_ignored){0};
    TRY(judge_find_ignored(judge, tiles, pair, ignored, message));
    if (ignored->count == 0) return SSIMCU_OK;
    record->scored.ignored =
        (ssimcu_ignored){.tiles = ignored->count,
                         .all = ignored->all,
                         .crc = (uint32_t)crc32(0, ignored->tile, ignored->all),
                         .share = fmin(ignored->share, 1)};
    if (ignored_score(tiles, ignored, score)) return SSIMCU_OK;
    FAIL(MISMATCH, "not judged: every tile is ignored");
}

ssimcu_status judge_learned(const struct judge *judge, const struct learned_tiles *tiles,
                            const struct ignored_tiles *ignored, uint32_t channels,
                            struct pair *pair, ssimcu_message *message)
{
    struct record *record = pair->record;
    struct learned_frame learned = {0};
    struct learned_values values = {0};
    const double *max_excess = NULL;
    if (!judge->find) return SSIMCU_OK;
    record->learned.known = false; /* a variant's record begins as a copy of REF's */
    ssimcu_status status = judge->find(judge->user, record, &learned, &max_excess, message);
    if (status == SSIMCU_OK && learned.mean) {
        if (!learned_values_make(tiles, channels, &values))
            status = ssimcu_no_memory(message, "the learned limits");
        else if (!learned_same_grid(&learned.grid, &values.grid))
            status = mismatch(&learned.grid, &values.grid, message);
        else
            learned_judge(&learned, &values, ignored->tile, &record->learned);
        record->learned.known = status == SSIMCU_OK;
        if (status == SSIMCU_OK)
            record->learned.noise_class = noise_class_of(&learned, &values, ignored->tile);
    }
    if (record->learned.known) {
        move(&record->learned, pair);
        if (judge->settle) judge->settle(judge->user, record);
        record->learned.stale = judge->is_stale && judge->is_stale(judge->user, record);
        record->learned_worst = record_learned_worst(max_excess, record->learned.z);
        if (record->learned.noise_class == NOISE_CLASS_ALIKE &&
            !(judge->is_tight && judge->is_tight(judge->user, record)))
            record->learned.noise_class = NOISE_CLASS_NOTHING;
    }
    learned_values_free(&values);
    learned_frame_free(&learned);
    return status;
}

void judge_hint(const struct record *record, struct hints *hints)
{
    static const char *const kinds[] = {[NOISE_CLASS_NOISE] = "noise",
                                        [NOISE_CLASS_DENOISED] = "denoised",
                                        [NOISE_CLASS_ALIKE] = "seed"};
    if (record->learned.known && record->learned.noise_class != NOISE_CLASS_NOTHING)
        hints_add_last(hints, kinds[record->learned.noise_class]);
}

void judge_note_hints(struct record *record, const struct hints *hints)
{
    findings_keep(&record->findings, ~findings_by(FINDING_OF_PAIRS) | findings_detected());
    for (uint32_t i = 0; i < hints->count; i++) record_add_hint(record, hints->text[i]);
}
