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
 * IN SHORT. Fill in two ssimcu_frame, then:
 *
 *     ssimcu_context *context = NULL;
 *     ssimcu_message why = {0};
 *     ssimcu_score score = SSIMCU_INIT(score);
 *     if (ssimcu_open(NULL, &context, &why) == SSIMCU_OK &&
 *         ssimcu_compare(context, &ref, &out, &score, &why) == SSIMCU_OK)
 *         printf("%.9f\n", score.score);
 *     else
 *         fprintf(stderr, "%s\n", why.text);
 *     ssimcu_close(&context);
 *
 * Pictures of any layout and type, maps and scores per tile: see ssimcu_compare_views. Frames in
 * device memory, on your stream: ssimcu_cuda.h. Arrays with their dimensions in another order:
 * ssimcu_permute.h. C++: ssimcu.hpp.
 *
 * RULES. The library never prints, exits or reads the environment, and it starts no thread that you
 * did not ask for (ssimcu_settings.threads). A context belongs to one thread at a time: a call on
 * one that another thread is inside of is an ARGUMENT error. Different contexts are independent.
 * After fork() the child may close the contexts of its parent and, on the CPU, compare with them on
 * its one thread; comparing on a GPU is a DEVICE error there. Functions that take no context may be
 * called from any thread. The library owns the strings that it returns. A struct that starts with
 * `struct_size` must have it set to its sizeof, which SSIMCU_INIT does; every other field may be
 * zero, and zero always means the default. Fields may therefore be added later: a program that was
 * built with an older header passes shorter structs and works as before. A struct that is longer
 * than the library knows is an ARGUMENT error.
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
#define SSIMCU_VERSION_MINOR 2
#define SSIMCU_VERSION_PATCH 0

/* The library's own version, "MAJOR.MINOR.PATCH". If it differs from the macros, the header and the
 * library do not belong together. */
SSIMCU_API const char *ssimcu_version(void);

/* How the backends were built, for example "cpu, cuda 13.0" or "cpu, built without CUDA". */
SSIMCU_API const char *ssimcu_build(void);

/* ---- Structs with a size --------------------------------------------------------------------- */

/* A sized struct with every other field at its default: `ssimcu_view view = SSIMCU_INIT(view);`.
 * The argument is the type's name without ssimcu_. */
#ifdef __cplusplus
extern "C++" template <class Struct>
Struct ssimcu_init()
{
    Struct made = {};
    made.struct_size = sizeof made;
    return made;
}
#    define SSIMCU_INIT(type) (ssimcu_init<ssimcu_##type>())
#else
#    define SSIMCU_INIT(type) ((ssimcu_##type){.struct_size = sizeof(ssimcu_##type)})
#endif

/* ---- Status and message ---------------------------------------------------------------------- */

/* Result of a call. The numbers never change their meaning. */
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

/* One line that tells a person what went wrong. Zero it before the first call. A message that holds
 * text is not overwritten, so that the first error, the cause, survives the clean-up. Every
 * function that takes a message accepts NULL. */
typedef struct ssimcu_message {
    char text[512];
} ssimcu_message;

/* ---- Frames ---------------------------------------------------------------------------------- */

/* One picture in host memory, interleaved (HWC): row after row, pixel after pixel. Samples are
 * uint8_t when bits is 8 and uint16_t in the machine's byte order, from 0 to 2^bits - 1, when it is
 * 9 to 16; a sample above that gives a score without meaning. They are floats whose white is 1
 * where bits is SSIMCU_BITS_F16 or SSIMCU_BITS_F32: see ssimcu_view on their range.
 * channels: 1 grey, 2 grey + alpha, 3 RGB, 4 RGBA; alpha is straight, not premultiplied. A plane of
 * a planar picture (Y, U or V of a video frame) is a grey frame. */
