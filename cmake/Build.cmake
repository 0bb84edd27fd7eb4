# How every target of the project is compiled.

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_CUDA_VISIBILITY_PRESET hidden)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
add_link_options(-Wl,--as-needed) # CUDA's language brings libraries that nothing here uses

# ssimcu_warnings: what every own target is compiled with. Multiply-adds are never contracted on the
# CPU: the reference must give the same bits with every compiler.
add_library(ssimcu_warnings INTERFACE)
target_compile_options(
  ssimcu_warnings
  INTERFACE
    "$<$<COMPILE_LANGUAGE:C>:-Wall;-Wextra;-Wpedantic;-Werror;-Wshadow;-Wconversion;-Wno-sign-conversion;-Wstrict-prototypes;-Wmissing-prototypes;-Wvla;-ffp-contract=off>"
    "$<$<COMPILE_LANGUAGE:CUDA>:-Werror=all-warnings;-Xcompiler=-Wall;-Xcompiler=-Wextra>")

if(SSIMCU_SANITIZE)
  add_compile_options(
    "$<$<COMPILE_LANGUAGE:C>:-fsanitize=${SSIMCU_SANITIZE};-fno-sanitize-recover=all;-fno-omit-frame-pointer>")
  add_link_options(-fsanitize=${SSIMCU_SANITIZE})
endif()
