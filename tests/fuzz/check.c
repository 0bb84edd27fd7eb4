#include "arguments.h"
#include "ssimcu_qa.h"
#include "targets.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A check of a sequence of TIFFs that the input draws, or of a clip that it is. The first byte says
 * which, the second what may fail. Two runs, of one thread and of three, must say the same. */

enum { MOST_FRAMES = 10, TAGS = 12, NAME = 64 };

/* ---- Frames ---------------------------------------------------------------------------------- */

static uint8_t *put(uint8_t *to, uint32_t value, int bytes)
{
    for (int i = 0; i < bytes; i++) *to++ = (uint8_t)(value >> 8 * i);
    return to;
}

/* Puts an entry of a TIFF's directory, whose value is at hand, or at `value` if it has several. */
static uint8_t *put_tag(uint8_t *to, uint32_t tag, uint32_t count, uint32_t value)
{
    return put(put(put(put(to, tag, 2), count > 2 ? 3 : 4, 2), count, 4), value, 4);
}

/* Shape of a frame, and what its samples are made of. */
struct drawn {
    uint32_t width, height, channels, bits;
    uint8_t seed, noise, shift;
};

static struct drawn read_shape(struct fuzz_input *in)
{
    static const uint32_t depths[] = {8, 16, 32};
    struct drawn drawn = {fuzz_byte(in) % 70 + 1u,
                          fuzz_byte(in) % 50 + 1u,
                          fuzz_byte(in) % 4 + 1u,
                          depths[fuzz_byte(in) % 3],
                          fuzz_byte(in),
                          fuzz_byte(in),
                          0};
    return drawn;
}

static void draw(const struct drawn *drawn, uint8_t *to, size_t size)
{
    const size_t bytes = drawn->bits / 8, row = drawn->width * drawn->channels * bytes;
    for (size_t i = 0; i < size; i++) {
        const uint32_t x = (uint32_t)(i % row / bytes / drawn->channels) + drawn->shift,
                       y = (uint32_t)(i / row), at = x * 2654435761u + y * 40503u + drawn->seed;
        const uint32_t noise = drawn->noise ? (at >> 13) % drawn->noise : 0;
        to[i] = (uint8_t)(drawn->seed + (x / 5 + y / 7) * 3 + noise);
        if (drawn->bits == 32 && i % 4 == 3)
            to[i] = noise > 250 ? to[i] : 0x3e; /* most are light */
    }
}

/* Writes a frame as a TIFF. `changes` bytes of the input go over its samples. */
static void write_tiff(const char *path, const struct drawn *drawn, struct fuzz_input *in,
                       uint32_t changes)
{
    const size_t size = (size_t)drawn->width * drawn->height * drawn->channels * drawn->bits / 8;
    const uint32_t begin = 8 + 2 + 12 * TAGS + 4, samples = begin + 32;
    uint8_t *file = calloc(1, samples + size), *to = file;
    FILE *stream = fopen(path, "wb");
    FUZZ_CHECK(file && stream);
    to = put(put(put(to, 0x002a4949, 4), 8, 4), TAGS, 2);
    to = put_tag(put_tag(to, 256, 1, drawn->width), 257, 1, drawn->height);
    to = drawn->channels > 2 ? put_tag(to, 258, drawn->channels, begin)
                             : put_tag(to, 258, 1, drawn->bits);
    to = put_tag(put_tag(to, 259, 1, 1), 262, 1, drawn->channels > 2 ? 2 : 1);
    to = put_tag(put_tag(to, 273, 1, samples), 277, 1, drawn->channels);
    to = put_tag(put_tag(to, 278, 1, drawn->height), 279, 1, (uint32_t)size);
    to = put_tag(put_tag(to, 284, 1, 1), 338, 1, 2);
    to = put_tag(to, 339, 1, drawn->bits == 32 ? 3 : 1);
    if (drawn->channels % 2) file[8 + 2 + 12 * 10] = 0x56; /* no alpha, and another tag instead */
    for (int i = 0; i < 4; i++) put(file + begin + 2 * i, drawn->bits, 2);
    draw(drawn, file + samples, size);
    for (uint32_t i = 0; i < changes; i++) {
        const size_t at = (size_t)fuzz_byte(in) << 8 | fuzz_byte(in);
        file[samples + at % size] = fuzz_byte(in);
    }
    const size_t whole = samples + (fuzz_byte(in) == 77 ? size / 2 : size); /* cut off */
    FUZZ_CHECK(fwrite(file, 1, whole, stream) == whole && fclose(stream) == 0);
    free(file);
}

/* Writes a sequence into a folder. Most frames have the shape of the first. */
static void write_sequence(const char *folder, struct fuzz_input *in)
{
    struct drawn first = read_shape(in);
    uint32_t number = fuzz_byte(in);
    for (int i = 0; i < MOST_FRAMES && in->at < in->end; i++) {
        char path[2 * NAME];
        const uint8_t kind = fuzz_byte(in);
        struct drawn drawn = kind % 16 == 15 ? read_shape(in) : first;
        if (kind & 64) first.shift = (uint8_t)(first.shift + 1);
        drawn.shift = kind & 16 ? fuzz_byte(in) : first.shift;
        number += kind & 32 ? fuzz_byte(in) : 1;
        snprintf(path, sizeof path, kind & 128 ? "%s/f.%04u.tif" : "%s/f.%u.tif", folder, number);
        write_tiff(path, &drawn, in, kind % 16 > 10 ? kind % 4 + 1u : 0);
    }
}

