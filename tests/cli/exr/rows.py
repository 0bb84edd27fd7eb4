#!/usr/bin/env python3
"""rows.py FILE FIRST COUNT: writes an EXR of 16 x 16 pixels that holds COUNT rows from row FIRST on. They are black
except row 5, which grows lighter to the right. Nothing is compressed."""
import struct
import sys

SIDE, FLOAT = 16, 2


def attribute(name, kind, form, *values):
    value = struct.pack("<" + form, *values)
    return f"{name}\0{kind}\0".encode() + struct.pack("<I", len(value)) + value


def main():
    path, first, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    head = struct.pack("<II", 20000630, 2) + b"".join((
        attribute("channels", "chlist", "2s4Ix", b"Y", FLOAT, 0, 1, 1),
        attribute("compression", "compression", "B", 0),
        attribute("dataWindow", "box2i", "4i", 0, first, SIDE - 1, first + count - 1),
        attribute("displayWindow", "box2i", "4i", 0, 0, SIDE - 1, SIDE - 1),
        attribute("lineOrder", "lineOrder", "B", 0),
        attribute("pixelAspectRatio", "float", "f", 1),
        attribute("screenWindowCenter", "v2f", "2f", 0, 0),
        attribute("screenWindowWidth", "float", "f", 1))) + b"\0"
    rows = [struct.pack(f"<2i{SIDE}f", y, 4 * SIDE, *[(y == 5) * x / SIDE for x in range(SIDE)])
            for y in range(first, first + count)]
    places = [len(head) + 8 * count + i * len(rows[0]) for i in range(count)]
    with open(path, "wb") as file:
        file.write(head + struct.pack(f"<{count}Q", *places) + b"".join(rows))


main()
