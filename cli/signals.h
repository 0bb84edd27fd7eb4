/* The signals that end a run: SIGINT and SIGTERM. The first ends the run within two seconds, the
 * second the program at once. */
#ifndef SSIMCU_CLI_SIGNALS_H
#define SSIMCU_CLI_SIGNALS_H

#include "reader.h"

/* Catches both signals from now on. */
void signals_catch(void);

/* Returns the flag that the first signal sets. It lives as long as the program. */
const ssimcu_stop *signals_stop(void);

/* Returns the number of the signal that came; 0: none yet. */
int signals_caught(void);

/* Returns whether a signal came, for a report. From then on a signal no longer ends the program by
 * a deadline, because nothing can be lost or hang any more. The report asks before and between its
 * pictures. */
bool signals_stop_report(void);

#endif
