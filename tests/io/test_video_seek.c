/* Seeks in a file of 40 pictures with a key frame every ten. What the container, the decoder and
 * the index do is said by these functions. */
#include "check.h"
#include "video/av/file.h"

#include <stdlib.h>

enum { COUNT = 40, GROUP = 10, FAR = 25, FAR_KEY = 20, NOWHERE = -1 };

/* A picture that the decoder puts out. */
struct out {
    int64_t pts;
    ssimcu_status status;
    bool key;
};

static struct index_entry entries[COUNT];
static struct out out[COUNT + 1]; /* what comes out, from the place of the seek on */
static int64_t outs, at;          /* how many, and how many have come out */
static ssimcu_status broken_at;   /* what picture_decode returns at the end */
static int64_t landed;            /* place of the key frame's packet that is read */
static int reordered_later;       /* value of has_b_frames from the second picture on */
static int64_t doubtful_at = -1;  /* picture at which frame threads meet damage; -1: none */
static int seeks, byte_seeks, flushes, reopened, forgotten, closed, alive, seek_error;
static int torn_forgotten, lost_forgotten;
static int64_t sought;
static bool no_memory;
static struct video_file file;
static ssimcu_clip *clip;

/* ---- What stands for FFmpeg's libraries ------------------------------------------------------ */

int __wrap_avformat_seek_file(AVFormatContext *format, int stream, int64_t least, int64_t time,
                              int64_t most, int flags);
int __wrap_avformat_seek_file(AVFormatContext *format, int stream, int64_t least, int64_t time,
                              int64_t most, int flags)
{
    cr_expect(format == file.format && stream == 3 && least == INT64_MIN && most == time);
    cr_expect_eq(flags, 0);
    seeks++;
    at = 0;
    sought = time;
    return seek_error;
}

int __wrap_av_seek_frame(AVFormatContext *format, int stream, int64_t place, int flags);
int __wrap_av_seek_frame(AVFormatContext *format, int stream, int64_t place, int flags)
{
    cr_expect(format == file.format && stream == 3 && flags == AVSEEK_FLAG_BYTE);
    byte_seeks++;
    sought = place;
    return seek_error;
}

void __wrap_avcodec_flush_buffers(AVCodecContext *decoder);
void __wrap_avcodec_flush_buffers(AVCodecContext *decoder)
{
    cr_expect(decoder == file.decoder);
    flushes++;
}

/* ---- What stands for the other parts of the module ------------------------------------------- */

int decoder_reopen(struct video_file *of)
{
    cr_expect(of == &file && of->reordered == 2 && forgotten == reopened);
    reopened++;
    return no_memory ? AVERROR(ENOMEM) : 0;
}

ssimcu_status picture_decode(ssimcu_clip *of, struct picture **picture, ssimcu_message *message)
{
    (void)of, (void)message;
    *picture = NULL;
    file.doubtful = at == doubtful_at && !file.one_thread;
    if (file.doubtful) return SSIMCU_ERROR_DATA;
    if (at == 0) { /* the place that a seek has prepared */
        cr_expect(file.sent == FAR_KEY && file.came_out == FAR_KEY && !file.drained);
        cr_expect(file.key_pts == entries[FAR_KEY].pts && file.key_position == -1);
        cr_expect(file.sought == FAR_KEY && !file.ready && forgotten == seeks + byte_seeks);
        cr_expect(torn_forgotten == forgotten && lost_forgotten == forgotten);
        file.key_position = landed;
    }
    if (at == 1) file.decoder->has_b_frames = reordered_later;
    if (at == outs) return broken_at;
    struct picture *const made = *picture = calloc(1, sizeof **picture);
    made->frame = av_frame_alloc();
    made->frame->pts = out[at].pts;
    made->frame->quality = out[at].key;
    made->status = out[at].status;
    alive++, at++;
    return SSIMCU_OK;
}

bool picture_is_key(const struct video_file *of, const AVFrame *frame)
{
    (void)of;
    return frame->quality;
}

void picture_free(struct picture *picture)
{
    if (!picture) return;
    av_frame_free(&picture->frame);
    free(picture);
    alive--;
}

