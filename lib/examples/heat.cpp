/* heat REF OUT MAP: draws where two pictures differ as a PNG, or the frames of two sequences or
 * videos in a directory. Prints each frame's score and the tile that differs most. An error throws
 * ssimcu::error, which this program lets end it. */
#include <ssimcu.hpp>
#include <ssimcu_qa.h>

#include <cstdio>

int main(int argc, char **argv)
{
    if (argc != 4) return std::fprintf(stderr, "usage: heat REF OUT MAP\n"), SSIMCU_EXIT_USAGE;
    ssimcu_run_options o = SSIMCU_INIT(run_options);
    o.ref = argv[1], o.out = &argv[2], o.outs = 1, o.map = argv[3], o.map_style = SSIMCU_MAP_HEAT;
    ssimcu_run_hooks hooks = SSIMCU_INIT(run_hooks);
    hooks.record = [](void *, const ssimcu_record *of) {
        const auto &[score, x, y, width, height] = of->scored.tile;
        std::printf("%.9f tile %.9f at %u,%u\n", of->scored.score, score, x, y);
        return of->kind == SSIMCU_RECORD_SCORED ? SSIMCU_OK : SSIMCU_ERROR_FILE;
    };
    ssimcu_run *run = nullptr;
    ssimcu::call(ssimcu_run_open, &o, &run), ssimcu::call(ssimcu_run_score, run, &hooks);
    ssimcu_run_close(&run);
}
