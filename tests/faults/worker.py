#!/usr/bin/env python3
"""worker.py PROGRAM FOLDER exr|video [no-bomb]: decoders that come to an end in the middle of a batch.
FOLDER holds modules that stand in for the real ones (killing.h). A picture of a certain width makes them
crash, stop, hang, take all memory, end, or leave rows out. One of 200 EXRs is such a picture, or the tenth
frame of a video. It fails, with a message that names the signal; all others are scored; the verdict and the
JUnit file say so; no worker is left behind. Under a sanitizer a worker's memory has no limit, so there is
no bomb."""

import json
import os
import pathlib
import re
import resource
import signal
import struct
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as tree

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import need

FRAMES, BAD, HEIGHT = 200, 117, 4000
WIDTH = 40
MEMORY = 900 << 20  # bytes, more than a worker may take: 256 MB, and four times what it should hold
BOMB, WANDERS, SPINS, SHORT = 100, 102, 103, 104
SIGNAL = r"the decoder was (ended|stopped) by %s\b.*"
ENDS = {97: SIGNAL % "SIGSEGV", 98: SIGNAL % "SIGABRT", 99: SIGNAL % "SIGSTOP", BOMB: SIGNAL % "SIGABRT",
        101: "the decoder ended early", SHORT: "was changed while it was read"}


def write_exr(path, width, height):
    """Writes an uncompressed EXR of three half channels; a band of it is less than its height."""
    def attribute(name, kind, value):
        return name.encode() + b"\0" + kind.encode() + b"\0" + struct.pack("<I", len(value)) + value
    window = struct.pack("<4i", 0, 0, width - 1, height - 1)
    channels = b"".join(c + b"\0" + struct.pack("<IIii", 1, 0, 1, 1) for c in (b"B", b"G", b"R")) + b"\0"
    header = (struct.pack("<II", 20000630, 2) + attribute("channels", "chlist", channels) +
              attribute("compression", "compression", b"\0") + attribute("dataWindow", "box2i", window) +
              attribute("displayWindow", "box2i", window) + attribute("lineOrder", "lineOrder", b"\0") +
              attribute("pixelAspectRatio", "float", struct.pack("<f", 1)) +
              attribute("screenWindowCenter", "v2f", struct.pack("<2f", 0, 0)) +
              attribute("screenWindowWidth", "float", struct.pack("<f", 1)) + b"\0")
    row = 8 + 6 * width
    first = len(header) + 8 * height
    table = struct.pack(f"<{height}Q", *(first + y * row for y in range(height)))
    pixels = struct.pack("<H", 0x3800) * 3 * width  # a half of 0.5
    rows = b"".join(struct.pack("<iI", y, 6 * width) + pixels for y in range(height))
    path.write_bytes(header + table + rows)


def workers_of(session):
    """Returns the numbers of the live workers of a session, which is that of the program."""
    found = []
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            name, fields = (process / "stat").read_text().split("(", 1)[1].rsplit(")", 1)
        except (OSError, IndexError):
            continue
        if name == "ssimcu-decode" and int(fields.split()[3]) == session and fields.split()[0] != "Z":
            found.append(int(process.name))
    return found


