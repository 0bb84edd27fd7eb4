#!/bin/bash
# examples.sh PROGRAMS [LIBPATH]: runs the examples of lib/examples on the photo and checks what they print.
# They are built in PROGRAMS; the libraries lie on LIBPATH. Without LIBPATH the Python one is left out.
set -eu
export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/support/need.sh
. "$here/../support/need.sh"
testdata=$here/../../testdata
ref=$testdata/dandelion-ref.png out=$testdata/dandelion-jpeg-q50.jpg
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

fail() { echo "examples: $*" >&2; exit 1; }
near() { # near EXPECTED GOT NAME: within 1e-6, because a GPU may compute it
    awk -v e="$1" -v d="$2" 'BEGIN { d -= e; exit !(d <= 1e-6 && d >= -1e-6) }' || fail "$3: $2"
}
photo=0.934113312
expect() { # expect CODE COMMAND...
    code=$1 got=0
    shift
    "$@" >"$scratch/stdout" 2>"$scratch/stderr" || got=$?
    [ "$got" = "$code" ] || { cat "$scratch/stdout" "$scratch/stderr" >&2; fail "exit $got, not $code: $*"; }
}

expect 0 "$1/pair" "$ref" "$out"
near $photo "$(cat "$scratch/stdout")" pair
# What the file says of its light travels with the frame: this is what the program prints, too.
expect 0 "$1/pair" "$testdata/rgbf_a.tif" "$testdata/rgb8_a.png"
near 0.720940939 "$(cat "$scratch/stdout")" "pair of linear light"
expect 1 "$1/pair" "$ref" "$testdata/truncated.png"
grep -q 'truncated.png' "$scratch/stderr" || fail "pair does not name the file"
expect 2 "$1/pair" "$ref"

mkdir "$scratch/ref" "$scratch/out"
for side in ref out; do
    cp "$testdata/rgb8_a.png" "$scratch/$side/a.png"
    cp "$testdata/grey8_a.png" "$scratch/$side/b.PNG"
done
expect 0 "$1/gate" "$scratch/ref" "$scratch/out" 1
[ "$(cat "$scratch/stdout")" = "1.000000000 $scratch/out/a.png
1.000000000 $scratch/out/b.PNG" ] || fail "gate: $(cat "$scratch/stdout")"
ln -s "$(realpath "$testdata/rgb8_a.png")" "$scratch/ref/c.png"
ln -s "$(realpath "$testdata/rgb8_b.png")" "$scratch/out/c.png"
expect 0 "$1/gate" "$scratch/ref" "$scratch/out" 0.89
near 0.890096434 "$(sed -n 's/ .*c.png$//p' "$scratch/stdout")" gate
expect 1 "$1/gate" "$scratch/ref" "$scratch/out" 0.9
grep -q 'c.png BELOW$' "$scratch/stdout" || fail "gate names no frame"
mkdir "$scratch/light" "$scratch/other"
cp "$testdata/rgbf_a.tif" "$scratch/light/f.tif"
cp "$testdata/rgb8_b.tif" "$scratch/other/f.tif"
expect 0 "$1/gate" "$scratch/light" "$scratch/other" 0.1
near 0.657617681 "$(sed -n 's/ .*f.tif$//p' "$scratch/stdout")" "gate, linear light"
rm "$scratch/out/a.png"
expect 3 "$1/gate" "$scratch/ref" "$scratch/out" 0.9
grep -q 'ref/a.png: not scored' "$scratch/stderr" || fail "gate does not name the missing file"
expect 2 "$1/gate" "$scratch/ref" "$scratch/out" 0.9x
expect 2 "$1/gate"
expect 4 "$1/gate" "$scratch" "$scratch" 0.9
grep -q "^$scratch: " "$scratch/stderr" || fail "gate does not name the directory without pictures"

if [ -x "$1/worst_tile" ]; then
    expect 0 "$1/worst_tile" "$ref" "$out"
    near $photo "$(sed -n 1p "$scratch/stdout")" worst_tile
    grep -q '^worst tile: 0\.[0-9]* at pixel (1344, 1024)$' "$scratch/stdout" || fail "worst_tile: $(cat "$scratch/stdout")"
    expect 1 "$1/worst_tile" "$ref" "$testdata/truncated.png"
    grep -q 'truncated.png' "$scratch/stderr" || fail "worst_tile does not name the file"
    expect 1 "$1/worst_tile" "$ref" "$testdata/rgb8_a.png"
    grep -q 'the frames differ in size' "$scratch/stderr" || fail "worst_tile compares frames of two sizes"
fi
if [ -x "$1/heat" ]; then
    expect 0 "$1/heat" "$ref" "$out" "$scratch/heat.png"
    near $photo "$(sed 's/ .*//' "$scratch/stdout")" heat
    grep -q ' tile 0\.868[0-9]* at 1344,1024$' "$scratch/stdout" || fail "heat: $(cat "$scratch/stdout")"
    [ "$(head -c 4 "$scratch/heat.png" | tail -c 3)" = PNG ] || fail "heat draws nothing"
    expect 2 "$1/heat" "$ref" "$out"
fi
if [ -n "${2:-}" ]; then
    expect 0 env LD_LIBRARY_PATH="$2" python3 "$here/../../lib/examples/pair.py" "$ref" "$out"
    near $photo "$(cat "$scratch/stdout")" pair.py
    expect 4 env LD_LIBRARY_PATH="$2" python3 "$here/../../lib/examples/pair.py" "$ref" missing.png
    grep -q 'missing.png' "$scratch/stdout" || fail "pair.py does not name the file"
    expect 0 env LD_LIBRARY_PATH="$2" python3 "$here/../../lib/examples/pair.py" "$scratch/light" "$scratch/other"
    near 0.657617681 "$(cat "$scratch/stdout")" "pair.py of directories"
fi
if [ -x "$1/device_frames" ]; then
    got=0
    "$1/device_frames" "$ref" "$out" >"$scratch/stdout" 2>"$scratch/stderr" || got=$?
    if [ $got = 77 ] && ! is_required cuda; then
        echo "[SKIP] examples::device_frames: $(cat "$scratch/stderr")"
    elif [ $got != 0 ]; then
        fail "device_frames: exit $got: $(cat "$scratch/stdout" "$scratch/stderr")"
    else
        near $photo "$(cat "$scratch/stdout")" device_frames
        grep -q '^worst tile: 0\.[0-9]* at pixel' "$scratch/stderr" || fail "device_frames names no tile"
    fi
fi
if [ -x "$1/device_permute" ]; then
    got=0
    "$1/device_permute" >"$scratch/stdout" 2>"$scratch/stderr" || got=$?
    if [ $got = 77 ] && ! is_required cuda; then
        echo "[SKIP] examples::device_permute: $(cat "$scratch/stderr")"
    elif [ $got != 0 ] || ! grep -q "equal to the host's$" "$scratch/stdout"; then
        fail "device_permute: exit $got: $(cat "$scratch/stdout" "$scratch/stderr")"
    fi
fi
echo "[PASS] examples"
