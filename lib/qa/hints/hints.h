/* Hints: why a frame is bad, as far as that can be told cheaply.
 *
 *   scored pair -> [look_pair] -> its own hints, and a signature of each side
 *               -> [timeline, in the order of frames] -> those, and hints from its neighbours
 *
 * A hint is given only if it is next to certain. A missing hint claims nothing. The room knows no
 * command lines, files or results. It neither prints nor allocates, and it cannot fail.
 *
 * GRAMMAR. A hint is one line of printable ASCII without comma, semicolon or quote. Its first word
 * is its kind. Numbers have a fixed count of decimals, and a sign if both are possible.
 *
 *   black                  OUT is black all over, REF is a picture; of Y, U and V: Y is 0 to 16
 *                          of 255
 *   flat                   the same with any other colour
 *   stuck                  OUT is the OUT before it, while REF moved on; where floors know the
 *                          frame, also if only REF's noise is another
 *   frame K                OUT is frame n + K of REF rather than frame n; K is -3 to +3
 *   shift X Y              OUT is REF moved X pixels to the right and Y down, -8 to +8 each
 *   gain C G               channel C of OUT is that of REF times G ("gain r 0.900") ...
 *   offset C O             ... plus O, in units of the peak ("offset g +0.0200")
 *   exposure S             the light of OUT is that of REF times 2^S ("exposure +1.000")
 *   gamma C P              OUT is REF to the power of P; C is rgb or grey
 *   curve OUT none         OUT has the numbers of linear light, without the curve of sRGB
 *   curve OUT twice        OUT has that curve once more
 *   curve OUT gamma 2.2    OUT has gamma 2.2, REF the curve of sRGB
 *   curve REF gamma 2.2    the other way round
 *   primaries REF A OUT B  OUT has the numbers of primaries B, REF of A: 709, P3 or 2020
 *   swapped r b            R of OUT is B of REF, and the other way round; "u v": U and V
 *   range OUT limited      OUT is REF squeezed to 16..235 of 255
 *   range OUT full         OUT is REF with 16..235 stretched to 0..255
 *   part black WxH+X+Y     a rectangle of OUT is black, of REF it is not; in pixels
 *   bars OUT rows T B      OUT has T black rows above and B below the picture, REF has none there;
 *                          "columns": at the left and right; "REF": REF has them
 *   flipped left right     OUT is REF mirrored; "up down", "both ways"
 *   alpha OUT only         OUT is transparent somewhere, REF is opaque or has no alpha
 *   alpha REF only         the other way round
 *   depth REF 16 OUT 8     bits of a sample; said of every such pair
 *
 *   Where floors say what accepted renders show (floors/tells.h), if nothing above is said:
 *   noise                  most tiles vary and differ more than accepted ones, while means stay
 *   denoised               most tiles vary less, and are nearer to REF
 *   seed                   OUT differs from REF as accepted renders do; a limit is too tight for
 *                          them
 *
 * C is grey, r, g, b, rgb (all three alike), y, u or v. One channel may have both gain and offset.
 * Those of u and v are around the middle, 0.5: a gain of both is one of saturation. */
#ifndef SSIMCU_QA_HINTS_H
#define SSIMCU_QA_HINTS_H

#include "ssimcu.h"

#include <stdbool.h>

enum {
    HINTS_MOST = 8,  /* one depth, and a gain and an offset for each of three channels */
    HINT_BYTES = 32, /* bytes of a hint, with its end */
    HINTS_KINDS = 21,
    HINTS_PLANES = 3, /* most planes of a side */
    SIGNATURE_POINTS = 1024,
    HINTS_PATCHES = 9 * SIGNATURE_POINTS, /* most patches that are fetched at once */
    TIMELINE_REACH = 3 /* frames before and after that a frame is compared with */
};

struct hints {
    uint32_t count;
    char text[HINTS_MOST][HINT_BYTES];
};

/* A signature: luma at scattered points, the same in every frame, 0 to 65535, of which the upper 12
 * bits count. Neighbours are compared by it. */
struct signature {
    uint16_t value[SIGNATURE_POINTS];
};

/* The findings of a look at a scored pair. */
struct findings {
    struct hints hints;
    struct signature signature[2]; /* REF, OUT */
};

