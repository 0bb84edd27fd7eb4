#include "report/html/html.h"

#include "base/text.h"

#include <math.h>
#include <stdarg.h>
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

void html_text(FILE *to, const char *text) { text_pieces(to, text, put_escaped); }

/* Writes the next argument in a form such as "%.3f", which is `length` bytes long. */
static void print_one(FILE *to, const char *from, size_t length, va_list *arguments)
{
    char form[16];
    snprintf(form, sizeof form, "%.*s", (int)length, from);
    switch (from[length - 1]) {
    case '%': fputc('%', to); break;
    case 's': html_text(to, va_arg(*arguments, const char *)); break;
    case 'F': html_score(to, va_arg(*arguments, double)); break;
    case 'f':
    case 'g': fprintf(to, form, va_arg(*arguments, double)); break;
    default:
        if (strpbrk(form, "l"))
            fprintf(to, form, va_arg(*arguments, long));
        else if (strpbrk(form, "z"))
            fprintf(to, form, va_arg(*arguments, size_t));
        else
            fprintf(to, form, va_arg(*arguments, int));
    }
}

void html_print(FILE *to, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    for (size_t length; *format; format += length) {
        length = strcspn(format, "%");
        if (length > 0) {
            fwrite(format, 1, length, to);
        } else {
            length = 2 + strspn(format + 1, "0123456789.+lz");
            print_one(to, format, length, &arguments);
        }
    }
    va_end(arguments);
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

void html_name(FILE *to, const char *name) { html_print(to, "<bdi>%s</bdi>", name); }

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

void html_score(FILE *to, double score)
{
    char text[HTML_VALUE];
    fputs(html_value(text, SSIMCU_METRIC_SSIM, score), to);
}

void html_cell(FILE *to, ssimcu_metric metric, double value)
{
    char text[HTML_VALUE] = "";
    if (!isnan(value)) html_value(text, metric, value);
    fprintf(to, "<td class=\"n\">%s</td>", text);
}

void html_table(FILE *to, const char *label, const char *id)
{
    html_print(to, "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"%s\"><table",
               label);
    if (id) html_print(to, " id=\"%s\"", id);
    fputs(">\n<thead><tr>", to);
}

void html_head(FILE *to, bool number, const char *head)
{
    html_print(to, number ? "<th scope=\"col\" class=\"n\">%s</th>" : "<th scope=\"col\">%s</th>",
               head);
}

void html_heads(FILE *to, bool numbers, const char *const *heads, size_t count)
{
    for (size_t i = 0; i < count; i++) html_head(to, numbers, heads[i]);
}

void html_table_body(FILE *to) { fputs("</tr></thead>\n<tbody>\n", to); }

void html_table_end(FILE *to) { fputs("</tbody></table></div>\n", to); }
