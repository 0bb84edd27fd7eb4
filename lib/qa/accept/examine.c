/* Whether the OUTs are damaged, by the detectors of a check. */
#include "accept/accept.h"

#include "base/json.h"
#include "base/refuse.h"
#include "record/record.h"
#include "run/intake.h"

#include <stdlib.h>
#include <unistd.h>

/* Paths to check: the OUTs of whole shots, because detectors compare neighbours. */
struct outs {
    char **path; /* owned */
    uint32_t count;
};

static bool is_of_shot(const struct accept *accept, const char *shot)
{
    for (size_t i = 0; i < accept->count; i++)
        if (record_order(accept->file[i].shot, 0, shot, 0) == 0) return true;
    return false;
}

/* Adds the OUT of a line of results, unless it is not there. */
static ssimcu_status add(const struct accept *accept, size_t line, struct outs *outs,
                         ssimcu_message *message)
{
    struct record record;
    TRY(results_reader_record(&accept->earlier, line, &record, message));
    char *path = record.kind == RECORD_SCORED ? record.side[1].path : NULL;
    if (path && access(path, F_OK) == 0) {
        outs->path[outs->count++] = path;
        record.side[1].path = NULL;
    }
    record_clear(&record);
    return SSIMCU_OK;
}

/* Lists the OUTs of all shots that have an accepted frame. Lines come shot by shot. */
static ssimcu_status list(const struct accept *accept, struct outs *outs, ssimcu_message *message)
{
    const struct results_reader *earlier = &accept->earlier;
    bool wanted = false;
    outs->path = calloc(earlier->count + 1, sizeof *outs->path);
    if (!outs->path) return no_memory(message);
    for (size_t i = 0; i < earlier->count; i++) {
        const char *shot = earlier->line[i].shot;
        if (i == 0 || record_order(earlier->line[i - 1].shot, 0, shot, 0) != 0)
            wanted = is_of_shot(accept, shot);
        if (wanted) TRY(add(accept, i, outs, message));
    }
    return SSIMCU_OK;
}

/* Returns how the run read its files. */
static ssimcu_run_options options_of(const struct accept *accept)
{
    const json_t *input = accept->earlier.header.input;
    ssimcu_run_options like = SSIMCU_INIT(run_options);
    like.layer = json_text(input, "layer");
    like.channels = json_text(input, "channels");
    like.layers = accept->said.layers;
    like.max_pixels = UINT64_C(1) << 48; /* the run read them */
    return like;
}

ssimcu_status accept_examine(struct accept *accept, ssimcu_message *message)
{
    const finding_mask kinds =
        findings_default(FINDING_BY_CHECK) & ~finding_bit(FINDING_MISSING) & ~accept->even_if;
    const ssimcu_run_options like = options_of(accept);
    struct outs outs = {0};
    struct intake intake = {0};
    if (kinds == 0) return SSIMCU_OK;
    ssimcu_status status = list(accept, &outs, message);
    if (status == SSIMCU_OK && outs.count > 0)
        status = intake_check(&like, (const char *const *)outs.path, outs.count, kinds,
                              accept->stop, &intake, message);
    for (size_t i = 0; i < accept->count && status == SSIMCU_OK; i++) {
        const struct accept_file *file = &accept->file[i];
        const struct intake_file *damaged = intake_find(&intake, file->out, -1);
        if (damaged) accept_refuse(accept, file->shot, file->frame, damaged->kinds, damaged->text);
    }
    intake_free(&intake);
    for (uint32_t i = 0; i < outs.count; i++) free(outs.path[i]);
    free(outs.path);
    if (status != SSIMCU_OK || accept->done.refused == 0) return status;
    return accept_fail_refused(accept, message);
}
