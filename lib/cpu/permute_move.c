/* Every rearrangement here is one operation, the perfect shuffle. This riffle interleaves the first
 * half of a row of elements with the second. Take C vectors of V = 16/element elements each:
 * element i moves to 2i (mod C*V - 1). After log2(V) riffles it is at V*i: element c of pixel x, at
 * x*C + c, arrives at c*V + x. So the same few lines
 *
 *     transpose a tile        C = V rows, log2(V) rounds
 *     deinterleave            C = 2 to 8 vectors of pixels, log2(V) rounds
 *     interleave              C = 2 vectors, one round; 4 vectors, two; 8 vectors, three
 *
 * Each half of a riffle of two vectors is one instruction on every CPU with vectors (punpckl/h,
 * zip1/2). So nothing here depends on the CPU. Three planes cannot be interleaved by riffles,
 * because 3 is no small power of 2 mod 47. */
#include "permute_move.h"

#include <string.h>
#ifdef __SSE2__
#    include <emmintrin.h>
#endif

typedef uint8_t bytes16 __attribute__((vector_size(16)));
typedef uint16_t words8 __attribute__((vector_size(16)));
typedef uint32_t words4 __attribute__((vector_size(16)));
typedef uint64_t words2 __attribute__((vector_size(16)));
typedef bytes16 vector;

#define INLINE static inline __attribute__((always_inline))
#define UNROLL _Pragma("GCC unroll 16")

enum {
    VECTOR = 16,
    LINE = 64,             /* bytes of a cache line */
    BURST = 256,           /* bytes of a tile's row; nothing from 128 to 512 is far from the best */
    BUFFER = LINE * BURST, /* half of a first-level cache */
    LANE = BUFFER / 8 + LINE, /* a channel's part of the buffer, not a power of two */
    SLACK = 2 * VECTOR + 8 * LINE
};

/* The buffer in which rows are assembled before leave() writes them. */
struct buffer {
    _Alignas(LINE) char at[BUFFER + SLACK];
};

INLINE vector load(const char *from)
{
    vector v;
    memcpy(&v, from, sizeof v);
    return v;
}

INLINE void store(char *to, vector v) { memcpy(to, &v, sizeof v); }
/* Stores past the caches if the CPU can. */
INLINE void store_past(char *to, vector v)
{
#ifdef __SSE2__
    _mm_stream_si128((__m128i *)to, (__m128i)v);
#else
    store(to, v);
#endif
}

/* Interleaves the first halves of a and b. */
INLINE vector zip_low(vector a, vector b, size_t element)
{
    switch (element) {
    case 1:
        return __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7,
                                       23);
    case 2: return (vector)__builtin_shufflevector((words8)a, (words8)b, 0, 8, 1, 9, 2, 10, 3, 11);
    case 4: return (vector)__builtin_shufflevector((words4)a, (words4)b, 0, 4, 1, 5);
    default: return (vector)__builtin_shufflevector((words2)a, (words2)b, 0, 2);
    }
}

/* Interleaves the second halves. */
INLINE vector zip_high(vector a, vector b, size_t element)
{
    switch (element) {
    case 1:
        return __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30,
                                       15, 31);
    case 2:
        return (vector)__builtin_shufflevector((words8)a, (words8)b, 4, 12, 5, 13, 6, 14, 7, 15);
    case 4: return (vector)__builtin_shufflevector((words4)a, (words4)b, 2, 6, 3, 7);
    default: return (vector)__builtin_shufflevector((words2)a, (words2)b, 1, 3);
    }
}

INLINE vector swap_halves(vector v)
{
    return (vector)__builtin_shufflevector((words2)v, (words2)v, 1, 0);
}

/* Does one perfect shuffle of `count` vectors, in halves of vectors. out[i] interleaves half i with
 * half i + count. If count is odd, this is the other half of its vector. */
INLINE void riffle(vector *v, int count, size_t element)
{
    vector out[VECTOR];
    UNROLL for (int i = 0; i < count; i++)
    {
        const vector a = v[i / 2], far = v[(i + count) / 2];
        const vector b = count % 2 ? swap_halves(far) : far;
        out[i] = i % 2 ? zip_high(a, b, element) : zip_low(a, b, element);
    }
    UNROLL for (int i = 0; i < count; i++) v[i] = out[i];
}

