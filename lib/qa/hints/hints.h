/* Hints: why a frame is bad, as far as that can be found out cheaply.
 *
 *   scored pair -> [analyse_pair] -> its hints, and a signature of each side
 *               -> [timeline, in the order of frames] -> those, and hints from its neighbours
 *
 * A hint is given only if it is almost certain. A missing hint claims nothing. This module knows
 * nothing of command lines, files or results. It neither prints nor allocates, and it cannot fail.
 *
 * GRAMMAR. A hint is one line of printable ASCII without comma, semicolon or quote. Its first word
 * is its kind, a row of record/findings.def. Numbers have a fixed count of decimals, and a sign if
 * both are possible.
 *
 *   black                  OUT is all black, REF is a picture; for Y, U and V: Y is 0 to 16 of 255
 *   solid                  the same with any other colour
 *   duplicate              OUT is the OUT before it, while REF moved on; where learned limits know
 *                          the frame, also if only REF's noise changed
 *   frame-offset K         OUT is frame n + K of REF instead of frame n; K is -3 to +3
 *   shift X Y              OUT is REF moved X pixels to the right and Y down, -8 to +8 each
 *   gain C G               channel C of OUT is that of REF times G ("gain r 0.900") ...
 *   offset C O             ... plus O, as a fraction of the peak ("offset g +0.0200")
 *   exposure S             the light of OUT is that of REF times 2^S ("exposure +1.000")
 *   gamma C P              OUT is REF to the power of P; C is rgb or grey
 *   curve OUT none         OUT has the numbers of linear light, without the curve of sRGB
 *   curve OUT twice        OUT has that curve once more
 *   curve OUT gamma 2.2    OUT has gamma 2.2, REF the curve of sRGB
 *   curve REF gamma 2.2    the reverse
 *   primaries REF A OUT B  OUT has the numbers of primaries B, REF of A: 709, P3 or 2020
 *   channel-swap r b       R of OUT is B of REF, and the reverse; "u v": U and V
 *   range OUT limited      OUT is REF squeezed to 16..235 of 255
 *   range OUT full         OUT is REF with 16..235 stretched to 0..255
 *   black-area WxH+X+Y     a rectangle is black in OUT but not in REF; in pixels
 *   bars OUT rows T B      OUT has T black rows above and B below the picture, REF has none there;
 *                          "columns": at the left and right; "REF": REF has them
 *   flipped left right     OUT is REF mirrored; "up down", "both ways"
 *   alpha OUT only         OUT is transparent somewhere, REF is opaque or has no alpha
 *   alpha REF only         the reverse
 *   depth REF 16 OUT 8     bits of a sample; given for every such pair
 *
 *   If learned limits show what accepted renders have (learned/noise_class.h), and without any
 *   hint above except alpha and depth:
 *   noise                  most tiles vary and differ more than accepted ones, but not in the mean
 *   denoised               most tiles vary less, and are nearer to REF
 *   seed                   OUT differs from REF as accepted renders do; a limit is too tight for
 *                          them
 *
 * C is grey, r, g, b, rgb (all three equal), y, u or v. One channel may have both gain and offset.
 * Those of u and v are relative to the middle, 0.5: a gain of both is one of saturation. */
#pragma once

#include "ssimcu.h"

#include <stdbool.h>

enum {
    HINTS_MOST = 8,   /* one depth, and a gain and an offset for each of three channels */
    HINT_BYTES = 32,  /* bytes of a hint, with its end */
    HINTS_PLANES = 3, /* most planes of a side */
    SIGNATURE_POINTS = 1024,
    HINTS_PATCHES = 9 * SIGNATURE_POINTS, /* most patches that one fetch takes */
    TIMELINE_REACH = 3 /* frames before and after with which a frame is compared */
};

struct hints {
    uint32_t count;
    char text[HINTS_MOST][HINT_BYTES];
};

