/* Shares and stretches: which pairs of an input a run, and a reader of a run, takes. */
#ifndef SSIMCU_QA_SHARE_H
#define SSIMCU_QA_SHARE_H

#include "source/source.h"

#include <pthread.h>

enum { STRETCHES_AT_WORK = 1024 /* more than readers_window allows */ };

/* Frames in stretches of one length, for readers of the same input side by side. A reader at the
 * end of its stretch takes the next one that no reader has. If frames are listed, stretches without
 * any of them do not count. */
struct stretches {
    pthread_mutex_t lock;
    uint32_t length;
    uint32_t *of;  /* the stretch of each listed frame; NULL: all frames are asked for */
    uint64_t next; /* number of stretches taken so far; the next one to take, from 0 */
    uint32_t taker[STRETCHES_AT_WORK]; /* reader of stretch n, at n modulo the array's size */
    uint32_t turn; /* number of the reader that opens its decoders on a GPU, from 1; 0: none */
    bool waits[SOURCE_MOST_READERS]; /* readers that are ready to */
    pthread_cond_t opened;
};

void share_init(struct stretches *stretches);
void share_destroy(struct stretches *stretches);

/* Between these a reader opens its decoders on a GPU. Readers do so by turns, because the driver
 * opens one decoder after the other, of any GPU. One for REF is no use without one for OUT. Of the
 * readers that wait, the one with the lowest number is next. share_begin_opening waits for the
 * reader's turn, and returns at once if it has come. share_end_opening ends it if it has come. */
void share_begin_opening(struct stretches *stretches, uint32_t reader);
void share_end_opening(struct stretches *stretches, uint32_t reader);

/* Notes in which stretch each listed frame is. Returns false if memory ran out. */
bool share_number(struct stretches *stretches, const ssimcu_ranges *frames);

/* Returns the stretch of the pair at `position`, which may be the end of the list. */
uint64_t share_stretch(const struct source_input *input, uint64_t position);

/* Takes the next stretch for this reader. Returns how many are taken then. */
uint64_t share_take(struct stretches *stretches, uint32_t reader);

/* Returns the position of a share's pair of this index, and the index of the pair at a position. */
uint64_t share_position(const struct source_input *input, uint64_t index);
uint64_t share_index(const struct source_input *input, uint64_t position);

/* Returns how many of `count` pairs are in the share. */
uint64_t share_count(const struct source_input *input, uint64_t count);

/* Returns whether the pair at `position` is in the share that is asked for. */
bool share_has(const struct source_input *input, uint64_t position);

#endif
