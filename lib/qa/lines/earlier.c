#include "lines/earlier.h"
#include "base/guard.h"
#include "base/json.h"
#include "base/refuse.h"
#include "base/results.h"
#include "base/text.h"
#include "facts/record.h"
#include "lines/lines.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { MOST_LINE = 1 << 20 }; /* bytes; a record has a few thousand at most */

/* Largest difference between two devices' scores of one frame. */
static const double DEVICES_DIFFER = 1e-6;

static void free_line(struct earlier_line *line)
{
    free(line->text);
    free(line->part);
}

void earlier_free(struct earlier_results *earlier)
{
    for (size_t i = 0; i < earlier->count; i++) free_line(&earlier->line[i]);
    free(earlier->line);
    free(earlier->shard_read);
    free(earlier->segment);
    json_decref(earlier->devices);
    json_decref(earlier->shard_frames);
    header_clear(&earlier->header);
    *earlier = (struct earlier_results){0};
}

/* A file while it is read. */
struct file {
    const char *path;
    unsigned long number; /* number of the current line, from 1 */
    char *text;           /* the current line: room for MOST_LINE bytes and a final 0 */
    size_t length;
    struct header header;
    struct counts {
        uint64_t frames, scored, missing, failed;
    } counts;             /* of the lines read */
    bool complete, ended; /* what the summary says, and whether it was read */
};

ssimcu_status earlier_bad_line(const char *path, unsigned long number, ssimcu_message *message)
{
    return ssimcu_fail(message, SSIMCU_ERROR_DATA, "%.300s: line %lu is not a line of results",
                       path, number);
}

ssimcu_status earlier_other_kind(const char *path, const json_t *first, const char *wanted,
                                 ssimcu_message *message)
{
    static const struct {
        const char *type, *what;
    } kinds[] = {{"batch", "results of a run, which merge, accept, --baseline and --resume read"},
                 {"check", "results of a check, which check --merge and check --resume read"}};
    const char *type = json_string_value(json_object_get(first, "type"));
    for (size_t i = 0; type && i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(type, kinds[i].type) == 0 && strcmp(type, wanted) != 0)
            return ssimcu_fail(message, SSIMCU_ERROR_DATA, "%.300s: has %s", path, kinds[i].what);
    return SSIMCU_OK;
}

static ssimcu_status bad_line(const struct file *file, ssimcu_message *message)
{
    return earlier_bad_line(file->path, file->number, message);
}

static ssimcu_status take_header(struct earlier_results *earlier, struct file *file,
                                 const json_t *json, ssimcu_message *message)
{
    ssimcu_status status = header_check_schema(json, file->path, message);
    if (status != SSIMCU_OK) return status;
    if (!header_from_json(json, &file->header)) return bad_line(file, message);
    struct header *joined = &earlier->header;
    if (!joined->contract) { /* a copy, because header_join changes it */
        *joined = file->header;
        joined->input = json_copy(file->header.input);
        joined->contract = json_incref(file->header.contract);
        joined->device = json_incref(file->header.device);
        if (json_object_size(joined->input) != json_object_size(file->header.input))
            return no_memory(message);
    }
    status = header_check(joined, &file->header, file->path, message);
    if (status != SSIMCU_OK) return status;
    header_join(joined, &file->header);
    if (json_object_get(file->header.input, HEADER_LIMITED)) earlier->limited = true;
    json_object_del(joined->input, HEADER_LIMITED);
    earlier->chosen = earlier->chosen || header_is_chosen(&file->header);
    if (!earlier->devices) earlier->devices = json_array();
    if (file->header.device &&
        json_array_append(earlier->devices, file->header.device) != 0) /* lines point to it */
        return no_memory(message);
    return SSIMCU_OK;
}

/* Takes what the summary says. It must agree with the lines before it: lines that are lost would
 * pass for a complete run. */
