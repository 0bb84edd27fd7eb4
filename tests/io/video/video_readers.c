/* video_readers READERS OFFSET KNOWN SHARDS FRAMES REF OUT...: scores video files with READERS
 * readers side by side: the first of SHARDS shares, and of FRAMES alone unless they are "all".
 * Prints how many readers there were, and in order what became of each frame of each OUT. */
#define _GNU_SOURCE /* asprintf */
#include "engine/batch.h"
#include "record/record.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Records of different OUTs come in any order. */
struct lines {
    char *text[SOURCE_MOST_OUTS];
};

static bool take(void *user, struct record *record, bool known)
{
    (void)known;
    struct lines *lines = user;
    char **text = &lines->text[record->out];
    char *longer = NULL;
    if (asprintf(&longer, "%s%u %" PRId64 " %s %.17g\n", *text ? *text : "", record->out,
                 record->frame, record_status(record), record->scored.score) < 0)
        return false;
    free(*text);
    *text = longer;
    return true;
}

/* Says that runs of frames are known, some longer and some shorter than a stretch. */
static bool scored(void *user, int64_t frame)
{
    (void)user;
    return frame / 7 % 3 == 1 || (frame > 40 && frame < 260) || (frame > 340 && frame < 350);
}

static bool find(void *user, struct record *record)
{
    if (!scored(user, record->frame)) return false;
    record->scored.score = -1;
    return true;
}

int main(int argc, char **argv)
{
    if (argc < 8) return 2;
    const bool known = atoi(argv[3]) != 0;
    const uint32_t outs = (uint32_t)argc - 7;
    ssimcu_ranges frames = {0};
    struct lines lines = {{0}};
    const bool all = strcmp(argv[5], "all") == 0;
    if (!all && ssimcu_ranges_parse(argv[5], &frames, NULL) != SSIMCU_OK) return 2;
    const struct source_input input = {.path = {argv[6], argv[7]},
                                       .out = (const char *const *)&argv[7],
                                       .outs = outs,
                                       .frames = all ? NULL : &frames,
                                       .shard = 1,
                                       .shards = (uint32_t)atoi(argv[4]),
                                       .threads = 1,
                                       .decode = SSIMCU_DECODE_CPU,
                                       .offset = atoi(argv[2])};
    struct batch_config config = {.settings = SSIMCU_INIT(settings),
                                  .readers = (uint32_t)atoi(argv[1]),
                                  .contexts = 1, /* decoding threads run beside it */
                                  .known = known ? find : NULL,
                                  .take = take,
                                  .user = &lines};
    config.settings.device = SSIMCU_DEVICE_CPU;
    struct source *source;
    struct batch_times times = {0};
    ssimcu_message message = {{0}};
    ssimcu_status status = source_open(&input, &source, &message);
    if (status == SSIMCU_OK && known) source->scored = scored;
    if (status == SSIMCU_OK) status = batch_run(&config, source, &times, &message);
    if (status != SSIMCU_OK)
        fprintf(stderr, "%s\n", message.text);
    else if (source->damage.text[0])
        fprintf(stderr, "%s\n", source->damage.text);
    for (uint32_t i = 0; i < outs; i++) {
        printf("%s", lines.text[i] ? lines.text[i] : "");
        free(lines.text[i]);
    }
    fprintf(stderr, "readers %u\n", times.readers);
    ssimcu_ranges_free(&frames);
    source_close(source);
    return status != SSIMCU_OK;
}
