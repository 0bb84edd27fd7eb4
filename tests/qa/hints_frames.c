/* hints_frames DIRECTORY FORMAT: makes renders with invented faults. DIRECTORY/sS/ref and /out hold
 * the frames of shot S, with another seed of noise on each side. FORMAT is png, exr (halves) or tif
 * (floats). Every fifth frame of OUT has a fault; each is printed: "shot frame name". Shots pan,
 * zoom and drift, at noise of 1, 2 and 4 levels. */
#define _DEFAULT_SOURCE
#include "hints_image.h"

#include "ssimcu_io.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { WIDTH = 480, HEIGHT = 270, SHOTS = 3, EVERY = 5, RADIUS = 42 };

/* ---- Samples: 0 to 1 and above, as a display shows them -------------------------------------- */

static bool is_light; /* files have linear light */
static uint32_t state;

static double to_light(double v)
{
    return v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4);
}

static double to_display(double v)
{
    return v <= 0.0031308 ? 12.92 * v : 1.055 * pow(v, 1 / 2.4) - 0.055;
}

static float *at(const struct image *image, int x, int y)
{
    x = x < 0 ? 0 : x >= WIDTH ? WIDTH - 1 : x;
    y = y < 0 ? 0 : y >= HEIGHT ? HEIGHT - 1 : y;
    return image->rgb + 3 * (y * WIDTH + x);
}

static double normal(void)
{
    double sum = -2;
    for (int k = 0; k < 4; k++) {
        state = state * 1664525u + 1013904223u;
        sum += (state >> 8) / 16777216.0;
    }
    return sum / 0.577;
}

/* ---- Scenes ---------------------------------------------------------------------------------- */

/* A camera: its place in the photo, and what a fault adds to it. */
struct camera {
    double x, y, zoom, right, grow;
};

static struct camera camera_of(int shot, double frame)
{
    switch (shot) {
    case 0: return (struct camera){600 + 7 * frame, 150 + 2 * frame, 2.5, 0, 0};
    case 1: return (struct camera){1300 - 2 * frame, 500, 3 - 0.004 * frame, 0, 0};
    default: return (struct camera){400 + 3.3 * frame, 1500 - 4.7 * frame, 1.9, 0, 0};
    }
}

static double ball_x(int shot, double frame) { return 120 + 60 * shot + 50 * sin(frame / 7); }
static double ball_y(int shot, double frame) { return 140 + 30 * cos(frame / 5 + shot); }

/* Draws a coloured ball as a camera sees it. */
static void draw_ball(struct image *image, int shot, double frame, double radius, bool textured,
                      const struct camera *camera)
{
    const double grow = 1 + camera->grow;
    const double cx = (ball_x(shot, frame) - WIDTH / 2) * grow + WIDTH / 2 - camera->right;
    const double cy = (ball_y(shot, frame) - HEIGHT / 2) * grow + HEIGHT / 2;
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            const double dx = (x - cx) / radius / grow, dy = (y - cy) / radius / grow;
            const double r = dx * dx + dy * dy;
            if (r > 1) continue;
            const double shade = 0.3 + 0.6 * sqrt(1 - r);
            const double check = textured ? 0.15 * sin(9 * dx) * sin(11 * dy) : 0;
            at(image, x, y)[0] = (float)(0.9 * shade + check);
            at(image, x, y)[1] = (float)(0.35 * shade + check);
            at(image, x, y)[2] = (float)(0.2 + 0.5 * check);
        }
}

static struct image scene_at(const struct camera *camera, int shot)
{
    const double zoom = camera->zoom / (1 + camera->grow);
    struct image image =
        image_crop(camera->x + camera->right * zoom + (camera->zoom - zoom) * WIDTH / 2,
                   camera->y + (camera->zoom - zoom) * HEIGHT / 2, zoom, WIDTH, HEIGHT);
    for (int i = 0; i < WIDTH * HEIGHT * 3; i++) {
        float *v = &image.rgb[i];
        if (shot == 2) *v *= 0.7f;
        if (*v > 0.8f) *v += 2 * (*v - 0.8f); /* highlights, which a display clips */
    }
    return image;
}

