/* A module for EXR that comes to the ends of killing.h, in the middle of a file. All else the real
 * one does. */
#include "killing.h"

#include "exr/exr.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

static ssimcu_exr_read_function *real;

/* Opens the real module while files can still be opened. */
__attribute__((constructor)) static void open_real(void)
{
    void *const module = dlopen(REAL_MODULE, RTLD_NOW | RTLD_LOCAL);
    void *const found = module ? dlsym(module, SSIMCU_EXR_SYMBOL) : NULL;
    memcpy(&real, &found, sizeof real);
}

/* The caller's task behind that of the real module. */
struct behind {
    const struct ssimcu_exr_task *task;
    struct ssimcu_exr_facts *facts;
};

static bool take(void *user, int32_t y, uint32_t rows)
{
    const struct behind *const behind = user;
    const struct ssimcu_exr_window *const data = &behind->facts->data;
    const uint32_t width = (uint32_t)(data->x1 - data->x0 + 1);
    if (y > data->y0) killing_at(width);
    if (width == KILLING_SHORT && y + (int32_t)rows > data->y1) return true;
    return behind->task->take(behind->task->user, y, rows);
}

ssimcu_status ssimcu_exr_read_6(struct ssimcu_exr_task *task)
{
    struct ssimcu_exr_task own = *task;
    struct behind behind = {task, &task->facts};
    if (!real) return SSIMCU_ERROR_INTERNAL;
    own.band = NULL;
    ssimcu_status status = real(&own); /* the facts, which take wants to know */
    task->facts = own.facts;
    if (status == SSIMCU_OK && task->band) {
        own.band = task->band;
        own.take = take;
        own.user = &behind;
        status = real(&own);
    }
    memcpy(task->text, own.text, sizeof own.text);
    return status;
}
