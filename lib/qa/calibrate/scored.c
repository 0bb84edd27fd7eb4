#include "calibrate/scored.h"

#include "base/results.h"
#include "base/text.h"
#include "facts/record.h"
#include "floors/values.h"
#include "options/paths.h"

#include "fail.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *text_of(const json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));
    return text ? text : "";
}

/* ---- Opening --------------------------------------------------------------------------------- */

/* Returns the run of which both results are shares; NULL: there is none. */
static struct scored_run *find_run(struct scored *scored, const struct header *header)
{
    for (uint32_t i = 0; i < scored->runs && header->shards > 1; i++) {
        struct scored_run *run = &scored->run[i];
        if (run->results.shards == header->shards &&
            json_equal(run->results.header.input, header->input) &&
            !run->results.shard_read[header->shard])
            return run;
    }
    return NULL;
}

static ssimcu_status open_tiles(const char *path, struct scored_run *run, ssimcu_message *message)
{
    ssimcu_message why = {{0}};
    char *name = path_of_tiles(path);
    if (!name) return results_no_memory(message);
    const ssimcu_status status = floors_file_open(name, &run->tiles[run->files], &why);
    free(name);
    if (status == SSIMCU_OK) run->files++;
    return status == SSIMCU_OK ? status
                               : ssimcu_fail(message, status,
                                             "%s: expected the tiles that a run with --all-tiles "
                                             "writes beside its results",
                                             why.text);
}

/* Adds results to the run that they are of. */
static ssimcu_status add(struct scored *scored, const char *path, uint32_t most,
                         ssimcu_message *message)
{
    struct earlier_results results = {0};
    ssimcu_status status = earlier_add(&results, path, false, message);
    struct scored_run *run = status == SSIMCU_OK ? find_run(scored, &results.header) : NULL;
    if (run || status != SSIMCU_OK) earlier_free(&results);
    if (status != SSIMCU_OK) return status;
    if (run) {
        status = earlier_add(&run->results, path, false, message);
    } else {
        run = &scored->run[scored->runs];
        run->results = results;
        scored->name[scored->runs++] = path;
        run->tiles = calloc(most, sizeof *run->tiles);
        if (!run->tiles) status = results_no_memory(message);
    }
    return status == SSIMCU_OK ? open_tiles(path, run, message) : status;
}

/* Checks that a run is whole, and like the first. */
static ssimcu_status check_run(const struct scored *scored, uint32_t at, const char *ignored,
                               ssimcu_message *message)
{
    const struct earlier_results *own = &scored->run[at].results, *first = &scored->run[0].results;
    const char *ref = text_of(own->header.input, "ref"), *why = NULL, *name = "";
    if (!own->complete || !earlier_has_all_shares(own))
        why = "expected the results of a complete run, with all its shares";
    else if (!contract_same_ssim(own->header.contract, first->header.contract))
        why = "its scores follow another contract than those of ", name = scored->name[0];
    else if (strcmp(contract_ignored(own->header.contract), ignored) != 0)
        why = "its scores ignore other parts of the frames than the rules: give the rules to the "
              "runs";
    else if (!ref[0] || strcmp(ref, text_of(first->header.input, "ref")) != 0)
        why = "expected results against one REF, that of ", name = scored->name[0];
    return why ? ssimcu_fail(message, SSIMCU_ERROR_MISMATCH, "%.300s: %s%.300s", scored->name[at],
                             why, name)
               : SSIMCU_OK;
}

/* Counts the layers of frames: the last names of parts, which come one after the other. Returns
 * false if memory runs out. */
static bool count_layers(const struct earlier_results *results, uint32_t *layers)
{
    const char **seen = calloc(results->count + 1, sizeof *seen), *last = NULL;
    *layers = 0;
    for (size_t i = 0; seen && i < results->count; i++) {
        const char *part = results->line[i].part;
        if (!part || (last && strcmp(part, last) == 0)) continue;
        uint32_t at = 0;
        while (at < *layers && strcmp(seen[at], text_base(part)) != 0) at++;
        seen[at] = text_base(part);
        *layers += at == *layers;
        last = part;
    }
    free(seen);
    return seen != NULL;
}

