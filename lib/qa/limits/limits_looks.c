/* Further accepted looks: each --or is judged by the floors of a file of limits of its own. */
#include "limits/limits_file.h"

#include "limits/limits_read.h"

#include "fail.h"

#include <stdio.h>

/* Takes the floors of a look, whose rules do not count. */
static ssimcu_status read_look(const struct limits_file *file, struct limits_look *look,
                               ssimcu_message *message)
{
    struct limits_file own;
    ssimcu_status status = limits_file_read(look->path, &own, message);
    if (status == SSIMCU_OK && !own.floors.path)
        status = ssimcu_fail(message, SSIMCU_ERROR_DATA,
                             "%.200s: expected floors, because floors of %.100s name it as \"or\"",
                             look->path, file->path);
    if (status == SSIMCU_OK)
        status = limits_check_contract(&own, file->floors.contract, file->path, message);
    if (status == SSIMCU_OK) {
        look->floors = own.floors;
        own.floors = (struct limits_floors){0};
    }
    limits_file_free(&own);
    return status;
}

ssimcu_status limits_looks_read(struct limits_file *file, ssimcu_message *message)
{
    ssimcu_status status = SSIMCU_OK;
    for (size_t i = 0; i < file->floors.looks && status == SSIMCU_OK; i++)
        status = read_look(file, &file->floors.look[i], message);
    return status;
}

/* Adds floors and their limits. */
static void add(const struct limits_floors *floors, struct limits_print *print)
{
    char text[64];
    for (size_t i = 0; i < floors->shots; i++) {
        limits_print_add(print, floors->shot[i].match);
        for (int r = 0; r < FLOOR_RULES; r++) {
            snprintf(text, sizeof text, "%.17g", floors->shot[i].max_excess[r]);
            limits_print_add(print, text);
        }
    }
    limits_print_add(print, floors->print);
}

void limits_looks_fingerprint(struct limits_floors *floors)
{
    struct limits_print print = {0};
    if (floors->looks == 0) return;
    add(floors, &print);
    for (size_t i = 0; i < floors->looks; i++) add(&floors->look[i].floors, &print);
    limits_print_write(&print, floors->print);
}
