#define _GNU_SOURCE /* memmem */
#include "png_readers.h"

#include "image/jpeg/markers.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum {
    SSIMCU_PNG_cHRM = 0x6348524D,
    SSIMCU_PNG_cICP = 0x63494350,
    SSIMCU_PNG_eXIf = 0x65584966,
    SSIMCU_PNG_gAMA = 0x67414D41,
    SSIMCU_PNG_iCCP = 0x69434350,
    SSIMCU_PNG_iTXt = 0x69545874,
    SSIMCU_PNG_sRGB = 0x73524742,
    SSIMCU_PNG_tEXt = 0x74455874,
    SSIMCU_PNG_zTXt = 0x7A545874
};

/* ---- Texts ----------------------------------------------------------------------------------- */

/* Inflates as much as fits, and returns `to`. *size is the room before and the size after the
 * call. */
static const uint8_t *inflate_some(const uint8_t *from, size_t from_size, uint8_t *to, size_t *size)
{
    z_stream z = {.next_in = (Bytef *)(uintptr_t)from, /* zlib only reads */
                  .avail_in = (uInt)from_size,
                  .next_out = to,
                  .avail_out = (uInt)*size};
    if (inflateInit(&z) != Z_OK) return NULL;
    (void)inflate(&z, Z_FINISH); /* the result of damaged data is as good as none */
    *size = z.total_out;
    inflateEnd(&z);
    return to;
}

/* Returns the place after the first 0 at or after `at`, or NULL. */
static const uint8_t *behind_zero(const uint8_t *at, const uint8_t *end)
{
    const uint8_t *const zero = at ? memchr(at, 0, (size_t)(end - at)) : NULL;
    return zero ? zero + 1 : NULL;
}

/* Finds the text of `keyword` in tEXt, zTXt or iTXt, or the profile of iCCP (`keyword` NULL).
 * Compressed data is inflated to `to`, as far as it fits. Returns NULL for other chunks. */
static const uint8_t *find_text(const ssimcu_png_chunk *chunk, const char *keyword, uint8_t *to,
                                size_t *size)
{
    const uint8_t *const end = chunk->data + chunk->size;
    const uint8_t *at = behind_zero(chunk->data, end);
    bool packed = chunk->type == SSIMCU_PNG_zTXt || chunk->type == SSIMCU_PNG_iCCP;
    if (chunk->type != SSIMCU_PNG_tEXt && chunk->type != SSIMCU_PNG_iTXt && !packed) return NULL;
    if (!at || (keyword != NULL) == (chunk->type == SSIMCU_PNG_iCCP)) return NULL;
    if (keyword && strcmp((const char *)chunk->data, keyword) != 0) return NULL;
    if (chunk->type == SSIMCU_PNG_iTXt) { /* flag, method, language, keyword, text */
        if (end - at < 2) return NULL;
        packed = at[0] != 0;
        at = behind_zero(behind_zero(at + 2, end), end);
    } else if (packed) {
        at = end > at ? at + 1 : NULL; /* the method */
    }
    if (!at) return NULL;
    if (packed) return inflate_some(at, (size_t)(end - at), to, size);
    *size = (size_t)(end - at);
    return at;
}

/* ---- Orientation ----------------------------------------------------------------------------- */

/* All return 0 if there is no orientation. */

static unsigned of_xmp(const uint8_t *text, size_t size)
{
    static const char name[] = "tiff:Orientation";
    const uint8_t *const end = text + size, *at = memmem(text, size, name, strlen(name));
    if (!at) return 0;
    at += strlen(name);
    if (at < end && *at == '=') at++; /* an attribute; otherwise an element */
    if (end - at < 3 || !strchr("\"'>", at[0]) || !strchr("\"'<", at[2])) return 0;
    return at[1] >= '1' && at[1] <= '8' ? (unsigned)(at[1] - '0') : 0;
}

static int digit_of(int c) { return isdigit(c) ? c - '0' : isxdigit(c) ? (c | 32) - 'a' + 10 : -1; }

/* Reads a profile as ImageMagick writes it: its name, its size, and its bytes as two digits each,
 * with line breaks. The bytes go to `room`. */
static unsigned of_raw_profile(const uint8_t *text, size_t size, uint8_t *room)
{
    const uint8_t *const end = text + size, *at = text;
    size_t bytes = 0;
    while (at < end && isspace(*at)) at++;
    while (at < end && *at != '\n') at++; /* the name */
    while (at < end && isspace(*at)) at++;
    while (at < end && isdigit(*at)) at++; /* the size */
    while (at < end) {
        while (at < end && isspace(*at)) at++;
        const int high = end - at < 2 ? -1 : digit_of(at[0]), low = high < 0 ? -1 : digit_of(at[1]);
        if (low < 0) break;
        room[bytes++] = (uint8_t)(high << 4 | low);
        at += 2;
    }
    const unsigned said = ssimcu_orientation_said(room, bytes);
    return said ? said : of_xmp(room, bytes);
}

