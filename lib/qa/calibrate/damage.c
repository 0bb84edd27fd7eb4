#include "calibrate/damage.h"

#include "base/refuse.h"
#include "base/text.h"
#include "record/record.h"

#include <stdlib.h>
#include <string.h>

/* Returns the root `at` of a run: REF, then its OUTs. NULL: there are no more. */
static const char *root_of(const struct ssimcu_run *run, uint32_t at)
{
    if (at == 0) return run->input.path[0];
    return at <= run->input.outs ? run->input.out[at - 1] : NULL;
}

ssimcu_status damage_find(const struct ssimcu_run *run, struct intake *damage,
                          ssimcu_message *message)
{
    const finding_mask kinds = findings_default(FINDING_BY_CHECK) &
                               ~(finding_bit(FINDING_MISSING) | finding_bit(FINDING_UNREADABLE));
    const char **path = calloc(run->input.outs + 1, sizeof *path);
    ssimcu_message why = {{0}};
    if (!path) return no_memory(message);
    for (uint32_t i = 0; i <= run->input.outs; i++) path[i] = root_of(run, i);
    const ssimcu_status status =
        intake_check(&run->options.run, path, run->input.outs + 1, kinds, &run->stop, damage, &why);
    free(path);
    return status == SSIMCU_ERROR_MEMORY ? no_memory(message) : SSIMCU_OK;
}

/* Returns the path behind its root, or its name if the root is a pattern. */
static const char *behind(const char *root, const char *path)
{
    const size_t length = strlen(root);
    return strncmp(path, root, length) == 0 && path[length] == '/' ? path + length + 1
                                                                   : text_base(path);
}

/* Returns whether more than half of REF and the runs have this finding in this frame: it is the
 * scene. */
static bool is_of_most(const struct ssimcu_run *run, const struct intake *damage, const char *name,
                       int64_t frame, finding_mask kinds)
{
    const uint32_t all = run->input.outs + 1;
    uint32_t same = 0;
    for (uint32_t i = 0; i < all; i++) {
        const char *root = root_of(run, i);
        char *path = name ? text_join(root, "/", name, "") : strdup(root);
        const struct intake_file *other = path ? intake_find(damage, path, frame) : NULL;
        same += other && other->kinds & kinds;
        free(path);
    }
    return 2 * same > all;
}

static const char *damage_at(const struct ssimcu_run *run, const struct intake *damage,
                             const struct record *record, int side)
{
    const bool video = source_is_video(run->source);
    const int64_t frame = video ? record->frame : -1;
    const char *path = record->side[side].path;
    const struct intake_file *found = intake_find(damage, path, frame);
    if (!found) return NULL;
    const char *root = root_of(run, side == 0 ? 0 : record->out + 1);
    const char *name = video ? NULL : behind(root, path);
    return is_of_most(run, damage, name, frame, found->kinds) ? NULL : found->text;
}

const char *damage_of(const struct ssimcu_run *run, const struct intake *damage,
                      const struct record *record, int *side)
{
    const char *text = NULL;
    for (*side = 0; *side < 2; ++*side)
        if ((text = damage_at(run, damage, record, *side)) != NULL) break;
    return text;
}
