#!/bin/sh
# arrows.sh ROOT: checks who may include what. Include directories already keep most rooms apart. This
# finds what a system-wide header would let through, circles, and what a library must never call.
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
# A room that was renamed would be searched no more.
for room in lib lib/cpu lib/cuda lib/include lib/shared lib/examples kernels kernels/core io io/image io/video \
    io/sequence io/include cli cli/batch cli/maps cli/report cli/results; do
    find "$room" -name '*.[ch]' 2>/dev/null | grep -q . || { echo "arrows: there is no room $room" >&2; bad=1; }
done
sources() { find "$@" -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh'; }

forbid "only lib/cuda and kernels know CUDA" '#include *<(cuda|cuda_)' \
    $(sources io cli lib | grep -vE '^lib/(cuda|examples)/')
forbid "only io knows image libraries" '#include *<(png|jpeglib|jerror|stb)' \
    $(sources lib kernels cli)
forbid "kernels know nothing of lib or io" '#include *"(ssimcu|image|backend|frame)\.h"' $(sources kernels)
forbid "io and cli see public headers only" '#include *"(backend|compare|context|frame|plan|outputs|view|kernels|core/.*)\.h"' \
    $(sources io cli)
forbid "what io's files share is theirs alone" '#include *"((image|video)/)?(codec|image_limits|orientation|stream)\.h"' $(sources cli)
forbid "lib, kernels and io never print, exit, assert or read the environment" \
    '\<(printf|fprintf|puts|putchar|perror|exit|abort|assert|getenv|system)\(' $(sources lib/*.c lib/cpu lib/cuda kernels io | grep -v /include/)
forbid "callers never ask what was built" '# *if.*(HAVE|WITH|USE|ENABLE)_?CUDA' $(sources lib io cli)

# Inside cli: options, pair and console -> report -> batch -> results, hints, each room by the header of its name;
# results lends json.h and text.h, with which documents and messages are made.
either() { printf '%s|' "$@" | sed 's/|$//'; }
for room in batch hints report results; do
    inner=$(cd cli && find $room -name '*.h' ! -name $room.h ! -name json.h ! -name text.h)
    [ -n "$inner" ] || { echo "arrows: cli/$room has no header of its own" >&2; bad=1; }
    forbid "cli/$room shows $room.h alone" "#include *\"($(either $inner))\"" \
        $(sources cli | grep -v "^cli/$room/")
    forbid "cli/$room includes nothing above it" "#include *\"(\.\.|($(either $(cd cli && ls *.h)))\")" \
        $(sources cli/$room)
done
forbid "results and batches know no room above them" '#include *"(batch|report)/' $(sources cli/results)
forbid "a batch knows no report" '#include *"report/' $(sources cli/batch)
forbid "hints know the public API alone" '#include *"(batch|results|image|sequence|video)/|#include *"ssimcu_io' $(sources cli/hints)
forbid "maps know the public API and io alone" \
    "#include *\"((batch|results|hints|report)/|($(either $(cd cli && ls *.h)))\")" $(sources cli/maps)
forbid "the console alone prints (options.c: usage)" \
    '\<(printf|puts|putchar|perror)\(|\<stderr[,)]' $(sources cli | grep -vE '^cli/(console.*|options)\.c$')

# Lines of a file and one that it includes, both below cli or io.
includes() {
    grep -nE '^ *# *include *"' $(sources cli io) | sed -E 's/:.*"(.*)".*/ \1/' |
        while read -r from name; do
            for to in "$(dirname "$from")/$name" "cli/$name" "io/$name" "io/include/$name"; do
                [ -e "$to" ] && echo "$from $to" && break
            done
        done
}
# tsort complains about a circle and names who is in it: first of files, then of the rooms below cli
# and io, whose files count as one.
for rooms in '' 's,\<((cli|io)/[^/ ]+)/[^ ]+,\1,g'; do
    if ! includes | sed -E "$rooms" | tsort >/dev/null; then
        echo "arrows: a circle of includes" >&2
        bad=1
    fi
done
exit $bad