enum {
    SSIMCU_BITS_FLOAT = 256,                  /* that samples are floats; added to their size */
    SSIMCU_BITS_F16 = SSIMCU_BITS_FLOAT + 16, /* IEEE 754 binary16, as SSIMCU_TYPE_F16 */
    SSIMCU_BITS_F32 = SSIMCU_BITS_FLOAT + 32  /* float */
};

typedef struct ssimcu_frame {
    uint32_t width;    /* pixels, 1 or more */
    uint32_t height;   /* pixels, 1 or more */
    uint32_t channels; /* 1 to 4 */
    uint32_t bits;     /* 8 to 16, SSIMCU_BITS_F16 or SSIMCU_BITS_F32 */
    size_t pitch;      /* bytes from one row to the next; at least the row, whole samples */
    void *data;        /* first sample of the first row, aligned to a sample */
} ssimcu_frame;

/* Allocates memory for a frame: reads width, height, channels and bits, sets pitch and data. It
 * is page-aligned, uninitialised and usable with every context; no context is needed, so that files
 * can be decoded while a device starts. Release with ssimcu_frame_free.
 * Errors: ARGUMENT (a field is out of range), LIMIT (the size overflows), MEMORY. */
SSIMCU_API SSIMCU_MUST_CHECK ssimcu_status ssimcu_frame_alloc(ssimcu_frame *frame,
                                                              ssimcu_message *message);

/* Releases memory from ssimcu_frame_alloc and clears data and pitch. Accepts NULL and empty. */
SSIMCU_API void ssimcu_frame_free(ssimcu_frame *frame);

/* ---- Settings -------------------------------------------------------------------------------- */

