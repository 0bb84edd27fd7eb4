/* The short path of ssimcu.h: a frame against a copy with one sample changed, as views too; and
 * a permute. */
#include <ssimcu.h>
#include <ssimcu_cuda.h>

#include <stdio.h>

/* Permutes 2 x 3 to 3 x 2. The entry for device memory exists in every build. */
static int permute_fails(ssimcu_context *context)
{
    const uint16_t rows[2][3] = {{1, 2, 3}, {4, 5, 6}};
    uint16_t columns[3][2] = {{0}};
    const ssimcu_permute_layout turn = {
        .struct_size = sizeof turn, .rank = 2, .element = 2, .size = {2, 3}, .order = {1, 0}};
    ssimcu_message why = {{0}};
    if (ssimcu_permute(context, &turn, columns, rows, &why) != SSIMCU_OK) {
        fprintf(stderr, "%s\n", why.text);
        return 1;
    }
    return columns[0][1] != 4 || columns[2][0] != 3 ||
           ssimcu_permute_async(NULL, columns, rows, NULL, NULL) != SSIMCU_ERROR_ARGUMENT;
}

/* Scores the same pair as views: the score is the same, and only the tiles near the change are
 * below 1. */
static int views_fail(ssimcu_context *context, const ssimcu_frame *ref, const ssimcu_frame *out,
                      double expected)
{
    ssimcu_view a = {.struct_size = sizeof a}, b = {.struct_size = sizeof b};
    double tile[8] = {0};
    ssimcu_tiles tiles = {.struct_size = sizeof tiles, .width = 12, .height = 30, .data = tile};
    ssimcu_score score = {.struct_size = sizeof score};
    ssimcu_message why = {{0}};
    if (ssimcu_frame_view(ref, &a, &why) != SSIMCU_OK ||
        ssimcu_frame_view(out, &b, &why) != SSIMCU_OK ||
        ssimcu_views_layout(context, &a, &b, NULL, &tiles, &why) != SSIMCU_OK ||
        ssimcu_compare_views(context, &a, &b, &score, NULL, &tiles, &why) != SSIMCU_OK) {
        fprintf(stderr, "%s\n", why.text);
        return 1;
    }
    ssimcu_request_destroy(NULL);
    return score.score - expected > 1e-6 || expected - score.score > 1e-6 || tiles.columns != 4 ||
           tiles.rows != 1 || tile[3] != 1.0 || tile[1] >= 1.0;
}

int main(void)
{
    static uint8_t pixels[2][32][48][3];
    for (int i = 0; i < 2 * 32 * 48 * 3; i++) (&pixels[0][0][0][0])[i] = (uint8_t)(i % 4608 * 7);
    pixels[1][16][20][1] ^= 64;
    const ssimcu_frame ref = {
        .width = 48, .height = 32, .channels = 3, .bits = 8, .data = pixels[0]};
    const ssimcu_frame out = {
        .width = 48, .height = 32, .channels = 3, .bits = 8, .data = pixels[1]};

    ssimcu_context *context = NULL;
    ssimcu_message why = {{0}};
    ssimcu_score score = {.struct_size = sizeof score};
    if (ssimcu_open(NULL, &context, &why) != SSIMCU_OK ||
        ssimcu_compare(context, &ref, &out, &score, &why) != SSIMCU_OK) {
        fprintf(stderr, "%s\n", why.text);
        return 1;
    }
    printf("%.9f on %s\n", score.score, ssimcu_context_device(context));
    const int bad = permute_fails(context) || views_fail(context, &ref, &out, score.score);
    ssimcu_close(&context);
    return bad || !(score.score > 0.9 && score.score < 1.0 && score.channel[0] == 1.0);
}
