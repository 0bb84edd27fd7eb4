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
for room in lib lib/api lib/compat lib/cpu lib/cpu/metrics lib/cpu/ssim lib/cuda lib/include lib/number lib/plan \
    lib/shared lib/examples kernels kernels/core kernels/light kernels/permute kernels/planes kernels/ssim \
    kernels/ssim/tensor kernels/ssimulacra2 \
    io io/image io/image/jpeg io/image/png io/image/tiff io/video io/video/apart io/video/av io/sequence \
    io/exr io/worker io/decode io/include cli; do
    find "$room" -name '*.[ch]' -o -name '*.cu' 2>/dev/null | grep -q . || { echo "arrows: there is no room $room" >&2; bad=1; }
done
if find lib/python -name '*.[ch]' -o -name '*.cpp' -o -name '*.pyx' -o -name '*.cu' | grep . || [ ! -e lib/python/ssimcu/_c.py ]; then
    echo "arrows: lib/python compiles nothing, and has the package ssimcu" >&2
    bad=1
fi
sources() { find "$@" -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh'; }

forbid "only lib/cuda and kernels know CUDA" '#include *<(cuda|cuda_)' \
    $(sources io cli lib | grep -vE '^lib/(cuda|examples)/')
either() { printf '%s|' "$@" | sed 's/|$//'; }
rooms=$(cd lib/qa && find . -name '*.[ch]' | sed -E 's,^\./(.*)/[^/]*$,\1,' | sort -u | grep -v '^include$')
# shellcheck disable=SC2086
forbid "the core knows nothing of lib/qa" "#include *\"($(either $rooms))/" \
    $(sources lib io kernels | grep -v '^lib/qa/')
forbid "lib/compat knows nothing of the rest of the core" \
    '#include *"(backend|(api|cpu|core|number|plan)/.*)\.h"' $(sources lib/compat)
forbid "lib/number knows nothing of backends, plans and entries" '#include *"(backend\.h|(api|cpu|cuda|plan)/)' $(sources lib/number)
forbid "lib/plan knows no entry and no backend" '#include *"(backend\.h|(api|cpu|cuda)/)' $(sources lib/plan)
forbid "a backend knows no entry" '#include *"api/' lib/backend.h $(sources lib/cpu lib/cuda)
forbid "only io knows image libraries" '#include *<(png|jpeglib|jerror|stb)' \
    $(sources lib kernels cli)
forbid "kernels know nothing of lib or io" '#include *"(ssimcu|image|backend|(api|number|plan)/.*)\.h"' $(sources kernels)
forbid "io, lib/qa and cli see the core's public headers only" '#include *"(backend|kernels|(api|core|number|plan)/.*)\.h"' \
    $(sources io cli lib/qa)
forbid "what io's files share is theirs alone" \
    '#include *"((image|video)/)?(codec|clip_codec|image_limits|orientation|stream|(apart|av|jpeg|png|tiff)/.*)\.h"' \
    $(sources cli lib/qa io/sequence)
forbid "lib, kernels and io never print, exit, assert or read the environment" \
    '\<(printf|fprintf|puts|putchar|perror|exit|abort|assert|getenv|system)\(' $(sources lib kernels io | grep -vE '/include/|^lib/(examples|qa)/')
forbid "lib/qa writes to its own files and streams alone" \
    '\<(printf|puts|putchar|perror|exit|_exit|abort|assert|getenv|system|signal|sigaction)\(|\<std(out|err)\>' \
    $(sources lib/qa | grep -v '\.h$')
forbid "memory that is lost has one message: ssimcu_no_memory (fail.h)" \
    'ssimcu_fail\([^;]*"([a-z]+: )?out of memory( for [^"%]*)?"|^[a-z].*no_memory\(ssimcu_message' \
    $(sources lib io cli | grep -v '^lib/shared/fail\.h$')
forbid "callers never ask what was built" '# *if.*(HAVE|WITH|USE|ENABLE)_?CUDA' $(sources lib io cli)

# Inside lib/qa. A room shows the headers that are listed here, one for each thing; its other headers are its own.
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
    # shellcheck disable=SC2086
    [ -z "$inner" ] || forbid "lib/qa/$room shows $* alone" "#include *\"($(either $inner))\"" \
        $(sources cli lib/qa | grep -v "^lib/qa/$room/[^/]*$")
}
shows base counts draft guard json numbers object refuse results statistics text xml
shows floors doubts floors floors_file ignored learn tail tells values
shows hints hints
shows maps maps
shows facts compare compat contract header hinted metrics record record_parts summary times
shows verdict faults limits verdict
shows lines csv_field earlier junit lines writer
shows pair device differ fit layers match names pair range region slots streams tags
shows source alone share side source variants
shows engine batch excess judge neighbours score threads
shows options files options out_options parts paths verbs
shows limits limits_file reference
shows report/folder contents folder inputs
shows report/frames collect parallel pictures report_frame section
shows report/html html_page model scale template
shows report/note note
shows report/page page page_index page_view rates
shows report index report
shows delivery delivery exit_code hooks map_files picture_pair run_header
shows say describe
shows run
shows accept
shows calibrate
shows check/page page
shows check/loops loops
shows check

