#define _GNU_SOURCE /* strcasestr */
#include "pair/names.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

long names_find(const struct names *names, const char *name)
{
    for (size_t i = 0; i < names->count; i++)
        if (strcmp(names->name[i], name) == 0) return (long)i;
    return -1;
}

bool names_add(struct names *names, const char *name, size_t length)
{
    char *copy = strndup(name, length);
    if (copy && names_find(names, copy) >= 0) {
        free(copy);
        return true;
    }
    char **grown = copy ? realloc(names->name, (names->count + 1) * sizeof *grown) : NULL;
    if (!grown) {
        free(copy);
        return false;
    }
    names->name = grown;
    names->name[names->count++] = copy;
    return true;
}

void names_free(struct names *names)
{
    for (size_t i = 0; i < names->count; i++) free(names->name[i]);
    free(names->name);
}

/* Returns whether a word of a name, between dots, ends in id: "ID", "object_id", "NodeID". */
static bool is_id(const char *word, size_t length)
{
    if (length < 2 || strncasecmp(word + length - 2, "id", 2) != 0) return false;
    if (length == 2) return true;
    const char before = word[length - 3], first = word[length - 2];
    return !isalpha((unsigned char)before) || (first == 'I' && islower((unsigned char)before)) ||
           (length == 8 && strncasecmp(word, "object", 6) == 0) ||
           (length == 10 && strncasecmp(word, "material", 8) == 0);
}

bool names_are_exact(const char *channel)
{
    if (strcasestr(channel, "crypto")) return true;
    for (const char *word = channel; *word;) {
        const size_t length = strcspn(word, ".");
        if (is_id(word, length) || strncasecmp(word, "index", 5) == 0 ||
            (length > 5 && strncasecmp(word + length - 5, "index", 5) == 0))
            return true;
        word += length + (word[length] == '.');
    }
    return false;
}

bool names_are_depth(const char *name)
{
    const char *dot = strrchr(name, '.'), *word = dot ? dot + 1 : name;
    return strcasecmp(word, "z") == 0 || strcasecmp(word, "pz") == 0 || strcasestr(name, "depth");
}

bool names_are_crypto(const char *channel, size_t *length, int *level)
{
    const char *dot = strrchr(channel, '.');
    *length = dot ? (size_t)(dot - channel) : strlen(channel);
    *level = -1;
    if (!strcasestr(channel, "crypto")) return false;
    if (*length < 2 || !isdigit((unsigned char)channel[*length - 1]) ||
        !isdigit((unsigned char)channel[*length - 2]))
        return true;
    *length -= 2;
    *level = 10 * (channel[*length] - '0') + channel[*length + 1] - '0';
    return true;
}
