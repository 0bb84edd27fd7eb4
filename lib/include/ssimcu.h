/* ssimcu: SSIM of full-resolution frames on CUDA GPUs and on the CPU.
 *
 * THE NUMBER. ssimcu computes the Structural Similarity index of Wang, Bovik, Sheikh and
 * Simoncelli, "Image Quality Assessment: From Error Visibility to Structural Similarity", IEEE
 * Transactions on Image Processing 13(4), 2004, as their program ssim_index.m does, at the frame's
 * own resolution:
 *
 *   - an 11x11 Gaussian window, sigma 1.5, normalised; K1 = 0.01, K2 = 0.03; population moments;
 *   - L = 2^bits - 1: 255 for 8 bits, 1023 for 10, 65535 for 16;
 *   - the mean of the SSIM map over the window positions that lie wholly inside the frame
 *     (SSIMCU_PAD_VALID), and the mean of the channels' scores. The frame is never downsampled.
 *
 * It equals scikit-image's structural_similarity(gaussian_weights=True, sigma=1.5,
 * use_sample_covariance=False, data_range=L). Every backend is within 1e-6 of the float64 value,
 * identical frames score exactly 1.0, swapping the frames does not change a bit, and one device
 * gives the same bits on every run.
 *
 * IN SHORT. Fill two ssimcu_frame, then:
 *
 *     ssimcu_context *context = NULL;
 *     ssimcu_message why = {0};
 *     ssimcu_score score = {.struct_size = sizeof score};
 *     if (ssimcu_open(NULL, &context, &why) == SSIMCU_OK &&
 *         ssimcu_compare(context, &ref, &out, &score, &why) == SSIMCU_OK)
 *         printf("%.9f\n", score.score);
 *     else
 *         fprintf(stderr, "%s\n", why.text);
 *     ssimcu_close(&context);
 *
 * Pictures of other layouts and types, maps and scores per tile: see views. Frames in device
 * memory, on your stream: ssimcu_cuda.h.
 *
 * RULES, said once. The library never prints, exits or reads the environment, and starts no thread
 * that was not asked for (ssimcu_settings.threads). A context belongs to one thread at a time;
 * different contexts are independent. Functions that take no context may be called from any thread.
 * Strings returned are owned by the library. Structs that start with `struct_size` must have it set
 * to their sizeof by the caller; every other field may be zero, and zero always means the default,
 * so that fields can be added later: a program that was built with an older header, whose structs
 * are shorter, goes on as before; a struct that is longer than this library's is an ARGUMENT error.
 */
#ifndef SSIMCU_H
#define SSIMCU_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#    define SSIMCU_API __attribute__((visibility("default")))
#    define SSIMCU_MUST_CHECK __attribute__((warn_unused_result))
#else
#    define SSIMCU_API
#    define SSIMCU_MUST_CHECK
#endif

/* ---- Version -------------------------------------------------------------------------------- */

#define SSIMCU_VERSION_MAJOR 0
#define SSIMCU_VERSION_MINOR 1
#define SSIMCU_VERSION_PATCH 0

/* The library's own version, "MAJOR.MINOR.PATCH"; compare with the macros to find a stale header.
 */
SSIMCU_API const char *ssimcu_version(void);

/* How the backends were built, for example "cpu, cuda 13.0" or "cpu, built without CUDA". */
SSIMCU_API const char *ssimcu_build(void);

/* ---- Status and message ---------------------------------------------------------------------- */

/* What a call came to. The numbers are pinned: they never change meaning. */
typedef enum ssimcu_status {
    SSIMCU_OK = 0,
    SSIMCU_ERROR_ARGUMENT = 1,    /* an argument is outside what the function's text allows */
    SSIMCU_ERROR_MISMATCH = 2,    /* the two frames cannot be compared with each other */
    SSIMCU_ERROR_TOO_SMALL = 3,   /* a side is under 11 pixels and the window does not fit */
    SSIMCU_ERROR_UNSUPPORTED = 4, /* well-formed, but not something this library handles */
    SSIMCU_ERROR_LIMIT = 5,       /* larger than the limit in force */
    SSIMCU_ERROR_MEMORY = 6,      /* host or device memory ran out */
    SSIMCU_ERROR_DEVICE = 7,      /* the device is missing or failed */
    SSIMCU_ERROR_FILE = 8,        /* a file is missing or unreadable */
    SSIMCU_ERROR_DATA = 9,     /* a file is damaged, truncated or not an image; or samples are not
                                  finite */
    SSIMCU_ERROR_WRITE = 10,   /* an output could not be written */
    SSIMCU_ERROR_INTERNAL = 11 /* a bug in ssimcu: please report it */
} ssimcu_status;

