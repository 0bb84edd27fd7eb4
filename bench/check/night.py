#!/usr/bin/env python3
"""night.py PROGRAM DATA: a night of a farm. DATA is the folder of Debian's opencv-doc with clips and photos. Five shots
of 2,000 small frames are made. Each has eight faults, at places that --seed draws, the first and the last frame among
them. `ssimcu check` takes the shots in four shares, two of which are killed and resumed, and merges them. The frames of
the list of --rerender are rendered again, and all is checked again. Prints in Markdown what was found, beside the
faults, with times and memory. Exits with 1 unless the list has exactly the faults, the second check finds nothing, and
the merge is the check in one go in every byte. Needs ffmpeg, numpy and Pillow."""
import argparse
import itertools
import json
import math
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy
from PIL import Image

from damage import decode, write_exr

WIDTH, HEIGHT, SHARES, FIRST = 160, 90, 4, 1001

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
    """Writes a shot, from FIRST on, each frame damaged as it should be. What is damaged lies whole in folder.whole."""
    folder.mkdir()
    good = folder.with_suffix(".whole")
    good.mkdir()
    before = None
    for n, frame in enumerate(frames, FIRST):
        name, fault = f"{folder.name}.{n}{ending}", damage.get(n)
        if fault:
            save(good / name, frame)
        if fault != "missing":
            change = FAULTS[fault][1] if fault else None
            save(folder / name, change(frame.copy(), before) if change else frame)
        if fault == "unreadable":
            os.truncate(folder / name, (folder / name).stat().st_size * 2 // 3)
        before = frame


def save(path, frame):
    if path.suffix == ".exr":
        write_exr(path, frame)
    else:
        Image.fromarray(frame).save(path, compress_level=1)


# ---- Faults ------------------------------------------------------------------------------------------------------


def put(part, value):
    def change(frame, before):
        frame[part] = value
        return frame
    return change


def garbage(frame, before):
    noise = numpy.random.default_rng(5).integers(0, 256, frame[40:46].shape)
    frame[40:46] = noise if frame.dtype == numpy.uint8 else (noise / 255) ** 2.2
    return frame


# What a fault is called here: the kinds of findings of which one must be told, and what is done to a frame.
FAULTS = {
    "missing": ({"missing"}, None),
    "unreadable": ({"unreadable"}, None),
    "duplicate": ({"duplicate"}, lambda frame, before: before),
    "dimensions": ({"dimensions"}, lambda frame, before: frame[:60, :100]),
    "grey": ({"pixel-format"}, lambda frame, before: frame[..., 0]),
    "no alpha": ({"pixel-format"}, lambda frame, before: frame[..., :3]),
    "empty alpha": ({"alpha"}, put(numpy.s_[..., 3], 0)),
    "black bucket": ({"flat-area"}, put(numpy.s_[30:54, 60:92], 0)),
    "white bucket": ({"flat-area"}, put(numpy.s_[10:26, 120:136], 255)),
    "lower half": ({"flat-area"}, put(numpy.s_[45:], 0)),
    "all but a bucket": ({"flat-area", "foreign-frame"}, put(numpy.s_[:, 16:], 0)),
    "black": ({"solid", "black"}, put(numpy.s_[:], 0)),
    "garbage": ({"garbage"}, garbage),
    "bright pixel": ({"outlier-pixel"}, put(numpy.s_[60, 40], 255)),
    "no red": ({"lost-channel"}, put(numpy.s_[..., 0], 0)),
    "nan": ({"nan"}, put(numpy.s_[20, 30, 1], math.nan)),
    "upside down": ({"foreign-frame", "flipped"}, lambda frame, before: frame[::-1]),
}
SHOTS = {  # the first fault of each lies in the first frame, the last one in the last frame
    "sh010": ("black bucket", "missing", "unreadable", "duplicate", "lower half", "grey", "black", "no red"),
    "sh020": ("unreadable", "dimensions", "missing", "black bucket", "garbage", "upside down", "black", "all but a bucket"),
    "sh030": ("dimensions", "unreadable", "garbage", "bright pixel", "lower half", "missing", "white bucket", "black"),
    "sh040": ("no alpha", "empty alpha", "missing", "black bucket", "upside down", "lower half", "black", "unreadable"),
    "sh050": ("nan", "black", "missing", "unreadable", "upside down", "lower half", "dimensions", "garbage"),
}


def draw(count, seed):
    """Where the faults of each shot lie: the first and the last one at its ends, the others anywhere, apart from each other."""
    random = numpy.random.default_rng(seed)
    places = {}
    for shot, (first, *others, last) in SHOTS.items():
        room = (count - 40) // len(others)
        frames = [FIRST + 20 + n * room + int(random.integers(room - 20)) for n in range(len(others))]
        random.shuffle(frames)
        places[shot] = {FIRST: first, FIRST + count - 1: last, **dict(zip(frames, others))}
    return places


def make(root, data, count, places):
    shots = {"sh010": (crops(data / "building.jpg", count, 1), ".png"), "sh020": (looped(data / "vtest.avi", count), ".png"),
             "sh030": (looped(data / "Megamind.avi", count), ".png"),
             "sh040": (with_alpha(crops(data / "home.jpg", count, 2)), ".png"),
             "sh050": (as_light(crops(data / "building.jpg", count, 3)), ".exr")}
    for name, (frames, ending) in shots.items():
        write(root / name, frames, ending, places[name])


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


def listed(path):
    """The frames that a list of --rerender names, as pairs of shot and number."""
    frames = set()
    for line in path.read_text().splitlines():
        pattern, ranges = line.split(" ")
        for one in ranges.split(","):
            first, last, step = re.fullmatch(r"(\d+)(?:-(\d+))?(?:x(\d+))?", one).groups()
            frames.update((Path(pattern).parent.name, n) for n in range(int(first), int(last or first) + 1, int(step or 1)))
    return frames


def night(program, root, shots, count):
    """Returns whether the merge is the check in one go, and what the list of --rerender has, then and afterwards."""
    run = Night(program, root, shots)
    run.kill(1, count, 0.1)  # in its second shot
    run.kill(2, 0, 0.2)  # in its only one
    for number in 1, 2:
        run.run(f"share {number}, resumed", *run.share(number, "--resume"))
    for number in range(3, SHARES + 1):
        run.run(f"share {number}", *run.share(number, "--output"))
    results = [f"s{number}.jsonl" for number in range(SHARES, 0, -1)]
    outputs = [("-q", "--output", f"{name}.jsonl", "--junit", f"{name}.xml", "--rerender", f"{name}.txt", "--report", name)
               for name in ("night", "whole")]
    run.run("merge", *outputs[0], *results, verb="merge")
    run.run("in one go", *outputs[1], *shots)
    xml = [re.sub(' (time|timestamp)="[^"]*"|(night|whole)/index', "", (root / name).read_text()) for name in ("night.xml", "whole.xml")]
    same = xml[0] == xml[1] and all((root / f"night.{kind}").read_bytes() == (root / f"whole.{kind}").read_bytes()
                                    for kind in ("jsonl", "txt"))
    again = listed(root / "night.txt")
    for shot, n in again:
        for whole in (root / f"{shot}.whole").glob(f"{shot}.{n}.*"):
            shutil.copy(whole, root / shot)
    run.run("rendered again", "-q", "--rerender", "rest.txt", "--output", "rest.jsonl", *shots)
    print("| step | seconds | MiB | exit | |\n|---|---|---|---|---|")
    for what, seconds, memory, code, taken in run.rows:
        print(f"| {what} | {seconds:.1f} | {memory:.0f} | {code} | {taken} |")
    return same, again, listed(root / "rest.txt")


def tell(found, places):
    """Prints the table of faults. Returns whether each was told by its kind."""
    made = {(shot, n): fault for shot, faults in places.items() for n, fault in faults.items()}
    said = {(shot, n): list(group) for (shot, n), group in itertools.groupby(found, lambda one: one[:2])}
    print("\n| shot | frame | fault | found |\n|---|---|---|---|")
    for place in sorted(made.keys() | said.keys()):
        told = "; ".join(f"{kind}: {text}" for _, _, kind, text in said.get(place, []))
        print(f"| {place[0]} | {place[1]} | {made.get(place, '')} | {told} |")
    return all(FAULTS[fault][0] & {one[2] for one in said.get(place, ())} for place, fault in made.items()), set(made)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("data", type=Path)
    parser.add_argument("--frames", type=int, default=2000, help="of each shot")
    parser.add_argument("--seed", type=int, default=1, help="of the places of faults")
    arguments = parser.parse_args()
    places = draw(arguments.frames, arguments.seed)
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        make(root, arguments.data, arguments.frames, places)
        same, again, rest = night(arguments.program, root, sorted(SHOTS), arguments.frames)
        kinds, made = tell(findings(root / "night.jsonl"), places)
    print(f"\nOf {len(made)} faults the list to render again lacks {len(made - again)}, and it has {len(again - made)} others. "
          f"Rendered again, it has {len(rest)}. Each fault is told by its kind: {'yes' if kinds else 'NO'}. The merge is the check "
          f"in one go, in every byte: {'yes' if same else 'NO'}.")
    return 0 if again == made and not rest and kinds and same else 1


if __name__ == "__main__":
    sys.exit(main())
