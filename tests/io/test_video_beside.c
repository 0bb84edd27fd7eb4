/* NAL units, and what packets hold beside the picture, on packets made byte by byte. */
#include "check.h"
#include "video/av/file.h"

#include <string.h>

static AVCodecParameters codec;
static AVStream stream = {.codecpar = &codec};

static AVPacket packet_of(uint8_t *bytes, size_t size)
{
    return (AVPacket){.data = bytes, .size = (int)size};
}

/* Units that start codes separate, of three and of four bytes. */
Test(video_beside, units_behind_start_codes)
{
    uint8_t bytes[] = {9, 0, 0, 1, 11, 2, 0, 0, 0, 1, 22, 0, 0, 1};
    AVPacket packet = packet_of(bytes, sizeof bytes);
    size_t at = 0;
    cr_expect_eq(nal_next(&packet, 0, &at), bytes + 4);
    cr_expect_eq(nal_next(&packet, 0, &at), bytes + 10);
    cr_expect_null(nal_next(&packet, 0, &at), "there is nothing behind the last one");
}

/* Units behind their length, of which the last may say more than there is. */
Test(video_beside, units_behind_their_lengths)
{
    for (size_t length = 1; length <= 4; length++) {
        uint8_t bytes[2 * 4 + 7] = {0};
        bytes[length - 1] = 2;
        bytes[length + 2 + length - 1] = 5;
        for (size_t last = 0; last < 8; last++) {
            const size_t size = 2 * length + 2 + last;
            AVPacket packet = packet_of(bytes, size);
            size_t at = 0;
            cr_expect_eq(nal_next(&packet, length, &at), bytes + length);
            cr_expect_eq(at, length + 2);
            const uint8_t *const second = nal_next(&packet, length, &at);
            cr_expect_eq(second, last > 0 ? bytes + 2 * length + 2 : NULL);
            if (second) cr_expect_eq(at, last < 5 ? size : 2 * length + 7);
        }
    }
}

Test(video_beside, sizes_of_lengths)
{
    static const enum AVCodecID codecs[] = {AV_CODEC_ID_H264, AV_CODEC_ID_HEVC};
    uint8_t head[23] = {1};
    for (int i = 0; i < 2; i++) {
        const int at = i ? 21 : 4;
        codec = (AVCodecParameters){.codec_id = codecs[i], .extradata = head};
        for (unsigned size = 1; size <= 4; size++) {
            memset(head + 1, 0, sizeof head - 1);
            head[at] = (uint8_t)(0xFC | (size - 1));
            codec.extradata_size = at + 1;
            cr_expect_eq(nal_length_bytes(&codec), size);
            codec.extradata_size = at;
            cr_expect_eq(nal_length_bytes(&codec), 0);
        }
        codec.extradata_size = at + 1, head[0] = 0;
        cr_expect_eq(nal_length_bytes(&codec), 0, "start codes");
        head[0] = 1, codec.extradata = NULL;
        cr_expect_eq(nal_length_bytes(&codec), 0, "nothing is said");
    }
}

/* A picture of any layer but the first; other units of such layers do no harm. */
Test(video_beside, second_layers_of_hevc)
{
    for (int type = 0; type < 64; type++)
        for (int layer = 0; layer < 64; layer++) {
            uint8_t bytes[] = {0, 0, 1, 0, 0xF9, 0, 0, 1, 0, 0, 0};
            bytes[3] = 35 << 1; /* a unit of another kind, of a layer of its own */
            bytes[8] = (uint8_t)(type << 1 | layer >> 5);
            bytes[9] = (uint8_t)(layer << 3 | 7);
            AVPacket packet = packet_of(bytes, sizeof bytes);
            codec = (AVCodecParameters){.codec_id = AV_CODEC_ID_HEVC};
            const char *const said = beside_picture(&stream, &packet);
            cr_expect_eq(said && strstr(said, "second layer"), type < 32 && layer > 0, "%d, %d",
                         type, layer);
            codec.codec_id = AV_CODEC_ID_H264;
            cr_expect_null(beside_picture(&stream, &packet));
        }
}

Test(video_beside, alpha_of_vp8_and_vp9)
{
    static const struct {
        enum AVCodecID codec;
        size_t size;
        uint8_t id;
        const char *said;
    } cases[] = {{AV_CODEC_ID_VP8, 9, 1, "libvpx -i"}, {AV_CODEC_ID_VP9, 9, 1, "libvpx-vp9 -i"},
                 {AV_CODEC_ID_VP8, 8, 1, NULL},        {AV_CODEC_ID_VP9, 8, 1, NULL},
                 {AV_CODEC_ID_VP8, 9, 4, NULL},        {AV_CODEC_ID_VP9, 9, 4, NULL},
                 {AV_CODEC_ID_VP8, 0, 0, NULL},        {AV_CODEC_ID_AV1, 9, 1, NULL}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        AVPacket *packet = av_packet_alloc();
        cr_assert(packet);
        uint8_t *const block =
            cases[i].size ? av_packet_new_side_data(packet, AV_PKT_DATA_MATROSKA_BLOCKADDITIONAL,
                                                    cases[i].size)
                          : NULL;
        if (block) memset(block, 0, cases[i].size), block[7] = cases[i].id;
        codec = (AVCodecParameters){.codec_id = cases[i].codec};
        const char *const said = beside_picture(&stream, packet);
        cr_expect(cases[i].said ? said && strstr(said, cases[i].said) : !said, "%zu", i);
        av_packet_free(&packet);
    }
}
