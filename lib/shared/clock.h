/* A clock that is never set. It is a header because every module measures time. */
#pragma once

#include <time.h>

/* Returns milliseconds since some moment. */
static inline double ssimcu_clock_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}
