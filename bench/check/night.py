#!/usr/bin/env python3
"""night.py PROGRAM DATA: a night of a farm. DATA is the folder of Debian's opencv-doc with clips and photos. Five shots
of 2,000 small frames are made, with twelve faults, each of another kind. `ssimcu check` takes them in four shares, two
of which are killed and resumed, and merges them. Prints in Markdown what was found, beside the faults, with times and
memory. Exits with 1 unless exactly the faults are found, and the merge is the check in one go in every byte. Needs
ffmpeg, numpy and Pillow."""
import argparse
import itertools
import json
import math
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy
from PIL import Image

from damage import decode, write_exr

WIDTH, HEIGHT, SHARES = 160, 90, 4

# ---- Shots -------------------------------------------------------------------------------------------------------


def crops(photo, count, seed):
    """A camera that moves over a photo, with the grain of film."""
    picture, random = Image.open(photo).convert("RGB"), numpy.random.default_rng(seed)
    zoom = 0.4 * picture.width / WIDTH
    room = picture.width - zoom * WIDTH, picture.height - zoom * HEIGHT
    for n in range(count):
        x, y = room[0] * (0.5 + 0.49 * math.sin(n / 90 + seed)), room[1] * (0.5 + 0.49 * math.sin(n / 70))
        shown = picture.transform((WIDTH, HEIGHT), Image.Transform.AFFINE, (zoom, 0, x, 0, zoom, y), Image.Resampling.BICUBIC)
        yield numpy.clip(shown + random.normal(0, 1.5, (HEIGHT, WIDTH, 3)), 0, 255).astype(numpy.uint8)


def looped(clip, count):
    """A clip without its ends, which fade, again and again: a cut lies between."""
    frames = decode(str(clip), WIDTH)[8:-8]
    return (frames[n % len(frames)].copy() for n in range(count))


def with_alpha(frames):
    """An object with soft edges that wanders through the frame."""
    y, x = numpy.mgrid[:HEIGHT, :WIDTH]
    for n, frame in enumerate(frames):
        far = numpy.hypot(x - WIDTH * (0.5 + 0.2 * math.sin(n / 40)), y - HEIGHT / 2) / 30
        yield numpy.dstack([frame, (255 * numpy.clip(2 - far, 0, 1)).astype(numpy.uint8)])


def as_light(frames):
    return ((frame / 255.0) ** 2.2 for frame in frames)


