/* JPEG through libjpeg-turbo's libjpeg interface, with its default DCT and upsampling.
 *
 * libjpeg only warns if data is missing or damaged, and fills the gap with grey. Here every warning
 * ends the read. JPEG has no checksum, so most changed bits cannot be detected. */
#include "image/codec.h"
#include "image/orientation.h"
#include "markers.h"

#include <stdio.h> /* jpeglib.h needs it first */

#include <jerror.h>
#include <jpeglib.h>
#include <limits.h>
#include <setjmp.h>
#include <stdlib.h>

/* A progressive encoder writes about ten scans. Each scan costs a pass over all coefficients and
 * can be a few bytes long. Without a limit a small file could keep the decoder busy for minutes. */
#define MAX_SCANS 100

/* A progressive frame is kept as 16-bit coefficients of up to three components, in whole blocks. */
enum { BYTES_PER_PIXEL = 3 * sizeof(JCOEF), MEMORY_SLACK = 64 << 20 };

/* A reader lives in the caller of setjmp, so that a longjmp leaves no member undefined. */
typedef struct reader {
    struct jpeg_decompress_struct jpeg;
    struct jpeg_error_mgr errors;
    struct jpeg_progress_mgr progress;
    ssimcu_file *file;
    unsigned orientation;     /* Exif's orientation, 1 to 8 */
    bool has_list;            /* the file lists further pictures (MPF) */
    unsigned components_seen; /* one bit per component that a scan has carried */
    ssimcu_status status;
    jmp_buf stop;
} reader;

static _Noreturn void stop(reader *r, ssimcu_status status, const char *text)
{
    r->status = ssimcu_file_fail(r->file, status, "%s", text);
    longjmp(r->stop, 1);
}

static ssimcu_status status_of(int code)
{
    switch (code) {
    case JERR_OUT_OF_MEMORY: return SSIMCU_ERROR_MEMORY;
    case JERR_IMAGE_TOO_BIG:
    case JERR_WIDTH_OVERFLOW:
    case JERR_NO_BACKING_STORE: return SSIMCU_ERROR_LIMIT;
    case JERR_BAD_PRECISION:
    case JERR_COMPONENT_COUNT:
    case JERR_CONVERSION_NOTIMPL:
    case JERR_FRACT_SAMPLE_NOTIMPL:
    case JERR_SOF_UNSUPPORTED: return SSIMCU_ERROR_UNSUPPORTED;
    default: return SSIMCU_ERROR_DATA;
    }
}

static void on_error(j_common_ptr jpeg)
{
    reader *const r = jpeg->client_data;
    const ssimcu_status status = status_of(jpeg->err->msg_code);
    const char *kind = "damaged JPEG";
    if (status != SSIMCU_ERROR_DATA) kind = "cannot decode this JPEG";
    if (jpeg->err->msg_code == JWRN_JPEG_EOF) kind = "truncated JPEG";
    char text[JMSG_LENGTH_MAX], line[JMSG_LENGTH_MAX + 32];
    jpeg->err->format_message(jpeg, text);
    snprintf(line, sizeof line, "%s (%s)", kind, text);
    stop(r, status, line);
}

/* Stops at a warning, which is level -1. All other levels are trace. */
static void on_message(j_common_ptr jpeg, int level)
{
    if (level < 0) on_error(jpeg);
}

static void on_output(j_common_ptr jpeg) { (void)jpeg; }

/* Counts scans and components. libjpeg calls this at least once in every scan that it reads. */
static void on_progress(j_common_ptr common)
{
    reader *const r = common->client_data;
    const struct jpeg_decompress_struct *const jpeg = &r->jpeg;
    if (jpeg->input_scan_number > MAX_SCANS)
        stop(r, SSIMCU_ERROR_LIMIT, "more than " SSIMCU_TEXT(MAX_SCANS) " scans");
    for (int i = 0; i < jpeg->comps_in_scan; i++)
        r->components_seen |= 1U << jpeg->cur_comp_info[i]->component_index;
}

/* Returns the first saved marker whose data begins with `prefix`, or NULL. */
static const struct jpeg_marker_struct *find_marker(const struct jpeg_decompress_struct *jpeg,
                                                    const char *prefix, size_t size)
{
    const struct jpeg_marker_struct *marker = jpeg->marker_list;
    while (marker && (marker->data_length < size || memcmp(marker->data, prefix, size) != 0))
        marker = marker->next;
    return marker;
}

