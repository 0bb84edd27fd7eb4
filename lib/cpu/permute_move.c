/* Every rearrangement here is one operation, the perfect shuffle: the riffle that interleaves the
 * first half of a row of elements with the second. On C vectors of V = 16/element elements each,
 * element i moves to 2i (mod C*V - 1). Repeating it log2(V) times moves it to V*i: element c of
 * pixel x, at x*C + c, arrives at c*V + x. So the same few lines
 *
 *     transpose a tile        C = V rows, log2(V) rounds
 *     deinterleave            C = 2, 3, 4 vectors of pixels, log2(V) rounds
 *     interleave              C = 2 vectors, one round; 4 vectors, two
 *
 * and a riffle of two vectors is one instruction on every CPU with vectors (punpckl/h, zip1/2), so
 * that nothing depends on which CPU it is. Three planes cannot be interleaved by riffles (3 is no
 * small power of 2 mod 47).
 */
#include "permute_move.h"

#include <string.h>

typedef uint8_t bytes16 __attribute__((vector_size(16)));
typedef uint16_t words8 __attribute__((vector_size(16)));
typedef uint32_t words4 __attribute__((vector_size(16)));
typedef uint64_t words2 __attribute__((vector_size(16)));
typedef bytes16 vector;

#define INLINE static inline __attribute__((always_inline))
#define UNROLL _Pragma("GCC unroll 16")

enum { VECTOR = 16, LINE = 64 };

INLINE vector load(const char *from)
{
    vector v;
    memcpy(&v, from, sizeof v);
    return v;
}

INLINE void store(char *to, vector v) { memcpy(to, &v, sizeof v); }

/* The first halves of a and b, interleaved. */
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

/* The second halves. */
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

/* One perfect shuffle of `count` vectors. In halves of vectors: out[i] interleaves half i with half
 * i + count, which with an odd count is the other half of its vector. */
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

/* Pixels of `count` elements -> planes. */
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

void ssimcu_move_rows(const struct ssimcu_rectangle *r)
{
    const size_t bytes = (size_t)r->size[0] * r->element;
    if (bytes < 2 * VECTOR) {
        ssimcu_move_strided(r);
        return;
    }
    for (int64_t j = 0; j < r->size[1]; j++)
        memcpy(r->dst + j * r->dst_step[1], r->src + j * r->src_step[1], bytes);
}

/* ---- Tiles ---- */

/* The first `bytes` of a vector. */
INLINE void store_part(char *to, vector v, size_t bytes)
{
    char part[VECTOR];
    store(part, v);
    if (bytes >= 8) {
        memcpy(to, part, 8);
        memcpy(to + bytes - 8, part + bytes - 8, 8);
    } else if (bytes >= 4) {
        memcpy(to, part, 4);
        memcpy(to + bytes - 4, part + bytes - 4, 4);
    } else {
        for (size_t i = 0; i < bytes; i++) to[i] = part[i];
    }
}

/* A tile of one vector each way. */
INLINE void move_tile(const struct ssimcu_rectangle *r, const char *src, char *dst, size_t element)
{
    const int side = (int)(VECTOR / element);
    vector v[VECTOR];
    UNROLL for (int i = 0; i < side; i++) v[i] = load(src + i * r->src_step[0]);
    split(v, side, element);
    UNROLL for (int i = 0; i < side; i++) store(dst + i * r->dst_step[1], v[i]);
}

/* A tile at an edge, `across` by `down` elements; `readable` bytes may be read from src on. */
INLINE void move_part(const struct ssimcu_rectangle *r, const char *src, char *dst, int across,
                      int down, int64_t readable, size_t element)
{
    const int side = (int)(VECTOR / element);
    vector v[VECTOR] = {{0}};
    UNROLL for (int i = 0; i < side; i++)
    {
        if (i >= across) break;
        const int64_t at = i * r->src_step[0];
        if (at + VECTOR <= readable)
            v[i] = load(src + at);
        else
            memcpy(&v[i], src + at, (size_t)down * element);
    }
    split(v, side, element);
    UNROLL for (int i = 0; i < side; i++)
    {
        if (i >= down) break;
        if (across == side)
            store(dst + i * r->dst_step[1], v[i]);
        else
            store_part(dst + i * r->dst_step[1], v[i], (size_t)across * element);
    }
}

