#include "option_rows.h"

#include "console.h"
#include "option_values.h"

#include "base/counts.h"
#include "options/verbs.h"

#include <stddef.h>
#include <stdio.h>

const char *const option_titles[GROUP_COUNT] = {[GROUP_OUTPUT] = "Output",
                                                [GROUP_INPUT] = "What is compared",
                                                [GROUP_SCORE] = "How it is scored",
                                                [GROUP_LIGHT] = "Linear light",
                                                [GROUP_LIMITS] = "Limits and verdict",
                                                [GROUP_BATCH] = "Batches and farms",
                                                [GROUP_PROGRAM] = "Program and machine",
                                                [GROUP_VERB_SCORE] = "Score",
                                                [GROUP_MERGE] = "Merge",
                                                [GROUP_CALIBRATE] = "Calibrate",
                                                [GROUP_ACCEPT] = "Accept",
                                                [GROUP_CHECK] = "Check"};

#define FIELD(name_) .offset = offsetof(struct arguments, name_)
#define COUNT(least_, most_, text) .least = least_, .most = most_, .expected = "a whole number" text
#define REAL(low_, high_, text) .low = low_, .high = high_, .expected = "a number" text
#define DROP .expected = "a number from 0 to below 2"
#define SCORE .expected = "a number above -1, at most 1"
#define SCORE_OF_ANY                                                                               \
    .least = 1, .expected = "a number above -1, at most 1, or METRIC=NUMBER such as psnr=38"

/* What --metric may be: written before the first row is read. */
static char metric_names[256], metric_expected[256];

enum {
    EVERY_VERB = VERB_SCORE | VERB_LIST | VERB_MERGE | VERB_CALIBRATE | VERB_ACCEPT | VERB_CHECK |
                 VERB_CHECK_MERGE
};

