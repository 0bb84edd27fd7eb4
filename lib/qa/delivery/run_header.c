#include "delivery/run_header.h"

#include "options/internal.h"

#include "base/json.h"
#include "base/refuse.h"

#include <math.h>
#include <string.h>

static json_t *variants_to_json(const struct options *options)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < options->run.variants; i++)
        list = json_add(list, json_of_path(options->run.variant[i]));
    return list;
}

/* Returns the input as given. Shares of one batch have the same input. */
static json_t *input_to_json(const struct options *options)
{
    static const char *const sides[] = {"ref", "out"};
    const struct source_input *input = &options->input;
    struct object json = object_new();
    if (input->list) object_path(&json, "list", input->list);
    for (int s = 0; s < 2 && !input->list; s++) object_path(&json, sides[s], input->path[s]);
    if (input->label) object_text(&json, "label", input->label);
    if (options->run.variants > 0) object_put(&json, "or", variants_to_json(options));
    if (options->run.frames) object_text(&json, "frames", options->run.frames);
    if (input->shortest) object_text(&json, "missing", "end");
    if (input->recursive) object_bool(&json, "recursive", true);
    if (input->layers) object_text(&json, "layers", "all");
    if (options->run.size) object_text(&json, "size", options->run.size);
    if (options->run.format) object_text(&json, "format", options->run.format);
    /* A share judges nothing; its merge does. */
    if (options->share && (options->limits_read || verdict_any_limit(&options->limits)))
        object_bool(&json, HEADER_LIMITED, true);
    return object_end(&json);
}

/* Adds the CPU's instruction set, the only property that its scores can depend on. */
static void put_cpu(struct object *json)
{
    ssimcu_device_info info = SSIMCU_INIT(device_info);
    if (ssimcu_device_describe(SSIMCU_DEVICE_CPU, 0, &info, NULL) != SSIMCU_OK) return;
    char *threads = strrchr(info.name, ',');
    if (threads) *threads = '\0';
    object_text(json, "cpu", info.name);
}

/* Adds the name of the GPU, or the names of all used GPUs without repeats. This starts the driver,
 * which takes 0.1 s for each GPU. */
static void put_gpus(struct object *json, const struct options *options)
{
    char names[1024] = "";
    const uint32_t first = options->run.all_devices ? 0 : options->settings.device_index;
    uint32_t last = first + 1;
    if (options->run.all_devices &&
        ssimcu_device_count(SSIMCU_DEVICE_CUDA, &last, NULL) != SSIMCU_OK)
        return;
    for (uint32_t i = first; i < last; i++) {
        ssimcu_device_info info = SSIMCU_INIT(device_info);
        if (ssimcu_device_describe(SSIMCU_DEVICE_CUDA, i, &info, NULL) != SSIMCU_OK) return;
        const size_t used = strlen(names);
        if (!strstr(names, info.name))
            snprintf(names + used, sizeof names - used, "%s%s", used > 0 ? "; " : "", info.name);
    }
    object_text(json, "cuda", names);
}

/* Returns the devices that "cpu" and "cuda" mean on this machine. */
static json_t *device_to_json(const struct options *options, bool pair)
{
    struct object json = object_new();
    put_cpu(&json);
    const bool scores = !options->run.check; /* a check does not */
    if (!pair && scores && options->settings.device != SSIMCU_DEVICE_CPU) put_gpus(&json, options);
    return object_end(&json);
}

json_t *run_contract_make(const struct options *options, bool video)
{
    const struct contract contract = {
        .settings = &options->settings,
        .video = video,
        .region = options->input.region,
        .scale = options->input.scale,
        .stream = {options->input.stream[0], options->input.stream[1]},
        .align = options->input.align,
        .offset = options->input.offset,
        .tile = options->tile,
        .ignored = options->limits_read ? options->limits_read->ignored : "",
        .compared = options->limits_read ? options->limits_read->compared : "",
        .diff_threshold = options->run.diff_threshold,
        .learned = options->limits_read ? options->limits_read->learned.print : "",
        .range = options->input.range,
        .matrix = options->input.matrix,
        .light = video && options->input.white == 0 ? NULL : &options->light,
        .metric = options->run.metric};
    return contract_to_json(&contract);
}

