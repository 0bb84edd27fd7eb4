/* Earlier results of a check, read back. */
#include "check/check.h"

#include "base/counts.h"
#include "base/json.h"
#include "base/refuse.h"
#include "base/results.h"
#include "lines/earlier.h"
#include "lines/lines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* A file while it is read. */
struct reading_file {
    struct check_earlier *earlier;
    struct check_file *file;
    const json_t *own; /* the header that it must have; NULL: any */
    bool judged;
    const char *line, *end; /* the current line, and behind its break */
    unsigned long number;   /* that of the line, from 1 */
    uint64_t frames, groups;
    bool inside, ended; /* it is in a sequence whose last line is not there yet; behind all lines */
    ssimcu_message *message;
};

static ssimcu_status bad_line(const struct reading_file *reading)
{
    return earlier_bad_line(reading->file->path, reading->number, reading->message);
}

/* ---- Headers --------------------------------------------------------------------------------- */

/* Compares a member of two headers. */
static ssimcu_status check_member(const struct reading_file *reading, const json_t *own,
                                  const json_t *other, const char *name)
{
    json_t *a = json_object_get(own, name), *b = json_object_get(other, name);
    if (a == b || (a && b && json_equal(a, b))) return SSIMCU_OK;
    char *mine = json_to_shown(a), *their = json_to_shown(b);
    const ssimcu_status status =
        mine && their ? ssimcu_fail(reading->message, SSIMCU_ERROR_MISMATCH,
                                    "%.150s: these are results of another check: %.30s is %.130s, "
                                    "not %.130s",
                                    reading->file->path, name, their, mine)
                      : no_memory(reading->message);
    free(mine), free(their);
    return status;
}

static ssimcu_status check_header_is(const struct reading_file *reading, const json_t *own,
                                     const json_t *other)
{
    static const char *const names[] = {"ssimcu", "frames", "options", "fail_on"};
    ssimcu_status status = SSIMCU_OK;
    for (int i = 0; own && i < (reading->judged ? 4 : 3) && status == SSIMCU_OK; i++)
        status = check_member(reading, own, other, names[i]);
    return status;
}

/* Takes the share. Returns false if it is none. */
static bool take_share(const json_t *json, struct check_file *file)
{
    const json_t *shard = json_object_get(json, "shard"), *has = json_object_get(json, "has");
    const json_int_t part = json_integer_value(json_array_get(shard, 0)),
                     parts = json_integer_value(json_array_get(shard, 1)),
                     all = json_integer_value(json_object_get(json, "sequences"));
    if (!shard) return true;
    file->shard = (uint32_t)part, file->shards = (uint32_t)parts;
    file->sequences = (uint64_t)all;
    file->has = json_incref((json_t *)(uintptr_t)has);
    return part >= 1 && part <= parts && parts <= COUNTS_SHARDS && json_is_array(has) &&
           all >= (json_int_t)json_array_size(has);
}

static ssimcu_status take_header(struct reading_file *reading, json_t *json)
{
    struct check_earlier *earlier = reading->earlier;
    const json_int_t schema = json_integer_value(json_object_get(json, "schema"));
    const char *version = json_string_value(json_object_get(json, "ssimcu"));
    if (schema != CHECK_SCHEMA)
        return ssimcu_fail(reading->message, SSIMCU_ERROR_DATA,
                           "%.300s: results of schema %" JSON_INTEGER_FORMAT
                           ", this version reads schema %d",
                           reading->file->path, schema, (int)CHECK_SCHEMA);
    if (!version || !json_is_array(json_object_get(json, "frames")) ||
        !json_is_array(json_object_get(json, "fail_on")) || !take_share(json, reading->file))
        return bad_line(reading);
    if (strcmp(version, ssimcu_version()) != 0)
        return ssimcu_fail(reading->message, SSIMCU_ERROR_MISMATCH,
                           "%.300s: results of ssimcu %.40s, and this is %s: check them again",
                           reading->file->path, version, ssimcu_version());
    ssimcu_status status = check_header_is(reading, reading->own, json);
    if (status == SSIMCU_OK) status = check_header_is(reading, earlier->header, json);
    if (status != SSIMCU_OK || earlier->header) return status;
    earlier->header = json_incref(json);
    json_object_del(json, "shard"), json_object_del(json, "sequences"),
        json_object_del(json, "has");
    return SSIMCU_OK;
}

