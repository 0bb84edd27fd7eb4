/* What the files of this room share: the rules as a table, and memory. floors.h says what the rules
 * are. */
#ifndef SSIMCU_QA_FLOOR_RULES_H
#define SSIMCU_QA_FLOOR_RULES_H

#include "floors/floors.h"

struct floor_rule_row {
    bool each_channel;
    int side;             /* beyond a floor is above it (1), below it (-1) or either (0) */
    double spread;        /* the least */
    double own;           /* least share of a tile's own variance in the one that it is given */
    double shape;         /* of the tail, as renders show it (tail.h) */
    enum floor_rule tile; /* a rule of the frame adds up this one, and has only a side beside it */
};

extern const struct floor_rule_row floor_rule_rows[FLOOR_RULES];

/* Returns where a value of a rule lies in the frame. */
struct floor_place floor_place_at(const struct floor_grid *grid, enum floor_rule rule, size_t at);

/* Returns the place of a rule of the whole frame. */
struct floor_place floor_place_whole(const struct floor_grid *grid, uint32_t channel);

/* The tiles of a rule so far, channel by channel. Zero has none. */
struct whole {
    double sum[3];
    size_t tiles[3];
};

void whole_add(struct whole *whole, size_t channel, double z);

/* Returns by how many spreads the tiles of a channel lie off together. */
double whole_z(const struct whole *whole, size_t channel);

/* Writes z and place of the rule that adds up `tile`, if there is one, into those of all rules. */
void whole_judge(const struct whole *whole, const struct floor_grid *grid, enum floor_rule tile,
                 double z[FLOOR_RULES], struct floor_place place[FLOOR_RULES]);

/* Returns the rule of the frame that adds up a rule of tiles; FLOOR_RULES: there is none. */
enum floor_rule whole_rule(enum floor_rule tile);

/* Make room for values, which the caller fills in. Return false if memory runs out. */
bool floor_values_new(const struct floor_grid *grid, struct floor_values *values);
bool floor_frame_new(const struct floor_grid *grid, struct floor_frame *floor);

#endif
