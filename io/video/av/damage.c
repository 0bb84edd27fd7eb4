#include "video/av/damage.h"

#include <libavformat/avformat.h>
#include <stdio.h>
#include <string.h>

void damage_start(struct damage *damage)
{
    pthread_mutex_init(&damage->lock, NULL);
    damage->packet = 0;
    damage->codec[0] = '\0';
    damage_forget(damage);
}

void damage_end(struct damage *damage) { pthread_mutex_destroy(&damage->lock); }

void damage_note(struct damage *damage, int64_t packet, const char *text)
{
    uint32_t i = 0;
    pthread_mutex_lock(&damage->lock);
    while (i < damage->count && damage->entry[i].packet != packet) i++;
    if (i == damage->count && i < DAMAGE_MOST) {
        damage->entry[damage->count].packet = packet;
        snprintf(damage->entry[damage->count].text, DAMAGE_TEXT, "%s", text);
        damage->count++;
    }
    pthread_mutex_unlock(&damage->lock);
}

/* Returns the time of a packet; INT64_MAX if it is unknown. */
static int64_t time_of(const struct damage *damage, int64_t packet)
{
    const bool kept = packet < damage->packet && packet + DAMAGE_TIMES >= damage->packet;
    const int64_t pts = kept ? damage->pts[packet % DAMAGE_TIMES] : AV_NOPTS_VALUE;
    return pts == AV_NOPTS_VALUE ? INT64_MAX : pts;
}

/* Removes the entries of packets `first` to `last` and of packets before time `pts`. Returns false
 * if there are none. */
static bool take(struct damage *damage, int64_t first, int64_t last, int64_t pts,
                 char text[DAMAGE_TEXT])
{
    bool found = false;
    uint32_t kept = 0;
    pthread_mutex_lock(&damage->lock);
    for (uint32_t i = 0; i < damage->count; i++) {
        const int64_t packet = damage->entry[i].packet;
        const bool hit = (packet >= first && packet <= last) || time_of(damage, packet) < pts;
        if (hit && !found) memcpy(text, damage->entry[i].text, DAMAGE_TEXT);
        if (!hit) damage->entry[kept++] = damage->entry[i];
        found = found || hit;
    }
    damage->count = kept;
    pthread_mutex_unlock(&damage->lock);
    return found;
}

void damage_move(struct damage *damage, int64_t from, int64_t to)
{
    char text[DAMAGE_TEXT];
    if (damage_take(damage, from, text)) damage_note(damage, to, text);
}

bool damage_take(struct damage *damage, int64_t packet, char text[DAMAGE_TEXT])
{
    return take(damage, packet, packet, INT64_MIN, text);
}

bool damage_take_lost(struct damage *damage, int64_t packet, int64_t pts, char text[DAMAGE_TEXT])
{
    pthread_mutex_lock(&damage->lock);
    const bool full = damage->count == DAMAGE_MOST;
    pthread_mutex_unlock(&damage->lock);
    return take(damage, INT64_MIN, full ? INT64_MAX : packet - DAMAGE_LATE - 1, pts, text);
}

bool damage_take_all(struct damage *damage, char text[DAMAGE_TEXT])
{
    return take(damage, INT64_MIN, INT64_MAX, INT64_MIN, text);
}

bool damage_is_before(struct damage *damage, int64_t packet)
{
    bool is = false;
    pthread_mutex_lock(&damage->lock);
    for (uint32_t i = 0; i < damage->count; i++) is = is || damage->entry[i].packet < packet;
    pthread_mutex_unlock(&damage->lock);
    return is;
}

void damage_next_packet(struct damage *damage, int64_t pts)
{
    pthread_mutex_lock(&damage->lock);
    damage->pts[damage->packet++ % DAMAGE_TIMES] = pts;
    pthread_mutex_unlock(&damage->lock);
}

void damage_forget(struct damage *damage)
{
    pthread_mutex_lock(&damage->lock);
    damage->count = 0;
    atomic_store(&damage->complained, false);
    atomic_store(&damage->gap, -1);
    damage_forget_container(damage);
    pthread_mutex_unlock(&damage->lock);
}

