#!/usr/bin/env python3
"""exr.py DUMP MAKE DAMAGE: checks EXRs of every compression, type, layout and window, written by oiiotool
and by OpenEXR. They must decode bit for bit as oiiotool reads them. What is not supported is refused by
name. No truncated file is read, whatever the offset. Without oiiotool it skips and says so."""
import resource
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "support"))
import need

DUMP, MAKE, DAMAGE = sys.argv[1:4]
COMPRESSIONS = "none rle zips zip piz pxr24 b44 b44a dwaa dwab".split()
passed = 0


def oiiotool(*arguments):
    subprocess.run(["oiiotool", *map(str, arguments)], check=True, stdout=subprocess.DEVNULL)


def plain(path, channels):
    """Returns the samples of an uncompressed scanline EXR of one type, interleaved in the order asked for."""
    data = Path(path).read_bytes()
    at, found, names = 8, {}, []
    while data[at]:
        name, kind, rest = data[at:].split(b"\0", 2)
        at += len(name) + len(kind) + 2
        size = struct.unpack_from("<i", data, at)[0]
        found[name.decode()] = data[at + 4:at + 4 + size]
        at += 4 + size
    listed, sizes = found["channels"], set()
    while listed[0]:
        name, listed = listed.split(b"\0", 1)
        names.append(name.decode())
        sizes.add(2 if struct.unpack_from("<i", listed)[0] == 1 else 4)
        listed = listed[16:]
    size, = sizes
    x0, y0, x1, y1 = struct.unpack("<4i", found["dataWindow"])
    width, height = x1 - x0 + 1, y1 - y0 + 1
    at += 1 + 8 * height
    out = bytearray(width * height * len(channels) * size)
    for y in range(height):
        at += 8
        for name in names:
            row = data[at:at + width * size]
            at += width * size
            if name not in channels:
                continue
            for i in range(size):
                start = (y * width * len(channels) + channels.index(name)) * size + i
                out[start:start + width * len(channels) * size:len(channels) * size] = row[i::size]
    return width, height, size, bytes(out)


def dump(path, layer="-", channels="-", threads=0, *rows):
    run = subprocess.run([DUMP, path, layer, channels, str(threads), *map(str, rows)], capture_output=True)
    return run.returncode, run.stdout, run.stderr.decode()


def check(what, good, text=""):
    global passed
    if not good:
        sys.exit(f"[FAIL] exr::{what} {text}")
    passed += 1


def same(scratch, path, channels=("R", "G", "B"), part=0, kind="float", layer="-", wish="-"):
    """Decodes the file, and has oiiotool write what it reads of it, without compression."""
    expected = scratch / "plain.exr"
    oiiotool(path, "--subimage", part, "--selectmip", 0, "--ch", ",".join(channels), "--croptofull",
             "-d", kind.replace("uint", "uint32"), "--compression", "none", "--scanline", "-o", expected)
    width, height, size, samples = plain(expected, list(channels))
    if kind == "uint":  # counts as a float of the same value
        values = struct.unpack(f"<{len(samples) // 4}I", samples)
        samples = struct.pack(f"<{len(values)}f", *values)
    ways = [(layer, wish, 0), (layer, wish, 3)] if len(channels) in (1, 3) else []
    strips = [("-", ",".join(channels), 0, 7)] if part == 0 else []  # of 7 rows
    for way in ways + strips:
        code, out, error = dump(path, *way)
        check(path.name, code == 0, error)
        head, body = out.split(b"\n", 1)
        shape = f"{width} {height} {len(channels)} {256 + 8 * size}".encode()
        check(path.name, head == shape, f"is {head}, expected {shape}")
        check(path.name, body == samples, "differs from what oiiotool reads")


def refused(path, word, status, layer="-", channels="-"):
    code, _, error = dump(path, layer, channels)
    check(path.name, code == status and word in error and str(path) in error, f"{code}: {error}")


