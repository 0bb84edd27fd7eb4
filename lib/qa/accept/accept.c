/* ssimcu accept: the OUTs of results become the new references. */
#include "accept/accept.h"

#include "base/refuse.h"
#include "run/run.h"

#include "sized.h"

#include <stdlib.h>

enum { MOST_FILES = 1 << 24 };

static ssimcu_status check_options(const ssimcu_accept_options *options, ssimcu_message *message)
{
    bool good = options->results && options->results_count > 0;
    for (uint32_t i = 0; good && i < options->results_count; i++)
        good = options->results[i] && options->results[i][0];
    good = good && options->results_count <= MOST_FILES;
    if (good && options->into && options->into[0]) return SSIMCU_OK;
    FAIL(ARGUMENT, "accept: expected %s",
         good ? "--into DIR, the directory of the references"
              : "the results of a run (JSON Lines)");
}

static ssimcu_status take_options(struct accept *accept, ssimcu_message *message)
{
    const ssimcu_accept_options *options = accept->options;
    ssimcu_message cause = {{0}};
    TRY(check_options(options, message));
    accept->into = strdup(options->into);
    if (!accept->into) return no_memory(message);
    for (size_t n = strlen(accept->into); n > 1 && accept->into[n - 1] == '/'; n--)
        accept->into[n - 1] = '\0';
    if (options->even_if)
        TRY(findings_read(options->even_if, FINDING_BY_PAIR | FINDING_BY_FRAMES | FINDING_BY_CHECK,
                          "--even-if", &accept->even_if, message));
    if (!options->frames) return SSIMCU_OK;
    const ssimcu_status status = ssimcu_ranges_parse(options->frames, &accept->frames, &cause);
    if (status == SSIMCU_OK) return status;
    return ssimcu_fail(message, status, "--frames %.200s: expected %s", options->frames,
                       cause.text);
}

static void free_all(struct accept *accept)
{
    for (size_t i = 0; i < accept->count; i++) accept_free_file(&accept->file[i]);
    accept_unlock(accept);
    free(accept->file);
    free(accept->into);
    ssimcu_ranges_free(&accept->frames);
    results_reader_free(&accept->earlier);
    free(accept->said.read);
}

static ssimcu_status work(struct ssimcu_run *run, ssimcu_message *message)
{
    struct accept *accept = run->user;
    TRY(take_options(accept, message));
    TRY(accept_read(accept, message));
    TRY(accept_check_into(accept, message));
    if (!accept->options->dry_run) TRY(accept_lock(accept, message));
    TRY(accept_plan(accept, message));
    TRY(accept_check(accept, message));
    TRY(accept_examine(accept, message));
    if (accept->names_layer)
        hooks_log(accept->hooks, SSIMCU_LOG_WARNING,
                  "--frames %.200s names a layer, but files are replaced as a whole, with all "
                  "their layers",
                  accept->options->frames);
    if (accept->done.left_out > 0)
        hooks_log(accept->hooks, SSIMCU_LOG_WARNING,
                  accept->done.left_out == 1 ? "%llu frame was not scored and was left out"
                                             : "%llu frames were not scored and were left out",
                  (unsigned long long)accept->done.left_out);
    if (!accept->options->dry_run) return accept_copy(accept, message);
    for (size_t i = 0; i < accept->count; i++)
        if (!accept->file[i].there) accept_done(accept, &accept->file[i]);
    return SSIMCU_OK;
}

static const struct work acceptance = {.work = work, .delivers_nothing = true};

ssimcu_status ssimcu_accept(const ssimcu_accept_options *options, ssimcu_accepted *accepted,
                            ssimcu_message *message)
{
    ssimcu_accept_options given;
    struct accept accept = {.options = &given, .log = -1};
    struct ssimcu_run *run;
    TRY(ssimcu_sized_read(&accept.done, sizeof accept.done, SSIMCU_ACCEPTED_OLDEST, accepted,
                          "accepted", message));
    TRY(ssimcu_sized_read(&given, sizeof given, SSIMCU_ACCEPT_OPTIONS_OLDEST, options,
                          "accept_options", message));
    accept.done = (ssimcu_accepted){.struct_size = sizeof accept.done};
    TRY(job_open(NULL, VERB_ACCEPT, &run, message));
    run->work = &acceptance;
    run->user = &accept;
    run->hooks.call = (ssimcu_run_hooks){.user = given.user, .log = given.log};
    accept.hooks = &run->hooks;
    accept.stop = &run->stop;
    const ssimcu_status status = job_call(run, job_run, NULL, message);
    accept.done.code = run->code;
    free_all(&accept);
    ssimcu_run_close(&run);
    ssimcu_sized_write(accepted, &accept.done);
    return status;
}