/* Fetches patches of samples that a look is about to read, if the frames' memory lacks them. View n
 * of a patch is plane n % HINTS_PLANES of side n / HINTS_PLANES (REF, OUT). A plane of
 * which `whole` says that it is there is not asked for; `whole` begins as the caller sets it. After
 * an error the caller lets the look end, and throws its findings away. */
struct hints_fetch {
    void (*patches)(struct hints_fetch *fetch, const ssimcu_patch *patches, uint32_t count);
    bool whole[2][HINTS_PLANES];
    ssimcu_patch *list; /* the caller's memory for HINTS_PATCHES, in which a look lists them */
    uint32_t count;     /* patches in the list, 0 at first */
};

/* Looks at a scored pair. Each side has `planes` frames, as they went to ssimcu_compare (1 plane)
 * or ssimcu_compare_planes (Y, U and V). Fills in the hints that the pair alone gives, and the
 * signatures of REF and OUT. In a good pair it reads some thousand samples, in a five-hundredth of
 * the time that the score takes; in a bad one more. `fetch`: NULL if all samples are there. A score
 * of 1 has no hints. Any thread may call it. */
void look_pair(const ssimcu_frame *ref, const ssimcu_frame *out, uint32_t planes,
               const ssimcu_score *score, struct hints_fetch *fetch, struct hints *hints,
               struct signature signature[2]);

/* The kinds, in the order of the grammar. hints_kind returns the place of a name that has `length`
 * bytes; HINTS_KINDS: it is none. */
extern const char *const hints_kinds[HINTS_KINDS];
unsigned hints_kind(const char *name, size_t length);

/* Returns whether the text is a list of kinds of hints, such as "stuck,frame", and not empty. */
bool hints_are_kinds(const char *list);

/* Returns what the kinds of such a list need beside the pair itself; NULL: nothing. */
enum { HINTS_NEED_NEIGHBOURS = 1, HINTS_NEED_FLOORS = 2 };
unsigned hints_need(const char *list);

/* Adds a kind without more words, if there is no other hint than alpha and depth. */
void hints_add_last(struct hints *hints, const char *kind);

/* Writes the hints that fit into `size` bytes, "; " between them. */
void hints_text(const struct hints *hints, char *text, size_t size);

/* Writes findings as printable ASCII: the hints, "|", and both signatures, three hexadecimal digits
 * for the 12 bits of each value. findings_from_text returns false if the text has another form. */
enum { FINDINGS_TEXT = HINTS_MOST * (HINT_BYTES + 2) + 2 * 3 * SIGNATURE_POINTS + 2 };
void findings_to_text(const struct findings *findings, char text[FINDINGS_TEXT]);
bool findings_from_text(const char *text, struct findings *findings);

/* A timeline: frames in their order, each held back until no later frame can change its hints. Good
 * frames do not wait; others wait until frame n + 3, or one after it, or the end. Zeros are an
 * empty timeline, which needs no freeing. The caller locks. */
struct timeline {
    struct timeline_frame {
        int64_t frame;
        bool has_signatures, has_floors;
        bool waits; /* it waits for frames after it */
        struct signature signature[2];
        struct hints hints;
        void *user;
    } ring[2 * TIMELINE_REACH + 2];
    uint64_t added, taken;
    struct signature anchor; /* REF's signature when OUT last changed */
    /* The caller sets it before it adds a frame: floors know it, so it is a render like others. */
    bool has_floors;
};

/* Adds the next frame: its number, the signatures of REF and OUT, its hints so far and its score.
 * `signature` is NULL if the frame is missing, failed or was scored earlier. `hints` may then be
 * NULL, and timeline_take gives the hints back unchanged. `user` is the caller's and not NULL. Only
 * frames whose numbers are at most 3 apart are compared. After each call the caller takes frames
 * until NULL. */
void timeline_add(struct timeline *timeline, int64_t frame, const struct signature signature[2],
                  const struct hints *hints, double score, void *user);

/* Takes the next frame. Returns its `user` and all its hints, or NULL if the next frame waits or
 * there is none. A hint from neighbours takes the place of all others but alpha and depth. `end`:
 * no more frames come. */
void *timeline_take(struct timeline *timeline, bool end, struct hints *hints);

#endif
