/* Opening and closing clips. */
#include "source/clips.h"

#include "base/refuse.h"
#include "metric_table.h"
#include "record/metrics.h"
#include "start_thread.h"

#include <stdlib.h>
#include <string.h>

static void *close_side(void *clip)
{
    ssimcu_clip_close((ssimcu_clip **)clip);
    return NULL;
}

/* Closes a side's clip, on a separate thread if a GPU decodes: that takes some hundredths of a
 * second. */
static void begin_closing(const struct clips *clips, struct clips_side *side)
{
    side->closes = clips->gpu >= 0 && side->clip &&
                   ssimcu_start_thread(&side->closing, close_side, &side->clip);
    if (!side->closes) ssimcu_clip_close(&side->clip);
}

void clips_close(struct source *source)
{
    struct clips *clips = (struct clips *)source;
    clips_leave(clips->side[0].clip, clips->ref_frame);
    free(clips->data);
    for (uint32_t s = 0; s <= clips->outs; s++) {
        struct clips_side *side = &clips->side[s];
        if (side->clip) ssimcu_clip_release(side->clip, side->ahead);
        begin_closing(clips, side);
    }
    for (uint32_t s = 0; s <= clips->outs; s++) {
        if (clips->side[s].closes) pthread_join(clips->side[s].closing, NULL);
        fit_close(clips->side[s].fit);
        ssimcu_sequence_free(&clips->side[s].files);
    }
}

/* Waits until a reader may open its decoders on a GPU. */
static void begin_decoders(void *user)
{
    const struct source_input *input = ((const struct clips *)user)->base.input;
    share_begin_opening(input->chunks, input->reader);
}

static ssimcu_status open_file(struct clips *clips, uint32_t at, enum form form,
                               ssimcu_message *message)
{
    const struct source_input *input = clips->base.input;
    const char *path = at == 0 ? input->path[0] : kind_out_path(input, at - 1);
    struct clips_side *side = &clips->side[at];
    ssimcu_image_options limits = kind_options(input);
    /* All clips share the threads of two files. */
    limits.threads = (2 * input->threads + clips->outs) / (1 + clips->outs);
    if (form == FORM_DIRECTORY) TRY(ssimcu_sequence_directory(path, &side->files, message));
    if (form == FORM_PATTERN) TRY(ssimcu_sequence_pattern(path, NULL, &side->files, message));
    if (side->files.count > 0)
        return ssimcu_clip_open_files(path, &side->files, &limits, &side->clip, message);
    const ssimcu_clip_format *raw = form == FORM_RAW ? input->raw : NULL;
    const ssimcu_clip_gpu gpu = {.index = (uint32_t)clips->gpu,
                                 .begin = input->chunks ? begin_decoders : NULL,
                                 .user = clips};
    const ssimcu_clip_how how = {.gpu = clips->gpu < 0 ? NULL : &gpu,
                                 .stream = input->stream[at > 0],
                                 .any_size = input->scale.to != SSIMCU_SCALE_NONE &&
                                             input->decode != SSIMCU_DECODE_CUDA};
    return ssimcu_clip_open_how(path, raw, &limits, input->stop, &how, &side->clip, message);
}

static ssimcu_status open_clip(struct clips *clips, uint32_t at, enum form form,
                               ssimcu_message *message)
{
    const struct source_input *input = clips->base.input;
    TRY(open_file(clips, at, form, message));
    if (input->stream[at > 0] > 0 && clips->side[at].files.count > 0)
        FAIL(ARGUMENT, "--stream is for video: %s is pictures", at == 0 ? "REF" : "OUT");
    ssimcu_clip_overrule(clips->side[at].clip, input->range, input->matrix);
    return SSIMCU_OK;
}

/* Reports a line that was written, if someone listens. */
static void remark(const struct source_input *input, bool written, const char *line)
{
    if (written && input->limits && input->limits->remark)
        input->limits->remark(input->limits->user, line);
}

