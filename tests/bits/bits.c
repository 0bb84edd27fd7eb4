/* bits cpu|cuda TESTDATA [N]: prints every bit of many scores, maps and tiles, to compare two
 * builds by:
 *
 *     build/old/tests/bits cpu testdata >old; build/new/tests/bits cpu testdata >new; cmp
 *     old new
 *
 * Each comparison has a line: what was compared, score and channels as the 16 digits of their
 * doubles, bits, background, sizes and hashes of map and tiles. An error has its name and text
 * instead. With N only every N-th comparison is made. Another machine may have other bits,
 * because it has other instructions. */
#include "bits.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PICTURES = 128 };

static unsigned every = 1, cases;

void quit(const char *what, const ssimcu_message *why)
{
    fprintf(stderr, "bits: %s: %s\n", what, why->text);
    exit(1);
}

bool due(void) { return cases++ % every == 0; }

/* ---- Lines ----------------------------------------------------------------------------------- */

/* Returns FNV-1a, four bytes at a time. */
static uint64_t digest(const void *data, size_t bytes)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < bytes; i += sizeof(uint32_t)) {
        uint32_t word;
        memcpy(&word, (const char *)data + i, sizeof word);
        hash = (hash ^ word) * 0x100000001b3u;
    }
    return hash;
}

static void print_double(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    printf(" %016" PRIx64, bits);
}

static void print_score(const struct answer *a)
{
    const ssimcu_map *m = &a->map;
    const ssimcu_tiles *t = &a->tiles;
    print_double(a->score.score);
    for (uint32_t c = 0; c < a->score.channels && c < 3; c++) print_double(a->score.channel[c]);
    printf(" bits %u over %d", a->score.bits, (int)a->score.background);
    if (m->data)
        printf(" map %ux%ux%u+%u %016" PRIx64, m->width, m->height, m->channels, m->border,
               digest(m->data, (size_t)m->width * m->height * m->channels * sizeof *m->data));
    if (t->data)
        printf(" tiles %ux%u %016" PRIx64, t->columns, t->rows,
               digest(t->data, (size_t)t->columns * t->rows * sizeof *t->data));
}

void print(struct answer answer, const char *label, ...)
{
    va_list arguments;
    va_start(arguments, label);
    vprintf(label, arguments);
    va_end(arguments);
    fputs(" |", stdout);
    if (answer.status == SSIMCU_OK)
        print_score(&answer);
    else
        printf(" %s: %s", ssimcu_status_name(answer.status), answer.why.text);
    putchar('\n');
    free(answer.map.data), free(answer.tiles.data);
}

const char *name_of(const struct setup *setup)
{
    static const char *const pad[] = {"valid", "zero"}, *const color[] = {"rgb", "y709", "y601"},
                             *const alpha[] = {"worst", "ignore", "black", "white"},
                             *const level[] = {"best", "plain", "avx2", "avx512"};
    static char name[64];
    snprintf(name, sizeof name, "%s %s %s t%u %s", pad[setup->pad], color[setup->color],
             alpha[setup->alpha], setup->threads, level[setup->level]);
    return name;
}

const char *name_of_kind(struct kind kind)
{
    static const char *const layout[] = {"hwc", "chw", "planes"}, *const type[] = {"u8", "u16",
                                                                                   "f16", "f32"};
    static char name[2][64];
    static int turn;
    snprintf(name[turn ^= 1], sizeof name[0], "%s %s x%u peak %g gap %u%s", layout[kind.layout],
             type[kind.type], kind.channels, kind.peak, kind.gap, kind.aligned ? " by 16" : "");
    return name[turn];
}

ssimcu_context *must_open(const struct setup *setup)
{
    ssimcu_message why = {{0}};
    ssimcu_context *context = open_context(setup, &why);
    if (!context) quit(name_of(setup), &why);
    return context;
}

/* ---- Pictures of testdata -------------------------------------------------------------------- */

struct named {
    char name[64];
    ssimcu_frame frame;
};

static int load_all(const char *testdata, struct named picture[MOST_PICTURES])
{
    char path[4096], line[512];
    int count = 0;
    snprintf(path, sizeof path, "%s/expected.tsv", testdata);
    FILE *list = fopen(path, "r");
    if (!list) quit(path, &(ssimcu_message){"cannot be read"});
    while (count < MOST_PICTURES && fgets(line, sizeof line, list)) {
        if (sscanf(line, "%63[^#\t]", picture[count].name) != 1) continue;
        picture[count].frame = load(testdata, picture[count].name);
        count++;
    }
    fclose(list);
    return count;
}

/* Compares for the score alone, with its map, or with map and tiles. */
static void compare_pictures(const struct setup *setup, ssimcu_context *context,
                             const struct named *ref, const struct named *out, int with)
{
    static const char *const what[] = {"frames", "frames, map", "frames, map, tiles"};
    const ssimcu_view a = view_of(&ref->frame), b = view_of(&out->frame);
    const uint32_t tile = ref->frame.width < 1000 ? 32 : 64;
    print(with == 0   ? compare_frames(context, &ref->frame, &out->frame)
          : with == 1 ? compare_frames_with_map(context, &ref->frame, &out->frame)
                      : compare_views(context, &a, &b, MAP | TILES, tile),
          "%s: %s %s %s", what[with], ref->name, out->name, name_of(setup));
}

