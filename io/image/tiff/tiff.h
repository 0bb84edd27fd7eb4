/* TIFF's reader: libtiff, or a stub if the build has no libtiff. */
#pragma once

#include "image/codec.h"

/* See ssimcu_codec. */
extern const char ssimcu_tiff_library[];
ssimcu_status ssimcu_tiff_read(ssimcu_file *file, ssimcu_frame *frame);