static void remove_all(const char *folder)
{
    char path[NAME + sizeof(((struct dirent *)NULL)->d_name)];
    DIR *directory = opendir(folder);
    FUZZ_CHECK(directory);
    for (const struct dirent *entry; (entry = readdir(directory));) {
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (entry->d_name[0] != '.') remove(path);
    }
    closedir(directory);
    FUZZ_CHECK(rmdir(folder) == 0);
}

/* ---- The check ------------------------------------------------------------------------------- */

/* What a run has said. */
struct said {
    uint64_t sum;
    uint64_t findings, found, records;
};

static void add_text(struct said *said, const char *text)
{
    while (*text) said->sum = said->sum * 31 + (uint8_t)*text++;
}

static ssimcu_status take_line(void *user, const char *line)
{
    FUZZ_CHECK(line[0] == '{' && line[strlen(line) - 1] == '}' && !strchr(line, '\n'));
    add_text(user, line);
    return SSIMCU_OK;
}

/* Takes what was found of a frame. */
static void take_finding(struct said *said, const ssimcu_finding *finding)
{
    FUZZ_CHECK(fuzz_is_line(finding->text) && finding->kind && finding->fails <= 1);
    FUZZ_CHECK((finding->width > 0) == (finding->height > 0));
    said->findings++;
    add_text(said, finding->text);
}

static ssimcu_status take_record(void *user, const ssimcu_record *record)
{
    struct said *said = user;
    FUZZ_CHECK(record->shot && !record->path[0] && !record->known);
    FUZZ_CHECK(record->kind != SSIMCU_RECORD_SCORED);
    FUZZ_CHECK((record->kind == SSIMCU_RECORD_MISSING) == !record->path[1]);
    FUZZ_CHECK(record->kind == SSIMCU_RECORD_CHECKED || record->findings > 0);
    FUZZ_CHECK(record->kind != SSIMCU_RECORD_FAILED || fuzz_is_line(record->message));
    for (uint32_t i = 0; i < record->findings; i++) take_finding(said, &record->finding[i]);
    said->found += record->findings > 0;
    said->records++;
    return SSIMCU_OK;
}

/* Holds the summary against the records that came. */
static void check_summary(const struct said *said, const ssimcu_run *run)
{
    ssimcu_summary summary = SSIMCU_INIT(summary);
    if (ssimcu_run_summary(run, 0, &summary, NULL) != SSIMCU_OK) return;
    FUZZ_CHECK(summary.found == said->found && summary.bad <= summary.found);
    FUZZ_CHECK(summary.scored == 0 && summary.checked + summary.failed <= said->records);
    FUZZ_CHECK(!summary.passed || (summary.complete && summary.bad == 0));
}

static struct said check(const char *path, const char *fail_on, uint32_t threads)
{
    struct said said = {0};
    const char *const out[] = {path};
    const ssimcu_run_options options =
        SSIMCU_INIT(run_options, .check = 1, .out = out, .outs = 1, .results = SSIMCU_RESULTS_JSON,
                    .threads = threads, .max_pixels = 1 << 16, .fail_on = fail_on);
    const ssimcu_run_hooks hooks = {
        .struct_size = sizeof hooks, .user = &said, .line = take_line, .record = take_record};
    ssimcu_run *run = NULL;
    ssimcu_message why = {{0}};
    ssimcu_status status = ssimcu_run_open(&options, &run, &why);
    FUZZ_CHECK((status == SSIMCU_OK) == (run != NULL));
    if (status == SSIMCU_OK) status = ssimcu_run_score(run, &hooks, &why);
    FUZZ_CHECK(status == SSIMCU_OK || fuzz_is_line(why.text));
    if (run) check_summary(&said, run);
    ssimcu_run_close(&run);
    add_text(&said, why.text);
    return said;
}

static void check_twice(const char *path, const char *fail_on)
{
    const struct said one = check(path, fail_on, 1), three = check(path, fail_on, 3);
    FUZZ_CHECK(one.sum == three.sum && one.findings == three.findings &&
               one.records == three.records);
}

void fuzz_check(const uint8_t *data, size_t size)
{
    static const char *const kinds[] = {NULL, "all", "none", "nan,flat-area", "duplicate,,nan",
                                        "",   "x"};
    if (size < 3 || size > 32768) return;
    const char *fail_on = kinds[data[1] % (sizeof kinds / sizeof *kinds)];
    struct fuzz_input in = {data + 2, data + size};
    if (data[0] % 4 == 0) {
        struct fuzz_file file = fuzz_file_open(data + 2, size - 2);
        check_twice(file.path, fail_on);
        fuzz_file_close(&file);
        return;
    }
    char folder[NAME] = "/tmp/fuzz-check-XXXXXX";
    FUZZ_CHECK(mkdtemp(folder));
    write_sequence(folder, &in);
    check_twice(folder, fail_on);
    remove_all(folder);
}
