/* ssimcu accept: calls the library and prints its lines and outcome. */
#include "console.h"

/* A dry run prints its lines to standard output, because users run it only for these. */
static void on_log(void *user, ssimcu_log level, const char *line)
{
    const struct arguments *arguments = ((struct console_call *)user)->arguments;
    if (level != SSIMCU_LOG_WARNING && arguments->accept.dry_run && !arguments->quiet)
        (void)console_on_text(user, line); /* the program reports lost output when it ends */
    else
        console_on_log(user, level, line);
}

static void summarize(const struct arguments *arguments, const ssimcu_accepted *accepted)
{
    const uint64_t done = accepted->replaced + accepted->added + accepted->already;
    char of[40] = "", already[60] = "";
    if (done < accepted->files)
        snprintf(of, sizeof of, " of %llu", (unsigned long long)accepted->files);
    if (accepted->already > 0)
        snprintf(already, sizeof already, ", %llu there already",
                 (unsigned long long)accepted->already);
    console_line("%s %llu%s frame%s into %s: %llu replaced, %llu new%s",
                 arguments->accept.dry_run ? "would accept" : "accepted", (unsigned long long)done,
                 of, accepted->files == 1 ? "" : "s", arguments->accept.into,
                 (unsigned long long)accepted->replaced, (unsigned long long)accepted->added,
                 already);
}

int run_accept(const struct arguments *arguments)
{
    struct console_call call = {.arguments = arguments};
    ssimcu_accept_options options = arguments->accept;
    ssimcu_accepted accepted = SSIMCU_INIT(accepted);
    ssimcu_message why = {{0}};
    options.user = &call;
    options.log = on_log;
    const ssimcu_status status = ssimcu_accept(&options, &accepted, &why);
    if (status != SSIMCU_OK) console_line("%s", why.text);
    const bool some = accepted.replaced + accepted.added > 0; /* before an error */
    if (status == SSIMCU_OK ? !arguments->quiet : some) summarize(arguments, &accepted);
    return (int)accepted.code;
}
