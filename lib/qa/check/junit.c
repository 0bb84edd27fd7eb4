#include "check/junit.h"

#include "base/draft.h"
#include "base/guard.h"
#include "base/refuse.h"
#include "base/results.h"
#include "base/text.h"
#include "base/xml.h"
#include "lines/junit.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char START[] = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n";

ssimcu_status check_junit_open(const char *path, struct check_junit *junit, ssimcu_message *message)
{
    if (!path) return SSIMCU_OK;
    const ssimcu_status status = guard_remove(path, &junit_kind, message);
    if (status == SSIMCU_OK) junit->cases = open_memstream(&junit->text, &junit->size);
    return status != SSIMCU_OK || junit->cases ? status : no_memory(message);
}

/* Writes the findings that fail a frame, a line each. */
static void put_findings(FILE *to, const struct findings_list *found, check_mask fails,
                         const struct finding *first)
{
    const bool error = first->kind == CHECK_UNREADABLE || first->kind == CHECK_MISSING;
    const char *element = error ? "error" : "failure";
    fprintf(to, ">\n      <%s type=\"%s\"", element, check_kind_name(first->kind));
    xml_attribute(to, "message", first->text);
    fputc('>', to);
    for (size_t i = 0; i < found->count; i++) {
        const struct finding *finding = &found->finding[i];
        const struct check_place *place = &finding->place;
        if (!(fails >> finding->kind & 1)) continue;
        fprintf(to, "%s: ", check_kind_name(finding->kind));
        xml_text(to, finding->text);
        if (place->width > 0)
            fprintf(to, " at %ux%u+%u+%u", place->width, place->height, place->x, place->y);
        fputc('\n', to);
    }
    fprintf(to, "</%s>\n    </testcase>\n", element);
}

void check_junit_add(struct check_junit *junit, const struct check_shot *shot,
                     const struct shot_frame *frame, check_mask fails)
{
    FILE *const to = junit->cases;
    const struct finding *first = NULL;
    char name[32];
    if (!to) return;
    for (size_t i = 0; i < frame->found.count && !first; i++)
        if (fails >> frame->found.finding[i].kind & 1) first = &frame->found.finding[i];
    snprintf(name, sizeof name, "frame %" PRId64, frame->number);
    fputs("    <testcase", to);
    xml_attribute(to, "classname", shot->name);
    xml_attribute(to, "name", frame->number < 0 && frame->path ? text_base(frame->path) : name);
    junit->count++;
    if (!first) {
        fputs("/>\n", to);
        return;
    }
    const bool error = first->kind == CHECK_UNREADABLE || first->kind == CHECK_MISSING;
    junit->errors += error;
    junit->failures += !error;
    put_findings(to, &frame->found, fails, first);
}

static void put_all(FILE *to, const struct check_junit *junit, const ssimcu_run_options *run)
{
    fprintf(to,
            "%s  <testsuite name=\"ssimcu check\" tests=\"%" PRIu64 "\" failures=\"%" PRIu64
            "\" errors=\"%" PRIu64 "\" skipped=\"0\">\n    <properties>\n",
            START, junit->count, junit->failures, junit->errors);
    fprintf(to, "      <property name=\"ssimcu\" value=\"%s\"/>\n", ssimcu_version());
    for (uint32_t i = 0; i < run->outs; i++) {
        fputs("      <property name=\"frames\"", to);
        xml_attribute(to, "value", run->out[i]);
        fputs("/>\n", to);
    }
    if (run->list) {
        fputs("      <property name=\"list\"", to);
        xml_attribute(to, "value", run->list);
        fputs("/>\n", to);
    }
    fputs("    </properties>\n", to);
    if (junit->text) fwrite(junit->text, 1, junit->size, to);
    fputs("    <system-out/>\n    <system-err/>\n  </testsuite>\n</testsuites>\n", to);
}

ssimcu_status check_junit_end(struct check_junit *junit, const ssimcu_run_options *run,
                              ssimcu_message *message)
{
    struct draft draft;
    if (!junit->cases) return SSIMCU_OK;
    const bool lost = ferror(junit->cases) || fclose(junit->cases) != 0;
    junit->cases = NULL;
    if (lost) return no_memory(message);
    ssimcu_status status = draft_open(&draft, run->junit, results_beside(run->junit, ".tmp"),
                                      &junit_kind, DRAFT_REPLACE, message);
    if (draft.file) put_all(draft.file, junit, run);
    if (status == SSIMCU_OK) status = draft_end(&draft, 0, message);
    draft_drop(&draft);
    return status;
}

void check_junit_free(struct check_junit *junit)
{
    if (junit->cases) fclose(junit->cases);
    free(junit->text);
    *junit = (struct check_junit){0};
}
