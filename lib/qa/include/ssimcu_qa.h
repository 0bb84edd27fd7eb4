/* ssimcu_qa: the program ssimcu as a library. One call scores two picture files. A run scores
 * directories, image sequences, lists and video, judges them, and writes results, JUnit, maps and a
 * report. The program itself is a client of this header.
 *
 * SAME NUMBERS. Fields of ssimcu_run_options are the program's options, with the same defaults and
 * the same rules (man ssimcu). The same options give the same scores, files and verdict to the bit.
 * Messages name options as the command line does: `min_tile` is --min-tile.
 *
 * IN SHORT. Two files:
 *
 *     ssimcu_file_result result = SSIMCU_INIT(file_result);
 *     ssimcu_message why = {0};
 *     if (ssimcu_compare_files(NULL, "ref.exr", "out.exr", NULL, &result, &why) == SSIMCU_OK)
 *         printf("%.9f, worst tile %.9f\n", result.scored.score, result.scored.tile.score);
 *
 * A gate over two directories:
 *
 *     ssimcu_run_options options = SSIMCU_INIT(run_options);
 *     ssimcu_run *run = NULL;
 *     ssimcu_message why = {0};
 *     const char *out = "out";
 *     options.ref = "ref", options.out = &out, options.outs = 1;
 *     options.limits = 1u << SSIMCU_LIMIT_MIN_TILE, options.limit[SSIMCU_LIMIT_MIN_TILE] = 0.9;
 *     ssimcu_status status = ssimcu_run_open(&options, &run, &why);
 *     if (status == SSIMCU_OK) status = ssimcu_run_score(run, NULL, &why);
 *     printf("%s\n", status != SSIMCU_OK           ? why.text
 *                    : ssimcu_run_exit_code(run) == 0 ? "passed"
 *                                                     : "failed");
 *     ssimcu_run_close(&run);
 *
 * RULES. The rules of ssimcu.h hold. The library prints nothing, ends no process, reads no
 * environment, installs no signal handler and keeps no state but idle decoders (PROCESSES in
 * ssimcu_io.h). One process may have several runs at once if they write different files.
 *
 * THREADS. One thread at a time may use a run. Any thread may call ssimcu_run_cancel. Callbacks
 * come from threads of the run, but only one at a time.
 */
#ifndef SSIMCU_QA_H
#define SSIMCU_QA_H

#include "ssimcu_qa_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Options --------------------------------------------------------------------------------- */

/* How to treat frames that one side lacks. */
typedef enum ssimcu_missing {
    SSIMCU_MISSING_ERROR = 0, /* they make the run incomplete */
    SSIMCU_MISSING_SKIP = 1,  /* they are left out */
    SSIMCU_MISSING_END = 2    /* the run ends with the shorter side */
} ssimcu_missing;

/* How to treat frames whose reference is not the one that their learned limits were learned
 * from. */
typedef enum ssimcu_stale {
    SSIMCU_STALE_FAIL = 0, /* the learned limits do not apply: such a frame counts as over them */
    SSIMCU_STALE_WARN = 1  /* the learned limits apply all the same, and a line warns */
} ssimcu_stale;

/* The tone curve of linear light, as --hdr. If one is set, PQ and HLG video becomes linear
 * light. */
typedef enum ssimcu_hdr {
    SSIMCU_HDR_DEFAULT = 0, /* SRGB; NONE for a single channel */
    SSIMCU_HDR_SRGB = 1,
    SSIMCU_HDR_PU21 = 2,
    SSIMCU_HDR_HABLE = 3,
    SSIMCU_HDR_NONE = 4
} ssimcu_hdr;

/* The range of video samples, as --range. */
typedef enum ssimcu_video_range {
    SSIMCU_VIDEO_RANGE_TAGS = 0, /* as the files say */
    SSIMCU_VIDEO_RANGE_LIMITED = 1,
    SSIMCU_VIDEO_RANGE_FULL = 2
} ssimcu_video_range;

/* The form of results. */
typedef enum ssimcu_results {
    SSIMCU_RESULTS_AUTO = 0, /* CSV if the file's name ends in .csv, else JSON Lines */
    SSIMCU_RESULTS_JSON = 1,
    SSIMCU_RESULTS_CSV = 2
} ssimcu_results;

