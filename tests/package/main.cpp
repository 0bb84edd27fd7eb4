/* C++17 on both libraries: two picture files, the score and its map. main.cpp REF OUT */
#include <ssimcu.h>
#include <ssimcu_cuda.h>
#include <ssimcu_io.h>

#include <cstdio>
#include <memory>
#include <stdexcept>
#include <vector>

static ssimcu_message why;

static void good(ssimcu_status status)
{
    if (status != SSIMCU_OK) throw std::runtime_error(why.text);
}

struct picture {
    ssimcu_frame frame = {};

    explicit picture(const char *path) { good(ssimcu_image_read(path, nullptr, &frame, &why)); }
    picture(const picture &) = delete;
    picture &operator=(const picture &) = delete;
    ~picture() { ssimcu_frame_free(&frame); }
};

static double score_with_map(const picture &ref, const picture &out)
{
    ssimcu_context *context = nullptr;
    good(ssimcu_open(nullptr, &context, &why));
    const auto close = [](ssimcu_context *live) { ssimcu_close(&live); };
    const std::unique_ptr<ssimcu_context, decltype(close)> owner(context, close);
    ssimcu_map map = SSIMCU_INIT(map);
    ssimcu_view a = SSIMCU_INIT(view), b = a;
    good(ssimcu_frame_view(&ref.frame, &a, &why));
    good(ssimcu_frame_view(&out.frame, &b, &why));
    good(ssimcu_views_layout(context, &a, &b, &map, nullptr, &why));
    std::vector<float> values(size_t{map.width} * map.height * map.channels);
    map.data = values.data();
    ssimcu_score score = SSIMCU_INIT(score);
    good(ssimcu_compare_views(context, &a, &b, &score, &map, nullptr, &why));
    double sum = 0;
    for (const float value : values) sum += value;
    const double mean = sum / static_cast<double>(values.size());
    if (mean - score.score > 1e-6 || score.score - mean > 1e-6)
        throw std::runtime_error("the map's mean is not the score");
    return score.score;
}

int main(int argc, char **argv)
{
    try {
        if (argc != 3) throw std::runtime_error("expected REF OUT");
        std::printf("%.9f\n", score_with_map(picture(argv[1]), picture(argv[2])));
        return 0;
    } catch (const std::exception &error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
