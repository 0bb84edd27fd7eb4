#!/usr/bin/env python3
"""bench_video_gpu.py BENCH_NVDEC PROGRAM ROUNDS REF OUT [REF OUT]...: times video files decoded by NVDEC and scored on the GPU.

For each pair, ROUNDS times in turn:
engines  14 decoders at once, 7 of REF and 7 of OUT, which together decode as many frames as the program, and drop them
cuda     the program (--decode cuda): pairs a second, and their share of what the engines can do
cpu      the program, decoded by the CPU, scored on the GPU: the first 600 pairs
ffmpeg   if FFMPEG names one: its own filter ssim, which is another number, on the CPU: the first 480 pairs
Opening and closing decoders counts. The program counts the frames that stayed in device memory, and the bytes of the
others, which were uploaded. Take files of 5,000 frames or more, because opening decoders takes most of a second."""
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time

READERS = 7


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit("%s: exit %d: %s" % (" ".join(command), done.returncode, done.stderr[-500:]))
    return done.stdout + done.stderr


def decode(bench, count, frames, *files):
    return float(re.search(r"a_second ([0-9.]+)", run(bench, "decode", str(count), str(frames), *files)).group(1))


def score(program, mode, ref, out):
    part = ["--frames", "1-600"] if mode == "cpu" else []
    with tempfile.TemporaryDirectory() as scratch:
        said = run(program, "-v", "-q", "--device", "cuda", "--decode", mode, *part, "--output", scratch + "/r", ref, out)
    pairs, ms = map(float, re.search(r"(\d+) pairs in (\d+) ms", said).groups())
    stayed = re.search(r"(\d+) frames stayed in device memory, (\d+) MiB", said)
    return pairs, pairs / ms * 1e3, stayed.groups() if stayed else ("0", "all")


def filtered(program, ref, out):
    start = time.monotonic()
    run(program, "-nostdin", "-v", "error", "-i", out, "-i", ref, "-lavfi",
        "settb=AVTB[a];[1:v]settb=AVTB[b];[a][b]ssim", "-frames:v", "480", "-f", "null", "-")
    return 480 / (time.monotonic() - start)


def main():
    bench, program, rounds, files = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4:]
    for ref, out in zip(files[::2], files[1::2]):
        rates = {"engines": [], "cuda": [], "cpu": []}
        for _ in range(rounds):
            for mode in "cuda", "cpu":
                pairs, rate, moved = score(program, mode, ref, out)
                rates[mode].append(rate)
                print("    %s: %.1f a second of %d; %s frames stayed, %s MiB uploaded" % (mode, rate, pairs, *moved), flush=True)
                if mode == "cuda":
                    rates["engines"].append(decode(bench, 2 * READERS, int(pairs / READERS), ref, out) / 2)
        one = decode(bench, 1, 600, ref)
        print("%s, %s: engines %.1f pairs a second; one decoder of REF %.1f frames" %
              (ref, out, statistics.median(rates["engines"]), one))
        for mode in "cuda", "cpu":
            shares = [rate / engines for rate, engines in zip(rates[mode], rates["engines"])]
            print("  --decode %-4s %7.1f pairs a second, %.3f of the engines' (%s)" %
                  (mode, statistics.median(rates[mode]), statistics.median(shares), " ".join("%.3f" % s for s in shares)),
                  flush=True)
        if "FFMPEG" in os.environ:
            print("  ffmpeg       %7.1f pairs a second" % filtered(os.environ["FFMPEG"], ref, out), flush=True)


if __name__ == "__main__":
    main()
