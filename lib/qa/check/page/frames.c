#include "check/page/frames.h"
#include "check/page/crop.h"

#include "base/refuse.h"
#include "pair/layers.h"
#include "report/frames/parallel.h"
#include "source/side.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const uint64_t BYTES_EACH = 512u << 20; /* memory for which there is a thread */

/* A picture that is wanted: of one of the frames of a finding. */
struct want {
    struct collected_finding *finding;
    const char *layer; /* layer of EXRs; "": none */
    int which;         /* place beside the finding: BEFORE, HERE or BEHIND */
    size_t number;
};

/* Wants, in the order of their files and frames. Threads take those of a file together. */
struct drawing {
    const char *directory;
    const struct source_input *input;
    struct want *want;
    size_t count, next;
    pthread_mutex_t lock; /* guards `next` and what follows */
    ssimcu_status status; /* what ended it */
    ssimcu_message message;
};

/* ---- Findings -----------------------------------------------------------------------------------
 */

static int by_turn(const void *a, const void *b)
{
    const struct collected_finding *x = *(struct collected_finding *const *)a,
                                   *y = *(struct collected_finding *const *)b;
    if (x->fails != y->fails) return y->fails - x->fails;
    if (x->rank != y->rank) return (x->rank > y->rank) - (x->rank < y->rank);
    return (x > y) - (x < y);
}

static bool choose(struct collected *all)
{
    struct collected_finding **turn = malloc((all->findings + 1) * sizeof *turn);
    if (!turn) return false;
    for (size_t i = 0; i < all->findings; i++) turn[i] = &all->finding[i];
    qsort(turn, all->findings, sizeof(struct collected_finding *), by_turn);
    for (size_t i = 0; i < all->findings && i < FRAMES_SHOWN; i++) turn[i]->shown = true;
    free(turn);
    return true;
}

static const struct collected_frame *frame_of(const struct want *want)
{
    return &want->finding->at[want->which];
}

static int by_frame(const void *a, const void *b)
{
    const struct collected_frame *x = frame_of(a), *y = frame_of(b);
    int order = strcmp(x->path, y->path);
    if (order == 0)
        order = strcmp(((const struct want *)a)->layer, ((const struct want *)b)->layer);
    return order ? order : (x->frame > y->frame) - (x->frame < y->frame);
}

static size_t list(struct collected *all, struct want *want)
{
    size_t count = 0;
    for (size_t i = 0; i < all->findings; i++) {
        struct collected_finding *finding = &all->finding[i];
        const char *layer = all->sequence[finding->sequence].layer;
        for (int which = 0; which < BESIDE && finding->shown; which++)
            if (finding->at[which].path && !finding->unreadable)
                want[count++] = (struct want){finding, layer ? layer : "", which, i};
    }
    qsort(want, count, sizeof *want, by_frame);
    return count;
}

/* ---- The frames of a file -------------------------------------------------------------------- */

/* Says why a frame has no picture. */
static void explain(struct want *want, const char *why)
{
    if (!want->finding->why[0])
        snprintf(want->finding->why, sizeof want->finding->why, "%.255s", why);
}

static bool is_ended(struct drawing *drawing)
{
    pthread_mutex_lock(&drawing->lock);
    const bool ended = drawing->status != SSIMCU_OK;
    pthread_mutex_unlock(&drawing->lock);
    return ended;
}

/* Notes what ends all of it. */
static void end(struct drawing *drawing, ssimcu_status status, const ssimcu_message *message)
{
    pthread_mutex_lock(&drawing->lock);
    if (drawing->status == SSIMCU_OK) drawing->status = status, drawing->message = *message;
    pthread_mutex_unlock(&drawing->lock);
}

/* Draws what is wanted of a frame, the first `count` wants. */
static void draw_frame(struct drawing *drawing, const struct pair *pair, struct want *want,
                       size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct collected_finding *finding = want[i].finding;
        const int which = want[i].which;
        ssimcu_message why = {{0}};
        const struct crop crop = {
            .directory = drawing->directory,
            .number = want[i].number,
            .which = which,
            .place = {finding->x, finding->y, finding->width, finding->height}};
        const ssimcu_status status =
            crop_draw(&crop, pair, &finding->picture[which], &finding->box[which], &why);
        if (status == SSIMCU_ERROR_WRITE || status == SSIMCU_ERROR_MEMORY)
            end(drawing, status, &why);
    }
}

/* Returns how many wants in front are of the first one's frame. */
static size_t of_frame(const struct want *want, size_t count)
{
    size_t same = 1;
    while (same < count && frame_of(&want[same])->frame == frame_of(want)->frame) same++;
    return same;
}

/* Reads the frames of an open file that are wanted, one after the other. */
static ssimcu_status read_on(struct drawing *drawing, struct side *side, struct want *want,
                             size_t count, ssimcu_message *why)
{
    ssimcu_status status = SSIMCU_OK;
    bool ended = false;
    for (size_t at = 0; at < count && status == SSIMCU_OK && !is_ended(drawing);) {
        struct side_frame frame;
        const size_t same = of_frame(want + at, count - at);
        status = side_next(side, &frame, &ended, why);
        if (status == SSIMCU_OK && ended)
            status = ssimcu_fail(why, SSIMCU_ERROR_DATA, "the frame is not there any more");
        if (status == SSIMCU_OK) draw_frame(drawing, &frame.pair, want + at, same);
        side_release(&frame);
        if (status != SSIMCU_OK)
            for (size_t i = at; i < count; i++) explain(&want[i], why->text);
        at += same;
    }
    return status;
}

