#!/usr/bin/env python3
"""study_exr.py SSIMCU [WIDTHxHEIGHT [half|float [ROW...]]]: shows how each option for linear light scores
noise, a firefly, other exposures, wrong highlights and wrong shadows, as a Markdown table. Each score of
SSIMCU stands beside that of scikit-image on the same samples in Python's doubles. Exits with 1 if any two are
more than 1e-6 apart. Needs NumPy, Pillow and scikit-image.

The render is a crop from the middle of the photo, in linear light, four times as bright: highlights reach 4.
Rows without SSIMCU's scores are definitions of other tools, which it does not offer."""
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from PIL import Image
from skimage.metrics import structural_similarity

SSIMCU = sys.argv[1]
WIDTH, HEIGHT = (int(side) for side in (sys.argv[2] if len(sys.argv) > 2 else "960x540").split("x"))
KIND = sys.argv[3] if len(sys.argv) > 3 else "half"
TYPE = {"half": np.float16, "float": np.float32}[KIND]
PHOTO = Path(__file__).resolve().parents[2] / "testdata" / "dandelion-ref.png"


def write_exr(path, pixels):
    """Writes uncompressed scan lines of R, G and B."""
    height, width, _ = pixels.shape
    window, code = struct.pack("<4i", 0, 0, width - 1, height - 1), {"half": 1, "float": 2}[KIND]
    attributes = [("channels", "chlist", b"".join(c + b"\0" + struct.pack("<i4x2i", code, 1, 1) for c in (b"B", b"G", b"R")) + b"\0"),
                  ("compression", "compression", b"\0"), ("dataWindow", "box2i", window), ("displayWindow", "box2i", window),
                  ("lineOrder", "lineOrder", b"\0"), ("pixelAspectRatio", "float", struct.pack("<f", 1)),
                  ("screenWindowCenter", "v2f", bytes(8)), ("screenWindowWidth", "float", struct.pack("<f", 1))]
    head = struct.pack("<2i", 20000630, 2)
    for name, kind, value in attributes:
        head += f"{name}\0{kind}\0".encode() + struct.pack("<i", len(value)) + value
    rows = [pixels[y, :, ::-1].T.tobytes() for y in range(height)]
    size, start = len(rows[0]), len(head) + 1 + 8 * height
    table = b"".join(struct.pack("<Q", start + y * (8 + size)) for y in range(height))
    Path(path).write_bytes(head + b"\0" + table + b"".join(struct.pack("<2i", y, size) + row for y, row in enumerate(rows)))


# ---- The definitions, in double -------------------------------------------------------------------------

def srgb(v):
    return np.where(v <= 0.0031308, 12.92 * v, 1.055 * np.maximum(v, 0) ** (1 / 2.4) - 0.055)


def filmic(x):
    return (x * (0.22 * x + 0.03) + 0.002) / (x * (0.22 * x + 0.3) + 0.06) - 1 / 30


def pu21(v):
    p1, p2, p3, p4, p5, p6, p7 = 0.353487901, 0.3734658629, 8.277049286e-05, 0.9062562627, 0.09150303166, 0.9099517204, 596.3148142
    power = np.clip(v * 100, 0.005, 10000) ** p4
    return np.maximum(p7 * (((p1 + p2 * power) / (1 + p3 * power)) ** p5 - p6), 0)


# Name, options of SSIMCU or None, curve, L (None: of the data).
ROWS = [
    ("linear, L = 1", ["--hdr", "none"], lambda v: v, 1),
    ("linear, L = 4", ["--hdr", "none", "--peak", "4"], lambda v: v, 4),
    ("linear, L of the data", None, lambda v: v, None),
    ("0 to 1, linear", None, lambda v: np.clip(v, 0, 1), 1),
    ("**0 to 1, sRGB** (default)", [], lambda v: srgb(np.clip(v, 0, 1)), 1),
    ("the same, two stops down", ["--exposure", "-2"], lambda v: srgb(np.clip(v / 4, 0, 1)), 1),
    ("Hable, sRGB", ["--hdr", "hable"], lambda v: srgb(np.minimum(filmic(np.maximum(v, 0) * 1.758141) / filmic(11.2), 1)), 1),
    ("log(1 + v) / log(65505)", None, lambda v: np.log1p(np.maximum(v, 0)) / np.log1p(65504), 1),
    ("PU21, 100 nits, L = 256", ["--hdr", "pu21"], pu21, 256),
]


def model(pair, curve, span):
    ref, out = (curve(side.astype(np.float64)) for side in pair)
    span = span or max(ref.max(), out.max()) - min(ref.min(), out.min())
    return structural_similarity(ref, out, data_range=span, gaussian_weights=True, sigma=1.5, use_sample_covariance=False,
                                 channel_axis=2)


def make_cases():
    picture = Image.open(PHOTO).convert("RGB")
    left, top = (picture.width - WIDTH) // 2, (picture.height - HEIGHT) // 2
    coded = np.asarray(picture.crop((left, top, left + WIDTH, top + HEIGHT)), np.float64) / 255
    light = 4 * np.where(coded <= 0.04045, coded / 12.92, ((coded + 0.055) / 1.055) ** 2.4)
    noisy = light * (1 + 0.1 * np.random.default_rng(21).standard_normal(light.shape))
    firefly, bright, dark = noisy.copy(), np.where(light > 1, noisy * 1.5, noisy), np.where(light < 0.05, noisy * 0.5, noisy)
    firefly[HEIGHT // 3, WIDTH // 3] = 10000
    cases = {"noise of 10 %": (light, noisy), "and a firefly of 10000": (light, firefly), "and both x 4": (light * 4, noisy * 4),
             "and highlights x 1.5": (light, bright), "and shadows x 0.5": (light, dark)}
    return {name: tuple(side.astype(TYPE) for side in pair) for name, pair in cases.items()}


def main():
    cases, worst = make_cases(), 0.0
    print(f"{WIDTH}x{HEIGHT}, {KIND}; ssimcu, below it scikit-image\n\n| | {' | '.join(cases)} |\n|---|{'---|' * len(cases)}")
    with tempfile.TemporaryDirectory() as folder:
        files = {}
        for name, pair in cases.items():
            files[name] = [Path(folder) / f"{len(files)}_{side}.exr" for side in ("ref", "out")]
            for path, pixels in zip(files[name], pair):
                write_exr(path, pixels)
        for title, options, curve, span in ROWS:
            cells = []
            if sys.argv[4:] and not any(wanted in title for wanted in sys.argv[4:]):
                continue
            for name, pair in cases.items():
                expected = model(pair, curve, span)
                if options is None:
                    cells.append(f"{expected:.7f}")
                    continue
                command = [SSIMCU, "--device", "cpu", *options, *map(str, files[name])]
                score = float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
                worst = max(worst, abs(score - expected))
                cells.append(f"{score:.7f}<br>{expected:.7f}")
            print(f"| {title} | {' | '.join(cells)} |", flush=True)
    print(f"\nFarthest apart: {worst:.1e}")
    return int(worst > 1e-6)


sys.exit(main())
