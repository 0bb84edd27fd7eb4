/* C++17 on all three libraries, which share one core: two picture files, the score and its map.
 * ssimcu_compare_files gives the same score with the same context. main.cpp REF OUT */
#include <ssimcu_io.hpp>
#include <ssimcu_qa.h>

#include <cmath>
#include <cstdio>
#include <exception>
#include <numeric>

int main(int argc, char **argv)
{
    if (argc != 3) return 2;
    try {
        const ssimcu::frame ref = ssimcu::image(argv[1]).decode();
        const ssimcu::frame out = ssimcu::image(argv[2]).decode();
        ssimcu::context context;
        ssimcu::map map;
        const double score = context.compare(ssimcu::view(ref), ssimcu::view(out), &map).score;
        const double sum = std::accumulate(map.data.begin(), map.data.end(), 0.0);
        const double mean = sum / static_cast<double>(map.data.size());
        ssimcu_file_result files = SSIMCU_INIT(file_result);
        ssimcu::call(ssimcu_compare_files, context.get(), argv[1], argv[2], nullptr, &files);
        std::printf("%.9f\n", score);
        return std::fabs(mean - score) <= 1e-6 && files.scored.score == score ? 0 : 1;
    } catch (const std::exception &error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
