#define _GNU_SOURCE /* memfd_create */
#include "video/av/shared.h"

#include "fail.h"

#include <fcntl.h>
#include <libavutil/imgutils.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    MOST_PIECES = 512, /* more than any decoder and all borrowed pictures use */
    ALIGNMENT = 64,    /* alignment of planes for FFmpeg's widest instructions */
    BEYOND = 16        /* bytes that FFmpeg may read past the end of a plane */
};

/* A block of memory. */
struct piece {
    struct shared *shared;
    uint64_t number;
    int fd;
    uint8_t *data; /* NULL: free slot */
    size_t bytes;
};

/* Blocks of one size. */
struct pool {
    AVBufferPool *pool;
    size_t bytes;
};

struct shared {
    pthread_mutex_t lock; /* protects everything below */
    struct pool decoded, copied;
    uint64_t number;
    struct piece piece[MOST_PIECES];
};

/* ---- Pieces ---------------------------------------------------------------------------------- */

static void free_piece(void *opaque, uint8_t *data)
{
    struct piece *const piece = opaque;
    (void)data;
    pthread_mutex_lock(&piece->shared->lock);
    munmap(piece->data, piece->bytes);
    close(piece->fd);
    piece->data = NULL;
    pthread_mutex_unlock(&piece->shared->lock);
}

