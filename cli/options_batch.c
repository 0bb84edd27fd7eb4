/* The options that only a batch has. */
#include "options_rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    OPT_OUTPUT = OPTIONS_BATCH_FIRST,
    OPT_CSV,
    OPT_LIST,
    OPT_FRAMES,
    OPT_SIZE,
    OPT_FORMAT,
    OPT_SHORTEST,
    OPT_ALLOW_MISSING,
    OPT_MIN_FRAME,
    OPT_MAX_BAD,
    OPT_WORST,
    OPT_RESUME,
    OPT_SHARD,
    OPT_MEMORY,
    OPT_PROGRESS
};

const struct option_row options_batch_rows[OPTIONS_BATCH_ROWS] = {
    {OPT_LIST, "list", "FILE", "pairs to score, a line each: REF, a tab, OUT (- for stdin)"},
    {OPT_FRAMES, "frames", "RANGES", "which frames, such as 1-100x2,120; each must be there"},
    {OPT_SIZE, "size", "WxH", "size of raw video"},
    {OPT_FORMAT, "format", "FORMAT", "of raw video: gray, yuv420p, yuv422p10, yuv444p12, ..."},
    {OPT_OUTPUT, "output", "FILE", "write results there: CSV by that ending, else JSON Lines"},
    {OPT_CSV, "csv", NULL, "results as CSV rather than JSON Lines"},
    {OPT_RESUME, "resume", "FILE", "keep what is scored in these results, score the rest"},
    {OPT_SHARD, "shard", "I/N", "score the I-th of N shares of the frames"},
    {OPT_SHORTEST, "shortest", NULL, "end with the shorter side"},
    {OPT_ALLOW_MISSING, "allow-missing", NULL, "missing frames are no error"},
    {OPT_MIN_FRAME, "min-frame", "X", "exit with 1 when a frame scores below X"},
    {OPT_MAX_BAD, "max-bad", "N", "allow N frames below --min-frame (0)"},
    {OPT_WORST, "worst", "N", "name the N worst frames in the summary (5)"},
    {OPT_MEMORY, "memory", "SIZE", "most memory for frames, such as 800M or 4G (4G)"},
    {OPT_PROGRESS, "progress", "auto|none|openjd", "bar on a terminal, or lines for a farm (auto)"},
};

/* "I/N" with 1 <= I <= N. */
static bool parse_shard(const char *text, struct batch_options *batch)
{
    char part[16];
    unsigned long long shard, shards;
    const char *slash = strchr(text, '/');
    if (!slash || (size_t)(slash - text) >= sizeof part) return false;
    snprintf(part, sizeof part, "%.*s", (int)(slash - text), text);
    if (!options_parse_count(slash + 1, 1 << 24, &shards) ||
        !options_parse_count(part, shards, &shard))
        return false;
    batch->shard = (uint32_t)shard;
    batch->shards = (uint32_t)shards;
    return true;
}

/* Bytes, with K, M, G or T for powers of 1024. */
static bool parse_size(const char *text, uint64_t *bytes)
{
    static const char units[] = "KMGT";
    char digits[24];
    unsigned long long count;
    const size_t length = strlen(text);
    const char *unit = length > 0 ? strchr(units, text[length - 1]) : NULL;
    if (length == 0 || length >= sizeof digits) return false;
    snprintf(digits, sizeof digits, "%.*s", (int)(unit ? length - 1 : length), text);
    if (!options_parse_count(digits, 1ull << 20, &count) &&
        (unit || !options_parse_count(digits, 1ull << 50, &count)))
        return false;
    *bytes = count << (unit ? 10 * (unit - units + 1) : 0);
    return true;
}

static bool parse_frames(const char *text, struct batch_options *batch)
{
    ssimcu_message why = {{0}};
    ssimcu_ranges_free(&batch->frames);
    batch->has_frames = true;
    return ssimcu_ranges_parse(text, &batch->frames, &why) == SSIMCU_OK ||
           options_wrong_value("frames", text, why.text);
}

static bool take_limits(struct batch_options *batch, const struct option_row *row, const char *text)
{
    unsigned long long count = 0;
    switch (row->key) {
    case OPT_MIN_FRAME:
        batch->has_min_frame = true;
        return options_parse_score(text, &batch->min_frame) ||
               options_wrong_value(row->name, text, "a number");
    case OPT_MAX_BAD:
        if (strcmp(text, "0") != 0 && !options_parse_count(text, 1ull << 48, &count))
            return options_wrong_value(row->name, text, "a whole number");
        batch->max_bad = count;
        return true;
    case OPT_WORST:
        if (strcmp(text, "0") != 0 && !options_parse_count(text, 1 << 20, &count))
            return options_wrong_value(row->name, text, "a whole number up to 1048576");
        batch->worst = (uint32_t)count;
        return true;
    case OPT_SHARD:
        return parse_shard(text, batch) ||
               options_wrong_value(row->name, text, "I/N, a share from 1 to N");
    default:
        return parse_size(text, &batch->memory_bytes) ||
               options_wrong_value(row->name, text, "bytes, such as 800M or 4G");
    }
}

bool options_take_batch(struct batch_options *batch, const struct option_row *row, const char *text)
{
    static const char *const progress[] = {"auto", "none", "openjd", NULL};
    int choice;
    if (row->key != OPT_PROGRESS && row->key != OPT_MEMORY) batch->wanted = true;
    if (row->value && text[0] == '\0') return options_wrong_value(row->name, text, row->value);
    switch (row->key) {
    case OPT_LIST: batch->list = text; return true;
    case OPT_FRAMES: return parse_frames(text, batch);
    case OPT_SIZE: batch->size = text; return true;
    case OPT_FORMAT: batch->format = text; return true;
    case OPT_OUTPUT: batch->output = text; return true;
    case OPT_CSV: batch->csv = true; return true;
    case OPT_RESUME: batch->resume = text; return true;
    case OPT_SHORTEST: batch->shortest = true; return true;
    case OPT_ALLOW_MISSING: batch->allow_missing = true; return true;
    case OPT_PROGRESS:
        if ((choice = options_index_of(text, progress)) < 0)
            return options_wrong_value(row->name, text, row->value);
        batch->progress = (enum progress)choice;
        return true;
    default: return take_limits(batch, row, text);
    }
}

static bool usage(const char *text)
{
    fprintf(stderr, "ssimcu: %s\n", text);
    return false;
}

static bool ends_with(const char *text, const char *end)
{
    const size_t length = strlen(text), tail = strlen(end);
    return length >= tail && strcmp(text + length - tail, end) == 0;
}

bool options_check_batch(struct options *options)
{
    struct batch_options *batch = &options->batch;
    if ((batch->size != NULL) != (batch->format != NULL))
        return usage("raw video needs both --size and --format");
    if (batch->size && !ssimcu_raw_parse(batch->size, batch->format, &batch->raw)) {
        fprintf(stderr,
                "ssimcu: --size %s --format %s: expected such as 3840x2160 and yuv420p (also "
                "yuv411p, yuv422p, yuv444p, gray; with a depth behind, 9 to 16)\n",
                batch->size, batch->format);
        return false;
    }
    if (batch->resume && !batch->output && !batch->csv) batch->output = batch->resume;
    if (batch->output && ends_with(batch->output, ".csv") && !options->json) batch->csv = true;
    if (options->json) batch->csv = false;
    if (batch->resume && options->action == ACTION_MERGE)
        return usage("merge: --resume has nothing to resume");
    return true;
}
