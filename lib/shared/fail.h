/* How every module reports an error: a status and one line for a person. For use inside the project
 * only. It is a header because the I/O library sees only public functions, and would need a
 * copy. */
#pragma once

#include "ssimcu.h"

#include <stdarg.h>
#include <stdio.h>

#if defined(__GNUC__)
#    define SSIMCU_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#    define SSIMCU_PRINTF(text, first)
#endif

/* The value of a macro as text. */
#define SSIMCU_TEXT_(value) #value
#define SSIMCU_TEXT(value) SSIMCU_TEXT_(value)

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

/* Fails with MEMORY and the message "out of memory", or "out of memory for WHAT". `what` may be
 * NULL. */
static inline ssimcu_status ssimcu_no_memory(ssimcu_message *message, const char *what)
{
    return ssimcu_fail(message, SSIMCU_ERROR_MEMORY, "out of memory%s%s", what ? " for " : "",
                       what ? what : "");
}

/* Returns an error from the enclosing function, such as FAIL(DATA, "..."). The line goes to that
 * function's `message`. */
#define FAIL(kind, ...) return ssimcu_fail(message, SSIMCU_ERROR_##kind, __VA_ARGS__)

/* Returns the status of a call from the enclosing function, unless it is OK. Anything that the
 * function has allocated must already belong to its caller, who always releases it. */
#define TRY(call)                                                                                  \
    do {                                                                                           \
        const ssimcu_status tried = (call);                                                        \
        if (tried != SSIMCU_OK) return tried;                                                      \
    } while (0)
