// The decoding half of the module, in OpenEXR's language. It decodes a file in memory, whose
// structure the C half has checked, to bands of interleaved samples. No exception leaves this file.
extern "C" {
#include "structure.h"
}

#include "sample_size.h"

#include <IlmThreadPool.h>
#include <ImathBox.h>
#include <ImfFrameBuffer.h>
#include <ImfIO.h>
#include <ImfInputPart.h>
#include <ImfMultiPartInputFile.h>
#include <ImfThreading.h>
#include <ImfTiledInputPart.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <new>
#include <stdexcept>

namespace
{

// The file in memory as a stream for OpenEXR.
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
// falls below that of an earlier file.
void offer_threads(uint32_t threads)
{
    static std::mutex lock;
    const std::lock_guard<std::mutex> guard(lock);
    const int wanted = static_cast<int>(threads);
    if (OPENEXR_IMF_NAMESPACE::globalThreadCount() < wanted)
        OPENEXR_IMF_NAMESPACE::setGlobalThreadCount(wanted);
}

using Band = ssimcu_exr_rows;

size_t pixel_bytes(const ssimcu_exr_task &task)
{
    return task.facts.channel_count * ssimcu_sample_size(task.facts.bits);
}

OPENEXR_IMF_NAMESPACE::FrameBuffer make_buffer(const ssimcu_exr_task &task,
                                               const ssimcu_exr_picture &picture, const Band &band)
{
    using namespace OPENEXR_IMF_NAMESPACE;
    const ssimcu_exr_window &data = task.facts.data;
    const IMATH_NAMESPACE::Box2i box({data.x0, band.first},
                                     {data.x1, int32_t(int64_t(band.first) + band.count - 1)});
    const size_t pixel = pixel_bytes(task), pitch = pixel * exr_width(&data);
    FrameBuffer buffer;
    for (uint32_t c = 0; c < picture.count; c++) {
        const PixelType type = task.facts.bits == SSIMCU_BITS_F16           ? HALF
                               : picture.channel[c].type == SSIMCU_EXR_UINT ? UINT
                                                                            : FLOAT;
        char *first = static_cast<char *>(task.band) + c * (pixel / picture.count);
        buffer.insert(picture.channel[c].name, Slice::Make(type, first, box, pixel, pitch));
    }
    return buffer;
}

// Converts samples of 32-bit integers to floats. A float holds 24 bits; an integer that does not
// fit is an error.
void convert_integers(const ssimcu_exr_task &task, const ssimcu_exr_picture &picture,
                      const Band &band)
{
    const size_t pixels = exr_width(&task.facts.data) * band.count;
    for (uint32_t c = 0; c < picture.count; c++) {
        if (picture.channel[c].type != SSIMCU_EXR_UINT) continue;
        for (size_t i = 0; i < pixels; i++) {
            char *at = static_cast<char *>(task.band) + (i * picture.count + c) * sizeof(float);
            uint32_t value;
            std::memcpy(&value, at, sizeof value);
            const float real = float(value);
            if (value > 1u << 24 && uint64_t(real) != value)
                throw std::domain_error("an integer sample above 16777216 does not fit a float");
            std::memcpy(at, &real, sizeof real);
        }
    }
}

// Calls `read` for each band and passes on its rows. Returns false if the caller wants no more.
template <class Read>
bool each_band(const ssimcu_exr_task &task, const ssimcu_exr_picture &picture, Read read)
{
    const ssimcu_exr_window &data = task.facts.data;
    const int64_t last = exr_last_row(&data, &task.rows);
    for (int64_t y = exr_first_row(&data, &task.rows, picture.band_rows); y <= last;
         y += picture.band_rows) {
        const int64_t left = data.y1 - y + 1;
        const Band band = {int32_t(y), uint32_t(std::min<int64_t>(left, picture.band_rows))};
        read(band);
        convert_integers(task, picture, band);
        if (!task.take(task.user, band.first, band.count)) return false;
    }
    return true;
}

// ---- Chunks that this module decompresses itself ------------------------------------------------

// State shared by the threads that decode a band.
struct Unpacking {
    const ssimcu_exr_task &task;
    const ssimcu_exr_picture &picture;
    int32_t y;                                 // the band's first row
    std::atomic<uint64_t> damaged{UINT64_MAX}; // the first damaged chunk
    std::atomic<bool> out_of_memory{false};

