/* Sources: where pairs come from. REF and OUT may be pictures, sequences, videos or a list of
 * pairs; source_open finds out which, and the engine takes one pair after the other.
 *
 * The room reads files only. It knows nothing of the command line, of scores or of outputs. */
#ifndef SSIMCU_QA_SOURCE_H
#define SSIMCU_QA_SOURCE_H

#include "facts/compare.h"
#include "facts/contract.h"
#include "pair/differ.h"
#include "sequence/sequence.h"
#include "video/clip.h"

struct pair;
struct record;

/* A kind of source is a table of these operations. Its own struct comes from malloc and begins with
 * struct source. */
struct source {
    const struct source_kind *kind;
    const struct source_input *input; /* NULL: source_open has not made this source */
    /* Says whether an earlier run has scored the frame, so that it need not be decoded. It agrees
     * with `known` of the batch's configuration. NULL: no frame is. */
    bool (*scored)(void *user, int64_t frame);
    void *user;     /* first argument of `scored` */
    bool on_device; /* the frames are in device memory, so only that device can score them */
    /* `next` writes the frame and what is wrong if the input is damaged and no record says so.
     * Pairs may be missing then. No text: the input is whole so far. */
    ssimcu_message damage;
    uint32_t layers;          /* that each frame has a pair of; 0: a frame is one pair */
    uint32_t outs;            /* number of OUTs; 0: one */
    struct source_out {       /* what concerns one of several OUTs alone */
        ssimcu_status status; /* not OK: this OUT cannot be compared with REF and has no pairs */
        ssimcu_message message;
        ssimcu_message damage; /* damage of this OUT, as above */
    } * out;
};

struct source_split {
    uint32_t readers; /* number of sources, this one included */
    uint32_t length;  /* frames in a stretch */
    uint32_t gpus;    /* reader n decodes on CUDA device n % gpus; 0: on that of the input */
};

struct source_kind {
    bool video;    /* frames are planes as they are stored, not pictures */
    bool sequence; /* frames follow each other in time, so neighbours can explain each other */
    /* Returns how many pairs an OUT has in all shares together, -1 if that is unknown. NULL: it is
     * always unknown. */
    int64_t (*count)(const struct source *source, uint32_t out);
    /* Writes how many bytes REF and OUT need before `next` is called. NULL: none. */
    void (*need)(const struct source *source, size_t bytes[2]);
    /* See source_segment. NULL: never. */
    void (*segment)(struct source *source, struct source_input *input);
    /* Returns how many sources of the same input can read side by side: `wanted`, or one. A
     * `wanted` of 0 leaves the choice to the source. NULL: one. */
    struct source_split (*split)(struct source *source, uint32_t wanted);
    /* Returns how many bytes the decoders hold all the time, beside reserved memory. NULL: none. */
    uint64_t (*decoder_bytes)(const struct source *source);
    /* Goes to the next pair to score and names its record, which the caller has made, and which is
     * empty. The record becomes MISSING or FAILED if there is nothing to load. Returns false at the
     * end, and if the input cannot be read on, which `damage` then says. Only one thread may call
     * it at a time. */
    bool (*next)(struct source *source, struct pair *pair);
    /* Loads the pair's frames into its memory or points to where they lie. An error becomes that of
     * the record. Many threads may call it. */
    ssimcu_status (*load)(const struct source *source, struct pair *pair, ssimcu_message *message);
    /* Gives back what `next` or `load` left in `loan`. Many threads may call it. NULL: decoders
     * lend nothing. */
    void (*release)(const struct source *source, struct pair *pair);
    /* Returns memory from ssimcu_frame_alloc in which frames of many pairs lie, so that it can be
     * pinned. NULL: there is none. */
    const ssimcu_frame *(*shared)(const struct source *source);
    /* Returns the files of a directory or a pattern of REF (0) or an OUT (from 1). The sequence is
     * empty if that side is neither. NULL: no side ever is. */
    const ssimcu_sequence *(*files)(const struct source *source, uint32_t side);
    /* Writes the size, rate and format of REF (0) or an OUT (from 1) in words. NULL: there is
     * nothing to tell. */
    void (*describe)(const struct source *source, uint32_t side, char *text, size_t size);
    /* Releases what the struct holds, but not the struct. */
    void (*close)(struct source *source);
};

enum { SOURCE_MOST_OUTS = 64, SOURCE_MOST_READERS = 128, SOURCE_MOST_GPUS = 64 };

struct stretches;

/* A frame by its part, which may be NULL, and number. */
struct source_frame {
    const char *part;
    int64_t frame;
};

