/* A finished score -> text. The only place that prints results. */
#ifndef SSIMCU_CLI_REPORT_H
#define SSIMCU_CLI_REPORT_H

#include "options.h"

/* One picture as the report names it. */
struct report_side {
    const char *path;
    const char *format; /* "PNG" */
    ssimcu_frame shape;
    double decode_ms;
};

struct report {
    const struct options *options;
    struct report_side ref, out;
    const char *device; /* "cuda:0" */
    const char *reason;
    double start_ms; /* opening the device, beside the decoding */
    ssimcu_score score;
};

/* The score, or the JSON object, to stdout. Returns false when stdout does not take it. */
bool report_score(const struct report *report);

/* -v: device, reason and stage times, to stderr. */
void report_stages(const struct report *report);

/* The SSIM map as an 8-bit grey picture as large as the frame: 255 * the mean of the channels'
 * SSIM, 0 where that is negative. Where no window is centred the nearest window's value stands. The
 * caller frees the picture with ssimcu_frame_free. */
ssimcu_status report_map_picture(const ssimcu_map *map, ssimcu_frame *picture,
                                 ssimcu_message *message);

#endif
