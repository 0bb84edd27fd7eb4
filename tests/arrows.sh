#!/bin/sh
# arrows.sh ROOT: who may include what. Include directories already keep most rooms apart; this finds
# what a system-wide header would let through, and what a library must never call.
set -u
cd "$1" || exit 1
bad=0
forbid() { # forbid "what it means" pattern files...
    what=$1 pattern=$2
    shift 2
    if grep -nE "$pattern" "$@"; then
        echo "arrows: $what" >&2
        bad=1
    fi
}
sources() { find "$@" -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh'; }

forbid "only lib/cuda and kernels know CUDA" '#include *<(cuda|cuda_)' \
    $(sources io cli lib | grep -vE '^lib/(cuda|examples)/')
forbid "only io knows image libraries" '#include *<(png|jpeglib|jerror|libexif|stb)' \
    $(sources lib kernels cli)
forbid "kernels know nothing of lib or io" '#include *"(ssimcu|image|backend|frame)\.h"' $(sources kernels)
forbid "io and cli see public headers only" '#include *"(backend|compare|context|frame|plan|outputs|view|kernels|core/.*)\.h"' \
    $(sources io cli)
forbid "what io's files share is theirs alone" '#include *"((image|video)/)?(codec|image_limits|stream)\.h"' $(sources cli)
forbid "lib, kernels and io never print, exit, assert or read the environment" \
    '\<(printf|fprintf|puts|putchar|perror|exit|abort|assert|getenv|system)\(' $(sources lib/*.c lib/cpu lib/cuda kernels io | grep -v /include/)
forbid "callers never ask what was built" '# *if.*(HAVE|WITH|USE|ENABLE)_?CUDA' $(sources lib io cli)
exit $bad
