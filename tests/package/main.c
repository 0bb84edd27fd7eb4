/* The short road of ssimcu.h: a frame against a copy with one sample changed. */
#include <ssimcu.h>

#include <stdio.h>

int main(void)
{
    static uint8_t pixels[2][32][48][3];
    for (int i = 0; i < 2 * 32 * 48 * 3; i++) (&pixels[0][0][0][0])[i] = (uint8_t)(i % 4608 * 7);
    pixels[1][16][20][1] ^= 64;
    const ssimcu_frame ref = {48, 32, 3, 8, sizeof pixels[0][0], pixels[0]};
    const ssimcu_frame out = {48, 32, 3, 8, sizeof pixels[1][0], pixels[1]};

    ssimcu_context *context = NULL;
    ssimcu_message why = {{0}};
    ssimcu_score score = {.struct_size = sizeof score};
    if (ssimcu_open(NULL, &context, &why) != SSIMCU_OK ||
        ssimcu_compare(context, &ref, &out, &score, &why) != SSIMCU_OK) {
        fprintf(stderr, "%s\n", why.text);
        return 1;
    }
    printf("%.9f on %s\n", score.score, ssimcu_context_device(context));
    ssimcu_close(&context);
    return !(score.score > 0.9 && score.score < 1.0 && score.channel[0] == 1.0);
}
