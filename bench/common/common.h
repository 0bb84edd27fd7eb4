/* What programs that time the library on the host share. */
#ifndef SSIMCU_BENCH_COMMON_H
#define SSIMCU_BENCH_COMMON_H

#include "ssimcu.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static inline double now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

/* Ends the program with the message, unless all went well. */
static inline void stop_unless(ssimcu_status status, const ssimcu_message *message)
{
    if (status == SSIMCU_OK) return;
    fprintf(stderr, "%s\n", message->text);
    exit(1);
}

#endif
