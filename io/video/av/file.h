/* A video file: what FFmpeg's libraries have open of it, and the module's functions on it. */
#ifndef SSIMCU_VIDEO_AV_FILE_H
#define SSIMCU_VIDEO_AV_FILE_H

#include "video/av/damage.h"
#include "video/av/index.h"
#include "video/clip_codec.h"

#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>

/* Everything that a checksum or a bitstream can tell. Concealment of errors stays on: without it
 * damaged pictures of H.264 and MPEG-2 are not marked. */
enum { CONTAINER_RECOGNISE = AV_EF_CRCCHECK | AV_EF_BITSTREAM | AV_EF_BUFFER | AV_EF_EXPLODE };

enum { TORN_MOST = 64 /* more pictures than a decoder holds */ };

/* Pictures that may be predicted from a damaged one. */
struct torn {
    bool any;
    int64_t from;                  /* if any: first packet of a damaged picture that others need */
    bool disposable[DAMAGE_TIMES]; /* by packet: no other picture needs it, says its head */
    bool layered;                  /* some HEVC pictures are of a higher layer of time */
    uint32_t count;                /* pictures of HEVC that have not come out */
    struct watched {
        int64_t packet;
        AVFrame *frame; /* its memory; NULL: no part of it is unwritten */
    } watched[TORN_MOST];
};

/* What a transport stream has lost. */
struct lost {
    bool flagged;    /* the packet read last was marked as damaged */
    int64_t step[2]; /* times between the last pictures; 0: unknown */
};

/* The fields of a picture that has two packets. */
struct fields {
    AVCodecParserContext *parser;
    AVCodecContext *parsed;       /* what the parser reads by; NULL: not opened yet */
    enum AVPictureStructure open; /* field whose other one may come next; unknown: none */
    int64_t first;                /* number of the packet of the first field, or of the picture */
};

/* The state of a clip. */
struct video_file {
    AVFormatContext *format;
    AVCodecContext *decoder;
    AVStream *stream;
    uint32_t streams; /* video streams in the file, without cover pictures */
    AVPacket *packet;
    const ssimcu_stop *stop;
    ssimcu_image_options limits;
    struct damage damage;
    bool drained;              /* whether the decoder knows that there are no more packets */
    bool emptied;              /* whether it has no more pictures */
    struct picture *ready;     /* next picture, if open or a seek has decoded it; else NULL */
    enum AVPixelFormat pixels; /* format of the first picture, wherever it lies */
    struct nvdec *nvdec;       /* the decoder's engine; NULL: threads decode */
    pthread_mutex_t lock;      /* guards given_back and lent_count */
    pthread_cond_t given_back;
    uint32_t lent_count; /* pictures that the caller has not given back */
    struct picture_index index;
    uint64_t sent;                       /* packets sent, counted from the file's first */
    uint64_t came_out;                   /* pictures that came out, counted from the file's first */
    int64_t last_pts, last_packet;       /* time and packet of the picture that came out last */
    int64_t key_pts, key_position;       /* packet sought last: its time and its place */
    uint32_t packet_bytes[DAMAGE_TIMES]; /* sizes of the packets sent last, by their numbers */
    int64_t first_pts;                   /* time of the first picture */
    uint64_t sought;      /* picture that decoding began with, by a seek; 0: the file's first */
    int reordered;        /* pictures that the decoder kept back before that seek; else 0 */
    int64_t first_packet; /* packet of the picture that came out first since then */
    uint64_t ahead;       /* packets that frame threads take before a picture comes out */
    bool doubtful;        /* frame threads have met damage */
    bool one_thread;      /* one thread decodes, because of that */
    struct torn torn;
    struct lost lost;
    struct fields fields;
    char opening[DAMAGE_TEXT]; /* what was said while it was opened, of whatever picture */
    bool cut;                  /* packets may lack at the end: the file is shorter than it
                                  says, or its index was not all read */
    bool timeless;             /* packets have no times of their own */
    const char *beside;        /* what the first packet has beside the picture; or NULL */
    int fd;                    /* file in a worker; -1: opened by name, frames are not shared */
    struct shared *shared;     /* memory for frames in a worker; else NULL */
    bool astray;               /* a seek has missed: the file must begin anew */
};

/* A decoded picture, lent to the reader of the clip. */
struct picture {
    struct video_file *file;
    AVFrame *frame;
    ssimcu_clip_format format; /* the clip's, or one of another size */
    AVBufferRef *copy;         /* copy of its samples in shared memory; NULL: none */
    ssimcu_clip_coded coded;
    ssimcu_status status; /* not OK: why the picture cannot be compared */
    ssimcu_message why;
};

