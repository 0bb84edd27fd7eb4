#include "hints_image.h"

#include "ssimcu_io.h"

#include <math.h>
#include <stdlib.h>

static float clamp(double value) { return (float)fmin(1, fmax(0, value)); }

static size_t samples_of(const struct image *image)
{
    return (size_t)image->width * image->height * 3;
}

static struct image image_new(uint32_t width, uint32_t height)
{
    struct image image = {width, height, NULL};
    image.rgb = calloc(samples_of(&image), sizeof(float));
    cr_assert_not_null(image.rgb);
    return image;
}

/* Returns the nearest sample inside the image. */
static float *at(const struct image *image, int64_t x, int64_t y)
{
    const int64_t right = image->width - 1, bottom = image->height - 1;
    x = x < 0 ? 0 : x > right ? right : x;
    y = y < 0 ? 0 : y > bottom ? bottom : y;
    return image->rgb + 3 * ((size_t)y * image->width + (size_t)x);
}

/* ---- Pictures -------------------------------------------------------------------------------- */

static const ssimcu_frame *photo(void)
{
    static ssimcu_frame frame;
    ssimcu_message why = {{0}};
    if (!frame.data)
        cr_assert_eq(ssimcu_image_read(SSIMCU_TESTDATA "/dandelion-ref.png", NULL, &frame, &why),
                     SSIMCU_OK, "%s", why.text);
    return &frame;
}

/* fmin and fmax would be calls. */
static double limited(double value, double most)
{
    return value < 0 ? 0 : value > most ? most : value;
}

struct image image_crop(double x, double y, double zoom, uint32_t width, uint32_t height)
{
    const ssimcu_frame *from = photo();
    struct image image = image_new(width, height);
    const int taps = zoom > 1 ? 2 : 1; /* means of points reduce aliasing */
    const double share = 1.0 / (taps * taps);
    float *to = image.rgb;
    for (uint32_t row = 0; row < height; row++)
        for (uint32_t column = 0; column < width; column++, to += 3)
            for (int tap = 0; tap < taps * taps; tap++) {
                const double px = x + (column + (tap % taps + 0.5) / taps) * zoom;
                const double py = y + (row + (tap / taps + 0.5) / taps) * zoom;
                const uint32_t left = (uint32_t)limited(px, from->width - 2);
                const uint32_t top = (uint32_t)limited(py, from->height - 2);
                const double fx = limited(px - left, 1), fy = limited(py - top, 1);
                const uint8_t *near = (uint8_t *)from->data + top * from->pitch + 3 * left;
                for (uint32_t c = 0; c < 3; c++) {
                    const uint8_t *far = near + from->pitch;
                    const double upper = (1 - fx) * near[c] + fx * near[c + 3];
                    const double lower = (1 - fx) * far[c] + fx * far[c + 3];
                    to[c] += (float)(((1 - fy) * upper + fy * lower) / 255 * share);
                }
            }
    return image;
}

struct image image_copy(const struct image *image)
{
    struct image copy = image_new(image->width, image->height);
    memcpy(copy.rgb, image->rgb, samples_of(image) * sizeof(float));
    return copy;
}

void image_free(struct image *image)
{
    free(image->rgb);
    *image = (struct image){0};
}

/* Takes over the samples of `made`. */
static void become(struct image *image, struct image *made)
{
    free(image->rgb);
    *image = *made;
}

/* ---- What may happen ------------------------------------------------------------------------- */

void image_noise(struct image *image, uint32_t seed, double levels)
{
    check_random random = {seed};
    for (size_t i = 0; i < samples_of(image); i++) {
        double sum = -2; /* sum of four: nearly normal, deviation 0.577 */
        for (int k = 0; k < 4; k++) sum += check_draw(&random) / 4294967296.0;
        image->rgb[i] = clamp(image->rgb[i] + sum / 0.577 * levels / 255);
    }
}

/* The cosines of an 8-point transform. */
static double basis(int frequency, int place)
{
    return cos((2 * place + 1) * frequency * 3.14159265358979 / 16) *
           (frequency == 0 ? sqrt(0.125) : 0.5);
}

/* Transforms one 8 x 8 block there and back. The steps grow with frequency as those of libjpeg
 * do. */
