/* A video file opened with FFmpeg's libraries, and the module's functions on it. */
#pragma once

#include "video/av/damage.h"
#include "video/av/index.h"
#include "video/clip_codec.h"

#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>

/* All errors that checksums and bitstreams reveal. Error concealment stays on: without it damaged
 * pictures of H.264 and MPEG-2 are not marked. */
enum { CONTAINER_RECOGNISE = AV_EF_CRCCHECK | AV_EF_BITSTREAM | AV_EF_BUFFER | AV_EF_EXPLODE };

enum { TORN_MOST = 64 /* more pictures than a decoder holds */ };

/* Pictures that may be predicted from a damaged one. */
struct torn {
    bool any;
    int64_t from;                  /* if any: first packet of a damaged reference picture */
    bool disposable[DAMAGE_TIMES]; /* by packet: its header says that no other picture needs it */
    bool layered;                  /* some HEVC pictures are of a higher temporal layer */
    uint32_t count;                /* HEVC pictures that have not come out */
    struct watched {
        int64_t packet;
        AVFrame *frame; /* its memory; NULL: fully written */
    } watched[TORN_MOST];
};

/* State for detecting losses of a transport stream. */
struct lost {
    bool flagged;    /* the last packet read was marked as damaged */
    int64_t step[2]; /* time between the last pictures; 0: unknown */
};

/* State for pictures whose fields are in two packets. */
struct fields {
    AVCodecParserContext *parser;
    AVCodecContext *parsed;       /* context of the parser; NULL: not opened yet */
    enum AVPictureStructure open; /* field whose counterpart may come next; unknown: none */
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
    bool drained;              /* the decoder has been told that no packets follow */
    bool emptied;              /* the decoder has no more pictures */
    struct picture *ready;     /* next picture if opening or a seek has decoded it, else NULL */
    enum AVPixelFormat pixels; /* format of the first picture, wherever it lies */
    struct nvdec *nvdec;       /* the decoder's engine; NULL: threads decode */
    pthread_mutex_t lock;      /* protects given_back and borrowed_count */
    pthread_cond_t given_back;
    uint32_t borrowed_count; /* pictures that the caller has not returned */
    struct picture_index index;
    uint64_t sent;                       /* packets sent since the start of the file */
    uint64_t came_out;                   /* pictures that came out since the start of the file */
    int64_t last_pts, last_packet;       /* time and packet of the last picture that came out */
    int64_t key_pts, key_position;       /* time and place of the last packet sought */
    uint32_t packet_bytes[DAMAGE_TIMES]; /* sizes of the last packets sent, by number */
    int64_t first_pts;                   /* time of the first picture */
    uint64_t sought;      /* picture at which decoding began after a seek; 0: start of the file */
    int reordered;        /* pictures that the decoder delayed before that seek, else 0 */
    int64_t first_packet; /* packet of the first picture that came out since then */
    uint64_t ahead;       /* packets that frame threads take before a picture comes out */
    bool doubtful;        /* frame threads have met damage */
    bool one_thread;      /* one thread decodes because of that */
    struct torn torn;
    struct lost lost;
    struct fields fields;
    char opening[DAMAGE_TEXT]; /* message while opening, about any picture */
    bool cut;                  /* packets may be missing at the end: the file is shorter than it
                                  claims, or its index was not fully read */
    bool read_whole;           /* opening has read the file to its end */
    struct {
        AVPacket *packet;
        int error;
        bool any;
    } next;                /* the packet after the one sent, or the error instead of it */
    bool timeless;         /* packets have no times */
    const char *beside;    /* data in the first packet besides the picture; may be NULL */
    int fd;                /* file in a worker; -1: opened by name, and frames are not shared */
    struct shared *shared; /* memory for frames in a worker; else NULL */
    bool position_lost;    /* a seek has missed: decoding must restart from the beginning */
};

/* A decoded picture that the reader of the clip borrows. */
struct picture {
    struct video_file *file;
    AVFrame *frame;
    ssimcu_clip_format format; /* the clip's format, or one of another size */
    AVBufferRef *copy;         /* copy of its samples in shared memory; may be NULL */
    ssimcu_clip_coded coded;
    ssimcu_status status; /* not OK: why the picture cannot be compared */
    ssimcu_message why;
};

/* Opens the file, the selected video stream and a decoder, and decodes the first picture. Errors:
 * FILE, DATA, UNSUPPORTED, LIMIT, MEMORY. */
ssimcu_status file_open(ssimcu_clip *clip, const char *path, ssimcu_message *message);
void file_close(ssimcu_clip *clip);

/* Sets *picture to the next picture; NULL at the end and if `stop` asks for it. Errors: MEMORY,
 * DATA. After DATA the clip is at its end. The decoder or the container failed, or a damaged
 * picture did not come out, so that later pictures have no numbers. */
