#include "console.h"
#include "option_rows.h"
#include "shard.h"

#include "base/text.h"
#include "options/verbs.h"

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

/* Refuses an option that would be passed over. The library sees only those that say something else
 * than their default. */
static bool options_go(const struct arguments *arguments, enum verb verb)
{
    ssimcu_message message = {{0}};
    for (int i = 0; i < option_count(); i++) {
        const struct option_row *row = option_at(i);
        const unsigned verbs = row->verbs ? row->verbs : verbs_of(row->name);
        if (!arguments->given[i] || verbs & verb) continue;
        (void)verbs_refuse(row->name, verbs, verb, &message);
        return usage(message.text);
    }
    return true;
}

static bool is_directory(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

/* Refuses a first word that is a verb, if a directory of that name must be meant: no results
 * follow, and the option is not there without which the verb cannot be. */
static bool is_verb(const struct arguments *arguments, const char *const *files, int count)
{
    const bool learns = arguments->run.output && strcmp(files[0], "calibrate") == 0;
    bool meant =
        is_directory(files[0]) && !learns && !arguments->accept.into && !arguments->fail_on;
    for (int i = 1; i < count && meant; i++)
        meant = text_stem(files[i], ".jsonl") == 0 &&
                (is_directory(files[i]) || access(files[i], F_OK) != 0);
    if (meant)
        console_line("%s is a verb here; for a directory of that name say ./%s", files[0],
                     files[0]);
    return !meant;
}

/* Takes the results of which accept makes references. */
static bool take_results(struct arguments *arguments, const char *const *files, int count)
{
    arguments->action = ACTION_ACCEPT;
    arguments->accept.results = files;
    arguments->accept.results_count = (uint32_t)count;
    arguments->accept.frames = arguments->run.frames;
    if (!options_go(arguments, VERB_ACCEPT)) return false;
    if (count == 0) return usage("accept: expected the results of a run (see ssimcu --help)");
    return arguments->accept.into ||
           usage("accept: expected --into DIR, the directory of the references");
}

/* Takes REF and the runs of which a calibration learns. */
static bool take_runs(struct arguments *arguments, const char *const *files, int count)
{
    arguments->action = ACTION_CALIBRATE;
    if (!options_go(arguments, VERB_CALIBRATE)) return false;
    if (count < 2) return usage("calibrate: expected REF and the runs that were accepted");
    arguments->run.ref = files[0];
    arguments->run.out = files + 1;
    arguments->run.outs = (uint32_t)(count - 1);
    return arguments->run.output || usage("calibrate: expected --output limits.json");
}

/* Splits LABEL=OUT, unless there is a file of that whole name. Label and file are not empty, and a
 * label has no slash. */
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

/* Takes REF and its OUTs, which may have labels. */
static bool take_outs(struct arguments *arguments, const char *const *files, uint32_t outs)
{
    ssimcu_run_options *run = &arguments->run;
    size_t used = 0;
    run->ref = files[0];
    run->out = files + 1;
    run->outs = outs;
    if (outs > MOST_OUTS) return true; /* the library says how many there may be */
    for (uint32_t i = 0; i < outs; i++)
        if (!split_label(arguments, files[i + 1], i, &used)) return false;
    run->out = arguments->out;
    run->labels = arguments->labels;
    return true;
}

/* Takes frames that have no reference, or results to merge, or nothing where a list names them. */
static bool take_frames(struct arguments *arguments, const char *const *files, int count)
{
    arguments->action = ACTION_CHECK;
    if (arguments->merges) {
        arguments->run.merge = files;
        arguments->run.merges = (uint32_t)count;
        if (!options_go(arguments, VERB_CHECK_MERGE)) return false;
        return count > 0 || usage("check: expected the results to merge (see ssimcu --help)");
    }
    arguments->run.out = files;
    arguments->run.outs = (uint32_t)count;
    if (!options_go(arguments, VERB_CHECK)) return false;
    return count > 0 || arguments->run.list || usage("check: expected frames (see ssimcu --help)");
}

/* Takes REF and its OUTs, or nothing where a list names them. */
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

/* Takes the results to merge. */
static bool take_merge(struct arguments *arguments, const char *const *files, int count)
{
    arguments->run.merge = files;
    arguments->run.merges = (uint32_t)count;
    if (!options_go(arguments, VERB_MERGE)) return false;
    return count > 0 || usage("merge: expected the results to merge (see ssimcu --help)");
}

/* Takes what stands behind the options: files, and perhaps a verb in front of them. */
static bool take_files(struct arguments *arguments, int argc, char **argv)
{
    static const struct {
        const char *name;
        bool (*take)(struct arguments *arguments, const char *const *files, int count);
    } verbs[] = {{"accept", take_results},
                 {"calibrate", take_runs},
                 {"check", take_frames},
                 {"merge", take_merge}};
    const char *const *files = (const char *const *)(argv + optind);
    const int count = argc - optind;
    const bool helps = arguments->action == ACTION_HELP || arguments->action == ACTION_HELP_ALL;
    if (helps && count > 0 && strcmp(files[0], "calibrate") == 0)
        arguments->action = ACTION_HELP_CALIBRATE;
    if (helps && count > 0 && strcmp(files[0], "check") == 0) arguments->action = ACTION_HELP_CHECK;
    if (arguments->action != ACTION_SCORE) return true;
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs && count > 0; i++)
        if (strcmp(files[0], verbs[i].name) == 0)
            return is_verb(arguments, files, count) &&
                   verbs[i].take(arguments, files + 1, count - 1);
    return take_pairs(arguments, files, count);
}

