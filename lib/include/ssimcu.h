/* ssimcu: SSIM of full-resolution frames on CUDA GPUs and on the CPU.
 *
 * THE NUMBER. ssimcu computes the Structural Similarity index (SSIM) of Wang, Bovik, Sheikh and
 * Simoncelli. The source is "Image Quality Assessment: From Error Visibility to Structural
 * Similarity", IEEE Transactions on Image Processing 13(4), 2004. ssimcu computes what the authors'
 * program ssim_index.m does, at the frame's own resolution:
 *
 *   - The window is an 11x11 Gaussian, sigma 1.5, normalised. K1 = 0.01 and K2 = 0.03. Moments are
 *     population moments.
 *   - L = 2^bits - 1: 255 for 8 bits, 1023 for 10, 65535 for 16.
 *   - A channel's score is the mean of the SSIM map over the window positions that lie wholly
 *     inside the frame (SSIMCU_PAD_VALID). A frame's score is the mean of its channels' scores.
 *   - The frame is never downsampled.
 *
 * The score equals scikit-image's structural_similarity(gaussian_weights=True, sigma=1.5,
 * use_sample_covariance=False, data_range=L). It is within 1e-6 of the float64 value, whatever the
 * frames. It is within 3e-6 if the two have different whites and no curve, unless they have 8 and
 * 16 bits, and under PU21 beyond white.
 * Frames that are identical after curve and clamp score exactly 1.0, whatever their types, layouts,
 * orders and strides (SAME SAMPLES, at ssimcu_view). A score is 1.0 only if every
 * value of the map is, and no metric has its best value for frames that differ.
 * Swapping the frames changes no bit of the score. One device gives the same bits on every run.
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
 * ssimcu_compare_views takes pictures of any layout and type, and gives maps and scores per tile.
 * ssimcu_cuda.h scores frames in device memory on your stream. ssimcu_loss.h has SSIM as a loss
 * with its gradients. ssimcu_permute.h puts the dimensions of an array into another order.
 * ssimcu.hpp is the C++ header.
 *
 * RULES. The library never prints, never exits and never reads the environment. It starts no thread
 * that you did not ask for (ssimcu_settings.threads).
 *
 * THREADS. A context belongs to one thread at a time. A call on a context that another thread is
 * using is an ARGUMENT error. Different contexts are independent. Functions that take no context
 * may be called from any thread.
 *
 * FORK. After fork() the child may close the contexts of its parent. On the CPU it may also compare
 * with them, on its one thread. Comparing on a GPU is a DEVICE error there.
 *
 * STRUCTS AND STRINGS. The library owns the strings that it returns. A struct that starts with
 * `struct_size` must have that field set to its sizeof, which SSIMCU_INIT does. Every other field
 * may be zero, and zero always means the default. Later versions may therefore add fields: a
 * program built with an older header passes shorter structs and works as before. A struct that is
 * longer than the library knows is an ARGUMENT error.
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

/* The header's version as one number that grows from version to version. */
#define SSIMCU_VERSION_NUMBER                                                                      \
    (SSIMCU_VERSION_MAJOR * 10000 + SSIMCU_VERSION_MINOR * 100 + SSIMCU_VERSION_PATCH)

/* Non-zero if this header is of that version or newer; for #if. */
#define SSIMCU_VERSION_AT_LEAST(major, minor, patch)                                               \
    (SSIMCU_VERSION_NUMBER >= (major)*10000 + (minor)*100 + (patch))

/* Returns the library's own SSIMCU_VERSION_NUMBER. Any thread may call it. */
SSIMCU_API uint32_t ssimcu_version_number(void);

/* Returns the library's own version, "MAJOR.MINOR.PATCH". If it differs from the macros, the header
 * and the library do not belong together. Any thread may call it. */
SSIMCU_API const char *ssimcu_version(void);

/* Says how the backends were built, for example "cpu, cuda 13.0" or "cpu, built without CUDA". Any
 * thread may call it. */
SSIMCU_API const char *ssimcu_build(void);

/* ---- Structs with a size --------------------------------------------------------------------- */

