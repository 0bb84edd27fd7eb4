/* The conversion of Y, U and V to R, G and B. Plain C, for the CPU and the GPU. */
#pragma once

struct ssimcu_video_rule {
    float zero[2], scale[2]; /* of Y, and of U and V: code = (value - zero) * scale */
    float step[2], shift[2]; /* column x of Y lies at x * step + shift of U and V; rows, too */
    float red, blue;         /* weights of luma */
};
