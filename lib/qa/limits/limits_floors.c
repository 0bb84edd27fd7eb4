/* What a file of limits says about floors: where they lie, how they were learnt, and how far frames
 * may be beyond them. */
#include "limits/limits_file.h"

#include "limits/limits_read.h"

#include "base/json.h"
#include "base/text.h"
#include "engine/score.h"

#include "fail.h"

#include <stdlib.h>
#include <string.h>

ssimcu_status limits_wrong(const struct limits_place *place, const char *key, const char *expected)
{
    char number[32] = "";
    if (place->number > 0) snprintf(number, sizeof number, " %zu", place->number);
    return ssimcu_fail(place->message, SSIMCU_ERROR_DATA,
                       "%.300s: %s%s%s%.80s%s%s%.80s: expected %s", place->path,
                       place->kind ? place->kind : "", number, place->name ? " \"" : "",
                       place->name ? place->name : "", place->name ? "\"" : "",
                       place->kind ? ": " : "", key, expected);
}

ssimcu_status limits_copy(const json_t *text, char **to, ssimcu_message *message)
{
    *to = strdup(json_string_value(text));
    return *to ? SSIMCU_OK : ssimcu_no_memory(message, "the limits");
}

char *limits_path_beside(const char *limits, const char *name)
{
    const size_t folder = name[0] == '/' ? 0 : (size_t)(text_base(limits) - limits);
    char *start = strndup(limits, folder), *path = start ? text_join(start, name, "", "") : NULL;
    free(start);
    return path;
}

/* ---- Floors ---------------------------------------------------------------------------------- */

/* Takes how far a rule may be beyond its floors. */
static ssimcu_status take_excess(const struct limits_place *place, const char *key,
                                 const json_t *value, struct limits_shot *shot)
{
    char rules[200];
    size_t used = 0;
    for (int r = 0; r < FLOOR_RULES; r++) {
        if (strcmp(key, floor_rule_names[r]) != 0) continue;
        shot->max_excess[r] = json_number_value(value);
        return shot->max_excess[r] > 0 ? SSIMCU_OK : limits_wrong(place, key, "a number above 0");
    }
    for (int r = 0; r < FLOOR_RULES; r++)
        used += (size_t)snprintf(rules + used, sizeof rules - used, "%s%s",
                                 r == 0                ? ""
                                 : r < FLOOR_RULES - 1 ? ", "
                                                       : " or ",
                                 floor_rule_names[r]);
    return limits_wrong(place, key, rules);
}

static ssimcu_status take_shot(struct limits_place *place, json_t *own, struct limits_shot *shot)
{
    if (!json_is_object(own)) return limits_wrong(place, "shot", "an object");
    const json_t *match = json_object_get(own, "match");
    json_t *excess = json_object_get(own, "max_excess");
    if (!json_is_string(match) || !json_string_value(match)[0])
        return limits_wrong(place, "match", "a glob such as \"sh030/*\"");
    ssimcu_status status = limits_copy(match, &shot->match, place->message);
    if (status != SSIMCU_OK) return status;
    place->name = shot->match;
    if (!json_is_object(excess) || json_object_size(excess) == 0)
        return limits_wrong(place, "max_excess", "an object with a limit for some rule at least");
    if (json_object_size(own) > 2) return limits_wrong(place, "shot", "match and max_excess alone");
    for (void *at = json_object_iter(excess); at && status == SSIMCU_OK;
         at = json_object_iter_next(excess, at))
        status = take_excess(place, json_object_iter_key(at), json_object_iter_value(at), shot);
    return status;
}

static ssimcu_status take_shots(struct limits_place *place, const json_t *shots,
                                struct limits_floors *floors)
{
    ssimcu_status status = SSIMCU_OK;
    if (!json_is_array(shots) || json_array_size(shots) == 0)
        return limits_wrong(place, "shots", "a list of shots");
    floors->shot = calloc(json_array_size(shots), sizeof *floors->shot);
    if (!floors->shot) return ssimcu_no_memory(place->message, "the limits");
    place->kind = "floors: shot";
    while (status == SSIMCU_OK && floors->shots < json_array_size(shots)) {
        place->number = floors->shots + 1;
        place->name = NULL;
        status =
            take_shot(place, json_array_get(shots, floors->shots), &floors->shot[floors->shots]);
        floors->shots++;
    }
    return status;
}

