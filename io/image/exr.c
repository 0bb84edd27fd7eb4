/* EXR through the module libssimcu_exr.so. It is opened for the first EXR, so that OpenEXR and its
 * C++ library need not be installed with the program. A worker opens it (exr_worker.c), or this
 * process if there are no workers. */
#define _POSIX_C_SOURCE 200809L /* pread */
#include "exr_worker.h"

#include "modules.h"
#include "sample_size.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char MAGIC[4] = "\x76\x2f\x31\x01";

_Static_assert(sizeof(struct ssimcu_exr_facts) <= sizeof((ssimcu_file){0}.kept), "they are kept");

/* ---- The module in this process -------------------------------------------------------------- */

static ssimcu_exr_read_function *read_exr; /* NULL: the module could not be opened */
static char reason[SSIMCU_WORKER_REASON];

static void open_module(void)
{
    (void)ssimcu_module_find(SSIMCU_EXR_MODULE, SSIMCU_EXR_SYMBOL, &read_exr, reason,
                             sizeof reason);
}

static ssimcu_status no_module(const ssimcu_file *file, const char *why)
{
    FAIL_FILE(file, UNSUPPORTED,
              "support for EXR is not installed: expected the package ssimcu-exr, or a build with "
              "OpenEXR (%s)",
              why);
}

static ssimcu_status run_here(const ssimcu_file *file, struct ssimcu_exr_task *task)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, open_module);
    if (!read_exr) return no_module(file, reason);
    task->band = task->band_bytes > 0 ? malloc(task->band_bytes) : NULL;
    if (task->band_bytes > 0 && !task->band) FAIL_FILE(file, MEMORY, "out of memory");
    const ssimcu_status status = read_exr(task);
    free(task->band);
    return status == SSIMCU_OK ? status : ssimcu_file_fail(file, status, "%s", task->text);
}

static ssimcu_status run(const ssimcu_file *file, struct ssimcu_exr_task *task)
{
    ssimcu_message why = {{0}};
    if (file->fd < 0) return run_here(file, task);
    ssimcu_worker *worker = NULL;
    const ssimcu_status status = ssimcu_worker_take("exr", &worker, &why);
    if (status == SSIMCU_ERROR_UNSUPPORTED) return no_module(file, why.text);
    return status == SSIMCU_OK ? ssimcu_exr_worker_read(worker, file, task)
                               : ssimcu_file_fail(file, status, "%s", why.text);
}

/* ---- The frame ------------------------------------------------------------------------------- */

/* The frame to fill: the display window. */
struct target {
    const ssimcu_frame *frame;
    struct ssimcu_exr_task *task;
    struct ssimcu_exr_window display, data;
    size_t pixel; /* bytes of a pixel */
};

/* Copies the pixels of a band that lie in the display window. */
static bool place_band(void *user, int32_t y, uint32_t rows)
{
    const struct target *const to = user;
    const struct ssimcu_exr_window *const data = &to->data, *const display = &to->display;
    const int64_t x0 = data->x0 > display->x0 ? data->x0 : display->x0,
                  x1 = data->x1 < display->x1 ? data->x1 : display->x1;
    const size_t pitch = exr_width(data) * to->pixel;
    for (uint32_t i = 0; i < rows && x0 <= x1; i++) {
        const int64_t row = (int64_t)y + i;
        if (row < display->y0 || row > display->y1) continue;
        memcpy((uint8_t *)to->frame->data + (size_t)(row - display->y0) * to->frame->pitch +
                   (size_t)(x0 - display->x0) * to->pixel,
               (const uint8_t *)to->task->band + i * pitch + (size_t)(x0 - data->x0) * to->pixel,
               (size_t)(x1 - x0 + 1) * to->pixel);
    }
    return true;
}

static bool is_exr(const ssimcu_file *file)
{
    return ssimcu_file_begins(file, MAGIC, sizeof MAGIC);
}

