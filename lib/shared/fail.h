/* The way in which every room reports an error: a status and one line for a person. It is for the
 * project alone. It is a header because the I/O library sees only the public functions, and would
 * need a copy. */
#ifndef SSIMCU_FAIL_H
#define SSIMCU_FAIL_H

#include "ssimcu.h"

#include <stdarg.h>
#include <stdio.h>

#if defined(__GNUC__)
#    define SSIMCU_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#    define SSIMCU_PRINTF(text, first)
#endif

/* Writes a formatted line into an empty message and returns `status`, so that a failure is one line
 * of code: `return ssimcu_fail(message, SSIMCU_ERROR_DATA, "%s: ...", name)`. A message that holds
 * text keeps it, because the first error is the cause. `message` may be NULL. */
SSIMCU_PRINTF(3, 4)
static inline ssimcu_status ssimcu_fail(ssimcu_message *message, ssimcu_status status,
                                        const char *format, ...)
{
    if (!message || message->text[0] != '\0') return status;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message->text, sizeof message->text, format, arguments);
    va_end(arguments);
    return status;
}

/* Returns MEMORY, with its one message: "out of memory", or "out of memory for WHAT". `what` may be
 * NULL. */
static inline ssimcu_status ssimcu_no_memory(ssimcu_message *message, const char *what)
{
    return ssimcu_fail(message, SSIMCU_ERROR_MEMORY, "out of memory%s%s", what ? " for " : "",
                       what ? what : "");
}

#endif
