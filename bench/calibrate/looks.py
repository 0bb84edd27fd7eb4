#!/usr/bin/env python3
"""looks.py PROGRAM SHOTS [--pixels]: what is found in few renders of a look, as Markdown.

SHOTS/SHOT/seedNN/FFFF.png are renders as render.py makes them, of 14 seeds. Seed 0 is the reference, eight seeds are accepted, and
five are held out: their clean frames show false alarms, and each is damaged three times at places of their own, by single pixels and,
without --pixels, by the faults of faults.py. SHOTS-broken/FAULT/SHOT/FFFF.png, if they are there, are those of broken.py."""
import argparse
import json
import os
import pathlib
import shutil
import sys
import tempfile

import numpy as np

import evaluate
import faults

ACCEPTED, HELD, PLACES, RATES = range(1, 9), range(9, 14), 3, (0.01, 0.001)
PIXELS = (("dead", 0, (1, 3, 10)), ("fireflies", 255, (1, 3, 6, 10)))
PROGRAM, SHOTS = sys.argv[1], pathlib.Path(sys.argv[2])
BROKEN = SHOTS.with_name(SHOTS.name + "-broken")
FRAMES = {shot.name: sorted(p.name for p in (shot / "seed00").iterdir()) for shot in sorted(SHOTS.iterdir())}
RNG = np.random.default_rng(1)
evaluate.options = argparse.Namespace(program=PROGRAM)


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
    evaluate.ssimcu("-q", "--recursive", "--limits", limits, "--output", results, reference, out, expect=(0, 1))
    return [frame["shot"] for frame in json.loads(results.read_text().splitlines()[-1])["verdict"]["frames"]]


def pixels(count, value):
    def change(picture):
        height, width = picture.shape[:2]
        changed = picture.copy()
        for _ in range(count):
            changed[RNG.integers(8, height - 8), RNG.integers(8, width - 8)] = value
        return changed
    return change


def damages():
    made = {f"{count} {name}": pixels(count, value) for name, value, counts in PIXELS for count in counts}
    if "--pixels" not in sys.argv:
        for kind, size in faults.kinds(False):
            if kind not in faults.PIXELS:
                made[f"{kind} {size or ''}".strip()] = lambda picture, kind=kind, size=size: faults.damage(picture, kind, size, RNG)
    return made


def row(name, rate, found, count):
    print(f"| {name} | {rate} | " + " | ".join(f"{found.count(s)} of {count[s]}" for s in FRAMES) + " |", flush=True)


def main():
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        trees = [make_tree(scratch / f"seed{k}", k, os.symlink) for k in range(HELD[-1] + 1)]
        results = scratch / "results.jsonl"
        print("| | --false-alarms | " + " | ".join(FRAMES) + " |\n|---|---|" + "---|" * len(FRAMES))
        for rate in RATES:
            limits = scratch / f"{rate}.json"
            evaluate.calibrate(limits, trees[0], [trees[k] for k in ACCEPTED], rate)
            count = {shot: len(names) * len(HELD) for shot, names in FRAMES.items()}
            row("clean", rate, [shot for k in HELD for shot in judge(limits, trees[0], trees[k], results)], count)
            for kind, change in damages().items():
                def put(source, to, change=change):
                    faults.save(change(faults.load(source)), to)
                found = [shot for k in HELD for _ in range(PLACES)
                         for shot in judge(limits, trees[0], make_tree(scratch / "out", k, put), results)]
                row(kind, rate, found, {shot: PLACES * n for shot, n in count.items()})
            for broken in sorted(BROKEN.iterdir()) if BROKEN.exists() else ():
                has = {shot: len(names) * (broken / shot).exists() for shot, names in FRAMES.items()}
                tree = scratch / "broken"
                shutil.rmtree(tree, ignore_errors=True)
                for shot in FRAMES:
                    os.makedirs(tree / shot)
                    for name in FRAMES[shot]:  # a shot that has no such fault is shown clean
                        there = broken / shot / name
                        os.symlink(there if there.exists() else SHOTS / shot / f"seed{HELD[0]:02}" / name, tree / shot / name)
                row(broken.name, rate, judge(limits, trees[0], tree, results), has)


if __name__ == "__main__":
    main()
