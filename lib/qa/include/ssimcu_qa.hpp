/* ssimcu_qa for C++17: runs and pictures that release themselves, errors as exceptions, and
 * callbacks as any callable. The rules of ssimcu.hpp, ssimcu_qa.h and ssimcu_pictures.h hold, and
 * the C headers are the manual. Options, records and summaries are the C structs.
 *
 * IN SHORT. A gate over two directories:
 *
 *     const char *out = "out";
 *     ssimcu_run_options options = SSIMCU_INIT(run_options);
 *     options.ref = "ref", options.out = &out, options.outs = 1;
 *     options.limits = 1u << SSIMCU_LIMIT_MIN_TILE, options.limit[SSIMCU_LIMIT_MIN_TILE] = 0.9;
 *     ssimcu::run run(options);
 *     for (const ssimcu::record &record : run.records())
 *         std::printf("%lld %.9f\n", (long long)record.frame, record.scored.score);
 *     return run.exit_code();
 *
 * CALLBACKS. Threads of the run call them, one at a time. If a callback throws, the run ends, and
 * score() throws the same exception in the caller's thread.
 */
#ifndef SSIMCU_QA_HPP
#define SSIMCU_QA_HPP

#include "ssimcu.hpp"
#include "ssimcu_pictures.h"

#include <exception>
#include <functional>
#include <new>
#include <string>

namespace ssimcu
{

/* ---- Two files ------------------------------------------------------------------------------- */

/* Scores two picture files with the program's defaults. */
inline ssimcu_file_result
compare_files(const std::string &ref, const std::string &out,
              const ssimcu_run_options &options = SSIMCU_INIT(run_options))
{
    ssimcu_file_result result = SSIMCU_INIT(file_result);
    call(ssimcu_compare_files, nullptr, ref.c_str(), out.c_str(), &options, &result);
    return result;
}

/* Scores two picture files with a context, which keeps its settings. */
inline ssimcu_file_result
compare_files(context &on, const std::string &ref, const std::string &out,
              const ssimcu_run_options &options = SSIMCU_INIT(run_options))
{
    ssimcu_file_result result = SSIMCU_INIT(file_result);
    call(ssimcu_compare_files, on.get(), ref.c_str(), out.c_str(), &options, &result);
    return result;
}

/* ---- Runs ------------------------------------------------------------------------------------ */

/* A ssimcu_finding that owns its texts. */
struct finding {
    std::string kind, text;
    bool fails;
    double value, limit;
    std::uint32_t x, y, width, height;

    explicit finding(const ssimcu_finding &of)
        : kind(of.kind), text(of.text), fails(of.fails != 0), value(of.value), limit(of.limit),
          x(of.x), y(of.y), width(of.width), height(of.height)
    {
    }
};

/* A ssimcu_record that owns its texts. A text that the record lacks is empty. */
struct record {
    std::int64_t frame;
    std::uint32_t out;
    ssimcu_record_kind kind;
    bool known;
    std::string shot;
    std::string path[2];
    bool missing[2];
    ssimcu_status status;
    std::string message;
    ssimcu_scored scored;
    std::string not_compared;
    std::string variant;
    ssimcu_learned_excess learned;
    ssimcu_metric_values metrics;
    ssimcu_coded coded[2];
    bool by_nvdec[2];
    std::vector<finding> findings;
    std::string layer;

    explicit record(const ssimcu_record &of)
        : frame(of.frame), out(of.out), kind(of.kind), known(of.known != 0),
          shot(text(of.shot)), path{text(of.path[0]), text(of.path[1])}, missing{of.missing[0] != 0,
                                                                                 of.missing[1] !=
                                                                                     0},
          status(of.status), message(text(of.message)), scored(of.scored),
          not_compared(text(of.not_compared)), variant(text(of.variant)), learned(of.learned),
          metrics(of.metrics), coded{of.coded[0], of.coded[1]}, by_nvdec{of.by_nvdec[0] != 0,
                                                                         of.by_nvdec[1] != 0},
          findings(of.finding, of.finding + of.findings), layer(text(of.layer))
    {
    }

  private:
    static const char *text(const char *given) { return given ? given : ""; }
};

/* The callbacks of ssimcu_run_hooks. Empty functions are not called. */
struct hooks {
    std::function<void(std::int64_t total)> begin;
    std::function<void(const ssimcu_record &)> record;
    std::function<void(const char *line)> line;
    std::function<void()> end;
    std::function<void(std::uint32_t out, ssimcu_status status, const char *message)> out;
    std::function<void(std::size_t done, std::size_t count)> pictures;
    std::function<void(ssimcu_log level, const char *line)> log;
};

namespace detail
{
/* Hooks that C calls, and the first exception that one of them threw. */
struct calls {
    const hooks &to;
    ssimcu_run *run;
    std::exception_ptr thrown = nullptr;

    /* Calls a hook. No exception may pass through C frames. */
    template <class Function, class... Arguments>
    static ssimcu_status make(void *user, Function hooks::*hook, Arguments... arguments) noexcept
    {
        auto *self = static_cast<calls *>(user);
        try {
            (self->to.*hook)(arguments...);
            return SSIMCU_OK;
        } catch (...) {
            if (!self->thrown) self->thrown = std::current_exception();
        }
        ssimcu_run_cancel(self->run); /* some hooks return no status */
        return SSIMCU_ERROR_INTERNAL;
    }

