#!/bin/sh
# or_contexts.sh PROGRAM: further references (--or) where lanes score, which load another reference themselves, with room for
# one pair and a half. PROGRAM is that of fake_cuda.c, whose scores are no real ones: 1 is identical, all else is lower.
set -eu
program=$(realpath "$1")
data=$(realpath "$(dirname "$0")/../../testdata")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
mkdir ref out alt
for i in $(seq 10 39); do
    cp "$data/rgb8_a.png" "ref/$i.png"
    cp "$data/rgb8_b.png" "out/$i.png"
    [ $((i % 3)) = 0 ] || cp "$data/rgb8_b.png" "alt/$i.png"
done
code=0
timeout 60 "$program" --device cuda -q --memory 96K --min-frame 0.9999 --or alt --map maps --output r.jsonl ref out 2>err || code=$?
[ $code = 1 ] || { echo "or_contexts: exit $code" >&2; cat err >&2; exit 1; }
[ "$(grep -c '"score":1.0,.*"backend":"cuda".*"variant":{"path":"alt/' r.jsonl)" = 20 ] || { echo "or_contexts: variants" >&2; exit 1; }
[ "$(find maps -name "*.png" | wc -l)" = 10 ] || { echo "or_contexts: maps" >&2; exit 1; }
echo "[PASS] or_contexts: 20 frames pass against another reference"