/* Makes a sized struct with every other field at its default: `ssimcu_view view =
 * SSIMCU_INIT(view);`. The argument is the type's name without ssimcu_. In C, fields may follow:
 * `SSIMCU_INIT(view, .width = 3840, .height = 2160)`. C++17 has no such initialisers; there a
 * program sets the fields afterwards. */
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
#    define SSIMCU_INIT(...) SSIMCU_INIT_FIELDS(__VA_ARGS__, )
#    define SSIMCU_INIT_FIELDS(type, ...)                                                          \
        ((ssimcu_##type){.struct_size = sizeof(ssimcu_##type), __VA_ARGS__})
#endif

/* ---- Status and message ---------------------------------------------------------------------- */

/* The result of a call. The numbers never change their meaning. */
typedef enum ssimcu_status {
    SSIMCU_OK = 0,
    SSIMCU_ERROR_ARGUMENT = 1,    /* an argument is outside what the function's comment allows */
    SSIMCU_ERROR_MISMATCH = 2,    /* the two frames cannot be compared with each other */
    SSIMCU_ERROR_TOO_SMALL = 3,   /* a side is too small for what is wanted; SSIM takes 11 pixels */
    SSIMCU_ERROR_UNSUPPORTED = 4, /* well-formed, but not something this library handles */
    SSIMCU_ERROR_LIMIT = 5,       /* larger than the limit in force */
    SSIMCU_ERROR_MEMORY = 6,      /* host or device memory ran out */
    SSIMCU_ERROR_DEVICE = 7,      /* the device is missing or failed */
    SSIMCU_ERROR_FILE = 8,        /* a file is missing or unreadable */
    SSIMCU_ERROR_DATA =
        9, /* a file is damaged, truncated or not an image, or samples are not finite */
    SSIMCU_ERROR_WRITE = 10,   /* an output could not be written */
    SSIMCU_ERROR_INTERNAL = 11 /* a bug in ssimcu: please report it */
} ssimcu_status;

/* Returns a short English name of a status, such as "mismatch". It is never NULL, not even for an
 * unknown number. Any thread may call it. */
SSIMCU_API const char *ssimcu_status_name(ssimcu_status status);

/* Returns the name that this header gives a status, such as "SSIMCU_ERROR_MISMATCH". It is never
 * NULL, not even for an unknown number. Any thread may call it. */
SSIMCU_API const char *ssimcu_status_identifier(ssimcu_status status);

/* One line that tells a person what went wrong. Zero it before the first call. The library does not
 * overwrite a message that holds text. So the first error, which is the cause, survives the
 * clean-up. Every function that takes a message accepts NULL. */
typedef struct ssimcu_message {
    char text[512];
} ssimcu_message;

/* ---- Frames ---------------------------------------------------------------------------------- */

/* One picture in host memory, interleaved (HWC): row after row, pixel after pixel. Samples are
 * uint8_t if bits is 8, and uint16_t in the machine's byte order if bits is 9 to 16. Their range is
 * 0 to 2^bits - 1; a larger sample gives a score without meaning. If bits is SSIMCU_BITS_F16 or
 * SSIMCU_BITS_F32, samples are floats whose white is 1. ssimcu_view says more about their range.
 * Alpha is straight, not premultiplied. A plane of video (Y, U or V) is a grey frame. */
enum {
    SSIMCU_BITS_FLOAT = 256, /* marks samples as floats; added to their size in bits */
    SSIMCU_BITS_F16 = SSIMCU_BITS_FLOAT + 16, /* IEEE 754 binary16, like SSIMCU_TYPE_F16 */
    SSIMCU_BITS_F32 = SSIMCU_BITS_FLOAT + 32  /* float */
};

typedef struct ssimcu_frame {
    uint32_t width;    /* pixels, 1 or more */
    uint32_t height;   /* pixels, 1 or more */
    uint32_t channels; /* 1 grey, 2 grey + alpha, 3 RGB, 4 RGBA */
    uint32_t bits;     /* bits of a sample: 8 to 16, SSIMCU_BITS_F16 or SSIMCU_BITS_F32 */
    size_t pitch;      /* bytes from one row to the next, whole samples; 0: rows without padding */
    void *data;        /* first sample of the first row, aligned to a sample */
    uint32_t linear;   /* non-zero: float samples are linear light, which a picture's reader tells;
                          SSIMCU_TRANSFER_AUTO then bends them */
} ssimcu_frame;

/* Allocates memory for a frame. Reads width, height, channels and bits; sets pitch and data. The
 * memory is page-aligned and uninitialised, and any context can use it. The call needs no context,
 * so that files can be decoded while a device starts. Any thread may call it. Release the memory
 * with ssimcu_frame_free.
 * Errors: ARGUMENT (a field is out of range), LIMIT (a side is over 2^24 - 1 pixels, or the size
 * overflows), MEMORY. */
SSIMCU_API SSIMCU_MUST_CHECK ssimcu_status ssimcu_frame_alloc(ssimcu_frame *frame,
                                                              ssimcu_message *message);

/* Releases memory from ssimcu_frame_alloc and clears data and pitch. Accepts NULL and a frame
 * without memory. Any thread may call it. */
SSIMCU_API void ssimcu_frame_free(ssimcu_frame *frame);

/* ---- Settings -------------------------------------------------------------------------------- */

typedef enum ssimcu_device {
    SSIMCU_DEVICE_AUTO = 0, /* a CUDA device if one works, else the CPU */
    SSIMCU_DEVICE_CPU = 1,
    SSIMCU_DEVICE_CUDA = 2 /* CUDA or an error; never falls back */
} ssimcu_device;

/* The window positions that count. */
typedef enum ssimcu_pad {
    SSIMCU_PAD_VALID = 0, /* the windows wholly inside the frame (ssim_index.m) */
    SSIMCU_PAD_ZERO = 1   /* one window per pixel; samples outside the frame are 0 (fused-ssim) */
} ssimcu_pad;

/* The samples that are compared. Luma is rounded to the integer sample. Grey frames stay grey. */
typedef enum ssimcu_color {
    SSIMCU_COLOR_RGB = 0,  /* R, G and B, score = mean of the three */
    SSIMCU_COLOR_Y709 = 1, /* 0.2126 R + 0.7152 G + 0.0722 B */
    SSIMCU_COLOR_Y601 = 2  /* 0.2990 R + 0.5870 G + 0.1140 B */
} ssimcu_color;

/* The treatment of alpha. A frame whose alpha is opaque everywhere counts as one without alpha. */
typedef enum ssimcu_alpha {
    SSIMCU_ALPHA_WORST = 0,  /* the lower of the scores over black and over white */
    SSIMCU_ALPHA_IGNORE = 1, /* the colour samples as they are stored */
    SSIMCU_ALPHA_BLACK = 2,  /* frames composited over black: v*a */
    SSIMCU_ALPHA_WHITE = 3   /* frames composited over white: v*a + L*(1-a) */
} ssimcu_alpha;

/* The curve that float samples pass before they are compared. In renders, float samples are linear
 * light. Let v be a sample divided by its view's peak and multiplied by `gain`. If there is a
 * background, whose white is 1, it has been added to v. Let s(v) be the sRGB curve of IEC
 * 61966-2-1: 12.92 v up to 0.0031308, and 1.055 v^(1/2.4) - 0.055 beyond.
 *
 *   - NONE: v, neither bent nor clamped.
 *   - SRGB: s(clamp(v, 0, 1)). This is the picture that a viewer shows, on the scale of its PNG.
 *   - PU21: p(clamp(v * white, 0.005, 10000)), L = 256, for what is brighter than white. The curve
 *     is "banding and glare" of Mantiuk and Azimi. Their paper is "PU21: A novel perceptually
 *     uniform encoding for adapting existing quality metrics for high dynamic range", PCS 2021.
 *   - HABLE: s(min(h(1.758141 v) / h(11.2), 1)), with
 *     h(x) = (x (0.22 x + 0.03) + 0.002) / (x (0.22 x + 0.3) + 0.06) - 1/30.
 *     This is the filmic curve of the training scripts of Intel Open Image Denoise.
 *
 * AUTO, the default, is SRGB for frames and views marked `linear` and NONE for others. The readers
 * of ssimcu_io mark linear light. So the program ssimcu and this library give the same score.
 *
 * L is 1, except under PU21. Luma is computed from the curve's values, as in a PNG. Under PU21, a
 * curve of luminance, luma is computed from v. The colours of an integer frame or view have already
 * passed a curve, so the library leaves them alone. Under PU21 they match no float samples
 * (MISMATCH). */
typedef enum ssimcu_transfer {
    SSIMCU_TRANSFER_AUTO = 0,
    SSIMCU_TRANSFER_SRGB = 1,
    SSIMCU_TRANSFER_PU21 = 2,
    SSIMCU_TRANSFER_HABLE = 3,
    SSIMCU_TRANSFER_NONE = 4
} ssimcu_transfer;

/* Metrics beside SSIM. Each is a number of a pair; higher is better.
 *
 *   - PSNR, in dB: 10 log10(1 / mse), with the mean squared error over all samples that are
 *     compared, of which white has 1. It is infinite if no sample differs. Of integer samples
 *     of one white, or of 8 and 16 bits, without alpha, the squares are added up exactly. Of floats
 *     of one white, without a curve and alpha, the root of mse is within 1e-7 of itself. Else
 *     samples are rounded, and that root is within 6e-8 of white: within 6e-8 / root of itself. On
 *     the CPU, of unlike whites without a curve and alpha, this rounding only decides which samples
 *     are equal, and the rest is added up in double: up to 90 dB it is within 1e-5 dB.
 *   - MS_SSIM: Wang, Simoncelli and Bovik, "Multiscale structural similarity for image quality
 *     assessment", Asilomar 2003. Five scales, valid windows whatever `pad` says. Scales 1 to 4
 *     have the mean of contrast times structure, the fifth has that of SSIM. Negative means count
 *     as 0. They are raised to 0.0448, 0.2856, 0.3001, 0.2363 and 0.1333 and multiplied. Between
 *     scales 2 x 2 samples become their mean; an odd last row or column is repeated. It is the
 *     mean over the channels, and equals tf.image.ssim_multiscale. It is as accurate as SSIM. A
 *     side needs 161 pixels.
 *   - SSIMULACRA2: version 2.1 of Sneyers' metric (github.com/cloudinary/ssimulacra2), in its
 *     definition: the blur is the recursive filter's impulse response, nine taps with zeros outside
 *     the frame, in exact arithmetic. 100 is identical, 90 visually lossless, and it may be
 *     negative. It is within 1e-3 of the float64 value, below -100 within 1e-5 of itself. Between
 *     99.99 and 100, where frames differ by the rounding of their floats, it is within 1e-2. The
 *     samples that SSIM compares are taken as sRGB, before any luma; grey has R = G = B. With
 *     SSIMCU_ALPHA_WORST alpha is composited over two greys, and the lower score counts. Their
 * codes are 0.1 and 0.9 of white. Codes are composited over these codes. Linear light is
 * composited, before its curve, over the light that the curve turns into them: 0.0100 and 0.7874 of
 * white under SRGB. So both sides of a pair always have the same grey. A side needs 8 pixels. There
 * is none under PU21. Y, U and V become R, G and B as the view of Y says, with U and V on the line
 * between their neighbours. What R, G and B lie outside 0 to 1 is clamped. Their curve counts as
 * that of sRGB.
 *
 * With SSIMCU_ALPHA_WORST, each metric has its own lower score. */
typedef enum ssimcu_metric {
    SSIMCU_METRIC_SSIM = 0,
    SSIMCU_METRIC_PSNR = 1,
    SSIMCU_METRIC_MS_SSIM = 2,
    SSIMCU_METRIC_SSIMULACRA2 = 3,
    SSIMCU_METRICS = 4,
    SSIMCU_METRICS_ROOM = 16 /* elements of arrays by metric, of which the first SSIMCU_METRICS
                                count: later versions may have more metrics */
} ssimcu_metric;

/* Returns the metric's name, such as "ms-ssim"; NULL for a number that is none's. Any thread may
 * call it. */
SSIMCU_API const char *ssimcu_metric_name(ssimcu_metric metric);

/* Other tools, whose numbers can be reproduced to the digits that they print. The metrics that the
 * tool has, and that are wanted, are its own then, with its windows, constants and roundings, on
 * the CPU alone and in double or in the tool's own floats. Maps, tiles and shifts stay those of
 * this library. Samples are integers, or floats without a curve, and no alpha counts.
 *
 *   - FFMPEG: FFmpeg's filters ssim and psnr, for 8 to 16 bits. They score each plane. The score is
 *     ssim's All, the mean by area, or psnr's average, of the mean square error by area.
 *     The assembler of FFmpeg 5.1 for x86 counts a window beyond the right edge in planes of 8 bits
 *     whose width is 8 to 11 above a multiple of 16. This mode does not, like FFmpeg's C code and
 *     like FFmpeg 9.
 *   - VMAF: float_ssim and float_ms_ssim of libvmaf, for 8 to 16 bits. They score the first plane
 *     alone, which should be luma and is the only channel then.
 *   - FUSED_SSIM: fused-ssim with padding "same": an 11 x 11 Gaussian over samples / peak, L = 1,
 *     zeros outside, one window per pixel. The score is the mean of the channels.
 *   - SSIMULACRA2: its authors' program, version 2.1, on a CPU with fused multiply-add. It blurs by
 *     a recursion in float, which strays from the definition. */
typedef enum ssimcu_compat {
    SSIMCU_COMPAT_NONE = 0,
    SSIMCU_COMPAT_FFMPEG = 1,
    SSIMCU_COMPAT_VMAF = 2,
    SSIMCU_COMPAT_FUSED_SSIM = 3,
    SSIMCU_COMPAT_SSIMULACRA2 = 4
} ssimcu_compat;

/* Returns the tool's name, such as "ffmpeg"; NULL for NONE and for an unknown number. Any thread
 * may call it. */
SSIMCU_API const char *ssimcu_compat_name(ssimcu_compat compat);

/* Returns the tool of that name; NONE if there is none. Any thread may call it. */
SSIMCU_API ssimcu_compat ssimcu_compat_find(const char *name);

typedef struct ssimcu_settings {
    size_t struct_size;
    ssimcu_device device;
    uint32_t device_index; /* index of the CUDA device, 0 for the first */
    ssimcu_pad pad;
    ssimcu_color color;
    ssimcu_alpha alpha;
    uint32_t threads; /* CPU threads that work, including the calling thread; 0: the calling thread
                         alone, because a caller often has threads of its own; the program ssimcu
                         uses all. More than ssimcu_cpu_threads() counts as that many. The number
                         changes no bit of a score. */
    uint32_t wait_asleep; /* non-zero: a thread that waits for a CUDA device sleeps. Its core is
                             free for others, at a cost of some tens of microseconds per score. */
    /* The rest is about float samples alone. A transfer, a gain or nan_zero makes comparisons count
     * samples: see ssimcu_light. */
    ssimcu_transfer transfer;
    uint32_t nan_zero; /* non-zero: a sample that is NaN or infinite counts as 0 and is no error */
    double gain;       /* factor of colour, not of alpha; 2^stops is an exposure; 0: 1 */
    double white;      /* PU21: cd/m2 of v = 1; 0: 100 */
    uint32_t metrics; /* metrics that are wanted: 1 << ssimcu_metric, added up; 0: SSIM. A pair that
                         is too small for some of them has the others, and is an error if it has
                         none. SSIM is scored as well, but not on the CPU of integers without alpha
                         if PSNR alone is wanted, without map and tiles. */
    ssimcu_compat compat; /* a tool whose numbers are wanted, see ssimcu_compat */
    uint32_t count_range; /* non-zero: float samples that pass no transfer count as clamped below 0
                             and above the peak, by more than 1e-5 of it; on the CPU alone */
} ssimcu_settings;

/* ---- Devices --------------------------------------------------------------------------------- */

typedef struct ssimcu_device_info {
    size_t struct_size;
    char name[128];        /* "NVIDIA H200" */
    uint64_t memory_bytes; /* device memory; 0 for the CPU */
    uint32_t compute;      /* 10 * major + minor compute capability; 0 for the CPU */
} ssimcu_device_info;

/* Counts the devices of one kind (CPU or CUDA) that can be used now. If there is none, `message`
 * says why. Any thread may call it. Errors: ARGUMENT, DEVICE (none; *count is 0). */
SSIMCU_API ssimcu_status ssimcu_device_count(ssimcu_device device, uint32_t *count,
                                             ssimcu_message *message);

/* Describes device `index` of one kind. Any thread may call it. Errors: ARGUMENT, DEVICE (no such
 * device). */
SSIMCU_API SSIMCU_MUST_CHECK ssimcu_status ssimcu_device_describe(ssimcu_device device,
                                                                  uint32_t index,
                                                                  ssimcu_device_info *info,
                                                                  ssimcu_message *message);

/* Returns how many threads this process can use at once, at least 1. It counts the machine's CPUs
 * that the affinity mask allows. If the CPU quota of the control group (v1 or v2) is lower, that
 * quota is the result. Any thread may call it. */
SSIMCU_API uint32_t ssimcu_cpu_threads(void);

/* ---- Context --------------------------------------------------------------------------------- */

/* A device with its stream, its threads and its buffers. Buffers grow to the largest pair seen and
 * are reused: the second comparison of a size allocates nothing. */
typedef struct ssimcu_context ssimcu_context;

/* Opens a context. `settings` NULL means all defaults. *context is a live object on success and
 * NULL on any error. The call blocks while a CUDA device starts (tenths of a second). Release it
 * with ssimcu_close. Any thread may call it. Errors: ARGUMENT, MEMORY, DEVICE. */
SSIMCU_API SSIMCU_MUST_CHECK ssimcu_status ssimcu_open(const ssimcu_settings *settings,
                                                       ssimcu_context **context,
                                                       ssimcu_message *message);

/* Releases everything and sets *context to NULL. Accepts NULL and a pointer to NULL. Any thread may
 * call it, if no other uses the context. */
SSIMCU_API void ssimcu_close(ssimcu_context **context);

/* Returns "cpu" or, for instance, "cuda:0". Any thread may call it. The string lives as long as the
 * context. */
SSIMCU_API const char *ssimcu_context_device(const ssimcu_context *context);

/* Returns one line that says what the device is and, if AUTO chose it, why. The string lives as
 * long as the context. Any thread may call it. */
SSIMCU_API const char *ssimcu_context_reason(const ssimcu_context *context);

/* Pins the memory of a frame from ssimcu_frame_alloc, so that a CUDA device copies from it several
 * times faster. This pays for memory that is filled and compared again and again. It does nothing
 * on the CPU. Any context may compare the frame, or a frame that lies inside its memory. Pin once,
 * and unpin before ssimcu_frame_free. `context` may be any open context on the same kind of device,
 * and another thread may be using it meanwhile.
 * Errors: ARGUMENT, MEMORY, DEVICE; the frame is then as it was. */
SSIMCU_API SSIMCU_MUST_CHECK ssimcu_status ssimcu_frame_pin(const ssimcu_context *context,
                                                            const ssimcu_frame *frame,
                                                            ssimcu_message *message);

/* Undoes ssimcu_frame_pin. Any thread may call it, also while another uses the context. */
SSIMCU_API void ssimcu_frame_unpin(const ssimcu_context *context, const ssimcu_frame *frame);

/* ---- Comparing ------------------------------------------------------------------------------- */

/* Milliseconds that one comparison spent in each stage, by the device's own clock. A stage that did
 * not run is 0. */
typedef struct ssimcu_stage_ms {
    double upload;   /* both frames from host to device memory */
    double planes;   /* samples -> float planes (HWC -> CHW), both frames */
    double ssim;     /* moments, SSIM map and partial sums */
    double reduce;   /* partial sums -> one sum per channel; scores per tile */
    double download; /* the sums, and the map and the tiles if you asked for them */
} ssimcu_stage_ms;

/* The background that the frames were composited over. NONE: alpha took no part. */
typedef enum ssimcu_background {
    SSIMCU_BACKGROUND_NONE = 0,
    SSIMCU_BACKGROUND_BLACK = 1,
    SSIMCU_BACKGROUND_WHITE = 2
} ssimcu_background;

/* Counts of unusual float samples on one side. The library counts them if the settings have a
 * transfer, a gain, nan_zero or count_range; else all are 0. */
typedef struct ssimcu_light {
    uint64_t clamped;    /* pixels with a colour sample below 0 or beyond the end of the curve (1;
                            HABLE 6.37; PU21 10000 cd/m2). Differences there may not show. */
    uint64_t not_finite; /* samples that were counted as 0 */
} ssimcu_light;

/* A tile: its score and its rectangle in pixels. At the right and bottom edge a tile ends with the
 * frame. */
typedef struct ssimcu_tile {
    double score;
    uint32_t x;
    uint32_t y;
    uint32_t width;
    uint32_t height;
} ssimcu_tile;

/* The shift of a tile in one channel, and its rectangle as in ssimcu_tile. */
typedef struct ssimcu_tile_shift {
    double levels;    /* how much brighter OUT is than REF, in levels of which white has 255 */
    uint32_t channel; /* index of the channel or plane, as in ssimcu_score.channel */
    uint32_t x;
    uint32_t y;
    uint32_t width;
    uint32_t height;
} ssimcu_tile_shift;

typedef struct ssimcu_score {
    size_t struct_size;
    double score;      /* mean of channel[], at most 1; for planes, weighted by their areas. NaN, as
                          channel[]: too small, or PSNR alone is wanted (ssimcu_settings.metrics) */
    uint32_t channels; /* 1 (grey, luma) or 3 (R, G, B); ssimcu_compare_planes: the planes */
    double channel[3]; /* the score of each channel */
    uint32_t bits; /* depth of the comparison: the deeper of the two frames. 0: a view's samples are
                      neither integers of peak 2^bits - 1 nor of that in the upper bits of 16 */
    ssimcu_background background; /* the background that this score belongs to */
    ssimcu_stage_ms ms;
    ssimcu_light light[2]; /* ref, out */
    ssimcu_tile worst; /* the tile with the lowest score, the first of equals. The width is 0 unless
                          the comparison was given tiles */
    ssimcu_tile_shift shift; /* the tile and channel with the largest shift, up or down, the first
                                of equals. The width is 0 unless the comparison was given tiles */
    /* Values by ssimcu_metric, and likewise of each channel. Those that are not wanted, or take
     * larger frames or planes, are NaN, and SSIMULACRA2 has none of channels. That of SSIM is
     * `score`. */
    double metric[SSIMCU_METRICS_ROOM];
    double metric_channel[SSIMCU_METRICS_ROOM][3];
    double mse; /* PSNR: mean squared error of the samples, of which white has 1; else NaN */
} ssimcu_score;

/* Scores `out` against `ref`, two frames of the same width and height. This is the short form of
 * ssimcu_compare_views. If one frame is grey and the other RGB, the grey one counts as R = G = B.
 * If one has 8 bits and the other 16, the 8-bit samples are widened, v * 257. Any other two depths
 * are a MISMATCH, unless one frame has floats. The frames are only read. *score is filled in on
 * success and unchanged on error.
 *
 * After DEVICE the context answers every call with DEVICE and the first cause. Close it; a new one
 * may then work. After a kernel has crashed, in this library or in any other code, CUDA fails every
 * call of the process until cudaDeviceReset(). That call is up to the program, once all contexts
 * are closed, because it also releases the program's own device memory.
 *
 * One thread at a time uses a context. Errors: ARGUMENT, MISMATCH, TOO_SMALL, LIMIT (a side is over
 * 2^24 - 1 pixels), MEMORY, DEVICE, DATA (float samples that are not finite, see ssimcu_view). */
SSIMCU_API SSIMCU_MUST_CHECK ssimcu_status ssimcu_compare(ssimcu_context *context,
                                                          const ssimcu_frame *ref,
                                                          const ssimcu_frame *out,
                                                          ssimcu_score *score,
                                                          ssimcu_message *message);

/* ---- Views ----------------------------------------------------------------------------------- */

/* The order of a view's samples in memory. */
typedef enum ssimcu_layout {
    SSIMCU_LAYOUT_HWC = 0,   /* interleaved: row after row, pixel after pixel, as in a frame */
    SSIMCU_LAYOUT_CHW = 1,   /* one plane per channel, plane_stride bytes apart */
    SSIMCU_LAYOUT_PLANES = 2 /* one plane per channel, each with its own pointer */
} ssimcu_layout;

/* The order of a view's colours in memory. It says nothing about grey. Alpha is always last. */
typedef enum ssimcu_order {
    SSIMCU_ORDER_RGB = 0,
    SSIMCU_ORDER_BGR = 1 /* blue first; alpha, if any, last */
} ssimcu_order;

typedef enum ssimcu_type {
    SSIMCU_TYPE_U8 = 0,   /* uint8_t */
    SSIMCU_TYPE_U16 = 1,  /* uint16_t in the machine's byte order */
    SSIMCU_TYPE_F16 = 2,  /* IEEE 754 binary16, which CUDA calls half */
    SSIMCU_TYPE_F32 = 3,  /* float */
    SSIMCU_TYPE_BF16 = 4, /* bfloat16: the upper 16 bits of a float */
    SSIMCU_TYPE_F64 = 5   /* double, in host memory only; rounded to float in a copy */
} ssimcu_type;

/* The place of U and V between the samples of Y, if there are fewer of them. */
typedef enum ssimcu_siting {
    SSIMCU_SITING_LEFT = 0,    /* at the column of the left sample, between the rows: MPEG-2 on */
    SSIMCU_SITING_CENTER = 1,  /* between columns and rows: JPEG, MPEG-1 */
    SSIMCU_SITING_TOP_LEFT = 2 /* at the upper left sample: BT.2020 */
} ssimcu_siting;

/* How Y, U and V make R, G and B. SSIMULACRA2 of planes needs it (ssimcu_compare_planes). */
typedef struct ssimcu_yuv {
    double red, blue; /* weights of R and B in Y, such as 0.2126 and 0.0722; both 0: unknown */
    uint32_t limited; /* non-zero: black and white of 8 bits are 16 and 235, else 0 and 255 */
    ssimcu_siting siting;
} ssimcu_yuv;

/* Samples in your own memory, in any layout. The library does not copy them on the host, except
 * doubles. This view describes three planes of floats from 0 to 1, in rows of 3840 floats without
 * padding:
 *
 *     const ssimcu_view planes =
 *         SSIMCU_INIT(view, .width = 3840, .height = 2160, .channels = 3, .data = {src},
 *                     .layout = SSIMCU_LAYOUT_CHW, .type = SSIMCU_TYPE_F32);
 *
 * RANGE. `peak` is the value of white, the L of the formula; black is 0. Each view is scaled by its
 * own peak, so that any two types can be compared. Luma of U8 and U16 is rounded to the whole
 * sample; luma of floats is not. U8 of peak 255 beside U16 of peak 65535 is widened before that,
 * and no other U8 is. As in frames, a U8 or U16 sample
 * above the peak gives a score without meaning.
 *
 * SAME SAMPLES. What is the same share of white on both sides is equal in every metric. The float
 * nearest to v / 255 counts as the byte v. If one peak is no power of two of the other, floats are
 * rounded on one scale. Black, white, and what a curve clamps to its ends are equal then. Shares in
 * between may differ by that rounding.
 *
 * FLOATS. Float samples outside 0..peak are scored as they are, not clamped, unless the
 * settings have a transfer. The accuracy promised above is for samples inside that range. A float
 * sample that counts must be finite and, without a transfer, at most 65536 times the peak. Any
 * other is a DATA error, which says how many there are and where the first is. So a score is always
 * finite.
 *
 * DOUBLES. F64 samples are rounded to floats before they are scored. The score is that of the
 * floats, bit for bit. They need room for the floats during the call.
 *
 * UPSIDE DOWN. A negative pitch describes rows from the bottom up. data still points to the top
 * row, which is the last one in memory. Only a context on the CPU takes that and F64; on a GPU they
 * are UNSUPPORTED.
 *
 * PIXELS APART. `pixel_stride` steps over what lies between the samples of a row that count. That
 * may be the fourth byte of XRGB pixels (channels 3, pixel_stride 4), or the other chroma sample of
 * a video frame. NV12, which decoders hand out, is a plane of Y and a plane of U and V in turn:
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
 * ssimcu_compare_planes scores the three planes of such a pair. Each of them may also be a request
 * of ssimcu_cuda.h. P010, P012 and P016 have 16-bit samples whose upper 10, 12 or 16 bits count,
 * with zeros below. Describe them as type U16 with twice the bytes. Their peak is the largest
 * sample: 65472 (1023 * 64), 65520 (4095 * 16) or 65535. Software decoders put samples of 10 bits
 * into the lower bits; their peak is 1023. */
typedef struct ssimcu_view {
    size_t struct_size;
    uint32_t width;    /* pixels, 1 or more */
    uint32_t height;   /* pixels, 1 or more */
    uint32_t channels; /* channels of a pixel, 1 to 4; 2 and 4 end in alpha, opaque at `peak` */
    ssimcu_layout layout;
    ssimcu_type type;
    double peak; /* value of white; 0: 255 for U8, 65535 for U16, 1 for floats; a whole number for
                    U8 and U16 */
    ptrdiff_t pitch;     /* bytes from one row to the next, whole samples; 0: rows without padding;
                            negative: rows from the bottom up */
    size_t plane_stride; /* CHW: bytes from one plane to the next, whole samples; 0: the bytes of
                            all rows */
    const void *data[4]; /* first sample of the first row, aligned to a sample. PLANES: one pointer
                            per channel, in channel order; else data[0] alone */
    uint32_t frames;     /* frames of a batch in device memory (ssimcu_cuda.h); 0 counts as 1 */
    size_t frame_stride; /* bytes from one frame of the batch to the next, for each pointer in data;
                            0: frames without padding */
    size_t pixel_stride; /* bytes from one pixel of a row to the next, whole samples, at most 64; 0:
                            pixels without padding, or one sample for planes */
    ssimcu_order order;
    uint32_t linear; /* non-zero: float samples are linear light, see SSIMCU_TRANSFER_AUTO */
    ssimcu_yuv yuv;  /* of a plane that is Y */
} ssimcu_view;

/* Describes a frame as a view of the same memory. view->struct_size must be set. Any thread may
 * call it.
 * Errors: ARGUMENT, LIMIT (a field of the frame is out of range). */
SSIMCU_API SSIMCU_MUST_CHECK ssimcu_status ssimcu_frame_view(const ssimcu_frame *frame,
                                                             ssimcu_view *view,
                                                             ssimcu_message *message);

/* Copies what a view shows to a frame in host memory, which has its own samples. The view may lie
 * in the context's device, as a decoder's frames do; it has pixels in rows from the top down, all
 * channels of a pixel side by side. The frame has its size, channels and bits. Samples in the upper
 * bits of 16 become whole numbers. Waits for the copy. One thread at a time uses a context.
 * Errors: ARGUMENT (the two do not fit), MEMORY, DEVICE. */
SSIMCU_API SSIMCU_MUST_CHECK ssimcu_status ssimcu_view_read(ssimcu_context *context,
                                                            const ssimcu_view *view,
                                                            const ssimcu_frame *frame,
                                                            ssimcu_message *message);

/* Pixels of one of several views: columns x rows of them, each `step` pixels from the next. The
 * first is at (x, y). They lie inside the view. A patch has 65536 pixels at most, or all. */
typedef struct ssimcu_patch {
    uint32_t view; /* number of the view, from 0 */
    uint32_t x, y;
    uint32_t columns, rows;
    uint32_t step;
} ssimcu_patch;

/* Copies patches of views to the same places of frames; what else is in the frames stays. View n
 * belongs to frame n, as in ssimcu_view_read. There are `count` of both, 6 at most. Patches may lie
 * over each other. The device gathers them, so thousands take one wait. One thread at a time uses a
 * context. Errors: ARGUMENT (a view and its frame do not fit, or a patch its view), MEMORY,
 * DEVICE. */
SSIMCU_API SSIMCU_MUST_CHECK ssimcu_status ssimcu_view_patches(
    ssimcu_context *context, const ssimcu_view *views, const ssimcu_frame *frames, uint32_t count,
    const ssimcu_patch *patches, uint32_t patch_count, ssimcu_message *message);

/* The filters of ssimcu_view_scale. One that makes a frame smaller is widened by as much, against
 * aliasing. */
typedef enum ssimcu_scaler_name {
    SSIMCU_SCALER_BICUBIC = 0, /* b = 0, c = 0.6 */
    SSIMCU_SCALER_BILINEAR = 1,
    SSIMCU_SCALER_LANCZOS = 2, /* three lobes */
    SSIMCU_SCALER_SPLINE36 = 3
} ssimcu_scaler_name;

enum { SSIMCU_SCALE_PLACES = 6 }; /* scaled planes that a context holds at a time */

/* Makes a plane of another size, deeper samples, or both. The view lies in the context's device: it
 * has one channel, or two side by side as U and V of NV12, of U8, or of U16 whose peak says that 9
 * to 16 bits count. *scaled says what it becomes by its size, channels, type and peak; its other
 * fields are set. Its samples lie in the device, in memory of the context, until the next call
 * with this place, 0 to 5. On a GPU the work is queued, and all that the context does next follows.
 *
 * Sample x of a row lies at (x + 0.5) * view->width / scaled->width + shift[0] of the view, counted
 * from the edge of its first sample; shift[1] is that of rows. Neither is beyond 2^24. The frame is
 * mirrored beyond its edges. The samples are those of zimg (the resize filters of ffmpeg's zscale)
 * without dithering, to the last bit: weights of 14 bits, whole numbers between the two directions.
 * Samples that become deeper are first multiplied by a power of two. If the size stays and the
 * shift is 0, nothing else changes. One thread at a time uses a context. Errors: ARGUMENT, MEMORY,
 * DEVICE. */
SSIMCU_API SSIMCU_MUST_CHECK ssimcu_status ssimcu_view_scale(
    ssimcu_context *context, const ssimcu_view *view, ssimcu_scaler_name scaler,
    const double shift[2], uint32_t place, ssimcu_view *scaled, ssimcu_message *message);

/* The SSIM map: `channels` planes of height x width floats, plane after plane, without padding.
 * Element (y, x) is the window centred on pixel (y + border, x + border) of the frame. The border
 * is 5 for PAD_VALID and 0 for PAD_ZERO. On the CPU every element is within 5e-6 of the float64
 * value, and of 8-bit RGB or grey with a peak of 255 within 1e-7. There a score with its map takes
 * two to four times as long as one without. On a GPU an element is within 5e-5. */
typedef struct ssimcu_map {
    size_t struct_size;
    uint32_t width;
    uint32_t height;
    uint32_t channels;
    uint32_t border;
    float *data; /* your memory, width * height * channels floats */
} ssimcu_map;

/* Features of a tile in a channel. They tell what SSIM hardly sees, if they are held against those
 * of pictures that were accepted. All are in levels of which white has 255, and come from the means
 * and standard deviations under windows of the tile, weighted as SSIM weights them.
 *
 * Every other window counts, across and down: those in even columns and rows of the map, from 0.
 * Windows overlap so much that the others would tell little more. Means need fewer: DIFFERENCE is
 * of rows 0, 4, 8 and so on, TEXTURE of rows 2, 6, 10. A feature is 0 if none of its windows lies
 * in the tile, which happens to narrow or low tiles at the right or bottom edge. */
typedef enum ssimcu_feature {
    /* Mean of |mean of OUT - REF| under a window. It rises if a region has moved or changed its
     * light, because noise averages out. */
    SSIMCU_FEATURE_DIFFERENCE = 0,
    /* Root of the mean of var(REF) + var(OUT). It falls if OUT is blurred. */
    SSIMCU_FEATURE_TEXTURE = 1,
    /* Largest deviation of OUT - REF under a window in which OUT is brighter than REF, and in which
     * it is darker. A single pixel that is off by A levels makes 0.208 A to 0.256 A, by its place
     * among the windows that count. It may show in the tile beside its own. */
    SSIMCU_FEATURE_BRIGHT = 2,
    SSIMCU_FEATURE_DARK = 3,
    SSIMCU_FEATURES = 4
} ssimcu_feature;

/* Scores per tile, which tell where in the frame the differences are. Tiles of width x height
 * pixels cover the frame from its first pixel on. Those at the right and bottom edge may be
 * smaller. The score of a tile is the mean of the map over the channels and over the windows whose
 * centre pixel lies in the tile. It is within 1e-6 of the float64 value. For large pairs on a GPU's
 * tensor cores it is within 1e-5 for tiles of 64 x 64, and within 5e-5 for the smallest. A search
 * for the worst patches found 2.4e-6 and 6.7e-6 there.
 *
 * SHIFT. SSIM hardly sees that a region has become a little brighter, if its structure has stayed.
 * The shift of a tile tells. It is the difference OUT minus REF of the windows' weighted means,
 * averaged over the windows whose centre lies in the tile, for each channel by itself. Noise
 * averages out in it. It is in levels of which white has 255, and off by at most 0.001 level and
 * 2e-5 of itself. It is no mean over pixels: PAD_VALID has no window centred in the outermost 5
 * pixels of the frame, so these count less, and the outermost one hardly at all.
 *
 * FEATURES. More numbers for each channel, if you give memory for any (ssimcu_feature). They are
 * off by at most 0.01 level and 1e-4 of themselves, on a GPU's tensor cores by at most 0.2 level. A
 * pair of bytes takes a twentieth longer with them than with tiles alone on a GPU, a thirtieth on a
 * CPU.
 *
 * COUNT. PAD_VALID has no window centres in the outermost 5 pixels of the frame. An edge without a
 * centre makes no tile of its own. Let b be 5, or 0 for PAD_ZERO. Then there are (width - b) /
 * tiles.width columns and (height - b) / tiles.height rows, both rounded up.
 *
 * COST. Tiles are added up together with the score. They take little time and no memory for a map.
 * On the CPU neither tiles nor a map change a bit of the score. On a GPU a score with tiles or a
 * map may differ in its last digits from one without, within the promised 1e-6. With tiles it is
 * added up in another order, and a map needs more precise windows than a mean does. */
typedef struct ssimcu_tiles {
    size_t struct_size;
    uint32_t width;   /* pixels of a tile, 11 or more: the window's own size */
    uint32_t height;  /* pixels of a tile, 11 or more */
    uint32_t columns; /* tiles across; ssimcu_views_layout sets it */
    uint32_t rows;    /* tiles down; ssimcu_views_layout sets it */
    double *data;     /* your memory, rows * columns scores, row after row; NULL: no scores, only
                         ssimcu_score.worst and .shift */
    double *shift;    /* your memory, as many shifts for each channel, channel after channel; NULL:
                         none. If all of these are NULL, columns and rows do not matter */
    double *feature[SSIMCU_FEATURES]; /* your memory, as many of each feature; NULL: none */
} ssimcu_tiles;

/* Says what ssimcu_compare_views would write for this pair. Sets every field of *map except data,
 * and columns and rows of *tiles. `map` and `tiles` may be NULL, and so may the views' data. One
 * thread at a time uses a context. Errors: those of ssimcu_compare_views that need no samples. */
SSIMCU_API SSIMCU_MUST_CHECK ssimcu_status ssimcu_views_layout(ssimcu_context *context,
                                                               const ssimcu_view *ref,
                                                               const ssimcu_view *out,
                                                               ssimcu_map *map, ssimcu_tiles *tiles,
                                                               ssimcu_message *message);

/* Scores two views, and fills in the map and the scores per tile unless they are NULL. A view lies
 * in host memory or, on a GPU, in memory of the context's device that nothing writes to any more.
 * The two views may lie in different memory. *map and *tiles must come from ssimcu_views_layout for
 * the same pair and have their data set. Tiles without data need no layout. Views of any two types
 * and depths can be compared. After an error, data of map and tiles may be partly written.
 *
 * Errors: as ssimcu_compare, except that any two depths match; ARGUMENT (also for a map or tiles of
 * another shape), DATA (float samples, see ssimcu_view). One thread at a time uses a context. */
SSIMCU_API SSIMCU_MUST_CHECK ssimcu_status ssimcu_compare_views(
    ssimcu_context *context, const ssimcu_view *ref, const ssimcu_view *out, ssimcu_score *score,
    ssimcu_map *map, ssimcu_tiles *tiles, ssimcu_message *message);

/* Scores a picture whose channels are planes of their own sizes, such as the Y, U and V of a video
 * frame. `ref` and `out` are arrays of 1 to 3 views of one channel each. channel[p] equals, bit for
 * bit, what ssimcu_compare_views gives for plane p. The score is the mean of these, weighted by the
 * planes' areas in pixels. `tiles` is NULL or an array of one ssimcu_tiles per plane, each laid out
 * for its plane. ssimcu_score.worst joins the tiles at the same column and row of all planes by
 * their areas; its rectangle is that of the first plane. So halve the tiles of a plane of half the
 * size. SSIMULACRA2 needs three planes whose first has `yuv` set, or one that is grey. The call
 * waits for a GPU once, not once per plane. One thread at a time uses a context. Errors: as
 * ssimcu_compare_views, for the first plane that has one. */
SSIMCU_API SSIMCU_MUST_CHECK ssimcu_status ssimcu_compare_planes(
    ssimcu_context *context, const ssimcu_view *ref, const ssimcu_view *out, uint32_t planes,
    ssimcu_score *score, ssimcu_tiles *tiles, ssimcu_message *message);

/* ---- Colours --------------------------------------------------------------------------------- */

/* Writes the colour of a heat map at `heat`, 8 bits of R, G and B: black at 0 (best), yellow at 1
 * (worst), and the nearer of them beyond. The colours are those of matplotlib's "inferno". An
 * element of a map may be shown as the heat 1 - element. Any thread may call it. */
SSIMCU_API void ssimcu_heat_color(double heat, uint8_t rgb[3]);

#ifdef __cplusplus
}
#endif

#endif
