#!/bin/sh
# pngsuite.sh fetch          unpacks Debian's source of libpng in build/pngsuite; it holds PngSuite and PNGs
#                            that once crashed libpng
# pngsuite.sh PROGRAM        compares both PNG readers on all of them, by png_files
set -eu
here=$(cd "$(dirname "$0")" && pwd)
folder=$here/../../build/pngsuite
is_there() { ls -d "$folder"/libpng1.6-*/contrib/pngsuite >/dev/null 2>&1; }
if [ "$1" = fetch ]; then
    mkdir -p "$folder" && cd "$folder"
    is_there || "$here/../../script/source" libpng1.6
    exit
fi
if ! is_there; then
    echo "pngsuite: skipped: no PngSuite in build/pngsuite; tests/io/pngsuite.sh fetch"
    exit 77
fi
find "$folder" -name '*.png' -print0 | sort -z | xargs -0 "$1"
