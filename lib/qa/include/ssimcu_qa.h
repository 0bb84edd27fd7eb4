/* ssimcu_qa: what the program ssimcu does, as a library. One call scores two picture files. A run
 * scores directories, sequences, lists and video, judges them, and writes results, JUnit, maps and
 * a report. The program itself is a client of this header.
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
 * ssimcu_io.h). Several runs may go on at once in one process, as long as they write different
 * files.
 *
 * THREADS. One thread at a time may use a run, except that any thread may call ssimcu_run_cancel.
 * Callbacks come from threads of the run, but only one at a time.
 */
#ifndef SSIMCU_QA_H
#define SSIMCU_QA_H

#include "ssimcu_qa_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Options --------------------------------------------------------------------------------- */

/* The treatment of frames that one side lacks. */
typedef enum ssimcu_missing {
    SSIMCU_MISSING_ERROR = 0, /* they make the run incomplete */
    SSIMCU_MISSING_SKIP = 1,  /* they are left out */
    SSIMCU_MISSING_END = 2    /* the run ends with the shorter side */
} ssimcu_missing;

/* The treatment of frames whose reference is another one than that of their floors. */
typedef enum ssimcu_stale {
    SSIMCU_STALE_FAIL = 0, /* the floors say nothing about it: they count as beyond their floors */
    SSIMCU_STALE_WARN = 1  /* the floors judge them all the same, and a line says so */
} ssimcu_stale;

/* The tone curve of linear light, as --hdr. Video of PQ and HLG becomes light if one is set. */
typedef enum ssimcu_hdr {
    SSIMCU_HDR_DEFAULT = 0, /* SRGB; for a single channel NONE */
    SSIMCU_HDR_SRGB = 1,
    SSIMCU_HDR_PU21 = 2,
    SSIMCU_HDR_HABLE = 3,
    SSIMCU_HDR_NONE = 4
} ssimcu_hdr;

/* The range of video samples, as --range. */
typedef enum ssimcu_video_range {
    SSIMCU_VIDEO_RANGE_TAGS = 0, /* what the files say */
    SSIMCU_VIDEO_RANGE_LIMITED = 1,
    SSIMCU_VIDEO_RANGE_FULL = 2
} ssimcu_video_range;

/* The form of results. */
typedef enum ssimcu_results {
    SSIMCU_RESULTS_AUTO = 0, /* CSV if the file's name ends in .csv, else JSON Lines */
    SSIMCU_RESULTS_JSON = 1,
    SSIMCU_RESULTS_CSV = 2
} ssimcu_results;

/* The cases of JUnit XML. */
typedef enum ssimcu_junit_cases {
    SSIMCU_JUNIT_FRAMES = 0, /* one for each frame */
    SSIMCU_JUNIT_SHOTS = 1   /* one for each directory or shot, as records name it */
} ssimcu_junit_cases;

/* Limits of each frame, which are a number: places in ssimcu_run_options.limit. */
typedef enum ssimcu_limit {
    SSIMCU_LIMIT_MIN_FRAME = 0,     /* lowest score; above -1, at most 1 */
    SSIMCU_LIMIT_MIN_TILE = 1,      /* the same of the worst tile */
    SSIMCU_LIMIT_MAX_DROP = 2,      /* largest drop below the score in `baseline`; 0 to below 2 */
    SSIMCU_LIMIT_MAX_TILE_DROP = 3, /* the same of the worst tile */
    SSIMCU_LIMIT_MAX_SHIFT = 4,     /* largest shift of a tile, up or down, in levels of which white
                                       has 255; 0 to 255 */
    SSIMCU_LIMIT_MAX_DIFFERING = 5, /* share of pixels that differ (ssimcu_differing); 0 to 1 */
    SSIMCU_LIMIT_MAX_BLOB = 6       /* pixels of their largest group; from 0 */
} ssimcu_limit;
enum { SSIMCU_LIMITS = 7, SSIMCU_LIMITS_ROOM = 16 }; /* how many there are, and room for them */

#define SSIMCU_NONE UINT32_MAX /* a count of nothing, if 0 means the default */

/* What to score, how, against which limits, and what to write. Texts and arrays must outlive the
 * run. A path of NULL means none. The comments name the program's option. */
