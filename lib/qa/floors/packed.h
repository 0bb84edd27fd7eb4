/* Values of a frame's tiles in the form of floors, so that a file of floors keeps them in few
 * bytes. The mean is the value. The sigma is an eighth of the least spread of its rule, and the
 * file rounds to an eighth of that. Rounding to the eighth of a spread moved a limit by a quarter.
 */
#ifndef SSIMCU_QA_FLOOR_PACKED_H
#define SSIMCU_QA_FLOOR_PACKED_H

#include "floors/floors.h"

/* Packs values into *packed, the caller's to free. Returns false if memory runs out. */
bool floor_pack(const struct floor_values *values, struct floor_frame *packed);

/* Makes values of what floor_pack made, also after it was in a file. Returns false if memory runs
 * out. */
bool floor_unpack(const struct floor_frame *packed, struct floor_values *values);

#endif
