#include "check/page/collect.h"

#include "base/results.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

static const char *text_of(const json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));
    return text ? text : "";
}

static uint32_t pixels_of(const json_t *object, const char *name)
{
    const json_int_t value = json_integer_value(json_object_get(object, name));
    return value > 0 && value <= INT32_MAX ? (uint32_t)value : 0;
}

/* Returns a number of frames, which another program may have written. */
static uint64_t number_of(const json_t *object)
{
    const double number = json_number_value(json_object_get(object, "number"));
    return number > 0 && number < 1e15 ? (uint64_t)number : 0;
}

/* Returns the number of a line's frame; -1: it has none. */
static int64_t frame_of(const json_t *line)
{
    const json_t *number = json_object_get(line, "frame");
    return json_is_integer(number) && json_integer_value(number) >= 0 ? json_integer_value(number)
                                                                      : -1;
}

/* ---- Sequences ------------------------------------------------------------------------------- */

static bool set_frame(struct collected_frame *to, const char *path, int64_t frame)
{
    free(to->path);
    to->frame = frame;
    return text_copy(&to->path, path);
}

/* Returns whether a finding of this kind says that the frame could not be looked at. */
static bool is_unread(const char *kind)
{
    return strcmp(kind, "unreadable") == 0 || strcmp(kind, "layers") == 0;
}

/* Returns the sequence of a line, which is the last one or begins here; NULL: memory ran out. */
static struct collected_sequence *sequence_of(struct collected *all, const json_t *line)
{
    const char *name = text_of(line, "sequence");
    const size_t count = all->sequences;
    if (count > 0 && strcmp(all->sequence[count - 1].name, name) == 0)
        return &all->sequence[count - 1];
    if (!results_grow(&all->sequence, count, &all->sequence_room, sizeof *all->sequence))
        return NULL;
    struct collected_sequence *made = &all->sequence[count];
    *made = (struct collected_sequence){.name = strdup(name), .first = -1, .last = -1, .per = 1};
    all->sequences++;
    if (!made->name || !set_frame(&all->last, NULL, -1) ||
        !text_copy(&made->layer, json_string_value(json_object_get(line, "layer"))))
        return NULL;
    for (size_t k = 0; k < all->kinds; k++) all->kind[k].rank = 0;
    all->waiting = all->findings;
    return made;
}

/* Makes each place of a strip stand for twice as many numbers. */
static void halve(struct collected_sequence *sequence)
{
    uint8_t *strip = sequence->strip;
    for (size_t i = 0; i < COLLECT_STRIP; i++) {
        const uint8_t a = 2 * i < COLLECT_STRIP ? strip[2 * i] : 0,
                      b = 2 * i + 1 < COLLECT_STRIP ? strip[2 * i + 1] : 0;
        strip[i] = a > b ? a : b;
    }
    sequence->per *= 2;
}

/* Marks the place of a frame in its sequence's strip. */
static bool mark(struct collected_sequence *sequence, int64_t frame, bool fails)
{
    const bool numbered = sequence->first >= 0 && frame > sequence->first;
    const int64_t from = numbered ? frame - sequence->first : 0;
    if (!sequence->strip) sequence->strip = calloc(COLLECT_STRIP, 1);
    if (!sequence->strip) return false;
    while (from / sequence->per >= COLLECT_STRIP) halve(sequence);
    uint8_t *place = &sequence->strip[from / sequence->per];
    if (*place < 1 + fails) *place = 1 + fails;
    return true;
}

/* ---- Findings -------------------------------------------------------------------------------- */

/* Returns the kind of this name; NULL: there are too many. */
static struct collected_kind *kind_of(struct collected *all, const char *name)
{
    for (size_t k = 0; k < all->kinds; k++)
        if (strcmp(all->kind[k].name, name) == 0) return &all->kind[k];
    if (all->kinds == COLLECT_KINDS || strlen(name) >= sizeof all->kind->name) return NULL;
    strcpy(all->kind[all->kinds].name, name);
    return &all->kind[all->kinds++];
}

static bool keep(struct collected *all, const json_t *json, const struct collected_kind *kind,
                 const struct collected_frame *here)
{
    if (!results_grow(&all->finding, all->findings, &all->finding_room, sizeof *all->finding))
        return false;
    struct collected_finding *made = &all->finding[all->findings++];
    *made = (struct collected_finding){.sequence = all->sequences - 1,
                                       .rank = kind->rank,
                                       .kind = kind->name,
                                       .fails = json_is_true(json_object_get(json, "fails")),
                                       .unreadable = is_unread(kind->name),
                                       .frame = here->frame,
                                       .x = pixels_of(json, "x"),
                                       .y = pixels_of(json, "y"),
                                       .width = pixels_of(json, "width"),
                                       .height = pixels_of(json, "height"),
                                       .at = {[BEHIND] = {NULL, -1}}};
    all->kept[made->fails]++;
    return text_copy(&made->text, text_of(json, "text")) &&
           set_frame(&made->at[BEFORE], all->last.path, all->last.frame) &&
           set_frame(&made->at[HERE], here->path, here->frame);
}

