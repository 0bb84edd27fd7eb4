#include "hints/hints.h"

#include <string.h>

void hints_look(const ssimcu_frame *ref, const ssimcu_frame *out, uint32_t planes,
                const ssimcu_score *score, struct hints *hints, struct signature signature[2])
{
    (void)ref, (void)out, (void)planes, (void)score;
    memset(hints, 0, sizeof *hints);
    memset(signature, 0, 2 * sizeof *signature);
}
