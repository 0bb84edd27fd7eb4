/* How the values of options are read: an option_row's `take`. Each writes a value to its place in
 * struct arguments, and returns false if the text is not what was expected. */
#ifndef SSIMCU_CLI_OPTION_VALUES_H
#define SSIMCU_CLI_OPTION_VALUES_H

#include "option_rows.h"

option_take_value option_take_yes, option_take_action, option_take_text, option_take_choice,
    option_take_curve, option_take_variant, option_take_group, option_take_u64, option_take_u32,
    option_take_some, option_take_real, option_take_exposure, option_take_tile, option_take_device,
    option_take_scale, option_take_region, option_take_offset, option_take_shard,
    option_take_stream, option_take_memory, option_take_metrics, option_take_compat;

/* Takes a limit of SSIM, NUMBER, or, if the row's `least` is not 0, of any metric, NAME=NUMBER. */
option_take_value option_take_limit;

/* Parses a whole number and returns its end; NULL: there is none from `least` to `most`. */
const char *option_whole(const char *text, uint64_t least, uint64_t most, uint64_t *value);

/* Parses a finite number. Returns false if the text is something else. */
bool option_number(const char *text, double *number);

#endif
