#include "source/alone_layers.h"

#include "base/refuse.h"
#include "base/text.h"

#include <stdlib.h>

/* Finds the first file, or, of `step` -1, the last that is an EXR and can be read. *path is NULL if
 * none of those that are tried is. */
static ssimcu_status find_exr(const struct alone_files *files, const struct alone_sequence *own,
                              int step, const char **path, ssimcu_message *message)
{
    enum { TRIED = 8 };
    size_t at = step > 0 ? own->first : own->first + own->files - 1;
    for (size_t i = 0; i < own->files && i < TRIED && !own->video; i++, at += (size_t)step) {
        const char *const one[2] = {files->path(files->source, at), NULL};
        struct layers layers;
        ssimcu_message ignored = {{0}};
        const ssimcu_status status =
            layers_find(one, files->source->input->limits, &layers, &ignored);
        layers_free(&layers);
        if (status == SSIMCU_ERROR_MEMORY) return no_memory(message);
        if (status != SSIMCU_OK) continue;
        *path = one[0];
        return SSIMCU_OK;
    }
    return SSIMCU_OK;
}

static ssimcu_status find(const struct alone_files *files, const struct alone_sequence *own,
                          struct layers *layers, ssimcu_message *message)
{
    const char *path[2] = {NULL, NULL};
    ssimcu_message why = {{0}};
    *layers = (struct layers){0};
    ssimcu_status status = find_exr(files, own, 1, &path[0], message);
    if (status == SSIMCU_OK && path[0]) status = find_exr(files, own, -1, &path[1], message);
    if (status != SSIMCU_OK || !path[0]) return status;
    status = layers_find(path, files->source->input->limits, layers, &why);
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

ssimcu_status alone_layers_spread(const struct alone_files *files,
                                  struct alone_sequence **sequences, size_t *count,
                                  struct alone_layers *layers, ssimcu_message *message)
{
    const size_t plain = *count;
    size_t all = 0, made = 0;
    ssimcu_status status = SSIMCU_OK;
    layers->of = calloc(plain + 1, sizeof *layers->of);
    if (!layers->of) return no_memory(message);
    for (size_t i = 0; i < plain && status == SSIMCU_OK; i++) {
        status = find(files, &(*sequences)[i], &layers->of[i], message);
        layers->count = i + 1;
        all += layers->of[i].count > 0 ? layers->of[i].count : 1;
    }
    if (status != SSIMCU_OK) return status;
    struct alone_sequence *spread = calloc(all + 1, sizeof *spread);
    bool good = spread != NULL;
    for (size_t i = 0; i < plain && good; i++)
        good = add(&(*sequences)[i], &layers->of[i], spread, &made);
    if (spread) {
        free(*sequences);
        *sequences = spread;
        *count = made;
    }
    return good ? SSIMCU_OK : no_memory(message);
}

void alone_layers_free(struct alone_layers *layers)
{
    for (size_t i = 0; i < layers->count; i++) layers_free(&layers->of[i]);
    free(layers->of);
    *layers = (struct alone_layers){0};
}
