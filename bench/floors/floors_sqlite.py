#!/usr/bin/env python3
"""floors_sqlite.py PROGRAM FRAMES COPIES: what a file of floors would be as a database of SQLite, as Markdown.

PROGRAM calibrates 16 frames, which are a block. Each shows COPIES pictures of testdata/renders across and down, every one rolled
over its edges by another distance, and all by a pixel more in each frame. The block is then kept again and again as FRAMES frames
of 10 parts, in four ways:

    file     the layout of lib/qa/floors/floors_file.h
    blocks   SQLite, a row for each block of 16 frames, with the same bytes
    frames   SQLite, a row for each frame, coded as the first frame of a block is
    floats   SQLite, a row for each frame, its floors as deflated floats of 4 bytes: no coding of our own

Each is written to the disk (fsync). Then it is opened, and each frame is looked up in order; its CRC is checked and its bytes are
inflated, but no number is decoded. All is Python, so how the times compare counts, not the times. Last, one bit of the database
is changed, many times over, and SQLite is asked whether it is sound."""
import array
import itertools
import os
import pathlib
import random
import sqlite3
import statistics
import struct
import subprocess
import sys
import tempfile
import time
import zlib

import numpy as np
from PIL import Image

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/system"))
import floors_layout  # noqa: E402  the layout is read where it is tested

BLOCK, PARTS, ROUNDS, FLIPS = 16, 10, 5, 200
PROGRAM = pathlib.Path(sys.argv[1]).resolve()
RENDERS = ROOT / "testdata/renders"
TABLES = ("CREATE TABLE part (id INTEGER PRIMARY KEY, name TEXT UNIQUE)",
          "CREATE TABLE block (id INTEGER PRIMARY KEY, part INTEGER, crc INTEGER, grid BLOB, bytes BLOB)",
          "CREATE TABLE frame (part INTEGER, frame INTEGER, runs INTEGER, block INTEGER, PRIMARY KEY (part, frame)) WITHOUT ROWID")


def enlarge(path, to, copies, by):
    picture = np.asarray(Image.open(path))
    chance = np.random.default_rng(1)  # the same for all pictures
    rows = [[np.roll(picture, chance.integers(0, picture.shape[:2]) + by, (0, 1)) for _ in range(copies)] for _ in range(copies)]
    to.parent.mkdir(exist_ok=True)
    Image.fromarray(np.concatenate([np.concatenate(row, 1) for row in rows])).save(to)


def calibrate(folder, copies):
    """The floors of the frames, and the bytes of their block."""
    runs = [f"run{i}" for i in range(1, 9)]
    for run, frame in itertools.product(["ref", *runs], range(BLOCK)):
        enlarge(RENDERS / run / f"000{frame % 2 + 1}.png", folder / run / f"{frame:04}.png", copies, frame)
    subprocess.run([PROGRAM, "-q", "calibrate", "--output", "l.json", "ref", *runs], cwd=folder, check=True, capture_output=True)
    floors, _ = floors_layout.read(folder / "l.floors")
    data = (folder / "l.floors").read_bytes()
    block = zlib.decompressobj()
    block.decompress(data[8:])
    return [floors[key] for key in sorted(floors, key=lambda key: key[1])], data[8:-len(block.unused_data)]


def coded(floor):
    """The bytes of the first frame of a block (lib/qa/floors/code.h)."""
    codes, means = floor
    sigma = [floors_layout.sigma_of(code) for code in codes]
    out = bytearray((code - before) % 256 for code, before in zip(codes, [0, *codes]))
    for mean, own, last in zip(means, sigma, [0, *(m * s for m, s in zip(means, sigma))]):
        more = mean - round(last / own)
        folded = 2 * more if more >= 0 else -2 * more - 1
        out += bytes([folded]) if folded < 255 else b"\xff" + struct.pack("<I", folded)
    return bytes(out)


def floats(floor):
    codes, means = floor
    sigma = [floors_layout.sigma_of(code) for code in codes]
    return array.array("f", [m * s / 8 for m, s in zip(means, sigma)] + sigma).tobytes()


