#include "option_values.h"

#include "console.h"

#include "record/metrics.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* A given value: its place in struct arguments, its row, and its text, which is NULL for a flag. */
struct option_given {
    struct arguments *arguments;
    ssimcu_run_options *run; /* `run` of the arguments */
    void *field;             /* the field of the row */
    const struct option_row *row;
    const char *text;
};

/* ---- Numbers and names ----------------------------------------------------------------------- */

/* Returns the index of `text` among names separated by bars; -1: not found. */
static int index_of(const char *text, const char *names)
{
    const size_t length = strlen(text);
    for (int i = 0;; i++) {
        const size_t name = strcspn(names, "|");
        if (name == length && strncmp(text, names, name) == 0) return i;
        if (!names[name]) return -1;
        names += name + 1;
    }
}

const char *option_whole(const char *text, uint64_t least, uint64_t most, uint64_t *value)
{
    char *end;
    errno = 0;
    *value = strtoull(text, &end, 10);
    const bool digit = text[0] >= '0' && text[0] <= '9';
    return digit && errno == 0 && *value >= least && *value <= most ? end : NULL;
}

static bool parse_count(const char *text, uint64_t least, uint64_t most, uint64_t *value)
{
    const char *end = option_whole(text, least, most, value);
    return end && *end == '\0';
}

/* Parses a finite number. */
static bool parse_number(const char *text, double *number)
{
    char *end;
    *number = strtod(text, &end);
    return end != text && *end == '\0' && isfinite(*number);
}

/* Parses numbers with a mark before each except the first, such as "64x48+0+0" by "x++". The first
 * `sized` must be 1 or more. Returns false if any is missing. */
static bool parse_numbers(const char *text, const char *marks, size_t sized, uint64_t most,
                          uint32_t *numbers)
{
    for (size_t i = 0;; i++) {
        uint64_t number;
        text = option_whole(text, i < sized, most, &number);
        if (!text || *text != marks[i]) return false;
        numbers[i] = (uint32_t)number;
        if (*text++ == '\0') return true;
    }
}

/* ---- One value of each kind: false if the text is not valid ---------------------------------- */

/* Sets a flag. If the option has choices, the last one sets it. */
static bool take_yes(struct option_given given)
{
    const char *last = given.row->value ? strrchr(given.row->value, '|') : NULL;
    const int word = given.row->value ? index_of(given.text, given.row->value) : 0;
    *(uint32_t *)given.field = !last || strcmp(given.text, last + 1) == 0;
    return word >= 0;
}

static bool take_action(struct option_given given)
{
    static const char names[] = "help|help-all|version|list-devices"; /* in the order of the enum */
    given.arguments->action = (enum action)(ACTION_HELP + index_of(given.row->name, names));
    return true;
}

static bool take_text(struct option_given given)
{
    *(const char **)given.field = given.text;
    return true;
}

/* JSON overrides CSV. */
static bool take_results(struct option_given given)
{
    ssimcu_results *results = given.field;
    if (*results != SSIMCU_RESULTS_JSON) *results = (ssimcu_results)given.row->bits;
    return true;
}

/* Reads one of the names in the row's `value`, in the order of an enum from `least`. */
static bool take_choice(struct option_given given)
{
    const int choice = index_of(given.text, given.row->value);
    if (choice >= 0) *(unsigned *)given.field = (unsigned)choice + (unsigned)given.row->least;
    return choice >= 0;
}

/* Adds one of several texts, which `field` counts. `most` is their largest number. */
static bool take_list(struct option_given given)
{
    const bool group = given.field == &given.run->groups;
    const char **texts = group ? given.arguments->group : given.arguments->variant;
    uint32_t *count = given.field;
    *(group ? &given.run->group : &given.run->variant) = texts;
    if (*count == given.row->most) return false;
    texts[(*count)++] = given.text;
    return true;
}

/* Reads a count from `least` to `most`. */
static bool take_count(struct option_given given)
{
    uint64_t value;
    const bool good = parse_count(given.text, given.row->least, given.row->most, &value);
    if (given.row->size == sizeof(uint32_t))
        *(uint32_t *)given.field = (uint32_t)value;
    else
        *(uint64_t *)given.field = value;
    return good;
}

/* Reads a count where 0 means none, not the default. */
static bool take_some(struct option_given given)
{
    uint32_t *count = given.field;
    if (!take_count(given)) return false;
    if (*count == 0) *count = SSIMCU_NONE;
    return true;
}

static bool take_tile(struct option_given given)
{
    const uint32_t *tile = given.field;
    return take_some(given) && (*tile == SSIMCU_NONE || (*tile % 4 == 0 && *tile >= 24));
}

/* Reads a number from `low` to `high`. */
static bool take_real(struct option_given given)
{
    double *number = given.field;
    return parse_number(given.text, number) && *number >= given.row->low &&
           *number <= given.row->high;
}

static bool take_exposure(struct option_given given)
{
    given.run->has_exposure = 1;
    return parse_number(given.text, &given.run->exposure) && fabs(given.run->exposure) <= 64;
}

static bool take_offset(struct option_given given)
{
    uint64_t value;
    const bool negative = given.text[0] == '-';
    const bool good = parse_count(given.text + negative, 0, given.row->most, &value);
    *(int64_t *)given.field = negative ? -(int64_t)value : (int64_t)value;
    return good;
}

