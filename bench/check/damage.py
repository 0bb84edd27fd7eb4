#!/usr/bin/env python3
"""damage.py PROGRAM CLIP...: what `ssimcu check` finds of known damage, and what it says of clean frames. PROGRAM is
ssimcu or, without files and 30 times as fast, bench_shots. A CLIP may be "lavfi:SOURCE", a source of ffmpeg. Each
clip, a video or a directory of pictures, is cut into shots of FRAMES frames; one frame of a shot is damaged in one
place, and the program judges the shot. Prints a table in Markdown: the share of damaged frames that fail, by kind
and form, of all and of those whose damage is visible, and how many clean frames fail. Needs ffmpeg, numpy and
Pillow."""
import argparse
import io
import json
import os
import shutil
import struct
import subprocess
import tempfile
import zlib
from pathlib import Path

import numpy
from PIL import Image, ImageDraw

FRAMES = 24


def decode(clip, width):
    """The frames of a clip as pictures of this width; a directory's as they are."""
    if str(clip).startswith("lavfi:"):
        height = round(width * 9 / 16 / 2) * 2
        pixels = subprocess.run(
            ["ffmpeg", "-v", "error", "-f", "lavfi", "-i", f"{clip[6:]},scale={width}:{height}", "-frames:v", str(FRAMES), "-f",
             "rawvideo", "-pix_fmt", "rgb24", "-"], capture_output=True).stdout
        return numpy.frombuffer(pixels, numpy.uint8).reshape(-1, height, width, 3)
    if Path(clip).is_dir():
        return numpy.stack([numpy.asarray(Image.open(path).convert("RGB")) for path in sorted(Path(clip).glob("*.png"))])
    probe = ["ffprobe", "-v", "error", "-select_streams", "v", "-show_entries", "stream=width,height", "-of", "csv=p=0"]
    w, h = (int(n) for n in subprocess.run([*probe, clip], capture_output=True, text=True).stdout.strip().split(",")[:2])
    height = round(width * h / w / 2) * 2
    pixels = subprocess.run(
        ["ffmpeg", "-v", "error", "-i", clip, "-vf", f"scale={width}:{height}", "-fps_mode", "passthrough", "-f", "rawvideo",
         "-pix_fmt", "rgb24", "-"],
        capture_output=True).stdout
    return numpy.frombuffer(pixels, numpy.uint8).reshape(-1, height, width, 3)


def text(word):
    return word.encode() + b"\0"


def attribute(key, kind, data):
    return text(key) + text(kind) + struct.pack("<I", len(data)) + data


def write_exr(path, light):
    """An EXR of floats or halves without compression."""
    half = light.dtype == numpy.float16
    height, width = light.shape[:2]
    box = struct.pack("<iiii", 0, 0, width - 1, height - 1)
    channels = b"".join(text(n) + struct.pack("<iiii", 1 if half else 2, 0, 1, 1) for n in "BGR") + b"\0"
    head = b"v/1\x01\x02\0\0\0" + attribute("channels", "chlist", channels) + attribute("compression", "compression", b"\0")
    head += attribute("dataWindow", "box2i", box) + attribute("displayWindow", "box2i", box)
    head += attribute("lineOrder", "lineOrder", b"\0") + attribute("pixelAspectRatio", "float", struct.pack("<f", 1))
    head += attribute("screenWindowCenter", "v2f", struct.pack("<ff", 0, 0))
    head += attribute("screenWindowWidth", "float", struct.pack("<f", 1)) + b"\0"
    row = (6 if half else 12) * width
    rows = [struct.pack("<iI", y, row) + light[y, :, ::-1].T.astype("<f2" if half else "<f4").tobytes()
            for y in range(height)]
    table = struct.pack(f"<{height}Q", *(len(head) + 8 * height + y * (row + 8) for y in range(height)))
    Path(path).write_bytes(head + table + b"".join(rows))


