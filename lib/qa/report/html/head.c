#include "report/html/head.h"

#include "report/html/html.h"

#include "ssimcu.h"

#include <stdbool.h>

static void start(FILE *to, const char *mark)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n", to);
    fprintf(to, "%s, version %s\">\n", mark, ssimcu_version());
}

static void put_head(FILE *to, const char *mark, bool pictures,
                     const struct html_asset *const script[2])
{
    start(to, mark);
    fputs("<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; ", to);
    if (pictures) fputs("img-src 'self'; ", to);
    fprintf(to, "style-src '%s'; ", page_css.hash);
    if (script) fprintf(to, "script-src '%s' '%s'; ", script[0]->hash, script[1]->hash);
    fputs("base-uri 'none'; form-action 'none'\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<meta name=\"color-scheme\" content=\"light dark\">\n<title>",
          to);
}

void head_plain(FILE *to, const char *mark) { put_head(to, mark, false, NULL); }

void head_pictures(FILE *to, const char *mark) { put_head(to, mark, true, NULL); }

void head_scripts(FILE *to, const char *mark, const struct html_asset *first,
                  const struct html_asset *second)
{
    put_head(to, mark, true, (const struct html_asset *const[]){first, second});
}

void head_end(FILE *to, const char *kind)
{
    fprintf(to, " - %s</title>\n<style>", kind);
    fwrite(page_css.bytes, 1, page_css.size, to);
    fputs("</style>\n</head>\n", to);
}

void head_script(FILE *to, const struct html_asset *script)
{
    fputs("<script>", to);
    fwrite(script->bytes, 1, script->size, to);
    fputs("</script>\n", to);
}
