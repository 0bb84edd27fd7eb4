/* Numbers in text have a decimal point, whatever locale the process has set. */
#ifndef SSIMCU_QA_NUMBERS_H
#define SSIMCU_QA_NUMBERS_H

#include <locale.h>

/* Makes the calling thread write numbers with a point until numbers_end, which takes what it
 * returns. Without memory nothing changes. */
locale_t numbers_begin(void);
void numbers_end(locale_t before);

#endif
