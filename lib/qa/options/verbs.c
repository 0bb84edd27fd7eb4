#include "options/verbs.h"

#include "base/refuse.h"
#include "verdict/limits.h"

#include <stddef.h>
#include <string.h>

enum {
    EXR = 1 << KIND_PICTURES,
    PICTURES = EXR | 1 << KIND_FLAT,
    VIDEO = 1 << KIND_VIDEO,
    ANY_KIND = PICTURES | VIDEO
};
enum {
    FILES = VERB_SCORE | VERB_LIST,  /* frames are read and scored */
    LEARNT = FILES | VERB_CALIBRATE, /* what is scored, or learnt from */
    JUDGED = FILES | VERB_MERGE,     /* a verdict is given */
    MADE = JUDGED | VERB_CALIBRATE,  /* all that write a page */
    CHECKED = VERB_CHECK | VERB_CHECK_MERGE
};

/* An option that is a field. It was given if any byte of the field is not 0, or any of `bits`. */
struct verb_row {
    const char *name; /* NULL: those of faults_row that have a bit */
    unsigned verbs, kinds;
    size_t offset, size;
    uint32_t bits; /* 0: all */
};

#define PLACE(field) offsetof(ssimcu_run_options, field), sizeof((ssimcu_run_options *)NULL)->field
#define ROW(name_, verbs_, kinds_, field)                                                          \
    {                                                                                              \
        name_, verbs_, kinds_, PLACE(field), 0                                                     \
    }
#define BITS(name_, verbs_, field, bits_)                                                          \
    {                                                                                              \
        name_, verbs_, ANY_KIND, PLACE(field), bits_                                               \
    }

/* An option of several fields has several rows, one behind the other. */
static const struct verb_row ROWS[] = {
    ROW("list", VERB_LIST | VERB_CHECK, PICTURES, list),
    ROW("group", VERB_SCORE, VIDEO, groups),
    ROW("or", VERB_SCORE, ANY_KIND, variants),
    ROW("recursive", VERB_SCORE | VERB_CALIBRATE | VERB_CHECK, ANY_KIND, recursive),
    ROW("frames", LEARNT | VERB_ACCEPT | VERB_CHECK, ANY_KIND, frames),
    ROW("offset", VERB_SCORE | VERB_CALIBRATE, ANY_KIND, offset),
    ROW("align", VERB_SCORE, VIDEO, align),
    ROW("missing", JUDGED, ANY_KIND, missing),
    ROW("stale", JUDGED, ANY_KIND, stale),
    ROW("shard", FILES | VERB_CHECK, ANY_KIND, shards),
    ROW("region", LEARNT, ANY_KIND, region.width),
    ROW("size", VERB_SCORE | VERB_CALIBRATE | VERB_CHECK, VIDEO, size),
    ROW("format", VERB_SCORE | VERB_CALIBRATE | VERB_CHECK, VIDEO, format),
    ROW("layer", LEARNT | VERB_CHECK, EXR, layer),
    ROW("channels", LEARNT | VERB_CHECK, EXR, channels),
    ROW("layers", VERB_SCORE | VERB_CALIBRATE | VERB_CHECK, EXR, layers),
    ROW("range", VERB_SCORE | VERB_CALIBRATE, VIDEO, range),
    ROW("matrix", VERB_SCORE | VERB_CALIBRATE, VIDEO, matrix),
    ROW("stream", VERB_SCORE | VERB_CALIBRATE | VERB_CHECK, VIDEO, stream),
    ROW("max-pixels", LEARNT | VERB_MERGE | CHECKED, ANY_KIND, max_pixels),
    ROW("scale", VERB_SCORE, VIDEO, scale),
    ROW("scaler", VERB_SCORE, VIDEO, scaler),

    ROW("color", LEARNT, ANY_KIND, color),
    ROW("pad", LEARNT, ANY_KIND, pad),
    ROW("alpha", LEARNT, PICTURES, alpha),
    ROW("tile", LEARNT, ANY_KIND, tile),
    ROW("metric", FILES, ANY_KIND, metrics),
    ROW("metric", FILES, ANY_KIND, metric),
    ROW("compat", FILES, ANY_KIND, compat),
    ROW("hdr", LEARNT, ANY_KIND, hdr),
    ROW("nan", LEARNT, ANY_KIND, nan_zero),
    ROW("exposure", LEARNT, ANY_KIND, has_exposure),
    ROW("white", LEARNT, ANY_KIND, white),

    ROW("min-score", JUDGED, ANY_KIND, score_limits),
    ROW("min-frame", JUDGED, ANY_KIND, frame_limits),
    {NULL, JUDGED, ANY_KIND, 0, 0, 0}, /* the other limits of SSIM */
    ROW("differ-above", FILES, PICTURES, differ_above),
    ROW("fail-on-hint", JUDGED, ANY_KIND, fail_on_hint),
    ROW("max-bad", JUDGED, ANY_KIND, max_bad),
    ROW("baseline", JUDGED, ANY_KIND, baseline),
    ROW("limits", MADE, ANY_KIND, limits_file),

    ROW("output", MADE | CHECKED, ANY_KIND, output),
    BITS("json", JUDGED | CHECKED, results, SSIMCU_RESULTS_JSON),
    BITS("csv", JUDGED | CHECKED, results, SSIMCU_RESULTS_CSV),
    ROW("resume", FILES | VERB_CHECK, ANY_KIND, resume),
    ROW("junit", JUDGED | CHECKED, ANY_KIND, junit),
    ROW("junit-cases", JUDGED, ANY_KIND, junit_cases),
    ROW("markdown", JUDGED, ANY_KIND, markdown),
    ROW("map", FILES, ANY_KIND, map),
    ROW("map-style", FILES, ANY_KIND, map_style),
    ROW("report", MADE | CHECKED, ANY_KIND, report),
    ROW("report-frames", JUDGED, ANY_KIND, report_frames),
    ROW("worst", JUDGED, ANY_KIND, worst),

    ROW("device", MADE, ANY_KIND, device),
    ROW("device", MADE, ANY_KIND, device_index),
    ROW("device", MADE, ANY_KIND, all_devices),
    ROW("decode", LEARNT, ANY_KIND, decode),
    ROW("threads", MADE | CHECKED, ANY_KIND, threads),
    ROW("memory", MADE | CHECKED, ANY_KIND, memory_bytes),
};
enum { ROW_COUNT = sizeof ROWS / sizeof ROWS[0] };

