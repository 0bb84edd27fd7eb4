"""pictures.py: what cases write their own pictures with: `from pictures import exr, png`. Folders are made."""
import os
import struct
import zlib


def _write(path, data):
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with open(path, "wb") as file:
        file.write(data)


def png(path, width, height, pixel):
    """`pixel(x, y)` is a grey sample of 8 bits, or a sequence of two, three or four samples."""
    samples = [pixel(x, y) for y in range(height) for x in range(width)]
    size = len(samples[0]) if hasattr(samples[0], "__len__") else 1
    kind = {1: 0, 2: 4, 3: 2, 4: 6}[size]
    data = bytes(samples) if size == 1 else b"".join(bytes(s) for s in samples)
    rows = b"".join(b"\0" + data[y * width * size:(y + 1) * width * size] for y in range(height))

    def chunk(name, content):
        return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))

    _write(path, b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">2I5B", width, height, 8, kind, 0, 0, 0))
           + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def exr(path, side, channels):
    """Floats in a square, not compressed: `channels` maps each name to a function of x and y."""
    def item(name, kind, value):
        return f"{name}\0{kind}\0".encode() + struct.pack("<I", len(value)) + value

    names, box = sorted(channels), struct.pack("<4i", 0, 0, side - 1, side - 1)
    listed = b"".join(name.encode() + b"\0" + struct.pack("<4I", 2, 0, 1, 1) for name in names) + b"\0"
    head = struct.pack("<2I", 20000630, 2) + b"".join((
        item("channels", "chlist", listed), item("compression", "compression", b"\0"),
        item("dataWindow", "box2i", box), item("displayWindow", "box2i", box), item("lineOrder", "lineOrder", b"\0"),
        item("pixelAspectRatio", "float", struct.pack("<f", 1)), item("screenWindowCenter", "v2f", bytes(8)),
        item("screenWindowWidth", "float", struct.pack("<f", 1)))) + b"\0"
    rows = [struct.pack("<2i", y, 4 * side * len(names))
            + struct.pack(f"<{side * len(names)}f", *(channels[name](x, y) for name in names for x in range(side)))
            for y in range(side)]
    places = [len(head) + 8 * side + y * len(rows[0]) for y in range(side)]
    _write(path, head + struct.pack(f"<{side}Q", *places) + b"".join(rows))