static struct image scene(int shot, double frame)
{
    const struct camera camera = camera_of(shot, frame);
    struct image image = scene_at(&camera, shot);
    draw_ball(&image, shot, frame, RADIUS, true, &camera);
    return image;
}

static void become(struct image *image, struct image made)
{
    image_free(image);
    *image = made;
}

/* ---- Faults ---------------------------------------------------------------------------------- */

/* A fault at work. */
struct fault_at {
    struct image *image;
    int shot, frame;
    double noise;
    void (*after)(struct image *image); /* what noise does not reach; NULL: nothing */
};

typedef void damage(struct fault_at *at);

static void fill_bucket(struct image *image)
{
    image_fill(image, 200, 96, 64, 64, (const float[3]){0});
}

static void fill_half(struct image *image)
{
    image_fill(image, 0, HEIGHT / 2, WIDTH, HEIGHT, (const float[3]){0});
}

static void black_bucket(struct fault_at *f) { f->after = fill_bucket; }
static void half_black(struct fault_at *f) { f->after = fill_half; }
static void letterbox(struct fault_at *f) { f->after = image_letterbox; }

static void ball(struct fault_at *f, double radius, bool textured)
{
    const struct camera camera = camera_of(f->shot, f->frame);
    draw_ball(f->image, f->shot, f->frame, radius, textured, &camera);
}

static void no_texture(struct fault_at *f) { ball(f, RADIUS, false); }
static void matte_edge(struct fault_at *f) { ball(f, RADIUS + 1, true); }

static void patch_of(struct fault_at *f, const struct image *from, int left, int top, int width,
                     int height)
{
    for (int y = top; y < top + height; y++)
        for (int x = left; x < left + width; x++)
            memcpy(at(f->image, x, y), at(from, x, y), 3 * sizeof(float));
}

static void other_seed(struct fault_at *f)
{
    struct image hair = scene((f->shot + 1) % SHOTS, f->frame + 40);
    patch_of(f, &hair, 260, 60, 120, 90);
    image_free(&hair);
}

static void smear(struct fault_at *f) { image_blur(f->image, 2); }

/* Multiplies light in a soft spot. */
static void spot(struct fault_at *f, double gain, double cx, double cy, double radius)
{
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++)
            for (int c = 0; c < 3; c++) {
                const double r = hypot(x - cx, y - cy) / radius;
                float *v = &at(f->image, x, y)[c];
                *v = (float)to_display(to_light(*v) * (1 + (gain - 1) * exp(-r * r)));
            }
}

static void light_spot(struct fault_at *f) { spot(f, 1.1, 330, 150, 90); }
static void no_shadow(struct fault_at *f) { spot(f, 1.18, 150, 190, 100); }

static void dither(struct fault_at *f)
{
    for (int i = 0; i < WIDTH * HEIGHT * 3; i++)
        f->image->rgb[i] += normal() > 0 ? 0.004f : -0.004f;
}

static void text_hinting(struct fault_at *f)
{
    struct camera camera = camera_of(f->shot, f->frame);
    camera.right = 0.4;
    struct image moved = scene_at(&camera, f->shot);
    patch_of(f, &moved, 300, 200, 120, 40);
    image_free(&moved);
}

static void put_pixels(struct fault_at *f, int count, float value)
{
    for (int i = 0; i < count; i++) {
        float *v = at(f->image, 30 + 97 * i % 420, 40 + 61 * i % 200);
        v[0] = v[1] = v[2] = value;
    }
}

static void nan_black(struct fault_at *f) { put_pixels(f, 3, 0); }
static void fireflies(struct fault_at *f) { put_pixels(f, 12, 30); }