/* ---- Frames without a reference -------------------------------------------------------------- */

json_t *run_header_check_contract(const struct limits *limits)
{
    const finding_mask kinds =
        limits->has_fail_on ? limits->fail_on : findings_default(FINDING_BY_CHECK);
    struct object json = object_new();
    json_t *names = json_array();
    for (int kind = 0; kind < FINDING_KINDS; kind++)
        if (kinds >> kind & 1) names = json_add(names, json_string(finding_row(kind)->name));
    object_text(&json, "ssimcu", ssimcu_version());
    object_put(&json, "fail_on", names);
    return object_end(&json);
}

/* Returns how the frames of a check are found and read, as given. */
static json_t *check_input(const struct options *options)
{
    const ssimcu_run_options *run = &options->run;
    struct object json = object_new();
    json_t *paths = json_array();
    for (uint32_t i = 0; i < run->outs; i++) paths = json_add(paths, json_of_path(run->out[i]));
    object_put(&json, "paths", paths);
    const struct {
        const char *name, *value;
    } texts[] = {{"list", run->list},     {"layer", run->layer}, {"channels", run->channels},
                 {"frames", run->frames}, {"size", run->size},   {"format", run->format}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (texts[i].value) object_path(&json, texts[i].name, texts[i].value);
    if (run->recursive) object_bool(&json, "recursive", true);
    if (run->layers) object_text(&json, "layers", "all");
    if (run->stream[1] > 0) object_count(&json, "stream", (int64_t)run->stream[1]);
    if (run->max_pixels > 0) object_count(&json, "max_pixels", (int64_t)run->max_pixels);
    return object_end(&json);
}

ssimcu_status run_header_make(const struct options *options, bool video, bool pair,
                              struct header *header, ssimcu_message *message)
{
    *header = (struct header){0};
    TRY(compat_options_match(options, video, message));
    const bool check = options->run.check;
    *header = (struct header){.check = check,
                              .contract = check ? run_header_check_contract(&options->limits)
                                                : run_contract_make(options, video),
                              .input = check ? check_input(options) : input_to_json(options),
                              .device = device_to_json(options, pair),
                              .shard = options->input.shard,
                              .shards = options->input.shards,
                              .begin = options->input.begin,
                              .end = options->input.end};
    if (header->contract && header->input && header->device) return SSIMCU_OK;
    header_clear(header);
    return no_memory(message);
}

ssimcu_status run_header_name_gpu(struct header *header, const char *name, ssimcu_message *message)
{
    struct object json = object_new();
    object_text(&json, "cuda", name);
    struct header scored = {.device = object_end(&json)};
    if (!scored.device) return no_memory(message);
    header_join_devices(header, &scored);
    header_clear(&scored);
    return SSIMCU_OK;
}

/* ---- Reading back ---------------------------------------------------------------------------- */

/* Returns the member's index in `names`; 0, the first, if it is missing or unknown. */
static unsigned choice_of(const json_t *object, const char *name, const char *const *names)
{
    const char *text = json_text(object, name);
    for (unsigned i = 0; text && names[i]; i++)
        if (strcmp(text, names[i]) == 0) return i;
    return 0;
}

static struct contract_region region_of(const json_t *contract)
{
    struct contract_region region = {0};
    const char *text = json_text(contract, "region");
    if (!text ||
        sscanf(text, "%ux%u+%u+%u", &region.width, &region.height, &region.x, &region.y) != 4)
        return (struct contract_region){0};
    return region;
}

static struct contract_scale scale_of(const json_t *contract)
{
    struct contract_scale scale = {.scaler = choice_of(contract, "scaler", contract_scalers)};
    const char *const text = json_text(contract, "scale");
    if (text && sscanf(text, "%ux%u", &scale.width, &scale.height) == 2)
        scale.to = SSIMCU_SCALE_SIZE;
    else
        scale.to = (ssimcu_scale)choice_of(contract, "scale", contract_scales);
    return scale;
}

static double number_of(const json_t *object, const char *name, double usual)
{
    const json_t *const number = json_object_get(object, name);
    return json_is_number(number) ? json_number_value(number) : usual;
}

/* Reads the light in which frames were compared. An sRGB curve is the default, which does not apply
 * to data. If a channel was chosen, the curve was requested and applies. */
static void read_light(const json_t *contract, struct run_header_facts *facts)
{
    static const ssimcu_transfer transfers[] = {SSIMCU_TRANSFER_NONE, SSIMCU_TRANSFER_AUTO,
                                                SSIMCU_TRANSFER_PU21, SSIMCU_TRANSFER_HABLE};
    const json_t *const light = json_object_get(contract, "light");
    const unsigned hdr = choice_of(light, "hdr", contract_transfers);
    ssimcu_settings *const settings = &facts->settings;
    if (!light) return;
    facts->image.layer = json_text(light, "layer");
    facts->image.channels = json_text(light, "channels");
    settings->transfer = hdr == 1 && facts->image.channels ? SSIMCU_TRANSFER_SRGB : transfers[hdr];
    settings->gain = exp2(number_of(light, "exposure", 0));
    settings->white = number_of(light, "white", settings->white);
    settings->nan_zero = choice_of(light, "not_finite", contract_nans);
    facts->input.gain = settings->gain;
    facts->input.white = contract_is_video(contract) ? settings->white : 0;
}

/* Reads how the frames of a check were read. The options of a check override it; a merge has
 * none. */
static void read_check(const struct header *header, const struct options *options,
                       struct run_header_facts *facts)
{
    const json_t *input = header->input, *paths = json_object_get(input, "paths");
    const json_int_t most = json_integer_value(json_object_get(input, "max_pixels"));
    facts->image.layer = json_text(input, "layer");
    facts->image.channels = json_text(input, "channels");
    if (most > 0 && facts->image.max_pixels == 0) facts->image.max_pixels = (uint64_t)most;
    facts->input.path[1] = json_string_value(json_array_get(paths, 0));
    facts->input.threads = options->settings.threads;
    facts->input.stream[1] = (uint32_t)json_integer_value(json_object_get(input, "stream"));
}

/* Reads how the pairs of a run were read and scored. */
static void read_run(const struct header *header, const struct options *options,
                     struct run_header_facts *facts)
{
    const json_t *input = header->input, *contract = header->contract;
    const char *stream = json_text(contract, "stream");
    struct source_input *const to = &facts->input;
    facts->settings.pad = (ssimcu_pad)choice_of(contract, "pad", contract_pads);
    facts->settings.color = (ssimcu_color)choice_of(contract, "color", contract_colors);
    facts->settings.alpha = (ssimcu_alpha)choice_of(contract, "alpha", contract_alphas);
    to->path[0] = json_text(input, "ref");
    to->path[1] = json_text(input, "out");
    to->color = facts->settings.color;
    to->range = (ssimcu_range)choice_of(contract, "range", contract_ranges);
    to->matrix = json_text(contract, "matrix");
    to->scale = scale_of(contract);
    to->align = json_text(contract, "align") != NULL;
    to->label = json_text(input, "label");
    to->ranged = true;
    to->gain = options->settings.gain;
    to->shortest = json_text(input, "missing") != NULL;
    to->recursive = json_is_true(json_object_get(input, "recursive"));
    to->offset = json_integer_value(json_object_get(contract, "offset"));
    to->region = region_of(contract);
    if (stream && sscanf(stream, "%u:%u", &to->stream[0], &to->stream[1]) != 2) to->stream[0] = 0;
    read_light(contract, facts);
}

void run_header_read(const struct header *header, const struct options *options,
                     struct run_header_facts *facts)
{
    const json_t *input = header->input;
    const char *size = json_text(input, "size"), *format = json_text(input, "format");
    *facts = (struct run_header_facts){.settings = options->settings, .image = options->image};
    const bool raw = size && format && ssimcu_raw_parse(size, format, &facts->raw);
    facts->input = (struct source_input){.list = json_text(input, "list"),
                                         .raw = raw ? &facts->raw : NULL,
                                         .limits = &facts->image,
                                         .layers = json_text(input, "layers") != NULL,
                                         .shard = 1,
                                         .shards = 1};
    (header->check ? read_check : read_run)(header, options, facts);
}
