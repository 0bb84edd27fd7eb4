/* ssimcu: SSIM of full-resolution frames on CUDA GPUs and on the CPU.
 *
 * THE NUMBER. ssimcu computes the Structural Similarity index (SSIM) of Wang, Bovik, Sheikh and
 * Simoncelli. The source is "Image Quality Assessment: From Error Visibility to Structural
 * Similarity", IEEE Transactions on Image Processing 13(4), 2004. ssimcu follows the authors'
 * program ssim_index.m, at full resolution:
 *
 *   - The window is an 11x11 Gaussian, sigma 1.5, normalised. K1 = 0.01 and K2 = 0.03. Moments are
 *     population moments.
 *   - L = 2^bits - 1: 255 for 8 bits, 1023 for 10, 65535 for 16.
 *   - A channel's score is the mean of the SSIM map over all windows that lie wholly inside the
 *     frame (SSIMCU_PAD_VALID). A frame's score is the mean of its channels' scores.
 *   - The frame is never downsampled.
 *
 * The score equals scikit-image's structural_similarity(gaussian_weights=True, sigma=1.5,
 * use_sample_covariance=False, data_range=L). It is within 1e-6 of the float64 value. It is within
 * 2e-6 under PU21 and for large pairs on a GPU's tensor cores, and within 3e-6 if the sides have
 * different whites. docs/accuracy.md has the bounds of all numbers, and the worst that a search
 * found. Frames that are identical after curve and clamp score exactly 1.0, whatever their types,
 * layouts, orders and strides (SAME SAMPLES, at ssimcu_view). A score is 1.0 only if every value of
 * the map is 1.0. No metric has its best value for frames that differ. Swapping the frames does not
 * change the score by a bit. One device gives the same bits in every run.
 *
 * IN SHORT. Fill in two ssimcu_frame structs, then:
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
 * ssimcu_compare_views takes pictures of any layout and type, and writes maps and scores per tile.
 * ssimcu_cuda.h scores frames in device memory on your stream. ssimcu_loss.h offers SSIM as a loss
 * with gradients. ssimcu_permute.h reorders the dimensions of an array. ssimcu.hpp is the C++
 * header.
 *
 * RULES. The library never prints, never exits and never reads the environment. It starts no thread
 * that you did not request (ssimcu_settings.threads).
 *
 * THREADS. A context belongs to one thread at a time. Calling a function on a context that another
 * thread is using is an ARGUMENT error. Contexts are independent of each other. Functions that take
 * no context may be called from any thread.
 *
 * FORK. After fork() the child may close its parent's contexts. It may also compare with CPU
 * contexts, on one thread. Comparing on a GPU is a DEVICE error in the child.
 *
 * STRUCTS AND STRINGS. The library owns the strings that it returns. If a struct starts with
 * `struct_size`, set that field to the struct's sizeof, as SSIMCU_INIT does. Every other field may
 * be zero, which always means the default. Later versions may add fields: a program built with an
 * older header passes shorter structs and works as before. A struct that is longer than the
 * library's is an ARGUMENT error.
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

/* The header's version as one number that increases with every version. */
#define SSIMCU_VERSION_NUMBER                                                                      \
    (SSIMCU_VERSION_MAJOR * 10000 + SSIMCU_VERSION_MINOR * 100 + SSIMCU_VERSION_PATCH)

/* Non-zero if this header has that version or a newer one; for #if. */
#define SSIMCU_VERSION_AT_LEAST(major, minor, patch)                                               \
    (SSIMCU_VERSION_NUMBER >= (major)*10000 + (minor)*100 + (patch))

/* Returns the SSIMCU_VERSION_NUMBER that the library was built with. Any thread may call it. */
SSIMCU_API uint32_t ssimcu_version_number(void);

/* Returns the library's version, "MAJOR.MINOR.PATCH". If it differs from the macros, the header and
 * the library do not match. Any thread may call it. */
SSIMCU_API const char *ssimcu_version(void);

/* Describes the backends, for example "cpu, cuda 13.0" or "cpu, built without CUDA". Any thread may
 * call it. */
SSIMCU_API const char *ssimcu_build(void);

/* ---- Structs with a size --------------------------------------------------------------------- */

/* Makes a sized struct with every other field at its default: `ssimcu_view view =
 * SSIMCU_INIT(view);`. The argument is the type's name without ssimcu_. In C, fields may follow:
 * `SSIMCU_INIT(view, .width = 3840, .height = 2160)`. C++17 has no such initialisers: set the
 * fields afterwards. */
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
    SSIMCU_ERROR_ARGUMENT = 1,    /* an argument is not one that the function's comment allows */
    SSIMCU_ERROR_MISMATCH = 2,    /* the two frames cannot be compared with each other */
    SSIMCU_ERROR_TOO_SMALL = 3,   /* a side is too small for the metric; SSIM needs 11 pixels */
    SSIMCU_ERROR_UNSUPPORTED = 4, /* well-formed, but not supported by this library */
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

/* Returns this header's name of a status, such as "SSIMCU_ERROR_MISMATCH". It is never NULL, not
 * even for an unknown number. Any thread may call it. */
