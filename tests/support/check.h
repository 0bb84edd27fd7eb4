/* What the tests share: backends, pictures, numbers. */
#ifndef SSIMCU_CHECK_H
#define SSIMCU_CHECK_H

#include "fail.h"
#include "ssimcu.h"

#include <criterion/criterion.h>
#include <string.h>

/* One test body, run on every backend. Without a CUDA device the CUDA run is skipped with the
 * reason. It fails instead if SSIMCU_REQUIRE has cuda. */
#define BACKEND_TEST(suite, name)                                                                  \
    static void suite##_##name(ssimcu_device device);                                              \
    Test(suite, name##_cpu) { suite##_##name(SSIMCU_DEVICE_CPU); }                                 \
    Test(suite, name##_cuda)                                                                       \
    {                                                                                              \
        if (check_has_cuda()) suite##_##name(SSIMCU_DEVICE_CUDA);                                  \
    }                                                                                              \
    static void suite##_##name(ssimcu_device device)

/* Long loops are so many times shorter under AddressSanitizer, under which they take ten times as
 * long. */
#ifdef __SANITIZE_ADDRESS__
enum { CHECK_LESS = 5 };
#else
enum { CHECK_LESS = 1 };
/* Returns samples of a channel of the comparison, row after row, without padding; the caller frees
 * them. `background` is in units of the samples, whose white is `peak`. */
double *oracle_samples(const ssimcu_frame *frame, int c, double peak,
                       const ssimcu_settings *settings, double background);

/* Computes a metric beside SSIM, as its definition in ssimcu.h says, in double. */
double oracle_metric(const ssimcu_frame *ref, const ssimcu_frame *out,
                     const ssimcu_settings *settings, ssimcu_metric metric);

/* The same of planes whose white is 1: one or three, and three for SSIMULACRA2. Frees them. Sets
 * *lowest to the lowest of the means that MS-SSIM multiplies, of 1. */
double oracle_metric_of(double *const ref[3], double *const out[3], int planes, int width,
                        int height, ssimcu_metric metric, double *lowest);

#endif

/* Returns true if there is a CUDA device. Otherwise it skips the test and does not return, or
 * fails it. */
bool check_has_cuda(void);

/* Random numbers that are the same everywhere. Each test seeds its own and prints what failed. */
typedef struct check_random {
    uint32_t state;
} check_random;
uint32_t check_draw(check_random *random);                                 /* 32 bits */
uint32_t check_between(check_random *random, uint32_t low, uint32_t high); /* both included */

/* Frames that own their memory; free with ssimcu_frame_free. */
ssimcu_frame check_frame(uint32_t width, uint32_t height, uint32_t channels, uint32_t bits);
ssimcu_frame check_flat(uint32_t width, uint32_t height, uint32_t channels, const uint32_t *value);
uint32_t check_sample(const ssimcu_frame *frame, uint32_t x, uint32_t y, uint32_t channel);
void check_set_sample(ssimcu_frame *frame, uint32_t x, uint32_t y, uint32_t channel,
                      uint32_t value);

/* Makes the documented pair that every program can rebuild: RGB, 8 bit. */
void check_reference_pair(uint32_t width, uint32_t height, ssimcu_frame *ref, ssimcu_frame *out);

/* Makes random samples; `ref` gets one of four kinds of damage. */
ssimcu_frame check_noise(check_random *random, uint32_t width, uint32_t height, uint32_t channels,
                         uint32_t bits);
ssimcu_frame check_damaged(check_random *random, const ssimcu_frame *ref);

/* Makes flat patches and ramps with large jumps between them: means far from everywhere,
 * variances of 0. */
void check_flatten(check_random *random, ssimcu_frame *frame);

/* Return the same frame at 16 bits, every sample v as v * 257, and one channel of a frame, as
 * grey. */
ssimcu_frame check_widen(const ssimcu_frame *frame);
ssimcu_frame check_channel(const ssimcu_frame *frame, uint32_t channel);

/* Returns the defaults with this device and padding. */
ssimcu_settings check_settings_for(ssimcu_device device, ssimcu_pad pad);

/* Scores or fails the test. */
ssimcu_context *check_open(const ssimcu_settings *settings);
ssimcu_score check_compare(ssimcu_context *context, const ssimcu_frame *ref,
                           const ssimcu_frame *out);
ssimcu_score check_score(const ssimcu_settings *settings, const ssimcu_frame *ref,
                         const ssimcu_frame *out);

/* Returns a frame as a view. */
ssimcu_view check_view(const ssimcu_frame *frame);

/* Scores with the map, whose data the caller frees; every element of it was written. */
ssimcu_score check_compare_map(ssimcu_context *context, const ssimcu_frame *ref,
                               const ssimcu_frame *out, ssimcu_map *map);

/* Makes a call that must fail with this status and a message that contains this word. The call
 * hands `&message` on. */
#define CHECK_FAILS(call, status, word)                                                            \
    do {                                                                                           \
        ssimcu_message message = {{0}};                                                            \
        cr_assert_eq((call), (status), "%s: %s", #call, message.text);                             \
        cr_assert_not_null(strstr(message.text, (word)), "%s: %s", #call, message.text);           \
        cr_assert_null(strchr(message.text, '\n'));                                                \
    } while (0)

/* Makes a call with a struct that says its size: every size except the right one must fail. */
#define WRONG_SIZES(call, object, name)                                                            \
    do {                                                                                           \
        const size_t right = (object).struct_size;                                                 \
        const size_t sizes[] = {0, 1, right - 1, right + 1, SIZE_MAX};                             \
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {                              \
            (object).struct_size = sizes[i];                                                       \
            CHECK_FAILS(call, SSIMCU_ERROR_ARGUMENT, name);                                        \
        }                                                                                          \
        (object).struct_size = right;                                                              \
    } while (0)

/* Checks |value - expected| <= tolerance; the message holds both and a formatted label. */
void check_near(double value, double expected, double tolerance, const char *format, ...)
    SSIMCU_PRINTF(4, 5);

/* Checks a kernel's sums of 1 - SSIM and its map against the CPU's. The map's channels follow
 * each other without gaps. Each mean must be within the tolerance, each element of the map
 * within 5e-5. */
void check_kernel(const ssimcu_frame *ref, const ssimcu_frame *out, int zero_pad,
                  const double *sums, const float *map, double tolerance, int label);

/* Scores once more, written apart from the library in the plainest way: straight from the
 * contract's text, in double. Fills channel[] and returns the mean. */
double oracle_score(const ssimcu_frame *ref, const ssimcu_frame *out,
                    const ssimcu_settings *settings, double channel[3]);

/* Scores one plane of numbers from 0 to the peak, without padding. */
double oracle_plane(double *ref, double *out, uint32_t width, uint32_t height, double peak);

/* Returns samples of a channel of the comparison, row after row, without padding; the caller frees
 * them. `background` is in units of the samples, whose white is `peak`. */
double *oracle_samples(const ssimcu_frame *frame, int c, double peak,
                       const ssimcu_settings *settings, double background);

/* Computes a metric beside SSIM, as its definition in ssimcu.h says, in double. */
double oracle_metric(const ssimcu_frame *ref, const ssimcu_frame *out,
                     const ssimcu_settings *settings, ssimcu_metric metric);

/* The same of planes whose white is 1: one or three, and three for SSIMULACRA2. Frees them. Sets
 * *lowest to the lowest of the means that MS-SSIM multiplies, of 1. */
double oracle_metric_of(double *const ref[3], double *const out[3], int planes, int width,
                        int height, ssimcu_metric metric, double *lowest);

#endif
