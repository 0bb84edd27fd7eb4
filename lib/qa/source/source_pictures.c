/* Source: pictures. The input is two sequences, one reference and a sequence, or two single
 * pictures. */
#include "base/refuse.h"
#include "base/results.h"
#include "base/text.h"
#include "pair/pair.h"
#include "record/record.h"
#include "source/kind.h"
#include "source/pictures.h"
#include "source/share.h"

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
    return (struct source_frame){layered ? layered[at].shot : pair->shot, pair->frame};
}

static int order(struct source_frame a, struct source_frame b)
{
    return record_order(a.shot, a.frame, b.shot, b.frame);
}

static int64_t count(const struct source *source, uint32_t out)
{
    (void)out;
    const struct pictures *pictures = (const struct pictures *)source;
    return (int64_t)(count_there(pictures) + pictures->lacking_count);
}

/* Returns whether neither side has the next frame. `at`: the next frame that exists. */
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
        if (frame.shot && !(pair->record->shot = strdup(frame.shot)))
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
    if (input->frames) FAIL(ARGUMENT, "--frames: two pictures have no frame numbers");
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

/* Writes which frames a side's files have, such as "REF has frames 1001 to 1020". For a tree, these
 * are the frames in the directory `shot` (NULL: all). */
static void describe_frames(const ssimcu_sequence *sequence, const char *shot, int side, char *text,
                            size_t size)
{
    const char *const name = side ? "OUT" : "REF";
    int64_t first = INT64_MAX, last = -1;
    for (size_t i = 0; i < sequence->count; i++) {
        const struct ssimcu_sequence_file *file = &sequence->file[i];
        const int64_t number = sequence->numbered || sequence->tree ? file->number : (int64_t)i;
        if (shot && strcmp(file->shot, shot) != 0) continue;
        if (number < first) first = number;
        if (number > last) last = number;
    }
    if (shot && first > last)
        snprintf(text, size, "%s has no pictures in %.100s", name, shot);
    else
        snprintf(text, size, "%s has frames %lld to %lld%s%.100s", name, (long long)first,
                 (long long)last, shot ? " in " : "", shot ? shot : "");
}

/* Reports which frames exist if none of the requested ones does. */
static void remark_missed(const struct pictures *pictures, const enum form *form)
{
    const struct source_input *input = pictures->base.input;
    char what[2][180] = {"", ""}, line[400];
    struct stat info;
    const ssimcu_image_options options = kind_options(pictures->base.input);
    if (!input->frames || !options.remark) return;
    for (size_t i = 0; i < pictures->pairs.count; i++) {
        const struct ssimcu_pair *pair = &pictures->pairs.pair[i];
        if (pair->ref && pair->ref != input->path[0] && stat(pair->ref, &info) == 0) return;
        if (pair->out && stat(pair->out, &info) == 0) return;
    }
    for (int side = form[0] == FORM_PICTURE; side < 2; side++) {
        ssimcu_sequence all = {0};
        const bool lists = form[side] == FORM_PATTERN; /* it lists only the requested frames */
        if (lists && ssimcu_sequence_pattern(input->path[side], NULL, &all, NULL) != SSIMCU_OK)
            continue;
        describe_frames(lists ? &all : &pictures->sequence[side], input->frames->shot, side,
                        what[side], sizeof what[side]);
        ssimcu_sequence_free(&all);
    }
    if (!what[0][0] && !what[1][0]) return;
    snprintf(line, sizeof line, "--frames: found none of them; %s%s%s", what[0],
             what[0][0] && what[1][0] ? ", " : "", what[1]);
    options.remark(options.user, line);
}

static ssimcu_status open_sequences(struct pictures *pictures, const enum form *form,
                                    ssimcu_message *message)
{
    const struct source_input *input = pictures->base.input;
    ssimcu_sequence *sequence = pictures->sequence;
    const bool still = form[0] == FORM_PICTURE;
    for (int side = still; side < 2; side++)
        TRY(kind_list_files(input, form, side, &sequence[side], message));
    if (input->offset != 0)
        TRY(ssimcu_sequence_offset(&sequence[0], &sequence[1], input->offset, input->frames != NULL,
                                   message));
    if (still && !input->layers)
        TRY(kind_read_picture(NULL, input->path[0], input->limits, &pictures->still,
                              &pictures->still_windows, &pictures->still_colours,
                              &pictures->still_channels, message));
    if (still)
        TRY(ssimcu_pairs_still(input->path[0], &sequence[1], input->frames, &pictures->pairs,
                               message));
    else
        TRY(ssimcu_pairs_match(&sequence[0], &sequence[1], input->frames, input->shortest,
                               &pictures->pairs, message));
    remark_missed(pictures, form);
    return SSIMCU_OK;
}

/* ---- Layers ---------------------------------------------------------------------------------- */

/* Every frame has the layers of the first pair. A layer that only other files have is compared
 * where either side has it. So a light or a shot that comes later is not left out. */

static int by_part(const void *a, const void *b)
{
    const struct layered *x = a, *y = b;
    return record_order(x->shot, x->pair.frame, y->shot, y->pair.frame);
}