def by_oiiotool(scratch):
    base = scratch / "base.exr"
    oiiotool("--pattern", "fill:topleft=0,0.1,0.2:topright=4,2,1:bottomleft=.1,.5,.2:bottomright=1,1,8",
             "97x61", 3, "--noise:type=gaussian:stddev=0.05", "-d", "float", "-o", base)
    for compression in COMPRESSIONS:
        for kind in "half", "float":
            for tiles in (), ("--tile", 32, 16):
                path = scratch / f"{compression}_{kind}{'_tiled' if tiles else ''}.exr"
                oiiotool(base, *tiles, "-d", kind, "--compression", compression, "-o", path)
                same(scratch, path, kind=kind)
    windows = {"inside": "60x40+20+10", "beside": "97x61+200+10", "across": "130x90-20-7", "above": "10x10+90+55"}
    for name, window in windows.items():
        for tiles in (), ("--tile", 16, 16):
            path = scratch / f"window_{name}{'_tiled' if tiles else ''}.exr"
            oiiotool(base, "--fullsize", "97x61+0+0", "--crop", window, *tiles, "-d", "half", "-o", path)
            oiiotool(path, "--fullsize", "97x61+0+0", *tiles, "-o", path)
            if name == "beside":  # nothing of it is in the frame
                code, out, error = dump(path)
                check(path.name, code == 0 and not any(out.split(b"\n", 1)[1]), error)
            else:
                same(scratch, path, kind="half")
    path = scratch / "origin.exr"
    oiiotool(base, "--origin", "+100+50", "--fullsize", "97x61+100+50", "-d", "half", "-o", path)
    same(scratch, path, kind="half")
    path = scratch / "layers.exr"
    oiiotool(base, "--chnames", "diffuse.R,diffuse.G,diffuse.B", base, "--chappend", "-d", "half", "-o", path)
    same(scratch, path, kind="half")
    names = ("diffuse.R", "diffuse.G", "diffuse.B")
    same(scratch, path, names, kind="half", layer="diffuse")
    same(scratch, path, ("G", "diffuse.B", "R"), kind="half", wish="G,diffuse.B,R")
    same(scratch, path, ("diffuse.G",), kind="half", wish="diffuse.G")
    same(scratch, path, ("diffuse.R", "G", "diffuse.B", "B", "diffuse.G"), kind="half")
    refused(path, "EXR without specular; it has ", 4, layer="specular")
    refused(path, "EXR without iffuse; it has ", 4, layer="iffuse")
    path = scratch / "renderers.exr"
    oiiotool(base, "--chnames", "View.Combined.R,View.Combined.G,View.Combined.B", base, "--mulc", "0.5", "--chnames", "N.X,N.Y,N.Z",
             "--chappend", "-d", "half", "-o", path)
    names = ("View.Combined.R", "View.Combined.G", "View.Combined.B")
    same(scratch, path, names, kind="half")
    same(scratch, path, names, kind="half", layer="Combined")
    same(scratch, path, ("N.X", "N.Y", "N.Z"), kind="half", layer="N")
    refused(path, "one name, or three", 1, channels="R,G")
    refused(path, "one name, or three", 1, channels="R,G,B,A")
    path = scratch / "parts_oiio.exr"
    oiiotool(base, "--attrib", "oiio:subimagename", "one", base, "--mulc", "0.5", "--attrib",
             "oiio:subimagename", "two", "--siappend", "-d", "half", "-o", path)
    same(scratch, path, kind="half")
    same(scratch, path, kind="half", part=1, layer="two")
    path = scratch / "decreasing.exr"
    oiiotool(base, "--attrib", "openexr:lineOrder", "decreasingY", "-d", "half", "-o", path)
    same(scratch, path, kind="half")
    path = scratch / "depth.exr"
    oiiotool(base, "--ch", "R", "--chnames", "Z", "-d", "float", "-o", path)
    same(scratch, path, ("Z",), wish="Z")
    refused(path, "EXR without channels R, G, B; it has Z", 4)


