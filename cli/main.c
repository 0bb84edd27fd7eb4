/* The program: it parses the options, chooses the run and returns the exit code. */
#include "console.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>

static int list_devices(void)
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
    if (status == SSIMCU_OK) return SSIMCU_EXIT_SCORED;
    console_line("%s", cause.text);
    return status == SSIMCU_ERROR_DEVICE || status == SSIMCU_ERROR_MEMORY ? SSIMCU_EXIT_DEVICE
                                                                          : SSIMCU_EXIT_INTERNAL;
}

static int act(const struct arguments *arguments)
{
    switch (arguments->action) {
    case ACTION_SCORE: return run(arguments);
    case ACTION_ACCEPT: return run_accept(arguments);
    case ACTION_CALIBRATE: return calibrate(arguments);
    case ACTION_LIST_DEVICES: return list_devices();
    case ACTION_VERSION: return console_version();
    default: return options_help(arguments->action);
    }
}

/* Fills closed standard streams with a descriptor that refuses writing, so that lost output is
 * detected. Otherwise the next opened file would get the number, and a score could end up in a
 * picture. */
static void fill_standard_streams(void)
{
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) == -1) (void)open("/dev/null", O_RDONLY);
}

int main(int argc, char **argv)
{
    struct arguments arguments;
    fill_standard_streams();
    signal(SIGPIPE, SIG_IGN); /* a closed pipe is a failed output: exit 74 */
    signal(SIGXFSZ, SIG_IGN); /* so is a file at its size limit */
    int code = options_parse(&arguments, argc, argv) ? act(&arguments) : SSIMCU_EXIT_USAGE;
    if (code != SSIMCU_EXIT_USAGE && code != SSIMCU_EXIT_OUTPUT && !console_flush())
        code = SSIMCU_EXIT_OUTPUT;
    return code;
}
