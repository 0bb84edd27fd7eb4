/* The choice of the channels that make the picture, by the names that renderers give them. */
#ifndef SSIMCU_EXR_CHOICE_H
#define SSIMCU_EXR_CHOICE_H

#include "header.h"

/* Finds the part and the channels that the task asks for. Fills in their names and types in
 * *picture, and facts.numbers. Lists all channels in task->names.
 *
 * A channel's full name begins with its part's name and a dot, unless it does so already or the
 * file has one part without a name. Names may be given in full or as stored. The picture is
 *
 *   - channels, with a layer in front if there is one: these;
 *   - a layer, which may be the end of a longer name ("Combined" of "ViewLayer.Combined"): its R, G
 *     and B, also in lower case or in words; else X, Y and Z; else its only channel; else the
 * channel of that name;
 *   - neither: R, G and B of the first part, or Y alone; else the first layer of any part that is
 *     called as renderers call the whole picture, such as Ci, C or Combined.
 *
 * Errors: ARGUMENT (not one name or three), UNSUPPORTED (no such channels; deep; subsampled). */
ssimcu_status exr_choice_make(struct ssimcu_exr_task *task, const struct exr_file *file,
                              struct ssimcu_exr_picture *picture);

#endif
