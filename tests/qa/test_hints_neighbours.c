/* What neighbours tell, in numbers: signatures that are made here go through a timeline. */
#include "check.h"

#include "hints/analysis.h"
#include "joined.h"

#include <stdlib.h>

static struct timeline timeline;

static struct signature noise_of(uint32_t seed)
{
    check_random random = {seed * 7919 + 1};
    struct signature made;
    for (uint32_t i = 0; i < SIGNATURE_POINTS; i++)
        made.value[i] = (uint16_t)check_between(&random, 10000, 50000);
    return made;
}

/* Returns a signature that is so far away at every second point, and as far below at the others.
 * `across` is another such pattern, which has nothing in common with it. */
static struct signature moved(const struct signature *from, int by, bool across)
{
    struct signature made;
    for (uint32_t i = 0; i < SIGNATURE_POINTS; i++)
        made.value[i] = (uint16_t)(from->value[i] + ((across ? i / 2 : i) % 2 ? by : -by));
    return made;
}

/* Adds a frame. One with a hint has that of alpha, too. `ref` NULL: it has no signatures. */
static void add(int64_t frame, const struct signature *ref, const struct signature *out,
                double score, const char *hint)
{
    static char user;
    struct hints hints = {0};
    if (hint) hints_add(&hints, "alpha OUT only"), hints_add(&hints, "%s", hint);
    const struct signature both[2] = {ref ? *ref : (struct signature){{0}},
                                      out ? *out : (struct signature){{0}}};
    timeline_add(&timeline, frame, ref ? both : NULL, hint ? &hints : NULL, score, &user);
}

/* Takes the next frame and returns its hints as text; "waits" if none comes. */
static const char *take(bool end)
{
    struct hints hints;
    return timeline_take(&timeline, end, &hints) ? joined(&hints) : "waits";
}

/* ---- Waiting --------------------------------------------------------------------------------- */

/* A bad frame waits for three frames after it, or for one that is as far away. */
Test(hints_neighbours, who_waits)
{
    const struct signature a = noise_of(1), b = noise_of(2);
    cr_expect_str_eq(take(true), "waits");
    add(1, &a, &a, 0.99, "gain r 0.900");
    cr_expect_str_eq(take(false), "alpha OUT only; gain r 0.900");
    cr_expect_str_eq(take(false), "waits");
    add(2, &b, &b, 0.9899, "gain r 0.900");
    for (int64_t frame = 3; frame < 5; frame++) {
        cr_expect_str_eq(take(false), "waits");
        add(frame, NULL, NULL, 0, NULL);
    }
    cr_expect_str_eq(take(false), "waits");
    add(5, NULL, NULL, 0, NULL);
    cr_expect_str_eq(take(false), "alpha OUT only; gain r 0.900");
    for (int i = 0; i < 3; i++) cr_expect_str_eq(take(false), "");
    cr_expect_str_eq(take(false), "waits");
    add(6, &a, &b, 0.5, NULL);
    add(8, &b, &b, 0.5, NULL);
    cr_expect_str_eq(take(false), "waits");
    add(9, &a, &a, 1, NULL);
    cr_expect_str_eq(take(false), "frame-offset +2");
    cr_expect_str_eq(take(false), "waits");
    cr_expect_str_eq(take(true), "");
    cr_expect_str_eq(take(true), "");
    cr_expect_str_eq(take(true), "waits");
}

/* A frame of one colour has no use for its neighbours, whatever other hint it has. */
Test(hints_neighbours, one_colour_neither_waits_nor_is_stuck)
{
    static const char *const text[] = {"black", "solid", "alpha OUT only; black",
                                       "alpha OUT only; solid"};
    const struct signature out = noise_of(99);
    for (int n = 0; n < 8; n++) {
        const struct signature both[2] = {noise_of((uint32_t)n), out};
        struct hints hints = {0};
        if (n / 2 > 1) hints_add(&hints, "alpha OUT only");
        hints_add(&hints, n / 2 % 2 ? "solid" : "black");
        timeline_add(&timeline, n, both, &hints, 0.5, &timeline);
        cr_expect_str_eq(take(false), text[n / 2]);
    }
}

/* ---- Another frame --------------------------------------------------------------------------- */

/* OUT of frame 10 is frame 10 + K of REF, in a sequence whose frames have nothing in common. What
 * describes OUT beside the wrong frame goes; alpha stays. */