/* The meaning of a JUnit XML case. */
typedef enum ssimcu_junit_cases {
    SSIMCU_JUNIT_FRAMES = 0, /* a frame */
    SSIMCU_JUNIT_SHOTS = 1   /* a directory or shot, as records name it */
} ssimcu_junit_cases;

/* The numeric limits of a frame: indices of ssimcu_run_options.limit. */
typedef enum ssimcu_limit {
    SSIMCU_LIMIT_MIN_FRAME = 0,       /* lowest score; above -1, at most 1 */
    SSIMCU_LIMIT_MIN_TILE = 1,        /* the same for the worst tile */
    SSIMCU_LIMIT_MAX_DROP = 2,        /* largest drop below the score in `baseline`; 0 to below 2 */
    SSIMCU_LIMIT_MAX_TILE_DROP = 3,   /* the same for the worst tile */
    SSIMCU_LIMIT_MAX_LEVEL_SHIFT = 4, /* largest level shift of a tile, + or -; 0 to 255 (white) */
    SSIMCU_LIMIT_MAX_DIFF_RATIO = 5,  /* largest share of differing pixels (ssimcu_diff); 0 to 1 */
    SSIMCU_LIMIT_MAX_DIFF_CLUSTER = 6 /* most pixels in one connected group of them; from 0 */
} ssimcu_limit;
enum { SSIMCU_LIMITS = 7, SSIMCU_LIMITS_ROOM = 16 }; /* their number; size of their arrays */

#define SSIMCU_NONE UINT32_MAX /* a count of zero where 0 means the default */

/* Options of a run: inputs, scoring, limits and outputs. Texts and arrays must outlive the run.
 * Paths may be NULL if not used. The comments name the program's option. */
