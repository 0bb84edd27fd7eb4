/* Sources: where pairs come from. REF and OUT may be pictures, sequences, videos or a list of
 * pairs. source_open finds out which, and the engine takes one pair after the other. This module
 * only reads files. It knows nothing of the command line, scores or outputs. */
#pragma once

#include "pair/diff.h"
#include "record/compare.h"
#include "record/contract.h"
#include "sequence/sequence.h"
#include "video/clip.h"

struct pair;
struct record;
struct source_digest;

/* A kind of source is a table of these operations. Its struct comes from malloc and begins with
 * struct source. */
struct source {
    const struct source_kind *kind;
    const struct source_input *input; /* NULL: source_open has not made this source */
    /* Returns whether an earlier run has scored the frame, so that it need not be decoded. It
     * agrees with `known` of the batch's configuration. If NULL, no frame was scored. */
    bool (*scored)(void *user, int64_t frame);
    void *user;     /* first argument of `scored` */
    bool on_device; /* the frames are in device memory, and only that device can score them */
    /* `next` writes the frame and the error here if the input is damaged and no record says so.
     * Pairs may then be missing. No text: the input is whole so far. */
    ssimcu_message damage;
    uint32_t layers;          /* layers of each frame, one pair each; 0: a frame is one pair */
    uint32_t outs;            /* number of OUTs; 0: one */
    struct source_out {       /* concerns only one of several OUTs */
        ssimcu_status status; /* not OK: this OUT cannot be compared with REF and has no pairs */
        ssimcu_message message;
        ssimcu_message damage; /* damage of this OUT, as `damage` above */
    } * out;
};

struct source_split {
    uint32_t readers; /* number of sources, including this one */
    uint32_t length;  /* frames in a chunk */
    uint32_t gpus;    /* reader n decodes on CUDA device n % gpus; 0: on the input's device */
};

struct source_kind {
    bool video;    /* frames are planes as stored, not pictures */
    bool sequence; /* frames are consecutive, so neighbours can explain each other */
    /* Returns an OUT's number of pairs in all shares; -1: unknown. NULL: always unknown. */
    int64_t (*count)(const struct source *source, uint32_t out);
    /* Writes how many bytes REF and OUT need before `next` is called. NULL: 0. */
    void (*need)(const struct source *source, size_t bytes[2]);
    /* Adds all files to a digest (share.h). NULL: those of `files`, or the list. */
    void (*digest)(const struct source *source, struct source_digest *digest);
    /* See source_segment. NULL: no segments. */
    void (*segment)(struct source *source, struct source_input *input);
    /* Returns how many sources of the same input can read concurrently: `wanted`, or one. A
     * `wanted` of 0 leaves the choice to the source. NULL: one. */
    struct source_split (*split)(struct source *source, uint32_t wanted);
    /* Returns how many bytes the decoders always hold, besides reserved memory. NULL: 0. */
    uint64_t (*decoder_bytes)(const struct source *source);
    /* Goes to the next pair to score and names its record, which the caller has made and which is
     * empty. If there is nothing to load, the record becomes MISSING or FAILED. Returns false at
     * the end, or if the input cannot be read further, as `damage` then says. Only one thread may
     * call it at a time. */
    bool (*next)(struct source *source, struct pair *pair);
    /* Loads the pair's frames into its memory, or points to where they are. An error becomes the
     * record's. Many threads may call it. */
    ssimcu_status (*load)(const struct source *source, struct pair *pair, ssimcu_message *message);
    /* Returns what `next` or `load` left in `loan`. Many threads may call it. NULL: decoders lend
     * nothing. */
    void (*release)(const struct source *source, struct pair *pair);
    /* Returns memory from ssimcu_frame_alloc that holds frames of many pairs, so that it can be
     * pinned. NULL: there is none. */
    const ssimcu_frame *(*shared)(const struct source *source);
    /* Returns the files of a directory or a pattern of REF (0) or an OUT (from 1). For other sides
     * the sequence is empty. NULL: no side has files. */
    const ssimcu_sequence *(*files)(const struct source *source, uint32_t side);
    /* Writes the size, rate and format of REF (0) or an OUT (from 1) in words. NULL: no
     * description. */
    void (*describe)(const struct source *source, uint32_t side, char *text, size_t size);
    /* Releases the struct's members, but not the struct. */
    void (*close)(struct source *source);
};

enum { SOURCE_MOST_OUTS = 64, SOURCE_MOST_READERS = 128, SOURCE_MOST_GPUS = 64 };

struct chunks;

/* A frame by its shot, which may be NULL, and its number. */
struct source_frame {
    const char *shot;
    int64_t frame;
};

