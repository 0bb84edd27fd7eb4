/* The pictures of a clip: which come out, and which of them can be compared. What FFmpeg's
 * libraries would read and decode, these functions give instead. */
#define _POSIX_C_SOURCE 200809L /* nanosleep */
#include "check.h"
#include "video/av/file.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

enum { MOST = 16, WIDTH = 6, HEIGHT = 5 };

/* A packet, and the picture that becomes of it. */
struct sent {
    int64_t pts;
    int flags;
    int stream;              /* 0: the video's */
    const char *beside;      /* what it holds beside the picture */
    const char *said;        /* what the decoder says of it */
    bool complains;          /* the decoder complains; a thread may do so long before its turn */
    bool gap;                /* the decoder lacks a picture before it */
    int more;                /* how many pictures come out beside the first; -1: not even that */
    int errors;              /* FFmpeg's marks of concealed damage */
    bool corrupt, unwritten; /* marked as damaged; a part is not written */
    bool torn, lost;         /* it may need a damaged one; one may be missing before it */
    bool numberless;         /* the decoder does not pass on the packet's number */
    bool is_key, is_i;       /* what the picture says of itself */
};

static struct sent sent[MOST];
static int count = 8, at;            /* packets, and packets read */
static int delay;                    /* pictures that the decoder keeps back */
static int read_error = AVERROR_EOF; /* error behind the last packet */
static bool at_end;                  /* the file's last byte has been read */
static bool bottom_up, no_memory, stuck;
static const uint8_t *own;              /* samples of the last picture as they were decoded */
static int cropped, frames;             /* pictures cropped, and AVFrames that there are */
static int64_t queue[MOST + 1], queued; /* packets whose pictures have not come out */
static int64_t number[MOST];            /* what the decoder got as a packet's number */
static const struct sent *up;           /* packet of the last picture */
static unsigned damaged;                /* pictures that are damaged themselves, a bit each */
static ssimcu_clip *clip;
static ssimcu_stop stop;
static struct video_file file = {.stop = &stop,
                                 .pixels = AV_PIX_FMT_NONE,
                                 .lock = PTHREAD_MUTEX_INITIALIZER,
                                 .given_back = PTHREAD_COND_INITIALIZER};

/* ---- What stands for FFmpeg's libraries ------------------------------------------------------ */

int __wrap_av_read_frame(AVFormatContext *format, AVPacket *packet);
int __wrap_av_read_frame(AVFormatContext *format, AVPacket *packet)
{
    (void)format;
    cr_expect_eq(packet->pos, -1, "the last one is given back");
    if (at == count) return read_error;
    packet->pts = sent[at].pts;
    packet->pos = 1000 + at;
    packet->flags = sent[at].flags;
    packet->stream_index = sent[at].stream;
    at++;
    return 0;
}

int __wrap_avcodec_send_packet(AVCodecContext *decoder, const AVPacket *packet);
int __wrap_avcodec_send_packet(AVCodecContext *decoder, const AVPacket *packet)
{
    if (!packet) return 0;
    const int64_t index = packet->pos - 1000;
    number[index] = number_of_current(decoder);
    if (sent[index].said) damage_note(&file.damage, number[index], sent[index].said);
    if (sent[index].complains) atomic_store(&file.damage.complained, true);
    if (sent[index].gap) atomic_store(&file.damage.gap, number[index]);
    for (int i = 0; i <= sent[index].more; i++) queue[queued++] = index;
    return 0;
}

