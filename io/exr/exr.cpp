// The decoding half of the module, in OpenEXR's own language. It turns a file in memory, whose
// structure the C half has checked, into interleaved samples of the display window. No exception
// leaves this file.
#include "structure.h"

#include <ImathBox.h>
#include <ImfFrameBuffer.h>
#include <ImfIO.h>
#include <ImfInputPart.h>
#include <ImfMultiPartInputFile.h>
#include <ImfThreading.h>
#include <ImfTiledInputPart.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <new>
#include <stdexcept>
#include <vector>

namespace
{

// The file in memory, as OpenEXR reads it.
class Memory : public OPENEXR_IMF_NAMESPACE::IStream
{
  public:
    explicit Memory(const ssimcu_exr_task &task)
        : IStream("memory"), bytes(reinterpret_cast<const char *>(task.bytes)), size(task.size)
    {
    }

    bool isMemoryMapped() const override { return true; }

    char *readMemoryMapped(int count) override { return const_cast<char *>(take(count)); }

    bool read(char to[], int count) override
    {
        const char *from = take(count);
        std::memcpy(to, from, static_cast<size_t>(count));
        return at < size;
    }

    uint64_t tellg() override { return at; }

    void seekg(uint64_t to) override { at = to; }

  private:
    const char *take(int count)
    {
        if (count < 0 || at > size || static_cast<uint64_t>(count) > size - at)
            throw std::runtime_error("a chunk ends beyond the file");
        const char *from = bytes + at;
        at += static_cast<uint64_t>(count);
        return from;
    }