void damage_forget_container(struct damage *damage)
{
    damage->piece = INT64_MAX;
    damage->broken = -1;
}

/* ---- Messages -------------------------------------------------------------------------------- */

/* Returns the damage list of the file to which an FFmpeg context or one of its parents belongs.
 * Returns NULL for files that this module did not open. */
static struct damage *owner(void *context, int64_t *packet, bool *by_decoder)
{
    for (int depth = 0; context && depth < 4; depth++) {
        const AVClass *class = *(const AVClass *const *)context;
        if (!class) return NULL;
        if (strcmp(class->class_name, "AVCodecContext") == 0) {
            struct damage *const damage = numbers_damage(context);
            if (damage) *packet = number_of_current(context);
            *by_decoder = true;
            return damage;
        }
        if (strcmp(class->class_name, "AVFormatContext") == 0) {
            struct damage *damage = ((const AVFormatContext *)context)->opaque;
            if (damage) *packet = damage->packet;
            return damage;
        }
        if (class->parent_log_context_offset == 0) return NULL;
        context = *(void **)((uint8_t *)context + class->parent_log_context_offset);
    }
    return NULL;
}

static bool begins(const char *format, const char *with)
{
    return strncmp(format, with, strlen(with)) == 0;
}

/* Handles a transport stream demuxer's messages about damaged or missing pieces. FFmpeg does not
 * log these as errors. Their first argument is the stream or its PID. */
static void hear_container(const AVFormatContext *format, bool missing, int name)
{
    struct damage *const damage = format->opaque;
    for (unsigned i = 0; damage && i < format->nb_streams; i++) {
        AVStream *const stream = format->streams[i];
        if ((missing ? stream->id : stream->index) != name || stream->discard == AVDISCARD_ALL)
            continue;
        const AVCodecParserContext *const parser = av_stream_get_parser(stream);
        const int64_t at = parser ? parser->cur_offset - parser->next_frame_offset : 0;
        damage->broken = damage->packet;
        if (!missing && at < damage->piece) damage->piece = at;
    }
}

/* Records Matroska's name of a codec. Names of video codecs begin with V. */
static void hear_codec(const AVFormatContext *format, const char *name)
{
    struct damage *const damage = format->opaque;
    if (damage && name[0] == 'V') snprintf(damage->codec, sizeof damage->codec, "%s", name);
}

/* Handles FFmpeg's messages. Missing H.264 data is not logged as an error: FFmpeg conceals part of
 * a picture and marks it, or makes up a whole reference picture. */
static void hear(void *context, int level, const char *format, va_list arguments)
{
    char text[DAMAGE_TEXT];
    int64_t packet;
    bool by_decoder = false;
    const bool part = begins(format, "concealing "), whole = begins(format, "Frame num gap ");
    const bool piece = begins(format, "Packet corrupt (stream = ");
    const bool missing = begins(format, "Continuity check failed for pid ");
    const bool codec = begins(format, "Unknown/unsupported AVCodecID %s");
    if (level > AV_LOG_ERROR && !part && !whole && !piece && !missing && !codec) return;
    struct damage *damage = owner(context, &packet, &by_decoder);
    if (!damage) return;
    if (!by_decoder && (piece || missing)) hear_container(context, missing, va_arg(arguments, int));
    if (!by_decoder && codec) hear_codec(context, va_arg(arguments, const char *));
    if (whole) atomic_store(&damage->gap, packet);
    if (by_decoder && (part || level <= AV_LOG_ERROR)) atomic_store(&damage->complained, true);
    if (by_decoder && part) damage_note(damage, packet, "the decoder concealed missing data");
    if (level > AV_LOG_ERROR) return;
    vsnprintf(text, sizeof text, format, arguments);
    text[strcspn(text, "\r\n")] = '\0';
    damage_note(damage, packet, text);
}

void damage_listen(void) { av_log_set_callback(hear); }
