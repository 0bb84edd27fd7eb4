/* Earlier results read back: to resume a run, to merge shares, to compare with a baseline. */
#ifndef SSIMCU_QA_EARLIER_H
#define SSIMCU_QA_EARLIER_H

#include "results/header.h"
#include "results/record.h"

/* Lines of one or several files, by rising frame, one for each frame. */
struct earlier {
    struct header header; /* what is true of all files; its contract is NULL: none was read */
    struct earlier_line {
        int64_t frame;
        size_t place; /* among all that were read */
        bool scored;
        char *text;
        const struct json_t *device; /* as its file's header has it */
    } * line;
    size_t count, room, taken;
    struct json_t *devices; /* what the lines point to */
    bool beside;            /* lines came from path.partial or path.resume */
    bool complete;          /* every file ended in the summary of a complete run */
    uint32_t shards;        /* of the files that are shares; 0: none is */
    unsigned char *seen;    /* which shares, [shards + 1] */
};

/* Adds the lines of `path`. A last line without line break is half a line and is dropped. For a
 * frame that is there already a scored line wins; `latest`: the newer one does where both are
 * scored, else the first one, and two different scores are a MISMATCH: more than 1e-6 apart where
 * two devices made them, at all where one did. Also MISMATCH: what header_check says, or shares of
 * different counts. Other errors: FILE; DATA (a line is no result, or longer than 1 MiB); ARGUMENT
 * (it is CSV); MEMORY. */
ssimcu_status earlier_add(struct earlier *earlier, const char *path, bool latest,
                          ssimcu_message *message);

/* What a run that is to be resumed has left: `path`, path.partial and path.resume, as far as they
 * are there. Errors: as earlier_add. */
ssimcu_status earlier_resume(struct earlier *earlier, const char *path, ssimcu_message *message);

/* Puts the lines of all into path.resume, so that path.partial can be written anew; nothing to do
 * where `path` alone was there. Errors: WRITE, MEMORY. */
ssimcu_status earlier_save(const struct earlier *earlier, const char *path,
                           ssimcu_message *message);

/* The record of line `at`. Errors: MEMORY. */
ssimcu_status earlier_record(const struct earlier *earlier, size_t at, struct record *record,
                             ssimcu_message *message);

/* The record of a frame that was scored. False where there is none, or no memory for it. */
bool earlier_find(const struct earlier *earlier, int64_t frame, struct record *record);

void earlier_free(struct earlier *earlier);

#endif
