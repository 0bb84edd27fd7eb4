/* Frames that differ from their shot as a whole: in shape, alpha, picture or number. */
#include "detect/shot.h"

#include <math.h>
#include <stdlib.h>

static const struct finding_place whole = {0, 0, 0, 0};

/* ---- Shapes ---------------------------------------------------------------------------------- */

static bool same_size(const struct shot_frame *a, const struct shot_frame *b)
{
    return a->width == b->width && a->height == b->height;
}

static bool same_format(const struct shot_frame *a, const struct shot_frame *b)
{
    return a->channels == b->channels && a->bits == b->bits;
}

/* Returns a frame with the shape of at least four of five frames. NULL: the frames have no common
 * shape, like unrelated pictures in one folder. */
static const struct shot_frame *
typical(const struct shot *shot, bool (*same)(const struct shot_frame *, const struct shot_frame *))
{
    enum { TRIED = 3 };
    size_t read = 0, tried = 0;
    for (size_t i = 0; i < shot->count; i++) read += shot->frame[i].read;
    const struct shot_frame *before[TRIED];
    for (size_t i = 0; i < shot->count && tried < TRIED; i++) {
        const struct shot_frame *frame = &shot->frame[i];
        bool known = !frame->read;
        size_t alike = 0;
        for (size_t t = 0; t < tried; t++) known = known || same(frame, before[t]);
        for (size_t k = 0; k < shot->count && !known; k++)
            alike += same(frame, &shot->frame[k]); /* unread frames have no shape */
        if (5 * alike >= 4 * read) return frame;
        if (!known) before[tried++] = frame;
    }
    return NULL;
}

static const char *samples_of(const struct shot_frame *frame)
{
    switch (frame->bits) {
    case SSIMCU_BITS_F16: return "half";
    case SSIMCU_BITS_F32: return "float";
    case 8: return "8 bits";
    case 16: return "16 bits";
    default: return "another depth";
    }
}

void consistency_shapes(struct shot *shot)
{
    const struct shot_frame *size = typical(shot, same_size), *format = typical(shot, same_format);
    for (size_t i = 0; i < shot->count; i++) {
        struct shot_frame *frame = &shot->frame[i];
        if (!frame->read) continue;
        if (size && !same_size(frame, size))
            findings_add(&frame->found, FINDING_DIMENSIONS, whole, frame->width,
                         "%u x %u pixels, the rest of its shot has %u x %u", frame->width,
                         frame->height, size->width, size->height);
        if (format && !same_format(frame, format))
            findings_add(&frame->found, FINDING_PIXEL_FORMAT, whole, frame->channels,
                         "%u channels of %s, the rest of its shot has %u of %s", frame->channels,
                         samples_of(frame), format->channels, samples_of(format));
    }
}

/* ---- Runs of frames -------------------------------------------------------------------------- */

/* Returns the index after a run of frames with `is`, from `begin` on. Unreadable frames belong to
 * the run. */
static size_t run_end(const struct shot *shot, size_t begin, bool (*is)(const struct shot_frame *))
{
    size_t end = begin;
    while (end < shot->count && (!shot->frame[end].read || is(&shot->frame[end]))) end++;
    return end;
}

static bool is_flat(const struct shot_frame *frame) { return frame->flat; }

/* Returns whether pictures end with one solid frame, after frames that change far less: it is no
 * fade. A video may end so, and a layer may be empty there. */
static bool is_sudden_end(const struct shot *shot, size_t begin)
{
    enum { LEAST = 4 /* frames */, LEVELS = 16, TIMES = 4 };
    if (shot->video || shot->layer || shot->count < LEAST || begin + 1 != shot->count) return false;
    const struct shot_frame *last = &shot->frame[begin];
    return last->step[0] > LEVELS && last->step[0] > TIMES * last[-1].step[0]; /* neither is NaN */
}

/* A solid frame is a fault between two frames of the same scene. Between two scenes, and at the
 * ends of most shots, correct work has such frames, too. */
