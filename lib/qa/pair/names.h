/* Names of channels, and what they imply about the samples: whether these are names of objects. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Full names of channels, without duplicates; owned. */
struct names {
    char **name;
    size_t count;
};

/* Returns the place of a name; -1: not found. Z and z are two channels. */
long names_find(const struct names *names, const char *name);

/* Adds a name unless it is in the list. Returns false if memory runs out. */
bool names_add(struct names *names, const char *name, size_t length);

void names_free(struct names *names);

/* Returns whether samples are names or numbers of things, which are only equal or not: indices of
 * objects and materials, IDs, Cryptomatte. */
bool names_are_exact(const char *channel);

/* Returns whether the name of a channel, or of its layer, stands for a depth. */
bool names_are_depth(const char *name);

/* Returns whether a channel belongs to a Cryptomatte. Writes the length of its name before the
 * level, as in CryptoObject|00.R, and the level; -1: a preview picture. */
bool names_are_crypto(const char *channel, size_t *length, int *level);
