/* Learning: the runs of a frame teach its learned limits, and those of all frames of a shot its
 * limits. With too few runs, the frames of a shot teach learned limits that they share. */
#include "calibrate/learn.h"

#include "base/refuse.h"
#include "base/results.h"
#include "base/text.h"
#include "record/contract.h"
#include "record/record_types.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SHOT_SAMPLES = 128 /* kept of a shot; of a longer one every second, fourth, ... */ };

/* A run that is named is this many times beyond a limit that was learnt without it. It is this many
 * times further out than any other run. */
static const double WIDE = 1.5, FURTHER = 1.5;

/* A REF that is named is this many times further out than in most of its tiles, or than in most
 * tiles of the frames before, if there are so many. */
static const double REF_FURTHER = 3;
enum { REF_FRAMES = 3 };

static bool is_shared(const struct learner *learner) { return learner->usable < LEARN_LEAST; }

/* Returns the share of a layer in the wanted rate: a frame is one, whatever it consists of. */
static double rate_of(const struct learner *learner)
{
    return learner->rate / (learner->layers > 1 ? learner->layers : 1);
}

static const char *name_shot(char text[TEXT_FRAME], const char *shot)
{
    if (!shot || strcmp(shot, ".") == 0) return "*";
    snprintf(text, TEXT_FRAME, "%.240s/*", shot);
    return text;
}

/* ---- Runs with a fault ----------------------------------------------------------------------- */

/* Finds the run and rule that are furthest beyond all other runs. Returns by how many times. */
static double find_furthest(const struct learn_sample *sample, uint32_t count, uint32_t *run,
                            enum learned_rule *rule)
{
    double furthest = 0;
    for (int r = 0; r < LEARNED_RULES; r++) {
        double first = -INFINITY, second = 1;
        uint32_t at = 0;
        for (uint32_t i = 0; i < count; i++) {
            const double z = sample[i].excess.z[r];
            if (sample[i].left_out) continue;
            second = fmax(second, fmin(first, z));
            if (z <= first) continue;
            first = z;
            at = i;
        }
        if (first / second <= furthest) continue;
        furthest = first / second;
        *run = at;
        *rule = (enum learned_rule)r;
    }
    return furthest;
}

static void name_run(struct learner *learner, const struct waiting *frame, uint32_t run,
                     enum learned_rule rule, const struct learn_excess *excess, double limit)
{
    char name[TEXT_FRAME], words[LEARNED_WORDS], channel[32] = "";
    const struct learned_place *place = &excess->place[rule];
    if (learned_has_channel(rule))
        snprintf(channel, sizeof channel, " of %s",
                 contract_channel(frame->layout, place->channel));
    learner_note(learner,
                 "%.300s: frame %s is far from the other runs and was not learned: %s %.1f%s at "
                 "%ux%u+%u+%u, where they allow %.1f",
                 learner->run[run], text_frame(name, frame->shot, frame->frame),
                 learned_rule_words(words, rule), excess->z[rule], channel, place->width,
                 place->height, learner->x + place->x, learner->y + place->y, limit);
}

/* Leaves out a run that is far from the others, if there is one; `count` are not left out. Returns
 * whether there was; -1: memory ran out. */
static int leave_out_one(struct learner *learner, struct waiting *frame, size_t count)
{
    uint32_t far = 0;
    enum learned_rule rule = LEARNED_SCORE;
    struct tail tails[LEARNED_RULES];
    if (count <= LEARN_LEAST) return 0;
    if (find_furthest(frame->sample, learner->runs, &far, &rule) < FURTHER) return 0;
    memcpy(tails, learner->tails, sizeof tails); /* of the shot's frames before this one */
    struct learn_sample *sample = &frame->sample[far];
    sample->left_out = true;
    if (!learn_leave_one_out(frame->sample, learner->runs, tails)) return -1;
    const uint64_t before = learner->shot[learner->shots - 1].samples;
    const double limit = tail_limit(&tails[rule], before + count - 1, rate_of(learner));
    sample->left_out = sample->excess.z[rule] > WIDE * limit;
    if (!sample->left_out) return 0;
    name_run(learner, frame, far, rule, &sample->excess, limit);
    learner->left_out++;
    return 1;
}

/* ---- REF with a fault ------------------------------------------------------------------------ */

/* Returns whether REF is far from all runs of a frame, which are alike, and says so. `samples`: how
 * many the tails are of. A REF that was made in another way is as far in many tiles: that is what
 * it always shows. Runs that are the same say nothing of it. -1: memory ran out. */
