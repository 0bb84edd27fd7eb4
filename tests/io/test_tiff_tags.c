/* Tags of TIFFs that are written wrongly: those that decide no pixel do no harm, the others do. */
#include "image_file.h"
#include "tiff_maker.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TestSuite(tiff_tags, .init = make_scratch, .fini = remove_scratch);

static void texts(TIFF *tiff)
{
    static const float white[2] = {0.3127F, 0.329F}, black_white[6] = {0, 255, 0, 255, 0, 255};
    static const uint8_t profile[] = "not much of a profile, but longer than four bytes";
    TIFFSetField(tiff, TIFFTAG_DOCUMENTNAME, "shot");
    TIFFSetField(tiff, TIFFTAG_IMAGEDESCRIPTION, "sh010, take 3");
    TIFFSetField(tiff, TIFFTAG_XRESOLUTION, 72.0);
    TIFFSetField(tiff, TIFFTAG_RESOLUTIONUNIT, 2);
    TIFFSetField(tiff, TIFFTAG_PAGENUMBER, 0, 1);
    TIFFSetField(tiff, TIFFTAG_SOFTWARE, "a renderer");
    TIFFSetField(tiff, TIFFTAG_DATETIME, "2026:01:01 00:00:00");
    TIFFSetField(tiff, TIFFTAG_WHITEPOINT, white);
    TIFFSetField(tiff, TIFFTAG_HALFTONEHINTS, 1, 254);
    TIFFSetField(tiff, TIFFTAG_COPYRIGHT, "nobody's");
    TIFFSetField(tiff, TIFFTAG_REFERENCEBLACKWHITE, black_white);
    TIFFSetField(tiff, TIFFTAG_ICCPROFILE, (uint32_t)sizeof profile, profile);
}

/* A file whose bytes a test changes, and what it shows unchanged. */
struct made {
    uint8_t *bytes;
    size_t size;
    ssimcu_frame frame;
};

static struct made make(tiff_kind kind)
{
    const file_name path = scratch("a.tif");
    struct made made = {0};
    ssimcu_message why = {{0}};
    kind.tags = texts;
    kind = tiff_fill(kind);
    uint8_t *const picture = tiff_picture(&kind, 7);
    tiff_write(path.text, &kind, picture);
    free(picture);
    made.bytes = read_file(path.text, &made.size);
    cr_assert(read_image(path.text, NULL, &made.frame, &why) == SSIMCU_OK, "%s", why.text);
    return made;
}

static void drop(struct made *made)
{
    free(made->bytes);
    free(made->frame.data);
}

/* Reads the changed bytes. An OK that shows other pixels fails the test. */
static ssimcu_status read_again(const struct made *made, const char *name, ssimcu_message *why)
{
    const file_name path = scratch(name);
    ssimcu_frame frame = {0};
    FILE *const file = fopen(path.text, "wb");
    cr_assert(file && fwrite(made->bytes, 1, made->size, file) == made->size && fclose(file) == 0);
    *why = (ssimcu_message){{0}};
    const ssimcu_status status = read_image(path.text, NULL, &frame, why);
    if (status != SSIMCU_OK) return status;
    cr_expect(same_pixels(&frame, &made->frame));
    free(frame.data);
    return status;
}

struct change {
    uint16_t tag;
    int at; /* the place in the entry: 2 type, 4 count, 8 value */
    uint32_t value;
};

static ssimcu_status try_change(const struct made *made, struct change change, ssimcu_message *why)
{
    uint8_t kept[4], *const at = tiff_entry(made->bytes, change.tag) + change.at;
    memcpy(kept, at, 4);
    tiff_set(at, change.value, change.at == 2 ? 2 : 4);
    const ssimcu_status status = read_again(made, "b.tif", why);
    memcpy(at, kept, 4);
    return status;
}

Test(tiff_tags, texts_and_numbers_beside_the_pixels_do_no_harm)
{
    static const struct change changes[] = {
        {TIFFTAG_SOFTWARE, 4, 5},            /* no 0 at its end */
        {TIFFTAG_COPYRIGHT, 4, 4},           /* */
        {TIFFTAG_IMAGEDESCRIPTION, 4, 7},    /* */
        {TIFFTAG_DOCUMENTNAME, 4, 12},       /* a 0 inside */
        {TIFFTAG_SOFTWARE, 4, 0},            /* nothing at all */
        {TIFFTAG_SOFTWARE, 2, TIFF_BYTE},    /* */
        {TIFFTAG_DATETIME, 4, 9},            /* */
        {TIFFTAG_DATETIME, 2, 99},           /* no such type */
        {TIFFTAG_PAGENUMBER, 4, 1},          /* too few */
        {TIFFTAG_HALFTONEHINTS, 4, 1},       /* */
        {TIFFTAG_WHITEPOINT, 4, 1},          /* */
        {TIFFTAG_WHITEPOINT, 4, 3},          /* too many */
        {TIFFTAG_REFERENCEBLACKWHITE, 4, 2}, /* */
        {TIFFTAG_RESOLUTIONUNIT, 8, 9},      /* no such unit */
        {TIFFTAG_XRESOLUTION, 8, 0xFFFFF0},  /* behind the file */
        {TIFFTAG_ICCPROFILE, 8, 0xFFFFF0},   /* */
        {TIFFTAG_ICCPROFILE, 4, 0xFFFFF0},   /* */
        {TIFFTAG_ORIENTATION, 8, 0},         /* upright, as in a JPEG */
        {TIFFTAG_ORIENTATION, 8, 9},
    };
    struct made made = make((tiff_kind){0});
    ssimcu_message why;
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++)
        cr_expect(try_change(&made, changes[i], &why) == SSIMCU_OK, "%zu: %s", i, why.text);
    drop(&made);
}

