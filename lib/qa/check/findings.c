#include "check/findings.h"

#include "base/refuse.h"
#include "base/results.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A kind fails by default if clean work does not have it. */
static const struct {
    const char *name;
    bool fails;
} ROWS[CHECK_KINDS] = {
    [CHECK_UNREADABLE] = {"unreadable", true},
    [CHECK_MISSING] = {"missing", true},
    [CHECK_SIZE] = {"size", true},
    [CHECK_FORMAT] = {"format", true},
    [CHECK_LAYERS] = {"layers", true},
    [CHECK_NAN] = {"nan", true},
    [CHECK_NEGATIVE] = {"negative", false},
    [CHECK_FLAT] = {"flat", true},
    [CHECK_BLANK] = {"blank", false},
    [CHECK_BLOCK] = {"block", true},
    [CHECK_BAND] = {"band", true},
    [CHECK_ALPHA] = {"alpha", true},
    [CHECK_PIXEL] = {"pixel", true},
    [CHECK_STUCK] = {"stuck", true},
    [CHECK_SWAPPED] = {"swapped", true},
    [CHECK_ELSEWHERE] = {"elsewhere", true},
};

const char *check_kind_name(enum check_kind kind) { return ROWS[kind].name; }

check_mask check_default(void)
{
    check_mask kinds = 0;
    for (int k = 0; k < CHECK_KINDS; k++) kinds |= (check_mask)ROWS[k].fails << k;
    return kinds;
}

/* Returns the kinds of one word; 0: there are none. */
static check_mask kinds_of(const char *word, size_t length)
{
    if (length == 3 && strncmp(word, "all", 3) == 0) return (1u << CHECK_KINDS) - 1;
    for (int k = 0; k < CHECK_KINDS; k++)
        if (strlen(ROWS[k].name) == length && strncmp(ROWS[k].name, word, length) == 0)
            return 1u << k;
    return 0;
}

ssimcu_status check_read_kinds(const char *text, check_mask *kinds, ssimcu_message *message)
{
    char names[256] = "";
    size_t used = 0;
    *kinds = 0;
    if (strcmp(text, "none") == 0) return SSIMCU_OK;
    for (const char *word = text;; word++) {
        const size_t length = strcspn(word, ",");
        const check_mask found = kinds_of(word, length);
        *kinds |= found;
        word += length;
        if (!found) break;
        if (!*word) return SSIMCU_OK;
    }
    for (int k = 0; k < CHECK_KINDS; k++)
        used += (size_t)snprintf(names + used, sizeof names - used, "%s, ", ROWS[k].name);
    return refuse(message, "--fail-on %.100s: expected kinds with commas between: %sall or none",
                  text, names);
}

void findings_add(struct findings_list *list, enum check_kind kind, struct check_place place,
                  double number, const char *format, ...)
{
    va_list arguments;
    if (!results_grow(&list->finding, list->count, &list->room, sizeof *list->finding)) {
        list->out_of_memory = true;
        return;
    }
    struct finding *made = &list->finding[list->count++];
    *made = (struct finding){.kind = kind, .place = place, .number = number};
    va_start(arguments, format);
    vsnprintf(made->text, sizeof made->text, format, arguments);
    va_end(arguments);
}

void findings_free(struct findings_list *list)
{
    free(list->finding);
    *list = (struct findings_list){0};
}
