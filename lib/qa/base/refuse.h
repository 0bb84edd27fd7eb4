/* The most common errors of all modules. */
#pragma once

#include "fail.h"

#include <string.h>

/* Returns ARGUMENT, with a message for whoever set the options. */
#define refuse(message, ...) ssimcu_fail(message, SSIMCU_ERROR_ARGUMENT, __VA_ARGS__)

/* Return DATA and MISMATCH, with a message. */
#define fail_data(message, ...) ssimcu_fail(message, SSIMCU_ERROR_DATA, __VA_ARGS__)
#define fail_mismatch(message, ...) ssimcu_fail(message, SSIMCU_ERROR_MISMATCH, __VA_ARGS__)

/* Returns a status, FILE or WRITE, with a path and its errno as the message. */
#define fail_errno(message, status, path, error)                                                   \
    ssimcu_fail(message, status, "%.300s: %s", path, strerror(error))

/* Returns MEMORY, with a message that does not say for what. */
#define no_memory(message) ssimcu_no_memory(message, NULL)
