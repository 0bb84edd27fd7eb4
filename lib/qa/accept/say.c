/* What accept says of its files, for its other parts. */
#include "accept/accept.h"

#include "base/text.h"

#include <stdlib.h>

void accept_say(const struct accept *accept, ssimcu_log level, const char *format, ...)
{
    char line[1024];
    va_list arguments;
    if (!accept->options->log) return;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    accept->options->log(accept->options->user, level, line);
}

void accept_unfit(struct accept *accept, const struct accept_file *file, ssimcu_status status,
                  const char *format, ...)
{
    char text[sizeof accept->why.text], name[TEXT_FRAME];
    va_list arguments;
    if (accept->unfit++ > 0) return;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    accept->status = status;
    (void)ssimcu_fail(&accept->why, status, "frame %.100s: %.380s",
                      text_frame(name, file->part, file->frame), text);
}

void accept_free_file(struct accept_file *file)
{
    free(file->part), free(file->out), free(file->ref);
    free(file->name), free(file->path), free(file->temporary);
}