typedef struct ssimcu_run_options {
    size_t struct_size;

    /* What is compared: REF and its OUTs, or a list, or earlier results to merge. */
    const char *ref;        /* picture, directory, pattern or video; "-": standard input */
    const char *const *out; /* the same; several only of video */
    uint32_t outs;          /* number of them, 1 to 64 */
    /* Names of the OUTs in messages, pages and names of files, as LABEL=OUT; no two are the same.
     * NULL: none, as an entry of NULL. */
    const char *const *labels;
    /* --group: OUTs that belong together, such as "x264=a.mp4,b.mp4": a name and labels or paths.
     * Quality over bit rate of each later group is held against that of the first. */
    const char *const *group;
    uint32_t groups; /* number of them, at most 16 */
    /* --or: further accepted references, as `ref` is. A frame beyond a limit is held against each
     * in turn, until it keeps to all. Pictures alone have them. */
    const char *const *variant;
    uint32_t variants;        /* number of them, at most 8 */
    const char *list;         /* --list: a file with a pair on each line */
    const char *const *merge; /* results files of shares or earlier runs */
    uint32_t merges;
    uint32_t recursive; /* non-zero: directories with all below them */
    const char *frames; /* --frames, such as "1-100x2,120" or "0-x10"; NULL: all */
    int64_t offset;     /* --offset: frame n of REF is compared with n + offset of OUT; at most 2^20
                           either way */
    uint32_t align; /* non-zero: frames of compressed video are paired by their times, as --align */
    ssimcu_missing missing;
    uint32_t shard, shards; /* share 1 to `shards`, at most 2^24; shards 0: everything */
    struct {
        uint32_t width, height, x, y; /* pixels */
    } region;                         /* the part that is scored; width 0: the whole frame */

    /* What the files hold, if they do not say so or say it wrongly. */
    const char *size, *format; /* size and format of raw video, such as "3840x2160" and "yuv420p" */
    const char *layer, *channels; /* choice within an EXR, as in ssimcu_image_options */
    uint32_t layers;              /* non-zero: every layer of EXRs is compared, as --layers all */
    ssimcu_video_range range;     /* --range */
    const char *matrix;           /* --matrix, such as "bt709"; NULL: what the files say */
    uint64_t max_pixels;          /* largest picture that is read, up to 2^48; 0:
                                     SSIMCU_IMAGE_MAX_PIXELS */

    /* The size at which frames of video are compared, whichever side is scaled to it: by the CPU,
     * on the threads that decode, and frames of NVDEC by their GPU. Of several OUTs each has its
     * own size with OUT. */
    ssimcu_scale scale;
    uint32_t scale_width, scale_height; /* pixels, of SIZE */
    ssimcu_scaler_name scaler;

    /* How it is scored. */
    ssimcu_color color;
    ssimcu_pad pad;
    ssimcu_alpha alpha;
    uint32_t tile; /* side in pixels, a multiple of 4 from 24; 0: 64, or that of the floors in
                      `limits_file`; SSIMCU_NONE: no tiles. On a GPU's tensor cores a tile of 64
                      x 64 may be off by 1e-5, the smallest by 5e-5; frames are within 1e-6. */
    /* --metric: the metrics that are wanted, 1 << ssimcu_metric added up. SSIM always is, because
     * tiles and hints need it. A frame that is too small for one lacks it; for the first, one that
     * has a limit, or SSIM if something is made of it, that is an error. Their values are those of
     * all pixels that are compared, so rules of `limits_file` must ignore none. */
    uint32_t metrics;
    ssimcu_metric metric; /* the first of them: the score of a pair and of a run is of it, and the
                             worst frames are those with its lowest values */
    /* --compat: a tool whose numbers are wanted instead, for those of `metrics` that it has, which
     * must be all. The CPU scores and decodes. There are neither tiles nor maps, and floors and
     * calibration have none. Pictures of VMAF need a `color` of luma, and SSIMULACRA2 has no video.
     * A value may be NaN, as MS-SSIM of libvmaf is of some frames: it is below any limit. */
    ssimcu_compat compat;

    /* Linear light. */
    ssimcu_hdr hdr;
    uint32_t nan_zero; /* non-zero: samples that are not finite count as 0 */
    /* non-zero: `exposure` is given, which a single channel needs to say what its white is */
    uint32_t has_exposure;
    double exposure; /* stops, -64 to 64 */
    double white;    /* cd/m2 of light 1 under PU21 and of video, 1e-9 to 1e9; 0: 100 */

    /* Limits. A run passes if it keeps to all that are set. */
    uint32_t limits; /* 1 << ssimcu_limit, added up: those of `limit` that count */
    double limit[SSIMCU_LIMITS_ROOM];
    /* By ssimcu_metric: the lowest score of the run, and of each frame beside that of SSIM. Those
     * count whose bit, 1 << ssimcu_metric, is set. */
    uint32_t score_limits, frame_limits;
    double min_scores[SSIMCU_METRICS_ROOM], min_frames[SSIMCU_METRICS_ROOM];
    /* A limit: kinds of hints that no frame may have, such as "stuck,frame"; NULL: none. */
    const char *fail_on_hint;
    uint64_t max_bad;     /* frames that may be beyond these limits or those of a file, up to
                             2^48 */
    const char *baseline; /* earlier results */
    /* A file with more limits for some shots and frames, and with floors of their tiles (man
     * ssimcu-limits); NULL: none. The limits above win over it. */
    const char *limits_file;
    ssimcu_stale stale;

    /* What is written. */
    const char *output; /* results; a directory for several OUTs, likewise the next four */
    ssimcu_results results;
    const char *resume; /* earlier results, whose frames are not scored again */
    const char *junit;  /* the verdict as JUnit XML */
    const char *map;    /* PNG of two pictures, directory of others */
    const char *report; /* directory for a page */
    ssimcu_junit_cases junit_cases;
    ssimcu_map_style map_style;
    uint32_t report_frames; /* worst frames with pictures, up to 1000; 0: 12; SSIMCU_NONE: none */
    uint32_t worst;         /* frames that the summary names, up to 2^20; 0: 5; SSIMCU_NONE: none */

    /* What computes. */
    ssimcu_device device;
    uint32_t device_index;
    uint32_t all_devices; /* non-zero: every CUDA device */
    ssimcu_decode decode;
    uint32_t threads;      /* 0: all of ssimcu_cpu_threads */
    uint64_t memory_bytes; /* most for frames; 0: half of the machine's, at most 4 GiB */

    /* Pixels of pictures differ if a sample does by more than this, as files have it; white of
     * integers is 1. They are counted if it is not 0 or a limit is of them. */
    double differ_above;

    const char *markdown; /* the verdict as Markdown, with pictures in a folder beside it */

    /* --stream: the video stream of REF and of each OUT, from 0; check, which has no REF, takes two
     * that are equal. Cover pictures and thumbnails do not count. A file without such a stream is
     * an error (DATA); y4m and raw video have stream 0 alone. */
    uint32_t stream[2];
} ssimcu_run_options;

