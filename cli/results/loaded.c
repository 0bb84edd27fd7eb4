/* Results read back: to resume a run, to merge shares. */
#include "results/lines.h"

#include "fail.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void loaded_free(struct loaded *loaded)
{
    for (size_t i = 0; i < loaded->count; i++) free(loaded->line[i].text);
    free(loaded->line);
    free(loaded->seen);
    json_decref(loaded->contract);
    *loaded = (struct loaded){0};
}

/* One file while it is read. */
struct file {
    const char *path;
    unsigned long number; /* of the line */
    bool complete;
    uint32_t shard, shards;
};

static ssimcu_status bad_line(const struct file *file, ssimcu_message *message)
{
    return ssimcu_fail(message, SSIMCU_ERROR_DATA, "%.300s: line %lu is not a line of results",
                       file->path, file->number);
}

static ssimcu_status take_header(struct loaded *loaded, struct file *file, const json_t *json,
                                 ssimcu_message *message)
{
    json_t *contract = json_object_get(json, "contract");
    const json_t *shard = json_object_get(json, "shard");
    const json_int_t part = json_integer_value(json_array_get(shard, 0));
    const json_int_t parts = json_integer_value(json_array_get(shard, 1));
    if (!json_is_object(contract) || (shard && (part < 1 || part > parts || parts > 1 << 24)))
        return bad_line(file, message);
    if (loaded->contract && !json_equal(loaded->contract, contract))
        return ssimcu_fail(message, SSIMCU_ERROR_MISMATCH,
                           "%.300s: these scores follow another contract (--pad, --color, --alpha)",
                           file->path);
    if (!loaded->contract) loaded->contract = json_incref(contract);
    file->shard = (uint32_t)part;
    file->shards = (uint32_t)parts;
    return SSIMCU_OK;
}

static ssimcu_status keep_line(struct loaded *loaded, const struct file *file, const json_t *json,
                               const char *text, ssimcu_message *message)
{
    const json_t *frame = json_object_get(json, "frame");
    const char *status = json_string_value(json_object_get(json, "status"));
    if (!json_is_integer(frame) || !status) return bad_line(file, message);
    if (loaded->count == loaded->room) {
        const size_t room = loaded->room ? 2 * loaded->room : 1024;
        struct loaded_line *grown = realloc(loaded->line, room * sizeof *grown);
        if (!grown) return results_no_memory(message);
        loaded->line = grown;
        loaded->room = room;
    }
    char *copy = strdup(text);
    if (!copy) return results_no_memory(message);
    loaded->line[loaded->count++] = (struct loaded_line){json_integer_value(frame), loaded->taken++,
                                                         strcmp(status, "ok") == 0, copy};
    return SSIMCU_OK;
}

static ssimcu_status take_line(struct loaded *loaded, struct file *file, const char *text,
                               ssimcu_message *message)
{
    json_t *json = json_loads(text, 0, NULL);
    const char *type = json_string_value(json_object_get(json, "type"));
    ssimcu_status status = SSIMCU_OK;
    if (!type || (file->number == 1) != (strcmp(type, "batch") == 0))
        status = bad_line(file, message);
    else if (file->number == 1)
        status = take_header(loaded, file, json, message);
    else if (strcmp(type, "frame") == 0)
        status = keep_line(loaded, file, json, text, message);
    else if (strcmp(type, "summary") == 0)
        file->complete = json_is_true(json_object_get(json, "complete"));
    else
        status = bad_line(file, message);
    json_decref(json);
    return status;
}

static ssimcu_status read_lines(struct loaded *loaded, struct file *file, ssimcu_message *message)
{
    FILE *stream = fopen(file->path, "re");
    char *text = NULL;
    size_t room = 0;
    ssize_t length;
    if (!stream)
        return ssimcu_fail(message, SSIMCU_ERROR_FILE, "%.300s: %s", file->path, strerror(errno));
    ssimcu_status status = SSIMCU_OK;
    while (status == SSIMCU_OK && (length = getline(&text, &room, stream)) > 0) {
        if (text[length - 1] != '\n') break; /* half a line */
        text[length - 1] = '\0';
        file->number++;
        status = take_line(loaded, file, text, message);
    }
    if (status == SSIMCU_OK && ferror(stream))
        status = ssimcu_fail(message, SSIMCU_ERROR_FILE, "%.300s: cannot be read", file->path);
    free(text);
    fclose(stream);
    return status;
}

/* ---- Joining --------------------------------------------------------------------------------- */

static int by_frame(const void *a, const void *b)
{
    const struct loaded_line *x = a, *y = b;
    return (x->frame > y->frame) - (x->frame < y->frame);
}

static bool same_score(const char *a, const char *b)
{
    struct record x, y;
    const bool one = record_from_json(a, &x), other = record_from_json(b, &y);
    const bool same = one && other && x.score == y.score;
    if (one) record_clear(&x);
    if (other) record_clear(&y);
    return same;
}

/* Two lines of one frame: *into keeps the better one. */
static ssimcu_status settle(struct loaded_line *into, const struct loaded_line *other, bool latest,
                            const char *path, ssimcu_message *message)
{
    const bool both = into->scored && other->scored, newer = other->place > into->place;
    const bool replace = into->scored != other->scored ? other->scored : newer == (both && latest);
    const bool conflict = both && !latest && !same_score(into->text, other->text);
    free(replace ? into->text : other->text);
    if (replace) *into = *other;
    if (!conflict) return SSIMCU_OK;
    return ssimcu_fail(message, SSIMCU_ERROR_MISMATCH,
                       "%.300s: frame %lld has another score than in a file before", path,
                       (long long)into->frame);
}

