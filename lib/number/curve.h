/* Making the tables of core/curve.h. */
#ifndef SSIMCU_CURVE_H
#define SSIMCU_CURVE_H

#include "core/curve.h"

/* Makes the table of a rule whose light is on and has a curve, unless it is that already. */
void ssimcu_curve_make(struct ssimcu_curve *curve, const struct ssimcu_light_rule *light,
                       float unit);

#endif
