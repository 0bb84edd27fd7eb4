#include "option_values.h"

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

/* Parses a whole number and returns its end; NULL: there is none from `least` to `most`. */
static const char *parse_number(const char *text, uint64_t least, uint64_t most, uint64_t *value)
{
    char *end;
    errno = 0;
    *value = strtoull(text, &end, 10);
    const bool digit = text[0] >= '0' && text[0] <= '9';
    return digit && errno == 0 && *value >= least && *value <= most ? end : NULL;
}

static bool parse_count(const char *text, uint64_t least, uint64_t most, uint64_t *value)
{
    const char *end = parse_number(text, least, most, value);
    return end && *end == '\0';
}

/* Sets a flag. If the option has a value, it is the only word that there is. */
bool option_take_yes(void *field, const struct option_row *row, const char *text)
{
    *(uint32_t *)field = 1;
    return !row->value || strcmp(text, row->value) == 0;
}

bool option_take_action(void *field, const struct option_row *row, const char *text)
{
    (void)text;
    *(enum action *)field = (enum action)row->most;
    return true;
}

bool option_take_text(void *field, const struct option_row *row, const char *text)
{
    (void)row;
    *(const char **)field = text;
    return text[0] != '\0';
}

/* Takes one of the names that the row's `value` lists, in the order of an enum. */
bool option_take_choice(void *field, const struct option_row *row, const char *text)
{
    const int choice = index_of(text, row->value);
    if (choice >= 0) *(unsigned *)field = (unsigned)choice;
    return choice >= 0;
}

/* 0 stands for the default, so the first name is 1. */
bool option_take_curve(void *field, const struct option_row *row, const char *text)
{
    const bool good = option_take_choice(field, row, text);
    if (good) ++*(unsigned *)field;
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

bool option_take_variant(void *field, const struct option_row *row, const char *text)
{
    struct arguments *arguments = field;
    arguments->run.variant = arguments->variant;
    return add_text(arguments->variant, &arguments->run.variants, row, text);
}

bool option_take_group(void *field, const struct option_row *row, const char *text)
{
    struct arguments *arguments = field;
    arguments->run.group = arguments->group;
    return add_text(arguments->group, &arguments->run.groups, row, text);
}

bool option_take_u64(void *field, const struct option_row *row, const char *text)
{
    return parse_count(text, row->least, row->most, field);
}

bool option_take_u32(void *field, const struct option_row *row, const char *text)
{
    uint64_t value;
    const bool good = parse_count(text, row->least, row->most, &value);
    *(uint32_t *)field = (uint32_t)value;
    return good;
}

/* Takes a count of which 0 means none, and not the default. */
bool option_take_some(void *field, const struct option_row *row, const char *text)
{
    uint32_t *count = field;
    if (!option_take_u32(field, row, text)) return false;
    if (*count == 0) *count = SSIMCU_NONE;
    return true;
}

/* Takes a number from `low` to `high`, which may be a limit. */
bool option_take_real(void *field, const struct option_row *row, const char *text)
{
    struct arguments *arguments = (void *)((char *)field - row->offset);
    double *number = field;
    arguments->run.limits |= row->limit;
    return option_number(text, number) && *number >= row->low && *number <= row->high;
}

bool option_take_exposure(void *field, const struct option_row *row, const char *text)
{
    ssimcu_run_options *run = field;
    (void)row;
    run->has_exposure = 1;
    return option_number(text, &run->exposure) && fabs(run->exposure) <= 64;
}

bool option_take_tile(void *field, const struct option_row *row, const char *text)
{
    uint32_t *tile = field;
    return option_take_some(field, row, text) &&
           (*tile == SSIMCU_NONE || (*tile % 4 == 0 && *tile >= 24));
}

bool option_take_device(void *field, const struct option_row *row, const char *text)
{
    ssimcu_run_options *run = field;
    enum { ALL = 3 };
    (void)row;
    uint64_t number = 0;
    int choice = index_of(text, "auto|cpu|cuda|all");
    run->all_devices = choice == ALL;
    if (choice < 0 && strncmp(text, "cuda:", 5) == 0 && parse_count(text + 5, 0, 1023, &number))
        choice = SSIMCU_DEVICE_CUDA;
    if (choice < 0) return false;
    run->device = choice == ALL ? SSIMCU_DEVICE_CUDA : (ssimcu_device)choice;
    run->device_index = (uint32_t)number;
    return true;
}

/* Parses a size such as "64x48" and returns its end; NULL: there is none. */
static const char *parse_size(const char *text, uint64_t size[2])
{
    const char *end = parse_number(text, 1, (1 << 24) - 1, &size[0]);
    return end && *end == 'x' ? parse_number(end + 1, 1, (1 << 24) - 1, &size[1]) : NULL;
}

/* Takes the size at which video is compared. */
bool option_take_scale(void *field, const struct option_row *row, const char *text)
{
    ssimcu_run_options *run = field;
    uint64_t size[2];
    (void)row;
    const int choice = index_of(text, "ref|out");
    run->scale = choice >= 0 ? (ssimcu_scale)(SSIMCU_SCALE_REF + choice) : SSIMCU_SCALE_SIZE;
    if (choice >= 0) return true;
    const char *end = parse_size(text, size);
    if (!end || *end != '\0') return false;
    run->scale_width = (uint32_t)size[0];
    run->scale_height = (uint32_t)size[1];
    return true;
}

bool option_take_region(void *field, const struct option_row *row, const char *text)
{
    uint64_t size[2], place[2];
    (void)row;
    const char *end = parse_size(text, size);
    for (int i = 0; i < 2 && end; i++)
        end = *end == '+' ? parse_number(end + 1, 0, (1 << 24) - 1, &place[i]) : NULL;
    if (!end || *end != '\0') return false;
    ssimcu_run_options *run = field;
    run->region.width = (uint32_t)size[0], run->region.height = (uint32_t)size[1];
    run->region.x = (uint32_t)place[0], run->region.y = (uint32_t)place[1];
    return true;
}

bool option_take_offset(void *field, const struct option_row *row, const char *text)
{
    uint64_t value;
    const bool negative = text[0] == '-';
    const bool good = parse_count(text + negative, 0, row->most, &value);
    *(int64_t *)field = negative ? -(int64_t)value : (int64_t)value;
    return good;
}

/* Takes "I/N" with 1 <= I <= N, or "auto", which is looked up when all options are known. */
bool option_take_shard(void *field, const struct option_row *row, const char *text)
{
    struct arguments *arguments = field;
    ssimcu_run_options *run = &arguments->run;
    uint64_t shard, shards;
    (void)row;
    arguments->shard_auto = strcmp(text, "auto") == 0;
    if (arguments->shard_auto) return true;
    const char *slash = parse_number(text, 1, 1 << 24, &shard);
    if (!slash || *slash != '/' || !parse_count(slash + 1, shard, 1 << 24, &shards)) return false;
    run->shard = (uint32_t)shard;
    run->shards = (uint32_t)shards;
    return true;
}

/* Takes bytes, with K, M, G or T for powers of 1024. */
bool option_take_memory(void *field, const struct option_row *row, const char *text)
{
    static const char units[] = "KMGT";
    uint64_t count;
    (void)row;
    const char *end = parse_number(text, 1, 1ull << 50, &count);
    const char *unit = end && *end ? strchr(units, *end) : NULL;
    if (!end || (*end && (!unit || end[1] || count > 1 << 20))) return false;
    *(uint64_t *)field = count << (unit ? 10 * (unit - units + 1) : 0);
    return true;
}
