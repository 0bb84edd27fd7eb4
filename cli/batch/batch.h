/* A batch: many pairs of frames, read and scored side by side, reported in order.
 *
 *   source -> [next pair, in order] -> threads that decode -> pairs that are ready -> lanes that
 *   score -> records put back in order
 *
 * A lane is a ssimcu_context on a thread of its own. A GPU has several, so that the upload of one
 * pair, the kernels of another and the wait for a third overlap; lanes sleep while they wait, so
 * that the cores are left to decoding. On the CPU a thread scores what it has decoded, itself, with
 * a context of one thread: the pixels are in that core's cache, and nobody waits for anybody.
 *
 * Nothing waits that need not: a thread that finds no free memory waits for a lane, a lane that
 * finds no pair ready waits for a decoder; records are kept until those before them are there, and
 * only so many pairs are between the first that is not there and the last that was begun.
 *
 * The room knows no command line and prints nothing. What is to be scored is a source, opened from
 * a struct batch_input or made by the caller; how, and who is told, is a struct batch_config. */
#ifndef SSIMCU_CLI_BATCH_H
#define SSIMCU_CLI_BATCH_H

#include "hints/hints.h"
#include "image/windows.h"
#include "results/results.h"
#include "sequence/sequence.h"
#include "video/clip.h"

/* ---- Pairs ----------------------------------------------------------------------------------- */

/* One pair on its way through a batch. */
struct batch_pair {
    struct record record;                     /* what is known about it, and what becomes of it */
    ssimcu_frame plane[2][SSIMCU_MAX_PLANES]; /* REF, OUT: its frames, once they are loaded */
    uint32_t planes;                          /* 1: pictures; 3: Y, U and V */
    bool on_device[2];                        /* REF, OUT: its frames have no data here, but ... */
    ssimcu_view view[2][SSIMCU_MAX_PLANES];   /* ... are in device memory */
    uint32_t out;                             /* which OUT it is, from 0, of several */
    uint64_t index; /* of a source that others go beside: its place among all pairs */
    const ssimcu_clip_format *format[2]; /* of video, the source's; NULL: pictures */
    uint32_t x, y;     /* where the frames lie in those of the files: the region's corner */
    int64_t place[2];  /* what `next` tells `load`: the source's own */
    void *held[2];     /* frames that a decoder lends; the source's own, until `release` */
    bool pinned;       /* frames are uploaded from `memory`, so that is where they must be */
    void *memory[2];   /* REF, OUT: as much as was reserved, to load frames to */
    struct slot *slot; /* the engine's: what the memory belongs to */
};

/* Makes the pair's memory at least so large; what it held is lost. `beside` is counted with it, for
 * what a decoder allocates. Waits until other pairs leave room. Errors: LIMIT (never fits), MEMORY.
 */
ssimcu_status batch_reserve(struct batch_pair *pair, const size_t bytes[2], uint64_t beside,
                            ssimcu_message *message);

/* ---- Parts of frames ------------------------------------------------------------------------- */

/* MISMATCH where a frame of this shape does not hold the region. */
ssimcu_status batch_region_check(const struct contract_region *region, const ssimcu_frame *frame,
                                 ssimcu_message *message);

/* Makes the frame that of the region, if there is one, which it holds, in the same memory. */
void batch_region_cut(const struct contract_region *region, ssimcu_frame *frame);

/* MISMATCH where two pictures have different sizes, which names them. */
ssimcu_status batch_check_sizes(const char *ref_name, const ssimcu_frame *ref, const char *out_name,
                                const ssimcu_frame *out, ssimcu_message *message);

/* Likewise where their first pixels lie in different places. */
ssimcu_status batch_check_windows(const char *ref_name, const struct ssimcu_image_windows *ref,
                                  const char *out_name, const struct ssimcu_image_windows *out,
                                  ssimcu_message *message);

/* ---- Sources --------------------------------------------------------------------------------- */

/* Where pairs come from. A kind of source is a table of these operations, and its own struct, from
 * malloc, begins with struct batch_source. */
struct batch_source {
    const struct batch_source_kind *kind;
    const struct batch_input *input; /* of those that batch_open made */
    /* Whether an earlier run has scored the frame, as `known` of the batch's configuration will say
     * of its record: it need not be decoded. NULL: none is. */
    bool (*scored)(void *user, int64_t frame);
    void *user;     /* handed to it */
    bool on_device; /* frames are in device memory: only that device can score them */
    /* Set by `next` where the input is damaged and no record says so: the frame and what is wrong.
     * Pairs may be missing then. No text: nothing is. */
    ssimcu_message damage;
    /* Of several OUTs: what concerns one alone. */
    uint32_t outs; /* 0: there is one */
    struct batch_out {
        ssimcu_status status; /* not OK: it cannot be compared with REF, and has no pairs */
        ssimcu_message message;
        ssimcu_message damage; /* as above */
    } * out;
};

