# What is installed beside the targets, and the packages that cpack makes of it.

include(CMakePackageConfigHelpers)
set(config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/ssimcu)

# One file of targets per library, so that find_package looks for what a static library needs only
# when it is asked for.
set(libraries ssimcu ssimcu_static)
set(pc_files ssimcu)
set(SSIMCU_HAVE_IO OFF)
if(TARGET ssimcu_io)
  set(SSIMCU_HAVE_IO ON)
  list(APPEND libraries ssimcu_io ssimcu_io_static ssimcu_qa ssimcu_qa_static)
  list(APPEND pc_files ssimcu_io ssimcu_qa)
endif()
foreach(library IN LISTS libraries)
  install(EXPORT ${library} FILE ${library}Targets.cmake NAMESPACE ssimcu:: DESTINATION ${config_dir})
endforeach()
if(PROJECT_VERSION_MAJOR EQUAL 0)
  set(compatibility SameMinorVersion)
else()
  set(compatibility SameMajorVersion)
endif()
write_basic_package_version_file(ssimcuConfigVersion.cmake COMPATIBILITY ${compatibility})
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/ssimcuConfig.cmake.in ssimcuConfig.cmake
                              INSTALL_DESTINATION ${config_dir} NO_SET_AND_CHECK_MACRO)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/ssimcuConfig.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/ssimcuConfigVersion.cmake
        DESTINATION ${config_dir})

# pkg-config: paths are relative to the .pc file, so that the tree can be unpacked anywhere.
set(pc_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH pc_to_prefix /prefix/${pc_dir} /prefix)
string(REGEX REPLACE "/$" "" pc_to_prefix "${pc_to_prefix}")
set(pc_cuda_dir "")
set(pc_cuda_libraries "")
if(SSIMCU_HAVE_CUDA)
  set(pc_cuda_dir "cudalibdir=${CUDAToolkit_LIBRARY_DIR}\n")
  set(pc_cuda_libraries " -L\${cudalibdir} -lcudart_static -ldl -lrt")
endif()
set(pc_isal "") # io's static library needs it where it was built with it
if(libisal_FOUND)
  set(pc_isal " -lisal")
endif()
set(pc_tiff "")
if(libtiff_FOUND)
  set(pc_tiff " -ltiff")
endif()
foreach(name IN LISTS pc_files)
  configure_file(${CMAKE_CURRENT_LIST_DIR}/${name}.pc.in ${name}.pc @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/${name}.pc DESTINATION ${pc_dir})
endforeach()

# The API page is made from the public headers, where there is a Python to make it.
find_package(Python3 COMPONENTS Interpreter)
if(Python3_FOUND)
  set(api_sources cmake/api.py cmake/headers.py lib/include/ssimcu.h lib/include/ssimcu_permute.h
                  lib/include/ssimcu_cuda.h io/include/ssimcu_io.h lib/qa/include/ssimcu_qa.h)
  list(TRANSFORM api_sources PREPEND ${PROJECT_SOURCE_DIR}/)
  add_custom_command(
    OUTPUT api.html
    COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/cmake/api.py ${PROJECT_VERSION} api.html
    DEPENDS ${api_sources}
    VERBATIM)
  add_custom_target(api_page ALL DEPENDS api.html)
  install(FILES ${PROJECT_BINARY_DIR}/api.html TYPE DOC)
endif()

