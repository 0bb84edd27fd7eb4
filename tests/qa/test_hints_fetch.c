/* Each part of a look finds the same at frames of noise, into which it fetches what it reads, as at
 * the frames themselves. A part that reads what it has not fetched finds something else. */
#include "check.h"
#include "hints_find.h"
#include "hints_image.h"

#include "hints/tones.h"

#include <stdlib.h>
#include <string.h>

enum { LEFT = 500, TOP = 300 /* of the part of the photo */ };

/* ---- Parts of a look ------------------------------------------------------------------------- */

static double sum_of(const struct tone_values *values, uint32_t channels)
{
    double sum = 0;
    for (uint32_t c = 0; c < channels; c++)
        for (uint32_t i = 0; i < SIGNATURE_POINTS; i++) sum += (i + 1) * (double)values->at[c][i];
    return sum;
}

static double points(const struct analysis *analysis)
{
    struct samples samples[2];
    struct signature signature[2], moved[2];
    double sum = 0;
    for (int side = 0; side < 2; side++)
        samples_take(analysis, side, &samples[side], &signature[side]);
    samples_moved(analysis, analysis->frame[0]->width / 32, &moved[0]);
    samples_moved(analysis, 8, &moved[1]);
    for (uint32_t i = 0; i < SIGNATURE_POINTS; i++) {
        sum += (i + 1.0) * (signature[0].value[i] + 2 * signature[1].value[i] + moved[0].value[i] +
                            3 * moved[1].value[i]);
        for (uint32_t c = 0; c < analysis->channels; c++)
            sum += (i + c) * (double)(samples[0].value[c][i] + 3 * samples[1].value[c][i]);
    }
    return sum;
}

static double means(const struct analysis *analysis)
{
    static struct tones tones;
    const double differ = tones_differ(analysis);
    tones_take(analysis, &tones);
    return differ + sum_of(&tones.own[0], analysis->channels) +
           sum_of(&tones.own[1], analysis->channels);
}

static double differ(const struct analysis *analysis) { return tones_differ(analysis); }
static double black(const struct analysis *analysis) { return black_area_find(analysis); }
static double mirrored(const struct analysis *analysis) { return mirrored_find(analysis); }
static double shift(const struct analysis *analysis) { return shift_find(analysis); }

/* ---- Pairs ----------------------------------------------------------------------------------- */

/* What becomes of OUT. */
enum finding_kind { NOISY, MOVED, MIRRORED, BLACK, BARS, DIM, FAULTS };

static void mirror(const struct image *ref, struct image *out)
{
    for (uint32_t i = 0; i < ref->width * ref->height; i++)
        memcpy(out->rgb + 3 * (size_t)i,
               ref->rgb +
                   3 * (size_t)(i / ref->width * ref->width + ref->width - 1 - i % ref->width),
               3 * sizeof *out->rgb);
}

static struct image spoil(const struct image *ref, enum finding_kind fault)
{
    static const float black_rgb[3] = {0};
    struct image out = image_crop(LEFT + (fault == MOVED ? 3 : 0), TOP, 1, ref->width, ref->height);
    const uint32_t width = out.width, height = out.height;
    if (fault == MIRRORED) mirror(ref, &out);
    if (fault == BLACK) image_fill(&out, width / 3, height / 3, 200, 100, black_rgb);
    if (fault == BARS) image_fill(&out, 0, 0, width, 40, black_rgb);
    if (fault == BARS) image_fill(&out, 0, height - 40, width, 40, black_rgb);
    if (fault == DIM) image_scale(&out, 0.8);
    if (fault != BLACK && fault != BARS) image_noise(&out, 7, fault == NOISY ? 30 : 2);
    return out;
}

/* Lays V into U, as a decoder in a GPU does. */
static void lay_beside(struct shot *shot)
{
    ssimcu_frame *const u = &shot->plane[1], *const v = &shot->plane[2];
    ssimcu_frame both = check_frame(u->width, u->height, 2, 8);
    for (uint32_t y = 0; y < u->height; y++)
        for (uint32_t x = 0; x < u->width; x++) {
            check_set_sample(&both, x, y, 0, check_sample(u, x, y, 0));
            check_set_sample(&both, x, y, 1, check_sample(v, x, y, 0));
        }
    ssimcu_frame_free(u), ssimcu_frame_free(v);
    *u = *v = both;
    v->data = (char *)both.data + 1;
}

