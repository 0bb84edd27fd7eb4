// make FOLDER: EXRs that oiiotool does not write, by OpenEXR itself.
#include <ImfChannelList.h>
#include <ImfDeepFrameBuffer.h>
#include <ImfDeepScanLineOutputFile.h>
#include <ImfFrameBuffer.h>
#include <ImfHeader.h>
#include <ImfMultiPartOutputFile.h>
#include <ImfOutputFile.h>
#include <ImfOutputPart.h>
#include <ImfPartType.h>
#include <ImfRgbaFile.h>
#include <ImfTiledOutputFile.h>

#include <algorithm>
#include <string>
#include <vector>

using namespace OPENEXR_IMF_NAMESPACE;

namespace
{

constexpr int WIDTH = 75, HEIGHT = 43;

float value_at(int x, int y, int c) { return float((x * 7 + y * 13 + c * 5) % 101) / 32 - 0.25f; }

// Half, float and uint beside each other: R half, G float, B uint, and an object's number.
void write_mixed(const std::string &path, unsigned id)
{
    Header header(WIDTH, HEIGHT);
    header.compression() = ZIP_COMPRESSION;
    header.channels().insert("R", Channel(HALF));
    header.channels().insert("G", Channel(FLOAT));
    header.channels().insert("B", Channel(UINT));
    header.channels().insert("id", Channel(UINT));
    std::vector<half> r;
    std::vector<float> g;
    std::vector<unsigned> b, ids(WIDTH * HEIGHT, id);
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            r.push_back(half(value_at(x, y, 0)));
            g.push_back(value_at(x, y, 1) / 3);
            b.push_back(unsigned(x * y % 17));
        }
    FrameBuffer buffer;
    buffer.insert("R", Slice(HALF, (char *)r.data(), sizeof(half), sizeof(half) * WIDTH));
    buffer.insert("G", Slice(FLOAT, (char *)g.data(), 4, 4 * WIDTH));
    buffer.insert("B", Slice(UINT, (char *)b.data(), 4, 4 * WIDTH));
    buffer.insert("id", Slice(UINT, (char *)ids.data(), 4, 4 * WIDTH));
    OutputFile file(path.c_str(), header);
    file.setFrameBuffer(buffer);
    file.writePixels(HEIGHT);
}

// Writes every level of a tiled file; level 0 is value_at, the others are 9.
void write_tiled(const std::string &path, LevelMode mode, LevelRoundingMode rounding, int tile_x,
                 int tile_y, LineOrder order)
{
    Header header(WIDTH, HEIGHT);
    header.lineOrder() = order;
    header.compression() = PIZ_COMPRESSION;
    header.setTileDescription(TileDescription(tile_x, tile_y, mode, rounding));
    for (const char *name : {"R", "G", "B"}) header.channels().insert(name, Channel(FLOAT));
    TiledOutputFile file(path.c_str(), header);
    for (int ly = 0; ly < file.numYLevels(); ly++)
        for (int lx = 0; lx < file.numXLevels(); lx++) {
            if (!file.isValidLevel(lx, ly)) continue;
            std::vector<float> pixel(WIDTH * HEIGHT * 3, 9);
            for (int i = 0; i < WIDTH * HEIGHT * 3 && lx + ly == 0; i++)
                pixel[i] = value_at(i / 3 % WIDTH, i / 3 / WIDTH, i % 3);
            FrameBuffer buffer;
            const char *const names[] = {"R", "G", "B"};
            for (int c = 0; c < 3; c++)
                buffer.insert(names[c], Slice(FLOAT, (char *)(pixel.data() + c), 12, 12 * WIDTH));
            file.setFrameBuffer(buffer);
            file.writeTiles(0, file.numXTiles(lx) - 1, 0, file.numYTiles(ly) - 1, lx, ly);
        }
}

// An even size, because chroma is half of it.
void write_chroma(const std::string &path, RgbaChannels channels)
{
    const int width = WIDTH + 1, height = HEIGHT + 1;
    std::vector<Rgba> pixel;
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            const float v = std::max(value_at(x, y, 0), 0.0f);
            pixel.push_back(Rgba(v, v / 2, v / 3, 1));
        }
    RgbaOutputFile file(path.c_str(), width, height, channels);
    file.setFrameBuffer(pixel.data(), 1, width);
    file.writePixels(height);
}

void write_deep(const std::string &path)
{
    Header header(WIDTH, HEIGHT);
    header.channels().insert("Z", Channel(FLOAT));
    header.setType(DEEPSCANLINE);
    header.compression() = ZIPS_COMPRESSION;
    std::vector<unsigned> counts(WIDTH * HEIGHT, 1);
    std::vector<float> z(WIDTH * HEIGHT, 2);
    std::vector<char *> pointers;
    for (float &sample : z) pointers.push_back(reinterpret_cast<char *>(&sample));
    DeepFrameBuffer buffer;
    buffer.insertSampleCountSlice(Slice(UINT, (char *)counts.data(), 4, 4 * WIDTH));
    buffer.insert("Z", DeepSlice(FLOAT, (char *)pointers.data(), sizeof(char *),
                                 sizeof(char *) * WIDTH, sizeof(float)));
    DeepScanLineOutputFile file(path.c_str(), header);
    file.setFrameBuffer(buffer);
    file.writePixels(HEIGHT);
}