/* Returns how many letters of a name must change, come or go to make the other. `length` is that of
 * `a`, which is compared up to 31 letters. */
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

/* Returns the option that a mistyped text, up to an '=', is likely to mean; NULL: none is near. */
static const char *nearest_option(const char *text)
{
    const size_t length = strcspn(text, "=");
    size_t least = length / 3 + 1; /* one letter of three may be wrong */
    const char *nearest = NULL;
    for (int i = 0; i < option_count(); i++) {
        const size_t far = distance(text, length, option_at(i)->name);
        if (far >= least) continue;
        least = far;
        nearest = option_at(i)->name;
    }
    return nearest;
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
    else if (nearest_option(name))
        console_line("unrecognized option '%s': did you mean '--%s'?", text, nearest_option(name));
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

/* Lets the scheduler say which share this is, and names the share's files. */
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
    struct option table[OPTION_ROWS_MOST + 1] = {0};
    const int count = option_count();
    for (int i = 0; i < count; i++)
        table[i] = (struct option){option_at(i)->name,
                                   option_at(i)->value ? required_argument : no_argument, NULL,
                                   option_key(i)};
    *arguments =
        (struct arguments){.run = SSIMCU_INIT(run_options), .accept = SSIMCU_INIT(accept_options)};
    int key; /* the ':' in front keeps getopt silent */
    while ((key = getopt_long(argc, argv, ":hqvV", table, NULL)) != -1) {
        int i = 0;
        while (i < count && option_key(i) != key) i++;
        if (i == count) return wrong_option(key, argv[optind - 1]);
        if (!option_take(arguments, i, optarg)) return false;
    }
    arguments->run.results = arguments->json  ? SSIMCU_RESULTS_JSON
                             : arguments->csv ? SSIMCU_RESULTS_CSV
                                              : SSIMCU_RESULTS_AUTO;
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

/* Which of the options above go with a verb. */
static const char *const verb_notes[GROUP_COUNT] = {
    [GROUP_VERB_SCORE] = "  REF and OUT, or --list: all of the options above\n",
    [GROUP_MERGE] = "  Output, Limits and verdict, --missing and --progress; -v\n",
    [GROUP_CALIBRATE] =
        "  what is compared and how, --output, --report, --limits, -q and -v; also\n",
    [GROUP_ACCEPT] = "  --frames, -q and -v; also\n",
    [GROUP_CHECK] = "  --json, --csv, --output, --junit, --report, --recursive, --list, --frames,\n"
                    "  --layer, --layers, --channels, --size, --format, --resume, --shard,\n"
                    "  --threads, --memory, --max-pixels, --progress, -q and -v; also\n"};

static void print_group(enum option_group group)
{
    printf("\n%s:\n%s", option_titles[group], verb_notes[group] ? verb_notes[group] : "");
    for (int i = 0; i < option_count(); i++)
        if (option_at(i)->group == group) print_row(option_at(i));
}

#define CALIBRATE_USAGE "ssimcu [options] calibrate --output limits.json REF RUN..."

/* Prints the options that go with verbs. Their own come first. */
static void print_rows_of(unsigned verbs)
{
    for (int group = GROUP_COUNT - 1; group >= 0; group--)
        for (int i = 0; i < option_count(); i++) {
            const struct option_row *row = option_at(i);
            if ((int)row->group == group && (row->verbs ? row->verbs : verbs_of(row->name)) & verbs)
                print_row(row);
        }
}

void options_help_check(void)
{
    puts("Usage: ssimcu [options] check FRAMES...\n"
         "       ssimcu [options] check --merge RESULTS.jsonl...\n"
         "Judges frames that have no reference, alone and beside their neighbours: pictures,\n"
         "directories, patterns (shot.%04d.png) and video. Exits with 1 if a frame has a finding\n"
         "that fails. More: man ssimcu-check\n");
    print_rows_of(VERB_CHECK);
}

void options_help_calibrate(void)
{
    puts("Usage: " CALIBRATE_USAGE "\n"
         "Learns limits for every tile and the whole frame from RUNs that were accepted, such as\n"
         "eight renders of REF with other seeds, and says which faults they find. Then judge with\n"
         "ssimcu --limits limits.json REF OUT. More: man ssimcu-calibrate\n");
    print_rows_of(VERB_CALIBRATE);
}

void options_help(bool all)
{
    puts("Usage: ssimcu [options] REF [LABEL=]OUT...\n"
         "       ssimcu [options] --list PAIRS.tsv\n"
         "       ssimcu [options] merge RESULTS.jsonl... | check FRAMES...\n"
         "       ssimcu accept RESULTS.jsonl... --into DIR\n"
         "       " CALIBRATE_USAGE "\n"
         "Scores how close OUT is to its reference REF. 1 is identical (SSIM; --metric).\n"
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
