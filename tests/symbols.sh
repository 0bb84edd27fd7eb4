#!/bin/sh
# symbols.sh STATIC...: no global name in a static library lacks the prefix. What the shared libraries
# export is the business of abi/abi.py.
set -eu
for library in "$@"; do
    names=$(nm -g --defined-only "$library" 2>/dev/null | awk 'NF == 3 {print $3}')
    foreign=$(printf '%s\n' "$names" |
        grep -vE '^_?_?_?ssimcu_|^__(cuda|fatbin|nv)|^_Z|^__asan|^__odr' || true)
    [ -z "$foreign" ] || { echo "$library: unexpected global symbols:" $foreign >&2; exit 1; }
    [ "$(printf '%s\n' "$names" | wc -l)" -ge 5 ] || { echo "$library: too few symbols" >&2; exit 1; }
done