/* What to open: REF and OUT, or a list of pairs. */
struct source_input {
    const char *path[2];         /* REF, OUT */
    const char *const *out;      /* several OUTs, all video; the first is path[1] */
    const char *const *labels;   /* names of the OUTs; NULL, or NULL for one: its path */
    const char *label;           /* name of path[1]; NULL: its path */
    uint32_t outs;               /* SOURCE_MOST_OUTS at most; below 2: one */
    const char *list;            /* file that lists pairs instead; may be NULL */
    const ssimcu_ranges *frames; /* frames to score; NULL: all */
    /* Frames that should exist, in order. One that neither side has is missing. */
    const struct source_frame *expected;
    size_t expected_count;
    const ssimcu_clip_format *raw;      /* format of raw video; NULL: neither side is raw */
    const ssimcu_image_options *limits; /* limits of pictures and video */
    uint32_t threads;                   /* threads that decode each video; 0: the calling one */
    bool at_once;                       /* decode both pictures of a pair at the same time */
    ssimcu_decode decode;
    uint32_t gpu;                /* CUDA device that scores, and whose NVDEC decodes */
    bool all_gpus;               /* spread several readers over all CUDA devices */
    ssimcu_color color;          /* colour of the scores */
    ssimcu_range range;          /* range of all videos' samples; UNKNOWN: as in the files */
    const char *matrix;          /* matrix of all videos; NULL: as in the files */
    struct contract_scale scale; /* size at which video frames are compared */
    bool layers;                 /* every layer of EXRs makes separate pairs */
    /* Returns the limits' rule for comparing a record's samples; NULL: no rule. Many threads call
     * it. If it is NULL, there are no rules. */
    const struct compare_rule *(*compare)(void *user, const struct record *record);
    void *user;   /* first argument of `compare` */
    double gain;  /* factor of linear light; 0: 1 */
    double white; /* cd/m2 of light 1, to which PQ and HLG are converted; 0: leave them as stored */
    uint32_t metrics; /* metrics wanted, a sum of 1 << ssimcu_metric; 0: only SSIM */
    uint32_t needed;  /* metrics that a pair must have */
    bool pads;        /* SSIM has a window for each pixel */
    bool in_srgb;     /* a metric is only defined for sRGB: video of PQ or HLG must become light */
    bool counts;      /* count the pixels of pictures whose samples differ */
    struct diff_rule diff;
    bool ranged;                   /* compare data of an EXR within its range */
    bool shortest;                 /* end with the shorter side */
    bool recursive;                /* include all files below directories */
    uint32_t stream[2];            /* video stream of REF and of each OUT, from 0 */
    bool align;                    /* pair video frames by time */
    int64_t offset;                /* frame n of REF is compared with n + offset of OUT */
    struct contract_region region; /* area of the frames that is scored */
    uint32_t shard, shards;        /* share of the pairs; 1/1: all */
    uint64_t begin,
        end; /* the share is the pairs from `begin` to before `end`; end 0: every N-th */
    struct chunks *chunks;   /* chunks that readers of one input share; NULL: one reader */
    uint32_t reader;         /* number of this reader, from 0 */
    const ssimcu_stop *stop; /* may be NULL */
};

/* Returns an OUT's name for people: its label, or its path. */
const char *source_out_name(const struct source_input *input, uint32_t out);
/* Sets begin and end of the input, which must be the source's, if its share should be a segment.
 * Video files whose index says where decoding can begin have segments. All shares of the same files
 * agree. */
void source_segment(struct source *source, struct source_input *input);

/* Returns whether REF and OUT are two pictures, without a list. */
bool source_is_one_pair(const struct source_input *input);

/* Opens the input: finds the forms of REF and OUT, and checks that they match. It is no error if
 * one of several OUTs cannot be compared. The input must outlive the source. Errors: FILE, DATA,
 * UNSUPPORTED, LIMIT, MEMORY, MISMATCH; ARGUMENT if REF and OUT cannot be combined. */
ssimcu_status source_open(const struct source_input *input, struct source **source,
                          ssimcu_message *message);

/* Closes a source of any kind. Accepts NULL. */
void source_close(struct source *source);

/* Returns the number of pairs to score; -1: unknown. */
int64_t source_count(const struct source *source);

bool source_is_video(const struct source *source);

/* Writes the size, rate and format of REF (0) or an OUT (from 1) in words. Returns false if there
 * is no description. */
bool source_describe(const struct source *source, uint32_t side, char *text, size_t size);

/* Calls `visit` with every file that is read, as far as that is known before the first pair. These
 * are REF and OUT, all files of a directory, even those that no pair needs, or the list. Stops and
 * returns false as soon as `visit` does. */
typedef bool source_visit(void *user, const char *role, const char *path);
bool source_visit_files(const struct source *source, source_visit *visit, void *user);