/* A short English name of a status, such as "mismatch". Never NULL, also for unknown numbers. */
SSIMCU_API const char *ssimcu_status_name(ssimcu_status status);

/* One line that says what went wrong, for a person. Zero it before the first call. The first error
 * wins: a message that holds text is not overwritten, so that the cause survives the clean-up.
 * Every function that takes one accepts NULL. */
typedef struct ssimcu_message {
    char text[512];
} ssimcu_message;

/* ---- Frames ---------------------------------------------------------------------------------- */

/* One picture in host memory, interleaved (HWC): row after row, pixel after pixel. Samples are
 * uint8_t when bits is 8 and uint16_t in the machine's byte order, from 0 to 2^bits - 1, when it is
 * 9 to 16; a sample above that gives a score without meaning.
 * channels: 1 grey, 2 grey + alpha, 3 RGB, 4 RGBA; alpha is straight, not premultiplied. A plane of
 * a planar picture (Y, U or V of a video frame) is a grey frame. */
typedef struct ssimcu_frame {
    uint32_t width;    /* pixels, 1 or more */
    uint32_t height;   /* pixels, 1 or more */
    uint32_t channels; /* 1 to 4 */
    uint32_t bits;     /* 8 to 16 */
    size_t pitch;      /* bytes from one row to the next; at least the row, whole samples */
    void *data;        /* first sample of the first row, aligned to a sample */
} ssimcu_frame;

/* Lends memory for a frame: reads width, height, channels and bits, sets pitch and data. The memory
 * is page-aligned, uninitialised and usable with every context; no context is needed, so that files
 * can be decoded while a device starts. Release with ssimcu_frame_free.
 * Errors: ARGUMENT (a field is out of range), LIMIT (the size overflows), MEMORY. */
SSIMCU_API SSIMCU_MUST_CHECK ssimcu_status ssimcu_frame_alloc(ssimcu_frame *frame,
                                                              ssimcu_message *message);

/* Returns memory lent by ssimcu_frame_alloc and clears data and pitch. Accepts NULL and empty. */
SSIMCU_API void ssimcu_frame_free(ssimcu_frame *frame);

/* ---- Settings -------------------------------------------------------------------------------- */

typedef enum ssimcu_device {
    SSIMCU_DEVICE_AUTO = 0, /* a CUDA device where one works and pays, else the CPU */
    SSIMCU_DEVICE_CPU = 1,
    SSIMCU_DEVICE_CUDA = 2 /* CUDA or an error: never falls back */
} ssimcu_device;

/* Which window positions count. */
typedef enum ssimcu_pad {
    SSIMCU_PAD_VALID = 0, /* only windows wholly inside the frame (ssim_index.m) */
    SSIMCU_PAD_ZERO = 1   /* one window per pixel, samples outside the frame are 0 (fused-ssim) */
} ssimcu_pad;

/* What is compared. Luma is rounded to the integer sample. Grey frames stay grey. */
typedef enum ssimcu_color {
    SSIMCU_COLOR_RGB = 0,  /* R, G and B, score = mean of the three */
    SSIMCU_COLOR_Y709 = 1, /* 0.2126 R + 0.7152 G + 0.0722 B */
    SSIMCU_COLOR_Y601 = 2  /* 0.2990 R + 0.5870 G + 0.1140 B */
} ssimcu_color;

/* What happens to alpha. A frame whose alpha is opaque everywhere counts as a frame without. */
typedef enum ssimcu_alpha {
    SSIMCU_ALPHA_WORST = 0,  /* score over black and over white, keep the lower */
    SSIMCU_ALPHA_IGNORE = 1, /* compare the colour samples as they are stored */
    SSIMCU_ALPHA_BLACK = 2,  /* composite over black: v*a */
    SSIMCU_ALPHA_WHITE = 3   /* composite over white: v*a + L*(1-a) */
} ssimcu_alpha;

/* Which instructions the CPU backend uses. Their scores and every element of their maps agree
 * within 1e-7, and each gives the same bits with any number of threads. For tests: BEST is what
 * everybody else wants. */
