/* ssimcu_io for C++17: reads picture files into frames that own their memory. The rules of
 * ssimcu.hpp and ssimcu_io.h apply. `ssimcu::image(path).decode()` reads a whole picture.
 */
#ifndef SSIMCU_IO_HPP
#define SSIMCU_IO_HPP

#include "ssimcu.hpp"
#include "ssimcu_io.h"

#include <string>

namespace ssimcu
{

/* A picture file in memory whose header has been parsed. Owns a ssimcu_image. */
class image
{
  public:
    explicit image(const std::string &path,
                   const ssimcu_image_options &options = SSIMCU_INIT(image_options))
    {
        ssimcu_image *opened = nullptr;
        call(ssimcu_image_open, path.c_str(), &options, &opened);
        image_.reset(opened);
    }

    ssimcu_image *get() const noexcept { return image_.get(); }
    ssimcu_frame shape() const noexcept { return ssimcu_image_shape(get()); }

    /* Decodes the picture into a new frame. May be called once. */
    frame decode()
    {
        frame decoded(shape());
        ssimcu_frame target = decoded;
        call(ssimcu_image_decode, get(), &target);
        return decoded;
    }

  private:
    detail::owner<ssimcu_image, ssimcu_image_close> image_;
};

} // namespace ssimcu

#endif
