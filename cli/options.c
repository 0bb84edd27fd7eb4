#include "console.h"
#include "option_values.h"
#include "shard.h"

#include "base/text.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool usage(const char *text)
{
    console_line("%s", text);
    return false;
}

/* Refuses an option that would have no effect. The library sees only options that differ from their
 * default. */
static bool options_go(const struct arguments *arguments, enum verb verb)
{
    ssimcu_message message = {{0}};
    for (int i = 0; i < OPTION_ROWS; i++) {
        if (!arguments->given[i] || option_rows[i].verbs & verb) continue;
        (void)verbs_refuse(&option_rows[i], verb, &message);
        return usage(message.text);
    }
    return true;
}

static bool is_directory(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

/* Refuses a first word that is a verb but must mean a directory of that name. That is so if no
 * results follow, or an option that the verb requires is missing. */
static bool is_verb(const struct arguments *arguments, const char *const *files, int count)
{
    const bool learns = arguments->run.output && strcmp(files[0], "calibrate") == 0;
    bool meant = is_directory(files[0]) && !learns && !arguments->accept.into;
    for (int i = 1; i < count && meant; i++)
        meant = text_stem(files[i], ".jsonl") == 0 &&
                (is_directory(files[i]) || access(files[i], F_OK) != 0);
    if (meant)
        console_line("%s is a command here; write ./%s for a directory of that name", files[0],
                     files[0]);
    return !meant;
}

/* Splits LABEL=OUT, unless a file has that whole name. Label and file are not empty, and a label
 * has no slash. */
static bool split_label(struct arguments *arguments, const char *text, uint32_t at, size_t *used)
{
    const char *const equals = strchr(text, '=');
    const size_t length = equals ? (size_t)(equals - text) : 0;
    arguments->out[at] = text;
    arguments->labels[at] = NULL;
    if (length == 0 || !equals[1] || memchr(text, '/', length) || access(text, F_OK) == 0)
        return true;
    if (*used + length + 1 > sizeof arguments->label_text) return usage("labels are too long");
    char *const label = memcpy(arguments->label_text + *used, text, length);
    label[length] = '\0';
    *used += length + 1;
    arguments->out[at] = equals + 1;
    arguments->labels[at] = label;
    return true;
}

/* Reads REF and its OUTs, which may have labels. */
static bool take_outs(struct arguments *arguments, const char *const *files, uint32_t outs)
{
    ssimcu_run_options *run = &arguments->run;
    size_t used = 0;
    run->ref = files[0], run->out = files + 1, run->outs = outs;
    if (outs > MOST_OUTS) return true; /* the library reports the largest number */
    for (uint32_t i = 0; i < outs; i++)
        if (!split_label(arguments, files[i + 1], i, &used)) return false;
    run->out = arguments->out, run->labels = arguments->labels;
    return true;
}

/* Reads REF and its OUTs, or nothing if a list names them. */
static bool take_pairs(struct arguments *arguments, const char *const *files, int count)
{
    const bool list = arguments->run.list != NULL;
    if (!options_go(arguments, list ? VERB_LIST : VERB_SCORE)) return false;
    if (list && count == 0) return true;
    if (!list && count < 2) {
        console_line("expected two files, REF and OUT, got %d (see ssimcu --help)", count);
        return false;
    }
    return take_outs(arguments, files, (uint32_t)count - 1);
}

/* The verbs: their action, and the expected arguments. */
static const struct verb_row {
    const char *name;
    enum verb verb;
    enum action action;
    int least; /* least number of files */
    const char *expected;
} verbs[] = {
    {"accept", VERB_ACCEPT, ACTION_ACCEPT, 1, "the results of a run (see ssimcu --help)"},
    {"calibrate", VERB_CALIBRATE, ACTION_CALIBRATE, 2, "REF and the runs that were accepted"},
    {"check", VERB_CHECK, ACTION_SCORE, 1, "frames (see ssimcu --help)"},
    {"merge", VERB_MERGE, ACTION_SCORE, 1, "the results to merge (see ssimcu --help)"}};
enum { VERBS = sizeof verbs / sizeof *verbs };

/* Reads the arguments of a verb. A list may name the files to check. */
static bool take_verb(struct arguments *arguments, const struct verb_row *row,
                      const char *const *files, int count)
{
    ssimcu_run_options *run = &arguments->run;
    ssimcu_accept_options *accept = &arguments->accept;
    const uint32_t number = (uint32_t)count;
    arguments->action = row->action;
    if (!options_go(arguments, row->verb)) return false;
    if (count < row->least && !(row->verb == VERB_CHECK && run->list)) {
        console_line("%s: expected %s", row->name, row->expected);
        return false;
    }
    switch (row->verb) {
    case VERB_ACCEPT:
        accept->results = files, accept->results_count = number, accept->frames = run->frames;
        return accept->into ||
               usage("accept: expected --into DIR, the directory of the references");
    case VERB_CALIBRATE:
        run->ref = files[0], run->out = files + 1, run->outs = number - 1;
        return run->output || usage("calibrate: expected --output limits.json");
    case VERB_CHECK: run->check = 1, run->out = files, run->outs = number; return true;
    default: run->merge = files, run->merges = number; return true;
    }
}

/* Reads the arguments after the options: an optional verb, and files. */
static bool take_files(struct arguments *arguments, int argc, char **argv)
{
    const char *const *files = (const char *const *)(argv + optind);
    const int count = argc - optind;
    const bool helps = arguments->action == ACTION_HELP || arguments->action == ACTION_HELP_ALL;
    if (helps && count > 0 && strcmp(files[0], "calibrate") == 0)
        arguments->action = ACTION_HELP_CALIBRATE;
    if (helps && count > 0 && strcmp(files[0], "check") == 0) arguments->action = ACTION_HELP_CHECK;
    if (arguments->action != ACTION_SCORE) return true;
    for (int i = 0; i < VERBS && count > 0; i++) {
        if (strcmp(files[0], verbs[i].name) != 0) continue;
        return is_verb(arguments, files, count) &&
               take_verb(arguments, &verbs[i], files + 1, count - 1);
    }
    return take_pairs(arguments, files, count);
}

/* Returns the edit distance of two names. `length` is that of `a`, which is compared up to 31
 * letters. */
static size_t distance(const char *a, size_t length, const char *b)
{
    size_t row[32];
    if (length > 31) length = 31;
    for (size_t i = 0; i <= length; i++) row[i] = i;
    for (size_t j = 0; b[j]; j++) {
        size_t diagonal = row[0];
        row[0] = j + 1;
        for (size_t i = 1; i <= length; i++) {
            const size_t changed = diagonal + (a[i - 1] != b[j]), above = row[i] + 1;
            const size_t left = row[i - 1] + 1, moved = above < left ? above : left;
            diagonal = row[i];
            row[i] = changed < moved ? changed : moved;
        }
    }
    return row[length];
}

/* Returns the option closest to a mistyped text, up to an '='; NULL: none is close. */
static const char *nearest_option(const char *text)
{
    const size_t length = strcspn(text, "=");
    size_t least = length / 3 + 1; /* one letter of three may be wrong */
    const char *nearest = NULL;
    for (int i = 0; i < OPTION_ROWS; i++) {
        const size_t far = distance(text, length, option_rows[i].name);
        if (far >= least) continue;
        least = far;
        nearest = option_rows[i].name;
    }
    return nearest;
}

/* Reports an option whose text, up to an '=', is the prefix of several names or none. */
static bool unknown_option(const char *text)
{
    char names[24 * OPTION_ROWS] = "";
    size_t used = 0;
    const char *name = text + 2;
    for (int i = 0; i < OPTION_ROWS; i++)
        if (strncmp(name, option_rows[i].name, strcspn(name, "=")) == 0)
            used +=
                (size_t)snprintf(names + used, sizeof names - used, " '--%s'", option_rows[i].name);
    if (used > 0)
        console_line("option '%s' is ambiguous; possibilities:%s", text, names);
    else if (nearest_option(name))
        console_line("unrecognized option '%s': did you mean '--%s'?", text, nearest_option(name));
    else if (strcmp(name, "merge") == 0)
        console_line("unrecognized option '%s': write ssimcu merge RESULTS.jsonl...", text);
    else
        console_line("unrecognized option '%s'", text);
    return false;
}

/* Returns getopt's value for row i: its letter, or a number above all letters. */
static int key_of(int i) { return option_rows[i].letter ? option_rows[i].letter : 256 + i; }

/* Prints getopt's message, but escaped. */
static bool wrong_option(int key, const char *text)
{
    if (optopt == 0) return unknown_option(text);
    int i = 0;
    while (i < OPTION_ROWS && key_of(i) != optopt) i++;
    if (i == OPTION_ROWS)
        console_line("invalid option -- '%c'", optopt);
    else if (key == ':')
        console_line("option '--%s' requires an argument", option_rows[i].name);
    else
        console_line("option '--%s' doesn't allow an argument", option_rows[i].name);
    return false;
}

/* Gets the share from the scheduler, and names its files. */
static bool take_own_share(struct arguments *arguments)
{
    ssimcu_run_options *run = &arguments->run;
    const char **const file[2] = {&run->output, &run->resume};
    ssimcu_message message = {{0}};
    if (!arguments->shard_auto || arguments->action != ACTION_SCORE) return true;
    const bool found = shard_find(&run->shard, &run->shards, &message);
    if (!found || arguments->verbose) console_line("--shard auto: %s", message.text);
    for (int i = 0; i < 2 && found; i++) {
        if (!*file[i]) continue;
        if (!shard_name(*file[i], run->shard, arguments->own[i], sizeof arguments->own[i]))
            return usage("--shard auto: the name of a file is too long");
        *file[i] = arguments->own[i];
    }
    return found;
}

bool options_parse(struct arguments *arguments, int argc, char **argv)
{
    struct option table[OPTION_ROWS + 1] = {0};
    for (int i = 0; i < OPTION_ROWS; i++)
        table[i] = (struct option){option_rows[i].name,
                                   option_rows[i].value ? required_argument : no_argument, NULL,
                                   key_of(i)};
    *arguments =
        (struct arguments){.run = SSIMCU_INIT(run_options), .accept = SSIMCU_INIT(accept_options)};
    int key; /* the leading ':' keeps getopt silent */
    while ((key = getopt_long(argc, argv, ":hqvV", table, NULL)) != -1) {
        int i = 0;
        while (i < OPTION_ROWS && key_of(i) != key) i++;
        if (i == OPTION_ROWS) return wrong_option(key, argv[optind - 1]);
        if (!option_take(arguments, i, optarg)) return false;
    }
    return take_own_share(arguments) && take_files(arguments, argc, argv);
}

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

/* The groups of rows, or of options above that go with a verb, and their headings in --help-all. */
static const struct {
    const char *group, *head;
} groups[] = {{"INPUT", "Input:\n"},
              {"OUTPUT", "Output:\n"},
              {"SCORE", "Metric:\n"},
              {"LIGHT", "Linear light:\n"},
              {"LIMITS", "Limits and verdict:\n"},
              {"BATCH", "Batches and farms:\n"},
              {"PROGRAM", "Program and machine:\n"},
              {"", "Score:\n  REF and OUT, or --list: all of the options above\n\n"
                   "Merge:\n  Output, Limits and verdict, --missing and --progress; -v\n\n"
                   "Check:\n"
                   "  --json, --csv, --output, --junit, --markdown, --report, --fail-on,\n"
                   "  --recursive, --list, --frames, --layer, --layers, --channels, --size,\n"
                   "  --format, --stream, --resume, --shard, --threads, --memory, --max-pixels,\n"
                   "  --progress, -q and -v\n"},
              {"CALIBRATE",
               "Calibrate:\n"
               "  Input, Metric, Linear light, --output, --report, --limits, -q and -v; also\n"},
              {"ACCEPT", "Accept:\n  --frames, -q and -v; also\n"}};
enum { GROUPS = sizeof groups / sizeof *groups };

/* Prints the options of a group that go with a verb of the mask; 0: all. */
static void print_group(int group, unsigned mask)
{
    for (const struct option_row *row = option_rows; row < option_rows + OPTION_ROWS; row++)
        if (strcmp(row->group, groups[group].group) == 0 && (mask == 0 || row->verbs & mask))
            print_row(row);
}

#define CALIBRATE_USAGE "ssimcu [options] calibrate --output limits.json REF RUN..."

static const char check_help[] =
    "Usage: ssimcu [options] check FRAMES...\n"
    "       ssimcu [options] merge RESULTS.jsonl...\n"
    "Checks frames without a reference, each frame and against its neighbours: pictures,\n"
    "directories, patterns (shot.%04d.png) and video. Exits with 1 if a frame has a finding\n"
    "that fails. More: man ssimcu-check\n";
static const char calibrate_help[] =
    "Usage: " CALIBRATE_USAGE "\n"
    "Learns limits for every tile and the whole frame from RUNs that were accepted, such as\n"
    "eight renders of REF with other seeds, and reports which faults they find. Then judge with\n"
    "ssimcu --limits limits.json REF OUT. More: man ssimcu-calibrate\n";

/* Prints the help of a verb, and the options that go with it. Options of only this verb come
 * first. */
static void help_verb(const char *text, enum verb verb)
{
    puts(text);
    for (int group = GROUPS - 1; group >= 0; group--) print_group(group, verb);
}

static void help_program(bool all)
{
    puts("Usage: ssimcu [options] REF [LABEL=]OUT...\n"
         "       ssimcu [options] --list PAIRS.tsv\n"
         "       ssimcu [options] merge RESULTS.jsonl... | check FRAMES...\n"
         "       ssimcu accept RESULTS.jsonl... --into DIR\n"
         "       " CALIBRATE_USAGE "\n"
         "Scores how close OUT is to its reference REF. 1 is identical (SSIM; --metric).\n"
         "REF and OUT are pictures (PNG, JPEG, TIFF, DPX, EXR), directories, patterns\n"
         "(shot.%04d.png) or video (mp4, mov, mkv, y4m, raw, -). Several OUTs: all video.");
    for (int group = 0; group < GROUPS && all; group++) {
        printf("\n%s", groups[group].head);
        print_group(group, 0);
    }
    if (!all) puts("");
    for (int i = 0; i < OPTION_ROWS && !all; i++)
        if (option_rows[i].common) print_row(&option_rows[i]);
    if (!all) puts("\nAll options: ssimcu --help-all, man ssimcu");
    puts("\nExit codes: 0 scored; 1 outside a limit; 2 usage; 3 the inputs do not match, or\n"
         "frames are missing or failed; 4 bad input, or nothing scored; 5 device;\n"
         "70 internal error; 74 an output could not be written; 130, 143 a signal.");
}

int options_help(enum action action)
{
    if (action == ACTION_HELP_CHECK)
        help_verb(check_help, VERB_CHECK);
    else if (action == ACTION_HELP_CALIBRATE)
        help_verb(calibrate_help, VERB_CALIBRATE);
    else
        help_program(action == ACTION_HELP_ALL);
    return SSIMCU_EXIT_SCORED;
}
