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
  install(EXPORT ${library} FILE ${library}Targets.cmake NAMESPACE ssimcu:: DESTINATION ${config_dir}
          COMPONENT dev)
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
        DESTINATION ${config_dir} COMPONENT dev)

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
set(pc_zimg "")
if(zimg_FOUND)
  set(pc_zimg " -lzimg")
endif()
foreach(name IN LISTS pc_files)
  configure_file(${CMAKE_CURRENT_LIST_DIR}/${name}.pc.in ${name}.pc @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/${name}.pc DESTINATION ${pc_dir} COMPONENT dev)
endforeach()

# The API page is made from the public headers, where there is a Python to make it.
find_package(Python3 COMPONENTS Interpreter)
if(Python3_FOUND)
  set(api_sources cmake/api.py cmake/headers.py lib/include/ssimcu.h lib/include/ssimcu_permute.h
                  lib/include/ssimcu_cuda.h lib/include/ssimcu_loss.h io/include/ssimcu_io.h
                  lib/qa/include/ssimcu_qa_types.h lib/qa/include/ssimcu_qa.h lib/qa/include/ssimcu_pictures.h)
  list(TRANSFORM api_sources PREPEND ${PROJECT_SOURCE_DIR}/)
  add_custom_command(
    OUTPUT api.html
    COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/cmake/api.py ${PROJECT_VERSION} api.html
    DEPENDS ${api_sources}
    VERBATIM)
  add_custom_target(api_page ALL DEPENDS api.html)
  install(FILES ${PROJECT_BINARY_DIR}/api.html TYPE DOC COMPONENT dev)
endif()

# A manual page is installed compressed, without a time, so that the same source gives the same file.
find_program(GZIP_PROGRAM gzip REQUIRED)
if(TARGET ssimcu_cli)
  foreach(page IN ITEMS ssimcu.1 ssimcu-calibrate.1 ssimcu-check.1 ssimcu-slurm.1 ssimcu-limits.5 ssimcu-results.5)
    string(REGEX MATCH "[0-9]$" section ${page})
    add_custom_command(
      OUTPUT ${page}.gz
      COMMAND ${GZIP_PROGRAM} -9nc ${PROJECT_SOURCE_DIR}/cli/${page} > ${page}.gz
      DEPENDS cli/${page}
      VERBATIM)
    add_custom_target(manual_page_${page} ALL DEPENDS ${page}.gz)
    install(FILES ${PROJECT_BINARY_DIR}/${page}.gz DESTINATION ${CMAKE_INSTALL_MANDIR}/man${section})
  endforeach()
endif()
install(FILES README.md SECURITY.md CHANGELOG.md docs/results.schema.json docs/limits.schema.json TYPE DOC)
file(READ LICENSE license)
set(cuda_copyright "")
if(SSIMCU_HAVE_CUDA)
  file(READ cmake/debian/copyright-cuda cuda_copyright)
endif()
configure_file(cmake/debian/copyright.in copyright @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/copyright TYPE DOC)
install(DIRECTORY lib/examples TYPE DOC COMPONENT dev)

if(NOT PROJECT_IS_TOP_LEVEL)
  return() # the project around has packages of its own
endif()

set(CPACK_PACKAGE_NAME ssimcu)
if(NOT SSIMCU_HAVE_CUDA)
  set(CPACK_PACKAGE_NAME ssimcu-cpu)
endif()
set(CPACK_PACKAGE_VENDOR "The ssimcu authors")
set(CPACK_PACKAGE_CONTACT "The ssimcu authors <ssimcu@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_GENERATOR DEB TGZ) # the archive holds all of it
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_PACKAGE_FILE_NAME
    ${CPACK_PACKAGE_NAME}-${PROJECT_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR})
include(Debian)
include(CPack)