typedef enum ssimcu_cpu_level {
    SSIMCU_CPU_BEST = 0, /* the best that this CPU has */
    SSIMCU_CPU_PLAIN = 1,
    SSIMCU_CPU_AVX2 = 2, /* with FMA */
    SSIMCU_CPU_AVX512 = 3,
    SSIMCU_CPU_NEON = 4
} ssimcu_cpu_level;

typedef struct ssimcu_settings {
    size_t struct_size;
    ssimcu_device device;
    uint32_t device_index; /* which CUDA device, 0 for the first */
    ssimcu_pad pad;
    ssimcu_color color;
    ssimcu_alpha alpha;
    uint64_t single_pair_pixels; /* AUTO only: non-zero when the context will score just one pair of
                                    this many pixels, so that starting a GPU may not pay */
    uint32_t threads;     /* that work on the CPU, the calling one included; 0: the calling thread
                             alone; more than ssimcu_cpu_threads() counts as that many */
    uint32_t wait_asleep; /* non-zero: a thread that waits for a CUDA device sleeps, which leaves
                             its core to others and costs a score some tens of microseconds */
    ssimcu_cpu_level cpu_level; /* DEVICE error where the CPU or the build lacks it */
} ssimcu_settings;

/* ---- Devices --------------------------------------------------------------------------------- */

typedef struct ssimcu_device_info {
    size_t struct_size;
    char name[128];        /* "NVIDIA H200" */
    uint64_t memory_bytes; /* device memory; 0 for the CPU */
    uint32_t compute;      /* 10 * major + minor compute capability; 0 for the CPU */
} ssimcu_device_info;

/* How many devices of one kind (CPU or CUDA) can be used now. When it is none, `message` says why.
 * Errors: ARGUMENT, DEVICE (none; *count is 0). */
SSIMCU_API ssimcu_status ssimcu_device_count(ssimcu_device device, uint32_t *count,
                                             ssimcu_message *message);

/* Describes device `index` of one kind. Errors: ARGUMENT, DEVICE (no such device). */
SSIMCU_API SSIMCU_MUST_CHECK ssimcu_status ssimcu_device_describe(ssimcu_device device,
                                                                  uint32_t index,
                                                                  ssimcu_device_info *info,
                                                                  ssimcu_message *message);

/* How many threads this process can use at once: the CPUs that the machine has and the affinity
 * mask allows, cut down to the CPU quota of the control group (v1 or v2). At least 1. */
SSIMCU_API uint32_t ssimcu_cpu_threads(void);

/* ---- Context --------------------------------------------------------------------------------- */

/* A device with its stream, its threads and its buffers. Buffers grow to the largest pair seen and
 * are reused: the second compare of a size allocates nothing. */
typedef struct ssimcu_context ssimcu_context;

/* Opens a context; `settings` NULL means all defaults. *context is a live object on success and
 * NULL on any error. Blocks while a CUDA device starts (tenths of a second).
 * Errors: ARGUMENT, MEMORY, DEVICE. */
SSIMCU_API SSIMCU_MUST_CHECK ssimcu_status ssimcu_open(const ssimcu_settings *settings,
                                                       ssimcu_context **context,
                                                       ssimcu_message *message);

/* Releases everything, sets *context to NULL. Accepts NULL and a pointer to NULL. */
SSIMCU_API void ssimcu_close(ssimcu_context **context);

/* "cpu" or "cuda:0". Lives as long as the context. */
SSIMCU_API const char *ssimcu_context_device(const ssimcu_context *context);

/* One line on what the device is and, where AUTO chose it, why. Lives as long as the context. */
SSIMCU_API const char *ssimcu_context_reason(const ssimcu_context *context);

/* Pins the memory of a frame that ssimcu_frame_alloc lent, so that a CUDA device copies from it
 * several times faster: worth it for memory that is filled and compared again and again. Does
 * nothing on the CPU. Any context may compare the frame, or one that lies inside its memory. Pin
 * once, and unpin before ssimcu_frame_free; `context` may be any open context on the same kind of
 * device, and may be in use by another thread meanwhile. Errors: ARGUMENT, MEMORY, DEVICE; the
 * frame is then as it was. */