// Writes a part "beauty" with R, G, B, whose windows differ, and a part "depth" with Z.
void write_parts(const std::string &path)
{
    std::vector<Header> headers(2, Header(WIDTH, HEIGHT));
    headers[0].setName("beauty");
    headers[1].setName("depth");
    headers[0].dataWindow() = IMATH_NAMESPACE::Box2i({5, -4}, {WIDTH + 3, HEIGHT - 9});
    for (const char *name : {"R", "G", "B"}) headers[0].channels().insert(name, Channel(HALF));
    headers[1].channels().insert("Z", Channel(FLOAT));
    for (Header &header : headers) {
        header.setType(SCANLINEIMAGE);
        header.compression() = DWAB_COMPRESSION;
    }
    headers[1].compression() = ZIP_COMPRESSION;
    MultiPartOutputFile file(path.c_str(), headers.data(), 2);
    std::vector<half> color;
    std::vector<float> depth;
    const IMATH_NAMESPACE::Box2i box = headers[0].dataWindow();
    for (int y = box.min.y; y <= box.max.y; y++)
        for (int x = box.min.x; x <= box.max.x; x++)
            for (int c = 0; c < 3; c++) color.push_back(half(value_at(x + 9, y + 9, c) + 0.25f));
    for (int i = 0; i < WIDTH * HEIGHT; i++) depth.push_back(float(i % 1000) / 7);
    const int across = box.max.x - box.min.x + 1;
    const char *const names[] = {"R", "G", "B"};
    FrameBuffer buffer, other;
    for (int c = 0; c < 3; c++)
        buffer.insert(names[c], Slice::Make(HALF, color.data() + c, box, 6, size_t(6 * across)));
    other.insert("Z", Slice(FLOAT, (char *)depth.data(), 4, 4 * WIDTH));
    OutputPart first(file, 0), second(file, 1);
    first.setFrameBuffer(buffer);
    first.writePixels(box.max.y - box.min.y + 1);
    second.setFrameBuffer(other);
    second.writePixels(HEIGHT);
}

// Writes R, G and B, and one more channel; `sampled` has samples in some columns and rows alone.
void write_sampled(const std::string &path, const std::string &sampled, int across, int down)
{
    constexpr int W = 60, H = 36;
    Header header(W, H);
    header.compression() = NO_COMPRESSION;
    FrameBuffer buffer;
    std::vector<std::vector<half>> planes;
    for (const char *name : {"R", "G", "B", "mask"}) {
        const int x_step = name == sampled ? across : 1, y_step = name == sampled ? down : 1;
        planes.emplace_back();
        for (int y = 0; y < H; y += y_step)
            for (int x = 0; x < W; x += x_step)
                planes.back().push_back(half(value_at(x, y, int(planes.size()))));
        header.channels().insert(name, Channel(HALF, x_step, y_step));
        buffer.insert(name, Slice(HALF, (char *)planes.back().data(), 2, size_t(2 * W / x_step),
                                  x_step, y_step));
    }
    OutputFile file(path.c_str(), header);
    file.setFrameBuffer(buffer);
    file.writePixels(H);
}

} // namespace

int main(int, char **argv)
{
    const std::string folder = std::string(argv[1]) + "/";
    write_mixed(folder + "mixed.exr", 1u << 24);
    write_mixed(folder + "large_id.exr", (1u << 24) + 1);
    write_tiled(folder + "one_level.exr", ONE_LEVEL, ROUND_DOWN, 16, 16, INCREASING_Y);
    write_tiled(folder + "mipmap.exr", MIPMAP_LEVELS, ROUND_DOWN, 32, 16, INCREASING_Y);
    write_tiled(folder + "mipmap_up.exr", MIPMAP_LEVELS, ROUND_UP, 16, 16, RANDOM_Y);
    write_tiled(folder + "ripmap.exr", RIPMAP_LEVELS, ROUND_DOWN, 20, 12, DECREASING_Y);
    write_tiled(folder + "ripmap_up.exr", RIPMAP_LEVELS, ROUND_UP, 16, 16, INCREASING_Y);
    write_tiled(folder + "large_tile.exr", ONE_LEVEL, ROUND_DOWN, 128, 128, INCREASING_Y);
    write_chroma(folder + "chroma.exr", WRITE_YC);
    write_chroma(folder + "luminance.exr", WRITE_Y);
    write_chroma(folder + "rgba.exr", WRITE_RGBA);
    write_deep(folder + "deep.exr");
    write_parts(folder + "parts.exr");
    write_sampled(folder + "whole.exr", "", 1, 1);
    for (const char *name : {"R", "G", "B", "mask"}) {
        write_sampled(folder + name + "_across.exr", name, 2, 1);
        write_sampled(folder + name + "_down.exr", name, 1, 2);
        write_sampled(folder + name + "_both.exr", name, 3, 2);
    }
    return 0;
}
