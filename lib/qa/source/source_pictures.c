/* Source: pictures. The input is two sequences, one reference and a sequence, or two single
 * pictures. */
#include "base/refuse.h"
#include "facts/record.h"
#include "source/kind.h"
#include "source/pictures.h"
#include "source/share.h"

#include "image/channels.h"
#include "pair/pair.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static size_t count_there(const struct pictures *pictures)
{
    return pictures->layered ? pictures->layered_count : pictures->pairs.count;
}

/* Returns a frame that at least one side has. */
static struct source_frame frame_at(const struct pictures *pictures, size_t at)
{
    const struct layered *layered = pictures->layered;
    const struct ssimcu_pair *pair = layered ? &layered[at].pair : &pictures->pairs.pair[at];
    return (struct source_frame){layered ? layered[at].part : pair->part, pair->frame};
}

static int order(struct source_frame a, struct source_frame b)
{
    return record_order(a.part, a.frame, b.part, b.frame);
}

static int64_t count(const struct source *source, uint32_t out)
{
    (void)out;
    const struct pictures *pictures = (const struct pictures *)source;
    return (int64_t)(count_there(pictures) + pictures->lacking_count);
}

/* Returns whether the next frame is one that neither side has. `at`: the next that is there. */
static bool lacks_next(const struct pictures *pictures, size_t at)
{
    if (pictures->lacked == pictures->lacking_count) return false;
    return at == count_there(pictures) ||
           order(pictures->lacking[pictures->lacked], frame_at(pictures, at)) < 0;
}

/* Names the files of a pair, and its layer. */
static void name_pair(const struct pictures *pictures, size_t at, struct pair *pair)
{
    const struct layered *layered = pictures->layered;
    const struct ssimcu_pair *found = layered ? &layered[at].pair : &pictures->pairs.pair[at];
    if (layered) pair->place[0] = (int64_t)layered[at].layer;
    if (layered) pair->place[1] = layered[at].unknown;
    kind_name_files(pair->record, found->ref, found->out);
}

static bool next(struct source *source, struct pair *pair)
{
    struct pictures *pictures = (struct pictures *)source;
    while ((int64_t)pictures->position < count(source, 0)) {
        const size_t position = pictures->position++, at = position - pictures->lacked;
        const bool lacks = lacks_next(pictures, at);
        const struct source_frame frame =
            lacks ? pictures->lacking[pictures->lacked++] : frame_at(pictures, at);
        if (!share_has(source->input, position)) continue;
        pair->record->frame = frame.frame;
        if (lacks)
            kind_name_files(pair->record, NULL, NULL);
        else
            name_pair(pictures, at, pair);
        if (frame.part && !(pair->record->part = strdup(frame.part)))
            record_fail(pair->record, SSIMCU_ERROR_MEMORY,
                        &(ssimcu_message){"out of memory for the directory's name"});
        return true;
    }
    return false;
}

static const ssimcu_frame *shared(const struct source *source)
{
    const struct pictures *pictures = (const struct pictures *)source;
    return pictures->still.data ? &pictures->still : NULL;
}

static const ssimcu_sequence *files(const struct source *source, uint32_t side)
{
    return &((const struct pictures *)source)->sequence[side];
}

/* Makes the only pair of two single pictures. */
static ssimcu_status open_two(struct pictures *pictures, ssimcu_message *message)
{
    const struct source_input *input = pictures->base.input;
    if (input->frames) return refuse(message, "--frames: two pictures have no frame numbers");
    pictures->pairs.pair = malloc(sizeof *pictures->pairs.pair);
    if (!pictures->pairs.pair) return no_memory(message);
    pictures->pairs.pair[pictures->pairs.count++] =
        (struct ssimcu_pair){.ref = input->path[0], .out = input->path[1]};
    return SSIMCU_OK;
}

