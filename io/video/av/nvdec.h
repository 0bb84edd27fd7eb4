/* NVDEC, the video engines of an NVIDIA GPU, behind FFmpeg's decoders: pictures stay in device
 * memory. The driver is opened at run time, so neither the build nor the module needs CUDA. */
#ifndef SSIMCU_VIDEO_AV_NVDEC_H
#define SSIMCU_VIDEO_AV_NVDEC_H

#include "ssimcu.h"

#include <libavcodec/avcodec.h>
#include <stdbool.h>

/* Most pictures of a file that are lent at a time. The engines have 32 pictures at most, and some
 * of them serve to predict others. */
enum { NVDEC_MOST_LENT = 8 };

struct nvdec;

/* Makes a stream on CUDA device `gpu`, in the context that the CUDA runtime uses. Errors: DEVICE,
 * MEMORY. */
ssimcu_status nvdec_open(uint32_t gpu, struct nvdec **nvdec, ssimcu_message *message);
void nvdec_close(struct nvdec **nvdec);

/* Returns FFmpeg's decoder that can use NVDEC for this codec. NULL if there is none, or if it gives
 * other pictures than a decoder on the CPU. */
const AVCodec *nvdec_codec(enum AVCodecID id);

/* Makes a decoder use NVDEC or fail; call it before the decoder is opened. Returns an error of
 * FFmpeg's. */
int nvdec_use(const struct nvdec *nvdec, AVCodecContext *decoder);

/* Whether the picture lies in device memory. nvdec_pixels returns the pixel format of any picture,
 * wherever it lies. */
bool nvdec_has(const AVFrame *frame);
enum AVPixelFormat nvdec_pixels(const AVFrame *frame);

/* Crops the left and top sides, which FFmpeg leaves to its callers. */
void nvdec_crop(AVFrame *frame);

/* Waits until the pictures put out so far are in memory. Errors: DEVICE. */
ssimcu_status nvdec_wait(const struct nvdec *nvdec, ssimcu_message *message);

#endif
