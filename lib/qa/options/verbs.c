#include "options/verbs.h"

#include "base/counts.h"
#include "base/refuse.h"
#include "verdict/limits.h"

#include "metric_table.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

enum {
    EXR = 1 << KIND_PICTURES,
    PICTURES = EXR | 1 << KIND_FLAT,
    VIDEO = 1 << KIND_VIDEO,
    ANY = PICTURES | VIDEO
};
enum {
    FILES = VERB_SCORE | VERB_LIST,      /* frames are read and scored */
    SIDES = VERB_SCORE | VERB_CALIBRATE, /* REF and other inputs are named */
    LEARNT = FILES | VERB_CALIBRATE,     /* frames are scored, or learned from */
    JUDGED = FILES | VERB_MERGE,         /* a verdict is given */
    MADE = JUDGED | VERB_CALIBRATE,      /* a report can be written */
    CHECKED = VERB_CHECK,
    EVERY_VERB = MADE | VERB_ACCEPT | CHECKED
};

/* Traits of rows. */
#define COMMON .common = true
#define NEEDS(name) .needs = name
#define EXPECT(text) .expected = text
#define A_NAME EXPECT("a name")
#define A_DROP EXPECT("a number from 0 to below 2")
#define RESULTS(format) .bits = SSIMCU_RESULTS_##format
#define COUNT(least_, most_, text)                                                                 \
    .least = least_, .most = most_, .bound = most_, EXPECT("a whole number" text)
#define REAL(low_, high_, text) .low = low_, .high = high_, EXPECT("a number" text)
#define LIMIT(limit) 1u << SSIMCU_LIMIT_##limit
#define OF_SSIM(limit) .bits = LIMIT(limit), .limits = LIMIT(limit)
#define OF_ANY_METRIC EXPECT("a number above -1, at most 1, or METRIC=NUMBER such as psnr=38")
#define BARRED(id, name, ...) "|" name
#define LISTED(id, name, ...) ", " name
#define METRIC_NAMES "ssim" SSIMCU_OTHER_METRICS(BARRED)
#define METRICS_EXPECTED "names separated by commas, each once: ssim" SSIMCU_OTHER_METRICS(LISTED)

#define PLACE(field) offsetof(ssimcu_run_options, field)
#define END(field) PLACE(field) + sizeof((ssimcu_run_options *)NULL)->field
#define SPAN(first, last) PLACE(first), END(last) - PLACE(first)
#define OPTION_OF(name_, first, last, take, group, verbs, kinds, ...)                              \
    {.name = name_, #take, #group, verbs, kinds, SPAN(first, last), __VA_ARGS__},
#define PROGRAM(name_, field, take, group, verbs, ...)                                             \
    {.name = name_, #take, #group, verbs, 0, 0, 0, __VA_ARGS__},

static const char FAIL_ON_HELP[] = "fail on these findings, separated by commas: all, none, or"
#define FINDING(id, name, ...) " " name
#define FINDING_FIXED(id, ...)
#include "record/findings.def"
    ;

const struct option_row option_rows[OPTION_ROWS] = {
#include "options/options.def"
};

static bool is_given(const ssimcu_run_options *given, const struct option_row *row)
{
    const unsigned char *field = (const unsigned char *)given + row->offset;
    uint32_t bits;
    if (given->limits & row->limits) return true;
    if (row->bits) return memcpy(&bits, field, sizeof bits), bits & row->bits;
    for (size_t i = 0; i < row->size; i++)
        if (field[i]) return true;
    return false;
}

bool verbs_take_limit(ssimcu_run_options *given, const struct option_row *row, double number)
{
    int fault = 0;
    while (!(row->limits >> fault & 1)) fault++;
    given->limit[fault] = number, given->limits |= row->limits;
    return limits_allow(fault, number);
}

static const char *name_of(enum verb verb)
{
    static const char *const names[] = {"REF and OUT", "--list", "merge",
                                        "calibrate",   "accept", "check"};
    int bit = 0;
    while (verb >> bit > 1) bit++;
    return names[bit];
}

ssimcu_status verbs_refuse(const struct option_row *row, enum verb verb, ssimcu_message *message)
{
    if (row->verbs == VERB_ACCEPT || row->verbs == VERB_CALIBRATE)
        FAIL(ARGUMENT, "--%s is for %s", row->name, name_of((enum verb)row->verbs));
    if (row->verbs == VERB_CHECK && verb < VERB_CHECK)
        FAIL(ARGUMENT, "--%s is for check", row->name);
    FAIL(ARGUMENT, "--%s does not go with %s", row->name, name_of(verb));
}

ssimcu_status verbs_check(const ssimcu_run_options *given, enum verb verb, ssimcu_message *message)
{
    for (const struct option_row *row = option_rows; row < option_rows + OPTION_ROWS; row++) {
        if (!is_given(given, row)) continue;
        if (!(row->verbs & verb)) return verbs_refuse(row, verb, message);
        if (!row->writes || strcmp(*(char *const *)((const char *)given + row->offset), "-") != 0)
            continue;
        if (!row->dash || (given->results != SSIMCU_RESULTS_AUTO && !given->output))
            FAIL(ARGUMENT, "--%s -: expected a path, because the %s to standard output", row->name,
                 row->dash ? "results go" : "score goes");
    }
    return SSIMCU_OK;
}

const char *verbs_unfit(const ssimcu_run_options *given, enum verb_kind kind)
{
    for (const struct option_row *row = option_rows; row < option_rows + OPTION_ROWS; row++)
        if (!(row->kinds >> kind & 1) && is_given(given, row)) return row->name;
    return NULL;
}

/* Refuses a choice that is not one of the names. */
static ssimcu_status refuse_choice(const struct option_row *row, uint64_t bars,
                                   ssimcu_message *message)
{
    char names[100] = "", *end = names;
    for (const char *at = row->value; *at; at++)
        if (*at != '|')
            *end++ = *at;
        else
            end = stpcpy(end, --bars > 0 ? ", " : " or ");
    FAIL(ARGUMENT, "--%s: expected %s", row->name, names);
}

/* Returns whether an option of this name was given. */
static bool is_there(const ssimcu_run_options *given, const char *name)
{
    const struct option_row *row = option_rows;
    while (strcmp(row->name, name) != 0) row++;
    return is_given(given, row);
}

/* A negative number that was converted to unsigned is a huge count. No option allows that. */
ssimcu_status verbs_check_values(const ssimcu_run_options *given, ssimcu_message *message)
{
    for (const struct option_row *row = option_rows; row < option_rows + OPTION_ROWS; row++) {
        const bool choice = row->size > 0 && strcmp(row->take, "choice") == 0;
        const void *field = (const char *)given + row->offset;
        uint64_t bars = 0;
        if (row->needs && is_given(given, row) && !is_there(given, row->needs))
            FAIL(ARGUMENT, "--%s needs --%s", row->name, row->needs);
        if (!choice && row->bound == 0) continue;
        const uint64_t value =
            row->size == sizeof(uint32_t) ? *(const uint32_t *)field : *(const uint64_t *)field;
        for (const char *at = row->value; choice && *at; at++) bars += *at == '|';
        if (choice && value > bars + row->least) return refuse_choice(row, bars, message);
        if (choice || value <= row->bound) continue;
        if (value == SSIMCU_NONE && strcmp(row->take, "some") == 0) continue;
        FAIL(ARGUMENT, "--%s %" PRIu64 ": expected up to %" PRIu64, row->name, value, row->bound);
    }
    return SSIMCU_OK;
}
