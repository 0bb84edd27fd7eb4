#!/usr/bin/env python3
"""pixels.py PROGRAM SHOTS: how often single pixels are found in renders, as Markdown.

SHOTS/SHOT/seedNN/FFFF.png are renders as render.py makes them, of 14 seeds. Seed 0 is the reference, eight seeds are accepted, and
five are held out: their clean frames show false alarms, and each is damaged three times at places of their own."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import numpy as np

import faults

ACCEPTED, HELD, PLACES, RATES = range(1, 9), range(9, 14), 3, (0.01, 0.001)
KINDS = {f"{count} {name}": (count, value) for name, value, counts in (("dead", 0, (1, 3, 10)), ("fireflies", 255, (1, 3, 6, 10)))
         for count in counts}
PROGRAM, SHOTS = sys.argv[1], pathlib.Path(sys.argv[2])
FRAMES = {shot.name: sorted(p.name for p in (shot / "seed00").iterdir()) for shot in sorted(SHOTS.iterdir())}
RNG = np.random.default_rng(1)


def ssimcu(*arguments):
    done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True)
    if done.returncode not in (0, 1):
        sys.exit(done.stderr)


def make_tree(tree, seed, put):
    shutil.rmtree(tree, ignore_errors=True)
    for shot, names in FRAMES.items():
        (tree / shot).mkdir(parents=True)
        for name in names:
            put(SHOTS / shot / f"seed{seed:02}" / name, tree / shot / name)
    return tree


def judge(limits, reference, out, results):
    """Returns the shots of the frames that are beyond a limit."""
    results.unlink(missing_ok=True)
    ssimcu("-q", "--recursive", "--limits", limits, "--output", results, reference, out)
    return [frame["part"] for frame in json.loads(results.read_text().splitlines()[-1])["verdict"]["frames"]]


def damaged(count, value):
    def put(source, to):
        picture = faults.load(source).copy()
        height, width = picture.shape[:2]
        for _ in range(count):
            picture[RNG.integers(8, height - 8), RNG.integers(8, width - 8)] = value
        faults.save(picture, to)
    return put


def main():
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        trees = [make_tree(scratch / f"seed{k}", k, os.symlink) for k in range(HELD[-1] + 1)]
        results = scratch / "results.jsonl"
        print("| | --false-alarms | " + " | ".join(FRAMES) + " |\n|---|---|" + "---|" * len(FRAMES))
        for rate in RATES:
            limits = scratch / f"{rate}.json"
            ssimcu("calibrate", "--recursive", "--false-alarms", rate, "--output", limits, trees[0], *(trees[k] for k in ACCEPTED))
            clean = [shot for k in HELD for shot in judge(limits, trees[0], trees[k], results)]
            count = {shot: len(names) * len(HELD) for shot, names in FRAMES.items()}
            print(f"| clean | {rate} | " + " | ".join(f"{clean.count(s)} of {count[s]}" for s in FRAMES) + " |", flush=True)
            for kind, fault in KINDS.items():
                found = [shot for k in HELD for _ in range(PLACES)
                         for shot in judge(limits, trees[0], make_tree(scratch / "out", k, damaged(*fault)), results)]
                cells = (f"{100 * found.count(s) / (PLACES * count[s]):.0f} %" for s in FRAMES)
                print(f"| {kind} | {rate} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
