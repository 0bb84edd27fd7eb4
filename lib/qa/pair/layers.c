#define _GNU_SOURCE /* vasprintf */
#include "pair/layers.h"

#include "base/refuse.h"
#include "base/text.h"
#include "image/channels.h"
#include "record/record_types.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- Names of channels ----------------------------------------------------------------------- */

/* Does the same as names_find, but ignores case if there is no exact match: r, g and b are colours,
 * too. */
static long find_word(const struct names *names, const char *name)
{
    const long exact = names_find(names, name);
    for (size_t i = 0; exact < 0 && i < names->count; i++)
        if (strcasecmp(names->name[i], name) == 0) return (long)i;
    return exact;
}

/* Adds the names of a list that have this mark and can be requested. */
static bool add_list(struct names *names, const char *list, char mark)
{
    bool good = true;
    for (const char *line = list; line && *line && good; line += strcspn(line, "\n") + 1) {
        const size_t length = strcspn(line, "\n") - 1;
        if (line[0] == mark && !memchr(line + 1, ',', length))
            good = names_add(names, line + 1, length);
    }
    return good;
}

/* ---- Layers ---------------------------------------------------------------------------------- */

static void free_layer(struct layer *layer)
{
    free(layer->name);
    free(layer->layer);
    free(layer->channels);
    free(layer->levels);
}

/* Adds a layer and takes its texts. If a required text is NULL or memory runs out, it frees the
 * texts and returns false. */
static bool add_layer(struct layers *layers, struct layer layer, bool reads)
{
    struct layer *grown =
        layer.name && reads ? realloc(layers->layer, (layers->count + 1) * sizeof *grown) : NULL;
    if (grown) {
        layers->layer = grown;
        layers->layer[layers->count++] = layer;
        return true;
    }
    free_layer(&layer);
    return false;
}

SSIMCU_PRINTF(1, 2) static char *print(const char *format, ...)
{
    char *text;
    va_list arguments;
    va_start(arguments, format);
    if (vasprintf(&text, format, arguments) < 0) text = NULL;
    va_end(arguments);
    return text;
}

/* Returns the length of a name's layer, including the dot after it; 0: no layer. */
static size_t layer_length(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot ? (size_t)(dot - name) + 1 : 0;
}

/* The words of three channels that form a layer. */
static const struct words {
    const char *word[3], *name;
    bool light;
} TRIPLES[] = {{{"R", "G", "B"}, "RGB", true},
               {{"red", "green", "blue"}, "RGB", true},
               {{"X", "Y", "Z"}, "XYZ", false}};

/* Finds the other two channels of a triple that begins at `at`. */
static bool find_triple(const struct names *names, size_t at, const struct words *words,
                        long place[3])
{
    const char *first = names->name[at];
    const size_t length = layer_length(first);
    if (strcasecmp(first + length, words->word[0]) != 0) return false;
    place[0] = (long)at;
    for (int c = 1; c < 3; c++) {
        char *other = print("%.*s%s", (int)length, first, words->word[c]);
        place[c] = other ? find_word(names, other) : -1;
        free(other);
        if (place[c] < 0) return false;
    }
    return true;
}

static bool add_triple(struct layers *layers, const struct names *names, const long place[3],
                       const struct words *words)
{
    char *const *name = names->name;
    const int length = (int)layer_length(name[place[0]]);
    struct layer layer = {.name = print("%.*s%s", length, name[place[0]], words->name)};
    if (words->light)
        layer.channels = print("%s,%s,%s", name[place[0]], name[place[1]], name[place[2]]);
    else
        layer.layer = strndup(name[place[0]], length > 0 ? (size_t)length - 1 : 0);
    return add_layer(layers, layer, layer.channels || layer.layer);
}

static bool add_single(struct layers *layers, const char *name)
{
    const struct layer layer = {
        .name = strdup(name), .channels = strdup(name), .exact = names_are_exact(name)};
    return add_layer(layers, layer, layer.channels != NULL);
}

/* ---- Cryptomatte ----------------------------------------------------------------------------- */

/* Finds the channels of a level: the ID and the coverage of two ranks. */
static bool find_level(const struct names *names, const char *prefix, int level, long place[4])
{
    static const char *const words[][4] = {{"R", "G", "B", "A"}, {"red", "green", "blue", "alpha"}};
    for (int w = 0; w < 2; w++) {
        int c = 0;
        for (; c < 4; c++) {
            char *name = print("%s%02d.%s", prefix, level, words[w][c]);
            place[c] = name ? find_word(names, name) : -1;
            free(name);
            if (place[c] < 0) break;
        }
        if (c == 4) return true;
    }
    return false;
}

