#!/usr/bin/env python3
"""levels.py SSIMCU: what comparing a Cryptomatte of four levels costs, beside one channel of the same file. Every read
unpacks the whole part, so a Cryptomatte must be read once: two files each, 16 channels, ZIP. Processor time counts."""
import os
import random
import struct
import subprocess
import sys
import tempfile
import zlib
from pathlib import Path

SSIMCU = sys.argv[1]
WIDTH, HEIGHT, ROWS = 1024, 1024, 16
NAMES = sorted([f"Crypto0{level}.{c}" for level in range(4) for c in "RGBA"] + ["Z"])


def attribute(name, kind, value):
    return f"{name}\0{kind}\0".encode() + struct.pack("<I", len(value)) + value


def packed(rows):
    """Returns a chunk as ZIP stores it."""
    apart = rows[0::2] + rows[1::2]
    apart = bytes([apart[0]]) + bytes((b - a + 128) & 255 for a, b in zip(apart, apart[1:]))
    return zlib.compress(apart, 1)


def write(path):
    noise = random.Random(1)
    listed = b"".join(n.encode() + b"\0" + struct.pack("<i4xii", 2, 1, 1) for n in NAMES) + b"\0"
    window = struct.pack("<4i", 0, 0, WIDTH - 1, HEIGHT - 1)
    head = struct.pack("<II", 20000630, 2)
    head += attribute("channels", "chlist", listed) + attribute("compression", "compression", b"\3")
    head += attribute("dataWindow", "box2i", window) + attribute("displayWindow", "box2i", window)
    head += attribute("lineOrder", "lineOrder", b"\0") + attribute("pixelAspectRatio", "float", struct.pack("<f", 1))
    head += attribute("screenWindowCenter", "v2f", struct.pack("<2f", 0, 0))
    head += attribute("screenWindowWidth", "float", struct.pack("<f", 1)) + b"\0"
    samples = [struct.pack(f"<{WIDTH}f", *[noise.uniform(0, 1) for _ in range(WIDTH)]) for _ in NAMES]
    chunk = packed(b"".join(samples) * ROWS)  # all chunks are the same
    count = HEIGHT // ROWS
    at = len(head) + 8 * count
    table = b"".join(struct.pack("<Q", at + i * (8 + len(chunk))) for i in range(count))
    body = b"".join(struct.pack("<ii", i * ROWS, len(chunk)) + chunk for i in range(count))
    path.write_bytes(head + table + body)


def seconds(*arguments):
    """Returns the least processor time of three runs."""
    least = float("inf")
    for _ in range(3):
        process = subprocess.Popen([SSIMCU, "-q", *map(str, arguments)])
        _, status, used = os.wait4(process.pid, 0)
        if status != 0:
            sys.exit(f"[FAIL] exr_levels: exit {status}")
        least = min(least, used.ru_utime + used.ru_stime)
    return least


with tempfile.TemporaryDirectory() as scratch:
    file = Path(scratch) / "levels.exr"
    write(file)
    one, every = seconds("--channels", "Z", file, file), seconds("--layers", "all", file, file)
    # Z, and the Cryptomatte: twice, and its strips. Level after level, four and two halves of each, it is nine times.
    if every > 4.5 * one:
        sys.exit(f"[FAIL] exr_levels: {every:.2f} s for all layers, {one:.2f} s for one")
    print(f"[PASS] exr_levels: {every:.2f} s for all layers, {one:.2f} s for one")