/* Makes options read the layer of this name. Errors: those of layers_find; DATA (it is not there).
 */
static ssimcu_status choose_layer(const char *path, const char *name, struct layers *layers,
                                  ssimcu_image_options *options, ssimcu_message *why)
{
    const char *const paths[2] = {path, NULL};
    if (!name[0]) return SSIMCU_OK;
    const ssimcu_status status = layers_find(paths, options, layers, why);
    if (status != SSIMCU_OK) return status;
    for (size_t i = 0; i < layers->count; i++)
        if (strcmp(layers->layer[i].name, name) == 0) {
            options->layer = layers->layer[i].layer;
            options->channels = layers->layer[i].channels;
            return SSIMCU_OK;
        }
    return ssimcu_fail(why, SSIMCU_ERROR_DATA, "there is no layer %.200s", name);
}

/* Opens the file of these wants, and reads on. A file of video has numbers, from 0. */
static void read_file(struct drawing *drawing, struct want *want, size_t count)
{
    struct source_input input = {.raw = drawing->input->raw, .stop = drawing->input->stop};
    ssimcu_image_options limits = SSIMCU_INIT(image_options);
    struct layers layers = {0};
    struct side *side = NULL;
    ssimcu_message why = {{0}};
    int64_t *number = malloc(count * sizeof *number);
    size_t numbers = 0;
    if (drawing->input->limits) limits = *drawing->input->limits;
    limits.remark = NULL; /* it has been heard before */
    for (size_t at = 0; number && at < count; at += of_frame(want + at, count - at))
        number[numbers++] = frame_of(&want[at])->frame;
    const ssimcu_ranges frames = {.count = numbers, .number = number};
    input.path[0] = input.path[1] = frame_of(want)->path;
    input.limits = &limits;
    input.decode = SSIMCU_DECODE_CPU;
    if (ssimcu_clip_is_video(input.path[0], input.stop) || input.raw) input.frames = &frames;
    ssimcu_status status =
        number ? choose_layer(input.path[0], want->layer, &layers, &limits, &why) : no_memory(&why);
    if (status == SSIMCU_OK) status = side_open(&input, &side, &why);
    if (status == SSIMCU_OK)
        status = read_on(drawing, side, want, count, &why);
    else
        for (size_t i = 0; i < count; i++) explain(&want[i], why.text);
    if (status == SSIMCU_ERROR_MEMORY) end(drawing, status, &why);
    side_close(side);
    layers_free(&layers);
    free(number);
}

/* ---- All of them ----------------------------------------------------------------------------- */

/* Takes the wants of the next file. Returns how many there are. */
static size_t take_file(struct drawing *drawing, struct want **want)
{
    size_t count = 0;
    pthread_mutex_lock(&drawing->lock);
    const size_t left = drawing->status == SSIMCU_OK ? drawing->count - drawing->next : 0;
    *want = drawing->want + drawing->next;
    while (count < left && strcmp(frame_of(*want)->path, frame_of(*want + count)->path) == 0 &&
           strcmp((*want)->layer, (*want)[count].layer) == 0)
        count++;
    drawing->next += count;
    pthread_mutex_unlock(&drawing->lock);
    return count;
}

static void *work(void *argument)
{
    struct drawing *drawing = argument;
    struct want *want;
    for (size_t count; (count = take_file(drawing, &want)) > 0;) read_file(drawing, want, count);
    return NULL;
}

static uint32_t threads_for(const struct drawing *drawing, uint64_t memory_bytes)
{
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    uint64_t threads = drawing->input->threads > 0 ? drawing->input->threads
                       : cores > 0                 ? (uint64_t)cores
                                                   : 1;
    if (memory_bytes > 0 && threads > memory_bytes / BYTES_EACH)
        threads = memory_bytes / BYTES_EACH;
    if (threads > drawing->count) threads = drawing->count;
    return threads > PARALLEL_MOST ? PARALLEL_MOST : (uint32_t)threads;
}

ssimcu_status frames_draw(struct collected *all, const char *directory,
                          const struct source_input *input, uint64_t memory_bytes,
                          ssimcu_message *message)
{
    struct drawing drawing = {.directory = directory, .input = input};
    if (!choose(all)) return no_memory(message);
    drawing.want = malloc((FRAMES_SHOWN * BESIDE + 1) * sizeof *drawing.want);
    if (!drawing.want) return no_memory(message);
    drawing.count = list(all, drawing.want);
    pthread_mutex_init(&drawing.lock, NULL);
    parallel_run(work, &drawing, 0, threads_for(&drawing, memory_bytes));
    pthread_mutex_destroy(&drawing.lock);
    free(drawing.want);
    if (drawing.status == SSIMCU_OK) return SSIMCU_OK;
    return ssimcu_fail(message, drawing.status, "%s", drawing.message.text);
}