/* ---- What is known of a frame ---------------------------------------------------------------- */

/* Values by ssimcu_metric, as in ssimcu_score. NaN: not wanted or not known, or the tool's own. */
typedef struct ssimcu_metric_values {
    double metric[SSIMCU_METRICS_ROOM];
    double metric_channel[SSIMCU_METRICS_ROOM][3]; /* of the channels of ssimcu_scored */
    double mse;
} ssimcu_metric_values;

/* ---- Two files ------------------------------------------------------------------------------- */

/* What was read. Texts are static. */
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
    char not_compared[512]; /* channels of an EXR that the score does not cover, a line each; "..."
                               for those without room; "": none */
    ssimcu_metric_values metrics;
    char colours[512]; /* how the files say that their colours differ (ssimcu_image_colours_differ)
                        */
} ssimcu_file_result;

/* Scores two picture files. Both are decoded at the same time. `context` NULL opens one for this
 * call, with the program's choice of device; a context that is given keeps its own settings.
 * `options` NULL means the program's defaults. All fields are checked, and layers is refused. These
 * count: layer, channels, region, tile, max_pixels, threads and, without a context, the scoring and
 * the device. *result, whose struct_size must be set, is unchanged on error. Starts two threads,
 * which end before it returns. Any thread may call it, with a context of its own. Errors: as
 * ssimcu_image_read, ssimcu_open and ssimcu_compare; MISMATCH. */
