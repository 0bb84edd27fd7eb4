/* ssimcu.hpp gives what the C functions give and throws what they return. It releases all that
 * it owns: AddressSanitizer shows that when lib/examples/worst_tile.cpp runs. */
#include "wrapped.hpp"

extern "C" {
#include "check.h"
#include "device.h"
}

static_assert(is_moved_alone<ssimcu::context>());
static_assert(is_moved_alone<ssimcu::request>());
static_assert(is_moved_alone<ssimcu::frame>());

static ssimcu::context open_on(ssimcu_device device)
{
    ssimcu_settings settings = SSIMCU_INIT(settings);
    settings.device = device;
    return ssimcu::context(settings);
}

/* Makes a random picture of 8-bit RGB. */
static ssimcu::frame random_frame(std::uint32_t width, std::uint32_t height, std::uint32_t seed)
{
    ssimcu::frame made(width, height, 3, 8);
    check_random random = {seed};
    auto *pixels = static_cast<std::uint8_t *>(made->data);
    for (std::size_t i = 0; i < made->pitch * height; i++)
        pixels[i] = static_cast<std::uint8_t>(check_draw(&random));
    return made;
}

BACKEND_TEST(wrapper, scores_as_c_does)
{
    ssimcu::context context = open_on(device);
    const ssimcu::frame ref = random_frame(70, 50, 1), out = random_frame(70, 50, 2);
    ssimcu::map map;
    ssimcu::tiles tiles = {32, 16};
    const double score = check_compare(context.get(), ref.get(), out.get()).score;
    cr_assert_eq(context.compare(ref, out).score, score);
    cr_assert_eq(context.compare(ssimcu::view(ref), ssimcu::view(out)).score, score);
    for (int again = 0; again < 2; again++) {
        const void *const memory[2] = {map.data.data(), tiles.data.data()};
        const ssimcu_score with =
            context.compare(ssimcu::view(ref), ssimcu::view(out), &map, &tiles);
        check_near(with.score, score, 1e-7, "with map and tiles");
        if (again)
            cr_assert(memory[0] == map.data.data() && memory[1] == tiles.data.data(), "allocates");
    }
    ssimcu_map c_map;
    check_compare_map(context.get(), ref.get(), out.get(), &c_map);
    cr_assert(map.width == 60 && map.height == 40 && map.channels == 3 && map.border == 5);
    cr_assert_eq(map.data.size(), 60u * 40 * 3);
    for (std::size_t i = 0; i < map.data.size(); i++)
        check_near(map.data[i], c_map.data[i], 1e-6, "element %zu", i);
    free(c_map.data);
    cr_assert(tiles.columns == 3 && tiles.rows == 3 && tiles.data.size() == 9);
    double sum = 0;
    for (int y = 0; y < 11; y++) /* centres 5 to 15, in the first row of tiles */
        for (int x = 0; x < 27; x++)
            for (int c = 0; c < 3; c++) sum += map.data[(c * 40 + y) * 60 + x];
    check_near(tiles.data[0], sum / (11 * 27 * 3), 1e-6, "the first tile");
}

BACKEND_TEST(wrapper, errors_are_thrown)
{
    ssimcu::context context = open_on(device);
    const ssimcu::frame a = random_frame(20, 20, 1), b = random_frame(20, 21, 2);
    const ssimcu::frame small = random_frame(9, 20, 3);
    ssimcu::tiles tiles = {10, 64};
    cr_assert_eq(thrown_by([&] { context.compare(a, b); }, "20x21"), SSIMCU_ERROR_MISMATCH);
    cr_assert_eq(thrown_by([&] { context.compare(small, small); }, "9x20"), SSIMCU_ERROR_TOO_SMALL);
    cr_assert_eq(
        thrown_by([&] { context.compare(ssimcu::view(a), ssimcu::view(a), nullptr, &tiles); },
                  "10x64"),
        SSIMCU_ERROR_ARGUMENT);
    cr_assert_eq(thrown_by([] { ssimcu::frame(0, 20, 3, 8); }, "0x20"), SSIMCU_ERROR_ARGUMENT);
    cr_assert_eq(thrown_by([&] { ssimcu::call(ssimcu_frame_pin, context.get(), nullptr); }, "NULL"),
                 SSIMCU_ERROR_ARGUMENT);
    ssimcu_settings settings = SSIMCU_INIT(settings);
    settings.struct_size = 8;
    cr_assert_eq(thrown_by([&] { ssimcu::context{settings}; }, "settings"), SSIMCU_ERROR_ARGUMENT);
    cr_assert_eq(context.compare(a, a).score, 1.0, "the context is as good as before");
}

