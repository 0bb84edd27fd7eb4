/* How the values of options are read: an option_row's `take`. Each writes a value to its place in
 * struct arguments, and returns false if the text is not what was expected. */
#ifndef SSIMCU_CLI_OPTION_VALUES_H
#define SSIMCU_CLI_OPTION_VALUES_H

#include "option_rows.h"

bool option_take_flag(void *field, const struct option_row *row, const char *text);
bool option_take_yes(void *field, const struct option_row *row, const char *text);
bool option_take_action(void *field, const struct option_row *row, const char *text);
bool option_take_text(void *field, const struct option_row *row, const char *text);
bool option_take_choice(void *field, const struct option_row *row, const char *text);
bool option_take_curve(void *field, const struct option_row *row, const char *text);
bool option_take_all(void *field, const struct option_row *row, const char *text);
bool option_take_variant(void *field, const struct option_row *row, const char *text);
bool option_take_group(void *field, const struct option_row *row, const char *text);
bool option_take_u64(void *field, const struct option_row *row, const char *text);
bool option_take_u32(void *field, const struct option_row *row, const char *text);
bool option_take_some(void *field, const struct option_row *row, const char *text);
bool option_take_rate(void *field, const struct option_row *row, const char *text);
bool option_take_exposure(void *field, const struct option_row *row, const char *text);
bool option_take_positive(void *field, const struct option_row *row, const char *text);
bool option_take_tile(void *field, const struct option_row *row, const char *text);
bool option_take_device(void *field, const struct option_row *row, const char *text);
bool option_take_scale(void *field, const struct option_row *row, const char *text);
bool option_take_region(void *field, const struct option_row *row, const char *text);
bool option_take_offset(void *field, const struct option_row *row, const char *text);
bool option_take_shard(void *field, const struct option_row *row, const char *text);
bool option_take_memory(void *field, const struct option_row *row, const char *text);

#endif
