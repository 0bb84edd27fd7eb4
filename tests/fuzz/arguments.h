/* Arguments of calls, made of an input's bytes. Most are sensible, so that most calls get past the
 * checks. Memory is exactly as large as the headers say that it must be. */
#ifndef SSIMCU_FUZZ_ARGUMENTS_H
#define SSIMCU_FUZZ_ARGUMENTS_H

#include "ssimcu.h"

#include <stdint.h>

__extension__ typedef unsigned __int128 fuzz_wide; /* sizes that cannot wrap */

enum { FUZZ_MOST_BYTES = 1 << 16 };

struct fuzz_input {
    const uint8_t *at, *end;
};

uint8_t fuzz_byte(struct fuzz_input *in);

/* Reads a number from 1 to `most`, sometimes anything. */
uint32_t fuzz_number(struct fuzz_input *in, uint32_t most);

/* Reads a number from 0 to `most` - 1, sometimes one more. */
uint32_t fuzz_choice(struct fuzz_input *in, uint32_t most);

/* Returns memory of `bytes` bytes with something in it; NULL if they are too many. */
void *fuzz_memory(struct fuzz_input *in, fuzz_wide bytes);

/* Makes a view and its memory, of any kind or of the size of another and one of the first types.
 * With `apart` there may be gaps between its pixels, rows, planes and frames. */
void fuzz_view(struct fuzz_input *in, ssimcu_view *view);
void fuzz_view_like(struct fuzz_input *in, const ssimcu_view *like, uint32_t types,
                    ssimcu_view *view);
void fuzz_view_apart(struct fuzz_input *in, const ssimcu_view *like, uint32_t types,
                     ssimcu_view *view);
void fuzz_view_free(ssimcu_view *view);

/* Makes views of the same size, so that most pairs match. */
void fuzz_pair(struct fuzz_input *in, ssimcu_view *ref, ssimcu_view *out);

#endif