SSIMCU_API SSIMCU_MUST_CHECK ssimcu_status ssimcu_compare_files(ssimcu_context *context,
                                                                const char *ref, const char *out,
                                                                const ssimcu_run_options *options,
                                                                ssimcu_file_result *result,
                                                                ssimcu_message *message);

/* ---- A run ----------------------------------------------------------------------------------- */

typedef struct ssimcu_run ssimcu_run;

/* Rules by which a limits file judges the tiles of a frame, and all of them together (man
 * ssimcu-limits). */
enum { SSIMCU_FLOOR_RULES = 10 };

/* How far a frame is beyond its floors: what accepted renders showed in each of its tiles. */
typedef struct ssimcu_floor_excess {
    uint32_t known; /* 0: the limits file has no floors, or none for this frame */
    /* Standard deviations by rule (score, shift, difference, texture, bright, dark: the highest of
     * all tiles; frame_score, frame_shift, frame_difference, frame_texture: of all tiles together).
     */
    double excess[SSIMCU_FLOOR_RULES];
    const char *worst; /* the rule that is furthest beyond its limit, such as "dark"; static */
    uint32_t x, y, width, height; /* the tile of that rule, or the whole frame, in its pixels */
    uint32_t channel;             /* its channel: an index of ssimcu_scored.channel; 0 for rules
                                     that join the channels */
    uint32_t stale;               /* non-zero: the floors were learnt against another reference */
} ssimcu_floor_excess;

/* The outcome of one pair of frames. The library owns it; it lives until the callback returns. */
typedef struct ssimcu_record {
    int64_t frame;
    uint32_t out; /* index of the OUT among several */
    ssimcu_record_kind kind;
    uint32_t known;       /* non-zero: taken over from earlier results */
    const char *part;     /* directory or shot; NULL: none */
    const char *path[2];  /* REF, OUT; NULL: no such file */
    uint32_t missing[2];  /* MISSING: the sides without a frame */
    ssimcu_status status; /* FAILED: the error */
    const char *message;  /* FAILED: one line; else "" */
    ssimcu_scored scored; /* SCORED */
    /* Channels of an EXR that the score does not cover, a line break between; NULL: none. */
    const char *not_compared;
    const char
        *variant; /* the reference that it was scored against instead of path[0]; NULL: none */
    ssimcu_floor_excess floor; /* SCORED */
    ssimcu_metric_values metrics;
    ssimcu_coded coded[2]; /* REF, OUT */
    uint32_t by_nvdec[2];  /* REF, OUT: non-zero if NVDEC decoded it */
    const void *facts;     /* ssimcu_record_json reads it */
    /* What one file of video does not say of its samples and was taken from the other, such as
     * "matrix bt709 in OUT"; NULL: nothing that a metric reads. */
    const char *assumed;
    /* How two picture files say that their colours differ, such as "primaries are bt709 in REF,
     * smpte432 in OUT"; NULL: they do not. Samples are compared as they are stored. */
    const char *colours;
    /* Which streams are compared where video files hold several, such as "0 of 2 in OUT"; NULL:
     * each file has one. */
    const char *streams;
} ssimcu_record;

/* Returns the record as JSON of the published schema, on one line, as results have it. The caller
 * frees it with ssimcu_text_free. NULL: memory ran out. The callback that has the record may call
 * it. */
SSIMCU_API char *ssimcu_record_json(const ssimcu_record *record);

typedef enum ssimcu_log {
    SSIMCU_LOG_WARNING = 0, /* what a person should know */
    SSIMCU_LOG_DETAIL = 1   /* devices, times, contract: what -v prints */
} ssimcu_log;

/* Callbacks of a run; any may be NULL. A callback that returns a status other than OK ends the run
 * with it; what was scored stays in the results, which can be resumed. A callback must not call
 * functions of its run, except ssimcu_run_cancel and those that say so. */
