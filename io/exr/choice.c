#include "header.h"

#include "fail.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { FULL = 2 * SSIMCU_EXR_NAME, THREE = 3 };

/* ---- Names ----------------------------------------------------------------------------------- */

/* Writes the full name of a channel. */
static void full_name(const struct exr_part *part, const char *channel, char text[FULL])
{
    const size_t size = part->name ? part->name_size : 0;
    const bool prefixed =
        size == 0 || (strncmp(channel, part->name, size) == 0 && channel[size] == '.');
    if (prefixed)
        snprintf(text, FULL, "%s", channel);
    else
        snprintf(text, FULL, "%.*s.%s", (int)(size < SSIMCU_EXR_NAME ? size : SSIMCU_EXR_NAME),
                 part->name, channel);
}

/* Returns whether a channel has this name, in full or as stored. */
static bool is_called(const struct exr_part *part, const char *channel, const char *name)
{
    char full[FULL];
    if (strcmp(channel, name) == 0) return true;
    full_name(part, channel, full);
    return strcmp(full, name) == 0;
}

/* Returns the last word of a name, after its last dot. */
static const char *last_word(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot ? dot + 1 : name;
}

/* Iterates over the channels of all parts. */
struct every {
    const struct exr_file *file;
    uint32_t p; /* number of the part */
    const struct exr_part *part;
    struct exr_walk walk;
    char full[FULL]; /* full name of the channel */
};

static bool next(struct every *at)
{
    for (; at->p < at->file->parts; at->p++, at->part = NULL) {
        if (!at->part) {
            at->part = &at->file->part[at->p];
            at->walk = exr_walk(&at->part->channels);
        }
        if (!exr_walk_next(&at->walk)) continue;
        full_name(at->part, at->walk.channel.name, at->full);
        return true;
    }
    return false;
}

static bool is_subsampled(const struct exr_channel *channel)
{
    return channel->x_sampling != 1 || channel->y_sampling != 1;
}

/* ---- A picture ------------------------------------------------------------------------------- */

/* The state and the result of a search. */
struct search {
    const struct exr_file *file;
    struct ssimcu_exr_picture *picture;
    struct exr_channel channel[SSIMCU_EXR_CHANNELS];
    uint32_t in_layer; /* channels of the wanted layer; 0: not counted */
};

static bool find_channel(const struct exr_part *part, const char *name, struct exr_channel *found)
{
    for (struct exr_walk walk = exr_walk(&part->channels); exr_walk_next(&walk);) {
        *found = walk.channel;
        if (is_called(part, found->name, name)) return true;
    }
    return false;
}

/* Takes the channels that were found in a part. Returns true. */
static bool take(struct search *search, uint32_t part, uint32_t count)
{
    struct ssimcu_exr_picture *picture = search->picture;
    picture->part = (int)part;
    picture->count = count;
    for (uint32_t c = 0; c < count; c++) {
        snprintf(picture->channel[c].name, SSIMCU_EXR_NAME, "%s", search->channel[c].name);
        picture->channel[c].type = (enum ssimcu_exr_type)search->channel[c].type;
    }
    return true;
}

/* The wanted channels, one name each. */
struct wish {
    uint32_t count;
    char name[SSIMCU_EXR_CHANNELS][FULL];
};

/* Searches the first `parts` parts for channels of exactly these names. */
static bool find_named(struct search *search, const struct wish *wish, uint32_t parts)
{
    for (uint32_t p = 0; p < parts; p++) {
        uint32_t found = 0;
        while (found < wish->count &&
               find_channel(&search->file->part[p], wish->name[found], &search->channel[found]))
            found++;
        if (found == wish->count) return take(search, p, found);
    }
    return false;
}

/* ---- Layers ---------------------------------------------------------------------------------- */

/* Names of three channels that belong together, in any case. */
struct triple {
    const char *word[THREE];
    bool data; /* numbers, not light */
};
static const struct triple TRIPLES[] = {
    {{"R", "G", "B"}, false}, {{"red", "green", "blue"}, false}, {{"X", "Y", "Z"}, true}};
enum { COLOURS = 2, TRIPLE_COUNT = 3 };

/* Names that RenderMan, Houdini, Blender, Nuke and others give to the layer of the whole picture.
 * "" means no layer name. */
static const char *const WHOLE[] = {"", "Ci", "C", "Combined", "rgba", "rgb", "beauty", NULL};

/* Returns whether the full name of a channel, without its last word, is that layer or ends with
 * it. */