/* A signature: luma at scattered points, which are the same in every frame; 0 to 65535, of which
 * the upper 12 bits count. Neighbours are compared by it. */
struct signature {
    uint16_t value[SIGNATURE_POINTS];
};

/* The findings of the analysis of a scored pair. */
struct pending_hints {
    struct hints hints;
    struct signature signature[2]; /* REF, OUT */
};

/* Fetches patches of samples that an analysis is about to read, if the frames' memory lacks them.
 * View n of a patch is plane n % HINTS_PLANES of side n / HINTS_PLANES (REF, OUT). A plane that is
 * complete (`whole`) is not requested; the caller initialises `whole`. After an error, the caller
 * lets the analysis end, and discards its findings. */
struct hints_fetch {
    void (*patches)(struct hints_fetch *fetch, const ssimcu_patch *patches, uint32_t count);
    bool whole[2][HINTS_PLANES];
    ssimcu_patch *list; /* the caller's memory for HINTS_PATCHES patches, which an analysis fills */
    uint32_t count;     /* patches in the list, 0 at first */
};

/* Analyses a scored pair. Each side has `planes` frames, as passed to ssimcu_compare (1 plane) or
 * ssimcu_compare_planes (Y, U and V). Writes the hints that follow from the pair, and the
 * signatures of REF and OUT. In a good pair it reads some thousand samples, in a five-hundredth of
 * the score's time; in a bad pair more. `fetch`: NULL if all samples are in memory. A score of 1
 * has no hints. Any thread may call it. */
void analyse_pair(const ssimcu_frame *ref, const ssimcu_frame *out, uint32_t planes,
                  const ssimcu_score *score, struct hints_fetch *fetch, struct hints *hints,
                  struct signature signature[2]);

/* Adds a kind without arguments, if there is no hint other than alpha and depth. */
void hints_add_last(struct hints *hints, const char *kind);

/* Writes findings as printable ASCII: the hints, "|", and both signatures, three hexadecimal digits
 * for the 12 bits of each value. pending_hints_from_text returns false if the text is malformed. */
enum { PENDING_HINTS_TEXT = HINTS_MOST * (HINT_BYTES + 2) + 2 * 3 * SIGNATURE_POINTS + 2 };
void pending_hints_to_text(const struct pending_hints *findings, char text[PENDING_HINTS_TEXT]);
bool pending_hints_from_text(const char *text, struct pending_hints *findings);

/* A timeline: frames in their order, each held back until no later frame can change its hints. Good
 * frames do not wait. Others wait until frame n + 3, a later frame, or the end. A zeroed timeline
 * is empty and needs no freeing. The caller locks. */
struct timeline {
    struct timeline_frame {
        int64_t frame;
        bool has_signatures, has_learned;
        bool waits; /* it waits for later frames */
        struct signature signature[2];
        struct hints hints;
        void *user;
    } ring[2 * TIMELINE_REACH + 2];
    uint64_t added, taken;
    struct signature anchor; /* REF's signature when OUT last changed */
    /* The caller sets it before it adds a frame: learned limits know the frame, so it is an
     * ordinary render. */
    bool has_learned;
};

/* Adds the next frame: its number, the signatures of REF and OUT, its hints so far and its score.
 * `signature` is NULL if the frame is missing, failed or was scored earlier. `hints` may then be
 * NULL, too, and timeline_take returns the hints unchanged. `user` is the caller's and not NULL.
 * Frames are compared only if their numbers differ by at most 3. After each call the caller takes
 * frames until NULL. */
void timeline_add(struct timeline *timeline, int64_t frame, const struct signature signature[2],
                  const struct hints *hints, double score, void *user);

/* Takes the next frame. Returns its `user` and all its hints, or NULL if the next frame waits or
 * there is none. A hint from neighbours replaces all others but alpha and depth. `end`: no more
 * frames come. */
void *timeline_take(struct timeline *timeline, bool end, struct hints *hints);
