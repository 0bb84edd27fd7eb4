/* Messages over a socket pair of kind SOCK_SEQPACKET, which keeps their bounds. Descriptors travel
 * with them. */
#ifndef SSIMCU_WORKER_PACKET_H
#define SSIMCU_WORKER_PACKET_H

#include <stdbool.h>
#include <stddef.h>

enum { SSIMCU_PACKET_FDS = 2 };

/* Sends a message with `count` descriptors. False if the other end is gone; no signal is raised. */
bool ssimcu_packet_send(int socket, const void *data, size_t size, const int *fd, unsigned count);

/* Waits for a message of exactly `size` bytes and takes its descriptors, which are closed on exec.
 * A place in `fd` is -1 if no descriptor came for it; NULL: none is expected. False if the other
 * end is gone or has sent something else. */
bool ssimcu_packet_receive(int socket, void *data, size_t size, int fd[SSIMCU_PACKET_FDS]);

#endif
