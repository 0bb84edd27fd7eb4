/* worst_tile REF OUT: the score of two picture files, and the tile of 64 x 64 pixels that differs
 * most. It is C++17: nothing has to be released by hand, and one place handles every error. */
#include <ssimcu_io.hpp>

#include <algorithm>
#include <cstdio>
#include <exception>

static void name_worst_tile(const ssimcu::tiles &tiles)
{
    const auto worst = std::min_element(tiles.data.begin(), tiles.data.end());
    const auto place = static_cast<std::uint32_t>(worst - tiles.data.begin());
    std::printf("worst tile: %.6f at pixel (%u, %u)\n", *worst, place % tiles.columns * tiles.width,
                place / tiles.columns * tiles.height);
}

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
        name_worst_tile(tiles);
        return 0;
    } catch (const std::exception &error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