static void each(struct fault_at *f, double (*curve)(double))
{
    for (int i = 0; i < WIDTH * HEIGHT * 3; i++)
        f->image->rgb[i] = (float)curve(fmax(0, f->image->rgb[i]));
}

/* A picture is encoded by 2.2 in the place of sRGB; light is decoded by it. */
static double gamma_22(double v)
{
    return is_light ? to_display(pow(v, 2.2)) : pow(to_light(v), 1 / 2.2);
}

static double gamma_125(double v) { return pow(v, 1.25); }
static double tenth_stop(double v) { return to_display(to_light(v) * pow(2, 0.1)); }
static double one_stop(double v) { return to_display(to_light(v) * 2); }
static double lifted(double v) { return v + 0.03; }
static double limited(double v) { return (v * 219 + 16) / 255; }
static double s_curve(double v) { return v + 0.05 * sin(6.28318530717959 * (v - 0.5)); }
static double squash(double v) { return v > 1 ? 1 + (v - 1) * 0.2 : v; }
static void linear_as_display(struct fault_at *f) { each(f, to_light); }
static void curve_twice(struct fault_at *f) { each(f, to_display); }
static void gamma_for_srgb(struct fault_at *f) { each(f, gamma_22); }
static void gamma_power(struct fault_at *f) { each(f, gamma_125); }
static void exposure_tenth(struct fault_at *f) { each(f, tenth_stop); }
static void exposure_one(struct fault_at *f) { each(f, one_stop); }
static void lift(struct fault_at *f) { each(f, lifted); }
static void range_limited(struct fault_at *f) { each(f, limited); }
static void contrast(struct fault_at *f) { each(f, s_curve); }
static void highlights(struct fault_at *f) { each(f, squash); }

static void no_object(struct fault_at *f)
{
    const struct camera camera = camera_of(f->shot, f->frame);
    become(f->image, scene_at(&camera, f->shot));
}

static void swap_rb(struct fault_at *f)
{
    for (int i = 0; i < WIDTH * HEIGHT; i++) {
        float *v = f->image->rgb + 3 * i, red = v[0];
        v[0] = v[2];
        v[2] = red;
    }
}

/* Mixes the channels of light. */
static void mix(struct fault_at *f, const double matrix[3][3])
{
    for (int i = 0; i < WIDTH * HEIGHT; i++) {
        float *v = f->image->rgb + 3 * i;
        double light[3];
        for (int c = 0; c < 3; c++) light[c] = to_light(v[c]);
        for (int c = 0; c < 3; c++)
            v[c] = (float)to_display(fmax(0, matrix[c][0] * light[0] + matrix[c][1] * light[1] +
                                                 matrix[c][2] * light[2]));
    }
}

static void p3_as_709(struct fault_at *f)
{
    mix(f, (const double[3][3]){
               {0.822462, 0.177538, 0}, {0.033194, 0.966806, 0}, {0.017083, 0.072397, 0.910520}});
}

static void less_colour(struct fault_at *f)
{
    mix(f, (const double[3][3]){{0.76, 0.21, 0.03}, {0.06, 0.92, 0.02}, {0.06, 0.21, 0.73}});
}

static void white_balance(struct fault_at *f)
{
    mix(f, (const double[3][3]){{1.12, 0, 0}, {0, 1, 0}, {0, 0, 0.88}});
}

static void more_noise(struct fault_at *f) { f->noise *= 1.41; }

static void stale_bucket(struct fault_at *f)
{
    struct image old = scene(f->shot, f->frame - 6);
    patch_of(f, &old, 100, 70, 128, 128);
    image_free(&old);
}

static void motion_blur(struct fault_at *f)
{
    struct image a = scene(f->shot, f->frame - 0.3), b = scene(f->shot, f->frame + 0.3);
    for (int i = 0; i < WIDTH * HEIGHT * 3; i++)
        f->image->rgb[i] = (f->image->rgb[i] + a.rgb[i] + b.rgb[i]) / 3;
    image_free(&a), image_free(&b);
}