typedef enum ssimcu_device {
    SSIMCU_DEVICE_AUTO = 0, /* a CUDA device where one works, else the CPU */
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

/* What becomes of float samples, which in renders are linear light, before they are compared. Let v
 * be a sample over its view's peak, times `gain`; after a background, white being 1, was added to
 * it. With s(v) = 12.92 v up to 0.0031308 and 1.055 v^(1/2.4) - 0.055 beyond (sRGB, IEC 61966-2-1):
 *
 *   NONE    v, neither bent nor clamped
 *   SRGB    s(clamp(v, 0, 1)): the picture that a viewer shows, on the scale of its PNG
 *   PU21    p(clamp(v * white, 0.005, 10000)), L = 256: the curve of Mantiuk and Azimi (PU21: A
 *           novel perceptually uniform encoding for adapting existing quality metrics for high
 *           dynamic range, PCS 2021; "banding and glare"), for what is brighter than white
 *   HABLE   s(min(h(1.758141 v) / h(11.2), 1)), h(x) = (x (0.22 x + 0.03) + 0.002) / (x (0.22 x +
 *           0.3) + 0.06) - 1/30: the filmic curve of the training scripts of Intel Open Image
 *           Denoise
 *
 * L is 1 but for PU21. Luma is taken of the curve's values, as in a PNG; under PU21, a curve of
 * luminance, of v. The colours of a frame or view of integers are what a curve has made already:
 * they are left alone, and under PU21 they match no float samples (MISMATCH). */
typedef enum ssimcu_transfer {
    SSIMCU_TRANSFER_NONE = 0,
    SSIMCU_TRANSFER_SRGB = 1,
    SSIMCU_TRANSFER_PU21 = 2,
    SSIMCU_TRANSFER_HABLE = 3
} ssimcu_transfer;

typedef struct ssimcu_settings {
    size_t struct_size;
    ssimcu_device device;
    uint32_t device_index; /* which CUDA device, 0 for the first */
    ssimcu_pad pad;
    ssimcu_color color;
    ssimcu_alpha alpha;
    uint32_t threads;     /* that work on the CPU, including the calling thread; 0: the calling
                             thread alone; more than ssimcu_cpu_threads() counts as that many */
    uint32_t wait_asleep; /* non-zero: a thread that waits for a CUDA device sleeps. This leaves its
                             core to others and costs some tens of microseconds per score. */
    /* Of float samples alone. Any of them makes comparisons count: see ssimcu_light. */
    ssimcu_transfer transfer;
    uint32_t nan_zero; /* non-zero: a sample that is NaN or infinite counts as 0, not as an error */
    double gain;       /* of colour, not of alpha; 2^stops is an exposure; 0: 1 */
    double white;      /* PU21: cd/m2 of v = 1; 0: 100 */
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

/* Milliseconds that one comparison spent in each stage, measured on the device's own clock. A stage
 * that did not run is 0. */
typedef struct ssimcu_stage_ms {
    double upload;   /* both frames from host to device memory */
    double planes;   /* samples -> float planes (HWC -> CHW), both frames */
    double ssim;     /* moments, SSIM map, partial sums */
    double reduce;   /* partial sums -> one sum per channel; scores per tile */
    double download; /* the sums, and the map and the tiles where you asked for them */
} ssimcu_stage_ms;

/* What the frames were composited over. NONE: alpha took no part. */
typedef enum ssimcu_background {
    SSIMCU_BACKGROUND_NONE = 0,
    SSIMCU_BACKGROUND_BLACK = 1,
    SSIMCU_BACKGROUND_WHITE = 2
} ssimcu_background;

/* What was found in the float samples of one side, where settings have a transfer, a gain or
 * nan_zero; else all 0. */
typedef struct ssimcu_light {
    uint64_t clamped;    /* pixels with a colour sample below 0 or beyond the end of the curve (1;
                            HABLE 6.37; PU21 10000 cd/m2): what differs there may not show */
    uint64_t not_finite; /* samples that were counted as 0 */
} ssimcu_light;

typedef struct ssimcu_score {
    size_t struct_size;
    double score;      /* mean of channel[], at most 1; of planes: weighted by their areas */
    uint32_t channels; /* 1 (grey, luma) or 3 (R, G, B); ssimcu_compare_planes: the planes */
    double channel[3]; /* the score of each channel */
    uint32_t bits;     /* depth of the comparison: the deeper of the two frames; 0 where a view's
                          samples are not integers with a peak of 2^bits - 1, or of that
                          in the upper bits of 16 */
    ssimcu_background background; /* the background that this score belongs to */
    ssimcu_stage_ms ms;
    ssimcu_light light[2]; /* ref, out */
} ssimcu_score;

/* Scores `out` against `ref`, two frames of the same width and height. This is the short form of
 * ssimcu_compare_views. If one frame is grey and the other RGB, the grey one counts as R = G = B.
 * If one has 8 bits and the other 16, the 8-bit samples are widened, v * 257; any other two depths
 * are a MISMATCH, unless one is of floats. Fills in *score on success and leaves it as it is on
 * error. The frames are only read. Errors: ARGUMENT, MISMATCH, TOO_SMALL, MEMORY, DEVICE. After
 * DEVICE the context answers every call with DEVICE and the first cause: close it. A new one may
 * then work. After a kernel has crashed, in this library or in any other code, CUDA fails every
 * call of the process until cudaDeviceReset(). That call is up to the program, once all contexts
 * are closed, because it also takes away the program's own device memory. */
SSIMCU_API SSIMCU_MUST_CHECK ssimcu_status ssimcu_compare(ssimcu_context *context,
                                                          const ssimcu_frame *ref,
                                                          const ssimcu_frame *out,
                                                          ssimcu_score *score,
                                                          ssimcu_message *message);

/* ---- Views ----------------------------------------------------------------------------------- */

/* How the samples of a view follow each other. */
typedef enum ssimcu_layout {
    SSIMCU_LAYOUT_HWC = 0,   /* interleaved: row after row, pixel after pixel, as in a frame */
    SSIMCU_LAYOUT_CHW = 1,   /* a plane for each channel, plane_stride bytes apart */
    SSIMCU_LAYOUT_PLANES = 2 /* a plane for each channel, each with its own pointer */
} ssimcu_layout;

typedef enum ssimcu_type {
    SSIMCU_TYPE_U8 = 0,  /* uint8_t */
    SSIMCU_TYPE_U16 = 1, /* uint16_t in the machine's byte order */
    SSIMCU_TYPE_F16 = 2, /* IEEE 754 binary16, what CUDA calls half */
    SSIMCU_TYPE_F32 = 3, /* float */
    SSIMCU_TYPE_BF16 = 4 /* bfloat16: the upper 16 bits of a float */
} ssimcu_type;

/* Samples in your own memory, in any layout; they are not copied on the host. Three planes of
 * floats from 0 to 1, in rows of 3840 floats without padding:
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
 * sample, luma of floats is not. As in frames, a U8 or U16 sample above the peak gives a
 * meaningless score or a DATA error. F16, BF16 and F32 samples outside 0..peak are scored as they
 * are, not clamped, unless the settings have a transfer; the accuracy promised above is for samples
 * inside. A float sample that counts and is infinite, NaN, or without a transfer more than 65536
 * times the peak is a DATA error, which says how many there are and where the first is: a score is
 * always finite.
 *
 * PIXELS APART. `pixel_stride` steps over what lies between the samples of a row that count: the
 * fourth byte of XRGB pixels (channels 3, pixel_stride 4), or the other chroma sample of a video
 * frame. What decoders hand out as NV12 is a plane of Y and a plane of U and V in turn:
 *
 *     const uint8_t *luma = src, *chroma = luma + 4096 * 2160;
 *     ssimcu_view plane[3] = {SSIMCU_INIT(view)};
 *     plane[0].width = 3840, plane[0].height = 2160, plane[0].channels = 1;
 *     plane[0].pitch = 4096, plane[0].data[0] = luma;
 *     plane[1] = plane[0];
 *     plane[1].width = 1920, plane[1].height = 1080;
 *     plane[1].pixel_stride = 2, plane[1].data[0] = chroma;
 *     plane[2] = plane[1];
 *     plane[2].data[0] = chroma + 1;
 *
 * ssimcu_compare_planes scores the three of such a pair, each of which may also be a request of
 * ssimcu_cuda.h. P010, P012 and P016 have samples of 16 bits
 * whose upper 10, 12 or 16 count, zeros below: type U16, twice the bytes, and the largest sample as
 * peak, 65472 (1023 * 64), 65520 (4095 * 16) or 65535. Samples of 10 bits in the lower bits, as
 * software decoders have them, have peak 1023. */
typedef struct ssimcu_view {
    size_t struct_size;
    uint32_t width;    /* pixels, 1 or more */
    uint32_t height;   /* pixels, 1 or more */
    uint32_t channels; /* 1 to 4, as of a frame: 2 and 4 end in alpha, which is opaque at `peak` */
    ssimcu_layout layout;
    ssimcu_type type;
    double peak;  /* 0: 255 for U8, 65535 for U16, 1 for floats; whole for U8 and U16 */
    size_t pitch; /* bytes from one row to the next, whole samples; 0: rows without padding */
    size_t
        plane_stride; /* CHW: bytes from one plane to the next, whole samples; 0: pitch * height */
    const void *data[4]; /* first sample of the first row, aligned to a sample; PLANES: one pointer
                            per channel, in channel order, else data[0] alone */
    uint32_t frames;     /* a batch in device memory (ssimcu_cuda.h); 0 counts as 1 */
    size_t frame_stride; /* bytes from one frame of the batch to the next, from each pointer in
                            data; 0: frames without padding */
    size_t pixel_stride; /* bytes from one pixel to the next in a row, whole samples, at most 64; 0:
                            pixels without padding, or for planes one sample */
} ssimcu_view;

/* Describes a frame as a view of the same memory; view->struct_size must be set.
 * Errors: ARGUMENT, LIMIT (a field of the frame is out of range). */
SSIMCU_API SSIMCU_MUST_CHECK ssimcu_status ssimcu_frame_view(const ssimcu_frame *frame,
                                                             ssimcu_view *view,
                                                             ssimcu_message *message);

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
    float *data; /* your memory, width * height * channels floats */
} ssimcu_map;

/* Scores per tile tell where in the frame the differences are. Tiles of width x height pixels cover
 * the frame from its first pixel on; those at the right and bottom edge may be smaller. The score
 * of a tile is the mean of the map over the windows whose centre pixel lies in the tile, and over
 * the channels: within 1e-6, of large pairs on a GPU's tensor cores within 1e-5 for tiles of 64 x
 * 64 and within 5e-5 for the smallest. PAD_VALID has no window centres in the outermost 5 pixels of
 * the frame, and an edge without a centre makes no tile of its own: with b = 5, or b = 0 for
 * PAD_ZERO, there are (width - b) / tiles.width columns and (height - b) / tiles.height rows, both
 * rounded up. They are added up while the score is: they take little time and no memory for a map.
 * On the CPU neither they nor a map change a bit of the score; on a GPU a score that comes with
 * tiles or a map may differ in its last digits from one without, within the 1e-6 promised: with
 * tiles it is added up in another order, and a map wants more precise windows than a mean does.
 */
typedef struct ssimcu_tiles {
    size_t struct_size;
    uint32_t width;   /* pixels of a tile, 11 or more: the window's own size */
    uint32_t height;  /* likewise */
    uint32_t columns; /* tiles across; ssimcu_views_layout sets it */
    uint32_t rows;    /* tiles down; likewise */
    double *data;     /* your memory, rows * columns scores, row after row */
} ssimcu_tiles;

/* What ssimcu_compare_views would write for this pair: every field of *map but data, and columns
 * and rows of *tiles. Either may be NULL. The views' data may be NULL, too. Errors: those of
 * ssimcu_compare_views that need no samples. */
SSIMCU_API SSIMCU_MUST_CHECK ssimcu_status ssimcu_views_layout(ssimcu_context *context,
                                                               const ssimcu_view *ref,
                                                               const ssimcu_view *out,
                                                               ssimcu_map *map, ssimcu_tiles *tiles,
                                                               ssimcu_message *message);

/* Scores two views of host memory or, on a GPU, of memory of the context's device that nothing
 * writes to any more, each view of either, with the map of the score and the scores per tile, each
 * unless it is NULL. *map and *tiles must have come from ssimcu_views_layout for the same pair and
 * have their data set. Views of any two types and depths can be compared. Errors: as
 * ssimcu_compare, but any two depths match; ARGUMENT (also for a map or tiles of another shape),
 * DATA (float samples, as said above). After an error the data of map and tiles may be
 * part-written. */
SSIMCU_API SSIMCU_MUST_CHECK ssimcu_status ssimcu_compare_views(
    ssimcu_context *context, const ssimcu_view *ref, const ssimcu_view *out, ssimcu_score *score,
    ssimcu_map *map, ssimcu_tiles *tiles, ssimcu_message *message);

/* Scores a picture whose channels are planes of their own sizes, such as the Y, U and V of a video
 * frame: `ref` and `out` are arrays of 1 to 3 views of one channel each. channel[p] is, to the bit,
 * what ssimcu_compare_views gives for plane p; score is their mean, weighted by their areas in
 * pixels. `tiles` is NULL or an array of as many ssimcu_tiles, one for each plane and laid out for
 * it. A GPU is waited for once, not once per plane.
 * Errors: as ssimcu_compare_views, of the first plane that has one. */
SSIMCU_API SSIMCU_MUST_CHECK ssimcu_status ssimcu_compare_planes(
    ssimcu_context *context, const ssimcu_view *ref, const ssimcu_view *out, uint32_t planes,
    ssimcu_score *score, ssimcu_tiles *tiles, ssimcu_message *message);

#ifdef __cplusplus
}
#endif

#endif
