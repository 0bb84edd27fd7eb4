#!/usr/bin/env python3
"""mutations.py VIDEO_MUTATIONS [COUNT]: makes small video files and changes something in each COUNT times (25), the
same in every run: see video_mutations.c. A frame that a seek finds is the one that a linear run gives, or none."""
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
import need

SOURCE = ["-f", "lavfi", "-i", "testsrc2=s=64x48:r=25:d=4"]
X264 = ["-c:v", "libx264", "-preset", "ultrafast", "-bf", "2", "-g", "10", "-pix_fmt", "yuv420p"]
X265 = ["-c:v", "libx265", "-preset", "ultrafast", "-x265-params", "log-level=error:keyint=10:bframes=2"]
FILES = [("h264.mp4", X264), ("fragments.mp4", X264 + ["-movflags", "frag_keyframe+empty_moov"]), ("h264.mov", X264),
         ("h264.mkv", X264), ("h264.ts", X264), ("hevc.mp4", X265), ("hevc.mkv", X265),
         ("mjpeg.avi", ["-c:v", "mjpeg", "-pix_fmt", "yuvj420p"]), ("mpeg2.mxf", ["-c:v", "mpeg2video", "-g", "10", "-bf", "2"]),
         ("vp9.webm", ["-c:v", "libvpx-vp9", "-deadline", "realtime", "-cpu-used", "8", "-g", "10"]),
         ("h264.flv", X264), ("vp9.ivf", ["-c:v", "libvpx-vp9", "-deadline", "realtime", "-cpu-used", "8", "-g", "10"]), ("h264.264", X264)]


def main():
    program, count = os.path.realpath(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else "25"
    with tempfile.TemporaryDirectory() as scratch:
        os.chdir(scratch)
        for name, codec in FILES:
            subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-y", *SOURCE, *codec, name], check=True)
        done = subprocess.run([program, count, *(name for name, _ in FILES)])
        os.chdir("/")
    print("[%s] changed video files: exit %d" % ("FAIL" if done.returncode else "PASS", done.returncode))
    return done.returncode != 0


if __name__ == "__main__":
    if not need.there("ffmpeg"):
        print("[SKIP] changed video files: needs ffmpeg")
        sys.exit(0)
    sys.exit(main())
