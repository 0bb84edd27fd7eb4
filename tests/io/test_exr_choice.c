/* io/exr/choice.c: which channels make the picture, by lists of names. No file is needed:
 * exr_layers does the same with whole files where there is a program that writes them. */
#include "header.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PARTS = 2, MOST = 1 << 16 };

/* Puts a channel at the end of a list. "*" in front of its name: every second pixel. */
static void put_channel(struct ssimcu_exr_list *list, uint8_t *to, const char *name, size_t length)
{
    const bool thin = *name == '*';
    const int32_t numbers[] = {2, 0, 1 + thin, 1 + thin}; /* float, reserved, sampling */
    length -= thin;
    memcpy(to + list->size, name + thin, length);
    to[list->size + length] = '\0';
    memcpy(to + list->size + length + 1, numbers, sizeof numbers);
    list->size += length + 1 + sizeof numbers;
}

/* Makes a file of parts with "|" between, each as NAME/CHANNEL CHANNEL... or without a name. NAME
 * with ":" behind it is deep. */
static struct exr_file *make(const char *text)
{
    static struct exr_file file;
    static uint8_t list[PARTS][MOST];
    file = (struct exr_file){0};
    while (*text) {
        struct exr_part *const part = &file.part[file.parts];
        uint8_t *const to = list[file.parts++];
        const size_t end = strcspn(text, "|"), name = strcspn(text, "/");
        const char *const behind = text + end;
        if (name < end) {
            part->name = text;
            part->deep = text[name - 1] == ':';
            part->name_size = name - part->deep;
            text += name + 1;
        }
        part->channels = (struct ssimcu_exr_list){to, 0};
        while (text < behind) {
            const size_t length = strcspn(text, " |");
            put_channel(&part->channels, to, text, length);
            text += length + (text[length] == ' ');
        }
        to[part->channels.size++] = '\0';
        text = behind + (*behind == '|');
    }
    return &file;
}

static struct ssimcu_exr_task task;

/* Chooses from a file and writes the result: its part, "n" if they are numbers, and the channels;
 * or the reason why there are none. */
static const char *choose(const char *file, const char *layer, const char *channels)
{
    static char text[400];
    struct ssimcu_exr_picture picture = {0};
    task = (struct ssimcu_exr_task){.layer = layer, .channels = channels};
    if (exr_choice_make(&task, make(file), &picture) != SSIMCU_OK) return task.text;
    int used = snprintf(text, sizeof text, "%d%s", picture.part, task.facts.numbers ? "n" : "");
    for (uint32_t c = 0; c < picture.count; c++)
        used += snprintf(text + used, sizeof text - (size_t)used, " %s", picture.channel[c].name);
    return text;
}

static const struct row {
    const char *file, *layer, *channels, *expected;
} rows[] = {
    /* the whole picture */
    {"A B G R", 0, 0, "0 R G B"},
    {"B G R Y Ci.B Ci.G Ci.R", 0, 0, "0 R G B"},
    {"Y Ci.B Ci.G Ci.R", 0, 0, "0 Y"},
    {"blue green red", 0, 0, "0 red green blue"},
    {"C.b C.g C.r a.B a.G a.R", 0, 0, "0 C.r C.g C.b"},
    {"a.B a.G a.R Combined.B Combined.G Combined.R", 0, 0, "0 Combined.R Combined.G Combined.B"},
    {"View.Combined.B View.Combined.G View.Combined.R", 0, 0,
     "0 View.Combined.R View.Combined.G View.Combined.B"},
    {"v.rgba.B v.rgba.G v.rgba.R beauty.B beauty.G beauty.R", 0, 0, "0 beauty.R beauty.G beauty.B"},
    {"XCi.B XCi.G XCi.R", 0, 0, "EXR without channels R, G, B"},
    {"a.B a.G a.R", 0, 0, "EXR without channels R, G, B"},
    {"B G Ci.R", 0, 0, "EXR without channels R, G, B"},
    {"X Z", 0, 0, "EXR without channels R, G, B"},
    {"depth/Z|rgba/B G R", 0, 0, "1 R G B"},
    {"diffuse/B G R|beauty/B G R", 0, 0, "0 R G B"},
    {"BY RY Y", 0, 0, "EXR of luminance and chroma (Y, RY, BY) is not supported"},
    /* layers */
    {"A.N.B A.N.G A.N.R N.B N.G N.R", "N", 0, "0 N.R N.G N.B"},
    {"A.N.B A.N.G A.N.R", "N", 0, "0 A.N.R A.N.G A.N.B"},
    {"AN.B AN.G AN.R", "N", 0, "EXR without N"},
    {"N.X N.Y N.Z", "N", 0, "0n N.X N.Y N.Z"},
    {"N.B N.G N.R N.X N.Y N.Z", "N", 0, "0 N.R N.G N.B"},
    {"N.depth a.u", "N", 0, "0n N.depth"},
    {"A.N.z N.u", "N", 0, "0n N.u"},
    {"A N", "N", 0, "0n N"},
    {"N.u N.v", "N", 0,
     "EXR without R, G, B or X, Y, Z in N, whose 2 channels are compared one by one"},
    {"diffuse/B G R|beauty/B G R", "beauty", 0, "1 R G B"},
    {"rgb/B G R|depth/Z", "depth", 0, "1n Z"},
    /* channels */
    {"A B G R", 0, "A", "0n A"},
    {"A B G R", 0, "B,G,A", "0 B G A"},
    {"N.a N.b N.c a b c", "N", "c,b,a", "0 N.c N.b N.a"},
    {"diffuse/B G R|beauty/B G R", 0, "beauty.R,beauty.G,beauty.B", "1 R G B"},
    {"A B G R", 0, "D", "EXR without D"},
    {"A B G R", "N", "R,G,B", "EXR without N.R,G,B"},
    {"A B G R", 0, "R,G", "channels R,G: expected one name, or three separated by commas"},
    {"A B G R", 0, "R,G,B,A", "channels R,G,B,A: expected one name, or three separated by commas"},
    {"A B G R", 0, "R,,B", "channels R,,B: expected one name, or three separated by commas"},
    {"A B G R", 0, "R,G,", "channels R,G,: expected one name, or three separated by commas"},
    {"*a b", 0, SSIMCU_CHANNELS_ANY, "0n b"},
    {"x:/a|y/*b c", 0, SSIMCU_CHANNELS_ANY, "1n c"},
    {"x:/a", 0, SSIMCU_CHANNELS_ANY, "EXR without " SSIMCU_CHANNELS_ANY},
    /* what cannot be decoded */
    {"x:/B G R", 0, 0, "deep EXR is not supported"},
    {"B *G R", 0, 0, "EXR with the subsampled channel G is not supported"},
};

