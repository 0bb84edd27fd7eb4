/* Loading a pair of pictures: both headers first, then memory, then the pixels of both. */
#include "source/pictures.h"

#include "base/refuse.h"
#include "pair/match.h"
#include "pair/names.h"
#include "pair/range.h"
#include "pair/region.h"
#include "pair/slots.h"
#include "record/record.h"
#include "source/kind.h"

#include "image/holds.h"
#include "sample_size.h"
#include "start_thread.h"

#include <string.h>

static ssimcu_status check_sizes(const struct pair *pair,
                                 const struct ssimcu_image_windows windows[2],
                                 const struct contract_region *region, ssimcu_message *message)
{
    const struct record_side *name = pair->record->side;
    TRY(match_sizes(name[0].path, pair->plane[0], name[1].path, pair->plane[1], message));
    TRY(match_windows(name[0].path, &windows[0], name[1].path, &windows[1], message));
    return region_check(region, pair->plane[0], message);
}

/* Notes which channels of the pair are not compared. */
static ssimcu_status leave_channels(const struct source *source, struct pair *pair,
                                    ssimcu_image *const image[2], ssimcu_message *message)
{
    const struct pictures *pictures = source->kind->shared ? (const struct pictures *)source : NULL;
    const char *still = pictures ? pictures->still_channels : NULL;
    const char *const list[] = {image[0] ? ssimcu_image_channels(image[0]) : still,
                                ssimcu_image_channels(image[1])};
    if (source->input->layers && pair->place[0] > 0) return SSIMCU_OK; /* first layer reports it */
    const bool good = source->input->layers ? layers_leave(&pictures->layers, list, pair->record)
                                            : record_leave(pair->record, list);
    return good ? SSIMCU_OK : ssimcu_no_memory(message, "the channels");
}

/* Notes how the colours of the pair's files differ. */
static ssimcu_status note_colours(const struct source *source, struct pair *pair,
                                  ssimcu_image *const image[2], ssimcu_message *message)
{
    const struct pictures *pictures = (const struct pictures *)source;
    const struct ssimcu_image_colours ref = image[0] ? ssimcu_image_colours(image[0])
                                                     : pictures->still_colours,
                                      out = ssimcu_image_colours(image[1]);
    return match_note_colours(&ref, &out, &pair->record->text[RECORD_COLOURS])
               ? SSIMCU_OK
               : ssimcu_no_memory(message, "the colours");
}

/* Copies the single reference for a pair that changes its samples. */
static void copy_still(struct pair *pair)
{
    ssimcu_frame *frame = pair->plane[0];
    memcpy(pair->memory[0], frame->data, frame->pitch * frame->height);
    frame->data = pair->memory[0];
}

/* Returns the layer of a pair; NULL unless layers are compared one by one. */
static const struct layer *layer_of(const struct source *source, const struct pair *pair)
{
    return source->input->layers ? &((const struct pictures *)source)->layers.layer[pair->place[0]]
                                 : NULL;
}

/* How the samples of a pair are compared. */
struct way {
    bool exact, ranged;
    const char *levels; /* channels of a Cryptomatte; NULL for other pictures */
    struct range_of range;
};

/* Finds out how a pair is compared. Only floats that are not light have a range. */
static struct way find_way(const struct source *source, const struct pair *pair,
                           const ssimcu_image_options *options)
{
    const struct source_input *input = source->input;
    const struct layer *layer = layer_of(source, pair);
    const char *name = options->channels ? options->channels : options->layer;
    const struct compare_rule *rule =
        input->compare ? input->compare(input->user, pair->record) : NULL;
    const enum compare as = rule ? rule->as : COMPARE_BY_NAME;
    struct way way = {.exact =
                          as == COMPARE_EXACT || (as == COMPARE_BY_NAME && layer && layer->exact),
                      .levels = layer ? layer->levels : NULL,
                      .range = {input->gain, name && names_are_depth(name), rule}};
    way.exact = way.exact || way.levels; /* a Cryptomatte has no values */
    way.ranged = input->ranged && !way.exact &&
                 (range_is_for(pair->plane[0]) || range_is_for(pair->plane[1]));
    return way;
}

/* Turns the loaded frames into those that are scored. */
static ssimcu_status finish(const struct source *source, struct pair *pair, const struct way *way,
                            const ssimcu_image_options *options, ssimcu_message *message)
{
    ssimcu_diff *const found = &pair->record->scored.diff;
    if (way->exact && !way->levels &&
        (pair->plane[0]->bits != pair->plane[1]->bits ||
         pair->plane[0]->channels != pair->plane[1]->channels))
        FAIL(MISMATCH, "%.200s and %.200s have samples of different types: they cannot be equal",
             pair->record->side[0].path, pair->record->side[1].path);
    if (source->input->counts && !way->exact)
        TRY(diff_count(pair, &source->input->diff, &source->input->region, found, message));
    if (way->levels)
        TRY(pictures_crypto_compare(pair, way->levels, options, message));
    else if (way->exact)
        diff_exactly(pair);
    else if (way->ranged)
        TRY(range_apply(pair, &way->range, &pair->record->scored.range, message));
    region_cut_pair(&source->input->region, NULL, pair);
    return way->exact ? diff_count_marked(pair, &source->input->diff, found, message) : SSIMCU_OK;
}

/* Fills in the frame's shape. Returns the bytes for its samples. */
static size_t take_shape(const ssimcu_image *image, ssimcu_frame *frame)
{
    *frame = ssimcu_image_shape(image);
    frame->pitch = (size_t)frame->width * frame->channels * ssimcu_sample_size(frame->bits);
    return frame->pitch * frame->height;
}

