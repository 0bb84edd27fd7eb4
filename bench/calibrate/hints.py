#!/usr/bin/env python3
"""hints.py PROGRAM SHOTS: which hints faults get in renders whose frames have noise of their own, as Markdown.

SHOTS/SHOT/seedNN/FFFF.png are renders as evaluate.py has them, of 16 seeds. Seed 0 is the reference, eight are accepted;
three of those held out are damaged. Frames are right (a hint that is true), none, or wrong. "still" is a shot whose frames are
one frame under other noise, of other seeds. "smoothed" are renders smoothed as a denoiser does."""
import argparse
import json
import pathlib
import tempfile

import numpy as np

import evaluate
import faults
import whole

SEEDS, ACCEPTED, HELD = 16, range(1, 9), (9, 10, 12)
LIGHT = {"gain", "offset", "exposure", "gamma"}


def square(kind, edge):
    return lambda p, rng, **_: faults.damage(p, kind, edge, rng)


def left(picture, share):
    return (np.arange(picture.shape[1]) < share * picture.shape[1])[:, None]


# What becomes of a picture: its seed's frame p, those of two other seeds (a, b), a source of random numbers. Then words that
# are true, beside "".
PICTURES = {"clean": (lambda p, **_: p, ()),
            "part black, 64 pixels": (square("black", 64), {"black-area"}),
            "part black, 32 pixels": (square("black", 32), {"black-area"}),
            "part black, 16 pixels": (square("black", 16), {"black-area"}),
            "half of the samples": (lambda p, a, b, **_: p + (a - b) / 2**0.5, {"noise"}),
            "a quarter of the samples": (lambda p, a, b, **_: p + (a - b) * 1.5**0.5, {"noise"}),
            "not smoothed": (lambda p, raw, **_: raw, {"noise"}),
            "mean of two seeds": (lambda p, a, **_: (p + a) / 2, {"denoised"}),
            "20 % of a blur": (lambda p, **_: 0.8 * p + 0.2 * faults.gaussian(p, 1), {"denoised"}),
            "sharpened": (lambda p, **_: p + 0.2 * (p - faults.gaussian(p, 1)), ()),
            "half of the frame sharpened": (lambda p, **_: p + 0.4 * left(p, 0.5) * (p - faults.gaussian(p, 1)), ()),
            "half of the frame noisier": (lambda p, a, b, **_: p + left(p, 0.5) * (a - b), {"noise"}),
            "a quarter of the frame noisier": (lambda p, a, b, **_: p + left(p, 0.25) * (a - b), ()),
            "a quarter of the frame another": (lambda p, **_: np.where(left(p, 0.25), p[::-1], p), ()),
            "dark places 10 % darker": (lambda p, **_: np.where(p < 90, p * 0.9, p), LIGHT),
            "2 % brighter": (lambda p, **_: p * 1.02, LIGHT),
            "2 % brighter at one edge": (lambda p, **_: whole.FAULTS["2 % brighter at one edge"](p, 0, 0), LIGHT),
            "10 % brighter": (lambda p, **_: p * 1.1, LIGHT),
            "moved by half a pixel": (lambda p, **_: whole.moved(p, 0.5), ()),
            "moved by -1 pixel": (lambda p, **_: whole.moved(p, -1), {"shift"}),
            "part blurred, 64 pixels": (square("blur", 64), ()),
            "part flat, 64 pixels": (square("flat", 64), ()),
            "soft light": (square("soft light", 0), ()),
            "6 fireflies": (square("6 fireflies", 0), ())}
# Which frame and seed (0: its own) each frame of four shows, and the words that are true of each.
RUNS = {"duplicate once": (((1, 0), (2, 0), (2, 0), (4, 0)), ("", "", "duplicate", "")),
        "duplicate to the end": (((1, 0), (1, 0), (1, 0), (1, 0)), ("", "duplicate", "duplicate", "duplicate")),
        "duplicate, written anew": (((1, 0), (2, 0), (2, 0.5), (4, 0)), ("", "", "duplicate", "")),
        "frame-offset -1, other noise": (((1, 0), (1, 1), (2, 0), (3, 0)), ("", "frame-offset -1", "frame-offset -1", "frame-offset -1")),
        "frame-offset +1": (((2, 0), (3, 0), (4, 0), (4, 1)), ("frame-offset +1", "frame-offset +1", "frame-offset +1", "")),
        "one frame-offset +1, then that again": (((1, 0), (3, 0), (3, 0), (4, 0)), ("", "frame-offset +1", "duplicate", "")),
        "one frame-offset +2": (((1, 0), (4, 0), (3, 0), (4, 1)), ("", "frame-offset +2", "", ""))}


