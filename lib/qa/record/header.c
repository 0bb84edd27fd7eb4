#include "record/header.h"
#include "base/counts.h"
#include "base/json.h"
#include "base/refuse.h"

#include "fail.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The range of frames of a batch. It may differ between two whole runs, but not between two
 * shares. */
static const char FRAMES[] = "frames";

void header_clear(struct header *header)
{
    json_decref(header->contract);
    json_decref(header->input);
    json_decref(header->device);
    *header = (struct header){0};
}

void header_copy(struct header *header, const struct header *other)
{
    *header = *other;
    json_incref(header->contract);
    json_incref(header->input);
    json_incref(header->device);
}

static void put_segment(struct object *json, const struct header *header)
{
    json_t *segment = json_add(json_array(), json_integer((json_int_t)header->begin));
    if (header->end < UINT64_MAX)
        segment = json_add(segment, json_integer((json_int_t)header->end));
    object_put(json, "segment", segment);
}

/* Reads the segment of a share. Returns false if it is not valid. */
static bool take_segment(const json_t *json, struct header *header)
{
    const json_t *segment = json_object_get(json, "segment");
    const json_int_t begin = json_integer_value(json_array_get(segment, 0));
    const json_int_t end = json_integer_value(json_array_get(segment, 1));
    const size_t count = json_array_size(segment);
    if (!segment) return true;
    header->begin = (uint64_t)begin;
    header->end = count == 1 ? UINT64_MAX : (uint64_t)end;
    return count >= 1 && count <= 2 && begin >= 0 && (count == 1 || end > begin);
}

char *header_to_json(const struct header *header)
{
    struct object json = object_new();
    object_text(&json, "type", header->check ? "check" : "batch");
    object_count(&json, "schema", CONTRACT_SCHEMA);
    object_text(&json, "ssimcu", ssimcu_version());
    object_put(&json, "contract", json_incref(header->contract));
    object_put(&json, "input", json_incref(header->input));
    if (header->device) object_put(&json, "device", json_incref(header->device));
    if (header->input_digest[0]) object_text(&json, "input_digest", header->input_digest);
    if (header->shards > 1) {
        json_t *shard = json_add(json_array(), json_integer(header->shard));
        object_put(&json, "shard", json_add(shard, json_integer(header->shards)));
        if (header->end > 0) put_segment(&json, header);
    }
    return json_to_line(object_end(&json));
}

/* Reads an optional object. Returns false if it has another type. */
static bool take_object(const json_t *json, const char *name, json_t **to)
{
    json_t *value = json_object_get(json, name);
    *to = json_incref(value);
    return !value || json_is_object(value);
}

bool header_from_json(const json_t *json, struct header *header)
{
    const json_t *shard = json_object_get(json, "shard");
    const json_int_t part = json_integer_value(json_array_get(shard, 0));
    const json_int_t parts = json_integer_value(json_array_get(shard, 1));
    const char *type = json_text(json, "type"), *digest = json_text(json, "input_digest");
    *header = (struct header){.check = type && strcmp(type, "check") == 0,
                              .shard = (uint32_t)part,
                              .shards = (uint32_t)parts};
    if (digest)
        snprintf(header->input_digest, sizeof header->input_digest, "%.*s", HEADER_INPUT_DIGEST - 1,
                 digest);
    const bool good = take_object(json, "contract", &header->contract) &&
                      take_object(json, "input", &header->input) &&
                      take_object(json, "device", &header->device) && header->contract &&
                      header->input && take_segment(json, header) &&
                      (!shard || (part >= 1 && part <= parts && parts <= COUNTS_SHARDS));
    if (!good) header_clear(header);
    return good;
}

ssimcu_status header_check_schema(const json_t *json, const char *path, ssimcu_message *message)
{
    const json_int_t schema = json_integer_value(json_object_get(json, "schema"));
    if (schema == CONTRACT_SCHEMA) return SSIMCU_OK;
    FAIL(DATA, "%.300s: results of schema %" JSON_INTEGER_FORMAT ", this version reads schema %d",
         path, schema, CONTRACT_SCHEMA);
}

