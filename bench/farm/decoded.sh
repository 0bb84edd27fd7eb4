#!/bin/bash
# decoded.sh PROGRAM N REF OUT: scores two video files in N shares on the CPU and merges them. Says how many frames
# were decoded for each that was scored on both sides, and whether the merge is one run.
set -eu
program=$(realpath "$1") shares=$2 ref=$(realpath "$3") out=$(realpath "$4")
here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cc -shared -fPIC -O2 -o "$scratch/decoded.so" "$here/decoded.c" -ldl
cd "$scratch" && mkdir counts
for ((i = 1; i <= shares; i++)); do
    DECODED=$scratch/counts LD_PRELOAD=$scratch/decoded.so \
        "$program" --device cpu -q --shard "$i/$shares" --output "share.$i.jsonl" "$ref" "$out"
done
"$program" -q --output merged.jsonl merge share.*.jsonl
"$program" --device cpu -q --output one.jsonl "$ref" "$out"
frames=$(grep -c '"type":"frame"' merged.jsonl)
decoded=$(cat counts/* | od -An -v -t d8 -w8 | awk '{ sum += $1 } END { print sum }')
echo "$decoded frames decoded for $frames pairs: $(awk "BEGIN { printf \"%.4f\", $decoded / 2 / $frames }")"
cmp merged.jsonl one.jsonl && echo "the merge of $shares shares is one run"
