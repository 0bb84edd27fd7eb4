/* What is said of the samples of one side, whatever the other is. */
#include "pair/match.h"

#include "fail.h"

#include <stdio.h>

bool match_dolby(const char *name, const ssimcu_clip_format *format, char *text, size_t size)
{
    snprintf(text, size,
             "%.300s: Dolby Vision of profile %u: its samples are not YCbCr (IPTPQc2), and are "
             "compared as they are stored",
             name, format->dolby);
    return format->dolby > 0;
}

bool match_grain(const char *name, const ssimcu_clip_format *format, char *text, size_t size)
{
    snprintf(text, size, "%.300s: film grain that the decoder adds is compared, too", name);
    return format->grain;
}

ssimcu_status match_ycbcr(const ssimcu_clip_format *ref, const ssimcu_clip_format *out,
                          ssimcu_message *message)
{
    if (!ref->dolby && !out->dolby) return SSIMCU_OK;
    return ssimcu_fail(message, SSIMCU_ERROR_UNSUPPORTED,
                       "--hdr and SSIMULACRA2 make light of YCbCr, and %s is Dolby Vision of "
                       "profile %u, whose samples are not",
                       ref->dolby ? "REF" : "OUT", ref->dolby ? ref->dolby : out->dolby);
}