/* Adds a pair of one layer. */
static ssimcu_status add_layer(struct pictures *pictures, size_t *room,
                               const struct layered *layered, ssimcu_message *message)
{
    const char *tree = layered->pair.shot, *name = pictures->layers.layer[layered->layer].name;
    const bool named = tree && strcmp(tree, ".") != 0;
    if (!results_grow(&pictures->layered, pictures->layered_count, room, sizeof *layered))
        return no_memory(message);
    struct layered *added = &pictures->layered[pictures->layered_count];
    *added = *layered;
    added->shot = text_join(named ? tree : "", named ? "/" : "", name, "");
    if (!added->shot) return no_memory(message);
    pictures->layered_count++;
    return SSIMCU_OK;
}

static bool has_name(const struct layers *all, size_t first, const char *name)
{
    for (size_t k = 0; k < first; k++)
        if (strcmp(all->layer[k].name, name) == 0) return true;
    return false;
}

/* Adds the pairs of a pair's layers: the `first` layers of the first pair, and its layers at these
 * places. */
static ssimcu_status add_pair(struct pictures *pictures, size_t *room, struct layered layered,
                              size_t first, const size_t *place, size_t count,
                              ssimcu_message *message)
{
    const struct layers *all = &pictures->layers;
    for (size_t k = 0; k < first; k++) {
        layered.layer = layers_with_levels(all, k, place, count);
        TRY(add_layer(pictures, room, &layered, message));
        layered.unknown = false; /* one of its layers reports it */
    }
    for (size_t i = 0; i < count; i++) {
        layered.layer = place[i];
        if (!has_name(all, first, all->layer[place[i]].name))
            TRY(add_layer(pictures, room, &layered, message));
    }
    return SSIMCU_OK;
}

/* Adds the pairs of a pair's layers. If a file cannot be read, they have the layers of the first
 * pair, and fail. */
static ssimcu_status spread_pair(struct pictures *pictures, size_t *room, size_t first,
                                 const struct ssimcu_pair *pair, ssimcu_message *message)
{
    const char *const path[] = {pair->ref, pair->out};
    const ssimcu_image_options options = kind_options(pictures->base.input);
    struct layers found = {0};
    size_t *place = NULL;
    ssimcu_message ignored = {{0}};
    ssimcu_status status = SSIMCU_OK;
    if (path[0] && path[1]) status = layers_find(path, &options, &found, &ignored);
    const bool lost = status == SSIMCU_ERROR_MEMORY;
    const bool unknown = status != SSIMCU_OK && status != SSIMCU_ERROR_UNSUPPORTED;
    const size_t count = status == SSIMCU_OK ? found.count : 0;
    if (count > 0) place = calloc(count, sizeof *place);
    if (lost || (count > 0 && !(place && layers_join(&pictures->layers, &found, place))))
        status = no_memory(message);
    else
        status = add_pair(pictures, room, (struct layered){.pair = *pair, .unknown = unknown},
                          first, place, count, message);
    free(place);
    layers_free(&found);
    return status;
}

/* Makes a pair of each layer of each pair. Errors: those of layers_find for the first pair; MEMORY.
 */
static ssimcu_status spread_layers(struct pictures *pictures, ssimcu_message *message)
{
    const ssimcu_pairs *pairs = &pictures->pairs;
    const ssimcu_image_options options = kind_options(pictures->base.input);
    size_t at = 0, room = 0;
    while (at < pairs->count && !pairs->pair[at].ref && !pairs->pair[at].out) at++;
    if (at == pairs->count) return SSIMCU_OK;
    const char *const path[] = {pairs->pair[at].ref, pairs->pair[at].out};
    TRY(layers_find(path, &options, &pictures->layers, message));
    const size_t first = pictures->layers.count;
    for (size_t i = 0; i < pairs->count; i++)
        TRY(spread_pair(pictures, &room, first, &pairs->pair[i], message));
    pictures->base.layers = (uint32_t)pictures->layers.count;
    qsort(pictures->layered, pictures->layered_count, sizeof *pictures->layered, by_part);
    return SSIMCU_OK;
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
    for (size_t i = 0; i < pictures->layered_count; i++) free(pictures->layered[i].shot);
    free(pictures->layered);
    layers_free(&pictures->layers);
    free(pictures->lacking);
}

/* Finds the expected frames that neither side has. With `shortest`, none is missing after the last
 * frame that exists. */
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
    FAIL(FILE,
         "%.300s is a %s, but OUT is one picture. To compare one picture with many, give that "
         "picture first",
         source->input->path[0], form[0] == FORM_DIRECTORY ? "directory" : "sequence");
}

static ssimcu_status open_pictures(struct source *source, const enum form *form,
                                   ssimcu_message *message)
{
    struct pictures *pictures = (struct pictures *)source;
    TRY(open_pairs(source, form, message));
    if (source->input->layers) TRY(spread_layers(pictures, message));
    return form[1] != FORM_PICTURE ? find_lacking(pictures, message) : SSIMCU_OK;
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
