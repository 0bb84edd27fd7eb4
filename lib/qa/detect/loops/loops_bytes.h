/* Loops over samples of 8 bits, in plain C. */
#include "detect/loops/loops.h"

#define LEAST(a, b) ((a) < (b) ? (a) : (b))
#define LARGEST(a, b) ((a) > (b) ? (a) : (b))

static inline uint8_t distance(uint8_t a, uint8_t b) { return (uint8_t)(a > b ? a - b : b - a); }

/* Adds the samples of a row from `begin`, which begins a pair, to `end` to their strip. */
static inline uint32_t add_bytes(const uint8_t *now, const uint8_t *up, size_t begin, size_t end,
                                 size_t channels, uint8_t *restrict most, uint16_t *restrict sum)
{
    uint32_t all = 0;
    for (size_t i = begin; i < end; i++) {
        const uint8_t along = i < channels ? 0 : distance(now[i], now[i - channels]),
                      down = distance(now[i], up[i]);
        most[i] = LARGEST(most[i], LARGEST(along, down));
        all += along;
    }
    for (size_t i = begin; i < end; i++) sum[i / 2] = (uint16_t)(sum[i / 2] + now[i]);
    return all;
}

/* Returns the most by which any of these samples stands out from its four neighbours. `own`: for
 * each sample. */
static inline uint8_t stand_bytes(const uint8_t *up, const uint8_t *now, const uint8_t *down,
                                  size_t begin, size_t end, size_t channels, uint8_t *restrict own)
{
    const uint8_t *const left = now - channels, *const right = now + channels;
    uint8_t most = 0;
    for (size_t i = begin; i < end; i++) {
        const uint8_t high = LARGEST(LARGEST(left[i], right[i]), LARGEST(up[i], down[i])),
                      low = LEAST(LEAST(left[i], right[i]), LEAST(up[i], down[i]));
        const uint8_t above = now[i] > high ? (uint8_t)(now[i] - high) : 0,
                      below = now[i] < low ? (uint8_t)(low - now[i]) : 0;
        own[i] = LARGEST(above, below);
        most = LARGEST(most, own[i]);
    }
    return most;
}
