#include "base/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Returns the bytes of the UTF-8 character at `at`, and its number in *code; 0: invalid. */
static size_t character(const unsigned char *at, uint32_t *code)
{
    static const uint32_t least[] = {[2] = 0x80, [3] = 0x800, [4] = 0x10000};
    *code = at[0];
    if (at[0] < 0x80) return 1;
    if (at[0] < 0xC2 || at[0] > 0xF4) return 0;
    const size_t size = at[0] >= 0xF0 ? 4 : at[0] >= 0xE0 ? 3 : 2;
    *code = at[0] & (0x7Fu >> size);
    for (size_t i = 1; i < size; i++) {
        if ((at[i] & 0xC0) != 0x80) return 0;
        *code = *code << 6 | (at[i] & 0x3F);
    }
    const bool surrogate = *code >= 0xD800 && *code <= 0xDFFF;
    return *code >= least[size] && *code <= 0x10FFFF && !surrogate ? size : 0;
}

bool text_is_utf8(const char *text)
{
    uint32_t code;
    size_t size = 1;
    const unsigned char *at = (const unsigned char *)text;
    for (; *at && size > 0; at += size) size = character(at, &code);
    return size > 0;
}

char *text_escape(char *to, const char *from)
{
    const unsigned char *at = (const unsigned char *)from;
    while (*at) {
        uint32_t code;
        const size_t size = character(at, &code);
        if (size > 0 && code >= 0x20 && (code < 0x7F || code >= 0xA0)) {
            memcpy(to, at, size);
            to += size, at += size;
        } else {
            to += *at == '\n' ? sprintf(to, "\\n") : sprintf(to, "\\x%02X", *at);
            at++;
        }
    }
    *to = '\0';
    return to;
}

static bool appends_in_place(char byte) { return ((unsigned char)byte & 0xC0) == 0x80; }

/* Returns how many bytes of the text to take at once, at most `most`, without cutting a character.
 * A run of more than three continuation bytes is invalid, and may be cut. */
static size_t piece_length(const char *text, size_t most)
{
    const size_t all = strnlen(text, most);
    size_t length = all;
    for (int i = 0; i < 3 && appends_in_place(text[length]); i++) length--;
    return appends_in_place(text[length]) ? all : length;
}

void text_pieces(FILE *to, const char *text, void (*put)(FILE *to, const char *piece))
{
    enum { PIECE = 256 };
    char piece[PIECE + 1], shown[4 * PIECE + 1];
    for (size_t length; *text; text += length) {
        length = piece_length(text, PIECE);
        memcpy(piece, text, length);
        piece[length] = '\0';
        text_escape(shown, piece);
        put(to, shown);
    }
}

const char *text_value(char text[TEXT_DIGITS], double value, double best)
{
    const double last = 1e-9;
    snprintf(text, TEXT_DIGITS, "%.9f", value < best && value > best - last ? best - last : value);
    return text;
}

const char *text_digits(char text[TEXT_DIGITS], double score) { return text_value(text, score, 1); }

const char *text_frame(char text[TEXT_FRAME], const char *shot, int64_t frame)
{
    enum { MOST = TEXT_FRAME - 32 };
    const bool named = shot && strcmp(shot, ".") != 0;
    const size_t length = named ? strlen(shot) : 0, cut = length > MOST ? length - MOST : 0;
    if (named && frame < 0) /* a picture without a number is its shot */
        snprintf(text, TEXT_FRAME, "%s%s", cut ? "..." : "", shot + cut);
    else
        snprintf(text, TEXT_FRAME, "%s%s%s%" PRId64, cut ? "..." : "", named ? shot + cut : "",
                 named ? "/" : "", frame);
    return text;
}

bool text_same(const char *a, const char *b) { return a && b ? strcmp(a, b) == 0 : a == b; }

const char *text_base(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

const char *text_behind(const char *text, const char *path)
{
    const size_t length = path ? strlen(path) : 0;
    const bool names = length > 0 && strncmp(text, path, length) == 0;
    return names && strncmp(text + length, ": ", 2) == 0 ? text + length + 2 : text;
}

bool text_ends(const char *text, const char *ending)
{
    const size_t length = strlen(text), last = strlen(ending);
    return length >= last && strcmp(text + length - last, ending) == 0;
}

size_t text_stem(const char *text, const char *ending)
{
    return text_ends(text, ending) ? strlen(text) - strlen(ending) : 0;
}

bool text_copy(char **to, const char *text)
{
    *to = text ? strdup(text) : NULL;
    return *to || !text;
}

char *text_join(const char *a, const char *b, const char *c, const char *d)
{
    const size_t size = strlen(a) + strlen(b) + strlen(c) + strlen(d) + 1;
    char *text = malloc(size);
    if (text) snprintf(text, size, "%s%s%s%s", a, b, c, d);
    return text;
}

const char *text_plural(uint64_t count) { return count == 1 ? "" : "s"; }
