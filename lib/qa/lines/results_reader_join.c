/* Joins the lines of several files: one line per frame. */
#include "base/refuse.h"
#include "base/text.h"
#include "lines/lines.h"
#include "lines/results_reader_lines.h"
#include "record/record.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The largest allowed difference between two devices' scores of one frame. */
static const double DEVICES_DIFFER = 1e-6;

void results_reader_free_line(struct results_line *line)
{
    free(line->text);
    free(line->shot);
    free(line->side.path);
}

int results_reader_by_frame(const void *a, const void *b)
{
    const struct results_line *x = a, *y = b;
    return record_order(x->shot, x->frame, y->shot, y->frame);
}

static int by_frame_and_place(const void *a, const void *b)
{
    const struct results_line *x = a, *y = b;
    const int order = results_reader_by_frame(a, b);
    return order ? order : (x->place > y->place) - (x->place < y->place);
}

/* Returns whether two frames without a reference have the same findings. */
static bool found_alike(const struct findings *a, const struct findings *b)
{
    bool alike = a->count == b->count;
    for (size_t i = 0; i < a->count && alike; i++)
        alike = a->at[i].kind == b->at[i].kind && strcmp(a->at[i].text, b->at[i].text) == 0;
    return alike;
}

/* Returns whether two scores can belong to one frame. */
static bool scored_alike(const struct results_line *a, const struct record *x,
                         const struct results_line *b, const struct record *y)
{
    const char *first = header_device(a->device, x->scored.backend);
    const char *second = header_device(b->device, y->scored.backend);
    const bool differ = strcmp(x->scored.backend, y->scored.backend) != 0 ||
                        (first && second && strcmp(first, second) != 0);
    return fabs(x->scored.score - y->scored.score) <= (differ ? DEVICES_DIFFER : 0) ||
           (isnan(x->scored.score) && isnan(y->scored.score));
}

/* Sets *same to whether two scored lines, or two of a check, can belong to one frame. Errors:
 * MEMORY.
 */
static ssimcu_status compare(const struct results_line *a, const struct results_line *b, bool *same,
                             ssimcu_message *message)
{
    struct record x = {0}, y = {0};
    if (!a->text || !b->text) { /* without findings */
        *same = !a->text && !b->text;
        return SSIMCU_OK;
    }
    const bool good =
        record_from_json(a->text, &x) == SSIMCU_OK && record_from_json(b->text, &y) == SSIMCU_OK;
    if (good)
        *same = x.kind == RECORD_CHECKED ? found_alike(&x.findings, &y.findings)
                                         : scored_alike(a, &x, b, &y);
    record_clear(&x);
    record_clear(&y);
    return good ? SSIMCU_OK : no_memory(message); /* both lines were read before */
}

/* Keeps the better of two lines of one frame in *into, and frees the other one's text. */
static ssimcu_status settle(struct results_line *into, const struct results_line *other,
                            bool latest, bool check, const char *path, ssimcu_message *message)
{
    const bool both = into->scored && other->scored, newer = other->place > into->place;
    const bool replace = into->scored != other->scored ? other->scored : newer == (both && latest);
    bool same = true;
    char name[TEXT_FRAME];
    ssimcu_status status = SSIMCU_OK;
    if (both && !latest) status = compare(into, other, &same, message);
    struct results_line lost = replace ? *into : *other;
    if (replace) *into = *other;
    results_reader_free_line(&lost);
    if (same) return status;
    FAIL(MISMATCH, "%.200s: frame %s has %s than in an earlier file", path,
         text_frame(name, into->shot, into->frame), check ? "other findings" : "another score");
}

/* Returns whether two lines with one number belong to two files, such as a.1.png and a.01.png. */
static bool are_two(const struct results_reader *earlier, const struct results_line *a,
                    const struct results_line *b)
{
    return earlier->header.check && a->file == b->file;
}

/* Sorts the lines and keeps one for each frame. */
ssimcu_status results_reader_join(struct results_reader *earlier, bool latest, const char *path,
                                  ssimcu_message *message)
{
    ssimcu_status status = SSIMCU_OK;
    struct results_line *line = earlier->line;
    size_t n = 0;
    if (earlier->count > 0) qsort(line, earlier->count, sizeof *line, by_frame_and_place);
    for (size_t i = 0; i < earlier->count; i++) {
        if (n == 0 || results_reader_by_frame(&line[n - 1], &line[i]) != 0 ||
            are_two(earlier, &line[n - 1], &line[i])) {
            line[n++] = line[i];
        } else {
            const ssimcu_status now =
                settle(&line[n - 1], &line[i], latest, earlier->header.check, path, message);
            if (status == SSIMCU_OK) status = now;
        }
    }
    earlier->count = n;
    return status;
}
