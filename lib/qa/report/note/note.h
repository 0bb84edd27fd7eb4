/* The verdict as Markdown, for a comment on a change: what fails, where, by how much of its limit,
 * and pictures of the worst. The pictures lie in a folder beside the file. */
#ifndef SSIMCU_QA_NOTE_H
#define SSIMCU_QA_NOTE_H

#include "source/source.h"
#include "verdict/verdict.h"

enum {
    NOTE_ROWS = 30,    /* frames of the table, at most: those that are furthest beyond a limit */
    NOTE_PICTURES = 4, /* the first of them, which have pictures */
    NOTE_BYTES = 60000 /* the size of a picture, at most */
};

/* What is kept of the frames that fail; nothing but zeros: none. */
struct note {
    struct note_frame {
        int64_t frame;
        char *part, *variant, *what; /* own; `what`: all that is wrong with it */
        double excess;               /* INFINITY: it was not judged, is missing or failed */
        bool scored;
        ssimcu_tile place; /* width 0: none */
    } frame[NOTE_ROWS];    /* the furthest first */
    size_t count;
    uint64_t all; /* how many fail */
    bool out_of_memory;
};

/* Adds a frame, in order. If memory runs out, note_write says so. */
void note_add(struct note *note, const struct record *record, const struct judged *judged);
void note_free(struct note *note);

/* What the file says beside them, and what its pictures are made from. */
struct note_run {
    const char *ref, *out; /* names as they were given; NULL: none, as of a list */
    const struct verdict *verdict;
    const struct summary *summary;
    const char *pictures; /* the folder */
    const char *way;      /* the way to it from the file */
    const struct source_input *input;
    const ssimcu_settings *settings;
    uint64_t memory_bytes;
};

extern const struct draft_kind note_kind; /* what a note may replace */

/* Writes the pictures, if a frame fails whose files can be read, and then the file, under a
 * temporary name first. Errors: WRITE, MEMORY. */
ssimcu_status note_write(const struct note *note, const char *path, const struct note_run *run,
                         ssimcu_message *message);

/* Writes that a run came to no verdict, and why. Errors: WRITE, MEMORY. */
ssimcu_status note_write_end(const char *path, const char *why, ssimcu_message *message);

/* ---- note_pictures.c ------------------------------------------------------------------------- */

/* A frame's pictures: before, after and their difference, as names in the folder; "": none. */
struct note_pictures {
    const struct note_frame *frame;
    char name[3][48];
    double times;  /* factor of the difference */
    char why[256]; /* reason why there are none */
};

/* Makes them for the first frames that were scored. Returns how many in *count. If there are none,
 * an earlier folder stays. Errors: WRITE, MEMORY. */
ssimcu_status note_pictures_make(const struct note *note, const struct note_run *run,
                                 struct note_pictures made[NOTE_PICTURES], size_t *count,
                                 ssimcu_message *message);

#endif