static bool add_finding(struct collected *all, const json_t *json,
                        const struct collected_frame *here)
{
    struct collected_kind *kind = kind_of(all, text_of(json, "kind"));
    const bool fails = json_is_true(json_object_get(json, "fails"));
    const uint64_t most = fails ? COLLECT_FAILING : COLLECT_OTHERS;
    struct collected_sequence *sequence = &all->sequence[all->sequences - 1];
    all->failing[fails]++;
    if (!here->path && kind && strcmp(kind->name, "missing") == 0)
        sequence->missing += number_of(json);
    if (!kind) return true;
    *(fails ? &kind->failing : &kind->others) += 1;
    const bool kept =
        all->kept[fails] >= most || kind->rank >= COLLECT_OF_KIND || keep(all, json, kind, here);
    kind->rank++;
    return kept;
}

/* Gives findings that wait for it the frame behind them. */
static bool end_waiting(struct collected *all, const struct collected_frame *here)
{
    bool good = true;
    for (; all->waiting < all->findings && good; all->waiting++)
        good = set_frame(&all->finding[all->waiting].at[BEHIND], here->path, here->frame);
    return good;
}

/* ---- Lines ----------------------------------------------------------------------------------- */

static bool is_read(const json_t *findings)
{
    for (size_t i = 0; i < json_array_size(findings); i++)
        if (is_unread(text_of(json_array_get(findings, i), "kind"))) return false;
    return true;
}

static void count(struct collected *all, struct collected_sequence *sequence, bool there, bool read,
                  const json_t *json)
{
    const bool found = json_array_size(json_object_get(json, "findings")) > 0;
    const bool failed = !json_is_true(json_object_get(json, "passed"));
    sequence->frames += there, all->frames += there;
    sequence->read += read, all->read += read;
    sequence->found += found, all->found += found;
    sequence->failed += failed, all->failed += failed;
}

static bool add_frame(struct collected *all, const json_t *json)
{
    const json_t *findings = json_object_get(json, "findings");
    const char *path = json_string_value(json_object_get(json, "path"));
    struct collected_sequence *sequence = sequence_of(all, json);
    struct collected_frame here = {NULL, frame_of(json)};
    const bool read = path && is_read(findings);
    if (!sequence || !text_copy(&here.path, path)) return false;
    if (sequence->first < 0) sequence->first = here.frame;
    if (sequence->last < here.frame) sequence->last = here.frame;
    count(all, sequence, path != NULL, read, json);
    const uint64_t before = sequence->missing;
    bool good = !read || end_waiting(all, &here);
    for (size_t i = 0; i < json_array_size(findings) && good; i++)
        good = add_finding(all, json_array_get(findings, i), &here);
    if (good && json_array_size(findings) > 0)
        good = mark(sequence, here.frame, !json_is_true(json_object_get(json, "passed")));
    all->missing += sequence->missing - before;
    if (good && read) good = set_frame(&all->last, here.path, here.frame);
    free(here.path);
    return good;
}

void collect_line(struct collected *all, const char *line, struct inputs *inputs)
{
    ssimcu_status status = SSIMCU_OK;
    if (all->out_of_memory) return;
    json_t *json = json_from_text(line, strlen(line), &status);
    const char *type = text_of(json, "type");
    if (status == SSIMCU_ERROR_MEMORY) all->out_of_memory = true;
    if (strcmp(type, "frame") == 0 && !add_frame(all, json)) all->out_of_memory = true;
    json_t **own = strcmp(type, "check") == 0     ? &all->header
                   : strcmp(type, "summary") == 0 ? &all->summary
                                                  : NULL;
    inputs_add(inputs, json_string_value(json_object_get(json, "path")));
    if (own) {
        json_decref(*own);
        *own = json_incref(json);
    }
    json_decref(json);
}

void collect_free(struct collected *all)
{
    for (size_t i = 0; i < all->findings; i++) {
        free(all->finding[i].text);
        for (int k = 0; k < BESIDE; k++) free(all->finding[i].at[k].path);
    }
    for (size_t i = 0; i < all->sequences; i++) {
        free(all->sequence[i].name), free(all->sequence[i].layer);
        free(all->sequence[i].strip);
    }
    free(all->finding), free(all->sequence);
    free(all->last.path);
    json_decref(all->header), json_decref(all->summary);
    *all = (struct collected){0};
}