/* Reports differences between REF and an OUT that forbid no comparison. */
static void remark_differences(const struct clips *clips, uint32_t at)
{
    const struct source_input *input = clips->base.input;
    const ssimcu_clip_format *ref = clips_shape(clips),
                             *out = ssimcu_clip_shape(clips->side[at].clip);
    const char *name = source_out_name(input, at - 1);
    const struct clips_side *const side = &clips->side[at];
    const double white = side->fit->light ? input->white : 0;
    char line[512];
    remark(input, white == 0 && match_colours(ref, name, out, line, sizeof line), line);
    remark(input, match_rates(ref, name, out, input->align, line, sizeof line), line);
    snprintf(line, sizeof line,
             "%.300s: --hdr has no effect, because it needs PQ or HLG on both sides", name);
    remark(input, input->white > 0 && white == 0, line);
    remark(input,
           match_hdr(&side->fit[0].format, name, &side->fit[1].format, white, line, sizeof line),
           line);
    snprintf(line, sizeof line, "%.250s: assumed, because a file does not say: %s", name,
             side->assumed);
    remark(input, side->assumed[0], line);
}

/* Checks the tags that light and some metrics need besides the stored planes, and notes which were
 * assumed. Scaling depends on the place of chroma. */
static ssimcu_status check_tags(struct clips *clips, uint32_t at, ssimcu_message *message)
{
    const struct source_input *input = clips->base.input;
    struct clips_side *const side = &clips->side[at];
    const ssimcu_clip_format *const stored[2] = {clips_shape(clips), ssimcu_clip_shape(side->clip)},
                                    *const settled[2] = {&side->fit[0].format,
                                                         &side->fit[1].format};
    const bool light = side->fit->light, sees_colours = light || input->in_srgb;
    if (input->in_srgb && !light) TRY(match_srgb(settled[0], settled[1], message));
    if (sees_colours) TRY(match_siting(stored[0], stored[1], message));
    if (sees_colours || side->fit[0].scales || side->fit[1].scales)
        tags_taken(stored, settled, light, side->assumed);
    return SSIMCU_OK;
}

/* Reports remarks about single sides, once. */
static void remark_sides(const struct clips *clips)
{
    const struct source_input *input = clips->base.input;
    char line[512];
    for (uint32_t s = 0; s <= clips->outs; s++) {
        if (!clips->side[s].clip) continue;
        const ssimcu_clip_format *format = ssimcu_clip_shape(clips->side[s].clip);
        const char *name = s == 0 ? input->path[0] : source_out_name(input, s - 1);
        remark(input, match_dolby(name, format, line, sizeof line), line);
        remark(input, match_grain(name, format, line, sizeof line), line);
        streams_remark(input->limits, name, format);
    }
}

/* Fails before any decoding if frames are too small for a needed metric. */
static ssimcu_status check_planes(const struct source_input *input, const struct fit *fit,
                                  ssimcu_message *message)
{
    const ssimcu_clip_format *const format = &fit->format;
    const bool cut = input->region.width > 0, chroma = !fit->light && format->planes > 1;
    const uint32_t across = chroma ? ssimcu_clip_across(format) : 1,
                   down = chroma ? ssimcu_clip_down(format) : 1,
                   width =
                       cut ? input->region.width / across : format->plane[format->planes - 1].width,
                   height =
                       cut ? input->region.height / down : format->plane[format->planes - 1].height,
                   needed =
                       input->metrics ? input->needed : 0, /* SSIM by itself fails frame by frame */
        lacking = needed & ~metrics_that_fit(needed, width, height, input->pads);
    char why[SSIMCU_METRIC_WHY];
    for (int m = 0; m < SSIMCU_METRICS; m++) {
        if (!(lacking >> m & 1)) continue;
        ssimcu_metric_too_small((ssimcu_metric)m, width, height, why);
        FAIL(TOO_SMALL, "%s%s", chroma ? "planes U and V: " : "", why);
    }
    return SSIMCU_OK;
}

