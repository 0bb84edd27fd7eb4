#include "console.h"

#include "results/text.h"

#include <stdarg.h>
#include <stdatomic.h>
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

enum exit_code console_exit_code(ssimcu_status status)
{
    switch (status) {
    case SSIMCU_OK: return EXIT_SCORED;
    case SSIMCU_ERROR_MISMATCH: return EXIT_MISMATCH;
    case SSIMCU_ERROR_TOO_SMALL:
    case SSIMCU_ERROR_UNSUPPORTED:
    case SSIMCU_ERROR_LIMIT:
    case SSIMCU_ERROR_FILE:
    case SSIMCU_ERROR_DATA: return EXIT_INPUT;
    case SSIMCU_ERROR_DEVICE: return EXIT_DEVICE;
    case SSIMCU_ERROR_WRITE: return EXIT_OUTPUT;
    default: return EXIT_INTERNAL;
    }
}

void console_remark(void *user, const char *line)
{
    enum { MOST = 20 };
    static atomic_uint said;
    const unsigned before = atomic_fetch_add(&said, 1);
    (void)user;
    if (before < MOST) console_line("%s", line);
    if (before == MOST) console_line("further remarks on files are not shown");
}

bool console_flush(bool written)
{
    if (written && fflush(stdout) == 0 && !ferror(stdout)) return true;
    perror("ssimcu: standard output");
    return false;
}

void console_version(void)
{
    printf("ssimcu %s (%s; %s)\n", ssimcu_version(), ssimcu_build(), ssimcu_image_libraries());
}

void console_device(const char *device, const ssimcu_device_info *info)
{
    printf("%-7s %s", device, info->name);
    if (info->compute > 0)
        printf(", compute capability %u.%u, %llu MiB", info->compute / 10, info->compute % 10,
               (unsigned long long)(info->memory_bytes >> 20));
    puts("");
}

const char *console_tile(char text[CONSOLE_TILE], const struct record_tile *tile)
{
    char digits[TEXT_DIGITS];
    snprintf(text, CONSOLE_TILE, "%s at %ux%u+%u+%u", text_digits(digits, tile->score), tile->width,
             tile->height, tile->x, tile->y);
    return text;
}

bool console_score(double score, const char *label)
{
    char text[TEXT_DIGITS], name[4 * 4096 + 1] = "", cut[4096];
    snprintf(cut, sizeof cut, "%s", label ? label : "");
    text_escape(name, cut);
    return console_flush(printf("%s%s%s\n", text_digits(text, score), label ? "\t" : "", name) >=
                         0);
}
