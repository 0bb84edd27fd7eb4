#include "console.h"
#include "option_rows.h"

#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static bool usage(const char *text)
{
    console_line("%s", text);
    return false;
}

/* Takes REF and one or several OUTs, or the results to merge. */
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
    if (argc - optind < 2) {
        console_line("expected two files, REF and OUT, got %d (see ssimcu --help)", argc - optind);
        return false;
    }
    if (argc - optind - 1 > SOURCE_MOST_OUTS) {
        console_line("%d OUTs: at most %d at a time", argc - optind - 1, (int)SOURCE_MOST_OUTS);
        return false;
    }
    for (int i = optind; i < argc; i++)
        if (argv[i][0] == '\0') /* most likely a variable that a script did not set */
            return usage(i > optind ? "OUT is an empty file name" : "REF is an empty file name");
    options->input.path[0] = argv[optind];
    options->input.path[1] = argv[optind + 1];
    options->input.out = argv + optind + 1;
    options->input.outs = (uint32_t)(argc - optind - 1);
    return true;
}

static bool ends_with(const char *text, const char *end)
{
    const size_t length = strlen(text), tail = strlen(end);
    return length >= tail && strcmp(text + length - tail, end) == 0;
}

enum {
    LIGHT_NOT_GIVEN = INT32_MAX,
    SIDE_MOST = (1 << 24) - 1 /* pixels; --max-pixels is the limit that matters */
};

/* Works out the light of --hdr and the options beside it. A single channel is data, not light,
 * unless
 * --hdr says so, and then no curve applies. Its white is whatever --exposure makes 1. */
static bool check_light(struct options *options)
{
    struct contract_light *light = &options->light;
    const bool single = light->channels && !strchr(light->channels, ',');
    if (single && !options->exposure_given)
        return usage(
            "--channels with a single channel needs --exposure, which makes its white 1: 0 "
            "if that is 1, -log2(X) if it is X");
    if (light->transfer == LIGHT_NOT_GIVEN) light->transfer = single ? 0 : SSIMCU_TRANSFER_SRGB;
    options->settings.transfer =
        light->transfer == 0 ? SSIMCU_TRANSFER_NONE : (ssimcu_transfer)light->transfer;
    options->settings.gain = exp2(light->exposure);
    options->settings.white = light->white;
    options->settings.nan_zero = light->nan;
    options->image.layer = light->layer;
    options->image.channels = light->channels;
    return true;
}

/* Checks --size and --format, which belong together. */
static bool check_raw(struct options *options)
{
    struct batch_options *batch = &options->batch;
    if ((batch->size != NULL) != (batch->format != NULL))
        return usage("raw video needs both --size and --format");
    if (batch->size && !ssimcu_raw_parse(batch->size, batch->format, &batch->raw)) {
        console_line("--size %s --format %s: expected such as 3840x2160 and yuv420p (also "
                     "yuv411p, yuv422p, yuv444p, gray; with a depth behind, 9 to 16)",
                     batch->size, batch->format);
        return false;
    }
    if (batch->size) options->input.raw = &batch->raw;
    return true;
}

/* Refuses what a merge cannot do. */
static bool check_merge(const struct options *options)
{
    const struct batch_options *batch = &options->batch;
    if (options->action != ACTION_MERGE) return true;
    if (batch->resume) return usage("merge: --resume has nothing to resume");
    if (options->map) return usage("merge: --map has no frames to draw");
    if (batch->share) return usage("merge: takes all shares, --shard is for the runs before");
    if (options->missing == MISSING_END)
        return usage("merge: --missing end has nothing to end, it is for the runs before");
    return true;
}

static bool check_batch(struct options *options)
{
    struct batch_options *batch = &options->batch;
    if (batch->resume && !batch->output && !batch->csv) batch->output = batch->resume;
    if (batch->output && ends_with(batch->output, ".csv") && !options->json) batch->csv = true;
    if (options->json) batch->csv = false;
    options->limits.allow_missing = options->missing == MISSING_SKIP;
    options->input.shortest = options->missing == MISSING_END;
    if ((batch->baseline != NULL) != (options->limits.max_drop < INFINITY))
        return usage("--baseline and --max-drop need each other");
    if (options->map_style != MAP_GREY && !options->map) return usage("--map-style needs --map");
    if (options->tile == 0 && options->limits.min_tile > -INFINITY)
        return usage("--min-tile needs tiles, --tile 0 makes none");
    if (batch->resume && ends_with(batch->resume, ".csv"))
        return usage("--resume: JSON Lines can be resumed, CSV cannot");
    if (batch->share && batch->junit)
        return usage("--junit: a share has no verdict, the merge has");
    if (options->input.outs > 1 && batch->csv && !batch->output)
        return usage("--csv: several OUTs have a file each, --output DIR");
    return true;
}

/* Chooses the decoder. NVDEC does not see damage that a decoder on the CPU sees. So a run that
 * judges frames uses NVDEC only if it is asked for. NVDEC needs the GPU to score. It excludes maps,
 * because those are drawn from frames in host memory. */
static bool check_decode(struct options *options)
{
    const bool judges = verdict_any_limit(&options->limits) || options->batch.junit;
    const bool on_cpu = options->settings.device == SSIMCU_DEVICE_CPU;
    struct source_input *input = &options->input;
    input->gpu = options->settings.device_index;
    if (input->decode == DECODE_CUDA) {
        if (on_cpu || options->all_devices)
            return usage("--decode cuda leaves frames on the GPU that scores them: --device cuda");
        if (options->map) return usage("--map draws what --decode cpu decodes");
    } else if (judges || on_cpu || options->all_devices || options->map) {
        input->decode = DECODE_CPU;
    }
    return true;
}