ssimcu_status file_next(ssimcu_clip *clip, struct picture **picture, ssimcu_message *message);

/* ---- error.c --------------------------------------------------------------------------------- */

/* Fails with the status and the text of an FFmpeg error and the decoder's message. If the decoder
 * ignores part of the file, reports that instead. */
ssimcu_status error_fail(const ssimcu_clip *clip, int error, ssimcu_message *message);

/* ---- picture.c ------------------------------------------------------------------------------- */

/* Decodes the next picture, even if one is ready. Otherwise like file_next. After DATA with
 * file->doubtful, one thread must decode everything since the last seek again. */
ssimcu_status picture_decode(ssimcu_clip *clip, struct picture **picture, ssimcu_message *message);

void picture_free(struct picture *picture); /* any thread may call it */

/* ---- container.c ----------------------------------------------------------------------------- */

/* Opens the container. It may be opened a second time `for_index`, which needs packets only.
 * Messages go to `damage`. Returns an FFmpeg error. The caller closes *format in any case. */
int container_open(struct video_file *file, const char *path, bool for_index, struct damage *damage,
                   AVFormatContext **format);

/* Closes what container_open has opened. */
void container_close(AVFormatContext **format);

/* Sets a function to call whenever a worker's file is read. */
void container_tell(void (*reads)(void));

/* Returns whether packets have times. For a stream without a container, FFmpeg guesses the times
 * and the rate. */
bool container_has_times(const AVFormatContext *format);

/* Makes reads return the packets of this stream only. */
void container_choose_stream(AVFormatContext *format, int stream);

/* ---- streams.c ------------------------------------------------------------------------------- */

/* Selects video stream clip->stream, counted from 0 without cover pictures and thumbnails, and
 * finds its CPU decoder. Errors: DATA (no such stream), UNSUPPORTED (no decoder).
 */
ssimcu_status stream_choose(ssimcu_clip *clip, const AVCodec **codec, ssimcu_message *message);

/* ---- cut.c ----------------------------------------------------------------------------------- */

/* Returns whether the file of an open container is shorter than it claims. Returns false if it does
 * not state its length. */
bool cut_is(const AVFormatContext *format);

/* ---- decoder.c ------------------------------------------------------------------------------- */

/* Both return an FFmpeg error. */
int decoder_open(struct video_file *file, const AVCodec *codec);
int decoder_reopen(struct video_file *file);

/* Returns the value for clip->held. */
uint64_t decoder_held(const ssimcu_clip *clip);

/* ---- nvdec.c ---------------------------------------------------------------------------------
 *
 * NVDEC, the video engines of an NVIDIA GPU, through FFmpeg's decoders. Pictures stay in device
 * memory. The driver is opened at run time, so neither the build nor the module needs CUDA. */

/* Maximum number of a file's pictures borrowed at a time. The engines have 32 pictures at most, and
 * need some of them as references. */
enum { NVDEC_MOST_BORROWED = 8 };

/* Makes a stream on CUDA device `gpu`, in the context that the CUDA runtime uses. Errors: DEVICE,
 * MEMORY. */
ssimcu_status nvdec_open(uint32_t gpu, struct nvdec **nvdec, ssimcu_message *message);
void nvdec_close(struct nvdec **nvdec);

/* Returns FFmpeg's decoder that can use NVDEC for this codec. Returns NULL if there is none, or if
 * its pictures may differ from those of a CPU decoder. */
const AVCodec *nvdec_codec(enum AVCodecID id);

/* Makes a decoder use NVDEC or fail. Call it before opening the decoder. Returns an FFmpeg
 * error. */
int nvdec_use(const struct nvdec *nvdec, AVCodecContext *decoder);

/* Returns whether the picture lies in device memory. nvdec_pixels returns the pixel format of a
 * picture in either memory. */
bool nvdec_has(const AVFrame *frame);
enum AVPixelFormat nvdec_pixels(const AVFrame *frame);

/* Crops the left and top sides, which FFmpeg leaves to the caller. */
void nvdec_crop(AVFrame *frame);

/* Waits until the pictures that have come out are in memory. Errors: DEVICE. */
ssimcu_status nvdec_wait(const struct nvdec *nvdec, ssimcu_message *message);

/* ---- beside.c -------------------------------------------------------------------------------- */

/* Returns the bytes of the length field before each NAL unit; 0 if start codes separate them. */
size_t nal_length_bytes(const AVCodecParameters *codec);

/* Returns the first NAL unit at or after *at, and moves *at to its end. Returns NULL if there is
 * none. */
const uint8_t *nal_next(const AVPacket *packet, size_t length_bytes, size_t *at);

/* Names the data in the packet that FFmpeg's decoder silently drops, with advice; NULL: nothing.
 * This is the alpha of VP8 and VP9, and the upper layers of HEVC. */
