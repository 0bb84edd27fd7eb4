/* Writes the completion of the program's options for a shell, from their rows. It runs during the
 * build: `completion bash|zsh|fish`. */
#include "options/verbs.h"

#include <stdio.h>
#include <string.h>

/* The kinds of arguments of an option. */
enum kind { KIND_NOTHING, KIND_ANYTHING, KIND_WORDS, KIND_FILE };

/* A row has the form of a value in capitals, and choices in lower case. */
static enum kind kind_of(const struct option_row *row)
{
    if (!row->value) return KIND_NOTHING;
    if (strncmp(row->value, "FILE", 4) == 0 || strncmp(row->value, "DIR", 3) == 0) return KIND_FILE;
    return row->value[0] >= 'a' ? KIND_WORDS : KIND_ANYTHING;
}

/* Prints the choices, separated by spaces, without their "[...]". */
static void put_words(const char *value)
{
    for (const char *end; *value; value = end + (*end == '|')) {
        end = value + strcspn(value, "|");
        const int bare = (int)strcspn(value, "|[");
        printf("%.*s%s", bare, value, *end ? " " : "");
    }
}

/* Prints text for use in single quotes, with a backslash before each character of `special`. */
static void put_quoted(const char *text, const char *special)
{
    for (; *text; text++) {
        if (*text == '\'')
            printf("'\\'");
        else if (strchr(special, *text))
            putchar('\\');
        putchar(*text);
    }
}

static void put_bash(void)
{
    puts("# bash completion for ssimcu\n"
         "_ssimcu()\n{\n"
         "    local word=${COMP_WORDS[COMP_CWORD]} option=${COMP_WORDS[COMP_CWORD - 1]} words=\n"
         "    [ \"$word\" != = ] || word=\n"
         "    [ \"$option\" != = ] || option=${COMP_WORDS[COMP_CWORD - 2]}\n"
         "    COMPREPLY=()\n"
         "    case $option in");
    for (int i = 0; i < OPTION_ROWS; i++) {
        if (kind_of(&option_rows[i]) != KIND_WORDS) continue;
        printf("    --%s) words='", option_rows[i].name);
        put_words(option_rows[i].value);
        puts("' ;;");
    }
    for (int i = 0; i < OPTION_ROWS; i++)
        if (kind_of(&option_rows[i]) == KIND_ANYTHING)
            printf("    --%s) return ;;\n", option_rows[i].name);
    printf("    *) [[ $word != -* ]] || words='");
    for (int i = 0; i < OPTION_ROWS; i++) printf("%s--%s", i > 0 ? " " : "", option_rows[i].name);
    puts("' ;;\n    esac\n"
         "    if [ -n \"$words\" ]; then\n"
         "        mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n"
         "    else\n"
         "        compopt -o filenames\n"
         "        mapfile -t COMPREPLY < <(compgen -f -- \"$word\")\n"
         "    fi\n}\n"
         "complete -F _ssimcu ssimcu");
}

static void put_zsh(void)
{
    puts("#compdef ssimcu\n_arguments -s \\");
    for (const struct option_row *row = option_rows; row < option_rows + OPTION_ROWS; row++) {
        const enum kind kind = kind_of(row);
        const char *const equals = kind == KIND_NOTHING ? "" : "=";
        if (row->letter)
            printf("    '(-%c --%s)'{-%c,--%s%s}'[", row->letter, row->name, row->letter, row->name,
                   equals);
        else
            printf("    '--%s%s[", row->name, equals);
        put_quoted(row->help, "[]:\\");
        putchar(']');
        if (kind != KIND_NOTHING) {
            putchar(':');
            put_quoted(row->value, ":\\");
            putchar(':');
        }
        if (kind == KIND_FILE) printf("_files");
        if (kind == KIND_WORDS) {
            putchar('(');
            put_words(row->value);
            putchar(')');
        }
        puts("' \\");
    }
    puts("    '*:file:_files'");
}

static void put_fish(void)
{
    for (const struct option_row *row = option_rows; row < option_rows + OPTION_ROWS; row++) {
        const enum kind kind = kind_of(row);
        printf("complete -c ssimcu -l %s", row->name);
        if (row->letter) printf(" -s %c", row->letter);
        if (kind == KIND_FILE) printf(" -r -F");
        if (kind == KIND_ANYTHING || kind == KIND_WORDS) printf(" -x");
        if (kind == KIND_WORDS) {
            printf(" -a '");
            put_words(row->value);
            putchar('\'');
        }
        printf(" -d '");
        put_quoted(row->help, "\\");
        puts("'");
    }
}

int main(int argc, char **argv)
{
    const char *const shell = argc == 2 ? argv[1] : "";
    if (strcmp(shell, "bash") == 0)
        put_bash();
    else if (strcmp(shell, "zsh") == 0)
        put_zsh();
    else if (strcmp(shell, "fish") == 0)
        put_fish();
    else
        return SSIMCU_EXIT_USAGE;
    return fflush(stdout) == 0 ? SSIMCU_EXIT_SCORED : SSIMCU_EXIT_OUTPUT;
}
