#include "peer.h"

#include <spng.h>

const char *const peer_name = "libspng";

bool peer_read(const ssimcu_file *file, ssimcu_frame *frame)
{
    spng_ctx *const context = spng_ctx_new(0);
    if (!context) return false;
    struct spng_ihdr header;
    bool good = spng_set_png_buffer(context, file->bytes, file->size) == 0 &&
                spng_get_ihdr(context, &header) == 0;
    if (good) {
        const int format =
            header.color_type == SPNG_COLOR_TYPE_INDEXED ? SPNG_FMT_RGB8 : SPNG_FMT_PNG;
        good =
            spng_decode_image(context, frame->data, frame->pitch * frame->height, format, 0) == 0;
    }
    spng_ctx_free(context);
    return good;
}