int __wrap_avcodec_receive_frame(AVCodecContext *decoder, AVFrame *frame);
int __wrap_avcodec_receive_frame(AVCodecContext *decoder, AVFrame *frame)
{
    cr_expect(decoder == file.decoder);
    if (queued <= delay && (!file.drained || stuck)) return AVERROR(EAGAIN);
    if (queued == 0) return AVERROR_EOF;
    up = &sent[queue[0]];
    frame->width = WIDTH, frame->height = HEIGHT, frame->format = AV_PIX_FMT_GRAY8;
    cr_assert_eq(av_frame_get_buffer(frame, 0), 0);
    if (bottom_up) frame->data[0] += (HEIGHT - 1) * frame->linesize[0], frame->linesize[0] *= -1;
    for (int y = 0; y < HEIGHT; y++) memset(frame->data[0] + y * frame->linesize[0], y + 1, WIDTH);
    frame->pts = up->pts;
    number_set_picture(frame, up->numberless ? NUMBER_UNKNOWN : number[queue[0]]);
    frame->decode_error_flags = up->errors;
    if (up->corrupt) frame->flags |= AV_FRAME_FLAG_CORRUPT;
    frame->pict_type = up->is_i ? AV_PICTURE_TYPE_I : AV_PICTURE_TYPE_P;
#if LIBAVUTIL_VERSION_INT >= AV_VERSION_INT(58, 7, 100)
    if (up->is_key) frame->flags |= AV_FRAME_FLAG_KEY;
#else
    frame->key_frame = up->is_key;
#endif
    own = frame->data[0];
    memmove(queue, queue + 1, (size_t)--queued * sizeof queue[0]);
    return 0;
}

AVFrame *__real_av_frame_alloc(void);
AVFrame *__wrap_av_frame_alloc(void);
AVFrame *__wrap_av_frame_alloc(void)
{
    AVFrame *const made = __real_av_frame_alloc();
    if (++frames == 2 && no_memory) av_max_alloc(1); /* none for the samples of a copy */
    return made;
}

void __real_av_frame_free(AVFrame **frame);
void __wrap_av_frame_free(AVFrame **frame);
void __wrap_av_frame_free(AVFrame **frame) { frames--, __real_av_frame_free(frame); }

int __wrap_avio_feof(AVIOContext *context);
int __wrap_avio_feof(AVIOContext *context)
{
    (void)context;
    return at_end && at == count;
}

/* ---- What stands for the module's other parts ------------------------------------------------ */

const char *beside_picture(const AVStream *stream, const AVPacket *packet)
{
    cr_expect(stream == file.stream);
    return sent[packet->pos - 1000].beside;
}

ssimcu_status error_fail(const ssimcu_clip *of, int error, ssimcu_message *message)
{
    (void)of;
    return ssimcu_fail(message,
                       error == AVERROR(ENOMEM) ? SSIMCU_ERROR_MEMORY : SSIMCU_ERROR_UNSUPPORTED,
                       "an error of FFmpeg's");
}

bool unwritten_is(const AVCodecContext *decoder, const AVFrame *frame)
{
    (void)decoder, (void)frame;
    return up->unwritten;
}

void torn_send(struct video_file *of, const AVPacket *packet, int64_t number, bool second)
{
    (void)of, (void)packet, (void)number, (void)second;
}
int64_t fields_number(struct video_file *of, const AVPacket *packet)
{
    (void)packet;
    return of->damage.packet;
}

bool torn_is(struct video_file *of, const AVFrame *frame, bool is)
{
    if (is) damaged |= 1u << of->came_out;
    cr_expect_eq(frame->pts, up->pts);
    return up->torn;
}

bool lost_part(struct video_file *of, const AVPacket *packet)
{
    (void)of;
    return packet->flags & AV_PKT_FLAG_CORRUPT;
}

bool lost_picture(const struct video_file *of, const AVFrame *frame)
{
    (void)of, (void)frame;
    return up->lost;
}

void lost_come_out(struct video_file *of, const AVFrame *frame)
{
    cr_expect(of == &file && frame->pts == up->pts);
}

ssimcu_status shape_check(const ssimcu_clip *of, const AVFrame *frame, ssimcu_clip_format *format,
                          ssimcu_message *message)
{
    (void)of, (void)frame, (void)format;
    return ssimcu_fail(message, SSIMCU_ERROR_MISMATCH, "another shape");
}

void nvdec_crop(AVFrame *frame) { cropped += frame->width == WIDTH; }