typedef struct ssimcu_run_options {
    size_t struct_size;

    /* Inputs: REF and its OUTs, a list, or earlier results to merge. With `check`, frames have no
     * reference. Then `out` has any number of pictures, directories, patterns and videos, or `list`
     * names them, one path per line. */
    const char *ref;        /* picture, directory, pattern or video; "-": standard input */
    const char *const *out; /* the same; more than one only of video */
    uint32_t outs;          /* number of them, 1 to 64 */
    /* Names of the OUTs in messages, pages and file names, as LABEL=OUT. No two are the same. The
     * array or an entry may be NULL: no label. */
    const char *const *labels;
    /* --group: OUTs that belong together, such as "x264=a.mp4,b.mp4": a name and labels or paths.
     * The rate-quality curve of each later group is compared with that of the first. */
    const char *const *group;
    uint32_t groups; /* number of them, at most 16 */
    /* --or: further accepted references, of the same kinds as `ref`. A frame over a limit is
     * compared with each in turn, until it meets all limits. Only for pictures. */
    const char *const *variant;
    uint32_t variants;        /* number of them, at most 8 */
    const char *list;         /* --list: a file with one pair per line */
    const char *const *merge; /* results files of shares or earlier runs */
    uint32_t merges;
    uint32_t recursive; /* non-zero: include subdirectories */
    const char *frames; /* --frames, such as "1-100x2,120" or "0-x10"; NULL: all */
    int64_t offset; /* --offset: frame n of REF is compared with n + offset of OUT; -2^20 to 2^20 */
    uint32_t align; /* non-zero: pair frames of compressed video by their times, as --align */
    ssimcu_missing missing;
    uint32_t shard, shards; /* share 1 to `shards`, at most 2^24; shards 0: everything */
    struct {
        uint32_t width, height, x, y; /* pixels */
    } region;                         /* the area to score; width 0: the whole frame */

    /* The contents of the files, if the files do not declare them or declare them wrongly. */
    const char *size, *format; /* size and format of raw video, such as "3840x2160" and "yuv420p" */
    const char *layer, *channels; /* choice within an EXR, as in ssimcu_image_options */
    uint32_t layers;              /* non-zero: compare every layer of EXRs, as --layers all */
    ssimcu_video_range range;     /* --range */
    const char *matrix;           /* --matrix, such as "bt709"; NULL: as the files say */
    uint64_t max_pixels; /* largest picture to read, up to 2^48; 0: SSIMCU_IMAGE_MAX_PIXELS */

    /* The size at which frames of video are compared. The CPU scales on the decoding threads; a GPU
     * scales its NVDEC frames. With several OUTs, SSIMCU_SCALE_OUT uses each OUT's size. */
    ssimcu_scale scale;
    uint32_t scale_width, scale_height; /* pixels, for SIZE */
    ssimcu_scaler_name scaler;

    /* Scoring. */
    ssimcu_color color;
    ssimcu_pad pad;
    ssimcu_alpha alpha;
    /* Side of a tile in pixels, a multiple of 4 from 24. 0: 64, or the tile of the learned limits
     * in `limits_file`. SSIMCU_NONE: no tiles. The error on a GPU's tensor cores is up to 1e-5 for
     * a 64 x 64 tile, 5e-5 for the smallest tile, and 1e-6 for a frame. */
    uint32_t tile;
    /* --metric: the metrics to compute, the sum of 1 << ssimcu_metric. SSIM is always computed,
     * because tiles and hints need it. A frame that is too small for a metric has no value of it.
     * A missing value is an error for the first metric, for a metric with a limit, and for SSIM if
     * an output needs it. Values cover all compared pixels, so rules of `limits_file` must ignore
     * none. */
    uint32_t metrics;
    ssimcu_metric metric; /* the primary metric: scores of pairs and runs are its values, and the
                             worst frames have its lowest values */
    /* --compat: the tool whose numbers are wanted instead. It must have all of `metrics`. The CPU
     * scores and decodes. Tiles, maps, learned limits and calibration are not available. VMAF of
     * pictures needs a `color` of luma, and SSIMULACRA2 does not support video. A value may be NaN,
     * as MS-SSIM of libvmaf is for some frames. NaN is below any limit. */
    ssimcu_compat compat;

    /* Linear light. */
    ssimcu_hdr hdr;
    uint32_t nan_zero; /* non-zero: count samples that are not finite as 0 */
    /* non-zero: `exposure` is set; a single channel needs it, because it defines white */
    uint32_t has_exposure;
    double exposure; /* stops, -64 to 64 */
    double white; /* luminance of light 1 under PU21 and of video in cd/m2, 1e-9 to 1e9; 0: 100 */

    /* Limits. A run passes if it meets all that are set. */
    uint32_t limits; /* the sum of 1 << ssimcu_limit: the entries of `limit` that apply */
    double limit[SSIMCU_LIMITS_ROOM];
    /* By ssimcu_metric: the lowest score of the run, and of each frame in addition to the SSIM
     * limit. An entry applies if its bit, 1 << ssimcu_metric, is set. */
    uint32_t score_limits, frame_limits;
    double min_scores[SSIMCU_METRICS_ROOM], min_frames[SSIMCU_METRICS_ROOM];
    /* --fail-on: the kinds of findings that make a frame fail in addition to its limits, such as
     * "duplicate,frame-offset", "all" or "none". NULL: none for pairs; with `check`, those that
     * clean work does not have (man ssimcu, man ssimcu-check). */
    const char *fail_on;
    uint64_t max_bad; /* number of frames that may be over these limits or those of a file, up to
                         2^48 */
    const char *baseline; /* earlier results */
    /* A file with more limits for some shots and frames, and with learned limits of their tiles
     * (man ssimcu-limits). May be NULL. The limits above override it. */
    const char *limits_file;
    ssimcu_stale stale;

    /* Outputs. */
    const char *output; /* results; like the next four, a directory for several OUTs */
    ssimcu_results results;
    const char *resume; /* earlier results; their frames are not scored again */
    const char *junit;  /* the verdict as JUnit XML */
    const char *map;    /* a PNG for two pictures, else a directory */
    const char *report; /* directory of the HTML report */
    ssimcu_junit_cases junit_cases;
    ssimcu_map_style map_style;
    uint32_t report_frames; /* worst frames with pictures, up to 1000; 0: 12; SSIMCU_NONE: none */
    uint32_t worst;         /* worst frames in the summary, up to 2^20; 0: 5; SSIMCU_NONE: none */

    /* Resources. */
    ssimcu_device device;
    uint32_t device_index;
    uint32_t all_devices; /* non-zero: use every CUDA device */
    ssimcu_decode decode;
    uint32_t threads;      /* 0: all of ssimcu_cpu_threads */
    uint64_t memory_bytes; /* budget for frames; 0: half of the machine's, at most 4 GiB */

    /* --diff-threshold: a pixel of a picture differs if a sample differs by more than this, in the
     * file's scale, where white of integers is 1. Differing pixels are counted if this is not 0 or
     * a limit needs them. */
    double diff_threshold;

    const char *markdown; /* the verdict as Markdown, with pictures in a folder next to it */

    /* --stream: the video stream of REF and of each OUT, from 0. `check` has no REF and takes two
     * equal numbers. Cover pictures and thumbnails do not count. A file without such a stream is an
     * error (DATA). y4m and raw video have only stream 0. */
    uint32_t stream[2];

    /* Non-zero: examine frames without a reference, one by one and next to their neighbours, as
     * ssimcu check does. Shares and resumed results then consist of whole shots. */
    uint32_t check;

    /* For a check and its merge, this names a file that gets the frames that fail. It has a line
     * for each shot, as render farms take them: "sh010/s.#.exr 1003-1005,1007-1011x2". "-" passes
     * these lines to the hook `line` instead, without results. */
    const char *rerender;
} ssimcu_run_options;

