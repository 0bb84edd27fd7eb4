#include "results/xml.h"

#include "results/text.h"

#include <stdlib.h>
#include <string.h>

/* Writes text as XML. Characters with a meaning there become entities; those that XML cannot hold
 * become '?'. */
static void put_text(FILE *to, const char *text)
{
    for (const unsigned char *at = (const unsigned char *)text; *at; at++) switch (*at) {
        case '&': fputs("&amp;", to); break;
        case '<': fputs("&lt;", to); break;
        case '>': fputs("&gt;", to); break;
        case '"': fputs("&quot;", to); break;
        case '\t':
        case '\n':
        case '\r': fprintf(to, "&#%d;", *at); break;
        default:
            if (at[0] == 0xEF && at[1] == 0xBF && at[2] >= 0xBE) { /* U+FFFE, U+FFFF */
                fputc('?', to);
                at += 2;
            } else {
                fputc(*at < 0x20 ? '?' : *at, to);
            }
        }
}

/* Returns a copy without what XML cannot hold, the caller's to free; NULL if memory runs out. */
static char *printable(const char *text)
{
    char *shown = malloc(4 * strlen(text) + 1);
    if (shown) text_escape(shown, text);
    return shown;
}

void xml_text(FILE *to, const char *text)
{
    char *shown = printable(text);
    put_text(to, shown ? shown : "?");
    free(shown);
}

void xml_attribute(FILE *to, const char *name, const char *text)
{
    fprintf(to, " %s=\"", name);
    xml_text(to, text);
    fputc('"', to);
}