/* ---- Files ----------------------------------------------------------------------------------- */

static void start(void)
{
    clip = calloc(1, sizeof *clip + sizeof "clip"); /* its name is behind it */
    memcpy(clip->name, "clip", sizeof "clip");
    clip->state = &file;
    file.format = avformat_alloc_context();
    file.stream = avformat_new_stream(file.format, NULL);
    file.decoder = avcodec_alloc_context3(NULL);
    file.decoder->codec_id = AV_CODEC_ID_H264;
    file.packet = av_packet_alloc();
    file.next.packet = av_packet_alloc();
    damage_start(&file.damage);
    numbers_start(file.decoder, &file.damage);
    for (int i = 0; i < MOST; i++) sent[i] = (struct sent){.pts = 10 * i};
}

static void end(void)
{
    avcodec_free_context(&file.decoder);
    avformat_free_context(file.format);
    av_packet_free(&file.packet);
    av_packet_free(&file.next.packet);
    damage_end(&file.damage);
    free(clip);
}

TestSuite(video_picture, .init = start, .fini = end, .timeout = 20);

/* Decodes a picture and expects its time. */
static struct picture *decode(int64_t pts)
{
    struct picture *picture = NULL;
    ssimcu_message message = {{0}};
    cr_assert_eq(picture_decode(clip, &picture, &message), SSIMCU_OK, "%s", message.text);
    cr_assert(picture && picture->frame->pts == pts);
    cr_expect(bottom_up || picture->frame->data[0] == own, "there is no copy");
    return picture;
}

/* Decodes pictures `first` to `last`. Returns a letter for each: '.' if it can be compared, or what
 * its message says. */
static const char *fates(int first, int last)
{
    static const char letters[] = "pebsfutmd";
    static const char *const said[] = {": a packet",
                                       ": the file is truncated here",
                                       "damaged: layer",
                                       ": slice",
                                       "concealed",
                                       "before this one may",
                                       "only in part",
                                       "another shape",
                                       "may be predicted from"};
    static char fates[MOST];
    memset(fates, 0, sizeof fates);
    for (int i = first; i <= last; i++) {
        struct picture *const picture = decode(sent[i].pts);
        fates[i - first] = picture->status == SSIMCU_OK ? '.' : '?';
        for (size_t k = 0; letters[k]; k++)
            if (strstr(picture->why.text, said[k])) fates[i - first] = letters[k];
        picture_free(picture);
    }
    return fates;
}

static void expect_end(void)
{
    struct picture *picture;
    cr_expect_eq(picture_decode(clip, &picture, NULL), SSIMCU_OK);
    cr_expect(!picture && frames == 0 && file.borrowed_count == 0);
}

static void expect_failure(ssimcu_status status, const char *word)
{
    struct picture *picture;
    CHECK_FAILS(picture_decode(clip, &picture, &message), status, word);
    cr_expect(!picture && frames == 0 && file.borrowed_count == 0);
}

/* ---- What comes out -------------------------------------------------------------------------- */

/* Packets of another stream are no pictures, whatever is wrong with them. */
Test(video_picture, one_for_each_packet_of_the_stream)
{
    delay = 2;
    count = 6;
    sent[1].stream = sent[4].stream = 1;
    sent[1].flags = AV_PKT_FLAG_CORRUPT;
    file.key_pts = 30;
    for (int i = 0, out = 0; i < 6; i++) {
        if (sent[i].stream) continue;
        struct picture *const picture = decode(sent[i].pts);
        cr_expect(picture->status == SSIMCU_OK && picture->file == &file);
        cr_expect_eq(file.borrowed_count, 1);
        cr_expect(file.last_pts == 10 * i && file.last_packet == out);
        cr_expect_eq(file.came_out, (uint64_t)++out);
        picture_free(picture);
    }
    cr_expect(file.sent == 4 && file.damage.packet == 4 && file.drained && cropped == 4);
    cr_expect_eq(file.key_position, 1003);
    expect_end();
    cr_expect_eq(file.came_out, 4);
}