/* ---- Comparing ------------------------------------------------------------------------------- */

static bool may_differ(const struct header *a, const struct header *b, const char *name)
{
    if (strcmp(name, HEADER_LIMITED) == 0) return true;
    return strcmp(name, FRAMES) == 0 && (a->shards < 2 || b->shards < 2);
}

/* Returns the first member that differs; NULL: none. */
static const char *find_difference(const struct header *a, const struct header *b)
{
    const char *name;
    json_t *value;
    json_object_foreach(a->input, name, value)
    {
        const json_t *other = json_object_get(b->input, name);
        if (!may_differ(a, b, name) && !(other && json_equal(value, other))) return name;
    }
    json_object_foreach(b->input, name, value)
    {
        if (!may_differ(a, b, name) && !json_object_get(a->input, name)) return name;
    }
    return NULL;
}

/* Shares and resumed results must have exactly the files of this run: a new or missing frame would
 * move frames between shares. */
static ssimcu_status check_seen(const struct header *own, const struct header *other,
                                const char *path, ssimcu_message *message)
{
    const bool shares = own->shards > 1 && other->shards > 1;
    if (!shares || !own->input_digest[0] || !other->input_digest[0] ||
        strcmp(own->input_digest, other->input_digest) == 0)
        return SSIMCU_OK;
    FAIL(MISMATCH,
         "%.300s: the share is of other files: frames were added, removed or renamed since the "
         "other shares",
         path);
}

/* Fails because a value differs, which the message names. */
static ssimcu_status fail_values(const char *path, const char *kind, const char *name,
                                 json_t *value, json_t *expected, ssimcu_message *message)
{
    char *found = json_to_shown(value), *own = json_to_shown(expected);
    const ssimcu_status status =
        found && own ? fail_mismatch(message,
                                     "%.150s: these %s were made with other options: %.30s is "
                                     "%.130s, expected %.130s",
                                     path, kind, name, found, own)
                     : no_memory(message);
    free(found), free(own);
    return status;
}

/* Writes the name of the option that a member of the contract is of, such as "exposure" for
 * "light.exposure". */
static const char *name_option(const char *member, char name[80])
{
    const char *dot = strrchr(member, '.');
    snprintf(name, 80, "%s", dot ? dot + 1 : member);
    if (strcmp(name, "not_finite") == 0) return "nan";
    for (char *at = name; *at; at++)
        if (*at == '_') *at = '-';
    return name;
}

ssimcu_status header_check_ssim(const json_t *own, const json_t *other, const char *path,
                                ssimcu_message *message)
{
    struct contract_difference found;
    const char *what = NULL;
    char name[80];
    if (strcmp(contract_ignored(own), contract_ignored(other)) != 0)
        what = "have other ignored areas (ignore, ignore_mask in --limits)";
    else if (strcmp(contract_compared(own), contract_compared(other)) != 0)
        what = "have other rules for layers (compare, range in --limits)";
    else if (!contract_same_tool(own, other))
        what = "are of another tool (--compat)";
    else if (contract_is_video(own) != contract_is_video(other))
        what = contract_is_video(own) ? "are of pictures, expected video"
                                      : "are of video, expected pictures";
    if (what) FAIL(MISMATCH, "%.300s: these scores %s", path, what);
    if (!contract_find_difference(own, other, true, &found)) return SSIMCU_OK;
    return fail_values(path, "scores", name_option(found.name, name), found.other, found.value,
                       message);
}