static bool is_in_layer(const char *full, const char *layer, bool whole)
{
    const char *word = last_word(full);
    const size_t length = word == full ? 0 : (size_t)(word - full) - 1, wanted = strlen(layer);
    if (length < wanted) return false;
    const char *end = full + length - wanted;
    return strncmp(end, layer, wanted) == 0 &&
           (length == wanted || (!whole && wanted > 0 && end[-1] == '.'));
}

/* Finds the channel with another last word in the part and layer of `first`. */
static bool find_beside(const struct exr_part *part, const char *first, const char *word,
                        struct exr_channel *found)
{
    const size_t layer = (size_t)(last_word(first) - first);
    for (struct exr_walk walk = exr_walk(&part->channels); exr_walk_next(&walk);) {
        *found = walk.channel;
        if (strncmp(found->name, first, layer) == 0 && strcasecmp(found->name + layer, word) == 0)
            return true;
    }
    return false;
}

/* Searches for three channels of a layer. `whole`: its name must match exactly. */
static bool find_triple(struct search *search, const struct triple *triple, const char *layer,
                        bool whole)
{
    struct exr_channel *const channel = search->channel;
    for (struct every at = {.file = search->file}; next(&at);) {
        channel[0] = at.walk.channel;
        if (strcasecmp(last_word(channel[0].name), triple->word[0]) == 0 &&
            is_in_layer(at.full, layer, whole) &&
            find_beside(at.part, channel[0].name, triple->word[1], &channel[1]) &&
            find_beside(at.part, channel[0].name, triple->word[2], &channel[2]))
            return take(search, at.p, THREE);
    }
    return false;
}

/* Searches for the only channel of a layer. Counts its channels. */
static bool find_single(struct search *search, const char *layer, bool whole)
{
    uint32_t count = 0, in_part = 0;
    for (struct every at = {.file = search->file}; next(&at);) {
        if (!is_in_layer(at.full, layer, whole)) continue;
        search->channel[0] = at.walk.channel;
        in_part = at.p;
        count++;
    }
    if (count > search->in_layer) search->in_layer = count;
    return count == 1 && take(search, in_part, 1);
}

static bool find_layer(struct search *search, const char *layer, bool *data)
{
    for (int ends = 0; ends < 2; ends++) { /* the exact name first, then names that end with it */
        for (int t = 0; t < TRIPLE_COUNT; t++)
            if (find_triple(search, &TRIPLES[t], layer, !ends)) {
                *data = TRIPLES[t].data;
                return true;
            }
        *data = true;
        if (find_single(search, layer, !ends)) return true;
    }
    struct wish channel = {.count = 1};
    snprintf(channel.name[0], FULL, "%s", layer);
    return find_named(search, &channel, search->file->parts);
}

/* Finds the whole picture of a file whose first part has neither R, G, B nor Y. */
static bool find_whole(struct search *search)
{
    for (int ends = 0; ends < 2; ends++) /* names that end with it come last, because all end with
                                            "" */
        for (size_t i = ends ? 1 : 0; WHOLE[i]; i++)
            for (int t = 0; t < COLOURS; t++)
                if (find_triple(search, &TRIPLES[t], WHOLE[i], !ends)) return true;
    return false;
}

/* ---- The choice ------------------------------------------------------------------------------ */

static ssimcu_status split_names(struct ssimcu_exr_task *task, struct wish *wish)
{
    const char *const names = task->channels ? task->channels : "R,G,B";
    const uint32_t most = task->many ? SSIMCU_EXR_CHANNELS : THREE;
    bool good = true;
    for (const char *at = names; good; at++) {
        const size_t length = strcspn(at, ",");
        good = length > 0 && length < SSIMCU_EXR_NAME && wish->count < most;
        if (!good) break;
        snprintf(wish->name[wish->count++], FULL, "%.*s%s%.*s",
                 task->layer ? SSIMCU_EXR_NAME - 1 : 0, task->layer ? task->layer : "",
                 task->layer ? "." : "", (int)length, at);
        at += length;
        if (*at == '\0') break;
    }
    if (good && (task->many || wish->count != 2)) return SSIMCU_OK;
    FAIL_EXR(ARGUMENT, "channels %.200s: expected one name, or three separated by commas", names);
}

static bool has_chroma(const struct exr_part *part)
{
    struct exr_channel channel;
    return find_channel(part, "RY", &channel) || find_channel(part, "BY", &channel);
}