def write_png16(path, frame):
    """A PNG of 16 bits, which Pillow does not write."""
    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    height, width = frame.shape[:2]
    words = (frame.astype(">u2") * 257).astype(">u2").reshape(height, -1)
    rows = b"".join(b"\0" + row.tobytes() for row in words)
    head = struct.pack(">IIBBBBB", width, height, 16, 2, 0, 0, 0)
    Path(path).write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows, 1)) +
                           chunk(b"IEND", b""))


# ---- Damage ------------------------------------------------------------------------------------------------------


def square(a, r, side):
    y, x = r.integers(a.shape[0] - side), r.integers(a.shape[1] - side)
    return slice(y, y + side), slice(x, x + side)


def fill(a, part, value, r):
    a[part] = r.integers(0, 256, a[part].shape) if value is None else value


def filled(side, value):
    def put(a, r, shot, n):
        fill(a, square(a, r, side), value, r)
    return put


def part(percent, value):
    """The lower rows, the left columns or the upper left corner."""
    def put(a, r, shot, n):
        height, width = a.shape[:2]
        share, form = percent / 100, r.integers(3)
        if form == 0:
            fill(a, slice(round(height * (1 - share)), height), value, r)
        elif form == 1:
            fill(a, (slice(height), slice(round(width * share))), value, r)
        else:
            fill(a, (slice(round(height * share ** 0.5)), slice(round(width * share ** 0.5))), value, r)
    return put


def columns(count, value):
    def put(a, r, shot, n):
        x = r.integers(a.shape[1] - count + 1)
        fill(a, (slice(None), slice(x, x + count)), value, r)
    return put


def lost(channel, side):
    def put(a, r, shot, n):
        a[square(a, r, side) if side else slice(None)][..., channel] = 0
    return put


def exchanged(a, r, shot, n):
    a[:] = a[..., ::-1].copy()


def colourless(a, r, shot, n):
    a[:] = a.mean(-1, keepdims=True)


def power(exponent):
    def put(a, r, shot, n):
        a[:] = numpy.round(255 * (a / 255) ** exponent)
    return put


def rows(count, value):
    def put(a, r, shot, n):
        y = r.integers(16, a.shape[0] - count - 16)
        a[y:y + count] = r.integers(0, 256, a[y:y + count].shape) if value is None else value
    return put


def pixels(count, value):
    def put(a, r, shot, n):
        for _ in range(count):
            a[r.integers(2, a.shape[0] - 2), r.integers(2, a.shape[1] - 2)] = value
    return put


def whole(a, r, shot, n):
    a[:] = 0


def duplicate(a, r, shot, n):
    a[:] = shot[n - 1]


def blur(a, r, shot, n):
    part = square(a, r, 48)
    a[part] = a[part].mean((0, 1))


def noise(a, r, shot, n):
    part = square(a, r, 48)
    a[part] = numpy.clip(a[part] + r.normal(0, 14, a[part].shape), 0, 255)


def stale(side, back):
    def put(a, r, shot, n):
        part = square(a, r, side)
        a[part] = shot[n - back][part]
    return put


def brighter(a, r, shot, n):
    a[:] = numpy.clip(a * 1.05, 0, 255)


def whole_by(change):
    """The whole frame becomes change(frame, generator, shot, n)."""
    def put(a, r, shot, n):
        a[:] = numpy.clip(change(a.astype(float), r, shot, n), 0, 255).astype(numpy.uint8)
    return put


def jpeg(quality):
    def change(a, r, shot, n):
        held = io.BytesIO()
        Image.fromarray(a.astype(numpy.uint8)).save(held, "JPEG", quality=quality)
        return numpy.asarray(Image.open(held), float)
    return change


def displaced(a, r, shot, n):
    """Blocks of 16 pixels of a quarter of the frame change places."""
    down, across = a.shape[0] // 32, a.shape[1] // 32
    old, order = a.copy(), r.permutation(down * across)
    for i, k in enumerate(order):
        to, source = (divmod(i, across), divmod(int(k), across))
        a[to[0] * 16:to[0] * 16 + 16, to[1] * 16:to[1] * 16 + 16] = old[
            source[0] * 16:source[0] * 16 + 16, source[1] * 16:source[1] * 16 + 16]
    return a


