#!/bin/sh
# dependencies.sh ROOT: checks who may include what. Include directories already keep most modules apart. This
# finds what a system-wide header would let through, circles, and what a library must never call.
# shellcheck disable=SC2046 # each file is a word, and none has a space in its name
set -u
cd "$1" || exit 1
bad=0
forbid() { # forbid "what it means" pattern files...
    what=$1 pattern=$2
    shift 2
    if grep -nE "$pattern" "$@"; then
        echo "dependencies: $what" >&2
        bad=1
    fi
}
# Fails if a module is missing: a renamed module would be searched no more.
for module in lib lib/api lib/compat lib/cpu lib/cpu/metrics lib/cpu/ssim lib/cuda lib/include lib/number lib/plan \
    lib/shared lib/examples kernels kernels/core kernels/light kernels/permute kernels/planes kernels/ssim \
    kernels/ssim/tensor kernels/ssimulacra2 \
    io io/image io/image/jpeg io/image/png io/image/tiff io/video io/video/remote io/video/av io/sequence \
    io/exr io/worker io/decode io/include cli; do
    find "$module" -name '*.[ch]' -o -name '*.cu' 2>/dev/null | grep -q . || { echo "dependencies: there is no module $module" >&2; bad=1; }
done
if find lib/python -name '*.[ch]' -o -name '*.cpp' -o -name '*.pyx' -o -name '*.cu' | grep . || [ ! -e lib/python/ssimcu/_c.py ]; then
    echo "dependencies: lib/python compiles nothing, and has the package ssimcu" >&2
    bad=1
fi
sources() { find "$@" -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh'; }

forbid "only lib/cuda and kernels know CUDA" '#include *<(cuda|cuda_)' \
    $(sources io cli lib | grep -vE '^lib/(cuda|examples)/')
either() { printf '%s|' "$@" | sed 's/|$//'; }
modules=$(cd lib/qa && find . -name '*.[ch]' | sed -E 's,^\./(.*)/[^/]*$,\1,' | sort -u | grep -v '^include$')
# shellcheck disable=SC2086
forbid "the core knows nothing of lib/qa" "#include *\"($(either $modules))/" \
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
    '#include *"((image|video)/)?(codec|clip_codec|image_limits|orientation|stream|(remote|av|jpeg|png|tiff)/.*)\.h"' \
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

# Inside lib/qa. A module shows the headers that are listed here, one for each thing; its other headers are its own.
shows() { # shows ROOM header...
    module=$1
    shift
    inner=
    for header in $(cd lib/qa && find "$module" -maxdepth 1 -name '*.h'); do
        case " $* " in *" $(basename "$header" .h) "*) ;; *) inner="$inner $header" ;; esac
    done
    for header in "$@"; do
        [ -e "lib/qa/$module/$header.h" ] || { echo "dependencies: lib/qa/$module has no $header.h" >&2; bad=1; }
    done
    # shellcheck disable=SC2086
    [ -z "$inner" ] || forbid "lib/qa/$module shows $* alone" "#include *\"($(either $inner))\"" \
        $(sources cli lib/qa | grep -v "^lib/qa/$module/[^/]*$")
}
shows base atomic_file counts json numbers overwrite_guard refuse results statistics text xml
shows learned ignored learn learned learned_file noise_class tail training_checks values
shows hints hints
shows maps maps
shows record compare compat contract finding header hinted metrics record record_types summary times
shows verdict limits rerender verdict
shows lines csv_field results_reader junit lines writer
shows pair device diff fit layers match names pair range region slots streams tags
shows source noref share side source variants
shows engine batch excess judge neighbours score threads
shows options files internal options out_options paths verbs
shows limits limits_file reference
shows report/folder contents folder inputs
shows report/frames collect pictures report_frame
shows report/html html_page model scale template
shows report/note note
shows report/page page page_index page_view rates
shows report index report
shows delivery delivery exit_code hooks map_files picture_pair run_header
shows messages describe
shows run intake run
shows accept
shows calibrate
shows detect/loops loops
shows detect detect

# The order of the modules: each may know those that stand above it here, and of them only what its line names.
known=
knows() { # knows ROOM module...
    module=$1
    shift
    for other in "$@"; do
        case " $known " in *" $other "*) ;; *) echo "dependencies: lib/qa/$module stands above $other" >&2; bad=1 ;; esac
    done
    known="$known $module"
    others=
    for other in $modules; do
        case " $module $* " in *" $other "*) ;; *) others="$others $other" ;; esac
    done
    # shellcheck disable=SC2086
    forbid "lib/qa/$module knows only: $*" "#include *\"($(either $others))/[^/]*\"" $(find "lib/qa/$module" -maxdepth 1 -name '*.[ch]')
}
knows base
knows learned base
knows hints
knows maps
knows record base learned
knows verdict base record learned
knows lines base record verdict
knows pair base record learned
knows source base record pair
knows engine base record learned hints pair source
knows limits base engine record learned hints verdict
knows report/folder base
knows report/frames base engine record hints maps pair report/folder source verdict
knows report/html base record
knows report/note base record report/folder report/frames report/html source verdict
knows options base engine record learned hints lines maps report/note source verdict
knows report/page base record options report/folder report/frames report/html source verdict
knows report base report/folder report/frames report/page
knows delivery base engine record learned hints limits lines maps options pair report report/folder report/note source verdict
knows messages base delivery engine record lines verdict
knows detect/loops
knows detect/frame base detect/loops
knows detect base detect/frame detect/loops engine record pair source
knows run base delivery detect engine record learned limits lines maps options pair report report/folder report/page messages source verdict
knows accept base delivery engine record hints lines run
knows calibrate base delivery engine record learned limits lines options pair report report/folder report/html messages run source verdict
for module in $modules; do
    case " $known " in *" $module "*) ;; *) echo "dependencies: lib/qa/$module has no place in the order" >&2; bad=1 ;; esac
done
while read -r module; do
    files=$(find "$module" -maxdepth 1 \( -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh' \) | wc -l)
    [ "$files" -le 25 ] || { echo "dependencies: $module has $files sources, more than 25: it is a drawer" >&2; bad=1; }
done <<EOF
$(find io lib kernels -type d)
EOF
# Their templates escape all text but what these names stand for: style, scripts, and what templates have filled in.
forbid "markup of pages stands in templates alone" '"([^"\\]|\\.)*<[a-z/!]' \
    $(sources lib/qa/report/html lib/qa/report/page) lib/qa/calibrate/page.c
if grep -rhoE --include='*.html' '\{\{\{[^}]*' lib/qa | grep -vxE '\{\{\{(body|code|data|mark|plots?|rates|style)'; then
    echo "dependencies: a template writes more than that unescaped" >&2
    bad=1
fi
forbid "learned limits and hints know no format" '#include *"(image|sequence|video)/' $(sources lib/qa/learned lib/qa/hints)
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
# tsort complains about a circle and names who is in it: first of files, then of modules, whose files count as one.
included=$(includes)
for modules in '' 's,\<(lib/qa(/[a-z]+)+|lib/(api|compat|cuda|number|plan|shared)|io/[^/ ]+)/[^/ ]+\.[a-z]+,\1,g; s,\<(io/[^/ ]+|lib/cpu)/[^ ]+,\1,g'; do
    if ! echo "$included" | sed -E "$modules" | tsort >/dev/null; then
        echo "dependencies: a circle of includes" >&2
        bad=1
    fi
done
exit $bad
