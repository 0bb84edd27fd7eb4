#!/usr/bin/env python3
"""scores.py: prints what tests/cli/exr/curves_and_exposures.case expects, by a model in Python's own doubles: testdata's
light.exr against rgb16_b.png, both read by oiiotool. It knows nothing of ssimcu."""
import math
import subprocess
from pathlib import Path

DATA = Path(__file__).resolve().parents[3] / "testdata"
TAPS = [math.exp(-(i - 5) ** 2 / 4.5) for i in range(11)]
TAPS = [tap / sum(TAPS) for tap in TAPS]


def pixels(path):
    """Rows of (r, g, b), linear light as it is, integers over their peak."""
    text = subprocess.run(["oiiotool", "--dumpdata", "--native", "-v", "--info", str(path)], check=True, text=True,
                          stdout=subprocess.PIPE).stdout
    rows = {}
    for line in text.splitlines():
        if not line.strip().startswith("Pixel ("):
            continue
        place, values = line.split("):", 1)
        x, y = (int(part) for part in place.split("(")[1].split(","))
        numbers = values.split("(")[0].split()
        if "(" in values:  # of integers: their value between 0 and 1 stands in parentheses
            numbers = [int(number) / 65535 for number in numbers]
        rows.setdefault(y, {})[x] = tuple(float(number) for number in numbers[:3])
    return [[rows[y][x] for x in sorted(rows[y])] for y in sorted(rows)]


def srgb(v):
    return 12.92 * v if v <= 0.0031308 else 1.055 * v ** (1 / 2.4) - 0.055


def hable(v):
    def h(x):
        return (x * (0.22 * x + 0.03) + 0.002) / (x * (0.22 * x + 0.3) + 0.06) - 1 / 30
    return srgb(min(h(max(v, 0) * 1.758141) / h(11.2), 1))


CURVES = {"none": lambda v: v, "srgb": lambda v: srgb(min(max(v, 0), 1)), "hable": hable}


def blur(plane):
    across = [[sum(tap * row[x + k] for k, tap in enumerate(TAPS)) for x in range(len(row) - 10)] for row in plane]
    return [[sum(tap * across[y + k][x] for k, tap in enumerate(TAPS)) for x in range(len(across[0]))]
            for y in range(len(across) - 10)]


def ssim(a, b):
    def product(p, q):
        return blur([[x * y for x, y in zip(r, s)] for r, s in zip(p, q)])
    total, count = 0.0, 0
    for rows in zip(blur(a), blur(b), product(a, a), product(b, b), product(a, b)):
        for ma, mb, aa, bb, ab in zip(*rows):
            total += ((2 * ma * mb + 1e-4) * (2 * (ab - ma * mb) + 9e-4)) / (
                (ma * ma + mb * mb + 1e-4) * (aa - ma * ma + bb - mb * mb + 9e-4))
            count += 1
    return total / count


def main():
    light, picture = pixels(DATA / "light.exr"), pixels(DATA / "rgb16_b.png")
    for hdr, exposure in ("srgb", 0), ("srgb", 1), ("hable", 0), ("hable", 2), ("none", -1):
        curve = CURVES[hdr]
        planes = [([[curve(px[c] * 2 ** exposure) for px in row] for row in light],
                   [[px[c] for px in row] for row in picture]) for c in range(3)]
        print(hdr, exposure, f"{sum(ssim(a, b) for a, b in planes) / 3:.9f}")


main()
