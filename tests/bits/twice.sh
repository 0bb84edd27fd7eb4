#!/bin/sh
# twice.sh BITS: checks that a part of what the program bits compares has the same bits on every run.
set -eu
testdata=$(realpath "$(dirname "$0")/../../testdata")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
for run in 1 2; do "$1" cpu "$testdata" 13 >"$scratch/$run"; done
[ "$(wc -l <"$scratch/1")" -gt 1000 ] || { echo "[FAIL] bits: few lines"; exit 1; }
diff "$scratch/1" "$scratch/2" || { echo "[FAIL] bits: two runs differ"; exit 1; }
echo "[PASS] bits"