static int check_ref(struct learner *learner, const struct waiting *frame,
                     const struct learned_frame *learned, const struct tail *tails,
                     uint64_t samples)
{
    struct learnt_shot *shot = &learner->shot[learner->shots - 1];
    const struct learn_sample *sample = frame->sample;
    char name[TEXT_FRAME];
    struct checks_ref ref;
    while (sample->left_out) sample++;
    if (!checks_judge_ref(learned, sample->values.ignored, &ref)) return -1;
    const double limit = tail_limit(&tails[LEARNED_LEVEL_SHIFT], samples, rate_of(learner));
    const double most = shot->frames < REF_FRAMES ? ref.most : fmin(ref.most, shot->ref_most);
    if (!(limit > 0 && ref.z > WIDE * limit && ref.z > REF_FURTHER * most)) {
        shot->ref_most = fmax(shot->ref_most, ref.most);
        return 0;
    }
    learner_note(learner,
                 "frame %s was not learned, because REF is far from all its runs: level shift %.1f "
                 "of %s at %ux%u+%u+%u, where they allow %.1f",
                 text_frame(name, frame->shot, frame->frame), ref.z,
                 contract_channel(frame->layout, ref.place.channel), ref.place.width,
                 ref.place.height, learner->x + ref.place.x, learner->y + ref.place.y, limit);
    learner->left_out++;
    return 1;
}

/* ---- Frames ---------------------------------------------------------------------------------- */

/* Leaves out the runs that lack a frame, or have it in another size. Returns how many are left. */
static size_t choose_runs(const struct learner *learner, struct waiting *frame)
{
    const struct learned_grid *grid = NULL;
    size_t left = 0;
    for (uint32_t i = 0; i < learner->runs; i++) {
        struct learn_sample *sample = &frame->sample[i];
        const struct learned_grid *own = &sample->values.grid;
        sample->left_out = !sample->values.value[0] || (grid && !learned_same_grid(own, grid));
        if (sample->left_out) continue;
        grid = own;
        left++;
    }
    return left;
}

/* Checks that all runs ignore the same tiles of a frame: learned limits are of the frame, not of a
 * run. */
static ssimcu_status check_ignored(const struct learner *learner, const struct waiting *frame,
                                   ssimcu_message *message)
{
    const struct learned_values *last = NULL;
    char name[TEXT_FRAME];
    for (uint32_t i = 0; i < learner->runs; i++) {
        const struct learned_values *values = &frame->sample[i].values;
        if (frame->sample[i].left_out) continue;
        if (last && !learned_same_ignored(values, last))
            FAIL(MISMATCH,
                 "calibrate: the runs of frame %s ignore different tiles: expected rules that "
                 "match frames, not runs",
                 text_frame(name, frame->shot, frame->frame));
        last = values;
    }
    return SSIMCU_OK;
}

/* Judges the trials of a frame, except those of runs that were left out, for its shot. */
static bool judge_injection(struct learner *learner, struct waiting *frame,
                            const struct learned_frame *learned)
{
    struct injection *injection = &frame->injection;
    for (size_t i = injection->count; i-- > 0;)
        if (frame->sample[injection->trial[i].run].left_out) {
            learned_values_free(&injection->trial[i].values);
            injection->trial[i] = injection->trial[--injection->count];
        }
    injection_judge(injection, learned);
    return injection_move(&learner->injection, injection);
}

/* Learns the learned limits of a frame from `count` runs, and adds to what its shot shows. */
static ssimcu_status learn_runs(struct learner *learner, struct waiting *frame, size_t count,
                                ssimcu_message *message)
{
    struct tail tails[LEARNED_RULES];
    struct learned_frame learned;
    int again = 1;
    for (; again > 0; count -= again > 0) {
        memcpy(tails, learner->tails, sizeof tails);
        if (!learn_leave_one_out(frame->sample, learner->runs, tails)) return no_memory(message);
        again = leave_out_one(learner, frame, count);
    }
    if (again < 0 || !learn_statistics(frame->sample, learner->runs, &learned))
        return no_memory(message);
    const uint64_t samples = learner->shot[learner->shots - 1].samples + count;
    const int questioned = check_ref(learner, frame, &learned, tails, samples);
    if (questioned != 0) {
        learned_frame_free(&learned);
        return questioned > 0 ? SSIMCU_OK : no_memory(message);
    }
    memcpy(learner->tails, tails, sizeof tails);
    learner->shot[learner->shots - 1].samples = samples;
    learner->shot[learner->shots - 1].frames++;
    learner->frames++;
    ssimcu_status status =
        learned_writer_add(learner->writer, frame->shot, frame->frame, &learned, message);
    if (status == SSIMCU_OK && !judge_injection(learner, frame, &learned))
        status = no_memory(message);
    learned_frame_free(&learned);
    return status;
}

