/* Views of doubles, which become views of floats before anything else looks at their samples. */
#ifndef SSIMCU_DOUBLES_H
#define SSIMCU_DOUBLES_H

#include "plan/plan.h"

/* Turns each view of doubles into one of floats. memory[] gets the floats, which the caller frees,
 * or NULL if there are none. A view without data gets none.
 * Errors: MEMORY. */
ssimcu_status ssimcu_doubles_round(ssimcu_view pair[SSIMCU_PAIR], float *memory[SSIMCU_PAIR],
                                   ssimcu_message *message);

#endif
