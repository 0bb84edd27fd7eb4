/* The curves of plots. */
#include "check.h"
#include "report/page/plot.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

enum { FRAMES = 7 };

/* Returns the path of a curve of which the frames of a bit set have values, for the caller to
 * free. */
static char *path_of(unsigned frames)
{
    bool lost = false;
    struct point point[FRAMES];
    struct report report = {.count = FRAMES, .point = point};
    const struct plot_values values = {.report = &report, .metric = SSIMCU_METRIC_SSIM};
    const struct model model = {json_object(), &lost};
    const struct plot plot = {
        .to = model, .tall = 100, .count = FRAMES, .columns = FRAMES, .scale = scale_of(0, 1)};
    for (int i = 0; i < FRAMES; i++)
        point[i].value[SSIMCU_METRIC_SSIM] = frames >> i & 1 ? 0.9 : NAN;
    plot_curve(&plot, "c", &values, false);
    const json_t *const curve = json_array_get(json_object_get(model.json, "curves"), 0);
    char *path = strdup(json_string_value(json_object_get(curve, "d")));
    cr_assert(path && !lost);
    json_decref(model.json);
    return path;
}

static int count_of(const char *text, const char *part)
{
    int count = 0;
    while ((text = strstr(text, part)) != NULL) count++, text++;
    return count;
}

/* A frame between two gaps is a dot: a line of no length would not be seen. */
Test(plot, frames_between_gaps_are_dots)
{
    for (unsigned frames = 0; frames < 1u << FRAMES; frames++) {
        int runs = 0, dots = 0;
        for (int i = 0; i < FRAMES; i++) {
            const bool begins = (frames >> i & 1) && (i == 0 || !(frames >> (i - 1) & 1));
            runs += begins;
            dots += begins && !(frames >> (i + 1) & 1);
        }
        char *path = path_of(frames);
        cr_expect_eq(count_of(path, "M"), runs, "%x: %s", frames, path);
        cr_expect_eq(count_of(path, "h.01"), dots, "%x: %s", frames, path);
        cr_expect_eq(count_of(path, "L"), __builtin_popcount(frames) - runs, "%x: %s", frames,
                     path);
        free(path);
    }
}
