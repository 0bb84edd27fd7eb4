/* A folder for each test of a suite: TestSuite(x, .init = scratch_enter, .fini = scratch_leave). */
#ifndef SSIMCU_TESTS_SCRATCH_H
#define SSIMCU_TESTS_SCRATCH_H

/* Makes a folder, which becomes the working directory. Fails the test if it cannot. */
void scratch_enter(void);

/* Removes the folder with all that is in it. */
void scratch_leave(void);

#endif
