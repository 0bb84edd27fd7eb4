/* worst_tile REF OUT: the score of two picture files, and the tile of 64 x 64 pixels that differs
 * most. It is C++17: nothing has to be released by hand, and one place handles every error. */
#include <ssimcu_io.hpp>

#include <cstdio>
#include <exception>

int main(int argc, char **argv)
{
    if (argc != 3) return std::fprintf(stderr, "usage: worst_tile REF OUT\n"), 2;
    try {
        const ssimcu::frame ref = ssimcu::image(argv[1]).decode();
        const ssimcu::frame out = ssimcu::image(argv[2]).decode();
        ssimcu_settings settings = SSIMCU_INIT(settings);
        settings.threads = ssimcu_cpu_threads();
        ssimcu::context context(settings);
        ssimcu::tiles tiles = {64, 64};
        const ssimcu_score score =
            context.compare(ssimcu::view(ref), ssimcu::view(out), nullptr, &tiles);
        std::printf("%.9f\n", score.score);
        std::printf("worst tile: %.6f at pixel (%u, %u)\n", score.worst.score, score.worst.x,
                    score.worst.y);
        return 0;
    } catch (const std::exception &error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
