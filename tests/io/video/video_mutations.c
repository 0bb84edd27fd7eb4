/* video_mutations COUNT FILE...: changes something in each video file COUNT times, most often in
 * its first and last bytes, where containers keep what they know. Reads each result from the
 * beginning to the end, and again with some frames passed over at random. No file may crash. A
 * frame that is found by a seek must be the one that reading from the beginning gives, or none:
 * anything else ends with 1.
 *
 * Prints how many files opened, how many frames were compared after something was passed over,
 * and how many differed. With COUNT 0 the files are read as they are. */
#define _GNU_SOURCE /* memfd_create */
#include "video/clip.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MOST_FRAMES = 200, ENDS = 2048 };

static const ssimcu_image_options options = {
    .struct_size = sizeof options, .max_pixels = 1 << 18, .threads = 1};

static uint64_t state = 1;

static size_t below(size_t count)
{
    state = state * 6364136223846793005U + 1442695040888963407U;
    return (size_t)(state >> 33) % count;
}

/* Returns a hash of a lent frame's samples; 0: it cannot be compared. */
static uint64_t hash(const ssimcu_clip *clip, ssimcu_clip_place place)
{
    ssimcu_frame plane[SSIMCU_MAX_PLANES];
    uint64_t sum = 1;
    if (!place.held || ssimcu_clip_view(clip, place, plane, NULL) != SSIMCU_OK) return 0;
    for (uint32_t p = 0; p < ssimcu_clip_shape(clip)->planes; p++)
        for (uint32_t y = 0; y < plane[p].height; y++) {
            const uint8_t *row = (uint8_t *)plane[p].data + y * plane[p].pitch;
            const size_t bytes = (size_t)plane[p].width * (plane[p].bits > 8 ? 2 : 1);
            for (size_t x = 0; x < bytes; x++) sum = (sum ^ row[x]) * 1099511628211U;
        }
    return sum ? sum : 1;
}

/* Fills in the frames' hashes, 0 for those that are passed over at random. Returns how many
 * frames there are, -1 if the file does not open. */
static int read_frames(const char *path, bool pass, uint64_t hashes[MOST_FRAMES])
{
    ssimcu_clip *clip = NULL;
    ssimcu_message message = {{0}};
    memset(hashes, 0, MOST_FRAMES * sizeof *hashes);
    if (ssimcu_clip_open_how(path, NULL, &options, NULL, NULL, &clip, &message) != SSIMCU_OK) {
        if (clip || message.text[0] == '\0' || strchr(message.text, '\n')) abort();
        return -1;
    }
    int count = 0;
    bool end = false;
    for (size_t skip = 0, read = 0; count < MOST_FRAMES && !end; count++) {
        ssimcu_clip_place place;
        if (pass && skip + read == 0) {
            ssimcu_clip_pass(clip, skip = below(32));
            read = 1 + below(3);
        }
        if (ssimcu_clip_next(clip, NULL, &place, &end, &message) != SSIMCU_OK) break;
        if (!end && skip == 0) hashes[count] = hash(clip, place);
        ssimcu_clip_release(clip, place);
        if (skip > 0)
            skip--;
        else if (read > 0)
            read--;
    }
    ssimcu_clip_close(&clip);
    return count;
}

/* Changes something; the end of the file may move. */
static size_t damage(uint8_t *bytes, size_t size)
{
    const size_t ends = size < ENDS ? size : ENDS;
    size_t at = below(size);
    if (below(4) > 0) at = below(2) ? below(ends) : size - 1 - below(ends);
    const size_t length = 1 + below(size - at < 16 ? size - at : 16);
    switch (below(8)) {
    case 0: memset(bytes + at, below(2) ? 0xFF : 0, length); return size;
    case 1: memmove(bytes + at, bytes + below(size - length + 1), length); return size;
    case 2: memmove(bytes + at, bytes + at + length, size - at - length); return size - length;
    case 3: bytes[at] = (uint8_t)below(256); return size;
    default: bytes[at] ^= (uint8_t)(1u << below(8)); return size;
    }
}

static int hold(const uint8_t *bytes, size_t size, char path[32])
{
    const int fd = memfd_create("mutation", 0);
    if (fd < 0 || write(fd, bytes, size) != (ssize_t)size) abort();
    snprintf(path, 32, "/dev/fd/%d", fd);
    return fd;
}

static int count_frames(const uint8_t *bytes, size_t size)
{
    static uint64_t hashes[MOST_FRAMES];
    char path[32];
    const int fd = hold(bytes, size, path), count = read_frames(path, false, hashes);
    close(fd);
    return count;
}

struct tally {
    int opened, compared, differed;
};

static void try(const uint8_t *bytes, size_t size, int frames, struct tally *tally)
{
    static uint64_t whole[MOST_FRAMES], some[MOST_FRAMES];
    char path[32];
    const int fd = hold(bytes, size, path);
    const int count = read_frames(path, false, whole);
    tally->opened += count >= 0;
    (void)read_frames(path, true, some);
    for (int i = 0; i < MOST_FRAMES && (count == frames || frames < 0); i++) {
        if (whole[i] == 0 || some[i] == 0) continue;
        tally->compared++;
        tally->differed += whole[i] != some[i];
    }
    close(fd);
}

static struct tally mutate(const uint8_t *bytes, size_t size, int count)
{
    struct tally tally = {0};
    uint8_t *copy = malloc(size);
    if (!copy) abort();
    const int frames = count > 0 ? count_frames(bytes, size) : -1;
    if (count == 0) try(bytes, size, frames, &tally);
    for (int i = 0; i < count; i++) {
        memcpy(copy, bytes, size);
        size_t left = size;
        for (size_t times = 1 + below(3); times > 0 && left > 1; times--) left = damage(copy, left);
        const int before = tally.differed;
        try(copy, left, frames, &tally);
        if (tally.differed == before) continue;
        FILE *kept = fopen("video_mutation", "wb");
        if (kept && fwrite(copy, 1, left, kept) == left) fclose(kept);
    }
    free(copy);
    return tally;
}

int main(int argc, char **argv)
{
    int differed = 0;
    for (int i = 2; i < argc; i++) {
        FILE *file = fopen(argv[i], "rb");
        if (!file || fseek(file, 0, SEEK_END) != 0) abort();
        const size_t size = (size_t)ftell(file);
        uint8_t *bytes = malloc(size);
        rewind(file);
        if (!bytes || fread(bytes, 1, size, file) != size) abort();
        fclose(file);
        const struct tally tally = mutate(bytes, size, atoi(argv[1]));
        printf("%s: %d opened, %d frames compared, %d differed\n", argv[i], tally.opened,
               tally.compared, tally.differed);
        fflush(stdout);
        differed += tally.differed;
        free(bytes);
    }
    return argc < 3 || differed > 0;
}