    void unpack(uint64_t chunk)
    {
        const ssimcu_status status = ssimcu_exr_unpack(&task, &picture, chunk, y);
        if (status == SSIMCU_ERROR_MEMORY) out_of_memory = true;
        uint64_t first = damaged;
        while (status == SSIMCU_ERROR_DATA && chunk < first &&
               !damaged.compare_exchange_weak(first, chunk)) {
        }
    }
};

struct UnpackTask : ILMTHREAD_NAMESPACE::Task {
    Unpacking &all;
    const uint64_t chunk;

    UnpackTask(ILMTHREAD_NAMESPACE::TaskGroup *group, Unpacking &shared, uint64_t own)
        : Task(group), all(shared), chunk(own)
    {
    }
    void execute() override { all.unpack(chunk); }
};

void unpack_band(const ssimcu_exr_task &task, const ssimcu_exr_picture &picture, const Band &band)
{
    using namespace ILMTHREAD_NAMESPACE;
    const ssimcu_exr_range range = ssimcu_exr_band_chunks(&task, &picture, &band);
    Unpacking all{task, picture, band.first};
    {
        TaskGroup group; // its end waits for the tasks
        for (uint64_t chunk = range.first; chunk < range.end; chunk++)
            if (task.threads > 0)
                ThreadPool::addGlobalTask(new UnpackTask(&group, all, chunk));
            else
                all.unpack(chunk);
    }
    if (all.out_of_memory) throw std::bad_alloc();
    if (all.damaged != UINT64_MAX)
        throw std::runtime_error("chunk " + std::to_string(all.damaged + 1) + " of " +
                                 std::to_string(picture.chunk_count) + " does not hold its pixels");
}

// ---- All ----------------------------------------------------------------------------------------

bool decode(const ssimcu_exr_task &task, const ssimcu_exr_picture &picture)
{
    using namespace OPENEXR_IMF_NAMESPACE;
    Memory memory(task);
    if (task.threads > 0) offer_threads(task.threads);
    MultiPartInputFile file(memory, static_cast<int>(task.threads), false);
    if (ssimcu_exr_unpacks(&picture))
        return each_band(task, picture,
                         [&](const Band &band) { unpack_band(task, picture, band); });
    if (picture.tiled) {
        TiledInputPart part(file, picture.part);
        return each_band(task, picture, [&](const Band &band) {
            const uint64_t across = uint64_t(part.numXTiles(0));
            const ssimcu_exr_range range = ssimcu_exr_band_chunks(&task, &picture, &band);
            part.setFrameBuffer(make_buffer(task, picture, band));
            part.readTiles(0, int(across - 1), int(range.first / across),
                           int(range.end / across - 1), 0);
        });
    }
    InputPart part(file, picture.part);
    return each_band(task, picture, [&](const Band &band) {
        part.setFrameBuffer(make_buffer(task, picture, band));
        part.readPixels(band.first, int32_t(int64_t(band.first) + band.count - 1));
    });
}

ssimcu_status fail(ssimcu_exr_task *task, ssimcu_status status, const char *kind, const char *what)
{
    std::snprintf(task->text, sizeof task->text, "%s (%.300s)", kind, what);
    for (char *at = task->text; *at; at++)
        if (*at == '\n') *at = ' ';
    return status;
}

} // namespace

extern "C" const char *ssimcu_module_reads() { return "OpenEXR " OPENEXR_VERSION_STRING; }

extern "C" ssimcu_status ssimcu_exr_read_6(ssimcu_exr_task *task)
{
    ssimcu_exr_picture picture;
    ssimcu_status status = ssimcu_exr_structure(task, &picture);
    if (status != SSIMCU_OK || !task->band) return status;
    if (task->facts.band_bytes > task->band_bytes)
        return fail(task, SSIMCU_ERROR_DATA, "damaged EXR", "it was changed while it was read");
    status = ssimcu_exr_dwa_check(task, &picture);
    if (status != SSIMCU_OK) return status;
    try {
        return decode(*task, picture) ? SSIMCU_OK : SSIMCU_ERROR_INTERNAL;
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
