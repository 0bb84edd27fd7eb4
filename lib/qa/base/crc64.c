#include "base/crc64.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/types.h>
#include <unistd.h>

/* The polynomial of ECMA-182, its lowest bit first. */
static const uint64_t POLYNOMIAL = 0xC96C5795D7870F42u;

enum { CHUNK = 1 << 20 };

void crc64_start(struct crc64 *crc)
{
    for (unsigned i = 0; i < 256; i++) {
        uint64_t value = i;
        for (int bit = 0; bit < 8; bit++) value = (value >> 1) ^ (value & 1 ? POLYNOMIAL : 0);
        crc->table[0][i] = value;
    }
    for (int t = 1; t < 8; t++) /* table t is for a byte that t more come after */
        for (unsigned i = 0; i < 256; i++) {
            const uint64_t before = crc->table[t - 1][i];
            crc->table[t][i] = (before >> 8) ^ crc->table[0][before & 255];
        }
    crc->sum = ~(uint64_t)0;
}

void crc64_add(struct crc64 *crc, const uint8_t *bytes, size_t count)
{
    uint64_t sum = crc->sum;
    for (; count >= 8; count -= 8, bytes += 8) {
        uint64_t next = 0;
        for (int b = 0; b < 8; b++) next ^= crc->table[7 - b][(uint8_t)(sum >> (8 * b)) ^ bytes[b]];
        sum = next;
    }
    for (; count > 0; count--) sum = (sum >> 8) ^ crc->table[0][(uint8_t)sum ^ *bytes++];
    crc->sum = sum;
}

uint64_t crc64_end(const struct crc64 *crc) { return ~crc->sum; }

/* Returns 0, or an errno. */
static int put_all(int to, const uint8_t *bytes, size_t count)
{
    while (count > 0) {
        const ssize_t put = write(to, bytes, count);
        if (put < 0 && errno == EINTR) continue;
        if (put < 0) return errno;
        bytes += put;
        count -= (size_t)put;
    }
    return 0;
}

int crc64_copy(int from, int to, uint64_t *sum, bool *writing)
{
    struct crc64 *crc = malloc(sizeof *crc);
    uint8_t *bytes = malloc(CHUNK);
    int error = crc && bytes ? 0 : ENOMEM;
    ssize_t got = 0;
    *writing = false;
    if (crc) crc64_start(crc);
    while (error == 0) {
        got = read(from, bytes, CHUNK);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        crc64_add(crc, bytes, (size_t)got);
        if (to < 0) continue;
        error = put_all(to, bytes, (size_t)got);
        *writing = error != 0;
    }
    if (got < 0) error = errno;
    if (crc) *sum = crc64_end(crc);
    free(bytes);
    free(crc);
    return error;
}
