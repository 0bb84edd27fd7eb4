#include "lines/results_reader.h"
#include "base/json.h"
#include "base/overwrite_guard.h"
#include "base/refuse.h"
#include "base/results.h"
#include "base/text.h"
#include "lines/lines.h"
#include "lines/results_reader_lines.h"
#include "record/record.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { MOST_LINE = 1 << 20 }; /* bytes; a record has at most a few thousand */

void results_reader_free(struct results_reader *earlier)
{
    for (size_t i = 0; i < earlier->count; i++) results_reader_free_line(&earlier->line[i]);
    free(earlier->line);
    free(earlier->shard_read);
    free(earlier->segment);
    json_decref(earlier->devices);
    json_decref(earlier->shard_frames);
    header_clear(&earlier->header);
    *earlier = (struct results_reader){0};
}

/* A file that is being read. */
struct file {
    const char *path;
    unsigned long number; /* number of the current line, from 1 */
    char *text;           /* the current line: MOST_LINE bytes and a final 0 */
    size_t length;
    struct header header;
    struct counts {
        uint64_t frames, scored, missing, failed, checked;
    } counts;             /* of the lines read */
    bool complete, ended; /* `complete` from the summary, and whether the summary was read */
};

ssimcu_status results_reader_bad_line(const char *path, unsigned long number,
                                      ssimcu_message *message)
{
    FAIL(DATA, "%.300s: line %lu is not a line of results", path, number);
}

static ssimcu_status bad_line(const struct file *file, ssimcu_message *message)
{
    return results_reader_bad_line(file->path, file->number, message);
}

static ssimcu_status take_header(struct results_reader *earlier, struct file *file,
                                 const json_t *json, ssimcu_message *message)
{
    TRY(header_check_schema(json, file->path, message));
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
    TRY(header_check(joined, &file->header, file->path, message));
    earlier->mixed =
        earlier->mixed || (joined->check && !json_equal(joined->contract, file->header.contract));
    header_join(joined, &file->header);
    if (json_object_get(file->header.input, HEADER_LIMITED)) earlier->limited = true;
    json_object_del(joined->input, HEADER_LIMITED);
    earlier->chosen = earlier->chosen || header_is_chosen(&file->header);
    if (!earlier->devices) earlier->devices = json_array();
    if (file->header.device &&
        json_array_append(earlier->devices, file->header.device) != 0) /* lines point into it */
        return no_memory(message);
    return SSIMCU_OK;
}

/* Reads the summary. It must agree with the lines before it, because otherwise a run with lost
 * lines would count as complete. */
static ssimcu_status take_summary(struct file *file, bool complete, const struct counts *said,
                                  ssimcu_message *message)
{
    const struct counts *read = &file->counts;
    file->complete = complete;
    file->ended = true;
    if (said->frames == read->frames && said->scored == read->scored &&
        said->missing == read->missing && said->failed == read->failed &&
        said->checked == read->checked)
        return SSIMCU_OK;
    const bool check = file->header.check;
    FAIL(DATA,
         "%.300s: the summary counts %" PRIu64 " frames (%" PRIu64 " %s), the lines are %" PRIu64
         " (%" PRIu64 ")",
         file->path, said->frames, check ? said->checked : said->scored,
         check ? "checked" : "scored", read->frames, check ? read->checked : read->scored);
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
    (void)count_of(json, "checked", &said.checked); /* optional: a run has none */
    if (!count_of(json, "frames", &said.frames) || !count_of(json, "scored", &said.scored) ||
        !count_of(json, "missing", &said.missing) || !count_of(json, "failed", &said.failed))
        return bad_line(file, message);
    return take_summary(file, json_is_true(json_object_get(json, "complete")), &said, message);
}

uint32_t results_reader_name(const struct record *record)
{
    const char *name = record->side[0].path ? text_base(record->side[0].path) : "";
    return (uint32_t)crc32(0, (const Bytef *)name, (uInt)strlen(name));
}