SSIMCU_API SSIMCU_MUST_CHECK ssimcu_status ssimcu_frame_pin(const ssimcu_context *context,
                                                            const ssimcu_frame *frame,
                                                            ssimcu_message *message);

/* Undoes ssimcu_frame_pin. */
SSIMCU_API void ssimcu_frame_unpin(const ssimcu_context *context, const ssimcu_frame *frame);

/* ---- Comparing ------------------------------------------------------------------------------- */

/* Milliseconds that one compare spent in each stage, on the device's own clock. */
typedef struct ssimcu_stage_ms {
    double upload;   /* host to device, both frames; 0 on the CPU */
    double permute;  /* interleaved samples -> float planes (HWC -> CHW), both frames; about 0 where
                        the ssim stage reads the samples where they are */
    double ssim;     /* moments, SSIM map, sums per block */
    double reduce;   /* block sums -> one sum per channel */
    double download; /* sums, and the map where asked for; 0 on the CPU */
} ssimcu_stage_ms;

/* Over what the frames were composited. NONE: no alpha took part. */
typedef enum ssimcu_background {
    SSIMCU_BACKGROUND_NONE = 0,
    SSIMCU_BACKGROUND_BLACK = 1,
    SSIMCU_BACKGROUND_WHITE = 2
} ssimcu_background;

typedef struct ssimcu_score {
    size_t struct_size;
    double score;      /* mean of channel[], at most 1; of planes: weighted by their areas */
    uint32_t channels; /* 1 (grey, luma) or 3 (R, G, B); ssimcu_compare_planes: the planes */
    double channel[3]; /* each channel's score */
    uint32_t bits;     /* depth that was compared: the deeper of the two frames; 0 where a
                          view has samples of another kind */
    ssimcu_background background; /* which compositing the score is of */
    ssimcu_stage_ms ms;
} ssimcu_score;

/* The SSIM map: `channels` planes of height x width floats, plane after plane, without padding.
 * Element (y, x) is the window centred on pixel (y + border, x + border) of the frame, where border
 * is 5 for PAD_VALID and 0 for PAD_ZERO. On the CPU every element is within 1e-7 of the float64
 * value, and a score with its map takes two to four times as long as one without; on a GPU an
 * element is within 5e-5. */
typedef struct ssimcu_map {
    size_t struct_size;
    uint32_t width;
    uint32_t height;
    uint32_t channels;
    uint32_t border;
    float *data; /* the caller's, width * height * channels floats */
} ssimcu_map;

/* Scores `out` against `ref`. The frames must have the same width and height. Grey against RGB: the
 * grey frame counts as R = G = B. 8 against 16 bits: the 8-bit samples are widened, v * 257. Any
 * other two depths are a MISMATCH.
 * On success *score is filled; on error it is untouched. The frames are only read.
 * Errors: ARGUMENT, MISMATCH, TOO_SMALL, MEMORY, DEVICE. After DEVICE the context answers DEVICE
 * and the first cause to every compare: close it. A new one may then work. Where a kernel has
 * crashed, in this library or in any other code, CUDA fails every call of the process until
 * cudaDeviceReset(), which is the program's to call, once all contexts are closed: it takes the
 * program's own device memory, too. */
SSIMCU_API SSIMCU_MUST_CHECK ssimcu_status ssimcu_compare(ssimcu_context *context,
                                                          const ssimcu_frame *ref,
                                                          const ssimcu_frame *out,
                                                          ssimcu_score *score,
                                                          ssimcu_message *message);

/* ssimcu_compare for frames that are stored as planes of sizes of their own, such as the Y, U and V
 * of video: `ref` and `out` point to 1 to 3 frames of one channel each. channel[p] is what
 * ssimcu_compare gives for plane p, to the bit; score is their mean, weighted by their areas in
 * pixels. A GPU is waited for once, not once for each plane. Errors: as ssimcu_compare, of the
 * first plane that has one. */
SSIMCU_API SSIMCU_MUST_CHECK ssimcu_status
ssimcu_compare_planes(ssimcu_context *context, const ssimcu_frame *ref, const ssimcu_frame *out,
                      uint32_t planes, ssimcu_score *score, ssimcu_message *message);

/* Fills in every field of *map but data: what ssimcu_compare_map would write for this pair.
 * Errors: as ssimcu_compare's checks. */
