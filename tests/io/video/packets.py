#!/usr/bin/env python3
"""packets.py PROGRAM [PACKETS [WAY ...]]: no picture of a transport stream that lost a packet is scored torn.

Of each stream PACKETS (2) packets of 188 bytes are damaged, one in each file, in each WAY (all but "zeros", which
nothing in a stream shows). The damaged stream is compared with the whole one. A frame is torn if its pixels are not
those of the whole stream, in itself or by prediction; none that is may have a score. Intact ones that have none are
counted: ffmpeg decodes both streams and says which these are. Where the numbers are lost a whole picture is gone, so
that the file ends there. The parts of a stream that are found by seeks, --align, --offset and shares must say of each
frame what a run over all says."""
import collections
import os
import pathlib
import random
import subprocess
import sys
import tempfile

from damage import SOURCE, count_frames, pictures, scores

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
import need

HEVC = ["-c:v", "libx265", "-pix_fmt", "yuv420p", "-x265-params"]
STREAMS = [
    ("HEVC", [*HEVC, "log-level=error:info=0:keyint=12"]),
    ("H.264", ["-c:v", "libx264", "-pix_fmt", "yuv420p", "-g", "12"]),
    ("MPEG-2", ["-c:v", "mpeg2video", "-pix_fmt", "yuv420p", "-q:v", "6", "-g", "12", "-bf", "2"]),
    ("H.264 in fields", ["-c", "copy", "-bsf:v", "setts=ts=N*1800:time_base=1/90000"]),
]
FIELDS = os.path.join(os.path.dirname(os.path.realpath(__file__)), "../../../testdata/fields.264")
PACKET = 188


def pid_of(packet):
    return (packet[1] & 31) << 8 | packet[2]


def lost(packets, at):
    del packets[at]


def bad(packets, at):
    packets[at] = bytes([packets[at][0], packets[at][1] | 0x80]) + packets[at][2:4] + bytes(PACKET - 4)


def twice(packets, at):
    packets.insert(at, packets[at])


def swapped(packets, at):
    packets[at], packets[at + 1] = packets[at + 1], packets[at]


def burst(packets, at):
    del packets[at:at + 5]


def zeros(packets, at):
    packets[at] = packets[at][:4] + bytes(PACKET - 4)


WAYS = {way.__name__: way for way in (lost, bad, twice, swapped, burst, zeros)}
UNSEEN = "zeros"  # the stream does not say that these bytes are wrong


def packets_of(path):
    with open(path, "rb") as file:
        data = file.read()
    packets = [data[i:i + PACKET] for i in range(0, len(data), PACKET)]
    pid = collections.Counter(map(pid_of, packets)).most_common(1)[0][0]
    return packets, [i for i, packet in enumerate(packets) if pid_of(packet) == pid]


def differ(program, whole, frames):
    """Returns the parts of the stream of which something else is said."""
    last, bad = max(frames, default=0), []
    for part in (["--frames", "5,17-21,30-48"], ["--frames", "40"], ["--align"], ["--offset", "0"], ["--shard", "1/3"], ["--shard", "3/3"]):
        _, _, some = scores(program, whole, "damaged.ts", part)
        if any(frames.get(number) != score for number, score in some.items() if number <= last):
            bad.append(" ".join(part))
    return bad


def check(program, name, codec, count, way):
    """Returns whether no frame was scored torn, and all parts agree."""
    whole, total, parts = "whole.ts", collections.Counter(), []
    source = ["-i", FIELDS] if "copy" in codec else SOURCE
    subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-y", *source, *codec, whole], check=True)
    packets, video = packets_of(whole)
    sums, picked = pictures(whole), sorted(random.Random(name + way).sample(video[:-1], min(count, len(video) - 1)))
    for number, at in enumerate(picked):
        changed = list(packets)
        WAYS[way](changed, at)
        with open("damaged.ts", "wb") as file:
            file.write(b"".join(changed))
        code, said, frames = scores(program, whole, "damaged.ts")
        total.update(count_frames(frames, pictures("damaged.ts"), sums))
        total.update({"exit 0": code == 0, "numbers lost": "a picture may be missing" in said})
        parts += differ(program, whole, frames) if number % 4 == 0 and way == "lost" else []
    print("| %s | %s | %d | %d | %d | %d | %d | %d | %d |" %
          (name, way, len(picked), total["frames"], total["torn"], total["torn and scored"], total["intact, failed"],
           total["numbers lost"], total["exit 0"]), flush=True)
    for part in parts:
        print("%s, %s: %s differs" % (name, way, part))
    return not parts and (total["torn and scored"] == 0 or way == UNSEEN)


def main():
    program, count = os.path.realpath(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 2
    ways, wrong = sys.argv[3:] or [way for way in WAYS if way != UNSEEN], []
    with tempfile.TemporaryDirectory() as scratch:
        os.chdir(scratch)
        print("| stream | packet | files | frames | torn | torn and scored | intact, failed | numbers lost | exit 0 |")
        print("|---|---|---|---|---|---|---|---|---|")
        for name, codec in STREAMS:
            wrong += [name + " " + way for way in ways if not check(program, name, codec, count, way)]
        os.chdir("/")
    print("[%s] packets of transport streams%s" % ("FAIL" if wrong else "PASS", ": " + ", ".join(wrong) if wrong else ""))
    return 1 if wrong else 0


if __name__ == "__main__":
    if not need.there("ffmpeg"):
        print("[SKIP] packets of transport streams: needs ffmpeg")
        sys.exit(0)
    sys.exit(main())