/* Puts the lines in order and leaves one for each frame. */
static ssimcu_status join(struct loaded *loaded, bool latest, const char *path,
                          ssimcu_message *message)
{
    ssimcu_status status = SSIMCU_OK;
    struct loaded_line *line = loaded->line;
    size_t n = 0;
    if (loaded->count > 0) qsort(line, loaded->count, sizeof *line, by_frame);
    for (size_t i = 0; i < loaded->count; i++) {
        if (n == 0 || line[n - 1].frame != line[i].frame) {
            line[n++] = line[i];
        } else {
            const ssimcu_status now = settle(&line[n - 1], &line[i], latest, path, message);
            if (status == SSIMCU_OK) status = now;
        }
    }
    loaded->count = n;
    return status;
}

static ssimcu_status note_shard(struct loaded *loaded, const struct file *file,
                                ssimcu_message *message)
{
    if (file->shards == 0) return SSIMCU_OK;
    if (loaded->shards != 0 && loaded->shards != file->shards)
        return ssimcu_fail(message, SSIMCU_ERROR_MISMATCH,
                           "%.300s: share %u of %u, others are of %u", file->path, file->shard,
                           file->shards, loaded->shards);
    if (!loaded->seen) loaded->seen = calloc(file->shards + 1, 1);
    if (!loaded->seen) return results_no_memory(message);
    loaded->shards = file->shards;
    loaded->seen[file->shard] = 1;
    return SSIMCU_OK;
}

ssimcu_status loaded_add(struct loaded *loaded, const char *path, bool latest,
                         ssimcu_message *message)
{
    struct file file = {.path = path};
    const bool first = !loaded->contract;
    ssimcu_status status = read_lines(loaded, &file, message);
    if (status == SSIMCU_OK) status = note_shard(loaded, &file, message);
    if (status == SSIMCU_OK) status = join(loaded, latest, path, message);
    loaded->complete = file.complete && (first || loaded->complete);
    return status;
}

bool loaded_record(const struct loaded *loaded, size_t at, struct record *record)
{
    return record_from_json(loaded->line[at].text, record);
}

bool loaded_find(const struct loaded *loaded, int64_t frame, struct record *record)
{
    const struct loaded_line key = {.frame = frame};
    const struct loaded_line *line =
        loaded->count ? bsearch(&key, loaded->line, loaded->count, sizeof key, by_frame) : NULL;
    return line && line->scored && record_from_json(line->text, record);
}

/* ---- Resuming -------------------------------------------------------------------------------- */

static bool write_lines(const struct loaded *loaded, FILE *to)
{
    json_t *json = json_pack("{s:s, s:O}", "type", "batch", "contract", loaded->contract);
    char *header = line_of_json(json);
    bool good = header && fprintf(to, "%s\n", header) > 0;
    for (size_t i = 0; good && i < loaded->count; i++)
        if (loaded->line[i].scored) good = fprintf(to, "%s\n", loaded->line[i].text) > 0;
    free(header);
    return good && fflush(to) == 0 && fsync(fileno(to)) == 0;
}

/* All lines in one file beside, so that FILE.partial may be written over. */
static ssimcu_status save_lines(const struct loaded *loaded, const char *name,
                                ssimcu_message *message)
{
    char *temporary = results_beside(name, ".tmp");
    FILE *to = temporary ? fopen(temporary, "we") : NULL;
    bool good = to && write_lines(loaded, to);
    int error = errno;
    if (to && fclose(to) != 0 && good) good = false, error = errno;
    if (good && rename(temporary, name) != 0) good = false, error = errno;
    if (!good && to) (void)unlink(temporary);
    free(temporary);
    if (good) return SSIMCU_OK;
    return ssimcu_fail(message, SSIMCU_ERROR_WRITE, "%.300s: %s", name, strerror(error));
}

static bool exists(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && info.st_size > 0;
}

ssimcu_status loaded_resume(struct loaded *loaded, const char *path, bool is_output,
                            ssimcu_message *message)
{
    static const char *const endings[] = {"", ".resume", ".partial"}; /* the newest last */
    ssimcu_status status = SSIMCU_OK;
    bool again = false;
    for (size_t i = 0; status == SSIMCU_OK && i < 3; i++) {
        char *name = results_beside(path, endings[i]);
        if (!name) return results_no_memory(message);
        if (exists(name)) status = loaded_add(loaded, name, true, message);
        if (status == SSIMCU_OK && !results_recognized(name, i > 0)) /* one line without its end */
            status = bad_line(&(struct file){.path = name, .number = 1}, message);
        again = again || (i > 0 && exists(name));
        free(name);
    }
    if (status != SSIMCU_OK || !is_output || !again || !loaded->contract) return status;
    status = results_guard(path, ".resume.tmp", true, message);
    if (status != SSIMCU_OK) return status;
    char *name = results_beside(path, ".resume");
    if (!name) return results_no_memory(message);
    status = save_lines(loaded, name, message);
    free(name);
    return status;
}