/* ---- Metrics of a frame ---------------------------------------------------------------------- */

/* Values by ssimcu_metric, as in ssimcu_score. NaN: not wanted, not known, or the result of the
 * tool itself. */
typedef struct ssimcu_metric_values {
    double metric[SSIMCU_METRICS_ROOM];
    double metric_channel[SSIMCU_METRICS_ROOM][3]; /* of the channels of ssimcu_scored */
    double mse;
} ssimcu_metric_values;

/* ---- Two files ------------------------------------------------------------------------------- */

/* Facts about one file. Texts are static. */
typedef struct ssimcu_file_facts {
    const char *format; /* "PNG" */
    const char *reader; /* "igzip" */
    uint32_t width, height, channels;
    uint32_t bits; /* bits of a sample, as in ssimcu_frame */
} ssimcu_file_facts;

typedef struct ssimcu_file_result {
    size_t struct_size;
    ssimcu_scored scored;
    ssimcu_file_facts side[2]; /* REF, OUT */
    char not_compared[512]; /* channels of an EXR that the score does not cover, one per line; "..."
                               if some do not fit */
    ssimcu_metric_values metrics;
    char hints[272];   /* possible causes of a low score, separated by "; " */
    char colours[512]; /* how the files declare different colours (ssimcu_image_colours_differ) */
} ssimcu_file_result;

/* Scores two picture files, which two threads decode at the same time. `context` NULL opens a
 * context for this call, on the program's choice of device. A given context keeps its settings.
 * `options` NULL means the program's defaults.
 *
 * All fields of `options` are checked, and layers is refused. These apply: layer, channels, region,
 * tile, max_pixels, threads and, without a context, the scoring and the device.
 *
 * *result, whose struct_size must be set, is unchanged on error. Both threads end before the call
 * returns. Any thread may call it with a context that no other thread uses. Errors: as
 * ssimcu_image_read, ssimcu_open and ssimcu_compare; MISMATCH. */
SSIMCU_API SSIMCU_MUST_CHECK ssimcu_status ssimcu_compare_files(ssimcu_context *context,
                                                                const char *ref, const char *out,
                                                                const ssimcu_run_options *options,
                                                                ssimcu_file_result *result,
                                                                ssimcu_message *message);

/* ---- A run ----------------------------------------------------------------------------------- */

typedef struct ssimcu_run ssimcu_run;

/* The number of learned rules: those of single tiles, and those of all tiles together (man
 * ssimcu-limits). */
enum { SSIMCU_LEARNED_RULES = 10 };

/* How many standard deviations a frame is away from the accepted renders of its learned limits. */
typedef struct ssimcu_learned_excess {
    uint32_t known; /* 0: the limits file has no learned limits, or none for this frame */
    /* Standard deviations by rule. Of score, level_shift, difference, texture, bright and dark, the
     * highest of all tiles. Of frame_score, frame_level_shift, frame_difference and frame_texture,
     * all tiles together.
     */
    double excess[SSIMCU_LEARNED_RULES];
    const char *worst; /* the rule that is furthest over its limit, such as "dark"; static */
    uint32_t x, y, width, height; /* pixels: the tile of that rule, or the whole frame */
    uint32_t channel;             /* its channel: an index of ssimcu_scored.channel; 0 for rules
                                     that join the channels */
    uint32_t stale;               /* non-zero: the limits were learned from another reference */
} ssimcu_learned_excess;