/* Splits pixels of `count` elements into planes. */
INLINE void split(vector *v, int count, size_t element)
{
    for (size_t lanes = VECTOR / element; lanes > 1; lanes /= 2) riffle(v, count, element);
}

/* ---- Any steps ---- */

INLINE void move_strided(const struct ssimcu_rectangle *r, int inner, size_t element)
{
    const int outer = 1 - inner;
    for (int64_t j = 0; j < r->size[outer]; j++) {
        const char *src = r->src + j * r->src_step[outer];
        char *dst = r->dst + j * r->dst_step[outer];
        for (int64_t i = 0; i < r->size[inner]; i++)
            memcpy(dst + i * r->dst_step[inner], src + i * r->src_step[inner], element);
    }
}

void ssimcu_move_strided(const struct ssimcu_rectangle *r)
{
    const int inner = r->size[0] < r->size[1] && r->size[0] < 8;
    switch (r->element) {
    case 1: move_strided(r, inner, 1); break;
    case 2: move_strided(r, inner, 2); break;
    case 4: move_strided(r, inner, 4); break;
    case 8: move_strided(r, inner, 8); break;
    default: move_strided(r, inner, 16); break;
    }
}

/* ---- Rows ---- */

INLINE void copy_short(char *to, const char *from, size_t bytes)
{
    for (; bytes >= VECTOR; bytes -= VECTOR, to += VECTOR, from += VECTOR) store(to, load(from));
    if (bytes & 8) memcpy(to, from, 8), to += 8, from += 8;
    if (bytes & 4) memcpy(to, from, 4), to += 4, from += 4;
    if (bytes & 2) memcpy(to, from, 2), to += 2, from += 2;
    if (bytes & 1) *to = *from;
}

/* Writes a finished row to the destination. A line written past the caches need not be fetched
 * first, but must be written whole. So the row's ends go through the caches. On 4K frames and 8192
 * x 8192 floats this is 1.5 to 1.9 times as fast. */
INLINE void leave(char *to, const char *from, size_t bytes, int past_caches)
{
    if (past_caches && bytes >= 2 * LINE) {
        const size_t head = -(uintptr_t)to % LINE;
        copy_short(to, from, head);
        to += head, from += head, bytes -= head;
        for (; bytes >= LINE; bytes -= LINE, to += LINE, from += LINE)
            UNROLL for (int i = 0; i < LINE; i += VECTOR) store_past(to + i, load(from + i));
    }
    copy_short(to, from, bytes);
}

void ssimcu_move_rows(const struct ssimcu_rectangle *r)
{
    const size_t bytes = (size_t)r->size[0] * r->element;
    if (bytes < VECTOR) {
        ssimcu_move_strided(r);
        return;
    }
    for (int64_t j = 0; j < r->size[1]; j++) {
        char *dst = r->dst + j * r->dst_step[1];
        const char *src = r->src + j * r->src_step[1];
        if (r->past_caches || bytes < LINE)
            leave(dst, src, bytes, r->past_caches);
        else
            memcpy(dst, src, bytes);
    }
}

/* ---- Tiles ---- */

/* Transposes a tile of one vector in each direction, to rows `pitch` bytes apart. The source has
 * `across` rows, with `width` bytes inside the rectangle. `readable` bytes may be read from the
 * first on. */
INLINE void turn_tile(char *to, int64_t pitch, const char *src, int64_t step, int64_t across,
                      int64_t width, int64_t readable, size_t element)
{
    const int side = (int)(VECTOR / element);
    vector v[VECTOR];
    if (across >= side && (side - 1) * step + VECTOR <= readable) {
        UNROLL for (int i = 0; i < side; i++) v[i] = load(src + i * step);
    } else {
        const size_t bytes = (size_t)(width < VECTOR ? width : VECTOR);
        for (int i = 0; i < side; i++) {
            v[i] = (vector){0};
            if (i < across) memcpy(&v[i], src + i * step, bytes);
        }
    }
    split(v, side, element);
    UNROLL for (int i = 0; i < side; i++) store(to + i * pitch, v[i]);
}