static ssimcu_status take_summary(struct file *file, bool complete, const struct counts *said,
                                  ssimcu_message *message)
{
    const struct counts *read = &file->counts;
    file->complete = complete;
    file->ended = true;
    if (said->frames == read->frames && said->scored == read->scored &&
        said->missing == read->missing && said->failed == read->failed)
        return SSIMCU_OK;
    return ssimcu_fail(message, SSIMCU_ERROR_DATA,
                       "%.300s: the summary counts %" PRIu64 " frames (%" PRIu64 " scored), the "
                       "lines are %" PRIu64 " (%" PRIu64 ")",
                       file->path, said->frames, said->scored, read->frames, read->scored);
}

static bool count_of(const json_t *json, const char *name, uint64_t *count)
{
    const json_t *value = json_object_get(json, name);
    *count = (uint64_t)json_integer_value(value);
    return json_is_integer(value);
}

static ssimcu_status summary_from_json(struct file *file, const json_t *json,
                                       ssimcu_message *message)
{
    struct counts said;
    if (!count_of(json, "frames", &said.frames) || !count_of(json, "scored", &said.scored) ||
        !count_of(json, "missing", &said.missing) || !count_of(json, "failed", &said.failed))
        return bad_line(file, message);
    return take_summary(file, json_is_true(json_object_get(json, "complete")), &said, message);
}

uint32_t earlier_name(const struct record *record)
{
    const char *name = record->side[0].path ? text_base(record->side[0].path) : "";
    return (uint32_t)crc32(0, (const Bytef *)name, (uInt)strlen(name));
}

static ssimcu_status keep_line(struct earlier_results *earlier, struct file *file,
                               const json_t *json, ssimcu_message *message)
{
    struct record record;
    const ssimcu_status status = record_from_object(json, &record);
    struct earlier_line line = {.frame = record.frame,
                                .part = record.part,
                                .place = earlier->lines_read++,
                                .name = earlier_name(&record),
                                .scored = record.kind == RECORD_SCORED,
                                .device = file->header.device};
    if (line.scored && !record.text[RECORD_LOOK]) earlier->lookless = true;
    record.part = NULL;
    record_clear(&record);
    if (status == SSIMCU_ERROR_DATA) return bad_line(file, message);
    file->counts.frames++;
    file->counts.scored += record.kind == RECORD_SCORED;
    file->counts.missing += record.kind == RECORD_MISSING;
    file->counts.failed += record.kind == RECORD_FAILED;
    if (status == SSIMCU_OK &&
        results_grow(&earlier->line, earlier->count, &earlier->room, sizeof line))
        line.text = strdup(file->text);
    if (line.text)
        earlier->line[earlier->count++] = line;
    else
        free_line(&line);
    return line.text ? SSIMCU_OK : no_memory(message);
}

static ssimcu_status take_json(struct earlier_results *earlier, struct file *file,
                               const json_t *json, ssimcu_message *message)
{
    const char *type = json_string_value(json_object_get(json, "type"));
    if (file->number == 1) {
        const ssimcu_status status = earlier_other_kind(file->path, json, "batch", message);
        if (status != SSIMCU_OK) return status;
    }
    if (!type || file->ended || (file->number == 1) != (strcmp(type, "batch") == 0))
        return bad_line(file, message);
    if (file->number == 1) return take_header(earlier, file, json, message);
    if (strcmp(type, "frame") == 0) return keep_line(earlier, file, json, message);
    if (strcmp(type, "summary") != 0) return bad_line(file, message);
    return summary_from_json(file, json, message);
}

static ssimcu_status take_line(struct earlier_results *earlier, struct file *file,
                               ssimcu_message *message)
{
    ssimcu_status status;
    if (file->number == 1 && guard_is_csv(file->text))
        return refuse(message, "%.300s: is CSV: only JSON Lines can be resumed and merged",
                      file->path);
    if (memchr(file->text, '\0', file->length)) return bad_line(file, message);
    json_t *json = json_from_text(file->text, file->length, &status);
    if (!json) return status == SSIMCU_ERROR_MEMORY ? no_memory(message) : bad_line(file, message);
    status = take_json(earlier, file, json, message);
    json_decref(json);
    return status;
}

