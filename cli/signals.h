/* The signals that end a run: SIGINT and SIGTERM. The first one ends the run within two seconds,
 * and the second ends the program at once. */
#pragma once

#include "ssimcu_qa.h"

/* Makes signals cancel the run from now on. With NULL, callbacks poll signals_caught. */
void signals_catch(ssimcu_run *run);

/* Detaches signals from the run, which will be closed. */
void signals_forget(void);

/* Returns the number of the caught signal; 0: none yet. */
int signals_caught(void);

/* From now on, signals do not end the program by a deadline. Only the report remains to be written,
 * so nothing can be lost or hang. */
void signals_report_begins(void);