/* One reason why a frame is not clean: an exceeded limit, a hint, or a detector's finding. */
typedef struct ssimcu_finding {
    const char *kind; /* such as "nan" or "min_tile"; all are in man ssimcu and man ssimcu-check */
    uint32_t fails;   /* non-zero: it makes the frame fail */
    double value, limit;          /* the kind's count or measure, and its limit; NaN: none */
    uint32_t x, y, width, height; /* pixels; width 0: the whole frame */
    const char *text;             /* a sentence for users, on one line */
} ssimcu_finding;

/* The outcome of one pair of frames, or of one frame without a reference. Without a reference,
 * path[0] is NULL, and `frame` is -1 if the file has no number. The library owns the record, which
 * lives until the callback returns. */
typedef struct ssimcu_record {
    int64_t frame;
    uint32_t out; /* index of the OUT among several */
    ssimcu_record_kind kind;
    uint32_t known;       /* non-zero: copied from earlier results */
    const char *shot;     /* directory or shot; may be NULL */
    const char *path[2];  /* REF, OUT; NULL: no such file */
    uint32_t missing[2];  /* MISSING: the sides without a frame */
    ssimcu_status status; /* FAILED: the error */
    const char *message;  /* FAILED: one line about it; else "" */
    ssimcu_scored scored; /* SCORED */
    /* Channels of an EXR that the score does not cover, separated by line breaks. May be NULL. */
    const char *not_compared;
    const char *variant;           /* the reference that replaced path[0]; may be NULL */
    ssimcu_learned_excess learned; /* SCORED */
    ssimcu_metric_values metrics;
    ssimcu_coded coded[2]; /* REF, OUT */
    uint32_t by_nvdec[2];  /* REF, OUT: non-zero if NVDEC decoded it */
    const void *facts;     /* ssimcu_record_json reads it */
    /* Properties that one video file does not declare and that were taken from the other, such as
     * "matrix bt709 in OUT". NULL: no metric depends on any. */
    const char *assumed;
    /* How two picture files declare different colours, such as "primaries are bt709 in REF,
     * smpte432 in OUT". NULL: they do not. Samples are compared as stored. */
    const char *colours;
    /* The compared streams if a video file has several, such as "0 of 2 in OUT". NULL: each file
     * has one. */
    const char *streams;
    const ssimcu_finding *finding; /* reasons why it is not clean */
    uint32_t findings;             /* number of them */
    const char *layer;             /* CHECKED: its layer of an EXR; may be NULL */
} ssimcu_record;

/* Returns the record as JSON of the published schema, on one line, as in results. The caller frees
 * it with ssimcu_text_free. Returns NULL if memory runs out. The callback that received the record
 * may call it. */
SSIMCU_API char *ssimcu_record_json(const ssimcu_record *record);

typedef enum ssimcu_log {
    SSIMCU_LOG_WARNING = 0, /* a warning for users */
    SSIMCU_LOG_DETAIL = 1   /* devices, times, contract, as -v prints them */
} ssimcu_log;

/* Callbacks of a run. Any may be NULL. If a callback returns a status other than OK, the run ends
 * with that status. Finished scores stay in the results, which can be resumed. A callback must not
 * call functions of its run, except ssimcu_run_cancel and those whose comments allow it. */
typedef struct ssimcu_run_hooks {
    size_t struct_size;
    void *user; /* first argument of every callback */
    /* The work begins. `total` is the number of pairs, or -1 if unknown. For two pictures it is
     * called before they are opened, otherwise once every output is open. A merge does not call
     * it. */
    void (*begin)(void *user, int64_t total);
    /* A pair is done. Records of one OUT come in the order of their frames; those of frames without
     * a reference come when their shot is complete. */
    ssimcu_status (*record)(void *user, const ssimcu_record *record);
    /* A line of results, without a line break, if `output` is NULL: the header, each record and the
     * summary, in the form of `results`. */
    ssimcu_status (*line)(void *user, const char *line);
    /* The work has ended: all pairs are done, before the first `out`. For two pictures, everything
     * is written by then, or an error has ended the run. A merge does not call it. */
    void (*end)(void *user);
    /* The results and maps of an OUT are written, or `status` is the error. Functions that return a
     * summary, a verdict or JSON may be called here. The report, Markdown and JUnit come later. */
    ssimcu_status (*out)(void *user, uint32_t out, ssimcu_status status, const char *message);
    /* Progress of the report's pictures. `done` and `count` are 0 before the first and after the
     * last. */
    void (*pictures)(void *user, size_t done, size_t count);
    /* One line for users, without a line break. It may contain bytes of file names. */
    void (*log)(void *user, ssimcu_log level, const char *line);
    /* With `check`: `frames` have been read. */
    void (*progress)(void *user, int64_t done);
} ssimcu_run_hooks;

