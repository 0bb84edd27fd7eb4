/* pair REF OUT: the score of two picture files. It is the shortest whole program on ssimcu. A
 * program whose frames are in memory needs no ssimcu_io: it fills in two ssimcu_frame and calls
 * ssimcu_compare. */
#include <ssimcu.h>
#include <ssimcu_io.h>

#include <stdio.h>

int main(int argc, char **argv)
{
    if (argc != 3) return fprintf(stderr, "usage: pair REF OUT\n"), 2;
    ssimcu_frame ref = {0}, out = {0};
    ssimcu_context *context = NULL;
    ssimcu_message why = {{0}};
    ssimcu_score score = SSIMCU_INIT(score);

    ssimcu_status status = ssimcu_image_read(argv[1], NULL, &ref, &why);
    if (status == SSIMCU_OK) status = ssimcu_image_read(argv[2], NULL, &out, &why);
    if (status == SSIMCU_OK) status = ssimcu_open(NULL, &context, &why);
    if (status == SSIMCU_OK) status = ssimcu_compare(context, &ref, &out, &score, &why);
    if (status == SSIMCU_OK)
        printf("%.9f\n", score.score);
    else
        fprintf(stderr, "%s: %s\n", ssimcu_status_name(status), why.text);

    ssimcu_close(&context);
    ssimcu_frame_free(&out);
    ssimcu_frame_free(&ref);
    return status == SSIMCU_OK ? 0 : 1;
}