SSIMCU_API const char *ssimcu_status_identifier(ssimcu_status status);

/* One line that describes an error to a person. Zero it before the first call. The library does not
 * overwrite a message that holds text, so the first error, which is the cause, survives the
 * clean-up. Every function that takes a message accepts NULL. */
typedef struct ssimcu_message {
    char text[512];
} ssimcu_message;

/* ---- Frames ---------------------------------------------------------------------------------- */

/* One picture in host memory, interleaved (HWC): row after row, pixel after pixel. Samples are
 * uint8_t if bits is 8, and uint16_t in the machine's byte order if bits is 9 to 16. Their range is
 * 0 to 2^bits - 1; larger samples make the score meaningless. If bits is SSIMCU_BITS_F16 or
 * SSIMCU_BITS_F32, samples are floats whose white is 1. ssimcu_view describes their range. Alpha is
 * straight, not premultiplied. A plane of video (Y, U or V) is a grey frame. */
enum {
    SSIMCU_BITS_FLOAT = 256,                  /* marks float samples; added to their size in bits */
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
    uint32_t linear;   /* non-zero: float samples are linear light; SSIMCU_TRANSFER_AUTO then
                          applies the sRGB curve. The readers of ssimcu_io set it */
} ssimcu_frame;

/* Allocates memory for a frame. Reads width, height, channels and bits; sets pitch and data. The
 * memory is page-aligned and uninitialised, and any context can use it. The call needs no context,
 * so files can be decoded while a device starts. Any thread may call it. Release the memory with
 * ssimcu_frame_free. Errors: ARGUMENT (a field is out of range), LIMIT (a side is over 2^24 - 1
 * pixels, or the size overflows), MEMORY. */
SSIMCU_API SSIMCU_MUST_CHECK ssimcu_status ssimcu_frame_alloc(ssimcu_frame *frame,
                                                              ssimcu_message *message);

/* Releases memory of ssimcu_frame_alloc and clears data and pitch. Accepts NULL and a frame without
 * memory. Any thread may call it. */
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

/* The curve that is applied to float samples before they are compared. Float samples of renders are
 * linear light. Let v be a sample divided by its view's peak and multiplied by `gain`. A
 * background, whose white is 1, has already been added to v. Let s(v) be the sRGB curve of IEC
 * 61966-2-1: 12.92 v up to 0.0031308, and 1.055 v^(1/2.4) - 0.055 above.
 *
 *   - NONE: v, without a curve and not clamped.
 *   - SRGB: s(clamp(v, 0, 1)). This is the picture as a viewer shows it and a PNG stores it.
 *   - PU21: p(clamp(v * white, 0.005, 10000)), L = 256, for light brighter than white. p is the
 *     curve "banding and glare" of Mantiuk and Azimi, "PU21: A novel perceptually uniform encoding
 *     for adapting existing quality metrics for high dynamic range", PCS 2021.
 *   - HABLE: s(min(h(1.758141 v) / h(11.2), 1)), with
 *     h(x) = (x (0.22 x + 0.03) + 0.002) / (x (0.22 x + 0.3) + 0.06) - 1/30.
 *     This is the filmic curve of the training scripts of Intel Open Image Denoise.
 *
 * AUTO, the default, is SRGB for frames and views marked `linear` and NONE for others. The readers
 * of ssimcu_io mark linear light, so the program ssimcu and this library give the same score.
 *
 * L is 1, except under PU21. Luma is computed from the curve's values, as in a PNG. PU21 is a curve
 * of luminance, so its luma is computed from v. Integer samples already have a curve and are left
 * unchanged. Under PU21 they cannot be compared with float samples (MISMATCH). */
typedef enum ssimcu_transfer {
    SSIMCU_TRANSFER_AUTO = 0,
    SSIMCU_TRANSFER_SRGB = 1,
    SSIMCU_TRANSFER_PU21 = 2,
    SSIMCU_TRANSFER_HABLE = 3,
    SSIMCU_TRANSFER_NONE = 4
} ssimcu_transfer;

