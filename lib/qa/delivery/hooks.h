/* The caller's callbacks: each does nothing if it is not set. */
#ifndef SSIMCU_QA_HOOKS_H
#define SSIMCU_QA_HOOKS_H

#include "ssimcu_qa.h"

#include "fail.h"

#include <pthread.h>
#include <stdbool.h>

struct record;

struct hooks {
    ssimcu_run_hooks call;
    pthread_mutex_t lock; /* callbacks come one at a time, from whatever thread */
    unsigned remarks;     /* remarks on files so far */
};

/* Gives the caller a line for a person. Any thread may call it. */
SSIMCU_PRINTF(3, 4)
void hooks_log(struct hooks *hooks, ssimcu_log level, const char *format, ...);

/* Gives the caller a line of details. It is the `line` of a struct say. */
void hooks_detail(void *hooks, const char *line);

/* Gives the caller a decoder's remark, of the first twenty. It is a callback of
 * ssimcu_image_options. */
void hooks_remark(void *hooks, const char *line);

/* Gives the caller a line of results. It is a writer_take. */
ssimcu_status hooks_line(void *hooks, const char *line);

/* A place for lines: hooks, or the caller of ssimcu_run_describe. */
struct say {
    void (*line)(void *user, const char *line);
    void *user;
};

SSIMCU_PRINTF(2, 3) void say(const struct say *to, const char *format, ...);

enum { HOOKS_LEFT = sizeof((ssimcu_file_result *)0)->not_compared };

/* Gives the caller a record. Errors: that of the callback. */
ssimcu_status hooks_record(struct hooks *hooks, const struct record *record, bool known,
                           ssimcu_message *message);

/* Writes the channels that were not compared, as many lines as there is room for. */
void hooks_left(const struct record *record, char text[HOOKS_LEFT]);

/* Returns what is public about a record's metrics. */
ssimcu_metric_values hooks_metrics(const struct record *record);

/* Returns the error of a callback, with a message of its own. */
ssimcu_status hooks_failed(ssimcu_status status, ssimcu_message *message);

#endif
