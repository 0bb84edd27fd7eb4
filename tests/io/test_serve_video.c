/* What a worker for video answers if it loses memory itself. The linker puts our calloc in place of
 * the C library's. */
#include "check.h"

#include "decode/serve.h"
#include "video/remote/remote.h"
#include "worker/packet.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static bool lost; /* true: no memory is left */

void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size) { return lost ? NULL : __real_calloc(count, size); }

/* There is no module, because none is reached. */
bool ssimcu_module_find(const char *module, const char *symbol, void *to, char *why, size_t size)
{
    (void)module, (void)symbol, (void)to, (void)why, (void)size;
    return false;
}

/* Returns the number that the next descriptor gets. */
static int next_descriptor(int any)
{
    const int next = fcntl(any, F_DUPFD_CLOEXEC, 0);
    close(next);
    return next;
}

Test(serve_video, says_which_file_it_lost_memory_for)
{
    struct video_request request = {.ask = VIDEO_OPEN, .name = "shot.mkv"};
    struct video_reply reply;
    int pair[2];
    const int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    cr_assert(fd >= 0 && socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) == 0);
    cr_assert(ssimcu_packet_send(pair[0], &request, sizeof request, &fd, 1));
    const int next = next_descriptor(fd);
    lost = true;
    const bool served = serve_one(&serve_video, pair[1]);
    lost = false;
    cr_assert(served && ssimcu_packet_receive(pair[0], &reply, sizeof reply, NULL));
    cr_assert(reply.status == SSIMCU_ERROR_MEMORY);
    cr_assert(strcmp(reply.why.text, "shot.mkv: out of memory") == 0, "%s", reply.why.text);
    cr_assert(next_descriptor(fd) == next); /* the worker keeps no descriptor of the file */
    close(fd), close(pair[0]), close(pair[1]);
}