# The order of the rooms: each may know those that stand above it here, and of them only what its line names.
known=
knows() { # knows ROOM room...
    room=$1
    shift
    for other in "$@"; do
        case " $known " in *" $other "*) ;; *) echo "arrows: lib/qa/$room stands above $other" >&2; bad=1 ;; esac
    done
    known="$known $room"
    others=
    for other in $rooms; do
        case " $room $* " in *" $other "*) ;; *) others="$others $other" ;; esac
    done
    # shellcheck disable=SC2086
    forbid "lib/qa/$room knows only: $*" "#include *\"($(either $others))/[^/]*\"" $(find "lib/qa/$room" -maxdepth 1 -name '*.[ch]')
}
knows base
knows floors base
knows hints
knows maps
knows facts base floors
knows verdict base facts floors
knows lines base facts verdict
knows pair base facts floors
knows source base facts pair
knows engine base facts floors hints pair source
knows limits base engine facts floors hints verdict
knows report/folder base
knows report/frames base engine facts hints maps pair report/folder source verdict
knows report/html base facts
knows report/note base facts report/folder report/frames report/html source verdict
knows options base engine facts floors hints lines maps report/note source verdict
knows report/page base facts report/folder report/frames report/html source verdict
knows report base report/folder report/frames report/page
knows delivery base engine facts floors hints limits lines maps options pair report report/note source verdict
knows say base delivery engine facts lines verdict
knows run base delivery engine facts floors limits lines maps options pair report report/page say source verdict
knows accept base delivery engine facts hints lines
knows check/loops
knows check/page base maps options pair report report/folder report/frames report/html source
knows check base check/loops check/page delivery engine facts lines options pair source
knows calibrate base delivery engine facts floors limits lines options pair report/folder report/html say source verdict
for room in $rooms; do
    case " $known " in *" $room "*) ;; *) echo "arrows: lib/qa/$room has no place in the order" >&2; bad=1 ;; esac
done
while read -r room; do
    files=$(find "$room" -maxdepth 1 \( -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh' \) | wc -l)
    [ "$files" -le 25 ] || { echo "arrows: $room has $files sources, more than 25: it is a drawer" >&2; bad=1; }
done <<EOF
$(find io lib kernels -type d)
EOF
# Their templates escape all text but what these names stand for: style, scripts, and what templates have filled in.
forbid "markup of pages stands in templates alone" '"([^"\\]|\\.)*<[a-z/!]' \
    $(sources lib/qa/report/html lib/qa/report/page lib/qa/check/page) lib/qa/calibrate/page.c
if grep -rhoE --include='*.html' '\{\{\{[^}]*' lib/qa | grep -vxE '\{\{\{(body|code|data|mark|plots?|rates|style)'; then
    echo "arrows: a template writes more than that unescaped" >&2
    bad=1
fi
forbid "floors and hints know no format" '#include *"(image|sequence|video)/' $(sources lib/qa/floors lib/qa/hints)
forbid "lib/qa knows nothing of the command line" "#include *\"($(either $(cd cli && ls *.h)))\"" $(sources lib/qa)
forbid "the console alone prints (options.c: usage; completion.c, a program of the build)" \
    '\<(printf|puts|putchar|perror)\(|\<stderr[,)]' $(sources cli | grep -vE '^cli/(console.*|options|completion)\.c$')

# Prints lines of a file and one that it includes, both below cli, lib or io.
includes() {
    grep -nE '^ *# *include *"' $(sources cli io lib) | sed -E 's/:.*"(.*)".*/ \1/' |
        while read -r from name; do
            for to in "$(dirname "$from")/$name" "cli/$name" "lib/qa/$name" "lib/$name" "lib/shared/$name" "io/$name" "io/include/$name"; do
                [ -e "$to" ] && echo "$from $to" && break
            done
        done
}
# tsort complains about a circle and names who is in it: first of files, then of rooms, whose files count as one.
included=$(includes)
for rooms in '' 's,\<(lib/qa(/[a-z]+)+|lib/(api|compat|cuda|number|plan|shared)|io/[^/ ]+)/[^/ ]+\.[a-z]+,\1,g; s,\<(io/[^/ ]+|lib/cpu)/[^ ]+,\1,g'; do
    if ! echo "$included" | sed -E "$rooms" | tsort >/dev/null; then
        echo "arrows: a circle of includes" >&2
        bad=1
    fi
done
exit $bad
