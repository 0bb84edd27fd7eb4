#!/usr/bin/env python3
"""clips.py SSIMCU CLIP...: what `ssimcu check` finds in damaged video. Of each CLIP, FRAMES frames are damaged before or
after they are encoded (H.264 in MP4), in a first, early, middle, late and last place, each place in another clip. Prints
in Markdown, per kind of damage, in how many files a person sees it, and in how many of those a finding fails at its
frame, or at any frame if the file is damaged. Exits with 1 if a gap in time is not found. Needs ffmpeg, numpy and Pillow."""
import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy
from PIL import Image

from damage import KINDS, damage, decode, encode, is_visible, judge

FRAMES, WIDTH, RATE, PLACES = 48, 480, 25, 5
OF_FRAMES = ("black, 60 % of the frame", "garbage, 20 % of the frame", "white, 64 x 64", "frame of one colour", "red and blue exchanged",
             "frame repeated", "foreign frame", "two frames swapped")
OF_FILES = ("no chroma", "a second is missing", "file cut off", "bytes overwritten")


def write_mp4(frames, path, *options, form="rgb24"):
    """Writes frames, or the rows of their three planes, with what says how many there are first."""
    height = len(frames[0]) if form == "rgb24" else len(frames[0]) * 2 // 3
    encode(frames, path, *options, "-movflags", "+faststart", size=(WIDTH, height), form=form, crf=18)


def as_planes(frames):
    """The frames as rows of Y, U and V, 4:2:0."""
    height = len(frames[0])
    made = subprocess.run(["ffmpeg", "-v", "error", "-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{WIDTH}x{height}", "-i", "-", "-f",
                           "rawvideo", "-pix_fmt", "yuv420p", "-"], input=b"".join(frame.tobytes() for frame in frames),
                          capture_output=True, check=True).stdout
    return numpy.frombuffer(made, numpy.uint8).reshape(-1, height * 3 // 2, WIDTH).copy()


def spoil(kind, shot, n, path, random):
    """Makes a file of a shot that is damaged at frame n."""
    if kind == "no chroma":
        planes = as_planes(shot)
        planes[n, len(shot[0]):] = 0
        write_mp4(planes, path, form="yuv420p")
    elif kind == "a second is missing":
        last = min(n + RATE, FRAMES * 2 - 2)
        write_mp4([*shot, *shot[::-1]], path, "-vf", f"select='not(between(n,{max(n, 1)},{last}))'", "-fps_mode", "passthrough")
    else:
        write_mp4(shot, path)
        data = bytearray(path.read_bytes())
        begin = data.find(b"mdat") + 2000  # after what the encoder says of itself
        at = begin + (len(data) - begin - 600) * n // FRAMES
        if kind == "file cut off":
            del data[at:]
        else:
            data[at:at + 600] = random.bytes(600)
        path.write_bytes(data)


def trial(program, kind, shot, far, n, path, random):
    """Whether a person sees the damage, whether it is found, and what is said."""
    if kind in KINDS:
        frames, bad = damage(kind, list(shot), far, min(n, FRAMES - 2) if kind.startswith("two") else n, random)
        write_mp4(frames, path)
        found = judge(program, path)
        return any(is_visible(kind, shot[i], frames[i]) for i in bad), bool(bad & found.keys()), found
    spoil(kind, shot, n, path, random)
    found = judge(program, path)
    return True, bool(found), found


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("clips", nargs="+", type=Path)
    given = parser.parse_args()
    shots = [decode(clip, WIDTH)[8:8 + FRAMES] for clip in given.clips]
    random = numpy.random.default_rng(1)
    gaps = True
    print("| damage | " + " | ".join(("first", "early", "middle", "late", "last")) + " | found of the visible |\n|" + "---|" * (PLACES + 2))
    with tempfile.TemporaryDirectory() as folder:
        for k, kind in enumerate((*OF_FRAMES, *OF_FILES)):
            said, visible, seen = [], 0, 0
            for p, place in enumerate((0, 6, FRAMES // 2, FRAMES - 9, FRAMES - 1)):
                if kind == "frame repeated":
                    place = max(place, 1)
                shot, far = shots[(k + p) % len(shots)], shots[(k + p + 1) % len(shots)]
                far = numpy.asarray(Image.fromarray(far[0]).resize(shot[0].shape[1::-1]))
                sees, found, kinds = trial(given.program, kind, shot, far, place, Path(folder) / "clip.mp4", random)
                visible, seen = visible + sees, seen + (sees and found)
                gaps = gaps and (found or kind != "a second is missing")
                said.append(("found" if found else "missed") + ("" if sees else ", not visible"))
                if not found and sees:
                    print(f"clips: {kind}, {given.clips[(k + p) % len(shots)].name}, frame {place}: {kinds}", file=sys.stderr)
            print(f"| {kind} | {' | '.join(said)} | {seen} of {visible} |", flush=True)
    return 0 if gaps else 1


if __name__ == "__main__":
    sys.exit(main())
