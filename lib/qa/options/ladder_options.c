#include "options/internal.h"

#include "base/refuse.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

/* ---- Labels ---------------------------------------------------------------------------------- */

/* Returns whether a label can be a file name. */
static bool is_name(const char *label)
{
    return label[0] && label[0] != '.' && !strchr(label, '/');
}

/* Refuses two OUTs with one label, because no output could distinguish them. */
static ssimcu_status check_labels(const struct source_input *input, const char *const *labels,
                                  ssimcu_message *message)
{
    for (uint32_t a = 0; a < input->outs; a++)
        for (uint32_t b = a + 1; b < input->outs; b++)
            if (labels[a] && labels[b] && strcmp(labels[a], labels[b]) == 0)
                FAIL(ARGUMENT, "%.200s and %.200s have the same label, %.100s", input->out[a],
                     input->out[b], labels[a]);
    return SSIMCU_OK;
}

static ssimcu_status take_labels(struct source_input *input, const ssimcu_run_options *given,
                                 ssimcu_message *message)
{
    for (uint32_t i = 0; given->labels && i < input->outs; i++)
        if (given->labels[i] && !is_name(given->labels[i]))
            FAIL(ARGUMENT, "%.100s=%.200s: expected a label without a slash or a leading dot",
                 given->labels[i], input->out[i]);
    if (!given->labels || input->outs == 0) return SSIMCU_OK;
    input->labels = given->labels;
    input->label = given->labels[0];
    return check_labels(input, given->labels, message);
}

/* ---- The size -------------------------------------------------------------------------------- */

static ssimcu_status take_scale(struct source_input *input, const ssimcu_run_options *given,
                                ssimcu_message *message)
{
    const uint32_t most = (1u << 24) - 1;
    struct contract_scale *const scale = &input->scale;
    *scale = (struct contract_scale){.to = given->scale, .scaler = (unsigned)given->scaler};
    if ((unsigned)given->scale > SSIMCU_SCALE_SIZE ||
        (unsigned)given->scaler > SSIMCU_SCALER_SPLINE36)
        FAIL(ARGUMENT, "--scale: unknown size or filter");
    if (given->scale != SSIMCU_SCALE_SIZE) return SSIMCU_OK;
    scale->width = given->scale_width, scale->height = given->scale_height;
    if (scale->width >= 1 && scale->width <= most && scale->height >= 1 && scale->height <= most)
        return SSIMCU_OK;
    FAIL(ARGUMENT, "--scale: expected a size of 1x1 or more");
}

/* ---- Groups ---------------------------------------------------------------------------------- */

/* Returns whether a member of `length` bytes is this name. */
static bool is_called(const char *name, const char *member, size_t length)
{
    return strlen(name) == length && memcmp(name, member, length) == 0;
}

/* Adds the OUT of that label, path or file name to a group. */
static ssimcu_status add_member(struct options *options, const char *member, size_t length,
                                const char *text, ssimcu_message *message)
{
    const struct source_input *const input = &options->input;
    struct out_groups *const groups = &options->groups;
    uint32_t at = 0;
    for (; at < input->outs; at++) {
        const char *const label = input->labels ? input->labels[at] : NULL;
        if ((label && is_called(label, member, length)) ||
            is_called(input->out[at], member, length) ||
            is_called(text_base(input->out[at]), member, length))
            break;
    }
    if (at == input->outs)
        FAIL(ARGUMENT, "--group %.200s: expected OUTs, found %.*s", text,
             length < 200 ? (int)length : 200, member);
    if (groups->of[at] > 0)
        FAIL(ARGUMENT, "--group %.200s: %.*s was given twice", text,
             length < 200 ? (int)length : 200, member);
    groups->of[at] = (uint8_t)groups->count;
    return SSIMCU_OK;
}

/* Parses "NAME=OUT,OUT". */
static ssimcu_status take_group(struct options *options, const char *text, ssimcu_message *message)
{
    struct out_groups *const groups = &options->groups;
    const char *const equals = text ? strchr(text, '=') : NULL;
    if (!equals || equals == text || !equals[1])
        FAIL(ARGUMENT, "--group %.200s: expected NAME=OUT,OUT: labels or files of OUTs",
             text ? text : "");
    for (uint32_t i = 0; i < groups->count; i++)
        if (is_called(groups->name[i], text, (size_t)(equals - text)))
            FAIL(ARGUMENT, "--group %.200s: another group has that name", text);
    groups->name[groups->count] = strndup(text, (size_t)(equals - text));
    if (!groups->name[groups->count++]) return no_memory(message);
    for (const char *at = equals + 1; *at;) {
        const size_t length = strcspn(at, ",");
        TRY(add_member(options, at, length, text, message));
        at += length + (at[length] != '\0');
    }
    return SSIMCU_OK;
}

static ssimcu_status take_groups(struct options *options, ssimcu_message *message)
{
    const ssimcu_run_options *given = &options->run;
    if (given->groups > GROUPS_MOST) FAIL(ARGUMENT, "--group: expected at most %d", GROUPS_MOST);
    if (given->groups > 0 && options->input.outs < 2) FAIL(ARGUMENT, "--group needs several OUTs");
    for (uint32_t i = 0; i < given->groups; i++) TRY(take_group(options, given->group[i], message));
    return SSIMCU_OK;
}

ssimcu_status ladder_options_take(struct options *options, ssimcu_message *message)
{
    const ssimcu_run_options *given = &options->run;
    TRY(take_labels(&options->input, given, message));
    TRY(take_scale(&options->input, given, message));
    options->input.align = given->align != 0;
    if (given->align && given->offset != 0)
        FAIL(ARGUMENT, "--align does not go with --offset, which counts frames by their numbers");
    return take_groups(options, message);
}

void ladder_options_free(struct options *options)
{
    struct out_groups *groups = &options->groups;
    for (uint32_t i = 0; i < groups->count; i++) free(groups->name[i]);
    groups->count = 0;
}
