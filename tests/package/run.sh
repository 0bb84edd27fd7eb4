#!/bin/sh
# run.sh BUILD: installs the build to a scratch prefix and builds and runs an outside project on it.
set -eu
build=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cmake --install "$build" --prefix "$scratch/prefix"
cmake -G Ninja -S "$here" -B "$scratch/build" -DCMAKE_PREFIX_PATH="$scratch/prefix"
cmake --build "$scratch/build"
"$scratch/build/outside"
"$scratch/prefix/bin/ssimcu" "$here/../../testdata/rgb8_a.png" "$here/../../testdata/rgb8_a.png" |
    grep -x 1.000000000
