#include "signals.h"

#include "console.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <time.h>
#include <unistd.h>

static ssimcu_run *_Atomic stopped; /* the run that a signal cancels */
static atomic_int caught;           /* set by a handler, read by every thread */
static timer_t deadline;            /* starts with the first signal */
static atomic_bool reporting;       /* the report is being made */

static void on_signal(int number)
{
    const struct itimerspec in = {.it_value = {.tv_sec = 1, .tv_nsec = 800000000}};
    caught = number;
    ssimcu_run_cancel(stopped);
    if (!reporting) timer_settime(deadline, 0, &in, NULL);
}

/* Ends the program if even the thread that delivers results hangs, for example in a full pipe. */
static void on_deadline(int number)
{
    (void)number;
    _exit(EXIT_SIGNAL + caught);
}

void signals_catch(ssimcu_run *run)
{
    struct sigaction action = {.sa_handler = on_deadline};
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM};
    stopped = run;
    sigemptyset(&action.sa_mask);
    sigaction(SIGALRM, &action, NULL);
    (void)timer_create(CLOCK_MONOTONIC, &event, &deadline);
    action.sa_handler = on_signal;
    action.sa_flags = SA_RESETHAND;
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

void signals_forget(void) { stopped = NULL; }

int signals_caught(void) { return caught; }

void signals_report_begins(void) { reporting = true; }
