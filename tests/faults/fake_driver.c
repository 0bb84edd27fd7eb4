/* A libcuda.so.1 for tests, which holds nothing. It notes in the file FAKE_CUDA_CALLS that somebody
 * has opened it. */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

__attribute__((constructor)) static void note(void)
{
    const char *path = getenv("FAKE_CUDA_CALLS");
    const int fd = path ? open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600) : -1;
    if (fd >= 0) close(fd);
}