static struct ssimcu_exr_task make_task(const ssimcu_file *file)
{
    const ssimcu_image_options *options = &file->options;
    return (struct ssimcu_exr_task){.bytes = file->bytes,
                                    .size = file->size,
                                    .layer = file->many ? NULL : options->layer,
                                    .channels = file->many ? file->many : options->channels,
                                    .many = file->many != NULL,
                                    .wide = options->wide != 0,
                                    .max_pixels = options->max_pixels,
                                    .threads = options->threads > 1 ? options->threads : 0};
}

/* Writes the names of the list, separated by spaces. */
static void join_names(const char *list, char text[SSIMCU_EXR_NAMES])
{
    size_t used = 0;
    for (const char *line = list; *line; line += strcspn(line, "\n") + 1)
        used += (size_t)snprintf(text + used, SSIMCU_EXR_NAMES - used, "%s%.*s", used ? " " : "",
                                 (int)strcspn(line, "\n") - 1, line + 1);
}

/* Reports why the header cannot be used. If channels are missing, names all that exist. Names that
 * do not fit in the message become a remark. */
static ssimcu_status explain(const ssimcu_file *file, const struct ssimcu_exr_task *task,
                             ssimcu_status status, const char *cause)
{
    enum { SHORT = 200 };
    char names[SSIMCU_EXR_NAMES], remark[SSIMCU_EXR_NAMES + 400];
    if (status != SSIMCU_ERROR_UNSUPPORTED || task->names[0] == '\0' ||
        strncmp(task->text, "EXR without", strlen("EXR without")) != 0)
        return ssimcu_fail(file->message, status, "%s", cause);
    join_names(task->names, names);
    const bool fits = strlen(names) <= SHORT || !file->options.remark;
    snprintf(remark, sizeof remark, "%s: has the channels %s", file->name, names);
    if (!fits) file->options.remark(file->options.user, remark);
    return ssimcu_fail(file->message, status,
                       "%.150s: %.150s; it has %s (choose with --layer or --channels)", file->name,
                       task->text, fits ? names : "the channels named in the line before");
}

/* Returns the share of the display window outside the data window. */
static double outside(const struct ssimcu_exr_window *display, const struct ssimcu_exr_window *data)
{
    const double x0 = display->x0 > data->x0 ? display->x0 : data->x0,
                 y0 = display->y0 > data->y0 ? display->y0 : data->y0,
                 x1 = display->x1 < data->x1 ? display->x1 : data->x1,
                 y1 = display->y1 < data->y1 ? display->y1 : data->y1;
    const double all = (double)exr_width(display) * (double)exr_height(display);
    return x1 < x0 || y1 < y0 ? 1 : (all - (x1 - x0 + 1) * (y1 - y0 + 1)) / all;
}

static void declare_window(const struct ssimcu_exr_window *window, char text[48])
{
    snprintf(text, 48, "%llux%llu%+d%+d", (unsigned long long)exr_width(window),
             (unsigned long long)exr_height(window), window->x0, window->y0);
}

static void declare(const struct ssimcu_exr_facts *facts, ssimcu_file *file)
{
    static const char *const names[] = {"none",  "RLE", "ZIPS", "ZIP",  "PIZ",
                                        "PXR24", "B44", "B44A", "DWAA", "DWAB"};
    enum { NAMES = sizeof names / sizeof names[0] };
    const char *name = facts->compression < NAMES ? names[facts->compression] : "unknown";
    snprintf(file->declared[SSIMCU_DECLARED_COMPRESSION], 48, "%s", name);
    declare_window(&facts->data, file->declared[SSIMCU_DECLARED_DATA_WINDOW]);
    declare_window(&facts->display, file->declared[SSIMCU_DECLARED_DISPLAY_WINDOW]);
    snprintf(file->declared[SSIMCU_DECLARED_PIXEL_ASPECT], 48, "%.6g", (double)facts->aspect);
    if (facts->rate[1] > 0)
        snprintf(file->declared[SSIMCU_DECLARED_RATE], 48, "%u/%u", facts->rate[0], facts->rate[1]);
}