static const struct option_row ROWS[] = {
    {"json", NULL, "print a JSON object; of a batch, JSON Lines", GROUP_OUTPUT, option_take_yes,
     FIELD(json), .common = true},
    {"output", "FILE", "write results there: JSON Lines, or CSV by that ending", GROUP_OUTPUT,
     option_take_text, FIELD(run.output), .common = true},
    {"csv", NULL, "write a batch's results as CSV, not as JSON Lines", GROUP_OUTPUT,
     option_take_yes, FIELD(csv)},
    {"map", "FILE.png|DIR", "write the SSIM map; of a batch, a map of each bad frame", GROUP_OUTPUT,
     option_take_text, FIELD(run.map), .common = true},
    {"map-style", "grey|heat|overlay",
     "grey: white is identical; heat: bright is bad; overlay: heat over OUT [grey]", GROUP_OUTPUT,
     option_take_choice, FIELD(run.map_style)},
    {"report", "DIR", "write a page there: verdict, plot, pictures, maps", GROUP_OUTPUT,
     option_take_text, FIELD(run.report), .common = true},
    {"report-frames", "N", "show pictures of the N worst frames in the report [12]", GROUP_OUTPUT,
     option_take_some, FIELD(run.report_frames), COUNT(0, COUNTS_PICTURES, " up to 1000")},
    {"group", "NAME=OUT,...",
     "name OUTs that belong together: each group's rate and quality against the first's",
     GROUP_OUTPUT, option_take_group, .offset = 0, .most = MOST_GROUPS,
     .expected = "up to 16 groups"},
    {"junit", "FILE", "write the verdict there as JUnit XML", GROUP_OUTPUT, option_take_text,
     FIELD(run.junit), .common = true},
    {"markdown", "FILE", "write what fails there for a comment, with pictures beside it",
     GROUP_OUTPUT, option_take_text, FIELD(run.markdown)},
    {"junit-cases", "frame|shot", "a case for each frame, or for each directory [frame]",
     GROUP_OUTPUT, option_take_choice, FIELD(run.junit_cases)},
    {"worst", "N", "name the N worst frames in the summary [5]", GROUP_OUTPUT, option_take_some,
     FIELD(run.worst), COUNT(0, COUNTS_WORST, " up to 1048576")},
    {"quiet", NULL, "print nothing on stdout: the exit code tells", GROUP_OUTPUT, option_take_yes,
     FIELD(quiet), .letter = 'q', .verbs = EVERY_VERB},
    {"verbose", NULL, "say on stderr where the score was computed and how long it took",
     GROUP_OUTPUT, option_take_yes, FIELD(verbose), .letter = 'v', .verbs = EVERY_VERB},

    {"list", "FILE",
     "score the pairs in FILE, one a line: REF, a tab, OUT; of check a path [-: stdin]",
     GROUP_INPUT, option_take_text, FIELD(run.list)},
    {"recursive", NULL, "walk directories; files match by their path in them", GROUP_INPUT,
     option_take_yes, FIELD(run.recursive)},
    {"frames", "RANGES", "score these frames, such as 1-100x2,120 or 0-x10", GROUP_INPUT,
     option_take_text, FIELD(run.frames)},
    {"offset", "N", "compare frame n of REF with n + N of OUT [0]", GROUP_INPUT, option_take_offset,
     FIELD(run.offset), .most = 1 << 20, .expected = "a whole number, such as 3 or -3"},
    {"align", NULL, "pair frames of video by their times, not by their numbers", GROUP_INPUT,
     option_take_yes, FIELD(run.align)},
    {"missing", "error|skip|end",
     "frames that one side lacks: fail, are left out, or end the run [error]", GROUP_INPUT,
     option_take_choice, FIELD(run.missing)},
    {"region", "WxH+X+Y", "score this part of every frame", GROUP_INPUT, option_take_region,
     FIELD(run), .expected = "a size and a place in pixels, such as 1920x800+0+140"},
    {"size", "WxH", "size of raw video", GROUP_INPUT, option_take_text, FIELD(run.size)},
    {"format", "FORMAT", "format of raw video: gray, yuv420p, yuv422p10, yuv444p12, ...",
     GROUP_INPUT, option_take_text, FIELD(run.format)},
    {"range", "tags|limited|full", "range of video samples, whatever the files say [tags]",
     GROUP_INPUT, option_take_choice, FIELD(run.range)},
    {"matrix", "NAME", "matrix of video, such as bt709, whatever the files say", GROUP_INPUT,
     option_take_text, FIELD(run.matrix), .expected = "a name"},
    {"stream", "N|REF:OUT", "video stream to read, from 0, of both sides or of each [0]",
     GROUP_INPUT, option_take_stream, FIELD(run), .most = 1 << 20,
     .expected = "a number from 0, or two such as 0:1"},
    {"scale", "ref|out|WxH",
     "compare video of two sizes at that size, to which the other is scaled", GROUP_INPUT,
     option_take_scale, FIELD(run), .expected = "ref, out, or a size such as 1920x1080"},
    {"scaler", "bicubic|bilinear|lanczos|spline36", "filter of --scale [bicubic]", GROUP_INPUT,
     option_take_choice, FIELD(run.scaler)},
    {"layer", "NAME", "layer or part of an EXR [R, G, B of the first part]", GROUP_INPUT,
     option_take_text, FIELD(run.layer), .expected = "a name"},
    {"layers", "all", "compare or check every layer of EXRs, each with a score of its own",
     GROUP_INPUT, option_take_yes, FIELD(run.layers)},
    {"channels", "R,G,B|Z", "channels of an EXR: three, or one as grey", GROUP_INPUT,
     option_take_text, FIELD(run.channels), .expected = "a name, or three with commas"},

    {"metric", metric_names, "metrics, with commas between; the first is printed [ssim]",
     GROUP_SCORE, option_take_metrics, FIELD(run), .expected = metric_expected},
    {"compat", "ffmpeg|vmaf|fused-ssim|ssimulacra2",
     "the numbers of another tool, on the CPU [those of ssimcu]", GROUP_SCORE, option_take_compat,
     FIELD(run.compat)},
    {"color", "rgb|y709|y601", "mean of R, G and B, or one luma plane [rgb]", GROUP_SCORE,
     option_take_choice, FIELD(run.color)},
    {"pad", "valid|zero", "windows inside the frame only, or zeros around it [valid]", GROUP_SCORE,
     option_take_choice, FIELD(run.pad)},
    {"alpha", "worst|ignore|black|white", "background of alpha; worst: black or white [worst]",
     GROUP_SCORE, option_take_choice, FIELD(run.alpha)},
    {"tile", "N", "find the worst tile of N x N pixels; 0: none [64]", GROUP_SCORE,
     option_take_tile, FIELD(run.tile), .least = 0, .most = 1 << 16,
     .expected = "0, or a multiple of 4 from 24 to 65536"},

    {"hdr", "srgb|pu21|hable|none", "tone curve of EXR and float TIFF [srgb]; of PQ and HLG, too",
     GROUP_LIGHT, option_take_curve, FIELD(run.hdr)},
    {"exposure", "STOPS", "multiply light by 2^STOPS before the curve [0]", GROUP_LIGHT,
     option_take_exposure, FIELD(run), .expected = "a number from -64 to 64"},
    {"white", "NITS", "luminance of light 1 under pu21 and of video, in cd/m2 [100]", GROUP_LIGHT,
     option_take_real, FIELD(run.white), REAL(1e-9, 1e9, " above 0")},
    {"nan", "error|zero", "samples that are not finite fail, or count as 0 [error]", GROUP_LIGHT,
     option_take_choice, FIELD(run.nan_zero)},

    {"min-score", "[METRIC=]X", "exit with 1 if the score, of a batch the mean, is below X",
     GROUP_LIMITS, option_take_limit, FIELD(run), SCORE_OF_ANY},
    {"min-frame", "[METRIC=]X", "exit with 1 if a frame scores below X", GROUP_LIMITS,
     option_take_limit, FIELD(run), SCORE_OF_ANY, .common = true},
    {"min-tile", "X", "exit with 1 if a tile (64 x 64) scores below X", GROUP_LIMITS,
     option_take_limit, FIELD(run), SCORE, .common = true},
    {"max-shift", "L", "exit with 1 if a tile is brighter or darker by over L of 255 levels",
     GROUP_LIMITS, option_take_limit, FIELD(run), .expected = "a number from 0 to 255"},
    {"max-differing", "SHARE", "exit with 1 if over SHARE of a frame's pixels differ", GROUP_LIMITS,
     option_take_limit, FIELD(run), .expected = "a number from 0 to 1"},
    {"max-blob", "N", "exit with 1 if over N pixels that differ touch each other", GROUP_LIMITS,
     option_take_limit, FIELD(run), .expected = "a number of pixels, from 0"},
    {"differ-above", "D", "pixels differ if a sample does by more than D, of which white has 1 [0]",
     GROUP_LIMITS, option_take_real, FIELD(run.differ_above), REAL(0, 1e30, "")},
    {"limits", "FILE", "limits of shots and frames, in JSON", GROUP_LIMITS, option_take_text,
     FIELD(run.limits_file)},
    {"stale", "fail|warn", "frames whose REF is not that of their floors: fail, or a line [fail]",
     GROUP_LIMITS, option_take_choice, FIELD(run.stale)},
    {"or", "DIR", "another accepted reference, for frames beyond a limit; up to eight times",
     GROUP_LIMITS, option_take_variant, .offset = 0, .most = 8,
     .expected = "a directory or a picture, at most eight times"},
    {"baseline", "FILE", "earlier results of the same frames, for drops", GROUP_LIMITS,
     option_take_text, FIELD(run.baseline)},
    {"max-drop", "D", "exit with 1 if a frame scores more than D below the baseline", GROUP_LIMITS,
     option_take_limit, FIELD(run), DROP},
    {"max-tile-drop", "D", "exit with 1 if a frame's worst tile drops by more than D", GROUP_LIMITS,
     option_take_limit, FIELD(run), DROP},
    {"fail-on-hint", "KINDS", "exit with 1 if a frame has such a hint: stuck,frame,gain,...",
     GROUP_LIMITS, option_take_text, FIELD(run.fail_on_hint)},
    {"max-bad", "N", "allow N frames beyond these limits [0]", GROUP_LIMITS, option_take_u64,
     FIELD(run.max_bad), COUNT(0, COUNTS_BAD, "")},

    {"false-alarms", "P", "calibrate: share of accepted frames beyond a limit [0.001]",
     GROUP_CALIBRATE, option_take_real, FIELD(false_alarms), REAL(1e-9, 0.1, " from 1e-9 to 0.1"),
     .verbs = VERB_CALIBRATE},

    {"resume", "FILE", "keep what these JSON Lines have, score the rest", GROUP_BATCH,
     option_take_text, FIELD(run.resume), .common = true},
    {"shard", "I/N|auto", "score a share of the frames; auto: the scheduler's", GROUP_BATCH,
     option_take_shard, .offset = 0, .expected = "I/N, a share from 1 to N, or auto",
     .common = true},
    {"memory", "SIZE", "most memory for frames, such as 800M or 4G [4G]", GROUP_BATCH,
     option_take_memory, FIELD(run.memory_bytes), .expected = "bytes, such as 800M or 4G"},
    {"progress", "auto|none|openjd", "bar on a terminal, or lines for a farm [auto]", GROUP_BATCH,
     option_take_choice, FIELD(progress), .verbs = EVERY_VERB & ~VERB_ACCEPT},

    {"into", "DIR", "accept: the directory whose references the OUTs become", GROUP_ACCEPT,
     option_take_text, FIELD(accept.into), .verbs = VERB_ACCEPT},
    {"even-if", "KINDS", "accept: also frames that the run called so: black,flat,stuck",
     GROUP_ACCEPT, option_take_text, FIELD(accept.even_if), .verbs = VERB_ACCEPT},
    {"dry-run", NULL, "accept: print what would be done", GROUP_ACCEPT, option_take_yes,
     FIELD(accept.dry_run), .verbs = VERB_ACCEPT},

    {"fail-on", "KINDS",
     "check: kinds of findings that fail: nan,block, all or none [man ssimcu-check]", GROUP_CHECK,
     option_take_text, FIELD(fail_on), .verbs = VERB_CHECK},
    {"merge", NULL, "check: the results of all shares become those of one", GROUP_CHECK,
     option_take_yes, FIELD(merges), .verbs = VERB_CHECK_MERGE | VERB_CHECK},

    {"device", "auto|cpu|cuda[:N]|all", "score there; all: every GPU [auto]", GROUP_PROGRAM,
     option_take_device, FIELD(run), .common = true},
    {"list-devices", NULL, "list the devices and exit", GROUP_PROGRAM, option_take_action,
     FIELD(action), .most = ACTION_LIST_DEVICES},
    {"decode", "auto|cpu|cuda",
     "decode video there; auto: NVDEC where the GPU scores and no limit is set [auto]",
     GROUP_PROGRAM, option_take_choice, FIELD(run.decode)},
    {"threads", "N", "threads that work on the CPU [all cores]", GROUP_PROGRAM, option_take_u32,
     FIELD(run.threads), COUNT(1, UINT32_MAX, " from 1 to 4294967295")},
    {"max-pixels", "N", "refuse pictures with more pixels [134217728]", GROUP_PROGRAM,
     option_take_u64, FIELD(run.max_pixels), COUNT(1, COUNTS_PIXELS, " from 1 to 2^48")},
    {"version", NULL, "print versions and exit", GROUP_PROGRAM, option_take_action, FIELD(action),
     .most = ACTION_VERSION, .letter = 'V'},
    {"help", NULL, "print the most common options and exit", GROUP_PROGRAM, option_take_action,
     FIELD(action), .most = ACTION_HELP, .letter = 'h'},
    {"help-all", NULL, "print all options and exit", GROUP_PROGRAM, option_take_action,
     FIELD(action), .most = ACTION_HELP_ALL},
};
enum { ROW_COUNT = sizeof ROWS / sizeof ROWS[0] };
_Static_assert((int)ROW_COUNT <= (int)OPTION_ROWS_MOST, "more options than room for them");

