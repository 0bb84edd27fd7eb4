#include "option_values.h"

#include "base/counts.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Returns the index of `text` among names with bars between them; -1: it is none of them. */
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

/* Sets a flag. If the option has a value, it is the only word that there is. */
bool option_take_yes(struct option_given given)
{
    *(uint32_t *)given.field = 1;
    return !given.row->value || strcmp(given.text, given.row->value) == 0;
}

bool option_take_action(struct option_given given)
{
    *(enum action *)given.field = (enum action)given.row->most;
    return true;
}

bool option_take_text(struct option_given given)
{
    *(const char **)given.field = given.text;
    return given.text[0] != '\0';
}

/* Takes one of the names that the row's `value` lists, in the order of an enum. */
bool option_take_choice(struct option_given given)
{
    const int choice = index_of(given.text, given.row->value);
    if (choice >= 0) *(unsigned *)given.field = (unsigned)choice;
    return choice >= 0;
}

/* 0 stands for the default, so the first name is 1. */
bool option_take_curve(struct option_given given)
{
    const bool good = option_take_choice(given);
    if (good) ++*(unsigned *)given.field;
    return good;
}

/* Adds one of several texts. `most` is how many there may be. */
static bool add_text(const char **texts, uint32_t *count, const struct option_row *row,
                     const char *text)
{
    if (*count == row->most) return false;
    texts[(*count)++] = text;
    return true;
}

bool option_take_variant(struct option_given given)
{
    struct arguments *arguments = given.field;
    arguments->run.variant = arguments->variant;
    return add_text(arguments->variant, &arguments->run.variants, given.row, given.text);
}

bool option_take_group(struct option_given given)
{
    struct arguments *arguments = given.field;
    arguments->run.group = arguments->group;
    return add_text(arguments->group, &arguments->run.groups, given.row, given.text);
}

bool option_take_u64(struct option_given given)
{
    return parse_count(given.text, given.row->least, given.row->most, given.field);
}

bool option_take_u32(struct option_given given)
{
    uint64_t value;
    const bool good = parse_count(given.text, given.row->least, given.row->most, &value);
    *(uint32_t *)given.field = (uint32_t)value;
    return good;
}

/* Takes a count of which 0 means none, and not the default. */
bool option_take_some(struct option_given given)
{
    uint32_t *count = given.field;
    if (!option_take_u32(given)) return false;
    if (*count == 0) *count = SSIMCU_NONE;
    return true;
}

/* Takes a number from `low` to `high`. */
bool option_take_real(struct option_given given)
{
    double *number = given.field;
    return option_number(given.text, number) && *number >= given.row->low &&
           *number <= given.row->high;
}

bool option_take_exposure(struct option_given given)
{
    ssimcu_run_options *run = given.field;
    run->has_exposure = 1;
    return option_number(given.text, &run->exposure) && fabs(run->exposure) <= 64;
}

bool option_take_tile(struct option_given given)
{
    uint32_t *tile = given.field;
    return option_take_some(given) && (*tile == SSIMCU_NONE || (*tile % 4 == 0 && *tile >= 24));
}

bool option_take_device(struct option_given given)
{
    ssimcu_run_options *run = given.field;
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

/* Parses a size such as "64x48" and returns its end; NULL: there is none. */
static const char *parse_size(const char *text, uint64_t size[2])
{
    const char *end = option_whole(text, 1, (1 << 24) - 1, &size[0]);
    return end && *end == 'x' ? option_whole(end + 1, 1, (1 << 24) - 1, &size[1]) : NULL;
}

/* Takes the size at which video is compared. */
bool option_take_scale(struct option_given given)
{
    ssimcu_run_options *run = given.field;
    uint64_t size[2];
    const int choice = index_of(given.text, "ref|out");
    run->scale = choice >= 0 ? (ssimcu_scale)(SSIMCU_SCALE_REF + choice) : SSIMCU_SCALE_SIZE;
    if (choice >= 0) return true;
    const char *end = parse_size(given.text, size);
    if (!end || *end != '\0') return false;
    run->scale_width = (uint32_t)size[0];
    run->scale_height = (uint32_t)size[1];
    return true;
}

bool option_take_region(struct option_given given)
{
    uint64_t size[2], place[2];
    const char *end = parse_size(given.text, size);
    for (int i = 0; i < 2 && end; i++)
        end = *end == '+' ? option_whole(end + 1, 0, (1 << 24) - 1, &place[i]) : NULL;
    if (!end || *end != '\0') return false;
    ssimcu_run_options *run = given.field;
    run->region.width = (uint32_t)size[0], run->region.height = (uint32_t)size[1];
    run->region.x = (uint32_t)place[0], run->region.y = (uint32_t)place[1];
    return true;
}

/* Takes one number for both sides, or one for each: "0:1". */
bool option_take_stream(struct option_given given)
{
    ssimcu_run_options *run = given.field;
    uint64_t number[2];
    const char *end = option_whole(given.text, 0, given.row->most, &number[0]);
    number[1] = number[0];
    if (end && *end == ':') end = option_whole(end + 1, 0, given.row->most, &number[1]);
    if (!end || *end != '\0') return false;
    for (int side = 0; side < 2; side++) run->stream[side] = (uint32_t)number[side];
    return true;
}

bool option_take_offset(struct option_given given)
{
    uint64_t value;
    const bool negative = given.text[0] == '-';
    const bool good = parse_count(given.text + negative, 0, given.row->most, &value);
    *(int64_t *)given.field = negative ? -(int64_t)value : (int64_t)value;
    return good;
}

/* Takes "I/N" with 1 <= I <= N, or "auto", which is looked up when all options are known. */
bool option_take_shard(struct option_given given)
{
    struct arguments *arguments = given.field;
    ssimcu_run_options *run = &arguments->run;
    uint64_t shard, shards;
    arguments->shard_auto = strcmp(given.text, "auto") == 0;
    if (arguments->shard_auto) return true;
    const char *slash = option_whole(given.text, 1, COUNTS_SHARDS, &shard);
    if (!slash || *slash != '/' || !parse_count(slash + 1, shard, COUNTS_SHARDS, &shards))
        return false;
    run->shard = (uint32_t)shard;
    run->shards = (uint32_t)shards;
    return true;
}

/* Takes bytes, with K, M, G or T for powers of 1024. */
bool option_take_memory(struct option_given given)
{
    static const char units[] = "KMGT";
    uint64_t count;
    const char *end = option_whole(given.text, 1, 1ull << 50, &count);
    const char *unit = end && *end ? strchr(units, *end) : NULL;
    if (!end || (*end && (!unit || end[1] || count > 1 << 20))) return false;
    *(uint64_t *)given.field = count << (unit ? 10 * (unit - units + 1) : 0);
    return true;
}
