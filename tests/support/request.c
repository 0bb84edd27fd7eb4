#include "request.h"

ssimcu_context *request_context(void)
{
    const ssimcu_settings settings = check_settings_for(SSIMCU_DEVICE_CUDA, SSIMCU_PAD_VALID);
    return check_open(&settings);
}

struct sent sent_make(const ssimcu_frame *frames, uint32_t count, struct picture_kind kind)
{
    struct sent sent = {.host = picture_make(frames, count, kind)};
    sent.memory = device_copy(sent.host.memory, sent.host.bytes);
    sent.view = picture_view_at(&sent.host, sent.memory);
    return sent;
}

void sent_free(struct sent *sent)
{
    device_free(sent->memory);
    picture_free(&sent->host);
}

ssimcu_request *request_make(ssimcu_context *context, const ssimcu_view *ref,
                             const ssimcu_view *out, const ssimcu_tiles *tiles)
{
    ssimcu_request *request = NULL;
    ssimcu_message why = {{0}};
    cr_assert_eq(ssimcu_request_create(context, ref, out, tiles, &request, &why), SSIMCU_OK, "%s",
                 why.text);
    return request;
}

void request_submit(ssimcu_request *request, const ssimcu_view *ref, const ssimcu_view *out,
                    struct CUstream_st *stream)
{
    ssimcu_message why = {{0}};
    cr_assert_eq(ssimcu_request_submit(request, ref, out, stream, &why), SSIMCU_OK, "%s", why.text);
}

ssimcu_score request_score(ssimcu_request *request, uint32_t frame, ssimcu_tiles *tiles)
{
    ssimcu_score score = {.struct_size = sizeof score};
    ssimcu_message why = {{0}};
    cr_assert_eq(ssimcu_request_score(request, frame, &score, tiles, &why), SSIMCU_OK, "%s",
                 why.text);
    return score;
}

struct frames frames_make(uint32_t width, uint32_t height, uint32_t ref_channels,
                          uint32_t out_channels, uint32_t seed)
{
    struct frames frames;
    check_random random = {seed};
    for (int f = 0; f < FRAMES; f++) {
        ssimcu_frame *side[] = {&frames.ref[f], &frames.out[f]};
        for (int s = 0; s < 2; s++) {
            const uint32_t channels = s ? out_channels : ref_channels;
            *side[s] = check_frame(width, height, channels, 8);
            for (uint32_t y = 0; y < height; y++)
                for (uint32_t x = 0; x < width; x++)
                    for (uint32_t c = 0; c < channels; c++)
                        check_set_sample(side[s], x, y, c,
                                         (x * (c + 1) + y * (uint32_t)(f + 1)) % 200 +
                                             check_between(&random, 0, 20u << s));
        }
    }
    return frames;
}

void frames_free(struct frames *frames)
{
    for (int f = 0; f < FRAMES; f++) {
        ssimcu_frame_free(&frames->ref[f]);
        ssimcu_frame_free(&frames->out[f]);
    }
}

struct picture_kind request_kind(int index, size_t padding)
{
    static const struct picture_kind type[] = {{.type = SSIMCU_TYPE_U8, .peak = 255},
                                               {.type = SSIMCU_TYPE_U16, .peak = 65535},
                                               {.type = SSIMCU_TYPE_F16, .peak = 255.0 / 256},
                                               {.type = SSIMCU_TYPE_F32, .peak = 255},
                                               {.type = SSIMCU_TYPE_BF16, .peak = 255}};
    struct picture_kind kind = type[index / 3];
    kind.layout = (ssimcu_layout)(index % 3);
    kind.padding = padding;
    return kind;
}