/* ---- Lines ----------------------------------------------------------------------------------- */

/* Returns the place of the file's next sequence among all; UINT64_MAX: its header has none. */
static uint64_t place_of(const struct reading_file *reading)
{
    const json_t *has = reading->file->has;
    const json_t *place = json_array_get(has, reading->groups);
    if (!has) return reading->groups;
    return json_is_integer(place) ? (uint64_t)json_integer_value(place) : UINT64_MAX;
}

static ssimcu_status begin_sequence(struct reading_file *reading, const char *name)
{
    struct check_earlier *earlier = reading->earlier;
    if (!results_grow(&earlier->found, earlier->count, &earlier->room, sizeof *earlier->found))
        return no_memory(reading->message);
    struct check_found *found = &earlier->found[earlier->count++];
    *found = (struct check_found){.name = strdup(name),
                                  .text = reading->line,
                                  .path = reading->file->path,
                                  .number = reading->number,
                                  .place = place_of(reading)};
    reading->groups++;
    reading->inside = true;
    if (found->place == UINT64_MAX) return bad_line(reading);
    return found->name ? SSIMCU_OK : no_memory(reading->message);
}

static ssimcu_status take_frame(struct reading_file *reading, const json_t *json)
{
    const char *name = json_string_value(json_object_get(json, "sequence"));
    if (!name) return bad_line(reading);
    if (!reading->inside) {
        const ssimcu_status status = begin_sequence(reading, name);
        if (status != SSIMCU_OK) return status;
    }
    struct check_found *found = &reading->earlier->found[reading->earlier->count - 1];
    if (strcmp(found->name, name) != 0) return bad_line(reading);
    found->end = reading->end;
    found->whole = json_is_true(json_object_get(json, "last"));
    reading->inside = !found->whole;
    reading->frames += json_is_string(json_object_get(json, "path"));
    return SSIMCU_OK;
}

/* Takes what the summary says. Lines that are lost would pass for a complete check. */
static ssimcu_status take_summary(struct reading_file *reading, const json_t *json)
{
    const json_t *frames = json_object_get(json, "frames");
    struct check_file *file = reading->file;
    if (!json_is_integer(frames)) return bad_line(reading);
    reading->ended = true;
    file->complete = json_is_true(json_object_get(json, "complete"));
    const bool lost =
        file->complete &&
        (reading->inside || (file->has && reading->groups != json_array_size(file->has)));
    if ((uint64_t)json_integer_value(frames) == reading->frames && !lost) return SSIMCU_OK;
    return ssimcu_fail(reading->message, SSIMCU_ERROR_DATA,
                       "%.300s: the summary counts %" JSON_INTEGER_FORMAT " frames, the lines are "
                       "%llu%s",
                       file->path, json_integer_value(frames), (unsigned long long)reading->frames,
                       lost ? ", and a sequence is not whole" : "");
}

static ssimcu_status take_line(struct reading_file *reading)
{
    ssimcu_status status = SSIMCU_OK;
    const size_t length = (size_t)(reading->end - reading->line) - 1;
    json_t *json =
        memchr(reading->line, '\0', length) ? NULL : json_from_text(reading->line, length, &status);
    const char *type = json_string_value(json_object_get(json, "type"));
    if (json && reading->number == 1)
        status = earlier_other_kind(reading->file->path, json, "check", reading->message);
    if (status == SSIMCU_ERROR_MEMORY)
        status = no_memory(reading->message);
    else if (json && status != SSIMCU_OK)
        ; /* of another kind */
    else if (!type || reading->ended || (reading->number == 1) != (strcmp(type, "check") == 0))
        status = bad_line(reading);
    else if (reading->number == 1)
        status = take_header(reading, json);
    else if (strcmp(type, "frame") == 0)
        status = take_frame(reading, json);
    else
        status = strcmp(type, "summary") == 0 ? take_summary(reading, json) : bad_line(reading);
    json_decref(json);
    return status;
}

/* ---- Files ----------------------------------------------------------------------------------- */

