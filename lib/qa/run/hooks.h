/* The caller's callbacks: each does nothing if it is not set. */
#ifndef SSIMCU_QA_HOOKS_H
#define SSIMCU_QA_HOOKS_H

#include "ssimcu_qa.h"

#include "fail.h"
#include "results/record.h"

/* Gives the caller a line for a person. */
SSIMCU_PRINTF(3, 4)
void hooks_log(const ssimcu_run_hooks *hooks, ssimcu_log level, const char *format, ...);

/* A place for lines: hooks, or the caller of ssimcu_run_describe. */
struct say {
    void (*line)(void *user, const char *line);
    void *user;
};

SSIMCU_PRINTF(2, 3) void say(const struct say *to, const char *format, ...);

/* Gives the caller a record. Errors: that of the callback. */
ssimcu_status hooks_record(const ssimcu_run_hooks *hooks, const struct record *record, bool known,
                           ssimcu_message *message);

/* Fills in what is public about a scored record. */
void hooks_scored(const struct record *record, ssimcu_scored *scored);

/* Returns the error of a callback, with a message of its own. */
ssimcu_status hooks_failed(ssimcu_status status, ssimcu_message *message);

#endif