/* Reads a line of at most MOST_LINE bytes. Returns false if the file ends before the line does. */
static bool read_line(struct file *file, FILE *stream)
{
    int byte = 0;
    file->length = 0;
    while (file->length < MOST_LINE && (byte = getc_unlocked(stream)) != EOF && byte != '\n')
        file->text[file->length++] = (char)byte;
    file->text[file->length] = '\0';
    return byte == '\n' || file->length == MOST_LINE;
}

/* Takes a line that is longer, which only a summary may be, for example of a million worst frames.
 * Its first bytes have the counts and tell whether the run was complete; the rest is skipped. */
static ssimcu_status take_long_line(struct file *file, FILE *stream, ssimcu_message *message)
{
    char complete[6];
    struct counts said;
    int byte;
    if (file->ended ||
        sscanf(file->text,
               "{\"type\":\"summary\",\"complete\":%5[a-z],\"frames\":%" SCNu64
               ",\"scored\":%" SCNu64 ",\"missing\":%" SCNu64 ",\"failed\":%" SCNu64,
               complete, &said.frames, &said.scored, &said.missing, &said.failed) != 5)
        return ssimcu_fail(message, SSIMCU_ERROR_DATA,
                           "%.300s: line %lu is not a line of results: it is longer than %d bytes",
                           file->path, file->number, MOST_LINE);
    while ((byte = getc_unlocked(stream)) != EOF && byte != '\n') continue;
    return take_summary(file, byte == '\n' && strcmp(complete, "true") == 0, &said, message);
}

static ssimcu_status read_lines(struct earlier_results *earlier, struct file *file,
                                ssimcu_message *message)
{
    FILE *stream = fopen(file->path, "re");
    if (!stream && errno == ENOMEM) return no_memory(message);
    if (!stream)
        return ssimcu_fail(message, SSIMCU_ERROR_FILE, "%.300s: %s", file->path, strerror(errno));
    file->text = malloc(MOST_LINE + 1);
    ssimcu_status status = file->text ? SSIMCU_OK : no_memory(message);
    while (status == SSIMCU_OK && read_line(file, stream)) {
        file->number++;
        status = file->length == MOST_LINE ? take_long_line(file, stream, message)
                                           : take_line(earlier, file, message);
    }
    if (status == SSIMCU_OK && ferror(stream))
        status = ssimcu_fail(message, SSIMCU_ERROR_FILE, "%.300s: cannot be read", file->path);
    free(file->text);
    fclose(stream);
    return status;
}

/* ---- Joining --------------------------------------------------------------------------------- */

static int by_frame(const void *a, const void *b)
{
    const struct earlier_line *x = a, *y = b;
    return record_order(x->part, x->frame, y->part, y->frame);
}

/* Sets *same to whether two scored lines can be of one frame. Errors: MEMORY. */
static ssimcu_status compare(const struct earlier_line *a, const struct earlier_line *b, bool *same,
                             ssimcu_message *message)
{
    struct record x = {0}, y = {0};
    const bool good =
        record_from_json(a->text, &x) == SSIMCU_OK && record_from_json(b->text, &y) == SSIMCU_OK;
    if (good) {
        const char *first = header_device(a->device, x.scored.backend);
        const char *second = header_device(b->device, y.scored.backend);
        const bool differ = strcmp(x.scored.backend, y.scored.backend) != 0 ||
                            (first && second && strcmp(first, second) != 0);
        *same = fabs(x.scored.score - y.scored.score) <= (differ ? DEVICES_DIFFER : 0) ||
                (isnan(x.scored.score) && isnan(y.scored.score));
    }
    record_clear(&x);
    record_clear(&y);
    return good ? SSIMCU_OK : no_memory(message); /* both were read before */
}

/* Keeps the better of two lines of one frame in *into, and frees the other one's text. */
static ssimcu_status settle(struct earlier_line *into, const struct earlier_line *other,
                            bool latest, const char *path, ssimcu_message *message)
{
    const bool both = into->scored && other->scored, newer = other->place > into->place;
    const bool replace = into->scored != other->scored ? other->scored : newer == (both && latest);
    bool same = true;
    char name[TEXT_FRAME];
    ssimcu_status status = SSIMCU_OK;
    if (both && !latest) status = compare(into, other, &same, message);
    struct earlier_line lost = replace ? *into : *other;
    if (replace) *into = *other;
    free_line(&lost);
    if (same) return status;
    return ssimcu_fail(message, SSIMCU_ERROR_MISMATCH,
                       "%.200s: frame %s has another score than in a file before", path,
                       text_frame(name, into->part, into->frame));
}

