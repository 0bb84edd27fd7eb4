#include "expected.h"

#include "check.h"

#include <stdio.h>
#include <stdlib.h>

static char *read_whole(const char *path)
{
    char *text = NULL;
    size_t size = 0;
    FILE *from = fopen(path, "re");
    const ssize_t length = from ? getdelim(&text, &size, '\0', from) : 0;
    if (from) fclose(from);
    cr_assert(length > 0, "%s", path);
    return text;
}

void expect_file(const char *got, const char *name)
{
    char path[300];
    snprintf(path, sizeof path, SSIMCU_EXPECTED "/%s", name);
    char *expected = read_whole(path);
    if (strcmp(got, expected) != 0) {
        const char *a = got, *b = expected;
        size_t line = 1;
        for (; *a == *b; a++, b++) line += *a == '\n';
        snprintf(path, sizeof path, "%s.got", name);
        FILE *to = fopen(path, "we");
        if (to) fputs(got, to), fclose(to);
        cr_expect(false, "%s, line %zu: %.60s, not %.60s", name, line, a, b);
    }
    free(expected);
}
