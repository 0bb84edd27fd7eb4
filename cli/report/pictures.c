#include "report/pictures.h"

#include <stdio.h>

ssimcu_status report_pictures(const struct pictures_wish *wish, struct picture *picture,
                              size_t count, ssimcu_message *message)
{
    (void)wish, (void)message;
    for (size_t i = 0; i < count; i++)
        snprintf(picture[i].why, sizeof picture[i].why, "no pictures yet");
    return SSIMCU_OK;
}

void report_pictures_legend(uint8_t (*rgb)[3], size_t count)
{
    for (size_t i = 0; i < count; i++)
        rgb[i][0] = rgb[i][1] = rgb[i][2] = (uint8_t)(255 * i / (count > 1 ? count - 1 : 1));
}
