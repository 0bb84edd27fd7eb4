/* YUV4MPEG2: a line of tagged fields, then frames, each after a FRAME line.
 *
 * The specification is yuv4mpeg(5) of mjpegtools. Where it is silent, this reader follows ffmpeg: a
 * missing colourspace means 4:2:0, and the planes of odd frames are rounded up. Parameters of a
 * FRAME line and unknown tags are skipped. Interlaced frames have their lines in order and are
 * compared as stored. 4:4:4 with alpha is refused. */
#define _POSIX_C_SOURCE 200809L /* strtok_r */
#include "video/stream.h"

#include "fail.h"
#include "image/foreign.h"

#include <string.h>

#define MAGIC "YUV4MPEG2"

enum { HEADER_BYTES = 1024, FRAME_LINE_BYTES = 256 };

struct fields {
    uint32_t width, height;
    uint32_t chroma, bits;         /* from the C field; chroma 0: none yet */
    uint32_t old_chroma, old_bits; /* from the older XYSCSS field */
    uint32_t rate[2];
    ssimcu_range range;
    ssimcu_scan scan;
    ssimcu_fields first;
    ssimcu_siting siting, old_siting;
};

static bool starts_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

/* Parses "420jpeg", "422", "444p10" or "mono12". The older field writes them in capitals. */
static bool parse_chroma(const char *text, uint32_t *chroma, uint32_t *bits, ssimcu_siting *siting)
{
    static const char *const sited[] = {"jpeg", "mpeg2", "paldv", "JPEG", "MPEG2", "PALDV"};
    static const ssimcu_siting sitings[] = {SSIMCU_SITING_CENTER, SSIMCU_SITING_LEFT,
                                            SSIMCU_SITING_TOP_LEFT};
    *bits = 8;
    const bool mono = starts_with(text, "mono");
    if (mono) {
        *chroma = 400;
        text += 4;
    } else if (!ssimcu_clip_format_number(&text, chroma)) {
        return false;
    }
    if (*chroma == 420) *siting = SSIMCU_SITING_CENTER; /* "420" is "420jpeg" */
    if (*text == '\0') return true;
    for (size_t i = 0; i < sizeof sited / sizeof sited[0]; i++)
        if (*chroma == 420 && strcmp(text, sited[i]) == 0) {
            *siting = sitings[i % 3];
            return true;
        }
    if (!mono && *text != 'p' && *text != 'P') return false;
    if (!mono) text++;
    return ssimcu_clip_format_number(&text, bits) && *text == '\0';
}

static bool parse_side(const char *text, uint32_t *side)
{
    return *side == 0 && ssimcu_clip_format_number(&text, side) && *text == '\0' && *side > 0;
}

/* Parses "30000:1001". An invalid rate is ignored, because no score depends on it. */
static void parse_rate(const char *text, uint32_t rate[2])
{
    if (!ssimcu_clip_format_number(&text, &rate[0]) || *text++ != ':' ||
        !ssimcu_clip_format_number(&text, &rate[1]) || *text != '\0' || rate[0] == 0)
        rate[0] = rate[1] = 0;
}

/* Parses "p", "t", "b", "m" or "?". In a mixed stream ("m") it differs between frames. */
static bool parse_scan(const char *text, ssimcu_scan *scan, ssimcu_fields *first)
{
    *scan = SSIMCU_SCAN_UNKNOWN;
    *first = *text == 't'   ? SSIMCU_FIELDS_TOP
             : *text == 'b' ? SSIMCU_FIELDS_BOTTOM
                            : SSIMCU_FIELDS_UNKNOWN;
    if (*text == 'p') *scan = SSIMCU_SCAN_PROGRESSIVE;
    if (*text == 't' || *text == 'b' || *text == 'm') *scan = SSIMCU_SCAN_INTERLACED;
    return (*scan || *text == '?') && text[1] == '\0';
}

/* Parses one field. Returns false if its value is impossible. */
static bool parse_field(const char *field, struct fields *fields)
{
    switch (field[0]) {
    case 'W': return parse_side(field + 1, &fields->width);
    case 'H': return parse_side(field + 1, &fields->height);
    case 'C': return parse_chroma(field + 1, &fields->chroma, &fields->bits, &fields->siting);
    case 'F': parse_rate(field + 1, fields->rate); return true;
    case 'I': return parse_scan(field + 1, &fields->scan, &fields->first);
    case 'X':
        if (starts_with(field, "XYSCSS="))
            return parse_chroma(field + 7, &fields->old_chroma, &fields->old_bits,
                                &fields->old_siting);
        if (strcmp(field, "XCOLORRANGE=FULL") == 0) fields->range = SSIMCU_RANGE_FULL;
        if (strcmp(field, "XCOLORRANGE=LIMITED") == 0) fields->range = SSIMCU_RANGE_LIMITED;
        return true;
    default: return true;
    }
}