typedef struct ssimcu_run_hooks {
    size_t struct_size;
    void *user; /* first argument of every callback */
    /* The work begins. `total`: number of pairs; -1: unknown. It comes before two pictures are
     * opened, and of more than that only once every output is open. A merge has none. */
    void (*begin)(void *user, int64_t total);
    /* A pair is done. Records of one OUT come in the order of their frames. */
    ssimcu_status (*record)(void *user, const ssimcu_record *record);
    /* A line of results, without a line break, if `output` is NULL: the header, each record and the
     * summary, in the form of `results`. */
    ssimcu_status (*line)(void *user, const char *line);
    /* The work that began has ended: all pairs are done, before the first `out`. Of two pictures
     * everything is written then, or an error has ended the run. A merge has none. */
    void (*end)(void *user);
    /* The results, JUnit and maps of an OUT are written, or `status` says why not. Functions that
     * return a summary, a verdict or JSON may be called here. The report comes later. */
    ssimcu_status (*out)(void *user, uint32_t out, ssimcu_status status, const char *message);
    /* Pictures of the report are done. `done` and `count` are 0 before the first and after the
     * last. */
    void (*pictures)(void *user, size_t done, size_t count);
    /* One line for a person, without a line break; it may hold bytes of file names. */
    void (*log)(void *user, ssimcu_log level, const char *line);
} ssimcu_run_hooks;

/* Checks the options and makes a run, which ssimcu_run_close releases. Nothing is opened or written
 * yet. *run is NULL on any error. Any thread may call it.
 * Errors: ARGUMENT (the message names the option), MEMORY. */
SSIMCU_API SSIMCU_MUST_CHECK ssimcu_status ssimcu_run_open(const ssimcu_run_options *options,
                                                           ssimcu_run **run,
                                                           ssimcu_message *message);

/* Runs to the end: opens what is compared, scores it, judges it and writes everything. It returns
 * OK also if frames are missing, failed or beyond a limit: ssimcu_run_exit_code tells. `hooks` NULL
 * means no callbacks. A run scores once, in one thread. The threads that it starts end before it
 * returns, except one that hangs after a cancel. Errors: what ended the run: ARGUMENT
 * (options and files do not go together), FILE, DATA, UNSUPPORTED, MISMATCH, LIMIT, MEMORY, DEVICE,
 * WRITE, or that of a callback. */
SSIMCU_API SSIMCU_MUST_CHECK ssimcu_status ssimcu_run_score(ssimcu_run *run,
                                                            const ssimcu_run_hooks *hooks,
                                                            ssimcu_message *message);

/* Ends a run early, within about a second: it begins no more pairs, and its results can be
 * resumed. Any thread may call it until the run is closed, and so may a signal handler. NULL is
 * allowed. */
SSIMCU_API void ssimcu_run_cancel(ssimcu_run *run);

/* Releases the run and sets *run to NULL. Accepts NULL and a pointer to NULL. No other thread may
 * be using the run. A run that was cancelled while a thread of it hung, for example in a pipe that
 * no program writes to, leaves that thread and what it uses behind. */
SSIMCU_API void ssimcu_run_close(ssimcu_run **run);

/* ---- Outcome of a run ------------------------------------------------------------------------ */

/* The codes with which the program ends. They are stable, and none stands for two things. */
typedef enum ssimcu_exit {
    SSIMCU_EXIT_SCORED = 0,    /* scored, within every limit */
    SSIMCU_EXIT_BELOW = 1,     /* scored, beyond a limit */
    SSIMCU_EXIT_USAGE = 2,     /* the options are wrong, or do not go with the files */
    SSIMCU_EXIT_MISMATCH = 3,  /* the sides cannot be compared, or frames are missing or failed */
    SSIMCU_EXIT_INPUT = 4,     /* a file is missing, unreadable, damaged, not supported or over a
                                  limit; no frame could be scored */
    SSIMCU_EXIT_DEVICE = 5,    /* the device is missing or failed */
    SSIMCU_EXIT_INTERNAL = 70, /* memory ran out, or a bug in ssimcu */
    SSIMCU_EXIT_OUTPUT = 74    /* an output could not be written */
} ssimcu_exit;

/* Returns the code with which the program would end. It is USAGE for NULL and for a run that has
 * not scored, and means nothing while it scores. One thread at a time uses a run. */