def by_openexr(scratch):
    folder = scratch / "made"
    folder.mkdir()
    subprocess.run([MAKE, folder], check=True)
    for name in "one_level mipmap mipmap_up ripmap ripmap_up large_tile".split():
        same(scratch, folder / f"{name}.exr")
    for channel, kind in ("R", "half"), ("G", "float"), ("B", "uint"), ("id", "uint"):
        same(scratch, folder / "mixed.exr", (channel,), kind=kind, wish=channel)
    code, out, error = dump(folder / "mixed.exr")  # all of them as floats
    values = struct.unpack("<9f", out.split(b"\n", 1)[1][:36])
    check("mixed.exr", values[0::3] == (-0.25, -0.03125, 0.1875) and values[2::3] == (0, 0, 0), error)
    same(scratch, folder / "rgba.exr", kind="half")
    same(scratch, folder / "rgba.exr", ("A",), kind="half", wish="A")
    same(scratch, folder / "luminance.exr", ("Y",), kind="half")
    same(scratch, folder / "parts.exr", kind="half")
    same(scratch, folder / "parts.exr", ("Z",), part=1, layer="depth", wish="Z")
    refused(folder / "chroma.exr", "luminance and chroma", 4)
    refused(folder / "deep.exr", "deep EXR", 4)
    whole = dump(folder / "whole.exr")
    check("whole.exr", whole[0] == 0, whole[2])
    for how in ("across", "down", "both"):
        for name in "RGB":
            refused(folder / f"{name}_{how}.exr", f"EXR with the subsampled channel {name} ", 4)
        check(f"mask_{how}.exr", dump(folder / f"mask_{how}.exr") == whole, "an unread channel counts")
        refused(folder / f"mask_{how}.exr", "the subsampled channel mask ", 4, channels="mask")
    refused(folder / "large_id.exr", "16777216", 4, channels="id")


def truncated(scratch):
    """Cuts each compression's files at 500 offsets."""
    files = [scratch / f"{name}_half{tiled}.exr" for name in COMPRESSIONS for tiled in ("", "_tiled")]
    run = subprocess.run([DAMAGE, "cut", "500", *files, scratch / "made" / "parts.exr"], text=True,
                         capture_output=True)
    check("truncated", run.returncode == 0 and run.stdout.count(" 0 read") == 21, run.stdout + run.stderr)


def bombs(scratch):
    """Reads headers that claim more than there is, within 256 MiB of memory in all."""
    def bomb(name, *patches):
        data = bytearray((scratch / "none_half.exr").read_bytes())
        for attribute, at, value in patches:
            start = data.index(attribute)
            start = data.index(b"\0", data.index(b"\0", start) + 1) + 5 + at
            data[start:start + len(value)] = value
        path = scratch / f"bomb_{name}.exr"
        path.write_bytes(data)
        run = subprocess.run([DUMP, path], capture_output=True, text=True, preexec_fn=lambda:
                             resource.setrlimit(resource.RLIMIT_AS, (1 << 28, 1 << 28)))
        check(path.name, run.returncode in (4, 5, 9), f"{run.returncode} {run.stderr}")
    for number, (x, y) in enumerate([(16383, 16383), (2**24, 0), (0, 2**24), (2**31 - 1, 2**31 - 1), (2**31 - 1, 60),
                                     (96, 2**31 - 1), (-5, -5)]):
        corner = struct.pack("<2i", x, y)
        bomb(f"data_{number}", (b"dataWindow", 8, corner))
        bomb(f"display_{number}", (b"displayWindow", 8, corner))
        bomb(f"both_{number}", (b"dataWindow", 8, corner), (b"displayWindow", 8, corner))
    least = struct.pack("<2i", -2**31, -2**31)
    bomb("whole", (b"dataWindow", 0, least), (b"dataWindow", 8, struct.pack("<2i", 2**31 - 1, 2**31 - 1)))
    for compression in range(1, 12):
        bomb(f"dwab_{compression}", (b"compression\0", 0, bytes([compression])), (b"dataWindow", 8, struct.pack("<2i", 16383, 8191)),
             (b"displayWindow", 8, struct.pack("<2i", 16383, 8191)))


def main():
    if not need.there("oiiotool"):
        print("[SKIP] exr::all there is no oiiotool")
        return
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        by_openexr(scratch)
        by_oiiotool(scratch)
        truncated(scratch)
        bombs(scratch)
    print(f"[PASS] exr::all {passed} checks")


main()