static bool take_device(struct option_given given)
{
    ssimcu_run_options *run = given.run;
    enum { ALL = 3 };
    uint64_t number = 0;
    int choice = index_of(given.text, "auto|cpu|cuda|all");
    run->all_devices = choice == ALL;
    if (choice < 0 && strncmp(given.text, "cuda:", 5) == 0 &&
        parse_count(given.text + 5, 0, 1023, &number))
        choice = SSIMCU_DEVICE_CUDA;
    if (choice < 0) return false;
    run->device = choice == ALL ? SSIMCU_DEVICE_CUDA : (ssimcu_device)choice;
    run->device_index = (uint32_t)number;
    return true;
}

enum { MOST_PIXELS = (1 << 24) - 1 };

/* Reads the size at which video is compared. */
static bool take_scale(struct option_given given)
{
    const int choice = index_of(given.text, "ref|out");
    uint32_t size[2];
    given.run->scale = choice >= 0 ? (ssimcu_scale)(SSIMCU_SCALE_REF + choice) : SSIMCU_SCALE_SIZE;
    if (choice >= 0) return true;
    if (!parse_numbers(given.text, "x", 2, MOST_PIXELS, size)) return false;
    given.run->scale_width = size[0], given.run->scale_height = size[1];
    return true;
}

static bool take_region(struct option_given given)
{
    uint32_t part[4];
    if (!parse_numbers(given.text, "x++", 2, MOST_PIXELS, part)) return false;
    given.run->region.width = part[0], given.run->region.height = part[1];
    given.run->region.x = part[2], given.run->region.y = part[3];
    return true;
}

/* Reads one number for both sides, or one for each: "0:1". */
static bool take_stream(struct option_given given)
{
    uint32_t *stream = given.run->stream;
    if (parse_numbers(given.text, ":", 0, given.row->most, stream)) return true;
    const bool both = parse_numbers(given.text, "", 0, given.row->most, stream);
    stream[1] = stream[0];
    return both;
}

/* Reads "I/N" with 1 <= I <= N, or "auto", which is resolved when all options are known. */
static bool take_shard(struct option_given given)
{
    uint32_t share[2];
    given.arguments->shard_auto = strcmp(given.text, "auto") == 0;
    if (given.arguments->shard_auto) return true;
    if (!parse_numbers(given.text, "/", 2, given.row->bound, share) || share[0] > share[1])
        return false;
    given.run->shard = share[0], given.run->shards = share[1];
    return true;
}

/* Reads bytes, with K, M, G or T for powers of 1024. */
static bool take_memory(struct option_given given)
{
    static const char units[] = "KMGT";
    uint64_t count;
    const char *end = option_whole(given.text, 1, 1ull << 50, &count);
    const char *unit = end && *end ? strchr(units, *end) : NULL;
    if (!end || (*end && (!unit || end[1] || count > 1 << 20))) return false;
    *(uint64_t *)given.field = count << (unit ? 10 * (unit - units + 1) : 0);
    return true;
}

static bool take_metrics(struct option_given given)
{
    ssimcu_run_options *run = given.run;
    run->metrics = 0;
    for (;; given.text++) {
        const size_t length = strcspn(given.text, ",");
        ssimcu_metric metric;
        if (!metrics_find(given.text, length, &metric) || run->metrics >> metric & 1) return false;
        if (run->metrics == 0) run->metric = metric;
        run->metrics |= 1u << metric;
        given.text += length;
        if (*given.text == '\0') return true;
    }
}

/* Reads a limit of SSIM, NUMBER, or, if the option allows any metric, NAME=NUMBER. */
static bool take_limit(struct option_given given)
{
    ssimcu_run_options *run = given.run;
    ssimcu_metric metric = SSIMCU_METRIC_SSIM;
    const bool of_score = given.field == &run->score_limits;
    const char *equals = given.row->bits ? NULL : strchr(given.text, '=');
    double number;
    if (equals && !metrics_find(given.text, (size_t)(equals - given.text), &metric)) return false;
    if (!parse_number(equals ? equals + 1 : given.text, &number)) return false;
    if (metric == SSIMCU_METRIC_SSIM && !of_score) return verbs_take_limit(run, given.row, number);
    *(uint32_t *)given.field |= 1u << metric;
    (of_score ? run->min_scores : run->min_frames)[metric] = number;
    /* The library checks the range for other metrics. */
    return metric != SSIMCU_METRIC_SSIM || metrics_allow(metric, number);
}

/* ---- All values ------------------------------------------------------------------------------ */

/* The place of each row's value, and its reader. */
static const struct {
    bool (*take)(struct option_given given);
    size_t offset;
} places[OPTION_ROWS] = {
#define OPTION_OF(name, field, last, take, ...) PROGRAM(name, run.field, take, __VA_ARGS__)
#define PROGRAM(name, field, take, ...) {take_##take, offsetof(struct arguments, field)},
#include "options/options.def"
};

bool option_take(struct arguments *arguments, int i, const char *text)
{
    const struct option_row *row = &option_rows[i];
    void *field = (char *)arguments + places[i].offset;
    arguments->given[i] = true;
    if ((!row->value || text[0]) &&
        places[i].take((struct option_given){arguments, &arguments->run, field, row, text}))
        return true;
    console_line("--%s %s: expected %s", row->name, text,
                 row->expected ? row->expected : row->value);
    return false;
}
