#!/bin/bash
# outside.sh PREFIX: builds the three programs of lib/examples that use libssimcu_qa on an installation with
# both modules, by pkg-config alone, shared and static. What they print for PNG, TIFF, EXR and video, and
# the maps that they draw, must be the program's to the digit. The programs stay short.
set -euo pipefail
# shellcheck source=tests/support/need.sh
. "$(dirname "$0")/../support/need.sh"
export LC_ALL=C
prefix=$1
root=$(realpath "$(dirname "$0")/../..")
testdata=$root/testdata examples=$root/lib/examples
pc_dir=$(dirname "$(find "$prefix" -name ssimcu_qa.pc)")
libdir=$(dirname "$pc_dir")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

fail() { echo "outside: $*" >&2; exit 1; }
flags() { pkg-config "$@" --cflags --libs ssimcu_qa; }
lines() { # lines MOST FILE: of code, without comments, blank lines and braces alone
    local count
    count=$(sed -E '/^"""/,/"""$/d; /^ ?(\/?\*|#!)/d' "$examples/$2" | grep -c '[a-z]')
    [ "$count" -le "$1" ] || fail "$2 has $count lines, more than $1"
}
lines 25 gate.c
lines 15 heat.cpp
lines 20 pair.py

# A shared library needs no .pc file of another package. The run path also tells where the modules lie.
build() { # build KIND FLAG...
    local kind=$1
    shift
    cc -std=c11 -Wall -Wextra -pedantic -Werror "$examples/gate.c" -o "$scratch/gate-$kind" "$@" -Wl,-rpath,"$libdir"
    c++ -std=c++17 -Wall -Wextra -pedantic -Werror "$examples/heat.cpp" -o "$scratch/heat-$kind" "$@" -Wl,-rpath,"$libdir"
}
# shellcheck disable=SC2046 # each flag is a word
build shared $(PKG_CONFIG_LIBDIR=$pc_dir flags)
# shellcheck disable=SC2046
build static $(PKG_CONFIG_PATH=$pc_dir flags --static | sed -E 's/-l(ssimcu(_io|_qa)?)( |$)/-l:lib\1.a\3/g')
readelf -d "$scratch/gate-shared" | grep -q 'NEEDED.*libssimcu_qa' || fail "gate-shared is not linked to the shared library"
! readelf -d "$scratch/gate-static" | grep -q 'NEEDED.*libssimcu' || fail "gate-static is linked to a shared library"

records() { # records FILE: the lines of heat for a file of results
    python3 -c 'import json, sys
for line in open(sys.argv[1]):
    record = json.loads(line)
    if record.get("status") == "ok":
        tile = record["tile"]
        print("%.9f tile %.9f at %d,%d" % (record["score"], tile["score"], tile["x"], tile["y"]))' "$1"
}
compare() { # compare NAME REF OUT: all programs against ssimcu
    local want kind ended=0
    want=$("$prefix/bin/ssimcu" --output "$scratch/$1.jsonl" --map "$scratch/$1.map" --map-style heat "$2" "$3" 2>"$scratch/log") ||
        fail "$1: $(cat "$scratch/log")"
    records "$scratch/$1.jsonl" >"$scratch/$1.want"
    [ -s "$scratch/$1.want" ] || fail "$1: no records"
    for kind in shared static; do
        "$scratch/heat-$kind" "$2" "$3" "$scratch/$1.map-$kind" >"$scratch/got"
        cmp "$scratch/$1.want" "$scratch/got" || fail "$1: heat-$kind prints $(cat "$scratch/got")"
        diff -r "$scratch/$1.map" "$scratch/$1.map-$kind" || fail "$1: heat-$kind draws another map"
        "$scratch/gate-$kind" "$2" "$3" 0 >"$scratch/got"
        cmp <(cut -d' ' -f1 "$scratch/$1.want") <(cut -d' ' -f1 "$scratch/got") || fail "$1: gate-$kind prints $(cat "$scratch/got")"
        "$scratch/gate-$kind" "$2" "$3" 1 >"$scratch/got" || ended=$?
        [ $ended = 1 ] || fail "$1: gate-$kind ends with $ended"
    done
    [ "$(LD_LIBRARY_PATH=$libdir python3 "$examples/pair.py" "$2" "$3")" = "$want" ] || fail "$1: pair.py does not print $want"
    echo "outside: $1: $want"
}

compare png "$testdata/rgb8_a.png" "$testdata/rgb8_b.png"
compare tiff "$testdata/rgbf_a.tif" "$testdata/rgb8_b.tif"
mkdir "$scratch/ref" "$scratch/out"
cp "$testdata/rgb8_a.png" "$scratch/ref/1.png"
cp "$testdata/rgb8_b.png" "$scratch/out/1.png"
cp "$testdata/rgbf_a.tif" "$scratch/ref/2.tif"
cp "$testdata/rgb8_b.tif" "$scratch/out/2.tif"
if has ffmpeg; then
    for side in ref out; do
        ffmpeg -nostdin -v error -i "$scratch/$side/1.png" -vf format=gbrpf32le "$scratch/$side/3.exr"
    done
    compare exr "$scratch/ref/3.exr" "$scratch/out/3.exr"
    ffmpeg -nostdin -v error -f lavfi -i testsrc2=s=128x96:d=0.2 "$scratch/ref.mp4"
    ffmpeg -nostdin -v error -i "$scratch/ref.mp4" -b:v 20k "$scratch/out.mp4"
    compare video "$scratch/ref.mp4" "$scratch/out.mp4"
else
    echo "outside: no ffmpeg: EXR and video were not tried"
fi
compare directories "$scratch/ref" "$scratch/out"