Test(hints_neighbours, which_frame_it_is)
{
    static const char *const expected[] = {
        "alpha OUT only; gain r 0.900",    "alpha OUT only; frame-offset -3",
        "alpha OUT only; frame-offset -2", "alpha OUT only; duplicate",
        "alpha OUT only; gain r 0.900",    "alpha OUT only; frame-offset +1",
        "alpha OUT only; frame-offset +2", "alpha OUT only; frame-offset +3",
        "alpha OUT only; gain r 0.900"};
    for (int k = -4; k <= 4; k++) {
        int taken = 4;
        timeline = (struct timeline){0};
        for (int n = 4; n < 17; n++) {
            const struct signature ref = noise_of((uint32_t)n),
                                   out = noise_of((uint32_t)(n == 10 ? n + k : n));
            add(n, &ref, &out, n == 10 ? 0.5 : 1, n == 10 ? "gain r 0.900" : NULL);
            for (const char *text; strcmp(text = take(false), "waits") != 0; taken++)
                cr_expect_str_eq(text, taken == 10 ? expected[k + 4] : "", "%d: frame %d: %s", k,
                                 taken, text);
        }
        cr_expect_eq(taken, 17);
    }
}

/* Only frames in the ring are neighbours, and the best of them is taken. */
Test(hints_neighbours, the_nearest_of_several)
{
    const struct signature a = noise_of(1), b = noise_of(2), near_a = moved(&a, 2000, false),
                           far_a = moved(&a, 6000, false);
    add(1, &far_a, &far_a, 1, NULL);
    add(2, &b, &b, 1, NULL);
    add(3, &b, &a, 0.5, "depth REF 16 OUT 8");
    add(4, &near_a, &near_a, 1, NULL);
    for (int i = 0; i < 2; i++) cr_expect_str_eq(take(true), "");
    cr_expect_str_eq(take(true), "alpha OUT only; depth REF 16 OUT 8; frame-offset +1");
    cr_expect_str_eq(take(true), "");
    /* REF explains all but little of OUT: a neighbour that explains it all is no reason */
    timeline = (struct timeline){0};
    const struct signature little = moved(&a, 400, false), more = moved(&a, 600, false);
    add(1, &a, &a, 1, NULL);
    add(3, &little, &a, 0.5, NULL);
    add(6, &more, &a, 0.5, NULL);
    cr_expect_str_eq(take(true), "");
    cr_expect_str_eq(take(true), "", "0.0012 is left");
    add(4, &a, &a, 1, NULL);
    cr_expect_str_eq(take(true), "frame-offset -2", "0.0027 is left");
}

/* ---- Duplicate
 * ----------------------------------------------------------------------------------- */

/* REF moves by some 65536ths of the peak, and OUT by others. */
Test(hints_neighbours, what_is_stuck)
{
    static const struct {
        int ref, out;
        const char *hint, *expected;
        double score;
    } rows[] = {
        {400, 0, NULL, "duplicate", 0.9},
        {400, 128, NULL, "duplicate", 0.9}, /* half a level is nothing */
        {400, 130, NULL, "", 0.9},
        {600, 149, NULL, "duplicate", 0.9}, /* a quarter of what REF did */
        {600, 152, NULL, "frame-offset -1", 0.9},
        {258, 0, NULL, "duplicate", 0.9}, /* REF moved by a level */
        {256, 0, NULL, "", 0.9},
        {400, 0, NULL, "duplicate", 0.9999}, /* whatever the score */
        {400, 0, NULL, "", 1},
        {400, 0, "black", "alpha OUT only; black", 0.9},
        {400, 0, "solid", "alpha OUT only; solid", 0.9},
        {400, 0, "shift +1 +0", "alpha OUT only; duplicate", 0.9},
        {400, 0, "depth REF 16 OUT 8", "alpha OUT only; depth REF 16 OUT 8; duplicate", 0.9}};
    const struct signature a = noise_of(1);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct signature ref = moved(&a, rows[i].ref, false),
                               out = moved(&a, rows[i].out, true);
        timeline = (struct timeline){0};
        add(7, &a, &a, 1, NULL);
        add(8, &ref, &out, rows[i].score, rows[i].hint);
        cr_expect_str_eq(take(true), "");
        cr_expect_str_eq(take(true), rows[i].expected, "row %zu", i);
    }
}

