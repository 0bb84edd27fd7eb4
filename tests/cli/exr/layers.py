#!/usr/bin/env python3
"""layers.py NAME...: writes EXRs of 96 x 80 pixels that have the layers of a render, NAME.exr each, uncompressed. A NAME
says what is wrong with it, with + between: object_swapped, no_crypto, levels (a second level of Cryptomatte),
second_swapped, last_swapped (in its two ranks), id (an index off by one), id_large (another object has 5000), hole,
scale, far (one sample of 1e6), solid (depth and normals), half_light (highlights halved), seed1, seed2 ... (noise),
coverage (by 0.005), parts (several parts, as Houdini and Blender 5 write them)."""
import random
import struct
import sys

WIDTH, HEIGHT = 96, 80
NAMES = {"floor": 0x7819C83C, "cube": 0x5968AF08, "ball": 0x645D3BC4}


def attribute(name, kind, value):
    return f"{name}\0{kind}\0".encode() + struct.pack("<I", len(value)) + value


def id_of(name):
    return struct.unpack("<f", struct.pack("<I", NAMES[name]))[0]


def channels(faults):
    def cube(x, y):
        return 20 <= x < 60 and 20 <= y < 60
    def ball(x, y):
        return 70 <= x < 82 and 30 <= y < 42
    def depth(x, y):
        return 6.0 if cube(x, y) else 9.0 if ball(x, y) else 12 + y / 10
    def light(x, y):
        return 4.0 if ball(x, y) else 0.1 + 0.004 * x + 0.1 * (x // 8 % 2)
    second = "floor" if "object_swapped" in faults else "ball"
    def thing(x, y):
        return "cube" if cube(x, y) else second if ball(x, y) else "floor"
    cover = 0.995 if "coverage" in faults else 1.0
    layers = {name: light for name in ("Combined.R", "Combined.G", "Combined.B")}
    layers["Depth.Z"] = depth
    layers["Object Index.X"] = lambda x, y: 3.0 if cube(x, y) else 16.0 if ball(x, y) else 1.0
    for axis, value in zip("XYZ", (0.0, 0.6, 0.8)):
        layers["Normal." + axis] = lambda x, y, v=value: v if cube(x, y) else float(v == 0.8)
    if "no_crypto" not in faults:
        layers["CryptoObject00.r"] = lambda x, y: id_of(thing(x, y))
        layers["CryptoObject00.g"] = lambda x, y: cover
        layers["CryptoObject00.b"] = layers["CryptoObject00.a"] = lambda x, y: 0.0
    if "levels" in faults:
        layers["CryptoObject01.r"] = lambda x, y: id_of("cube" if "second_swapped" in faults and ball(x, y) else "floor")
        layers["CryptoObject01.b"] = lambda x, y: id_of("ball" if "last_swapped" in faults and cube(x, y) else "cube")
        layers["CryptoObject01.g"] = layers["CryptoObject01.a"] = lambda x, y: 0.1
    return damage(layers, faults, ball)


def damage(layers, faults, ball):
    index, depth, light = layers["Object Index.X"], layers["Depth.Z"], layers["Combined.R"]
    if "id_large" in faults:
        def index(x, y, f=index):
            return 5000.0 if f(x, y) == 3 else f(x, y)
    if "id" in faults:
        def index(x, y, f=index):
            return f(x, y) + ball(x, y)
    if "scale" in faults:
        def depth(x, y, f=depth):
            return 1.1 * f(x, y)
    if "hole" in faults:
        def depth(x, y, f=depth):
            return 0.0 if 24 <= x < 64 and 30 <= y < 70 else f(x, y)
    if "far" in faults:
        def depth(x, y, f=depth):
            return 1e6 if x == y == 5 else f(x, y)
    if "solid" in faults:
        layers.update({"Normal." + axis: lambda x, y: 0.5 for axis in "XYZ"})
        def depth(x, y):
            return 3.0
    for fault in faults:
        if fault.startswith("seed"):
            noise = random.Random(fault)
            def light(x, y, f=light, noise=noise):
                return f(x, y) * noise.uniform(0.8, 1.2)
            def depth(x, y, f=depth, noise=noise):
                return f(x, y) * noise.uniform(0.999, 1.001)
    if "half_light" in faults:
        def light(x, y, f=light):
            return f(x, y) / 2 if f(x, y) > 2 else f(x, y)
    layers.update({"Object Index.X": index, "Depth.Z": depth})
    layers.update({name: light for name in layers if name.startswith("Combined.")})
    return layers


def header(name, layers, parts):
    listed = b"".join(n.encode() + b"\0" + struct.pack("<i4xii", 2, 1, 1) for n in sorted(layers)) + b"\0"
    window = struct.pack("<4i", 0, 0, WIDTH - 1, HEIGHT - 1)
    text = [attribute("channels", "chlist", listed), attribute("compression", "compression", b"\0"),
            attribute("dataWindow", "box2i", window), attribute("displayWindow", "box2i", window),
            attribute("lineOrder", "lineOrder", b"\0"), attribute("pixelAspectRatio", "float", struct.pack("<f", 1)),
            attribute("screenWindowCenter", "v2f", struct.pack("<2f", 0, 0)),
            attribute("screenWindowWidth", "float", struct.pack("<f", 1))]
    manifest = "{" + ",".join(f'"{n}":"{v:08x}"' for n, v in NAMES.items()) + "}"
    if any(n.startswith("Crypto") for n in layers):
        text += [attribute("cryptomatte/542cafa/name", "string", b"CryptoObject"),
                 attribute("cryptomatte/542cafa/manifest", "string", manifest.encode())]
    if parts:
        text += [attribute("name", "string", name.encode()), attribute("type", "string", b"scanlineimage"),
                 attribute("chunkCount", "int", struct.pack("<i", HEIGHT))]
    return b"".join(text) + b"\0"


def write(path, faults):
    layers, parts = channels(faults), "parts" in faults
    groups = {}
    for name in layers:
        groups.setdefault(name.split(".")[0] if parts else "", {})[name] = layers[name]
    head = struct.pack("<II", 20000630, 0x1002 if parts else 2)
    head += b"".join(header(name, group, parts) for name, group in groups.items()) + (b"\0" if parts else b"")
    tables, rows, at = b"", b"", len(head) + 8 * HEIGHT * len(groups)
    for number, group in enumerate(groups.values()):
        for y in range(HEIGHT):
            tables += struct.pack("<Q", at + len(rows))
            data = b"".join(struct.pack(f"<{WIDTH}f", *[group[n](x, y) for x in range(WIDTH)]) for n in sorted(group))
            rows += (struct.pack("<i", number) if parts else b"") + struct.pack("<ii", y, len(data)) + data
    with open(path, "wb") as file:
        file.write(head + tables + rows)


for wanted in sys.argv[1:]:
    write(wanted + ".exr", wanted.split("+"))
