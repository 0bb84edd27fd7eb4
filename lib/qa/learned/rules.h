/* Shared by the files of this module: the rules as a table, and memory. learned.h explains the
 * rules. */
#pragma once

#include "learned/learned.h"

struct learned_rule_row {
    bool each_channel;
    int side; /* exceeding a learned limit is being above it (1), below it (-1) or either (0) */
    double spread;          /* the least spread */
    double own;             /* least share of a tile's variance in the smoothed one */
    double shape;           /* shape of the tail, as measured in renders (tail.h) */
    enum learned_rule tile; /* a frame rule adds up this one, and also has only a side */
};

extern const struct learned_rule_row learned_rule_rows[LEARNED_RULES];

/* Returns the place of a rule's value in the frame. */
struct learned_place learned_place_at(const struct learned_grid *grid, enum learned_rule rule,
                                      size_t at);

/* The sum over a rule's tiles so far, channel by channel. Zeroed: no tiles. */
struct whole {
    double sum[3];
    size_t tiles[3];
};

void whole_add(struct whole *whole, size_t channel, double z);

/* Returns by how many spreads the tiles of a channel are off together. */
double whole_z(const struct whole *whole, size_t channel);

/* Writes z and place of the rule that adds up `tile`, if there is one, into those of all rules. */
void whole_judge(const struct whole *whole, const struct learned_grid *grid, enum learned_rule tile,
                 double z[LEARNED_RULES], struct learned_place place[LEARNED_RULES]);

/* Returns the frame rule that adds up a tile rule; LEARNED_RULES: there is none. */
enum learned_rule whole_rule(enum learned_rule tile);

/* Allocate values, which the caller fills in. Return false if memory runs out. */
bool learned_values_new(const struct learned_grid *grid, struct learned_values *values);
bool learned_frame_new(const struct learned_grid *grid, struct learned_frame *learned);
