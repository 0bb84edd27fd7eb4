/* video_readers REF OUT READERS OFFSET KNOWN: scores two video files with READERS readers side
 * by side. Prints how many readers there were, and in order what became of each frame. */
#include "engine/batch.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static bool take(void *user, const struct record *record, bool known)
{
    (void)user, (void)known;
    printf("%" PRId64 " %s %.17g\n", record->frame, record_status(record), record->score);
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
    record->score = -1;
    return true;
}

int main(int argc, char **argv)
{
    if (argc != 6) return 2;
    const bool known = atoi(argv[5]) != 0;
    const struct source_input input = {.path = {argv[1], argv[2]},
                                       .shard = 1,
                                       .shards = 1,
                                       .threads = 1,
                                       .decode = DECODE_CPU,
                                       .offset = atoi(argv[4])};
    struct batch_config config = {.settings = SSIMCU_INIT(settings),
                                  .readers = (uint32_t)atoi(argv[3]),
                                  .lanes = 1, /* decoding threads run beside it */
                                  .known = known ? find : NULL,
                                  .take = take};
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
    fprintf(stderr, "readers %u\n", times.readers);
    source_close(source);
    return status != SSIMCU_OK;
}
