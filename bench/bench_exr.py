#!/usr/bin/env python3
"""bench_exr.py SSIMCU DUMP [ROUNDS]: 4K half RGB EXRs, by compression: decoding against oiiotool's,
a pair and a batch against decoding alone. DUMP is tests/exr/dump.c, which decodes one file. Seconds on
the clock and of CPU time (a busy machine only stretches the first); the least of ROUNDS, all in turn."""
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SSIMCU, DUMP = sys.argv[1:3]
ROUNDS = int(sys.argv[3]) if len(sys.argv) > 3 else 5
PHOTO = Path(__file__).resolve().parent.parent / "testdata" / "dandelion-ref.png"


def run(*command):
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    subprocess.run([str(part) for part in command], check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return time.monotonic() - start, cpu


def main():
    if not shutil.which("oiiotool"):
        sys.exit("bench_exr.py: there is no oiiotool")
    print(f"{os.cpu_count()} CPUs, load {os.getloadavg()[0]:.1f}; ms on the clock / of CPU")
    with tempfile.TemporaryDirectory() as folder:
        for compression in "none zip piz dwaa".split():
            pair = [Path(folder) / f"{side}_{compression}.exr" for side in ("ref", "out")]
            for path, gain in zip(pair, ("1", "0.98")):
                subprocess.run(["oiiotool", str(PHOTO), "--colorconvert", "sRGB", "linear", "--mulc", gain,
                                "-d", "half", "--compression", compression, "-o", str(path)], check=True)
            cases = {
                "decode, ours": (DUMP, pair[0]),
                "decode, oiiotool": ("oiiotool", "--threads", 1, "-i:now=1", pair[0], "--echo", "done"),
                "decode, ours, 2 threads": (DUMP, pair[0], "-", "-", 2),
                "pair": (SSIMCU, pair[0], pair[1]),
                "pair, one thread": (SSIMCU, "--threads", 1, pair[0], pair[1]),
            }
            best = {name: (1e9, 1e9) for name in cases}
            for _ in range(ROUNDS):
                for name, command in cases.items():
                    wall, cpu = run(*command)
                    best[name] = min(best[name][0], wall), min(best[name][1], cpu)
            for name, (wall, cpu) in best.items():
                print(f"{compression:5} {name:24} {wall * 1e3:7.0f} / {cpu * 1e3:5.0f}", flush=True)


main()
