/* The file of floors that lies beside a file of limits. A frame is known by its part and number, as
 * in records. Numbers are little-endian; a CRC is the CRC-32 of zlib, of the bytes in the file:
 *
 *     "SSIMCUF3"
 *     blocks of up to 16 frames of one part and grid (code.h), each a zlib stream
 *     the index, a zlib stream
 *     the index's place (8 bytes), bytes, bytes inflated and CRC (4 each), "SSIMCUFE"
 *
 * The index, of numbers of 4 bytes where none are named:
 *
 *     how many parts, blocks and frames there are
 *     parts:      length of the name, and the name; 0xffffffff alone: frames without a part
 *     blocks:     place (8), bytes, bytes inflated, CRC, number of its part from 0, its frames,
 *                 tile, width, height, columns, rows, channels (struct floor_grid)
 *     frames:     of block after block: number (8, signed; the least there is: all frames of the
 *                 part that have no floors of their own), accepted runs
 *     references: the rest, in the order of part and frame: number of the part, frame (8), bytes
 *                 (8), seconds (8), nanoseconds, CRC (struct floor_reference)
 *
 * A damaged file is an error of one line. tests/system/floors_layout.py reads such a file by this
 * comment and that of code.h alone. */
#ifndef SSIMCU_QA_FLOORS_FILE_H
#define SSIMCU_QA_FLOORS_FILE_H

#include "floors/floors.h"

/* Its last byte is the version, which also tells how the values of tiles were made: those of
 * version 1 were of all windows (ssimcu_feature), sums of version 2 of every other row. */
#define FLOORS_FILE_START "SSIMCUF" /* of any version */
#define FLOORS_FILE_MAGIC FLOORS_FILE_START "3"
enum { FLOORS_PRINT = 17 };        /* bytes of a fingerprint: 16 digits of base 16, and a 0 */
#define FLOORS_FILE_SHOT INT64_MIN /* number of floors that all frames of a part share */

/* ---- Writing --------------------------------------------------------------------------------- */

struct floors_writer;

/* Writes to PATH.tmp, which floors_writer_end renames. Errors: WRITE, MEMORY. */
ssimcu_status floors_writer_open(const char *path, struct floors_writer **writer,
                                 ssimcu_message *message);

/* Adds the floors of a frame. `part` may be NULL. Errors: WRITE, MEMORY, LIMIT. */
ssimcu_status floors_writer_add(struct floors_writer *writer, const char *part, int64_t frame,
                                const struct floor_frame *floor, ssimcu_message *message);

/* Notes what the reference of a frame was. Call it in the order of frames. Errors: MEMORY. */
ssimcu_status floors_writer_refer(struct floors_writer *writer, const char *part, int64_t frame,
                                  const struct floor_reference *reference, ssimcu_message *message);

/* Finishes what is written: it is on the disk, and lacks only its name. Errors: WRITE, MEMORY. */
ssimcu_status floors_writer_finish(struct floors_writer *writer, ssimcu_message *message);

/* Finishes the file, unless it is finished, and gives it its name. Errors: WRITE, MEMORY. */
ssimcu_status floors_writer_end(struct floors_writer *writer, ssimcu_message *message);

/* Writes the fingerprint of a finished file, by which results and limits know it. */
void floors_writer_print(const struct floors_writer *writer, char print[FLOORS_PRINT]);

/* Releases the writer, and removes the file if it was not finished. NULL is allowed. */
void floors_writer_close(struct floors_writer *writer);

/* ---- Reading --------------------------------------------------------------------------------- */

struct floors_file;

/* Opens a file and reads its index. Errors: FILE, DATA (damaged, or another version), MEMORY. */
ssimcu_status floors_file_open(const char *path, struct floors_file **file,
                               ssimcu_message *message);

/* Returns how many frames have floors of their own. */
size_t floors_file_frames(const struct floors_file *file);

/* Finds the next of these frames, in no order; *at starts with 0. Returns false behind the last. */
bool floors_file_next(const struct floors_file *file, size_t *at, const char **part,
                      int64_t *frame);

/* Returns the file's fingerprint. */
const char *floors_file_print(const struct floors_file *file);

/* Finds the floors of a frame, else those that its part shares. *floor, the caller's to free with
 * floor_frame_free, has no `mean` if there are none. Many threads may call it. Errors: FILE, DATA,
 * MEMORY. */
ssimcu_status floors_file_find(struct floors_file *file, const char *part, int64_t frame,
                               struct floor_frame *floor, ssimcu_message *message);

/* Finds what the reference of a frame was. Returns false if the file does not say. Many threads may
 * call it. */
bool floors_file_reference(const struct floors_file *file, const char *part, int64_t frame,
                           struct floor_reference *reference);

void floors_file_close(struct floors_file *file); /* NULL is allowed */

#endif
