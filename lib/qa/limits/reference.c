#include "limits/reference.h"

#include "record/record_types.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>
#include <zlib.h>

enum { PIECES = 3, PIECE = 4096 };

/* Reads a piece, or as much as exists. Returns the number of bytes; negative: read error. */
static ssize_t read_piece(int file, off_t at, unsigned char piece[PIECE])
{
    size_t used = 0;
    for (ssize_t got = 1; used < PIECE && got != 0;) {
        got = pread(file, piece + used, PIECE - used, at + (off_t)used);
        if (got > 0) used += (size_t)got;
        if (got < 0 && errno != EINTR) return -1;
    }
    return (ssize_t)used;
}

/* Reads the beginning, the middle and the end of a file. Returns false and sets errno on a read
 * error. */
static bool sum(const char *path, int64_t bytes, uint32_t *crc)
{
    const int64_t last = bytes > PIECE ? bytes - PIECE : 0;
    const bool small = bytes <= (int64_t)PIECES * PIECE;
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    bool good = file >= 0;
    *crc = 0;
    for (int i = 0; i < PIECES && good; i++) {
        unsigned char piece[PIECE];
        const ssize_t got =
            read_piece(file, (off_t)(small ? (int64_t)i * PIECE : last * i / 2), piece);
        good = got >= 0;
        if (got > 0) *crc = (uint32_t)crc32(*crc, piece, (uInt)got);
    }
    const int error = errno;
    if (file >= 0) (void)close(file);
    errno = error;
    return good;
}

bool reference_take(const struct record_side *side, struct learned_reference *reference, int *error)
{
    *error = 0;
    *reference =
        (struct learned_reference){side->bytes, side->seconds, (uint32_t)side->nanoseconds, 0};
    if (!side->known || !side->path) return false;
    if (sum(side->path, side->bytes, &reference->crc)) return true;
    *error = errno == ENOENT ? 0 : errno; /* results may name files that are elsewhere */
    return false;
}

bool reference_is_other(const struct record_side *side, const struct learned_reference *reference)
{
    uint32_t crc = 0;
    if (!side->known || !side->path) return false;
    if (side->bytes != reference->bytes) return true;
    if (side->seconds == reference->seconds && side->nanoseconds == (long)reference->nanoseconds)
        return false;
    return !sum(side->path, side->bytes, &crc) || crc != reference->crc;
}
