/* One target as a libFuzzer program: FUZZ_TARGET is its function. */
#include "targets.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t *copy = fuzz_copy(data, size);
    FUZZ_TARGET(copy, size);
    free(copy);
    return 0;
}
