#!/usr/bin/env python3
"""worker.py PROGRAM FOLDER [SAMPLE]: decoders that come to an end in the middle of a batch. FOLDER holds modules
that stand in for the real ones (killing.h): a picture of a certain width makes them crash, stop, hang, take all
memory, end, or leave rows out. One of 200 frames is such a picture. It fails, with a message that names the
signal; the other 199 are scored; the verdict and the JUnit file say so; no worker is left behind."""

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

FRAMES, BAD, HEIGHT = 200, 117, 4000
WIDTH = 40
MEMORY = 900 << 20  # bytes, more than a worker may take: 256 MB, and four times what it should hold
SIGNAL = r"its decoder was (ended|stopped) by %s\b.*"
ENDS = {97: SIGNAL % "SIGSEGV", 98: SIGNAL % "SIGABRT", 99: SIGNAL % "SIGSTOP", 100: SIGNAL % "SIGABRT",
        101: "its decoder ended early", 104: "was changed while it was read"}
WANDERS, SPINS = 102, 103


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
    path.write_bytes(header + table + b"".join(struct.pack("<iI", y, 6 * width) + pixels for y in range(height)))


def workers_of(folder):
    """Returns the numbers of live workers that were started in a run with this environment."""
    found = []
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if (process / "comm").read_text().strip() == "ssimcu-decode" and \
                    str(folder).encode() in (process / "environ").read_bytes():
                found.append(int(process.name))
        except OSError:
            pass
    return found


class Batch:
    def __init__(self, program, modules, folder):
        self.program, self.folder = program, folder
        self.mark = str(folder)
        self.environment = dict(os.environ, LD_LIBRARY_PATH=str(modules), SSIMCU_TEST_MARK=self.mark)
        self.bad = []

    def expect(self, what, good):
        if not good:
            self.bad.append(what)

    def start(self, *arguments):
        return subprocess.Popen([self.program, "--device", "cpu", "--threads", "2", *arguments], cwd=self.folder,
                                env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

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

    def run(self, name, code, message):
        """Runs the batch. One frame fails with the message, or, without one, none does."""
        start = time.monotonic()
        process = self.start("ref", "out", "--output", "r.jsonl", "--junit", "r.xml", "--min-frame", "0.5")
        log = process.communicate()[1]
        lines = [json.loads(line) for line in (self.folder / "r.jsonl").read_text().splitlines()]
        records = {line["frame"]: line for line in lines if line["type"] == "frame"}
        summary = lines[-1]
        scored = [n for n, line in records.items() if line["status"] == "ok" and line["score"] == 1]
        self.expect(f"{name}: exit {process.returncode}, expected {code}: {log}", process.returncode == code)
        self.expect(f"{name}: {len(scored)} frames score 1", len(scored) == FRAMES - (message is not None))
        self.expect(f"{name}: the summary is not complete", summary["complete"] and summary["frames"] == FRAMES)
        self.expect(f"{name}: {summary['failed']} failed", summary["failed"] == (message is not None))
        self.expect(f"{name}: verdict {summary['verdict']['passed']}",
                    summary["verdict"]["passed"] == (message is None))
        most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
        self.expect(f"{name}: a process took {most >> 20} MB", most < MEMORY)
        if message:
            said = records[BAD].get("message", "")
            self.expect(f"{name}: {said}", re.search(r"f\.0117\.exr: " + message + "$", said))
        suite = tree.parse(self.folder / "r.xml").getroot().find("testsuite")
        cases = {case.get("name"): case for case in suite.iter("testcase")}
        failed = {n for n, case in cases.items() if case.find("failure") is not None or case.find("error") is not None}
        wanted = {"all frames", f"frame {BAD}"} if message else set()
        self.expect(f"{name}: JUnit has failures {failed}", failed == wanted)
        left = workers_of(self.mark)
        self.expect(f"{name}: workers {left} are left", not left)
        print(f"{name}: exit {process.returncode}, {len(scored)} scored, {time.monotonic() - start:.1f} s: "
              f"{records[BAD].get('message', 'ok')}")

    def killed(self, name):
        """Kills the program while its decoder hangs. The workers end with it."""
        process = self.start("ref", "out", "--output", "r.jsonl")
        limit = time.monotonic() + 30
        while time.monotonic() < limit and not any(self.spins(number) for number in workers_of(self.mark)):
            time.sleep(0.05)
        self.expect(f"{name}: no worker hangs", time.monotonic() < limit)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        limit = time.monotonic() + 5
        while time.monotonic() < limit and workers_of(self.mark):
            time.sleep(0.02)
        left = workers_of(self.mark)
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


def main():
    program, modules = (pathlib.Path(path).resolve() for path in sys.argv[1:3])
    with tempfile.TemporaryDirectory() as folder:
        batch = Batch(str(program), modules, pathlib.Path(folder))
        for width, message in ENDS.items():
            batch.frames(width)
            batch.run(f"width {width}", 3, message)
        batch.frames(WANDERS)
        batch.run("no file, network, process", 0, None)
        batch.frames(SPINS)
        batch.killed("killed")
    for line in batch.bad:
        print(line)
    print(f"[{'FAIL' if batch.bad else 'PASS'}] worker: {len(batch.bad)} wrong")
    return 1 if batch.bad else 0


if __name__ == "__main__":
    sys.exit(main())
