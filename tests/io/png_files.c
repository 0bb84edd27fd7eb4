/* png_files FILE...: gives each file to both PNG readers. Says how many both read, libpng alone,
 * neither. Fails if they differ, or if both read fewer than a third of the files. */
#include "png_maker.h"

#include <stdio.h>
#include <stdlib.h>

static enum verdict compare(const char *path)
{
    enum { MOST = 1 << 24 };
    FILE *const file = fopen(path, "rb");
    uint8_t *bytes = malloc(MOST);
    if (!file || !bytes) exit(2);
    const size_t size = fread(bytes, 1, MOST, file);
    fclose(file);
    uint8_t *const exact = realloc(bytes, size + !size); /* the exact size, for sanitizers */
    if (!exact) exit(2);
    const enum verdict verdict = png_compare_readers(exact, size);
    free(exact);
    return verdict;
}

int main(int count, char **argument)
{
    int verdicts[4] = {0};
    for (int i = 1; i < count; i++) {
        const enum verdict verdict = compare(argument[i]);
        verdicts[verdict]++;
        if (verdict == DIFFER) printf("png_files: %s: the readers differ\n", argument[i]);
    }
    printf("png_files: %d files: both read %d, libpng alone %d, neither %d, %d differ\n", count - 1,
           verdicts[BOTH_READ], verdicts[ONLY_LIBPNG_READ], verdicts[REFUSED], verdicts[DIFFER]);
    return verdicts[DIFFER] || verdicts[BOTH_READ] < (count - 1) / 3;
}