/* Reads a whole file; the caller frees *text, also after an error. */
static ssimcu_status read_text(const char *path, char **text, size_t *length,
                               ssimcu_message *message)
{
    size_t room = 1 << 16, got = 0;
    FILE *from = fopen(path, "re");
    if (!from && errno == ENOMEM) return no_memory(message);
    if (!from) return ssimcu_fail(message, SSIMCU_ERROR_FILE, "%.300s: %s", path, strerror(errno));
    *length = 0;
    do {
        char *grown = realloc(*text, room *= 2);
        if (!grown) break;
        *text = grown;
        got = fread(*text + *length, 1, room - *length, from);
        *length += got;
    } while (*length == room);
    const bool lost = !*text || *length == room, bad = ferror(from);
    (void)fclose(from);
    if (lost) return no_memory(message);
    return bad ? ssimcu_fail(message, SSIMCU_ERROR_FILE, "%.300s: cannot be read", path)
               : SSIMCU_OK;
}

ssimcu_status check_earlier_add(struct check_earlier *earlier, const char *path, const json_t *own,
                                bool judged, ssimcu_message *message)
{
    size_t length = 0;
    if (!results_grow(&earlier->file, earlier->files, &earlier->file_room, sizeof *earlier->file))
        return no_memory(message);
    struct check_file *file = &earlier->file[earlier->files++];
    *file = (struct check_file){.path = strdup(path)};
    if (!file->path) return no_memory(message);
    struct reading_file reading = {
        .earlier = earlier, .file = file, .own = own, .judged = judged, .message = message};
    ssimcu_status status = read_text(path, &file->text, &length, message);
    const char *const behind = status == SSIMCU_OK ? file->text + length : NULL;
    for (reading.line = file->text; status == SSIMCU_OK; reading.line = reading.end) {
        const char *brk = memchr(reading.line, '\n', (size_t)(behind - reading.line));
        if (!brk) break;
        reading.end = brk + 1;
        reading.number++;
        status = take_line(&reading);
    }
    if (status == SSIMCU_OK && reading.number == 0 && length > 0 &&
        strncmp(file->text, "{\"type\":\"check\",", length < 16 ? length : 16) != 0) {
        reading.number = 1; /* its only line has no end, and is of something else */
        status = bad_line(&reading);
    }
    return status;
}

ssimcu_status check_earlier_resume(struct check_earlier *earlier, const char *path,
                                   const json_t *own, ssimcu_message *message)
{
    static const char *const endings[] = {"", ".resume", ".partial"}; /* the oldest first */
    ssimcu_status status = SSIMCU_OK;
    for (size_t i = 0; status == SSIMCU_OK && i < 3; i++) {
        struct stat info;
        char *name = results_beside(path, endings[i]);
        if (!name) return no_memory(message);
        const bool there = stat(name, &info) == 0;
        if (there) status = check_earlier_add(earlier, name, own, false, message);
        earlier->unfinished = earlier->unfinished || (there && i > 0 && info.st_size > 0);
        free(name);
    }
    return status;
}

/* Writes a header and the lines of sequences. Returns 0, or an errno. */
static int write_found(FILE *to, const char *header, const struct check_found *const *found,
                       size_t count)
{
    bool good = fprintf(to, "%s\n", header) > 0;
    for (size_t i = 0; i < count && good; i++) {
        const size_t length = found[i] ? (size_t)(found[i]->end - found[i]->text) : 0;
        good = length == 0 || fwrite(found[i]->text, 1, length, to) == length;
    }
    return good ? 0 : errno;
}

ssimcu_status check_earlier_save(const struct check_earlier *earlier, const char *path,
                                 const struct check_found *const *found, size_t count,
                                 ssimcu_message *message)
{
    struct draft draft = {0};
    if (!earlier->unfinished || !earlier->header) return SSIMCU_OK;
    char *name = results_beside(path, ".resume"), *header = NULL;
    if (name) header = json_to_line(json_incref(earlier->header));
    ssimcu_status status = header ? draft_open(&draft, name, results_beside(name, ".tmp"),
                                               &check_results_kind, DRAFT_REPLACE, message)
                                  : no_memory(message);
    if (status == SSIMCU_OK)
        status = draft_end(&draft, write_found(draft.file, header, found, count), message);
    draft_drop(&draft);
    free(name), free(header);
    return status;
}