static void code_block(double block[8][8], double step, bool chroma)
{
    static double table[8][8];
    double half[8][8] = {{0}}, coefficient[8][8] = {{0}};
    if (table[0][0] == 0)
        for (int i = 0; i < 64; i++) table[i / 8][i % 8] = basis(i / 8, i % 8);
    for (int u = 0; u < 8; u++)
        for (int y = 0; y < 8; y++)
            for (int x = 0; x < 8; x++) half[y][u] += table[u][x] * block[y][x];
    for (int v = 0; v < 8; v++)
        for (int u = 0; u < 8; u++) {
            for (int y = 0; y < 8; y++) coefficient[v][u] += table[v][y] * half[y][u];
            const double q = fmax(1, step * fmin(99, (chroma ? 17 : 13) * (1 + 0.45 * (u + v))));
            coefficient[v][u] = q * rint(coefficient[v][u] / q);
        }
    memset(half, 0, sizeof half);
    memset(block, 0, sizeof half);
    for (int v = 0; v < 8; v++)
        for (int x = 0; x < 8; x++)
            for (int u = 0; u < 8; u++) half[v][x] += table[u][x] * coefficient[v][u];
    for (int y = 0; y < 8; y++)
        for (int x = 0; x < 8; x++)
            for (int v = 0; v < 8; v++) block[y][x] += table[v][y] * half[v][x];
}

static const double to_yuv[3][3] = {
    {0.299, 0.587, 0.114}, {-0.168736, -0.331264, 0.5}, {0.5, -0.418688, -0.081312}};
static const double to_rgb[3][3] = {{1, 0, 1.402}, {1, -0.344136, -0.714136}, {1, 1.772, 0}};

void image_jpeg(struct image *image, int quality)
{
    const double step = (quality < 50 ? 5000.0 / quality : 200 - 2 * quality) / 100;
    for (uint32_t top = 0; top < image->height; top += 8)
        for (uint32_t left = 0; left < image->width; left += 8) {
            double block[3][8][8];
            for (int c = 0; c < 3; c++) {
                for (int i = 0; i < 64; i++) {
                    const float *rgb = at(image, left + i % 8, top + i / 8);
                    block[c][i / 8][i % 8] = -128.0 * (c == 0);
                    for (int k = 0; k < 3; k++)
                        block[c][i / 8][i % 8] += 255 * to_yuv[c][k] * rgb[k];
                }
                code_block(block[c], step, c > 0);
            }
            for (uint32_t i = 0; i < 64; i++) {
                const uint32_t x = left + i % 8, y = top + i / 8;
                if (x >= image->width || y >= image->height) continue;
                for (int c = 0; c < 3; c++) {
                    double value = 128;
                    for (int k = 0; k < 3; k++) value += to_rgb[c][k] * block[k][i / 8][i % 8];
                    at(image, x, y)[c] = clamp(rint(value) / 255);
                }
            }
        }
}

/* Replaces each sample by the mean, or the median, of those around it. */
static int ascending(const void *a, const void *b)
{
    return (*(const float *)a > *(const float *)b) - (*(const float *)a < *(const float *)b);
}

static void filter(struct image *image, int radius, bool median)
{
    struct image made = image_new(image->width, image->height);
    const int count = (2 * radius + 1) * (2 * radius + 1);
    for (uint32_t y = 0; y < image->height; y++)
        for (uint32_t x = 0; x < image->width; x++)
            for (int c = 0; c < 3; c++) {
                float value[81], sum = 0;
                for (int i = 0; i < count; i++) {
                    const int dx = i % (2 * radius + 1) - radius,
                              dy = i / (2 * radius + 1) - radius;
                    sum += value[i] = at(image, (int64_t)x + dx, (int64_t)y + dy)[c];
                }
                if (median) qsort(value, (size_t)count, sizeof *value, ascending);
                at(&made, x, y)[c] = median ? value[count / 2] : sum / (float)count;
            }
    become(image, &made);
}

void image_blur(struct image *image, int radius) { filter(image, radius, false); }
void image_denoise(struct image *image) { filter(image, 1, true); }

/* Interpolates linearly between pixels, whose centres stay where they are. */
static struct image resized(const struct image *image, uint32_t width, uint32_t height)
{
    struct image made = image_new(width, height);
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++) {
            const double px = (x + 0.5) * image->width / width - 0.5;
            const double py = (y + 0.5) * image->height / height - 0.5;
            const int64_t left = (int64_t)floor(px), top = (int64_t)floor(py);
            const double fx = px - (double)left, fy = py - (double)top;
            for (int c = 0; c < 3; c++)
                at(&made, x, y)[c] = clamp((1 - fy) * ((1 - fx) * at(image, left, top)[c] +
                                                       fx * at(image, left + 1, top)[c]) +
                                           fy * ((1 - fx) * at(image, left, top + 1)[c] +
                                                 fx * at(image, left + 1, top + 1)[c]));
        }
    return made;
}

void image_resample(struct image *image, double factor)
{
    struct image small =
        resized(image, (uint32_t)(image->width * factor), (uint32_t)(image->height * factor));
    struct image made = resized(&small, image->width, image->height);
    image_free(&small);
    become(image, &made);
}

void image_fireflies(struct image *image, uint32_t seed, uint32_t count)
{
    check_random random = {seed};
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t x = check_between(&random, 0, image->width - 1);
        const uint32_t y = check_between(&random, 0, image->height - 1);
        image_fill(image, x, y, 1, 1, (const float[3]){1, 1, 1});
    }
}

