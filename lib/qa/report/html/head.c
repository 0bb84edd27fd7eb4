#include "report/html/head.h"

#include "report/html/page_assets.h"

#include "ssimcu.h"

void head_start(FILE *to, const char *mark)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n", to);
    fprintf(to, "%s, version %s\">\n", mark, ssimcu_version());
}

void head_title(FILE *to)
{
    fputs("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<meta name=\"color-scheme\" content=\"light dark\">\n<title>",
          to);
}

void head_plain(FILE *to, const char *mark)
{
    head_start(to, mark);
    fprintf(to,
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
            "style-src '%s'; base-uri 'none'; form-action 'none'\">\n",
            page_css_hash);
    head_title(to);
}

void head_end(FILE *to, const char *kind)
{
    fprintf(to, " - %s</title>\n<style>", kind);
    fwrite(page_css, 1, page_css_size, to);
    fputs("</style>\n</head>\n", to);
}