ssimcu_status kind_list_files(const struct source_input *input, const enum form *form, int side,
                              ssimcu_sequence *sequence, ssimcu_message *message)
{
    const char *path = input->path[side];
    ssimcu_ranges frames = {0};
    if (form[side] == FORM_DIRECTORY)
        return (input->recursive ? ssimcu_sequence_tree : ssimcu_sequence_directory)(path, sequence,
                                                                                     message);
    if (side == 0 || input->offset == 0 || !input->frames)
        return ssimcu_sequence_pattern(path, input->frames, sequence, message);
    ssimcu_status status = ssimcu_ranges_shift(input->frames, input->offset, &frames, message);
    if (status == SSIMCU_OK) status = ssimcu_sequence_pattern(path, &frames, sequence, message);
    ssimcu_ranges_free(&frames);
    return status;
}

ssimcu_status kind_read_picture(struct ssimcu_file_memory *memory, const char *path,
                                const ssimcu_image_options *limits, ssimcu_frame *frame,
                                struct ssimcu_image_windows *windows,
                                struct ssimcu_image_colours *colours, char **channels,
                                ssimcu_message *message)
{
    ssimcu_image *image = NULL;
    ssimcu_status status = ssimcu_image_open_in(memory, path, limits, &image, message);
    const char *list = ssimcu_image_channels(image);
    *windows = ssimcu_image_windows(image);
    if (colours) *colours = ssimcu_image_colours(image);
    *frame = ssimcu_image_shape(image);
    if (channels && list && !(*channels = strdup(list))) status = no_memory(message);
    if (status == SSIMCU_OK) status = ssimcu_frame_alloc(frame, message);
    if (status == SSIMCU_OK) status = ssimcu_image_decode(image, frame, message);
    ssimcu_image_close(&image);
    return status;
}

/* Writes which frames the files of a side have, such as "REF has frames 1001 to 1020". Of a tree
 * they are those in the directory `part` (NULL: all). */
static void describe_frames(const ssimcu_sequence *sequence, const char *part, int side, char *text,
                            size_t size)
{
    const char *const name = side ? "OUT" : "REF";
    int64_t first = INT64_MAX, last = -1;
    for (size_t i = 0; i < sequence->count; i++) {
        const struct ssimcu_sequence_file *file = &sequence->file[i];
        const int64_t number = sequence->numbered || sequence->tree ? file->number : (int64_t)i;
        if (part && strcmp(file->part, part) != 0) continue;
        if (number < first) first = number;
        if (number > last) last = number;
    }
    if (part && first > last)
        snprintf(text, size, "%s has no pictures in %.100s", name, part);
    else
        snprintf(text, size, "%s has frames %lld to %lld%s%.100s", name, (long long)first,
                 (long long)last, part ? " in " : "", part ? part : "");
}

/* Says what there is if none of the frames is there that were asked for. */
static void remark_missed(const struct pictures *pictures, const enum form *form)
{
    const struct source_input *input = pictures->base.input;
    char what[2][180] = {"", ""}, line[400];
    struct stat info;
    const ssimcu_image_options options = pictures_options(&pictures->base);
    if (!input->frames || !options.remark) return;
    for (size_t i = 0; i < pictures->pairs.count; i++) {
        const struct ssimcu_pair *pair = &pictures->pairs.pair[i];
        if (pair->ref && pair->ref != input->path[0] && stat(pair->ref, &info) == 0) return;
        if (pair->out && stat(pair->out, &info) == 0) return;
    }
    for (int side = form[0] == FORM_PICTURE; side < 2; side++) {
        ssimcu_sequence all = {0};
        const bool lists = form[side] == FORM_PATTERN; /* only these frames of it were listed */
        if (lists && ssimcu_sequence_pattern(input->path[side], NULL, &all, NULL) != SSIMCU_OK)
            continue;
        describe_frames(lists ? &all : &pictures->sequence[side], input->frames->part, side,
                        what[side], sizeof what[side]);
        ssimcu_sequence_free(&all);
    }
    if (!what[0][0] && !what[1][0]) return;
    snprintf(line, sizeof line, "--frames: none of them is there; %s%s%s", what[0],
             what[0][0] && what[1][0] ? ", " : "", what[1]);
    options.remark(options.user, line);
}

