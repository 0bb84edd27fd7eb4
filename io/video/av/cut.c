/* Detects files that are shorter than they claim. Container elements contain their lengths, so the
 * last one reveals a cut. FFmpeg may read a cut file without complaint: it skips the sound, and a
 * transport stream's last picture ends where the file ends. */
#include "video/av/file.h"

#include <libavutil/avstring.h>
#include <libavutil/intreadwrite.h>
#include <libavutil/opt.h>
#include <string.h>

enum { UNKNOWN = -1 };

static bool read_at(AVIOContext *file, int64_t at, uint8_t *bytes, int size)
{
    return avio_seek(file, at, SEEK_SET) == at && avio_read(file, bytes, size) == size;
}

/* ---- Ends of elements: each function returns the end of the one at `at`, or UNKNOWN ---------- */

static int64_t end_of_box(AVIOContext *file, int64_t at)
{
    uint8_t head[16];
    if (!read_at(file, at, head, 8)) return INT64_MAX;
    uint64_t size = AV_RB32(head);
    if (size == 1 && !read_at(file, at, head, 16)) return INT64_MAX;
    if (size == 1) size = AV_RB64(head + 8);
    return size >= 8 && size <= (uint64_t)(INT64_MAX - at) ? at + (int64_t)size : UNKNOWN;
}

static int64_t end_of_riff(AVIOContext *file, int64_t at)
{
    uint8_t head[8];
    if (!read_at(file, at, head, 8) || memcmp(head, "RIFF", 4) != 0) return UNKNOWN;
    const uint32_t size = AV_RL32(head + 4);
    return size > 0 && size < UINT32_MAX ? at + 8 + size : UNKNOWN;
}

/* A Matroska size begins with as many zero bits as it has further bytes. The elements that hold all
 * others have four-byte names. */
static int64_t end_of_ebml(AVIOContext *file, int64_t at)
{
    uint8_t head[12];
    if (!read_at(file, at, head, sizeof head) || head[0] >> 4 != 1) return UNKNOWN;
    const int more = head[4] ? __builtin_clz(head[4]) - 24 : 7;
    uint64_t size = head[4] & (0x7F >> more);
    for (int i = 0; i < more; i++) size = size << 8 | head[5 + i];
    const bool live = size == (UINT64_C(1) << 7 * (more + 1)) - 1;
    return live ? UNKNOWN : at + 5 + more + (int64_t)size;
}

static int64_t end_of_klv(AVIOContext *file, int64_t at)
{
    uint8_t head[25];
    if (!read_at(file, at, head, 17)) return INT64_MAX;
    const int more = head[16] & 0x80 ? head[16] & 0x7F : 0;
    if (more > 8 || !read_at(file, at, head, 17 + more)) return INT64_MAX;
    uint64_t size = more ? 0 : head[16];
    for (int i = 0; i < more; i++) size = size << 8 | head[17 + i];
    return size < INT64_MAX / 2 ? at + 17 + more + (int64_t)size : UNKNOWN;
}

/* A program stream ends with its last packet or a four-byte code. */
static int64_t end_of_packet(AVIOContext *file, int64_t at)
{
    uint8_t head[14];
    if (!read_at(file, at, head, 4)) return INT64_MAX;
    if (AV_RB24(head) != 1 || head[3] < 0xB9) return UNKNOWN;
    if (head[3] == 0xB9) return at + 4;
    if (head[3] > 0xBA) return read_at(file, at, head, 6) ? at + 6 + AV_RB16(head + 4) : INT64_MAX;
    if (!read_at(file, at, head, sizeof head)) return INT64_MAX;
    return head[4] >> 6 == 1 ? at + 14 + (head[13] & 7) : at + 12; /* MPEG-2, MPEG-1 */
}

/* Returns the start of a program stream's last pack; UNKNOWN if it is not near the end. */
static int64_t last_pack_of(AVIOContext *file, int64_t size)
{
    enum { NEAR = 1 << 16 };
    uint8_t code[4];
    int64_t last = UNKNOWN;
    for (int64_t at = size > NEAR ? size - NEAR : 0; read_at(file, at, code, 4); at++)
        if (AV_RB32(code) == 0x1BA) last = at;
    return last;
}

/* Returns the start of MXF's last partition, which the first one names, or UNKNOWN. */
static int64_t footer_of(AVIOContext *file)
{
    static const uint8_t partition[] = {0x06, 0x0e, 0x2b, 0x34, 0x02, 0x05, 0x01};
    uint8_t head[64];
    if (!read_at(file, 0, head, sizeof head) || memcmp(head, partition, sizeof partition) != 0)
        return UNKNOWN;
    const int more = head[16] & 0x80 ? head[16] & 0x7F : 0;
    const uint64_t footer = more <= 8 ? AV_RB64(head + 17 + more + 24) : 0;
    return footer > 0 && footer < INT64_MAX / 2 ? (int64_t)footer : UNKNOWN;
}

static int64_t end_of_ivf_frame(AVIOContext *file, int64_t at)
{
    uint8_t head[4];
    return read_at(file, at, head, sizeof head) ? at + 12 + AV_RL32(head) : INT64_MAX;
}