/* Returns whether a frame of a check has only its file. */
static bool is_plain(const struct record *record)
{
    bool plain = record->kind == RECORD_CHECKED && record->findings.count == 0;
    for (int t = 0; t < RECORD_TEXTS; t++) plain = plain && !record->text[t];
    return plain && !record->coded[1].known;
}

static ssimcu_status keep_line(struct results_reader *earlier, struct file *file,
                               const json_t *json, ssimcu_message *message)
{
    struct record record;
    const ssimcu_status status = record_from_object(json, &record);
    struct results_line line = {.frame = record.frame,
                                .shot = record.shot,
                                .place = earlier->lines_read++,
                                .file = earlier->files,
                                .name = results_reader_name(&record),
                                .scored =
                                    record.kind == RECORD_SCORED || record.kind == RECORD_CHECKED,
                                .device = file->header.device};
    if (record.kind == RECORD_SCORED && !record.text[RECORD_PENDING_HINTS])
        earlier->no_hints = true;
    const bool plain = is_plain(&record);
    if (plain) line.side = record.side[1], record.side[1].path = NULL, line.last = record.last;
    record.shot = NULL;
    record_clear(&record);
    if (status == SSIMCU_ERROR_DATA) return bad_line(file, message);
    file->counts.frames++;
    file->counts.scored += record.kind == RECORD_SCORED;
    file->counts.missing += record.kind == RECORD_MISSING;
    file->counts.failed += record.kind == RECORD_FAILED;
    file->counts.checked += record.kind == RECORD_CHECKED;
    const bool good = status == SSIMCU_OK &&
                      results_grow(&earlier->line, earlier->count, &earlier->room, sizeof line) &&
                      (plain || (line.text = strdup(file->text)));
    if (good)
        earlier->line[earlier->count++] = line;
    else
        results_reader_free_line(&line);
    return good ? SSIMCU_OK : no_memory(message);
}

static ssimcu_status take_json(struct results_reader *earlier, struct file *file,
                               const json_t *json, ssimcu_message *message)
{
    const char *type = json_text(json, "type");
    const bool header = type && (strcmp(type, "batch") == 0 || strcmp(type, "check") == 0);
    if (!type || file->ended || (file->number == 1) != header) return bad_line(file, message);
    if (file->number == 1) return take_header(earlier, file, json, message);
    if (strcmp(type, "frame") == 0) return keep_line(earlier, file, json, message);
    if (strcmp(type, "summary") != 0) return bad_line(file, message);
    return summary_from_json(file, json, message);
}