int option_count(void) { return ROW_COUNT; }

/* Writes what --metric may be, from the table of metrics. */
static void name_metrics(void)
{
    size_t names = 0, listed = (size_t)snprintf(metric_expected, sizeof metric_expected,
                                                "names with commas between, each once: ");
    for (int m = 0; m < SSIMCU_METRICS; m++) {
        names += (size_t)snprintf(metric_names + names, sizeof metric_names - names, "%s%s",
                                  m > 0 ? "|" : "", metrics_name((ssimcu_metric)m));
        listed += (size_t)snprintf(metric_expected + listed, sizeof metric_expected - listed,
                                   "%s%s", m > 0 ? ", " : "", metrics_name((ssimcu_metric)m));
    }
}

const struct option_row *option_at(int i)
{
    if (metric_names[0] == '\0') name_metrics();
    return &ROWS[i];
}

int option_key(int i) { return ROWS[i].letter ? ROWS[i].letter : FIRST_KEY + i; }

static bool wrong_value(const char *option, const char *value, const char *expected)
{
    console_line("--%s %s: expected %s", option, value, expected);
    return false;
}

bool option_take(struct arguments *arguments, int i, const char *text)
{
    const struct option_row *row = option_at(i);
    const char *expected = row->expected ? row->expected : row->value;
    arguments->given[i] = true;
    if (row->value && text[0] == '\0') return wrong_value(row->name, text, expected);
    return row->take((struct option_given){(char *)arguments + row->offset, row, text}) ||
           wrong_value(row->name, text, expected);
}