/* Fails if frames cannot be paired by time. */
static ssimcu_status check_times(const struct clips *clips, uint32_t at, ssimcu_message *message)
{
    const ssimcu_clip_format *ref = clips_shape(clips),
                             *out = ssimcu_clip_shape(clips->side[at].clip);
    const bool by_ref = ref->coding && ref->rate[0] && ref->rate[1];
    if (!clips->base.input->align || (by_ref && out->coding && !out->timeless)) return SSIMCU_OK;
    FAIL(MISMATCH, "--align needs frames with times, but %s has none", by_ref ? "OUT" : "REF");
}

/* A side that is being opened. */
struct opening {
    struct clips *clips;
    uint32_t at;
    enum form form;
    ssimcu_status status;
    ssimcu_message message;
    pthread_t thread;
    bool has_thread;
};

static void *open_side(void *argument)
{
    struct opening *opening = argument;
    opening->status = open_clip(opening->clips, opening->at, opening->form, &opening->message);
    return NULL;
}

/* Opens the side, on a separate thread if a GPU decodes. A decoder takes a tenth of a second to
 * start there, and the container of H.264 takes as long. */
static void begin_opening(struct opening *opening)
{
    const struct clips *clips = opening->clips;
    opening->has_thread =
        clips->gpu >= 0 && ssimcu_start_thread(&opening->thread, open_side, opening);
    if (!opening->has_thread) (void)open_side(opening);
}

/* Fits an open OUT to REF, and fails if they cannot be compared. */
static ssimcu_status fit_out(struct clips *clips, uint32_t at, ssimcu_message *message)
{
    const struct source_input *input = clips->base.input;
    struct clips_side *out = &clips->side[at];
    const ssimcu_clip_format *ref = clips_shape(clips), *format = ssimcu_clip_shape(out->clip);
    char line[512];
    TRY(fit_make(&input->scale, ref, format, out->fit, message));
    if (input->white > 0 || input->in_srgb) TRY(match_ycbcr(ref, format, message));
    if (input->white > 0) TRY(fit_light(input->white, out->fit, message));
    TRY(check_tags(clips, at, message));
    streams_note(ref, format, out->streams);
    TRY(check_times(clips, at, message));
    TRY(match_formats((const ssimcu_clip_format *const[2]){ref, format}, &out->fit[0].format,
                      &out->fit[1].format, message));
    remark_differences(clips, at);
    if (input->region.width > 0)
        TRY(region_check_video(&input->region, &out->fit[0].format, message));
    TRY(check_planes(input, &out->fit[0], message));
    remark(input, fit_says(out->fit, source_out_name(input, at - 1), line, sizeof line), line);
    return SSIMCU_OK;
}

/* Takes over an OUT, or closes it if it cannot be compared with REF. */
static ssimcu_status take_out(struct clips *clips, const struct opening *opening,
                              ssimcu_message *message)
{
    struct clips_side *out = &clips->side[opening->at];
    ssimcu_status status = opening->status;
    if (status == SSIMCU_OK)
        status = fit_out(clips, opening->at, message);
    else
        *message = opening->message;
    if (status == SSIMCU_OK) return status;
    ssimcu_clip_close(&out->clip);
    fit_close(out->fit);
    return status;
}

static ssimcu_status check(const struct source_input *input, uint32_t outs, ssimcu_message *message)
{
    uint32_t standard = strcmp(input->path[0], "-") == 0;
    for (uint32_t i = 0; i < outs; i++) standard += strcmp(kind_out_path(input, i), "-") == 0;
    if (standard > 1) FAIL(ARGUMENT, "standard input can be REF or OUT, not both");
    if (input->color != SSIMCU_COLOR_RGB)
        FAIL(ARGUMENT, "--color is for pictures: the planes of video are scored as they are");
    return SSIMCU_OK;
}

