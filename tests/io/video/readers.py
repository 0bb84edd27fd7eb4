#!/usr/bin/env python3
"""readers.py VIDEO_READERS: several readers go through two video files side by side, each through stretches of
its own. They say of every frame what one reader says. That holds if one side is longer, begins earlier or lacks an
index."""
import os
import shutil
import subprocess
import sys
import tempfile

X264 = ["-c:v", "libx264", "-preset", "ultrafast", "-bf", "2", "-g", "24", "-pix_fmt", "yuv420p"]


def ffmpeg(*arguments):
    subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-y", *map(str, arguments)], check=True)


def make():
    ffmpeg("-f", "lavfi", "-i", "testsrc2=s=64x48:r=25:d=14", *X264, "ref.mp4")
    ffmpeg("-i", "ref.mp4", *X264, "-crf", 40, "out.mkv")
    ffmpeg("-i", "ref.mp4", *X264, "-crf", 40, "-frames:v", 291, "short.mp4")
    ffmpeg("-i", "ref.mp4", *X264, "-crf", 40, "-g", 37, "other.mp4")
    ffmpeg("-i", "out.mkv", "-f", "yuv4mpegpipe", "out.y4m")
    ffmpeg("-i", "ref.mp4", "-c:v", "libvpx", "-deadline", "realtime", "-cpu-used", 8, "-b:v", "200k", "unknown.webm")


def run(program, *arguments):
    done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, timeout=60)
    return done.stdout, done.stderr


# REF, OUT, how many of 4 readers there then are, offset, whether some are known
PAIRS = [("ref.mp4", "out.mkv", 4, 0, 1), ("short.mp4", "ref.mp4", 4, 0, 0), ("ref.mp4", "other.mp4", 4, -30, 1),
         ("ref.mp4", "out.y4m", 4, 3, 0), ("ref.mp4", "unknown.webm", 1, 0, 0)]


def main():
    program, bad = os.path.realpath(sys.argv[1]), 0
    with tempfile.TemporaryDirectory() as scratch:
        os.chdir(scratch)
        make()
        for ref, out, readers, offset, known in PAIRS:
            one, _ = run(program, ref, out, 1, offset, known)
            several, said = run(program, ref, out, 4, offset, known)
            good = one.count("\n") >= 291 and several == one and said == "readers %d\n" % readers
            print("[%s] readers: %s, %s, offset %d: %d frames; %s" % ("PASS" if good else "FAIL", ref, out, offset,
                                                                   several.count("\n"), said.strip()))
            bad += not good
        os.chdir("/")
    return bad > 0


if __name__ == "__main__":
    if not shutil.which("ffmpeg"):
        print("[SKIP] readers: needs ffmpeg")
        sys.exit(0)
    sys.exit(main())