void consistency_solid(struct shot *shot)
{
    for (size_t i = 0, end; i < shot->count; i = end) {
        end = i + 1;
        if (!shot->frame[i].read || !shot->frame[i].flat) continue;
        end = run_end(shot, i, is_flat);
        const bool sudden = is_sudden_end(shot, i),
                   fault = i > 0 && end < shot->count && shot->frame[end].same_scene;
        for (size_t k = i; k < end; k++) {
            if (!shot->frame[k].read) continue;
            findings_add(&shot->frame[k].found, fault || sudden ? FINDING_SOLID : FINDING_BLANK,
                         whole, 0,
                         fault    ? "the whole frame is one colour in the middle of a scene"
                         : sudden ? "the whole last frame is one colour, without a fade"
                                  : "the whole frame is one colour");
        }
    }
}

static bool is_whole_alpha(const struct shot_frame *frame)
{
    return frame->alpha == STATS_EMPTY || frame->alpha == STATS_FULL;
}

/* An object may enter the frame and leave it, so alpha is a fault only between two frames without
 * it. */
void consistency_alpha(struct shot *shot)
{
    enum { LEAST = 5, LONGEST = 10 /* one of so many frames */ };
    size_t some = 0;
    for (size_t i = 0; i < shot->count; i++)
        some += shot->frame[i].read && shot->frame[i].alpha == STATS_SOME;
    if (some < LEAST) return;
    for (size_t i = 0, end; i < shot->count; i = end) {
        end = i + 1;
        if (!shot->frame[i].read || !is_whole_alpha(&shot->frame[i])) continue;
        end = run_end(shot, i, is_whole_alpha);
        if (i == 0 || end == shot->count || LONGEST * (end - i) > some + LONGEST) continue;
        for (size_t k = i; k < end; k++)
            if (shot->frame[k].read)
                findings_add(&shot->frame[k].found, FINDING_ALPHA, whole, 0,
                             "alpha is %s everywhere, unlike in the frames around it",
                             shot->frame[k].alpha == STATS_EMPTY ? "empty" : "full");
    }
}

/* ---- Colours --------------------------------------------------------------------------------- */

enum {
    FEW = 4, /* frames in a row; in video, whose luma shows that the scene goes on, any number */
    COMMON = 10,        /* one of so many frames */
    STROBE = 3,         /* flashes of a shot, which look like another power */
    PLENTY = 16,        /* levels from the lowest to the highest of a channel that has a picture */
    PLENTY_AT_END = 48, /* the same at an end of the shot, where it may come or go */
    COLOUR = 6,         /* levels of chroma that one sees */
    SCENE = 8,          /* levels between two frames of a video; above it, the scene changes */
    TITLE = 24          /* levels from a picture to a title without colour */
};

/* A fault of a frame's colour. */
struct colour_fault {
    enum finding_kind kind;
    unsigned channel;
    bool (*has)(const struct shot_frame *frame, unsigned channel);
    /* Returns whether a frame next to `bad` is without it. */
    bool (*lacks)(const struct shot_frame *frame, const struct shot_frame *bad, unsigned channel,
                  double least);
};

static bool is_constant(const struct shot_frame *frame, unsigned channel)
{
    return frame->colours.known && !frame->flat && frame->colours.constant >> channel & 1;
}
static bool has_picture(const struct shot_frame *frame, const struct shot_frame *bad,
                        unsigned channel, double least)
{
    const struct shot_colours *colours = &frame->colours;
    return frame->read && colours->known &&
           (colours->spread[channel] >= least ||
            fabsf(colours->mean[channel] - bad->colours.mean[channel]) >= least);
}
static bool is_grey(const struct shot_frame *frame, unsigned channel)
{
    (void)channel;
    return frame->colours.known && !frame->colours.video && !frame->flat &&
           frame->colours.chroma < 0.5;
}
static bool has_colour(const struct shot_frame *frame, const struct shot_frame *bad,
                       unsigned channel, double least)
{
    (void)bad, (void)channel, (void)least;
    return frame->read && frame->colours.known && frame->colours.chroma >= COLOUR;
}
static bool is_swapped(const struct shot_frame *frame, unsigned channel)
{
    (void)channel;
    return frame->colours.swapped;
}
static bool has_power(const struct shot_frame *frame, unsigned channel)
{
    (void)channel;
    return frame->colours.known && frame->colours.power != 1;
}
static bool is_other(const struct shot_frame *frame, const struct shot_frame *bad, unsigned channel,
                     double least)
{
    (void)frame, (void)bad, (void)channel, (void)least;
    return true;
}