SSIMCU_API SSIMCU_MUST_CHECK ssimcu_status ssimcu_map_layout(ssimcu_context *context,
                                                             const ssimcu_frame *ref,
                                                             const ssimcu_frame *out,
                                                             ssimcu_map *map,
                                                             ssimcu_message *message);

/* ssimcu_compare that also writes the map of the score that it reports. The map must have come from
 * ssimcu_map_layout for the same pair and have its data set.
 * Errors: as ssimcu_compare, and ARGUMENT for a map of another shape; data may be part-written. */
SSIMCU_API SSIMCU_MUST_CHECK ssimcu_status ssimcu_compare_map(ssimcu_context *context,
                                                              const ssimcu_frame *ref,
                                                              const ssimcu_frame *out,
                                                              ssimcu_score *score, ssimcu_map *map,
                                                              ssimcu_message *message);

/* ---- Views ----------------------------------------------------------------------------------- */

/* How the samples of a view follow each other. */
typedef enum ssimcu_layout {
    SSIMCU_LAYOUT_HWC = 0,   /* interleaved: row after row, pixel after pixel, as in a frame */
    SSIMCU_LAYOUT_CHW = 1,   /* a plane for each channel, plane_stride bytes apart */
    SSIMCU_LAYOUT_PLANES = 2 /* a plane for each channel, each with a pointer of its own */
} ssimcu_layout;

typedef enum ssimcu_type {
    SSIMCU_TYPE_U8 = 0,  /* uint8_t */
    SSIMCU_TYPE_U16 = 1, /* uint16_t in the machine's byte order */
    SSIMCU_TYPE_F16 = 2, /* IEEE 754 binary16, what CUDA calls half */
    SSIMCU_TYPE_F32 = 3  /* float */
} ssimcu_type;

/* Samples that lie in memory of yours, however they lie: nothing is copied on the host. Three
 * planes of floats from 0 to 1, rows of 3840 floats without padding:
 *
 *     const ssimcu_view planes = {.struct_size = sizeof planes,
 *                                 .width = 3840,
 *                                 .height = 2160,
 *                                 .channels = 3,
 *                                 .layout = SSIMCU_LAYOUT_CHW,
 *                                 .type = SSIMCU_TYPE_F32,
 *                                 .data = {src}};
 *
 * RANGE. `peak` is the value of white, the L of the formula; black is 0. Each view is scaled by its
 * own peak, so that any two types can be compared. Luma of U8 and U16 is rounded to the integer
 * sample, that of floats is not. As in frames, a U8 or U16 sample above the peak gives a score
 * without meaning, or a DATA error. Samples of F16 and F32 that lie outside 0..peak are scored as
 * they are, not clamped; the accuracy promised above is for samples inside. A float sample that
 * counts and is infinite, not a number, or more than 65536 times the peak is a DATA error: no score
 * is ever not finite. */
typedef struct ssimcu_view {
    size_t struct_size;
    uint32_t width;    /* pixels, 1 or more */
    uint32_t height;   /* pixels, 1 or more */
    uint32_t channels; /* 1 to 4, as of a frame: 2 and 4 end in alpha, which is opaque at `peak` */
    ssimcu_layout layout;
    ssimcu_type type;
    double peak;         /* 0: 255 for U8, 65535 for U16, 1 for floats; whole for U8 and U16 */
    size_t pitch;        /* bytes from a row to the next, whole samples; 0: rows without padding */
    size_t plane_stride; /* CHW: bytes from a plane to the next, likewise; 0: pitch * height */
    const void *data[4]; /* first sample of the first row, aligned to a sample; PLANES: of each
                            channel, in their order, else data[0] alone */
    uint32_t frames;     /* a batch in device memory (ssimcu_cuda.h); 0 counts as 1 */
    size_t frame_stride; /* bytes from a frame of the batch to the next, from each pointer in data;
                            0: frames without padding */
} ssimcu_view;

/* Scores per tile: where in the frame it is bad. Tiles of width x height pixels are laid over the
 * frame from its first pixel on; those at the right and bottom edge may be smaller. The score of a
 * tile is the mean of the map over the windows whose centre pixel lies in the tile, and over the
 * channels. PAD_VALID has no window centres in the outermost 5 pixels of the frame, and an edge
 * that holds no centre makes no tile of its own: with b = 5, or b = 0 for PAD_ZERO, there are
 * (width - b) / tiles.width columns and (height - b) / tiles.height rows, both rounded up. On a GPU
 * a score that comes with tiles may differ in its last digits from one without, within the 1e-6
 * promised, because it uses the kernel with the more exact map. */
