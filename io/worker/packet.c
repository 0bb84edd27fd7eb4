#define _GNU_SOURCE /* MSG_CMSG_CLOEXEC */
#include "packet.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

union control {
    struct cmsghdr header; /* alignment */
    char bytes[CMSG_SPACE(SSIMCU_PACKET_FDS * sizeof(int))];
};

bool ssimcu_packet_send(int socket, const void *data, size_t size, const int *fd, unsigned count)
{
    union control control = {.bytes = {0}};
    struct iovec part = {(void *)data, size}; /* sendmsg only reads it */
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    if (count > 0) {
        message.msg_control = control.bytes;
        message.msg_controllen = CMSG_SPACE(count * sizeof *fd);
        struct cmsghdr *const header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(count * sizeof *fd);
        memcpy(CMSG_DATA(header), fd, count * sizeof *fd);
    }
    ssize_t sent;
    do sent = sendmsg(socket, &message, MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    return sent == (ssize_t)size;
}

/* Takes the descriptors of a message. Closes those that the caller has no room for. */
static void take_descriptors(struct msghdr *message, int *fd)
{
    unsigned taken = 0;
    for (struct cmsghdr *at = CMSG_FIRSTHDR(message); at; at = CMSG_NXTHDR(message, at)) {
        if (at->cmsg_level != SOL_SOCKET || at->cmsg_type != SCM_RIGHTS) continue;
        const size_t count = (at->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (size_t i = 0; i < count; i++) {
            int one;
            memcpy(&one, CMSG_DATA(at) + i * sizeof one, sizeof one);
            if (fd && taken < SSIMCU_PACKET_FDS)
                fd[taken++] = one;
            else
                close(one);
        }
    }
}

bool ssimcu_packet_receive(int socket, void *data, size_t size, int fd[SSIMCU_PACKET_FDS])
{
    union control control;
    struct iovec part = {data, size};
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = control.bytes,
                             .msg_controllen = sizeof control.bytes};
    for (int i = 0; fd && i < SSIMCU_PACKET_FDS; i++) fd[i] = -1;
    ssize_t got;
    do got = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    while (got < 0 && errno == EINTR);
    if (got >= 0) take_descriptors(&message, fd);
    if (got == (ssize_t)size && !(message.msg_flags & (MSG_TRUNC | MSG_CTRUNC))) return true;
    for (int i = 0; fd && i < SSIMCU_PACKET_FDS; i++)
        if (fd[i] >= 0) {
            close(fd[i]);
            fd[i] = -1;
        }
    return false;
}