Test(exr_choice, of_names)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct row *row = &rows[i];
        const char *got = choose(row->file, row->layer, row->channels);
        cr_expect_str_eq(got, row->expected, "%s, --layer %s, --channels %s: %s, not %s", row->file,
                         row->layer ? row->layer : "", row->channels ? row->channels : "", got,
                         row->expected);
    }
}

/* A caller inside the project may ask for any number of channels, of one part. */
Test(exr_choice, of_many_channels)
{
    static const char *const names[] = {"A,B", "D,C,B,A", "A,E", "A,B,", "C,D"},
                             *const expected[] = {
                                 "0 A B", "0 D C B A", "EXR without A,E",
                                 "channels A,B,: expected one name, or three separated by commas",
                                 "EXR without C,D"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct ssimcu_exr_picture picture = {0};
        char text[400];
        task = (struct ssimcu_exr_task){.channels = names[i], .many = true};
        const ssimcu_status status =
            exr_choice_make(&task, make(i < 4 ? "A B C D" : "p/A B C|q/A B D"), &picture);
        int used = snprintf(text, sizeof text, "%d", picture.part);
        for (uint32_t c = 0; c < picture.count; c++)
            used +=
                snprintf(text + used, sizeof text - (size_t)used, " %s", picture.channel[c].name);
        cr_expect_str_eq(status == SSIMCU_OK ? text : task.text, expected[i]);
    }
}

/* All channels are listed, with what becomes of each. Those for whose names there is no room are
 * counted. */
Test(exr_choice, lists_all_channels)
{
    enum { LINE = 52 /* bytes of a name of 50 */, LONG = SSIMCU_EXR_NAMES / LINE + 10 };
    static char many[LONG * LINE];
    size_t used = 0;
    (void)choose("A B G R *z", 0, 0);
    cr_expect_str_eq(task.names, " A\n*B\n*G\n*R\n-z\n");
    (void)choose("x:/a|y/B G R Y", 0, "y.Y");
    cr_expect_str_eq(task.names, "-x.a\n y.B\n y.G\n y.R\n*y.Y\n");
    (void)choose("a\nb Y", 0, 0);
    cr_expect_str_eq(task.names, " a b\n*Y\n");
    for (int i = 0; i < LONG; i++)
        used += (size_t)snprintf(many + used, sizeof many - used, "%03d%047d ", i, 0);
    many[used - 1] = '\0';
    (void)choose(many, 0, "000");
    const char *const last = strrchr(task.names, '-');
    cr_assert(last && strstr(last, " more\n"), "%s", task.names);
    const size_t listed = (size_t)(last - task.names) / LINE, more = strtoul(last + 1, NULL, 10);
    cr_expect_eq(listed + more, LONG, "%zu, and %zu more", listed, more);
    cr_expect_eq(listed, (sizeof task.names - 32 - 1) / LINE); /* the last line has its room */
}