# A manual page is installed compressed, without a time, so that the same source gives the same file.
find_program(GZIP_PROGRAM gzip REQUIRED)
if(TARGET ssimcu_cli)
  add_custom_command(
    OUTPUT ssimcu.1.gz
    COMMAND ${GZIP_PROGRAM} -9nc ${PROJECT_SOURCE_DIR}/cli/ssimcu.1 > ssimcu.1.gz
    DEPENDS cli/ssimcu.1
    VERBATIM)
  add_custom_target(manual_page ALL DEPENDS ssimcu.1.gz)
  install(FILES ${PROJECT_BINARY_DIR}/ssimcu.1.gz DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
endif()
install(FILES README.md CHANGELOG.md docs/results.schema.json TYPE DOC)
file(READ LICENSE license)
set(cuda_copyright "")
if(SSIMCU_HAVE_CUDA)
  file(READ cmake/debian/copyright-cuda cuda_copyright)
endif()
configure_file(cmake/debian/copyright.in copyright @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/copyright TYPE DOC)
install(DIRECTORY lib/examples TYPE DOC)

if(NOT PROJECT_IS_TOP_LEVEL)
  return() # the project around has packages of its own
endif()

# Packages: ssimcu, which holds the CUDA backend and works without a GPU too, or ssimcu-cpu; and
# ssimcu-exr and ssimcu-video, modules that go with either. The archive holds all of it.
set(CPACK_PACKAGE_NAME ssimcu)
set(other_package ssimcu-cpu)
if(NOT SSIMCU_HAVE_CUDA)
  set(CPACK_PACKAGE_NAME ssimcu-cpu)
  set(other_package ssimcu)
  set(CPACK_DEBIAN_UNSPECIFIED_PACKAGE_PROVIDES ssimcu)
endif()
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_UNSPECIFIED_PACKAGE_NAME ${CPACK_PACKAGE_NAME})
set(CPACK_DEBIAN_UNSPECIFIED_PACKAGE_CONFLICTS ${other_package})
set(CPACK_DEBIAN_UNSPECIFIED_PACKAGE_REPLACES ${other_package})
set(CPACK_PACKAGE_VENDOR "The ssimcu authors")
set(CPACK_PACKAGE_CONTACT "The ssimcu authors <ssimcu@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGE_DESCRIPTION
    "Scores how close a frame is to its reference with SSIM, on NVIDIA GPUs and
on the CPU: the program ssimcu, the C library with its headers, and the library
that reads picture files.")
set(CPACK_DEBIAN_UNSPECIFIED_DESCRIPTION "${CPACK_PACKAGE_DESCRIPTION}")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_GENERATOR DEB TGZ)
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_PACKAGE_FILE_NAME
    ${CPACK_PACKAGE_NAME}-${PROJECT_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION graphics)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_UNSPECIFIED_PACKAGE_SUGGESTS "ssimcu-exr, ssimcu-video, libpng-dev, libjpeg-dev, libisal-dev, libtiff-dev, zlib1g-dev")
set(CPACK_DEBIAN_UNSPECIFIED_PACKAGE_CONTROL_EXTRA ${PROJECT_SOURCE_DIR}/cmake/debian/triggers)

# What Debian looks for under the package's own name.
set(deb_doc ${CMAKE_INSTALL_DATAROOTDIR}/doc/${CPACK_PACKAGE_NAME})
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
configure_file(cmake/debian/changelog.in debian/changelog @ONLY)
configure_file(cmake/debian/lintian-overrides.in debian/${CPACK_PACKAGE_NAME} @ONLY)
execute_process(COMMAND ${GZIP_PROGRAM} -9nf debian/changelog WORKING_DIRECTORY ${PROJECT_BINARY_DIR}
                COMMAND_ERROR_IS_FATAL ANY)
install(FILES ${PROJECT_BINARY_DIR}/copyright ${PROJECT_BINARY_DIR}/debian/changelog.gz DESTINATION ${deb_doc})
install(FILES ${PROJECT_BINARY_DIR}/debian/${CPACK_PACKAGE_NAME} DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/lintian/overrides)

# module_package(NAME DESCRIPTION): the package ssimcu-NAME, of the component NAME.
function(module_package name description)
  string(TOUPPER ${name} upper)
  set(CPACK_PACKAGE_NAME ssimcu-${name}) # for the files below
  set(doc ${CMAKE_INSTALL_DATAROOTDIR}/doc/ssimcu-${name})
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ssimcu-${name} PARENT_SCOPE)
  set(CPACK_DEBIAN_${upper}_PACKAGE_CONTROL_EXTRA ${PROJECT_SOURCE_DIR}/cmake/debian/triggers PARENT_SCOPE)
  set(CPACK_DEBIAN_${upper}_PACKAGE_DEPENDS
      "ssimcu (= ${PROJECT_VERSION}) | ssimcu-cpu (= ${PROJECT_VERSION})" PARENT_SCOPE)
  set(CPACK_DEBIAN_${upper}_DESCRIPTION ${description} PARENT_SCOPE)
  configure_file(cmake/debian/changelog.in debian/${name}/changelog @ONLY)
  configure_file(cmake/debian/lintian-overrides.in debian/ssimcu-${name} @ONLY)
  execute_process(COMMAND ${GZIP_PROGRAM} -9nf debian/${name}/changelog WORKING_DIRECTORY ${PROJECT_BINARY_DIR}
                  COMMAND_ERROR_IS_FATAL ANY)
  install(FILES ${PROJECT_BINARY_DIR}/copyright ${PROJECT_BINARY_DIR}/debian/${name}/changelog.gz
          DESTINATION ${doc} COMPONENT ${name})
  install(FILES ${PROJECT_BINARY_DIR}/debian/ssimcu-${name}
          DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/lintian/overrides COMPONENT ${name})
endfunction()
if(TARGET ssimcu_exr)
  module_package(exr "Lets ssimcu read EXR: the module libssimcu_exr.so, which ssimcu opens when it
meets one.")
endif()
if(TARGET ssimcu_video)
  module_package(video "Lets ssimcu read video files: the module libssimcu_video.so, which ssimcu opens
when it meets one, and which needs the libraries of FFmpeg.")
endif()
include(CPack)
