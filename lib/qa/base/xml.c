#include "base/xml.h"

#include "base/text.h"

#include <string.h>

/* Writes text without control characters as XML. Characters with a meaning there become entities;
 * those that XML cannot hold become '?'. */
static void put_text(FILE *to, const char *text)
{
    for (const unsigned char *at = (const unsigned char *)text; *at; at++) switch (*at) {
        case '&': fputs("&amp;", to); break;
        case '<': fputs("&lt;", to); break;
        case '>': fputs("&gt;", to); break;
        case '"': fputs("&quot;", to); break;
        default:
            if (at[0] == 0xEF && at[1] == 0xBF && at[2] >= 0xBE) { /* U+FFFE, U+FFFF */
                fputc('?', to);
                at += 2;
            } else {
                fputc(*at, to);
            }
        }
}

/* Returns how many bytes of the text to take at once, at most `most`, so that no character is cut.
 */
static size_t piece_length(const char *text, size_t most)
{
    size_t length = strnlen(text, most);
    for (int i = 0; i < 3 && ((unsigned char)text[length] & 0xC0) == 0x80; i++) length--;
    return length;
}

/* Works in pieces, because a copy of the whole could lack memory. */
void xml_text(FILE *to, const char *text)
{
    enum { PIECE = 256 };
    char piece[PIECE + 1], shown[4 * PIECE + 1];
    for (size_t length; *text; text += length) {
        length = piece_length(text, PIECE);
        memcpy(piece, text, length);
        piece[length] = '\0';
        text_escape(shown, piece);
        put_text(to, shown);
    }
}

void xml_attribute(FILE *to, const char *name, const char *text)
{
    fprintf(to, " %s=\"", name);
    xml_text(to, text);
    fputc('"', to);
}
