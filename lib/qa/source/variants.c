#include "source/variants.h"

#include "base/refuse.h"
#include "base/results.h"
#include "pair/pair.h"
#include "record/record.h"
#include "source/kind.h"

#include <stdlib.h>
#include <string.h>

struct variants {
    ssimcu_image_options image;
    uint32_t count;
    struct variant {
        struct source_input input;
        struct source *source;
        struct variant_frame *frame; /* sorted by shot and OUT */
        size_t frames, room;
    } variant[SOURCE_MOST_VARIANTS];
};

static int by_out(const void *a, const void *b)
{
    const struct variant_frame *x = a, *y = b;
    const int shots = strcmp(x->shot ? x->shot : "", y->shot ? y->shot : "");
    return shots ? shots : strcmp(x->out, y->out);
}

/* Adds the frame of a pair, and takes its texts. Returns false if memory ran out. */
static bool add_frame(struct variant *variant, struct pair *pair)
{
    if (!results_grow(&variant->frame, variant->frames, &variant->room, sizeof *variant->frame))
        return false;
    struct record *record = pair->record;
    variant->frame[variant->frames++] =
        (struct variant_frame){record->side[1].path, record->shot, record->side[0], pair->place[0]};
    record->shot = record->side[0].path = record->side[1].path = NULL;
    return true;
}

/* Lists the frames that the variant and OUT have. */
static ssimcu_status list_frames(struct variant *variant, ssimcu_message *message)
{
    struct source *source = variant->source;
    bool good = true; /* a pair fails this early only for lack of memory */
    for (;;) {
        struct record record = {0};
        struct pair pair = {.record = &record};
        if (!source->kind->next(source, &pair)) break;
        good = good && record.kind != RECORD_FAILED;
        if (record.kind == RECORD_SCORED) good = add_frame(variant, &pair) && good;
        record_clear(&record);
    }
    if (variant->frames > 0) qsort(variant->frame, variant->frames, sizeof *variant->frame, by_out);
    return good ? SSIMCU_OK : no_memory(message);
}

static ssimcu_status open_one(const struct source_input *input, const char *path,
                              struct variants *variants, ssimcu_message *message)
{
    struct variant *variant = &variants->variant[variants->count++];
    ssimcu_message cause = {{0}};
    variant->input = *input;
    variant->input.path[0] = path;
    variant->input.expected_count = 0; /* a variant cannot stand for frames that it lacks */
    variant->input.limits = &variants->image;
    enum form form[2] = {FORM_PICTURE, FORM_PICTURE};
    ssimcu_status status = kind_forms(&variant->input, form, &cause);
    if (status == SSIMCU_OK && (form[0] & (FORM_VIDEO | FORM_RAW)))
        status = refuse(&cause, "expected pictures, not video");
    if (status == SSIMCU_OK) status = source_open(&variant->input, &variant->source, &cause);
    if (status == SSIMCU_OK) status = list_frames(variant, &cause);
    return status == SSIMCU_OK
               ? status
               : ssimcu_fail(message, status, "--or %.200s: %.300s", path, cause.text);
}

ssimcu_status variants_open(const struct source_input *input, const char *const *path,
                            uint32_t count, struct variants **variants, ssimcu_message *message)
{
    struct variants *made = *variants = calloc(1, sizeof *made);
    ssimcu_status status = SSIMCU_OK;
    if (!made) return no_memory(message);
    made->image = kind_options(input);
    made->image.remark = NULL; /* remarks about OUT are reported elsewhere */
    for (uint32_t i = 0; i < count && i < SOURCE_MOST_VARIANTS && status == SSIMCU_OK; i++)
        status = open_one(input, path[i], made, message);
    if (status == SSIMCU_OK) return status;
    variants_close(made);
    *variants = NULL;
    return status;
}

void variants_close(struct variants *variants)
{
    for (uint32_t i = 0; variants && i < variants->count; i++) {
        struct variant *variant = &variants->variant[i];
        for (size_t k = 0; k < variant->frames; k++) {
            free(variant->frame[k].out);
            free(variant->frame[k].shot);
            free(variant->frame[k].ref.path);
        }
        free(variant->frame);
        source_close(variant->source);
    }
    free(variants);
}

uint32_t variants_count(const struct variants *variants) { return variants->count; }

const struct variant_frame *variants_find(const struct variants *variants, uint32_t at,
                                          const struct record *record)
{
    const struct variant *variant = &variants->variant[at];
    const struct variant_frame key = {.out = record->side[1].path, .shot = record->shot};
    if (!key.out || variant->frames == 0) return NULL;
    return bsearch(&key, variant->frame, variant->frames, sizeof key, by_out);
}

ssimcu_status variants_load(const struct variants *variants, uint32_t at, struct pair *pair,
                            ssimcu_message *message)
{
    const struct source *source = variants->variant[at].source;
    return source->kind->load(source, pair, message);
}

struct visitor {
    source_visit *visit;
    void *user;
};

/* Passes on the files of REF, which is the variant. */
static bool visit_reference(void *user, const char *role, const char *path)
{
    const struct visitor *visitor = user;
    return strcmp(role, "REF") != 0 || visitor->visit(visitor->user, "--or", path);
}

bool variants_visit_files(const struct variants *variants, source_visit *visit, void *user)
{
    struct visitor visitor = {visit, user};
    bool going = true;
    for (uint32_t i = 0; going && variants && i < variants->count; i++)
        going = source_visit_files(variants->variant[i].source, visit_reference, &visitor);
    return going;
}