/* Transposes a strip of the source: `across` rows of `down` elements, at most one cache line. If
 * destination rows are adjacent, the last tile goes first. The first tile of the next row then
 * overwrites its surplus. Otherwise tiles go forwards, which is 1.6 times as fast. The adjacent
 * strip is prefetched (1.2 to 1.7 times as fast).
 */
INLINE void turn_strip(char *to, int64_t pitch, const char *src, int64_t step, int64_t across,
                       int64_t down, int64_t readable, size_t element)
{
    const int64_t e = (int64_t)element, side = VECTOR / e;
    const int64_t last = (across - 1) / side * side;
    const int backwards = across % side != 0 && pitch < BURST;
    for (int64_t n = 0; n <= last; n += side) {
        const int64_t x = backwards ? last - n : n;
        UNROLL for (int k = 0; k < side; k++) __builtin_prefetch(src + (x + k) * step + LINE);
        for (int64_t y = 0; y < down; y += side) {
            const int64_t at = x * step + y * e;
            turn_tile(to + y * pitch + x * e, pitch, src + at, step, across - x, (down - y) * e,
                      readable - at, element);
        }
    }
}

/* Moves strip by strip, through the buffer. The source's lines are read once and whole, and the
 * destination's are written in bursts. In the buffer, rows a power of two apart cannot evict each
 * other from the caches. Short adjacent rows leave as one. */
INLINE void move_tiles(const struct ssimcu_rectangle *r, size_t element)
{
    const int64_t e = (int64_t)element, wide = LINE / e, burst = BURST / e;
    const int64_t step = r->src_step[0], end = (r->size[0] - 1) * step + r->size[1] * e;
    const int joined = r->size[0] <= burst && r->dst_step[1] == r->size[0] * e;
    struct buffer buffer;
    for (int64_t j = 0; j < r->size[1]; j += wide)
        for (int64_t i = 0; i < r->size[0]; i += burst) {
            const int64_t across = r->size[0] - i < burst ? r->size[0] - i : burst;
            const int64_t down = r->size[1] - j < wide ? r->size[1] - j : wide;
            const int64_t from = i * step + j * e, row = across * e;
            char *to = r->dst + j * r->dst_step[1] + i * e;
            if (joined) {
                turn_strip(buffer.at, row, r->src + from, step, across, down, end - from, element);
                leave(to, buffer.at, (size_t)(down * row), r->past_caches);
                continue;
            }
            turn_strip(buffer.at, BURST, r->src + from, step, across, down, end - from, element);
            for (int64_t y = 0; y < down; y++)
                leave(to + y * r->dst_step[1], buffer.at + y * BURST, (size_t)row, r->past_caches);
        }
}

/* ---- Interleaved channels ---- */

/* Moves the rest from pixel x on, less than a vector of pixels. */
static void move_last_pixels(const struct ssimcu_rectangle *r, int along, int64_t x)
{
    struct ssimcu_rectangle rest = *r;
    rest.src += x * r->src_step[along];
    rest.dst += x * r->dst_step[along];
    rest.size[along] -= x;
    ssimcu_move_strided(&rest);
}

INLINE void deinterleave(const struct ssimcu_rectangle *r, int channels, size_t element)
{
    const int64_t e = (int64_t)element, lanes = VECTOR / e, whole = r->size[0] / lanes * lanes;
    const int64_t most = BUFFER / 8 / e;
    struct buffer buffer;
    for (int64_t first = 0; first < whole; first += most) {
        const int64_t pixels = whole - first < most ? whole - first : most;
        const char *src = r->src + first * channels * e;
        for (int64_t x = 0; x < pixels; x += lanes, src += channels * VECTOR) {
            vector v[8];
            UNROLL for (int c = 0; c < channels; c++) v[c] = load(src + c * VECTOR);
            split(v, channels, element);
            UNROLL for (int c = 0; c < channels; c++) store(buffer.at + c * LANE + x * e, v[c]);
        }
        for (int c = 0; c < channels; c++)
            leave(r->dst + c * r->dst_step[1] + first * e, buffer.at + c * LANE,
                  (size_t)(pixels * e), r->past_caches);
    }
    move_last_pixels(r, 0, whole);
}