static void fringe(struct fault_at *f)
{
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            const double r =
                hypot(x - ball_x(f->shot, f->frame), y - ball_y(f->shot, f->frame)) - RADIUS;
            for (int c = 0; c < 3 && fabs(r) < 1; c++) at(f->image, x, y)[c] *= 0.4f;
        }
}

static void mirror(struct fault_at *f, int left, int top, int width, int height, bool across)
{
    struct image old = image_copy(f->image);
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            const int from_x = across ? width - 1 - x : x, from_y = across ? y : height - 1 - y;
            memcpy(at(f->image, left + x, top + y), at(&old, left + from_x, top + from_y),
                   3 * sizeof(float));
        }
    image_free(&old);
}

static void decal(struct fault_at *f) { mirror(f, 280, 40, 110, 70, true); }
static void flop(struct fault_at *f) { mirror(f, 0, 0, WIDTH, HEIGHT, true); }
static void flip(struct fault_at *f) { mirror(f, 0, 0, WIDTH, HEIGHT, false); }

static void moved(struct fault_at *f, double right, double grow)
{
    struct camera camera = camera_of(f->shot, f->frame);
    camera.right = right;
    camera.grow = grow;
    become(f->image, scene_at(&camera, f->shot));
    draw_ball(f->image, f->shot, f->frame, RADIUS, true, &camera);
}

static void half_pixel(struct fault_at *f) { moved(f, 0.5, 0); }
static void scaled(struct fault_at *f) { moved(f, 0, 0.002); }
static void cropped(struct fault_at *f) { moved(f, 0, 0.05); }
static void three_pixels(struct fault_at *f) { image_shift(f->image, 3, 0); }
static void from_half(struct fault_at *f) { image_resample(f->image, 0.5); }

static void all_of(struct fault_at *f, const float rgb[3])
{
    image_fill(f->image, 0, 0, WIDTH, HEIGHT, rgb);
    f->noise = 0;
}

static void black(struct fault_at *f) { all_of(f, (const float[3]){0}); }
static void blue(struct fault_at *f) { all_of(f, (const float[3]){0.1f, 0.2f, 0.7f}); }
static void next_frame(struct fault_at *f) { become(f->image, scene(f->shot, f->frame + 1)); }
static void frame_before(struct fault_at *f) { become(f->image, scene(f->shot, f->frame - 1)); }
static void nothing(struct fault_at *f) { (void)f; }

static const struct fault {
    const char *name;
    damage *damage;
} FAULTS[] = {{"black-bucket", black_bucket},
              {"texture-missing", no_texture},
              {"hair-other-seed", other_seed},
              {"denoiser-smear", smear},
              {"light+10%-soft", light_spot},
              {"matte-edge-1px", matte_edge},
              {"dither", dither},
              {"text-hinting", text_hinting},
              {"nan-gone-black", nan_black},
              {"fireflies", fireflies},
              {"swapped-next", next_frame},
              {"swapped-before", frame_before},
              {"repeated", nothing},
              {"linear-as-display", linear_as_display},
              {"gamma-2.2-for-srgb", gamma_for_srgb},
              {"curve-twice", curve_twice},
              {"power-1.25", gamma_power},
              {"+0.1-stop", exposure_tenth},
              {"+1-stop", exposure_one},
              {"lift", lift},
              {"limited-range", range_limited},
              {"white-balance", white_balance},
              {"contrast", contrast},
              {"less-colour", less_colour},
              {"object-missing", no_object},
              {"r-b-swapped", swap_rb},
              {"p3-as-709", p3_as_709},
              {"noise-x1.41", more_noise},
              {"stale-bucket", stale_bucket},
              {"half-black", half_black},
              {"motion-blur", motion_blur},
              {"dark-fringe", fringe},
              {"decal-flipped", decal},
              {"flopped", flop},
              {"flipped", flip},
              {"shadow-missing", no_shadow},
              {"half-a-pixel", half_pixel},
              {"three-pixels", three_pixels},
              {"scaled-1.002", scaled},
              {"cropped-5%", cropped},
              {"upscaled-x2", from_half},
              {"letterbox", letterbox},
              {"black", black},
              {"solid", blue},
              {"highlights-squashed", highlights},
              {"truncated", nothing}};
