#define _POSIX_C_SOURCE 200809L /* fstat, O_CLOEXEC */
#include "foreign.h"
#include "formats.h"

#include "fail.h"

#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The known formats. The first row that matches a file is its format. */
static const struct foreign {
    const char *name;
    bool video;
    size_t at, size;
    const char *bytes;
    const char *word; /* word that must be among the first bytes, too; NULL: none */
} formats[] = {
    {"an AVIF picture", false, 4, 8, "ftypavif", NULL},
    {"an AVIF sequence", true, 4, 8, "ftypavis", NULL},
    {"a HEIC picture", false, 4, 7, "ftyphei", NULL},
    {"a HEIC picture", false, 4, 8, "ftypmif1", NULL},
    {"a QuickTime movie", true, 4, 8, "ftypqt  ", NULL},
    {"an MP4 video", true, 4, 4, "ftyp", NULL},
    {"a QuickTime movie", true, 4, 4, "moov", NULL},
    {"a QuickTime movie", true, 4, 4, "mdat", NULL},
    {"a QuickTime movie", true, 4, 4, "wide", NULL},
    {"a WebM video", true, 0, 4, "\x1A\x45\xDF\xA3", "webm"},
    {"a Matroska video", true, 0, 4, "\x1A\x45\xDF\xA3", NULL},
    {"an AVI video", true, 0, 4, "RIFF", "AVI "},
    {"a WebP picture", false, 0, 4, "RIFF", "WEBP"},
    {"an MXF video", true, 0, 4, "\x06\x0E\x2B\x34", NULL},
    {"an MPEG program stream", true, 0, 4, "\0\0\1\xBA", NULL},
};

static bool holds(const char *start, size_t size, const char *word)
{
    const size_t length = strlen(word);
    for (size_t i = 0; i + length <= size; i++)
        if (memcmp(start + i, word, length) == 0) return true;
    return false;
}

/* Whether these are packets of 188 bytes, each of which begins with a G. */
static bool is_transport_stream(const char *start, size_t size)
{
    return size > 376 && start[0] == 'G' && start[188] == 'G' && start[376] == 'G';
}

static const struct foreign *find(const char *start, size_t size)
{
    static const struct foreign transport = {.name = "an MPEG transport stream", .video = true};
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        const struct foreign *format = &formats[i];
        if (format->at + format->size <= size &&
            memcmp(start + format->at, format->bytes, format->size) == 0 &&
            (!format->word || holds(start, size, format->word)))
            return format;
    }
    return is_transport_stream(start, size) ? &transport : NULL;
}

bool ssimcu_foreign_is_video(const void *start, size_t size)
{
    const struct foreign *format =
        find(start, size < SSIMCU_FOREIGN_BYTES ? size : SSIMCU_FOREIGN_BYTES);
    return format && format->video;
}

ssimcu_status ssimcu_foreign_check(const char *name, const void *start, size_t size,
                                   ssimcu_message *message)
{
    const size_t most = size < SSIMCU_FOREIGN_BYTES ? size : SSIMCU_FOREIGN_BYTES;
    const struct foreign *format = find(start, most);
    if (!format) return SSIMCU_OK;
    if (format->video)
        return ssimcu_fail(message, SSIMCU_ERROR_UNSUPPORTED,
                           "%.300s: is %s; videos are compared with each other, as files", name,
                           format->name);
    return ssimcu_fail(message, SSIMCU_ERROR_UNSUPPORTED,
                       "%.130s: is %s, not a " SSIMCU_IMAGE_FORMATS
                       " file; ffmpeg -nostdin -v error "
                       "-i %.130s %.130s.png",
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
