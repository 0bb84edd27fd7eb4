#!/usr/bin/env python3
"""picture_tools.py IMAGE_PIXELS TESTDATA: checks TIFF and DPX as other programs write them. Each file must
decode to the samples that its source has. If a program converts on the way, they are what that program
reads back as PNG. A program that is not installed is named and left out; without any the test is
skipped (77)."""
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import need

READER, TESTDATA = sys.argv[1], Path(sys.argv[2])
COMPRESSIONS = ("none", "lzw", "zip", "packbits")
failed, checked, missing = [], 0, set()


def has(program):
    if need.there(program):
        return True
    missing.add(program)
    return False


def pillow():
    """Returns an interpreter that has Pillow."""
    for python in filter(None, (os.environ.get("SSIMCU_PYTHON"), sys.executable, "/usr/bin/python3")):
        if subprocess.run([python, "-c", "import PIL"], capture_output=True).returncode == 0:
            return python
    if need.missing("PIL"):
        need.fail(f"picture_tools: {need.missing('PIL')}")
    missing.add("Pillow")
    return None


def run(*command):
    done = subprocess.run([str(part) for part in command], capture_output=True)
    return done.returncode == 0


def pixels(path):
    """Returns (header, samples), or (message, None)."""
    out = subprocess.run([READER, str(path)], capture_output=True, check=True).stdout
    header, _, samples = out.partition(b"\n")
    return (header.decode().rsplit(" ", 1)[0], samples) if header[:1] != b"!" else (header.decode(), None)


def check(path, source, made):
    global checked
    if not made:
        failed.append(f"{path.name}: the program could not write it")
        return
    checked += 1
    want, got = pixels(source), pixels(path)
    if got != want:
        failed.append(f"{path.name}: {got[0]}, expected {want[0]}" + ("" if got[0] != want[0] else ", other samples"))


def refuse(path, made, text):
    global checked
    checked += 1
    header, samples = pixels(path)
    if made and (samples is not None or text not in header):
        failed.append(f"{path.name}: {header}, expected {text}")


def tiffs_of_oiiotool(folder):
    for depth in ("rgb8_a", "rgb16", "grey8_a", "grey16"):
        source = TESTDATA / f"{depth}.png"
        for compression in COMPRESSIONS:
            for name, options in (("strips", ()), ("tiles", ("--tile", 16, 48)),
                                  ("planes", ("--planarconfig", "separate"))):
                path = folder / f"oiio_{depth}_{compression}_{name}.tif"
                check(path, source, run("oiiotool", source, "--compression", compression, *options, "-o", path))


def tiffs_of_tiffcp(folder):
    source = TESTDATA / "rgb8_a.png"
    first = folder / "oiio_rgb8_a_none_strips.tif"
    for i, options in enumerate((("-c", "lzw:2"), ("-c", "zip:2", "-B"), ("-c", "packbits", "-8"), ("-B", "-8"),
                                 ("-p", "separate", "-B"), ("-t", "-w", 32, "-l", 16, "-c", "zip:1"), ("-r", 1),
                                 ("-r", 7, "-c", "lzw:1"))):
        path = folder / f"tiffcp_{i}.tif"
        check(path, source, run("tiffcp", *options, first, path))
    for option, text in (("jpeg", "JPEG compression"), ("zstd", "Zstandard"), ("lzma", "LZMA"), ("webp", "WebP")):
        path = folder / f"tiffcp_{option}.tif"
        refuse(path, run("tiffcp", "-c", option, first, path), text) if run("tiffcp", "-c", option, first, path) else None
    two = folder / "tiffcp_two.tif"
    refuse(two, run("tiffcp", first, first, two), "more than one page")


def tiffs_of_imagemagick(folder):
    for name in ("rgb8_a", "rgba_alpha", "rgb16", "rgba16_alpha", "palette8"):
        source = TESTDATA / f"{name}.png"
        for compression in ("None", "LZW", "Zip", "RLE"):
            for endian in ("msb", "lsb"):
                path = folder / f"im_{name}_{compression}_{endian}.tif"
                check(path, source, run("/usr/bin/convert", source, "-compress", compression, "-define",
                                        f"tiff:endian={endian}", path))
    path = folder / "im_cmyk.tif"
    refuse(path, run("/usr/bin/convert", TESTDATA / "rgb8_a.png", "-colorspace", "CMYK", path), "CMYK")
    path = folder / "im_fax.tif"
    refuse(path, run("/usr/bin/convert", TESTDATA / "rgb8_a.png", "-monochrome", "-compress", "Group4", path), "CCITT")


