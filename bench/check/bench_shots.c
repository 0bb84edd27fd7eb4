/* bench_shots: judges shots as `ssimcu check` does, without files. Standard input has, for each
 * shot, a line "WIDTH HEIGHT CHANNELS BITS FRAMES" and its frames, packed. BITS is 8, 10, 12, 16,
 * -16 (halves) or -32 (floats); 0 FRAMES: up to the end. Prints a line for each finding that fails
 * by default: the frame, the kind, its place and its sentence; and "." and the number of frames
 * after each shot. damage.py and clean.py use it. */
#define _POSIX_C_SOURCE 200809L

#include "common/common.h"
#include "detect/shot.h"

#include "sample_size.h"

#include <string.h>

static uint32_t bits_of(int bits)
{
    return bits == -16 ? SSIMCU_BITS_F16 : bits == -32 ? SSIMCU_BITS_F32 : (uint32_t)bits;
}

/* Reads a frame and adds it. Returns whether there was one. */
static bool add(struct shot *shot, int64_t number, ssimcu_frame *frame)
{
    const size_t size = ssimcu_sample_size(frame->bits) * frame->width * frame->channels;
    struct frame_stats *stats = malloc(sizeof *stats);
    ssimcu_message why = {{0}};
    if (!stats || fread(frame->data, size, frame->height, stdin) != frame->height) {
        free(stats);
        return false;
    }
    stop_unless(frame_stats_scan(frame, 0, stats, &why), &why);
    colours_take(frame, 1, 0, &stats->colours);
    shot_add(shot, number, "f", NULL, stats);
    return true;
}

static void tell(const struct shot *shot)
{
    for (size_t i = 0; i < shot->count; i++)
        for (size_t k = 0; k < shot->frame[i].found.count; k++) {
            const struct finding *found = &shot->frame[i].found.at[k];
            const struct finding_place *place = &found->place;
            if (!finding_row(found->kind)->fails) continue;
            printf("%lld %s %u %u %u %u %s\n", (long long)shot->frame[i].number,
                   finding_row(found->kind)->name, place->x, place->y, place->width, place->height,
                   found->text);
        }
    printf(". %zu\n", shot->count);
    fflush(stdout);
}

int main(void)
{
    unsigned width, height, channels, frames;
    int bits;
    while (scanf("%u %u %u %d %u", &width, &height, &channels, &bits, &frames) == 5) {
        struct shot shot = {.numbered = true};
        ssimcu_frame frame = {
            .width = width, .height = height, .channels = channels, .bits = bits_of(bits)};
        const size_t size = ssimcu_sample_size(frame.bits) * width * channels;
        frame.data = malloc(size * height);
        bool good = frame.data && getchar() == '\n';
        const bool all = frames == 0;
        for (unsigned i = 0; (all || i < frames) && good; i++) good = add(&shot, i, &frame);
        free(frame.data);
        if (!good && !all) {
            fputs("bench_shots: a shot is not complete\n", stderr);
            return 1;
        }
        shot_judge(&shot);
        tell(&shot);
        shot_free(&shot);
    }
    return 0;
}
