#!/bin/bash
# exr_seeds.sh FOLDER: makes small EXRs of every compression and type, in scan lines and tiles, by oiiotool. Makes
# none if there is no oiiotool.
set -eu
# shellcheck source=tests/support/need.sh
. "$(dirname "$0")/../support/need.sh"
has oiiotool || exit 0
base=$1/base.exr
oiiotool --pattern fill:topleft=0,0.1,0.2:topright=4,2,1:bottomleft=.1,.5,.2:bottomright=1,1,8 37x29 3 \
    --noise:type=gaussian:stddev=0.05 -d float -o "$base"
for compression in none rle zips zip piz pxr24 b44 b44a dwaa dwab; do
    for type in half float; do
        oiiotool "$base" -d "$type" --compression $compression -o "$1/${compression}_$type.exr"
        oiiotool "$base" --tile 16 16 -d "$type" --compression $compression -o "$1/${compression}_${type}_tiles.exr"
    done
done
oiiotool "$base" --mulc 1000 -d uint32 --compression zip -o "$1/uint.exr"
oiiotool "$base" --crop 40x30-5+4 -d half -o "$1/window.exr"
oiiotool "$base" --ch R,G,B,A=0.5 -d half --compression dwaa -o "$1/alpha.exr"
oiiotool "$base" "$base" --siappend -d half -o "$1/parts.exr"
rm "$base"