def blobs_of(frames, pieces):
    """For each blob its part, its first frame, how many it has, and its bytes."""
    each = BLOCK // len(pieces)
    for part, at in itertools.product(range(PARTS), range(0, frames // PARTS, each)):
        yield part, at, each, pieces[at // each % len(pieces)]


def sync(path):
    with open(path, "rb") as file:
        os.fsync(file.fileno())


def write_file(path, blobs, grid, runs):
    index = struct.pack("<III", PARTS, len(blobs), sum(blob[2] for blob in blobs))
    index += b"".join(struct.pack("<I", 5) + b"sh%03d" % part for part in range(PARTS))
    entries = []
    with open(path, "wb") as file:
        file.write(b"SSIMCUF3")
        for part, first, count, data in blobs:
            index += struct.pack("<QIIIIIIIIIII", file.tell(), len(data), 0, zlib.crc32(data), part, count, *grid)
            entries += [struct.pack("<qI", first + i, runs) for i in range(count)]
            file.write(data)
        index = zlib.compress(index + b"".join(entries))
        file.write(index + struct.pack("<QIII", file.tell(), len(index), 0, zlib.crc32(index)) + b"SSIMCUFE")
    sync(path)


def read_file(path, frames):
    with open(path, "rb") as file:
        file.seek(-28, 2)
        place, size, _, crc = struct.unpack("<QIII", file.read(20))
        file.seek(place)
        index = file.read(size)
        assert zlib.crc32(index) == crc
        index = zlib.decompress(index)
        parts, blocks, _ = struct.unpack_from("<III", index)
        at, found = 12 + 9 * parts, {}
        entry = at + 52 * blocks
        for block in struct.iter_unpack("<QIIIIIIIIIII", index[at:entry]):
            for _ in range(block[5]):
                number, _ = struct.unpack_from("<qI", index, entry)
                entry += 12
                found[block[4], number] = block
        last = None
        for key in frames:
            block = found[key]
            if block is not last:
                file.seek(block[0])
                data = file.read(block[1])
                assert zlib.crc32(data) == block[3]
                zlib.decompress(data)
                last = block


def write_database(path, blobs, grid, runs):
    base = sqlite3.connect(path)
    base.execute("PRAGMA journal_mode = OFF")  # the file gets its name when it is whole, as today
    base.execute("PRAGMA page_size = 4096")
    for table in TABLES:
        base.execute(table)
    base.executemany("INSERT INTO part VALUES (?, ?)", ((part, f"sh{part:03}") for part in range(PARTS)))
    for number, (part, first, count, data) in enumerate(blobs):
        base.execute("INSERT INTO block VALUES (?, ?, ?, ?, ?)", (number, part, zlib.crc32(data), struct.pack("<6I", *grid), data))
        base.executemany("INSERT INTO frame VALUES (?, ?, ?, ?)", ((part, first + i, runs, number) for i in range(count)))
    base.commit()
    base.close()
    sync(path)


def read_database(path, frames):
    base = sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)
    last = None
    for key in frames:
        number, = base.execute("SELECT block FROM frame WHERE part = ? AND frame = ?", key).fetchone()
        if number != last:
            crc, data = base.execute("SELECT crc, bytes FROM block WHERE id = ?", (number,)).fetchone()
            assert zlib.crc32(data) == crc
            zlib.decompress(data)
            last = number
    base.close()


def noticed(path):
    """Of so many changes of a bit, how many SQLite's own check shows."""
    data, count, chance = path.read_bytes(), 0, random.Random(1)
    for _ in range(FLIPS):
        changed = bytearray(data)
        changed[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        path.write_bytes(changed)
        base = sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)
        try:
            count += base.execute("PRAGMA integrity_check").fetchone()[0] != "ok"
        except sqlite3.Error:
            count += 1
        base.close()
    return count


def timed(function, path, *arguments):
    if function in (write_file, write_database):
        path.unlink(missing_ok=True)
    start = time.perf_counter(), time.process_time()
    function(path, *arguments)
    return time.perf_counter() - start[0], time.process_time() - start[1]


def medians(times):
    return " | ".join(f"{statistics.median(column) * 1000:.0f}" for column in zip(*times))


def main():
    frames, copies = int(sys.argv[2]), int(sys.argv[3])  # 160, 320, ...: whole blocks
    keys = list(itertools.product(range(PARTS), range(frames // PARTS)))
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        learnt, block = calibrate(folder, copies)
        runs, grid = learnt[0][:2]
        learnt = [floor[2] for floor in learnt]
        assert zlib.decompress(block).startswith(coded(learnt[0])), "the script codes as the program does"
        single = [zlib.compress(coded(floor)) for floor in learnt]
        ways = (("file", [block], write_file, read_file), ("blocks", [block], write_database, read_database),
                ("frames", single, write_database, read_database),
                ("floats", [zlib.compress(floats(floor)) for floor in learnt], write_database, read_database))
        print(f"{len(keys)} frames of {grid[1]}x{grid[2]} in {PARTS} parts, {len(learnt[0][0])} values each, SQLite "
              f"{sqlite3.sqlite_version}\n")
        print("| | MB | write, ms | of CPU | open and all frames, ms | of CPU |\n|---|---|---|---|---|---|")
        for way, pieces, write, read in ways:
            blobs, path = list(blobs_of(len(keys), pieces)), folder / way
            wrote = [timed(write, path, blobs, grid, runs) for _ in range(ROUNDS)]
            took = [timed(read, path, keys) for _ in range(ROUNDS)]
            print(f"| {way} | {path.stat().st_size / 1e6:.2f} | {medians(wrote)} | {medians(took)} |")
        small = folder / "small"
        write_database(small, list(blobs_of(BLOCK * PARTS, [block])), grid, runs)
        print(f"\nOf {FLIPS} changes of a bit in a database of {small.stat().st_size} bytes, SQLite's check shows {noticed(small)}.")


if __name__ == "__main__":
    main()