/* Checks the options and makes a run, which ssimcu_run_close releases. It does not open or write
 * files yet. *run is NULL on any error. Any thread may call it. Errors: ARGUMENT (the message names
 * the option), MEMORY. */
SSIMCU_API SSIMCU_MUST_CHECK ssimcu_status ssimcu_run_open(const ssimcu_run_options *options,
                                                           ssimcu_run **run,
                                                           ssimcu_message *message);

/* Runs to the end: opens the inputs, scores, judges, and writes all outputs. It also returns OK if
 * frames are missing, failed or over a limit; ssimcu_run_exit_code reports that. `hooks` NULL
 * means no callbacks.
 *
 * A run scores once, in one thread. All threads that it starts end before it returns, except one
 * that hangs after a cancel.
 *
 * Errors: ARGUMENT (options and files do not go together), FILE, DATA, UNSUPPORTED, MISMATCH,
 * LIMIT, MEMORY, DEVICE, WRITE, or the status of a callback. */
SSIMCU_API SSIMCU_MUST_CHECK ssimcu_status ssimcu_run_score(ssimcu_run *run,
                                                            const ssimcu_run_hooks *hooks,
                                                            ssimcu_message *message);

/* Ends a run early, within about a second. The run begins no more pairs, and its results can be
 * resumed. Any thread or signal handler may call it until the run is closed. Accepts NULL. */
SSIMCU_API void ssimcu_run_cancel(ssimcu_run *run);

/* Releases the run and sets *run to NULL. Accepts NULL and a pointer to NULL. No other thread may
 * be using the run. If a thread of a cancelled run hangs, for example in a pipe without a writer,
 * that thread and its memory stay behind. */
SSIMCU_API void ssimcu_run_close(ssimcu_run **run);

/* ---- Outcome of a run ------------------------------------------------------------------------ */

/* The exit codes of the program. They are stable, and each has one meaning. */
typedef enum ssimcu_exit {
    SSIMCU_EXIT_SCORED = 0,    /* scored, within all limits */
    SSIMCU_EXIT_BELOW = 1,     /* scored, over a limit */
    SSIMCU_EXIT_USAGE = 2,     /* the options are wrong, or do not go with the files */
    SSIMCU_EXIT_MISMATCH = 3,  /* the sides cannot be compared, or frames are missing or failed */
    SSIMCU_EXIT_INPUT = 4,     /* a file is missing, unreadable, damaged, not supported or over a
                                  limit; no frame could be scored */
    SSIMCU_EXIT_DEVICE = 5,    /* the device is missing or failed */
    SSIMCU_EXIT_INTERNAL = 70, /* memory ran out, or a bug in ssimcu */
    SSIMCU_EXIT_OUTPUT = 74    /* an output could not be written */
} ssimcu_exit;

/* Returns the exit code of the program. It is USAGE for NULL and for a run that has not scored, and
 * undefined while it scores. One thread at a time uses a run. */
SSIMCU_API ssimcu_exit ssimcu_run_exit_code(const ssimcu_run *run);

/* Returns non-zero if two picture files are compared. Then the map is one file, and ssimcu_run_json
 * returns one object. The result is known from the first callback on, and a callback may call
 * it. */
SSIMCU_API int ssimcu_run_is_pair(const ssimcu_run *run);

/* Returns non-zero if ssimcu_run_cancel left work undone. Call it after ssimcu_run_score has
 * returned. One thread at a time uses a run. */
SSIMCU_API int ssimcu_run_was_cancelled(const ssimcu_run *run);

