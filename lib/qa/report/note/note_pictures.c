/* The pictures of a note: small ones, in a separate folder with a page that lists them. By this
 * page, a later run recognises the folder. */
#include "report/note/note.h"

#include "base/text.h"
#include "fail.h"
#include "report/folder/contents.h"
#include "report/folder/folder.h"
#include "report/frames/pictures.h"

#include <stdlib.h>
#include <unistd.h>

enum { SIDE = 480 }; /* longer side of a picture, and of frames shown whole, in pixels */

static int by_frame(const void *a, const void *b)
{
    const struct picture *x = a, *y = b;
    return record_order(x->shot, x->frame, y->shot, y->frame);
}

/* Describes the pictures of the first scored frames. */
static size_t choose(const struct note *note, struct picture picture[NOTE_PICTURES])
{
    size_t count = 0;
    for (size_t i = 0; i < note->count && count < NOTE_PICTURES; i++) {
        const struct note_frame *frame = &note->frame[i];
        if (!frame->scored) continue;
        picture[count] = (struct picture){.frame = frame->frame,
                                          .shot = frame->shot,
                                          .number = (int64_t)i,
                                          .variant = frame->variant,
                                          .tile = frame->place,
                                          .views = true};
        count++;
    }
    qsort(picture, count, sizeof *picture, by_frame);
    return count;
}

static void remove_file(const char *folder, const struct picture_file *file)
{
    char *path = file->name[0] ? text_join(folder, "/", file->name, "") : NULL;
    if (path) unlink(path);
    free(path);
}

/* Keeps the three pictures of a frame: around the fault if the frame is large, else of the whole
 * frame. */
static void keep(const char *folder, const struct picture *picture, struct note_pictures *made)
{
    const bool cropped =
        picture->crop[PICTURE_OUT].name[0] &&
        (picture->whole[PICTURE_OUT].width >= SIDE || picture->whole[PICTURE_OUT].height >= SIDE);
    const struct picture_file *shown = cropped ? picture->crop : picture->whole,
                              *other = cropped ? picture->whole : picture->crop;
    static const int views[] = {PICTURE_REF, PICTURE_OUT, PICTURE_DIFFERENCE};
    for (int i = 0; i < 3; i++)
        snprintf(made->name[i], sizeof made->name[i], "%s", shown[views[i]].name);
    snprintf(made->why, sizeof made->why, "%s", picture->why);
    made->times = cropped ? picture->crop_times : picture->times;
    remove_file(folder, &shown[PICTURE_HEAT]);
    for (int view = 0; view < PICTURE_VIEWS; view++) remove_file(folder, &other[view]);
}

struct list {
    const struct note *note;
    const struct note_run *run;
    struct note_pictures *made;
    size_t count;
};

static bool put_page(FILE *to, const void *user)
{
    const struct list *list = user;
    fputs("<!doctype html>\n" CONTENTS_MARK " note\">\n<title>Pictures</title>\n", to);
    for (size_t i = 0; i < list->count; i++)
        for (int k = 0; k < 3 && list->made[i].name[k][0]; k++)
            fprintf(to, "<img alt=\"\" src=\"%s\">\n", list->made[i].name[k]);
    return true;
}

static int by_excess(const void *a, const void *b)
{
    const struct note_pictures *x = a, *y = b;
    return (x->frame > y->frame) - (x->frame < y->frame); /* the frames are in this order */
}

/* Makes the pictures in a draft of the folder. */
static ssimcu_status fill(void *user, const char *folder, bool *any, ssimcu_message *message)
{
    struct list *list = user;
    struct picture picture[NOTE_PICTURES];
    const struct note_run *run = list->run;
    ssimcu_settings settings = *run->settings;
    settings.device = SSIMCU_DEVICE_CPU; /* starting a GPU is not worthwhile for these */
    const struct pictures_config config = {.directory = folder,
                                           .input = run->input,
                                           .settings = &settings,
                                           .memory_bytes = run->memory_bytes,
                                           .most_side = SIDE,
                                           .most_bytes = NOTE_BYTES};
    list->count = choose(list->note, picture);
    *any = false;
    TRY(pictures_make(&config, picture, list->count, message));
    for (size_t i = 0; i < list->count; i++) {
        struct note_pictures *made = &list->made[i];
        *made = (struct note_pictures){.frame = &list->note->frame[picture[i].number]};
        keep(folder, &picture[i], made);
        *any = *any || made->name[0][0];
    }
    qsort(list->made, list->count, sizeof *list->made, by_excess);
    return SSIMCU_OK;
}

ssimcu_status note_pictures_make(const struct note *note, const struct note_run *run,
                                 struct note_pictures made[NOTE_PICTURES], size_t *count,
                                 ssimcu_message *message)
{
    struct list list = {note, run, made, 0};
    *count = 0;
    if (note->count == 0) return SSIMCU_OK;
    TRY(folder_check(run->pictures, message));
    TRY(folder_write(run->pictures, fill, put_page, &list, message));
    *count = list.count;
    return SSIMCU_OK;
}
