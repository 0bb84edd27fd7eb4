#include "image/jpeg/markers.h"
#include "targets.h"

void fuzz_orientation(const uint8_t *data, size_t size)
{
    const unsigned orientation = ssimcu_orientation(data, size);
    FUZZ_CHECK(orientation >= 1 && orientation <= 8);
    FUZZ_CHECK(ssimcu_mpf_pictures(data, size) >= 1);
}
