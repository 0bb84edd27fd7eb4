#include "engine/batch.h"
#include "pair/pair.h"
#include "record/record.h"
#include "source/kind.h"
#include "targets.h"

#include <string.h>

void fuzz_list(const uint8_t *data, size_t size)
{
    if (size < 1) return;
    struct fuzz_file file = fuzz_file_open(data + 1, size - 1);
    const struct source_input input = {
        .list = file.path, .shard = data[0] % 3 + 1u, .shards = data[0] % 3 + 1u + data[0] / 3 % 3};
    struct source *source = NULL;
    ssimcu_message why = {{0}};
    FUZZ_CHECK(source_open(&input, &source, &why) == SSIMCU_OK);
    int64_t before = 0;
    for (;;) {
        struct record record = {0};
        struct pair pair = {.record = &record};
        if (!source->kind->next(source, &pair)) break;
        FUZZ_CHECK(record.frame > before);
        before = record.frame;
        FUZZ_CHECK((record.frame - 1) % input.shards == input.shard - 1);
        if (record.kind == RECORD_FAILED)
            FUZZ_CHECK(fuzz_is_line(record.message.text));
        else
            FUZZ_CHECK(record.kind == RECORD_MISSING ||
                       (record.side[0].path && record.side[1].path));
        record_clear(&record);
    }
    source_close(source);
    fuzz_file_close(&file);
}