bool index_reach(struct picture_index *index, struct video_file *of, const char *path,
                 uint64_t picture)
{
    cr_expect(index == &file.index && of == &file);
    cr_expect_str_eq(path, "clip");
    return !index->broken && picture < index->count;
}

void index_close(struct picture_index *index)
{
    closed++;
    index->broken = true;
}

void damage_forget(struct damage *damage)
{
    cr_expect(damage == &file.damage);
    forgotten++;
}

void torn_forget(struct video_file *of)
{
    cr_expect(of == &file);
    torn_forgotten++;
}

void fields_forget(struct video_file *of) { (void)of; }
void lost_forget(struct video_file *of)
{
    cr_expect(of == &file);
    lost_forgotten++;
}

/* ---- Files ----------------------------------------------------------------------------------- */

/* Makes a clip whose first picture has come out. The decoder puts pictures in order by two. */
static void start(void)
{
    clip = calloc(1, sizeof *clip + sizeof "clip"); /* its name is behind it */
    cr_assert(clip);
    memcpy(clip->name, "clip", sizeof "clip");
    clip->state = &file;
    file.format = avformat_alloc_context();
    file.format->iformat = av_find_input_format("mp4");
    file.stream = avformat_new_stream(file.format, NULL);
    file.stream->index = 3;
    file.decoder = avcodec_alloc_context3(NULL);
    file.decoder->codec_id = AV_CODEC_ID_H264;
    file.decoder->has_b_frames = reordered_later = 2;
    file.decoder->thread_count = 1;
    for (uint32_t i = 0; i < COUNT; i++)
        entries[i] = (struct index_entry){2 * i, 1000 + i, i, i, i % GROUP == 0};
    for (int i = FAR_KEY; i < COUNT; i++)
        out[outs++] = (struct out){entries[i].pts, SSIMCU_OK, i == FAR_KEY};
    file.index.entry = entries, file.index.count = COUNT;
    landed = entries[FAR_KEY].position;
    clip->frames = 1, file.sent = 3, file.came_out = 1, file.last_pts = entries[0].pts;
    file.ahead = 1;
}

static void end(void)
{
    picture_free(file.ready);
    avcodec_free_context(&file.decoder);
    avformat_free_context(file.format);
    free(clip);
}

TestSuite(video_seek, .init = start, .fini = end, .timeout = 20);

/* Seeks to the picture FAR, which comes out next. */
static void expect_seek(void)
{
    cr_assert(seek_skip(clip, FAR));
    cr_expect(!file.position_lost && !file.index.broken && closed == 0);
    cr_assert(file.ready && alive == 1);
    cr_expect_eq(file.ready->frame->pts, entries[FAR].pts);
    cr_expect_eq(seeks + byte_seeks, 1);
}

/* Does not seek: that would save nothing, or there is no index. Nothing has changed. */
static void expect_none(void)
{
    struct picture *const ready = file.ready;
    cr_expect_not(seek_skip(clip, FAR));
    cr_expect(seeks + byte_seeks == 0 && flushes + reopened == 0 && at == 0);
    cr_expect_eq(file.ready, ready);
}

/* The seek misses: the file must begin anew, and no other seek is tried. */
static void expect_miss(void)
{
    cr_expect_not(seek_skip(clip, FAR));
    cr_expect(seeks + byte_seeks == 1 && file.position_lost && closed == 1);
    cr_expect_eq(alive, file.ready != NULL);
    cr_expect_not(seek_skip(clip, COUNT - 1));
    cr_expect_eq(seeks + byte_seeks, 1);
}

/* ---- Seeks ----------------------------------------------------------------------------------- */

Test(video_seek, goes_to_the_key_frame_and_decodes_up_to_the_picture)
{
    file.drained = true;
    expect_seek();
    cr_expect_eq(sought, entries[FAR_KEY].pts);
    cr_expect(seeks == 1 && reopened == 1 && flushes == 0 && at == FAR - FAR_KEY + 1);
}

Test(video_seek, a_picture_that_was_ready_is_dropped)
{
    file.ready = calloc(1, sizeof *file.ready), alive = 1;
    clip->frames = 0; /* it is the one that has come out */
    expect_seek();
}

