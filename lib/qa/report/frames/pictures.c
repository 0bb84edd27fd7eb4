#include "report/frames/draw.h"

#include "base/refuse.h"
#include "engine/batch.h"
#include "maps/maps.h"
#include "pair/pair.h"
#include "record/record.h"
#include "source/noref.h"

#include "fail.h"

#include <errno.h>
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

/* A wanted frame: for its picture, or for that of a neighbour. */
struct want {
    const char *path; /* file, without a reference; NULL: any */
    const char *shot; /* NULL: none, or any */
    int64_t frame;
    struct picture *picture;
    int which; /* index in `beside`, without a reference */
};

struct job {
    const struct pictures_config *config;
    struct drawing drawing;
    bool alone;        /* the frames have no reference */
    struct want *want; /* in order; one per frame of pairs */
    size_t count, done;
};

static int by_frame(const void *a, const void *b)
{
    const struct want *x = a, *y = b;
    const int path = x->path && y->path ? strcmp(x->path, y->path) : 0,
              shot = x->shot && y->shot ? strcmp(x->shot, y->shot) : 0;
    return path ? path : shot ? shot : (x->frame > y->frame) - (x->frame < y->frame);
}

/* Finds the wants of a frame. Returns their number, from *first on. */
static size_t find(const struct job *job, const struct record *record, struct want **first)
{
    const struct want key = {record->side[1].path, record->shot, record->frame, NULL, 0},
                      *end = job->want + job->count;
    struct want *at = bsearch(&key, job->want, job->count, sizeof key, by_frame);
    size_t count = at != NULL;
    while (at && at > job->want && by_frame(&key, at - 1) == 0) at--, count++;
    while (at && at + count < end && by_frame(&key, at + count) == 0) count++;
    *first = at;
    return count;
}

/* Returns whether no picture of a frame is wanted, because its number belongs to another shot. A
 * wanted frame has the reference that was scored. */
static bool is_unwanted(void *user, struct record *record)
{
    struct want *want;
    const bool wanted = find(user, record, &want) > 0;
    const struct picture *picture = wanted ? want->picture : NULL;
    if (!picture || !picture->variant) return !wanted;
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
    struct want *want;
    const size_t count = find(job, pair->record, &want);
    for (size_t i = 0; i < count; i++)
        TRY(job->alone ? draw_beside(&job->drawing, pair, want[i].picture, want[i].which, message)
                       : draw_pair(&job->drawing, lane, pair, want[i].picture, score, message));
    return SSIMCU_OK;
}

static void say_why(struct picture *picture, const char *text)
{
    if (!picture->why[0]) snprintf(picture->why, sizeof picture->why, "%.255s", text);
}

static bool take(void *user, struct record *record, bool known)
{
    struct job *job = user;
    const struct pictures_config *config = job->config;
    static const char *const missing[] = {"", "REF is missing", "OUT is missing",
                                          "REF and OUT are missing"};
    const int sides = record->missing[0] + 2 * record->missing[1];
    struct want *want;
    const size_t count = find(job, record, &want);
    (void)known;
    for (size_t i = 0; i < count; i++) {
        if (record->kind == RECORD_FAILED) say_why(want[i].picture, record->message.text);
        if (record->kind == RECORD_MISSING) say_why(want[i].picture, missing[sides]);
    }
    job->done += count;
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

/* Sets this reason for every frame without pictures and without a reason. */
static void explain(const struct job *job, const char *text)
{
    for (size_t i = 0; i < job->count; i++) {
        struct picture *picture = job->want[i].picture;
        const bool complete = job->alone
                                  ? picture->whole[job->want[i].which].name[0]
                                  : (!picture->views || picture->whole[PICTURE_OUT].name[0]) &&
                                        (!picture->thumbnail || picture->small.name[0]);
        if (!complete) say_why(picture, text);
    }
}

static ssimcu_status run(struct job *job, struct source *source, ssimcu_message *message)
{
    const struct pictures_config *config = job->config;
    ssimcu_settings settings = *config->settings;
    settings.metrics = 0; /* maps show only SSIM, as ssimcu defines it */
    settings.compat = SSIMCU_COMPAT_NONE;
    /* A few frames cannot give each thread a pair, so each pair gets several threads. */
    const uint32_t threads = settings.threads > 0 ? settings.threads : ssimcu_cpu_threads();
    if (job->count < threads) settings.threads = (uint32_t)job->count;
    const struct batch_config batch = {
        .settings = settings,
        .memory_bytes = config->memory_bytes,
        .context_threads = job->count < threads ? threads / (uint32_t)job->count : 1,
        .score = draw,
        .bytes_per_byte = MAP_BYTES_PER_BYTE + DRAW_BYTES_PER_BYTE,
        .no_hints = job->alone,
        .known = is_unwanted,
        .take = take,
        .user = job};
    struct batch_times times;
    ssimcu_message why = {{0}};
    const ssimcu_status status = batch_run(&batch, source, &times, &why);
    if (status == SSIMCU_ERROR_WRITE) return ssimcu_fail(message, status, "%s", why.text);
    explain(job, status == SSIMCU_OK ? "the frame no longer exists" : why.text);
    return SSIMCU_OK;
}

/* Draws pictures of pairs and opens their input again. */
static ssimcu_status make(struct job *job, const ssimcu_ranges *frames, ssimcu_message *message)
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
    image.remark = NULL; /* remarks were already made */
    again.limits = &image;
    again.color = job->config->settings->color;
    again.shard = again.shards = 1;
    again.counts = false;
    again.at_once = job->count < ssimcu_cpu_threads();
    again.decode = SSIMCU_DECODE_CPU; /* drawing needs frames in host memory */
    whole.layers = false;             /* layers of two pictures have no numbers either */
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

/* Lists the frames' numbers in ascending order without repeats. Returns their number. */
static size_t list_numbers(const struct job *job, int64_t *number)
{
    const size_t count = job->count;
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) number[i] = job->want[i].frame;
    pictures_sort(number, count);
    for (size_t i = 0; i < count; i++)
        if (kept == 0 || number[i] != number[kept - 1]) number[kept++] = number[i];
    return kept;
}

