/* The caller's callbacks: functions that do nothing if the callback is not set. */
#pragma once

#include "ssimcu_qa.h"

#include "fail.h"

#include <pthread.h>
#include <stdbool.h>

struct record;

struct hooks {
    ssimcu_run_hooks call;
    pthread_mutex_t lock; /* callbacks come one at a time, from any thread */
    unsigned remarks;     /* remarks on files so far */
};

/* Passes a line for users to the caller. Any thread may call it. */
SSIMCU_PRINTF(3, 4)
void hooks_log(struct hooks *hooks, ssimcu_log level, const char *format, ...);

/* Passes a line of details to the caller. It is the function of a struct line_sink. */
void hooks_detail(void *hooks, const char *line);

/* Passes a decoder's remark to the caller, only the first twenty. It is a callback of
 * ssimcu_image_options. */
void hooks_remark(void *hooks, const char *line);

/* Passes a line of results to the caller. It is a writer_take. */
ssimcu_status hooks_print_line(void *hooks, const char *line);

/* A sink for lines: hooks, or the caller of ssimcu_run_describe. */
struct line_sink {
    void (*line)(void *user, const char *line);
    void *user;
};

SSIMCU_PRINTF(2, 3) void print_line(const struct line_sink *to, const char *format, ...);

enum { HOOKS_LEFT = sizeof((ssimcu_file_result *)0)->not_compared };

/* Passes a record to the caller. Errors: that of the callback. */
ssimcu_status hooks_record(struct hooks *hooks, const struct record *record, bool known,
                           ssimcu_message *message);

/* Writes the channels that were not compared, as many lines as fit. */
void hooks_left(const struct record *record, char text[HOOKS_LEFT]);

/* Returns the public view of a record's metrics. */
ssimcu_metric_values hooks_metrics(const struct record *record);

/* Returns the error of a callback, with a message. */
ssimcu_status hooks_failed(ssimcu_status status, ssimcu_message *message);