/* What to open: REF and OUT, or a list of pairs. */
struct source_input {
    const char *path[2];         /* REF, OUT */
    const char *const *out;      /* several OUTs, all video; the first is path[1] */
    const char *const *labels;   /* names of the OUTs; NULL, or NULL for one: its path */
    const char *label;           /* name of path[1]; NULL: its path */
    uint32_t outs;               /* SOURCE_MOST_OUTS at most; below 2: there is one */
    const char *list;            /* file that lists pairs instead; NULL: none */
    const ssimcu_ranges *frames; /* frames to score; NULL: all */
    /* Frames that there should be, in order: one that neither side has is missing. */
    const struct source_frame *expected;
    size_t expected_count;
    const ssimcu_clip_format *raw;      /* format of raw video; NULL: neither side is raw */
    const ssimcu_image_options *limits; /* limits of pictures and video */
    uint32_t threads;                   /* threads that decode each video; 0: the calling one */
    bool at_once;                       /* both pictures of a pair are decoded at the same time */
    ssimcu_decode decode;
    uint32_t gpu;                /* CUDA device that scores, and whose NVDEC decodes */
    bool all_gpus;               /* several readers are spread over all CUDA devices */
    ssimcu_color color;          /* colour that the scores will be of */
    ssimcu_range range;          /* range of all videos' samples; UNKNOWN: what the files say */
    const char *matrix;          /* matrix of all videos; NULL: what the files say */
    struct contract_scale scale; /* size at which frames of video are compared */
    bool layers;                 /* every layer of EXRs makes pairs of its own */
    /* Returns what the limits say of how a record's samples are compared; NULL: nothing. Many
     * threads call it. The call itself NULL: they say nothing of any. */
    const struct compare_rule *(*compare)(void *user, const struct record *record);
    void *user;       /* its first argument */
    double gain;      /* factor of linear light; 0: 1 */
    double white;     /* cd/m2 of light 1 that video of PQ and HLG becomes; 0: it stays as stored */
    uint32_t metrics; /* metrics that are wanted, 1 << ssimcu_metric added up; 0: SSIM alone */
    uint32_t needed;  /* those without which a pair is an error */
    bool pads;        /* SSIM has a window for each pixel */
    bool in_srgb;     /* a metric is defined for sRGB alone: video of PQ or HLG must become light */
    bool counts;      /* pixels of pictures whose samples differ are counted */
    struct differ_rule differ;
    bool ranged;                   /* data of an EXR is compared within its own range */
    bool shortest;                 /* end with the shorter side */
    bool recursive;                /* directories with all that is below them */
    uint32_t stream[2];            /* video stream of REF and of each OUT, from 0 */
    bool align;                    /* frames of video are paired by their times */
    int64_t offset;                /* frame n of REF is compared with n + offset of OUT */
    struct contract_region region; /* part of the frames that is scored */
    uint32_t shard, shards;        /* share of the pairs; 1/1: all */
    uint64_t begin,
        end; /* the share is the pairs from `begin` to before `end`; end 0: every N-th */
    struct stretches *stretches; /* stretches that readers of one input share; NULL: one reader */
    uint32_t reader;             /* number of this reader, from 0 */
    const ssimcu_stop *stop;     /* NULL: never */
};

/* Returns the name by which people know an OUT: its label, or its path. */
const char *source_out_name(const struct source_input *input, uint32_t out);
/* Sets begin and end of the input, which must be that of the source, if its share is best a
 * segment: of video files whose index tells where decoding can begin. All shares of the same files
 * agree. */
void source_segment(struct source *source, struct source_input *input);

/* Returns whether REF and OUT are two pictures, without a list. */
bool source_is_one_pair(const struct source_input *input);

/* Opens what is to be scored, finds out what REF and OUT are, and checks that they belong together.
 * It is no error if one of several OUTs cannot be compared. The input must outlive the source.
 * Errors: FILE, DATA, UNSUPPORTED, LIMIT, MEMORY, MISMATCH; ARGUMENT if REF and OUT cannot be asked
 * for together. */
ssimcu_status source_open(const struct source_input *input, struct source **source,
                          ssimcu_message *message);

/* Closes a source of any kind. NULL is allowed. */
void source_close(struct source *source);

/* Returns how many pairs there are to score, -1 if that is unknown. */
int64_t source_count(const struct source *source);

bool source_is_video(const struct source *source);

/* Writes the size, rate and format of REF (0) or an OUT (from 1) in words. Returns false if the
 * source has none to tell. */
bool source_describe(const struct source *source, uint32_t side, char *text, size_t size);

/* Calls `visit` with every file that is read, as far as that is known before the first pair. These
 * are REF and OUT, all files of a directory, even those that no pair needs, or the list. Stops and
 * returns false as soon as `visit` does. */
typedef bool source_visit(void *user, const char *role, const char *path);
bool source_visit_files(const struct source *source, source_visit *visit, void *user);

#endif