/* Takes the first channel that can be decoded, for a caller that only wants the names. */
static bool find_any(struct search *search)
{
    for (struct every at = {.file = search->file}; next(&at);) {
        search->channel[0] = at.walk.channel;
        if (!at.part->deep && !is_subsampled(&at.walk.channel)) return take(search, at.p, 1);
    }
    return false;
}

static bool find(const struct ssimcu_exr_task *task, struct search *search, const struct wish *wish,
                 bool *data)
{
    const struct exr_file *file = search->file;
    static const struct wish grey = {1, {"Y"}};
    const bool asked = task->layer || task->channels;
    *data = task->channels && wish->count == 1;
    if (task->channels && strcmp(task->channels, SSIMCU_CHANNELS_ANY) == 0) return find_any(search);
    if (find_named(search, wish, asked ? file->parts : 1)) return true;
    if (task->channels) return false;
    if (task->layer) return find_layer(search, task->layer, data);
    if (has_chroma(&file->part[0])) return false;
    return find_named(search, &grey, 1) || find_whole(search);
}

/* ---- All channels ---------------------------------------------------------------------------- */

static bool is_chosen(const struct ssimcu_exr_picture *picture, uint32_t part, const char *name)
{
    bool chosen = false;
    for (uint32_t c = 0; c < picture->count && picture->part == (int)part; c++)
        chosen = chosen || strcmp(picture->channel[c].name, name) == 0;
    return chosen;
}

/* Lists all channels of all parts, one per line. Counts those that do not fit. */
static void list_channels(struct ssimcu_exr_task *task, const struct exr_file *file,
                          const struct ssimcu_exr_picture *picture)
{
    enum { MORE = 32 }; /* bytes for the last line */
    size_t used = 0;
    unsigned long long more = 0;
    for (struct every at = {.file = file}; next(&at);) {
        const struct exr_channel *const channel = &at.walk.channel;
        const char mark = at.part->deep || is_subsampled(channel)   ? SSIMCU_CHANNEL_CANNOT
                          : is_chosen(picture, at.p, channel->name) ? SSIMCU_CHANNEL_READ
                                                                    : SSIMCU_CHANNEL_LEFT;
        for (char *text = at.full; *text; text++)
            if (*text == '\n') *text = ' ';
        if (used + strlen(at.full) + 2 + MORE < sizeof task->names && more == 0)
            used += (size_t)snprintf(task->names + used, sizeof task->names - used, "%c%s\n", mark,
                                     at.full);
        else
            more++;
    }
    if (more > 0)
        snprintf(task->names + used, sizeof task->names - used, "%c%llu more\n",
                 SSIMCU_CHANNEL_CANNOT, more);
}

static ssimcu_status no_channels(struct ssimcu_exr_task *task, const struct search *search)
{
    const struct exr_file *file = search->file;
    const bool asked = task->layer || task->channels;
    if (!asked && has_chroma(&file->part[0]))
        FAIL_EXR(UNSUPPORTED, "EXR of luminance and chroma (Y, RY, BY) is not supported");
    if (search->in_layer > 0)
        FAIL_EXR(
            UNSUPPORTED,
            "EXR without R, G, B or X, Y, Z in %.60s, whose %u channels are compared one by one",
            task->layer, search->in_layer);
    FAIL_EXR(UNSUPPORTED, "EXR without %s%.100s%s%.100s", asked ? "" : "channels R, G, B",
             task->layer ? task->layer : "", task->layer && task->channels ? "." : "",
             task->channels ? task->channels : "");
}

ssimcu_status exr_choice_make(struct ssimcu_exr_task *task, const struct exr_file *file,
                              struct ssimcu_exr_picture *picture)
{
    struct search search = {.file = file, .picture = picture};
    struct wish wish = {0};
    TRY(split_names(task, &wish));
    bool data = false;
    const bool found = find(task, &search, &wish, &data);
    task->facts.numbers = data;
    list_channels(task, file, picture);
    if (!found) return no_channels(task, &search);
    const struct exr_part *part = &file->part[picture->part];
    if (part->deep) FAIL_EXR(UNSUPPORTED, "deep EXR is not supported");
    for (uint32_t c = 0; c < picture->count; c++)
        if (is_subsampled(&search.channel[c]))
            FAIL_EXR(UNSUPPORTED, "EXR with the subsampled channel %.100s is not supported",
                     search.channel[c].name);
    picture->tiled = part->tiled;
    return SSIMCU_OK;
}
