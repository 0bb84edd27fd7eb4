#include "source/share.h"

#include "source/kind.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

void share_init(struct chunks *chunks)
{
    pthread_mutex_init(&chunks->lock, NULL);
    pthread_cond_init(&chunks->opened, NULL);
}

void share_destroy(struct chunks *chunks)
{
    pthread_cond_destroy(&chunks->opened);
    pthread_mutex_destroy(&chunks->lock);
    free(chunks->of);
}

/* Returns whether a reader before this one waits. Readers are spread over the GPUs in turn. */
static bool one_waits(const struct chunks *chunks, uint32_t reader)
{
    while (reader > 0)
        if (chunks->waits[--reader]) return true;
    return false;
}

void share_begin_opening(struct chunks *chunks, uint32_t reader)
{
    pthread_mutex_lock(&chunks->lock);
    chunks->waits[reader] = true;
    while (chunks->turn != reader + 1 && (chunks->turn > 0 || one_waits(chunks, reader)))
        pthread_cond_wait(&chunks->opened, &chunks->lock);
    chunks->waits[reader] = false;
    chunks->turn = reader + 1;
    pthread_mutex_unlock(&chunks->lock);
}

void share_end_opening(struct chunks *chunks, uint32_t reader)
{
    pthread_mutex_lock(&chunks->lock);
    if (chunks->turn == reader + 1) {
        chunks->turn = 0;
        pthread_cond_broadcast(&chunks->opened);
    }
    pthread_mutex_unlock(&chunks->lock);
}

bool share_has(const struct source_input *input, uint64_t position)
{
    if (input->end > 0) return position >= input->begin && position < input->end;
    return position % input->shards == input->shard - 1;
}

uint64_t share_position(const struct source_input *input, uint64_t index)
{
    return input->end > 0 ? input->begin + index : index * input->shards + input->shard - 1;
}

uint64_t share_index(const struct source_input *input, uint64_t position)
{
    return input->end > 0 ? position - input->begin : position / input->shards;
}

uint64_t share_count(const struct source_input *input, uint64_t count)
{
    if (input->end == 0) return (count - input->shard + input->shards) / input->shards;
    if (count > input->end) count = input->end;
    return count > input->begin ? count - input->begin : 0;
}

bool share_number(struct chunks *chunks, const ssimcu_ranges *frames)
{
    const int64_t length = chunks->length;
    chunks->of = calloc(frames->count + 1, sizeof *chunks->of);
    for (size_t i = 1; chunks->of && i < frames->count; i++) {
        const bool same = frames->number[i] / length == frames->number[i - 1] / length;
        chunks->of[i] = chunks->of[i - 1] + !same;
    }
    return chunks->of != NULL;
}

uint64_t share_chunk(const struct source_input *input, uint64_t position)
{
    const struct chunks *all = input->chunks;
    const uint64_t count = all->of ? input->frames->count : 0;
    if (!all->of) return position / all->length;
    return position < count ? all->of[position] : count > 0 ? all->of[count - 1] + 1u : 0;
}

uint64_t share_take(struct chunks *chunks, uint32_t reader)
{
    pthread_mutex_lock(&chunks->lock);
    chunks->taker[chunks->next % CHUNKS_AT_WORK] = reader;
    const uint64_t next = ++chunks->next;
    pthread_mutex_unlock(&chunks->lock);
    return next;
}

/* ---- The digest ------------------------------------------------------------------------------ */

static void add(struct source_digest *digest, const void *bytes, size_t length)
{
    digest->crc = (uint32_t)crc32(digest->crc, bytes, (uInt)length);
}

void source_digest_file(struct source_digest *digest, int64_t number, const char *path)
{
    digest->count++;
    add(digest, &number, sizeof number);
    add(digest, path, strlen(path) + 1);
}

/* Adds the content of a list. A list that can be read only once is left to the run and has no
 * digest. Returns whether there is one. */
static bool add_list(struct source_digest *digest, const char *path)
{
    char bytes[1 << 14];
    struct stat info;
    FILE *from = stat(path, &info) == 0 && S_ISREG(info.st_mode) ? fopen(path, "re") : NULL;
    for (size_t got; from && (got = fread(bytes, 1, sizeof bytes, from)) > 0;) {
        add(digest, bytes, got);
        digest->count += got;
    }
    if (from) (void)fclose(from);
    return from != NULL;
}

/* Adds the files of REF, or of an OUT. */
static void add_side(struct source_digest *digest, const struct source *source, uint32_t side)
{
    const struct source_input *input = source->input;
    const ssimcu_sequence *files = source->kind->files ? source->kind->files(source, side) : NULL;
    const char *path = side == 0 ? input->path[0] : kind_out_path(input, side - 1);
    for (size_t i = 0; files && i < files->count; i++)
        source_digest_file(digest, files->file[i].number, files->file[i].path);
    if (!files || files->count == 0) source_digest_file(digest, -1, path);
}

void source_digest(const struct source *source, uint32_t out, char text[SOURCE_DIGEST])
{
    const struct source_input *input = source->input;
    struct source_digest digest = {0};
    text[0] = '\0';
    for (int side = 0; side < 2; side++)
        if (input->path[side] && strcmp(input->path[side], "-") == 0) return;
    if (source->kind->digest) {
        source->kind->digest(source, &digest);
    } else if (input->list) {
        if (!add_list(&digest, input->list)) return;
    } else {
        add_side(&digest, source, 0);
        add_side(&digest, source, out + 1);
    }
    snprintf(text, SOURCE_DIGEST, "%" PRIu64 "-%08" PRIx32, digest.count, digest.crc);
}
