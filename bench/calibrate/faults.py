#!/usr/bin/env python3
"""faults.py IN.png KIND SIZE OUT.png [SEED]: damages a picture by one of the faults that evaluate.py invents.

A fault is what a render farm does now and then: a bucket that stays black or flat, a texture that is missing or too
coarse, a mesh moved by a pixel, red for blue, dead pixels, fireflies, a light that changed, and more noise than was
accepted. Its place is random, and the same for the same seed. SIZE is the edge of a square; other faults know their own."""
import sys

import numpy as np
from PIL import Image

SIZES = (8, 16, 24, 32, 48, 64)
SKETCH = {"black": (8, 16, 32), "flat": (24, 48), "blur": (24, 48), "shift": (24, 48), "swap": (24, 48)}


def load(path):
    return np.asarray(Image.open(path).convert("RGB"), np.float32)


def save(picture, path):
    Image.fromarray(np.rint(np.clip(picture, 0, 255)).astype(np.uint8)).save(path, compress_level=1)


def gaussian(picture, sigma):
    """A separable blur whose edges are mirrored."""
    reach = int(4 * sigma + 0.5)
    weights = np.exp(-0.5 * (np.arange(-reach, reach + 1) / sigma) ** 2)
    weights /= weights.sum()
    for axis in (0, 1):
        pad = [(0, 0)] * 3
        pad[axis] = (reach, reach)
        padded, length = np.pad(picture, pad, mode="symmetric"), picture.shape[axis]
        picture = sum(w * padded.take(range(k, k + length), axis) for k, w in enumerate(weights))
    return picture


def light(height, width):
    """A soft light, 15 % in its middle."""
    return 1 + 0.15 * (np.hanning(height)[:, None] * np.hanning(width))[..., None]


SQUARES = {"black": lambda part: 0 * part,
           "flat": lambda part: 0 * part + part.mean((0, 1)),
           "blur": lambda part: gaussian(part, 2),
           "shift": lambda part: np.roll(part, 1, 1),
           "swap": lambda part: part[..., ::-1]}
WHOLE = {"gain +0.1 stop": lambda p: 255 * ((p / 255) ** 2.2 * 2**0.1) ** (1 / 2.2),
         "cast 2 %": lambda p: p * np.array([1.02, 1, 0.98]),
         "more noise": lambda p: 2 * p - gaussian(p, 1.2)}
PIXELS = {"dead pixel": (1, 0), "3 dead pixels": (3, 0), "6 fireflies": (6, 255)}
OTHERS = (*PIXELS, "soft light", *WHOLE)


def damage(picture, kind, size, rng):
    height, width = picture.shape[:2]
    damaged = picture.copy()

    def at(rows, columns):
        y, x = rng.integers(0, height - rows + 1), rng.integers(0, width - columns + 1)
        return slice(y, y + rows), slice(x, x + columns)

    if kind in SQUARES:
        place = at(size, size)
        damaged[place] = SQUARES[kind](picture[place])
    elif kind in PIXELS:
        count, value = PIXELS[kind]
        for _ in range(count):
            damaged[at(1, 1)] = value
    elif kind == "soft light":
        place = at(90, 120)
        damaged[place] *= light(90, 120)
    else:
        damaged = WHOLE[kind](picture)
    return damaged


def kinds(sketch):
    """Every fault as (kind, size), size 0 for those that have none. Those of the sketch are 17."""
    squares = SKETCH if sketch else {kind: SIZES for kind in SQUARES}
    others = [kind for kind in OTHERS if not sketch or kind != "dead pixel"]
    return [(kind, size) for kind, sizes in squares.items() for size in sizes] + [(kind, 0) for kind in others]


if __name__ == "__main__":
    if len(sys.argv) not in (5, 6):
        sys.exit(__doc__)
    source, name, edge, target = sys.argv[1:5]
    save(damage(load(source), name, int(edge), np.random.default_rng(int((sys.argv + ["1"])[5]))), target)