struct batch_split {
    uint32_t readers; /* the sources, this one included */
    uint32_t length;  /* pairs of a stretch */
};

struct batch_source_kind {
    bool video;    /* frames are planes as they are stored, not pictures */
    bool sequence; /* frames follow each other in time, so that neighbours can tell something */
    /* How many pairs an OUT has, of all shares; -1 where that is unknown. NULL: always. */
    int64_t (*count)(const struct batch_source *source, uint32_t out);
    /* Bytes for REF and OUT that must be reserved before `next`. NULL: none. */
    void (*need)(const struct batch_source *source, size_t bytes[2]);
    /* How many sources of the same input can go through its pairs side by side: `wanted`, or one;
     * 0: as many as suit it. NULL: one. */
    struct batch_split (*split)(struct batch_source *source, uint32_t wanted);
    /* Bytes that decoders hold all the time, beside what is reserved. NULL: none. */
    uint64_t (*held)(const struct batch_source *source);
    /* Goes to the next pair to score and names its record, which is made MISSING or FAILED where
     * there is nothing to load. False at the end, also where the input cannot be read on, which
     * `damage` then says. For one thread at a time. */
    bool (*next)(struct batch_source *source, struct batch_pair *pair);
    /* Loads the pair's frames, to its memory or wherever they lie. Errors are the record's. For
     * many threads. */
    ssimcu_status (*load)(const struct batch_source *source, struct batch_pair *pair,
                          ssimcu_message *message);
    /* Gives back what `next` or `load` left in `held`. For many threads. NULL: nothing is. */
    void (*release)(const struct batch_source *source, struct batch_pair *pair);
    /* Memory from ssimcu_frame_alloc in which frames of many pairs lie, to be pinned; NULL: none.
     */
    const ssimcu_frame *(*shared)(const struct batch_source *source);
    /* The files of a directory or a pattern, of REF (0) or an OUT (from 1), without any where that
     * is neither. NULL: never. */
    const ssimcu_sequence *(*files)(const struct batch_source *source, uint32_t side);
    /* The size, rate and format of REF (0) or an OUT (from 1) in words. NULL: never. */
    void (*describe)(const struct batch_source *source, uint32_t side, char *text, size_t size);
    /* Releases what the struct holds. */
    void (*close)(struct batch_source *source);
};

enum { BATCH_MOST_OUTS = 64, BATCH_MOST_READERS = 32, BATCH_STRETCHES_AT_WORK = 128 };

/* What decodes video files. */
enum batch_decode {
    BATCH_DECODE_AUTO, /* NVDEC where it can, else the CPU */
    BATCH_DECODE_CPU,
    BATCH_DECODE_CUDA /* the same, but for one file at least NVDEC */
};

/* Pairs in stretches of one length, for sources of the same input side by side: each takes the next
 * one that nobody has when it is at the end of its own. */
struct batch_stretches;

/* What to open: REF and OUT, or a list of pairs. */
struct batch_input {
    const char *path[2];                /* REF, OUT */
    char *const *out;                   /* several OUTs, of which that is the first; all video */
    uint32_t outs;                      /* BATCH_MOST_OUTS at most; below 2: there is one */
    const char *list;                   /* pairs of files instead, NULL for none */
    const ssimcu_ranges *frames;        /* which; NULL: all */
    const ssimcu_clip_format *raw;      /* of video without header; NULL: neither side is */
    const ssimcu_image_options *limits; /* of pictures and video */
    uint32_t threads;                   /* that decode each video file; 0: the calling one alone */
    enum batch_decode decode;
    uint32_t gpu;                      /* of NVDEC: the CUDA device that scores */
    ssimcu_color color;                /* what the scores will be of */
    bool shortest;                     /* end with the shorter side */
    bool recursive;                    /* directories with all that is below them */
    int64_t offset;                    /* frame n of REF against n + offset of OUT */
    struct contract_region region;     /* that is scored */
    uint32_t shard, shards;            /* which share of the pairs; 1/1: all */
    struct batch_stretches *stretches; /* those of the share that it takes; NULL: all is its own */
    uint32_t reader;                   /* of those that take them, from 0 */
    ssimcu_stopped *stopped;           /* as in reader.h */
};

/* Whether REF and OUT are two pictures, and no list. */
bool batch_is_one_pair(const struct batch_input *input);

/* Opens what is to be scored, told by what REF and OUT are, and checks that the two belong
 * together. Of several OUTs one that cannot be compared is no error. The input must outlive the
 * source. Errors: FILE, DATA, UNSUPPORTED, LIMIT, MEMORY, MISMATCH; ARGUMENT: the two cannot be
 * asked for together. */
ssimcu_status batch_open(const struct batch_input *input, struct batch_source **source,
                         ssimcu_message *message);

/* Closes a source of any kind. Accepts NULL. */
void batch_close(struct batch_source *source);

