#define _GNU_SOURCE /* program_invocation_short_name, mkdtemp */
#include "checks.h"

#include "common.h"
#include "require.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

const struct check_size check_sizes[CHECK_SIZES] = {
    {11, 11}, {37, 53}, {130, 145}, {97, 211}, {655, 467}};

static unsigned passed, wrong;
static char folder[64]; /* empty until a file is wanted */

bool check_asked(int argc, char **argv) { return argc == 2 && strcmp(argv[1], "--check") == 0; }

static bool find_cuda(ssimcu_message *why)
{
    uint32_t count = 0;
    if (ssimcu_device_count(SSIMCU_DEVICE_CUDA, &count, why) == SSIMCU_OK) return true;
    if (is_required("cuda")) {
        printf("[FAIL] %s: cuda is required (SSIMCU_REQUIRE): %s\n", program_invocation_short_name,
               why->text);
        exit(1);
    }
    return false;
}

bool check_has_cuda(void)
{
    ssimcu_message why = {{0}};
    return find_cuda(&why);
}

void check_needs_cuda(void)
{
    enum { SKIPPED = 77 }; /* as ctest is told */
    ssimcu_message why = {{0}};
    if (find_cuda(&why)) return;
    printf("[SKIP] %s %s\n", program_invocation_short_name, why.text);
    exit(SKIPPED);
}

void check_that(bool right, const char *what, ...)
{
    passed += right;
    wrong += !right;
    if (right) return;
    va_list arguments;
    va_start(arguments, what);
    printf("WRONG: ");
    vprintf(what, arguments);
    va_end(arguments);
    putchar('\n');
}

int check_end(void)
{
    const bool good = passed > 0 && wrong == 0;
    char command[sizeof folder + 16];
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    if (folder[0] && system(command) != 0) return 1;
    printf("[%s] %s check: %u passed, %u wrong\n", good ? "PASS" : "FAIL",
           program_invocation_short_name, passed, wrong);
    return good ? 0 : 1;
}

static double wave(uint32_t x, uint32_t y, uint32_t channel)
{
    return 120 + 90 * sin(x / 19.0 + channel) * cos(y / 13.0);
}

ssimcu_frame check_frame(uint32_t width, uint32_t height, uint32_t channels, uint32_t bits,
                         int side)
{
    ssimcu_frame frame = {.width = width, .height = height, .channels = channels, .bits = bits};
    ssimcu_message why = {{0}};
    uint32_t random = 1 + width;
    stop_unless(ssimcu_frame_alloc(&frame, &why), &why);
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t i = 0; i < width * channels; i++) {
            random = random * 69069 + 1;
            const double noise = (double)(random >> 24) / 16 + (side ? (random >> 20 & 15) : 0);
            const double value = (wave(i / channels, y, i % channels) + noise) / 255;
            char *const row = (char *)frame.data + y * frame.pitch;
            if (bits == 8)
                ((uint8_t *)row)[i] = (uint8_t)(value * 255);
            else
                ((uint16_t *)row)[i] = (uint16_t)(value * ((1 << bits) - 1));
        }
    return frame;
}

void check_path(char path[CHECK_PATH], const char *name)
{
    if (!folder[0]) snprintf(folder, sizeof folder, "/tmp/ssimcu-bench-XXXXXX");
    if (strstr(folder, "XXXXXX") && !mkdtemp(folder)) {
        perror(folder);
        exit(1);
    }
    snprintf(path, CHECK_PATH, "%s/%s", folder, name);
}

void check_write_clip(const char *path, const ssimcu_frame *frame, int count)
{
    FILE *const file = fopen(path, "wb");
    if (!file) exit(1);
    fprintf(file, "YUV4MPEG2 W%u H%u F25:1 Cmono\n", frame->width, frame->height);
    for (int i = 0; i < count; i++) {
        fputs("FRAME\n", file);
        for (uint32_t y = 0; y < frame->height; y++)
            fwrite((char *)frame->data + y * frame->pitch, 1, frame->width, file);
    }
    if (fclose(file) != 0) exit(1);
}
