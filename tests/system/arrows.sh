#!/bin/sh
# arrows.sh ROOT: checks who may include what. Include directories already keep most rooms apart. This
# finds what a system-wide header would let through, circles, and what a library must never call.
# shellcheck disable=SC2046 # each file is a word, and none has a space in its name
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
# Fails if a room is missing: a renamed room would be searched no more.
for room in lib lib/compat lib/cpu lib/cuda lib/include lib/shared lib/examples lib/qa/source lib/qa/engine lib/qa/results \
    lib/qa/floors lib/qa/accept lib/qa/calibrate lib/qa/hints lib/qa/maps lib/qa/report lib/qa/report/page kernels kernels/core kernels/light kernels/permute \
    kernels/planes kernels/ssim kernels/ssimulacra2 io io/image io/video io/video/av io/sequence io/exr io/worker io/decode io/include cli; do
    find "$room" -name '*.[ch]' -o -name '*.cu' 2>/dev/null | grep -q . || { echo "arrows: there is no room $room" >&2; bad=1; }
done
if find lib/python -name '*.[ch]' -o -name '*.cpp' -o -name '*.pyx' -o -name '*.cu' | grep . || [ ! -e lib/python/ssimcu/_c.py ]; then
    echo "arrows: lib/python compiles nothing, and has the package ssimcu" >&2
    bad=1
fi
sources() { find "$@" -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh'; }

forbid "only lib/cuda and kernels know CUDA" '#include *<(cuda|cuda_)' \
    $(sources io cli lib | grep -vE '^lib/(cuda|examples)/')
forbid "the core knows nothing of lib/qa" '#include *"(source|engine|results|hints|maps|report)/' \
    $(sources lib io kernels | grep -v '^lib/qa/')
forbid "lib/compat knows nothing of the rest of the core" \
    '#include *"(backend|compare|context|frame|plan|outputs|view|cpu/.*|core/.*)\.h"' $(sources lib/compat)
forbid "only io knows image libraries" '#include *<(png|jpeglib|jerror|stb)' \
    $(sources lib kernels cli)
forbid "kernels know nothing of lib or io" '#include *"(ssimcu|image|backend|frame)\.h"' $(sources kernels)
forbid "io, lib/qa and cli see the core's public headers only" '#include *"(backend|compare|context|frame|plan|outputs|view|kernels|core/.*)\.h"' \
    $(sources io cli lib/qa)
forbid "what io's files share is theirs alone" '#include *"((image|video)/)?(codec|clip_codec|image_limits|orientation|stream)\.h"' \
    $(sources cli lib/qa io/sequence)
forbid "lib, kernels and io never print, exit, assert or read the environment" \
    '\<(printf|fprintf|puts|putchar|perror|exit|abort|assert|getenv|system)\(' $(sources lib kernels io | grep -vE '/include/|^lib/(examples|qa)/')
forbid "lib/qa writes to its own files and streams alone" \
    '\<(printf|puts|putchar|perror|exit|_exit|abort|assert|getenv|system|signal|sigaction)\(|\<std(out|err)\>' \
    $(sources lib/qa | grep -v '\.h$')
forbid "callers never ask what was built" '# *if.*(HAVE|WITH|USE|ENABLE)_?CUDA' $(sources lib io cli)

# Inside lib/qa: report -> engine -> source -> results, with hints and maps beside them. A room shows the headers
# that are listed here, one for each thing; its other headers are its own.
either() { printf '%s|' "$@" | sed 's/|$//'; }
shows() { # shows ROOM header...
    room=$1
    shift
    inner=
    for header in $(cd lib/qa && find "$room" -maxdepth 1 -name '*.h'); do
        case " $* " in *" $(basename "$header" .h) "*) ;; *) inner="$inner $header" ;; esac
    done
    for header in "$@"; do
        [ -e "lib/qa/$room/$header.h" ] || { echo "arrows: lib/qa/$room has no $header.h" >&2; bad=1; }
    done
    [ -z "$inner" ] || forbid "lib/qa/$room shows $* alone" "#include *\"($(either $inner))\"" \
        $(sources cli lib/qa | grep -v "^lib/qa/$room/")
}
shows source device match pair range region share side slots source variants
shows engine batch judge neighbours score
shows results bjontegaard compat contract crc64 earlier guard header json junit limits metrics numbers object record results summary text times verdict writer
shows floors floors floors_file ignored learn packed tail tells values
shows hints hints
shows maps maps
shows report contents folder index rates report sides
shows accept
shows calibrate
knows_not() { # knows_not ROOM room...: a room that includes nothing of those
    room=$1
    shift
    forbid "lib/qa/$room knows none of: $*" "#include *\"($(either "$@"))/" $(sources "lib/qa/$room")
}
knows_not results source engine hints maps report
knows_not source engine hints maps report
knows_not hints source engine results maps report image sequence video
knows_not floors source engine results hints maps report image sequence video
knows_not maps source engine results hints report
knows_not engine maps report
knows_not accept calibrate engine source hints maps report
forbid "lib/qa knows nothing of the command line" "#include *\"($(either $(cd cli && ls *.h)))\"" $(sources lib/qa)
forbid "the console alone prints (options.c: usage; completion.c, a program of the build)" \
    '\<(printf|puts|putchar|perror)\(|\<stderr[,)]' $(sources cli | grep -vE '^cli/(console.*|options|completion)\.c$')

# Prints lines of a file and one that it includes, both below cli, lib/qa or io.
includes() {
    grep -nE '^ *# *include *"' $(sources cli io lib/qa) | sed -E 's/:.*"(.*)".*/ \1/' |
        while read -r from name; do
            for to in "$(dirname "$from")/$name" "cli/$name" "lib/qa/$name" "io/$name" "io/include/$name"; do
                [ -e "$to" ] && echo "$from $to" && break
            done
        done
}
# tsort complains about a circle and names who is in it: first of files, then of the rooms below lib/qa
# and io, whose files count as one.
for rooms in '' 's,\<((lib/qa|io)/[^/ ]+)/[^ ]+,\1,g'; do
    if ! includes | sed -E "$rooms" | tsort >/dev/null; then
        echo "arrows: a circle of includes" >&2
        bad=1
    fi
done
exit $bad
