#define _POSIX_C_SOURCE 200809L

#include "options.h"

#include "options_rows.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Options without a short form. */
enum {
    OPT_JSON = 256,
    OPT_MAP,
    OPT_DEVICE,
    OPT_LIST_DEVICES,
    OPT_COLOR,
    OPT_PAD,
    OPT_ALPHA,
    OPT_MIN_SCORE,
    OPT_MAX_SIDE,
    OPT_MAX_PIXELS,
    OPT_THREADS,
    OPT_VERSION
};

/* Drives the parsing and the help. Options without help are for tests. */
static const struct option_row ROWS[] = {
    {OPT_JSON, "json", NULL, "a JSON object, or JSON Lines of a batch, instead of the bare score"},
    {OPT_MAP, "map", "FILE.png",
     "write the SSIM map: grey, as large as the frame, white = identical"},
    {OPT_DEVICE, "device", "auto|cpu|cuda[:N]|all", "where to score; all: every GPU (auto)"},
    {OPT_LIST_DEVICES, "list-devices", NULL, "list the devices and exit"},
    {OPT_COLOR, "color", "rgb|y709|y601", "mean of R, G, B, or one luma plane (rgb)"},
    {OPT_PAD, "pad", "valid|zero", "windows inside the frame only, or zeros around it (valid)"},
    {OPT_ALPHA, "alpha", "worst|ignore|black|white",
     "what alpha is composited over (worst of both)"},
    {OPT_MIN_SCORE, "min-score", "X", "exit with 1 when the score is below X"},
    {OPT_MAX_SIDE, "max-side", "N", "refuse pictures with a longer side (16384)"},
    {OPT_MAX_PIXELS, "max-pixels", "N", "refuse pictures with more pixels (134217728)"},
    {OPT_THREADS, "threads", "N", "threads that work on the CPU (as many as it can run at once)"},
    {'q', "quiet", NULL, "print nothing on stdout: the exit code tells"},
    {'v', "verbose", NULL, "say on stderr where the score was computed and where the time went"},
    {OPT_VERSION, "version", NULL, "print versions and exit"},
    {'h', "help", NULL, "print this and exit"},
};
enum { ROW_COUNT = sizeof ROWS / sizeof ROWS[0] };

static const char *const PAD_NAMES[] = {"valid", "zero", NULL};
static const char *const COLOR_NAMES[] = {"rgb", "y709", "y601", NULL};
static const char *const ALPHA_NAMES[] = {"worst", "ignore", "black", "white", NULL};

const char *options_pad_name(ssimcu_pad pad) { return PAD_NAMES[pad]; }
const char *options_color_name(ssimcu_color color) { return COLOR_NAMES[color]; }
const char *options_alpha_name(ssimcu_alpha alpha) { return ALPHA_NAMES[alpha]; }

bool options_wrong_value(const char *option, const char *value, const char *expected)
{
    fprintf(stderr, "ssimcu: --%s %s: expected %s\n", option, value, expected);
    return false;
}

int options_index_of(const char *text, const char *const *names)
{
    for (int i = 0; names[i]; i++)
        if (strcmp(text, names[i]) == 0) return i;
    return -1;
}

bool options_parse_count(const char *text, unsigned long long most, unsigned long long *value)
{
    char *end;
    errno = 0;
    *value = strtoull(text, &end, 10);
    return text[0] >= '0' && text[0] <= '9' && *end == '\0' && errno == 0 && *value >= 1 &&
           *value <= most;
}

static bool parse_device(const char *text, struct options *options)
{
    static const char *const names[] = {"auto", "cpu", "cuda", NULL};
    ssimcu_settings *settings = &options->settings;
    options->all_devices = strcmp(text, "all") == 0;
    const int plain = options->all_devices ? SSIMCU_DEVICE_CUDA : options_index_of(text, names);
    settings->device_index = 0;
    if (plain >= 0) {
        settings->device = (ssimcu_device)plain;
        return true;
    }
    char *end = NULL;
    const bool numbered = strncmp(text, "cuda:", 5) == 0 && text[5] >= '0' && text[5] <= '9';
    const unsigned long index = numbered ? strtoul(text + 5, &end, 10) : 0;
    if (!numbered || *end != '\0' || index > 1023) return false;
    settings->device = SSIMCU_DEVICE_CUDA;
    settings->device_index = (uint32_t)index;
    return true;
}

bool options_parse_score(const char *text, double *score)
{
    char *end;
    *score = strtod(text, &end);
    return end != text && *end == '\0' && isfinite(*score);
}

/* Takes one option that has a value. */
static bool take_value(struct options *options, const struct option_row *row, const char *text)
{
    unsigned long long count = 0;
    int choice = 0;
    bool good = true;
    switch (row->key) {
    case OPT_MAP:
        good = text[0] != '\0';
        options->map = text;
        break;
    case OPT_DEVICE: good = parse_device(text, options); break;
    case OPT_COLOR:
        good = (choice = options_index_of(text, COLOR_NAMES)) >= 0;
        options->settings.color = (ssimcu_color)choice;
        break;
    case OPT_PAD:
        good = (choice = options_index_of(text, PAD_NAMES)) >= 0;
        options->settings.pad = (ssimcu_pad)choice;
        break;
    case OPT_ALPHA:
        good = (choice = options_index_of(text, ALPHA_NAMES)) >= 0;
        options->settings.alpha = (ssimcu_alpha)choice;
        break;
    case OPT_MIN_SCORE:
        good = options->has_min_score = options_parse_score(text, &options->min_score);
        if (!good) return options_wrong_value(row->name, text, "a number");
        break;
    case OPT_MAX_SIDE:
        if (!options_parse_count(text, (1 << 24) - 1, &count))
            return options_wrong_value(row->name, text, "a whole number from 1 to 16777215");
        options->image.max_side = (uint32_t)count;
        break;
    case OPT_MAX_PIXELS:
        if (!options_parse_count(text, 1ull << 48, &count))
            return options_wrong_value(row->name, text, "a whole number from 1 to 2^48");
        options->image.max_pixels = count;
        break;
    case OPT_THREADS:
        if (!options_parse_count(text, UINT32_MAX, &count))
            return options_wrong_value(row->name, text, "a whole number from 1 to 4294967295");
        options->settings.threads = (uint32_t)count;
        break;
    }
    return good || options_wrong_value(row->name, text, row->value);
}