/* Opens the file, the video stream that is wanted and a decoder, and decodes the first picture.
 * Errors: FILE, DATA, UNSUPPORTED, LIMIT, MEMORY. */
ssimcu_status file_open(ssimcu_clip *clip, const char *path, ssimcu_message *message);
void file_close(ssimcu_clip *clip);

/* Returns the next picture in *picture; NULL at the end and if `stop` says so. Errors: MEMORY;
 * DATA. After DATA the clip cannot go on. The decoder or the container failed, or a damaged picture
 * did not come out, which leaves the pictures after it without numbers. */
ssimcu_status file_next(ssimcu_clip *clip, struct picture **picture, ssimcu_message *message);

/* ---- error.c --------------------------------------------------------------------------------- */

/* Fails with the status and the text of an FFmpeg error, and with what the decoder has said. If the
 * file holds more than its decoder decodes, says that instead. */
ssimcu_status error_fail(const ssimcu_clip *clip, int error, ssimcu_message *message);

/* ---- picture.c ------------------------------------------------------------------------------- */

/* Returns the next picture that the decoder puts out, even if one is ready. Otherwise like
 * file_next. DATA with file->doubtful: one thread must decode all since the last seek again. */
ssimcu_status picture_decode(ssimcu_clip *clip, struct picture **picture, ssimcu_message *message);

void picture_free(struct picture *picture); /* any thread may call it */

/* ---- container.c ----------------------------------------------------------------------------- */

/* Opens the container, also for a second time beside the first: `for_index`, if packets are all
 * that is wanted. Messages go to `damage`. Returns an error of FFmpeg's; the caller closes *format
 * in any case. */
int container_open(struct video_file *file, const char *path, bool for_index, struct damage *damage,
                   AVFormatContext **format);

/* Closes what container_open has opened. */
void container_close(AVFormatContext **format);

/* Has `reads` called whenever a worker's file is read from. */
void container_tell(void (*reads)(void));

/* Whether packets have times of their own. Those of a stream without a container are FFmpeg's
 * guess, and so is its rate. */
bool container_has_times(const AVFormatContext *format);

/* Makes reads return the packets of this stream alone. */
void container_choose_stream(AVFormatContext *format, int stream);

/* ---- streams.c ------------------------------------------------------------------------------- */

/* Takes video stream clip->stream, counted from 0 without cover pictures and thumbnails, and finds
 * the decoder of the CPU. Errors: DATA (there is no such stream), UNSUPPORTED (nothing decodes it).
 */
ssimcu_status stream_choose(ssimcu_clip *clip, const AVCodec **codec, ssimcu_message *message);

/* ---- cut.c ----------------------------------------------------------------------------------- */

/* Whether the file of an open container is shorter than it says, as far as it says. */
bool cut_is(const AVFormatContext *format);

/* ---- decoder.c ------------------------------------------------------------------------------- */

/* Both return an error of FFmpeg's. */
int decoder_open(struct video_file *file, const AVCodec *codec);
int decoder_reopen(struct video_file *file);

/* Returns what clip->held shall be. */
uint64_t decoder_held(const ssimcu_clip *clip);

/* ---- nvdec.c ---------------------------------------------------------------------------------
 *
 * NVDEC, the video engines of an NVIDIA GPU, behind FFmpeg's decoders: pictures stay in device
 * memory. The driver is opened at run time, so neither the build nor the module needs CUDA. */

/* Most pictures of a file that are lent at a time. The engines have 32 pictures at most, and some
 * of them serve to predict others. */
enum { NVDEC_MOST_LENT = 8 };

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

/* ---- beside.c -------------------------------------------------------------------------------- */

/* Returns the size of the length before each NAL unit, in bytes; 0 if start codes separate them. */
size_t nal_length_bytes(const AVCodecParameters *codec);

/* Returns the first NAL unit at or behind *at, and moves *at to its end. NULL if there is none. */
const uint8_t *nal_next(const AVPacket *packet, size_t length_bytes, size_t *at);

/* Returns what the packet holds that FFmpeg's decoder silently drops, with advice; NULL: nothing.
 * These are the alpha of VP8 and VP9 and the upper layers of HEVC. */
const char *beside_picture(const AVStream *stream, const AVPacket *packet);

/* ---- seek.c: the codec's functions ----------------------------------------------------------- */

bool seek_skip(ssimcu_clip *clip, uint64_t frame);