/* Sorts the lines and keeps one for each frame. */
static ssimcu_status join(struct earlier_results *earlier, bool latest, const char *path,
                          ssimcu_message *message)
{
    ssimcu_status status = SSIMCU_OK;
    struct earlier_line *line = earlier->line;
    size_t n = 0;
    if (earlier->count > 0) qsort(line, earlier->count, sizeof *line, by_frame);
    for (size_t i = 0; i < earlier->count; i++) {
        if (n == 0 || by_frame(&line[n - 1], &line[i]) != 0) {
            line[n++] = line[i];
        } else {
            const ssimcu_status now = settle(&line[n - 1], &line[i], latest, path, message);
            if (status == SSIMCU_OK) status = now;
        }
    }
    earlier->count = n;
    return status;
}

static ssimcu_status note_shard(struct earlier_results *earlier, const struct file *file,
                                ssimcu_message *message)
{
    const struct header *header = &file->header;
    if (header->shards == 0) return SSIMCU_OK;
    if (earlier->shards != 0 && earlier->shards != header->shards)
        return ssimcu_fail(message, SSIMCU_ERROR_MISMATCH,
                           "%.300s: share %u of %u, others are of %u", file->path, header->shard,
                           header->shards, earlier->shards);
    json_t *frames = json_object_get(header->input, "frames");
    if (earlier->shards != 0 && frames != earlier->shard_frames &&
        !json_equal(frames, earlier->shard_frames))
        return ssimcu_fail(message, SSIMCU_ERROR_MISMATCH,
                           "%.300s: it is a share of other frames (--frames) than a share before",
                           file->path);
    if (earlier->shards == 0) earlier->shard_frames = json_incref(frames);
    if (!earlier->shard_read) earlier->shard_read = calloc(header->shards + 1, 1);
    if (!earlier->segment) earlier->segment = calloc(header->shards + 1, sizeof *earlier->segment);
    if (!earlier->shard_read || !earlier->segment) return no_memory(message);
    earlier->shards = header->shards;
    earlier->shard_read[header->shard] = 1;
    earlier->segment[header->shard][0] = header->begin;
    earlier->segment[header->shard][1] = header->end;
    return SSIMCU_OK;
}

ssimcu_status earlier_add(struct earlier_results *earlier, const char *path, bool latest,
                          ssimcu_message *message)
{
    struct file file = {.path = path};
    const bool first = !earlier->header.contract;
    ssimcu_status status = read_lines(earlier, &file, message);
    if (status == SSIMCU_OK) status = note_shard(earlier, &file, message);
    if (status == SSIMCU_OK) status = join(earlier, latest, path, message);
    earlier->complete = file.complete && (first || earlier->complete);
    header_clear(&file.header);
    return status;
}

bool earlier_has_all_shares(const struct earlier_results *earlier)
{
    for (uint32_t i = 1; i <= earlier->shards; i++)
        if (!earlier->shard_read[i]) return false;
    return true;
}

ssimcu_status earlier_record(const struct earlier_results *earlier, size_t at,
                             struct record *record, ssimcu_message *message)
{
    const ssimcu_status status = record_from_json(earlier->line[at].text, record);
    return status == SSIMCU_OK ? status : no_memory(message); /* it was read before */
}

bool earlier_find(const struct earlier_results *earlier, const char *part, int64_t frame,
                  struct record *record)
{
    const struct earlier_line key = {.frame = frame, .part = (char *)(uintptr_t)part};
    const struct earlier_line *line =
        earlier->count ? bsearch(&key, earlier->line, earlier->count, sizeof key, by_frame) : NULL;
    return line && line->scored && record_from_json(line->text, record) == SSIMCU_OK;
}
