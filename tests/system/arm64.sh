#!/bin/sh
# arm64.sh: builds the preset `arm64` and runs arm64.c on it under qemu. Needs gcc-aarch64-linux-gnu,
# libc6-dev-arm64-cross and qemu-user.
set -eu
cd "$(dirname "$0")/../.."
build=build/arm64
script/quiet cmake --preset arm64
script/quiet cmake --build --preset arm64
aarch64-linux-gnu-gcc -std=c11 -O2 -Wall -Wextra -Werror -D_POSIX_C_SOURCE=200809L -Ilib -Ilib/include -Ilib/shared \
    -Ikernels -Iio tests/system/arm64.c io/image/png/unfilter.c io/image/png/unfilter_neon.c io/image/png/unfilter_levels.c \
    $build/lib/libssimcu.a -pthread -lm -static -o $build/arm64
qemu-aarch64 $build/arm64
