/* The pairs of all layers of a sequence of EXRs. The layers of the first pair belong to every
 * frame. A layer that only other files have is compared where either side has it, so that a light
 * or a shot that comes later is not left out. */
#include "base/refuse.h"
#include "base/results.h"
#include "base/text.h"
#include "facts/record.h"
#include "source/pictures.h"

#include <stdlib.h>
#include <string.h>

static int by_part(const void *a, const void *b)
{
    const struct layered *x = a, *y = b;
    return record_order(x->part, x->pair.frame, y->part, y->pair.frame);
}

/* ---- The layers of all files ----------------------------------------------------------------- */

static bool same_text(const char *a, const char *b) { return a && b ? strcmp(a, b) == 0 : a == b; }

/* Returns the place of a layer that is read in the same way; their number: there is none. */
static size_t find_same(const struct layers *all, const struct layer *layer)
{
    size_t k = 0;
    for (; k < all->count; k++) {
        const struct layer *other = &all->layer[k];
        if (strcmp(other->name, layer->name) == 0 && same_text(other->layer, layer->layer) &&
            same_text(other->channels, layer->channels) && same_text(other->levels, layer->levels))
            break;
    }
    return k;
}

/* Adds a name to those that some layer has, if it is not there. Returns false if memory runs out.
 */
static bool add_compared(struct layers *all, const char *name)
{
    for (size_t i = 0; i < all->compared_count; i++)
        if (strcmp(all->compared[i], name) == 0) return true;
    char **grown = realloc(all->compared, (all->compared_count + 1) * sizeof *grown);
    if (!grown) return false;
    all->compared = grown;
    return text_copy(&grown[all->compared_count], name) && ++all->compared_count > 0;
}

/* Moves the layers of a pair to those of all pairs, unless they are there, and sets the place of
 * each. Returns false if memory runs out. */
static bool join(struct layers *all, struct layers *own, size_t *place)
{
    bool good = true;
    const size_t before = all->count;
    for (size_t k = 0; k < own->count && good; k++) {
        place[k] = find_same(all, &own->layer[k]);
        if (place[k] < all->count) continue;
        struct layer *grown = realloc(all->layer, (all->count + 1) * sizeof *grown);
        good = grown != NULL;
        if (!good) break;
        all->layer = grown;
        grown[all->count++] = own->layer[k];
        own->layer[k] = (struct layer){0};
    }
    for (size_t i = 0; i < own->compared_count && all->count > before && good; i++)
        good = add_compared(all, own->compared[i]);
    return good;
}

/* ---- The layers of a pair -------------------------------------------------------------------- */

/* Adds a pair of a layer. */
static ssimcu_status add(struct pictures *pictures, size_t *room, const struct layered *layered,
                         ssimcu_message *message)
{
    const char *tree = layered->pair.part, *name = pictures->layers.layer[layered->layer].name;
    const bool named = tree && strcmp(tree, ".") != 0;
    if (!results_grow(&pictures->layered, pictures->layered_count, room, sizeof *layered))
        return no_memory(message);
    struct layered *added = &pictures->layered[pictures->layered_count];
    *added = *layered;
    added->part = text_join(named ? tree : "", named ? "/" : "", name, "");
    if (!added->part) return no_memory(message);
    pictures->layered_count++;
    return SSIMCU_OK;
}

/* Returns the pair's own layer of the name of this one if it has more levels of a Cryptomatte than
 * the first pair, else this one. */
static size_t with_levels(const struct layers *all, size_t k, const size_t *place, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct layer *own = &all->layer[place[i]], *first = &all->layer[k];
        if (strcmp(own->name, first->name) == 0 && own->levels && first->levels &&
            strlen(own->levels) > strlen(first->levels))
            return place[i];
    }
    return k;
}

static bool has_name(const struct layers *all, size_t first, const char *name)
{
    for (size_t k = 0; k < first; k++)
        if (strcmp(all->layer[k].name, name) == 0) return true;
    return false;
}

/* Adds the pairs of a pair's layers: those of the first pair, of which there are `first`, and those
 * of its own at these places. */
static ssimcu_status add_pair(struct pictures *pictures, size_t *room, struct layered layered,
                              size_t first, const size_t *place, size_t count,
                              ssimcu_message *message)
{
    ssimcu_status status = SSIMCU_OK;
    const struct layers *all = &pictures->layers;
    for (size_t k = 0; k < first && status == SSIMCU_OK; k++) {
        layered.layer = with_levels(all, k, place, count);
        status = add(pictures, room, &layered, message);
        layered.unknown = false; /* one of its layers says it */
    }
    for (size_t i = 0; i < count && status == SSIMCU_OK; i++) {
        layered.layer = place[i];
        if (!has_name(all, first, all->layer[place[i]].name))
            status = add(pictures, room, &layered, message);
    }
    return status;
}

/* Adds the pairs of a pair's layers. If a file cannot be read, they are those of the first pair,
 * and fail. */
static ssimcu_status spread_pair(struct pictures *pictures, size_t *room, size_t first,
                                 const struct ssimcu_pair *pair, ssimcu_message *message)
{
    const char *const path[] = {pair->ref, pair->out};
    const ssimcu_image_options options = pictures_options(&pictures->base);
    struct layers own = {0};
    size_t *place = NULL;
    ssimcu_message ignored = {{0}};
    ssimcu_status status = SSIMCU_OK;
    if (path[0] && path[1]) status = layers_find(path, &options, &own, &ignored);
    const bool lost = status == SSIMCU_ERROR_MEMORY;
    const bool unknown = status != SSIMCU_OK && status != SSIMCU_ERROR_UNSUPPORTED;
    const size_t count = status == SSIMCU_OK ? own.count : 0;
    if (count > 0) place = calloc(count, sizeof *place);
    if (lost || (count > 0 && !(place && join(&pictures->layers, &own, place))))
        status = no_memory(message);
    else
        status = add_pair(pictures, room, (struct layered){.pair = *pair, .unknown = unknown},
                          first, place, count, message);
    free(place);
    layers_free(&own);
    return status;
}

ssimcu_status pictures_spread_layers(struct pictures *pictures, ssimcu_message *message)
{
    const ssimcu_pairs *pairs = &pictures->pairs;
    const ssimcu_image_options options = pictures_options(&pictures->base);
    size_t at = 0, room = 0;
    while (at < pairs->count && !pairs->pair[at].ref && !pairs->pair[at].out) at++;
    if (at == pairs->count) return SSIMCU_OK;
    const char *const path[] = {pairs->pair[at].ref, pairs->pair[at].out};
    ssimcu_status status = layers_find(path, &options, &pictures->layers, message);
    const size_t first = pictures->layers.count;
    for (size_t i = 0; i < pairs->count && status == SSIMCU_OK; i++)
        status = spread_pair(pictures, &room, first, &pairs->pair[i], message);
    if (status != SSIMCU_OK) return status;
    pictures->base.layers = (uint32_t)pictures->layers.count;
    qsort(pictures->layered, pictures->layered_count, sizeof *pictures->layered, by_part);
    return SSIMCU_OK;
}