static void add_colour(struct shot_frame *frame, const struct colour_fault *fault)
{
    const struct shot_colours *colours = &frame->colours;
    switch (fault->kind) {
    case FINDING_LOST_CHANNEL:
        findings_add(&frame->found, fault->kind, whole, fault->channel,
                     "%s has one value in the whole frame, unlike in the frames around it",
                     colours_name(colours->video, fault->channel));
        return;
    case FINDING_NO_COLOUR:
        findings_add(&frame->found, fault->kind, whole, 0,
                     "the frame is grey, unlike the frames around it");
        return;
    case FINDING_CHANNEL_SWAP:
        findings_add(&frame->found, fault->kind, whole, colours->first,
                     "%s and %s are exchanged, compared with the frames around it",
                     colours_name(colours->video, colours->first),
                     colours_name(colours->video, colours->second));
        return;
    default:
        findings_add(&frame->found, fault->kind, whole, colours->power,
                     "the levels are those of the frames around it to the power %.2f",
                     colours->power);
    }
}

/* Returns whether the frames around a run, from `begin` to before `end`, are without the fault and
 * show the same scene. */
static bool is_between(const struct shot *shot, size_t begin, size_t end,
                       const struct colour_fault *fault)
{
    const double least = begin == 0 || end == shot->count ? PLENTY_AT_END : PLENTY;
    const struct shot_frame *bad = &shot->frame[begin];
    if (begin == 0 && end == shot->count) return false;
    if (begin > 0 && !fault->lacks(bad - 1, bad, fault->channel, least)) return false;
    if (end < shot->count && !fault->lacks(&shot->frame[end], bad, fault->channel, least))
        return false;
    const double most = bad->colours.video ? SCENE : TITLE;
    const bool same = (begin == 0 || shot->frame[begin].step[0] < most) &&
                      (end == shot->count || shot->frame[end].step[0] < most);
    if (bad->colours.video) return same;
    return end - begin <= FEW && (same || fault->kind != FINDING_NO_COLOUR);
}

/* Returns how often frames begin to have a fault. */
static size_t count_runs(const struct shot *shot, const struct colour_fault *fault)
{
    size_t runs = 0;
    for (size_t i = 0; i < shot->count; i++)
        runs += fault->has(&shot->frame[i], fault->channel) &&
                (i == 0 || !fault->has(&shot->frame[i - 1], fault->channel));
    return runs;
}

/* Adds a fault to frames that have it, if it is rare. */
static void add_rare(struct shot *shot, const struct colour_fault *fault)
{
    size_t count = 0;
    for (size_t i = 0; i < shot->count; i++) count += fault->has(&shot->frame[i], fault->channel);
    if (count == 0 || COMMON * count > shot->count + 2 * COMMON) return;
    if (fault->kind == FINDING_GAMMA && count_runs(shot, fault) >= STROBE) return;
    for (size_t i = 0, end; i < shot->count; i = end) {
        end = i + 1;
        if (!fault->has(&shot->frame[i], fault->channel)) continue;
        while (end < shot->count && fault->has(&shot->frame[end], fault->channel)) end++;
        if (!is_between(shot, i, end, fault)) continue;
        for (size_t k = i; k < end; k++) add_colour(&shot->frame[k], fault);
    }
}

void consistency_colours(struct shot *shot)
{
    const struct colour_fault faults[] = {
        {FINDING_LOST_CHANNEL, 0, is_constant, has_picture},
        {FINDING_LOST_CHANNEL, 1, is_constant, has_picture},
        {FINDING_LOST_CHANNEL, 2, is_constant, has_picture},
        {FINDING_NO_COLOUR, 0, is_grey, has_colour},
        {FINDING_CHANNEL_SWAP, 0, is_swapped, is_other},
        {FINDING_GAMMA, 0, has_power, is_other},
    };
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) add_rare(shot, &faults[i]);
}
