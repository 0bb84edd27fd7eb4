#!/usr/bin/env python3
"""damage.py [--count N] PROGRAM: prints what share of damage ssimcu notices, per format. Each file is
damaged N times and scored against the undamaged file:

  noticed    refused, or of another size or type
  harmless   scored 1: the same samples
  unnoticed  scored as the picture that the damage made

cut: any length; cut+end: the format's end marker behind it; bit: one flipped; sector: 512 bytes of
zeros. A PNG and a cut JPEG must never be unnoticed; results must not be changed silently."""

import argparse
import json
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

TESTDATA = pathlib.Path(__file__).resolve().parents[2] / "testdata"
PICTURES = [("PNG", "rgb8_a.png"), ("PNG palette", "palette8.png"), ("PNG 16 bits", "rgb16_a.png"),
            ("JPEG", "yuv420.jpg"), ("JPEG restart", "restart.jpg"),
            ("JPEG progressive", "progressive_yuv420.jpg")]
END = {".png": bytes.fromhex("0000000049454e44ae426082"), ".jpg": b"\xff\xd9"}


def cut(data, chance):
    return data[:chance.randrange(len(data))]


def bit(data, chance):
    at = chance.randrange(8 * len(data))
    changed = bytearray(data)
    changed[at // 8] ^= 1 << at % 8
    return bytes(changed)


def sector(data, chance):
    at = chance.randrange(max(1, (len(data) + 511) // 512)) * 512
    return data[:at] + bytes(len(data[at:at + 512])) + data[at + 512:]


def kinds(ending):
    yield "cut", cut
    if ending in END:
        yield "cut+end", lambda data, chance: cut(data, chance) + END[ending]
    yield "bit", bit
    yield "sector", sector


def row(name, kind, noticed, harmless, unnoticed):
    total = noticed + harmless + unnoticed
    print(f"{name:17} {kind:8} {total:6} damaged: {100 * noticed / total:6.2f} % noticed, "
          f"{100 * harmless / total:6.2f} % harmless, {100 * unnoticed / total:6.2f} % unnoticed",
          flush=True)


def pictures(program, folder, count, name, file, kind, damage):
    """Scores all pictures in one batch."""
    data = (TESTDATA / file).read_bytes()
    chance = random.Random(f"{name} {kind}")
    shutil.copy(TESTDATA / file, folder / "ref")
    lines = []
    total = 0
    for i in range(count):
        damaged = damage(data, chance)
        if damaged == data:
            continue
        (folder / f"{i}").write_bytes(damaged)
        lines.append(f"ref\t{i}\n")
        total += 1
    (folder / "list").write_text("".join(lines))
    subprocess.run([program, "--device", "cpu", "-q", "--list", "list", "--output", "r.jsonl"],
                   cwd=folder, stderr=subprocess.DEVNULL, check=False)
    harmless = unnoticed = 0
    for line in (folder / "r.jsonl").read_text().splitlines():
        record = json.loads(line)
        if record["type"] == "frame" and record["status"] == "ok":
            harmless += record["score"] == 1
            unnoticed += record["score"] != 1
    for path in folder.iterdir():
        path.unlink()
    row(name, kind, total - harmless - unnoticed, harmless, unnoticed)
    return unnoticed


def one_by_one(name, kind, damage, data, count, judge):
    tally = {"noticed": 0, "harmless": 0, "unnoticed": 0}
    chance = random.Random(f"{name} {kind}")
    for _ in range(count):
        damaged = damage(data, chance)
        if damaged != data:
            tally[judge(damaged)] += 1
    row(name, kind, **tally)
    return tally["unnoticed"]


def video(bits):
    """Makes a small stream of noise, in which every sample counts."""
    chance = random.Random(bits)
    wide = [chance.randrange(1 << bits) for _ in range(48 * 32 * 3 // 2)]
    frame = b"".join(v.to_bytes(2 if bits > 8 else 1, "little") for v in wide)
    name = f"C420p{bits}" if bits > 8 else "C420jpeg"
    return f"YUV4MPEG2 W48 H32 F25:1 {name}\n".encode() + 4 * (b"FRAME\n" + frame)


def clips(program, folder, count):
    for bits in (8, 10):
        data = video(bits)
        (folder / "ref.y4m").write_bytes(data)

        def judge(damaged):
            (folder / "out.y4m").write_bytes(damaged)
            run = subprocess.run([program, "--device", "cpu", "ref.y4m", "out.y4m"], cwd=folder,
                                 capture_output=True, check=False)
            if run.returncode != 0:
                return "noticed"
            return "harmless" if float(run.stdout) == 1 else "unnoticed"

        for kind, damage in kinds(".y4m"):
            one_by_one(f"y4m {bits} bits", kind, damage, data, count // 4, judge)


def results(program, folder, count):
    """Damages lines of results: the merge of a damaged file against that of the whole one."""
    shutil.copy(TESTDATA / "rgb8_a.png", folder / "a.png")
    shutil.copy(TESTDATA / "rgb8_b.png", folder / "b.png")
    (folder / "list").write_text("a.png\tb.png\n" * 6)
    subprocess.run([program, "--device", "cpu", "-q", "--list", "list", "--output", "r.jsonl"],
                   cwd=folder, stderr=subprocess.DEVNULL, check=False)
    data = (folder / "r.jsonl").read_bytes()

    def merge(content):
        (folder / "damaged.jsonl").write_bytes(content)
        for path in folder.glob("m.jsonl*"):
            path.unlink()
        run = subprocess.run([program, "merge", "damaged.jsonl", "--output", "m.jsonl"], cwd=folder,
                             capture_output=True, check=False)
        lines = (folder / "m.jsonl").read_text().splitlines() if (folder / "m.jsonl").exists() else []
        scores = [(r["frame"], r["status"], r.get("score")) for r in map(json.loads, lines[1:-1])]
        return run.returncode, scores

    wanted = merge(data)
    assert wanted[0] == 0 and len(wanted[1]) == 6, wanted

    def judge(damaged):
        code, scores = merge(damaged)
        if code != 0:
            return "noticed"
        return "harmless" if scores == wanted[1] else "unnoticed"

    for kind, damage in kinds(".jsonl"):
        one_by_one("JSON Lines", kind, damage, data, count // 4, judge)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("program")
    arguments = parser.parse_args()
    program = str(pathlib.Path(arguments.program).resolve())
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for name, file in PICTURES:
            for kind, damage in kinds(pathlib.Path(file).suffix):
                unnoticed = pictures(program, folder, arguments.count, name, file, kind, damage)
                if name.startswith("PNG") or kind.startswith("cut"):
                    bad += unnoticed
        clips(program, folder, arguments.count)
        results(program, folder, arguments.count)
    print(f"[{'FAIL' if bad else 'PASS'}] damage: {bad} PNGs or cut JPEGs were scored")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