/* Compares all pairs of one size, each in one more of these three ways in a third of the
 * settings. The photos, which are large, are compared in all three. */
static void all_pairs(const struct setup *setup, const struct named *picture, int count)
{
    ssimcu_context *context = must_open(setup);
    for (int i = 0; i < count; i++)
        for (int j = i; j < count; j++) {
            const ssimcu_frame *a = &picture[i].frame, *b = &picture[j].frame;
            const bool huge = a->width * a->height >= HUGE_PIXELS;
            const int more = (int)(i + j + setup->pad + setup->color + setup->alpha) % 3;
            if (a->width != b->width || a->height != b->height) continue;
            if (huge && (i == j || setup->alpha != SSIMCU_ALPHA_WORST)) continue;
            if (!due()) continue;
            for (int with = 0; with < 3; with++)
                if (with == 0 || with == more || huge)
                    compare_pictures(setup, context, &picture[i], &picture[j], with);
        }
    ssimcu_close(&context);
}

static void pictures(ssimcu_device device, const char *testdata)
{
    static struct named picture[MOST_PICTURES];
    const int count = load_all(testdata, picture);
    for (int i = 0; i < 2 * 3 * 4; i++) {
        const struct setup setup = {.device = device,
                                    .pad = (ssimcu_pad)(i % 2),
                                    .color = (ssimcu_color)(i / 2 % 3),
                                    .alpha = (ssimcu_alpha)(i / 6),
                                    .threads = 2};
        all_pairs(&setup, picture, count);
    }
    for (int i = 0; i < count; i++) ssimcu_frame_free(&picture[i].frame);
}

/* ---- Video ----------------------------------------------------------------------------------- */

/* What divides the planes of each subsampling. */
static const struct chroma {
    const char *name;
    uint32_t planes, across, down;
} CHROMA[] = {{"grey", 1, 1, 1}, {"444", 3, 1, 1}, {"422", 3, 2, 1}, {"420", 3, 2, 2}};

static void compare_video(ssimcu_device device, struct chroma chroma, uint32_t width,
                          uint32_t height, uint32_t bits)
{
    struct picture picture[2][3];
    ssimcu_view view[2][3];
    const struct kind kind = {.type = bits > 8 ? SSIMCU_TYPE_U16 : SSIMCU_TYPE_U8,
                              .channels = 1,
                              .peak = (1 << bits) - 1,
                              .gap = bits == 10 ? 3 : 0};
    for (int p = 0; p < 6; p++) {
        const uint32_t across = p % 3 ? chroma.across : 1, down = p % 3 ? chroma.down : 1;
        const struct shape shape = {.width = (width + across - 1) / across,
                                    .height = (height + down - 1) / down,
                                    .seed = bits + (uint32_t)p % 3};
        picture[p / 3][p % 3] = make_picture(kind, shape, p / 3);
        view[p / 3][p % 3] = picture[p / 3][p % 3].view;
    }
    for (int i = 0; i < 4; i++) {
        const struct setup setup = {
            .device = device, .pad = (ssimcu_pad)(i % 2), .threads = 1 + (uint32_t)i / 2};
        ssimcu_context *context = must_open(&setup);
        print(compare_planes(context, view[0], view[1], chroma.planes, bits),
              "video: %ux%u %s %u bits %s", width, height, chroma.name, bits, name_of(&setup));
        ssimcu_close(&context);
    }
    for (int p = 0; p < 6; p++) ssimcu_frame_free(&picture[p / 3][p % 3].memory);
}

static void video(ssimcu_device device)
{
    static const uint32_t size[][2] = {{20, 22}, {37, 53}, {700, 520}, {1920, 1080}};
    for (size_t s = 0; s < COUNT(size); s++)
        for (size_t c = 0; c < COUNT(CHROMA); c++)
            for (uint32_t bits = 8; bits <= 16; bits += bits == 12 ? 4 : 2)
                if (due()) compare_video(device, CHROMA[c], size[s][0], size[s][1], bits);
}

int main(int argc, char **argv)
{
    static const ssimcu_message usage = {"bits cpu|cuda TESTDATA [N]"};
    if (argc < 3) quit("usage", &usage);
    const bool cuda = strcmp(argv[1], "cuda") == 0;
    const ssimcu_device device = cuda ? SSIMCU_DEVICE_CUDA : SSIMCU_DEVICE_CPU;
    if (argc > 3 && atoi(argv[3]) > 0) every = (unsigned)atoi(argv[3]);
    pictures(device, argv[2]);
    video(device);
    shapes(device);
    refused(device);
    if (cuda) requests(device);
    return fflush(stdout) == 0 && !ferror(stdout) ? 0 : 1;
}
