/* Loops for any CPU, vectorised by the compiler if possible. */
#include "loops_bytes.h"

static uint64_t row_bytes(const uint8_t *now, const uint8_t *up, const uint8_t *next, size_t count,
                          size_t channels, uint8_t *most, uint16_t *sum)
{
    enum { PIECE = 1 << 12 }; /* its sum fits 32 bits */
    uint64_t all = 0;
    (void)next;
    for (size_t i = 0; i < count; i += PIECE)
        all += add_bytes(now, up, i, LEAST(i + PIECE, count), channels, most, sum);
    return all;
}

static int four_bytes(const uint8_t *up, const uint8_t *now, const uint8_t *down, size_t count,
                      size_t channels, uint8_t *own)
{
    return stand_bytes(up, now, down, 0, count, channels, own);
}

#define LOOPS detect_loops_plain
#define LOOPS_NAME "plain C"
#define LOOPS_AVAILABLE 1
#include "loops_level.h"
