# ssimcu_exr: the module that reads EXR, in a library of its own, which io/image/exr.c opens. C code checks
# each file before OpenEXR, which is C++, sees it.
set(SSIMCU_HAVE_EXR OFF)
if(NOT SSIMCU_EXR STREQUAL "OFF")
  pkg_check_modules(OPENEXR IMPORTED_TARGET GLOBAL OpenEXR>=3.1)
  if(OPENEXR_FOUND)
    set(SSIMCU_HAVE_EXR ON)
  elseif(SSIMCU_EXR STREQUAL "ON")
    message(FATAL_ERROR "SSIMCU_EXR=ON, but OpenEXR 3.1 was not found (libopenexr-dev)")
  else()
    message(STATUS "ssimcu: without the module for EXR (no OpenEXR: libopenexr-dev)")
  endif()
endif()
set(SSIMCU_HAVE_EXR ${SSIMCU_HAVE_EXR} PARENT_SCOPE)
if(NOT SSIMCU_HAVE_EXR)
  return()
endif()

enable_language(CXX)
add_library(
  ssimcu_exr SHARED
  exr/choice.c exr/chunks.c exr/dwa.c exr/exr.cpp exr/header.c exr/structure.c exr/unpack.c
  ${inflate})
target_include_directories(ssimcu_exr PRIVATE exr ${CMAKE_CURRENT_SOURCE_DIR})
set_source_files_properties(exr/unpack.c PROPERTIES COMPILE_OPTIONS ${SSIMCU_UNROLLED})
target_compile_features(ssimcu_exr PRIVATE cxx_std_17)
target_compile_options(ssimcu_exr PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-fvisibility=hidden>)
target_link_libraries(ssimcu_exr PRIVATE ssimcu_shared ssimcu_warnings PkgConfig::OPENEXR
                                         $<IF:$<BOOL:${libisal_FOUND}>,PkgConfig::libisal,ZLIB::ZLIB>)
target_link_options(ssimcu_exr PRIVATE -Wl,--exclude-libs,ALL -Wl,--no-undefined)
set_target_properties(ssimcu_exr PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${SSIMCU_SOVERSION})
install(TARGETS ssimcu_exr LIBRARY COMPONENT exr NAMELINK_SKIP)
