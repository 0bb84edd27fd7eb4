/* gate REFDIR OUTDIR THRESHOLD: scores every picture of REFDIR against the file of the same name in
 * OUTDIR. Prints one line per frame. Exits with 0 if every frame reaches the threshold, 1 if one is
 * below, and 3 if one could not be scored. A missing frame never passes.
 *
 * One context serves the whole run. It keeps its device, and its buffers from frame to frame. */
#define _POSIX_C_SOURCE 200809L /* scandir */
#include <ssimcu.h>
#include <ssimcu_io.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { GOOD = 0, BELOW = 1, USAGE = 2, BROKEN = 3 };

static int is_picture(const struct dirent *entry)
{
    static const char *const endings[] = {".png", ".jpg", ".jpeg", ".tif", ".tiff", ".dpx", ".exr"};
    const char *dot = strrchr(entry->d_name, '.');
    if (entry->d_name[0] == '.' || !dot) return 0;
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++)
        if (strcasecmp(dot, endings[i]) == 0) return 1;
    return 0;
}

static ssimcu_status load(const char *directory, const char *name, ssimcu_frame *frame,
                          ssimcu_message *why)
{
    char path[4096];
    const int length = snprintf(path, sizeof path, "%s/%s", directory, name);
    if (length < 0 || (size_t)length >= sizeof path) {
        snprintf(why->text, sizeof why->text, "%s: path is too long", name);
        return SSIMCU_ERROR_FILE;
    }
    return ssimcu_image_read(path, NULL, frame, why);
}

/* Scores one frame and prints its line. Returns what it means for the exit code. */
static int score_frame(ssimcu_context *context, char **argv, const char *name, double threshold)
{
    ssimcu_frame ref = {0}, out = {0};
    ssimcu_message why = {{0}};
    ssimcu_score score = SSIMCU_INIT(score);
    ssimcu_status status = load(argv[1], name, &ref, &why);
    if (status == SSIMCU_OK) status = load(argv[2], name, &out, &why);
    if (status == SSIMCU_OK) status = ssimcu_compare(context, &ref, &out, &score, &why);
    ssimcu_frame_free(&out);
    ssimcu_frame_free(&ref);
    if (status != SSIMCU_OK) {
        fprintf(stderr, "%s: %s\n", name, why.text);
        return BROKEN;
    }
    const int verdict = score.score < threshold ? BELOW : GOOD;
    printf("%.9f %s%s\n", score.score, name, verdict == BELOW ? " BELOW" : "");
    return verdict;
}

int main(int argc, char **argv)
{
    char *end = NULL;
    const double threshold = argc == 4 ? strtod(argv[3], &end) : 0;
    if (!end || end == argv[3] || *end != '\0') {
        fprintf(stderr, "usage: gate REFDIR OUTDIR THRESHOLD\n");
        return USAGE;
    }
    struct dirent **names = NULL;
    const int count = scandir(argv[1], &names, is_picture, alphasort);
    if (count <= 0) {
        fprintf(stderr, "%s: no pictures\n", argv[1]);
        return BROKEN;
    }
    const ssimcu_settings settings = SSIMCU_INIT(settings, .threads = ssimcu_cpu_threads());
    ssimcu_context *context = NULL;
    ssimcu_message why = {{0}};
    int verdict = GOOD;
    if (ssimcu_open(&settings, &context, &why) != SSIMCU_OK) {
        fprintf(stderr, "%s\n", why.text);
        verdict = BROKEN;
    }
    for (int i = 0; i < count; i++) {
        const int one = context ? score_frame(context, argv, names[i]->d_name, threshold) : BROKEN;
        if (one > verdict) verdict = one;
        free(names[i]);
    }
    free(names);
    ssimcu_close(&context);
    return verdict;
}
