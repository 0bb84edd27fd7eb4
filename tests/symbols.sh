#!/bin/sh
# symbols.sh SHARED STATIC: the shared library exports the names of the public headers and nothing else;
# no global name in the static library lacks the prefix.
set -eu
headers=$(dirname "$0")/../lib/include
declared=$(grep -o 'ssimcu_[a-z_]*(' -h "$headers"/*.h | tr -d '(' | sort -u)
exported=$(nm -D --defined-only "$1" | awk '{print $3}' | sort -u)
foreign=$(printf '%s\n' "$exported" | grep -v '^ssimcu_' || true)
undeclared=$(printf '%s\n' "$exported" | grep -vxF "$declared" || true)
static=$(nm -g --defined-only "$2" 2>/dev/null | awk 'NF == 3 {print $3}' |
    grep -vE '^_?_?_?ssimcu_|^__(cuda|fatbin|nv)|^_Z|^__asan|^__odr' || true)
for list in "$foreign" "$undeclared" "$static"; do
    if [ -n "$list" ]; then
        echo "unexpected global symbols:" $list >&2
        exit 1
    fi
done
[ "$(printf '%s\n' "$exported" | wc -l)" -ge 10 ] || { echo "too few exports" >&2; exit 1; }
