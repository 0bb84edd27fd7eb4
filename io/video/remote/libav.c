/* Recognises video files that FFmpeg's libraries read, and loads the module that does so. */
#define _POSIX_C_SOURCE 200809L /* S_ISREG, strcasecmp */
#include "video/remote/remote.h"

#include "fail.h"
#include "image/foreign.h"
#include "worker/worker.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

static pthread_once_t once = PTHREAD_ONCE_INIT, two_started = PTHREAD_ONCE_INIT;
static const struct ssimcu_video_module *module; /* NULL: see `why` */
static char why[256];

static void load(void) { module = ssimcu_video_module_open(SSIMCU_VIDEO_MODULE, why, sizeof why); }

static bool is_av(const char *path, const char *start, size_t size)
{
    static const char *const endings[] = {".mp4", ".m4v", ".mov",   ".mkv",  ".webm", ".avi",
                                          ".mxf", ".ts",  ".mts",   ".m2ts", ".mpg",  ".ivf",
                                          ".flv", ".gif", ".obu",   ".h264", ".264",  ".hevc",
                                          ".265", ".m2v", ".mjpeg", ".mjpg"};
    if (ssimcu_foreign_is_video(start, size)) return true;
    const char *const ending = strrchr(path, '.');
    for (size_t i = 0; ending && i < sizeof endings / sizeof endings[0]; i++)
        if (strcasecmp(ending, endings[i]) == 0) return true;
    return false;
}

static ssimcu_status no_module(const ssimcu_clip *clip, const char *reason, ssimcu_message *message)
{
    FAIL(UNSUPPORTED,
         "%.200s: support for video is not installed: expected the package ssimcu-video, or a "
         "build with FFmpeg's libraries (%.200s)",
         clip->name, reason);
}

/* Opens the clip in this process, on NVDEC if a GPU was requested. */
static ssimcu_status open_here(ssimcu_clip *clip, const char *path, ssimcu_message *message)
{
    pthread_once(&once, load);
    if (!module) return no_module(clip, why, message);
    clip->codec = module->codec;
    return clip->codec->open(clip, path, message);
}

/* Opens the clip on NVDEC in this process. If that fails, sets clip->why_not_gpu, and the CPU
 * decodes: in a worker if workers exist. */
static bool open_on_gpu(ssimcu_clip *clip, const char *path)
{
    if (!ssimcu_worker_exists()) return false; /* the module has fallen back to the CPU */
    clip->gpu_alone = true;
    if (open_here(clip, path, NULL) == SSIMCU_OK) return true;
    if (module) module->codec->close(clip);
    clip->state = NULL;
    clip->format = (ssimcu_clip_format){.planes = 0};
    return false;
}

/* Starts two workers at once, because a comparison has two clips and loading the libraries takes 50
 * ms. */
static void start_two(void)
{
    ssimcu_worker_start_ahead("video");
    ssimcu_worker_start_ahead("video");
}

static ssimcu_status open_remote(ssimcu_clip *clip, const char *path, ssimcu_message *message)
{
    ssimcu_message reason = {{0}};
    ssimcu_worker *worker = NULL;
    pthread_once(&two_started, start_two);
    const ssimcu_status status = ssimcu_worker_take("video", &worker, &reason);
    if (status == SSIMCU_ERROR_UNSUPPORTED) return no_module(clip, reason.text, message);
    if (status != SSIMCU_OK)
        return ssimcu_fail(message, status, "%.200s: %.200s", clip->name, reason.text);
    ssimcu_worker_give(worker); /* it has loaded the module and can serve the clip */
    clip->codec = &ssimcu_codec_av_remote;
    return clip->codec->open(clip, path, message);
}

static ssimcu_status open_av(ssimcu_clip *clip, const char *path, ssimcu_message *message)
{
    struct stat info;
    const bool standard = strcmp(path, "-") == 0;
    if (!standard && stat(path, &info) != 0) FAIL(FILE, "%.300s: %s", path, strerror(errno));
    if (standard || !S_ISREG(info.st_mode))
        FAIL(UNSUPPORTED,
             "%.300s: expected a file, because compressed video cannot be read from a pipe",
             clip->name);
    if (info.st_size == 0) FAIL(DATA, "%.300s: file is empty", clip->name);
    if (clip->gpu >= 0 && open_on_gpu(clip, path)) return SSIMCU_OK;
    return ssimcu_worker_exists() ? open_remote(clip, path, message)
                                  : open_here(clip, path, message);
}

static void close_nothing(ssimcu_clip *clip) { (void)clip; }

const ssimcu_clip_codec ssimcu_codec_av = {.is = is_av, .open = open_av, .close = close_nothing};
