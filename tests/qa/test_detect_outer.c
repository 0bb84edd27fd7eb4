/* Changes of a picture that hardly moves, which look like damage in the first and the last frame,
 * whose neighbours are on one side. The same in a middle frame is damage. */
#include "detect_shot.h"

enum { ENDS = 3 };

static const int frames[ENDS] = {0, 5, FRAMES - 1}; /* first, middle, last */

/* Makes a picture around a place brighter, not evenly: an object that is not of one colour. */
static void put_object(ssimcu_frame *frame, uint32_t x, uint32_t y, uint32_t side)
{
    for (uint32_t j = y; j < y + side; j++)
        for (uint32_t i = 3 * x; i < 3 * (x + side); i++)
            ((uint8_t *)frame->data)[j * frame->pitch + i] += (uint8_t)(20 + (i / 3 + j) / 8);
}

/* Adds noise of so many levels that is the same in all channels. */
static void put_noise(ssimcu_frame *frame, const struct finding_place *box, uint64_t levels)
{
    check_random random = {7};
    for (uint32_t y = box->y; y < box->y + box->height; y++)
        for (uint32_t x = box->x; x < box->x + box->width; x++)
            fill(frame, x, y, 1, 1, (uint8_t)check_between(&random, 0, levels));
}

/* Expects a finding of a kind in frame `at`, or none if that is an outer frame and `object` hides
 * it. */
static void expect(int at, uint32_t size, enum finding_kind kind, void (*put)(ssimcu_frame *))
{
    struct shot shot = {.numbered = true};
    for (int i = 0; i < FRAMES; i++) {
        ssimcu_frame frame = draw(3, 8, 0.02 * i);
        if (i == at && size > 0) put_object(&frame, 80 - size / 2, 80 - size / 2, size);
        if (i == at) put(&frame);
        add(&shot, i, &frame);
    }
    shot_judge(&shot);
    const bool outer = at == 0 || at == FRAMES - 1;
    for (int i = 0; i < FRAMES; i++)
        cr_expect_eq(findings_kinds(&shot.frame[i].found) >> kind & 1,
                     i == at && !(outer && size > 0), "%s of frame %d, object of %u: frame %d",
                     finding_row(kind)->name, at, size, i);
    shot_free(&shot);
}

static void put_box(ssimcu_frame *frame) { fill(frame, 64, 64, 32, 32, 0); }
static void put_pixel(ssimcu_frame *frame) { fill(frame, 80, 80, 1, 1, 255); }
static void put_square(ssimcu_frame *frame)
{
    put_noise(frame, &(struct finding_place){72, 72, 16, 16}, 120);
}

Test(detect_outer, what_belongs_to_a_change)
{
    for (int f = 0; f < ENDS; f++)
        for (uint32_t size = 0; size <= 80; size += 80) {
            expect(frames[f], size, FINDING_FLAT_AREA, put_box);
            expect(frames[f], size, FINDING_GARBAGE, put_square);
            expect(frames[f], size / 2, FINDING_OUTLIER_PIXEL, put_pixel);
        }
}

/* An object that enters while the picture moves, or another light of the whole frame, excuses no
 * area. */
Test(detect_outer, what_belongs_to_no_change)
{
    for (int f = 0; f < ENDS; f++)
        for (int whole = 0; whole < 2; whole++) {
            struct shot shot = {.numbered = true};
            for (int i = 0; i < FRAMES; i++) {
                ssimcu_frame frame = draw(3, 8, whole ? 0 : i);
                for (size_t k = 0; k < frame.pitch * HEIGHT && whole && i == frames[f]; k++)
                    ((uint8_t *)frame.data)[k] += 16;
                if (i == frames[f] && !whole) put_object(&frame, 40, 40, 80);
                if (i == frames[f]) fill(&frame, 56, 56, 48, 48, 0);
                add(&shot, i, &frame);
            }
            shot_judge(&shot);
            cr_expect(has(&shot, frames[f], FINDING_FLAT_AREA), "frame %d, whole %d", frames[f],
                      whole);
            shot_free(&shot);
        }
}

/* A frame of a window, which is black in all frames, divides an area in two. The outer one is no
 * change around the inner one. */
Test(detect_outer, areas_in_areas)
{
    for (int f = 0; f < ENDS; f++) {
        struct shot shot = {.numbered = true};
        for (int i = 0; i < FRAMES; i++) {
            ssimcu_frame frame = draw(3, 8, 0), inner = draw(3, 8, 0);
            fill(&frame, 40, 40, 48, 48, 0);
            for (uint32_t y = 48; y < 80; y++)
                memcpy((char *)frame.data + y * frame.pitch + 3 * 48,
                       (char *)inner.data + y * inner.pitch + 3 * 48, 3 * 32);
            ssimcu_frame_free(&inner);
            if (i == frames[f]) fill(&frame, 0, 0, 120, 104, 0);
            add(&shot, i, &frame);
        }
        shot_judge(&shot);
        cr_expect(has(&shot, frames[f], FINDING_FLAT_AREA), "%d", frames[f]);
        shot_free(&shot);
    }
}

/* Three rows of noise may be texture that enters. */
Test(detect_outer, rows_of_noise)
{
    for (int f = 0; f < ENDS; f++)
        for (uint32_t rows = 3; rows <= 4; rows++) {
            struct shot shot = {.numbered = true};
            const struct finding_place box = {0, 60, WIDTH, rows};
            for (int i = 0; i < FRAMES; i++) {
                ssimcu_frame frame = draw(3, 8, i);
                if (i == frames[f]) put_noise(&frame, &box, 255);
                add(&shot, i, &frame);
            }
            shot_judge(&shot);
            cr_expect_eq(has(&shot, frames[f], FINDING_GARBAGE), rows == 4 || f == 1,
                         "%u rows of frame %d", rows, frames[f]);
            shot_free(&shot);
        }
}

/* An outer frame that is noise as a whole is another picture. Noise of most of a middle frame is
 * garbage. */
Test(detect_outer, another_picture)
{
    for (int f = 0; f < ENDS; f++) {
        struct shot shot = {.numbered = true};
        for (int i = 0; i < FRAMES; i++) {
            ssimcu_frame frame = draw(3, 8, i);
            if (i == frames[f])
                put_noise(&frame, &(struct finding_place){0, 0, WIDTH, HEIGHT}, 255);
            add(&shot, i, &frame);
        }
        shot_judge(&shot);
        for (int i = 0; i < FRAMES; i++)
            cr_expect_eq(has(&shot, i, FINDING_GARBAGE), f == 1 && i == frames[f], "frame %d of %d",
                         i, frames[f]);
        shot_free(&shot);
    }
}