/* Returns how many threads decode each of two videos. If all are asked for, each video gets as
 * many, because the slower one needs most of them. Otherwise each gets half: scoring, a fifth of
 * the work, runs while one side waits for the other. */
static uint32_t threads_per_video(uint32_t asked)
{
    return asked < ssimcu_cpu_threads() ? (asked + 1) / 2 : asked;
}

/* Complains about an option whose text, up to an '=', begins several names or none. */
static bool unknown_option(const char *text)
{
    char names[24 * OPTION_ROWS_MOST] = "";
    size_t used = 0;
    const int count = option_count();
    const char *name = text + 2;
    for (int i = 0; i < count; i++)
        if (strncmp(name, option_at(i)->name, strcspn(name, "=")) == 0)
            used +=
                (size_t)snprintf(names + used, sizeof names - used, " '--%s'", option_at(i)->name);
    if (used > 0)
        console_line("option '%s' is ambiguous; possibilities:%s", text, names);
    else
        console_line("unrecognized option '%s'", text);
    return false;
}

/* Prints getopt's message, but escaped. */
static bool wrong_option(int key, const char *text)
{
    if (optopt == 0) return unknown_option(text);
    const int count = option_count();
    int i = 0;
    while (i < count && option_key(i) != optopt) i++;
    if (i == count)
        console_line("invalid option -- '%c'", optopt);
    else if (key == ':')
        console_line("option '--%s' requires an argument", option_at(i)->name);
    else
        console_line("option '--%s' doesn't allow an argument", option_at(i)->name);
    return false;
}

bool options_parse(struct options *options, int argc, char **argv)
{
    struct option table[OPTION_ROWS_MOST + 1] = {0};
    const int count = option_count();
    for (int i = 0; i < count; i++)
        table[i] = (struct option){option_at(i)->name,
                                   option_at(i)->value ? required_argument : no_argument, NULL,
                                   option_key(i)};
    *options = (struct options){
        .settings = {.struct_size = sizeof options->settings, .threads = ssimcu_cpu_threads()},
        .light = {.transfer = LIGHT_NOT_GIVEN, .white = 100},
        .image = {.struct_size = sizeof options->image, .max_side = SIDE_MOST},
        .input = {.limits = &options->image, .shard = 1, .shards = 1},
        .report_frames = 12,
        .tile = 64,
        .limits = LIMITS_NONE,
        .batch = {.worst = 5}};
    int key; /* the ':' in front keeps getopt silent */
    while ((key = getopt_long(argc, argv, ":hqv", table, NULL)) != -1) {
        int i = 0;
        while (i < count && option_key(i) != key) i++;
        if (i == count) return wrong_option(key, argv[optind - 1]);
        if (!option_take(options, i, optarg)) return false;
    }
    const uint32_t most = ssimcu_cpu_threads();
    if (options->settings.threads > most) options->settings.threads = most;
    options->input.threads = threads_per_video(options->settings.threads);
    return take_files(options, argc, argv) && check_light(options) && check_raw(options) &&
           check_merge(options) && check_batch(options) && check_decode(options);
}

void options_free(struct options *options) { ssimcu_ranges_free(&options->batch.frames); }

enum { HELP_WIDTH = 80, HELP_INDENT = 26 };

/* Prints text in lines of HELP_WIDTH. The first begins at `column`, the others are indented. */
static void print_wrapped(const char *text, int column)
{
    while (*text) {
        const int word = (int)strcspn(text, " ");
        if (column > HELP_INDENT && column + 1 + word > HELP_WIDTH) {
            printf("\n%*s", HELP_INDENT, "");
            column = HELP_INDENT;
        }
        column += printf("%s%.*s", column > HELP_INDENT ? " " : "", word, text);
        text += word + (text[word] == ' ');
    }
    putchar('\n');
}

static void print_row(const struct option_row *row)
{
    const char dash[] = {'-', row->letter, ',', ' ', '\0'};
    const int column = printf("  %s--%s%s%s", row->letter ? dash : "    ", row->name,
                              row->value ? " " : "", row->value ? row->value : "");
    if (column >= HELP_INDENT - 1) putchar('\n');
    printf("%*s", column >= HELP_INDENT - 1 ? HELP_INDENT : HELP_INDENT - column, "");
    print_wrapped(row->help, HELP_INDENT);
}

static void print_group(enum option_group group)
{
    printf("\n%s:\n", option_titles[group]);
    for (int i = 0; i < option_count(); i++)
        if (option_at(i)->group == group) print_row(option_at(i));
}

void options_help(bool all)
{
    puts("Usage: ssimcu [options] REF OUT...\n"
         "       ssimcu [options] --list PAIRS.tsv\n"
         "       ssimcu [options] merge RESULTS.jsonl...\n"
         "Scores with SSIM how close OUT is to its reference REF. 1 is identical.\n"
         "REF and OUT are pictures (PNG, JPEG, TIFF, DPX, EXR), directories, patterns\n"
         "(shot.%04d.png) or video (mp4, mov, mkv, y4m, raw, -). Several OUTs: all video.");
    for (int group = 0; group < GROUP_COUNT && all; group++) print_group(group);
    if (!all) puts("");
    for (int i = 0; i < option_count() && !all; i++)
        if (option_at(i)->common) print_row(option_at(i));
    if (!all) puts("\nAll options: ssimcu --help-all, man ssimcu");
    puts("\nExit codes: 0 scored; 1 below a limit; 2 usage; 3 the inputs do not match, or\n"
         "frames are missing or failed; 4 bad input, or nothing scored; 5 device;\n"
         "70 internal error; 74 an output could not be written; 130, 143 a signal.");
}