static const uint16_t deciding[] = {
    TIFFTAG_IMAGEWIDTH,   TIFFTAG_IMAGELENGTH,     TIFFTAG_BITSPERSAMPLE, TIFFTAG_COMPRESSION,
    TIFFTAG_PHOTOMETRIC,  TIFFTAG_STRIPOFFSETS,    TIFFTAG_ORIENTATION,   TIFFTAG_SAMPLESPERPIXEL,
    TIFFTAG_ROWSPERSTRIP, TIFFTAG_STRIPBYTECOUNTS, TIFFTAG_PLANARCONFIG};
enum { DECIDING = sizeof deciding / sizeof deciding[0] };

/* Wrong types and counts of tags that decide pixels: nothing is guessed. Orientation is the one
 * that may be dropped. */
Test(tiff_tags, tags_that_decide_pixels_are_never_guessed)
{
    struct made made = make((tiff_kind){.orientation = 1});
    ssimcu_message why;
    for (int i = 0; i < DECIDING; i++)
        for (uint32_t type = 0; type < 20; type++) {
            const bool whole = type == TIFF_BYTE || (type >= TIFF_SHORT && type <= TIFF_LONG) ||
                               type == TIFF_SBYTE || type == TIFF_SSHORT || type == TIFF_SLONG;
            const ssimcu_status status =
                try_change(&made, (struct change){deciding[i], 2, type}, &why);
            cr_expect(whole || deciding[i] == TIFFTAG_ORIENTATION || status == SSIMCU_ERROR_DATA,
                      "tag %u of type %u: %s", deciding[i], type, ssimcu_status_name(status));
        }
    drop(&made);
}

/* Puts the entries of the directory in another order. */
static void shuffle(struct made *made, uint32_t seed)
{
    uint32_t at;
    memcpy(&at, made->bytes + 4, 4);
    uint8_t *const entry = made->bytes + at + 2;
    const uint32_t count = made->bytes[at];
    for (uint32_t i = count - 1; i > 0; i--) {
        uint8_t kept[12];
        seed = seed * 1664525 + 1013904223;
        const uint32_t k = (seed >> 8) % (i + 1);
        memcpy(kept, entry + 12 * i, 12);
        memcpy(entry + 12 * i, entry + 12 * k, 12);
        memcpy(entry + 12 * k, kept, 12);
    }
}

Test(tiff_tags, their_order_does_no_harm)
{
    for (uint32_t i = 0; i < 200; i++) {
        struct made made = make((tiff_kind){.orientation = (uint16_t)(i % 8 + 1),
                                            .samples = i % 4 + 1,
                                            .planar = i % 4 && i & 8,
                                            .compression = i & 16 ? COMPRESSION_LZW : 0,
                                            .predictor = i & 16 ? PREDICTOR_HORIZONTAL : 0,
                                            .tile = {i & 32 ? 16 : 0, 16}});
        ssimcu_message why;
        shuffle(&made, i);
        cr_expect(read_again(&made, "b.tif", &why) == SSIMCU_OK, "%u: %s", i, why.text);
        drop(&made);
    }
}

/* libtiff takes the first of two, others the last: of a text that is the same. */
Test(tiff_tags, a_tag_that_decides_pixels_is_there_once)
{
    struct made made = make((tiff_kind){0});
    ssimcu_message why;
    uint8_t *const spare = tiff_entry(made.bytes, TIFFTAG_SOFTWARE);
    for (int i = 0; i < DECIDING; i++) {
        memcpy(spare, tiff_entry(made.bytes, deciding[i]), 12);
        cr_expect(read_again(&made, "b.tif", &why) == SSIMCU_ERROR_DATA, "tag %u", deciding[i]);
        cr_expect(strstr(why.text, "a tag occurs twice"), "%s", why.text);
        tiff_set(spare, 0xFFFF, 2); /* tiff_entry must find the other */
    }
    memcpy(spare, tiff_entry(made.bytes, TIFFTAG_DATETIME), 12);
    cr_expect(read_again(&made, "b.tif", &why) == SSIMCU_OK, "%s", why.text);
    drop(&made);
}

/* The tag's name is found by its quotes in libtiff's line, and a file can be called so, too. */
Test(tiff_tags, no_name_of_a_file_excuses_damage)
{
    struct made made = make((tiff_kind){0});
    ssimcu_message why;
    tiff_set(tiff_entry(made.bytes, TIFFTAG_PLANARCONFIG) + 8, 7, 4);
    cr_expect(read_again(&made, "the \"Software\" of it.tif", &why) == SSIMCU_ERROR_DATA);
    cr_expect(read_again(&made, "b.tif", &why) == SSIMCU_ERROR_DATA, "%s", why.text);
    drop(&made);
}

/* The second page of a file that was cut may begin anywhere behind the end. */
Test(tiff_tags, a_page_behind_the_end_is_missing)
{
    struct made made = make((tiff_kind){0});
    ssimcu_message why;
    uint32_t at;
    memcpy(&at, made.bytes + 4, 4);
    uint8_t *const next = made.bytes + at + 2 + 12 * made.bytes[at];
    for (uint32_t behind = 0; behind < 3; behind++) {
        tiff_set(next, (uint32_t)made.size + behind * 1000000, 4);
        cr_expect(read_again(&made, "b.tif", &why) == SSIMCU_ERROR_DATA);
        cr_expect(strstr(why.text, "truncated TIFF (a later page"), "%s", why.text);
    }
    drop(&made);
}