BACKEND_TEST(wrapper, what_was_moved_from_owns_nothing)
{
    ssimcu::context first = open_on(device), second = std::move(first);
    ssimcu::frame a = random_frame(20, 20, 1);
    void *const pixels = a->data;
    ssimcu::frame b = std::move(a);
    cr_assert(b->data == pixels && !a->data && !first.get());
    a = random_frame(30, 30, 2);
    a = std::move(b);
    cr_assert(a->data == pixels && a->width == 20);
    cr_assert_eq(second.compare(a, a).score, 1.0);
    cr_assert_eq(thrown_by([&] { first.compare(a, a); }, "context"), SSIMCU_ERROR_ARGUMENT);
    first = open_on(device);
    cr_assert_eq(first.compare(a, a).score, 1.0);
}

Test(wrapper, a_request_needs_a_device)
{
    ssimcu::context context = open_on(SSIMCU_DEVICE_CPU);
    const ssimcu::frame frame = random_frame(20, 20, 1);
    const ssimcu_view view = ssimcu::view(frame);
    cr_assert_eq(thrown_by([&] { ssimcu::request(context, view, view); }, "cpu"),
                 SSIMCU_ERROR_DEVICE);
}

/* Returns the second of two pictures, which lies below the first. */
static ssimcu_view lower_half(ssimcu_view half)
{
    half.data[0] = static_cast<const char *>(half.data[0]) + half.pitch * half.height;
    return half;
}

/* A batch of two pairs consists of the halves of one picture. */
Test(wrapper, requests_score_device_frames)
{
    if (!check_has_cuda()) return;
    ssimcu::context context = open_on(SSIMCU_DEVICE_CUDA);
    const ssimcu::frame ref = random_frame(70, 100, 1), out = random_frame(70, 100, 2);
    ssimcu_view a = ssimcu::view(ref), b = ssimcu::view(out);
    a.height = b.height = 50;
    ssimcu::tiles expected = {32, 16}, tiles = {32, 16}, other = {16, 16};
    const double score = context.compare(lower_half(a), lower_half(b), nullptr, &expected).score;
    void *const a_device = device_copy(ref->data, ref->pitch * 100);
    void *const b_device = device_copy(out->data, out->pitch * 100);
    CUstream_st *const stream = device_stream();
    a.frames = b.frames = 2;
    a.data[0] = a_device, b.data[0] = b_device;
    ssimcu::request made(context, a, b, &tiles), request = std::move(made);
    cr_assert_eq(thrown_by([&] { request.poll(); }, "nothing"), SSIMCU_ERROR_ARGUMENT);
    request.submit(a, b, stream);
    device_stream_wait(stream);
    cr_assert(request.poll());
    cr_assert_eq(request.score(1, &tiles).score, score);
    cr_assert(tiles.data == expected.data && tiles.columns == 3 && tiles.rows == 3);
    cr_assert_eq(request.score(1).score, score);
    cr_assert_neq(request.score().score, score);
    cr_assert_eq(thrown_by([&] { request.score(0, &other); }, "32x16"), SSIMCU_ERROR_ARGUMENT);
    cr_assert_eq(thrown_by([&] { request.score(2); }, "frame is 2"), SSIMCU_ERROR_ARGUMENT);
    device_free(a_device);
    device_free(b_device);
    device_stream_free(stream);
}
