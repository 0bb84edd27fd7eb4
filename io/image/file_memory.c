#include "file_memory.h"

#include "release.h"

#include <stdlib.h>

void ssimcu_file_memory_start(struct ssimcu_file_memory *memory)
{
    memory->idle = NULL;
    pthread_mutex_init(&memory->lock, NULL);
}

void ssimcu_file_memory_end(struct ssimcu_file_memory *memory)
{
    for (struct ssimcu_file_piece *piece = memory->idle, *next; piece; piece = next) {
        next = piece->next;
        free(piece);
    }
    pthread_mutex_destroy(&memory->lock);
}

struct ssimcu_file_piece *ssimcu_file_memory_grow(struct ssimcu_file_piece *piece, size_t size)
{
    struct ssimcu_file_piece *const grown =
        size <= SIZE_MAX - sizeof *piece ? realloc(piece, sizeof *piece + size) : NULL;
    if (!grown) return NULL;
    grown->size = size;
    ssimcu_prefer_huge_pages(grown->bytes, size);
    return grown;
}

/* A block that is much too large is not used, because the memory of one huge file would never be
 * freed.
 */
static bool fits(const struct ssimcu_file_piece *piece, size_t size)
{
    return piece->size >= size && piece->size / 2 <= size;
}

/* Takes the first idle block that fits. If none fits, frees the largest. */
static struct ssimcu_file_piece *take_idle(struct ssimcu_file_memory *memory, size_t size)
{
    pthread_mutex_lock(&memory->lock);
    struct ssimcu_file_piece **link = &memory->idle, **largest = link;
    for (; *link && !fits(*link, size); link = &(*link)->next)
        if ((*link)->size > (*largest)->size) largest = link;
    if (!*link) link = largest;
    struct ssimcu_file_piece *piece = *link;
    if (piece) *link = piece->next;
    pthread_mutex_unlock(&memory->lock);
    if (!piece || fits(piece, size)) return piece;
    free(piece);
    return NULL;
}

struct ssimcu_file_piece *ssimcu_file_memory_take(struct ssimcu_file_memory *memory, size_t size)
{
    struct ssimcu_file_piece *const piece = memory ? take_idle(memory, size) : NULL;
    if (piece) return piece;
    /* The next file may be a little larger. */
    const size_t spare = memory && size / 8 <= SIZE_MAX - size ? size / 8 : 0;
    return ssimcu_file_memory_grow(NULL, size + spare);
}

void ssimcu_file_memory_give(struct ssimcu_file_memory *memory, struct ssimcu_file_piece *piece)
{
    if (!memory || !piece) {
        free(piece);
        return;
    }
    pthread_mutex_lock(&memory->lock);
    piece->next = memory->idle;
    memory->idle = piece;
    pthread_mutex_unlock(&memory->lock);
}