/* Looks with a shot at the frames, and at noise. */
static double both_find(const struct shot *ref, const struct shot *out, const ssimcu_score *score,
                        double (*shot)(const struct analysis *))
{
    struct analysis_apart apart;
    static struct hints hints[2];
    struct analysis analysis = {.frame = {ref->plane, out->plane},
                                .planes = ref->planes,
                                .channels = 3,
                                .score = score,
                                .hints = &hints[0]};
    memset(hints, 0, sizeof hints);
    const double found = shot(&analysis);
    analysis_apart_open(&apart, ref->plane, out->plane, ref->planes);
    analysis.frame[0] = apart.frame;
    analysis.frame[1] = apart.frame + HINTS_PLANES;
    analysis.fetch = &apart.base;
    analysis.hints = &hints[1];
    analysis_fetch(&analysis);
    const double fetched = shot(&analysis);
    cr_expect_eq(fetched, found, "%g, not %g", fetched, found);
    cr_expect_arr_eq(&hints[1], &hints[0], sizeof hints[0]);
    analysis_apart_close(&apart);
    return found;
}

/* Large frames, of which each shot reads little. In every other fault V lies in U. */
Test(hints_fetch, every_part_fetches_what_it_reads)
{
    static double (*const shot[])(const struct analysis *) = {points, means,    differ,
                                                              black,  mirrored, shift};
    enum { PARTS = sizeof shot / sizeof *shot };
    uint32_t found[PARTS] = {0};
    for (int i = 0; i < 2 * FAULTS; i++) {
        const int fault = i / 2, yuv = i % 2, paired = yuv && fault % 2;
        struct image ref = image_crop(LEFT, TOP, 1, yuv ? 1600 : 1593, 900);
        struct image out = spoil(&ref, (enum finding_kind)fault);
        const enum kind kind = yuv ? YUV8 : RGB8;
        struct shot a = shot_make(&ref, kind, false), b = shot_make(&out, kind, false);
        const ssimcu_score score = SSIMCU_INIT(score, .score = 0.5);
        if (paired) lay_beside(&a), lay_beside(&b);
        for (int k = 0; k < PARTS; k++) found[k] += both_find(&a, &b, &score, shot[k]) > 0;
        if (paired) a.plane[2].data = b.plane[2].data = NULL;
        shot_release(&a), shot_release(&b);
        image_free(&ref), image_free(&out);
    }
    for (int k = 0; k < PARTS; k++)
        cr_expect(found[k] > 0, "part %d found nothing in any frame", k);
}

/* ---- Lists ----------------------------------------------------------------------------------- */

/* An OUT, and the most lists of patches that a look at it may take. */
struct coded {
    int quality;
    double levels; /* of noise */
    double score;
    uint32_t lists;
};

/* Counts the lists. No tile is broken, as of most encodes. */
static uint32_t count_lists(const struct image *ref, const struct coded *coded)
{
    static struct hints hints;
    static struct signature signature[2];
    const ssimcu_score score = SSIMCU_INIT(score, .score = coded->score,
                                           .worst = {.score = 0.9, .width = 64, .height = 64});
    struct image out = image_copy(ref);
    struct analysis_apart apart;
    image_noise(&out, 7, coded->levels);
    image_jpeg(&out, coded->quality);
    struct shot a = shot_make(ref, YUV8, false), b = shot_make(&out, YUV8, false);
    analysis_apart_open(&apart, a.plane, b.plane, 3);
    analyse_pair(apart.frame, apart.frame + HINTS_PLANES, 3, &score, &apart.base, &hints,
                 signature);
    analysis_apart_close(&apart);
    shot_release(&a), shot_release(&b);
    image_free(&out);
    return apart.lists;
}

/* Each list costs a wait for the GPU. A good pair has one, and one whose search soon ends two. */
Test(hints_fetch, a_usual_pair_takes_few_lists)
{
    static const struct coded rows[] = {
        {75, 0, 0.9, 2}, {45, 0, 0.9, 2}, {15, 0, 0.995, 1}, {75, 10, 0.9, 9}};
    struct image ref = image_crop(0, 0, 1, 1920, 1080);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const uint32_t lists = count_lists(&ref, &rows[i]);
        cr_expect(lists > 0 && lists <= rows[i].lists, "row %zu: %u lists", i, lists);
    }
    image_free(&ref);
}
