/* What the files of a shot declare about themselves (image/declared.h). */
#include "detect/shot.h"

#include "image/declared.h"

#include <stdio.h>
#include <string.h>

static const struct finding_place whole = {0, 0, 0, 0};

static const char *const names[SSIMCU_DECLARED] = {
    [SSIMCU_DECLARED_FORMAT] = "format",
    [SSIMCU_DECLARED_COMPRESSION] = "compression",
    [SSIMCU_DECLARED_DATA_WINDOW] = "data window",
    [SSIMCU_DECLARED_DISPLAY_WINDOW] = "display window",
    [SSIMCU_DECLARED_PIXEL_ASPECT] = "pixel aspect",
    [SSIMCU_DECLARED_RATE] = "frame rate",
    [SSIMCU_DECLARED_TRANSFER] = "transfer",
    [SSIMCU_DECLARED_PRIMARIES] = "primaries",
};

/* One property of a frame; its text is NULL if the frame declares nothing. */
struct value {
    const char *text;
    int length;
};

static struct value value_of(const struct shot_frame *frame, int property)
{
    const char *text = frame->read ? frame->declared : NULL;
    for (int i = 0; i < property && text; i++) {
        text = strchr(text, '\n');
        if (text) text++;
    }
    return (struct value){text, text ? (int)strcspn(text, "\n") : 0};
}

static bool same(struct value a, struct value b)
{
    return a.text && b.text && a.length == b.length &&
           memcmp(a.text, b.text, (size_t)a.length) == 0;
}

/* Returns the value of at least four of five frames. Without a text: the frames have none in
 * common, such as data windows that follow an object. */
static struct value typical(const struct shot *shot, int property)
{
    struct value most = {NULL, 0};
    size_t lead = 0, alike = 0, known = 0;
    for (size_t i = 0; i < shot->count; i++) { /* a value of more than half is left at the end */
        const struct value value = value_of(&shot->frame[i], property);
        if (!value.text) continue;
        if (lead == 0) most = value;
        lead = same(value, most) ? lead + 1 : lead - 1;
    }
    for (size_t i = 0; i < shot->count; i++) {
        const struct value value = value_of(&shot->frame[i], property);
        known += value.text != NULL;
        alike += same(value, most);
    }
    return 5 * alike >= 4 * known ? most : (struct value){NULL, 0};
}

/* Adds a property that differs to a sentence. */
static size_t add(char *text, size_t used, size_t room, int property, struct value own,
                  struct value most)
{
    const bool colours =
        property == SSIMCU_DECLARED_TRANSFER || property == SSIMCU_DECLARED_PRIMARIES;
    const char *text_of_none = colours ? "sRGB or not declared" : "not declared";
    const struct value none = {text_of_none, (int)strlen(text_of_none)};
    if (own.length == 0) own = none;
    if (most.length == 0) most = none;
    if (used >= room) return used;
    return used + (size_t)snprintf(text + used, room - used, "%s%s %.*s, in the rest %.*s",
                                   used ? "; " : "", names[property], own.length, own.text,
                                   most.length, most.text);
}

void header_judge(struct shot *shot)
{
    struct value most[SSIMCU_DECLARED];
    for (int p = 0; p < SSIMCU_DECLARED; p++) most[p] = typical(shot, p);
    for (size_t i = 0; i < shot->count; i++) {
        char text[FINDING_TEXT];
        size_t used = 0;
        int count = 0;
        for (int p = 0; p < SSIMCU_DECLARED; p++) {
            const struct value own = value_of(&shot->frame[i], p);
            if (!own.text || !most[p].text || same(own, most[p])) continue;
            used = add(text, used, sizeof text, p, own, most[p]);
            count++;
            if (p == SSIMCU_DECLARED_FORMAT) break; /* the rest follows from it */
        }
        if (count > 0)
            findings_add(&shot->frame[i].found, FINDING_HEADER, whole, count, "%s", text);
    }
}
