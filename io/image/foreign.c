#define _GNU_SOURCE /* memmem */
#include "foreign.h"
#include "formats.h"

#include "fail.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum kind {
    PICTURE, /* not read */
    VIDEO,   /* read by the module for video */
    NAMED,   /* the same, but may be a picture: its name decides */
    OTHER    /* video in a container that is not read */
};

/* The known formats. The first row that matches a file is its format. */
static const struct foreign {
    const char *name;
    enum kind kind;
    size_t at, size;
    const char *bytes;
    const char *word;   /* word that must also be among the first bytes; may be NULL */
    const char *reader; /* the only FFmpeg demuxer that may read it; NULL: see the header */
} formats[] = {
    {"an AVIF picture", PICTURE, 4, 8, "ftypavif", NULL, NULL},
    {"an AVIF sequence", VIDEO, 4, 8, "ftypavis", NULL, NULL},
    {"a HEIC picture", PICTURE, 4, 7, "ftyphei", NULL, NULL},
    {"a HEIC picture", PICTURE, 4, 8, "ftypmif1", NULL, NULL},
    {"a JPEG XL picture", PICTURE, 0, 2, "\xFF\x0A", NULL, NULL},
    {"a JPEG XL picture", PICTURE, 4, 8, "JXL \r\n\x87\n", NULL, NULL},
    {"a JPEG 2000 picture", PICTURE, 4, 8, "jP  \r\n\x87\n", NULL, NULL},
    {"a QuickTime movie", VIDEO, 4, 8, "ftypqt  ", NULL, NULL},
    {"an MP4 video", VIDEO, 4, 4, "ftyp", NULL, NULL},
    {"a QuickTime movie", VIDEO, 4, 4, "moov", NULL, NULL},
    {"a QuickTime movie", VIDEO, 4, 4, "mdat", NULL, NULL},
    {"a QuickTime movie", VIDEO, 4, 4, "wide", NULL, NULL},
    {"a WebM video", VIDEO, 0, 4, "\x1A\x45\xDF\xA3", "webm", NULL},
    {"a Matroska video", VIDEO, 0, 4, "\x1A\x45\xDF\xA3", NULL, NULL},
    {"an AVI video", VIDEO, 0, 4, "RIFF", "AVI ", NULL},
    {"a WebP picture", PICTURE, 0, 4, "RIFF", "WEBP", NULL},
    {"an MXF video", VIDEO, 0, 4, "\x06\x0E\x2B\x34", NULL, NULL},
    {"an MPEG program stream", VIDEO, 0, 4, "\0\0\1\xBA", NULL, NULL},
    {"an IVF video", VIDEO, 0, 4, "DKIF", NULL, "ivf"},
    {"an FLV video", VIDEO, 0, 4, "FLV\1", NULL, "flv"},
    {"a GIF", VIDEO, 0, 4, "GIF8", NULL, "gif"},
    {"a stream of AV1", VIDEO, 0, 3, "\x12\0\x0A", NULL, "obu"},
    {"a stream of HEVC", VIDEO, 0, 5, "\0\0\1\x40\1", NULL, "hevc"},
    {"a stream of HEVC", VIDEO, 0, 5, "\0\0\1\x42\1", NULL, "hevc"},
    {"a stream of HEVC", VIDEO, 0, 5, "\0\0\1\x46\1", NULL, "hevc"},
    {"a stream of HEVC", VIDEO, 0, 5, "\0\0\1\x4E\1", NULL, "hevc"},
    {"a stream of H.264", VIDEO, 0, 4, "\0\0\1\x06", NULL, "h264"},
    {"a stream of H.264", VIDEO, 0, 4, "\0\0\1\x67", NULL, "h264"},
    {"a stream of H.264", VIDEO, 0, 4, "\0\0\1\x27", NULL, "h264"},
    {"a stream of H.264", VIDEO, 0, 4, "\0\0\1\x47", NULL, "h264"},
    {"a stream of H.264", VIDEO, 0, 4, "\0\0\1\x09", NULL, "h264"},
    {"a stream of MPEG-2", VIDEO, 0, 4, "\0\0\1\xB3", NULL, "mpegvideo"},
    {"a stream of MPEG-4", VIDEO, 0, 4, "\0\0\1\xB0", NULL, "m4v"},
    {"a stream of MJPEG", NAMED, 0, 3, "\xFF\xD8\xFF", NULL, "mjpeg"},
    {"an Ogg file", OTHER, 0, 4, "OggS", NULL, NULL},
    {"a Windows Media file", OTHER, 0, 4, "\x30\x26\xB2\x75", NULL, NULL},
    {"a NUT file", OTHER, 0, 14, "nut/multimedia", NULL, NULL},
    {"a DV file", OTHER, 0, 3, "\x1F\x07\0", NULL, NULL},
};