class Batch:
    def __init__(self, program, modules, folder):
        self.program, self.folder = program, folder
        options = os.environ.get("ASAN_OPTIONS", "") + ":handle_segv=0"  # else it ends with a code
        self.environment = dict(os.environ, LD_LIBRARY_PATH=str(modules), ASAN_OPTIONS=options)
        self.bad = []

    def expect(self, what, good):
        if not good:
            self.bad.append(what)

    def start(self, *arguments):
        command = [self.program, "--device", "cpu", "--threads", "2", *arguments]
        return subprocess.Popen(command, cwd=self.folder, env=self.environment, start_new_session=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def frames(self, width, height=HEIGHT):
        """Makes the two folders; one frame has another width, on both sides."""
        write_exr(self.folder / "good.exr", WIDTH, height)
        write_exr(self.folder / "bad.exr", width, height)
        for side in ("ref", "out"):
            (self.folder / side).mkdir(exist_ok=True)
            for n in range(1, FRAMES + 1):
                link = self.folder / side / f"f.{n:04}.exr"
                link.unlink(missing_ok=True)
                link.hardlink_to(self.folder / ("bad.exr" if n == BAD else "good.exr"))

    def run(self, name, code, message, inputs=("ref", "out"), frames=FRAMES, bad=BAD,
            where=r"f\.0117\.exr", lost=1):
        """Runs the batch. So many frames are lost from `bad` on, with the message, or, without one, none."""
        lost = lost if message else 0
        start = time.monotonic()
        process = self.start(*inputs, "--output", "r.jsonl", "--junit", "r.xml", "--min-frame", "0.5")
        log = process.communicate()[1]
        lines = [json.loads(line) for line in (self.folder / "r.jsonl").read_text().splitlines()]
        records = {line["frame"]: line for line in lines if line["type"] == "frame"}
        summary = lines[-1]
        scored = [n for n, line in records.items() if line["status"] == "ok" and line["score"] == 1]
        self.expect(f"{name}: exit {process.returncode}, expected {code}: {log}", process.returncode == code)
        self.expect(f"{name}: {len(scored)} frames score 1", len(scored) == frames - lost)
        self.expect(f"{name}: the summary is not complete",
                    summary["complete"] and summary["frames"] == frames)
        self.expect(f"{name}: {summary['failed']} failed", summary["failed"] == lost)
        self.expect(f"{name}: verdict {summary['verdict']['passed']}",
                    summary["verdict"]["passed"] == (message is None))
        most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
        self.expect(f"{name}: a process took {most >> 20} MB", most < MEMORY or BOMB not in ENDS)
        if message:
            said = records[bad].get("message", "")
            self.expect(f"{name}: {said}", re.search(where + ": " + message + "$", said))
        suite = tree.parse(self.folder / "r.xml").getroot().find("testsuite")
        cases = {case.get("name"): case for case in suite.iter("testcase")}
        failed = {n for n, case in cases.items()
                  if case.find("failure") is not None or case.find("error") is not None}
        wanted = {"all frames", *(f"frame {n}" for n in range(bad, bad + lost))} if message else set()
        self.expect(f"{name}: JUnit has failures {failed}", failed == wanted)
        left = workers_of(process.pid)
        self.expect(f"{name}: workers {left} are left", not left)
        print(f"{name}: exit {process.returncode}, {len(scored)} scored, {time.monotonic() - start:.1f} s: "
              f"{records[bad].get('message', 'ok')}")

    def killed(self, name, inputs=("ref", "out")):
        """Kills the program while its decoder hangs. The workers end with it."""
        process = self.start(*inputs, "--output", "r.jsonl")
        limit = time.monotonic() + 30
        while time.monotonic() < limit and not any(self.spins(number) for number in workers_of(process.pid)):
            time.sleep(0.05)
        self.expect(f"{name}: no worker hangs", time.monotonic() < limit)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        limit = time.monotonic() + 5
        while time.monotonic() < limit and workers_of(process.pid):
            time.sleep(0.02)
        left = workers_of(process.pid)
        self.expect(f"{name}: workers {left} outlive the program", not left)
        print(f"{name}: workers left: {left}")
        for number in left:
            os.kill(number, signal.SIGKILL)

    @staticmethod
    def spins(number):
        """Whether a worker has computed for a second: no frame of these takes that long."""
        try:
            fields = pathlib.Path(f"/proc/{number}/stat").read_text().rsplit(")", 1)[1].split()
        except OSError:
            return False
        return int(fields[11]) > os.sysconf("SC_CLK_TCK") and fields[0] == "R"


def check_exr(batch):
    for width, message in ENDS.items():
        batch.frames(width)
        batch.run(f"width {width}", 3, message)
    batch.frames(WANDERS)
    batch.run("no file, network, process", 0, None)
    batch.frames(SPINS)
    batch.killed("killed")


def make_clip(batch, name, width, *encoder):
    """Makes a clip of 40 frames, of twice the width: it is even."""
    source = ["-f", "lavfi", "-i", f"testsrc2=s={2 * width}x64:r=25", "-frames:v", "40"]
    subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-y", *source, *encoder, name], cwd=batch.folder,
                   check=True)


def check_video(batch):
    tenth = {"bad": 9, "where": r"ref\.(mkv|mp4)"}
    ffv1 = ["-c:v", "ffv1", "-pix_fmt", "yuv444p", "-g"]
    h264 = ["-c:v", "libx264", "-pix_fmt", "yuv444p", "-bf", "2", "-g"]
    mkv, mp4 = ("ref.mkv", "ref.mkv"), ("ref.mp4", "ref.mp4")
    for width, message in ENDS.items():
        if width == SHORT:
            continue
        make_clip(batch, "ref.mkv", width, *ffv1, "1")
        batch.run(f"ffv1 {width}", 3, message, mkv, 40, **tenth)
    for name, inputs, encoder, lost in (("ffv1, keys apart", mkv, [*ffv1, "12"], 3),
                                        ("h264", mp4, [*h264, "8"], 1),
                                        ("h264, one key", mp4, [*h264, "250"], 31)):
        make_clip(batch, inputs[0], 97, *encoder)
        batch.run(name, 3, ENDS[97], inputs, 40, lost=lost, **tenth)
    make_clip(batch, "ref.mkv", WANDERS, *ffv1, "1")
    batch.run("no file, network, process", 0, None, mkv, 40, **tenth)
    make_clip(batch, "ref.mkv", SPINS, *ffv1, "1")
    batch.killed("killed", mkv)


def main():
    if len(sys.argv) not in (4, 5):
        sys.exit(__doc__)
    if sys.argv[4:] == ["no-bomb"]:
        del ENDS[BOMB]
    program, modules = (pathlib.Path(path).resolve() for path in sys.argv[1:3])
    if sys.argv[3] == "video" and not need.there("ffmpeg"):
        print("skipped: there is no ffmpeg to make videos")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        batch = Batch(str(program), modules, pathlib.Path(folder))
        (check_exr if sys.argv[3] == "exr" else check_video)(batch)
    for line in batch.bad:
        print(line)
    print(f"[{'FAIL' if batch.bad else 'PASS'}] worker: {len(batch.bad)} wrong")
    return 1 if batch.bad else 0


if __name__ == "__main__":
    sys.exit(main())