/* Checks a member that tells people how the floors were learnt. */
static ssimcu_status check_told(const struct limits_place *place, const char *key,
                                const json_t *value)
{
    if (strcmp(key, "file") == 0 || strcmp(key, "fingerprint") == 0 || strcmp(key, "tile") == 0 ||
        strcmp(key, "shots") == 0 || strcmp(key, "contract") == 0 || strcmp(key, "or") == 0)
        return SSIMCU_OK;
    if (strcmp(key, "reference") == 0)
        return json_is_string(value) ? SSIMCU_OK : limits_wrong(place, key, "the path of REF");
    if (strcmp(key, "runs") == 0 || strcmp(key, "frames") == 0)
        return json_integer_value(value) > 0 ? SSIMCU_OK
                                             : limits_wrong(place, key, "a whole number from 1");
    if (strcmp(key, "false_alarms") != 0)
        return limits_wrong(
            place, key,
            "file, fingerprint, reference, tile, contract, runs, false_alarms, frames, shots or "
            "\"or\"");
    return json_number_value(value) > 0 && json_number_value(value) < 1
               ? SSIMCU_OK
               : limits_wrong(place, key, "a number above 0, below 1");
}

/* Checks the side of tiles against that of the contract, which the run would be told of else. */
static ssimcu_status check_tile(const struct limits_place *place, const json_t *contract,
                                json_int_t side)
{
    char expected[60];
    const json_t *learnt = json_object_get(contract, "tile");
    if (!json_is_integer(learnt) || json_integer_value(learnt) == side) return SSIMCU_OK;
    snprintf(expected, sizeof expected, "%lld, as in its contract: floors are of such tiles",
             (long long)json_integer_value(learnt));
    return limits_wrong(place, "tile", expected);
}

/* Takes the name of the file with floors, which lies beside that of limits unless it is absolute.
 */
static ssimcu_status take_path(const struct limits_place *place, const json_t *file,
                               struct limits_floors *floors)
{
    const char *name = json_string_value(file);
    if (!name || !name[0]) return limits_wrong(place, "file", "the name of a file with floors");
    floors->path = limits_path_beside(place->path, name);
    return floors->path ? SSIMCU_OK : ssimcu_no_memory(place->message, "the limits");
}

/* Takes the fingerprint of that file: another calibration's floors would judge by other numbers. */
static ssimcu_status take_print(const struct limits_place *place, const json_t *print,
                                struct limits_floors *floors)
{
    const char *text = json_string_value(print);
    if (!text || strlen(text) != FLOORS_PRINT - 1)
        return limits_wrong(place, "fingerprint", "that of the file; calibrate again");
    memcpy(floors->print, text, FLOORS_PRINT);
    return SSIMCU_OK;
}

/* Takes the names of the files of limits of further references, which lie beside this one. */
static ssimcu_status take_looks(const struct limits_place *place, const json_t *list,
                                struct limits_floors *floors)
{
    const size_t count = json_array_size(list);
    if (list && (!json_is_array(list) || count == 0))
        return limits_wrong(place, "or", "a list of files of limits, one for each --or");
    floors->look = list ? calloc(count, sizeof *floors->look) : NULL;
    if (list && !floors->look) return ssimcu_no_memory(place->message, "the limits");
    for (size_t i = 0; i < count; i++) {
        const char *name = json_string_value(json_array_get(list, i));
        if (!name || !name[0])
            return limits_wrong(place, "or", "a list of files of limits, one for each --or");
        floors->look[i].path = limits_path_beside(place->path, name);
        if (!floors->look[i].path) return ssimcu_no_memory(place->message, "the limits");
        floors->looks++;
    }
    return SSIMCU_OK;
}

void limits_floors_free(struct limits_floors *floors)
{
    for (size_t i = 0; i < floors->looks; i++) {
        limits_floors_free(&floors->look[i].floors);
        free(floors->look[i].path);
    }
    for (size_t i = 0; i < floors->shots; i++) free(floors->shot[i].match);
    free(floors->look);
    free(floors->shot);
    free(floors->path);
    json_decref(floors->contract);
    *floors = (struct limits_floors){0};
}