/* Lists the files of wants without repeats. Missing files are left out. */
static uint32_t list_files(struct job *job, const char **path)
{
    struct stat info;
    uint32_t count = 0;
    int error = 0;
    for (size_t i = 0; i < job->count; i++) {
        const struct want *want = &job->want[i];
        char why[sizeof want->picture->why];
        if (i == 0 || strcmp(want->path, want[-1].path) != 0) {
            error = stat(want->path, &info) == 0 ? 0 : errno;
            if (error == 0) path[count++] = want->path;
        }
        if (error == 0) continue;
        snprintf(why, sizeof why, "%.200s: %s", want->path, strerror(error));
        say_why(want->picture, why);
    }
    return count;
}

/* Draws pictures of frames without a reference, and opens only their files. */
static ssimcu_status make_alone(struct job *job, const ssimcu_ranges *frames,
                                ssimcu_message *message)
{
    const struct source_input *whole = job->config->input;
    ssimcu_image_options image = SSIMCU_INIT(image_options);
    const char **path = malloc((job->count + 1) * sizeof *path);
    struct source *source = NULL;
    ssimcu_message why = {{0}};
    if (!path) return no_memory(message);
    if (whole->limits) image = *whole->limits;
    image.remark = NULL; /* remarks were already made */
    struct source_input input = {.out = path,
                                 .outs = list_files(job, path),
                                 .raw = whole->raw,
                                 .threads = whole->threads,
                                 .limits = &image,
                                 .frames = frames};
    for (size_t i = 0; i < job->count; i++) input.layers = input.layers || job->want[i].shot;
    ssimcu_status status = input.outs > 0 ? noref_open(&input, &source, &why) : SSIMCU_OK;
    if (source)
        status = run(job, source, message);
    else
        explain(job, why.text);
    source_close(source);
    free(path);
    return source || status == SSIMCU_ERROR_MEMORY ? status : SSIMCU_OK;
}

static ssimcu_status make_all(struct job *job, ssimcu_message *message)
{
    int64_t *number = malloc((job->count + 1) * sizeof *number);
    if (!number) return no_memory(message);
    qsort(job->want, job->count, sizeof *job->want, by_frame);
    const ssimcu_ranges frames = {.count = list_numbers(job, number), .number = number};
    const ssimcu_status status =
        job->alone ? make_alone(job, &frames, message) : make(job, &frames, message);
    free(number);
    return status;
}

ssimcu_status pictures_make(const struct pictures_config *config, struct picture *picture,
                            size_t count, ssimcu_message *message)
{
    struct job job = {.config = config, .alone = config->alone};
    size_t with_views = 0;
    if (count == 0) return SSIMCU_OK;
    job.want = malloc(count * PICTURE_BESIDE * sizeof *job.want);
    if (!job.want) return no_memory(message);
    for (size_t i = 0; i < count; i++) {
        struct picture *of = &picture[i];
        with_views += of->views;
        if (!job.alone) job.want[job.count++] = (struct want){NULL, of->shot, of->frame, of, 0};
        for (int k = 0; k < PICTURE_BESIDE; k++) {
            const struct picture_frame *at = &of->beside[k];
            if (at->path)
                job.want[job.count++] =
                    (struct want){at->path, at->layer ? of->shot : NULL, at->frame, of, k};
        }
    }
    job.drawing = (struct drawing){.directory = config->directory,
                                   .most_side = config->most_side,
                                   .most_bytes = config->most_bytes,
                                   .alpha = config->settings->alpha,
                                   .gain = config->settings->gain,
                                   .judge = config->judge};
    if (config->most_side == 0) job.drawing.most_side = side_for(with_views);
    const ssimcu_status status = make_all(&job, message);
    free(job.want);
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