void image_fill(struct image *image, uint32_t x, uint32_t y, uint32_t width, uint32_t height,
                const float rgb[3])
{
    for (uint32_t row = y; row < y + height && row < image->height; row++)
        for (uint32_t column = x; column < x + width && column < image->width; column++)
            memcpy(at(image, column, row), rgb, 3 * sizeof *rgb);
}

void image_letterbox(struct image *image)
{
    const uint32_t bar = image->height / 7;
    const float black[3] = {0};
    image_fill(image, 0, 0, image->width, bar, black);
    image_fill(image, 0, image->height - bar, image->width, bar, black);
}

void image_text(struct image *image, uint32_t seed)
{
    check_random random = {seed};
    image_fill(image, 0, 0, image->width, image->height, (const float[3]){1, 1, 1});
    for (uint32_t y = 6; y + 12 < image->height; y += 14)
        for (uint32_t x = 6; x + 8 < image->width; x += 7) {
            const uint32_t glyph = check_draw(&random);
            for (uint32_t i = 0; i < 15 && glyph % 6 > 0; i++)
                if (glyph >> (i + 8) & 1)
                    image_fill(image, x + i % 3 * 2, y + i / 3 * 2, 2, 2, (const float[3]){0});
        }
}

void image_gamma(struct image *image, double gamma)
{
    for (size_t i = 0; i < samples_of(image); i++)
        image->rgb[i] = clamp(pow(image->rgb[i], 1 / gamma));
}

void image_scale(struct image *image, double factor)
{
    for (uint32_t c = 0; c < 3; c++) image_line(image, c, factor, 0);
}

void image_line(struct image *image, uint32_t channel, double gain, double offset)
{
    for (size_t i = channel; i < samples_of(image); i += 3)
        image->rgb[i] = clamp(image->rgb[i] * gain + offset);
}

void image_shift(struct image *image, int right, int down)
{
    struct image made = image_new(image->width, image->height);
    for (uint32_t y = 0; y < image->height; y++)
        for (uint32_t x = 0; x < image->width; x++)
            memcpy(at(&made, x, y), at(image, (int64_t)x - right, (int64_t)y - down),
                   3 * sizeof(float));
    become(image, &made);
}

void image_range(struct image *image, bool limited)
{
    for (uint32_t c = 0; c < 3; c++)
        image_line(image, c, limited ? 219.0 / 255 : 255.0 / 219,
                   limited ? 16.0 / 255 : -16.0 / 219);
}

const char *image_spoil(struct image *ref, struct image *out, int how, uint32_t seed)
{
    static const int quality[] = {30, 40, 50, 75, 85, 95};
    switch (how) {
    case 0: image_noise(out, seed, 2); return "noise of 2 levels";
    case 1: image_noise(out, seed, 10); return "noise of 10 levels";
    case 2: image_noise(out, seed, 40); return "noise of 40 levels";
    case 3:
    case 4:
    case 5:
    case 6:
    case 7:
    case 8: image_jpeg(out, quality[how - 3]); return "JPEG";
    case 9: image_blur(out, 1); return "blur";
    case 10: image_blur(out, 3); return "strong blur";
    case 11: image_denoise(out); return "median";
    case 12:
        image_noise(ref, seed, 8);
        image_free(out);
        *out = image_copy(ref);
        image_denoise(out);
        return "grain removed";
    case 13: image_noise(ref, seed, 8); return "grain that OUT never had";
    case 14: image_resample(out, 0.5); return "resampled by half";
    case 15: image_resample(out, 0.71); return "resampled";
    case 16: image_fireflies(out, seed, 60); return "fireflies";
    case 17:
        image_fill(out, 40, 60, 64, 64, (const float[3]){1, 0, 1});
        return "a (const float[3]){1, 0, 1} block";
    case 18:
        image_scale(ref, 0.05);
        image_scale(out, 0.05);
        image_noise(out, seed, 1.5);
        return "dark with noise";
    case 19:
        image_scale(ref, 0.03);
        image_scale(out, 0.03);
        image_jpeg(out, 50);
        return "very dark, JPEG";
    case 20:
        image_letterbox(ref);
        image_letterbox(out);
        image_jpeg(out, 60);
        return "letterbox, JPEG";
    case 21:
        image_text(ref, seed);
        image_free(out);
        *out = image_copy(ref);
        image_jpeg(out, 40);
        return "text, JPEG";
    case 22:
        image_text(ref, seed);
        image_free(out);
        *out = image_copy(ref);
        image_blur(out, 1);
        return "text, blurred";
    default: return "itself";
    }
}

/* ---- Frames ---------------------------------------------------------------------------------- */

