#!/usr/bin/env python3
"""readers.py VIDEO_READERS: several readers go through video files side by side, each through stretches of its own.
They say of every frame of every OUT what one reader says. That holds if one side is longer, begins earlier or lacks an
index, and of a share, of a list of frames and of several OUTs, one of which is no video or of another size."""
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
import need

X264 = ["-c:v", "libx264", "-preset", "ultrafast", "-bf", "2", "-g", "24", "-pix_fmt", "yuv420p"]


def ffmpeg(*arguments):
    subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-y", *map(str, arguments)], check=True)


def make():
    ffmpeg("-f", "lavfi", "-i", "testsrc2=s=64x48:r=25:d=14", *X264, "ref.mp4")
    ffmpeg("-i", "ref.mp4", *X264, "-crf", 40, "out.mkv")
    ffmpeg("-i", "ref.mp4", *X264, "-crf", 40, "-frames:v", 291, "short.mp4")
    ffmpeg("-i", "ref.mp4", *X264, "-crf", 40, "-g", 37, "other.mp4")
    ffmpeg("-i", "out.mkv", "-f", "yuv4mpegpipe", "out.y4m")
    ffmpeg("-i", "ref.mp4", *X264, "-vf", "scale=96:48", "wide.mp4")
    ffmpeg("-i", "ref.mp4", "-c:v", "libvpx", "-deadline", "realtime", "-cpu-used", 8, "-b:v", "200k", "unknown.webm")


def run(program, *arguments):
    done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, timeout=60)
    return done.stdout, done.stderr


# REF and OUTs, how many of 4 readers there then are, offset, whether some are known, shares, frames, records
SPARSE = "3,7,20-24,99,130-140x2,215,216,280-300,349,360,900-902"
PAIRS = [("ref.mp4 out.mkv", 4, 0, 1, 1, "all", 350), ("short.mp4 ref.mp4", 4, 0, 0, 1, "all", 350),
         ("ref.mp4 other.mp4", 4, -30, 1, 1, "all", 350), ("ref.mp4 out.y4m", 4, 3, 0, 1, "all", 350),
         ("ref.mp4 unknown.webm", 1, 0, 0, 1, "all", 350), ("ref.mp4 out.mkv", 4, 0, 0, 3, "all", 117),
         ("ref.mp4 out.mkv", 4, 0, 0, 1, "10-300", 291), ("ref.mp4 out.mkv", 4, 0, 1, 1, SPARSE, 42),
         ("ref.mp4 short.mp4", 4, -5, 0, 1, SPARSE, 42), ("ref.mp4 out.mkv", 4, 0, 0, 2, SPARSE, 21),
         ("ref.mp4 out.mkv", 4, 0, 0, 1, "1000-1400x100", 5), ("ref.mp4 out.mkv short.mp4 other.mp4", 4, 0, 0, 1, "all", 1050),
         ("short.mp4 wide.mp4 out.mkv other.mp4", 4, 0, 0, 1, "all", 700), ("ref.mp4 short.mp4 short.mp4", 4, 0, 1, 2, "all", 350),
         ("short.mp4 ref.mp4 short.mp4", 4, 7, 0, 1, "all", 634), ("ref.mp4 out.mkv wide.mp4 short.mp4", 4, 0, 0, 1, SPARSE, 84),
         ("ref.mp4 out.mkv unknown.webm", 1, 0, 0, 1, "all", 700)]


def main():
    program, bad = os.path.realpath(sys.argv[1]), 0
    with tempfile.TemporaryDirectory() as scratch:
        os.chdir(scratch)
        make()
        for files, readers, offset, known, shards, frames, records in PAIRS:
            one, _ = run(program, 1, offset, known, shards, frames, *files.split())
            several, said = run(program, 4, offset, known, shards, frames, *files.split())
            good = one.count("\n") == records and several == one and said == "readers %d\n" % readers
            print("[%s] readers: %s, offset %d, 1/%d of %s: %d records, %d by one; %s" %
                  ("PASS" if good else "FAIL", files, offset, shards, frames, several.count("\n"), one.count("\n"),
                   said.strip()))
            bad += not good
        os.chdir("/")
    return bad > 0


if __name__ == "__main__":
    if not need.there("ffmpeg"):
        print("[SKIP] readers: needs ffmpeg")
        sys.exit(0)
    sys.exit(main())
