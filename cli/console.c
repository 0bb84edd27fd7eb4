#include "console.h"

#include "base/results.h"

#include "ssimcu_io.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void console_line(const char *format, ...)
{
    char text[1 << 14], line[4 * sizeof text];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    text_escape(line, text);
    fprintf(stderr, "ssimcu: %s\n", line); /* one write: lines of several programs do not mix */
}

int console_put(const char *text)
{
    errno = 0;
    const bool written = fputs(text, stdout) >= 0 && putchar('\n') != EOF && fflush(stdout) == 0;
    return written ? 0 : errno ? errno : EIO;
}

bool console_flush(void)
{
    if (fflush(stdout) == 0 && !ferror(stdout)) return true;
    perror("ssimcu: standard output");
    return false;
}

bool console_ended(int lost, ssimcu_status status, const ssimcu_message *message)
{
    if (lost)
        console_line("standard output: %s", strerror(lost));
    else if (status != SSIMCU_OK)
        console_line("%s", message->text[0] ? message->text : ssimcu_status_name(status));
    return lost || status != SSIMCU_OK;
}

int console_version(void)
{
    ssimcu_message modules;
    ssimcu_image_modules(&modules);
    const char *const commit = results_commit();
    printf("ssimcu %s (%s; %s; %s%s%s)\n", ssimcu_version(), ssimcu_build(),
           ssimcu_image_libraries(), modules.text, commit[0] ? "; commit " : "", commit);
    return SSIMCU_EXIT_SCORED;
}

void console_device(const char *device, const ssimcu_device_info *info)
{
    printf("%-7s %s", device, info->name);
    if (info->compute > 0)
        printf(", compute capability %u.%u, %llu MiB", info->compute / 10, info->compute % 10,
               (unsigned long long)(info->memory_bytes >> 20));
    puts("");
}

int console_score(ssimcu_metric metric, double score, const char *label)
{
    char text[TEXT_DIGITS + 4 * 4096 + 2], cut[4096];
    char *end = text + strlen(metrics_text(text, metric, score));
    if (label) {
        snprintf(cut, sizeof cut, "%s", label);
        *end++ = '\t';
        text_escape(end, cut);
    }
    return console_put(text);
}
