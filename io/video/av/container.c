#include "video/av/file.h"

#include <libavutil/avstring.h>
#include <libavutil/dict.h>

/* Containers that hold everything themselves. Formats that name other files to be opened are left
 * out. */
#define CONTAINERS "mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,avi,mxf,mpegts,mpeg"

static int interrupt(void *file)
{
    const ssimcu_stop *const stop = ((struct video_file *)file)->stop;
    return ssimcu_is_stopped(stop);
}

int container_open(struct video_file *file, const char *path, struct damage *damage,
                   AVFormatContext **format)
{
    AVDictionary *options = NULL;
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
    av_dict_set(&options, "format_whitelist", CONTAINERS, 0);
    int error = avformat_open_input(format, url, NULL, &options);
    av_dict_free(&options);
    av_free(url);
    if (error >= 0) error = avformat_find_stream_info(*format, NULL);
    return error;
}

void container_choose_stream(AVFormatContext *format, int stream)
{
    for (unsigned i = 0; i < format->nb_streams; i++)
        if ((int)i != stream) format->streams[i]->discard = AVDISCARD_ALL;
}