enum { FINDING_KINDS = sizeof FAULTS / sizeof FAULTS[0] };

/* ---- Files ----------------------------------------------------------------------------------- */

static void put(FILE *file, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++) putc((int)(value >> 8 * i & 0xff), file);
}

static uint16_t half_of(float value)
{
    uint32_t bits;
    if (value < 6.2e-5f) return (uint16_t)lrintf(value / 5.9604645e-8f);
    memcpy(&bits, &value, sizeof bits);
    bits += 0xfff + (bits >> 13 & 1);
    return (uint16_t)((bits >> 13) - (112 << 10));
}

static void exr_attribute(FILE *file, const char *name, const char *type, uint32_t bytes)
{
    fwrite(name, 1, strlen(name) + 1, file);
    fwrite(type, 1, strlen(type) + 1, file);
    put(file, bytes, 4);
}

static void exr_header(FILE *file)
{
    put(file, 20000630, 4), put(file, 2, 4);
    exr_attribute(file, "channels", "chlist", 3 * 18 + 1);
    for (int c = 0; c < 3; c++) {
        putc("BGR"[c], file), putc(0, file);
        put(file, 1, 4), put(file, 0, 4), put(file, 1, 4), put(file, 1, 4);
    }
    putc(0, file);
    exr_attribute(file, "compression", "compression", 1), putc(0, file);
    for (int w = 0; w < 2; w++) {
        exr_attribute(file, w ? "displayWindow" : "dataWindow", "box2i", 16);
        put(file, 0, 8), put(file, WIDTH - 1, 4), put(file, HEIGHT - 1, 4);
    }
    exr_attribute(file, "lineOrder", "lineOrder", 1), putc(0, file);
    exr_attribute(file, "pixelAspectRatio", "float", 4), put(file, 0x3f800000, 4);
    exr_attribute(file, "screenWindowCenter", "v2f", 8), put(file, 0, 8);
    exr_attribute(file, "screenWindowWidth", "float", 4), put(file, 0x3f800000, 4);
    putc(0, file);
}

static void write_exr(FILE *file, const struct image *image)
{
    const uint32_t row = WIDTH * 3 * 2;
    exr_header(file);
    const uint64_t first = (uint64_t)ftell(file) + 8 * HEIGHT;
    for (uint32_t y = 0; y < HEIGHT; y++) put(file, first + y * (row + 8), 8);
    for (int y = 0; y < HEIGHT; y++) {
        put(file, (uint64_t)y, 4), put(file, row, 4);
        for (int c = 2; c >= 0; c--)
            for (int x = 0; x < WIDTH; x++)
                put(file, half_of((float)to_light(fmax(0, at(image, x, y)[c]))), 2);
    }
}

static void tiff_entry(FILE *file, uint32_t tag, uint32_t type, uint32_t count, uint32_t value)
{
    put(file, tag, 2), put(file, type, 2), put(file, count, 4), put(file, value, 4);
}

static void write_tiff(FILE *file, const struct image *image)
{
    enum { ENTRIES = 10, AT = 8 + 2 + 12 * ENTRIES + 4, PIXELS = AT + 12 };
    put(file, 0x2a4949, 4), put(file, 8, 4), put(file, ENTRIES, 2);
    tiff_entry(file, 256, 3, 1, WIDTH), tiff_entry(file, 257, 3, 1, HEIGHT);
    tiff_entry(file, 258, 3, 3, AT), tiff_entry(file, 259, 3, 1, 1), tiff_entry(file, 262, 3, 1, 2);
    tiff_entry(file, 273, 4, 1, PIXELS), tiff_entry(file, 277, 3, 1, 3);
    tiff_entry(file, 278, 3, 1, HEIGHT), tiff_entry(file, 279, 4, 1, WIDTH * HEIGHT * 12);
    tiff_entry(file, 339, 3, 3, AT + 6), put(file, 0, 4);
    for (int i = 0; i < 6; i++) put(file, i < 3 ? 32 : 3, 2);
    for (int i = 0; i < WIDTH * HEIGHT * 3; i++) {
        const float light = (float)to_light(fmax(0, image->rgb[i]));
        fwrite(&light, sizeof light, 1, file);
    }
}

