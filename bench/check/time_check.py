#!/usr/bin/env python3
"""time_check.py SSIMCU BENCH_DECODE [ROUNDS [FRAMES]]: what `ssimcu check` takes beside decoding the same
files on as many threads, of 4K PNGs (the photo) and of EXRs of halves (the photo as linear light).

Both take turns, ROUNDS times (5), over FRAMES (12) files of a sequence. Prints medians, on the clock and
of CPU time, for a frame in ms, and medians of the ratios within a round. The variable THREADS is 2. Needs
oiiotool."""
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SSIMCU, DECODE = sys.argv[1:3]
ROUNDS = int(sys.argv[3]) if len(sys.argv) > 3 else 5
FRAMES = int(sys.argv[4]) if len(sys.argv) > 4 else 12
THREADS = os.environ.get("THREADS", "2")
PHOTO = Path(__file__).resolve().parents[2] / "testdata" / "dandelion-ref.png"
KINDS = {"PNG": None, "EXR, ZIP": "zip", "EXR, none": "none"}


def run(*command):
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    subprocess.run([str(part) for part in command], check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return (time.monotonic() - start) * 1e3 / FRAMES, cpu * 1e3 / FRAMES


def make_frames(folder, compression):
    first = Path(folder) / ("f.0001.exr" if compression else "f.0001.png")
    if compression:
        subprocess.run(["oiiotool", str(PHOTO), "--colorconvert", "sRGB", "linear", "-d", "half", "--compression",
                        compression, "-o", str(first)], check=True)
    else:
        shutil.copy(PHOTO, first)
    frames = [first.with_name(f"f.{i + 1:04}{first.suffix}") for i in range(FRAMES)]
    for frame in frames[1:]:
        os.link(first, frame)
    return frames


def main():
    print(f"{os.cpu_count()} CPUs, load {os.getloadavg()[0]:.1f}; {FRAMES} frames on {THREADS} threads; ms a frame\n")
    print("| frames | decoding, clock | CPU | check, clock | CPU | ratio, clock | CPU |\n|---|---|---|---|---|---|---|")
    for kind, compression in KINDS.items():
        with tempfile.TemporaryDirectory() as folder:
            frames = make_frames(folder, compression)
            decoded, checked = [], []
            for _ in range(ROUNDS):
                decoded.append(run(DECODE, THREADS, *frames))
                checked.append(run(SSIMCU, "check", "--threads", THREADS, folder))
            numbers = [statistics.median(times) for seen in (decoded, checked) for times in zip(*seen)]
            ratios = [statistics.median(c[i] / d[i] for c, d in zip(checked, decoded)) for i in range(2)]
            print(f"| {kind} | " + " | ".join(f"{n:.0f}" for n in numbers) + " | " +
                  " | ".join(f"{n:.2f}" for n in ratios) + " |", flush=True)


main()
