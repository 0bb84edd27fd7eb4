/* What REF and OUT are, told by what is there, and for a pipe that holds nothing by the other side;
 * and which kind of source takes them. */
#include "batch/source.h"

#include "fail.h"
#include "image/foreign.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const struct source_row *const ROWS[] = {&source_list, &source_clips, &source_pictures};

static enum form form_of(const struct batch_input *input, const char *path)
{
    struct stat info;
    const bool standard = strcmp(path, "-") == 0, exists = standard || stat(path, &info) == 0;
    if (!standard && exists && S_ISDIR(info.st_mode)) return FORM_DIRECTORY;
    if (!exists && ssimcu_sequence_is_pattern(path)) return FORM_PATTERN;
    const bool is_video = ssimcu_clip_is_video(path, input->stopped);
    if (exists && is_video) return FORM_VIDEO;
    if (input->raw) return FORM_RAW;
    return is_video || standard ? FORM_VIDEO : FORM_PICTURE;
}

static void find_forms(const struct batch_input *input, enum form form[2])
{
    struct stat info;
    for (int side = 0; side < 2; side++)
        form[side] = input->list ? FORM_LIST : form_of(input, input->path[side]);
    for (int side = 0; side < 2; side++) /* an empty <(ffmpeg ...), which failed, against a y4m */
        if (form[side] == FORM_PICTURE && form[!side] == FORM_VIDEO &&
            stat(input->path[side], &info) == 0 && S_ISFIFO(info.st_mode))
            form[side] = FORM_VIDEO;
}

/* What no kind of source can take. Where it is not as simple as two pictures, a file that is
 * missing or of another format is named before the two are found not to go together. */
static ssimcu_status check(const struct batch_input *input, const enum form form[2],
                           ssimcu_message *message)
{
    const int forms = form[0] | form[1];
    struct stat info;
    if (input->raw && !(forms & (FORM_RAW | FORM_LIST)))
        return ssimcu_fail(message, SSIMCU_ERROR_ARGUMENT,
                           "--size and --format are for raw video: neither side is");
    if (input->offset != 0 && (input->recursive || (forms & (FORM_LIST | FORM_PICTURE))))
        return ssimcu_fail(message, SSIMCU_ERROR_ARGUMENT,
                           "--offset takes two videos or two numbered sequences: a list, a single "
                           "picture and --recursive go by name");
    for (int side = 0; side < 2 && forms != FORM_PICTURE; side++) {
        const char *path = input->path[side];
        if (form[side] != FORM_PICTURE) continue;
        if (stat(path, &info) != 0)
            return ssimcu_fail(message, SSIMCU_ERROR_FILE, "%.300s: %s", path, strerror(errno));
        const ssimcu_status status = ssimcu_foreign_check_file(path, message);
        if (status != SSIMCU_OK) return status;
    }
    if (input->recursive &&
        (form[1] != FORM_DIRECTORY || (forms & ~(FORM_DIRECTORY | FORM_PICTURE))))
        return ssimcu_fail(message, SSIMCU_ERROR_ARGUMENT,
                           "--recursive takes two directories, or a picture and a directory");
    return SSIMCU_OK;
}

bool batch_is_one_pair(const struct batch_input *input)
{
    enum form form[2];
    find_forms(input, form);
    return form[0] == FORM_PICTURE && form[1] == FORM_PICTURE;
}

ssimcu_status batch_open(const struct batch_input *input, struct batch_source **source,
                         ssimcu_message *message)
{
    enum form form[2];
    const struct source_row *row = NULL;
    *source = NULL;
    find_forms(input, form);
    const int forms = form[0] | form[1];
    ssimcu_status status = check(input, form, message);
    if (status != SSIMCU_OK) return status;
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0] && !row; i++)
        if ((forms & ~ROWS[i]->forms) == 0) row = ROWS[i];
    if (!row)
        return ssimcu_fail(message, SSIMCU_ERROR_ARGUMENT,
                           "one side is video, the other is pictures: they cannot be compared");
    struct batch_source *made = calloc(1, row->bytes);
    if (!made) return ssimcu_fail(message, SSIMCU_ERROR_MEMORY, "out of memory");
    *made = (struct batch_source){.kind = &row->kind, .input = input};
    status = row->open(made, form, message);
    if (status == SSIMCU_OK)
        *source = made;
    else
        batch_close(made);
    return status;
}

void batch_close(struct batch_source *source)
{
    if (source) source->kind->close(source);
    free(source);
}

int64_t batch_count(const struct batch_source *source)
{
    const struct batch_input *input = source->input;
    const int64_t count = source->kind->count ? source->kind->count(source) : -1;
    if (count < 0 || !input) return count;
    return (count - input->shard + input->shards) / input->shards;
}

bool batch_is_video(const struct batch_source *source) { return source->kind->video; }

bool batch_describe(const struct batch_source *source, int side, char *text, size_t size)
{
    if (!source->kind->describe) return false;
    source->kind->describe(source, side, text, size);
    return true;
}

bool batch_visit_files(const struct batch_source *source, batch_visit *visit, void *user)
{
    static const char *const roles[] = {"REF", "OUT"};
    const struct batch_input *input = source->input;
    if (input->list) return visit(user, "the list", input->list);
    bool going = true;
    for (int side = 0; side < 2 && going; side++) {
        const ssimcu_sequence *files =
            source->kind->files ? source->kind->files(source, side) : NULL;
        const size_t count = files ? files->count : 0;
        if (count == 0) going = visit(user, roles[side], input->path[side]);
        for (size_t i = 0; i < count && going; i++)
            going = visit(user, roles[side], files->file[i].path);
    }
    return going;
}

bool source_in_share(const struct batch_input *input, uint64_t position)
{
    return position % input->shards == input->shard - 1;
}

void source_name(struct record *record, const char *ref, const char *out)
{
    const char *const path[2] = {ref, out};
    for (int side = 0; side < 2; side++)
        if (!path[side] || !record_name(record, side, path[side])) record_miss(record, side);
}
