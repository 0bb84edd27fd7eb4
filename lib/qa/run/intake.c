#include "run/intake.h"

#include "base/refuse.h"
#include "base/results.h"
#include "record/record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A check, while its records come. */
struct intake_work {
    struct intake *intake;
    finding_mask kinds;
    const ssimcu_stop *stop;
};

static int by_path(const void *a, const void *b)
{
    const struct intake_file *x = a, *y = b;
    const int order = strcmp(x->path, y->path);
    if (order == 0 && (x->frame < 0 || y->frame < 0)) return 0; /* any frame */
    return order ? order : (x->frame > y->frame) - (x->frame < y->frame);
}

/* Adds a damaged frame. Layers of one file may each add it. */
static ssimcu_status add(struct intake *intake, const ssimcu_record *record,
                         const struct record *whole, finding_mask kinds)
{
    if (!results_grow(&intake->file, intake->count, &intake->room, sizeof *intake->file))
        return SSIMCU_ERROR_MEMORY;
    struct intake_file *file = &intake->file[intake->count];
    *file = (struct intake_file){.path = strdup(record->path[1]),
                                 .frame = record->frame,
                                 .kinds = findings_kinds(&whole->findings) & kinds};
    if (!file->path) return SSIMCU_ERROR_MEMORY;
    intake->count++;
    findings_line(file->text, sizeof file->text, &whole->findings, kinds);
    return SSIMCU_OK;
}

static ssimcu_status take(void *user, const ssimcu_record *record)
{
    const struct intake_work *work = user;
    const struct record *whole = record->facts;
    if (ssimcu_is_stopped(work->stop)) return SSIMCU_ERROR_INTERNAL; /* the caller knows why */
    const bool damaged = (findings_kinds(&whole->findings) & work->kinds) != 0;
    return damaged && record->path[1] ? add(work->intake, record, whole, work->kinds) : SSIMCU_OK;
}

ssimcu_status intake_check(const ssimcu_run_options *like, const char *const *path, uint32_t count,
                           finding_mask kinds, const ssimcu_stop *stop, struct intake *intake,
                           ssimcu_message *message)
{
    struct intake_work work = {intake, kinds, stop};
    struct ssimcu_run *run = NULL;
    ssimcu_run_options options = SSIMCU_INIT(run_options);
    const ssimcu_run_hooks hooks = {.struct_size = sizeof hooks, .user = &work, .record = take};
    options.check = 1;

    options.out = path, options.outs = count;
    options.recursive = like->recursive;
    options.size = like->size, options.format = like->format;
    options.layer = like->layer, options.channels = like->channels, options.layers = like->layers;
    options.stream[0] = options.stream[1] = like->stream[1];
    options.max_pixels = like->max_pixels;
    options.threads = like->threads, options.memory_bytes = like->memory_bytes;
    *intake = (struct intake){0};
    ssimcu_status status = ssimcu_run_open(&options, &run, message);
    if (status == SSIMCU_OK) status = ssimcu_run_score(run, &hooks, message);
    ssimcu_run_close(&run);
    if (intake->count > 0) qsort(intake->file, intake->count, sizeof *intake->file, by_path);
    return status;
}

const struct intake_file *intake_find(const struct intake *intake, const char *path, int64_t frame)
{
    const struct intake_file wanted = {.path = (char *)(uintptr_t)path, .frame = frame};
    if (!path || intake->count == 0) return NULL;
    return bsearch(&wanted, intake->file, intake->count, sizeof wanted, by_path);
}

void intake_free(struct intake *intake)
{
    for (size_t i = 0; i < intake->count; i++) free(intake->file[i].path);
    free(intake->file);
    *intake = (struct intake){0};
}
