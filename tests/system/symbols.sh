#!/bin/sh
# symbols.sh INTERNAL STATIC...: checks that every global name in a static library has the prefix. The
# library INTERNAL is not installed, and none of its names may be in one that is. abi/abi.py checks what
# the shared libraries export.
set -eu
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
internal=$1
for library in "$@"; do
    nm -g --defined-only "$library" 2>/dev/null | awk 'NF == 3 {print $3}' | sort -u >"$scratch/names"
    foreign=$(grep -vE '^_?_?_?ssimcu_|^__(cuda|fatbin|nv)|^_Z|^__asan|^__odr' "$scratch/names" || true)
    [ -z "$foreign" ] || { echo "$library: unexpected global symbols:" $foreign >&2; exit 1; }
    [ "$(wc -l <"$scratch/names")" -ge 5 ] || { echo "$library: too few symbols" >&2; exit 1; }
    [ "$library" != "$internal" ] || { grep ssimcu_ "$scratch/names" >"$scratch/internal"; continue; }
    shared=$(comm -12 "$scratch/internal" "$scratch/names" | grep -vE '^__(asan|odr)' || true)
    [ -z "$shared" ] || { echo "$library: holds what is not its own:" $shared >&2; exit 1; }
done
