/* What a worker may still do once its module is open: compute, take memory, start threads, and use
 * the descriptors that it is handed. It can open no file, reach no network, start no program and
 * touch no other process. */
#ifndef SSIMCU_DECODE_SANDBOX_H
#define SSIMCU_DECODE_SANDBOX_H

#include <stdbool.h>

/* Gives up the right to all else, for the calling thread and those that it starts. `makes_memory`:
 * it may make memory that its caller sees, which RLIMIT_DATA does not count. Uses seccomp and
 * Landlock if the kernel has them; that it lacks them is no error. Leaves no core file behind. */
void sandbox_enter(bool makes_memory);

#endif
