#include "report/frames/draw.h"

#include "base/refuse.h"
#include "engine/batch.h"
#include "facts/record.h"
#include "maps/maps.h"
#include "pair/pair.h"

#include "fail.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Pictures shrink as more frames are shown. Worst case measured: 50 frames of 4K noise in grey take
 * 18 MB. */
static uint32_t side_for(size_t frames_with_views)
{
    return frames_with_views <= 16 ? 1280 : frames_with_views <= 32 ? 1024 : 608;
}

struct job {
    const struct pictures_config *config;
    struct drawing drawing;
    struct picture *picture;
    size_t count, done;
};

static int by_frame(const void *key, const void *element)
{
    const struct record *a = key;
    const struct picture *b = element;
    return record_order(a->part, a->frame, b->part, b->frame);
}

static struct picture *find(const struct job *job, const struct record *record)
{
    return bsearch(record, job->picture, job->count, sizeof *job->picture, by_frame);
}

/* Returns whether no picture is wanted of a frame, whose number another part's frame has. A wanted
 * one is of the reference that was scored. */
static bool is_unwanted(void *user, struct record *record)
{
    const struct picture *picture = find(user, record);
    if (!picture || !picture->variant) return !picture;
    record->reference = picture->reference;
    free(record->side[0].path);
    if (!record_name(record, 0, picture->variant)) record_miss(record, 0);
    return false;
}

/* ---- Called by the batch --------------------------------------------------------------------- */

static ssimcu_status draw(void *user, ssimcu_context *lane, const struct pair *pair,
                          ssimcu_score *score, ssimcu_message *message)
{
    const struct job *job = user;
    struct picture *picture = find(job, pair->record);
    return picture ? draw_pair(&job->drawing, lane, pair, picture, score, message) : SSIMCU_OK;
}

static void say_why(struct picture *picture, const char *text)
{
    if (!picture->why[0]) snprintf(picture->why, sizeof picture->why, "%.255s", text);
}

static bool take(void *user, const struct record *record, bool known)
{
    struct job *job = user;
    const struct pictures_config *config = job->config;
    static const char *const missing[] = {"", "REF is missing", "OUT is missing",
                                          "REF and OUT are missing"};
    const int sides = record->missing[0] + 2 * record->missing[1];
    struct picture *picture = find(job, record);
    (void)known;
    if (picture && record->kind == RECORD_FAILED) say_why(picture, record->message.text);
    if (picture && record->kind == RECORD_MISSING) say_why(picture, missing[sides]);
    job->done += picture != NULL;
    return !config->progress || config->progress(config->user, job->done, job->count);
}

/* ---- The second batch ------------------------------------------------------------------------ */

/* Returns whether the path can be opened again. */
static bool is_lasting(const char *path)
{
    struct stat info;
    if (strcmp(path, "-") == 0) return false;
    return stat(path, &info) != 0 || S_ISREG(info.st_mode) || S_ISDIR(info.st_mode);
}

static const char *find_pipe(const struct source_input *input)
{
    if (input->list)
        return is_lasting(input->list) ? NULL : "the list is a pipe: it cannot be read again";
    if (!input->path[0] || !input->path[1]) return "the results do not name REF and OUT";
    if (!is_lasting(input->path[0])) return "REF is a pipe: it cannot be read again";
    return is_lasting(input->path[1]) ? NULL : "OUT is a pipe: it cannot be read again";
}

/* Gives this reason to every frame that has neither its pictures nor a reason yet. */
static void explain(const struct job *job, const char *text)
{
    for (size_t i = 0; i < job->count; i++) {
        struct picture *picture = &job->picture[i];
        const bool complete = (!picture->views || picture->whole[PICTURE_OUT].name[0]) &&
                              (!picture->thumbnail || picture->small.name[0]);
        if (!complete) say_why(picture, text);
    }
}

