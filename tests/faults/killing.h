/* Ends that a decoder may come to. A module that stands in for a real one comes to one of them at a
 * picture of a certain width. worker.py has the same table. */
#ifndef SSIMCU_TESTS_KILLING_H
#define SSIMCU_TESTS_KILLING_H

#include <stdbool.h>
#include <stdint.h>

enum {
    KILLING_FIRST = 97,
    KILLING_SEGV = KILLING_FIRST,
    KILLING_ABRT,
    KILLING_STOP,
    KILLING_BOMB,   /* takes memory until there is none, then aborts */
    KILLING_EXIT,   /* ends without a word, as if all was well */
    KILLING_WANDER, /* opens a file, a socket, a process; aborts if any can be had */
    KILLING_SPIN,   /* goes on for ever */
    KILLING_SHORT,  /* leaves out the last rows, and says that all is well */
    KILLING_LAST
};

/* Comes to the end that the width asks for. Returns if it asks for none, or if there is no end. */
void killing_at(uint32_t width);

#endif
