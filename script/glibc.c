/* Functions and data of later C libraries than glibc 2.28, for what script/glibc lets compilers
 * make. ssimcu calls the first two; libstdc++.a asks for the rest. If the C library at run time has
 * a function, that one is called. */
#define _GNU_SOURCE /* RTLD_DEFAULT, getentropy */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <spawn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *sigabbrev_np(int signal);
int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int from);
uint32_t arc4random(void);

/* Returns "SEGV" for SIGSEGV; NULL if the C library has no such names. */
const char *sigabbrev_np(int signal)
{
    const char *(*function)(int) = NULL;
    *(void **)&function = dlsym(RTLD_DEFAULT, "sigabbrev_np");
    return function ? function(signal) : NULL;
}

/* Closes what is open now: before 2.34 nothing says "all from here on". A file that another thread
 * opens meanwhile without O_CLOEXEC stays open in the child. */
static int close_open(posix_spawn_file_actions_t *actions, int from)
{
    DIR *directory = opendir("/proc/self/fd");
    if (!directory) return errno;
    int error = 0;
    for (const struct dirent *entry; error == 0 && (entry = readdir(directory)) != NULL;) {
        const int file = atoi(entry->d_name);
        if (file >= from) error = posix_spawn_file_actions_addclose(actions, file);
    }
    closedir(directory);
    return error;
}

int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int from)
{
    int (*function)(posix_spawn_file_actions_t *, int) = NULL;
    *(void **)&function = dlsym(RTLD_DEFAULT, "posix_spawn_file_actions_addclosefrom_np");
    return function ? function(actions, from) : close_open(actions, from);
}

char __libc_single_threaded; /* never, so that counts are always atomic */

uint32_t arc4random(void)
{
    uint32_t value = 0;
    return getentropy(&value, sizeof value) == 0 ? value : 0;
}
