/* The findings of a record in results. */
#include "lines/fact.h"
#include "record/record.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static json_t *finding_to_json(const struct finding *finding)
{
    struct object json = object_new();
    object_text(&json, "kind", finding_row(finding->kind)->name);
    object_bool(&json, "fails", finding->fails);
    if (isfinite(finding->value)) object_real(&json, "value", finding->value);
    if (isfinite(finding->limit)) object_real(&json, "limit", finding->limit);
    if (finding->place.width > 0) fact_put_place(&json, finding->place);
    object_path(&json, "text", finding->text);
    return object_end(&json);
}

json_t *findings_to_json(const struct findings *findings)
{
    json_t *list = json_array();
    for (size_t i = 0; i < findings->count; i++)
        list = json_add(list, finding_to_json(&findings->at[i]));
    return list;
}

static bool has_findings(struct fact_source fact) { return fact.record->findings.count > 0; }

static json_t *to_json(struct fact_source fact) { return findings_to_json(&fact.record->findings); }

/* Reads a finding back. Findings of limits and of missing or failed pairs are skipped, because the
 * reader judges the record again, perhaps by other limits. Returns false if it is not a finding. */
static bool add(const json_t *json, struct record *record)
{
    const char *name = json_text(json, "kind"), *text = json_text(json, "text");
    const json_t *value = json_object_get(json, "value");
    struct finding_place place = {0};
    if (!name || !text || (value && !json_is_number(value))) return false;
    const int kind = finding_named(name, strlen(name));
    const bool pair = record->side[0].path || record->missing[0];
    if (kind == FINDING_KINDS || kind == FINDING_FAILED || (pair && kind == FINDING_MISSING))
        return true;
    if (json_object_get(json, "width") &&
        !fact_read_place(json, &place.x, &place.y, &place.width, &place.height))
        return false;
    (void)findings_add(&record->findings, (enum finding_kind)kind, place,
                       value ? json_number_value(value) : NAN, "%s", text);
    return true;
}

static ssimcu_status from_json(struct fact_target fact)
{
    bool good = json_is_array(fact.value);
    for (size_t i = 0; i < json_array_size(fact.value) && good; i++)
        good = add(json_array_get(fact.value, i), fact.record);
    if (fact.record->findings.out_of_memory) return SSIMCU_ERROR_MEMORY;
    return fact_read(good);
}

/* Writes the kinds that fail the frame, and the texts of all findings. */
static bool to_csv(FILE *to, struct fact_source fact)
{
    const struct findings *findings = &fact.record->findings;
    char kinds[FINDING_NAMES], *text = NULL;
    size_t size;
    FILE *all = open_memstream(&text, &size);
    for (size_t i = 0; all && i < findings->count; i++) {
        char line[FINDING_LINE];
        fprintf(all, "%s%s", i > 0 ? "; " : "", finding_line(line, &findings->at[i]));
    }
    bool good = all && fclose(all) == 0 &&
                fact_put_text(to, findings_names(kinds, findings_failing(findings), ";"));
    fputc(',', to);
    good = good && fact_put_text(to, text);
    free(text);
    return good;
}

const struct fact_kind fact_findings = {
    .has = has_findings, .to_json = to_json, .from_json = from_json, .to_csv = to_csv};
