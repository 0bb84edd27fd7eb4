#!/usr/bin/env python3
"""learned_layout.py PROGRAM: reads a file of learned limits by what lib/qa/learned/learned_file.h and code.h say of it, and nothing else.

Twenty frames of noise teach learned limits. Frames of one tile have one score and one shift, so what a run says of how far it is
over its learned limits must come out of the file again.
"""
import json
import math
import pathlib
import struct
import subprocess
import sys
import tempfile
import zlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = pathlib.Path(sys.argv[1]).resolve()
EACH_CHANNEL = {"score": False, "level_shift": True, "difference": True, "texture": False, "bright": True, "dark": True}
FRAMES = 20
bad = 0


def expect(good, what):
    global bad
    if not good:
        bad += 1
        print(f"[FAIL] learned_layout::{what}")


def inflate(data, place, size, raw, crc):
    expect(zlib.crc32(data[place:place + size]) == crc, f"CRC at {place}")
    out = zlib.decompress(data[place:place + size])
    expect(len(out) == raw, f"bytes inflated at {place}")
    return out


def sigma_of(code):
    return 2 ** (code / 11 - 12)


def read_frame(raw, at, values, before):
    """A frame's codes of sigmas and means in eighths, and where it ends."""
    codes, means = [], []
    for i in range(values):
        expected = before[0][i] if before else codes[-1] if codes else 0
        codes.append((raw[at + i] + expected) % 256)
    at += values
    for i in range(values):
        folded = raw[at]
        at += 1
        if folded == 255:
            folded = struct.unpack_from("<I", raw, at)[0]
            at += 4
        if before:
            mean = before[1][i] * sigma_of(before[0][i]) / 8
        else:
            mean = means[-1] * sigma_of(codes[i - 1]) / 8 if means else 0
        means.append(round(mean / sigma_of(codes[i]) * 8) + (-(folded + 1) // 2 if folded % 2 else folded // 2))
    return (codes, means), at


def read(path):
    """The learned limits of each frame and its reference, by part and number."""
    data = pathlib.Path(path).read_bytes()
    expect(data[:8] == b"SSIMCUF3" and data[-8:] == b"SSIMCUFE", "magic")
    place, size, raw_size, crc = struct.unpack("<QIII", data[-28:-8])
    index = inflate(data, place, size, raw_size, crc)
    parts, blocks, frames = struct.unpack_from("<III", index)
    at, names, of_blocks, learned, references = 12, [], [], {}, {}
    for _ in range(parts):
        length = struct.unpack_from("<I", index, at)[0]
        at += 4
        names.append(None if length == 0xFFFFFFFF else index[at:at + length].decode())
        at += 0 if length == 0xFFFFFFFF else length
    for _ in range(blocks):
        of_blocks.append(struct.unpack_from("<QIIIIIIIIIII", index, at))
        at += 52
    for offset, packed, raw_size, crc, part, count, tile, width, height, columns, rows, channels in of_blocks:
        raw, used, before = inflate(data, offset, packed, raw_size, crc), 0, None
        sizes = [columns * rows * (channels if each else 1) for each in EACH_CHANNEL.values()]
        for _ in range(count):
            number, runs = struct.unpack_from("<qI", index, at)
            at += 12
            before, used = read_frame(raw, used, sum(sizes), before)
            learned[names[part], number] = (runs, (tile, width, height, columns, rows, channels), before, sizes)
        expect(used == raw_size, f"the length of the block at {offset}")
    expect(len(learned) == frames, "number of frames")
    for part, number, *reference in struct.iter_unpack("<IqqqII", index[at:]):
        references[names[part], number] = reference
    return learned, references


def check(folder, tile, grid):
    runs = [f"{i}" for i in range(1, 9)]
    subprocess.run([PROGRAM, "-q", "calibrate", "--tile", str(tile), "--output", "l.json", "ref", *runs], cwd=folder, check=True,
                   capture_output=True)
    subprocess.run([PROGRAM, "-q", "--limits", "l.json", "--output", "r.jsonl", "ref", "new"], cwd=folder, capture_output=True)
    learned, references = read(folder / "l.learned")
    expect(len(learned) == len(references) == FRAMES, f"{len(learned)} frames, {len(references)} references")
    for line in (folder / "r.jsonl").read_text().splitlines()[1:-1]:
        record = json.loads(line)
        key = (record.get("shot"), record["frame"])
        learnt, its_grid, (codes, means), sizes = learned[key]
        expect(learnt in (7, 8) and its_grid == grid, f"runs and grid of {key}: {learnt} {its_grid}")
        shown = {"score": record["tile"]["score"], "level_shift": record["level_shift"]["levels"]}
        for rule, value in shown.items():
            spot = record["tile" if rule == "score" else "level_shift"]
            at = sum(sizes[:list(EACH_CHANNEL).index(rule)]) + spot["y"] // tile * its_grid[3] + spot["x"] // tile
            sigma = sigma_of(codes[at])
            z = (value - means[at] * sigma / 8) / sigma
            z = -z if rule == "score" else abs(z)
            said = record["learned"][rule]
            near = math.isclose(z, said, rel_tol=1e-4, abs_tol=1e-4)
            expect(near or (said > z and its_grid[3] > 1), f"{rule} of frame {key}: {z} {said}")
        size, seconds, nanoseconds, crc = references[key]
        data = (folder / record["ref"]["path"]).read_bytes()
        expect(size == len(data) and f"{seconds}.{nanoseconds:09}" == record["ref"]["mtime"], f"reference of {key}")
        last = size - 4096
        pieces = data if size <= 12288 else data[:4096] + data[last // 2:last // 2 + 4096] + data[last:]
        expect(crc == zlib.crc32(pieces), f"CRC of the reference of {key}")


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        subprocess.run([sys.executable, ROOT / "tests/cli/calibrate/noisy.py", str(FRAMES), "ref", *"12345678", "new"], cwd=folder,
                       check=True)
        check(folder, 96, (96, 96, 64, 1, 1, 1))
        check(folder, 32, (32, 96, 64, 3, 2, 1))
    print(f"learned limits layout: {bad} wrong")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
