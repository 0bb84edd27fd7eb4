/* The two errors that rooms report most. */
#ifndef SSIMCU_QA_REFUSE_H
#define SSIMCU_QA_REFUSE_H

#include "fail.h"

/* Returns ARGUMENT, with a message for the one who gave the options. */
#define refuse(message, ...) ssimcu_fail(message, SSIMCU_ERROR_ARGUMENT, __VA_ARGS__)

/* Returns MEMORY, with a message that does not say what for. */
#define no_memory(message) ssimcu_no_memory(message, NULL)

#endif
