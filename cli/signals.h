/* The signals that end a run: SIGINT and SIGTERM. The first ends the run within two seconds, the
 * second the program at once. */
#ifndef SSIMCU_CLI_SIGNALS_H
#define SSIMCU_CLI_SIGNALS_H

#include "ssimcu_qa.h"

/* Lets signals cancel the run from now on; NULL: signals_caught tells whoever is called back. */
void signals_catch(ssimcu_run *run);

/* Lets signals forget the run, which is about to be closed. */
void signals_forget(void);

/* Returns the number of the signal that came; 0: none yet. */
int signals_caught(void);

/* Signals no longer end the program by a deadline from now on. Only the report is still to be
 * written, so nothing can be lost or hang any more. */
void signals_report_begins(void);

#endif