/* Keeps the values of a frame for its shot. */
static ssimcu_status keep(struct learner *learner, struct waiting *frame, ssimcu_message *message)
{
    bool any = false;
    if (!learner->sample) learner->sample = calloc(SHOT_SAMPLES, sizeof *learner->sample);
    if (!learner->sample) return no_memory(message);
    for (uint32_t i = 0; i < learner->runs; i++) {
        struct learned_values *values = &frame->sample[i].values;
        const struct learned_values *first = &learner->sample->values;
        if (!values->value[0]) continue;
        const bool sized = learner->samples == 0 || learned_same_grid(&values->grid, &first->grid);
        if (!sized || (learner->samples > 0 && !learned_same_ignored(values, first)))
            FAIL(MISMATCH,
                 "calibrate: the frames of a shot %s: expected at least %d runs to learn each "
                 "frame separately",
                 sized ? "ignore different tiles" : "have different sizes", LEARN_LEAST);
        any = true;
        if (learner->seen++ % learner->stride != 0) continue;
        if (learner->samples == SHOT_SAMPLES) {
            for (size_t s = 0; s < SHOT_SAMPLES / 2; s++) {
                learner->sample[s] = learner->sample[2 * s];
                learned_values_free(&learner->sample[2 * s + 1].values);
            }
            learner->samples /= 2;
            learner->stride *= 2;
        }
        learner->sample[learner->samples++].values = *values;
        *values = (struct learned_values){0};
    }
    learner->shot[learner->shots - 1].frames += any;
    return injection_move(&learner->injection, &frame->injection) ? SSIMCU_OK : no_memory(message);
}

/* Begins a shot if the frame is the first of its shot. */
static ssimcu_status go_to_shot(struct learner *learner, const char *shot, ssimcu_message *message)
{
    const struct learnt_shot *last = learner->shots > 0 ? &learner->shot[learner->shots - 1] : NULL;
    struct learnt_shot begun = {0};
    if (last && record_order(last->shot, 0, shot, 0) == 0 && (last->shot != NULL) == (shot != NULL))
        return SSIMCU_OK;
    if (last) TRY(learner_end_shot(learner, message));
    if (!results_grow(&learner->shot, learner->shots, &learner->shot_room, sizeof begun) ||
        !text_copy(&begun.shot, shot))
        return no_memory(message);
    learner->shot[learner->shots++] = begun;
    memset(learner->tails, 0, sizeof learner->tails);
    learner->seen = 0;
    learner->stride = 1;
    return SSIMCU_OK;
}

ssimcu_status learner_frame(struct learner *learner, struct waiting *frame, ssimcu_message *message)
{
    char name[TEXT_FRAME];
    TRY(go_to_shot(learner, frame->shot, message));
    checks_take(&learner->checks, frame->sample);
    text_frame(name, frame->shot, frame->frame);
    if (frame->unread != 0)
        FAIL(FILE, "frame %s: cannot identify REF: %s", name, strerror(frame->unread));
    if (frame->referred)
        TRY(learned_writer_refer(learner->writer, frame->shot, frame->frame, &frame->reference,
                                 message));
    if (is_shared(learner)) return keep(learner, frame, message);
    const size_t count = choose_runs(learner, frame);
    if (count < LEARN_LEAST) {
        learner_note(learner,
                     "frame %s was not learned: %zu of %u runs have it, expected at least %d", name,
                     count, learner->usable, LEARN_LEAST);
        return SSIMCU_OK;
    }
    TRY(check_ignored(learner, frame, message));
    return learn_runs(learner, frame, count, message);
}

/* ---- Shots ----------------------------------------------------------------------------------- */

