#!/bin/bash
# shares.sh PROGRAM N ROUNDS REF OUT: times one run on two threads against N shares, two at a time on one thread each,
# and their merge. Prints seconds by the clock and of CPU, in turn.
set -eu
program=$(realpath "$1") shares=$2 rounds=$3 ref=$(realpath "$4") out=$(realpath "$5")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
export program shares ref out
TIMEFORMAT='%R s, CPU %U + %S s'
one() { "$program" --device cpu --threads 2 -q --output one.jsonl "$ref" "$out"; }
all() {
    seq "$shares" | xargs -P 2 -I '{}' "$program" --device cpu --threads 1 -q --shard "{}/$shares" --output 'share.{}.jsonl' \
        "$ref" "$out"
}
merge() { "$program" -q --output merged.jsonl merge share.*.jsonl; }
for ((i = 0; i < rounds; i++)); do
    echo -n "one run: "; time one
    echo -n "$shares shares: "; time all
    echo -n "their merge: "; time merge
done 2>&1
cmp one.jsonl merged.jsonl && echo "same file; load $(cut -d ' ' -f 1-3 /proc/loadavg)"