Test(video_picture, rows_from_the_bottom_up_are_turned)
{
    bottom_up = true;
    sent[0] = (struct sent){.pts = 77, .is_i = true, .said = "slice"};
    struct picture *const picture = decode(77);
    cr_expect_eq(picture->status, SSIMCU_ERROR_DATA, "the packet's number is kept");
    cr_expect_eq(picture->frame->pict_type, AV_PICTURE_TYPE_I);
    cr_expect(picture->frame->width == WIDTH && picture->frame->height == HEIGHT);
    cr_assert(picture->frame->linesize[0] >= WIDTH);
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++)
            cr_expect_eq(picture->frame->data[0][y * picture->frame->linesize[0] + x], y + 1);
    picture_free(picture);
    cr_expect_eq(frames, 0);
}

Test(video_picture, none_without_memory_to_turn_it)
{
    bottom_up = no_memory = true;
    expect_failure(SSIMCU_ERROR_MEMORY, "FFmpeg");
    cr_expect_eq(file.came_out, 0);
}

Test(video_picture, an_error_of_the_container_is_an_error)
{
    count = 1, read_error = AVERROR_PATCHWELCOME;
    cr_expect_str_eq(fates(0, 0), ".");
    expect_failure(SSIMCU_ERROR_UNSUPPORTED, "FFmpeg");
    cr_expect_not(file.drained);
    stuck = file.drained = true; /* the decoder asks for more than there is */
    expect_failure(SSIMCU_ERROR_UNSUPPORTED, "FFmpeg");
    stuck = file.drained = false;
    read_error = AVERROR_EXIT; /* the caller stops in the middle of reading, or has stopped */
    expect_end();
    read_error = AVERROR_PATCHWELCOME;
    atomic_store(&stop, true);
    expect_end();
}

/* ---- Damage ---------------------------------------------------------------------------------- */

Test(video_picture, damage_fails_its_own_picture)
{
    delay = 1;
    sent[1].beside = "layer";
    sent[2].said = "slice";
    sent[4].corrupt = true;
    sent[5].errors = FF_DECODE_ERROR_MISSING_REFERENCE;
    sent[6].flags = AV_PKT_FLAG_CORRUPT;
    sent[7].unwritten = true;
    cr_expect_str_eq(fates(0, 7), ".bs.ffpt");
    cr_expect_eq(damaged, 0xf6);
    expect_end();
}

/* It is unknown which picture is meant, so others may not need it. */
Test(video_picture, what_was_said_at_the_opening_fails_the_first)
{
    strcpy(file.opening, "slice");
    sent[2].torn = true;
    cr_expect_str_eq(fates(0, 3), "s.d.");
    cr_expect_eq(damaged, 0);
}

Test(video_picture, more_than_a_picture_in_the_first_packet_refuses_the_file)
{
    sent[0].beside = "layer";
    expect_failure(SSIMCU_ERROR_UNSUPPORTED, "FFmpeg");
    cr_expect(file.beside == sent[0].beside && queued == 0);
}

Test(video_picture, a_damaged_one_that_does_not_come_out_ends_the_file)
{
    sent[2] = (struct sent){.pts = 20, .more = -1, .said = "slice"};
    cr_expect_str_eq(fates(0, 1), "..");
    expect_failure(SSIMCU_ERROR_DATA, "clip: damaged, and a picture may be missing: slice");
    cr_expect_eq(file.came_out, 2);
}

Test(video_picture, one_that_comes_out_again_ends_the_file)
{
    sent[0].more = 1;
    cr_expect_str_eq(fates(0, 0), ".");
    expect_failure(SSIMCU_ERROR_DATA, "returned a picture twice");
}

