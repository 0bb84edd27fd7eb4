#include "report/html/html.h"

#include "base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void put_escaped(FILE *to, const char *text)
{
    for (; *text; text++) switch (*text) {
        case '&': fputs("&amp;", to); break;
        case '<': fputs("&lt;", to); break;
        case '>': fputs("&gt;", to); break;
        case '"': fputs("&quot;", to); break;
        case '\'': fputs("&#39;", to); break;
        default: fputc(*text, to);
        }
}

void html_text(FILE *to, const char *text)
{
    char *printable = malloc(4 * strlen(text) + 1);
    if (printable) text_escape(printable, text);
    put_escaped(to, printable ? printable : "?");
    free(printable);
}

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

void html_code(FILE *to, const char *text)
{
    fputs("<code>", to);
    html_text(to, text);
    fputs("</code>", to);
}

void html_name(FILE *to, const char *name)
{
    fputs("<bdi>", to);
    html_text(to, name);
    fputs("</bdi>", to);
}

void html_score(FILE *to, double score)
{
    enum { CUT = 3 };
    char digits[TEXT_DIGITS];
    text_digits(digits, score);
    fprintf(to, "%.*s", (int)strlen(digits) - CUT, digits);
}

void html_value(FILE *to, ssimcu_metric metric, double value)
{
    if (metrics_near_1(metric))
        html_score(to, value);
    else if (isinf(value))
        fputs("inf", to);
    else
        fprintf(to, "%.2f", floor(value * 100) / 100);
}

void html_cell(FILE *to, ssimcu_metric metric, double value)
{
    fputs("<td class=\"n\">", to);
    if (!isnan(value)) html_value(to, metric, value);
    fputs("</td>", to);
}

void html_number(FILE *to, bool there, double score)
{
    fputs("<td class=\"n\">", to);
    if (there) html_score(to, score);
    fputs("</td>", to);
}
