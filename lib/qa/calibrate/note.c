/* What a calibration says to people: it is logged, and kept for the page. */
#include "calibrate/learn.h"

#include "base/results.h"

#include <stdarg.h>
#include <string.h>

void learner_note(struct learner *learner, const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    hooks_log(learner->hooks, SSIMCU_LOG_WARNING, "%s", text);
    if (!learner->keeps) return;
    const bool room =
        results_grow(&learner->note, learner->notes, &learner->note_room, sizeof *learner->note);
    char *note = room ? strdup(text) : NULL;
    if (note) learner->note[learner->notes++] = note;
    learner->lost_note = learner->lost_note || !note;
}