/* The metrics. Each is one number per pair; higher is better.
 *
 *   - PSNR, in dB: 10 log10(1 / mse). mse is the mean squared error over all samples that are
 *     compared, whose white is 1. PSNR is infinite if no sample differs. For integer samples of one
 *     white, or of 8 and 16 bits, without alpha, the squares are summed exactly. Otherwise samples
 *     are rounded to floats, except floats of one white without a curve and alpha. On the
 *     CPU, for different whites without a curve and alpha, this rounding only decides which samples
 *     are equal. The squares are then summed in double, and PSNR up to 90 dB is within 1e-5 dB.
 *   - MS_SSIM: Wang, Simoncelli and Bovik, "Multiscale structural similarity for image quality
 *     assessment", Asilomar 2003. It has five scales, and always valid windows. Scales 1 to 4 take
 *     the mean of contrast times structure, the fifth takes the mean of SSIM. Negative means count
 *     as 0. The means are raised to 0.0448, 0.2856, 0.3001, 0.2363 and 0.1333 and multiplied.
 *     Between scales, 2 x 2 samples are averaged; an odd last row or column is repeated. The value
 *     is the mean over the channels, and equals tf.image.ssim_multiscale. A side needs 161 pixels.
 *   - SSIMULACRA2: version 2.1 of Sneyers' metric (github.com/cloudinary/ssimulacra2), by its
 *     definition. The blur is the recursive filter's impulse response, nine taps with zeros outside
 *     the frame, in exact arithmetic. 100 is identical and 90 visually lossless; values may be
 *     negative. It takes the samples that SSIM compares, before any luma, as sRGB. Grey counts as
 *     R = G = B. A side needs 8 pixels. PU21 has no SSIMULACRA2. With ALPHA_WORST the frames are
 *     composited over two greys, whose codes are 0.1 and 0.9 of white, and the lower score counts.
 *     Linear light is composited before its curve, over the light of these codes: 0.0100 and 0.7874
 *     of white under SRGB. So both sides of a pair have the same grey. Y, U and V are converted to
 *     R, G and B as the view of Y says, with U and V interpolated linearly. R, G and B are clamped
 *     to 0 to 1 and count as sRGB.
 *
 * With SSIMCU_ALPHA_WORST, the lower score is chosen for each metric separately. */
typedef enum ssimcu_metric {
    SSIMCU_METRIC_SSIM = 0,
    SSIMCU_METRIC_PSNR = 1,
    SSIMCU_METRIC_MS_SSIM = 2,
    SSIMCU_METRIC_SSIMULACRA2 = 3,
    SSIMCU_METRICS = 4,
    SSIMCU_METRICS_ROOM = 16 /* size of arrays by metric. Only the first SSIMCU_METRICS elements are
                                used; later versions may have more */
} ssimcu_metric;

/* Returns the metric's name, such as "ms-ssim"; NULL for an unknown number. Any thread may call
 * it. */
SSIMCU_API const char *ssimcu_metric_name(ssimcu_metric metric);

/* Other tools whose numbers can be reproduced to the digits that they print. The tool's metrics are
 * then computed with its windows, constants and roundings, in double or in the tool's floats. This
 * runs on the CPU only. Maps, tiles and level shifts stay those of this library. Samples must be
 * integers, or floats without a curve. Alpha must be opaque or ignored.
 *
 *   - FFMPEG: FFmpeg's filters ssim and psnr, for 8 to 16 bits. They score each plane. The score is
 *     ssim's All, the mean weighted by area, or psnr's average, of the mean squared error weighted
 *     by area. FFmpeg 5.1's x86 assembly counts a window beyond the right edge in 8-bit planes
 *     whose width is 8 to 11 above a multiple of 16. This mode does not, like FFmpeg's C code and
 *     FFmpeg 9.
 *   - VMAF: float_ssim and float_ms_ssim of libvmaf, for 8 to 16 bits. They score only the first
 *     plane, which should be luma and becomes the only channel.
 *   - FUSED_SSIM: fused-ssim with padding "same": an 11 x 11 Gaussian over samples / peak, L = 1,
 *     zeros outside, one window per pixel. The score is the mean over the channels.
 *   - SSIMULACRA2: its authors' program, version 2.1, on a CPU with fused multiply-add. It blurs by
 *     a recursion in float, which deviates from the definition. */
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

/* Returns the tool with that name; NONE if it is unknown. Any thread may call it. */
SSIMCU_API ssimcu_compat ssimcu_compat_find(const char *name);

typedef struct ssimcu_settings {
    size_t struct_size;
    ssimcu_device device;
    uint32_t device_index; /* index of the CUDA device, 0 for the first */
    ssimcu_pad pad;
    ssimcu_color color;
    ssimcu_alpha alpha;
    uint32_t threads; /* CPU threads that compute, including the calling thread. 0: only the calling
                         thread, because callers often have their own; the program ssimcu uses all.
                         ssimcu_cpu_threads() is the maximum. The number does not change a score by
                         a bit. */
    uint32_t wait_asleep; /* non-zero: a thread that waits for a CUDA device sleeps. This frees its
                             core, and costs some tens of microseconds per score. */
    /* For float samples only. A transfer, a gain or nan_zero makes comparisons count samples: see
     * ssimcu_light. */
    ssimcu_transfer transfer;
    uint32_t nan_zero; /* non-zero: a sample that is NaN or infinite counts as 0 and is not an
                          error */
    double gain;       /* factor for colour, not for alpha; 2^stops is an exposure; 0: 1 */
    double white;      /* PU21: cd/m2 of v = 1; 0: 100 */
    uint32_t metrics;  /* metrics to compute: sum of 1 << ssimcu_metric; 0: SSIM. A pair that is too
                          small for some of them gets the others; it is an error if none is left.
                          SSIM is always scored, except on the CPU if only PSNR of integers without
                          alpha is requested, without map and tiles. */
    ssimcu_compat compat; /* a tool whose numbers to reproduce, see ssimcu_compat */
    uint32_t count_range; /* non-zero: float samples without a transfer count as clamped if they are
                             below 0 or above the peak by more than 1e-5 of it. On the CPU only */
} ssimcu_settings;

