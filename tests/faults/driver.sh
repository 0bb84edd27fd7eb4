#!/bin/bash
# driver.sh PROGRAM [DRIVER PYTHON PACKAGE LIBPATH]: what scores on the CPU never calls CUDA, because a driver takes 0.1 s
# to start for each GPU. What scores on one GPU asks about no other. PROGRAM is ssimcu on two devices of fake_cuda.c,
# which notes each call. With DRIVER, the folder of fake_driver.c, it is the real one, and what is noted is that it looked
# for a driver; PYTHON then scores by PACKAGE, too, whose libraries lie on LIBPATH.
set -u
export LC_ALL=C
program=$(realpath "$1") driver=${2:+$(realpath "$2")}
here=$(cd "$(dirname "$0")" && pwd)
data=$here/../../testdata
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
export FAKE_CUDA_CALLS=$scratch/calls FAKE_CUDA_DEVICES=2
runs=0 failed=0

wrong() {
    echo "[FAIL] driver: $*"
    head -n 5 calls said printed 2>/dev/null
    failed=$((failed + 1))
}

ssimcu() { # ssimcu ARGUMENT...: leaves calls, printed, said
    local code=0
    rm -f calls
    runs=$((runs + 1))
    LD_LIBRARY_PATH=$driver timeout 60 "$program" "$@" >printed 2>said || code=$?
    return $code
}

never() { # never ARGUMENT...: scores, and there is no call
    ssimcu "$@" || wrong "exit $?: $*"
    [ ! -e calls ] || wrong "CUDA was called: $*"
}

has() { # has FILE PATTERN
    grep -Eq -- "$2" "$1" || wrong "no $2 in $1"
}

mkdir ref out
for i in 1 2 3; do
    cp "$data/rgb8_a.png" "ref/$i.png"
    cp "$data/rgb8_b.png" "out/$i.png"
    cp "$data/rgb8_a.png" "ref_$i.png"
done
for side in ref out; do
    { printf 'YUV4MPEG2 W32 H24 F25:1 C420jpeg\nFRAME\n'; head -c 1152 "$data/rgb8_a.png"; } >$side.y4m
done
photo=("$data/dandelion-ref.png" "$data/dandelion-jpeg-q50.jpg")

never "${photo[@]}"
never --json "${photo[@]}"
has printed '"backend": "cpu"'
has printed '"device": \{$'
! grep -q '"cuda"' printed || wrong "a GPU is named that did not score"
never --output pair.jsonl --junit pair.xml --report page --map map.png ref/1.png out/1.png
has pair.jsonl '^\{"type":"batch",.*"device":\{"cpu":"CPU[^"]*"\}'
has page/index.html '<img '
never --or out/1.png --min-frame 0.99 ref/1.png out/2.png
never --compat ffmpeg --output compat.jsonl ref.y4m out.y4m
for shard in 1 2; do never --device cpu --shard $shard/2 --output $shard.jsonl ref out; done
never --output merged.jsonl --junit merged.xml --report merged merge 1.jsonl 2.jsonl
has merged/index.html '<img '
never --device cpu --output batch.jsonl --report batch --map maps ref out
never --device cpu --output video.jsonl --report video ref.y4m out.y4m
never --device cpu --output ladder --report ladder ref.y4m out.y4m ref.y4m
never --device cpu --output limits.json --report limits calibrate "$data"/renders/ref "$data"/renders/run[1-3]
never --device cpu --limits limits.json "$data"/renders/ref "$data"/renders/run1
never --into accepted accept batch.jsonl

# The same file tells what a GPU is asked.
if [ -z "$driver" ]; then
    ssimcu --device cuda:0 --json ref/1.png out/1.png || wrong "exit $? on cuda:0"
    has calls '^call$'
    has printed '"cuda": "A device of a test"'
    ! grep -q ' 1$' calls || wrong "a pair on cuda:0 asks about cuda:1"
    ssimcu --output auto.jsonl --report auto ref out || wrong "exit $? on auto"
    has auto.jsonl '"device":\{"cpu":"CPU[^"]*","cuda":"A device of a test"\}'
    ! grep -q ' 1$' calls || wrong "a batch on one GPU asks about cuda:1"
    ssimcu --device cuda:1 --output one.jsonl --report one ref out || wrong "exit $? on cuda:1"
    has calls '^describe 1$'
    ! grep -Eq '^(describe|take) 0' calls || wrong "a batch on cuda:1 asks about cuda:0"
    ssimcu --device all --output all.jsonl ref out || wrong "exit $? on all"
    has calls '^describe 0$'
    has calls '^describe 1$'
    python3 -c '
import struct, sys, zlib
width, height = 4097, 2160
chunk = lambda name, data: struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
sys.stdout.buffer.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)) +
                        chunk(b"IDAT", zlib.compress(bytes((width + 1) * height), 1)) + chunk(b"IEND", b""))' >large.png
    ssimcu --output large.jsonl large.png large.png || wrong "exit $? of a larger pair"
    has large.jsonl '^\{"type":"batch",.*"cuda":"A device of a test"'
    has large.jsonl '"backend":"cuda"'
else
    ssimcu --device cuda ref/1.png out/1.png
    [ -e calls ] || wrong "a run on CUDA looks for no driver"
    rm -f calls
    PYTHONPATH=$4 LD_LIBRARY_PATH=$driver:$5 "$3" -c '
import ctypes, sys
import ssimcu
class Picture:
    samples = (ctypes.c_uint8 * 1536)(*range(251))
    __array_interface__ = {"version": 3, "shape": (24, 64), "typestr": "|u1", "data": (ctypes.addressof(samples), True)}
assert ssimcu.compare(Picture(), Picture()).score == 1
assert ssimcu.compare(*sys.argv[1:], device="cpu").score < 1' ref/1.png out/1.png 2>said || wrong "exit $? in Python"
    [ ! -e calls ] || wrong "CUDA was called in Python"
fi
[ $failed = 0 ] && echo "[PASS] driver: $runs runs"
exit $((failed > 0))
