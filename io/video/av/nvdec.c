#include "video/av/file.h"

#include "fail.h"

#include <dlfcn.h>
#include <libavutil/pixdesc.h>
#include <stdlib.h>
#include <string.h>

/* The next header needs these types from cuda.h. */
#define CUDA_VERSION 1
typedef struct CUctx_st *CUcontext;
typedef struct CUstream_st *CUstream;
typedef struct CUevent_st *CUevent;
#include <libavutil/hwcontext_cuda.h>

struct nvdec {
    int gpu;
    CUcontext context; /* the device's primary context */
    CUstream stream;
    AVBufferRef *device; /* FFmpeg's object for both */
};

/* ---- The driver ------------------------------------------------------------------------------ */

/* Functions of libcuda.so.1. They return 0 on success. */
static struct {
    int (*init)(unsigned flags);
    int (*retain)(CUcontext *context, int gpu);
    int (*release)(int gpu);
    int (*push)(CUcontext context);
    int (*pop)(CUcontext *context);
    int (*create)(CUstream *stream, unsigned flags);
    int (*destroy)(CUstream stream);
    int (*make_event)(CUevent *event, unsigned flags);
    int (*end_event)(CUevent event);
    int (*record)(CUevent event, CUstream stream);
    int (*wait)(CUevent event);
} driver;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool loaded;

static void load(void)
{
    static const struct {
        void *to;
        const char *name;
    } functions[] = {
        {&driver.init, "cuInit"},
        {&driver.retain, "cuDevicePrimaryCtxRetain"},
        {&driver.release, "cuDevicePrimaryCtxRelease_v2"},
        {&driver.push, "cuCtxPushCurrent_v2"},
        {&driver.pop, "cuCtxPopCurrent_v2"},
        {&driver.create, "cuStreamCreate"},
        {&driver.destroy, "cuStreamDestroy_v2"},
        {&driver.make_event, "cuEventCreate"},
        {&driver.end_event, "cuEventDestroy_v2"},
        {&driver.record, "cuEventRecord"},
        {&driver.wait, "cuEventSynchronize"},
    };
    void *const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    bool all = library != NULL;
    for (size_t i = 0; all && i < sizeof functions / sizeof functions[0]; i++) {
        void *const found = dlsym(library, functions[i].name);
        memcpy(functions[i].to, &found, sizeof found);
        all = found != NULL;
    }
    loaded = all && driver.init(0) == 0;
}

/* ---- Opening --------------------------------------------------------------------------------- */

static bool make_stream(struct nvdec *nvdec)
{
    enum { NON_BLOCKING = 1 }; /* the stream does not wait for the default stream */
    CUcontext popped;
    if (driver.push(nvdec->context) != 0) return false;
    const int error = driver.create(&nvdec->stream, NON_BLOCKING);
    (void)driver.pop(&popped);
    return error == 0;
}

/* Wraps the context and the stream for FFmpeg, which does not own them. */
static bool make_device(struct nvdec *nvdec)
{
    nvdec->device = av_hwdevice_ctx_alloc(AV_HWDEVICE_TYPE_CUDA);
    if (!nvdec->device) return false;
    AVCUDADeviceContext *cuda = ((AVHWDeviceContext *)nvdec->device->data)->hwctx;
    cuda->cuda_ctx = nvdec->context;
    cuda->stream = nvdec->stream;
    return av_hwdevice_ctx_init(nvdec->device) >= 0;
}

ssimcu_status nvdec_open(uint32_t gpu, struct nvdec **nvdec, ssimcu_message *message)
{
    *nvdec = NULL;
    pthread_once(&once, load);
    if (!loaded) FAIL(DEVICE, "NVDEC: found no NVIDIA driver");
    struct nvdec *made = *nvdec = calloc(1, sizeof *made);
    if (!made) return ssimcu_no_memory(message, NULL);
    made->gpu = (int)gpu;
    const bool good =
        driver.retain(&made->context, made->gpu) == 0 && make_stream(made) && make_device(made);
    if (good) return SSIMCU_OK;
    nvdec_close(nvdec);
    FAIL(DEVICE, "NVDEC: CUDA device %u cannot be used", gpu);
}

