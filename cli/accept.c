/* ssimcu accept: what the library's call says and does, for a person. */
#include "console.h"

#include <string.h>

/* Prints what would be done, to standard output: a dry run is asked for that alone. */
static void print(const char *line)
{
    char cut[2048], escaped[4 * sizeof cut];
    snprintf(cut, sizeof cut, "%s", line);
    text_escape(escaped, cut);
    (void)console_put(escaped); /* the end of the program notices what was lost */
}

static void on_log(void *user, ssimcu_log level, const char *line)
{
    const struct arguments *arguments = user;
    if (level == SSIMCU_LOG_WARNING)
        console_line("%s", line);
    else if (arguments->accept.dry_run && !arguments->quiet)
        print(line);
    else if (arguments->verbose)
        console_line("%s", line);
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
    console_line("%s %llu%s frames into %s: %llu replaced, %llu new%s",
                 arguments->accept.dry_run ? "would accept" : "accepted", (unsigned long long)done,
                 of, arguments->accept.into, (unsigned long long)accepted->replaced,
                 (unsigned long long)accepted->added, already);
}

int run_accept(const struct arguments *arguments)
{
    ssimcu_accept_options options = arguments->accept;
    ssimcu_accepted accepted = SSIMCU_INIT(accepted);
    ssimcu_message why = {{0}};
    options.user = (void *)(uintptr_t)arguments;
    options.log = on_log;
    const ssimcu_status status = ssimcu_accept(&options, &accepted, &why);
    if (status != SSIMCU_OK) console_line("%s", why.text);
    const bool some = accepted.replaced + accepted.added > 0; /* before an error came */
    if (status == SSIMCU_OK ? !arguments->quiet : some) summarize(arguments, &accepted);
    return (int)accepted.code;
}
