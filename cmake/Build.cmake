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

# ssimcu_warnings: what every own target is compiled with. Multiply-adds are never contracted on the CPU: the
# reference must give the same bits with every compiler. A warning stops no build, because newer compilers warn of
# more; .ci/run makes it an error, by SSIMCU_WERROR=ON in the environment of the presets.
add_library(ssimcu_warnings INTERFACE)
set(c_warnings -Wall -Wextra -Wpedantic -Werror=implicit -Wshadow -Wformat-security -Wconversion -Wno-sign-conversion
               -Wstrict-prototypes -Wmissing-prototypes -Wvla)
if(CMAKE_C_COMPILER_ID MATCHES "Clang")
  list(APPEND c_warnings -Wno-enum-float-conversion) # constants are enumerators here, also those that meet floats
endif()
target_compile_options(
  ssimcu_warnings
  INTERFACE
    "$<$<COMPILE_LANGUAGE:C>:${c_warnings};-ffp-contract=off>"
    "$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall;-Xcompiler=-Wextra>")

# What an attacker's picture must get past. tests/system/hardening.sh looks for it in what was built.
include(CheckPIESupported)
check_pie_supported()
set(hardening -fstack-protector-strong)
# clang 14's probes lose the floating arguments of a variadic function with a large frame.
if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
  list(APPEND hardening -fstack-clash-protection)
endif()
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
  list(APPEND hardening -fcf-protection)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
  list(APPEND hardening -mbranch-protection=standard)
endif()
if(NOT SSIMCU_SANITIZE)
  list(APPEND hardening $<$<NOT:$<CONFIG:Debug>>:-U_FORTIFY_SOURCE> $<$<NOT:$<CONFIG:Debug>>:-D_FORTIFY_SOURCE=2>)
endif()
foreach(flag IN LISTS hardening)
  add_compile_options("$<$<COMPILE_LANGUAGE:C,CXX>:${flag}>")
endforeach()
add_link_options(-Wl,-z,relro -Wl,-z,now)

# What is inlined and unrolled most. With a sanitizer's checks in it, -O3 takes minutes to compile and runs 5 % faster.
# With counts of lines it takes three times as long as -O1.
set(SSIMCU_UNROLLED -O3)
if(SSIMCU_SANITIZE OR CMAKE_C_FLAGS MATCHES --coverage)
  set(SSIMCU_UNROLLED -O1)
endif()
if(SSIMCU_SANITIZE)
  add_compile_options(
    "$<$<COMPILE_LANGUAGE:C,CXX>:-fsanitize=${SSIMCU_SANITIZE};-fno-sanitize-recover=all;-fno-omit-frame-pointer>")
  add_link_options(-fsanitize=${SSIMCU_SANITIZE})
endif()
