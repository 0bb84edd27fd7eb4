/* Writes frames to JPEG files, through libjpeg-turbo's libjpeg interface. */
#include "image/write_jpeg.h"

#include "fail.h"

#include <errno.h>
#include <stdio.h> /* jpeglib.h needs it first */

#include <jerror.h>
#include <jpeglib.h>
#include <setjmp.h>
#include <string.h>

/* A writer lives in the caller of setjmp, so that a longjmp leaves no member undefined. */
typedef struct writer {
    struct jpeg_compress_struct jpeg;
    struct jpeg_error_mgr errors;
    FILE *file;
    const char *path;
    ssimcu_status status;
    ssimcu_message *message;
    jmp_buf stop;
} writer;

static ssimcu_status write_error(const char *path, int error, ssimcu_message *message)
{
    if (error == ENOMEM) FAIL(MEMORY, "%.300s: out of memory", path);
    FAIL(WRITE, "%.300s: cannot write (%s)", path, strerror(error));
}

static void on_error(j_common_ptr jpeg)
{
    writer *const w = jpeg->client_data;
    const int error = errno, code = jpeg->err->msg_code;
    char text[JMSG_LENGTH_MAX];
    jpeg->err->format_message(jpeg, text);
    if (code == JERR_FILE_WRITE)
        w->status = write_error(w->path, error, w->message);
    else if (code == JERR_OUT_OF_MEMORY)
        w->status = ssimcu_fail(w->message, SSIMCU_ERROR_MEMORY, "%.300s: out of memory", w->path);
    else
        w->status = ssimcu_fail(w->message, SSIMCU_ERROR_ARGUMENT,
                                "%.300s: cannot be a JPEG (%.150s)", w->path, text);
    longjmp(w->stop, 1);
}

static void on_message(j_common_ptr jpeg, int level) { (void)jpeg, (void)level; }

static void encode(writer *w, const ssimcu_frame *frame, int quality)
{
    struct jpeg_compress_struct *jpeg = &w->jpeg;
    if (setjmp(w->stop)) return;
    jpeg->err = jpeg_std_error(&w->errors);
    jpeg->client_data = w;
    w->errors.error_exit = on_error;
    w->errors.emit_message = on_message;
    jpeg_create_compress(jpeg);
    jpeg_stdio_dest(jpeg, w->file);
    jpeg->image_width = frame->width;
    jpeg->image_height = frame->height;
    jpeg->input_components = (int)frame->channels;
    jpeg->in_color_space = frame->channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
    jpeg_set_defaults(jpeg);
    jpeg_set_quality(jpeg, quality, TRUE);
    jpeg->optimize_coding = TRUE; /* saves 3 to 10 % of the bytes */
    jpeg_start_compress(jpeg, TRUE);
    while (jpeg->next_scanline < frame->height) {
        JSAMPROW row = (uint8_t *)frame->data + jpeg->next_scanline * frame->pitch;
        jpeg_write_scanlines(jpeg, &row, 1);
    }
    jpeg_finish_compress(jpeg);
}

ssimcu_status ssimcu_image_write_jpeg(const char *path, const ssimcu_frame *frame, int quality,
                                      ssimcu_message *message)
{
    if (frame->bits != 8 || (frame->channels != 1 && frame->channels != 3))
        FAIL(ARGUMENT, "%.300s: %u channels of %u bits, expected 1 or 3 of 8", path,
             frame->channels, frame->bits);
    writer w = {.file = fopen(path, "wbx"), .path = path, .message = message};
    if (!w.file) return write_error(path, errno, message);
    encode(&w, frame, quality);
    jpeg_destroy_compress(&w.jpeg);
    if (fclose(w.file) != 0 && w.status == SSIMCU_OK) w.status = write_error(path, errno, message);
    return w.status;
}