static bool map_piece(struct piece *piece, size_t bytes)
{
    piece->fd = memfd_create("ssimcu-picture", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (piece->fd < 0) return false;
    piece->bytes = bytes;
    void *const data =
        ftruncate(piece->fd, (off_t)bytes) == 0 &&
                fcntl(piece->fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0
            ? mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, piece->fd, 0)
            : MAP_FAILED;
    if (data == MAP_FAILED) {
        close(piece->fd);
        return false;
    }
    piece->data = data;
    return true;
}

static AVBufferRef *make_piece(void *opaque, size_t bytes)
{
    struct shared *const shared = opaque;
    struct piece *piece = NULL;
    pthread_mutex_lock(&shared->lock);
    for (size_t i = 0; i < MOST_PIECES && !piece; i++)
        if (!shared->piece[i].data) piece = &shared->piece[i];
    if (piece) piece->number = shared->number++;
    if (piece) piece->shared = shared;
    const bool mapped = piece && map_piece(piece, bytes);
    pthread_mutex_unlock(&shared->lock);
    if (!mapped) return NULL;
    AVBufferRef *const made = av_buffer_create(piece->data, bytes, free_piece, piece, 0);
    if (!made) free_piece(piece, NULL);
    return made;
}

/* Takes a block of the pool, which is rebuilt if its size differs. */
static AVBufferRef *take(struct shared *shared, struct pool *pool, size_t bytes)
{
    pthread_mutex_lock(&shared->lock);
    AVBufferPool *old = NULL;
    if (pool->bytes != bytes) {
        old = pool->pool;
        pool->pool = av_buffer_pool_init2(bytes, shared, make_piece, NULL);
        pool->bytes = pool->pool ? bytes : 0;
    }
    AVBufferPool *const from = pool->pool;
    pthread_mutex_unlock(&shared->lock);
    av_buffer_pool_uninit(&old);
    return from ? av_buffer_pool_get(from) : NULL;
}

struct shared *shared_make(void)
{
    struct shared *const shared = calloc(1, sizeof *shared);
    if (shared) pthread_mutex_init(&shared->lock, NULL);
    return shared;
}

void shared_free(struct shared *shared)
{
    if (!shared) return;
    av_buffer_pool_uninit(&shared->decoded.pool);
    av_buffer_pool_uninit(&shared->copied.pool);
    pthread_mutex_destroy(&shared->lock);
    free(shared);
}

/* ---- Decoders' pictures ---------------------------------------------------------------------- */

/* Lays the planes of a picture out like FFmpeg, but in one block. Returns its bytes or an error. */
static int64_t lay_out(AVCodecContext *decoder, const AVFrame *frame, int linesize[4],
                       size_t offset[4])
{
    int width = frame->width, height = frame->height, align[AV_NUM_DATA_POINTERS];
    ptrdiff_t wide[4];
    size_t size[4];
    bool aligned;
    avcodec_align_dimensions2(decoder, &width, &height, align);
    do {
        const int error = av_image_fill_linesizes(linesize, frame->format, width);
        if (error < 0) return error;
        width += width & ~(width - 1); /* next width that is a multiple of a greater power of two */
        aligned = true;
        for (int i = 0; i < 4; i++) aligned = aligned && linesize[i] % align[i] == 0;
    } while (!aligned);
    for (int i = 0; i < 4; i++) wide[i] = linesize[i];
    const int error = av_image_fill_plane_sizes(size, frame->format, height, wide);
    if (error < 0) return error;
    size_t bytes = 0;
    for (int i = 0; i < 4; i++) {
        offset[i] = size[i] > 0 ? bytes : SIZE_MAX;
        if (size[i] > 0) bytes += (size[i] + BEYOND + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    }
    return (int64_t)bytes;
}

int shared_get_buffer(struct shared *shared, AVCodecContext *decoder, AVFrame *frame, int flags)
{
    int linesize[4];
    size_t offset[4];
    if (!(decoder->codec->capabilities & AV_CODEC_CAP_DR1))
        return avcodec_default_get_buffer2(decoder, frame, flags);
    const int64_t bytes = lay_out(decoder, frame, linesize, offset);
    if (bytes < 0) return (int)bytes;
    frame->buf[0] = take(shared, &shared->decoded, (size_t)bytes);
    if (!frame->buf[0]) return AVERROR(ENOMEM);
    for (int i = 0; i < 4 && offset[i] != SIZE_MAX; i++) {
        frame->data[i] = frame->buf[0]->data + offset[i];
        frame->linesize[i] = linesize[i];
    }
    frame->extended_data = frame->data;
    return 0;
}

/* ---- Lending --------------------------------------------------------------------------------- */

/* Finds the block that holds this address. Returns false for other memory. */
static bool find_piece(struct shared *shared, const uint8_t *at, struct piece *found)
{
    bool is_found = false;
    pthread_mutex_lock(&shared->lock);
    for (size_t i = 0; i < MOST_PIECES && !is_found; i++) {
        *found = shared->piece[i];
        is_found = found->data && at >= found->data && at < found->data + found->bytes;
    }
    pthread_mutex_unlock(&shared->lock);
    return is_found;
}

/* Fills in *lent if all planes lie in one block. */
static bool lend_planes(struct shared *shared, uint32_t planes, uint8_t *const *data,
                        const int *linesize, struct ssimcu_video_borrowed *borrowed)
{
    struct piece piece;
    if (!find_piece(shared, data[0], &piece)) return false;
    for (uint32_t p = 0; p < planes; p++) {
        if (data[p] < piece.data || data[p] >= piece.data + piece.bytes || linesize[p] < 0)
            return false;
        borrowed->offset[p] = (uint64_t)(data[p] - piece.data);
        borrowed->pitch[p] = (uint64_t)linesize[p];
    }
    borrowed->buffer = piece.number;
    borrowed->bytes = piece.bytes;
    borrowed->fd = piece.fd;
    return true;
}

ssimcu_status shared_borrow(const ssimcu_clip *clip, struct picture *picture,
                            struct ssimcu_video_borrowed *borrowed, ssimcu_message *message)
{
    struct shared *const shared = picture->file->shared;
    const ssimcu_clip_format *const format =
        picture->format.planes > 0 ? &picture->format : &clip->format; /* the first picture has no
                                                                          format */
    ssimcu_frame to[SSIMCU_MAX_PLANES];
    uint8_t *data[SSIMCU_MAX_PLANES];
    int linesize[SSIMCU_MAX_PLANES];
    AVFrame *const frame = picture->frame;
    borrowed->width = format->plane[0].width;
    borrowed->height = format->plane[0].height;
    if (!format->lies_apart &&
        lend_planes(shared, format->planes, frame->data, frame->linesize, borrowed))
        return SSIMCU_OK;
    picture->copy = take(shared, &shared->copied, format->frame_bytes);
    if (!picture->copy) FAIL(MEMORY, "%.300s: out of memory", clip->name);
    ssimcu_clip_planes(format, picture->copy->data, to);
    for (uint32_t p = 0; p < format->planes; p++) {
        data[p] = to[p].data;
        linesize[p] = (int)to[p].pitch;
        if (!format->lies_apart)
            av_image_copy_plane(data[p], linesize[p], frame->data[p], frame->linesize[p],
                                linesize[p], (int)to[p].height);
    }
    const ssimcu_status status =
        format->lies_apart ? pixels_read(clip, format, frame, picture->copy->data, message)
                           : SSIMCU_OK;
    (void)lend_planes(shared, format->planes, data, linesize, borrowed);
    return status;
}