/* The file may begin with a key frame that its container does not mark. */
Test(video_seek, the_first_picture_is_a_key_frame)
{
    for (int i = 0; i < COUNT; i++) entries[i].key = false;
    file.sent = 0; /* no more than it decodes */
    expect_none();
    cr_expect_not(file.index.broken);
}

/* Pictures before the key frame in time need what comes before it in the file. */
Test(video_seek, leading_pictures_are_passed_over)
{
    memmove(out + 2, out, (size_t)(outs - 1) * sizeof out[0]);
    out[0] = (struct out){entries[FAR_KEY - 2].pts, SSIMCU_ERROR_DATA, false};
    out[1] = (struct out){entries[FAR_KEY - 1].pts, SSIMCU_OK, false};
    outs++;
    expect_seek();
    cr_expect_eq(at, FAR - FAR_KEY + 3);
}

Test(video_seek, transport_streams_are_sought_by_place)
{
    file.format->iformat = av_find_input_format("mpegts");
    expect_seek();
    cr_expect(byte_seeks == 1 && sought == entries[FAR_KEY].position);
}

/* Damage may lie in a packet behind the picture, which frame threads have begun. */
Test(video_seek, one_thread_seeks_again_where_frame_threads_meet_damage)
{
    doubtful_at = 3;
    cr_assert(seek_skip(clip, FAR));
    cr_expect(file.one_thread && !file.doubtful && !file.position_lost && closed == 0);
    cr_expect(seeks == 2 && reopened == 2 && alive == 1);
    cr_expect_eq(file.ready->frame->pts, entries[FAR].pts);
}

/* A flush of H.264 on NVDEC is costly, and only needed behind the end. */
Test(video_seek, h264_on_nvdec_is_not_flushed)
{
    file.nvdec = (struct nvdec *)&file;
    expect_seek();
    cr_expect_eq(flushes, 0);
}

Test(video_seek, h264_on_nvdec_is_flushed_behind_the_end)
{
    file.nvdec = (struct nvdec *)&file, file.drained = true;
    expect_seek();
    cr_expect_eq(flushes, 1);
}

Test(video_seek, other_codecs_are_flushed)
{
    file.decoder->codec_id = AV_CODEC_ID_HEVC;
    expect_seek();
    cr_expect(flushes == 1 && reopened == 0);
}

Test(video_seek, other_codecs_on_nvdec_are_flushed)
{
    file.nvdec = (struct nvdec *)&file, file.decoder->codec_id = AV_CODEC_ID_HEVC;
    expect_seek();
    cr_expect(flushes == 1 && reopened == 0);
}

/* A picture that cannot be compared for its shape is the right one nevertheless. */
Test(video_seek, another_shape_is_no_miss)
{
    out[FAR - FAR_KEY].status = SSIMCU_ERROR_MISMATCH;
    expect_seek();
}

/* ---- No seeks -------------------------------------------------------------------------------- */

/* A seek costs the pictures in the decoder: two, and one for each thread or, without threads, one.
 * It must save more of them than that, and more packets than have been sent and are in flight. */
Test(video_seek, none_that_saves_nothing)
{
    clip->frames = FAR - 3;
    file.last_pts = entries[FAR - 4].pts;
    expect_none();
    file.sent = FAR_KEY - 3;
    clip->frames = FAR - 4;
    expect_none();
    file.ahead = 4;
    file.sent = FAR_KEY - 6, clip->frames = 1;
    expect_none();
    file.sent = 0, clip->frames = FAR - 6;
    expect_none();
    cr_expect_not(file.index.broken);
}

/* One thread has sent fewer packets at the same picture. */
Test(video_seek, none_that_frame_threads_would_not_have_tried)
{
    file.ahead = 4, file.one_thread = true;
    file.sent = FAR_KEY - 9, clip->frames = 1;
    expect_none();
    file.sent = 0, clip->frames = FAR - 6;
    expect_none();
    file.sent = FAR_KEY - 10, clip->frames = 1;
    expect_seek();
}

