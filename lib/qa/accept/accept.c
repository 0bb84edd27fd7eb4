/* ssimcu accept: the OUTs of results become the new references. */
#include "accept/accept.h"

#include "base/numbers.h"
#include "base/refuse.h"
#include "delivery/exit_code.h"
#include "hints/hints.h"

#include "fail.h"
#include "sized.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_FILES = 1 << 24 };

static ssimcu_status check_options(const ssimcu_accept_options *options, ssimcu_message *message)
{
    bool good = options->results && options->results_count > 0;
    for (uint32_t i = 0; good && i < options->results_count; i++)
        good = options->results[i] && options->results[i][0];
    good = good && options->results_count <= MOST_FILES;
    if (good && options->into && options->into[0]) return SSIMCU_OK;
    return ssimcu_fail(message, SSIMCU_ERROR_ARGUMENT, "accept: expected %s",
                       good ? "--into DIR, the directory of the references"
                            : "the results of a run (JSON Lines)");
}

static ssimcu_status take_options(struct accept *accept, ssimcu_message *message)
{
    const ssimcu_accept_options *options = accept->options;
    ssimcu_message cause = {{0}};
    ssimcu_status status = check_options(options, message);
    if (status != SSIMCU_OK) return status;
    accept->into = strdup(options->into);
    if (!accept->into) return no_memory(message);
    for (size_t n = strlen(accept->into); n > 1 && accept->into[n - 1] == '/'; n--)
        accept->into[n - 1] = '\0';
    if (options->even_if && !hints_are_kinds(options->even_if))
        return ssimcu_fail(message, SSIMCU_ERROR_ARGUMENT,
                           "--even-if %.40s: expected kinds of hints with commas between, such as "
                           "black,flat,stuck",
                           options->even_if);
    if (!options->frames) return status;
    status = ssimcu_ranges_parse(options->frames, &accept->frames, &cause);
    return status == SSIMCU_OK ? status
                               : ssimcu_fail(message, status, "--frames %.200s: expected %s",
                                             options->frames, cause.text);
}

static void free_all(struct accept *accept)
{
    for (size_t i = 0; i < accept->count; i++) accept_free_file(&accept->file[i]);
    accept_unlock(accept);
    free(accept->file);
    free(accept->into);
    ssimcu_ranges_free(&accept->frames);
    earlier_free(&accept->earlier);
    free(accept->said.read);
}

static ssimcu_status accept_all(struct accept *accept, ssimcu_message *message)
{
    ssimcu_status status = take_options(accept, message);
    if (status == SSIMCU_OK) status = accept_read(accept, message);
    if (status == SSIMCU_OK) status = accept_check_into(accept, message);
    if (status == SSIMCU_OK && !accept->options->dry_run) status = accept_lock(accept, message);
    if (status == SSIMCU_OK) status = accept_plan(accept, message);
    if (status == SSIMCU_OK) status = accept_check(accept, message);
    if (status != SSIMCU_OK) return status;
    if (accept->names_layer)
        accept_say(accept, SSIMCU_LOG_WARNING,
                   "--frames %.200s names a layer, but files are replaced as a whole, with all "
                   "their layers",
                   accept->options->frames);
    if (accept->done.left_out > 0)
        accept_say(accept, SSIMCU_LOG_WARNING, "%llu frames were not scored and are left out",
                   (unsigned long long)accept->done.left_out);
    if (!accept->options->dry_run) return accept_copy(accept, message);
    for (size_t i = 0; i < accept->count; i++)
        if (!accept->file[i].there) accept_done(accept, &accept->file[i]);
    return SSIMCU_OK;
}

ssimcu_status ssimcu_accept(const ssimcu_accept_options *options, ssimcu_accepted *accepted,
                            ssimcu_message *message)
{
    ssimcu_accept_options given;
    ssimcu_message cause = {{0}};
    struct accept accept = {.options = &given, .log = -1};
    ssimcu_status status = ssimcu_sized_read(&accept.done, sizeof accept.done,
                                             SSIMCU_ACCEPTED_OLDEST, accepted, "accepted", message);
    if (status == SSIMCU_OK)
        status = ssimcu_sized_read(&given, sizeof given, SSIMCU_ACCEPT_OPTIONS_OLDEST, options,
                                   "accept_options", message);
    if (status != SSIMCU_OK) return status;
    accept.done = (ssimcu_accepted){.struct_size = sizeof accept.done};
    const locale_t before = numbers_begin();
    status = accept_all(&accept, &cause);
    numbers_end(before);
    free_all(&accept);
    accept.done.code = exit_code_early(status);
    ssimcu_sized_write(accepted, &accept.done);
    return status == SSIMCU_OK ? status : ssimcu_fail(message, status, "%s", cause.text);
}
