/* The verdict as Markdown, for a comment on a change: the frames that fail, the limits and places,
 * and pictures of the worst. The pictures are in a folder next to the file. */
#pragma once

#include "source/source.h"
#include "verdict/verdict.h"

enum {
    NOTE_ROWS = 30,    /* most frames in the table: those furthest beyond a limit */
    NOTE_PICTURES = 4, /* number of them with pictures */
    NOTE_BYTES = 60000 /* largest picture */
};

/* The frames that fail; all zeros: none. */
struct note {
    struct note_frame {
        int64_t frame;
        char *shot, *variant, *what; /* owned; `what`: all its faults */
        double excess;               /* INFINITY: it is not judged, missing or failed */
        bool scored;
        ssimcu_tile place; /* width 0: none */
    } frame[NOTE_ROWS];    /* the furthest first */
    size_t count;
    uint64_t all; /* number of frames that fail */
    bool out_of_memory;
};

/* Adds a frame, in order. If memory runs out, note_write reports it. */
void note_add(struct note *note, const struct record *record, const struct judged *judged);
void note_free(struct note *note);

/* Other facts for the file, and the source of its pictures. */
struct note_run {
    const char *ref, *out; /* names as given; NULL for a list */
    const struct verdict *verdict;
    const struct summary *summary;
    const char *pictures; /* the folder */
    const char *way;      /* relative path from the file to the folder */
    const struct source_input *input;
    const ssimcu_settings *settings;
    uint64_t memory_bytes;
};

extern const struct atomic_file_kind note_kind; /* the files that a note may replace */

/* Writes the pictures, if a readable frame fails, and then the file, first under a temporary name.
 * Errors: WRITE, MEMORY. */
ssimcu_status note_write(const struct note *note, const char *path, const struct note_run *run,
                         ssimcu_message *message);

/* Writes that a run has no verdict, and why. Errors: WRITE, MEMORY. */
ssimcu_status note_write_end(const char *path, const char *why, ssimcu_message *message);

/* ---- note_pictures.c ------------------------------------------------------------------------- */

/* A frame's pictures: before, after and their difference, as names in the folder; "": none. */
struct note_pictures {
    const struct note_frame *frame;
    char name[3][48];
    double times;  /* factor of the difference */
    char why[256]; /* reason why there are no pictures */
};

/* Makes them for the first scored frames, and sets *count to their number. If there are none, an
 * earlier folder stays. Errors: WRITE, MEMORY. */
ssimcu_status note_pictures_make(const struct note *note, const struct note_run *run,
                                 struct note_pictures made[NOTE_PICTURES], size_t *count,
                                 ssimcu_message *message);
