#include "report.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One option. */
struct option_row {
    const char *name, *value, *help; /* value: what that may be; NULL: a flag */
    /* Takes the value to where it goes. False where it is not what was expected. */
    bool (*take)(void *to, const struct option_row *row, const char *text);
    size_t to; /* place in struct options; 0: all of it */
    uint64_t least, most;
    const char *const *names; /* to choose from, ended by NULL */
    const char *expected;     /* for a wrong value; NULL: `value` says it */
    char letter;              /* its short form, 0 for none */
    bool aside;               /* of batches, but makes none of two pictures */
};

/* ---- Values ---------------------------------------------------------------------------------- */

static bool wrong_value(const char *option, const char *value, const char *expected)
{
    report_line("--%s %s: expected %s", option, value, expected);
    return false;
}

/* Index of `text` in a NULL-ended list, -1 when it is not there. */
static int index_of(const char *text, const char *const *names)
{
    for (int i = 0; names[i]; i++)
        if (strcmp(text, names[i]) == 0) return i;
    return -1;
}

/* A whole decimal number: where it ends, NULL where there is none from `least` to `most`. */
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

static bool take_flag(void *to, const struct option_row *row, const char *text)
{
    (void)row, (void)text;
    *(bool *)to = true;
    return true;
}

static bool take_action(void *to, const struct option_row *row, const char *text)
{
    (void)text;
    *(enum action *)to = (enum action)row->most;
    return true;
}

static bool take_text(void *to, const struct option_row *row, const char *text)
{
    (void)row;
    *(const char **)to = text;
    return text[0] != '\0';
}

static bool take_choice(void *to, const struct option_row *row, const char *text)
{
    const int choice = index_of(text, row->names);
    if (choice >= 0) *(unsigned *)to = (unsigned)choice; /* an enum */
    return choice >= 0;
}

static bool take_score(void *to, const struct option_row *row, const char *text)
{
    char *end;
    double *score = to;
    (void)row;
    *score = strtod(text, &end);
    return end != text && *end == '\0' && isfinite(*score);
}

static bool take_u64(void *to, const struct option_row *row, const char *text)
{
    return parse_count(text, row->least, row->most, to);
}

static bool take_u32(void *to, const struct option_row *row, const char *text)
{
    uint64_t value;
    const bool good = parse_count(text, row->least, row->most, &value);
    *(uint32_t *)to = (uint32_t)value;
    return good;
}

static bool take_device(void *to, const struct option_row *row, const char *text)
{
    struct options *options = to;
    static const char *const names[] = {"auto", "cpu", "cuda", "all", NULL};
    (void)row;
    uint64_t number = 0;
    int choice = index_of(text, names);
    options->all_devices = choice == 3;
    if (choice < 0 && strncmp(text, "cuda:", 5) == 0 && parse_count(text + 5, 0, 1023, &number))
        choice = SSIMCU_DEVICE_CUDA;
    if (choice < 0) return false;
    options->settings.device = choice == 3 ? SSIMCU_DEVICE_CUDA : (ssimcu_device)choice;
    options->settings.device_index = (uint32_t)number;
    return true;
}

static bool take_frames(void *to, const struct option_row *row, const char *text)
{
    struct options *options = to;
    ssimcu_message why = {{0}};
    ssimcu_ranges_free(&options->batch.frames);
    options->input.frames = &options->batch.frames;
    return ssimcu_ranges_parse(text, &options->batch.frames, &why) == SSIMCU_OK ||
           wrong_value(row->name, text, why.text);
}

/* "I/N" with 1 <= I <= N. */
static bool take_shard(void *to, const struct option_row *row, const char *text)
{
    struct options *options = to;
    uint64_t shard, shards;
    (void)row;
    const char *slash = parse_number(text, 1, 1 << 24, &shard);
    if (!slash || *slash != '/' || !parse_count(slash + 1, shard, 1 << 24, &shards)) return false;
    options->input.shard = (uint32_t)shard;
    options->input.shards = (uint32_t)shards;
    return true;
}

