#!/usr/bin/env python3
"""noisy.py [--fault FRAME,X,Y,SIZE,LEVELS] [--noise PERCENT] FRAMES DIR...: writes grey PNGs of 96 x 64 pixels with noise that a renderer
could have made, 0001.png and so on. Every directory gets noise of its own. The fault makes a square brighter.
The noise is 100 percent strong."""
import pathlib
import random
import struct
import sys
import zlib

WIDTH, HEIGHT = 96, 64


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(rows):
    head = struct.pack(">IIBBBBB", WIDTH, HEIGHT, 8, 0, 0, 0, 0)
    data = zlib.compress(b"".join(b"\0" + row for row in rows), 1)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", data) + chunk(b"IEND", b"")


def picture(noise, percent, frame, fault):
    at, left, top, size, levels = fault
    rows = []
    for y in range(HEIGHT):
        sums = noise.randbytes(2 * WIDTH)
        row = bytearray(WIDTH)
        for x in range(WIDTH):
            value = 60 + x + 40 * ((x // 12 + y // 8 + frame) % 2) + (sums[2 * x] + sums[2 * x + 1] - 255) * percent // 1600
            inside = frame == at and left <= x < left + size and top <= y < top + size
            row[x] = value + (levels if inside else 0)
        rows.append(bytes(row))
    return png(rows)


arguments = sys.argv[1:]
fault = (0, 0, 0, 0, 0)
if arguments[0] == "--fault":
    fault = tuple(map(int, arguments[1].split(",")))
    arguments = arguments[2:]
percent = 100
if arguments[0] == "--noise":
    percent = int(arguments[1])
    arguments = arguments[2:]
for name in arguments[1:]:
    folder = pathlib.Path(name)
    folder.mkdir(parents=True, exist_ok=True)
    noise = random.Random(name)
    for frame in range(1, int(arguments[0]) + 1):
        (folder / f"{frame:04}.png").write_bytes(picture(noise, percent, frame, fault))