void check_earlier_free(struct check_earlier *earlier)
{
    for (size_t i = 0; i < earlier->files; i++) {
        free(earlier->file[i].path), free(earlier->file[i].text);
        json_decref(earlier->file[i].has);
    }
    for (size_t i = 0; i < earlier->count; i++) free(earlier->found[i].name);
    free(earlier->file);
    free(earlier->found);
    json_decref(earlier->header);
    *earlier = (struct check_earlier){0};
}

/* ---- Frames ---------------------------------------------------------------------------------- */

static uint32_t count_of(const json_t *json, const char *name)
{
    return (uint32_t)json_integer_value(json_object_get(json, name));
}

/* Adds a finding. Returns false if it is none. */
static bool add_finding(const json_t *json, struct findings_list *list)
{
    const char *name = json_string_value(json_object_get(json, "kind"));
    const char *text = json_string_value(json_object_get(json, "text"));
    const json_t *number = json_object_get(json, "number");
    int kind = 0;
    while (name && kind < CHECK_KINDS && strcmp(check_kind_name((enum check_kind)kind), name) != 0)
        kind++;
    if (!name || kind == CHECK_KINDS || !text || !json_is_number(number)) return false;
    const struct check_place place = {count_of(json, "x"), count_of(json, "y"),
                                      count_of(json, "width"), count_of(json, "height")};
    findings_add(list, (enum check_kind)kind, place, json_number_value(number), "%s", text);
    return true;
}

/* Returns whether a frame with such a finding was read. */
static bool was_read(enum check_kind kind)
{
    return kind != CHECK_UNREADABLE && kind != CHECK_LAYERS;
}

/* Fills in an empty frame. A frame with a path was read, unless a finding says that it was not. */
static ssimcu_status fill_frame(const json_t *json, struct shot_frame *frame)
{
    const json_t *number = json_object_get(json, "frame"),
                 *found = json_object_get(json, "findings");
    const char *path = json_string_value(json_object_get(json, "path"));
    struct record_side file = {0};
    bool good = json_is_array(found);
    frame->number = json_is_integer(number) ? json_integer_value(number) : -1;
    frame->stream = (uint32_t)json_integer_value(json_object_get(json, "stream"));
    frame->streams = (uint32_t)json_integer_value(json_object_get(json, "streams"));
    for (size_t i = 0; i < json_array_size(found) && good; i++)
        good = add_finding(json_array_get(found, i), &frame->found);
    if (!good) return SSIMCU_ERROR_DATA;
    if (frame->found.out_of_memory) return SSIMCU_ERROR_MEMORY;
    if (!path) return SSIMCU_OK;
    const ssimcu_status status = record_side_from_json(json, &file);
    frame->path = file.path;
    frame->file = file;
    frame->file.path = NULL;
    frame->read = true;
    for (size_t i = 0; i < frame->found.count; i++)
        frame->read = frame->read && was_read(frame->found.finding[i].kind);
    return status;
}

static ssimcu_status add_line(struct check_shot *shot, const char *line, size_t length)
{
    ssimcu_status status = SSIMCU_OK;
    if (!results_grow(&shot->frame, shot->count, &shot->room, sizeof *shot->frame))
        return SSIMCU_ERROR_MEMORY;
    json_t *json = json_from_text(line, length, &status);
    const char *layer = json_string_value(json_object_get(json, "layer"));
    if (!json) return status;
    if (layer && !shot->layer && !(shot->layer = strdup(layer))) status = SSIMCU_ERROR_MEMORY;
    shot->frame[shot->count] = (struct shot_frame){.number = -1};
    shot->count++;
    if (status == SSIMCU_OK) status = fill_frame(json, &shot->frame[shot->count - 1]);
    json_decref(json);
    return status;
}

ssimcu_status check_earlier_shot(const struct check_found *found, struct check_shot *shot,
                                 ssimcu_message *message)
{
    unsigned long number = found->number;
    *shot = (struct check_shot){.name = strdup(found->name)};
    ssimcu_status status = shot->name ? SSIMCU_OK : SSIMCU_ERROR_MEMORY;
    for (const char *line = found->text; line < found->end && status == SSIMCU_OK; number++) {
        const char *brk = memchr(line, '\n', (size_t)(found->end - line));
        status = add_line(shot, line, (size_t)(brk - line));
        line = brk + 1;
    }
    if (status == SSIMCU_ERROR_MEMORY) return no_memory(message);
    return status == SSIMCU_OK ? status : earlier_bad_line(found->path, number - 1, message);
}