static void take_flag(struct options *options, int key)
{
    switch (key) {
    case OPT_JSON: options->json = true; break;
    case OPT_LIST_DEVICES: options->action = ACTION_LIST_DEVICES; break;
    case OPT_VERSION: options->action = ACTION_VERSION; break;
    case 'h': options->action = ACTION_HELP; break;
    case 'q': options->quiet = true; break;
    case 'v': options->verbose = true; break;
    }
}

static const struct option_row *row_of(int key)
{
    for (size_t i = 0; i < ROW_COUNT; i++)
        if (ROWS[i].key == key) return &ROWS[i];
    for (size_t i = 0; i < OPTIONS_BATCH_ROWS; i++)
        if (options_batch_rows[i].key == key) return &options_batch_rows[i];
    return NULL;
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
        fprintf(stderr, "ssimcu: merge: expected the results to merge (see ssimcu --help)\n");
        return false;
    }
    if (options->batch.list && argc == optind) return true;
    if (options->batch.list) {
        fprintf(stderr, "ssimcu: --list names all pairs: no file is expected beside it\n");
        return false;
    }
    if (argc - optind != 2) {
        fprintf(stderr, "ssimcu: expected two files, REF and OUT, got %d (see ssimcu --help)\n",
                argc - optind);
        return false;
    }
    options->ref = argv[optind];
    options->out = argv[optind + 1];
    const bool named = options->ref[0] != '\0' && options->out[0] != '\0';
    if (!named) /* most likely a variable that a script did not set */
        fprintf(stderr, "ssimcu: %s is an empty file name\n", options->ref[0] ? "OUT" : "REF");
    return named;
}

bool options_parse(struct options *options, int argc, char **argv)
{
    struct option table[ROW_COUNT + OPTIONS_BATCH_ROWS + 1] = {0};
    for (size_t i = 0; i < ROW_COUNT + OPTIONS_BATCH_ROWS; i++) {
        const struct option_row *row =
            i < ROW_COUNT ? &ROWS[i] : &options_batch_rows[i - ROW_COUNT];
        table[i] = (struct option){row->name, row->value ? required_argument : no_argument, NULL,
                                   row->key};
    }
    *options = (struct options){
        .settings = {.struct_size = sizeof options->settings, .threads = ssimcu_cpu_threads()},
        .image = {.struct_size = sizeof options->image},
        .batch = {.worst = 5, .shard = 1, .shards = 1}};
    static char program[] = "ssimcu"; /* getopt starts its lines with argv[0], which has a path */
    if (argc > 0) argv[0] = program;
    int key;
    while ((key = getopt_long(argc, argv, "hqv", table, NULL)) != -1) {
        const struct option_row *row = row_of(key);
        if (!row) return false; /* getopt has printed its line */
        if (key >= OPTIONS_BATCH_FIRST) {
            if (!options_take_batch(&options->batch, row, optarg)) return false;
            continue;
        }
        if (row->value && !take_value(options, row, optarg)) return false;
        take_flag(options, key);
    }
    return take_files(options, argc, argv) && options_check_batch(options);
}

static void print_row(const struct option_row *row)
{
    char left[64];
    if (!row->help) return;
    const char dash[] = {'-', (char)row->key, ',', ' ', '\0'};
    snprintf(left, sizeof left, "%s--%s%s%s", row->key < 256 ? dash : "    ", row->name,
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
    for (size_t i = 0; i < ROW_COUNT; i++) print_row(&ROWS[i]);
    puts("\nBatches:");
    for (size_t i = 0; i < OPTIONS_BATCH_ROWS; i++) print_row(&options_batch_rows[i]);
    puts("\nExit codes: 0 scored; 1 below a threshold; 2 usage; 3 the inputs do not match, or "
         "frames\n"
         "are missing or failed; 4 bad input file, or no frame could be scored; 5 device missing "
         "or\n"
         "failed; 70 internal error; 74 an output could not be written; 130, 143 stopped by a "
         "signal.");
}

enum exit_code exit_code_of(ssimcu_status status)
{
    switch (status) {
    case SSIMCU_OK: return EXIT_SCORED;
    case SSIMCU_ERROR_MISMATCH: return EXIT_MISMATCH;
    case SSIMCU_ERROR_TOO_SMALL:
    case SSIMCU_ERROR_UNSUPPORTED:
    case SSIMCU_ERROR_LIMIT:
    case SSIMCU_ERROR_FILE:
    case SSIMCU_ERROR_DATA: return EXIT_INPUT;
    case SSIMCU_ERROR_DEVICE: return EXIT_DEVICE;
    case SSIMCU_ERROR_WRITE: return EXIT_OUTPUT;
    default: return EXIT_INTERNAL;
    }
}
