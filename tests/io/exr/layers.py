#!/usr/bin/env python3
"""layers.py SSIMCU: EXRs as Arnold, RenderMan, Blender, Houdini and Nuke name and arrange their layers, made and read by
OpenImageIO. The score of every layer must be that of scikit-image, over the same range. Without OpenImageIO and
scikit-image for Python it skips and says so."""
import json
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "support"))
import need

need.use_python()
for module in ("numpy", "OpenImageIO", "skimage"):
    if not need.there(module):
        print(f"[SKIP] exr_layers::all there is no {module} for Python")
        sys.exit(77)
import numpy as np  # noqa: E402
import OpenImageIO as oiio  # noqa: E402
from skimage.metrics import structural_similarity  # noqa: E402

SSIMCU = sys.argv[1]
WIDTH, HEIGHT, FAR = 150, 110, 1e10
passed = 0

# What the programs write. A file is a list of parts: its name, and layers of it with the names of their channels. The
# kinds of layers are below. The value is the name that ssimcu gives to the layer, or None if it leaves it out.
FILES = {
    "arnold": [("", {"RGB": ("light", "R G B"), "A": ("alpha", "A"), "Z": ("depth", "Z"),
                     "N.XYZ": ("normal", "N.X N.Y N.Z"), "motionvector.X": ("motion", "motionvector.X"),
                     "motionvector.Y": ("motion", "motionvector.Y"),
                     "diffuse_direct.RGB": ("light", "diffuse_direct.R diffuse_direct.G diffuse_direct.B"),
                     "crypto_object": ("id", "crypto_object00.R crypto_object00.G crypto_object00.B crypto_object00.A"),
                     None: ("light", "crypto_object.R crypto_object.G crypto_object.B")})],
    "renderman": [("", {"Ci.RGB": ("light", "Ci.r Ci.g Ci.b"), "a": ("alpha", "a"), "z": ("depth", "z"),
                        "directDiffuse.RGB": ("light", "directDiffuse.r directDiffuse.g directDiffuse.b")})],
    "renderman_plain": [("", {"RGB": ("light", "r g b"), "a": ("alpha", "a")})],
    "blender": [("", {"ViewLayer.Combined.RGB": ("light", "ViewLayer.Combined.R ViewLayer.Combined.G ViewLayer.Combined.B"),
                      "ViewLayer.Combined.A": ("alpha", "ViewLayer.Combined.A"),
                      "ViewLayer.Depth.Z": ("depth", "ViewLayer.Depth.Z"),
                      "ViewLayer.Normal.XYZ": ("normal", "ViewLayer.Normal.X ViewLayer.Normal.Y ViewLayer.Normal.Z"),
                      "ViewLayer.Vector.XYZ": ("normal", "ViewLayer.Vector.X ViewLayer.Vector.Y ViewLayer.Vector.Z"),
                      "ViewLayer.Vector.W": ("motion", "ViewLayer.Vector.W"),
                      "ViewLayer.CryptoObject00.r": ("id", "ViewLayer.CryptoObject00.r"),
                      "ViewLayer.IndexOB.X": ("id", "ViewLayer.IndexOB.X")})],
    "houdini": [("C", {"C.RGB": ("light", "C.R C.G C.B"), "C.A": ("alpha", "C.A")}),
                ("Pz", {"Pz.Z": ("depth", "Pz.Z")}),
                ("N", {"N.XYZ": ("normal", "N.X N.Y N.Z")}),
                ("CryptoMaterial", {"CryptoMaterial.CryptoMaterial": (
                    "id", " ".join(f"CryptoMaterial{n:02}.{c}" for n in range(2) for c in "rgba"))})],
    "nuke": [("rgba", {"rgba.RGB": ("light", "R G B"), "rgba.A": ("alpha", "A")}),
             ("depth", {"depth.Z": ("depth", "Z")}),
             ("forward", {"forward.u": ("motion", "forward.u"), "forward.v": ("motion", "forward.v")}),
             ("spec", {"spec.RGB": ("light", "spec.red spec.green spec.blue")})],
}


def check(what, good, text=""):
    global passed
    if not good:
        sys.exit(f"[FAIL] exr_layers::{what} {text}")
    passed += 1


