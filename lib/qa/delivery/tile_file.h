/* The file of --all-tiles: the numbers of all tiles of the frames that were scored, in the order of
 * the results that it lies beside. It is a file of floors (floors/packed.h). */
#ifndef SSIMCU_QA_TILE_FILE_H
#define SSIMCU_QA_TILE_FILE_H

#include "floors/floors.h"

struct record;

struct tile_file;

/* Begins the file, which gets its name at the end. Errors: those of floors_writer_open. */
ssimcu_status tile_file_open(const char *path, struct tile_file **file, ssimcu_message *message);

/* Takes values, which become the file's, of the record's frame. Many threads may call it. Errors:
 * MEMORY. */
ssimcu_status tile_file_put(struct tile_file *file, const struct record *record,
                            struct floor_values *values, ssimcu_message *message);

/* Writes the values of a record, if it has any. Errors: those of floors_writer_add. */
ssimcu_status tile_file_take(struct tile_file *file, const struct record *record,
                             ssimcu_message *message);

/* Ends the file. Errors: those of floors_writer_end. */
ssimcu_status tile_file_end(struct tile_file *file, ssimcu_message *message);

void tile_file_close(struct tile_file *file); /* NULL is allowed */

#endif