static ssimcu_status take_line(struct results_reader *earlier, struct file *file,
                               ssimcu_message *message)
{
    ssimcu_status status;
    if (file->number == 1 && guard_is_csv(file->text))
        FAIL(ARGUMENT, "%.300s: expected JSON Lines, found CSV", file->path);
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

/* Reads a longer line. Only a summary may be longer, for example with a million worst frames. Its
 * first bytes have the counts and the flag of a complete run; the rest is skipped. */
static ssimcu_status take_long_line(struct file *file, FILE *stream, ssimcu_message *message)
{
    char complete[6];
    struct counts said = {.checked = file->counts.checked};
    int byte;
    if (file->ended ||
        sscanf(file->text,
               "{\"type\":\"summary\",\"complete\":%5[a-z],\"frames\":%" SCNu64
               ",\"scored\":%" SCNu64 ",\"missing\":%" SCNu64 ",\"failed\":%" SCNu64,
               complete, &said.frames, &said.scored, &said.missing, &said.failed) != 5)
        FAIL(DATA, "%.300s: line %lu is not a line of results: it is longer than %d bytes",
             file->path, file->number, MOST_LINE);
    while ((byte = getc_unlocked(stream)) != EOF && byte != '\n') continue;
    return take_summary(file, byte == '\n' && strcmp(complete, "true") == 0, &said, message);
}

static ssimcu_status read_lines(struct results_reader *earlier, struct file *file,
                                ssimcu_message *message)
{
    FILE *stream = fopen(file->path, "re");
    if (!stream && errno == ENOMEM) return no_memory(message);
    if (!stream) FAIL(FILE, "%.300s: %s", file->path, strerror(errno));
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

/* ---- Files ----------------------------------------------------------------------------------- */

static ssimcu_status note_shard(struct results_reader *earlier, const struct file *file,
                                ssimcu_message *message)
{
    const struct header *header = &file->header;
    if (header->shards == 0) return SSIMCU_OK;
    if (earlier->shards != 0 && earlier->shards != header->shards)
        FAIL(MISMATCH, "%.300s: share %u of %u does not fit the other shares, which are of %u",
             file->path, header->shard, header->shards, earlier->shards);
    json_t *frames = json_object_get(header->input, "frames");
    if (earlier->shards != 0 && frames != earlier->shard_frames &&
        !json_equal(frames, earlier->shard_frames))
        FAIL(MISMATCH, "%.300s: expected a share of the same --frames as an earlier share",
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

ssimcu_status results_reader_add(struct results_reader *earlier, const char *path, bool latest,
                                 ssimcu_message *message)
{
    struct file file = {.path = path};
    const bool first = !earlier->header.contract;
    ssimcu_status status = read_lines(earlier, &file, message);
    if (status == SSIMCU_OK) status = note_shard(earlier, &file, message);
    if (status == SSIMCU_OK) status = results_reader_join(earlier, latest, path, message);
    earlier->files++;
    earlier->complete = file.complete && (first || earlier->complete);
    header_clear(&file.header);
    return status;
}

ssimcu_status results_reader_has_scores(const struct results_reader *earlier, const char *path,
                                        ssimcu_message *message)
{
    if (!earlier->header.check) return SSIMCU_OK;
    FAIL(MISMATCH, "%.300s: expected results with scores, found results of a check", path);
}

bool results_reader_has_all_shares(const struct results_reader *earlier)
{
    for (uint32_t i = 1; i <= earlier->shards; i++)
        if (!earlier->shard_read[i]) return false;
    return true;
}

ssimcu_status results_reader_record(const struct results_reader *earlier, size_t at,
                                    struct record *record, ssimcu_message *message)
{
    const struct results_line *line = &earlier->line[at];
    if (line->text) {
        const ssimcu_status status = record_from_json(line->text, record);
        return status == SSIMCU_OK ? status : no_memory(message); /* the line was read before */
    }
    *record = (struct record){.frame = line->frame,
                              .kind = RECORD_CHECKED,
                              .side = {{0}, line->side},
                              .coded = {{.time = NAN}, {.time = NAN}},
                              .last = line->last};
    record->side[1].path = NULL;
    const bool shot = text_copy(&record->shot, line->shot),
               path = text_copy(&record->side[1].path, line->side.path);
    if (shot && path) return SSIMCU_OK;
    record_clear(record);
    return no_memory(message);
}

char *results_reader_text(const struct results_reader *earlier, size_t at)
{
    struct record record;
    if (earlier->line[at].text) return strdup(earlier->line[at].text);
    if (results_reader_record(earlier, at, &record, NULL) != SSIMCU_OK) return NULL;
    char *text = record_to_json(&record);
    record_clear(&record);
    return text;
}

bool results_reader_find(const struct results_reader *earlier, const char *shot, int64_t frame,
                         struct record *record)
{
    const struct results_line key = {.frame = frame, .shot = (char *)(uintptr_t)shot};
    const struct results_line *line = earlier->count ? bsearch(&key, earlier->line, earlier->count,
                                                               sizeof key, results_reader_by_frame)
                                                     : NULL;
    return line && line->scored && line->text && record_from_json(line->text, record) == SSIMCU_OK;
}
