/* Matching: whether two frames, or two videos, can be compared. All errors are MISMATCH. Their text
 * names both sides and, if there is one, the ffmpeg filter that fixes OUT. */
#pragma once

#include "image/colours/colours.h"
#include "image/declared.h"
#include "video/clip.h"

/* Fails if the two pictures have different sizes. */
ssimcu_status match_sizes(const char *ref_name, const ssimcu_frame *ref, const char *out_name,
                          const ssimcu_frame *out, ssimcu_message *message);

/* Fails if the first pixels of the two display windows are in different places. */
ssimcu_status match_windows(const char *ref_name, const struct ssimcu_image_windows *ref,
                            const char *out_name, const struct ssimcu_image_windows *out,
                            ssimcu_message *message);

/* Describes how the curves or primaries of two videos differ, which changes no sample and forbids
 * no comparison. Returns false if they do not differ, as far as both files say. */
bool match_colours(const ssimcu_clip_format *ref, const char *out_name,
                   const ssimcu_clip_format *out, char *text, size_t size);

/* Does the same for two pictures, without OUT's name or any advice. *text, which the caller frees,
 * describes the difference; NULL: none. A file without colour tags has the colours of sRGB. Returns
 * false if memory runs out. */
bool match_note_colours(const struct ssimcu_image_colours *ref,
                        const struct ssimcu_image_colours *out, char **text);

/* Writes the line that reports a text of match_note_colours. */
void match_colours_line(const char *out_name, const char *what, char *line, size_t size);

/* Writes that samples of PQ or HLG are compared as stored, not as light. Returns false if the curve
 * is another, or differs. With `white` above 0, writes that they are compared as light, whose 1 is
 * so many cd/m2. */
bool match_hdr(const ssimcu_clip_format *ref, const char *out_name, const ssimcu_clip_format *out,
               double white, char *text, size_t size);

/* Fails if one of two videos has samples of PQ or HLG, for which a metric of sRGB is not
 * defined. */
ssimcu_status match_srgb(const ssimcu_clip_format *ref, const ssimcu_clip_format *out,
                         ssimcu_message *message);

/* Fails if one of two videos has Dolby Vision samples instead of YCbCr, which cannot become
 * light. */
ssimcu_status match_ycbcr(const ssimcu_clip_format *ref, const ssimcu_clip_format *out,
                          ssimcu_message *message);

/* Write a remark about one side; `name` is its file. Return false if there is nothing to remark. */
bool match_dolby(const char *name, const ssimcu_clip_format *format, char *text, size_t size);
bool match_grain(const char *name, const ssimcu_clip_format *format, char *text, size_t size);

/* Fails if both videos state their chroma locations and these differ: R, G and B of equal samples
 * would differ, too. */
ssimcu_status match_siting(const ssimcu_clip_format *ref, const ssimcu_clip_format *out,
                           ssimcu_message *message);

/* Does the same as match_colours for their rates. */
bool match_rates(const ssimcu_clip_format *ref, const char *out_name, const ssimcu_clip_format *out,
                 bool by_times, char *text, size_t size);

/* Fails if two videos differ in size, depth, subsampling, range or anything else that prevents a
 * comparison. `own` are the formats of the files, which the message names; `ref` and `out` are
 * those compared. */
ssimcu_status match_formats(const ssimcu_clip_format *const own[2], const ssimcu_clip_format *ref,
                            const ssimcu_clip_format *out, ssimcu_message *message);
