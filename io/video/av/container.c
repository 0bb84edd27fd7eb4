#define _POSIX_C_SOURCE 200809L /* pread */
#include "video/av/file.h"

#include "image/foreign.h"

#include <errno.h>
#include <fcntl.h>
#include <libavutil/avstring.h>
#include <libavutil/dict.h>
#include <unistd.h>

/* Self-contained formats only. Formats that refer to other files are excluded. */
#define CONTAINERS "mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,avi,mxf,mpegts,mpeg"

static int interrupt(void *file)
{
    const ssimcu_stop *const stop = ((struct video_file *)file)->stop;
    return ssimcu_is_stopped(stop);
}

/* ---- A worker's file --------------------------------------------------------------------------
 */

enum { BUFFER_BYTES = 32 << 10 /* as FFmpeg uses for files */ };

/* A position in a worker's file. Two containers may share the descriptor, so neither moves it. */
struct place {
    int fd;
    int64_t at, size;
};

static void (*tell)(void); /* may be NULL */

void container_tell(void (*reads)(void)) { tell = reads; }

static int read_place(void *opaque, uint8_t *to, int size)
{
    struct place *const place = opaque;
    ssize_t got;
    if (tell) tell();
    do got = pread(place->fd, to, (size_t)size, place->at);
    while (got < 0 && errno == EINTR);
    if (got < 0) return AVERROR(errno);
    place->at += got;
    return got > 0 ? (int)got : AVERROR_EOF;
}

static int64_t seek_place(void *opaque, int64_t offset, int whence)
{
    struct place *const place = opaque;
    if (whence & AVSEEK_SIZE) return place->size;
    switch (whence & ~AVSEEK_FORCE) {
    case SEEK_SET: break;
    case SEEK_CUR: offset += place->at; break;
    case SEEK_END: offset += place->size; break;
    default: return AVERROR(EINVAL);
    }
    if (offset < 0) return AVERROR(EINVAL);
    return place->at = offset;
}

static int use_descriptor(AVFormatContext *format, int fd)
{
    struct place *const place = av_mallocz(sizeof *place);
    uint8_t *const buffer = av_malloc(BUFFER_BYTES);
    if (place && buffer) {
        *place = (struct place){.fd = fd, .size = lseek(fd, 0, SEEK_END)};
        format->pb =
            avio_alloc_context(buffer, BUFFER_BYTES, 0, place, read_place, NULL, seek_place);
    }
    if (format->pb) return 0;
    av_free(place);
    av_free(buffer);
    return AVERROR(ENOMEM);
}

static void free_place(AVIOContext *own)
{
    if (!own) return;
    av_free(own->opaque);
    av_free(own->buffer);
    avio_context_free(&own);
}

void container_close(AVFormatContext **format)
{
    AVIOContext *own = *format && (*format)->flags & AVFMT_FLAG_CUSTOM_IO ? (*format)->pb : NULL;
    avformat_close_input(format);
    free_place(own);
}

/* ---- Containers ------------------------------------------------------------------------------ */

/* Returns the only FFmpeg demuxer that may read the file, by its first bytes; NULL: any of
 * CONTAINERS. Only the first bytes decide whether it is a raw stream, because FFmpeg mistakes many
 * files for one. */
static const char *reader_of(const struct video_file *file, const char *path)
{
    char start[SSIMCU_FOREIGN_BYTES];
    const int fd = file->fd >= 0 ? file->fd : open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t got = fd >= 0 ? pread(fd, start, sizeof start, 0) : 0;
    if (fd >= 0 && fd != file->fd) close(fd);
    return ssimcu_foreign_reader(start, got > 0 ? (size_t)got : 0);
}

int container_open(struct video_file *file, const char *path, bool for_index, struct damage *damage,
                   AVFormatContext **format)
{
    AVDictionary *options = NULL;
    const char *const reader = reader_of(file, path);
    char *const url = av_asprintf("file:%s", path);
    *format = avformat_alloc_context();
    if (!url || !*format) {
        av_free(url);
        return AVERROR(ENOMEM);
    }
    (*format)->opaque = damage;
    (*format)->error_recognition = CONTAINER_RECOGNISE;
    (*format)->interrupt_callback = (AVIOInterruptCB){interrupt, file};
    av_dict_set(&options, "protocol_whitelist", "file", 0);
    av_dict_set(&options, "format_whitelist", reader ? reader : CONTAINERS, 0);
    int error = file->fd >= 0 ? use_descriptor(*format, file->fd) : 0;
    AVIOContext *const own = (*format)->pb;
    if (error >= 0)
        error = avformat_open_input(format, url, reader ? av_find_input_format(reader) : NULL,
                                    &options);
    if (!*format) free_place(own); /* after a failure FFmpeg frees the format, but not our memory */
    av_dict_free(&options);
    av_free(url);
    /* The header of an MP4 has the places and times of all packets. */
    if (error >= 0 && !(for_index && strncmp((*format)->iformat->name, "mov,", 4) == 0))
        error = avformat_find_stream_info(*format, NULL); /* decodes H.264 pictures */
    if (damage)
        damage_forget_container(damage); /* transport streams are read again from the start */
    return error;
}

bool container_has_times(const AVFormatContext *format)
{
    return !av_match_name(format->iformat->name, "h264,hevc,obu,mpegvideo,m4v,mjpeg");
}

void container_choose_stream(AVFormatContext *format, int stream)
{
    for (unsigned i = 0; i < format->nb_streams; i++)
        if ((int)i != stream) format->streams[i]->discard = AVDISCARD_ALL;
}