static ssimcu_status open_sequences(struct pictures *pictures, const enum form *form,
                                    ssimcu_message *message)
{
    const struct source_input *input = pictures->base.input;
    ssimcu_sequence *sequence = pictures->sequence;
    const bool still = form[0] == FORM_PICTURE;
    ssimcu_status status = SSIMCU_OK;
    for (int side = still; side < 2 && status == SSIMCU_OK; side++)
        status = kind_list_files(input, form, side, &sequence[side], message);
    if (status == SSIMCU_OK && input->offset != 0)
        status = ssimcu_sequence_offset(&sequence[0], &sequence[1], input->offset,
                                        input->frames != NULL, message);
    if (status != SSIMCU_OK) return status;
    if (still && !input->layers)
        status = kind_read_picture(NULL, input->path[0], input->limits, &pictures->still,
                                   &pictures->still_windows, &pictures->still_colours,
                                   &pictures->still_channels, message);
    if (status == SSIMCU_OK && still)
        status = ssimcu_pairs_still(input->path[0], &sequence[1], input->frames, &pictures->pairs,
                                    message);
    else if (status == SSIMCU_OK)
        status = ssimcu_pairs_match(&sequence[0], &sequence[1], input->frames, input->shortest,
                                    &pictures->pairs, message);
    if (status == SSIMCU_OK) remark_missed(pictures, form);
    return status;
}

/* ---- Closing and opening -----------------------------------------------------------------------
 */

static void close_pictures(struct source *source)
{
    struct pictures *pictures = (struct pictures *)source;
    for (int side = 0; side < 2; side++) ssimcu_sequence_free(&pictures->sequence[side]);
    ssimcu_pairs_free(&pictures->pairs);
    ssimcu_frame_free(&pictures->still);
    free(pictures->still_channels);
    for (size_t i = 0; i < pictures->layered_count; i++) free(pictures->layered[i].part);
    free(pictures->layered);
    layers_free(&pictures->layers);
    free(pictures->lacking);
}

/* Finds the expected frames that neither side has. With `shortest`, none is missing behind the
 * last that there is. */
static ssimcu_status find_lacking(struct pictures *pictures, ssimcu_message *message)
{
    const struct source_input *input = pictures->base.input;
    const size_t there = count_there(pictures);
    size_t at = 0;
    if (input->expected_count == 0 || input->frames) return SSIMCU_OK;
    pictures->lacking = malloc(input->expected_count * sizeof *pictures->lacking);
    if (!pictures->lacking) return no_memory(message);
    for (size_t i = 0; i < input->expected_count; i++) {
        const struct source_frame frame = input->expected[i];
        while (at < there && order(frame_at(pictures, at), frame) < 0) at++;
        if (at == there && input->shortest) break;
        if (at == there || order(frame_at(pictures, at), frame) != 0)
            pictures->lacking[pictures->lacking_count++] = frame;
    }
    return SSIMCU_OK;
}

static ssimcu_status open_pairs(struct source *source, const enum form *form,
                                ssimcu_message *message)
{
    struct pictures *pictures = (struct pictures *)source;
    if (form[1] != FORM_PICTURE) return open_sequences(pictures, form, message);
    if (form[0] == FORM_PICTURE) return open_two(pictures, message);
    return ssimcu_fail(message, SSIMCU_ERROR_FILE,
                       "%.300s: is a %s, but OUT is one picture (one reference against many: "
                       "the picture comes first)",
                       source->input->path[0],
                       form[0] == FORM_DIRECTORY ? "directory" : "sequence");
}

static ssimcu_status open_pictures(struct source *source, const enum form *form,
                                   ssimcu_message *message)
{
    struct pictures *pictures = (struct pictures *)source;
    ssimcu_status status = open_pairs(source, form, message);
    if (status == SSIMCU_OK && source->input->layers)
        status = pictures_spread_layers(pictures, message);
    if (status == SSIMCU_OK && form[1] != FORM_PICTURE) status = find_lacking(pictures, message);
    return status;
}

const struct source_row source_pictures = {
    .kind = {.sequence = true,
             .count = count,
             .next = next,
             .load = source_pictures_load,
             .shared = shared,
             .files = files,
             .close = close_pictures},
    .forms = FORM_PICTURE | FORM_DIRECTORY | FORM_PATTERN,
    .bytes = sizeof(struct pictures),
    .open = open_pictures,
};
