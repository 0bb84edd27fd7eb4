#include "options/out_options.h"

#include "options/paths.h"

#include "base/refuse.h"
#include "base/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Returns whether this option has one file or directory per OUT. */
static bool is_each(const struct path_row *row) { return row->ending != NULL; }

/* Returns whether the run writes there. Resumed results may be the output. */
static bool is_written(const struct options *options, const struct path_row *row)
{
    if (row->use == FILE_RESUMED) return options->run.output == options->run.resume;
    return row->use != FILE_READ;
}

static bool looks_like_a_file(const char *path)
{
    static const char *const endings[] = {".jsonl", ".json", ".csv", ".xml",
                                          ".png",   ".html", ".md"};
    const char *dot = strrchr(text_base(path), '.');
    for (size_t i = 0; dot && i < sizeof endings / sizeof endings[0]; i++)
        if (strcmp(dot, endings[i]) == 0) return true;
    return false;
}

static ssimcu_status make_directory(const char *option, const char *name, bool written,
                                    ssimcu_message *message)
{
    struct stat info;
    const bool exists = stat(name, &info) == 0;
    if (exists ? !S_ISDIR(info.st_mode) : written && looks_like_a_file(name))
        FAIL(ARGUMENT, "--%s %.300s: expected a directory, for an output of each OUT", option,
             name);
    if (exists || !written || mkdir(name, 0777) == 0) return SSIMCU_OK;
    FAIL(WRITE, "--%s %.300s: cannot make the directory (%s)", option, name, strerror(errno));
}

static ssimcu_status make_directories(const struct options *options, ssimcu_message *message)
{
    for (int i = 0; i < path_row_count; i++) {
        const struct path_row *row = &path_rows[i];
        const char *path = path_in(options, row);
        if (!is_each(row) || !path) continue;
        const bool is_resume = row->use == FILE_RESULTS && path == options->run.resume;
        if (!is_resume) TRY(make_directory(row->name, path, is_written(options, row), message));
    }
    return SSIMCU_OK;
}

/* Returns the base name of an OUT's files: its label, or its file name. */
static const char *name_of(const struct source_input *input, uint32_t out)
{
    return text_base(source_out_name(input, out));
}

/* Refuses two OUTs of one name, because their results would share one file. */
static ssimcu_status check_names(const struct options *options, const struct source_input *input,
                                 ssimcu_message *message)
{
    bool any = false;
    for (int i = 0; i < path_row_count; i++)
        any = any || (is_each(&path_rows[i]) && path_in(options, &path_rows[i]));
    if (!any) return SSIMCU_OK;
    for (uint32_t a = 0; a < input->outs; a++)
        for (uint32_t b = a + 1; b < input->outs; b++)
            if (strcmp(name_of(input, a), name_of(input, b)) == 0)
                FAIL(ARGUMENT,
                     "%.200s and %.200s would have the same outputs: expected labels, LABEL=%.100s",
                     input->out[a], input->out[b], input->out[b]);
    return SSIMCU_OK;
}

/* Returns DIR/OUT.ending, which `outs` owns; NULL if memory runs out. */
static const char *add_name(struct out_options *outs, const char *directory, const char *out,
                            const char *ending)
{
    const size_t length = strlen(directory);
    const char *slash = length > 0 && directory[length - 1] == '/' ? "" : "/";
    char *path = text_join(directory, slash, out, ending);
    if (path) outs->name[outs->names++] = path;
    return path;
}

/* Makes the options of one OUT. They list all OUTs, because none may be replaced. */
static bool derive(struct out_options *outs, const struct options *options, uint32_t at)
{
    struct options *own = &outs->options[at];
    const struct source_input *const input = &options->input;
    const char *out = name_of(input, at);
    const bool appends_in_place = options->run.output && options->run.output == options->run.resume;
    *own = *options;
    own->input.path[1] = input->out[at];
    own->input.label = input->labels ? input->labels[at] : NULL;
    for (int i = 0; i < path_row_count; i++) {
        const struct path_row *row = &path_rows[i];
        if (!is_each(row) || !path_in(own, row)) continue;
        const char **path = (const char **)((char *)own + row->offset);
        if (appends_in_place && row->use == FILE_RESULTS) continue;
        const bool csv = row->use == FILE_RESULTS && options->csv;
        if (!(*path = add_name(outs, *path, out, csv ? ".csv" : row->ending))) return false;
    }
    if (appends_in_place) own->run.output = own->run.resume;
    return true;
}

ssimcu_status out_options_open(const struct options *options, struct out_options *outs,
                               ssimcu_message *message)
{
    const struct source_input *input = &options->input;
    const uint32_t count = input->outs > 1 ? input->outs : 1;
    *outs = (struct out_options){.count = count};
    outs->options = calloc(count, sizeof *outs->options);
    outs->name = calloc((size_t)count * (size_t)path_row_count, sizeof *outs->name);
    if (!outs->options || !outs->name) return no_memory(message);
    *outs->options = *options;
    outs->named = count == 1;
    if (count == 1) return SSIMCU_OK;
    TRY(check_names(outs->options, input, message));
    for (uint32_t i = 0; i < count; i++)
        if (!derive(outs, options, i)) return no_memory(message);
    outs->named = true; /* withdrawing outputs does not need directories */
    return make_directories(options, message);
}

void out_options_close(struct out_options *outs)
{
    for (uint32_t i = 0; i < outs->names; i++) free(outs->name[i]);
    free(outs->name);
    free(outs->options);
    *outs = (struct out_options){0};
}
