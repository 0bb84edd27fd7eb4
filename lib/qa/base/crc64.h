/* The CRC-64 of XZ, by which people can see that a file is still the same one. */
#ifndef SSIMCU_QA_CRC64_H
#define SSIMCU_QA_CRC64_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct crc64 {
    uint64_t table[8][256];
    uint64_t sum;
};

void crc64_start(struct crc64 *crc);
void crc64_add(struct crc64 *crc, const uint8_t *bytes, size_t count);
uint64_t crc64_end(const struct crc64 *crc);

/* Reads the file `from` from its beginning to its end, writes it to `to` (-1: nowhere), and sets
 * *sum. Returns 0, or an errno: *writing then says whether `to` is to blame. */
int crc64_copy(int from, int to, uint64_t *sum, bool *writing);

#endif
