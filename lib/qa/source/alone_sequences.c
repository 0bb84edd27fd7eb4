#include "source/alone_sequences.h"

#include "base/refuse.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

/* ---- Files ----------------------------------------------------------------------------------- */

static int by_part(const void *a, const void *b)
{
    const struct alone_item *x = a, *y = b;
    const int order = strcmp(x->part, y->part);
    return order ? order : (x->place > y->place) - (x->place < y->place);
}

static int by_first(const void *a, const void *b)
{
    const struct alone_item *x = a, *y = b;
    if (x->first != y->first) return x->first < y->first ? -1 : 1;
    if (x->number != y->number) return x->number < y->number ? -1 : 1;
    return strcmp(x->path, y->path);
}

/* Drops what is named twice: it would repeat itself. Returns how many are left. */
static size_t drop_twice(struct alone_item *item, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (kept > 0 && strcmp(item[kept - 1].path, item[i].path) == 0)
            free(item[i].path), free(item[i].part);
        else
            item[kept++] = item[i];
    return kept;
}

/* Sorts the files. Returns how many sequences they are. */
static size_t sort(struct alone_item *item, size_t *count)
{
    size_t sequences = 0;
    for (size_t i = 0; i < *count; i++) item[i].place = i;
    qsort(item, *count, sizeof *item, by_part);
    for (size_t i = 0; i < *count; i++) {
        const bool begins = i == 0 || strcmp(item[i].part, item[i - 1].part) != 0;
        item[i].first = begins ? item[i].place : item[i - 1].first;
        sequences += begins;
    }
    qsort(item, *count, sizeof *item, by_first);
    *count = drop_twice(item, *count);
    return sequences;
}

/* ---- Layers ---------------------------------------------------------------------------------- */

/* Finds the first file, or, of `step` -1, the last that is an EXR and can be read. *path is NULL if
 * none of those that are tried is. */
static ssimcu_status find_exr(const struct alone_item *item, const struct alone_sequence *own,
                              const ssimcu_image_options *options, int step, const char **path,
                              ssimcu_message *message)
{
    enum { TRIED = 8 };
    size_t at = step > 0 ? own->first : own->first + own->files - 1;
    for (size_t i = 0; i < own->files && i < TRIED && !own->video; i++, at += (size_t)step) {
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

static ssimcu_status find(const struct alone_item *item, const struct alone_sequence *own,
                          const ssimcu_image_options *options, struct layers *layers,
                          ssimcu_message *message)
{
    const char *path[2] = {NULL, NULL};
    ssimcu_message why = {{0}};
    *layers = (struct layers){0};
    ssimcu_status status = find_exr(item, own, options, 1, &path[0], message);
    if (status == SSIMCU_OK && path[0])
        status = find_exr(item, own, options, -1, &path[1], message);
    if (status != SSIMCU_OK || !path[0]) return status;
    status = layers_find(path, options, layers, &why);
    return status == SSIMCU_ERROR_MEMORY ? no_memory(message) : SSIMCU_OK;
}

/* Adds the sequences of a sequence's layers, or itself if it has none. */
static bool add(const struct alone_sequence *own, const struct layers *layers,
                struct alone_sequence *to, size_t *count)
{
    if (layers->count == 0) to[(*count)++] = *own;
    for (size_t i = 0; i < layers->count; i++) {
        struct alone_sequence *made = &to[(*count)++];
        *made = *own;
        made->reads = &layers->layer[i];
        made->further = i > 0;
        made->own = text_join(own->name, ":", made->reads->name, "");
        made->name = made->own;
        if (!made->own) return false;
    }
    return true;
}

static ssimcu_status spread(const struct alone_item *item, const ssimcu_image_options *options,
                            struct alone_made *made, ssimcu_message *message)
{
    size_t all = 0, count = 0;
    ssimcu_status status = SSIMCU_OK;
    made->layers = calloc(made->count, sizeof *made->layers);
    if (!made->layers) return no_memory(message);
    for (size_t i = 0; i < made->count && status == SSIMCU_OK; i++) {
        status = find(item, &made->sequence[i], options, &made->layers[i], message);
        made->layered = i + 1;
        all += made->layers[i].count > 0 ? made->layers[i].count : 1;
    }
    if (status != SSIMCU_OK) return status;
    struct alone_sequence *spread = calloc(all, sizeof *spread);
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

ssimcu_status alone_make(struct alone_item *item, size_t *count, const ssimcu_image_options *layers,
                         struct alone_made *made, ssimcu_message *message)
{
    if (*count == 0) return SSIMCU_OK;
    const size_t sequences = sort(item, count);
    made->sequence = calloc(sequences, sizeof *made->sequence);
    if (!made->sequence) return no_memory(message);
    made->count = sequences;
    for (size_t i = 0, at = 0; i < *count; i++) {
        if (i > 0 && item[i].first != item[i - 1].first) at++;
        struct alone_sequence *own = &made->sequence[at];
        if (own->files++ == 0) own->name = item[i].part, own->first = i;
        own->video = own->video || item[i].video;
    }
    return layers ? spread(item, layers, made, message) : SSIMCU_OK;
}

void alone_made_free(struct alone_made *made)
{
    for (size_t i = 0; i < made->layered; i++) layers_free(&made->layers[i]);
    free(made->layers);
    for (size_t i = 0; i < made->count; i++) free(made->sequence[i].own);
    free(made->sequence);
    *made = (struct alone_made){0};
}
