/* The layers of many pairs, each once. */
#include "base/text.h"
#include "pair/layers.h"

#include <stdlib.h>
#include <string.h>

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

bool layers_join(struct layers *all, struct layers *own, size_t *place)
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

size_t layers_with_levels(const struct layers *all, size_t k, const size_t *place, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct layer *own = &all->layer[place[i]], *first = &all->layer[k];
        if (strcmp(own->name, first->name) == 0 && own->levels && first->levels &&
            strlen(own->levels) > strlen(first->levels))
            return place[i];
    }
    return k;
}
