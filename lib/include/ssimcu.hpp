/* ssimcu for C++17: contexts, requests and frames that release themselves, and errors as
 * exceptions. This header builds on the C headers, and a program links to the same library.
 * ssimcu_io.hpp reads picture files. lib/examples/worst_tile.cpp is a complete program.
 *
 * RULES. The rules of ssimcu.h apply, and ssimcu.h remains the manual: its description of a C
 * function applies to the method named after that function. Settings, views and scores are the C
 * structs, which SSIMCU_INIT makes. Use ssimcu::call for functions without a method.
 *
 * OWNERSHIP. A context, request or frame owns the C object that get() returns, and releases it. It
 * can be moved but not copied. After a move the source owns nothing and may be assigned to. A
 * request may outlive its context. Frames and views passed as arguments are only read.
 *
 * ERRORS. If a C function fails, ssimcu::error is thrown with its status and its message. If memory
 * for a map or tiles runs out, std::bad_alloc is thrown. After an exception the contents of a map
 * or tiles are unspecified. Every object remains usable, as after an error in C. */
#ifndef SSIMCU_HPP
#define SSIMCU_HPP

#include "ssimcu.h"
#include "ssimcu_cuda.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

namespace ssimcu
{

/* ---- Errors ---------------------------------------------------------------------------------- */

/* An error of the library. what() is its message, one line for a person. */
class error : public std::runtime_error
{
  public:
    error(ssimcu_status status, const char *message) : std::runtime_error(message), status_(status)
    {
    }

    ssimcu_status status() const noexcept { return status_; }

  private:
    ssimcu_status status_;
};

/* Calls any function of the library whose last argument is a message, and throws unless it returns
 * OK: `ssimcu::call(ssimcu_frame_pin, context.get(), frame.get());`. */
template <class Function, class... Arguments>
void call(Function function, Arguments... arguments)
{
    ssimcu_message why = {};
    const ssimcu_status status = function(arguments..., &why);
    if (status != SSIMCU_OK) throw error(status, why.text);
}

namespace detail
{
template <class Object, void (*release)(Object **)>
struct releaser {
    void operator()(Object *object) const noexcept { release(&object); }
};
template <class Object, void (*release)(Object **)>
using owner = std::unique_ptr<Object, releaser<Object, release>>;
} // namespace detail

/* ---- Frames ---------------------------------------------------------------------------------- */

/* A picture that owns its memory, uninitialised at first. It can be passed wherever a ssimcu_frame
 * is read. `->` reads its fields: `picture->pitch`. Its pixels may be written through data. */
class frame
{
  public:
    /* Allocates memory for the shape's width, height, channels and bits. */
    explicit frame(const ssimcu_frame &shape) : frame_(shape) { call(ssimcu_frame_alloc, &frame_); }

    frame(std::uint32_t width, std::uint32_t height, std::uint32_t channels, std::uint32_t bits)
        : frame(ssimcu_frame{width, height, channels, bits, 0, nullptr, 0})
    {
    }

    frame(frame &&other) noexcept : frame_(std::exchange(other.frame_, ssimcu_frame())) {}

    frame &operator=(frame &&other) noexcept
    {
        std::swap(frame_, other.frame_);
        return *this;
    }

    ~frame() { ssimcu_frame_free(&frame_); }

    const ssimcu_frame *get() const noexcept { return &frame_; }
    const ssimcu_frame *operator->() const noexcept { return &frame_; }
    operator const ssimcu_frame &() const noexcept { return frame_; }

  private:
    ssimcu_frame frame_;
};

/* Returns a view of a frame's memory. The frame must outlive the view. */
inline ssimcu_view view(const ssimcu_frame &of)
{
    ssimcu_view made = SSIMCU_INIT(view);
    call(ssimcu_frame_view, &of, &made);
    return made;
}

/* ---- Maps and tiles -------------------------------------------------------------------------- */

/* A ssimcu_map, the SSIM map, that owns its memory. A comparison sets all of it. */
struct map {
    std::uint32_t width = 0, height = 0, channels = 0, border = 0;
    std::vector<float> data = {};
};

/* A ssimcu_tiles, the scores per tile, that owns its memory. Set the size of a tile: `ssimcu::tiles
 * tiles = {64, 64};`. A comparison sets the rest. */
struct tiles {
    std::uint32_t width, height;
    std::uint32_t columns = 0, rows = 0;
    std::vector<double> data = {};
};

namespace detail
{
/* Points a C struct that has been laid out to the memory of `own`. */
inline void lend(map &own, ssimcu_map &laid_out)
{
    own.width = laid_out.width;
    own.height = laid_out.height;
    own.channels = laid_out.channels;
    own.border = laid_out.border;
    own.data.resize(std::size_t{own.width} * own.height * own.channels);
    laid_out.data = own.data.data();
}

inline void lend(tiles &own, ssimcu_tiles &laid_out)
{
    own.columns = laid_out.columns;
    own.rows = laid_out.rows;
    own.data.resize(std::size_t{own.columns} * own.rows);
    laid_out.data = own.data.data();
}

inline ssimcu_tiles size_of(const tiles *wanted)
{
    ssimcu_tiles made = SSIMCU_INIT(tiles);
    if (wanted) made.width = wanted->width, made.height = wanted->height;
    return made;
}
} // namespace detail

/* ---- Context --------------------------------------------------------------------------------- */

/* A ssimcu_context: a device with its stream, threads and buffers. */
class context
{
  public:
    explicit context(const ssimcu_settings &settings = SSIMCU_INIT(settings))
    {
        ssimcu_context *opened = nullptr;
        call(ssimcu_open, &settings, &opened);
        context_.reset(opened);
    }