ssimcu_status ssimcu_y4m_parse(const char *name, const char *line, ssimcu_clip_format *format,
                               ssimcu_message *message)
{
    char copy[HEADER_BYTES], *rest = NULL;
    struct fields fields = {0};
    const size_t magic = strlen(MAGIC);
    if (!starts_with(line, MAGIC) || (line[magic] != ' ' && line[magic] != '\0') ||
        strlen(line) >= sizeof copy)
        FAIL(DATA, "%.300s: not a y4m stream", name);
    strcpy(copy, line + magic);
    for (char *field = strtok_r(copy, " ", &rest); field; field = strtok_r(NULL, " ", &rest)) {
        if (strcmp(field, "C444alpha") == 0)
            FAIL(UNSUPPORTED, "%.300s: y4m with alpha (C444alpha) cannot be compared", name);
        if (!parse_field(field, &fields))
            FAIL(DATA, "%.300s: damaged y4m header (field %.40s)", name, field);
    }
    if (fields.width == 0 || fields.height == 0)
        FAIL(DATA, "%.300s: damaged y4m header (no size)", name);
    if (fields.chroma == 0) {
        fields.chroma = fields.old_chroma ? fields.old_chroma : 420;
        fields.bits = fields.old_chroma ? fields.old_bits : 8;
        fields.siting = fields.old_chroma ? fields.old_siting : SSIMCU_SITING_CENTER;
    }
    if (!ssimcu_clip_format_make(fields.width, fields.height, fields.chroma, fields.bits, format))
        FAIL(UNSUPPORTED, "%.300s: y4m of colourspace %u with %u bits cannot be compared", name,
             fields.chroma, fields.bits);
    format->range = fields.range;
    format->scan = fields.scan;
    format->fields = fields.first;
    format->siting = fields.siting;
    /* ffmpeg writes "420jpeg" for unknown siting and "420mpeg2" for a decoder's default.
     */
    format->siting_named = fields.siting == SSIMCU_SITING_TOP_LEFT;
    memcpy(format->rate, fields.rate, sizeof format->rate);
    return SSIMCU_OK;
}

bool ssimcu_y4m_is_frame(const char *line)
{
    return starts_with(line, "FRAME") && (line[5] == '\0' || line[5] == ' ');
}

static bool is_y4m(const char *path, const char *start, size_t size)
{
    const size_t magic = strlen(MAGIC), length = strlen(path);
    if (size > magic && memcmp(start, MAGIC, magic) == 0) return true;
    return length >= 4 && strcmp(path + length - 4, ".y4m") == 0;
}

static ssimcu_status read_header(ssimcu_clip *clip, ssimcu_message *message)
{
    ssimcu_stream *stream = clip->state;
    char line[HEADER_BYTES];
    long length;
    ssimcu_message why = {{0}};
    const void *start;
    size_t size;
    TRY(ssimcu_reader_peek(stream->reader, &start, &size, message));
    TRY(ssimcu_foreign_check(clip->name, start, size, message));
    const ssimcu_status status =
        ssimcu_reader_line(stream->reader, line, sizeof line, &length, &why);
    if (status == SSIMCU_ERROR_DATA)
        return ssimcu_fail(message, status, "%.300s: not a y4m stream", clip->name);
    if (status != SSIMCU_OK) return ssimcu_fail(message, status, "%s", why.text);
    if (length <= 0 || strlen(line) != (size_t)length)
        FAIL(DATA, "%.300s: %s", clip->name,
             length < 0 ? "empty, expected a y4m stream" : "not a y4m stream");
    if (!ssimcu_reader_was_whole(stream->reader))
        FAIL(DATA, "%.300s: truncated y4m header", clip->name);
    stream->start = stream->offset = length + 1;
    stream->between = sizeof "FRAME";
    return ssimcu_y4m_parse(clip->name, line, &clip->format, message);
}

static ssimcu_status open_y4m(ssimcu_clip *clip, const char *path, ssimcu_message *message)
{
    TRY(ssimcu_stream_open(clip, path, message));
    TRY(read_header(clip, message));
    return ssimcu_stream_check(clip, message);
}

static ssimcu_status next_y4m(ssimcu_clip *clip, void *data, ssimcu_clip_place *place, bool *end,
                              ssimcu_message *message)
{
    char line[FRAME_LINE_BYTES];
    const ssimcu_status status = ssimcu_stream_line(clip, line, sizeof line, end, message);
    if (status != SSIMCU_OK || *end) return status;
    if (!ssimcu_y4m_is_frame(line))
        FAIL(DATA, "%.300s: damaged y4m stream (no FRAME line before frame %llu)", clip->name,
             (unsigned long long)clip->frames);
    return ssimcu_stream_next(clip, data, place, NULL, message);
}

const ssimcu_clip_codec ssimcu_codec_y4m = {
    .is = is_y4m,
    .open = open_y4m,
    .next = next_y4m,
    .read = ssimcu_stream_read,
    .close = ssimcu_stream_close,
};