typedef struct ssimcu_summary {
    size_t struct_size;
    uint64_t pairs, scored, missing, failed;
    uint64_t bad;      /* frames over one of their limits */
    uint32_t complete; /* 0: the run was cut short */
    uint32_t passed;   /* non-zero: complete, and within all limits */
    uint32_t low_mean; /* metrics whose score of the run is below its limit: the sum of 1 <<
                          ssimcu_metric */
    uint32_t left_out; /* non-zero: this OUT could not be compared, and no other member is valid */
    ssimcu_statistics all; /* SSIM; valid if metric_frames[0] > 0 */
    uint64_t stale;        /* frames whose learned limits were learned from another reference */
    /* By ssimcu_metric. The score of a run is the mean. For PSNR it is the PSNR of the mean mse,
     * which includes identical frames. The means in PSNR's statistics exclude them, because their
     * PSNR is infinite; percentiles, min and max include them. */
    ssimcu_metric metric; /* the primary one: ssimcu_run_options.metric, or of merged runs */
    /* Number of frames that have a value. If it is 0, the other members are not valid. With
     * `compat`, the score of a run is NaN if a frame's value is NaN. */
    uint64_t metric_frames[SSIMCU_METRICS_ROOM];
    uint64_t identical;                             /* frames whose PSNR is infinite */
    double metric_score[SSIMCU_METRICS_ROOM];       /* the score of the run */
    ssimcu_statistics metrics[SSIMCU_METRICS_ROOM]; /* of its frames */
    /* OUT's frames whose packets are known: their number and bytes, their duration in seconds
     * (number times mean frame interval), and bits per second. NAN: unknown. */
    uint64_t coded_frames, coded_bytes;
    double coded_seconds, coded_rate;
    uint64_t checked; /* frames without a reference that were examined */
    uint64_t found;   /* frames with findings */
} ssimcu_summary;

/* Fills in the summary of one OUT, from 0. struct_size must be set. *summary is unchanged on error.
 * The callback `out`, and later the thread that uses the run, may call it. Errors: ARGUMENT
 * (unknown OUT, or nothing was delivered). */
SSIMCU_API SSIMCU_MUST_CHECK ssimcu_status ssimcu_run_summary(const ssimcu_run *run, uint32_t out,
                                                              ssimcu_summary *summary,
                                                              ssimcu_message *message);

/* Scores of one shot of a run: a directory of a tree, or a layer. */
typedef struct ssimcu_shot {
    size_t struct_size;
    const char *name; /* owned by the run */
    uint64_t pairs, scored, missing, failed;
    double mean, min; /* SSIM; NaN: no frame has it */
    int64_t worst;    /* frame of `min` */
    /* By ssimcu_metric, as in ssimcu_summary; for the shot and for its frames. NaN: no frame has a
     * value. */
    double metric_score[SSIMCU_METRICS_ROOM], metric_min[SSIMCU_METRICS_ROOM];
} ssimcu_shot;

/* Fills in shot `index` of one OUT, from 0, in the order of frames. Errors: ARGUMENT (unknown shot
 * or OUT). A callback may call it. */
SSIMCU_API SSIMCU_MUST_CHECK ssimcu_status ssimcu_run_shot(const ssimcu_run *run, uint32_t out,
                                                           uint32_t index, ssimcu_shot *shot,
                                                           ssimcu_message *message);

/* Calls `line` with each line about the outcome of one OUT: counts, statistics, worst frames, and
 * the reasons for not passing. Lines have no line break, may contain bytes of file names, and live
 * until `line` returns. `brief` passes only the reasons for not passing. An OUT without a summary
 * has no lines. The callback `out`, and later the thread that uses the run, may call it. */
SSIMCU_API void ssimcu_run_describe(const ssimcu_run *run, uint32_t out, int brief,
                                    void (*line)(void *user, const char *line), void *user);

/* Returns the summary and verdict of one OUT as JSON of the published schema, on one line. For two
 * pictures it returns the object that --json prints, on several lines. The caller frees it with
 * ssimcu_text_free. Returns NULL if memory runs out or the OUT has no summary. The callback `out`,
 * and later the thread that uses the run, may call it. */
SSIMCU_API char *ssimcu_run_json(const ssimcu_run *run, uint32_t out);

/* Releases a text from ssimcu_run_json or ssimcu_record_json. Accepts NULL. Any thread may call
 * it. */
SSIMCU_API void ssimcu_text_free(char *text);

/* ---- New references -------------------------------------------------------------------------- */