/* Bytes, with K, M, G or T for powers of 1024. */
static bool take_memory(void *to, const struct option_row *row, const char *text)
{
    static const char units[] = "KMGT";
    uint64_t count;
    (void)row;
    const char *end = parse_number(text, 1, 1ull << 50, &count);
    const char *unit = end && *end ? strchr(units, *end) : NULL;
    if (!end || (*end && (!unit || end[1] || count > 1 << 20))) return false;
    *(uint64_t *)to = count << (unit ? 10 * (unit - units + 1) : 0);
    return true;
}

/* ---- The table ------------------------------------------------------------------------------- */

static const char *const PROGRESS_NAMES[] = {"auto", "none", "openjd", NULL};

#define TO(field) .to = offsetof(struct options, field)
#define COUNT(least_, most_, text) .least = least_, .most = most_, .expected = "a whole number" text
#define SCORE .expected = "a number"

/* They drive the parsing and the help. */
static const struct option_row ROWS[] = {
    {"json", NULL, "a JSON object, or JSON Lines of a batch, instead of the bare score", take_flag,
     TO(json)},
    {"map", "FILE.png", "write the SSIM map: grey, as large as the frame, white = identical",
     take_text, TO(map)},
    {"device", "auto|cpu|cuda[:N]|all", "where to score; all: every GPU (auto)", take_device,
     .to = 0},
    {"list-devices", NULL, "list the devices and exit", take_action, TO(action),
     .most = ACTION_LIST_DEVICES},
    {"color", "rgb|y709|y601", "mean of R, G, B, or one luma plane (rgb)", take_choice,
     TO(settings.color), .names = contract_colors},
    {"pad", "valid|zero", "windows inside the frame only, or zeros around it (valid)", take_choice,
     TO(settings.pad), .names = contract_pads},
    {"alpha", "worst|ignore|black|white", "what alpha is composited over (worst of both)",
     take_choice, TO(settings.alpha), .names = contract_alphas},
    {"min-score", "X", "exit with 1 when the score is below X", take_score, TO(min_score), SCORE},
    {"max-side", "N", "refuse pictures with a longer side (16384)", take_u32, TO(image.max_side),
     COUNT(1, (1 << 24) - 1, " from 1 to 16777215")},
    {"max-pixels", "N", "refuse pictures with more pixels (134217728)", take_u64,
     TO(image.max_pixels), COUNT(1, 1ull << 48, " from 1 to 2^48")},
    {"threads", "N", "threads that work on the CPU (as many as it can run at once)", take_u32,
     TO(settings.threads), COUNT(1, UINT32_MAX, " from 1 to 4294967295")},
    {"quiet", NULL, "print nothing on stdout: the exit code tells", take_flag, TO(quiet),
     .letter = 'q'},
    {"verbose", NULL, "say on stderr where the score was computed and where the time went",
     take_flag, TO(verbose), .letter = 'v'},
    {"version", NULL, "print versions and exit", take_action, TO(action), .most = ACTION_VERSION},
    {"help", NULL, "print this and exit", take_action, TO(action), .most = ACTION_HELP,
     .letter = 'h'},
};