ssimcu_status kind_choose_gpu(const struct source_input *input, int *gpu, ssimcu_message *message)
{
    uint32_t gpus = 0;
    ssimcu_message why = {{0}};
    *gpu = -1;
    if (input->decode == SSIMCU_DECODE_CPU) return SSIMCU_OK;
    const ssimcu_status status = ssimcu_device_count(SSIMCU_DEVICE_CUDA, &gpus, &why);
    if (input->gpu < gpus) *gpu = (int)input->gpu;
    if (*gpu >= 0 || input->decode == SSIMCU_DECODE_AUTO) return SSIMCU_OK;
    if (status == SSIMCU_OK) (void)ssimcu_fail(&why, status, "found no CUDA device %u", input->gpu);
    FAIL(DEVICE, "--decode cuda: %.400s", why.text);
}

/* Notes whether any clip decodes on the GPU. Fails with the reasons if NVDEC is required and no
 * clip uses it. */
static ssimcu_status check_decoders(struct source *source, ssimcu_message *message)
{
    const struct clips *clips = (const struct clips *)source;
    const char *why[2] = {"", ""};
    for (uint32_t s = clips->outs + 1; s-- > 0;) {
        const ssimcu_clip *clip = clips->side[s].clip;
        if (clip && ssimcu_clip_shape(clip)->on_device) source->on_device = true;
        if (clip) why[s > 0] = ssimcu_clip_why_not_gpu(clip);
    }
    if (source->on_device || source->input->decode != SSIMCU_DECODE_CUDA) return SSIMCU_OK;
    if (!why[0][0] && !why[1][0]) why[0] = "neither side is compressed video";
    FAIL(UNSUPPORTED, "--decode cuda: %.200s%s%.200s", why[0], why[0][0] && why[1][0] ? "; " : "",
         why[1]);
}

static ssimcu_status take_outs(struct clips *clips, const struct opening *opening,
                               ssimcu_message *message)
{
    if (clips->outs == 1) return take_out(clips, &opening[1], message);
    clips->data = malloc(clips_shape(clips)->frame_bytes);
    if (!clips->data) return no_memory(message);
    for (uint32_t o = 1; o <= clips->outs; o++) {
        struct source_out *out = &clips->base.out[o - 1];
        if (out->status == SSIMCU_OK) out->status = take_out(clips, &opening[o], &out->message);
        clips->side[o].over = out->status != SSIMCU_OK;
    }
    return SSIMCU_OK;
}

/* Opens REF and all OUTs that are not left out. */
static ssimcu_status open_sides(struct clips *clips, const enum form *form, ssimcu_message *message)
{
    struct opening *opening = calloc(1 + clips->outs, sizeof *opening);
    if (!opening) return no_memory(message);
    for (uint32_t s = 0; s <= clips->outs; s++) {
        opening[s] = (struct opening){.clips = clips, .at = s, .form = form[s]};
        const bool left_out = s > 0 && clips->base.out[s - 1].status != SSIMCU_OK;
        if (!left_out && (opening[0].has_thread || opening[0].status == SSIMCU_OK))
            begin_opening(&opening[s]);
    }
    for (uint32_t s = 0; s <= clips->outs; s++)
        if (opening[s].has_thread) pthread_join(opening[s].thread, NULL);
    ssimcu_status status = opening[0].status;
    if (status == SSIMCU_OK)
        status = take_outs(clips, opening, message);
    else
        *message = opening[0].message;
    free(opening);
    if (status == SSIMCU_OK) remark_sides(clips);
    return status;
}

ssimcu_status clips_open(struct source *source, const enum form *form, ssimcu_message *message)
{
    struct clips *clips = (struct clips *)source;
    clips->outs = source->outs;
    TRY(check(source->input, clips->outs, message));
    TRY(kind_choose_gpu(source->input, &clips->gpu, message));
    const ssimcu_status status = open_sides(clips, form, message);
    struct chunks *const all = source->input->chunks;
    if (all) share_end_opening(all, source->input->reader);
    return status == SSIMCU_OK ? check_decoders(source, message) : status;
}