/* OUT stays duplicate to the frame where it stopped, and frames that are not there end that. */
Test(hints_neighbours, stuck_for_some_time)
{
    const struct signature a = noise_of(1);
    static const char *const expected[] = {"", "duplicate", "duplicate", "",
                                           "", "duplicate", "",          ""};
    static const int64_t frames[] = {1, 2, 3, 4, 6, 7, 8, 9};
    for (int n = 0; n < 8; n++) {
        const struct signature ref = moved(&a, 400 * (int)frames[n], false),
                               own = moved(&a, 400, false);
        const bool goes_on = n == 3 || n > 5; /* OUT is REF again */
        if (n == 3)
            add(frames[n], &ref, &ref, 0.9999, NULL);
        else
            add(frames[n], &ref, goes_on ? &ref : &own, 0.9999, NULL);
    }
    for (int n = 0; n < 8; n++) {
        const char *text = take(true);
        cr_expect_str_eq(text, expected[n], "frame %d: %s", (int)frames[n], text);
    }
}

/* ---- In noise -------------------------------------------------------------------------------- */

/* Adds noise of a frame's own to a signature. */
static struct signature noisy(const struct signature *from, int strength, uint32_t seed)
{
    check_random random = {seed * 104729 + 7};
    struct signature made;
    for (uint32_t i = 0; i < SIGNATURE_POINTS; i++)
        made.value[i] =
            (uint16_t)(from->value[i] + (int)check_between(&random, 0, 2 * strength) - strength);
    return made;
}

/* A render whose noise is that of the frame before is duplicate, where learned limits know it:
 * though the scene stands still, or moves less than the noise. A clean OUT that rests beside grain
 * is not, nor is one that is right since the frame before was the wrong one. */
Test(hints_neighbours, copies_of_noise)
{
    enum { NOISE = 6000 };
    static const struct {
        int moves, written;
        bool learned, clean, late; /* late: OUT is right in the second frame */
        const char *expected;
    } rows[] = {{0, 0, true, false, false, "duplicate"},
                {300, 0, true, false, false, "duplicate"},
                {300, 250, true, false, false, "duplicate"},
                {0, 0, false, false, false, ""},
                {0, 0, true, true, false, ""},
                {300, 0, true, true, false, ""},
                {4000, 0, true, false, true, ""}};
    const struct signature first = noise_of(1);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct signature second = moved(&first, rows[i].moves, false),
                               ref[] = {noisy(&first, NOISE, 2), noisy(&second, NOISE, 3)},
                               *shown = rows[i].late ? &second : &first,
                               out = rows[i].clean ? *shown : noisy(shown, NOISE, 4),
                               again = noisy(&out, rows[i].written, 5);
        timeline = (struct timeline){.has_learned = rows[i].learned};
        add(7, &ref[0], &out, 0.3, NULL);
        add(8, &ref[1], &again, 0.3, NULL);
        cr_expect_str_eq(take(true), "");
        cr_expect_str_eq(take(true), rows[i].expected, "row %zu", i);
    }
}

/* In a scene that all but stands still, OUT may be nearer to a frame before. It is a duplicate only
 * if it is wrong by a level, over the frame as a whole, wherever in it the scene changes. */
Test(hints_neighbours, errors_below_a_level)
{
    enum { PARTS = 4, POINTS = SIGNATURE_POINTS / PARTS, ONE = 257 };
    const struct signature first = noise_of(1);
    for (uint32_t part = 0; part < PARTS; part++)
        for (int over = -1; over <= 1; over += 2) {
            struct signature ref = first, out = first;
            for (uint32_t i = part * POINTS; i < (part + 1) * POINTS; i++) {
                ref.value[i] = (uint16_t)(first.value[i] + (2 * ONE + 9 * over) * 5 / 4);
                out.value[i] = (uint16_t)(first.value[i] + (2 * ONE + 9 * over) / 4);
            }
            timeline = (struct timeline){0};
            add(7, &first, &first, 0.3, NULL);
            add(8, &ref, &out, 0.3, NULL);
            cr_expect_str_eq(take(true), "");
            cr_expect_str_eq(take(true), over > 0 ? "duplicate" : "", "part %u", part);
        }
}

/* Some bright points that two frames share do not make one of them the other. */
Test(hints_neighbours, bright_points_are_no_frame)
{
    const struct signature scene = noise_of(1);
    for (int learned = 0; learned < 2; learned++) {
        struct signature dark = scene;
        for (uint32_t i = 0; i < SIGNATURE_POINTS; i++)
            dark.value[i] = (uint16_t)(scene.value[i] / 50);
        struct signature ref = noisy(&dark, 150, 2), other = noisy(&dark, 150, 3),
                         out = noisy(&dark, 150, 4);
        for (uint32_t i = 0; i < 5; i++) other.value[i] = out.value[i] = 40000;
        timeline = (struct timeline){.has_learned = learned};
        add(1, &ref, &out, 0.3, NULL);
        add(3, &other, &ref, 0.999, NULL);
        cr_expect_str_eq(take(true), learned ? "" : "frame-offset +2");
    }
}