SSIMCU_API ssimcu_exit ssimcu_run_exit_code(const ssimcu_run *run);

/* Returns non-zero if two picture files are compared. Their map is a file, and ssimcu_run_json is
 * their one object. It is known from the first callback on, and a callback may call it. */
SSIMCU_API int ssimcu_run_is_pair(const ssimcu_run *run);

/* Returns non-zero if ssimcu_run_cancel has left something undone. It is known once
 * ssimcu_run_score has returned. One thread at a time uses a run. */
SSIMCU_API int ssimcu_run_was_cancelled(const ssimcu_run *run);

typedef struct ssimcu_summary {
    size_t struct_size;
    uint64_t pairs, scored, missing, failed;
    uint64_t bad;          /* frames beyond a limit of their own */
    uint32_t complete;     /* 0: the run was cut short */
    uint32_t passed;       /* non-zero: complete, and within every limit */
    uint32_t low_mean;     /* scores of the run below their limits, 1 << ssimcu_metric added up */
    uint32_t left_out;     /* non-zero: this OUT could not be compared; nothing else is known */
    ssimcu_statistics all; /* of SSIM; valid if metric_frames[0] > 0 */
    uint64_t stale;        /* frames whose floors were learnt against another reference */
    /* By ssimcu_metric. The score of a run is the mean, but for PSNR that of the mean mse, which
     * counts identical frames as any other. The means of PSNR's statistics leave those out, because
     * it is infinite there; percentiles, min and max do not. */
    ssimcu_metric metric; /* the first: ssimcu_run_options.metric, or that of merged runs */
    /* Frames that have a value. If there are 0, the rest is not valid, except a score of NaN, which
     * a run has if a frame has one (compat). */
    uint64_t metric_frames[SSIMCU_METRICS_ROOM];
    uint64_t identical;                             /* frames whose PSNR is infinite */
    double metric_score[SSIMCU_METRICS_ROOM];       /* the score of the run */
    ssimcu_statistics metrics[SSIMCU_METRICS_ROOM]; /* of its frames */
    /* These are of OUT's frames whose packets are known: their number and bytes, the seconds that
     * they last (their number times the mean time from one to the next) and bits in a second. NAN:
     * unknown. */
    uint64_t coded_frames, coded_bytes;
    double coded_seconds, coded_rate;
} ssimcu_summary;

/* Fills in the summary of one OUT, from 0. struct_size must be set. *summary is unchanged on error.
 * The callback `out` may call it, and later the thread that uses the run. Errors: ARGUMENT (no such
 * OUT, or nothing was delivered). */
SSIMCU_API SSIMCU_MUST_CHECK ssimcu_status ssimcu_run_summary(const ssimcu_run *run, uint32_t out,
                                                              ssimcu_summary *summary,
                                                              ssimcu_message *message);

/* Scores of one part of a run: a directory of a tree, or a layer. */
typedef struct ssimcu_part {
    size_t struct_size;
    const char *name; /* the run's */
    uint64_t pairs, scored, missing, failed;
    double mean, min; /* of SSIM; NaN: no frame has it */
    int64_t worst;    /* frame of `min` */
    /* By ssimcu_metric, as in ssimcu_summary; of part and frames. NaN: no frame has a value. */
    double metric_score[SSIMCU_METRICS_ROOM], metric_min[SSIMCU_METRICS_ROOM];
} ssimcu_part;

/* Fills in a part of one OUT, from 0, in the order of their frames. Errors: ARGUMENT (no such part
 * or OUT). A callback may call it. */
SSIMCU_API SSIMCU_MUST_CHECK ssimcu_status ssimcu_run_part(const ssimcu_run *run, uint32_t out,
                                                           uint32_t index, ssimcu_part *part,
                                                           ssimcu_message *message);

/* Calls `line` with each line for a person about the outcome of one OUT: counts, statistics, the
 * worst frames, what is beyond a limit and why. Lines have no line break; they may hold bytes of
 * file names and live until `line` returns. `brief` leaves only the reasons for not
 * passing. Nothing is said of an OUT without a summary. The callback `out` may call it, and later
 * the thread that uses the run. */
