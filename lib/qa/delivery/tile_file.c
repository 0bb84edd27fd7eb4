#include "delivery/tile_file.h"

#include "base/results.h"
#include "base/text.h"
#include "facts/record.h"
#include "floors/floors_file.h"
#include "floors/packed.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct tile_file {
    struct floors_writer *writer;
    pthread_mutex_t lock; /* guards what follows */
    struct kept {         /* values whose record has not come yet */
        char *part;
        int64_t frame;
        struct floor_values values;
    } * kept;
    size_t count, room;
};

ssimcu_status tile_file_open(const char *path, struct tile_file **file, ssimcu_message *message)
{
    struct tile_file *made = *file = calloc(1, sizeof *made);
    if (!made) return results_no_memory(message);
    pthread_mutex_init(&made->lock, NULL);
    return floors_writer_open(path, &made->writer, message);
}

static void free_kept(struct kept *kept)
{
    floor_values_free(&kept->values);
    free(kept->part);
}

/* Takes what is kept of a record. Returns false if there is nothing. */
static bool find(struct tile_file *file, const struct record *record, struct kept *found)
{
    bool any = false;
    pthread_mutex_lock(&file->lock);
    for (size_t i = 0; i < file->count && !any; i++) {
        struct kept *kept = &file->kept[i];
        any = record_order(kept->part, kept->frame, record->part, record->frame) == 0;
        if (!any) continue;
        *found = *kept;
        *kept = file->kept[--file->count];
    }
    pthread_mutex_unlock(&file->lock);
    return any;
}

ssimcu_status tile_file_put(struct tile_file *file, const struct record *record,
                            struct floor_values *values, ssimcu_message *message)
{
    char *part;
    const bool named = text_copy(&part, record->part);
    struct kept earlier;
    if (find(file, record, &earlier)) free_kept(&earlier); /* the pair was scored once more */
    pthread_mutex_lock(&file->lock);
    struct kept *grown = results_grow(file->kept, file->count, &file->room, sizeof *grown);
    const bool good = grown && named;
    if (grown) file->kept = grown;
    if (good) file->kept[file->count++] = (struct kept){part, record->frame, *values};
    pthread_mutex_unlock(&file->lock);
    if (good) return SSIMCU_OK;
    free(part);
    floor_values_free(values);
    return results_no_memory(message);
}

ssimcu_status tile_file_take(struct tile_file *file, const struct record *record,
                             ssimcu_message *message)
{
    struct kept kept;
    struct floor_frame packed;
    if (!find(file, record, &kept)) return SSIMCU_OK;
    ssimcu_status status = SSIMCU_OK;
    if (record->kind == RECORD_SCORED) {
        if (!floor_pack(&kept.values, &packed)) {
            status = results_no_memory(message);
        } else {
            status = floors_writer_add(file->writer, record->part, record->frame, &packed, message);
            floor_frame_free(&packed);
        }
    }
    free_kept(&kept);
    return status;
}

ssimcu_status tile_file_end(struct tile_file *file, ssimcu_message *message)
{
    return floors_writer_end(file->writer, message);
}

void tile_file_close(struct tile_file *file)
{
    if (!file) return;
    floors_writer_close(file->writer);
    for (size_t i = 0; i < file->count; i++) free_kept(&file->kept[i]);
    free(file->kept);
    pthread_mutex_destroy(&file->lock);
    free(file);
}