static const struct option_row BATCH_ROWS[] = {
    {"list", "FILE", "pairs to score, a line each: REF, a tab, OUT (- for stdin)", take_text,
     TO(input.list)},
    {"frames", "RANGES", "which frames, such as 1-100x2,120; each must be there", take_frames,
     .to = 0},
    {"size", "WxH", "size of raw video", take_text, TO(batch.size)},
    {"format", "FORMAT", "of raw video: gray, yuv420p, yuv422p10, yuv444p12, ...", take_text,
     TO(batch.format)},
    {"output", "FILE", "write results there: CSV by that ending, else JSON Lines", take_text,
     TO(batch.output)},
    {"csv", NULL, "results as CSV rather than JSON Lines", take_flag, TO(batch.csv)},
    {"resume", "FILE", "keep what is scored in these results, score the rest", take_text,
     TO(batch.resume)},
    {"shard", "I/N", "score the I-th of N shares of the frames", take_shard,
     .expected = "I/N, a share from 1 to N"},
    {"shortest", NULL, "end with the shorter side", take_flag, TO(input.shortest)},
    {"allow-missing", NULL, "missing frames are no error", take_flag, TO(batch.allow_missing)},
    {"min-frame", "X", "exit with 1 when a frame scores below X", take_score, TO(batch.min_frame),
     SCORE},
    {"max-bad", "N", "allow N frames below --min-frame (0)", take_u64, TO(batch.max_bad),
     COUNT(0, 1ull << 48, "")},
    {"worst", "N", "name the N worst frames in the summary (5)", take_u32, TO(batch.worst),
     COUNT(0, 1 << 20, " up to 1048576")},
    {"memory", "SIZE", "most memory for frames, such as 800M or 4G (4G)", take_memory,
     TO(batch.memory_bytes), .expected = "bytes, such as 800M or 4G", .aside = true},
    {"progress", "auto|none|openjd", "bar on a terminal, or lines for a farm (auto)", take_choice,
     TO(batch.progress), .names = PROGRESS_NAMES, .aside = true},
};
enum {
    ROWS_BEFORE = sizeof ROWS / sizeof ROWS[0],
    ROW_COUNT = ROWS_BEFORE + sizeof BATCH_ROWS / sizeof BATCH_ROWS[0],
    FIRST_KEY = 256 /* of a row without a letter */
};

static const struct option_row *row_at(int i)
{
    return i < ROWS_BEFORE ? &ROWS[i] : &BATCH_ROWS[i - ROWS_BEFORE];
}

static int key_of(int i) { return row_at(i)->letter ? row_at(i)->letter : FIRST_KEY + i; }

/* ---- The command line ------------------------------------------------------------------------ */

static bool usage(const char *text)
{
    report_line("%s", text);
    return false;
}

static bool take_option(struct options *options, int i, const char *text)
{
    const struct option_row *row = row_at(i);
    const bool of_batch = i >= ROWS_BEFORE;
    if (of_batch && !row->aside) options->batch.wanted = true;
    if (of_batch && row->value && text[0] == '\0') return wrong_value(row->name, text, row->value);
    return row->take((char *)options + row->to, row, text) ||
           (row->take != take_frames && /* it has said itself what was wrong */
            wrong_value(row->name, text, row->expected ? row->expected : row->value));
}

/* The two file names; what else stands there is too much. */
static bool take_files(struct options *options, int argc, char **argv)
{
    if (options->action != ACTION_SCORE) return true;
    if (argc - optind > 0 && strcmp(argv[optind], "merge") == 0) {
        options->action = ACTION_MERGE;
        options->files = argv + optind + 1;
        options->file_count = argc - optind - 1;
        if (options->file_count > 0) return true;
        return usage("merge: expected the results to merge (see ssimcu --help)");
    }
    if (options->input.list && argc == optind) return true;
    if (options->input.list) return usage("--list names all pairs: no file is expected beside it");
    if (argc - optind != 2) {
        report_line("expected two files, REF and OUT, got %d (see ssimcu --help)", argc - optind);
        return false;
    }
    for (int side = 0; side < 2; side++) {
        options->input.path[side] = argv[optind + side];
        if (argv[optind + side][0] == '\0') /* most likely a variable that a script did not set */
            return usage(side ? "OUT is an empty file name" : "REF is an empty file name");
    }
    return true;
}

static bool ends_with(const char *text, const char *end)
{
    const size_t length = strlen(text), tail = strlen(end);
    return length >= tail && strcmp(text + length - tail, end) == 0;
}

static bool check_batch(struct options *options)
{
    struct batch_options *batch = &options->batch;
    if ((batch->size != NULL) != (batch->format != NULL))
        return usage("raw video needs both --size and --format");
    if (batch->size && !ssimcu_raw_parse(batch->size, batch->format, &batch->raw)) {
        report_line("--size %s --format %s: expected such as 3840x2160 and yuv420p (also "
                    "yuv411p, yuv422p, yuv444p, gray; with a depth behind, 9 to 16)",
                    batch->size, batch->format);
        return false;
    }
    if (batch->size) options->input.raw = &batch->raw;
    if (batch->resume && !batch->output && !batch->csv) batch->output = batch->resume;
    if (batch->output && ends_with(batch->output, ".csv") && !options->json) batch->csv = true;
    if (options->json) batch->csv = false;
    if (batch->resume && options->action == ACTION_MERGE)
        return usage("merge: --resume has nothing to resume");
    return true;
}

