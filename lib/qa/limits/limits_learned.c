/* The learned limits in a limits file: where they are, how they were learned, and how far frames
 * may be over them. */
#include "limits/limits_file.h"

#include "limits/limits_read.h"

#include "base/json.h"
#include "base/refuse.h"
#include "base/text.h"
#include "engine/score.h"
#include "record/contract.h"

#include <stdlib.h>
#include <string.h>

ssimcu_status limits_wrong(const struct limits_place *place, const char *key, const char *expected)
{
    char number[32] = "";
    if (place->number > 0) snprintf(number, sizeof number, " %zu", place->number);
    return fail_data(place->message, "%.300s: %s%s%s%.80s%s%s%.80s: expected %s", place->path,
                     place->kind ? place->kind : "", number, place->name ? " \"" : "",
                     place->name ? place->name : "", place->name ? "\"" : "",
                     place->kind ? ": " : "", key, expected);
}

ssimcu_status limits_copy(const json_t *text, char **to, ssimcu_message *message)
{
    *to = strdup(json_string_value(text));
    return *to ? SSIMCU_OK : ssimcu_no_memory(message, "the limits");
}

ssimcu_status limits_take_path(const struct limits_place *place, const char *key,
                               const json_t *value, const char *expected, char **path)
{
    const char *name = json_string_value(value), *limits = place->path;
    if (!name || !name[0]) return limits_wrong(place, key, expected);
    const size_t folder = name[0] == '/' ? 0 : (size_t)(text_base(limits) - limits);
    char *start = strndup(limits, folder);
    *path = start ? text_join(start, name, "", "") : NULL;
    free(start);
    return *path ? SSIMCU_OK : ssimcu_no_memory(place->message, "the limits");
}

/* ---- Learned limits
 * ---------------------------------------------------------------------------------- */

/* Reads how far a frame may be over the learned limits of a rule. */
static ssimcu_status take_excess(const struct limits_place *place, const char *key,
                                 const json_t *value, struct limits_shot *shot)
{
    char rules[200];
    size_t used = 0;
    for (int r = 0; r < LEARNED_RULES; r++) {
        if (strcmp(key, learned_rule_names[r]) != 0) continue;
        shot->max_excess[r] = json_number_value(value);
        return shot->max_excess[r] > 0 ? SSIMCU_OK : limits_wrong(place, key, "a number above 0");
    }
    for (int r = 0; r < LEARNED_RULES; r++)
        used += (size_t)snprintf(rules + used, sizeof rules - used, "%s%s",
                                 r == 0                  ? ""
                                 : r < LEARNED_RULES - 1 ? ", "
                                                         : " or ",
                                 learned_rule_names[r]);
    return limits_wrong(place, key, rules);
}

static ssimcu_status take_shot(struct limits_place *place, json_t *own, struct limits_shot *shot)
{
    if (!json_is_object(own)) return limits_wrong(place, "shot", "an object");
    const json_t *match = json_object_get(own, "match");
    json_t *excess = json_object_get(own, "max_excess");
    if (!json_is_string(match) || !json_string_value(match)[0])
        return limits_wrong(place, "match", "a glob such as \"sh030/*\"");
    TRY(limits_copy(match, &shot->match, place->message));
    place->name = shot->match;
    if (!json_is_object(excess) || json_object_size(excess) == 0)
        return limits_wrong(place, "max_excess", "an object with a limit for some rule at least");
    if (json_object_size(own) > 2) return limits_wrong(place, "shot", "only match and max_excess");
    for (void *at = json_object_iter(excess); at; at = json_object_iter_next(excess, at))
        TRY(take_excess(place, json_object_iter_key(at), json_object_iter_value(at), shot));
    return SSIMCU_OK;
}

static ssimcu_status take_shots(struct limits_place *place, const json_t *shots,
                                struct limits_learned *learned)
{
    if (!json_is_array(shots) || json_array_size(shots) == 0)
        return limits_wrong(place, "shots", "a list of shots");
    learned->shot = calloc(json_array_size(shots), sizeof *learned->shot);
    if (!learned->shot) return ssimcu_no_memory(place->message, "the limits");
    place->kind = "learned: shot";
    for (size_t i = 0; i < json_array_size(shots); i++) {
        place->number = ++learned->shots;
        place->name = NULL;
        TRY(take_shot(place, json_array_get(shots, i), &learned->shot[i]));
    }
    return SSIMCU_OK;
}

/* Checks a member that describes to people how the limits were learned. */
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
        return limits_wrong(place, key,
                            "file, fingerprint, reference, tile, contract, runs, false_alarms, "
                            "frames, shots or \"or\"");
    return json_number_value(value) > 0 && json_number_value(value) < 1
               ? SSIMCU_OK
               : limits_wrong(place, key, "a number above 0, below 1");
}