def score(limits, reference, out, results):
    results.unlink(missing_ok=True)
    evaluate.ssimcu("-q", "--limits", limits, "--output", results, reference, out, expect=(0, 1, 3))
    return [r for r in map(json.loads, results.read_text().splitlines()) if r["type"] == "frame"]


class Shot:
    def __init__(self, folder, name, still=False, smooth=False):
        self.folder, self.still, self.smooth, self.cache = folder / f"{name}{still}{smooth}", still, smooth, {}
        self.source = options.shots / name
        for seed in (0, *ACCEPTED):
            self.write(f"s{seed}", [self.frame(seed, n) for n in range(1, 5)])
        self.limits = self.folder / "l.json"
        evaluate.ssimcu("calibrate", "--output", self.limits, self.folder / "s0", *[self.folder / f"s{s}" for s in ACCEPTED],
                        expect=(0,))

    def raw(self, seed, n):
        if self.still:  # frames are further seeds of frame 1; no render of another is like that of the reference
            seed, n = (4 + (seed + 3 * n) % (SEEDS - 4) if seed else n - 1), 1
        return faults.load(self.source / f"seed{seed % SEEDS:02}" / f"{n:04}.png")

    def frame(self, seed, n):
        if (seed, n) not in self.cache:
            self.cache[seed, n] = whole.smoothed(self.raw(seed, n)) if self.smooth else self.raw(seed, n)
        return self.cache[seed, n]

    def write(self, name, pictures):
        for n, picture in enumerate(pictures, 1):
            path = self.folder / name / f"{n:04}.png"
            path.parent.mkdir(parents=True, exist_ok=True)
            faults.save(picture, path)
        return self.folder / name

    def judge(self, pictures, true, counts, kind):
        for record, words in zip(score(self.limits, self.folder / "s0", self.write("out", pictures), self.folder / "r"), true):
            hint = "; ".join(found["text"] for found in record.get("findings", []) if found["kind"] != "learned")
            good = hint in words or hint.split(" ")[0] in words
            if options.show and (words or hint) and not good:
                print(self.folder.name, kind, record["frame"], hint or "-", sep="; ")
            if words or hint:
                counts[0 if good else 2 if hint else 1] += 1

    def run(self, table):
        for kind, (fault, true) in PICTURES.items():
            if kind == "not smoothed" and not self.smooth:
                continue
            for s in HELD:
                made = [fault(p=self.frame(s, n), a=self.frame(s - 1, n), b=self.frame(s - 2, n), raw=self.raw(s, n),
                              rng=np.random.default_rng(100 * s + n)) for n in range(1, 5)]
                self.judge(made, [set(true)] * 4, table.setdefault(kind, [0, 0, 0]), kind)
        for kind, (order, true) in RUNS.items():
            if self.still and "frame" in kind:
                continue  # it has nothing that moves on
            for s in HELD:
                rng = np.random.default_rng(s)
                made = [self.frame(s - 3 * (more == 1), n) + (rng.uniform(-1, 1, self.frame(s, n).shape) if more == 0.5 else 0)
                        for n, more in order]
                self.judge(made, [{w} - {""} for w in true], table.setdefault(kind, [0, 0, 0]), kind)


def main(folder):
    evaluate.options = options
    names = sorted(d.name for d in options.shots.iterdir())
    columns = [(f"{name}{', still' if still else ', smoothed' if smooth else ''}", {}, name, still, smooth)
               for still, smooth in ((False, False), (True, False), (False, True)) for name in names]
    for _, table, name, still, smooth in columns:
        Shot(folder, name, still, smooth).run(table)
    def cell(counts):
        return "/".join(map(str, counts)) if counts else "-"
    evaluate.table(["frames: hint right/none/wrong", *(c[0] for c in columns)],
                   [[kind] + [cell(c[1].get(kind)) for c in columns] for kind in [*PICTURES, *RUNS]])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("shots", type=pathlib.Path)
    parser.add_argument("--show", action="store_true", help="frames without a right hint")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir="/var/tmp") as name:
        main(pathlib.Path(name))
