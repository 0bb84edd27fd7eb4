#include "source/noref_shots.h"

#include "base/refuse.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

/* ---- Files ----------------------------------------------------------------------------------- */

static int by_part(const void *a, const void *b)
{
    const struct noref_item *x = a, *y = b;
    const int order = strcmp(x->shot, y->shot);
    return order ? order : (x->place > y->place) - (x->place < y->place);
}

static int by_first(const void *a, const void *b)
{
    const struct noref_item *x = a, *y = b;
    if (x->first != y->first) return x->first < y->first ? -1 : 1;
    if (x->number != y->number) return x->number < y->number ? -1 : 1;
    return strcmp(x->path, y->path);
}

/* Drops files that were named twice. Returns how many are left. */
static size_t drop_twice(struct noref_item *item, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (kept > 0 && strcmp(item[kept - 1].path, item[i].path) == 0)
            free(item[i].path), free(item[i].shot), free(item[i].why);
        else
            item[kept++] = item[i];
    return kept;
}

/* Sorts the files. Returns the number of sequences. */
static size_t sort(struct noref_item *item, size_t *count)
{
    size_t sequences = 0;
    for (size_t i = 0; i < *count; i++) item[i].place = i;
    qsort(item, *count, sizeof *item, by_part);
    for (size_t i = 0; i < *count; i++) {
        const bool begins = i == 0 || strcmp(item[i].shot, item[i - 1].shot) != 0;
        item[i].first = begins ? item[i].place : item[i - 1].first;
        sequences += begins;
    }
    qsort(item, *count, sizeof *item, by_first);
    *count = drop_twice(item, *count);
    return sequences;
}

/* ---- Layers ---------------------------------------------------------------------------------- */

/* Finds the first readable EXR, or, with `step` -1, the last one. *path is NULL if no file that was
 * tried is one. */
static ssimcu_status find_exr(const struct noref_item *item, const struct noref_shot *shot,
                              const ssimcu_image_options *options, int step, const char **path,
                              ssimcu_message *message)
{
    enum { TRIED = 8 };
    size_t at = step > 0 ? shot->first : shot->first + shot->files - 1;
    for (size_t i = 0; i < shot->files && i < TRIED && !shot->video; i++, at += (size_t)step) {
        const char *const one[2] = {item[at].path, NULL};
        struct layers layers;
        ssimcu_message ignored = {{0}};
        const ssimcu_status status = layers_find(one, options, &layers, &ignored);
        layers_free(&layers);
        if (status == SSIMCU_ERROR_MEMORY) return no_memory(message);
        if (status != SSIMCU_OK) continue;
        *path = one[0];
        return SSIMCU_OK;
    }
    return SSIMCU_OK;
}

static ssimcu_status find(const struct noref_item *item, const struct noref_shot *shot,
                          const ssimcu_image_options *options, struct layers *layers,
                          ssimcu_message *message)
{
    const char *path[2] = {NULL, NULL};
    ssimcu_message why = {{0}};
    *layers = (struct layers){0};
    TRY(find_exr(item, shot, options, 1, &path[0], message));
    if (!path[0]) return SSIMCU_OK;
    TRY(find_exr(item, shot, options, -1, &path[1], message));
    const ssimcu_status status = layers_find(path, options, layers, &why);
    return status == SSIMCU_ERROR_MEMORY ? no_memory(message) : SSIMCU_OK;
}

/* Adds a sequence for each layer of a sequence, or the sequence itself if it has none. */
static bool add(const struct noref_shot *shot, const struct layers *layers, struct noref_shot *to,
                size_t *count)
{
    if (layers->count == 0) to[(*count)++] = *shot;
    for (size_t i = 0; i < layers->count; i++) {
        struct noref_shot *made = &to[(*count)++];
        *made = *shot;
        made->reads = &layers->layer[i];
        made->layers = layers;
        made->further = i > 0;
        made->own = text_join(shot->name, ":", made->reads->name, "");
        made->name = made->own;
        if (!made->own) return false;
    }
    return true;
}

static ssimcu_status spread(const struct noref_item *item, const ssimcu_image_options *options,
                            struct noref_made *made, ssimcu_message *message)
{
    size_t all = 0, count = 0;
    made->layers = calloc(made->count, sizeof *made->layers);
    if (!made->layers) return no_memory(message);
    for (size_t i = 0; i < made->count; i++) {
        made->layered = i + 1;
        TRY(find(item, &made->sequence[i], options, &made->layers[i], message));
        all += made->layers[i].count > 0 ? made->layers[i].count : 1;
    }
    struct noref_shot *spread = calloc(all, sizeof *spread);
    bool good = spread != NULL;
    for (size_t i = 0; i < made->count && good; i++)
        good = add(&made->sequence[i], &made->layers[i], spread, &count);
    if (spread) {
        free(made->sequence);
        made->sequence = spread;
        made->count = count;
    }
    return good ? SSIMCU_OK : no_memory(message);
}

/* ---- Sequences ------------------------------------------------------------------------------- */

static int by_name(const void *a, const void *b)
{
    const struct noref_shot *x = a, *y = b;
    return strcmp(x->name, y->name);
}

/* Adds an item to its sequence. An empty item comes first and has no file. */
static void add_item(const struct noref_items *items, size_t at, struct noref_shot *shot)
{
    const struct noref_item *item = &items->item[at];
    if (!shot->name) shot->name = item->shot, shot->first = at;
    shot->video = shot->video || item->video;
    shot->numbered = shot->numbered || item->number >= 0 || item->empty;
    shot->empty = item->empty;
    if (item->empty)
        shot->first++;
    else
        shot->files++;
}

ssimcu_status noref_make(struct noref_items *items, const ssimcu_image_options *layers,
                         struct noref_made *made, ssimcu_message *message)
{
    const struct noref_item *item = items->item;
    if (items->count == 0) return SSIMCU_OK;
    const size_t sequences = sort(items->item, &items->count);
    made->sequence = calloc(sequences, sizeof *made->sequence);
    if (!made->sequence) return no_memory(message);
    made->count = sequences;
    for (size_t i = 0, at = 0; i < items->count; i++) {
        if (i > 0 && item[i].first != item[i - 1].first) at++;
        add_item(items, i, &made->sequence[at]);
    }
    for (size_t i = 0; i < sequences; i++) made->sequence[i].numbered &= !made->sequence[i].video;
    if (layers) TRY(spread(item, layers, made, message));
    qsort(made->sequence, made->count, sizeof *made->sequence, by_name);
    return SSIMCU_OK;
}

void noref_made_free(struct noref_made *made)
{
    for (size_t i = 0; i < made->layered; i++) layers_free(&made->layers[i]);
    free(made->layers);
    for (size_t i = 0; i < made->count; i++) free(made->sequence[i].own);
    free(made->sequence);
    *made = (struct noref_made){0};
}