/* Options of ssimcu_accept. Texts and arrays must live until the call returns. */
typedef struct ssimcu_accept_options {
    size_t struct_size;
    const char *const *results; /* JSON Lines of a run of pictures, or of its shares */
    uint32_t results_count;
    uint32_t dry_run;   /* non-zero: check everything and write nothing */
    const char *frames; /* such as "1-100x2,120"; each must exist; NULL: all */
    const char *into;   /* directory; created if missing */
    void *user;         /* first argument of log */
    /* DETAIL is one line for each replaced or added file. A line has no line break, and may contain
     * bytes of file names. May be NULL. */
    void (*log)(void *user, ssimcu_log level, const char *line);
    /* Frames that the run called black, solid or duplicate are refused, and those that a check
     * would fail, unless this list has that kind, such as "black,flat-area". "all" skips the check.
     * May be NULL. */
    const char *even_if;
} ssimcu_accept_options;

typedef struct ssimcu_accepted {
    size_t struct_size;
    uint64_t files;    /* OUTs to accept: in the end, the sum of the next three */
    uint64_t replaced; /* with dry_run, the files that would be replaced */
    uint64_t added;
    uint64_t already;  /* unchanged: the directory has the same content under that name */
    uint64_t left_out; /* frames that were not scored and that `frames` does not name */
    ssimcu_exit code;  /* exit code of the program */
    uint64_t refused;  /* broken and damaged frames that `even_if` does not allow */
} ssimcu_accepted;

/* Makes the scored OUTs of results the references in a directory (Accepting in man ssimcu). An OUT
 * must not have changed since it was scored. If a frame is unfit, nothing is replaced.
 *
 * Each file is copied next to the file that it replaces and then renamed. Before that, a line is
 * added to `into`/accepted.jsonl. A kill at any step leaves whole files, and the same call
 * completes the work.
 *
 * *accepted, whose struct_size must be set, is also filled in on error. A second call in the same
 * directory at the same time fails. Links in the directory are not followed. Errors: ARGUMENT (also
 * results of video), FILE, DATA, UNSUPPORTED, MISMATCH (an OUT has changed, a frame is refused, one
 * of `frames` does not exist, or the results do not cover a whole run), WRITE, MEMORY. */
SSIMCU_API SSIMCU_MUST_CHECK ssimcu_status ssimcu_accept(const ssimcu_accept_options *options,
                                                         ssimcu_accepted *accepted,
                                                         ssimcu_message *message);
/* ---- Calibration ----------------------------------------------------------------------------- */

/* Options of ssimcu_calibrate. */
typedef struct ssimcu_calibrate_options {
    size_t struct_size;
    /* The inputs and the scoring. `ref` is the reference. `out` has the accepted runs: at least
     * three, or fewer if each shot has eight frames. `output` is the limits file. `tile` 0 is 32
     * pixels up to 1,000 pixels of width, 64 up to 2,500, else 128.
     *
     * `limits_file` has rules, which are copied into `output`. With NULL, `output` keeps its rules.
     * Areas that the rules ignore are not learned. `report` is the folder of a page about the
     * calibration. list, merge, shard, other limits and all other files are refused. */
    const ssimcu_run_options *run;
    double false_alarms; /* accepted false-alarm rate: share of accepted frames over a limit; 0:
                            0.001 */
} ssimcu_calibrate_options;

/* Outcome of a calibration. */
typedef struct ssimcu_calibrated {
    size_t struct_size;
    uint64_t frames, shots;           /* learned from */
    uint64_t scored, missing, failed; /* pairs of a frame of REF and a run */
    uint64_t named;                   /* pairs that are far from the others and were left out */
    ssimcu_exit code;                 /* exit code of the program */
} ssimcu_calibrated;

/* Learns limits from accepted runs and writes them: a file for `limits_file`, and next to it the
 * learned limits of all tiles. It calls the hooks begin, record, end, log and line. `line` gets a
 * line about each shot, and a table of the faults that the limits detect. Without both `line` and
 * `report`, no faults are injected. A record callback that returns an error ends the call.
 *
 * *calibrated, whose struct_size must be set, is also filled in on error. Its threads end before it
 * returns, except one that hangs. Any thread may call it. Errors: as ssimcu_run_open and
 * ssimcu_run_score. */
SSIMCU_API SSIMCU_MUST_CHECK ssimcu_status ssimcu_calibrate(const ssimcu_calibrate_options *options,
                                                            const ssimcu_run_hooks *hooks,
                                                            ssimcu_calibrated *calibrated,
                                                            ssimcu_message *message);

#ifdef __cplusplus
}
#endif

#endif