/* ---- Devices --------------------------------------------------------------------------------- */

typedef struct ssimcu_device_info {
    size_t struct_size;
    char name[128];        /* "NVIDIA H200" */
    uint64_t memory_bytes; /* device memory; 0 for the CPU */
    uint32_t compute;      /* 10 * major + minor compute capability; 0 for the CPU */
} ssimcu_device_info;

/* Counts the usable devices of one kind (CPU or CUDA). If there are none, `message` has the reason.
 * Any thread may call it. Errors: ARGUMENT, DEVICE (none; *count is 0). */
SSIMCU_API ssimcu_status ssimcu_device_count(ssimcu_device device, uint32_t *count,
                                             ssimcu_message *message);

/* Describes device `index` of one kind. Any thread may call it. Errors: ARGUMENT, DEVICE (no such
 * device). */
SSIMCU_API SSIMCU_MUST_CHECK ssimcu_status ssimcu_device_describe(ssimcu_device device,
                                                                  uint32_t index,
                                                                  ssimcu_device_info *info,
                                                                  ssimcu_message *message);

/* Returns how many threads this process can use at once, at least 1. This is the number of CPUs in
 * the affinity mask, or the CPU quota of the control group (v1 or v2) if that is lower. Any thread
 * may call it. */
SSIMCU_API uint32_t ssimcu_cpu_threads(void);

/* ---- Context --------------------------------------------------------------------------------- */

/* A device with its stream, threads and buffers. Buffers grow to the largest pair so far and are
 * reused: the second comparison of a size allocates nothing.
 *
 * A DEVICE PROVES ITSELF. A driver can compile a kernel wrongly. So before a process first scores a
 * kind of pair on a device, a fixed pair of that kind goes through the same kernels, and all that
 * comes out is compared with the CPU's. On the CPU, the loops of its instruction set are compared
 * with plain C. A device that computes wrongly gives no score: the comparison fails with DEVICE,
 * and so do all later ones of the context. A context opened for AUTO compares on the CPU instead,
 * and ssimcu_context_reason says so. A kind has the types, layouts, curves, alpha, metrics and
 * outputs of a pair. On a GPU it also has the kernels that the size chooses, and the rests that
 * they leave at the right and at the bottom. The proof takes under 1 ms on a CPU, and up to 3 ms
 * with SSIMULACRA2. The loss and scaling are not proven. */
typedef struct ssimcu_context ssimcu_context;

/* Opens a context. If `settings` is NULL, all settings have their defaults. *context is NULL after
 * any error. The call blocks while a CUDA device starts (tenths of a second). Release the context
 * with ssimcu_close. Any thread may call it. Errors: ARGUMENT, MEMORY, DEVICE. */
SSIMCU_API SSIMCU_MUST_CHECK ssimcu_status ssimcu_open(const ssimcu_settings *settings,
                                                       ssimcu_context **context,
                                                       ssimcu_message *message);

/* Releases everything and sets *context to NULL. Accepts NULL and a pointer to NULL. Any thread may
 * call it if no other uses the context. */
SSIMCU_API void ssimcu_close(ssimcu_context **context);

/* Returns "cpu" or, for example, "cuda:0". The string lives as long as the context. Any thread may
 * call it. */
SSIMCU_API const char *ssimcu_context_device(const ssimcu_context *context);

/* Returns one line that describes the device and, if AUTO chose it, the reason. The string lives as
 * long as the context. Any thread may call it. */
SSIMCU_API const char *ssimcu_context_reason(const ssimcu_context *context);

/* Pins the memory of a frame from ssimcu_frame_alloc, so that a CUDA device copies from it several
 * times faster. This pays off for memory that is filled and compared repeatedly. On the CPU it does
 * nothing. Any context may compare the frame, or a frame inside its memory. Pin once, and unpin
 * before ssimcu_frame_free. `context` may be any open context on the same kind of device, even
 * while another thread uses it. Errors: ARGUMENT, MEMORY, DEVICE; the frame is then as it was. */
SSIMCU_API SSIMCU_MUST_CHECK ssimcu_status ssimcu_frame_pin(const ssimcu_context *context,
                                                            const ssimcu_frame *frame,
                                                            ssimcu_message *message);

/* Undoes ssimcu_frame_pin. Any thread may call it, even while another uses the context. */
SSIMCU_API void ssimcu_frame_unpin(const ssimcu_context *context, const ssimcu_frame *frame);

/* ---- Comparing ------------------------------------------------------------------------------- */

/* Milliseconds that one comparison spent in each stage, by the device's clock; 0 if the stage did
 * not run. */
typedef struct ssimcu_stage_ms {
    double upload;   /* both frames from host to device memory */
    double planes;   /* samples -> float planes (HWC -> CHW), both frames */
    double ssim;     /* moments, SSIM map and partial sums */
    double reduce;   /* partial sums -> one sum per channel; scores per tile */
    double download; /* the sums, and the map and tiles if requested */
} ssimcu_stage_ms;