/* Adds the channels of a level. The layer's `channels`, whose header describes the frames, are
 * three of the first level. */
static bool add_level(struct layer *layer, const struct names *names, const long place[4])
{
    char *const *name = names->name;
    char *levels = print("%s%s,%s,%s,%s\n", layer->levels ? layer->levels : "", name[place[0]],
                         name[place[1]], name[place[2]], name[place[3]]);
    free(layer->levels);
    layer->levels = levels;
    if (!layer->channels)
        layer->channels = print("%s,%s,%s", name[place[0]], name[place[1]], name[place[2]]);
    return layer->channels && levels;
}

/* Adds a layer of all levels that belong to a name. */
static bool add_crypto(struct layers *layers, const struct names *names, const char *first,
                       size_t length, bool *used)
{
    struct layer layer = {.name = strndup(first, length), .exact = true};
    bool good = layer.name != NULL;
    long place[4];
    for (int level = 0; good && find_level(names, layer.name, level, place); level++) {
        good = add_level(&layer, names, place);
        for (int c = 0; c < 4; c++) used[place[c]] = true;
    }
    if (good && !layer.channels) { /* its channels become layers themselves */
        free_layer(&layer);
        return true;
    }
    return add_layer(layers, layer, good);
}

static bool group_crypto(struct layers *layers, const struct names *names, bool *used)
{
    size_t length;
    int level;
    bool good = true;
    for (size_t i = 0; i < names->count && good; i++)
        if (!used[i] && names_are_crypto(names->name[i], &length, &level) && level == 0)
            good = add_crypto(layers, names, names->name[i], length, used);
    return good;
}

/* Adds the layers that these channels form. */
static bool group(struct layers *layers, const struct names *names)
{
    bool *used = calloc(names->count + 1, sizeof *used), good = used != NULL;
    good = good && group_crypto(layers, names, used);
    for (size_t t = 0; t < sizeof TRIPLES / sizeof TRIPLES[0]; t++)
        for (size_t i = 0; i < names->count && good; i++) {
            long place[3];
            if (used[i] || !find_triple(names, i, &TRIPLES[t], place) || used[place[1]] ||
                used[place[2]])
                continue;
            for (int c = 0; c < 3; c++) used[place[c]] = true;
            good = add_triple(layers, names, place, &TRIPLES[t]);
        }
    for (size_t i = 0; i < names->count && good; i++)
        if (!used[i]) good = add_single(layers, names->name[i]);
    free(used);
    return good;
}

/* Names the whole picture after its channels. */
static bool add_whole(struct layers *layers, const struct names *whole)
{
    if (whole->count == 0) return true;
    const char *first = whole->name[0];
    const struct layer layer = {.name = whole->count == 1
                                            ? strdup(first)
                                            : print("%.*sRGB", (int)layer_length(first), first)};
    return add_layer(layers, layer, true);
}

/* ---- Two files ------------------------------------------------------------------------------- */

/* Drops the preview pictures of Cryptomatte, and the channels of the whole picture. */
static void drop(struct names *rest, const struct names *whole)
{
    size_t kept = 0, length;
    int level;
    for (size_t i = 0; i < rest->count; i++)
        if ((names_are_crypto(rest->name[i], &length, &level) && level < 0) ||
            names_find(whole, rest->name[i]) >= 0)
            free(rest->name[i]);
        else
            rest->name[kept++] = rest->name[i];
    rest->count = kept;
}

/* Adds the channels of a file: those of the whole picture, and the others. */
static ssimcu_status read_names(const char *path, const ssimcu_image_options *options,
                                struct names *whole, struct names *rest, ssimcu_message *message)
{
    ssimcu_image_options any = *options;
    ssimcu_image *image = NULL;
    ssimcu_message first = {{0}};
    ssimcu_status status;
    any.layer = any.channels = NULL;
    any.remark = NULL; /* it is reported when the pair is loaded */
    status = ssimcu_image_open(path, &any, &image, &first);
    const bool has_whole = status == SSIMCU_OK;
    any.channels = SSIMCU_CHANNELS_ANY;
    if (status == SSIMCU_ERROR_UNSUPPORTED) status = ssimcu_image_open(path, &any, &image, message);
    if (status != SSIMCU_OK) return ssimcu_fail(message, status, "%s", first.text);
    const char *list = ssimcu_image_channels(image);
    const bool good = (!has_whole || add_list(whole, list, SSIMCU_CHANNEL_READ)) &&
                      (has_whole || add_list(rest, list, SSIMCU_CHANNEL_READ)) &&
                      add_list(rest, list, SSIMCU_CHANNEL_LEFT);
    ssimcu_image_close(&image);
    return good ? SSIMCU_OK : no_memory(message);
}

