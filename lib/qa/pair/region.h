/* Regions: the only area of every frame that is scored. A region of width 0 is the whole frame. */
#pragma once

#include "record/contract.h"
#include "video/clip.h"

struct pair;

/* Fails with MISMATCH if a frame of this shape does not contain the region. */
ssimcu_status region_check(const struct contract_region *region, const ssimcu_frame *frame,
                           ssimcu_message *message);

/* Does the same for video. Fails with ARGUMENT if the region divides samples of U and V. */
ssimcu_status region_check_video(const struct contract_region *region,
                                 const ssimcu_clip_format *format, ssimcu_message *message);

/* Reduces the frame, in the same memory, to the region, which it must contain. */
void region_cut(const struct contract_region *region, ssimcu_frame *frame);

/* Reduces all planes of a pair, which then has the whole frame's size. `format`: that of video;
 * NULL: pictures. */
void region_cut_pair(const struct contract_region *region, const ssimcu_clip_format *format,
                     struct pair *pair);
