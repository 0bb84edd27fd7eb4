/* compat_score MODE METRIC FORMAT BITS WIDTH HEIGHT REF OUT: prints a score of the module
 * lib/compat and those of its channels. METRIC is ssim, psnr, ms-ssim or ssimulacra2. REF and OUT
 * are raw planes: FORMAT is 400, 420 or 444, and samples have one byte, or two (low first) if BITS
 * is over 8. check.py runs it. */
#include "compat/compat.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void fail(const char *what)
{
    fprintf(stderr, "compat_score: %s\n", what);
    exit(2);
}

static double *read_plane(FILE *file, size_t count, uint32_t bytes)
{
    uint8_t *raw = malloc(count * bytes);
    double *plane = malloc(count * sizeof *plane);
    if (!raw || !plane || fread(raw, bytes, count, file) != count) fail("a file is too short");
    for (size_t i = 0; i < count; i++)
        plane[i] = bytes == 1 ? raw[i] : raw[2 * i] + 256 * raw[2 * i + 1];
    free(raw);
    return plane;
}

static struct ssimcu_compat_picture read_picture(char **option, const char *path)
{
    const int format = atoi(option[0]);
    struct ssimcu_compat_picture picture = {.bits = (uint32_t)atoi(option[1]),
                                            .planes = format == 400 ? 1 : 3};
    FILE *file = fopen(path, "rb");
    if (!file) fail(path);
    for (uint32_t i = 0; i < picture.planes; i++) {
        const uint32_t half = i > 0 && format == 420;
        picture.width[i] = ((uint32_t)atoi(option[2]) + half) >> half;
        picture.height[i] = ((uint32_t)atoi(option[3]) + half) >> half;
        picture.plane[i] = read_plane(file, (size_t)picture.width[i] * picture.height[i],
                                      picture.bits > 8 ? 2 : 1);
    }
    fclose(file);
    return picture;
}

int main(int count, char **argument)
{
    static const char *const metrics[] = {"ssim", "psnr", "ms-ssim", "ssimulacra2"};
    int metric = 0;
    if (count != 9) fail("wants MODE METRIC FORMAT BITS WIDTH HEIGHT REF OUT");
    while (metric < 4 && strcmp(argument[2], metrics[metric]) != 0) metric++;
    struct ssimcu_compat_picture ref = read_picture(argument + 3, argument[7]);
    struct ssimcu_compat_picture out = read_picture(argument + 3, argument[8]);
    double score = 0, channel[3];
    ssimcu_message message = {{0}};
    if (ssimcu_compat_score(ssimcu_compat_find(argument[1]), (ssimcu_metric)metric, &ref, &out,
                            &score, channel, &message))
        fail(message.text);
    printf("%.17g %.17g %.17g %.17g\n", score, channel[0], channel[1], channel[2]);
    for (uint32_t i = 0; i < ref.planes; i++) {
        free((void *)ref.plane[i]);
        free((void *)out.plane[i]);
    }
    return 0;
}
