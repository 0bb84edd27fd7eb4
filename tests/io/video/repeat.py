#!/usr/bin/env python3
"""repeat.py PROGRAM [FILES RUNS]: damaged H.264 and HEVC give one result, whatever their threads do in what order.

Each of FILES files (5) has 24 random bytes, or one in HEVC, at a random place of its second half. It is compared with
the whole one RUNS times (3) on each of 1, 2, 4 and 16 threads, several runs at once, so that threads wait for cores.
Every run must end with the same exit code, and say the same of every frame and to people. Runs over a part of the
frames, which seek, agree if they have as many threads: whether a seek over damage pays depends on how many there are."""
import concurrent.futures
import os
import pathlib
import random
import subprocess
import sys
import tempfile

from damage import CPU, SOURCE

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
import need

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
HEVC = ("HEVC.ts", ["-pix_fmt", "yuv420p", "-x265-params", "log-level=error:keyint=12"])
LATER = 1000  # numbers from here on are HEVC, with one wrong byte
# Had different results in most runs: frame threads decoded damage, or predicted from memory that nobody had written.
FIRST = [0, 4, 8, 17, 1177]


def kind_of(number):
    return HEVC if number >= LATER else KINDS[number % len(KINDS)]


def make(number):
    """Returns the paths of a whole file and of the damaged one."""
    name, options = kind_of(number)
    ending = name.split(".")[1]
    whole, damaged = "whole%d.%s" % (number, ending), "damaged%d.%s" % (number, ending)
    faststart = ["-movflags", "faststart"] if ending == "mp4" else []
    encoder = X264 if number < LATER else ["-c:v", "libx265"]
    subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-y", *SOURCE, *encoder, *options, *faststart, whole], check=True)
    with open(whole, "rb") as file:
        data = bytearray(file.read())
    dice = random.Random(number)
    at = dice.randrange(len(data) // 2, len(data) - 24)
    wrong = 24 if number < LATER else 1
    data[at:at + wrong] = dice.randbytes(wrong)
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
    print("[%s] damaged: %s, %s: %d results in %d runs; exit %s" %
          ("FAIL" if most > 1 else "PASS", name, what, most, len(results), ends), flush=True)
    return most == 1


def main():
    program = os.path.realpath(sys.argv[1])
    files, runs = map(int, sys.argv[2:4]) if len(sys.argv) > 3 else (len(FIRST), 3)
    bad = 0
    with tempfile.TemporaryDirectory() as scratch:
        os.chdir(scratch)
        for number in (FIRST + [i for i in range(files) if i not in FIRST])[:files]:
            pair, name = make(number), "%d, %s" % (number, kind_of(number)[0])
            bad += not check(program, name, pair, "all frames", [], runs)
            bad += not check(program, name, pair, "a part", ["--frames", "3,30-32,44-49"], runs)
        os.chdir("/")
    return bad > 0


if __name__ == "__main__":
    if not need.there("ffmpeg"):
        print("[SKIP] damaged H.264 and HEVC: needs ffmpeg")
        sys.exit(0)
    sys.exit(main())
