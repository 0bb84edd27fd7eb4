#!/usr/bin/env python3
"""repeat.py PROGRAM [FILES RUNS]: damaged H.264 gives one result, whatever its threads do in what order.

Each of FILES files (4) has 24 random bytes at a random place of its second half. It is compared with the whole one
RUNS times (3) on each of 1, 2, 4 and 16 threads, several runs at once, so that threads wait for cores. Every run must
end with the same exit code, and say the same of every frame and to people. Runs over a part of the frames, which seek,
agree if they have as many threads: whether a seek over damage pays depends on how many there are."""
import concurrent.futures
import os
import random
import shutil
import subprocess
import sys
import tempfile

from damage import CPU, SOURCE

THREADS = (1, 2, 4, 16)
AT_ONCE = 6
X264 = ["-c:v", "libx264", "-crf", "23"]
KINDS = [
    ("no B.mp4", ["-pix_fmt", "yuv420p", "-bf", "0", "-g", "12"]),
    ("slices.mp4", ["-pix_fmt", "yuv420p", "-x264-params", "slices=4:keyint=20"]),
    ("10 bits.ts", ["-pix_fmt", "yuv420p10", "-bf", "8", "-b_strategy", "0", "-g", "20"]),
    ("CAVLC.mp4", ["-pix_fmt", "yuv420p", "-x264-params", "cabac=0"]),
    ("B.mp4", ["-pix_fmt", "yuv420p"]),
    ("B.ts", ["-pix_fmt", "yuv420p", "-g", "25"]),
    ("no B.ts", ["-pix_fmt", "yuv420p", "-bf", "0", "-g", "15"]),
    ("10 bits.mp4", ["-pix_fmt", "yuv420p10", "-bf", "0", "-g", "25"]),
    ("slices CAVLC.ts", ["-pix_fmt", "yuv420p", "-x264-params", "slices=3:cabac=0:keyint=20"]),
    ("interlaced.mp4", ["-pix_fmt", "yuv420p", "-flags", "+ilme+ildct", "-s", "320x192"]),
    ("open GOP.ts", ["-pix_fmt", "yuv420p", "-x264-params", "open-gop=1:keyint=12"]),
]
FIRST = [0, 4, 8, 17]  # had different results in most runs when frame threads decoded damage


def make(number):
    """Returns the paths of a whole file and of the damaged one."""
    name, options = KINDS[number % len(KINDS)]
    ending = name.split(".")[1]
    whole, damaged = "whole%d.%s" % (number, ending), "damaged%d.%s" % (number, ending)
    faststart = ["-movflags", "faststart"] if ending == "mp4" else []
    subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-y", *SOURCE, *X264, *options, *faststart, whole], check=True)
    with open(whole, "rb") as file:
        data = bytearray(file.read())
    dice = random.Random(number)
    at = dice.randrange(len(data) // 2, len(data) - 24)
    data[at:at + 24] = dice.randbytes(24)
    with open(damaged, "wb") as file:
        file.write(data)
    return whole, damaged


def result(program, threads, files, frames, run):
    """Returns the exit code, what is said to people, and the lines of the frames."""
    output = "results%s.%d.%d" % (files[1], threads, run)
    done = subprocess.run([program, *CPU, "-q", "--threads", str(threads), *frames, "--output", output, *files],
                          capture_output=True, text=True, timeout=600)
    lines = []
    for name in output, output + ".partial":
        if os.path.exists(name):
            with open(name) as file:
                lines = [line for line in file if '"type":"frame"' in line]
            os.remove(name)
    return done.returncode, done.stderr, tuple(lines)


def check(program, name, files, what, frames, runs):
    """Returns whether all runs agree, of each number of threads or, over all frames, of all."""
    asked = [threads for threads in THREADS for _ in range(runs)]
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        results = list(pool.map(lambda i: result(program, asked[i], files, frames, i), range(len(asked))))
    groups = [results[i:i + runs] for i in range(0, len(results), runs)] if frames else [results]
    ends = ", ".join("%d: %d" % (code, sum(r[0] == code for r in results)) for code in sorted({r[0] for r in results}))
    most = max(len(set(group)) for group in groups)
    print("[%s] damaged H.264: %s, %s: %d results in %d runs; exit %s" %
          ("FAIL" if most > 1 else "PASS", name, what, most, len(results), ends), flush=True)
    return most == 1


def main():
    program = os.path.realpath(sys.argv[1])
    files, runs = map(int, sys.argv[2:4]) if len(sys.argv) > 3 else (len(FIRST), 3)
    bad = 0
    with tempfile.TemporaryDirectory() as scratch:
        os.chdir(scratch)
        for number in (FIRST + [i for i in range(files) if i not in FIRST])[:files]:
            pair, name = make(number), "%d, %s" % (number, KINDS[number % len(KINDS)][0])
            bad += not check(program, name, pair, "all frames", [], runs)
            bad += not check(program, name, pair, "a part", ["--frames", "3,30-32,44-49"], runs)
        os.chdir("/")
    return bad > 0


if __name__ == "__main__":
    if not shutil.which("ffmpeg"):
        print("[SKIP] damaged H.264: needs ffmpeg")
        sys.exit(0)
    sys.exit(main())
