/* NVDEC, the video engines of an NVIDIA GPU, behind FFmpeg's decoders: pictures stay in device
 * memory. The driver is opened at run time, so that neither the build nor the module needs CUDA. */
#ifndef SSIMCU_VIDEO_AV_NVDEC_H
#define SSIMCU_VIDEO_AV_NVDEC_H

#include "ssimcu.h"

#include <libavcodec/avcodec.h>
#include <stdbool.h>

/* Pictures of a file that may be lent at a time: with those that others are predicted from, the
 * engines have 32 at most. */
enum { NVDEC_MOST_LENT = 8 };

struct nvdec;

/* A stream on CUDA device `gpu`, in the context that the CUDA runtime uses. Errors: DEVICE, MEMORY.
 */
ssimcu_status nvdec_open(uint32_t gpu, struct nvdec **nvdec, ssimcu_message *message);
void nvdec_close(struct nvdec **nvdec);

/* FFmpeg's decoder that can use NVDEC for this codec; NULL: none can, or one that gives other
 * pictures than a decoder on the CPU. */
const AVCodec *nvdec_codec(enum AVCodecID id);

/* Makes a decoder that is not open yet use it, or fail. An error of FFmpeg's. */
int nvdec_use(const struct nvdec *nvdec, AVCodecContext *decoder);

/* Whether the picture lies in device memory; and its pixels there, of any picture. */
bool nvdec_has(const AVFrame *frame);
enum AVPixelFormat nvdec_pixels(const AVFrame *frame);

/* Crops at the left and top, which FFmpeg leaves to its callers. */
void nvdec_crop(AVFrame *frame);

/* Waits until what was put out is in memory. Errors: DEVICE. */
ssimcu_status nvdec_wait(const struct nvdec *nvdec, ssimcu_message *message);

#endif