def mixed(rows_of):
    """Some rows are of the next frame."""
    def change(a, r, shot, n):
        a[rows_of(len(a))] = shot[n + 1][rows_of(len(a))]
        return a
    return change


def marked(a, r, shot, n):
    picture = Image.fromarray(a.astype(numpy.uint8))
    draw = ImageDraw.Draw(picture)
    for y in range(20, a.shape[0] - 20, 60):
        draw.text((30 + y % 40, y), "UNLICENSED  UNLICENSED", (255, 255, 255))
    return numpy.asarray(picture, float)


FRAME = {  # what damages a whole frame
    "flipped": lambda a, r, shot, n: a[::-1], "mirrored": lambda a, r, shot, n: a[:, ::-1],
    "shifted by 8 pixels": lambda a, r, shot, n: numpy.roll(a, 8, 1), "inverted": lambda a, r, shot, n: 255 - a,
    "blurred": lambda a, r, shot, n: (a + numpy.roll(a, 1, 0) + numpy.roll(a, 1, 1) + numpy.roll(a, -1, 0) + numpy.roll(a, -1, 1)) / 5,
    "of 4 bits": lambda a, r, shot, n: a // 16 * 17, "of 5 bits": lambda a, r, shot, n: a // 8 * 8.2,
    "JPEG of quality 10": jpeg(10), "JPEG of quality 40": jpeg(40), "half the light": lambda a, r, shot, n: a / 2,
    "1.5 times the light": lambda a, r, shot, n: a * 1.5, "nearly black": lambda a, r, shot, n: a / 20,
    "noise of 5 levels": lambda a, r, shot, n: a + r.normal(0, 5, a.shape), "blocks displaced": displaced,
    "interlaced": mixed(lambda h: slice(0, h, 2)), "torn": mixed(lambda h: slice(h // 2, h)), "watermark": marked,
    "half resolution": lambda a, r, shot, n: a[::2, ::2].repeat(2, 0).repeat(2, 1)[:a.shape[0], :a.shape[1]],
}

COLOURS = {"black": 0, "grey": 128, "white": 255, "magenta": (255, 0, 255), "garbage": None}
LIGHTS = (0.1, 0.3, 0.7, 1.4, 3)
KINDS = {  # of pixels: in every form
    **{f"{name}, {side} x {side}": filled(side, value) for name, value in COLOURS.items() for side in (8, 16, 32, 64)},
    **{f"{name}, {percent} % of the frame": part(percent, value) for name, value in COLOURS.items()
       for percent in (5, 20, 40, 60, 75, 90, 99)},
    "8 columns of garbage": columns(8, None), "8 black columns": columns(8, 0),
    "red lost": lost(0, 0), "blue lost": lost(2, 0), "red lost, 32 x 32": lost(0, 32), "red and blue exchanged": exchanged,
    "no colour": colourless, "to the power 2.2": power(2.2), "to the power 0.45": power(1 / 2.2),
    "4 rows of garbage": rows(4, None), "16 rows of garbage": rows(16, None), "6 black rows": rows(6, 0),
    "frame of one colour": whole, "six bright pixels": pixels(6, 255), "a dark pixel": pixels(1, 0),
    "frame repeated": duplicate, "foreign frame": None, "two frames swapped": None,
    **{f"foreign frame, {light} x the light": None for light in LIGHTS},
    "texture missing, 48 x 48": blur, "noise doubled, 48 x 48": noise,
    **{f"stale square, {side} x {side}, {back} before": stale(side, back) for side in (16, 32, 64) for back in (1, 6)},
    "frame brighter by 5 %": brighter,
    **{f"frame {name}": whole_by(change) for name, change in FRAME.items()},
}
OF_A_PIXEL = ("six bright pixels", "a dark pixel")
OF_A_TIME = ("frame repeated", "foreign frame", "two frames swapped", "frame brighter by 5 %")
INNER = [kind for kind in KINDS if kind.startswith(("stale", "foreign", "two", "frame "))]
EXTENSION = {"png16": "png", "half": "exr"}
FILES = ("file cut off", "frame missing", "another size", "another depth", "NaN in one sample")


def name(folder, n, form):
    return folder / f"f.{n:04d}.{EXTENSION.get(form, form)}"


def to_light(frame, form):
    light = (frame / numpy.float32(255)) ** numpy.float32(2.2)
    return light.astype(numpy.float16 if form == "half" else numpy.float32)


def write(frame, path, form, nan=False, deep=False):
    if form in ("exr", "half"):
        light = to_light(frame, form)
        if nan:
            light[frame.shape[0] // 2, frame.shape[1] // 3, 1] = numpy.nan
        write_exr(path, light)
    elif form == "png16":
        write_png16(path, frame)
    elif form == "tif":
        Image.fromarray(frame).save(path)
    elif deep:
        Image.fromarray(frame[..., 1].astype(numpy.int32) * 257).convert("I;16").save(path)
    else:
        Image.fromarray(frame).save(path, compress_level=1)


def damage(kind, shot, far, n, r):
    """The shot with one damaged frame, or two, and which they are."""
    made = list(shot)
    if kind.startswith("foreign frame"):
        light = float(kind.split()[2]) if "light" in kind else 1
        made[n] = numpy.clip(far * light, 0, 255).astype(numpy.uint8)
    elif kind == "two frames swapped":
        made[n], made[n + 1] = made[n + 1], made[n]
        return made, {n, n + 1}
    else:
        made[n] = shot[n].copy()
        KINDS[kind](made[n], r, shot, n)
    return made, {n}


def is_visible(kind, clean, bad):
    """Whether a person who has both frames could tell them apart. Of a part a quarter of the samples must change by
    16 levels of 255, of pixels one by 64 in each channel; a whole frame must have less than 40 dB."""
    change = numpy.abs(clean.astype(int) - bad)
    if kind in FILES:
        return True
    if kind in OF_A_TIME or kind.startswith(("foreign", "frame ")) and kind != "frame of one colour":
        return numpy.mean(change ** 2) > 255 ** 2 / 10 ** 4
    if kind in OF_A_PIXEL:
        return bool((change.min(2) >= 64).any())
    y, x = numpy.nonzero(change.max(2))
    if len(y) == 0:
        return False
    part = change[y.min():y.max() + 1, x.min():x.max() + 1]
    return numpy.mean(part >= 16) >= 0.25


# ---- In one process ---------------------------------------------------------------------------------------------


BITS = {"png": 8, "tif": 8, "png16": 16, "dpx": 10, "exr": -32, "half": -16}


class Shots:
    """bench_shots, which judges frames without files."""

    def __init__(self, program):
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def judge(self, frames, form):
        """The frames that fail, by number, and their kinds. `frames`: of samples as `samples` makes them."""
        height, width = frames[0].shape[:2]
        self.process.stdin.write(f"{width} {height} 3 {BITS[form]} {len(frames)}\n".encode())
        for frame in frames:
            self.process.stdin.write(frame.tobytes())
        self.process.stdin.flush()
        found = {}
        while not (line := self.process.stdout.readline().decode()).startswith("."):
            frame, kind = line.split(" ", 2)[:2]
            found.setdefault(int(frame), []).append(kind)
        return found


def samples(frame, form):
    if form == "png16":
        return frame.astype(numpy.uint16) * 257
    if form == "dpx":
        return frame.astype(numpy.uint16) << 2 | frame >> 6
    if form in ("exr", "half"):
        return to_light(frame, form)
    return numpy.ascontiguousarray(frame)


# ---- The program -------------------------------------------------------------------------------------------------


def judge(program, path):
    """The frames that fail, by number, and their kinds."""
    done = subprocess.run([program, "check", "--json", path], capture_output=True, text=True)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    found = {line["frame"]: [f["kind"] for f in line.get("findings", ()) if f["fails"]]
             for line in lines if line["type"] == "frame"}
    return {frame: kinds for frame, kinds in found.items() if kinds}


def encode(frames, path, *options, size=None, form="rgb24", crf=16):
    """Encodes frames of 25 a second. `size`: width and height, if the frames do not have them. `options`: of ffmpeg."""
    width, height = size or frames[0].shape[1::-1]
    subprocess.run(["ffmpeg", "-v", "error", "-y", "-f", "rawvideo", "-pix_fmt", form, "-s", f"{width}x{height}", "-i", "-", *options,
                    "-c:v", "libx264", "-preset", "veryfast", "-crf", str(crf), "-pix_fmt", "yuv420p", path],
                   input=numpy.stack(frames).tobytes(), check=True)


def spoil_file(kind, shot, n, form, folder):
    """Damages a file of a sequence that is written."""
    path = name(folder, n, form)
    if kind == "file cut off":
        os.truncate(path, path.stat().st_size * 2 // 3)
    elif kind == "frame missing":
        path.unlink()
    elif kind == "another size":
        write(shot[n][:-8], path, form)
    elif kind == "another depth" and form == "png":
        write(shot[n], path, form, deep=True)
    elif kind == "NaN in one sample" and form == "exr":
        write(shot[n], path, form, nan=True)
    else:
        return False
    return True


def trial(program, kind, shot, far, form, r, at, clean, before, folder):
    """Whether the damage is found, whether it is visible, and how many frames fail that are whole and passed before;
    None: the form has no such damage. `at`: 1: it is in the first frame, 2: in the last, 0: in another."""
    n = {1: 0, 2: len(shot) - 1}.get(at, int(r.integers(8, len(shot) - 4)))
    if kind in FILES and form == "mp4":
        return None
    frames, bad = (shot, {n}) if kind in FILES else damage(kind, shot, far, n, r)
    if isinstance(program, Shots):
        if kind in FILES:
            return None
        failed = program.judge([samples(frames[i], form) if i in bad else clean[i] for i in range(len(shot))], form)
        return (bool(bad & (failed.keys() - before)), any(is_visible(kind, shot[i], frames[i]) for i in bad),
                len(failed.keys() - bad - before))
    if form == "mp4":
        target = folder / "f.mp4"
        encode(frames, target)
    else:
        target = folder
        for i in range(len(shot)):
            os.link(name(clean, i, form), name(folder, i, form))
        for i in bad if kind not in FILES else ():
            name(folder, i, form).unlink()
            write(frames[i], name(folder, i, form), form)
        if kind in FILES:
            held = name(folder, n, form)
            copy = held.read_bytes()
            held.unlink()
            held.write_bytes(copy)
            if not spoil_file(kind, shot, n, form, folder):
                return None
    failed = judge(program, target)
    visible = any(is_visible(kind, shot[i], frames[i]) for i in bad)
    return bool(bad & (failed.keys() - before)), visible, len(failed.keys() - bad - before)


def cut(clips, width):
    """The shots, each with a foreign frame."""
    shots = []
    for clip in clips:
        frames = decode(clip, width)
        length = min(FRAMES, len(frames))
        for begin in range(0, len(frames) - length + 1, max(FRAMES, len(frames) // 4)):
            shots.append((frames[begin:begin + length], frames[(begin + len(frames) // 2) % len(frames)]))
    return shots


def foreign_shot(shots, s):
    """A frame of another shot, half of them later, in the size of this one."""
    height, width = shots[s][0].shape[1:3]
    other = shots[(s + len(shots) // 2) % len(shots)][0]
    return numpy.asarray(Image.fromarray(other[len(other) // 2]).resize((width, height)))


def write_clean(program, shots, forms, work):
    """Writes the shots as they are. Returns their folders, and the frames that fail in each."""
    clean, before = {}, {}
    for form in forms:
        for s, (shot, _) in enumerate(shots):
            if isinstance(program, Shots):
                clean[form, s] = [samples(frame, form) for frame in shot]
                before[form, s] = program.judge(clean[form, s], form).keys()
                continue
            clean[form, s] = work / f"{form}{s}"
            clean[form, s].mkdir()
            for i, frame in enumerate(shot if form != "mp4" else ()):
                write(frame, name(clean[form, s], i, form), form)
            if form == "mp4":
                encode(shot, clean[form, s] / "f.mp4")
            before[form, s] = judge(program, clean[form, s] / ("f.mp4" if form == "mp4" else "")).keys()
    return clean, before


def events(program, shots, count):
    """The kinds that events of two frames have, which belong to the work: a flash, a light, an object, a title card
    and a foreign picture."""
    said = {}
    for i in range(count):
        shot, far = shots[i % len(shots)][0], foreign_shot(shots, i % len(shots))
        r = numpy.random.default_rng([73, i])
        n, made = int(r.integers(6, len(shot) - 6)), list(shot)
        part, card = square(shot[0], r, shot[0].shape[0] // 3), numpy.full_like(shot[0], 20)
        card[40:80, 40:-40] = 220
        for k in (n, n + 1):
            light, local = numpy.clip(shot[k] * 1.8, 0, 255).astype(numpy.uint8), shot[k].copy()
            local[part] = light[part] if i % 5 == 1 else far[part]
            made[k] = (light, local, local, card, far)[i % 5]
        for frame, kinds in program.judge([samples(frame, "png") for frame in made], "png").items():
            if frame in (n, n + 1):
                for kind in kinds:
                    said[kind] = said.get(kind, 0) + 1
    return said


def tell(kind, place, s, result):
    print(f"missed: {kind}, place {place}, shot {s}" if result[1] and not result[0] else "", end="\n" * (result[1] and not result[0]))
    if result[2]:
        print(f"whole frames fail: {result[2]}: {kind}, place {place}, shot {s}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("clip", nargs="+")
    parser.add_argument("--places", type=int, default=40)
    parser.add_argument("--forms", default="png,exr,mp4", help="of png, png16, tif, exr, half; dpx with bench_shots, mp4 with ssimcu")
    parser.add_argument("--kinds", default="", help="those whose names have one of these words, with semicolons between")
    parser.add_argument("--width", type=int, default=640)
    parser.add_argument("--tell", action="store_true", help="which visible damage is missed")
    parser.add_argument("--events", type=int, default=0, help="only say what so many events of two frames are called")
    given = parser.parse_args()
    shots, forms = cut(given.clip, given.width), given.forms.split(",")
    print(f"{len(shots)} shots of up to {FRAMES} frames, {given.places} places of each kind; shares of all / of the visible.\n")
    print("| damage | visible | " + " | ".join(forms) + " |\n|---|---|" + "---|" * len(forms))
    others = {form: 0 for form in forms}
    with tempfile.TemporaryDirectory() as work:
        program = given.program if given.program.endswith("ssimcu") else Shots(given.program)
        if given.events:
            print(f"{given.events} events of two frames: {events(program, shots, given.events)}")
            return
        clean, before = write_clean(program, shots, forms, Path(work))
        for kind in [*KINDS, *FILES]:
            if not any(word in kind for word in given.kinds.split(";")):
                continue
            cells, visible = [], ""
            for form in forms:
                results = []
                for place in range(given.places):
                    s = place % len(shots)
                    r = numpy.random.default_rng([61, zlib.crc32(kind.encode()), place])
                    folder = Path(work) / "trial"
                    folder.mkdir()
                    shot, far = shots[s][0], foreign_shot(shots, s) if "light" in kind else shots[s][1]
                    at = place % 5 if kind in KINDS and kind not in INNER else 0  # a fifth each in the ends
                    result = trial(program, kind, shot, far, form, r, at, clean[form, s], before[form, s], folder)
                    shutil.rmtree(folder)
                    if result is None:
                        break
                    results.append(result)
                    others[form] += result[2]
                    if given.tell:
                        tell(kind, place, s, result)
                seen = [found for found, shows, _ in results if shows]
                visible = len(seen) if seen else visible
                cells.append(f"{numpy.mean([r[0] for r in results]):.2f} / {numpy.mean(seen or [0]):.2f}" if results else "")
            print(f"| {kind} | {visible} | " + " | ".join(cells) + " |", flush=True)
        whole = (str(sum(len(before[form, s]) for s in range(len(shots)))) for form in forms)
        print("| clean frames that fail, before any damage | | " + " | ".join(whole) + " |")
        print("| whole frames that fail beside damage | | " + " | ".join(str(others[form]) for form in forms) + " |")


if __name__ == "__main__":
    main()