def tiffs_of_pillow(folder, python):
    for name in ("rgb8_a", "grey8_a", "grey_alpha", "rgba_alpha", "palette8"):
        source = TESTDATA / f"{name}.png"
        for compression in ("raw", "tiff_lzw", "tiff_adobe_deflate", "packbits"):
            path = folder / f"pillow_{name}_{compression}.tif"
            code = "import sys; from PIL import Image; Image.open(sys.argv[1]).save(sys.argv[2], compression=sys.argv[3])"
            check(path, source, run(python, "-c", code, source, path, compression))


def tiffs_of_others(folder):
    for name in ("rgb8_a", "rgb16"):
        path = folder / f"ffmpeg_{name}.tif"
        if has("ffmpeg"):
            check(path, TESTDATA / f"{name}.png", run("ffmpeg", "-nostdin", "-v", "error", "-i", TESTDATA / f"{name}.png", path))


def as_png(folder, path):
    """Returns what ffmpeg or oiiotool reads of a DPX, cut back to its depth, as our own samples would be."""
    header, samples = pixels(path)
    png = folder / (path.name + ".png")
    read = run("ffmpeg", "-nostdin", "-v", "error", "-i", path, png) or run("oiiotool", path, "-o", png)
    if samples is None or not read:
        return f"{path.name}: {header}"
    bits = int(header.split()[3])
    other = pixels(png)[1]
    if bits in (10, 12):
        shift = 16 - bits
        values = memoryview(other).cast("H")
        other = b"".join((value >> shift).to_bytes(2, sys.byteorder) for value in values)
    return None if other == samples else f"{path.name}: {header}: other samples"


def dpxs(folder):
    global checked
    odd = folder / "odd.png"
    made = []
    if has("gm"):
        run("gm", "convert", TESTDATA / "rgb16.png", "-crop", "37x23+3+4", "+repage", odd)
        for bits in (8, 10, 12, 16):
            for i, options in enumerate(((), ("-endian", "LSB"), ("-define", "dpx:packing-method=packed"),
                                         ("-define", "dpx:packing-method=b"))):
                for source in (TESTDATA / "rgb16.png", odd):
                    path = folder / f"gm_{source.stem}_{bits}_{i}.dpx"
                    made.append((path, run("gm", "convert", source, "-depth", bits, *options, path)))
    if has("oiiotool"):
        for bits in (8, 10, 12, 16):
            for packing in ("Packed", "Filled, method A", "Filled, method B"):
                for name in ("rgb16", "rgba16_alpha"):
                    if bits == 10 and packing == "Packed" and name != "rgb16":
                        continue  # ffmpeg does not read it, and oiiotool multiplies by alpha
                    path = folder / f"oiio_{name}_{bits}_{packing[-1]}.dpx"
                    made.append((path, run("oiiotool", TESTDATA / f"{name}.png", "-d", f"uint{bits}", "--attrib",
                                           "dpx:Packing", packing, "-o", path)))
    if has("ffmpeg"):
        for kind in ("rgb24", "rgba", "gray", "gbrp10be", "gbrp10le", "gbrp12be", "gbrp12le", "rgb48be", "rgb48le"):
            path = folder / f"ffmpeg_{kind}.dpx"
            made.append((path, run("ffmpeg", "-nostdin", "-v", "error", "-i", TESTDATA / "rgb16.png", "-pix_fmt", kind, path)))
    for path, good in made:
        checked += 1
        why = as_png(folder, path) if good else f"{path.name}: the program could not write it"
        if why:
            failed.append(why)


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if pixels(TESTDATA / "rgb8_a.tif")[1] is None:
            missing.add("libtiff in this build")
        else:
            if has("oiiotool"):
                tiffs_of_oiiotool(folder)
                if has("tiffcp"):
                    tiffs_of_tiffcp(folder)
            if has("/usr/bin/convert"):
                tiffs_of_imagemagick(folder)
            python = pillow()
            if python:
                tiffs_of_pillow(folder, python)
            tiffs_of_others(folder)
        dpxs(folder)
    for line in failed:
        print(f"[FAIL] picture_tools: {line}")
    for program in sorted(missing):
        print(f"[SKIP] picture_tools [SKIP] {program} is not there")
    print(f"picture_tools: {checked} files of other programs, {len(failed)} wrong")
    return 1 if failed else 77 if checked == 0 else 0


sys.exit(main())
