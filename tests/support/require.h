/* What SSIMCU_REQUIRE asks for. need.sh and need.py are the same for the shell and Python. */
#ifndef SSIMCU_REQUIRE_H
#define SSIMCU_REQUIRE_H

#include <stdbool.h>

/* Returns whether a test must fail, rather than be skipped, where `name` of needs.txt is missing.
 * It ends the program if SSIMCU_REQUIRE has a name that is not in needs.txt. */
bool is_required(const char *name);

#endif