/* Remarks on further pictures in the file. Cameras and phones store the other view of a stereo
 * photo, or a gain map for HDR screens. The first picture is the photo. */
static void remark_on_others(const reader *r)
{
    const ssimcu_image_options *const options = &r->file->options;
    const struct jpeg_marker_struct *mpf = find_marker(&r->jpeg, "MPF", 4);
    const uint32_t pictures = mpf ? ssimcu_mpf_pictures(mpf->data, mpf->data_length) : 1;
    if (pictures < 2 || !options->remark) return;
    ssimcu_message line;
    snprintf(line.text, sizeof line.text,
             "%s: only the first of the %u pictures in the file is compared", r->file->name,
             pictures);
    options->remark(options->user, line.text);
}

/* Bytes to keep of each marker that may list further pictures. A list of 200 pictures fits. Colour
 * profiles, which are long, use the same marker. */
enum { MPF_MOST = 4096 };

static long memory_limit(uint64_t max_pixels)
{
    const uint64_t most = (LONG_MAX - MEMORY_SLACK) / BYTES_PER_PIXEL;
    return (long)(max_pixels < most ? max_pixels : most) * BYTES_PER_PIXEL + MEMORY_SLACK;
}

static void start(reader *r)
{
    const ssimcu_file *const file = r->file;
    r->jpeg.err = jpeg_std_error(&r->errors);
    r->jpeg.client_data = r;
    r->errors.error_exit = on_error;
    r->errors.emit_message = on_message;
    r->errors.output_message = on_output;
    jpeg_create_decompress(&r->jpeg);
    r->progress.progress_monitor = on_progress;
    r->jpeg.progress = &r->progress;
    r->jpeg.mem->max_memory_to_use = memory_limit(file->options.max_pixels);
    jpeg_mem_src(&r->jpeg, file->bytes, file->size);
    jpeg_save_markers(&r->jpeg, JPEG_APP0 + 1, 0xFFFF);
    jpeg_save_markers(&r->jpeg, JPEG_APP0 + 2, MPF_MOST);
    jpeg_read_header(&r->jpeg, TRUE);
    /* libjpeg continues with zeros after the end of such data, without a warning. */
    if (r->jpeg.arith_code)
        stop(r, SSIMCU_ERROR_UNSUPPORTED,
             "arithmetic-coded JPEG is not supported (the format gives no sign of missing data)");
    const struct jpeg_marker_struct *const exif = find_marker(&r->jpeg, "Exif\0", 6);
    r->orientation = exif ? ssimcu_orientation(exif->data, exif->data_length) : 1;
    r->has_list = find_marker(&r->jpeg, "MPF", 4) != NULL;
}

/* Returns the bytes of all coefficients if the file has more than one scan, otherwise 0. */
static uint64_t coefficients(reader *r)
{
    uint64_t blocks = 0;
    if (!jpeg_has_multiple_scans(&r->jpeg)) return 0;
    for (int c = 0; c < r->jpeg.num_components; c++) {
        const jpeg_component_info *part = &r->jpeg.comp_info[c];
        blocks += (uint64_t)part->width_in_blocks * part->height_in_blocks;
    }
    return blocks * sizeof(JBLOCK);
}

static void read_profile(reader *r)
{
    ssimcu_file *const file = r->file;
    uint8_t *const profile = malloc(SSIMCU_ICC_MOST);
    if (!profile) stop(r, SSIMCU_ERROR_MEMORY, "out of memory");
    const size_t size = ssimcu_jpeg_profile(file->bytes, file->size, profile, SSIMCU_ICC_MOST);
    if (size > 0) ssimcu_colours_of_icc(profile, size, &file->colours);
    free(profile);
}