/* Its packet is not guessed, because it may be a damaged one. */
Test(video_picture, one_of_an_unknown_packet_ends_the_file)
{
    static const int places[] = {0, 3, 7};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        end(), start();
        at = 0, queued = 0;
        file.came_out = file.sent = 0, file.drained = false;
        sent[places[i]].numberless = true;
        cr_expect_eq(strspn(fates(0, places[i] - 1), "."), (size_t)places[i]);
        expect_failure(SSIMCU_ERROR_UNSUPPORTED, "which packet");
        cr_expect_eq(file.came_out, (uint64_t)places[i]);
    }
}

/* Two packets may have one time, and one packet may give pictures of two times. */
Test(video_picture, only_the_same_packet_at_the_same_time_is_the_same)
{
    sent[1].pts = sent[0].pts;
    cr_expect_str_eq(fates(0, 1), "..");
    file.last_packet = 2; /* the last picture seems to be of packet 2, too */
    picture_free(decode(20));
}

Test(video_picture, one_that_may_need_a_damaged_one_fails_without_being_damaged)
{
    sent[1].torn = sent[2].torn = sent[4].torn = true;
    sent[2].said = "slice";
    cr_expect_str_eq(fates(0, 5), ".ds.d.");
    cr_expect_eq(damaged, 1u << 2);
}

Test(video_picture, one_that_a_container_has_lost_ends_the_file)
{
    sent[2].lost = true;
    cr_expect_str_eq(fates(0, 1), "..");
    expect_failure(SSIMCU_ERROR_DATA, "a picture may be missing: the times have a gap");
}

static bool is_key(bool key, bool i)
{
    AVFrame frame = {.pict_type = i ? AV_PICTURE_TYPE_I : AV_PICTURE_TYPE_P};
#if LIBAVUTIL_VERSION_INT >= AV_VERSION_INT(58, 7, 100)
    frame.flags = key ? AV_FRAME_FLAG_KEY : 0;
#else
    frame.key_frame = key;
#endif
    return picture_is_key(&file, &frame);
}

Test(video_picture, a_key_frame_is_marked_and_has_no_prediction)
{
    cr_expect(is_key(true, true) && !is_key(true, false) && !is_key(false, true));
    file.decoder->codec_id = AV_CODEC_ID_PRORES; /* each of its pictures is a key frame */
    cr_expect(is_key(false, false));
}

/* A decoder that keeps two pictures back gives them at the end, and may lack an earlier one. The
 * last packet may not be whole. */
Test(video_picture, the_last_of_a_cut_file_are_unsure)
{
    file.cut = at_end = true;
    delay = file.decoder->has_b_frames = 2;
    count = 6;
    cr_expect_str_eq(fates(0, 5), "....ue");
    expect_failure(SSIMCU_ERROR_DATA, "is truncated");
}

/* Opening may read a short file to its end. Then its place does not reveal the last packet. */
Test(video_picture, the_last_of_a_cut_file_that_was_read_when_it_was_opened)
{
    file.cut = file.read_whole = true;
    count = 6;
    sent[2].stream = sent[5].stream = 1;
    cr_expect_str_eq(fates(0, 1), "..");
    for (int i = 3; i < 5; i++) {
        struct picture *const picture = decode(sent[i].pts);
        cr_expect_eq(picture->status == SSIMCU_OK, i < 4, "%d", i);
        picture_free(picture);
    }
    expect_failure(SSIMCU_ERROR_DATA, "is truncated");
}

Test(video_picture, an_error_behind_the_last_packet_of_a_cut_file)
{
    file.cut = file.read_whole = true;
    count = 1, read_error = AVERROR_PATCHWELCOME;
    cr_expect_str_eq(fates(0, 0), ".");
    expect_failure(SSIMCU_ERROR_UNSUPPORTED, "FFmpeg");
    cr_expect_not(file.drained);
}

/* The first picture tells the shape; each later one must have it. */
Test(video_picture, another_shape_cannot_be_compared)
{
    cr_expect_str_eq(fates(0, 0), ".");
    file.pixels = AV_PIX_FMT_GRAY8;
    cr_expect_str_eq(fates(1, 2), "mm");
}

/* ---- Frame threads --------------------------------------------------------------------------- */

