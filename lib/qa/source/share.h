/* Shares and chunks: which pairs of an input a run takes, and which of those a reader takes. */
#pragma once

#include "source/source.h"

#include <pthread.h>

enum { CHUNKS_AT_WORK = 1024 /* more than readers_window allows */ };

/* Chunks of equal length, for readers that go through one input side by side. A reader at the end
 * of its chunk takes the next free one. If frames are listed, chunks without listed frames do not
 * count. */
struct chunks {
    pthread_mutex_t lock;
    uint32_t length;
    uint32_t *of;  /* the chunk of each listed frame; NULL: all frames are requested */
    uint64_t next; /* number of chunks taken, and so the next one to take, from 0 */
    uint32_t taker[CHUNKS_AT_WORK]; /* reader of chunk n, at n modulo the array's size */
    uint32_t turn; /* number of the reader that opens its decoders on a GPU, from 1; 0: none */
    bool waits[SOURCE_MOST_READERS]; /* readers that wait for that turn */
    pthread_cond_t opened;
};

void share_init(struct chunks *chunks);
void share_destroy(struct chunks *chunks);

/* A reader opens its decoders on a GPU between these calls. Readers take turns, because the driver
 * opens one decoder at a time, on any GPU. A decoder for REF is no use without one for OUT. Of the
 * waiting readers, the one with the lowest number is next. share_begin_opening waits for the
 * reader's turn, and returns at once if it has come. share_end_opening ends it if it has come. */
void share_begin_opening(struct chunks *chunks, uint32_t reader);
void share_end_opening(struct chunks *chunks, uint32_t reader);

/* Notes the chunk of each listed frame. Returns false if memory ran out. */
bool share_number(struct chunks *chunks, const ssimcu_ranges *frames);

/* Returns the chunk of the pair at `position`, which may be the end of the list. */
uint64_t share_chunk(const struct source_input *input, uint64_t position);

/* Takes the next chunk for this reader. Returns how many are then taken. */
uint64_t share_take(struct chunks *chunks, uint32_t reader);

/* Return the position of a share's pair by its index, and the index of the pair at a position. */
uint64_t share_position(const struct source_input *input, uint64_t index);
uint64_t share_index(const struct source_input *input, uint64_t position);

/* Returns how many of `count` pairs are in the share. */
uint64_t share_count(const struct source_input *input, uint64_t count);

/* Returns whether the pair at `position` is in the requested share. */
bool share_has(const struct source_input *input, uint64_t position);

/* A digest of the names and numbers of all frames that a source found, including those of other
 * shares. All shares of a batch must have found the same files. */
struct source_digest {
    uint64_t count;
    uint32_t crc;
};

/* Adds a file. */
void source_digest_file(struct source_digest *digest, int64_t number, const char *path);

/* Writes the digest of a source's REF and one OUT (from 0), such as "1200-9f3a2b1c". It is "" if
 * the source reads standard input, or a list that can be read only once. */
enum { SOURCE_DIGEST = 32 };
void source_digest(const struct source *source, uint32_t out, char text[SOURCE_DIGEST]);
