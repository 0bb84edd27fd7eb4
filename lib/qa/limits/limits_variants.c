/* Accepted variants: each --or is judged by the learned limits of its limits file. */
#include "limits/limits_file.h"

#include "base/refuse.h"
#include "limits/limits_read.h"

/* Moves the learned limits of a variant; its rules do not count. */
static ssimcu_status read_look(const struct limits_file *file, struct limits_variant *variant,
                               ssimcu_message *message)
{
    struct limits_file other;
    ssimcu_status status = limits_file_read(variant->path, &other, message);
    if (status == SSIMCU_OK && !other.learned.path)
        status = fail_data(
            message,
            "%.200s: expected learned limits, because learned limits of %.100s name it as \"or\"",
            variant->path, file->path);
    if (status == SSIMCU_OK)
        status = limits_check_contract(&other, file->learned.contract, file->path, message);
    if (status == SSIMCU_OK) {
        variant->learned = other.learned;
        other.learned = (struct limits_learned){0};
    }
    limits_file_free(&other);
    return status;
}

ssimcu_status limits_variants_read(struct limits_file *file, ssimcu_message *message)
{
    for (size_t i = 0; i < file->learned.variants; i++)
        TRY(read_look(file, &file->learned.variant[i], message));
    return SSIMCU_OK;
}

/* Adds learned limits and their limits. */
static void add(const struct limits_learned *learned, struct limits_print *print)
{
    char text[64];
    for (size_t i = 0; i < learned->shots; i++) {
        limits_print_add(print, learned->shot[i].match);
        for (int r = 0; r < LEARNED_RULES; r++) {
            snprintf(text, sizeof text, "%.17g", learned->shot[i].max_excess[r]);
            limits_print_add(print, text);
        }
    }
    limits_print_add(print, learned->print);
}

void limits_variants_fingerprint(struct limits_learned *learned)
{
    struct limits_print print = {0};
    if (learned->variants == 0) return;
    add(learned, &print);
    for (size_t i = 0; i < learned->variants; i++) add(&learned->variant[i].learned, &print);
    limits_print_write(&print, learned->print);
}
