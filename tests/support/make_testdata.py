#!/usr/bin/env python3
"""Makes the small images in testdata/, and the tables that say what must come of them.

    tests/support/make_testdata.py [DIRECTORY]

Needs numpy, Pillow and libjpeg-turbo's cjpeg and djpeg. The PNGs are written by the few lines
below, so that every field of the format is under control and their pixels are known without a
decoder; Pillow then reads them back as a second opinion. The pixels expected of a JPEG are
djpeg's. The same tools give the same files.
"""
import hashlib
import struct
import subprocess
import sys
import zlib
from pathlib import Path

import numpy as np
from PIL import Image

OUT = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).resolve().parents[2] / "testdata")
W, H = 96, 64
GREY, RGB, PALETTE, GREY_ALPHA, RGBA = 0, 2, 3, 4, 6
ADAM7 = ((0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2))
expected, damaged = {}, []


# ---- Pictures -----------------------------------------------------------------------------------

def h32(v):
    v = v.astype(np.uint32)
    v = (v ^ v >> 16) * np.uint32(0x7FEB352D)
    v = (v ^ v >> 15) * np.uint32(0x846CA68B)
    return v ^ v >> 16


def pair(width, height):
    """Ramps, a chessboard and noise; the second has more noise and a brighter patch."""
    y, x, c = np.meshgrid(np.arange(height), np.arange(width), np.arange(3), indexing="ij")
    t = (x * (c + 2) >> 3) + (y * (5 - c) >> 4)
    tri = np.where(t & 256, 255 - (t & 255), t & 255)
    board = ((x >> 4 ^ y >> 4) & 1) * 40 - 20
    key = (x * 73856093 ^ y * 19349663 ^ c * 83492791).astype(np.uint32)
    n1 = (h32(key) >> 28).astype(int)
    n2 = (h32(key ^ np.uint32(0x9E3779B9)) >> 28).astype(int) - 8
    a = np.clip(tri * 3 // 4 + 32 + board + n1, 0, 255)
    patch = (x >= width // 4) & (x < width // 2) & (y >= height // 4) & (y < height // 2)
    return a.astype(np.uint8), np.clip(a + n2 + patch * 24, 0, 255).astype(np.uint8)


def luma(rgb):
    r, g, b = (rgb[..., i].astype(int) for i in range(3))
    return ((2990 * r + 5870 * g + 1140 * b + 5000) // 10000).astype(np.uint8)[..., None]


def alpha_ramp(width, height):
    """0 at the left, 255 at the right, fully clear and fully opaque at the ends."""
    ramp = np.clip(np.arange(width) * 320 // width - 32, 0, 255)
    return np.broadcast_to(ramp[None, :, None], (height, width, 1)).astype(np.uint8)


def join(*planes):
    return np.concatenate(planes, axis=2)


def wide(pixels):
    return pixels.astype(np.uint16) * 257


# ---- PNG ----------------------------------------------------------------------------------------

def chunk(kind, data=b""):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def paeth(a, b, c):
    pa, pb, pc = abs(b - c), abs(a - c), abs(a + b - 2 * c)
    return a if pa <= pb and pa <= pc else b if pb <= pc else c


def filtered(rows, step):
    """Every row with the next of the five filters."""
    out, above = b"", bytes(len(rows[0]))
    for number, row in enumerate(rows):
        kind = number % 5
        left, corner = bytes(step) + row[:-step], bytes(step) + above[:-step]
        guess = [lambda a, b, c: 0, lambda a, b, c: a, lambda a, b, c: b,
                 lambda a, b, c: (a + b) // 2, paeth][kind]
        line = zip(row, left, above, corner)
        out += bytes([kind]) + bytes((v - guess(a, b, c)) & 255 for v, a, b, c in line)
        above = row
    return out


def packed(samples, depth):
    """Samples of one row, most significant bit first."""
    if depth == 16:
        return samples.astype(">u2").tobytes()
    if depth == 8:
        return samples.astype(np.uint8).tobytes()
    bits = samples[:, None] >> np.arange(depth - 1, -1, -1) & 1
    return np.packbits(bits.astype(np.uint8).ravel()).tobytes()


def raw_data(samples, depth, adam7):
    passes = ADAM7 if adam7 else ((0, 0, 1, 1),)
    step = max(1, samples.shape[2] * depth // 8)
    out = b""
    for x0, y0, dx, dy in passes:
        part = samples[y0::dy, x0::dx]
        if part.size:
            out += filtered([packed(row.ravel(), depth) for row in part], step)
    return out


def ihdr(width, height, depth, color, adam7=False):
    return chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, color, 0, 0, adam7))


def png(samples, depth, color, adam7=False, before=b"", after=b"", tail=b"", idat=1 << 20):
    height, width = samples.shape[:2]
    data = zlib.compress(raw_data(samples, depth, adam7), 9)
    parts = [chunk(b"IDAT", data[i:i + idat]) for i in range(0, len(data), idat)]
    return (b"\x89PNG\r\n\x1a\n" + ihdr(width, height, depth, color, adam7) + before
            + b"".join(parts) + after + chunk(b"IEND") + tail)


def good(name, data, pixels):
    """Writes an image that must decode to these pixels."""
    (OUT / name).write_bytes(data)
    height, width, channels = pixels.shape
    digest = hashlib.sha256(np.ascontiguousarray(pixels).tobytes()).hexdigest()[:16]
    expected[name] = (width, height, channels, pixels.dtype.itemsize * 8, digest)


def bad(name, data, status, text):
    """Writes a file that must be refused, with this status and this in the message."""
    (OUT / name).write_bytes(data)
    damaged.append((name, status, text))


def check_with_pillow(name, pixels):
    """Pillow reads no 16-bit colour."""
    with Image.open(OUT / name) as image:
        if pixels.dtype == np.uint8:
            mode = ("L", "LA", "RGB", "RGBA")[pixels.shape[2] - 1]
            seen = np.asarray(image.convert(mode)).reshape(pixels.shape)
        elif pixels.shape[2] == 1:
            seen = np.asarray(image).astype(np.uint16).reshape(pixels.shape)
        else:
            return
    assert np.array_equal(seen, pixels), name


def good_png(name, samples, depth, color, pixels=None, **more):
    pixels = samples if pixels is None else pixels
    good(name, png(samples, depth, color, **more), pixels)
    check_with_pillow(name, pixels)


def palette_of(count):
    index = np.arange(count)
    return np.stack([index * 255 // (count - 1), 255 - index * 200 // count, index * 37 % 256],
                    axis=1).astype(np.uint8)


def make_plain_pngs(a, b):
    grey, grey_b = luma(a), luma(b)
    low = h32(np.arange(a.size)).reshape(a.shape).astype(np.uint16) & 255
    deep = a.astype(np.uint16) << 8 | low
    for name, samples in (("rgb8_a", a), ("rgb8_b", b), ("rgb8_of_grey8_a", grey.repeat(3, 2))):
        good_png(name + ".png", samples, 8, RGB)
    for name, samples in (("rgb16_a", wide(a)), ("rgb16_b", wide(b)), ("rgb16", deep)):
        good_png(name + ".png", samples, 16, RGB)
    good_png("grey8_a.png", grey, 8, GREY)
    good_png("grey8_b.png", grey_b, 8, GREY)
    good_png("grey16.png", deep[..., :1], 16, GREY)
    for depth in (1, 2, 4):
        samples, most = grey >> 8 - depth, 2 ** depth - 1
        pixels = (samples * (255 // most)).astype(np.uint8)
        good_png(f"grey{depth}.png", samples, depth, GREY, pixels)
        good_png(f"grey8_of_grey{depth}.png", pixels, 8, GREY)
    good_png("grey1_adam7.png", grey >> 7, 1, GREY, (grey >> 7) * np.uint8(255), adam7=True)
    good_png("rgb8_adam7.png", a, 8, RGB, adam7=True)
    good_png("rgb16_adam7.png", deep, 16, RGB, adam7=True)


def make_alpha_pngs(a, b):
    grey, alpha = luma(a), alpha_ramp(W, H)
    opaque = np.full_like(alpha, 255)
    good_png("rgba_opaque.png", join(a, opaque), 8, RGBA)
    good_png("rgba_alpha.png", join(a, alpha), 8, RGBA)
    good_png("rgba_alpha_b.png", join(b, alpha), 8, RGBA)
    good_png("rgba16_alpha.png", wide(join(a, alpha)), 16, RGBA)
    good_png("grey_alpha.png", join(grey, alpha), 8, GREY_ALPHA)
    good_png("grey16_alpha.png", wide(join(grey, alpha)), 16, GREY_ALPHA)
    hidden = np.where(alpha == 0, 255 - a, a)
    good_png("rgb_under_alpha0_a.png", join(a, alpha), 8, RGBA)
    good_png("rgb_under_alpha0_b.png", join(hidden, alpha), 8, RGBA)


def keyed(samples, key, most):
    """tRNS of grey and RGB: the pixels of exactly this colour are clear."""
    clear = np.all(samples == key, axis=2, keepdims=True)
    return join(samples, np.where(clear, 0, most).astype(samples.dtype))


def make_trns_pngs(a):
    grey = luma(a)
    key = int(grey[H // 2, W // 2, 0])

    def trns(*v):
        return chunk(b"tRNS", struct.pack(f">{len(v)}H", *v))

    good_png("grey8_trns.png", grey, 8, GREY, keyed(grey, key, 255), before=trns(key))
    good("grey16_trns.png", png(wide(grey), 16, GREY, before=trns(key * 257)),
         keyed(wide(grey), key * 257, 65535))
    # Pillow looks for the unwidened key in the widened samples.
    good("grey4_trns.png", png(grey >> 4, 4, GREY, before=trns(key >> 4)),
         keyed((grey >> 4) * np.uint8(17), (key >> 4) * 17, 255))
    flat = a & 0xC0  # so that the key colour is common
    rgb = [int(v) for v in flat[H // 2, W // 2]]
    good_png("rgb8_trns.png", flat, 8, RGB, keyed(flat, rgb, 255), before=trns(*rgb))
    rgb16 = [v * 257 for v in rgb]
    good_png("rgb16_trns.png", wide(flat), 16, RGB, keyed(wide(flat), rgb16, 65535),
             before=trns(*rgb16))


def make_palette_pngs(a):
    index = luma(a)
    for depth in (1, 2, 4, 8):
        colors = palette_of(2 ** depth)
        samples = index >> 8 - depth
        plte = chunk(b"PLTE", colors.tobytes())
        good_png(f"palette{depth}.png", samples, depth, PALETTE, colors[samples[..., 0]], before=plte)
    good_png("rgb8_of_palette8.png", colors[index[..., 0]], 8, RGB)
    alphas = np.full(256, 255, np.uint8)
    alphas[:100] = np.arange(100) * 2  # shorter than the palette: the rest is opaque
    trns = chunk(b"tRNS", alphas[:100].tobytes())
    with_alpha = join(colors[index[..., 0]], alphas[index])
    good_png("palette_trns.png", index, 8, PALETTE, with_alpha, before=plte + trns)
    few, some = palette_of(16), index >> 4
    alphas = np.array([0, 128] + [255] * 14, np.uint8)
    good_png("palette_trns_adam7.png", some, 4, PALETTE, join(few[some[..., 0]], alphas[some]),
             before=chunk(b"PLTE", few.tobytes()) + chunk(b"tRNS", alphas[:2].tobytes()), adam7=True)


def ancillary():
    """One of nearly every chunk that does not change the samples, some of them nonsense."""
    text = zlib.compress(b"long text " * 20000)
    return (chunk(b"gAMA", struct.pack(">I", 45455)) + chunk(b"sRGB", b"\0")
            + chunk(b"cHRM", struct.pack(">8I", 31270, 32900, 64000, 33000, 30000, 60000, 15000, 6000))
            + chunk(b"sBIT", b"\x05\x06\x05") + chunk(b"iCCP", b"nonsense\0\0" + text)
            + chunk(b"bKGD", struct.pack(">3H", 1, 2, 3)) + chunk(b"pHYs", struct.pack(">IIB", 1, 2, 0))
            + chunk(b"eXIf", b"II*\0\x08\0\0\0" + bytes(6)) + chunk(b"tEXt", b"Title\0ancillary")
            + chunk(b"zTXt", b"Comment\0\0" + text) + chunk(b"iTXt", b"Note\0\0\0\0\0text")
            + chunk(b"sPLT", b"nonsense") + chunk(b"prIv", b"private"))


def make_odd_pngs(a, b):
    good_png("ancillary.png", a, 8, RGB, before=ancillary(), after=chunk(b"tIME", b"\x07\xe8\1\1\0\0\0"))
    good_png("many_idat.png", a, 8, RGB, idat=7)
    good_png("trailing.png", a, 8, RGB, tail=b"bytes after the end")
    for side in (1, 10, 11):
        good_png(f"tiny{side}x{side}.png", a[:side, :side], 8, RGB)
    good_png("tiny11x11_b.png", b[:11, :11], 8, RGB)
    good_png("tiny3x2_adam7.png", a[:2, :3], 8, RGB, adam7=True)  # some passes are empty
    small, colors = luma(a)[:23, :37], palette_of(4)
    good_png("odd37x23_rgb.png", a[:23, :37], 8, RGB)
    good_png("odd37x23_grey1.png", small >> 7, 1, GREY, (small >> 7) * np.uint8(255))
    good_png("odd37x23_palette2_adam7.png", small >> 6, 2, PALETTE, colors[(small >> 6)[..., 0]],
             before=chunk(b"PLTE", colors.tobytes()), adam7=True)


def flip(data, at):
    return data[:at] + bytes([data[at] ^ 1]) + data[at + 1:]


def make_animation(a, b):
    def control(n):
        return chunk(b"fcTL", struct.pack(">5I2H2B", n, W, H, 0, 0, 1, 25, 0, 0))

    second = chunk(b"fdAT", struct.pack(">I", 2) + zlib.compress(raw_data(b, 8, False)))
    frames = chunk(b"acTL", struct.pack(">2I", 2, 0))
    bad("apng.png", png(a, 8, RGB, before=frames + control(0), after=control(1) + second),
        "unsupported", "animated PNG of 2 frames")


def make_damaged_pngs(a):
    tiny = a[:11, :11]
    whole, size = png(a, 8, RGB), len(png(a, 8, RGB))
    start = b"\x89PNG\r\n\x1a\n"
    head = start + ihdr(11, 11, 8, RGB)
    raw = raw_data(tiny, 8, False)
    data, end = zlib.compress(raw), chunk(b"IEND")
    bad("truncated.png", whole[:size // 2], "data", "truncated PNG (IDAT ends early)")
    bad("no_iend.png", whole[:-12], "data", "truncated PNG (IEND is missing)")
    bad("bad_crc.png", flip(whole, size - 14), "data", "damaged PNG (IDAT: CRC error)")
    bad("bad_crc_text.png", flip(png(tiny, 8, RGB, before=chunk(b"tEXt", b"Title\0text")), 50), "data",
        "damaged PNG (tEXt: CRC error)")
    bad("bad_crc_iend.png", flip(whole, size - 1), "data", "damaged PNG (IEND: CRC error)")
    bad("bad_adler.png", head + chunk(b"IDAT", flip(data, len(data) - 1)) + end, "data",
        "damaged PNG (IDAT: incorrect data check)")
    bad("no_adler.png", head + chunk(b"IDAT", data[:-4]) + end, "data", "Not enough image data")
    bad("short_adler.png", head + chunk(b"IDAT", data[:-1]) + end, "data", "Not enough image data")
    bad("missing_rows.png", head + chunk(b"IDAT", zlib.compress(raw[:-34])) + end, "data",
        "Not enough image data")
    bad("surplus_rows.png", head + chunk(b"IDAT", zlib.compress(raw + raw[:34])) + end, "data",
        "Too much image data")
    bad("no_idat.png", head + end, "data", "IEND: out of place")
    bad("bad_filter.png", head + chunk(b"IDAT", zlib.compress(b"\x05" + raw[1:])) + end, "data",
        "bad adaptive filter value")
    plte = chunk(b"PLTE", palette_of(3).tobytes())
    bad("palette_index.png", png(np.full((2, 2, 1), 3), 2, PALETTE, before=plte), "data",
        "a pixel is not in the palette")
    bad("no_plte.png", png(tiny[..., :1], 8, PALETTE), "data", "Missing PLTE before IDAT")
    bad("unknown_critical.png", png(tiny, 8, RGB, before=chunk(b"NEWc")), "data",
        "NEWc: unhandled critical chunk")
    bad("zero_width.png", start + ihdr(0, 11, 8, RGB) + chunk(b"IDAT", data) + end, "data",
        "Invalid IHDR data")
    bad("bad_depth.png", start + ihdr(11, 11, 3, RGB) + chunk(b"IDAT", data) + end, "data",
        "Invalid IHDR data")
    bad("huge.png", start + ihdr(20000, 11, 8, RGB) + whole[33:], "data", "Not enough image data")
    bad("too_short.png", start + ihdr(16000, 8000, 8, RGB) + chunk(b"IDAT", data) + end, "data",
        "truncated PNG (too short for its size)")
    bad("magic_only.png", start, "data", "truncated PNG")
    bad("text.png", b"This is not an image.\n", "data", "not a PNG, JPEG, TIFF, DPX or EXR file")
    bad("empty.png", b"", "data", "file is empty")


# ---- JPEG ---------------------------------------------------------------------------------------

def tool(*command, data):
    return subprocess.run(command, input=data, stdout=subprocess.PIPE, check=True).stdout


def pnm(pixels):
    height, width, channels = pixels.shape
    return b"P%d %d %d 255\n" % (5 if channels == 1 else 6, width, height) + pixels.tobytes()


def cjpeg(pixels, *options):
    return tool("cjpeg", "-quality", "90", "-sample", "1x1", *options, data=pnm(pixels))


def djpeg(data):
    kind, size, _, pixels = tool("djpeg", "-pnm", data=data).split(b"\n", 3)
    width, height = map(int, size.split())
    return np.frombuffer(pixels, np.uint8).reshape(height, width, 1 if kind == b"P5" else 3)


def with_orientation(data, value):
    """Even values little-endian, odd values big-endian."""
    order = "<" if value % 2 == 0 else ">"
    tiff = (b"II*\0" if value % 2 == 0 else b"MM\0*") + struct.pack(order + "I", 8)
    tiff += struct.pack(order + "HHHIHHI", 1, 0x0112, 3, 1, value, 0, 0)
    app1 = b"Exif\0\0" + tiff
    return data[:2] + b"\xff\xe1" + struct.pack(">H", len(app1) + 2) + app1 + data[2:]


def turned(pixels, orientation):
    rows = {1: pixels, 2: pixels[:, ::-1], 3: pixels[::-1, ::-1], 4: pixels[::-1]}
    if orientation <= 4:
        return rows[orientation]
    columns = pixels.swapaxes(0, 1)
    return {5: columns, 6: columns[:, ::-1], 7: columns[::-1, ::-1], 8: columns[::-1]}[orientation]


def scans(data):
    """The bytes before the first scan, and each scan with the tables in front of it."""
    cuts, at, scanned = [], 2, True
    while data[at + 1] != 0xD9:
        marker, length = data[at + 1], struct.unpack(">H", data[at + 2:at + 4])[0]
        start, at = at, at + 2 + length
        if marker in (0xC4, 0xDA) and scanned:
            cuts.append(start)
            scanned = False
        if marker == 0xDA:
            scanned = True
            while data[at] != 0xFF or data[at + 1] == 0 or 0xD0 <= data[at + 1] <= 0xD7:
                at += 1
    return data[:cuts[0]], [data[i:j] for i, j in zip(cuts, cuts[1:] + [at])]


def separate(pixels):
    """A sequential JPEG with one scan for each component."""
    script = OUT / "scans.txt"
    script.write_text("0;\n1;\n2;\n")
    try:
        return cjpeg(pixels, "-scans", str(script))
    finally:
        script.unlink()


def make_jpegs(a, b):
    odd, tiny = a[:23, :37], a[:16, :16]
    files = {
        "yuv444.jpg": cjpeg(a), "yuv444_b.jpg": cjpeg(b),
        "yuv422.jpg": cjpeg(a, "-sample", "2x1"), "yuv420.jpg": cjpeg(a, "-sample", "2x2"),
        "grey.jpg": cjpeg(luma(a)), "rgb.jpg": cjpeg(a, "-rgb"),
        "progressive.jpg": cjpeg(a, "-progressive"),
        "progressive_yuv420.jpg": cjpeg(a, "-progressive", "-sample", "2x2"),
        "restart.jpg": cjpeg(a, "-restart", "1"), "separate_scans.jpg": separate(a),
        "odd37x23_yuv420.jpg": cjpeg(odd, "-sample", "2x2"),
        "odd37x23_progressive.jpg": cjpeg(odd, "-progressive", "-sample", "2x2"),
        "tiny16x16.jpg": cjpeg(tiny, "-optimize"),
        "tiny16x16_progressive.jpg": cjpeg(tiny, "-progressive"),
        "trailing.jpg": cjpeg(a) + b"bytes after the end",
        "orientation_invalid.jpg": with_orientation(cjpeg(a), 9),
    }
    head, (first, *rest) = scans(separate(tiny))
    files["scans100.jpg"] = head + first * 98 + b"".join(rest) + b"\xff\xd9"
    for name, data in files.items():
        good(name, data, djpeg(data))
    for value in range(1, 9):
        data = with_orientation(files["yuv420.jpg"], value)
        good(f"orientation{value}.jpg", data, turned(djpeg(data), value))
    bad("scans101.jpg", head + first * 99 + b"".join(rest) + b"\xff\xd9", "limit", "more than 100 scans")


def make_damaged_jpegs(a):
    whole = cjpeg(a)
    sof = whole.index(b"\xff\xc0")
    bad("truncated.jpg", whole[:len(whole) // 2], "data", "truncated JPEG (Premature end of JPEG file)")
    bad("no_eoi.jpg", whole[:-2], "data", "truncated JPEG (Premature end of JPEG file)")
    bad("early_eoi.jpg", whole[:len(whole) // 2] + b"\xff\xd9", "data", "premature end of data segment")
    bad("extraneous.jpg", whole[:-2] + bytes(40) + b"\xff\xd9", "data", "extraneous bytes")
    lost = cjpeg(a, "-restart", "1")
    at = lost.index(b"\xff\xd2")
    bad("missing_restart.jpg", lost[:at] + lost[lost.index(b"\xff\xd3"):], "data", "Corrupt JPEG data")
    progressive = cjpeg(a, "-progressive")
    bad("truncated_progressive.jpg", progressive[:len(progressive) // 2], "data", "truncated JPEG")
    for name, data in (("missing_scan", progressive), ("missing_component", separate(a))):
        head, parts = scans(data)
        bad(name + ".jpg", head + b"".join(parts[:-1]) + b"\xff\xd9", "data",
            "truncated JPEG (a scan is missing)")
    bad("twelve_bit.jpg", whole[:sof + 4] + b"\x0c" + whole[sof + 5:], "unsupported",
        "Unsupported JPEG data precision 12")
    bad("lossless.jpg", whole[:sof + 1] + b"\xc3" + whole[sof + 2:], "unsupported", "SOF type 0xc3")
    bad("huge.jpg", whole[:sof + 5] + b"\xff\xdc\xff\xdc" + whole[sof + 9:], "limit",
        "65500x65500 pixels, the limit is 134217728 in all")
    bad("too_large.jpg", whole[:sof + 5] + b"\xff\xff\xff\xff" + whole[sof + 9:], "limit",
        "Maximum supported image dimension")
    for name, options in (("arithmetic", ()), ("arithmetic_progressive", ("-progressive",))):
        bad(name + ".jpg", cjpeg(a[:16, :16], "-arithmetic", *options), "unsupported",
            "arithmetic-coded JPEG is not supported")
    bad("magic_only.jpg", b"\xff\xd8\xff", "data", "truncated JPEG")
    Image.fromarray(join(a, luma(a))[:16, :16], "CMYK").save(OUT / "cmyk.jpg", quality=90)
    cmyk = (OUT / "cmyk.jpg").read_bytes()
    bad("cmyk.jpg", cmyk, "unsupported", "CMYK JPEG")
    adobe = cmyk.index(b"Adobe") + 11
    bad("ycck.jpg", cmyk[:adobe] + b"\x02" + cmyk[adobe + 1:], "unsupported", "CMYK JPEG")


def main():
    a, b = pair(W, H)
    OUT.mkdir(exist_ok=True)
    make_plain_pngs(a, b)
    make_alpha_pngs(a, b)
    make_trns_pngs(a)
    make_palette_pngs(a)
    make_odd_pngs(a, b)
    make_animation(a, b)
    make_damaged_pngs(a)
    make_jpegs(a, b)
    make_damaged_jpegs(a)
    photo = OUT / "dandelion-ref.png"  # committed, not made
    if photo.exists():
        good(photo.name, photo.read_bytes(), np.asarray(Image.open(photo)))
        coded = (OUT / "dandelion-jpeg-q50.jpg").read_bytes()
        good("dandelion-jpeg-q50.jpg", coded, djpeg(coded))
    rows = ["\t".join(map(str, (name, *row))) for name, row in sorted(expected.items())]
    (OUT / "expected.tsv").write_text("# name\twidth\theight\tchannels\tbits\tsha256/16\n"
                                      + "\n".join(rows) + "\n")
    rows = ["\t".join(row) for row in sorted(damaged)]
    (OUT / "damaged.tsv").write_text("# name\tstatus\tin the message\n" + "\n".join(rows) + "\n")


if __name__ == "__main__":
    main()
