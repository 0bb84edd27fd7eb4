/* Opening a source: the forms of REF and OUT, and the kind of source that takes them. The files
 * themselves decide. An empty pipe is assumed to have the other side's form. */
#include "base/overwrite_guard.h"
#include "base/refuse.h"
#include "source/kind.h"
#include "source/share.h"

#include "image/foreign.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct source_row *const ROWS[] = {&source_list, &source_pictures, &source_clips};

static enum form form_of(const struct source_input *input, const char *path)
{
    struct stat info;
    const bool standard = strcmp(path, "-") == 0, exists = standard || stat(path, &info) == 0;
    if (!standard && exists && S_ISDIR(info.st_mode)) return FORM_DIRECTORY;
    if (!exists && ssimcu_sequence_is_pattern(path)) return FORM_PATTERN;
    const bool is_video = ssimcu_clip_is_video(path, input->stop);
    if (exists && is_video) return FORM_VIDEO;
    if (input->raw) return FORM_RAW;
    return is_video || standard ? FORM_VIDEO : FORM_PICTURE;
}

/* Takes an empty pipe next to video for video: the pipe of a failed <(ffmpeg ...) is empty. */
static void settle_pipe(const char *path, enum form *form, enum form other)
{
    struct stat info;
    if (*form == FORM_PICTURE && other == FORM_VIDEO && stat(path, &info) == 0 &&
        S_ISFIFO(info.st_mode))
        *form = FORM_VIDEO;
}

static void find_forms(const struct source_input *input, enum form form[2])
{
    for (int side = 0; side < 2; side++)
        form[side] = input->list ? FORM_LIST : form_of(input, input->path[side]);
    for (int side = 0; side < 2; side++) settle_pipe(input->path[side], &form[side], form[!side]);
}

/* Fails if a picture is missing or has an unknown format. */
static ssimcu_status check_picture(const char *path, ssimcu_message *message)
{
    struct stat info;
    if (stat(path, &info) != 0) return fail_errno(message, SSIMCU_ERROR_FILE, path, errno);
    TRY(ssimcu_foreign_check_file(path, message));
    const bool unknown = S_ISREG(info.st_mode) && access(path, R_OK) == 0 && !guard_picture(path);
    if (!unknown) return SSIMCU_OK;
    FAIL(DATA, "%.300s: %s", path,
         info.st_size == 0 ? "file is empty" : "not a picture or video that is read");
}

/* Fails if no kind of source takes this input. Unless both sides are single pictures, the message
 * first names a picture that is missing or has an unknown format. That explains more than two sides
 * that do not match. */
static ssimcu_status check(const struct source_input *input, const enum form form[2],
                           ssimcu_message *message)
{
    const int forms = form[0] | form[1];
    if (input->raw && !(forms & (FORM_RAW | FORM_LIST)))
        FAIL(ARGUMENT, "--size and --format are for raw video: neither side is");
    if (input->offset != 0 && (input->recursive || (forms & (FORM_LIST | FORM_PICTURE))))
        FAIL(ARGUMENT, "--offset takes two videos or two image sequences; a list, a single picture "
                       "and --recursive pair files by name");
    if (input->frames && input->frames->shot && !input->recursive)
        FAIL(ARGUMENT, "--frames %.200s/...: a directory needs --recursive", input->frames->shot);
    if (input->layers && (forms & ~(FORM_PICTURE | FORM_DIRECTORY | FORM_PATTERN)))
        FAIL(ARGUMENT, "--layers takes two EXRs, or two image sequences of EXRs");
    for (int side = 0; side < 2 && forms != FORM_PICTURE; side++)
        if (form[side] == FORM_PICTURE) TRY(check_picture(input->path[side], message));
    if (input->recursive &&
        (form[1] != FORM_DIRECTORY || (forms & ~(FORM_DIRECTORY | FORM_PICTURE))))
        FAIL(ARGUMENT, "--recursive takes two directories, or a picture and a directory");
    return SSIMCU_OK;
}

ssimcu_status kind_forms(const struct source_input *input, enum form form[2],
                         ssimcu_message *message)
{
    find_forms(input, form);
    return check(input, form, message);
}

bool source_is_one_pair(const struct source_input *input)
{
    enum form form[2];
    if (input->outs > 1 || input->layers) return false;
    find_forms(input, form);
    return form[0] == FORM_PICTURE && form[1] == FORM_PICTURE;
}

/* Finds the kind of source for these two forms. */
static ssimcu_status find_row(const struct source_input *input, const enum form form[2],
                              const struct source_row **row, ssimcu_message *message)
{
    *row = NULL;
    TRY(check(input, form, message));
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0] && !*row; i++)
        if (((form[0] | form[1]) & ~ROWS[i]->forms) == 0) *row = ROWS[i];
    if (*row && *row != &source_clips && input->align)
        FAIL(ARGUMENT, "--align is for video: pictures have no times");
    if (*row && *row != &source_clips && input->scale.to != SSIMCU_SCALE_NONE)
        FAIL(ARGUMENT, "--scale is for video: pictures are compared at their own size");
    if (*row) return SSIMCU_OK;
    FAIL(ARGUMENT, "one side is video, the other is one picture: they cannot be compared");
}

