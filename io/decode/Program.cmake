# ssimcu-decode: the program in which the modules run (worker/worker.h). It lies in the folder ssimcu beside
# them, here and where it is installed, and belongs to the libraries' package. It opens a module when it is
# told to, so it is built without them too.
pkg_check_modules(libseccomp REQUIRED IMPORTED_TARGET libseccomp)
add_executable(
  ssimcu_decode
  modules.c
  decode/main.c decode/sandbox.c decode/serve.c decode/serve_exr.c decode/serve_video.c
  worker/packet.c)
target_include_directories(ssimcu_decode PRIVATE ${CMAKE_CURRENT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR}/include)
target_compile_definitions(ssimcu_decode PRIVATE ${module_names})
target_link_libraries(ssimcu_decode PRIVATE ssimcu_headers ssimcu_warnings Threads::Threads PkgConfig::libseccomp
                                            ${CMAKE_DL_LIBS})
set_target_properties(ssimcu_decode PROPERTIES OUTPUT_NAME ssimcu-decode LINKER_LANGUAGE C
                                               RUNTIME_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/ssimcu
                                               BUILD_RPATH "$ORIGIN/.." INSTALL_RPATH "$ORIGIN/..")
install(TARGETS ssimcu_decode DESTINATION ${CMAKE_INSTALL_LIBDIR}/ssimcu COMPONENT runtime)