    /* Returns the C callbacks, only those that are set. */
    ssimcu_run_hooks table()
    {
        ssimcu_run_hooks made = SSIMCU_INIT(run_hooks);
        made.user = this;
        if (to.begin)
            made.begin = [](void *user, std::int64_t total) { make(user, &hooks::begin, total); };
        if (to.record)
            made.record = [](void *user, const ssimcu_record *record) {
                return make(user, &hooks::record, std::cref(*record));
            };
        if (to.line)
            made.line = [](void *user, const char *line) { return make(user, &hooks::line, line); };
        if (to.end) made.end = [](void *user) { make(user, &hooks::end); };
        if (to.out)
            made.out = [](void *user, std::uint32_t out, ssimcu_status status,
                          const char *message) {
                return make(user, &hooks::out, out, status, message);
            };
        if (to.pictures)
            made.pictures = [](void *user, std::size_t done, std::size_t count) {
                make(user, &hooks::pictures, done, count);
            };
        if (to.log)
            made.log = [](void *user, ssimcu_log level, const char *line) {
                make(user, &hooks::log, level, line);
            };
        return made;
    }
};
} // namespace detail

/* A ssimcu_run: the program without its console. */
class run
{
  public:
    explicit run(const ssimcu_run_options &options)
    {
        ssimcu_run *opened = nullptr;
        call(ssimcu_run_open, &options, &opened);
        run_.reset(opened);
    }

    ssimcu_run *get() const noexcept { return run_.get(); }

    /* Runs to the end. Frames that are missing, failed or over a limit do not throw: see
     * exit_code(). May be called once. */
    void score(const hooks &to = hooks())
    {
        detail::calls calls{to, get()};
        const ssimcu_run_hooks table = calls.table();
        ssimcu_message why = {};
        const ssimcu_status status = ssimcu_run_score(get(), &table, &why);
        if (calls.thrown) std::rethrow_exception(calls.thrown);
        if (status != SSIMCU_OK) throw error(status, why.text);
    }

    /* Runs to the end and returns all records, in frame order for each OUT. */
    std::vector<record> records()
    {
        std::vector<record> all;
        hooks keep;
        keep.record = [&all](const ssimcu_record &one) { all.emplace_back(one); };
        score(keep);
        return all;
    }

    /* Ends the run early. Any thread may call it. */
    void cancel() noexcept { ssimcu_run_cancel(get()); }

    ssimcu_exit exit_code() const noexcept { return ssimcu_run_exit_code(get()); }
    bool is_pair() const noexcept { return ssimcu_run_is_pair(get()) != 0; }
    bool was_cancelled() const noexcept { return ssimcu_run_was_cancelled(get()) != 0; }

    ssimcu_summary summary(std::uint32_t out = 0) const
    {
        ssimcu_summary made = SSIMCU_INIT(summary);
        call(ssimcu_run_summary, get(), out, &made);
        return made;
    }

    /* Returns the lines of ssimcu_run_describe. */
    std::vector<std::string> describe(std::uint32_t out = 0, bool brief = false) const
    {
        std::vector<std::string> lines;
        ssimcu_run_describe(
            get(), out, brief,
            [](void *user, const char *line) {
                static_cast<std::vector<std::string> *>(user)->emplace_back(line);
            },
            &lines);
        return lines;
    }

    /* Returns the text of ssimcu_run_json. Throws std::bad_alloc if it is NULL. */
    std::string json(std::uint32_t out = 0) const
    {
        const std::unique_ptr<char, void (*)(char *)> text(ssimcu_run_json(get(), out),
                                                           ssimcu_text_free);
        if (!text) throw std::bad_alloc();
        return text.get();
    }

  private:
    detail::owner<ssimcu_run, ssimcu_run_close> run_;
};

/* ---- New references -------------------------------------------------------------------------- */

/* Makes scored OUTs the references in a directory. */
inline ssimcu_accepted accept(const ssimcu_accept_options &options)
{
    ssimcu_accepted accepted = SSIMCU_INIT(accepted);
    call(ssimcu_accept, &options, &accepted);
    return accepted;
}

/* ---- Pictures -------------------------------------------------------------------------------- */

/* A ssimcu_picture, or empty. It must be destroyed before the pictures that it was read from. */
class picture
{
  public:
    explicit picture(ssimcu_picture *owned = nullptr) noexcept : picture_(owned) {}

    const ssimcu_picture *get() const noexcept { return picture_.get(); }
    const ssimcu_picture *operator->() const noexcept { return get(); }
    explicit operator bool() const noexcept { return get() != nullptr; }

  private:
    detail::owner<ssimcu_picture, ssimcu_picture_release> picture_;
};

/* A ssimcu_pictures: a picture, a directory, a pattern or video. */
class pictures
{
  public:
    explicit pictures(const std::string &path,
                      const ssimcu_run_options &options = SSIMCU_INIT(run_options))
        : path_(std::make_unique<std::string>(path))
    {
        ssimcu_pictures *opened = nullptr;
        call(ssimcu_pictures_open, path_->c_str(), &options, &opened);
        pictures_.reset(opened);
    }

    ssimcu_pictures *get() const noexcept { return pictures_.get(); }

    /* Returns the next picture, or an empty one at the end: `while (ssimcu::picture one =
     * all.next())`. */
    picture next()
    {
        ssimcu_picture *read = nullptr;
        call(ssimcu_pictures_next, get(), &read);
        return picture(read);
    }

  private:
    std::unique_ptr<std::string> path_; /* C keeps its address */
    detail::owner<ssimcu_pictures, ssimcu_pictures_close> pictures_;
};

/* Scores two pictures and finds the worst tile. `tile` is its side in pixels, 0 for none. Throws if
 * a run would not compare them. */
inline ssimcu_score compare(context &on, const picture &ref, const picture &out,
                            std::uint32_t tile = 0)
{
    ssimcu_score score = SSIMCU_INIT(score);
    call(ssimcu_compare_pictures, on.get(), ref.get(), out.get(), tile, &score);
    return score;
}

} // namespace ssimcu

#endif