enum { ROOM = 1 << 16 /* bytes of a text to read; the tag is near its start */ };

/* Returns the orientation in one chunk; `rank` 0: as eXIf, 1: as ImageMagick's text, 2: as XMP. */
static unsigned said_by(const ssimcu_png_chunk *chunk, int rank, uint8_t room[2 * ROOM])
{
    static const char *const keywords[] = {"Raw profile type exif", "Raw profile type APP1",
                                           "Raw profile type xmp", "XML:com.adobe.xmp"};
    unsigned said = 0;
    if (rank == 0 && chunk->type == SSIMCU_PNG_eXIf)
        said = ssimcu_orientation_said(chunk->data, chunk->size);
    for (int i = 2 * rank - 2; !said && i < 2 * rank && rank > 0; i++) {
        size_t size = ROOM;
        const uint8_t *const text = find_text(chunk, keywords[i], room, &size);
        if (!text) continue;
        if (size > ROOM) size = ROOM;
        said = i < 3 ? of_raw_profile(text, size, room + ROOM) : of_xmp(text, size);
    }
    return said;
}

unsigned ssimcu_png_orientation(const ssimcu_file *file)
{
    unsigned best = 1;
    int best_rank = 3;
    uint8_t *const room = malloc(2 * ROOM);
    ssimcu_png_chunk chunk = {.next = SSIMCU_PNG_SIGNATURE};
    while (room && ssimcu_png_chunk_at(file, chunk.next, &chunk) && chunk.type != SSIMCU_PNG_IEND)
        for (int rank = 0; rank < best_rank && chunk.type != SSIMCU_PNG_IDAT; rank++) {
            const unsigned said = said_by(&chunk, rank, room);
            if (said) best = said, best_rank = rank;
        }
    free(room);
    return room ? best : 0;
}

/* ---- Colours --------------------------------------------------------------------------------- */

static bool read_profile(const ssimcu_png_chunk *chunk, struct ssimcu_image_colours *colours)
{
    size_t size = SSIMCU_ICC_MOST;
    uint8_t *const room = malloc(size);
    const uint8_t *const profile = room ? find_text(chunk, NULL, room, &size) : NULL;
    if (profile) ssimcu_colours_of_icc(profile, size, colours);
    free(room);
    return room != NULL;
}

/* Reads cHRM, which begins with white, and gAMA. */
static void read_numbers(const ssimcu_png_chunk *chrm, const ssimcu_png_chunk *gama,
                         struct ssimcu_image_colours *colours)
{
    double xy[8];
    for (int i = 0; i < 8 && chrm->size == 32; i++)
        xy[(i + 6) % 8] = ssimcu_png_u32(chrm->data + 4 * i) / 1e5;
    if (chrm->size == 32) ssimcu_colours_of_xy(xy, colours);
    if (gama->size == 4) ssimcu_colours_of_gamma(1e5 / ssimcu_png_u32(gama->data), colours);
}

bool ssimcu_png_colours(ssimcu_file *file)
{
    struct ssimcu_image_colours *const colours = &file->colours;
    enum { CODES, PROFILE, SRGB, PRIMARIES, GAMMA, KINDS };
    static const uint32_t types[] = {SSIMCU_PNG_cICP, SSIMCU_PNG_iCCP, SSIMCU_PNG_sRGB,
                                     SSIMCU_PNG_cHRM, SSIMCU_PNG_gAMA};
    ssimcu_png_chunk found[KINDS] = {{0}}, chunk = {.next = SSIMCU_PNG_SIGNATURE};
    while (ssimcu_png_chunk_at(file, chunk.next, &chunk) && chunk.type != SSIMCU_PNG_IDAT)
        for (int i = 0; i < KINDS; i++)
            if (chunk.type == types[i] && !found[i].data) found[i] = chunk;
    const uint8_t *const code = found[CODES].data;
    if (found[CODES].size == 4)
        ssimcu_colours_of_codes(code[0], code[1], code[3] != 0, colours);
    else if (found[PROFILE].data)
        return read_profile(&found[PROFILE], colours);
    else if (!found[SRGB].data)
        read_numbers(&found[PRIMARIES], &found[GAMMA], colours);
    return true;
}
