/* The frames to render again: those of a check that fail. The list has a line for each shot: its
 * name, a space, and its frames as farms take them, such as "sh010/s.#.exr 1003-1005,1007-1011x2".
 * A file without a number has the word "all". A check without such frames has an empty list. */
#pragma once

#include "verdict/verdict.h"

struct rerender {
    struct rerender_run {
        size_t shot;               /* its index below */
        int64_t first, last, step; /* frames */
    } * run;                       /* owned */
    char **shot;                   /* owned; without their layers, in the order of the records */
    size_t count, room, shots, shots_room;
    bool out_of_memory;
};

/* Adds a frame if it fails. If memory runs out, rerender_write reports it. */
void rerender_add(struct rerender *list, const struct record *record, const struct judged *judged);

void rerender_free(struct rerender *list);

extern const struct atomic_file_kind rerender_kind; /* the files that a list may replace */

/* Writes the list to a file, first under a temporary name. Errors: WRITE, MEMORY. */
ssimcu_status rerender_write(struct rerender *list, const char *path, ssimcu_message *message);

/* Passes each line of the list to `take`. Errors: MEMORY, and those of `take`. */
ssimcu_status rerender_print(struct rerender *list,
                             ssimcu_status (*take)(void *user, const char *line), void *user,
                             ssimcu_message *message);