/* Makes a key picture of the index come out next. */
bool seek_key(struct video_file *file, uint64_t key);

uint64_t seek_key_distance(ssimcu_clip *clip);
uint64_t seek_key_before(ssimcu_clip *clip, uint64_t frame);
bool seek_is_beyond(ssimcu_clip *clip, uint64_t frame);

/* ---- unwritten.c ----------------------------------------------------------------------------- */

/* Whether pictures of the codec are marked: its decoder does not say what it leaves out. */
static inline bool unwritten_knows(enum AVCodecID codec)
{
    return codec == AV_CODEC_ID_HEVC || codec == AV_CODEC_ID_TIFF;
}

/* Marks the memory of a new picture, if the decoder's codec needs it. */
void unwritten_mark(const AVCodecContext *decoder, const AVFrame *frame);

/* Whether the decoder has left a part of the picture unwritten. */
bool unwritten_is(const AVCodecContext *decoder, const AVFrame *frame);

/* ---- key.c ----------------------------------------------------------------------------------- */

/* Whether a decoded picture is a key frame. */
bool picture_is_key(const struct video_file *file, const AVFrame *frame);

/* ---- torn.c ---------------------------------------------------------------------------------- */

/* Notes what the packet that is sent next says of its picture; `second`: of its second half. */
void torn_send(struct video_file *file, const AVPacket *packet, int64_t number, bool second);

/* Keeps an eye on a new picture until it comes out. Returns an error of FFmpeg's. Any thread may
 * call it. */
int torn_watch(struct video_file *file, const AVCodecContext *decoder, const AVFrame *frame);

/* Whether the picture that comes out may be predicted from a damaged one. `damaged`: it is damaged
 * itself. */
bool torn_is(struct video_file *file, const AVFrame *frame, bool damaged);

/* Forgets everything, because what is in the decoder will not come out. */
void torn_forget(struct video_file *file);

/* ---- beside.c: fields -------------------------------------------------------------------------
 */

/* Opens a parser of whole packets. False if memory runs out; the caller closes both. */
bool fields_open_parser(const AVCodecParameters *codec, AVCodecParserContext **parser,
                        AVCodecContext **parsed);

/* Returns the number of the picture of the packet that is sent next: that of its own packet, or, if
 * it is a second field, of the packet before. */
int64_t fields_number(struct video_file *file, const AVPacket *packet);

/* Forgets what was sent. */
void fields_forget(struct video_file *file);

/* ---- lost.c ---------------------------------------------------------------------------------- */

/* Whether a part of the packet that was read last is missing or wrong, says the container. */
bool lost_part(struct video_file *file, const AVPacket *packet);

/* Whether a picture may be missing before the one that comes out. */
bool lost_picture(const struct video_file *file, const AVFrame *frame);

/* Notes the time of a picture that has come out. */
void lost_come_out(struct video_file *file, const AVFrame *frame);

/* Forgets everything, because the container is somewhere else. */
void lost_forget(struct video_file *file);

/* ---- shape.c --------------------------------------------------------------------------------- */

/* Fills in the clip's format from the stream and its first picture. Errors: UNSUPPORTED (such
 * pixels cannot be compared). */
ssimcu_status shape_read(ssimcu_clip *clip, const AVFrame *frame, ssimcu_message *message);

/* Checks that a picture has the clip's shape, or, if that takes any size, one that can be scaled.
 * Fills in its format. Errors: MISMATCH. */
ssimcu_status shape_check(const ssimcu_clip *clip, const AVFrame *frame, ssimcu_clip_format *format,
                          ssimcu_message *message);

/* ---- pixels.c -------------------------------------------------------------------------------- */

/* Fills in size, planes and depth of frames with such pixels. False if they cannot be compared. */
bool pixels_format(enum AVPixelFormat name, uint32_t width, uint32_t height,
                   ssimcu_clip_format *format);

/* Names the nearest format that can be compared, as ffmpeg does; "": none. */
enum { PIXELS_NAME = 20 };
void pixels_near(enum AVPixelFormat name, char near[PIXELS_NAME]);

/* Shows the planes of a frame in device memory. */
void pixels_view(const ssimcu_clip *clip, const AVFrame *frame,
                 ssimcu_view plane[SSIMCU_MAX_PLANES]);

/* Copies the samples of a frame of this format to `data`, in a clip's order. Errors: UNSUPPORTED
 * (the frame is not opaque). */
ssimcu_status pixels_read(const ssimcu_clip *clip, const ssimcu_clip_format *format,
                          const AVFrame *frame, void *data, ssimcu_message *message);

#endif
