/* Matching: whether two frames, or two videos, can be compared. All errors are MISMATCH, and their
 * text names both sides and, if there is one, the ffmpeg filter that mends OUT. */
#ifndef SSIMCU_QA_MATCH_H
#define SSIMCU_QA_MATCH_H

#include "image/colours/colours.h"
#include "image/windows.h"
#include "video/clip.h"

/* Fails if the two pictures have different sizes. */
ssimcu_status match_sizes(const char *ref_name, const ssimcu_frame *ref, const char *out_name,
                          const ssimcu_frame *out, ssimcu_message *message);

/* Fails if the first pixels of the two display windows lie in different places. */
ssimcu_status match_windows(const char *ref_name, const struct ssimcu_image_windows *ref,
                            const char *out_name, const struct ssimcu_image_windows *out,
                            ssimcu_message *message);

/* Writes how the curves or primaries of two videos differ, which changes no sample and forbids no
 * comparison. Returns false if they do not differ, as far as both files say. */
bool match_colours(const ssimcu_clip_format *ref, const char *out_name,
                   const ssimcu_clip_format *out, char *text, size_t size);

/* Does the same for two pictures, without OUT's name and without what follows: *text, which is the
 * caller's to free, becomes how they differ; NULL: they do not. A file that says nothing has the
 * colours of sRGB. Returns false if memory runs out. */
bool match_note_colours(const struct ssimcu_image_colours *ref,
                        const struct ssimcu_image_colours *out, char **text);

/* Writes the line about what match_note_colours has written. */
void match_colours_line(const char *out_name, const char *what, char *line, size_t size);

/* Writes that samples of PQ or HLG are compared as they are stored, not as light. Returns false if
 * the curve is another, or differs. `white` above 0: they are compared as light, of which so many
 * cd/m2 are 1, and that is written. */
bool match_hdr(const ssimcu_clip_format *ref, const char *out_name, const ssimcu_clip_format *out,
               double white, char *text, size_t size);

/* Fails if one of two videos has samples of PQ or HLG, which a metric of sRGB is not defined for.
 */
ssimcu_status match_srgb(const ssimcu_clip_format *ref, const ssimcu_clip_format *out,
                         ssimcu_message *message);

/* Fails if one of two videos has samples that are not YCbCr but of Dolby Vision, of which no light
 * can be made. */
ssimcu_status match_ycbcr(const ssimcu_clip_format *ref, const ssimcu_clip_format *out,
                          ssimcu_message *message);

/* Write what is worth a line of one side alone; `name` is its file. Return false if it is not so.
 */
bool match_dolby(const char *name, const ssimcu_clip_format *format, char *text, size_t size);
bool match_grain(const char *name, const ssimcu_clip_format *format, char *text, size_t size);

/* Fails if both videos name the place of their chroma, and not the same: what reads R, G and B
 * would not have the same of the same samples. */
ssimcu_status match_siting(const ssimcu_clip_format *ref, const ssimcu_clip_format *out,
                           ssimcu_message *message);

/* Does the same as match_colours for their rates. */
bool match_rates(const ssimcu_clip_format *ref, const char *out_name, const ssimcu_clip_format *out,
                 bool by_times, char *text, size_t size);

/* Fails if two videos differ in size, depth, subsampling, range or whatever else forbids it. `own`
 * are the formats of the files, which are named; `ref` and `out` those that are compared. */
ssimcu_status match_formats(const ssimcu_clip_format *const own[2], const ssimcu_clip_format *ref,
                            const ssimcu_clip_format *out, ssimcu_message *message);

#endif
