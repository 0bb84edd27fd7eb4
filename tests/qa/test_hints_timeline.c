/* What neighbours tell: sequences made of a photo, with frames out of place, and clean ones. */
#include "hints/hints.h"
#include "hints_run.h"

/* ---- Tests ----------------------------------------------------------------------------------- */

Test(hints_timeline, clean_sequences_have_none)
{
    const char *none[FRAMES] = {NULL};
    for (enum motion motion = 0; motion < MOTIONS; motion++)
        for (enum coding coding = 0; coding < DIM; coding++) {
            struct run run = run_of(motion, coding, (enum kind)((motion + coding) % KINDS));
            expect_at(&run, none);
        }
}

Test(hints_timeline, repeated_frames_are_stuck)
{
    static const enum motion moving[] = {PAN, SLOW_PAN, ZOOM, PAN_AND_FADE, FADE, WALKER};
    const char *expected[FRAMES] = {[5] = "duplicate",
                                    [6] = "duplicate",
                                    [7] = "duplicate",
                                    [8] = "duplicate",
                                    [9] = "duplicate"};
    for (size_t m = 0; m < sizeof moving / sizeof moving[0]; m++)
        for (enum coding coding = 0; coding < DENOISED; coding++) {
            struct run run = run_of(moving[m], coding, (enum kind)((m + coding) % KINDS));
            for (int i = 5; i < 10; i++) run.shown[i] = 4;
            expect_at(&run, expected);
        }
}

Test(hints_timeline, another_frame_is_named_by_its_distance)
{
    static const enum motion moving[] = {PAN, SLOW_PAN, ZOOM, PAN_AND_FADE};
    static const char *const text[] = {
        "frame-offset -3", "frame-offset -2", "frame-offset -1", NULL,
        "frame-offset +1", "frame-offset +2", "frame-offset +3"};
    for (size_t m = 0; m < sizeof moving / sizeof moving[0]; m++)
        for (int k = -3; k <= 3; k++) {
            const char *expected[FRAMES] = {[6] = text[k + 3]};
            const enum coding coding = m == 1 ? EXACT : (enum coding)((k + 3) % 3);
            struct run run = run_of(moving[m], coding, (enum kind)((m + k + 3) % KINDS));
            run.shown[6] += k;
            if (k == -1) expected[6] = "duplicate";
            if (k == 1 || k == -2) continue; /* the next frame or the one before it is another */
            expect_at(&run, expected);
        }
}

Test(hints_timeline, all_frames_late)
{
    const char *expected[FRAMES] = {NULL};
    struct run run = run_of(PAN, JPEG, RGB8);
    for (int i = 1; i < FRAMES; i++) {
        run.shown[i] = i - 1;
        expected[i] = i == 1 ? "duplicate" : "frame-offset -1";
    }
    expect_at(&run, expected);
}

Test(hints_timeline, black_stays_black)
{
    const char *expected[FRAMES] = {[4] = "black", [5] = "black", [6] = "black"};
    struct run run = run_of(PAN_AND_FADE, JPEG, YUV8);
    run.shown[4] = run.shown[5] = run.shown[6] = -1;
    expect_at(&run, expected);
}

Test(hints_timeline, gain_stays_gain)
{
    const char *expected[FRAMES] = {NULL};
    struct run run = run_of(SLOW_PAN, DIM, GREY8);
    for (int i = 0; i < FRAMES; i++) expected[i] = "gain grey 0.900";
    expect_at(&run, expected);
}

Test(hints_timeline, frames_that_are_missing_tell_nothing)
{
    const char *expected[FRAMES] = {NULL};
    struct run run = run_of(PAN, EXACT, RGB8);
    run.shown[4] = -2; /* 5 shows what 4 would have been, and 8 shows 5 */
    run.shown[5] = 3;
    run.shown[9] = 6;
    expected[5] = "frame-offset -2";
    expected[9] = "frame-offset -3";
    expect_at(&run, expected);
}

/* A hint does not say that OUT shows another frame of REF, because that frame is not beside it. */
Test(hints_timeline, frames_far_apart_are_no_neighbours)
{
    const char *none[FRAMES] = {NULL};
    struct run run = run_of(PAN, EXACT, RGB8);
    run.every = 4;
    run.shown[6] = 4;
    run.shown[8] = 7;
    expect_at(&run, none);
}

Test(hints_timeline, good_frames_are_not_held_back)
{
    const char *none[FRAMES] = {NULL};
    struct run run = run_of(PAN, EXACT, RGB8);
    expect_at(&run, none);
    cr_expect_eq(run.late, 0);
}

/* The frame whose place a missing one has taken no longer counts. */
Test(hints_timeline, a_missing_frame_is_not_the_one_long_before)
{
    const char *none[FRAMES] = {NULL};
    struct run run = run_of(PAN, EXACT, RGB8);
    run.shown[9] = -2;
    run.shown[10] = 9 - (2 * TIMELINE_REACH + 2);
    expect_at(&run, none);
}

Test(hints_timeline, a_negative_is_no_neighbour)
{
    const char *none[FRAMES] = {NULL};
    struct run run = run_of(PAN, EXACT, RGB8);
    run.shown[6] = NEGATIVE - 4;
    expect_at(&run, none);
}

/* OUT is a line of its own frame, and nearer to a line of others only by a little grain. */
Test(hints_timeline, a_little_grain_is_no_reason)
{
    const char *expected[FRAMES] = {NULL};
    struct run run = run_of(FLICKER, GRAIN_ONCE, GREY8);
    for (int i = 0; i < FRAMES; i++) expected[i] = "gain grey 0.800";
    expect_at(&run, expected);
}

Test(hints_timeline, looks_come_back_from_their_text)
{
    static struct pending_hints findings, back;
    static char text[PENDING_HINTS_TEXT];
    findings.hints = (struct hints){2, {"shift +1 +0", "blur"}};
    for (int i = 0; i < SIGNATURE_POINTS; i++)
        for (int side = 0; side < 2; side++)
            findings.signature[side].value[i] = (uint16_t)((i * (7 + 4 * side) + side) << 4);
    pending_hints_to_text(&findings, text);
    cr_assert(pending_hints_from_text(text, &back));
    cr_expect_arr_eq(back.signature, findings.signature, sizeof findings.signature);
    cr_expect(back.hints.count == 2 && strcmp(back.hints.text[1], "blur") == 0);
    text[strlen(text) - 1] = 'x';
    cr_expect(!pending_hints_from_text(text, &back));
}