const char *beside_picture(const AVStream *stream, const AVPacket *packet);

/* ---- seek.c: the codec's functions ----------------------------------------------------------- */

bool seek_skip(ssimcu_clip *clip, uint64_t frame);

/* Makes this key picture of the index come out next. */
bool seek_key(struct video_file *file, uint64_t key);

uint64_t seek_key_distance(ssimcu_clip *clip);
uint64_t seek_key_before(ssimcu_clip *clip, uint64_t frame);
bool seek_is_beyond(ssimcu_clip *clip, uint64_t frame);

/* ---- unwritten.c ----------------------------------------------------------------------------- */

/* Returns whether pictures of this codec are marked, because its decoder does not report
 * omissions. */
static inline bool unwritten_knows(enum AVCodecID codec)
{
    return codec == AV_CODEC_ID_HEVC || codec == AV_CODEC_ID_TIFF;
}

/* Marks the memory of a new picture if the codec needs it. */
void unwritten_mark(const AVCodecContext *decoder, const AVFrame *frame);

/* Returns whether the decoder has left part of the picture unwritten. */
bool unwritten_is(const AVCodecContext *decoder, const AVFrame *frame);

/* ---- key.c ----------------------------------------------------------------------------------- */

/* Returns whether a decoded picture is a key frame. */
bool picture_is_key(const struct video_file *file, const AVFrame *frame);

/* ---- torn.c ---------------------------------------------------------------------------------- */

/* Records what the next packet reveals about its picture; `second`: about its second half. */
void torn_send(struct video_file *file, const AVPacket *packet, int64_t number, bool second);

/* Tracks a new picture until it comes out. Returns an FFmpeg error. Any thread may call it. */
int torn_watch(struct video_file *file, const AVCodecContext *decoder, const AVFrame *frame);

/* Returns whether the picture that comes out may be predicted from a damaged one. `damaged` means
 * that the picture itself is damaged. */
bool torn_is(struct video_file *file, const AVFrame *frame, bool damaged);

/* Resets, because the pictures in the decoder will not come out. */
void torn_forget(struct video_file *file);

/* ---- beside.c: fields -------------------------------------------------------------------------
 */

/* Opens a parser of complete packets. Returns false if memory runs out. The caller closes both. */
bool fields_open_parser(const AVCodecParameters *codec, AVCodecParserContext **parser,
                        AVCodecContext **parsed);

/* Returns the number of the next packet's picture. For a second field it is the number of the
 * packet before, otherwise of the packet itself. */
int64_t fields_number(struct video_file *file, const AVPacket *packet);

/* Resets. */
void fields_forget(struct video_file *file);

/* ---- lost.c ---------------------------------------------------------------------------------- */

/* Returns whether the container reports that part of the last packet read is missing or damaged. */
bool lost_part(struct video_file *file, const AVPacket *packet);

/* Returns whether a picture may be missing before the one that comes out. */
bool lost_picture(const struct video_file *file, const AVFrame *frame);

/* Records the time of a picture that has come out. */
void lost_come_out(struct video_file *file, const AVFrame *frame);

/* Resets after a seek in the container. */
void lost_forget(struct video_file *file);

/* ---- shape.c --------------------------------------------------------------------------------- */

/* Fills in the clip's format from the stream and its first picture. Errors: UNSUPPORTED (these
 * pixels cannot be compared). */
ssimcu_status shape_read(ssimcu_clip *clip, const AVFrame *frame, ssimcu_message *message);

/* Checks that a picture has the clip's shape, or a shape that can be scaled if the clip allows any
 * size. Fills in its format. Errors: MISMATCH. */
ssimcu_status shape_check(const ssimcu_clip *clip, const AVFrame *frame, ssimcu_clip_format *format,
                          ssimcu_message *message);

/* ---- pixels.c -------------------------------------------------------------------------------- */

/* Fills in size, planes and depth of frames with these pixels. Returns false if they cannot be
 * compared. */
bool pixels_format(enum AVPixelFormat name, uint32_t width, uint32_t height,
                   ssimcu_clip_format *format);

/* Writes ffmpeg's name of the nearest format that can be compared; "": none. */
enum { PIXELS_NAME = 20 };
void pixels_near(enum AVPixelFormat name, char near[PIXELS_NAME]);

/* Shows the planes of a frame in device memory. */
void pixels_view(const ssimcu_clip *clip, const AVFrame *frame,
                 ssimcu_view plane[SSIMCU_MAX_PLANES]);

/* Copies the samples of a frame of this format to `data` in a clip's order. Errors: UNSUPPORTED
 * (the frame is not opaque). */
ssimcu_status pixels_read(const ssimcu_clip *clip, const ssimcu_clip_format *format,
                          const AVFrame *frame, void *data, ssimcu_message *message);