    ssimcu_context *get() const noexcept { return context_.get(); }

    ssimcu_score compare(const ssimcu_frame &ref, const ssimcu_frame &out)
    {
        ssimcu_score score = SSIMCU_INIT(score);
        call(ssimcu_compare, get(), &ref, &out, &score);
        return score;
    }

    /* Scores two views. Fills in the map and the scores per tile unless they are null. They are
     * laid out for the pair and keep their memory: a second pair of the same size allocates none.
     */
    ssimcu_score compare(const ssimcu_view &ref, const ssimcu_view &out, map *to_map = nullptr,
                         tiles *to_tiles = nullptr)
    {
        ssimcu_score score = SSIMCU_INIT(score);
        ssimcu_map c_map = SSIMCU_INIT(map);
        ssimcu_tiles c_tiles = detail::size_of(to_tiles);
        ssimcu_map *const map_or_null = to_map ? &c_map : nullptr;
        ssimcu_tiles *const tiles_or_null = to_tiles ? &c_tiles : nullptr;
        call(ssimcu_views_layout, get(), &ref, &out, map_or_null, tiles_or_null);
        if (to_map) detail::lend(*to_map, c_map);
        if (to_tiles) detail::lend(*to_tiles, c_tiles);
        call(ssimcu_compare_views, get(), &ref, &out, &score, map_or_null, tiles_or_null);
        return score;
    }

  private:
    detail::owner<ssimcu_context, ssimcu_close> context_;
};

/* ---- Device frames --------------------------------------------------------------------------- */

/* A ssimcu_request: pairs in device memory, scored on your streams. The destructor waits for
 * submitted work. */
class request
{
  public:
    /* Only the tile size in `wanted` matters. Null: no scores per tile. */
    request(context &on, const ssimcu_view &ref, const ssimcu_view &out,
            const tiles *wanted = nullptr)
        : laid_out_(detail::size_of(wanted))
    {
        ssimcu_request *made = nullptr;
        call(ssimcu_request_create, on.get(), &ref, &out, wanted ? &laid_out_ : nullptr, &made);
        request_.reset(made);
        if (!wanted) return;
        ssimcu_view one_ref = ref, one_out = out; /* a layout describes one pair, not a batch */
        one_ref.frames = one_out.frames = 1;
        call(ssimcu_views_layout, on.get(), &one_ref, &one_out, nullptr, &laid_out_);
    }

    ssimcu_request *get() const noexcept { return request_.get(); }

    void submit(const ssimcu_view &ref, const ssimcu_view &out, CUstream_st *stream)
    {
        call(ssimcu_request_submit, get(), &ref, &out, stream);
    }

    /* Returns whether the scores can be read without waiting. */
    bool poll()
    {
        std::uint32_t done = 0;
        call(ssimcu_request_poll, get(), &done);
        return done != 0;
    }

    /* Waits for the score of one pair of the batch and, unless `to_tiles` is null, for its tiles.
     */
    ssimcu_score score(std::uint32_t pair = 0, tiles *to_tiles = nullptr)
    {
        ssimcu_score made = SSIMCU_INIT(score);
        ssimcu_tiles c_tiles = detail::size_of(to_tiles);
        c_tiles.columns = laid_out_.columns;
        c_tiles.rows = laid_out_.rows;
        if (to_tiles) detail::lend(*to_tiles, c_tiles);
        call(ssimcu_request_score, get(), pair, &made, to_tiles ? &c_tiles : nullptr);
        return made;
    }

  private:
    detail::owner<ssimcu_request, ssimcu_request_destroy> request_;
    ssimcu_tiles laid_out_;
};

} // namespace ssimcu

#endif