SSIMCU_API void ssimcu_run_describe(const ssimcu_run *run, uint32_t out, int brief,
                                    void (*line)(void *user, const char *line), void *user);

/* Returns summary and verdict of one OUT as JSON of the published schema, on one line. Of two
 * pictures it is the object that --json prints, in several lines. The caller frees it with
 * ssimcu_text_free. NULL: memory ran out, or the OUT has no summary. The callback `out` may call
 * it, and later the thread that uses the run. */
SSIMCU_API char *ssimcu_run_json(const ssimcu_run *run, uint32_t out);

/* Releases a text from ssimcu_run_json or ssimcu_record_json. NULL is allowed. Any thread may call
 * it. */
SSIMCU_API void ssimcu_text_free(char *text);

/* ---- New references -------------------------------------------------------------------------- */

/* Which OUTs become references, and where. Texts and arrays must live until the call returns. */
typedef struct ssimcu_accept_options {
    size_t struct_size;
    const char *const *results; /* JSON Lines of a run of pictures, or of its shares */
    uint32_t results_count;
    uint32_t dry_run;   /* non-zero: everything is checked, and nothing is written */
    const char *frames; /* such as "1-100x2,120", each of which must be there; NULL: all */
    const char *into;   /* directory; it is made if it is missing */
    void *user;         /* first argument of log */
    /* DETAIL is one line for each file that is replaced or added; a line has no line break, and may
     * hold bytes of file names. May be NULL. */
    void (*log)(void *user, ssimcu_log level, const char *line);
    /* Frames that the run called black, flat or stuck are refused, unless these kinds of hints name
     * what they are: "black,stuck"; NULL: none. */
    const char *even_if;
} ssimcu_accept_options;

typedef struct ssimcu_accepted {
    size_t struct_size;
    uint64_t files;    /* OUTs to accept, which the next three add up to in the end */
    uint64_t replaced; /* with dry_run the number that would be */
    uint64_t added;
    uint64_t already;  /* the directory has the same content under that name */
    uint64_t left_out; /* frames that were not scored, if `frames` does not ask for them */
    ssimcu_exit code;  /* the code with which the program would end */
    uint64_t refused; /* frames that are black, flat or stuck, of which `even_if` does not say so */
} ssimcu_accepted;

/* Makes the scored OUTs of results the references in a directory (Accepting in man ssimcu). An OUT
 * must be unchanged since it was scored. If a frame is unfit, nothing is replaced. Each file is
 * copied beside what it replaces and then renamed, after a line in `into`/accepted.jsonl: a kill
 * at any step leaves whole files, and the same call does the rest. *accepted, whose struct_size
 * must be set, is filled in on an error, too. One call at a time works in a directory, another
 * fails. No link in there is followed. Errors: ARGUMENT (also results of video), FILE, DATA,
 * UNSUPPORTED, MISMATCH (an OUT has changed, a frame is refused, one of `frames` is not there, or
 * the results are not those of a whole run), WRITE, MEMORY. */
SSIMCU_API SSIMCU_MUST_CHECK ssimcu_status ssimcu_accept(const ssimcu_accept_options *options,
                                                         ssimcu_accepted *accepted,
                                                         ssimcu_message *message);
/* ---- Frames without a reference -------------------------------------------------------------- */

/* What is wrong with a frame, or may be. Texts live until the callback returns. */
typedef struct ssimcu_finding {
    size_t struct_size;
    const char *kind;             /* such as "nan"; man ssimcu-check has all of them */
    uint32_t fails;               /* non-zero: it is of a kind of `fail_on` */
    const char *sequence;         /* pattern of the frame's sequence, or the path of its video */
    const char *path;             /* file; NULL: it is missing */
    int64_t frame;                /* its number, of a video from 0; -1: a picture without one */
    uint32_t x, y, width, height; /* pixels; no width: it is of the whole frame */
    double number;                /* what such a finding counts or measures, as its text says */
    const char *text;             /* a sentence for a person, on one line */
    const char *layer;            /* with `layers`: that of the EXR; NULL: none */
} ssimcu_finding;