/* Nothing comes out, and no picture is counted. */
static void expect_doubt(uint64_t came_out)
{
    struct picture *picture;
    cr_expect_eq(picture_decode(clip, &picture, NULL), SSIMCU_ERROR_DATA);
    cr_expect(file.doubtful && !picture && frames == 0 && file.borrowed_count == 0);
    cr_expect_eq(file.came_out, came_out);
}

Test(video_picture, threads_that_have_met_damage_are_doubtful)
{
    delay = 2, file.decoder->active_thread_type = FF_THREAD_FRAME;
    sent[4].complains = true;
    cr_expect_str_eq(fates(0, 1), "..");
    expect_doubt(2);
    file.decoder->active_thread_type = FF_THREAD_SLICE;
    cr_expect_str_eq(fates(3, 3), ".");
    cr_expect_not(file.doubtful);
    file.decoder->active_thread_type = FF_THREAD_FRAME, file.decoder->codec_id = AV_CODEC_ID_HEVC;
    cr_expect_str_eq(fates(4, 4), ".");
}

Test(video_picture, damage_of_the_last_packet_is_not_lost_at_the_end)
{
    file.decoder->active_thread_type = FF_THREAD_FRAME;
    cr_expect_str_eq(fates(0, 7), "........");
    atomic_store(&file.damage.complained, true);
    expect_doubt(8);
    damage_forget(&file.damage);
    expect_end();
    cr_expect_not(file.doubtful);
}

Test(video_picture, errors_of_threads_are_doubtful_unless_the_caller_stops)
{
    file.decoder->active_thread_type = FF_THREAD_FRAME;
    count = 1, read_error = AVERROR_PATCHWELCOME;
    cr_expect_str_eq(fates(0, 0), ".");
    expect_doubt(1);
    read_error = AVERROR_EXIT;
    expect_end();
    cr_expect_not(file.doubtful);
}

/* A recording may begin anywhere. A seek counts pictures from the file's first. */
Test(video_picture, pictures_may_lack_before_the_first_alone)
{
    delay = 1, file.decoder->active_thread_type = FF_THREAD_FRAME;
    file.sought = file.came_out = 100, file.last_packet = -1;
    sent[0].gap = sent[3].gap = true;
    cr_expect_str_eq(fates(0, 1), "..");
    expect_doubt(102);
}

/* ---- Lending --------------------------------------------------------------------------------- */

static atomic_bool has_come;

static void note_free(void *freed, uint8_t *data) { *(uint8_t **)freed = data; }

Test(video_picture, its_copy_is_given_back_with_it)
{
    uint8_t samples, *freed = NULL;
    struct picture *const picture = decode(0);
    picture->copy = av_buffer_create(&samples, 1, note_free, &freed, 0);
    picture_free(picture);
    cr_expect(freed == &samples);
}

static void *decode_tenth(void *unused)
{
    (void)unused;
    struct picture *const picture = decode(sent[NVDEC_MOST_BORROWED + 1].pts);
    atomic_store(&has_come, true);
    return picture;
}

Test(video_picture, nvdec_waits_until_one_is_given_back)
{
    struct picture *borrowed[NVDEC_MOST_BORROWED];
    pthread_t thread;
    void *tenth;
    count = MOST;
    for (int i = 0; i < NVDEC_MOST_BORROWED; i++) borrowed[i] = decode(10 * i);
    picture_free(decode(10 * NVDEC_MOST_BORROWED)); /* threads lend without a limit */
    file.nvdec = (struct nvdec *)&file;
    cr_assert_eq(pthread_create(&thread, NULL, decode_tenth, NULL), 0);
    nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
    cr_expect_not(atomic_load(&has_come));
    picture_free(borrowed[0]);
    cr_assert_eq(pthread_join(thread, &tenth), 0);
    for (int i = 1; i < NVDEC_MOST_BORROWED; i++) picture_free(borrowed[i]);
    picture_free(tenth);
    picture_free(NULL);
}