/* Adds the names to the list of all compared channels. */
static bool note_compared(struct layers *layers, const struct names *names)
{
    bool good = true;
    for (size_t i = 0; i < names->count && good; i++)
        good = names_add(&layers->compared, names->name[i], strlen(names->name[i]));
    return good;
}

ssimcu_status layers_find(const char *const path[2], const ssimcu_image_options *options,
                          struct layers *layers, ssimcu_message *message)
{
    struct names whole = {0}, rest = {0};
    ssimcu_status status = SSIMCU_OK;
    *layers = (struct layers){0};
    for (int s = 0; s < 2 && status == SSIMCU_OK; s++)
        if (path[s]) status = read_names(path[s], options, &whole, &rest, message);
    drop(&rest, &whole);
    if (status == SSIMCU_OK && !(add_whole(layers, &whole) && group(layers, &rest) &&
                                 note_compared(layers, &whole) && note_compared(layers, &rest)))
        status = ssimcu_no_memory(message, "the layers");
    names_free(&whole);
    names_free(&rest);
    if (status == SSIMCU_OK && layers->count == 0)
        status =
            ssimcu_fail(message, SSIMCU_ERROR_UNSUPPORTED,
                        "--layers: %.200s is not an EXR, or has no channel that can be compared",
                        path[0] ? path[0] : path[1]);
    return status;
}

bool layers_leave(const struct layers *layers, const char *const list[2], struct record *record)
{
    char *copy[2] = {NULL, NULL};
    bool good = true;
    for (int s = 0; s < 2 && good; s++) {
        if (list[s] && !(copy[s] = strdup(list[s]))) good = false;
        for (char *line = copy[s]; line && *line;) {
            char *end = line + strcspn(line, "\n");
            const char kept = *end;
            *end = '\0';
            if (line[0] == SSIMCU_CHANNEL_LEFT && names_find(&layers->compared, line + 1) >= 0)
                line[0] = SSIMCU_CHANNEL_READ;
            *end = kept;
            line = kept ? end + 1 : end;
        }
    }
    good = good && record_leave(record, (const char *const[2]){copy[0], copy[1]});
    free(copy[0]);
    free(copy[1]);
    return good;
}

void layers_free(struct layers *layers)
{
    for (size_t i = 0; i < layers->count; i++) free_layer(&layers->layer[i]);
    free(layers->layer);
    names_free(&layers->compared);
    *layers = (struct layers){0};
}

/* ---- Many pairs ------------------------------------------------------------------------------ */

/* Returns the place of a layer that is read in the same way; the number of layers: there is
 * none. */
static size_t find_same(const struct layers *all, const struct layer *layer)
{
    size_t k = 0;
    for (; k < all->count; k++) {
        const struct layer *other = &all->layer[k];
        if (text_same(other->name, layer->name) && text_same(other->layer, layer->layer) &&
            text_same(other->channels, layer->channels) && text_same(other->levels, layer->levels))
            break;
    }
    return k;
}

bool layers_join(struct layers *all, struct layers *own, size_t *place)
{
    bool good = true;
    const size_t before = all->count;
    for (size_t k = 0; k < own->count && good; k++) {
        place[k] = find_same(all, &own->layer[k]);
        if (place[k] < all->count) continue;
        good = add_layer(all, own->layer[k], true);
        own->layer[k] = (struct layer){0};
    }
    return good && (all->count == before || note_compared(all, &own->compared));
}

size_t layers_with_levels(const struct layers *all, size_t k, const size_t *place, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct layer *layer = &all->layer[place[i]], *first = &all->layer[k];
        if (strcmp(layer->name, first->name) == 0 && layer->levels && first->levels &&
            strlen(layer->levels) > strlen(first->levels))
            return place[i];
    }
    return k;
}