static void shape(reader *r, ssimcu_frame *frame)
{
    const bool turned = r->orientation >= 5;
    switch (r->jpeg.jpeg_color_space) {
    case JCS_GRAYSCALE: frame->channels = 1; break;
    case JCS_RGB:
    case JCS_YCbCr: frame->channels = 3; break;
    case JCS_CMYK:
    case JCS_YCCK:
        stop(r, SSIMCU_ERROR_UNSUPPORTED, "CMYK JPEG: only grey and RGB can be compared");
    default: stop(r, SSIMCU_ERROR_UNSUPPORTED, "JPEG in an unknown colour space");
    }
    frame->width = turned ? r->jpeg.image_height : r->jpeg.image_width;
    frame->height = turned ? r->jpeg.image_width : r->jpeg.image_height;
    frame->bits = 8;
    r->file->holds = coefficients(r);
    remark_on_others(r);
    read_profile(r);
}

/* Fails if a whole scan is missing, because libjpeg does not warn about that. */
static void check_complete(reader *r)
{
    const struct jpeg_decompress_struct *const jpeg = &r->jpeg;
    bool complete = r->components_seen == (1U << jpeg->num_components) - 1;
    /* coef_bits counts the low bits of a coefficient that are still missing; -1: all of them. */
    for (int c = 0; jpeg->coef_bits && c < jpeg->num_components; c++)
        for (int k = 0; k < DCTSIZE2; k++) complete = complete && jpeg->coef_bits[c][k] == 0;
    if (!complete) stop(r, SSIMCU_ERROR_DATA, "truncated JPEG (a scan is missing)");
}

static void read_turned(reader *r, const ssimcu_frame *frame)
{
    const ssimcu_placement to = ssimcu_orientation_place(frame, r->orientation);
    struct jpeg_decompress_struct *const jpeg = &r->jpeg;
    JSAMPARRAY stored = (*jpeg->mem->alloc_sarray)((j_common_ptr)jpeg, JPOOL_IMAGE,
                                                   jpeg->output_width * frame->channels, 1);
    while (jpeg->output_scanline < jpeg->output_height) {
        uint8_t *const line = to.first + jpeg->output_scanline * to.next_row;
        jpeg_read_scanlines(jpeg, stored, 1);
        for (uint32_t x = 0; x < jpeg->output_width; x++)
            memcpy(line + x * to.next_pixel, stored[0] + x * frame->channels, frame->channels);
    }
}

/* Fails if a picture of the same size follows, because the file is then a video. A photo lists its
 * other pictures, and a preview is smaller. */
static void check_alone(reader *r)
{
    const struct jpeg_source_mgr *const rest = r->jpeg.src;
    if (!r->has_list && ssimcu_jpeg_has_size(rest->next_input_byte, rest->bytes_in_buffer,
                                             r->jpeg.image_width, r->jpeg.image_height))
        stop(r, SSIMCU_ERROR_UNSUPPORTED,
             "expected one picture, found an MJPEG stream; a name that ends in .mjpeg makes it a "
             "video");
}

static void pixels(reader *r, const ssimcu_frame *frame)
{
    struct jpeg_decompress_struct *const jpeg = &r->jpeg;
    jpeg->out_color_space = frame->channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
    jpeg_start_decompress(jpeg);
    if (r->orientation != 1) {
        read_turned(r, frame);
    } else {
        while (jpeg->output_scanline < jpeg->output_height) {
            JSAMPROW row = (uint8_t *)frame->data + jpeg->output_scanline * frame->pitch;
            jpeg_read_scanlines(jpeg, &row, 1);
        }
    }
    check_complete(r);
    jpeg_finish_decompress(jpeg); /* reads up to the end marker */
    check_alone(r);
}

static void guarded(reader *r, ssimcu_frame *frame)
{
    if (setjmp(r->stop)) return;
    start(r);
    if (frame->data)
        pixels(r, frame);
    else
        shape(r, frame);
}

static bool is_jpeg(const ssimcu_file *file) { return ssimcu_file_begins(file, "\xFF\xD8\xFF", 3); }

static ssimcu_status read_jpeg(ssimcu_file *file, ssimcu_frame *frame)
{
    file->reader = "libjpeg-turbo";
    reader r = {.file = file};
    guarded(&r, frame);
    jpeg_destroy_decompress(&r.jpeg);
    return r.status;
}

const ssimcu_codec ssimcu_codec_jpeg = {
    .name = "JPEG",
    .library = "libjpeg-turbo " SSIMCU_TEXT(LIBJPEG_TURBO_VERSION), /* not available at run time */
    .extension = (const char *const[]){".jpg", ".jpeg", NULL},
    .is = is_jpeg,
    .read = read_jpeg,
};
