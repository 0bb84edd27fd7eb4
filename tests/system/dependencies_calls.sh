#!/bin/bash
# dependencies_calls.sh BUILD: no circle of calls between the product's object files, nor between its modules, which are all
# folders. nm says what a file defines and what it asks of others, as functions or data; statics, macros and inlined code
# are inside a file. Each circle is printed: who is in it, and who asks whom for what.
set -eu
export LC_ALL=C
build=$(realpath "$1")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$build"

# A source file that two libraries compile counts once. One nm reads all objects, because a process for each took
# ten times as long.
find . -name '*.o' ! -path './tests/*' ! -path './bench/*' | sort >"$scratch/objects"
xargs nm -P -A <"$scratch/objects" | awk '{
    file = $1
    sub(/^\.\//, "", file)
    sub(/CMakeFiles\/[^\/]+\.dir\//, "", file)
    sub(/\.o:$/, "", file)
}
$3 ~ /^[BDRT]$/ { print "defines", $2, file }
$3 == "U" { print "needs", $2, file }' | sort -u >"$scratch/symbols"

# Arrows: FROM TO SYMBOL.
awk '$1 == "defines" { home[$2] = $3 } # these lines come first
     $1 == "needs" && $2 in home && home[$2] != $3 { print $3, home[$2], $2 }' "$scratch/symbols" >"$scratch/dependencies"
files=$(wc -l <"$scratch/objects") dependencies=$(wc -l <"$scratch/dependencies")
if [ "$files" -lt 40 ] || [ "$dependencies" -lt 100 ]; then
    echo "dependencies_calls: only $files object files and $dependencies calls found in $build" >&2
    exit 1
fi

# Two are in one circle if each reaches the other.
circles() { # circles ARROWS
    awk 'BEGIN { count = circles = 0 }
{
    if (!($1 in number)) { number[$1] = count; name[count++] = $1 }
    if (!($2 in number)) { number[$2] = count; name[count++] = $2 }
    calls[$1, $2] = calls[$1, $2] " " $3
    reaches[number[$1], number[$2]] = 1
}
END {
    for (middle = 0; middle < count; middle++)
        for (from = 0; from < count; from++)
            if ((from, middle) in reaches)
                for (to = 0; to < count; to++)
                    if ((middle, to) in reaches) reaches[from, to] = 1
    for (first = 0; first < count; first++) {
        if (!((first, first) in reaches) || first in told) continue
        circles++
        size = 0
        for (other = 0; other < count; other++)
            if ((first, other) in reaches && (other, first) in reaches) { told[other] = 1; member[size++] = name[other] }
        print "a circle of " size ":"
        for (i = 0; i < size; i++)
            for (j = 0; j < size; j++)
                if ((member[i], member[j]) in calls)
                    print "    " member[i] " -> " member[j] ":" calls[member[i], member[j]]
    }
    exit circles > 0
}' "$1" >"$scratch/circles" || { cat "$scratch/circles" >&2; exit 1; }
}
circles "$scratch/dependencies"

# A module is a folder: its files count as one. The rows of the tables of formats, ssimcu_codec_NAME, do not count
# between modules: a table names each codec, and each codec uses what stands beside the table.
awk 'function module(file) { sub(/\/[^\/]+$/, "", file); return file }
{ from = module($1); to = module($2) }
from != to && $3 !~ /^ssimcu_codec_/ { print from, to, $3 }' "$scratch/dependencies" >"$scratch/modules"
modules=$(awk '{ print $1; print $2 }' "$scratch/modules" | sort -u | wc -l)
for module in lib/cpu lib/cpu/metrics lib/cpu/ssim lib/number lib/plan lib/shared lib/qa/detect/loops io/image/png; do
    grep -q "\(^\| \)$module " "$scratch/modules" || { echo "dependencies_calls: there is no module $module" >&2; exit 1; }
done
circles "$scratch/modules"
echo "[PASS] dependencies_calls: $files files, $dependencies calls, $modules modules, no circle"
