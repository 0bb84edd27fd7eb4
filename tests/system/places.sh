#!/bin/sh
# places.sh ROOT NVCC: two copies of the tree in different places give the same object of device code.
set -eu
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
root=$1 nvcc=$2
object=kernels/CMakeFiles/ssimcu_kernels.dir/patches/patches.cu.o
for place in here another/place; do
    mkdir -p "$scratch/$place"
    (cd "$root" && cp -r CMakeLists.txt LICENSE README.md cmake cli docs io kernels lib "$scratch/$place")
    cmake -S "$scratch/$place" -B "$scratch/$place/build" -G Ninja -DSSIMCU_CUDA=ON -DCMAKE_CUDA_COMPILER="$nvcc" \
        -DCMAKE_CUDA_ARCHITECTURES="80-real;90" -DSSIMCU_PROGRAM=OFF -DSSIMCU_TESTS=OFF -DSSIMCU_BENCH=OFF >"$scratch/log"
    CCACHE_DISABLE=1 ninja -C "$scratch/$place/build" "$object" >"$scratch/log"
done
cmp "$scratch/here/build/$object" "$scratch/another/place/build/$object"
