#include "report/html/html.h"

#include <math.h>
#include <string.h>

void html_link(FILE *to, const char *way)
{
    static const char plain[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";
    for (; *way; way++)
        if (strchr(plain, *way))
            fputc(*way, to);
        else
            fprintf(to, "%%%02X", (unsigned char)*way);
}

const char *html_value(char text[HTML_VALUE], ssimcu_metric metric, double value)
{
    enum { CUT = 3 };
    if (metrics_near_1(metric)) {
        text_digits(text, value);
        text[strlen(text) - CUT] = '\0';
    } else {
        snprintf(text, HTML_VALUE, isinf(value) ? "inf" : "%.2f", floor(value * 100) / 100);
    }
    return text;
}
