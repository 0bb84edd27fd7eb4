#!/bin/sh
# headers.sh CC CXX FOLDER...: each public header of the folders compiles alone, as C11 and as C++17, without
# a warning. The C++ wrappers (.hpp) are C++17 only. An empty CXX leaves C++ out.
set -eu
cc=$1 cxx=$2 count=0 folders=
shift 2
for folder in "$@"; do folders="$folders -I$folder"; done
alone() { # alone NAME COMPILER...: the header twice, because its guard must hold
    name=$1
    shift
    # shellcheck disable=SC2086
    printf '#include <%s>\n#include <%s>\ntypedef int nothing;\n' "$name" "$name" |
        "$@" -Wall -Wextra -pedantic -Wshadow -Werror $folders -fsyntax-only - || { echo "headers: $name: $*" >&2; exit 1; }
    count=$((count + 1))
}
for folder in "$@"; do
    for header in "$folder"/ssimcu*.h "$folder"/ssimcu*.hpp; do
        [ -e "$header" ] || continue
        name=$(basename "$header")
        case $name in *.h) alone "$name" "$cc" -std=c11 -x c ;; esac
        [ -z "$cxx" ] || alone "$name" "$cxx" -std=c++17 -x c++
    done
done
[ "$count" -ge 5 ] || { echo "headers: only $count compilations" >&2; exit 1; }
echo "[PASS] headers: $count compilations"
