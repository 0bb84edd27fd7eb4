/* gate REF OUT THRESHOLD: scores two directories of pictures, or two videos. Prints a line per
 * frame. Its exit code is the program's: 0 if every frame reaches the threshold, 1 if one is below,
 * and 3 if one is missing or could not be scored. */
#include <ssimcu_qa.h>

#include <stdio.h>

static ssimcu_status print(void *least, const ssimcu_record *record)
{
    const char *const path = record->path[record->path[1] ? 1 : 0];
    const double score = record->scored.score;
    if (record->kind != SSIMCU_RECORD_SCORED)
        return fprintf(stderr, "%s: not scored: %s\n", path, record->message), SSIMCU_OK;
    return printf("%.9f %s%s\n", score, path, score < *(double *)least ? " BELOW" : ""), SSIMCU_OK;
}

int main(int argc, char **argv)
{
    char rest;
    ssimcu_run_options options = SSIMCU_INIT(run_options, .limits = 1u << SSIMCU_LIMIT_MIN_FRAME);
    double *least = &options.limit[SSIMCU_LIMIT_MIN_FRAME];
    options.ref = argv[1], options.out = (const char *const *)&argv[2], options.outs = 1;
    ssimcu_run_hooks hooks = SSIMCU_INIT(run_hooks, .user = least, .record = print);
    ssimcu_message why = {{0}};
    ssimcu_run *run = NULL;
    if (argc != 4 || sscanf(argv[3], "%lf%c", least, &rest) != 1)
        fprintf(stderr, "usage: gate REF OUT THRESHOLD\n");
    else if (ssimcu_run_open(&options, &run, &why) || ssimcu_run_score(run, &hooks, &why))
        fprintf(stderr, "%s\n", why.text);
    const ssimcu_exit code = ssimcu_run_exit_code(run); /* USAGE if there is no run */
    ssimcu_run_close(&run);
    return code;
}