static ssimcu_status run(struct job *job, struct source *source, ssimcu_message *message)
{
    const struct pictures_config *config = job->config;
    ssimcu_settings settings = *config->settings;
    settings.metrics = 0; /* maps are of SSIM alone, ssimcu's own */
    settings.compat = SSIMCU_COMPAT_NONE;
    /* Few frames do not give each thread a pair of its own, so a pair has several threads. */
    const uint32_t threads = settings.threads > 0 ? settings.threads : ssimcu_cpu_threads();
    if (job->count < threads) settings.threads = (uint32_t)job->count;
    const struct batch_config batch = {
        .settings = settings,
        .memory_bytes = config->memory_bytes,
        .lane_threads = job->count < threads ? threads / (uint32_t)job->count : 1,
        .score = draw,
        .bytes_per_byte = MAP_BYTES_PER_BYTE + DRAW_BYTES_PER_BYTE,
        .known = is_unwanted,
        .take = take,
        .user = job};
    struct batch_times times;
    ssimcu_message why = {{0}};
    const ssimcu_status status = batch_run(&batch, source, &times, &why);
    if (status == SSIMCU_ERROR_WRITE) return ssimcu_fail(message, status, "%s", why.text);
    explain(job, status == SSIMCU_OK ? "the frame is not there any more" : why.text);
    return SSIMCU_OK;
}

static ssimcu_status make(struct job *job, ssimcu_ranges *frames, ssimcu_message *message)
{
    struct source_input again = *job->config->input, whole = again;
    struct source *source = NULL;
    ssimcu_message why = {{0}};
    const char *pipe = find_pipe(&again);
    if (pipe) {
        explain(job, pipe);
        return SSIMCU_OK;
    }
    ssimcu_image_options image = SSIMCU_INIT(image_options);
    if (again.limits) image = *again.limits;
    image.remark = NULL; /* it has been heard before */
    again.limits = &image;
    again.color = job->config->settings->color;
    again.shard = again.shards = 1;
    again.counts = false;
    again.at_once = job->count < ssimcu_cpu_threads();
    again.decode = SSIMCU_DECODE_CPU; /* drawing needs frames in host memory */
    whole.layers = false;             /* all layers of two pictures have no numbers either */
    again.frames = source_is_one_pair(&whole) ? NULL : frames;
    ssimcu_status status = SSIMCU_OK;
    if (source_open(&again, &source, &why) == SSIMCU_OK)
        status = run(job, source, message);
    else
        explain(job, why.text);
    source_close(source);
    return status;
}

static int by_number(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

void pictures_sort(int64_t *number, size_t count)
{
    qsort(number, count, sizeof *number, by_number);
}

/* Lists the frames' numbers in rising order, each once. Returns how many there are. */
static size_t list_numbers(const struct picture *picture, size_t count, int64_t *number)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) number[i] = picture[i].frame;
    pictures_sort(number, count);
    for (size_t i = 0; i < count; i++)
        if (kept == 0 || number[i] != number[kept - 1]) number[kept++] = number[i];
    return kept;
}

ssimcu_status pictures_make(const struct pictures_config *config, struct picture *picture,
                            size_t count, ssimcu_message *message)
{
    struct job job = {.config = config, .picture = picture, .count = count};
    size_t frames_with_views = 0;
    if (count == 0) return SSIMCU_OK;
    int64_t *number = malloc(count * sizeof *number);
    if (!number) return no_memory(message);
    for (size_t i = 0; i < count; i++) frames_with_views += picture[i].views;
    job.drawing =
        (struct drawing){config->directory,
                         config->most_side > 0 ? config->most_side : side_for(frames_with_views),
                         config->most_bytes,
                         config->settings->alpha,
                         config->settings->gain,
                         config->judge};
    ssimcu_ranges frames = {.count = list_numbers(picture, count, number), .number = number};
    const ssimcu_status status = make(&job, &frames, message);
    free(number);
    return status;
}

uint32_t pictures_times(const struct picture_file *file, uint32_t side)
{
    enum { MOST = 8 };
    const uint32_t longer = file->width > file->height ? file->width : file->height;
    const uint32_t times = longer > 0 ? side / longer : 1;
    return times < 1 ? 1 : times > MOST ? MOST : times;
}

void pictures_legend(uint8_t (*rgb)[3], size_t count)
{
    for (size_t i = 0; i < count; i++)
        ssimcu_heat_color(1 - (double)i / (double)(count - 1), rgb[i]);
}
