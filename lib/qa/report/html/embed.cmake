# cmake -DSOURCES=page.css;page.js;page.html -DOUTPUT=FILE.c -P embed.cmake: writes the files as arrays of
# bytes with a 0 at the end, and their SHA-256 in base64, which is their name in a content security policy.
set(digits ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/)
set(code "#include \"report/html/html_page.h\"\n")
foreach(source IN LISTS SOURCES)
  cmake_path(GET source FILENAME name)
  string(REPLACE . _ name ${name})
  file(READ ${source} bytes HEX)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
  string(REGEX REPLACE "((0x..,){16})" "\\1\n    " bytes "${bytes}")
  file(SHA256 ${source} hex)
  set(base64 "")
  string(APPEND hex 00) # 32 bytes are 42 digits, half a one and a pad
  foreach(at RANGE 0 60 6)
    string(SUBSTRING ${hex} ${at} 6 three)
    foreach(shift IN ITEMS 18 12 6 0)
      math(EXPR digit "(0x${three} >> ${shift}) & 63")
      string(SUBSTRING ${digits} ${digit} 1 digit)
      string(APPEND base64 ${digit})
    endforeach()
  endforeach()
  string(SUBSTRING ${base64} 0 43 base64)
  string(APPEND code "\nstatic const unsigned char ${name}_bytes[] = {\n    ${bytes}0};\n"
                     "const struct html_asset ${name} = {(const char *)${name}_bytes, sizeof ${name}_bytes - 1, "
                     "\"sha256-${base64}=\"};\n")
endforeach()
file(WRITE ${OUTPUT} "${code}")
