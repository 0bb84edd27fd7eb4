#!/usr/bin/env python3
"""hints_table.py PROGRAM FRAMES [--table] [KIND...]: what ssimcu says of renders with invented faults.

FRAMES (hints_frames) makes three shots with movement, at noise of 1, 2 and 4 levels, as PNG, EXR
and float TIFF (KIND: png, exr, tif). For each fault the table has, for each kind, in how many of the
shots the fault is caught and its hint right, wrong or none. Caught: the lowest tile is below that of
the shot's clean frames by more than 0.003, or the frame failed. The test fails if a hint is wrong, also
one of a clean frame, or if a hint that is due is missing. --table prints the table and passes."""
import json
import re
import subprocess
import sys
import tempfile

# What may be said of a fault. Whatever else is said is wrong; of a fault that is not here, everything.
DUE = {
    "black-bucket": r"black-area 64x64\+200\+96",
    "swapped-next": r"frame-offset \+1",
    "swapped-before": r"frame-offset -1|duplicate",
    "repeated": r"duplicate|frame-offset -1",
    "linear-as-display": r"curve OUT none",
    "gamma-2.2-for-srgb": r"curve OUT gamma 2.2",
    "curve-twice": r"curve OUT twice",
    "power-1.25": r"gamma (rgb|grey) 1\.2[345]\d",
    "+0.1-stop": r"exposure \+0\.(10|09)\d|gain rgb 1\.03\d|gain r 1\.03\d; gain g 1\.03\d(; gain b 1\.03\d)?",
    "+1-stop": r"exposure \+(1\.0\d|0\.99)\d*",
    "lift": r"offset rgb \+0\.0(29|30)\d*",
    "limited-range": r"range OUT limited",
    "white-balance": r"gain r 1\.\d*(; gain g [01]\.\d*)?; gain b 0\.\d*",
    "r-b-swapped": r"channel-swap r b",
    "p3-as-709": r"primaries REF 709 OUT P3",
    "half-black": r"black-area 480x135\+0\+135",
    "flopped": r"flipped left right",
    "flipped": r"flipped up down",
    "three-pixels": r"shift \+3 \+0",
    "letterbox": r"bars OUT rows 38 38",
    "black": r"black",
    "solid": r"solid",
}
# Faults that must be named in every shot and kind.
MUST = ["repeated", "black", "solid", "three-pixels", "curve-twice", "linear-as-display", "+1-stop", "r-b-swapped",
        "p3-as-709", "black-bucket", "half-black", "flopped", "flipped", "letterbox"]
SHOTS = 3


def score(program, folder, shot):
    """Returns the records of a shot by frame."""
    run = subprocess.run([program, "-q", "--threads", "2", "--output", f"{folder}/{shot}.jsonl",
                          f"{folder}/{shot}/ref", f"{folder}/{shot}/out"], capture_output=True, text=True)
    if run.returncode not in (0, 1, 3):
        sys.exit(f"hints_table: exit {run.returncode}: {run.stderr}")
    with open(f"{folder}/{shot}.jsonl", encoding="utf-8") as lines:
        records = [json.loads(line) for line in lines]
    return {r["frame"]: r for r in records if r["type"] == "frame"}


def said_of(record):
    return "; ".join(found["text"] for found in record.get("findings", []) if found["kind"] != "failed")


def judge(fault, said):
    if said == "":
        return "none"
    return "right" if re.fullmatch(DUE.get(fault, ""), said) else "wrong"


def collect(program, maker, kind, table, wrong):
    """Makes and scores the shots of one kind of file, and adds to the table."""
    with tempfile.TemporaryDirectory() as folder:
        made = subprocess.run([maker, folder, kind], check=True, capture_output=True, text=True).stdout
        faults = [line.split() for line in made.splitlines()]
        for shot in sorted({f[0] for f in faults}):
            records = score(program, folder, shot)
            own = {int(f[1]): f[2] for f in faults if f[0] == shot}
            clean = [r for n, r in records.items() if n not in own]
            least = min(r["tile"]["score"] for r in clean)
            for record in clean:
                if said_of(record):
                    wrong.append(f"{kind} {shot} frame {record['frame']}, clean: {said_of(record)}")
            for frame, fault in own.items():
                record, said = records[frame], said_of(records[frame])
                row = table.setdefault(fault, {"said": set()})
                cell = row.setdefault(kind, {"caught": 0, "right": 0, "wrong": 0, "none": 0})
                cell["caught"] += record["status"] != "ok" or record["tile"]["score"] < least - 0.003
                cell[judge(fault, said)] += 1
                row["said"].add(said)
                if judge(fault, said) == "wrong":
                    wrong.append(f"{kind} {shot} frame {frame}, {fault}: {said}")


def show(table, kinds):
    print("| fault | " + " | ".join(f"{kind}: caught | right, wrong, none" for kind in kinds) + " | said |")
    print("|---" * (2 + 2 * len(kinds)) + "|")
    for fault, row in table.items():
        cells = [fault]
        for kind in kinds:
            cell = row[kind]
            cells += [f"{cell['caught']} of {SHOTS}", f"{cell['right']}, {cell['wrong']}, {cell['none']}"]
        cells.append(", ".join(f"`{said}`" for said in sorted(row["said"] - {""})))
        print("| " + " | ".join(cells) + " |")
    every = [row[kind] for row in table.values() for kind in kinds]
    counts = ", ".join(f"{word} {sum(cell[word] for cell in every)}" for word in ("right", "wrong", "none"))
    print(f"\nAll: {counts} of {SHOTS * len(every)}.")


def main():
    program, maker = sys.argv[1:3]
    table, wrong = {}, []
    kinds = [word for word in sys.argv[3:] if not word.startswith("--")] or ["png", "tif", "exr"]
    for kind in kinds:
        collect(program, maker, kind, table, wrong)
    show(table, kinds)
    for line in wrong:
        print(f"wrong: {line}")
    if "--table" in sys.argv:
        return 0
    missing = [f"{fault} as {kind}" for fault in MUST for kind in kinds if table[fault][kind]["right"] < SHOTS]
    for line in missing:
        print(f"missing: {line}")
    return 1 if wrong or missing else 0


sys.exit(main())
