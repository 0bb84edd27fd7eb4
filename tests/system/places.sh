#!/bin/sh
# places.sh ROOT NVCC: two copies of the tree in different places give the same objects of device code. One has a
# function that others call, and one has templates alone.
set -eu
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
root=$1 nvcc=$2
objects=kernels/CMakeFiles/ssimcu_kernels.dir
for place in here another/place; do
    mkdir -p "$scratch/$place"
    (cd "$root" && cp -r CMakeLists.txt LICENSE README.md cmake cli docs io kernels lib "$scratch/$place")
    cmake -S "$scratch/$place" -B "$scratch/$place/build" -G Ninja -DSSIMCU_CUDA=ON -DCMAKE_CUDA_COMPILER="$nvcc" \
        -DCMAKE_CUDA_ARCHITECTURES="80-real;90" -DSSIMCU_PROGRAM=OFF -DSSIMCU_TESTS=OFF -DSSIMCU_BENCH=OFF >"$scratch/log"
    CCACHE_DISABLE=1 ninja -C "$scratch/$place/build" "$objects/patches/patches.cu.o" "$objects/permute/brick.cu.o" >"$scratch/log"
done
for object in patches/patches permute/brick; do
    cmp "$scratch/here/build/$objects/$object.cu.o" "$scratch/another/place/build/$objects/$object.cu.o"
done
