#include "exr_worker.h"

#include "most_side.h"
#include "sample_size.h"

#include <stdio.h>
#include <string.h>

/* A decoder that takes longer is stuck: OpenEXR decodes tens of megapixels per second, and each
 * band restarts the limit. */
enum { PATIENCE_SECONDS = 60, PIXELS_A_SECOND = 1000000 };

/* Factor between the module's estimate and the memory limit. The estimate includes neither
 * OpenEXR's tables nor the allocator's overhead. */
enum { MEMORY_MARGIN = 4 };

static struct ssimcu_exr_request make_request(const struct ssimcu_exr_task *task)
{
    struct ssimcu_exr_request request = {.size = task->size,
                                         .max_pixels = task->max_pixels,
                                         .window_bytes = task->band_bytes,
                                         .threads = task->threads,
                                         .has_layer = task->layer != NULL,
                                         .has_channels = task->channels != NULL,
                                         .rows = task->rows,
                                         .wide = task->wide,
                                         .many = task->many};
    /* A text that does not fit is longer than any name. Truncated, it is still not found. */
    if (task->layer) strncpy(request.layer, task->layer, sizeof request.layer - 1);
    if (task->channels) strncpy(request.channels, task->channels, sizeof request.channels - 1);
    return request;
}

static uint32_t patience(const struct ssimcu_exr_window *data)
{
    const double pixels = (double)exr_width(data) * (double)exr_height(data);
    return PATIENCE_SECONDS + (uint32_t)(pixels / PIXELS_A_SECOND);
}

/* Swapped corners give a side of 0, or a huge one. */
static bool is_window(const struct ssimcu_exr_window *window)
{
    return exr_width(window) - 1 < SSIMCU_MOST_SIDE && exr_height(window) - 1 < SSIMCU_MOST_SIDE;
}

static uint64_t row_bytes(const struct ssimcu_exr_facts *facts)
{
    return facts->channel_count * ssimcu_sample_size(facts->bits) * exr_width(&facts->data);
}

/* Returns whether a file could have these facts. A worker's sizes are not trusted any further. */
static bool is_sound(const struct ssimcu_exr_facts *facts, bool many)
{
    return is_window(&facts->display) && is_window(&facts->data) && facts->channel_count > 0 &&
           facts->channel_count <= (many ? SSIMCU_EXR_CHANNELS : 3) &&
           (many || facts->channel_count != 2) &&
           (facts->bits == SSIMCU_BITS_F16 || facts->bits == SSIMCU_BITS_F32) &&
           facts->band_bytes >= row_bytes(facts) &&
           facts->band_bytes / row_bytes(facts) <= exr_height(&facts->data);
}

/* Takes bands until the last reply. Every wanted row must come, in order. Returns false if a band
 * is not the expected one. */
static bool take_bands(ssimcu_worker *worker, struct ssimcu_exr_task *task, uint32_t seconds,
                       struct ssimcu_exr_reply *reply, bool *died)
{
    const struct ssimcu_exr_window *const data = &task->facts.data;
    const uint64_t most = task->band ? task->band_bytes / row_bytes(&task->facts) : 1;
    int64_t next = exr_first_row(data, &task->rows, most);
    const int64_t end = (int64_t)data->y1 + 1, last = exr_last_row(data, &task->rows);
    for (;;) {
        *died = !ssimcu_worker_receive(worker, reply, sizeof *reply, seconds, NULL, NULL);
        if (*died) return false;
        if (reply->rows == 0) return reply->status != SSIMCU_OK || next > last || !task->band;
        if (!task->band || reply->y != next || reply->rows > end - next || reply->rows > most ||
            memcmp(&reply->facts, &task->facts, sizeof reply->facts) != 0)
            return false;
        (void)task->take(task->user, reply->y, reply->rows);
        next += reply->rows;
        ssimcu_worker_send(worker, "", 1, NULL, 0);
    }
}

static ssimcu_status ask(ssimcu_worker *worker, const ssimcu_file *file,
                         struct ssimcu_exr_task *task, struct ssimcu_exr_reply *reply)
{
    const struct ssimcu_exr_request request = make_request(task);
    int fd[2] = {file->fd, -1};
    const bool decode = task->band_bytes > 0;
    bool died;
    if (decode) task->band = ssimcu_worker_window(worker, task->band_bytes, &fd[1]);
    if (decode && !task->band) FAIL_FILE(file, MEMORY, "out of memory");
    ssimcu_worker_limit_memory(worker, MEMORY_MARGIN * task->facts.holds);
    ssimcu_worker_send(worker, &request, sizeof request, fd, decode ? 2 : 1);
    if (take_bands(worker, task, patience(&task->facts.data), reply, &died)) return SSIMCU_OK;
    return died ? ssimcu_file_fail(file, SSIMCU_ERROR_DATA, "%s", ssimcu_worker_why(worker))
                : ssimcu_file_fail(file, SSIMCU_ERROR_FILE, "was changed while it was read");
}

ssimcu_status ssimcu_exr_worker_read(ssimcu_worker *worker, const ssimcu_file *file,
                                     struct ssimcu_exr_task *task)
{
    struct ssimcu_exr_reply reply;
    const ssimcu_status status = ask(worker, file, task, &reply);
    if (status != SSIMCU_OK) {
        ssimcu_worker_end(worker);
        return status;
    }
    ssimcu_worker_give(worker);
    snprintf(task->text, sizeof task->text, "%.*s", SSIMCU_EXR_TEXT - 1, reply.text);
    snprintf(task->names, sizeof task->names, "%.*s", SSIMCU_EXR_NAMES - 1, reply.names);
    if (reply.status != SSIMCU_OK)
        return ssimcu_file_fail(file, ssimcu_worker_status(reply.status), "%s", task->text);
    if (!is_sound(&reply.facts, task->many))
        FAIL_FILE(file, DATA, "the decoder returned an invalid description of the picture");
    task->facts = reply.facts;
    return SSIMCU_OK;
}
