#!/bin/bash
# internals.sh LIBRARY FOLDER: no program in the folder that links the shared library of internals also holds a part of it,
# as code or as a copy of a variable: it would test one state and change another. And most programs link it.
set -euo pipefail
export LC_ALL=C
library=$1 folder=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
nm -D --defined-only "$library" | awk '{ print $3 }' >"$scratch/names"
[ "$(wc -l <"$scratch/names")" -gt 300 ] || { echo "internals: few names in $library" >&2; exit 1; }

cd "$folder"
find . -maxdepth 1 -type f -perm -u+x | sort >"$scratch/programs"
xargs grep -lF "$(basename "$library")" <"$scratch/programs" >"$scratch/linked"
all=$(wc -l <"$scratch/programs") linked=$(wc -l <"$scratch/linked")
[ $((5 * linked)) -gt $((4 * all)) ] || { echo "internals: only $linked of $all programs link it" >&2; exit 1; }
{
    # No test has names of its own like these. serve_video has a stand-in for what finds a module.
    xargs nm -A --defined-only <"$scratch/linked" |
        awk '$NF ~ /^_?_?ssimcu_/ && $NF != "ssimcu_module_find" { sub(/:.*/, "", $1); print $NF, $1 }'
    xargs readelf -rW <"$scratch/linked" | awk '/^File: / { file = $2 } $3 ~ /_COPY$/ { print $5, file }'
} | awk 'NR == FNR { ours[$1]; next } $1 in ours { print $2 " holds " $1 ", too"; bad = 1 } END { exit bad }' \
    "$scratch/names" - || { echo "internals: see above" >&2; exit 1; }
echo "[PASS] internals: $linked of $all programs link it"