/* Stores pixels that have `wide` channels but need only the first `channels`. Each overwrites the
 * surplus of the previous one. */
INLINE void store_narrow(char *to, const vector *v, int channels, int wide, size_t element)
{
    const size_t pixel = (size_t)channels * element, room = (size_t)wide * element;
    UNROLL for (int i = 0; i < wide; i++)
    {
        if (room >= VECTOR) {
            const size_t each = room / VECTOR, part = (size_t)i % each;
            store(to + (size_t)i / each * pixel + part * VECTOR, v[i]);
            continue;
        }
        words2 two = (words2)v[i];
        if (room == 4) /* closes the gap between two pixels in 8 bytes */
            two = (two & 0xffffff) | (two >> 8 & 0xffffff000000);
        const size_t step = room == 4 ? 2 * pixel : pixel;
        memcpy(to + (size_t)(2 * i) * step, &two, 8);
        memcpy(to + (size_t)(2 * i + 1) * step, (const char *)&two + 8, 8);
    }
}

/* Interleaves channels. `wide` is `channels` rounded up to a power of 2; missing channels repeat
 * the last. */
INLINE void interleave(const struct ssimcu_rectangle *r, int channels, int wide, size_t element)
{
    const int64_t e = (int64_t)element, lanes = VECTOR / e, whole = r->size[1] / lanes * lanes;
    const int64_t most = BUFFER / 8 / e;
    struct buffer buffer;
    for (int64_t first = 0; first < whole; first += most) {
        const int64_t pixels = whole - first < most ? whole - first : most;
        for (int64_t x = 0; x < pixels; x += lanes) {
            char *to = buffer.at + x * channels * e;
            vector v[8];
            UNROLL for (int c = 0; c < wide; c++)
            {
                const int from = c < channels ? c : channels - 1;
                v[c] = load(r->src + from * r->src_step[0] + (first + x) * e);
            }
            for (int step = wide; step > 1 && lanes > 1; step /= 2) riffle(v, wide, element);
            if (wide > channels)
                store_narrow(to, v, channels, wide, element);
            else
                UNROLL for (int c = 0; c < wide; c++) store(to + c * VECTOR, v[c]);
        }
        leave(r->dst + first * channels * e, buffer.at, (size_t)(pixels * channels * e),
              r->past_caches);
    }
    move_last_pixels(r, 1, whole);
}

INLINE void move_transposed(const struct ssimcu_rectangle *r, size_t element)
{
    const int64_t step = (int64_t)element;
    switch (r->src_step[0] == r->size[1] * step ? r->size[1] : 0) {
    case 2: deinterleave(r, 2, element); return;
    case 3: deinterleave(r, 3, element); return;
    case 4: deinterleave(r, 4, element); return;
    case 5: deinterleave(r, 5, element); return;
    case 6: deinterleave(r, 6, element); return;
    case 7: deinterleave(r, 7, element); return;
    case 8: deinterleave(r, 8, element); return;
    }
    switch (r->dst_step[1] == r->size[0] * step ? r->size[0] : 0) {
    case 2: interleave(r, 2, 2, element); return;
    case 3: interleave(r, 3, 4, element); return;
    case 4: interleave(r, 4, 4, element); return;
    case 5: interleave(r, 5, 8, element); return;
    case 6: interleave(r, 6, 8, element); return;
    case 7: interleave(r, 7, 8, element); return;
    case 8: interleave(r, 8, 8, element); return;
    }
    if (r->size[0] < 4 || r->size[1] < 4)
        ssimcu_move_strided(r);
    else
        move_tiles(r, element);
}

void ssimcu_move_transposed(const struct ssimcu_rectangle *r)
{
    switch (r->element) {
    case 1: move_transposed(r, 1); break;
    case 2: move_transposed(r, 2); break;
    case 4: move_transposed(r, 4); break;
    case 8: move_transposed(r, 8); break;
    default: move_transposed(r, 16); break;
    }
}

void ssimcu_move_settle(void)
{
#ifdef __SSE2__
    _mm_sfence();
#endif
}