/* Returns whether these are packets of 188 bytes that each begin with a G. */
static bool is_transport_stream(const char *start, size_t size)
{
    return size > 376 && start[0] == 'G' && start[188] == 'G' && start[376] == 'G';
}

static const struct foreign *find_row(const char *start, size_t size)
{
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        const struct foreign *format = &formats[i];
        if (format->at + format->size <= size &&
            memcmp(start + format->at, format->bytes, format->size) == 0 &&
            (!format->word || memmem(start, size, format->word, strlen(format->word))))
            return format;
    }
    return NULL;
}

/* A stream's start codes may have one more zero than the row. */
static const struct foreign *find(const char *start, size_t size)
{
    static const struct foreign transport = {.name = "an MPEG transport stream", .kind = VIDEO};
    if (size > SSIMCU_FOREIGN_BYTES) size = SSIMCU_FOREIGN_BYTES;
    const struct foreign *format = find_row(start, size);
    if (!format && size > 4 && memcmp(start, "\0\0\0\1", 4) == 0)
        format = find_row(start + 1, size - 1);
    return !format && is_transport_stream(start, size) ? &transport : format;
}

bool ssimcu_foreign_is_video(const void *start, size_t size)
{
    const struct foreign *format = find(start, size);
    return format && format->kind == VIDEO;
}

const char *ssimcu_foreign_reader(const void *start, size_t size)
{
    const struct foreign *format = find(start, size);
    return format ? format->reader : NULL;
}

ssimcu_status ssimcu_foreign_check(const char *name, const void *start, size_t size,
                                   ssimcu_message *message)
{
    const struct foreign *format = find(start, size);
    if (!format || format->kind == NAMED) return SSIMCU_OK;
    if (format->kind == VIDEO)
        FAIL(UNSUPPORTED,
             "%.300s: expected a picture, found %s; compare a video with a video, as files", name,
             format->name);
    if (format->kind == OTHER)
        FAIL(UNSUPPORTED,
             "%.130s: is %s, which cannot be read; convert it with ffmpeg -nostdin -v error -i "
             "%.130s -map 0:v -c copy %.130s.mkv",
             name, format->name, name, name);
    FAIL(UNSUPPORTED,
         "%.130s: is %s, not a " SSIMCU_IMAGE_FORMATS
         " file; convert it with ffmpeg -nostdin -v error -i %.130s %.130s.png",
         name, format->name, name, name);
}

ssimcu_status ssimcu_foreign_check_file(const char *path, ssimcu_message *message)
{
    char start[SSIMCU_FOREIGN_BYTES];
    struct stat info;
    const int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) return SSIMCU_OK;
    const bool regular = fstat(fd, &info) == 0 && S_ISREG(info.st_mode);
    const ssize_t got = regular ? pread(fd, start, sizeof start, 0) : 0;
    close(fd);
    return ssimcu_foreign_check(path, start, got > 0 ? (size_t)got : 0, message);
}
