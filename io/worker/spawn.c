#define _GNU_SOURCE /* dladdr1, posix_spawn_file_actions_addclosefrom_np */
#include "spawn.h"
#include "worker.h"

#include "fail.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

extern char **environ;

/* ---- The program ----------------------------------------------------------------------------- */

static char program[PATH_MAX]; /* "": not found */

/* An empty or relative directory would run a program in the working directory. */
static bool look_in(const char *directory)
{
    if (directory[0] != '/') return false;
    const int length = snprintf(program, sizeof program, "%s/ssimcu/ssimcu-decode", directory);
    if (length < (int)sizeof program && access(program, X_OK) == 0) return true;
    program[0] = '\0';
    return false;
}

/* Searches the directories in which dlopen searches for libraries on behalf of this code. */
static void find_program(void)
{
    Dl_info info;
    struct link_map *self = NULL;
    Dl_serinfo size, *list = NULL;
    if (dladdr1(program, &info, (void **)&self, RTLD_DL_LINKMAP) == 0 || !self) return;
    if (dlinfo(self, RTLD_DI_SERINFOSIZE, &size) != 0) return;
    list = malloc(size.dls_size);
    if (!list) return;
    list->dls_size = size.dls_size;
    list->dls_cnt = size.dls_cnt;
    if (dlinfo(self, RTLD_DI_SERINFO, list) == 0)
        for (unsigned i = 0; i < list->dls_cnt; i++)
            if (look_in(list->dls_serpath[i].dls_name)) break;
    free(list);
}

const char *ssimcu_spawn_program(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find_program);
    return program[0] ? program : NULL;
}

/* ---- The start ------------------------------------------------------------------------------- */

/* Leaves the child only its socket. Returns an error number. */
static int describe_files(posix_spawn_file_actions_t *files, int socket)
{
    int error = posix_spawn_file_actions_adddup2(files, socket, SSIMCU_WORKER_SOCKET);
    for (int fd = 0; fd < SSIMCU_WORKER_SOCKET && error == 0; fd++)
        error = posix_spawn_file_actions_addopen(files, fd, "/dev/null", O_RDWR, 0);
    if (error == 0)
        error = posix_spawn_file_actions_addclosefrom_np(files, SSIMCU_WORKER_SOCKET + 1);
    return error;
}

/* The caller handles the terminal's signals, so the child gets a separate process group. */
static int describe_signals(posix_spawnattr_t *attributes)
{
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    int error = posix_spawnattr_setflags(
        attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    if (error == 0) error = posix_spawnattr_setpgroup(attributes, 0);
    if (error == 0) error = posix_spawnattr_setsigmask(attributes, &none);
    if (error == 0) error = posix_spawnattr_setsigdefault(attributes, &all);
    return error;
}

static int start(const char *module, int socket, pid_t *pid)
{
    char name[] = "ssimcu-decode", version[] = SSIMCU_WORKER_VERSION, module_name[32];
    snprintf(module_name, sizeof module_name, "%s", module);
    char *const argument[] = {name, module_name, version, NULL};
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    int error = posix_spawn_file_actions_init(&files);
    if (error != 0) return error;
    error = posix_spawnattr_init(&attributes);
    if (error == 0) {
        error = describe_files(&files, socket);
        if (error == 0) error = describe_signals(&attributes);
        if (error == 0) error = posix_spawn(pid, program, &files, &attributes, argument, environ);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&files);
    return error;
}

ssimcu_status ssimcu_spawn(const char *module, pid_t *pid, int *socket, ssimcu_message *message)
{
    int pair[2];
    int error = socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) == 0 ? 0 : errno;
    if (error == 0) {
        error = start(module, pair[1], pid);
        close(pair[1]);
        if (error == 0) {
            *socket = pair[0];
            return SSIMCU_OK;
        }
        close(pair[0]);
    }
    return ssimcu_fail(message, error == ENOMEM ? SSIMCU_ERROR_MEMORY : SSIMCU_ERROR_FILE,
                       "%.300s cannot be started: %s", program, strerror(error));
}
