/* Finds the program ssimcu-decode and starts it. */
#pragma once

#include "ssimcu.h"

#include <sys/types.h>

/* Returns the path of the program, or NULL if it was not found. The first call searches for it. */
const char *ssimcu_spawn_program(void);

/* Starts the program for a module. *socket is the caller's end. Errors: MEMORY, FILE. */
SSIMCU_MUST_CHECK ssimcu_status ssimcu_spawn(const char *module, pid_t *pid, int *socket,
                                             ssimcu_message *message);
