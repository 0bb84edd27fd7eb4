/* replay CORPUS [TARGET FILE]: runs every target over the inputs in its folder of CORPUS, or one
 * over a single file. Every input that a fuzzer found ends up there, once the fault is mended. */
#define _POSIX_C_SOURCE 200809L
#include "targets.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct target {
    const char *name;
    fuzz_target *run;
} targets[] = {
    {"calls", fuzz_calls},     {"clip", fuzz_clip},     {"image", fuzz_image},
    {"list", fuzz_list},       {"ranges", fuzz_ranges}, {"orientation", fuzz_orientation},
    {"results", fuzz_results}, {"limits", fuzz_limits}, {"learned", fuzz_learned},
    {"loss", fuzz_loss},       {"check", fuzz_check},
};
enum { TARGETS = sizeof targets / sizeof targets[0] };

static void run_file(const struct target *target, const char *path)
{
    FILE *file = fopen(path, "rb");
    FUZZ_CHECK(file && fseek(file, 0, SEEK_END) == 0);
    const size_t size = (size_t)ftell(file);
    rewind(file);
    uint8_t *bytes = malloc(size ? size : 1);
    FUZZ_CHECK(bytes && fread(bytes, 1, size, file) == size);
    fclose(file);
    fprintf(stderr, "%s\n", path); /* the last line of a log tells which one it was */
    target->run(bytes, size);
    free(bytes);
}

static int run_folder(const struct target *target, const char *corpus)
{
    char folder[PATH_MAX / 2], path[PATH_MAX];
    int count = 0;
    snprintf(folder, sizeof folder, "%s/%s", corpus, target->name);
    DIR *directory = opendir(folder);
    if (!directory) return 0;
    for (const struct dirent *entry; (entry = readdir(directory));) {
        if (entry->d_name[0] == '.') continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        run_file(target, path);
        count++;
    }
    closedir(directory);
    return count;
}

int main(int argc, char **argv)
{
    int inputs = 0, empty = 0;
    if (argc == 4) {
        for (size_t i = 0; i < TARGETS; i++)
            if (strcmp(targets[i].name, argv[2]) == 0) run_file(&targets[i], argv[3]);
        return 0;
    }
    for (size_t i = 0; i < TARGETS && argc == 2; i++) {
        const int found = run_folder(&targets[i], argv[1]);
        if (found == 0) printf("[FAIL] fuzz_corpus: no input for %s\n", targets[i].name);
        empty += found == 0;
        inputs += found;
    }
    if (empty > 0 || inputs == 0) return 1;
    printf("[PASS] fuzz_corpus: %d inputs for %d targets\n", inputs, TARGETS);
    return 0;
}