/* What is checked. Texts and arrays must live until the call returns. */
typedef struct ssimcu_check_options {
    size_t struct_size;
    /* `out`: pictures, directories, patterns and video, any number of `outs`; or `list` names them,
     * a path a line. With `shards` only whole sequences of that share are checked. `resume` has
     * results of the same frames, of which sequences are taken over whose files are unchanged.
     * `merge` may have the results of all shares instead, which become those of one check. Of the
     * other fields output, results, junit, report, threads and memory_bytes count, without `merge`
     * also frames, recursive, size, format, layer, layers, channels and max_pixels, and all others
     * are refused. CSV has a row for each finding, and one for each frame without. */
    const ssimcu_run_options *run;
    const char *fail_on; /* kinds that fail a frame, "nan,block", "all" or "none"; NULL: those
                            that clean work does not have */
    void *user;          /* first argument of finding */
    /* Findings come shot by shot, in the order of their frames. A status other than OK ends the
     * check with it, and leaves what is checked for `resume`. May be NULL. */
    ssimcu_status (*finding)(void *user, const ssimcu_finding *finding);
} ssimcu_check_options;

typedef struct ssimcu_checked {
    size_t struct_size;
    uint64_t frames, read;  /* frames that are there, and that could be read */
    uint64_t missing;       /* numbers that sequences lack */
    uint64_t found, failed; /* frames with findings, and with some that fail */
    ssimcu_exit code;       /* the code with which the program would end */
} ssimcu_checked;

/* Judges frames that have no reference, alone and beside their neighbours. Of the hooks begin,
 * record, line, end and log count. *checked, whose struct_size must be set, is filled in on an
 * error, too. Threads that it starts end before it returns. Any thread may call it. Errors: FILE
 * (a path is not there), DATA, UNSUPPORTED, WRITE, MEMORY, ARGUMENT, MISMATCH (results are of
 * another check), or that of a callback; a frame that cannot be read is a finding. */
SSIMCU_API SSIMCU_MUST_CHECK ssimcu_status ssimcu_check(const ssimcu_check_options *options,
                                                        const ssimcu_run_hooks *hooks,
                                                        ssimcu_checked *checked,
                                                        ssimcu_message *message);

/* ---- Calibration ----------------------------------------------------------------------------- */

/* How limits are learnt. */
typedef struct ssimcu_calibrate_options {
    size_t struct_size;
    /* What is read and how it is scored: ref, and the accepted runs as `out`, at least three, or
     * less if each shot has eight frames. `output` is the file of limits. `tile` 0 is 32 pixels up
     * to 1,000 pixels of width, 64 up to 2,500, else 128. `limits_file` has rules, which go into
     * `output`; NULL: those that `output` has already are kept. What they ignore is not learnt.
     * `report` is the folder of a page about the calibration. list, merge, shard, other limits and
     * all other files are refused. */
    const ssimcu_run_options *run;
    double false_alarms; /* wanted share of accepted frames beyond a limit; 0: 0.001 */
} ssimcu_calibrate_options;

/* Outcome of a calibration. */
typedef struct ssimcu_calibrated {
    size_t struct_size;
    uint64_t frames, shots;           /* learnt */
    uint64_t scored, missing, failed; /* pairs of a frame of REF and a run */
    uint64_t named;                   /* pairs that are far from the others, and were not learnt */
    ssimcu_exit code;                 /* the code with which the program would end */
} ssimcu_calibrated;

/* Learns limits from runs that were accepted, and writes them: a file for `limits_file`, and floors
 * of all tiles beside it. Of the hooks, begin, record, end, log and line count, which gets a line
 * about each shot and a table of the damage that the limits find; without it and `report` there are
 * no trials. A record callback that returns an error ends it. *calibrated, whose struct_size must
 * be set, is filled in also on error. Threads that it starts end before it returns, except one that
 * hangs. Any thread may call it. Errors: as ssimcu_run_open and ssimcu_run_score. */
SSIMCU_API SSIMCU_MUST_CHECK ssimcu_status ssimcu_calibrate(const ssimcu_calibrate_options *options,
                                                            const ssimcu_run_hooks *hooks,
                                                            ssimcu_calibrated *calibrated,
                                                            ssimcu_message *message);

#ifdef __cplusplus
}
#endif

#endif