Test(video_seek, one_that_saves_a_packet)
{
    file.sent = FAR_KEY - 4;
    clip->frames = FAR - 4, file.last_pts = entries[FAR - 5].pts;
    expect_seek();
}

Test(video_seek, one_that_saves_a_packet_of_threads)
{
    file.ahead = 4;
    file.sent = FAR_KEY - 7;
    clip->frames = FAR - 7, file.last_pts = entries[FAR - 8].pts;
    expect_seek();
}

Test(video_seek, none_without_an_index)
{
    file.index.count = FAR;
    expect_none();
    cr_expect_not(file.index.broken);
    file.index.count = COUNT, file.index.broken = true;
    expect_none();
    file.index.broken = false, file.position_lost = true;
    expect_none();
}

/* The index has another picture than the one that came out last. */
Test(video_seek, none_with_an_index_that_is_wrong)
{
    file.last_pts++;
    expect_none();
    cr_expect(file.index.broken);
    file.last_pts--;
    expect_none();
}

Test(video_seek, none_before_any_picture)
{
    clip->frames = 0;
    expect_none();
    cr_expect(file.index.broken);
}

/* ---- Seeks that miss ------------------------------------------------------------------------- */

Test(video_seek, a_container_that_fails_misses)
{
    seek_error = AVERROR(EIO);
    expect_miss();
}

Test(video_seek, a_decoder_that_does_not_open_misses)
{
    no_memory = true;
    expect_miss();
    cr_expect_eq(at, 0);
}

Test(video_seek, another_time_misses)
{
    out[3].pts++;
    expect_miss();
    cr_expect_eq(at, 4);
}

Test(video_seek, damage_misses)
{
    out[FAR - FAR_KEY].status = SSIMCU_ERROR_DATA;
    expect_miss();
}

Test(video_seek, what_is_no_key_frame_misses)
{
    out[0].key = false;
    expect_miss();
    cr_expect_eq(at, 1);
}

Test(video_seek, the_end_misses)
{
    outs = 5;
    expect_miss();
}

Test(video_seek, an_error_misses)
{
    outs = 5, broken_at = SSIMCU_ERROR_DATA;
    expect_miss();
}

/* AVI has no times in its packets: only the place tells that it is the right packet. */
Test(video_seek, another_place_misses)
{
    landed++;
    expect_miss();
}

/* Another order of output makes the index's own check of times worthless. */
Test(video_seek, another_reordering_misses)
{
    reordered_later = 1;
    expect_miss();
}

/* ---- What the index tells -------------------------------------------------------------------- */

Test(video_seek, distance_of_key_frames)
{
    static struct index_entry many[1100];
    cr_expect_eq(seek_key_distance(clip), GROUP);
    file.index.count = GROUP;
    cr_expect_eq(seek_key_distance(clip), 0);
    file.index.entry = many, file.index.count = 1100;
    many[0].key = many[1000].key = true;
    cr_expect_eq(seek_key_distance(clip), 0);
    many[999].key = true;
    cr_expect_eq(seek_key_distance(clip), 999);
}

Test(video_seek, key_frames_before_a_frame)
{
    file.index.ended = true;
    cr_expect_eq(seek_key_before(clip, 0), 0);
    cr_expect_eq(seek_key_before(clip, GROUP - 1), 0);
    cr_expect_eq(seek_key_before(clip, GROUP), GROUP);
    cr_expect_eq(seek_key_before(clip, GROUP + 1), GROUP);
    cr_expect_eq(seek_key_before(clip, COUNT), 0, "there is no such frame");
    file.position_lost = true;
    cr_expect_eq(seek_key_before(clip, GROUP), 0);
}

Test(video_seek, the_end_is_known_if_all_packets_are)
{
    cr_expect_not(seek_is_beyond(clip, COUNT), "there may be more");
    file.index.ended = true;
    cr_expect(seek_is_beyond(clip, COUNT));
    cr_expect_not(seek_is_beyond(clip, COUNT - 1));
    file.position_lost = true;
    cr_expect_not(seek_is_beyond(clip, COUNT));
    file.position_lost = false, file.index.broken = true;
    cr_expect_not(seek_is_beyond(clip, COUNT));
}
