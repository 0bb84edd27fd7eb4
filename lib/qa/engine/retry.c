#include "engine/engine.h"

#include "record/record.h"
#include "source/variants.h"

#include "fail.h"

#include <stdlib.h>
#include <string.h>

/* Loads, scores and analyses the pair with the reference that its record names. */
static ssimcu_status score(struct worker *worker, uint32_t at, struct task *task,
                           ssimcu_message *message)
{
    const struct batch_config *config = worker->engine->config;
    ssimcu_score score;
    TRY(variants_load(config->variants, at, &task->pair, message));
    slots_pin(&task->pair);
    TRY(contexts_score(config, worker->context, &worker->tiles, &task->pair, &score, message));
    return contexts_find_hints(worker->context, &task->pair, &score, &task->findings, message);
}

/* Makes a task for the same frame with another reference. It keeps the first task's slot and
 * memory. A context must not wait for memory, because those that hold memory wait for contexts. */
static bool make_task(const struct task *task, uint32_t at, const struct variant_frame *frame,
                      struct task *tried)
{
    *tried = *task;
    tried->findings = NULL;
    tried->pair.place[0] = frame->place;
    tried->pair.again = true;
    struct record *record = tried->pair.record = record_new();
    bool good = record && record_copy(record, task->pair.record);
    if (good) {
        free(record->side[0].path);
        record->side[0] = frame->ref;
        record->side[0].path = strdup(frame->ref.path);
        record->scored.range.known = false;
        record->reference = at + 1;
        good = record->side[0].path != NULL;
    }
    if (!good) record_free(record);
    return good;
}

/* Makes a variant's record the task's, under the names of the task's pair. Its hints are the
 * variant's. Its signatures stay those of REF, for neighbouring frames. */
static void take(struct task *task, struct task *tried)
{
    struct record *record = tried->pair.record, *old = task->pair.record;
    record->variant = record->side[0];
    record->side[0] = old->side[0];
    old->side[0].path = NULL;
    record_free(old);
    task->findings->hints = tried->findings->hints;
    free(tried->findings);
    task->pair = tried->pair;
}

/* Fails the task's record: without memory, nobody knows which reference it matches. */
static void lose(struct task *task, const ssimcu_message *why)
{
    record_fail(task->pair.record, SSIMCU_ERROR_MEMORY, why);
    free(task->findings);
    task->findings = NULL;
}

ssimcu_status retry_task(struct worker *worker, struct task *task, bool *there,
                         ssimcu_message *message)
{
    const struct batch_config *config = worker->engine->config;
    *there = true;
    if (!config->beyond(config->user, task->pair.record)) return SSIMCU_OK;
    for (uint32_t i = 0; i < variants_count(config->variants); i++) {
        const struct variant_frame *frame = variants_find(config->variants, i, task->pair.record);
        struct task tried;
        ssimcu_message why = {{0}};
        if (!frame) continue;
        if (!make_task(task, i, frame, &tried)) {
            lose(task, &(ssimcu_message){"out of memory for another reference"});
            return SSIMCU_OK;
        }
        *there = false;
        const ssimcu_status status = score(worker, i, &tried, &why);
        if (status == SSIMCU_OK && !config->beyond(config->user, tried.pair.record)) {
            *there = true;
            take(task, &tried);
            return SSIMCU_OK;
        }
        if (status == SSIMCU_ERROR_MEMORY)
            lose(task, &why);
        else if (status != SSIMCU_OK)
            config->unread(config->user, tried.pair.record, why.text);
        record_free(tried.pair.record);
        free(tried.findings);
        if (status == SSIMCU_ERROR_MEMORY) return SSIMCU_OK;
        if (status == SSIMCU_ERROR_DEVICE || status == SSIMCU_ERROR_INTERNAL)
            return ssimcu_fail(message, status, "%s", why.text);
    }
    return SSIMCU_OK;
}

ssimcu_status retry_reload(struct task *task, ssimcu_message *message)
{
    const struct source *source = task->reader->source;
    task->pair.again = true;
    TRY(source->kind->load(source, &task->pair, message));
    slots_pin(&task->pair);
    return SSIMCU_OK;
}
