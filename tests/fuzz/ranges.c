#include "sequence/sequence.h"
#include "targets.h"

#include <stdlib.h>
#include <string.h>

/* Millions of frames are allowed and take a second: here they would only slow things down. */
static bool is_quick(const char *text)
{
    const bool single = strspn(text, "0123456789") == strlen(text);
    while (*text && !single) {
        text += strspn(text, "0");
        const size_t digits = strspn(text, "0123456789");
        if (digits >= 6 && digits <= 10) return false;
        text += digits ? digits : *text != 0;
    }
    return true;
}

void fuzz_ranges(const uint8_t *data, size_t size)
{
    char text[256];
    if (size >= sizeof text) return;
    memcpy(text, data, size);
    text[size] = '\0';
    if (!is_quick(text)) return;
    ssimcu_ranges ranges;
    ssimcu_message why = {{0}};
    const ssimcu_status status = ssimcu_ranges_parse(text, &ranges, &why);
    if (status != SSIMCU_OK) {
        FUZZ_CHECK(ranges.count == 0 && !ranges.number && fuzz_is_line(why.text));
        FUZZ_CHECK(status == SSIMCU_ERROR_ARGUMENT || status == SSIMCU_ERROR_LIMIT);
        return;
    }
    FUZZ_CHECK(ranges.count > 0 && ranges.count <= SSIMCU_MAX_FRAMES);
    for (size_t i = 0; i < ranges.count; i++) {
        FUZZ_CHECK(ranges.number[i] >= 0 && ssimcu_ranges_hold(&ranges, ranges.number[i]));
        FUZZ_CHECK(i == 0 || ranges.number[i - 1] < ranges.number[i]);
        if (i > 0 && ranges.number[i - 1] + 1 < ranges.number[i])
            FUZZ_CHECK(!ssimcu_ranges_hold(&ranges, ranges.number[i] - 1));
    }
    ssimcu_ranges_free(&ranges);
}
