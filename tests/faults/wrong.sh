#!/bin/bash
# wrong.sh PROGRAM: ssimcu on a GPU that computes wrongly (fake_kernels.c) gives none of its scores. With --device cuda a
# pair, a batch and a video end with 5 and one line. With auto the CPU scores them, and a line says so.
set -u
export LC_ALL=C
program=$(realpath "$1")
data=$(cd "$(dirname "$0")/../../testdata" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
failed=0
wrong() { echo "[FAIL] wrong_gpu: $*"; head -n 20 said; failed=1; }
mkdir ref out
for i in 1 2 3; do cp "$data/rgb8_a.png" ref/$i.png; cp "$data/rgb8_b.png" out/$i.png; done
for side in ref out; do
    { printf 'YUV4MPEG2 W320 H240 F25:1 C420jpeg\nFRAME\n'; head -c 115200 "$data/dandelion-$([ $side = ref ] && echo ref.png || echo jpeg-q50.jpg)" | cat - /dev/zero | head -c 115200; } >$side.y4m
done
python3 -c '
import struct, sys, zlib
width, height = 4097, 2160
chunk = lambda name, data: struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
sys.stdout.buffer.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)) +
                        chunk(b"IDAT", zlib.compress(bytes((width + 1) * height), 1)) + chunk(b"IEND", b""))' >large.png
line='cuda:0 computes wrongly: the [a-z ]* of a test pair are not the CPU.s'

refused() { # refused ARGUMENT...: exit 5, one line, no score
    "$program" --device cuda "$@" >printed 2>said
    local code=$?
    [ $code = 5 ] || wrong "exit $code: $*"
    grep -Eq "$line" said || wrong "no line: $*"
    ! grep -Eq '^[01]\.[0-9]{9}' printed || wrong "a score: $*"
}
refused ref/1.png out/1.png
refused --map map.png ref/1.png out/1.png
refused --metric psnr,ssimulacra2 ref/1.png out/1.png
refused --output batch.jsonl ref out
! grep -qs '"score"' batch.jsonl || wrong "a score in a batch"
refused ref.y4m out.y4m

on_cpu() { # on_cpu ARGUMENT...: the results of the CPU, and a line
    "$program" --device cpu "$@" >expected 2>said || wrong "exit $? on the CPU: $*"
    "$program" "$@" >printed 2>said || wrong "exit $?: $*"
    diff <(grep -Eo '[01]\.[0-9]{9}' expected) <(grep -Eo '[01]\.[0-9]{9}' printed) >/dev/null || wrong "other scores: $*"
    [ "$(grep -Ec "auto: $line: the CPU scores" said)" = 1 ] || wrong "no warning: $*"
}
on_cpu large.png large.png
on_cpu ref out
"$program" --output auto.jsonl --junit auto.xml ref out 2>said || wrong "exit $? with results"
[ "$(grep -c '"backend":"cpu"' auto.jsonl)" = 3 ] || wrong "records of another device"
[ $failed = 0 ] && echo "[PASS] wrong_gpu: 10 runs"
exit $failed
