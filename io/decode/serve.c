#define _POSIX_C_SOURCE 200809L
#include "serve.h"

#include <string.h>
#include <unistd.h>

bool serve_one(const struct serve_row *row, int socket)
{
    struct serve_call call = {.socket = socket, .borrowed = -1};
    if (!ssimcu_packet_receive(socket, row->request, row->request_size, call.fd)) return false;
    memset(row->reply, 0, row->reply_size);
    row->answer(&call);
    for (int i = 0; i < SSIMCU_PACKET_FDS; i++)
        if (call.fd[i] >= 0) close(call.fd[i]);
    if (call.silent) return true;
    return ssimcu_packet_send(socket, row->reply, row->reply_size, &call.borrowed,
                              call.borrowed >= 0);
}
