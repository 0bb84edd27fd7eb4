/* What plain programs that stress the library share. STRESS, the program's name, is defined before.
 */
#ifndef SSIMCU_TEST_STRESS_H
#define SSIMCU_TEST_STRESS_H

#include <stdio.h>
#include <stdlib.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { SANITIZED = 1 }; /* a sanitizer has memory of its own, and AddressSanitizer finds leaks */
#else
enum { SANITIZED = 0 };
#endif

#define REQUIRE(condition, ...)                                                                    \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "[FAIL] " STRESS ": " __VA_ARGS__);                                    \
            fputc('\n', stderr);                                                                   \
            _Exit(1); /* no exit handlers: other threads are at work */                            \
        }                                                                                          \
    } while (0)

#endif