ssimcu_status limits_floors_take(const char *path, json_t *own, struct limits_floors *floors,
                                 ssimcu_message *message)
{
    struct limits_place place = {.path = path, .kind = "floors", .message = message};
    if (!json_is_object(own))
        return limits_wrong(&(struct limits_place){.path = path, .message = message}, "floors",
                            "an object");
    const json_t *tile = json_object_get(own, "tile");
    ssimcu_status status = take_path(&place, json_object_get(own, "file"), floors);
    if (status == SSIMCU_OK)
        status = take_print(&place, json_object_get(own, "fingerprint"), floors);
    if (status == SSIMCU_OK) status = take_looks(&place, json_object_get(own, "or"), floors);
    const json_int_t side = json_integer_value(tile);
    if (status == SSIMCU_OK && !score_allows_tile(side))
        status = limits_wrong(&place, "tile", SCORE_TILES);
    floors->tile = (uint32_t)side;
    for (void *at = json_object_iter(own); at && status == SSIMCU_OK;
         at = json_object_iter_next(own, at))
        status = check_told(&place, json_object_iter_key(at), json_object_iter_value(at));
    json_t *contract = json_object_get(own, "contract");
    if (status == SSIMCU_OK && !json_is_object(contract))
        status = limits_wrong(&place, "contract", "an object, as ssimcu calibrate writes it");
    if (status == SSIMCU_OK) status = check_tile(&place, contract, side);
    if (status == SSIMCU_OK) floors->contract = json_incref(contract);
    return status == SSIMCU_OK ? take_shots(&place, json_object_get(own, "shots"), floors) : status;
}

/* ---- The contract ---------------------------------------------------------------------------- */

/* A member that two contracts do not share. */
struct difference {
    char name[80];
    json_t *learnt, *own; /* NULL: there is none */
};

/* Returns whether two values are alike. People write a number in any form. */
static bool is_same(const json_t *a, const json_t *b)
{
    if (json_is_number(a) && json_is_number(b)) return json_number_value(a) == json_number_value(b);
    return a && b && json_equal(a, b);
}

/* Finds the first such member, which may be in an object within. `before`: "", or "light.". What a
 * run ignores, its floors and its metrics beside SSIM are no part of how floors were learnt. */
static bool find_difference(json_t *learnt, json_t *own, const char *before,
                            struct difference *found)
{
    json_t *const side[2] = {learnt, own};
    for (int s = 0; s < 2; s++)
        for (void *at = json_object_iter(side[s]); at; at = json_object_iter_next(side[s], at)) {
            const char *name = json_object_iter_key(at);
            json_t *a = json_object_get(learnt, name), *b = json_object_get(own, name);
            char within[40];
            if (is_same(a, b) || strcmp(name, "ignored") == 0 || strcmp(name, "floors") == 0 ||
                strcmp(name, "metrics") == 0)
                continue;
            snprintf(within, sizeof within, "%.38s.", name);
            if (!before[0] && json_is_object(a) && json_is_object(b)) {
                if (find_difference(a, b, within, found)) return true;
                continue;
            }
            snprintf(found->name, sizeof found->name, "%s%.38s", before, name);
            found->learnt = a;
            found->own = b;
            return true;
        }
    return false;
}

ssimcu_status limits_check_contract(const struct limits_file *file, json_t *contract,
                                    const char *what, ssimcu_message *message)
{
    struct difference found;
    if (!file->floors.contract || !find_difference(file->floors.contract, contract, "", &found))
        return SSIMCU_OK;
    char *learnt = json_to_shown(found.learnt), *own = json_to_shown(found.own);
    const ssimcu_status status =
        learnt && own ? ssimcu_fail(message, SSIMCU_ERROR_MISMATCH,
                                    "%.200s: floors: contract: %s is %.100s, that of %s is %.100s: "
                                    "score as calibrate did, or calibrate again",
                                    file->path, found.name, learnt, what, own)
                      : ssimcu_no_memory(message, "the limits");
    free(learnt), free(own);
    return status;
}
