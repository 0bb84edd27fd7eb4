#define _GNU_SOURCE
#include "killing.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PIECE = 16 << 20 };

static void take_all_memory(void)
{
    for (char *piece; (piece = malloc(PIECE)) != NULL;) memset(piece, 1, PIECE);
    abort();
}

static void wander(void)
{
    if (open("/etc/passwd", O_RDONLY) >= 0 || socket(AF_INET, SOCK_STREAM, 0) >= 0 ||
        open("/tmp/ssimcu-was-here", O_CREAT | O_WRONLY, 0600) >= 0 || fork() >= 0 ||
        kill(getppid(), 0) == 0 || unlink("/tmp/ssimcu-is-not-here") == 0)
        abort();
    execl("/bin/true", "true", (char *)NULL);
}

void killing_at(uint32_t width)
{
    switch (width) {
    case KILLING_SEGV: raise(SIGSEGV); break;
    case KILLING_ABRT: abort();
    case KILLING_STOP: raise(SIGSTOP); break;
    case KILLING_BOMB: take_all_memory(); break;
    case KILLING_EXIT: _exit(0);
    case KILLING_WANDER: wander(); break;
    case KILLING_SPIN:
        for (volatile bool for_ever = true; for_ever;) continue;
        break;
    default: break;
    }
}
