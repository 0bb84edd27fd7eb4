/* request: scores device frames as a program does, on the device of fake_cuda.c. It makes
 * batches, tiles, two backgrounds, and a second submission of other frames. A call that fails is
 * tried once more.
 *
 * Prints every score and exits with 0. If a call failed for lack of memory or of a device it
 * exits with 70 or 5, by the first failure. It exits with 1 if a call failed as its header does
 * not say, or gave a score of nothing. */
#include "ssimcu_cuda.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 3, ROWS = 2 }; /* a grid of tiles */
enum {
    WIDTH = 40,
    HEIGHT = 30,
    PAIRS = 2,
    TILE = 16,
    ROUNDS = 2,
    OUT_OF_MEMORY = 70,
    NO_DEVICE = 5
};

/* Requests are made for these; the first asks for tiles. */
static const struct {
    const char *name;
    ssimcu_type type;
    ssimcu_layout layout;
    uint32_t channels;
} KIND[] = {{"u8 tiles", SSIMCU_TYPE_U8, SSIMCU_LAYOUT_HWC, 3},
            {"u8 alpha", SSIMCU_TYPE_U8, SSIMCU_LAYOUT_HWC, 4},
            {"f32 planes", SSIMCU_TYPE_F32, SSIMCU_LAYOUT_PLANES, 3}};
enum { KINDS = sizeof KIND / sizeof KIND[0] };

static float memory[ROUNDS][2][PAIRS * WIDTH * HEIGHT * 4];
static ssimcu_message why;
static int code; /* the exit code */

static void stop(const char *what)
{
    fprintf(stderr, "request: %s\n", what);
    exit(1);
}

/* Returns whether the call failed, which it may do only as the header says. */
static bool failed(ssimcu_status status, bool may_lack_memory)
{
    if (status == SSIMCU_OK) return false;
    const bool waits = code == OUT_OF_MEMORY && strstr(why.text, "still under way");
    fprintf(stderr, "ssimcu: %s\n", why.text);
    why.text[0] = '\0';
    if (waits) return true; /* waiting for what a failed submission has queued */
    if (status != SSIMCU_ERROR_DEVICE && !(may_lack_memory && status == SSIMCU_ERROR_MEMORY))
        stop("not as documented");
    if (code == 0) code = status == SSIMCU_ERROR_MEMORY ? OUT_OF_MEMORY : NO_DEVICE;
    return true;
}

/* Calls once, and once more if that fails. */
#define FAILED_TWICE(call, may_lack_memory)                                                        \
    (failed((call), may_lack_memory) && failed((call), may_lack_memory))

/* Returns a round's frames, which no other round has. */
static ssimcu_view view_of(int kind, int round, int side)
{
    ssimcu_view view = SSIMCU_INIT(view);
    const size_t sample = KIND[kind].type == SSIMCU_TYPE_F32 ? sizeof(float) : 1;
    view.type = KIND[kind].type;
    view.layout = KIND[kind].layout;
    view.width = WIDTH;
    view.height = HEIGHT;
    view.channels = KIND[kind].channels;
    view.frames = PAIRS;
    view.peak = KIND[kind].type == SSIMCU_TYPE_F32 ? 255 : 0;
    char *const data = (char *)memory[round][side];
    const size_t plane = WIDTH * HEIGHT * sample;
    view.data[0] = data;
    for (uint32_t c = 1; view.layout == SSIMCU_LAYOUT_PLANES && c < view.channels; c++)
        view.data[c] = data + c * plane;
    view.frame_stride = plane * view.channels;
    for (size_t i = 0; i < (size_t)PAIRS * WIDTH * HEIGHT * view.channels; i++) {
        const unsigned value = (unsigned)(i * 7 + i / 31 * (size_t)(3 + side + 5 * round)) % 251;
        if (sample == 1)
            ((unsigned char *)data)[i] = (unsigned char)value;
        else
            ((float *)data)[i] = (float)value;
    }
    return view;
}

static void print_scores(ssimcu_request *request, int kind, int round)
{
    static double tile[ROWS * COLUMNS];
    for (uint32_t pair = 0; pair < PAIRS; pair++) {
        ssimcu_score score = SSIMCU_INIT(score);
        ssimcu_tiles tiles = SSIMCU_INIT(tiles);
        tiles.width = tiles.height = TILE;
        tiles.columns = COLUMNS, tiles.rows = ROWS;
        tiles.data = tile;
        tile[0] = -2;
        if (!FAILED_TWICE(
                ssimcu_request_score(request, pair, &score, kind == 0 ? &tiles : NULL, &why),
                false))
            printf("%s, round %d, pair %u: %.17g, first tile %g\n", KIND[kind].name, round, pair,
                   score.score, tile[0]);
    }
}

static void submit(ssimcu_request *request, int kind, int round)
{
    const ssimcu_view ref = view_of(kind, round, 0), out = view_of(kind, round, 1);
    ssimcu_score score = SSIMCU_INIT(score);
    uint32_t done = 0;
    for (int tries = 0; failed(ssimcu_request_submit(request, &ref, &out, NULL, &why), true);
         tries++) {
        if (ssimcu_request_score(request, 0, &score, NULL, NULL) == SSIMCU_OK)
            stop("a score of what was not submitted");
        if (tries == 2) return;
    }
    for (int i = 0; !done && i < 5; i++)
        if (FAILED_TWICE(ssimcu_request_poll(request, &done, &why), false)) break;
    print_scores(request, kind, round);
}

static void use(ssimcu_context *context)
{
    ssimcu_request *request[KINDS] = {NULL};
    for (int kind = 0; kind < KINDS; kind++) {
        const ssimcu_view view = view_of(kind, 0, 0);
        ssimcu_tiles tiles = SSIMCU_INIT(tiles);
        tiles.width = tiles.height = TILE;
        if (!FAILED_TWICE(ssimcu_request_create(context, &view, &view, kind == 0 ? &tiles : NULL,
                                                &request[kind], &why),
                          true))
            continue;
        if (request[kind]) stop("a request of a call that failed");
    }
    for (int round = 0; round < ROUNDS; round++)
        for (int kind = 0; kind < KINDS; kind++)
            if (request[kind]) submit(request[kind], kind, round);
    for (int kind = 0; kind < KINDS; kind++) ssimcu_request_destroy(&request[kind]);
}

int main(void)
{
    ssimcu_settings settings = SSIMCU_INIT(settings);
    ssimcu_context *context = NULL;
    settings.device = SSIMCU_DEVICE_CUDA;
    if (!FAILED_TWICE(ssimcu_open(&settings, &context, &why), true)) use(context);
    ssimcu_close(&context);
    return fflush(stdout) == 0 ? code : 74;
}
