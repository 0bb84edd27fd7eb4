#include "out_options.h"

#include "fail.h"
#include "results/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { PATHS = 6 };

/* An option that names a directory, and the ending of an OUT's file there. */
struct path {
    const char *option, *ending;
    const char **to;
    bool written;
};

/* The paths of these options. A results file that is resumed comes before the output, which may be
 * that one. */
static void list_paths(struct options *options, struct path path[PATHS])
{
    struct batch_options *batch = &options->batch;
    const struct path all[PATHS] = {
        {"--resume", ".jsonl", &batch->resume, batch->output == batch->resume},
        {"--output", batch->csv ? ".csv" : ".jsonl", &batch->output, true},
        {"--baseline", ".jsonl", &batch->baseline, false},
        {"--junit", ".xml", &batch->junit, true},
        {"--report", "", &options->report, true},
        {"--map", "", &options->map, true},
    };
    memcpy(path, all, sizeof all);
}

static bool looks_like_a_file(const char *path)
{
    static const char *const endings[] = {".jsonl", ".json", ".csv", ".xml", ".png", ".html"};
    const char *dot = strrchr(text_base(path), '.');
    for (size_t i = 0; dot && i < sizeof endings / sizeof endings[0]; i++)
        if (strcmp(dot, endings[i]) == 0) return true;
    return false;
}

static ssimcu_status make_directory(const struct path *path, ssimcu_message *message)
{
    struct stat info;
    const char *name = *path->to;
    const bool there = stat(name, &info) == 0;
    if (there ? !S_ISDIR(info.st_mode) : path->written && looks_like_a_file(name))
        return ssimcu_fail(message, SSIMCU_ERROR_ARGUMENT,
                           "%s %.300s: expected a directory: each of several OUTs has its own "
                           "there",
                           path->option, name);
    if (there || !path->written || mkdir(name, 0777) == 0) return SSIMCU_OK;
    return ssimcu_fail(message, SSIMCU_ERROR_WRITE, "%s %.300s: cannot make the directory (%s)",
                       path->option, name, strerror(errno));
}

static ssimcu_status make_directories(struct options *options, bool *any, ssimcu_message *message)
{
    struct path path[PATHS];
    ssimcu_status status = SSIMCU_OK;
    list_paths(options, path);
    *any = false;
    for (int i = 0; i < PATHS && status == SSIMCU_OK; i++) {
        if (!*path[i].to) continue;
        *any = true;
        status = make_directory(&path[i], message);
    }
    return status;
}

/* Two OUTs of one name would have one file for their results. */
static ssimcu_status check_names(const struct source_input *input, ssimcu_message *message)
{
    for (uint32_t a = 0; a < input->outs; a++)
        for (uint32_t b = a + 1; b < input->outs; b++)
            if (strcmp(text_base(input->out[a]), text_base(input->out[b])) == 0)
                return ssimcu_fail(message, SSIMCU_ERROR_ARGUMENT,
                                   "%.200s and %.200s have one name, and so would their outputs: "
                                   "compare them in two runs",
                                   input->out[a], input->out[b]);
    return SSIMCU_OK;
}

/* DIR/NAME.ending, kept in outs. NULL: no memory. */
static const char *add_name(struct outs *outs, const char *directory, const char *out,
                            const char *ending)
{
    const size_t length = strlen(directory);
    const char *slash = length > 0 && directory[length - 1] == '/' ? "" : "/";
    char *path = text_join(directory, slash, text_base(out), ending);
    if (path) outs->name[outs->names++] = path;
    return path;
}

/* The options of one OUT, which still list all: none may be replaced. */
static bool derive(struct outs *outs, const struct options *options, uint32_t at)
{
    struct options *own = &outs->options[at];
    struct path path[PATHS];
    const char *out = options->input.out[at];
    *own = *options;
    list_paths(own, path);
    own->input.path[1] = out;
    const bool same = own->batch.output == own->batch.resume;
    for (int i = 0; i < PATHS; i++) {
        if (!*path[i].to) continue;
        if (path[i].to == &own->batch.output && same)
            own->batch.output = own->batch.resume;
        else if (!(*path[i].to = add_name(outs, *path[i].to, out, path[i].ending)))
            return false;
    }
    return true;
}

ssimcu_status out_options_open(const struct options *options, struct outs *outs,
                               ssimcu_message *message)
{
    const struct source_input *input = &options->input;
    const uint32_t count = input->outs > 1 ? input->outs : 1;
    bool any = false;
    *outs = (struct outs){.count = count};
    outs->options = calloc(count, sizeof *outs->options);
    outs->name = calloc((size_t)count * PATHS, sizeof *outs->name);
    if (!outs->options || !outs->name)
        return ssimcu_fail(message, SSIMCU_ERROR_MEMORY, "out of memory");
    *outs->options = *options;
    if (count == 1) return SSIMCU_OK;
    ssimcu_status status = make_directories(outs->options, &any, message);
    if (status == SSIMCU_OK && any) status = check_names(input, message);
    for (uint32_t i = 0; i < count && status == SSIMCU_OK; i++)
        if (!derive(outs, options, i))
            status = ssimcu_fail(message, SSIMCU_ERROR_MEMORY, "out of memory");
    return status;
}

void out_options_close(struct outs *outs)
{
    for (uint32_t i = 0; i < outs->names; i++) free(outs->name[i]);
    free(outs->name);
    free(outs->options);
    *outs = (struct outs){0};
}
