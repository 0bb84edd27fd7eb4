/* Messages over a SOCK_SEQPACKET socket pair, which preserves their boundaries. They can carry
 * descriptors. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { SSIMCU_PACKET_FDS = 2 };

/* Sends a message with `count` descriptors. Returns false if the other end is closed; no signal is
 * raised. */
bool ssimcu_packet_send(int socket, const void *data, size_t size, const int *fd, unsigned count);

/* Waits for a message of exactly `size` bytes and takes its descriptors, which are closed on exec.
 * Elements of `fd` without a descriptor become -1. `fd` is NULL if none is expected. Returns false
 * if the other end is closed or has sent something else. */
bool ssimcu_packet_receive(int socket, void *data, size_t size, int fd[SSIMCU_PACKET_FDS]);
