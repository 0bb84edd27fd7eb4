/* The pairs of a calibration: frame after frame, that of each run against REF. A run is an OUT. */
#pragma once

#include "source/source.h"

/* Opens all runs: input->out are their paths. Runs of one video are opened as several OUTs, and
 * those that cannot be compared are left out, as source->out says. The input must outlive the
 * source. Errors: as source_open; the message names the run. */
ssimcu_status calibrate_source_open(const struct source_input *input, struct source **source,
                                    ssimcu_message *message);

/* Returns the side of tiles that suits the first frame of REF: 32 pixels up to 1,000 pixels of
 * width, 64 up to 2,500, else 128. */
uint32_t calibrate_source_tile(const struct source *source);
