/* EXR through the module libssimcu_exr.so. It is opened when the first EXR is met, so that OpenEXR
 * and its C++ library need not be installed with the program. */
#include "exr/exr.h"
#include "codec.h"

#include "fail.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static const uint8_t MAGIC[] = {0x76, 0x2f, 0x31, 0x01};

static ssimcu_exr_read_function *read_exr; /* NULL: the module could not be opened */
static char reason[200];

/* Opens the module, which stays open. It is found as any library: beside this one, or in the
 * system's directories. */
static void open_module(void)
{
    void *const module = dlopen(SSIMCU_EXR_MODULE, RTLD_NOW | RTLD_LOCAL);
    void *const found = module ? dlsym(module, "ssimcu_exr_read_1") : NULL;
    if (found)
        memcpy(&read_exr, &found, sizeof read_exr); /* ISO C has no such cast */
    else
        snprintf(reason, sizeof reason, "%.199s", dlerror());
}

static bool is_exr(const ssimcu_file *file)
{
    return file->size >= sizeof MAGIC && memcmp(file->bytes, MAGIC, sizeof MAGIC) == 0;
}

static struct ssimcu_exr_task make_task(const ssimcu_file *file, const ssimcu_frame *frame)
{
    const ssimcu_image_options *options = &file->options;
    return (struct ssimcu_exr_task){.bytes = file->bytes,
                                    .size = file->size,
                                    .layer = options->layer,
                                    .channels = options->channels,
                                    .max_side = options->max_side,
                                    .max_pixels = options->max_pixels,
                                    .threads = options->threads > 1 ? options->threads : 0,
                                    .pixels = frame->data,
                                    .pitch = frame->pitch};
}

static ssimcu_status run(const ssimcu_file *file, struct ssimcu_exr_task *task,
                         ssimcu_message *message)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, open_module);
    if (!read_exr)
        return ssimcu_fail(message, SSIMCU_ERROR_UNSUPPORTED,
                           "%s: is an EXR: install the package ssimcu-exr to read it (%s)",
                           file->name, reason);
    const ssimcu_status status = read_exr(task);
    return status == SSIMCU_OK ? status
                               : ssimcu_fail(message, status, "%s: %s", file->name, task->text);
}

/* A single channel that the caller chooses is data, such as depth. */
static bool is_light(const ssimcu_file *file)
{
    return !file->options.channels || strchr(file->options.channels, ',');
}

static ssimcu_status read_file(const ssimcu_file *file, ssimcu_frame *frame, const char **reader,
                               ssimcu_message *message)
{
    struct ssimcu_exr_task task = make_task(file, frame);
    const ssimcu_status status = run(file, &task, message);
    *reader = "OpenEXR";
    if (status != SSIMCU_OK || frame->data) return status;
    frame->width = (uint32_t)((int64_t)task.display.x1 - task.display.x0 + 1);
    frame->height = (uint32_t)((int64_t)task.display.y1 - task.display.y0 + 1);
    frame->channels = task.channel_count;
    frame->bits = task.bits;
    frame->linear = is_light(file);
    return SSIMCU_OK;
}

static uint64_t holds(const ssimcu_file *file)
{
    struct ssimcu_exr_task task = make_task(file, &(ssimcu_frame){0});
    return run(file, &task, NULL) == SSIMCU_OK ? task.holds : 0;
}

/* Returns the share of the display window that the data window does not cover. */
static double outside(const struct ssimcu_exr_window *display, const struct ssimcu_exr_window *data)
{
    const double x0 = display->x0 > data->x0 ? display->x0 : data->x0,
                 y0 = display->y0 > data->y0 ? display->y0 : data->y0,
                 x1 = display->x1 < data->x1 ? display->x1 : data->x1,
                 y1 = display->y1 < data->y1 ? display->y1 : data->y1;
    const double all =
        ((double)display->x1 - display->x0 + 1) * ((double)display->y1 - display->y0 + 1);
    return x1 < x0 || y1 < y0 ? 1 : (all - (x1 - x0 + 1) * (y1 - y0 + 1)) / all;
}

static void windows(const ssimcu_file *file, struct ssimcu_image_windows *of)
{
    struct ssimcu_exr_task task = make_task(file, &(ssimcu_frame){0});
    if (run(file, &task, NULL) != SSIMCU_OK) return;
    of->known = true;
    of->x = task.display.x0;
    of->y = task.display.y0;
    of->data_x = task.data.x0;
    of->data_y = task.data.y0;
    of->data_width = (uint32_t)((int64_t)task.data.x1 - task.data.x0 + 1);
    of->data_height = (uint32_t)((int64_t)task.data.y1 - task.data.y0 + 1);
    of->outside = outside(&task.display, &task.data);
}

static const char *const EXTENSIONS[] = {".exr", NULL};

const ssimcu_codec ssimcu_codec_exr = {
    .name = "EXR",
    .library = "OpenEXR (" SSIMCU_EXR_MODULE ")",
    .extension = EXTENSIONS,
    .is = is_exr,
    .read = read_file,
    .holds = holds,
    .windows = windows,
};