static void write_png(const char *path, const struct image *image)
{
    struct shot shot = shot_make(image, RGB8, false);
    ssimcu_message why = {{0}};
    if (ssimcu_image_write_png(path, shot.plane, &why) != SSIMCU_OK) {
        fprintf(stderr, "%s\n", why.text);
        exit(1);
    }
    shot_release(&shot);
}

/* Adds noise and writes the frame. */
static void write_frame(const char *side, const char *format, const struct fault_at *f,
                        uint32_t seed)
{
    char path[64];
    struct image *image = f->image;
    state = seed;
    for (int i = 0; i < WIDTH * HEIGHT * 3; i++)
        image->rgb[i] += (float)(f->noise / 255 * normal());
    if (f->after) f->after(image);
    snprintf(path, sizeof path, "%s/%04d.%s", side, f->frame, format);
    if (strcmp(format, "png") == 0) {
        write_png(path, image);
        return;
    }
    FILE *file = fopen(path, "wb");
    if (!file) exit(1);
    strcmp(format, "exr") == 0 ? write_exr(file, image) : write_tiff(file, image);
    if (fclose(file) != 0) exit(1);
}

/* ---- Shots ----------------------------------------------------------------------------------- */

static const struct fault *fault_of(int frame)
{
    const int index = frame / EVERY;
    return frame % EVERY == 3 && index < FINDING_KINDS ? &FAULTS[index] : NULL;
}

static void finish_fault(const struct fault *fault, const char *format, int frame)
{
    char path[64], old[64], command[160];
    snprintf(path, sizeof path, "out/%04d.%s", frame, format);
    snprintf(old, sizeof old, "out/%04d.%s", frame - 1, format);
    snprintf(command, sizeof command, "cp %s %s", old, path);
    if (strcmp(fault->name, "repeated") == 0 && system(command) != 0) exit(1);
    if (strcmp(fault->name, "truncated") == 0 && truncate(path, 9000) != 0) exit(1);
}

static void make_frame(int shot, int frame, const char *format)
{
    const struct fault *fault = fault_of(frame);
    const double noise = 1 << shot;
    const uint32_t seed = 1000u * (uint32_t)shot + (uint32_t)frame;
    struct image ref = scene(shot, frame), out = image_copy(&ref);
    struct fault_at f = {&out, shot, frame, noise, NULL};
    const struct fault_at without = {&ref, shot, frame, noise, NULL};
    state = seed + 70000;
    if (fault) fault->damage(&f);
    write_frame("ref", format, &without, seed + 1);
    write_frame("out", format, &f, seed + 500001);
    if (fault) {
        finish_fault(fault, format, frame);
        printf("s%d %d %s\n", shot, frame, fault->name);
    }
    image_free(&ref);
    image_free(&out);
}

int main(int argc, char **argv)
{
    if (argc != 3 || chdir(argv[1]) != 0) return 1;
    is_light = strcmp(argv[2], "png") != 0;
    for (int shot = 0; shot < SHOTS; shot++) {
        const char name[] = {'s', (char)('0' + shot), 0};
        if (mkdir(name, 0777) != 0 || chdir(name) != 0 || mkdir("ref", 0777) != 0 ||
            mkdir("out", 0777) != 0)
            return 1;
        for (int frame = 0; frame < EVERY * FINDING_KINDS + 1; frame++)
            make_frame(shot, frame, argv[2]);
        if (chdir("..") != 0) return 1;
    }
    return 0;
}
