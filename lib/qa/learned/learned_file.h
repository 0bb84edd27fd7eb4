/* The file of learned limits next to a file of limits. A frame is identified by its shot and
 * number, as in records. Numbers are little-endian. A CRC is zlib's CRC-32 of the bytes in the
 * file:
 *
 *     "SSIMCUF3"
 *     blocks of up to 16 frames of one shot and grid (code.h), each a zlib stream
 *     the index, a zlib stream
 *     the index's place (8 bytes), bytes, bytes inflated and CRC (4 each), "SSIMCUFE"
 *
 * The index; its numbers have 4 bytes unless another size is given:
 *
 *     numbers of shots, of blocks and of frames
 *     shots:      length of the name, and the name; only 0xffffffff: frames without a shot
 *     blocks:     place (8), bytes, bytes inflated, CRC, number of its shot from 0, its frames,
 *                 tile, width, height, columns, rows, channels (struct learned_grid)
 *     frames:     block after block: number (8, signed; the lowest number: all frames of the
 *                 shot that have no separate learned limits), accepted runs
 *     references: the rest, in the order of shot and frame: number of the shot, frame (8), bytes
 *                 (8), seconds (8), nanoseconds, CRC (struct learned_reference)
 *
 * Reading a damaged file gives an error of one line. tests/system/learned_layout.py reads such
 * files and relies only on this comment and that of code.h. */
#pragma once

#include "learned/learned.h"

/* Its last byte is the version, which also says how the values of tiles were computed. Version 1
 * used all windows (ssimcu_feature), and the sums of version 2 used every other row. */
#define LEARNED_FILE_START "SSIMCUF" /* of any version */
#define LEARNED_FILE_MAGIC LEARNED_FILE_START "3"
enum { LEARNED_PRINT = 17 };        /* bytes of a fingerprint: 16 hexadecimal digits, and a 0 */
#define LEARNED_FILE_SHOT INT64_MIN /* number of learned limits shared by all frames of a shot */

/* ---- Writing --------------------------------------------------------------------------------- */

struct atomic_file_kind;
struct learned_writer;

/* The file for atomic_file. */
extern const struct atomic_file_kind learned_kind;

/* Writes to PATH.tmp, which learned_writer_end renames. Errors: WRITE, MEMORY. */
ssimcu_status learned_writer_open(const char *path, struct learned_writer **writer,
                                  ssimcu_message *message);

/* Adds the learned limits of a frame. `shot` may be NULL. Errors: WRITE, MEMORY, LIMIT. */
ssimcu_status learned_writer_add(struct learned_writer *writer, const char *shot, int64_t frame,
                                 const struct learned_frame *learned, ssimcu_message *message);

/* Notes the reference of a frame. Call it in the order of frames. Errors: MEMORY. */
ssimcu_status learned_writer_refer(struct learned_writer *writer, const char *shot, int64_t frame,
                                   const struct learned_reference *reference,
                                   ssimcu_message *message);

/* Finishes the data: it is on the disk, and only lacks its name. Errors: WRITE, MEMORY. */
ssimcu_status learned_writer_finish(struct learned_writer *writer, ssimcu_message *message);

/* Finishes the file, unless that is done, and gives it its name. Errors: WRITE, MEMORY. */
ssimcu_status learned_writer_end(struct learned_writer *writer, ssimcu_message *message);

/* Writes the fingerprint of a finished file, which identifies it in results and limits. */
void learned_writer_print(const struct learned_writer *writer, char print[LEARNED_PRINT]);

/* Releases the writer, and removes the file unless it was finished. Accepts NULL. */
void learned_writer_close(struct learned_writer *writer);

/* ---- Reading --------------------------------------------------------------------------------- */

struct learned_file;

/* Opens a file and reads its index. Errors: FILE, DATA (damaged, or another version), MEMORY. */
ssimcu_status learned_file_open(const char *path, struct learned_file **file,
                                ssimcu_message *message);

/* Returns how many frames have separate learned limits. */
size_t learned_file_frames(const struct learned_file *file);

/* Finds the next of these frames, in any order; *at starts at 0. Returns false after the last. */
bool learned_file_next(const struct learned_file *file, size_t *at, const char **shot,
                       int64_t *frame);

/* Returns the file's fingerprint. */
const char *learned_file_print(const struct learned_file *file);

/* Finds the learned limits of a frame, or else those that its shot shares. The caller frees
 * *learned with learned_frame_free; its `mean` is NULL if there are none. Many threads may call it.
 * Errors: FILE, DATA, MEMORY. */
ssimcu_status learned_file_find(struct learned_file *file, const char *shot, int64_t frame,
                                struct learned_frame *learned, ssimcu_message *message);

/* Finds the reference of a frame. Returns false if the file does not have it. Many threads may call
 * it. */
bool learned_file_reference(const struct learned_file *file, const char *shot, int64_t frame,
                            struct learned_reference *reference);

void learned_file_close(struct learned_file *file); /* accepts NULL */