/* The background that the frames were composited over. NONE: alpha was not used. */
typedef enum ssimcu_background {
    SSIMCU_BACKGROUND_NONE = 0,
    SSIMCU_BACKGROUND_BLACK = 1,
    SSIMCU_BACKGROUND_WHITE = 2
} ssimcu_background;

/* Counts of unusual float samples on one side. The library counts them if the settings have a
 * transfer, a gain, nan_zero or count_range. Otherwise all are 0. */
typedef struct ssimcu_light {
    uint64_t clamped;    /* pixels with a colour sample below 0 or beyond the end of the curve (1;
                            HABLE 6.37; PU21 10000 cd/m2). Differences there may be hidden. */
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

/* The level shift of a tile in one channel, and its rectangle as in ssimcu_tile. */
typedef struct ssimcu_level_shift {
    double levels;    /* OUT minus REF in levels, of which white has 255 */
    uint32_t channel; /* index of the channel or plane, as in ssimcu_score.channel */
    uint32_t x;
    uint32_t y;
    uint32_t width;
    uint32_t height;
} ssimcu_level_shift;

typedef struct ssimcu_score {
    size_t struct_size;
    double score;      /* mean of channel[], at most 1; for planes, weighted by area. NaN, like
                          channel[], if the pair is too small or only PSNR was requested
                          (ssimcu_settings.metrics) */
    uint32_t channels; /* 1 (grey, luma) or 3 (R, G, B); ssimcu_compare_planes: the planes */
    double channel[3]; /* the score of each channel */
    uint32_t bits; /* depth of the comparison: that of the deeper frame. 0: a view has samples other
                      than integers of peak 2^bits - 1, as they are or in the upper bits of 16 */
    ssimcu_background background; /* the background that this score belongs to */
    ssimcu_stage_ms ms;
    ssimcu_light light[2]; /* ref, out */
    ssimcu_tile worst;     /* the tile with the lowest score, the first of equals. Its width is 0 if
                              there were no tiles */
    ssimcu_level_shift level_shift; /* the largest level shift, up or down, the first of equals. Its
                                       width is 0 if there were no tiles */
    /* Values by ssimcu_metric, and the same per channel. They are NaN if not requested, or if the
     * frames or planes are too small. SSIMULACRA2 has no values per channel. The value of SSIM is
     * `score`. */
    double metric[SSIMCU_METRICS_ROOM];
    double metric_channel[SSIMCU_METRICS_ROOM][3];
    double mse; /* PSNR: mean squared error of the samples, whose white is 1; else NaN */
} ssimcu_score;

/* Scores `out` against `ref`, two frames of the same width and height. This is the short form of
 * ssimcu_compare_views. If one frame is grey and the other RGB, the grey one counts as R = G = B.
 * If one has 8 bits and the other 16, the 8-bit samples are widened, v * 257. Any other two depths
 * are a MISMATCH, unless one frame has floats. The frames are only read. On an error *score is
 * unchanged.
 *
 * After DEVICE the context answers every call with DEVICE and the first cause. Close it; a new one
 * may then work. After a kernel has crashed, in this library or in any other code, CUDA fails every
 * call of the process until cudaDeviceReset(). Only the program can call that, once all contexts
 * are closed, because it also releases the program's device memory.
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

/* The order of a view's colours in memory. It does not matter for grey. Alpha is always last. */
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

/* The position of U and V relative to Y, if they have fewer samples. */
typedef enum ssimcu_siting {
    SSIMCU_SITING_LEFT = 0,    /* at the left column, between the rows: since MPEG-2 */
    SSIMCU_SITING_CENTER = 1,  /* between the columns and the rows: JPEG, MPEG-1 */
    SSIMCU_SITING_TOP_LEFT = 2 /* at the upper left sample: BT.2020 */
} ssimcu_siting;

/* The conversion of Y, U and V to R, G and B. SSIMULACRA2 of planes needs it
 * (ssimcu_compare_planes). */
typedef struct ssimcu_yuv {
    double red, blue; /* weights of R and B in Y, such as 0.2126 and 0.0722; both 0: unknown */
    uint32_t limited; /* non-zero: black and white of 8 bits are 16 and 235, else 0 and 255 */
    ssimcu_siting siting;
} ssimcu_yuv;

/* Samples in your memory, in any layout. The library does not copy them on the host, except
 * doubles. This view describes three planes of floats from 0 to 1, in rows of 3840 floats without
 * padding:
 *
 *     const ssimcu_view planes =
 *         SSIMCU_INIT(view, .width = 3840, .height = 2160, .channels = 3, .data = {src},
 *                     .layout = SSIMCU_LAYOUT_CHW, .type = SSIMCU_TYPE_F32);
 *
 * RANGE. `peak` is the value of white, the L of the formula; black is 0. Each view is scaled by its
 * own peak, so that any two types can be compared. Luma of U8 and U16 is rounded to an integer;
 * luma of floats is not. Before that, U8 of peak 255 is widened if the other view is U16 of peak
 * 65535; no other U8 is. As in frames, U8 or U16 samples above the peak make the score meaningless.
 *
 * SAME SAMPLES. Samples that are the same share of white on both sides are equal in every metric.
 * The float nearest to v / 255 counts as the byte v. If the ratio of the peaks is not a power of
 * two, floats are rounded on one scale. Black, white, and samples that a curve clamps to its ends
 * are still equal. Shares in between may differ by that rounding.
 *
 * FLOATS. Float samples outside 0..peak are not clamped, unless the settings have a transfer. The
 * accuracy stated above holds for samples inside that range. A float sample that counts must be
 * finite and, without a transfer, at most 65536 times the peak. Any other sample is a DATA error,
 * whose message has their number and the place of the first. So a score is always finite.
 *
 * DOUBLES. F64 samples are rounded to floats before they are scored. The score is that of the
 * floats, bit for bit. The floats take memory during the call.
 *
 * UPSIDE DOWN. A negative pitch describes rows from the bottom up. data still points to the top
 * row, which is the last one in memory. On a GPU, a negative pitch and F64 are UNSUPPORTED.
 *
 * PIXEL STRIDE. `pixel_stride` skips data between the pixels of a row. That may be the fourth byte
 * of XRGB pixels (channels 3, pixel_stride 4), or the other chroma sample of a video frame. NV12,
 * the usual output of decoders, is a plane of Y and a plane of U and V in turn:
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
 * ssimcu_compare_planes scores the three planes of such a pair. Each plane may also be a request of
 * ssimcu_cuda.h. P010, P012 and P016 have 16-bit samples whose upper 10, 12 or 16 bits count, with
 * zeros below. Describe them as type U16 with twice the bytes. Their peak is the largest sample:
 * 65472 (1023 * 64), 65520 (4095 * 16) or 65535. Software decoders store 10-bit samples in the
 * lower bits; their peak is 1023. */
typedef struct ssimcu_view {
    size_t struct_size;
    uint32_t width;    /* pixels, 1 or more */
    uint32_t height;   /* pixels, 1 or more */
    uint32_t channels; /* channels of a pixel, 1 to 4; 2 and 4 end in alpha, opaque at `peak` */
    ssimcu_layout layout;
    ssimcu_type type;
    double peak; /* value of white; 0: 255 for U8, 65535 for U16, 1 for floats. An integer for U8
                    and U16 */
    ptrdiff_t pitch;     /* bytes from one row to the next, whole samples; 0: rows without padding;
                            negative: rows from the bottom up */
    size_t plane_stride; /* CHW: bytes from one plane to the next, whole samples; 0: the bytes of
                            all rows */
    const void *data[4]; /* first sample of the first row, aligned to a sample. PLANES: one pointer
                            per channel, in channel order; otherwise only data[0] */
    uint32_t frames;     /* frames of a batch in device memory (ssimcu_cuda.h); 0 counts as 1 */
    size_t frame_stride; /* bytes from one frame of the batch to the next, for each pointer in data;
                            0: frames without padding */
    size_t pixel_stride; /* bytes from one pixel of a row to the next, whole samples, at most 64; 0:
                            pixels without padding, or one sample for planes */
    ssimcu_order order;
    uint32_t linear; /* non-zero: float samples are linear light, see SSIMCU_TRANSFER_AUTO */
    ssimcu_yuv yuv;  /* for a plane of Y */
} ssimcu_view;

/* Describes a frame as a view of the same memory. view->struct_size must be set. Any thread may
 * call it.
 * Errors: ARGUMENT, LIMIT (a field of the frame is out of range). */
SSIMCU_API SSIMCU_MUST_CHECK ssimcu_status ssimcu_frame_view(const ssimcu_frame *frame,
                                                             ssimcu_view *view,
                                                             ssimcu_message *message);

/* Copies the samples of a view to a frame in host memory. The view may lie in the context's device,
 * like a decoder's frames. Its rows run from the top down, and its channels are interleaved. The
 * frame has the view's size, channels and bits. Samples in the upper bits of 16 are shifted down.
 * Waits for the copy. One thread at a time uses a context. Errors: ARGUMENT (the two do not fit),
 * MEMORY, DEVICE. */
SSIMCU_API SSIMCU_MUST_CHECK ssimcu_status ssimcu_view_read(ssimcu_context *context,
                                                            const ssimcu_view *view,
                                                            const ssimcu_frame *frame,
                                                            ssimcu_message *message);

/* Columns x rows pixels of one of several views, each `step` pixels from the next. The first is at
 * (x, y), and all lie inside the view. A patch has at most 65536 pixels, or all of the view. */
typedef struct ssimcu_patch {
    uint32_t view; /* number of the view, from 0 */
    uint32_t x, y;
    uint32_t columns, rows;
    uint32_t step;
} ssimcu_patch;

/* Copies patches of views to the same places of frames, and leaves the rest of the frames
 * unchanged. View n belongs to frame n, as in ssimcu_view_read. There are `count` of both, at most
 * 6. Patches may overlap. The device gathers them, so thousands take one wait. One thread at a time
 * uses a context. Errors: ARGUMENT (a view does not fit its frame, or a patch its view), MEMORY,
 * DEVICE. */
SSIMCU_API SSIMCU_MUST_CHECK ssimcu_status ssimcu_view_patches(
    ssimcu_context *context, const ssimcu_view *views, const ssimcu_frame *frames, uint32_t count,
    const ssimcu_patch *patches, uint32_t patch_count, ssimcu_message *message);

/* The filters of ssimcu_view_scale. When a frame becomes smaller, its filter is widened by the same
 * factor to avoid aliasing. */
typedef enum ssimcu_scaler_name {
    SSIMCU_SCALER_BICUBIC = 0, /* b = 0, c = 0.6 */
    SSIMCU_SCALER_BILINEAR = 1,
    SSIMCU_SCALER_LANCZOS = 2, /* three lobes */
    SSIMCU_SCALER_SPLINE36 = 3
} ssimcu_scaler_name;

enum { SSIMCU_SCALE_PLACES = 6 }; /* scaled planes that a context holds at once */

/* Scales a plane, makes its samples deeper, or both. The view lies in the context's device. It has
 * one channel, or two interleaved ones like U and V of NV12. Its type is U8, or U16 whose peak
 * shows that 9 to 16 bits count. *scaled gives the target's size, channels, type and peak; the call
 * sets its other fields. The target lies in the device, in memory of the context, until the next
 * call with this place, 0 to 5. On a GPU the work is queued, and later work of the context follows
 * it.
 *
 * Sample x of a row lies at (x + 0.5) * view->width / scaled->width + shift[0] of the view, counted
 * from the edge of its first sample. shift[1] applies to rows. Neither exceeds 2^24. The frame is
 * mirrored at its edges. The samples equal those of zimg (the resize filters of ffmpeg's zscale)
 * without dithering, bit for bit. Weights have 14 bits, and samples are integers between the two
 * directions. Samples that become deeper are first multiplied by a power of two. If the size stays
 * and the shift is 0, nothing else changes. One thread at a time uses a context. Errors: ARGUMENT,
 * MEMORY, DEVICE. */
SSIMCU_API SSIMCU_MUST_CHECK ssimcu_status ssimcu_view_scale(
    ssimcu_context *context, const ssimcu_view *view, ssimcu_scaler_name scaler,
    const double shift[2], uint32_t place, ssimcu_view *scaled, ssimcu_message *message);

/* The SSIM map: `channels` planes of height x width floats, plane after plane, without padding.
 * Element (y, x) belongs to the window centred on pixel (y + border, x + border) of the frame. The
 * border is 5 for PAD_VALID and 0 for PAD_ZERO. On the CPU every element is within 5e-6 of the
 * float64 value; for 8-bit RGB or grey with a peak of 255, within 1e-7. A score with a map takes
 * two to four times as long there as one without. On a GPU an element is within 5e-5. */
typedef struct ssimcu_map {
    size_t struct_size;
    uint32_t width;
    uint32_t height;
    uint32_t channels;
    uint32_t border;
    float *data; /* your memory, width * height * channels floats */
} ssimcu_map;

/* Features of a tile in a channel. Compared with those of accepted pictures, they reveal changes
 * that SSIM hardly detects. All are in levels, of which white has 255. They come from means and
 * standard deviations under the tile's windows, with the weights of SSIM.
 *
 * Every other window counts, across and down: those in even columns and rows of the map, from 0.
 * Windows overlap so much that the others would add little. Means need fewer windows: DIFFERENCE
 * uses rows 0, 4, 8 and so on, TEXTURE rows 2, 6, 10. A feature is 0 if none of its windows lies in
 * the tile, as in narrow or low tiles at the right or bottom edge. */
typedef enum ssimcu_feature {
    /* Mean of |mean of OUT - REF| under a window. It rises if a region has moved or its light has
     * changed, because noise averages out. */
    SSIMCU_FEATURE_DIFFERENCE = 0,
    /* Root of the mean of var(REF) + var(OUT). It falls if OUT is blurred. */
    SSIMCU_FEATURE_TEXTURE = 1,
    /* Largest deviation of OUT - REF under a window in which OUT is brighter than REF, or darker. A
     * single pixel that is off by A levels gives 0.208 A to 0.256 A, depending on its place among
     * the windows that count. It may appear in an adjacent tile. */
    SSIMCU_FEATURE_BRIGHT = 2,
    SSIMCU_FEATURE_DARK = 3,
    SSIMCU_FEATURES = 4
} ssimcu_feature;

/* Scores per tile, which show where the differences are. Tiles of width x height pixels cover the
 * frame from its first pixel on. Those at the right and bottom edge may be smaller. The score of a
 * tile is the mean of the map over the channels and over the windows whose centre pixel lies in the
 * tile. It is less accurate than the score for large pairs on a GPU's tensor cores
 * (docs/accuracy.md).
 *
 * LEVEL SHIFT. SSIM hardly detects that a region has become a little brighter if its structure is
 * unchanged. The level shift of a tile does. It is the difference OUT minus REF of the windows'
 * weighted means, averaged over the windows whose centre lies in the tile, per channel. Noise
 * averages out. It is in levels, of which white has 255, and off by at most 0.001 level and 2e-5 of
 * itself. It is not a mean over pixels: PAD_VALID has no window centred in the outermost 5 pixels
 * of the frame. These count less, and the outermost one hardly at all.
 *
 * FEATURES. More numbers per channel, for which you provide memory (ssimcu_feature). They are off
 * by at most 0.01 level and 1e-4 of themselves, or 0.2 level on a GPU's tensor cores. With
 * features, a pair of bytes takes a twentieth longer on a GPU than with only tiles, and a thirtieth
 * longer on a CPU.
 *
 * COUNT. PAD_VALID has no window centres in the outermost 5 pixels of the frame. An edge without
 * centres does not make another tile. Let b be 5, or 0 for PAD_ZERO. There are (width - b) /
 * tiles.width columns and (height - b) / tiles.height rows, both rounded up.
 *
 * COST. Tiles are summed together with the score. They take little time and no memory for a map. On
 * the CPU neither tiles nor a map change the score by a bit. On a GPU a score with tiles or a map
 * may differ in its last digits from one without, within the stated bound. Tiles change the order
 * of the sum, and a map needs more precise windows than a mean. */
typedef struct ssimcu_tiles {
    size_t struct_size;
    uint32_t width;      /* pixels of a tile, 11 or more: the size of a window */
    uint32_t height;     /* pixels of a tile, 11 or more */
    uint32_t columns;    /* tiles across; ssimcu_views_layout sets it */
    uint32_t rows;       /* tiles down; ssimcu_views_layout sets it */
    double *data;        /* your memory for rows * columns scores, row after row; NULL: only
                            ssimcu_score.worst and .level_shift */
    double *level_shift; /* your memory for as many level shifts per channel, channel after channel;
                            may be NULL. If all of these are NULL, columns and rows do not matter */
    double *feature[SSIMCU_FEATURES]; /* your memory for as many of each feature; may be NULL */
} ssimcu_tiles;

/* Computes the sizes of ssimcu_compare_views's output for this pair. Sets every field of *map
 * except data, and columns and rows of *tiles. `map`, `tiles` and the views' data may be NULL. One
 * thread at a time uses a context. Errors: those of ssimcu_compare_views that do not depend on
 * samples. */
SSIMCU_API SSIMCU_MUST_CHECK ssimcu_status ssimcu_views_layout(ssimcu_context *context,
                                                               const ssimcu_view *ref,
                                                               const ssimcu_view *out,
                                                               ssimcu_map *map, ssimcu_tiles *tiles,
                                                               ssimcu_message *message);

/* Scores two views, and fills in `map` and `tiles` unless they are NULL. A view lies in host memory
 * or, on a GPU, in memory of the context's device that nothing writes to any more. The two views
 * may lie in different memory. *map and *tiles must come from ssimcu_views_layout for the same pair
 * and have their data set. Tiles without data need no layout. Views of any two types and depths can
 * be compared. After an error, data of map and tiles may be partly written.
 *
 * Errors: as ssimcu_compare, except that any two depths match; ARGUMENT (also for a map or tiles of
 * another shape), DATA (float samples, see ssimcu_view). One thread at a time uses a context. */
SSIMCU_API SSIMCU_MUST_CHECK ssimcu_status ssimcu_compare_views(
    ssimcu_context *context, const ssimcu_view *ref, const ssimcu_view *out, ssimcu_score *score,
    ssimcu_map *map, ssimcu_tiles *tiles, ssimcu_message *message);

/* Scores a picture whose planes may differ in size, such as the Y, U and V of a video frame. `ref`
 * and `out` are arrays of 1 to 3 views of one channel each. channel[p] equals the score of plane p
 * by ssimcu_compare_views, bit for bit. The score is the mean of these, weighted by the planes'
 * areas in pixels. `tiles` is NULL or an array of one ssimcu_tiles per plane, each laid out for its
 * plane. ssimcu_score.worst joins the tiles at the same column and row of all planes, weighted by
 * area; its rectangle is in the first plane. So halve the tiles of a plane of half the size.
 * SSIMULACRA2 needs three planes whose first has `yuv` set, or one grey plane. The call waits for a
 * GPU once, not once per plane. One thread at a time uses a context. Errors: as
 * ssimcu_compare_views, for the first plane that fails. */
SSIMCU_API SSIMCU_MUST_CHECK ssimcu_status ssimcu_compare_planes(
    ssimcu_context *context, const ssimcu_view *ref, const ssimcu_view *out, uint32_t planes,
    ssimcu_score *score, ssimcu_tiles *tiles, ssimcu_message *message);

/* ---- Colours --------------------------------------------------------------------------------- */

/* Writes the colour of `heat`, clamped to 0 (best, black) to 1 (worst, yellow), as 8 bits of R, G
 * and B. The colours are those of matplotlib's "inferno". Show an element of a map as the heat 1 -
 * element. Any thread may call it. */
SSIMCU_API void ssimcu_heat_color(double heat, uint8_t rgb[3]);

#ifdef __cplusplus
}
#endif

#endif
