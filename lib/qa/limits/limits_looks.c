/* Further accepted looks: each --or is judged by the floors of a file of limits of its own. */
#include "limits/limits_file.h"

#include "limits/limits_read.h"

#include "fail.h"

#include <stdio.h>
#include <string.h>
#include <zlib.h>

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

/* Adds the floors and their limits to a sum. */
static void add(const struct limits_floors *floors, uint32_t *crc, uint32_t *bytes)
{
    char text[64];
    for (size_t i = 0; i < floors->shots; i++) {
        const struct limits_shot *shot = &floors->shot[i];
        const uint32_t length = (uint32_t)strlen(shot->match) + 1;
        *crc = (uint32_t)crc32(*crc, (const Bytef *)shot->match, length);
        for (int r = 0; r < FLOOR_RULES; r++) {
            const int used = snprintf(text, sizeof text, "%.17g", shot->max_excess[r]);
            *crc = (uint32_t)crc32(*crc, (const Bytef *)text, (uInt)used + 1);
        }
        *bytes += length;
    }
    *crc = (uint32_t)crc32(*crc, (const Bytef *)floors->print, FLOORS_PRINT);
    *bytes += FLOORS_PRINT;
}

void limits_looks_fingerprint(struct limits_floors *floors)
{
    uint32_t crc = 0, bytes = 0;
    if (floors->looks == 0) return;
    add(floors, &crc, &bytes);
    for (size_t i = 0; i < floors->looks; i++) add(&floors->look[i].floors, &crc, &bytes);
    snprintf(floors->print, sizeof floors->print, "%08x%08x", crc, bytes);
}