/* Checks the tile's side against the contract; otherwise only the run would report a mismatch. */
static ssimcu_status check_tile(const struct limits_place *place, const json_t *contract,
                                json_int_t side)
{
    char expected[60];
    const json_t *learnt = json_object_get(contract, "tile");
    if (!json_is_integer(learnt) || json_integer_value(learnt) == side) return SSIMCU_OK;
    snprintf(expected, sizeof expected, "%lld, the tile size of its contract",
             (long long)json_integer_value(learnt));
    return limits_wrong(place, "tile", expected);
}

/* Reads the fingerprint of that file, because another calibration's learned limits would judge
 * differently. */
static ssimcu_status take_print(const struct limits_place *place, const json_t *print,
                                struct limits_learned *learned)
{
    const char *text = json_string_value(print);
    if (!text || strlen(text) != LEARNED_PRINT - 1)
        return limits_wrong(place, "fingerprint", "that of the file; calibrate again");
    memcpy(learned->print, text, LEARNED_PRINT);
    return SSIMCU_OK;
}

/* Reads the names of the variants' limits files, which are relative to this one. */
static ssimcu_status take_variants(const struct limits_place *place, const json_t *list,
                                   struct limits_learned *learned)
{
    static const char expected[] = "a list of files of limits, one for each --or";
    const size_t count = json_array_size(list);
    if (list && (!json_is_array(list) || count == 0)) return limits_wrong(place, "or", expected);
    learned->variant = list ? calloc(count, sizeof *learned->variant) : NULL;
    if (list && !learned->variant) return ssimcu_no_memory(place->message, "the limits");
    for (; learned->variants < count; learned->variants++)
        TRY(limits_take_path(place, "or", json_array_get(list, learned->variants), expected,
                             &learned->variant[learned->variants].path));
    return SSIMCU_OK;
}

void limits_learned_free(struct limits_learned *learned)
{
    for (size_t i = 0; i < learned->variants; i++) {
        limits_learned_free(&learned->variant[i].learned);
        free(learned->variant[i].path);
    }
    for (size_t i = 0; i < learned->shots; i++) free(learned->shot[i].match);
    free(learned->variant);
    free(learned->shot);
    free(learned->path);
    json_decref(learned->contract);
    *learned = (struct limits_learned){0};
}

ssimcu_status limits_learned_take(const char *path, json_t *own, struct limits_learned *learned,
                                  ssimcu_message *message)
{
    struct limits_place place = {.path = path, .kind = "learned", .message = message};
    if (!json_is_object(own))
        return limits_wrong(&(struct limits_place){.path = path, .message = message}, "learned",
                            "an object");
    const json_t *tile = json_object_get(own, "tile");
    TRY(limits_take_path(&place, "file", json_object_get(own, "file"),
                         "the name of a file with learned limits", &learned->path));
    TRY(take_print(&place, json_object_get(own, "fingerprint"), learned));
    TRY(take_variants(&place, json_object_get(own, "or"), learned));
    const json_int_t side = json_integer_value(tile);
    if (!score_allows_tile(side)) return limits_wrong(&place, "tile", SCORE_TILES);
    learned->tile = (uint32_t)side;
    for (void *at = json_object_iter(own); at; at = json_object_iter_next(own, at))
        TRY(check_told(&place, json_object_iter_key(at), json_object_iter_value(at)));
    json_t *contract = json_object_get(own, "contract");
    if (!json_is_object(contract))
        return limits_wrong(&place, "contract", "an object, as ssimcu calibrate writes it");
    TRY(check_tile(&place, contract, side));
    learned->contract = json_incref(contract);
    return take_shots(&place, json_object_get(own, "shots"), learned);
}

/* ---- The contract ---------------------------------------------------------------------------- */

ssimcu_status limits_check_contract(const struct limits_file *file, json_t *contract,
                                    const char *what, ssimcu_message *message)
{
    struct contract_difference found;
    if (!file->learned.contract ||
        !contract_find_difference(file->learned.contract, contract, false, &found))
        return SSIMCU_OK;
    char *learnt = json_to_shown(found.value), *own = json_to_shown(found.other);
    const ssimcu_status status =
        learnt && own ? fail_mismatch(message,
                                      "%.200s: learned: contract: %s is %.100s, but for %s it is "
                                      "%.100s: score as calibrate did, or calibrate again",
                                      file->path, found.name, learnt, what, own)
                      : ssimcu_no_memory(message, "the limits");
    free(learnt), free(own);
    return status;
}