ssimcu_status scored_open(const struct options *options, const char *ignored, struct scored *scored,
                          ssimcu_message *message)
{
    const uint32_t count = options->run.merges;
    scored->run = calloc(count, sizeof *scored->run);
    scored->name = calloc(count, sizeof *scored->name);
    if (!scored->run || !scored->name) return results_no_memory(message);
    ssimcu_status status = SSIMCU_OK;
    for (uint32_t i = 0; i < count && status == SSIMCU_OK; i++)
        status = add(scored, options->run.merge[i], count, message);
    for (uint32_t i = 0; i < scored->runs && status == SSIMCU_OK; i++) {
        status = check_run(scored, i, ignored, message);
        scored->lines += scored->run[i].results.count;
    }
    if (status != SSIMCU_OK) return status;
    const struct header *header = &scored->run[0].results.header;
    run_header_read(header, options, &scored->facts);
    if (scored->facts.input.layers && !count_layers(&scored->run[0].results, &scored->layers))
        return results_no_memory(message);
    scored->tile = (uint32_t)json_integer_value(json_object_get(header->contract, "tile"));
    return SSIMCU_OK;
}

void scored_close(struct scored *scored)
{
    for (uint32_t i = 0; i < scored->runs; i++) {
        struct scored_run *run = &scored->run[i];
        for (uint32_t f = 0; f < run->files; f++) floors_file_close(run->tiles[f]);
        free(run->tiles);
        earlier_free(&run->results);
    }
    free(scored->run);
    free(scored->name);
}

/* ---- Reading --------------------------------------------------------------------------------- */

/* Returns whether values are of the record: they have the score of its worst tile. */
static bool are_of(const struct scored *scored, const struct floor_values *values,
                   const struct record *record)
{
    static const double ROUNDED = 5e-5; /* three times what a file of floors rounds scores by */
    const struct contract_region *region = &scored->facts.input.region;
    const ssimcu_tile *tile = &record->scored.tile;
    if (tile->width == 0 || tile->x < region->x || tile->y < region->y) return false;
    const uint32_t column = (tile->x - region->x) / values->grid.tile;
    const uint32_t row = (tile->y - region->y) / values->grid.tile;
    if (column >= values->grid.columns || row >= values->grid.rows) return false;
    const size_t at = (size_t)row * values->grid.columns + column;
    return fabs(values->value[FLOOR_SCORE][at] - tile->score) < ROUNDED;
}

static ssimcu_status read_values(const struct scored *scored, struct record *record,
                                 ssimcu_message *message)
{
    struct floor_values *values = record->values = calloc(1, sizeof *values);
    const struct scored_run *run = &scored->run[record->out];
    struct floor_frame packed = {0};
    char name[TEXT_FRAME];
    ssimcu_status status = values ? SSIMCU_OK : results_no_memory(message);
    for (uint32_t f = 0; f < run->files && !packed.mean && status == SSIMCU_OK; f++)
        status = floors_file_find(run->tiles[f], record->part, record->frame, &packed, message);
    if (status == SSIMCU_OK && packed.mean && !floor_unpack(&packed, values))
        status = results_no_memory(message);
    floor_frame_free(&packed);
    if (status != SSIMCU_OK || (values->value[0] && are_of(scored, values, record))) return status;
    return ssimcu_fail(message, SSIMCU_ERROR_DATA,
                       "%.300s: frame %s: the tiles beside it are not those of this run",
                       scored->name[record->out], text_frame(name, record->part, record->frame));
}

/* Returns the run whose next line is first of all; `runs`: there is none. */
static uint32_t find_next(const struct scored *scored)
{
    const struct earlier_line *first = NULL;
    uint32_t found = scored->runs;
    for (uint32_t i = 0; i < scored->runs; i++) {
        const struct scored_run *run = &scored->run[i];
        if (run->next == run->results.count) continue;
        const struct earlier_line *line = &run->results.line[run->next];
        if (first && record_order(line->part, line->frame, first->part, first->frame) >= 0)
            continue;
        first = line;
        found = i;
    }
    return found;
}

ssimcu_status scored_next(struct scored *scored, bool *any, struct record *record,
                          ssimcu_message *message)
{
    const uint32_t at = find_next(scored);
    *any = at < scored->runs;
    if (!*any) return SSIMCU_OK;
    struct scored_run *run = &scored->run[at];
    ssimcu_status status = earlier_record(&run->results, run->next++, record, message);
    if (status != SSIMCU_OK) return status;
    record->out = at;
    if (record->kind == RECORD_SCORED) status = read_values(scored, record, message);
    if (status != SSIMCU_OK) record_clear(record);
    return status;
}