static ssimcu_status read_header(ssimcu_file *file, ssimcu_frame *frame)
{
    struct ssimcu_exr_facts *const facts = (void *)file->kept;
    struct ssimcu_exr_task task = make_task(file);
    ssimcu_message cause = {{0}}, *const message = file->message;
    file->message = &cause;
    const ssimcu_status status = run(file, &task);
    file->message = message;
    if (file->fd < 0 && read_exr && file->options.remark)
        file->options.remark(file->options.user,
                             "EXR is decoded in this process: ssimcu-decode was not found");
    if (status != SSIMCU_OK) return explain(file, &task, status, cause.text);
    file->channels = strdup(task.names);
    if (!file->channels) FAIL_FILE(file, MEMORY, "out of memory");
    *facts = task.facts;
    frame->width = (uint32_t)exr_width(&facts->display);
    frame->height = (uint32_t)exr_height(&facts->display);
    frame->channels = facts->channel_count;
    frame->bits = facts->bits;
    frame->linear = !facts->numbers;
    file->holds = facts->holds;
    double xy[8];
    for (int i = 0; i < 8; i++) xy[i] = (double)facts->xy[i];
    if (facts->has_xy) ssimcu_colours_of_xy(xy, &file->colours);
    declare(facts, file);
    file->windows = (struct ssimcu_image_windows){true, facts->display.x0, facts->display.y0,
                                                  outside(&facts->display, &facts->data)};
    return SSIMCU_OK;
}

/* Reduces the display window to the rows of the frame. The task has no rows if the data window has
 * none of these. */
static void cut_strip(const ssimcu_frame *frame, const struct ssimcu_exr_facts *facts, uint32_t row,
                      struct target *target, struct ssimcu_exr_rows *rows)
{
    struct ssimcu_exr_window *const strip = &target->display;
    strip->y0 = (int32_t)((int64_t)strip->y0 + row);
    strip->y1 = (int32_t)((int64_t)strip->y0 + frame->height - 1);
    const int64_t first = strip->y0 > facts->data.y0 ? strip->y0 : facts->data.y0,
                  last = strip->y1 < facts->data.y1 ? strip->y1 : facts->data.y1;
    if (first <= last)
        *rows = (struct ssimcu_exr_rows){(int32_t)first, (uint32_t)(last - first + 1)};
}

static ssimcu_status read_pixels(const ssimcu_file *file, const ssimcu_frame *frame)
{
    const struct ssimcu_exr_facts *const facts = (const void *)file->kept;
    struct ssimcu_exr_task task = make_task(file);
    struct target target = {.frame = frame,
                            .task = &task,
                            .display = facts->display,
                            .data = facts->data,
                            .pixel = facts->channel_count * ssimcu_sample_size(facts->bits)};
    task.facts = *facts;
    task.band_bytes = facts->band_bytes;
    task.take = place_band;
    task.user = &target;
    if (file->strip) cut_strip(frame, facts, file->first_row, &target, &task.rows);
    if (memcmp(&facts->data, &facts->display, sizeof facts->data) != 0)
        for (uint32_t y = 0; y < frame->height; y++)
            memset((uint8_t *)frame->data + y * frame->pitch, 0, frame->width * target.pixel);
    return file->strip && task.rows.count == 0 ? SSIMCU_OK : run(file, &task);
}

static ssimcu_status read_file(ssimcu_file *file, ssimcu_frame *frame)
{
    file->reader = "OpenEXR";
    return frame->data ? read_pixels(file, frame) : read_header(file, frame);
}

/* Returns whether a worker should read the file, because it is an EXR and workers exist. */
static bool is_apart(int fd)
{
    uint8_t start[sizeof MAGIC];
    return pread(fd, start, sizeof start, 0) == (ssize_t)sizeof start &&
           memcmp(start, MAGIC, sizeof start) == 0 && ssimcu_worker_exists();
}

const ssimcu_codec ssimcu_codec_exr = {
    .name = "EXR",
    .library = "",
    .extension = (const char *const[]){".exr", NULL},
    .is = is_exr,
    .is_apart = is_apart,
    .read = read_file,
};
