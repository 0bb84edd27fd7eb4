/* What a page shows of the lines of results. Its size has a limit, whatever is found. */
#ifndef SSIMCU_QA_CHECK_PAGE_COLLECT_H
#define SSIMCU_QA_CHECK_PAGE_COLLECT_H

#include "base/json.h"
#include "report/folder/inputs.h"
#include "report/frames/pictures.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    COLLECT_FAILING = 4000, /* findings that fail which are kept, at most */
    COLLECT_OTHERS = 1000,  /* those that do not */
    COLLECT_OF_KIND = 200,  /* findings of one kind in one sequence */
    COLLECT_KINDS = 32,     /* names of kinds */
    COLLECT_STRIP = 300     /* places of a sequence's strip */
};

/* A frame that can be read: the one of a finding, and those beside it. */
struct collected_frame {
    char *path;    /* own; NULL: there is none */
    int64_t frame; /* number; -1: none */
};

enum { BEFORE, HERE, BEHIND, BESIDE };

struct collected_finding {
    size_t sequence; /* place in the list */
    size_t rank;     /* place among those of its kind in its sequence, from 0 */
    const char *kind;
    char *text; /* own */
    bool fails, unreadable;
    int64_t frame;                       /* -1: none */
    uint32_t x, y, width, height;        /* no width: the whole frame */
    struct collected_frame at[BESIDE];   /* HERE without path: frames that are missing */
    bool shown;                          /* it has a card of its own, with pictures */
    struct picture_file picture[BESIDE]; /* those that were made */
    struct picture_box box[BESIDE];      /* the place in them */
    char why[256];                       /* why one is lacking; "": none is */
};

struct collected_sequence {
    char *name;  /* own */
    char *layer; /* own; the layer of its EXRs that it is; NULL: none */
    uint64_t frames, read, missing, found, failed;
    int64_t first, last; /* numbers; -1: none */
    /* What is found at each place, which stands for `per` numbers: 0, 1, or 2 if it fails; own;
     * NULL: nothing is found. */
    uint8_t *strip;
    int64_t per;
};

/* A kind by its name, and how many findings of it there are. */
struct collected_kind {
    char name[32];
    uint64_t failing, others;
    size_t rank; /* findings of it in the sequence that is read */
};

struct collected {
    struct collected_sequence *sequence;
    size_t sequences, sequence_room;
    struct collected_finding *finding;
    size_t findings, finding_room;
    struct collected_kind kind[COLLECT_KINDS];
    size_t kinds;
    uint64_t frames, read, missing, found, failed; /* frames of all sequences */
    uint64_t failing[2], kept[2]; /* findings, and those kept: that do not fail, that do */
    json_t *header, *summary;     /* own; NULL: there was no such line */
    size_t waiting;               /* the first finding that lacks the frame behind it */
    struct collected_frame last;  /* the last frame of the sequence that could be read */
    bool out_of_memory;
};

/* Takes a line of results, and adds its file to the inputs. */
void collect_line(struct collected *all, const char *line, struct inputs *inputs);

void collect_free(struct collected *all);

#endif