void nvdec_close(struct nvdec **nvdec)
{
    struct nvdec *old = *nvdec;
    CUcontext popped;
    *nvdec = NULL;
    if (!old) return;
    av_buffer_unref(&old->device);
    if (old->stream && driver.push(old->context) == 0) {
        (void)driver.destroy(old->stream);
        (void)driver.pop(&popped);
    }
    if (old->context) (void)driver.release(old->gpu);
    free(old);
}

/* ---- Decoders -------------------------------------------------------------------------------- */

/* The standards of these codecs define every sample exactly. MPEG-2, MPEG-4 and VC-1 leave the last
 * bit to the decoder. */
const AVCodec *nvdec_codec(enum AVCodecID id)
{
    switch (id) {
    case AV_CODEC_ID_H264:
    case AV_CODEC_ID_HEVC:
    case AV_CODEC_ID_VP8:
    case AV_CODEC_ID_VP9: break;
    case AV_CODEC_ID_AV1: return avcodec_find_decoder_by_name("av1"); /* not the faster libdav1d */
    default: return NULL;
    }
    return avcodec_find_decoder(id);
}

/* FFmpeg offers the formats that it can decode this stream to. After a failure it asks again
 * without the failed format. */
static enum AVPixelFormat choose(AVCodecContext *decoder, const enum AVPixelFormat *offered)
{
    (void)decoder;
    while (*offered != AV_PIX_FMT_NONE && *offered != AV_PIX_FMT_CUDA) offered++;
    return *offered;
}

int nvdec_use(const struct nvdec *nvdec, AVCodecContext *decoder)
{
    decoder->hw_device_ctx = av_buffer_ref(nvdec->device);
    decoder->get_format = choose;
    decoder->extra_hw_frames = NVDEC_MOST_BORROWED;
    decoder->thread_count = 1;
#ifdef AV_HWACCEL_FLAG_UNSAFE_OUTPUT
    decoder->hwaccel_flags |= AV_HWACCEL_FLAG_UNSAFE_OUTPUT; /* pictures are not copied */
#endif
    return decoder->hw_device_ctx ? 0 : AVERROR(ENOMEM);
}

/* ---- Pictures -------------------------------------------------------------------------------- */

bool nvdec_has(const AVFrame *frame) { return frame->format == AV_PIX_FMT_CUDA; }

enum AVPixelFormat nvdec_pixels(const AVFrame *frame)
{
    if (!nvdec_has(frame) || !frame->hw_frames_ctx) return frame->format;
    return ((const AVHWFramesContext *)frame->hw_frames_ctx->data)->sw_format;
}

void nvdec_crop(AVFrame *frame)
{
    const AVPixFmtDescriptor *pixels = av_pix_fmt_desc_get(nvdec_pixels(frame));
    const size_t left = frame->crop_left, top = frame->crop_top;
    if (!nvdec_has(frame) || !pixels) return;
    for (int plane = 0; plane < 3 && frame->data[plane]; plane++) {
        const int across = plane > 0 ? pixels->log2_chroma_w : 0;
        const int down = plane > 0 ? pixels->log2_chroma_h : 0;
        const int component = plane < pixels->nb_components ? plane : 0;
        frame->data[plane] += (top >> down) * (size_t)frame->linesize[plane] +
                              (left >> across) * (size_t)pixels->comp[component].step;
    }
    frame->width -= (int)left;
    frame->height -= (int)top;
    frame->crop_left = frame->crop_top = 0;
}

ssimcu_status nvdec_wait(const struct nvdec *nvdec, ssimcu_message *message)
{
    enum { ASLEEP = 1, WITHOUT_TIMES = 2 };
    CUcontext popped;
    CUevent event = NULL;
    int error = driver.push(nvdec->context);
    if (error == 0) {
        error = driver.make_event(&event, ASLEEP | WITHOUT_TIMES);
        if (error == 0) error = driver.record(event, nvdec->stream);
        if (error == 0) error = driver.wait(event);
        if (event) (void)driver.end_event(event);
        (void)driver.pop(&popped);
    }
    return error == 0 ? SSIMCU_OK
                      : ssimcu_fail(message, SSIMCU_ERROR_DEVICE, "NVDEC: CUDA error %d", error);
}
