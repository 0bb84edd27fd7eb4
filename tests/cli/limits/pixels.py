#!/usr/bin/env python3
"""pixels.py: pictures of 96 x 64 pixels that look the same, or differ in known pixels."""
import struct
import zlib

W, H = 96, 64


def write(path, kind, pixels, depth=8):
    """`kind` is PNG's type of colour; `pixels(x, y)` returns the samples of a pixel."""
    sample = ">H" if depth == 16 else "B"
    rows = b"".join(b"\0" + b"".join(struct.pack(sample, s) for x in range(W) for s in pixels(x, y)) for y in range(H))

    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    head = struct.pack(">IIBBBBB", W, H, depth, kind, 0, 0, 0)
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def rgb(x, y):
    return x * 2, y * 3, (x + y) % 250


def grey(x, y):
    return ((x * 5 + y * 3) % 250,)


def changed(x, y, *parts):
    return tuple(s ^ 128 for s in rgb(x, y)) if any(a <= x < a + w and b <= y < b + h for a, b, w, h in parts) else rgb(x, y)


write("rgb.png", 2, rgb)
write("opaque.png", 6, lambda x, y: (*rgb(x, y), 255))
write("half.png", 6, lambda x, y: (*rgb(x, y), 128))
write("rgb16.png", 2, lambda x, y: tuple(257 * s for s in rgb(x, y)), 16)
write("level.png", 2, lambda x, y: tuple(s + 1 for s in rgb(x, y)))
write("grey.png", 0, grey)
write("grey_rgb.png", 2, lambda x, y: grey(x, y) * 3)
write("grey_alpha.png", 4, lambda x, y: (*grey(x, y), 255))
write("hidden.png", 6, lambda x, y: (*rgb(x, y), 255 * (x < 48)))
write("hidden2.png", 6, lambda x, y: (*(rgb(x, y) if x < 48 else (9, 8, 7)), 255 * (x < 48)))
write("clock0.png", 2, lambda x, y: changed(x, y, (0, 0, 40, 16)))
write("clock1.png", 2, lambda x, y: changed(x, y, (56, 50, 40, 14)))
write("clock2.png", 2, lambda x, y: changed(x, y, (47, 30, 2, 2)))
