# SSIMCU_HAVE_CUDA: whether the CUDA backend is built. Without it a stub takes its place.

set(SSIMCU_HAVE_CUDA OFF)
if(NOT SSIMCU_CUDA STREQUAL "OFF")
  set(ENV{PATH} "$ENV{PATH}:/usr/local/cuda/bin") # where NVIDIA's packages put nvcc, and no shell looks
  include(CheckLanguage)
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    set(SSIMCU_HAVE_CUDA ON)
  elseif(SSIMCU_CUDA STREQUAL "ON")
    message(FATAL_ERROR
            "SSIMCU_CUDA=ON, but no CUDA compiler was found on PATH or in /usr/local/cuda/bin (or set CUDACXX)")
  endif()
endif()

if(SSIMCU_HAVE_CUDA)
  set(architectures_given ${CMAKE_CUDA_ARCHITECTURES} $ENV{CUDAARCHS})
  enable_language(CUDA)
  find_package(CUDAToolkit REQUIRED)
  set(CMAKE_CUDA_STANDARD 17)
  set(CMAKE_CUDA_RUNTIME_LIBRARY Static) # one binary runs everywhere
  if(NOT architectures_given)
    # What a farm has, with PTX of the last one for what comes next. Give native or one number for a
    # short build. Into the cache, where the language has left its own choice: the next configuration
    # must find this one.
    set(architectures 75-real 80-real 86-real 89-real 90)
    if(CMAKE_CUDA_COMPILER_VERSION VERSION_GREATER_EQUAL 12.8)
      set(architectures 75-real 80-real 86-real 89-real 90-real 100-real 120)
    endif()
    # `pip install .` is for this machine: the GPUs that it has. Without one it is for 8.x, with PTX
    # for what is newer, because each architecture takes two minutes on two cores. A wheel that
    # names licences is for others (script/wheel).
    if(SKBUILD AND NOT SSIMCU_WHEEL_LICENSES)
      set(architectures 80)
      if(CMAKE_CUDA_ARCHITECTURES_NATIVE MATCHES "^[0-9]+a?-real(;[0-9]+a?-real)*$")
        set(architectures ${CMAKE_CUDA_ARCHITECTURES_NATIVE})
      endif()
    endif()
    set(CMAKE_CUDA_ARCHITECTURES ${architectures} CACHE STRING "CUDA architectures" FORCE)
  endif()
endif()

if(SSIMCU_HAVE_CUDA)
  list(JOIN CMAKE_CUDA_ARCHITECTURES ", " architectures_built)
  message(STATUS "ssimcu: for the CPU and CUDA architectures ${architectures_built}")
elseif(SSIMCU_CUDA STREQUAL "OFF")
  message(STATUS "ssimcu: for the CPU only (SSIMCU_CUDA=OFF)")
else()
  message(STATUS "ssimcu: for the CPU only (no CUDA compiler found)")
endif()