static void put(ssimcu_frame *frame, uint32_t x, uint32_t y, uint32_t channel, double value)
{
    const uint32_t peak = (1u << frame->bits) - 1;
    check_set_sample(frame, x, y, channel, (uint32_t)(clamp(value) * peak + 0.5));
}

static double luma(const float *rgb) { return 0.299 * rgb[0] + 0.587 * rgb[1] + 0.114 * rgb[2]; }

/* Returns the bits of a half, cut rather than rounded. Light below 2^-14 becomes 0. */
static uint16_t half_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return value < 0x1p-14f ? 0 : (uint16_t)((bits >> 13) - (112 << 10));
}

static struct shot light_of(const struct image *image, enum kind kind)
{
    struct shot shot = {.planes = 1};
    ssimcu_frame *frame = &shot.plane[0];
    *frame = check_frame(image->width, image->height, 3,
                         kind == F32 ? SSIMCU_BITS_F32 : SSIMCU_BITS_F16);
    frame->linear = 1;
    for (uint32_t y = 0; y < image->height; y++) {
        char *row = (char *)frame->data + y * frame->pitch;
        for (uint32_t i = 0; i < 3 * image->width; i++) {
            const double shown = clamp(image->rgb[(size_t)y * 3 * image->width + i]);
            const float light =
                (float)(shown <= 0.04045 ? shown / 12.92 : pow((shown + 0.055) / 1.055, 2.4));
            if (kind == F32)
                ((float *)(void *)row)[i] = light;
            else
                ((uint16_t *)(void *)row)[i] = half_of(light);
        }
    }
    return shot;
}

/* Full range, chroma around the middle, half the size rounded up. */
static struct shot planes_of(const struct image *image, uint32_t bits)
{
    struct shot shot = {.planes = 3};
    for (uint32_t p = 0; p < 3; p++) {
        const uint32_t step = p == 0 ? 1 : 2;
        const double middle = p == 0 ? 0 : (double)(1u << (bits - 1)) / ((1u << bits) - 1);
        shot.plane[p] = check_frame((image->width + step - 1) / step,
                                    (image->height + step - 1) / step, 1, bits);
        for (uint32_t y = 0; y < shot.plane[p].height; y++)
            for (uint32_t x = 0; x < shot.plane[p].width; x++) {
                double sum = 0;
                for (uint32_t i = 0; i < step * step; i++) {
                    const float *rgb = at(image, x * step + i % step, y * step + i / step);
                    for (int c = 0; c < 3; c++) sum += to_yuv[p][c] * rgb[c] / (step * step);
                }
                put(&shot.plane[p], x, y, 0, sum + middle);
            }
    }
    return shot;
}

struct shot shot_make(const struct image *image, enum kind kind, bool clear)
{
    static const struct {
        uint32_t channels, bits;
    } shapes[KINDS] = {
        [GREY8] = {1, 8}, [RGB8] = {3, 8}, [RGBA8] = {4, 8}, [GREY16] = {1, 16}, [RGB16] = {3, 16}};
    if (kind >= KINDS) return light_of(image, kind);
    if (kind == YUV8 || kind == YUV10) return planes_of(image, kind == YUV8 ? 8 : 10);
    struct shot shot = {.planes = 1};
    ssimcu_frame *frame = &shot.plane[0];
    *frame = check_frame(image->width, image->height, shapes[kind].channels, shapes[kind].bits);
    for (uint32_t y = 0; y < image->height; y++)
        for (uint32_t x = 0; x < image->width; x++) {
            const float *rgb = at(image, x, y);
            for (uint32_t c = 0; c < frame->channels && c < 3; c++)
                put(frame, x, y, c, frame->channels == 1 ? luma(rgb) : rgb[c]);
            if (frame->channels == 4) put(frame, x, y, 3, clear ? (double)x / image->width : 1);
        }
    return shot;
}

void shot_release(struct shot *shot)
{
    for (uint32_t p = 0; p < shot->planes; p++) ssimcu_frame_free(&shot->plane[p]);
}

ssimcu_score shot_score(const struct shot *ref, const struct shot *out)
{
    const ssimcu_settings settings = check_settings_for(SSIMCU_DEVICE_CPU, SSIMCU_PAD_VALID);
    ssimcu_context *context = check_open(&settings);
    ssimcu_score score = SSIMCU_INIT(score);
    ssimcu_message why = {{0}};
    if (ref->planes == 1) {
        score = check_compare(context, &ref->plane[0], &out->plane[0]);
    } else {
        ssimcu_view view[2][3];
        for (uint32_t i = 0; i < 6; i++)
            view[i / 3][i % 3] = check_view(&(i < 3 ? ref : out)->plane[i % 3]);
        cr_assert_eq(ssimcu_compare_planes(context, view[0], view[1], 3, &score, NULL, &why),
                     SSIMCU_OK, "%s", why.text);
    }
    ssimcu_close(&context);
    return score;
}