    const char *bytes;
    uint64_t size, at = 0;
};

// Raises the number of OpenEXR's threads. They belong to the whole process, so the number never
// falls below what an earlier file asked for.
void offer_threads(uint32_t threads)
{
    static std::mutex lock;
    const std::lock_guard<std::mutex> guard(lock);
    const int wanted = static_cast<int>(threads);
    if (OPENEXR_IMF_NAMESPACE::globalThreadCount() < wanted)
        OPENEXR_IMF_NAMESPACE::setGlobalThreadCount(wanted);
}

// Memory for the interleaved samples of a window.
struct Target {
    char *first;
    size_t pixel, pitch;
};

OPENEXR_IMF_NAMESPACE::FrameBuffer make_buffer(const ssimcu_exr_picture &picture, bool half,
                                               const ssimcu_exr_window &window, const Target &to)
{
    using namespace OPENEXR_IMF_NAMESPACE;
    const IMATH_NAMESPACE::Box2i box({window.x0, window.y0}, {window.x1, window.y1});
    FrameBuffer buffer;
    for (uint32_t c = 0; c < picture.count; c++) {
        const PixelType type = half                                         ? HALF
                               : picture.channel[c].type == SSIMCU_EXR_UINT ? UINT
                                                                            : FLOAT;
        buffer.insert(
            picture.channel[c].name,
            Slice::Make(type, to.first + c * (to.pixel / picture.count), box, to.pixel, to.pitch));
    }
    return buffer;
}

void decode(const ssimcu_exr_task &task, const ssimcu_exr_picture &picture, const Target &to)
{
    using namespace OPENEXR_IMF_NAMESPACE;
    const bool half = task.bits == SSIMCU_BITS_F16;
    const FrameBuffer buffer = make_buffer(picture, half, task.data, to);
    Memory memory(task);
    if (task.threads > 0) offer_threads(task.threads);
    MultiPartInputFile file(memory, static_cast<int>(task.threads), false);
    if (picture.tiled) {
        TiledInputPart part(file, picture.part);
        part.setFrameBuffer(buffer);
        part.readTiles(0, part.numXTiles(0) - 1, 0, part.numYTiles(0) - 1, 0);
    } else {
        InputPart part(file, picture.part);
        part.setFrameBuffer(buffer);
        part.readPixels(task.data.y0, task.data.y1);
    }
}

// Converts samples of 32-bit integers to floats. A float holds 24 bits, so an integer that does not
// fit is an error.
void convert_integers(const ssimcu_exr_task &task, const ssimcu_exr_picture &picture,
                      const Target &from)
{
    const uint64_t width = uint64_t(int64_t(task.data.x1) - task.data.x0 + 1);
    for (uint32_t c = 0; c < picture.count; c++) {
        if (picture.channel[c].type != SSIMCU_EXR_UINT) continue;
        for (int64_t y = 0; y <= int64_t(task.data.y1) - task.data.y0; y++)
            for (uint64_t x = 0; x < width; x++) {
                char *at = from.first + size_t(y) * from.pitch + x * from.pixel + c * sizeof(float);
                uint32_t value;
                std::memcpy(&value, at, sizeof value);
                const float real = float(value);
                if (value > 1u << 24 && uint64_t(real) != value)
                    throw std::domain_error("an integer sample above 16777216 has no float");
                std::memcpy(at, &real, sizeof real);
            }
    }
}

// Copies the pixels that both windows have.
void copy_window(const ssimcu_exr_task &task, const Target &from, const Target &to)
{
    const ssimcu_exr_window &data = task.data, &display = task.display;
    const int64_t x0 = std::max(data.x0, display.x0), x1 = std::min(data.x1, display.x1);
    const int64_t y0 = std::max(data.y0, display.y0), y1 = std::min(data.y1, display.y1);
    for (int64_t y = y0; y <= y1 && x0 <= x1; y++)
        std::memcpy(
            to.first + size_t(y - display.y0) * to.pitch + size_t(x0 - display.x0) * to.pixel,
            from.first + size_t(y - data.y0) * from.pitch + size_t(x0 - data.x0) * from.pixel,
            size_t(x1 - x0 + 1) * to.pixel);
}

void read_pixels(const ssimcu_exr_task &task, const ssimcu_exr_picture &picture)
{
    const ssimcu_exr_window &data = task.data, &display = task.display;
    const size_t pixel = picture.count * (task.bits == SSIMCU_BITS_F16 ? 2 : 4);
    const size_t width = size_t(int64_t(display.x1) - display.x0 + 1);
    const size_t height = size_t(int64_t(display.y1) - display.y0 + 1);
    Target frame = {static_cast<char *>(task.pixels), pixel, task.pitch};
    const bool same = std::memcmp(&data, &display, sizeof data) == 0;
    for (size_t y = 0; y < height && !same; y++)
        std::memset(frame.first + y * frame.pitch, 0, width * pixel);
    if (data.x0 >= display.x0 && data.x1 <= display.x1 && data.y0 >= display.y0 &&
        data.y1 <= display.y1) {
        frame.first += size_t(int64_t(data.y0) - display.y0) * frame.pitch +
                       size_t(int64_t(data.x0) - display.x0) * pixel;
        decode(task, picture, frame);
        convert_integers(task, picture, frame);
        return;
    }
    const size_t across = size_t(int64_t(data.x1) - data.x0 + 1);
    std::vector<char> whole(across * size_t(int64_t(data.y1) - data.y0 + 1) * pixel);
    const Target around = {whole.data(), pixel, across * pixel};
    decode(task, picture, around);
    convert_integers(task, picture, around);
    copy_window(task, around, frame);
}

ssimcu_status fail(ssimcu_exr_task *task, ssimcu_status status, const char *kind, const char *what)
{
    std::snprintf(task->text, sizeof task->text, "%s (%.300s)", kind, what);
    for (char *at = task->text; *at; at++)
        if (*at == '\n') *at = ' ';
    return status;
}

} // namespace

extern "C" ssimcu_status ssimcu_exr_read_1(ssimcu_exr_task *task)
{
    ssimcu_exr_picture picture;
    const ssimcu_status status = ssimcu_exr_structure(task, &picture);
    if (status != SSIMCU_OK || !task->pixels) return status;
    try {
        read_pixels(*task, picture);
        return SSIMCU_OK;
    } catch (const std::bad_alloc &) {
        return fail(task, SSIMCU_ERROR_MEMORY, "out of memory", "decoding an EXR");
    } catch (const std::domain_error &error) {
        return fail(task, SSIMCU_ERROR_UNSUPPORTED, "cannot score this EXR", error.what());
    } catch (const std::exception &error) {
        return fail(task, SSIMCU_ERROR_DATA, "damaged EXR", error.what());
    } catch (...) {
        return fail(task, SSIMCU_ERROR_DATA, "damaged EXR", "unknown error");
    }
}
