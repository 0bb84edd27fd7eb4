#include "scratch.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char folder[] = "/tmp/ssimcu-test-XXXXXX"; /* each test is a process */

void scratch_enter(void) { cr_assert(mkdtemp(folder) && chdir(folder) == 0); }

void scratch_leave(void)
{
    char command[64];
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    cr_expect(system(command) == 0);
}