/* Strips as wide as a cache line, so that a line of the source is read once and whole, while the
 * strip's lines of the destination fill up. */
INLINE void move_tiles(const struct ssimcu_rectangle *r, size_t element)
{
    const int64_t side = (int64_t)(VECTOR / element), strip = (int64_t)(LINE / element);
    const int64_t step = (int64_t)element;
    const int64_t end = (r->size[0] - 1) * r->src_step[0] + r->size[1] * step;
    for (int64_t first = 0; first < r->size[1]; first += strip)
        for (int64_t i = 0; i < r->size[0]; i += side)
            for (int64_t j = first; j < r->size[1] && j < first + strip; j += side) {
                const int64_t across = r->size[0] - i, down = r->size[1] - j;
                const int64_t from = i * r->src_step[0] + j * step;
                char *to = r->dst + j * r->dst_step[1] + i * step;
                if (across >= side && down >= side)
                    move_tile(r, r->src + from, to, element);
                else
                    move_part(r, r->src + from, to, (int)(across < side ? across : side),
                              (int)(down < side ? down : side), end - from, element);
            }
}

/* ---- Interleaved channels ---- */

INLINE void deinterleave(const struct ssimcu_rectangle *r, int channels, size_t element)
{
    const int64_t lanes = (int64_t)(VECTOR / element);
    struct ssimcu_rectangle rest = *r;
    int64_t x = 0;
    for (; x + lanes <= r->size[0]; x += lanes) {
        const char *src = r->src + x * r->src_step[0];
        vector v[8];
        UNROLL for (int c = 0; c < channels; c++) v[c] = load(src + c * VECTOR);
        split(v, channels, element);
        UNROLL for (int c = 0; c < channels; c++)
            store(r->dst + c * r->dst_step[1] + x * (int64_t)element, v[c]);
    }
    rest.src += x * r->src_step[0];
    rest.dst += x * r->dst_step[0];
    rest.size[0] -= x;
    ssimcu_move_strided(&rest);
}

/* Stores pixels that fill `wide` channels but own only the first `channels`: one after the other,
 * each over the surplus of the one before. */
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
        if (room == 4) /* two pixels in 8 bytes: close the gap between them */
            two = (two & 0xffffff) | (two >> 8 & 0xffffff000000);
        const size_t step = room == 4 ? 2 * pixel : pixel;
        memcpy(to + (size_t)(2 * i) * step, &two, 8);
        memcpy(to + (size_t)(2 * i + 1) * step, (const char *)&two + 8, 8);
    }
}

/* `wide` is `channels` rounded up to a power of 2; the channels that are missing repeat the last.
 */
INLINE void interleave(const struct ssimcu_rectangle *r, int channels, int wide, size_t element)
{
    const int64_t lanes = (int64_t)(VECTOR / element);
    struct ssimcu_rectangle rest = *r;
    int64_t x = 0;
    /* One vector's pixels are left over, so that the surplus stays in this rectangle. */
    for (; x + (wide > channels ? 2 : 1) * lanes <= r->size[1]; x += lanes) {
        char *dst = r->dst + x * r->dst_step[1];
        vector v[8];
        UNROLL for (int c = 0; c < wide; c++)
        {
            const int from = c < channels ? c : channels - 1;
            v[c] = load(r->src + from * r->src_step[0] + x * (int64_t)element);
        }
        for (int step = wide; step > 1; step /= 2) riffle(v, wide, element);
        if (wide > channels)
            store_narrow(dst, v, channels, wide, element);
        else
            UNROLL for (int c = 0; c < wide; c++) store(dst + c * VECTOR, v[c]);
    }
    rest.src += x * r->src_step[1];
    rest.dst += x * r->dst_step[1];
    rest.size[1] -= x;
    ssimcu_move_strided(&rest);
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
    default: ssimcu_move_strided(r); break; /* an element is a vector: nothing to rearrange in it */
    }
}