typedef struct ssimcu_tiles {
    size_t struct_size;
    uint32_t width;   /* pixels of a tile, 11 or more: the window's own size */
    uint32_t height;  /* likewise */
    uint32_t columns; /* tiles across; ssimcu_views_layout sets it */
    uint32_t rows;    /* tiles down; likewise */
    double *data;     /* the caller's, rows * columns scores, row after row */
} ssimcu_tiles;

/* Describes a frame as a view of the same memory; view->struct_size must be set.
 * Errors: ARGUMENT, LIMIT (the frame is not in order). */
SSIMCU_API SSIMCU_MUST_CHECK ssimcu_status ssimcu_frame_view(const ssimcu_frame *frame,
                                                             ssimcu_view *view,
                                                             ssimcu_message *message);

/* What ssimcu_compare_views would write for this pair: every field of *map but data, and columns
 * and rows of *tiles. Either may be NULL. The views' data may be NULL, too. Errors: as
 * ssimcu_compare_views' checks. */
SSIMCU_API SSIMCU_MUST_CHECK ssimcu_status ssimcu_views_layout(ssimcu_context *context,
                                                               const ssimcu_view *ref,
                                                               const ssimcu_view *out,
                                                               ssimcu_map *map, ssimcu_tiles *tiles,
                                                               ssimcu_message *message);

/* ssimcu_compare for views of host memory, and all that comes with a score: its map and its tiles,
 * each unless it is NULL. They must have come from ssimcu_views_layout for the same pair and have
 * their data set.
 * Errors: as ssimcu_compare_map, without the MISMATCH of depths, and DATA for float samples as said
 * above; map and tiles may then be part-written. */
SSIMCU_API SSIMCU_MUST_CHECK ssimcu_status ssimcu_compare_views(
    ssimcu_context *context, const ssimcu_view *ref, const ssimcu_view *out, ssimcu_score *score,
    ssimcu_map *map, ssimcu_tiles *tiles, ssimcu_message *message);

/* ---- Permute --------------------------------------------------------------------------------- */

/* An array in memory and the same array with its dimensions in another order. It serves any array,
 * not pictures alone. Frames of 3840x2160 RGB bytes whose rows are 12288 bytes apart, to dense
 * planes (HWC -> CHW):
 *
 *     const ssimcu_permute_layout planes = {.struct_size = sizeof planes,
 *                                           .rank = 3,
 *                                           .element = 1,
 *                                           .size = {2160, 3840, 3},
 *                                           .order = {2, 0, 1},
 *                                           .src_stride = {12288, 3, 1}};
 *
 * Sizes and strides are 64 bits everywhere. Dimensions that stay neighbours are merged and elements
 * that stay together are moved together, so that the caller need not look for the simplest form. */
typedef struct ssimcu_permute_layout {
    size_t struct_size;
    uint32_t rank;         /* dimensions, 1 to 8; entries beyond are ignored */
    uint32_t element;      /* bytes: 1, 2, 4, 8 or 16; any type of that size */
    int64_t size[8];       /* of the source, outermost dimension first; each 1 or more */
    uint32_t order[8];     /* dimension k of the destination is dimension order[k] of the source */
    int64_t src_stride[8]; /* elements from one to the next, for each dimension of the source */
    int64_t dst_stride[8]; /* likewise for each dimension of the destination; each steps over all
                              that the dimensions of smaller strides span, so that no two elements
                              share a place. Either list all 0: dense, rows without padding. Source
                              strides are 1 or more, too, but may overlap. */
} ssimcu_permute_layout;

/* Writes the array at src, in host memory, to dst in the order asked for. Works on the context's
 * threads, whatever its device; context NULL: on the calling thread alone, and from any thread.
 * What lies between the destination's elements is left as it is. Both pointers must be aligned to
 * the element, and the memory from first to last element must not overlap.
 * Errors: ARGUMENT, and nothing has been written. */
SSIMCU_API SSIMCU_MUST_CHECK ssimcu_status ssimcu_permute(ssimcu_context *context,
                                                          const ssimcu_permute_layout *layout,
                                                          void *dst, const void *src,
                                                          ssimcu_message *message);

#ifdef __cplusplus
}
#endif

#endif
