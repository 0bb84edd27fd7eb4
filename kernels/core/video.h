/* How Y, U and V become R, G and B. Plain C, for the CPU and the GPU. */
#ifndef SSIMCU_CORE_VIDEO_H
#define SSIMCU_CORE_VIDEO_H

struct ssimcu_video_rule {
    float zero[2], scale[2]; /* of Y, and of U and V: code = (value - zero) * scale */
    float step[2], shift[2]; /* column x of Y lies at x * step + shift of U and V; rows, too */
    float red, blue;         /* weights of luma */
};

#endif
