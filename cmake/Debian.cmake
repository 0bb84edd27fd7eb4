# The Debian packages, one for each component of the installation:
#
#   ssimcu         the program
#   libssimcu0.2   the shared libraries, and the program in which decoders run
#   libssimcu-dev  what programs are built with: headers, static libraries, .pc and CMake files, examples
#   ssimcu-exr     module for EXR
#   ssimcu-video   module for video files
#   python3-ssimcu the package for Python
#
# The first three hold the CUDA backend and work without a GPU too. Built without CUDA they are ssimcu-cpu,
# libssimcu0.2-cpu and libssimcu-cpu-dev. The modules and the package for Python go with either.
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY >=)
set(SSIMCU_DEB_RELEASE 1 CACHE STRING "Release of the Debian packages; script/packages appends the system")
set(CPACK_DEBIAN_PACKAGE_RELEASE ${SSIMCU_DEB_RELEASE})
set(deb_version ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})
# Up to 0.2.0 one package held what three hold now.
set(deb_whole "ssimcu (<< 0.2.0-1), ssimcu-cpu (<< 0.2.0-1)")
string(TIMESTAMP deb_date "%a, %d %b %Y %H:%M:%S +0000" UTC)

# Libraries lie in the folder of their architecture.
if(CMAKE_LIBRARY_ARCHITECTURE AND CMAKE_INSTALL_LIBDIR STREQUAL "lib")
  set(CPACK_SSIMCU_LIBDIR lib/${CMAKE_LIBRARY_ARCHITECTURE})
  set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/debian/multiarch.cmake)
endif()

# deb_package(COMPONENT NAME [FIELD VALUE]...): the package NAME of a component, with fields of cpack's, such as
# SECTION. Its description is cmake/debian/COMPONENT.txt.
function(deb_package component name)
  string(TOUPPER ${component} upper)
  set(prefix CPACK_DEBIAN_${upper})
  while(ARGN)
    list(POP_FRONT ARGN keyword value)
    set(${prefix}_PACKAGE_${keyword} "${value}" PARENT_SCOPE)
  endwhile()
  file(READ ${PROJECT_SOURCE_DIR}/cmake/debian/${component}.txt description)
  string(STRIP "${description}" description)
  set(${prefix}_DESCRIPTION "${description}" PARENT_SCOPE)
  set(${prefix}_PACKAGE_NAME ${name} PARENT_SCOPE)
  # What Debian looks for under the package's own name.
  set(doc ${CMAKE_INSTALL_DATAROOTDIR}/doc/${name})
  configure_file(cmake/debian/changelog.in debian/${component}/changelog.Debian @ONLY)
  configure_file(cmake/debian/lintian-overrides.in debian/${component}/${name} @ONLY)
  execute_process(COMMAND ${GZIP_PROGRAM} -9nf debian/${component}/changelog.Debian
                  WORKING_DIRECTORY ${PROJECT_BINARY_DIR} COMMAND_ERROR_IS_FATAL ANY)
  install(FILES ${PROJECT_BINARY_DIR}/copyright ${PROJECT_BINARY_DIR}/debian/${component}/changelog.Debian.gz
          DESTINATION ${doc} COMPONENT ${component})
  install(FILES ${PROJECT_BINARY_DIR}/debian/${component}/${name}
          DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/lintian/overrides COMPONENT ${component})
endfunction()

set(cpu "")
set(other_cpu -cpu)
if(NOT SSIMCU_HAVE_CUDA)
  set(cpu -cpu)
  set(other_cpu "")
endif()
set(libraries libssimcu${SSIMCU_SOVERSION})
set(triggers ${PROJECT_SOURCE_DIR}/cmake/debian/triggers)
deb_package(runtime ${libraries}${cpu} SECTION libs CONTROL_EXTRA ${triggers} SUGGESTS "ssimcu-exr, ssimcu-video"
            BREAKS "${deb_whole}" CONFLICTS ${libraries}${other_cpu} REPLACES "${libraries}${other_cpu}, ${deb_whole}")
deb_package(dev libssimcu${cpu}-dev SECTION libdevel DEPENDS "${libraries}${cpu} (= ${deb_version})"
            SUGGESTS "libpng-dev, libjpeg-dev, libisal-dev, libtiff-dev, libjansson-dev, libzimg-dev, zlib1g-dev"
            BREAKS "${deb_whole}" CONFLICTS libssimcu${other_cpu}-dev
            REPLACES "libssimcu${other_cpu}-dev, ${deb_whole}")
if(NOT SSIMCU_HAVE_CUDA) # they take the others' place
  set(CPACK_DEBIAN_PROGRAM_PACKAGE_PROVIDES ssimcu)
  set(CPACK_DEBIAN_RUNTIME_PACKAGE_PROVIDES "${libraries} (= ${deb_version})")
  set(CPACK_DEBIAN_DEV_PACKAGE_PROVIDES "libssimcu-dev (= ${deb_version})")
endif()
if(TARGET ssimcu_cli)
  deb_package(program ssimcu${cpu} SECTION graphics SUGGESTS "ssimcu-exr, ssimcu-video"
              CONFLICTS ssimcu${other_cpu} REPLACES ssimcu${other_cpu})
endif()
foreach(module IN ITEMS exr video)
  if(TARGET ssimcu_${module})
    deb_package(${module} ssimcu-${module} SECTION graphics CONTROL_EXTRA ${triggers}
                DEPENDS "${libraries} (= ${deb_version}) | ${libraries}-cpu (= ${deb_version})")
  endif()
endforeach()
if(TARGET ssimcu_qa_shared)
  deb_package(python python3-ssimcu SECTION python ARCHITECTURE all
              CONTROL_EXTRA ${PROJECT_SOURCE_DIR}/cmake/debian/prerm
              SUGGESTS "python3-numpy, ssimcu-exr, ssimcu-video"
              DEPENDS "python3 (>= 3.9), ${libraries} (= ${deb_version}) | ${libraries}-cpu (= ${deb_version})")
endif()