def write(folder, frames, ending, damage):
    """Writes a shot, from frame 1001 on, each damaged as it should be."""
    folder.mkdir()
    before = None
    for n, frame in enumerate(frames, 1001):
        path, (kind, change) = folder / f"{folder.name}.{n}{ending}", damage.get(n, (None, None))
        whole = frame
        if kind == "missing":
            continue
        if change:
            frame = change(frame.copy(), before)
        if ending == ".exr":
            write_exr(path, frame)
        else:
            Image.fromarray(frame).save(path, compress_level=1)
        if kind == "unreadable":
            os.truncate(path, path.stat().st_size * 2 // 3)
        before = whole


# ---- Faults ------------------------------------------------------------------------------------------------------


def put(part, value):
    def change(frame, before):
        frame[part] = value
        return frame
    return change


def garbage(frame, before):
    frame[40:46] = numpy.random.default_rng(5).integers(0, 256, frame[40:46].shape)
    return frame


FAULTS = {
    "sh010": {1240: ("missing", None), 1777: ("flat-area", put(numpy.s_[30:54, 60:92], 0)),
              2600: ("duplicate", lambda frame, before: before)},
    "sh020": {1400: ("dimensions", lambda frame, before: frame[:60, :100]), 2200: ("unreadable", None)},
    "sh030": {1033: ("solid", put(numpy.s_[:], 0)), 1555: ("garbage", garbage),
              2400: ("outlier-pixel", put(numpy.s_[60, 40], 255))},
    "sh040": {1800: ("alpha", put(numpy.s_[..., 3], 0)), 2801: ("pixel-format", lambda frame, before: frame[..., :3])},
    "sh050": {1111: ("nan", put(numpy.s_[20, 30, 1], math.nan)),
              2345: ("foreign-frame", lambda frame, before: frame[::-1, ::-1])},
}


def make(root, data, count):
    shots = {"sh010": (crops(data / "building.jpg", count, 1), ".png"), "sh020": (looped(data / "vtest.avi", count), ".png"),
             "sh030": (looped(data / "Megamind.avi", count), ".png"),
             "sh040": (with_alpha(crops(data / "home.jpg", count, 2)), ".png"),
             "sh050": (as_light(crops(data / "building.jpg", count, 3)), ".exr")}
    for name, (frames, ending) in shots.items():
        write(root / name, frames, ending, FAULTS[name])
    return sorted(shots)


# ---- The night ---------------------------------------------------------------------------------------------------


class Night:
    def __init__(self, program, root, shots):
        self.program, self.root, self.shots = str(Path(program).resolve()), root, shots
        self.rows, self.most = [], 0

    def start(self, *options, verb="check"):
        self.most = 0
        with open(self.root / "said", "w") as said:
            return subprocess.Popen([self.program, verb, *options], cwd=self.root, stdout=said, stderr=said)

    def is_running(self, process):
        """Looks how much memory a process has had so far. Its parent's counts in what wait4 says."""
        try:
            status = Path(f"/proc/{process.pid}/status").read_text()
            self.most = max(self.most, *(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM")), 0)
        except OSError:
            pass
        return process.poll() is None

    def finish(self, what, process, began):
        while self.is_running(process):
            time.sleep(0.01)
        said = (self.root / "said").read_text().splitlines()
        taken = [line.split(": ", 1)[1] for line in said if "taken over" in line]
        self.rows.append((what, time.time() - began, self.most / 1024, process.returncode, " ".join(taken)))

    def run(self, what, *options, verb="check"):
        began = time.time()
        self.finish(what, self.start(*options, verb=verb), began)

    def share(self, number, *options):
        return "-v", "--shard", f"{number}/{SHARES}", *options, f"s{number}.jsonl", *self.shots

    def kill(self, number, lines, seconds):
        """Kills a share, so many seconds after its results have so many lines, of one thread."""
        partial, began = self.root / f"s{number}.jsonl.partial", time.time()
        process = self.start("--threads", "1", *self.share(number, "--output"))
        while self.is_running(process) and not (partial.exists() and partial.read_bytes().count(b"\n") >= lines):
            time.sleep(0.001)
        time.sleep(seconds)
        process.send_signal(signal.SIGKILL)
        self.finish(f"share {number}, killed", process, began)
        if process.returncode != -signal.SIGKILL:
            sys.exit(f"share {number} was done before it could be killed: give more --frames")


def findings(path):
    """What results say: shot, frame and kind."""
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    return [(Path(line["shot"]).parent.name, line["frame"], found["kind"], found["text"])
            for line in lines if line["type"] == "frame" for found in line.get("findings", ()) if found["fails"]]


def night(program, root, shots, count):
    run = Night(program, root, shots)
    run.kill(1, count, 0.1)  # in its second shot
    run.kill(2, 0, 0.2)  # in its only one
    for number in 1, 2:
        run.run(f"share {number}, resumed", *run.share(number, "--resume"))
    for number in range(3, SHARES + 1):
        run.run(f"share {number}", *run.share(number, "--output"))
    results = [f"s{number}.jsonl" for number in range(SHARES, 0, -1)]
    run.run("merge", "-q", "--output", "night.jsonl", "--junit", "night.xml", "--report", "night", *results, verb="merge")
    run.run("in one go", "-q", "--output", "whole.jsonl", "--junit", "whole.xml", "--report", "whole", *shots)
    print("| step | seconds | MiB | exit | |\n|---|---|---|---|---|")
    for what, seconds, memory, code, taken in run.rows:
        print(f"| {what} | {seconds:.1f} | {memory:.0f} | {code} | {taken} |")
    xml = [re.sub(' (time|timestamp)="[^"]*"|(night|whole)/index', "", (root / name).read_text()) for name in ("night.xml", "whole.xml")]
    return xml[0] == xml[1] and (root / "night.jsonl").read_bytes() == (root / "whole.jsonl").read_bytes()


def tell(found):
    """Prints the table of faults. Returns whether they, and nothing else, were found. One may be told of twice."""
    made = {(shot, n): kind for shot, faults in FAULTS.items() for n, (kind, _) in faults.items()}
    said = {(shot, n): list(group) for (shot, n), group in itertools.groupby(found, lambda one: one[:2])}
    print("\n| shot | frame | fault | found |\n|---|---|---|---|")
    for place in sorted(made.keys() | said.keys()):
        told = "; ".join(f"{kind}: {text}" for _, _, kind, text in said.get(place, []))
        print(f"| {place[0]} | {place[1]} | {made.get(place, '')} | {told} |")
    return made.keys() == said.keys() and all(kind in (one[2] for one in said[place]) for place, kind in made.items())


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("data", type=Path)
    parser.add_argument("--frames", type=int, default=2000, help="of each shot")
    parser.add_argument("--keep", type=Path, help="folder that is made, and stays")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as own:
        root = arguments.keep or Path(own)
        if arguments.keep and not root.exists():
            root.mkdir()
        shots = make(root, arguments.data, arguments.frames) if not (root / "sh050").exists() else sorted(FAULTS)
        same = night(arguments.program, root, shots, arguments.frames)
        exact = tell(findings(root / "night.jsonl"))
    print(f"\nThe twelve and nothing else: {'yes' if exact else 'NO'}. The merge is the check in one go, in every byte: "
          f"{'yes' if same else 'NO'}.")
    return 0 if exact and same else 1


if __name__ == "__main__":
    sys.exit(main())
