/* What the names of channels say about their samples: whether they are names of objects. */
#ifndef SSIMCU_QA_NAMES_H
#define SSIMCU_QA_NAMES_H

#include <stdbool.h>
#include <stddef.h>

/* Whether samples are names or numbers of things, of which equality alone has a meaning: indices of
 * objects and materials, IDs, Cryptomatte. */
bool names_are_exact(const char *channel);

/* Whether a channel, or a layer of one, is called as a depth. */
bool names_are_depth(const char *name);

/* Whether a channel is one of Cryptomatte, and which it is: the length of its name before the
 * number of the level, as in CryptoObject|00.R, and that number; -1: a picture for people. */
bool names_are_crypto(const char *channel, size_t *length, int *level);

#endif