static const char *limit_name(int fault) { return faults_row(fault)->option + strlen("--"); }

/* Return the first limit of SSIM that was given, and that of an option; FAULT_METRIC: none. */
static int limit_given(const ssimcu_run_options *given)
{
    int f = 0;
    while (f < FAULT_METRIC && !(given->limits >> f & 1)) f++;
    return f;
}
static int limit_of(const char *option)
{
    int f = 0;
    while (f < FAULT_METRIC && strcmp(limit_name(f), option) != 0) f++;
    return f;
}

static bool is_given(const ssimcu_run_options *given, const struct verb_row *row)
{
    const unsigned char *field = (const unsigned char *)given + row->offset;
    uint32_t bits;
    if (!row->name) return limit_given(given) < FAULT_METRIC;
    if (row->bits) return memcpy(&bits, field, sizeof bits), bits & row->bits;
    for (size_t i = 0; i < row->size; i++)
        if (field[i]) return true;
    return false;
}

/* Returns the name of what was given of a row. */
static const char *given_name(const ssimcu_run_options *given, const struct verb_row *row)
{
    return row->name ? row->name : limit_name(limit_given(given));
}

unsigned verbs_of(const char *option)
{
    const bool limit = limit_of(option) < FAULT_METRIC;
    for (int i = 0; i < ROW_COUNT; i++)
        if (ROWS[i].name ? strcmp(ROWS[i].name, option) == 0 : limit) return ROWS[i].verbs;
    return 0;
}

bool verbs_take_limit(ssimcu_run_options *given, const char *option, double number)
{
    const int fault = limit_of(option);
    given->limit[fault] = number, given->limits |= 1u << fault;
    return limits_allow(fault, number);
}

static const char *name_of(enum verb verb)
{
    switch (verb) {
    case VERB_LIST: return "--list";
    case VERB_MERGE: return "merge";
    case VERB_CALIBRATE: return "calibrate";
    case VERB_ACCEPT: return "accept";
    case VERB_CHECK: return "check";
    case VERB_CHECK_MERGE: return "check --merge";
    default: return "REF and OUT";
    }
}

ssimcu_status verbs_refuse(const char *option, unsigned verbs, enum verb verb,
                           ssimcu_message *message)
{
    if (verbs == VERB_ACCEPT || verbs == VERB_CALIBRATE)
        return refuse(message, "--%s is for %s", option,
                      verbs == VERB_ACCEPT ? "accept" : "calibrate");
    if ((verbs & ~(unsigned)VERB_CHECK_MERGE) == VERB_CHECK && verb < VERB_CHECK)
        return refuse(message, "--%s is for check", option);
    return refuse(message, "--%s does not go with %s", option, name_of(verb));
}

/* Refuses "-" as the name of an output: it is standard input, and standard output has the score. */
static ssimcu_status check_dashes(const ssimcu_run_options *given, ssimcu_message *message)
{
    const struct {
        const char *option, *path;
    } outputs[] = {{"output", given->output},     {"resume", given->resume},
                   {"junit", given->junit},       {"map", given->map},
                   {"markdown", given->markdown}, {"report", given->report}};
    for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++)
        if (outputs[i].path && strcmp(outputs[i].path, "-") == 0)
            return refuse(message, "--%s -: expected a path: standard output has the score",
                          outputs[i].option);
    return SSIMCU_OK;
}

ssimcu_status verbs_check(const ssimcu_run_options *given, enum verb verb, ssimcu_message *message)
{
    for (int i = 0; i < ROW_COUNT; i++)
        if (!(ROWS[i].verbs & verb) && is_given(given, &ROWS[i]))
            return verbs_refuse(given_name(given, &ROWS[i]), ROWS[i].verbs, verb, message);
    return check_dashes(given, message);
}

const char *verbs_unfit(const ssimcu_run_options *given, enum verb_kind kind)
{
    for (int i = 0; i < ROW_COUNT; i++)
        if (!(ROWS[i].kinds >> kind & 1) && is_given(given, &ROWS[i]))
            return given_name(given, &ROWS[i]);
    return NULL;
}
