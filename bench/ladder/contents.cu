/* Pictures by arithmetic. Each pixel of the reference is computed. The other frame has either noise
 * or the loss of a coder, which rounds the cosine transform of each 8 x 8 block like JPEG. */
#include "contents.cuh"

namespace ladder
{
namespace
{

constexpr int THREADS = 256, BLOCK = 8;

/* Scrambles the index by a 64-bit finaliser, so that neighbouring indices give unrelated words. */
__device__ uint32_t random_word(uint64_t index)
{
    uint64_t x = (index + 1) * 0x9e3779b97f4a7c15ull;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
    return (uint32_t)(x >> 32);
}

__device__ uint32_t random_at(int x, int y, int salt)
{
    return random_word(((uint64_t)salt << 48) + ((uint64_t)y << 24) + (uint64_t)x);
}

__device__ uint8_t clamp_byte(int value) { return (uint8_t)min(max(value, 0), 255); }

/* Returns a number from -most to most. */
__device__ int noise(uint32_t random, int most) { return (int)(random % (2 * most + 1)) - most; }

/* Draws black letters on white: 5 x 7 squares of 3 pixels, some missing, in rows of 33 pixels. */
__device__ int text(int x, int y)
{
    constexpr int DOT = 3, ACROSS = 6 * DOT, DOWN = 11 * DOT;
    const int column = x % ACROSS / DOT, row = y % DOWN / DOT;
    const uint32_t letter = random_at(x / ACROSS, y / DOWN, 1);
    const bool is_ink = letter % 6 != 0 && column < 5 && row < 7 &&
                        random_at((int)(letter >> 4 & 63), 8 * row + column, 2) % 5 < 2;
    return is_ink ? 24 : 250;
}

/* Draws cells of one colour around jittered points, with dark outlines. */
__device__ int cartoon(int x, int y, int channel)
{
    constexpr int CELL = 160, LINE = 700; /* difference of squared distances: a few pixels */
    int64_t nearest = 1 << 30, second = 1 << 30;
    uint32_t colour = 0;
    for (int j = -1; j <= 1; j++)
        for (int i = -1; i <= 1; i++) {
            const int cx = x / CELL + i, cy = y / CELL + j;
            const uint32_t at = random_at(cx + 1, cy + 1, 3);
            const int64_t dx = cx * CELL + (int)(at % CELL) - x;
            const int64_t dy = cy * CELL + (int)(at / CELL % CELL) - y;
            const int64_t distance = dx * dx + dy * dy;
            second = min(second, max(distance, nearest));
            if (distance < nearest) nearest = distance, colour = at;
        }
    if (second - nearest < LINE) return 10;
    return (int)(random_at((int)(colour & 0xffff), channel, 4) % 8 * 36);
}

__device__ int base_of(Content content, const Shape &shape, int x, int y, int channel, uint64_t i)
{
    const uint32_t random = random_word(i);
    switch (content) {
    case Content::GRADIENT: return (int)((int64_t)(x + y) * 255 / (shape.width + shape.height));
    case Content::DOTS: return 250;
    case Content::TEXT: return text(x, y);
    case Content::CARTOON: return cartoon(x, y, channel);
    case Content::DARK: return 16 + noise(random, 3) + noise(random >> 8, 3);
    case Content::PATCHES: return (int)(random_at(x / 13, y / 11, 5 + channel) & 255);
    default: return (int)(random & 255);
    }
}

/* Returns the noise that the other frame has at a pixel. */
__device__ int change_of(Content content, uint32_t random)
{
    switch (content) {
    case Content::TEXTURE: return noise(random, 6);
    case Content::GRADIENT: return noise(random, 1);
    case Content::DOTS: return random % 64 == 0;
    case Content::DARK: return noise(random, 2);
    case Content::PATCHES: return noise(random, 4);
    default: return 0;
    }
}

__global__ void fill_kernel(uint8_t *ref, uint8_t *out, int64_t count, Shape shape, Content content)
{
    const int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (i >= count) return;
    const int64_t pixel = i / shape.channels;
    const int x = (int)(pixel % shape.width), y = (int)(pixel / shape.width % shape.height);
    const int base = base_of(content, shape, x, y, (int)(i % shape.channels), (uint64_t)i);
    ref[i] = clamp_byte(base);
    out[i] = clamp_byte(base + change_of(content, random_word((uint64_t)i) >> 8));
}

/* Steps of JPEG's example table for luma, which its users call quality 50. */
__device__ constexpr uint8_t STEP[BLOCK][BLOCK] = {
    {16, 11, 10, 16, 24, 40, 51, 61},     {12, 12, 14, 19, 26, 58, 60, 55},
    {14, 13, 16, 24, 40, 57, 69, 56},     {14, 17, 22, 29, 51, 87, 80, 62},
    {18, 22, 37, 56, 68, 109, 103, 77},   {24, 35, 55, 64, 81, 104, 113, 92},
    {49, 64, 78, 87, 103, 121, 120, 101}, {72, 92, 95, 98, 112, 100, 103, 99}};

__device__ double basis(int frequency, int at)
{
    return (frequency ? 0.5 : 0.5 * M_SQRT1_2) * cospi((2 * at + 1) * frequency / 16.0);
}

/* Transforms an 8 x 8 block by cosines, rows and columns, or back. */
__device__ void transform(double (&v)[BLOCK][BLOCK], bool back)
{
    for (int pass = 0; pass < 2; pass++) {
        double turned[BLOCK][BLOCK];
        for (int line = 0; line < BLOCK; line++)
            for (int to = 0; to < BLOCK; to++) {
                double sum = 0;
                for (int from = 0; from < BLOCK; from++)
                    sum += v[line][from] * (back ? basis(from, to) : basis(to, from));
                turned[to][line] = sum;
            }
        for (int i = 0; i < BLOCK; i++)
            for (int j = 0; j < BLOCK; j++) v[i][j] = turned[i][j];
    }
}

/* Codes a channel's block per thread. Blocks that reach over the frame repeat its last pixels. */
__global__ void lose_kernel(const uint8_t *ref, uint8_t *out, int64_t blocks, Shape shape)
{
    const int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (i >= blocks) return;
    const int across = (shape.width + BLOCK - 1) / BLOCK, down = (shape.height + BLOCK - 1) / BLOCK;
    const int channel = (int)(i % shape.channels);
    const int x0 = (int)(i / shape.channels % across) * BLOCK;
    const int y0 = (int)(i / shape.channels / across % down) * BLOCK;
    const int64_t frame = i / shape.channels / across / down * shape.height;
    double v[BLOCK][BLOCK];
    for (int y = 0; y < BLOCK; y++)
        for (int x = 0; x < BLOCK; x++) {
            const int64_t row = frame + min(y0 + y, shape.height - 1);
            v[y][x] =
                ref[(row * shape.width + min(x0 + x, shape.width - 1)) * shape.channels + channel] -
                128.0;
        }
    transform(v, false);
    for (int y = 0; y < BLOCK; y++)
        for (int x = 0; x < BLOCK; x++) v[y][x] = rint(v[y][x] / STEP[y][x]) * STEP[y][x];
    transform(v, true);
    for (int y = 0; y < BLOCK && y0 + y < shape.height; y++)
        for (int x = 0; x < BLOCK && x0 + x < shape.width; x++)
            out[((frame + y0 + y) * shape.width + x0 + x) * shape.channels + channel] =
                clamp_byte((int)rint(v[y][x] + 128));
}

} // namespace

void make_content(uint8_t *ref, uint8_t *out, const Shape &shape, Content content,
                  cudaStream_t stream)
{
    const int64_t count = (int64_t)shape.width * shape.height * shape.channels * shape.frames;
    fill_kernel<<<divide_up(count, THREADS), THREADS, 0, stream>>>(ref, out, count, shape, content);
    BENCH_CUDA(cudaGetLastError());
    if (content != Content::TEXT && content != Content::CARTOON) return;
    const int64_t blocks = (int64_t)divide_up(shape.width, BLOCK) * divide_up(shape.height, BLOCK) *
                           shape.channels * shape.frames;
    lose_kernel<<<divide_up(blocks, THREADS), THREADS, 0, stream>>>(ref, out, blocks, shape);
    BENCH_CUDA(cudaGetLastError());
}

} // namespace ladder
