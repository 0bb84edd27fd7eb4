/* Numbers in text have a decimal point, whatever the process's locale is. */
#pragma once

#include <locale.h>

/* Makes the calling thread write numbers with a point until numbers_end, which takes the return
 * value. Without memory, nothing changes. */
locale_t numbers_begin(void);
void numbers_end(locale_t before);
