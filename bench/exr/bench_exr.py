#!/usr/bin/env python3
"""bench_exr.py SSIMCU BENCH_DECODE [ROUNDS [PAIRS [COMPRESSION...]]]: times 4K half RGB EXRs.
Compares decoding with oiiotool's, and a pair and a batch of PAIRS with decoding the same files on the
same threads.

All take turns, ROUNDS times. Prints medians of time on the clock and of CPU time, in ms, and medians of
the ratios within a round. On a busy machine compare CPU time, because other programs stretch the clock.
The variable DEVICE (cpu) names what scores. THREADS (2) decode the batch, and its files alone."""
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
PAIRS = int(sys.argv[4]) if len(sys.argv) > 4 else 10
COMPRESSIONS = sys.argv[5:] or "none zip piz dwaa".split()
DEVICE = os.environ.get("DEVICE", "cpu")
THREADS = int(os.environ.get("THREADS", 2))
PHOTO = Path(__file__).resolve().parents[2] / "testdata" / "dandelion-ref.png"
# BENCH_DECODE uses one thread per file of a pair; ssimcu decodes a pair on two or three.
RATIOS = [("decode, ours", "decode, oiiotool"), ("pair", "both decoded"), ("batch", "all decoded")]


def run(*command):
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    subprocess.run([str(part) for part in command], check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return (time.monotonic() - start) * 1e3, cpu * 1e3


def make_pair(folder, compression):
    pair = [Path(folder) / f"{side}_{compression}.exr" for side in ("ref", "out")]
    for path, gain in zip(pair, ("1", "0.98")):
        subprocess.run(["oiiotool", str(PHOTO), "--colorconvert", "sRGB", "linear", "--mulc", gain,
                        "-d", "half", "--compression", compression, "-o", str(path)], check=True)
    return pair


def measure(compression, pair, names):
    cases = {
        "decode, ours": (DECODE, 1, pair[0]),
        "decode, oiiotool": ("oiiotool", "--threads", 1, "-i:now=1", pair[0], "--echo", "done"),
        "both decoded": (DECODE, 2, *pair),
        "pair": (SSIMCU, "--device", DEVICE, "--threads", 2, *pair),
        "all decoded": (DECODE, THREADS, *(pair * PAIRS)),
        "batch": (SSIMCU, "--device", DEVICE, "--threads", THREADS, "--list", names),
    }
    seen = {name: [] for name in cases}
    for _ in range(ROUNDS):
        for name, command in cases.items():
            seen[name].append(run(*command))
    for name, times in seen.items():
        wall, cpu = (statistics.median(numbers) for numbers in zip(*times))
        print(f"{compression:5} {name:18} {wall:7.0f} / {cpu:5.0f}", flush=True)
    for above, below in RATIOS:
        wall, cpu = (statistics.median(a[i] / b[i] for a, b in zip(seen[above], seen[below])) for i in range(2))
        print(f"{compression:5} {above} / {below}: {wall:.2f} / {cpu:.2f}", flush=True)


def main():
    if not shutil.which("oiiotool"):
        sys.exit("bench_exr.py: there is no oiiotool")
    print(f"{os.cpu_count()} CPUs, load {os.getloadavg()[0]:.1f}; {PAIRS} pairs a batch; ms on the clock / of CPU")
    with tempfile.TemporaryDirectory() as folder:
        for compression in COMPRESSIONS:
            pair = make_pair(folder, compression)
            names = Path(folder) / "pairs.tsv"
            names.write_text("".join(f"{pair[0]}\t{pair[1]}\n" for _ in range(PAIRS)))
            measure(compression, pair, names)


main()