def samples(kind, count, seed, noise):
    """Planes of a kind of layer: a smooth picture, the noise of a render, and for a depth a far background."""
    random, fixed = np.random.default_rng(seed), np.random.default_rng(seed // 1000)
    y, x = np.mgrid[0:HEIGHT, 0:WIDTH]
    planes = []
    for at in range(count):
        a, b, c = fixed.uniform(5, 25, 3)
        wave = np.sin(x / a) * np.cos(y / b) * np.sin((x + y) / c)
        if kind == "light":
            plane = 0.4 + 0.3 * wave + random.normal(0, noise, x.shape)
        elif kind == "alpha":
            plane = np.clip(0.9 + 0.5 * wave, 0, 1) * (1 - noise * (x > 70) * (x < 90))
        elif kind == "depth":
            plane = np.where(y < 20, FAR, 200 + 150 * wave + random.normal(0, 100 * noise, x.shape))
        elif kind == "id":
            things = np.choose((x // 30 + y // 20 + at) % 3, (1.5e-5, 3e10, -7e20))
            moved = np.where((x > 40) & (y > 50) & (x < 50), things[::-1, ::-1], things)
            plane = (moved if seed % 1000 == 7 else things) if at % 2 == 0 else 0.6 - 0.2 * at / 2 + (seed % 7 == 0) * 0.004 + 0 * y
        else:
            plane = 5 * wave + random.normal(0, 5 * noise, x.shape)
        planes.append(plane.astype(np.float32))
    return planes


def write(path, parts, noise):
    """Writes a file, and returns the planes of its layers as they are read back."""
    specs, pixels = [], []
    for part, layers in parts:
        names, planes = [], []
        for at, (kind, channels) in enumerate(layers.values()):
            names += channels.split()
            planes += samples(kind, len(channels.split()), 1000 * (at + 1) + (7 if noise else 3), noise or 0.02)
        spec = oiio.ImageSpec(WIDTH, HEIGHT, len(names), oiio.FLOAT)
        spec.channelnames = names
        spec.attribute("compression", "zip")
        if part:
            spec.attribute("oiio:subimagename", part)
        specs.append(spec)
        pixels.append(np.stack(planes, -1))
    out = oiio.ImageOutput.create(str(path))
    check(path.name, out and out.open(str(path), tuple(specs)), oiio.geterror())
    for at, spec in enumerate(specs):
        check(path.name, at == 0 or out.open(str(path), spec, "AppendSubimage"), out.geterror())
        check(path.name, out.write_image(pixels[at]), out.geterror())
    out.close()


def read(path, parts):
    """The planes of each layer, as OpenImageIO reads them."""
    found = {}
    for at, (_, layers) in enumerate(parts):
        image = oiio.ImageBuf(str(path), at, 0)
        names = list(image.spec().channelnames)
        data = image.get_pixels(oiio.FLOAT)
        for name, (kind, channels) in layers.items():
            if name:
                found[name] = kind, [data[:, :, names.index(c)].astype(np.float64) for c in channels.split()]
    return found


def srgb(v):
    v = np.clip(v, 0, 1)
    return np.where(v <= 0.0031308, 12.92 * v, 1.055 * np.maximum(v, 1e-9) ** (1 / 2.4) - 0.055)


def differing(ref, out):
    """A mask of pixels that differ: a sample of one plane, or a rank of an ID and a coverage that is above 0.01."""
    mask = np.zeros(ref[0].shape, bool)
    if len(ref) == 1:
        return ref[0] != out[0]
    for a, p, b, q in zip(ref[::2], ref[1::2], out[::2], out[1::2]):
        mask |= ((a != b) | (abs(p - q) > 0.01)) & ((p > 0.01) | (q > 0.01))
    return mask


def score(kind, ref, out):
    """What scikit-image says: light under sRGB's curve, data within the range of both sides' samples and 0."""
    if kind == "id":
        mask = differing(ref, out).astype(np.float64)
        ref, out = [0 * mask], [mask]
    elif kind == "light":
        ref, out = [srgb(p) for p in ref], [srgb(p) for p in out]
    else:
        near = np.concatenate([p[p < 1e9] for p in ref + out])
        low, high = min(0, near.min()), max(0, near.max())
        ref, out = ([(np.where(p >= 1e9, high, p) - low) / (high - low) for p in side] for side in (ref, out))
    return np.mean([structural_similarity(a, b, data_range=1, gaussian_weights=True, sigma=1.5,
                                          use_sample_covariance=False) for a, b in zip(ref, out)])


def ssimcu(*arguments):
    run = subprocess.run([SSIMCU, *map(str, arguments)], capture_output=True, text=True)
    return run.returncode, run.stdout, run.stderr


def compare(name, parts, scratch):
    ref, out = scratch / f"{name}_ref.exr", scratch / f"{name}_out.exr"
    write(ref, parts, 0)
    write(out, parts, 0.06)
    code, text, error = ssimcu("--layers", "all", "--json", ref, out)
    check(name, code == 0, error)
    frames = [line for line in map(json.loads, text.splitlines()) if line["type"] == "frame"]
    layers, other = read(ref, parts), read(out, parts)
    check(name, sorted(f["shot"] for f in frames) == sorted(layers), f"{[f['shot'] for f in frames]}, not {sorted(layers)}")
    for frame in frames:
        kind, planes = layers[frame["shot"]]
        expected = score(kind, planes, other[frame["shot"]][1])
        check(f"{name} {frame['shot']}", abs(frame["score"] - expected) < 1e-6, f"{frame['score']}, not {expected}")
        check(f"{name} {frame['shot']} is not 1", frame["score"] < 0.9999, frame["score"])
    lacking = {c for _, part in parts for layer, (_, channels) in part.items() if layer is None for c in channels.split()}
    said = {c for f in frames for c in f.get("not_compared", [])}
    check(f"{name} left out", said == lacking, f"{said}, not {lacking}")
    alone(name, parts, ref, out, layers, other)


def alone(name, parts, ref, out, layers, other):
    """Without --layers the whole picture is compared, and every other channel is named."""
    whole = next(layer for layer in layers if layer.endswith("RGB"))
    code, text, error = ssimcu("--json", ref, out)
    check(f"{name} alone", code == 0, error)
    pair = json.loads(text)
    check(f"{name} alone", abs(pair["score"] - score("light", layers[whole][1], other[whole][1])) < 1e-6, pair["score"])
    channels = sum(len(c.split()) for _, part in parts for _, c in part.values())
    check(f"{name} alone", len(pair["not_compared"]) == channels - 3 and "not compared: " in error, error)
    code, text, _ = ssimcu("-q", ref, out)
    check(f"{name} quietly", (code, text) == (0, ""))


def main():
    with tempfile.TemporaryDirectory() as folder:
        for name, parts in FILES.items():
            compare(name, parts, Path(folder))
    print(f"[PASS] exr_layers::all {passed} checks")


main()