/* Returns the single reference of all pairs, unless a report names another one for this pair. */
static const ssimcu_frame *still_of(const struct source *source, const struct pair *pair)
{
    const char *ref = source->input->path[0];
    if (!source->kind->shared || !ref || strcmp(pair->record->side[0].path, ref) != 0) return NULL;
    return source->kind->shared(source);
}

/* The open files of a pair, and the memory that they need. */
struct opened {
    ssimcu_image *image[2]; /* NULL: the single reference, which is decoded already */
    struct ssimcu_image_windows windows[2];
    size_t bytes[2];
    uint64_t
        beside; /* the largest need of one decoder if they run one after the other, else both */
};

/* Opens the files of a pair, except the single reference, `still`, which may be NULL. */
static ssimcu_status open_files(const struct source *source, const ssimcu_frame *still,
                                const ssimcu_image_options *options, struct pair *pair,
                                struct opened *opened, ssimcu_message *message)
{
    if (still) pair->plane[0][0] = *still;
    if (still) opened->windows[0] = ((const struct pictures *)source)->still_windows;
    for (int side = still ? 1 : 0; side < 2; side++) {
        ssimcu_image **image = &opened->image[side];
        TRY(ssimcu_image_open_in(slots_files(pair), pair->record->side[side].path, options, image,
                                 message));
        opened->bytes[side] = take_shape(*image, pair->plane[side]);
        opened->windows[side] = ssimcu_image_windows(*image);
        const uint64_t holds = ssimcu_image_holds(*image);
        if (source->input->at_once)
            opened->beside += holds;
        else if (holds > opened->beside)
            opened->beside = holds;
    }
    for (int side = 0; side < 2; side++)
        pair->record->scored.light[side].outside = opened->windows[side].outside;
    return SSIMCU_OK;
}

/* A picture that is being decoded. */
struct decoding {
    ssimcu_image *image;
    ssimcu_frame *frame;
    ssimcu_message message;
    ssimcu_status status;
};

static void *decode_one(void *argument)
{
    struct decoding *one = argument;
    one->status = ssimcu_image_decode(one->image, one->frame, &one->message);
    return NULL;
}

/* Decodes the open files, both at once if the input says so. */
static ssimcu_status decode_files(struct pair *pair, const struct opened *opened, bool at_once,
                                  ssimcu_message *message)
{
    struct decoding one[2] = {{.image = opened->image[0], .frame = pair->plane[0]},
                              {.image = opened->image[1], .frame = pair->plane[1]}};
    pthread_t thread;
    for (int side = 0; side < 2; side++)
        if (one[side].image) one[side].frame->data = pair->memory[side];
    const bool started =
        at_once && one[0].image && ssimcu_start_thread(&thread, decode_one, &one[0]);
    if (!started && one[0].image) (void)decode_one(&one[0]);
    if (one[1].image && (started || one[0].status == SSIMCU_OK)) (void)decode_one(&one[1]);
    if (started) pthread_join(thread, NULL);
    for (int side = 0; side < 2; side++)
        if (one[side].status != SSIMCU_OK)
            return ssimcu_fail(message, one[side].status, "%s", one[side].message.text);
    return SSIMCU_OK;
}

/* Reads the pixels of the open files, once there is memory for them. */
static ssimcu_status decode(const struct source *source, const struct way *way, struct pair *pair,
                            struct opened *opened, ssimcu_message *message)
{
    const ssimcu_frame *still = opened->image[0] ? NULL : pair->plane[0];
    const bool changes = way->ranged || way->exact;
    if (still && changes) opened->bytes[0] = still->pitch * still->height;
    for (int side = 0; side < 2 && way->levels; side++)
        opened->bytes[side] = pictures_crypto_bytes(pair->plane[side]);
    TRY(check_sizes(pair, opened->windows, &source->input->region, message));
    TRY(slots_reserve(pair, opened->bytes, opened->beside, message));
    if (!way->levels) TRY(decode_files(pair, opened, source->input->at_once, message));
    if (changes && still) copy_still(pair);
    return SSIMCU_OK;
}

static ssimcu_status read_pair(const struct source *source, const ssimcu_image_options *options,
                               struct pair *pair, struct opened *opened, struct way *way,
                               ssimcu_message *message)
{
    TRY(open_files(source, still_of(source, pair), options, pair, opened, message));
    if (layer_of(source, pair) && pair->place[1])
        FAIL(FILE,
             "%.200s or %.200s could not be read when the run began, so its layers are unknown: "
             "run again",
             pair->record->side[0].path, pair->record->side[1].path);
    TRY(leave_channels(source, pair, opened->image, message));
    TRY(note_colours(source, pair, opened->image, message));
    *way = find_way(source, pair, options);
    return decode(source, way, pair, opened, message);
}

ssimcu_status source_pictures_load(const struct source *source, struct pair *pair,
                                   ssimcu_message *message)
{
    const struct layer *layer = layer_of(source, pair);
    ssimcu_image_options options = kind_options(source->input);
    struct opened opened = {0};
    struct way way;
    pair->planes = 1;
    pair->exact = false;
    pair->record->scored.diff.known = 0;
    if (layer) options.layer = layer->layer, options.channels = layer->channels;
    const ssimcu_status status = read_pair(source, &options, pair, &opened, &way, message);
    for (int side = 0; side < 2; side++) ssimcu_image_close(&opened.image[side]);
    return status == SSIMCU_OK ? finish(source, pair, &way, &options, message) : status;
}