/* `text`, up to its end or an '=', starts the names of several options, or of none. */
static bool unknown_option(const char *text)
{
    char names[24 * ROW_COUNT] = "";
    size_t used = 0;
    const char *name = text + 2;
    for (int i = 0; i < ROW_COUNT; i++)
        if (strncmp(name, row_at(i)->name, strcspn(name, "=")) == 0)
            used += (size_t)snprintf(names + used, sizeof names - used, " '--%s'", row_at(i)->name);
    if (used > 0)
        report_line("option '%s' is ambiguous; possibilities:%s", text, names);
    else
        report_line("unrecognized option '%s'", text);
    return false;
}

/* What getopt would say itself, but not escaped. */
static bool wrong_option(int key, const char *text)
{
    if (optopt == 0) return unknown_option(text);
    int i = 0;
    while (i < ROW_COUNT && key_of(i) != optopt) i++;
    if (i == ROW_COUNT)
        report_line("invalid option -- '%c'", optopt);
    else if (key == ':')
        report_line("option '--%s' requires an argument", row_at(i)->name);
    else
        report_line("option '--%s' doesn't allow an argument", row_at(i)->name);
    return false;
}

bool options_parse(struct options *options, int argc, char **argv)
{
    struct option table[ROW_COUNT + 1] = {0};
    for (int i = 0; i < ROW_COUNT; i++)
        table[i] = (struct option){
            row_at(i)->name, row_at(i)->value ? required_argument : no_argument, NULL, key_of(i)};
    *options = (struct options){
        .settings = {.struct_size = sizeof options->settings, .threads = ssimcu_cpu_threads()},
        .image = {.struct_size = sizeof options->image},
        .input = {.limits = &options->image, .shard = 1, .shards = 1},
        .min_score = -INFINITY,
        .batch = {.worst = 5, .min_frame = -INFINITY}};
    int key; /* the ':' in front keeps getopt silent */
    while ((key = getopt_long(argc, argv, ":hqv", table, NULL)) != -1) {
        int i = 0;
        while (i < ROW_COUNT && key_of(i) != key) i++;
        if (i == ROW_COUNT) return wrong_option(key, argv[optind - 1]);
        if (!take_option(options, i, optarg)) return false;
    }
    return take_files(options, argc, argv) && check_batch(options);
}

void options_free(struct options *options) { ssimcu_ranges_free(&options->batch.frames); }

static void print_row(const struct option_row *row)
{
    char left[64];
    const char dash[] = {'-', row->letter, ',', ' ', '\0'};
    snprintf(left, sizeof left, "%s--%s%s%s", row->letter ? dash : "    ", row->name,
             row->value ? " " : "", row->value ? row->value : "");
    printf("  %-38s %s\n", left, row->help);
}

void options_help(void)
{
    puts(
        "Usage: ssimcu [options] REF OUT\n"
        "       ssimcu [options] --list PAIRS.tsv\n"
        "       ssimcu [options] merge RESULTS.jsonl...\n"
        "Score how close picture OUT (PNG or JPEG) is to its reference REF with SSIM.\n"
        "The score goes to stdout: 1 is identical; see the README for what it equals.\n"
        "REF and OUT may also be directories, patterns (shot.%04d.png, shot.####.png), y4m or raw\n"
        "video, and one of them - for y4m on standard input: a batch, whose mean goes to "
        "stdout.\n");
    for (int i = 0; i < ROW_COUNT; i++) {
        if (i == ROWS_BEFORE) puts("\nBatches:");
        print_row(row_at(i));
    }
    puts("\nExit codes: 0 scored; 1 below a threshold; 2 usage; 3 the inputs do not match, or "
         "frames\n"
         "are missing or failed; 4 bad input file, or no frame could be scored; 5 device missing "
         "or\n"
         "failed; 70 internal error; 74 an output could not be written; 130, 143 stopped by a "
         "signal.");
}
