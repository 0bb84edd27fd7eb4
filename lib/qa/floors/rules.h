/* What the files of this room share: the rules as a table, and memory. floors.h says what the rules
 * are. */
#ifndef SSIMCU_QA_FLOOR_RULES_H
#define SSIMCU_QA_FLOOR_RULES_H

#include "floors/floors.h"

struct floor_rule_row {
    bool each_channel;
    int side;      /* beyond a floor is above it (1), below it (-1) or either (0) */
    double spread; /* the least */
    double own;    /* least share of a tile's own variance in the one that it is given */
    double shape;  /* of the tail, as renders show it (tail.h) */
};

extern const struct floor_rule_row floor_rule_rows[FLOOR_RULES];

/* Returns where a value of a rule lies in the frame. */
struct floor_place floor_place_at(const struct floor_grid *grid, enum floor_rule rule, size_t at);

/* Make room for values, which the caller fills in. Return false if memory runs out. */
bool floor_values_new(const struct floor_grid *grid, struct floor_values *values);
bool floor_frame_new(const struct floor_grid *grid, struct floor_frame *floor);

/* Sets the message and returns MEMORY. */
ssimcu_status floor_no_memory(ssimcu_message *message);

#endif
