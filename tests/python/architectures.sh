#!/bin/sh
# architectures.sh ROOT NVCC: the architectures that `pip install .` builds for are those of this machine's GPUs, without one
# 8.0 and PTX alone, so that it takes four minutes on two cores; those of a wheel for others are more.
set -eu
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
root=$1 nvcc=$2
built() { # built OPTION...: what a configuration says
    rm -rf "$scratch/build"
    env -u CUDAARCHS cmake -S "$root" -B "$scratch/build" -DSSIMCU_CUDA=ON -DCMAKE_CUDA_COMPILER="$nvcc" \
        -DSSIMCU_PROGRAM=OFF -DSSIMCU_TESTS=OFF -DSSIMCU_BENCH=OFF "$@" | sed -n 's/.*CUDA architectures //p'
}
here=$(built -DSKBUILD=ON)
others=$(built -DSKBUILD=ON -DSSIMCU_WHEEL_LICENSES="$scratch")
if nvidia-smi -L >/dev/null 2>&1; then wanted='^[0-9]+a?-real'; else wanted='^80$'; fi
echo "$here" | grep -qE "$wanted" || { echo "architectures: pip install builds for $here" >&2; exit 1; }
echo "$others" | grep -q '^75-real, 80-real, ' || { echo "architectures: a wheel is for $others" >&2; exit 1; }