static ssimcu_status make(const struct source_input *input, const struct source_row *row,
                          struct source **source, ssimcu_message *message)
{
    const uint32_t outs = input->outs > 1 ? input->outs : 1;
    struct source *new_source = *source = calloc(1, row->bytes);
    if (new_source) *new_source = (struct source){.kind = &row->kind, .input = input, .outs = outs};
    if (new_source) new_source->out = calloc(outs, sizeof *new_source->out);
    return new_source && new_source->out ? SSIMCU_OK : no_memory(message);
}

/* Returns the length of the path's directory. */
static int directory_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (int)(slash - path) : 0;
}

/* Refuses pictures with several OUTs, which a shell makes of patterns such as out/?.png. If they
 * are in two directories, the message names these, because they were meant. A REF that is missing
 * or not a picture is named as such. */
static ssimcu_status refuse_pictures(const struct source_input *input, enum form ref_form,
                                     ssimcu_message *message)
{
    if (ref_form == FORM_PICTURE) TRY(check_picture(input->path[0], message));
    const char *ref = input->path[0], *out = input->out[input->outs - 1];
    const int ref_length = directory_length(ref), out_length = directory_length(out);
    char advice[300] = "compare one OUT at a time";
    if (ref_length > 0 && out_length > 0 &&
        (ref_length != out_length || strncmp(ref, out, (size_t)ref_length) != 0))
        snprintf(advice, sizeof advice, "name their directories instead: ssimcu %.*s %.*s",
                 ref_length < 100 ? ref_length : 100, ref, out_length < 100 ? out_length : 100,
                 out);
    FAIL(ARGUMENT, "%.150s: several OUTs are compared with one video: with pictures, %s", ref,
         advice);
}

/* Opens several OUTs. An OUT that cannot be compared does not fail the others. */
static ssimcu_status open_outs(const struct source_input *input, struct source **source,
                               ssimcu_message *message)
{
    enum form form[1 + SOURCE_MOST_OUTS] = {form_of(input, input->path[0])};
    settle_pipe(input->path[0], &form[0], FORM_VIDEO);
    if (!(form[0] & source_clips.forms)) return refuse_pictures(input, form[0], message);
    TRY(make(input, &source_clips, source, message));
    for (uint32_t i = 0; i < input->outs; i++) {
        struct source_out *out = &(*source)->out[i];
        struct source_input one = *input;
        const struct source_row *row;
        one.path[1] = input->out[i];
        form[i + 1] = form_of(input, one.path[1]);
        settle_pipe(one.path[1], &form[i + 1], form[0]);
        out->status = find_row(&one, (enum form[2]){form[0], form[i + 1]}, &row, &out->message);
        if (out->status == SSIMCU_OK && row != &source_clips)
            out->status = refuse(&out->message, "REF is pictures, too: compare one OUT at a time");
    }
    return source_clips.open(*source, form, message);
}

static ssimcu_status open_pair(const struct source_input *input, struct source **source,
                               ssimcu_message *message)
{
    enum form form[2];
    const struct source_row *row;
    find_forms(input, form);
    TRY(find_row(input, form, &row, message));
    TRY(make(input, row, source, message));
    return row->open(*source, form, message);
}

ssimcu_status source_open(const struct source_input *input, struct source **source,
                          ssimcu_message *message)
{
    *source = NULL;
    ssimcu_status status = (input->outs > 1 ? open_outs : open_pair)(input, source, message);
    if (status == SSIMCU_OK && input->decode == SSIMCU_DECODE_CUDA && !(*source)->on_device)
        status = refuse(message, "--decode cuda is for video files");
    if (status == SSIMCU_OK) return status;
    source_close(*source);
    *source = NULL;
    return status;
}

void source_close(struct source *source)
{
    if (!source) return;
    source->kind->close(source);
    free(source->out);
    free(source);
}

int64_t source_count(const struct source *source)
{
    const struct source_input *input = source->input;
    int64_t sum = 0;
    for (uint32_t i = 0; i == 0 || i < source->outs; i++) {
        if (source->out && source->out[i].status != SSIMCU_OK) continue;
        const int64_t count = source->kind->count ? source->kind->count(source, i) : -1;
        if (count < 0) return -1;
        sum += input ? (int64_t)share_count(input, (uint64_t)count) : count;
    }
    return sum;
}

void source_segment(struct source *source, struct source_input *input)
{
    if (input->shards > 1 && !input->frames && source->kind->segment)
        source->kind->segment(source, input);
}

bool source_is_video(const struct source *source) { return source->kind->video; }

bool source_describe(const struct source *source, uint32_t side, char *text, size_t size)
{
    if (!source->kind->describe) return false;
    if (side > 0 && source->out && source->out[side - 1].status != SSIMCU_OK) return false;
    source->kind->describe(source, side, text, size);
    return true;
}

bool source_visit_files(const struct source *source, source_visit *visit, void *user)
{
    static const char *const roles[] = {"REF", "OUT"};
    const struct source_input *input = source->input;
    if (input->list) return visit(user, "the list", input->list);
    bool going = true;
    for (uint32_t side = 0; side <= source->outs && going; side++) {
        const ssimcu_sequence *files =
            source->kind->files ? source->kind->files(source, side) : NULL;
        const size_t count = files ? files->count : 0;
        const char *path = side == 0 ? input->path[0] : kind_out_path(input, side - 1);
        if (count == 0) going = visit(user, roles[side > 0], path);
        for (size_t i = 0; i < count && going; i++)
            going = visit(user, roles[side > 0], files->file[i].path);
    }
    return going;
}