/* An FLV tag is followed by its size. */
static int64_t end_of_tag(AVIOContext *file, int64_t at)
{
    uint8_t head[4];
    return read_at(file, at, head, sizeof head) ? at + 11 + AV_RB24(head + 1) + 4 : INT64_MAX;
}

/* AV1 units store their size in groups of seven bits, the lowest first. */
static int64_t end_of_obu(AVIOContext *file, int64_t at)
{
    uint8_t byte;
    if (!read_at(file, at, &byte, 1) || !(byte & 2)) return UNKNOWN;
    at += byte & 4 ? 2 : 1;
    uint64_t size = 0;
    for (int shift = 0; shift < 56; shift += 7) {
        if (!read_at(file, at++, &byte, 1)) return INT64_MAX;
        size |= (uint64_t)(byte & 0x7F) << shift;
        if (!(byte & 0x80)) return at + (int64_t)size;
    }
    return UNKNOWN;
}

/* Returns the bytes of the GIF colour table that these flags announce. */
static int64_t colours_of(uint8_t flags) { return flags & 0x80 ? 3 * (2 << (flags & 7)) : 0; }

/* A GIF is a series of blocks. Each stores its data in pieces of up to 255 bytes, and ends with an
 * empty piece. */
static int64_t end_of_gif_block(AVIOContext *file, int64_t at)
{
    uint8_t head[10], size;
    if (!read_at(file, at, head, 2)) return head[0] == ';' ? UNKNOWN : INT64_MAX;
    if (head[0] != '!' && head[0] != ',') return UNKNOWN;
    if (head[0] == '!')
        at += 2;
    else if (!read_at(file, at, head, sizeof head))
        return INT64_MAX;
    else
        at += (int64_t)sizeof head + colours_of(head[9]) + 1;
    do {
        if (!read_at(file, at, &size, 1)) return INT64_MAX;
        at += 1 + size;
    } while (size > 0);
    return at;
}

/* Returns the start of the first frame, tag or block; UNKNOWN if the header is missing. */
static int64_t first_of(AVIOContext *file, const char *name)
{
    uint8_t head[13];
    if (!read_at(file, 0, head, sizeof head)) return UNKNOWN;
    if (strcmp(name, "ivf") == 0) return AV_RL16(head + 6);
    if (strcmp(name, "flv") == 0) return (int64_t)AV_RB32(head + 5) + 4;
    return (int64_t)sizeof head + colours_of(head[10]); /* GIF */
}

/* ---- Files ----------------------------------------------------------------------------------- */

static bool is_shorter(AVIOContext *file, int64_t size, int64_t at,
                       int64_t (*end_of)(AVIOContext *, int64_t))
{
    if (at >= size) return true;
    while (at >= 0 && at < size) at = end_of(file, at);
    return at > size;
}

/* Returns whether a transport stream ends within a packet. A packet begins with a sync byte, after
 * 4 bytes of time if it has 192 bytes. */
static bool ends_in_packet(const AVFormatContext *format, int64_t size)
{
    int64_t packet = 0;
    uint8_t sync = 0;
    if (av_opt_get_int(format->priv_data, "ts_packetsize", 0, &packet) < 0 || packet < 188)
        return false;
    return !read_at(format->pb, size - (packet == 192 ? 188 : packet), &sync, 1) || sync != 0x47;
}

/* Returns whether a JPEG stream lacks the end marker of its last picture. Zeros may pad the end. */
static bool ends_in_jpeg(AVIOContext *file, int64_t size)
{
    enum { MOST = 64 };
    uint8_t end[MOST];
    int left = size < MOST ? (int)size : MOST;
    if (left < 2 || !read_at(file, size - left, end, left)) return true;
    while (left > 2 && end[left - 1] == 0) left--;
    return AV_RB16(end + left - 2) != 0xFFD9;
}

bool cut_is(const AVFormatContext *format)
{
    AVIOContext *const file = format->pb;
    const char *const name = format->iformat->name;
    const int64_t size = avio_size(file), at = avio_tell(file);
    bool cut = false;
    if (size < 0) return false;
    if (av_match_name("mp4", name)) cut = is_shorter(file, size, 0, end_of_box);
    if (av_match_name("avi", name)) cut = is_shorter(file, size, 0, end_of_riff);
    if (av_match_name("matroska", name)) cut = is_shorter(file, size, 0, end_of_ebml);
    if (av_match_name("mxf", name)) cut = is_shorter(file, size, footer_of(file), end_of_klv);
    if (av_match_name("mpeg", name))
        cut = is_shorter(file, size, last_pack_of(file, size), end_of_packet);
    if (av_match_name("ivf", name))
        cut = is_shorter(file, size, first_of(file, name), end_of_ivf_frame);
    if (av_match_name("flv", name)) cut = is_shorter(file, size, first_of(file, name), end_of_tag);
    if (av_match_name("obu", name)) cut = is_shorter(file, size, 0, end_of_obu);
    if (av_match_name("gif", name)) /* its trailer is a block, too */
        cut = is_shorter(file, size + 1, first_of(file, name), end_of_gif_block);
    if (strcmp(name, "mjpeg") == 0) cut = ends_in_jpeg(file, size);
    if (av_match_name("mpegts", name)) cut = ends_in_packet(format, size);
    (void)avio_seek(file, at, SEEK_SET);
    return cut;
}