/* Learns learned limits that the frames of a shot share. */
static ssimcu_status learn_shared(struct learner *learner, struct learnt_shot *shot,
                                  ssimcu_message *message)
{
    struct learned_frame learned;
    const bool named = shot->shot && strcmp(shot->shot, ".") != 0;
    char name[TEXT_FRAME];
    if (learner->samples == 0) return SSIMCU_OK;
    if (shot->frames < LEARN_FRAMES)
        FAIL(
            DATA,
            "calibrate: %s%sfound %llu frame%s of %u run%s, expected at least %d runs or %d frames",
            named ? name_shot(name, shot->shot) : "", named ? ": " : "",
            (unsigned long long)shot->frames, text_plural(shot->frames), learner->usable,
            text_plural(learner->usable), LEARN_LEAST, LEARN_FRAMES);
    if (!learn_leave_one_out(learner->sample, learner->samples, learner->tails) ||
        !learn_statistics(learner->sample, learner->samples, &learned))
        return no_memory(message);
    shot->samples = learner->samples;
    learner->frames += shot->frames;
    const ssimcu_status status =
        learned_writer_add(learner->writer, shot->shot, LEARNED_FILE_SHOT, &learned, message);
    injection_judge(&learner->injection, &learned);
    learned_frame_free(&learned);
    for (size_t i = 0; i < learner->samples; i++) learned_values_free(&learner->sample[i].values);
    learner->samples = 0;
    return status;
}

/* Says what was learnt of a shot, and from how much. */
static ssimcu_status tell(const struct learner *learner, const struct learnt_shot *shot,
                          ssimcu_message *message)
{
    char text[1024], name[TEXT_FRAME];
    int used = snprintf(
        text, sizeof text,
        "%s: %llu frame%s of %u run%s; max_excess in standard deviations, higher is less strict:",
        name_shot(name, shot->shot), (unsigned long long)shot->frames, text_plural(shot->frames),
        learner->usable, text_plural(learner->usable));
    if (!learner->hooks->call.line) return SSIMCU_OK;
    for (int r = 0; r < LEARNED_RULES; r++)
        used += snprintf(text + used, sizeof text - (size_t)used, "%s %s %.1f", r > 0 ? "," : "",
                         learned_rule_names[r], shot->limit[r]);
    snprintf(text + used, sizeof text - (size_t)used,
             ", from the tail of %llu tiles in %llu %s, each judged by the others",
             (unsigned long long)learner->tails->values, (unsigned long long)shot->samples,
             is_shared(learner) ? "frames of the shot" : "frames");
    return hooks_failed(hooks_print_line(learner->hooks, text), message);
}

/* Keeps the tails for a page, if there is one. Returns false if memory runs out. */
static bool keep_tails(const struct learner *learner, struct learnt_shot *shot)
{
    if (!learner->keeps) return true;
    shot->tails = malloc(sizeof learner->tails);
    if (shot->tails) memcpy(shot->tails, learner->tails, sizeof learner->tails);
    return shot->tails != NULL;
}

/* Returns what was found in the shot's layer so far; NULL if memory runs out. */
static struct injection_found *found_of(struct learner *learner, const struct learnt_shot *shot)
{
    const char *slash = learner->by_layer && shot->shot ? strrchr(shot->shot, '/') : NULL;
    const char *layer = !learner->by_layer ? NULL : slash ? slash + 1 : shot->shot;
    for (size_t i = 0; i < learner->founds; i++)
        if (!layer || strcmp(learner->found[i].layer, layer) == 0) return &learner->found[i];
    struct injection_found found = {0};
    if (!results_grow(&learner->found, learner->founds, &learner->found_room, sizeof found) ||
        !text_copy(&found.layer, layer))
        return NULL;
    learner->found[learner->founds] = found;
    return &learner->found[learner->founds++];
}

ssimcu_status learner_end_shot(struct learner *learner, ssimcu_message *message)
{
    char name[TEXT_FRAME];
    if (learner->shots == 0) return SSIMCU_OK;
    struct learnt_shot *shot = &learner->shot[learner->shots - 1];
    if (is_shared(learner)) TRY(learn_shared(learner, shot, message));
    if (shot->frames == 0) { /* none of its frames could be learnt */
        free(shot->shot);
        learner->shots--;
        return SSIMCU_OK;
    }
    if (!keep_tails(learner, shot)) return no_memory(message);
    for (int r = 0; r < LEARNED_RULES; r++) {
        const struct tail *tail = &learner->tails[r];
        if (tail->count > 0) shot->highest[r] = tail->largest[tail->count - 1];
        shot->limit[r] = tail_limit(tail, shot->samples, rate_of(learner));
        if (isnan(shot->limit[r]))
            FAIL(DATA,
                 "calibrate: %s has too few tiles to find limits: expected smaller tiles (--tile) "
                 "or more frames",
                 name_shot(name, shot->shot));
        shot->limit[r] = fmax(shot->limit[r], 1);
    }
    struct injection_found *found = found_of(learner, shot);
    if (!found) return no_memory(message);
    injection_count(&learner->injection, shot->limit, found);
    return tell(learner, shot, message);
}
