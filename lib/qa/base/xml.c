#include "base/xml.h"

#include "base/text.h"

/* Writes text without control characters. Special characters become entities; those that XML cannot
 * contain become '?'. */
static void put_text(FILE *to, const char *text)
{
    for (const unsigned char *at = (const unsigned char *)text; *at; at++) switch (*at) {
        case '&': fputs("&amp;", to); break;
        case '<': fputs("&lt;", to); break;
        case '>': fputs("&gt;", to); break;
        case '"': fputs("&quot;", to); break;
        case '\'': fputs("&#39;", to); break;
        default:
            if (at[0] == 0xEF && at[1] == 0xBF && at[2] >= 0xBE) { /* U+FFFE, U+FFFF */
                fputc('?', to);
                at += 2;
            } else {
                fputc(*at, to);
            }
        }
}

void xml_text(FILE *to, const char *text) { text_pieces(to, text, put_text); }

void xml_attribute(FILE *to, const char *name, const char *text)
{
    fprintf(to, " %s=\"", name);
    xml_text(to, text);
    fputc('"', to);
}
