/* The program: it parses the options, chooses the run and returns the exit code. */
#include "run.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>

static enum exit_code list_devices(void)
{
    ssimcu_message cause = {{0}};
    ssimcu_device_info info = {.struct_size = sizeof info};
    uint32_t count = 0;
    ssimcu_status status = ssimcu_device_describe(SSIMCU_DEVICE_CPU, 0, &info, &cause);
    if (status == SSIMCU_OK) {
        console_device("cpu", &info);
        if (ssimcu_device_count(SSIMCU_DEVICE_CUDA, &count, &cause) != SSIMCU_OK)
            console_line("%s", cause.text);
    }
    for (uint32_t i = 0; i < count && status == SSIMCU_OK; i++) {
        char device[16];
        snprintf(device, sizeof device, "cuda:%u", i);
        status = ssimcu_device_describe(SSIMCU_DEVICE_CUDA, i, &info, &cause);
        if (status == SSIMCU_OK) console_device(device, &info);
    }
    if (status == SSIMCU_OK) return EXIT_SCORED;
    console_line("%s", cause.text);
    return status == SSIMCU_ERROR_MEMORY ? EXIT_DEVICE : console_exit_code(status);
}

static enum exit_code run(const struct options *options)
{
    switch (options->action) {
    case ACTION_SCORE:
        return source_is_one_pair(&options->input) ? run_pair(options) : run_batch(options);
    case ACTION_MERGE: return run_merge(options);
    case ACTION_LIST_DEVICES: return list_devices();
    case ACTION_HELP:
    case ACTION_HELP_ALL: options_help(options->action == ACTION_HELP_ALL); break;
    case ACTION_VERSION: console_version(); break;
    }
    return EXIT_SCORED;
}

/* Fills closed standard streams with a descriptor that refuses writing, so that the loss is
 * noticed. Without it the next file opened would get the number, and a score could land in a
 * picture. */
static void fill_standard_streams(void)
{
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) == -1) (void)open("/dev/null", O_RDONLY);
}

int main(int argc, char **argv)
{
    struct options options;
    fill_standard_streams();
    signal(SIGPIPE, SIG_IGN); /* a reader that went away is an output that failed: exit 74 */
    signal(SIGXFSZ, SIG_IGN); /* a file at its size limit is one, too */
    enum exit_code code = options_parse(&options, argc, argv) ? run(&options)
                          : options.out_of_memory             ? EXIT_INTERNAL
                                                              : EXIT_USAGE;
    if (code != EXIT_USAGE && code != EXIT_OUTPUT && !console_flush(true)) code = EXIT_OUTPUT;
    options_free(&options);
    return code;
}