/* How many pairs there are to score, -1 where that is unknown. */
int64_t batch_count(const struct batch_source *source);

bool batch_is_video(const struct batch_source *source);

/* The size, rate and format of REF (0) or an OUT (from 1) in words. False where the source has none
 * to tell. */
bool batch_describe(const struct batch_source *source, uint32_t side, char *text, size_t size);

/* Calls `visit` with each file that is read, as far as that is known before the first pair: REF and
 * OUT, all files of a directory, also those that no pair needs, or the list. Ends with false where
 * that returns false. */
typedef bool batch_visit(void *user, const char *role, const char *path);
bool batch_visit_files(const struct batch_source *source, batch_visit *visit, void *user);

/* ---- Scoring --------------------------------------------------------------------------------- */

/* Scores a pair of pictures (one frame each) or of video frames (three planes each) in host memory.
 * `tile`: pixels of a tile's side, a multiple of 4 of at least 44; *worst is then the one with the
 * lowest score, in pixels of the first plane. 0: no tiles. `map`: of pictures, as
 * ssimcu_compare_views wants it; NULL: none. Errors: as ssimcu_compare. */
ssimcu_status batch_compare(ssimcu_context *context, const ssimcu_frame *const frame[2],
                            uint32_t planes, uint32_t tile, ssimcu_score *score, ssimcu_map *map,
                            struct record_tile *worst, ssimcu_message *message);

/* The same of a loaded pair, wherever its frames are: those in device memory must be in that of the
 * context, which waits for nobody. */
ssimcu_status batch_compare_pair(ssimcu_context *context, const struct batch_pair *pair,
                                 uint32_t tile, ssimcu_score *score, struct record_tile *worst,
                                 ssimcu_message *message);

/* Hints as a record has them. */
void batch_hints(const struct hints *hints, char text[RECORD_HINTS_BYTES]);

/* ---- Running --------------------------------------------------------------------------------- */

/* Scores a pair on an open context. Errors: as ssimcu_compare. For many threads. */
typedef ssimcu_status batch_score(void *user, ssimcu_context *lane, const struct batch_pair *pair,
                                  ssimcu_score *score, ssimcu_message *message);

/* Looks at a pair with its score in its record, while its frames are there. A DEVICE error ends the
 * batch; others are the record's. For many threads. */
typedef ssimcu_status batch_scored(void *user, ssimcu_context *lane, const struct batch_pair *pair,
                                   ssimcu_message *message);

struct batch_config {
    ssimcu_settings settings; /* `threads`: that decode; 0: as many as can run at once */
    bool all_devices;         /* every CUDA device */
    uint32_t lanes;           /* on threads of their own, for each device; 0: what suits it */
    uint32_t readers;         /* sources side by side, where that can be; 0: what suits them */
    uint64_t memory_bytes; /* most for frames and what decoders hold; 0: half of the machine's, at
                              most 4 GiB */
    batch_score *score;    /* NULL: SSIM */
    uint32_t tile;         /* as batch_compare wants it */
    batch_scored *scored;  /* NULL: nothing */
    /* Bytes that score and scored allocate for each byte of a pair's larger frame. They count among
     * memory_bytes as far as there is room: no pair fails for their want. */
    uint32_t bytes_per_byte;
    /* Called with each pair in order, by one thread at a time. `known` (may be NULL) is asked
     * before a pair is loaded, and fills in a record that is there from earlier. `take` is given
     * each record, with whether it was known; false ends the batch. Of several OUTs each has an
     * order of its own. */
    bool (*known)(void *user, struct record *record);
    bool (*take)(void *user, const struct record *record, bool known);
    void *user;              /* handed to score, scored, known and take */
    ssimcu_stopped *stopped; /* true: begin no more pairs; may be NULL */
};

/* Milliseconds, added up over all threads; that the sum is more than the whole shows overlap. */
struct batch_times {
    uint64_t pairs;                /* loaded */
    uint64_t on_device, from_host; /* frames that were in device memory; bytes of all others */
    double whole;                  /* on the clock, without starting devices */
    double start;                  /* of the devices */
    double decode, score;
    ssimcu_stage_ms stage;
    uint32_t threads, lanes, readers;
    uint64_t slots, memory_limit, memory_peak; /* bytes */
    char device[32], reason[512];
    bool abandoned; /* threads are still at work: see batch_run */
};

/* Runs until the source ends, is stopped or something fails that concerns no single pair. Errors:
 * ARGUMENT, DEVICE, MEMORY, LIMIT, INTERNAL; what has been scored until then has been handed out.
 * A thread that is still at work a second after a stop hangs, for example in a pipe that nobody
 * writes to. It is left behind, with all that it may use: the source must then stay, and the
 * program end by _exit. */
ssimcu_status batch_run(const struct batch_config *config, struct batch_source *source,
                        struct batch_times *times, ssimcu_message *message);

#endif
