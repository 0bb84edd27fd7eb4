#!/bin/sh
# valgrind.sh BUILD: runs a few programs of a release build under valgrind, which also sees the use of
# uninitialised memory: the corpora of the fuzzers, pairs, a map, a stream, a batch and its merge.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=$(realpath "$1")
T=$(realpath "$here/../../testdata")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
watch() { valgrind -q --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=definite "$@" >out 2>err || {
    echo "valgrind: $*: exit $?" && cat out err && exit 1; }; }
score() { watch "$build/cli/ssimcu" --device cpu --threads 2 "$@"; }

watch "$build/tests/fuzz/fuzz_replay" "$here/../fuzz/corpus"
score "$T/rgb16_a.png" "$T/rgb16_b.png" --map map.png
score "$T/rgba_alpha.png" "$T/rgba_alpha_b.png"
score "$T/orientation6.jpg" "$T/orientation8.jpg"
printf 'YUV4MPEG2 W32 H24 C420jpeg\nFRAME\n%1152s' '' >a.y4m
score a.y4m a.y4m
printf '%s\t%s\n' "$T/rgb8_a.png" "$T/rgb8_b.png" "$T/grey8_a.png" "$T/grey8_b.png" >list
score --list list --output all.jsonl
score merge all.jsonl --output again.csv
score --compat ssimulacra2 --metric ssimulacra2 "$T/rgb8_a.png" "$T/rgb8_b.png"
score --list list --report report
mkdir tiny
for size in "1 1" "16 7" "7 16" "24 9"; do # frames with and without a cell of 8 x 8 pixels
    set -- $size
    { printf 'YUV4MPEG2 W%s H%s Cmono\n' "$1" "$2"
        for i in 1 2 3 4; do printf 'FRAME\n' && head -c $((i * 1000)) "$T/dandelion-ref.png" | tail -c $(($1 * $2)); done; } >"tiny/$1.y4m"
done
watch "$build/cli/ssimcu" check --fail-on none tiny/*
echo "[PASS] valgrind: 11 runs"