/* Checks all of the contract of scores. */
static ssimcu_status check_contract(const json_t *own, const json_t *other, const char *path,
                                    ssimcu_message *message)
{
    if (strcmp(contract_learned(own), contract_learned(other)) != 0)
        FAIL(MISMATCH, "%.300s: these scores %s (--limits)", path,
             contract_learned(other)[0] ? "were compared with learned limits of another calibration"
                                        : "were not compared with learned limits");
    TRY(header_check_ssim(own, other, path, message));
    if (json_equal(own, other)) return SSIMCU_OK;
    FAIL(MISMATCH, "%.300s: these scores are of other metrics (--metric)", path);
}

/* Checks that frames without a reference were checked by the same version. */
static ssimcu_status check_version(const json_t *own, const json_t *other, const char *path,
                                   ssimcu_message *message)
{
    if (json_equal(json_object_get(own, "ssimcu"), json_object_get(other, "ssimcu")))
        return SSIMCU_OK;
    FAIL(MISMATCH, "%.300s: another version of ssimcu checked these frames: check them again",
         path);
}

ssimcu_status header_check(const struct header *own, const struct header *other, const char *path,
                           ssimcu_message *message)
{
    if (own->check != other->check)
        FAIL(MISMATCH, "%.300s: found results of a %s, expected those of a %s", path,
             other->check ? "check" : "run", own->check ? "check" : "run");
    TRY(own->check ? check_version(own->contract, other->contract, path, message)
                   : check_contract(own->contract, other->contract, path, message));
    const char *name = find_difference(own, other);
    if (!name) return check_seen(own, other, path, message);
    return fail_values(path, own->check ? "results" : "scores", name,
                       json_object_get(other->input, name), json_object_get(own->input, name),
                       message);
}

/* Finds the first name after `last` in alphabetical order, in a list separated by "; ". Sets *least
 * to it if *least is NULL or comes later. */
static void find_name(const char *names, const char *last, char *least, size_t size)
{
    while (names && *names) {
        const size_t length = strcspn(names, ";");
        char name[256];
        snprintf(name, sizeof name, "%.*s", (int)length, names);
        if (strcmp(name, last) > 0 && (!least[0] || strcmp(name, least) < 0))
            snprintf(least, size, "%s", name);
        names += length;
        names += strspn(names, "; ");
    }
}

/* Returns the names of both, sorted and without repeats, so that the order of files does not
 * matter. */
static json_t *join_names(const char *a, const char *b)
{
    char names[4096] = "", last[256] = "";
    for (;;) {
        char least[256] = "";
        find_name(a, last, least, sizeof least);
        find_name(b, last, least, sizeof least);
        const size_t used = strlen(names);
        if (!least[0]) return json_string(names);
        snprintf(names + used, sizeof names - used, "%s%s", used > 0 ? "; " : "", least);
        memcpy(last, least, sizeof last);
    }
}

void header_join_devices(struct header *header, const struct header *other)
{
    static const char *const backends[] = {"cpu", "cuda"};
    if (header->device && json_equal(header->device, other->device)) return;
    struct object joined = object_new();
    for (int i = 0; i < 2; i++) {
        const char *a = header_device(header->device, backends[i]);
        const char *b = header_device(other->device, backends[i]);
        if (a || b) object_put(&joined, backends[i], join_names(a, b));
    }
    json_t *device = object_end(&joined);
    if (!header->device || !other->device) { /* the other devices are unknown */
        json_decref(device);
        device = NULL;
    }
    json_decref(header->device);
    header->device = device;
}

bool header_is_chosen(const struct header *header)
{
    return json_object_get(header->input, FRAMES) || json_object_get(header->input, "list");
}

void header_join(struct header *header, const struct header *other)
{
    const json_t *frames = json_object_get(header->input, FRAMES);
    if (frames && !json_equal(frames, json_object_get(other->input, FRAMES))) {
        json_object_del(header->input, FRAMES);
        header->shards = 0; /* the results are no longer shares */
    }
    header_join_devices(header, other);
}

const char *header_device(const json_t *device, const char *backend)
{
    return json_text(device, backend);
}
