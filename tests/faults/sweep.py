#!/usr/bin/env python3
"""sweep.py [--every K] [--leaks] [--only TEXT] [--device D] PROGRAM API LIBRARY [REQUEST]: runs PROGRAM again
and again. The n-th allocation, thread, read, write, open or sync fails, for every K-th n until none is
left, once and from then on. The result must be the right one, or an error. An error is a documented exit
code and one line on stderr; every line of results is right, and no half file has a final name.

PROGRAM is ssimcu, API the program of api.c, LIBRARY faults.c as a library. REQUEST, if given, is the
program of request.c, which has a scenario of its own. --leaks: PROGRAM is built with AddressSanitizer and must not leak."""

import argparse
import errno
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import need

TESTDATA = pathlib.Path(__file__).resolve().parents[2] / "testdata"
EACH = 80  # the first allocations are lost one by one: opening inputs has its own errors
SECONDS = 20  # a run takes a few hundredths: whatever takes this long hangs
WORKER_SECONDS = 150  # a library that lost memory may hang in either worker, which is ended after a minute
MEMORY, OUTPUT = 70, 74
# What a run may end with when something failed. A pair's file that cannot be read is 4, a batch that
# lacks frames is 3 and one without any is 4.
FOR_MEMORY = {MEMORY}
FOR_DEVICE_MEMORY = {MEMORY, 5}
FOR_FILES = {3, 4, MEMORY, OUTPUT}


def prepare(folder):
    """Makes the inputs of every scenario."""
    for side, file in (("ref", "rgb8_a.png"), ("out", "rgb8_b.png")):
        (folder / side).mkdir()
        shutil.copy(TESTDATA / file, folder / f"{side}.png")
        (folder / f"or.{side}").mkdir()
        shutil.copy(TESTDATA / file, folder / f"or.{side}" / "f.2.png")
        for n in (1, 2, 3):
            shutil.copy(TESTDATA / file, folder / side / f"f.{n}.png")
    subprocess.run([sys.executable, TESTDATA.parent / "tests" / "cli" / "calibrate" / "noisy.py", "1", "noise.0",
                    "noise.1", "noise.2", "noise.3"], cwd=folder, check=True)
    shutil.copy(TESTDATA / "orientation6.jpg", folder / "turned.jpg")
    shutil.copy(TESTDATA / "orientation8.jpg", folder / "turned8.jpg")
    (folder / "list").write_text("ref.png\tout.png\nout.png\tref.png\n")
    for side, step in (("ref", 3), ("out", 4)):
        frames = b"".join(b"FRAME\n" + bytes(i * step * n % 251 for i in range(32 * 24 * 3 // 2))
                          for n in (1, 2, 3))
        (folder / f"{side}.y4m").write_bytes(b"YUV4MPEG2 W32 H24 F25:1 C420jpeg\n" + frames)
    for side, crf in (("ref", "20"), ("out", "38")) if need.there("ffmpeg") else ():
        subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-f", "lavfi", "-i",
                        "testsrc2=s=64x48:r=25:d=0.4", "-c:v", "libx264", "-bf", "2", "-pix_fmt", "yuv420p",
                        "-crf", crf, f"{side}.mp4"],
                       cwd=folder, check=True)


def reads_video(program, folder):
    return subprocess.run([program, "--device", "cpu", "-q", "ref.mp4", "out.mp4"], cwd=folder,
                          capture_output=True, check=False).returncode == 0


def scenarios(program, api, request, device):
    """Returns for each: name, command, files that must be there before, the file that comes out."""
    run = [program, "--device", device]
    batch = [*run, "--threads", "2"]
    return [
        ("pair", [*run, "ref.png", "out.png"], [], None),
        ("pair turned", [*run, "turned.jpg", "turned8.jpg"], [], None),
        ("pair map", [*run, "ref.png", "out.png", "--map", "new.png"], [], "new.png"),
        ("pair overlay", [*run, "ref.png", "out.png", "--map", "new.png", "--map-style", "overlay"], [],
         "new.png"),
        ("batch", [*batch, "ref", "out", "--output", "new.jsonl"], [], "new.jsonl"),
        ("batch maps", [*batch, "ref", "out", "--output", "new.jsonl", "--map", "new.maps", "--map-style",
                        "heat"], [], "new.jsonl"),
        ("y4m maps", [*batch, "ref.y4m", "out.y4m", "--output", "new.jsonl", "--map", "new.maps",
                      "--map-style", "overlay"], [], "new.jsonl"),
        ("report", [*batch, "ref", "out", "--output", "new.jsonl", "--report", "new.report"], [],
         "new.jsonl"),
        ("report y4m", [*batch, "ref.y4m", "out.y4m", "--output", "new.jsonl", "--report", "new.report"], [],
         "new.jsonl"),
        ("batch csv", [*batch, "ref", "out", "--output", "new.csv"], [], "new.csv"),
        ("y4m", [*batch, "ref.y4m", "out.y4m", "--output", "new.jsonl"], [], "new.jsonl"),
        ("list", [*batch, "--list", "list", "--output", "new.jsonl"], [], "new.jsonl"),
        ("merge", [program, "merge", "share1.jsonl", "share2.jsonl", "--output", "new.jsonl"],
         ["share1.jsonl", "share2.jsonl"], "new.jsonl"),
        ("resume", [*batch, "ref", "out", "--resume", "new.jsonl"], ["new.jsonl.partial"],
         "new.jsonl"),
        ("batch or", [*batch, "ref", "out", "--or", "or.ref", "--or", "or.out", "--min-frame", "0.99", "--max-bad",
                      "2", "--output", "new.jsonl", "--map", "new.maps"], [], "new.jsonl"),
        ("pair or", [*run, "ref.png", "out.png", "--or", "ref/f.1.png", "--or", "out/f.1.png", "--min-frame", "0.95"],
         [], None),
        ("accept", [program, "accept", "all.jsonl", "--into", "new.refs"], [], None),
        ("calibrate", [program, "calibrate", "--threads", "2", "--tile", "24", "--output", "new.json", "noise.0",
                       "noise.1", "noise.2", "noise.3"], [], "new.json"),
        ("check", [program, "check", "--threads", "2", "--json", "--junit", "new.xml", "ref"], [], None),
        ("check merge", [program, "merge", "--json", "--junit", "new.xml", "check1.jsonl", "check2.jsonl"],
         ["check1.jsonl", "check2.jsonl"], None),
        ("check resume", [program, "check", "--threads", "2", "--resume", "new.checked", "ref", "or.ref"],
         ["new.checked.partial"], None),
        ("junit", [*batch, "ref", "out", "--junit", "new.xml", "--output", "new.jsonl"], [],
         "new.jsonl"),
        ("api", [api, "ref.png", "out.png"], [], None),
        ("api directories", [api, "pictures", "ref", "out"], [], None),
        ("api y4m", [api, "pictures", "ref.y4m", "out.y4m"], [], None),
        ("video", [*run, "--threads", "1", "ref.mp4", "out.mp4", "--output", "new.jsonl"], [], "new.jsonl"),
    ] + ([("request", [request], [], None)] if request else [])


def results_of(path):
    """Returns the lines of results by their frame, and whether they are whole."""
    lines = path.read_text().splitlines(keepends=True) if path.exists() else []
    if ".csv" in path.suffixes:
        return {i: line for i, line in enumerate(lines)}, bool(lines)
    whole, frames = False, {}
    for line in lines:
        if not line.endswith("\n"):
            break  # half a line is what a killed run leaves
        record = json.loads(line)
        whole = record["type"] == "summary" and record["complete"]
        if record["type"] == "frame":
            frames[record["frame"]] = record
    return frames, whole


def same_line(record, expected, lost):
    """Returns whether lines agree. Findings may differ if frames around this one were lost."""
    if lost and expected:
        record, expected = ({k: v for k, v in r.items() if k != "findings"} for r in (record, expected))
    return record == expected


class Sweep:
    def __init__(self, arguments, folder):
        self.arguments, self.folder = arguments, folder
        self.mark = folder / "mark"
        self.kept = folder / "kept"
        self.bad = []
        self.runs = 0

    def clean(self):
        for path in self.folder.glob("new.*"):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        self.mark.unlink(missing_ok=True)

    def run(self, command, before, fault=None):
        self.clean()
        for name in before:
            shutil.copy(self.kept / name, self.folder / name)
        environment = dict(os.environ, LC_ALL="C")
        if fault:
            kind, n, always, number = fault
            environment |= {"LD_PRELOAD": self.arguments.library, "FAULT": kind, "FAULT_AT": str(n),
                            "FAULT_MARK": str(self.mark), "FAULT_ERRNO": str(number)}
            if always:
                environment["FAULT_ALWAYS"] = "1"
            if self.arguments.leaks:
                runtime = subprocess.run(["gcc", "-print-file-name=libasan.so"], check=True,
                                         capture_output=True, text=True).stdout.strip()
                environment["LD_PRELOAD"] += " " + os.path.realpath(runtime)
                environment["ASAN_OPTIONS"] = "verify_asan_link_order=0"
        try:
            done = subprocess.run(command, cwd=self.folder, env=environment,
                                  timeout=WORKER_SECONDS if "ref.mp4" in command else SECONDS,
                                  stdin=subprocess.DEVNULL, capture_output=True, check=False)
        except subprocess.TimeoutExpired:
            return None
        return done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")

    def wrong(self, name, outcome, expected, file, allowed):
        """Returns what is wrong with a run that lost something, or None."""
        if outcome is None:
            return "hangs"
        code, stdout, stderr = outcome
        if self.arguments.leaks and ("CHECK failed" in stderr or "asan_thread" in stderr):
            return None  # the sanitizer itself lost memory
        if name == "video" and (code < 0 or code in (1, 3, 4, 127)):
            allowed = {code}  # other libraries end the process, some while loading; FFmpeg's call it damage
            stderr = "ssimcu: " if code < 0 or code in (1, 127) else stderr
        elif code < 0 or "Sanitizer" in stderr:
            return f"crash or leak, exit {code}: {stderr[-300:]}"
        lines = file and file.endswith(("jsonl", "csv"))
        if name == "calibrate":
            allowed = allowed | {3, 4}  # a run or a frame is left out and named
        if name.startswith("check") and allowed is FOR_FILES and "unreadable" in stdout + stderr:
            allowed = allowed | {1, 4}  # a file that cannot be read is a finding
        try:
            frames, whole = results_of(self.folder / file) if lines else ({}, True)
            part, _ = results_of(self.folder / f"{file}.partial") if file else ({}, True)
        except ValueError as error:
            return f"exit {code}, results are not JSON: {error}"
        there = bool(file) and (self.folder / file).exists()
        half = self.half_report() or self.half_reference() or self.half_file()
        if half:
            return f"exit {code} with {half}"
        maps = self.maps()
        if not maps.items() <= expected["maps"].items():
            return f"exit {code} with another map"
        if code == expected["code"]:
            if maps != expected["maps"]:
                return f"exit {code} without a map"
            if stdout != expected["stdout"]:
                return f"exit {code} with other output: {stdout!r}"
            if file and not there:
                return f"exit {code} without {file}"
            if file and self.content(file) != expected["file"]:
                return f"exit {code} with another {file}"
            return None
        if name.startswith("api") and code == 1 and allowed is FOR_FILES:
            return None
        if name == "request" and code == MEMORY and not set(stdout.splitlines()) <= set(
                expected["stdout"].splitlines()):
            return f"exit {code} with another score: {stdout!r}"
        if code not in allowed and not (code in (3, 4) and self.says_so(frames | part, allowed)):
            return f"exit {code}: {stderr.strip()[-200:]!r}"
        if code != OUTPUT and not stderr.startswith("ssimcu: "):
            return f"exit {code} without a line on stderr"
        if there and file == "new.png" and self.content(file) != expected["file"]:
            return f"exit {code}, and {file} is there, but another"
        if there and not whole:
            return f"exit {code}, and {file} is there but not whole"
        if name == "batch csv":
            return None
        found = part | frames
        lost = found.keys() != expected["frames"].keys() or any(r["status"] != "ok" for r in found.values())
        for frame, record in found.items():
            if record["status"] == "ok" and not same_line(record, expected["frames"].get(frame), lost):
                return f"exit {code}, frame {frame} has another line"
        return None

    @staticmethod
    def says_so(frames, allowed):
        """Returns whether a batch that lost one frame for lack of memory says so in its line."""
        return MEMORY in allowed and any("memory" in (r["status"] if isinstance(r, dict) else r)
                                         for r in frames.values())

    def half_report(self):
        """Returns what is wrong with the page, if there is one: its end or a picture is missing."""
        folder = self.folder / "new.report"
        if not folder.exists():
            return None
        page = (folder / "index.html").read_text() if (folder / "index.html").exists() else ""
        if not page.rstrip().endswith("</html>"):
            return "half a page"
        wanted = set(re.findall(r'(?:src|href)="(frame-[^"]*)"', page))
        there = {path.name for path in folder.glob("frame-*")}
        return None if wanted == there else f"pictures: {wanted ^ there}"

    def half_reference(self):
        """Returns what is wrong with accepted references: one is not whole, or has no line in the log."""
        folder = self.folder / "new.refs"
        log = folder / "accepted.jsonl"
        lines = log.read_text() if log.exists() else ""
        for path in folder.glob("f.*"):
            if path.read_bytes() != (self.folder / "out" / path.name).read_bytes():
                return f"half of {path.name}"
            if f'"file":"{path.name}"' not in lines:
                return f"{path.name} without a line in the log"
        return "a copy without a name" if any(folder.glob(".f.*")) else None

    def half_file(self):
        """Returns what is wrong with limits, learned limits and JUnit: half of one, or a draft that is left."""
        for path in self.folder.glob("new.*"):
            if path.suffix == ".tmp":
                return f"{path.name} left"
            data = path.read_bytes() if path.suffix in (".learned", ".xml", ".json") else None
            if path.suffix == ".learned" and not data.endswith(b"SSIMCUFE"):
                return f"half of {path.name}"
            if path.suffix == ".xml" and not data.endswith(b"</testsuites>\n"):
                return f"half of {path.name}"
            if path.suffix == ".json" and not (self.folder / json.loads(data)["learned"]["file"]).exists():
                return "limits without learned limits"
        return None

    def maps(self):
        """Returns a batch's maps by name: none may be half a file."""
        return {path.name: path.read_bytes() for path in self.folder.glob("new.maps/*")}

    def content(self, file):
        return (self.folder / file).read_bytes() if (self.folder / file).exists() else None

    def scenario(self, name, command, before, file, kind, number, allowed):
        outcome = self.run(command, before)
        assert outcome and outcome[0] in (0, 3), (name, outcome)
        expected = {"code": outcome[0], "stdout": outcome[1], "maps": self.maps(),
                    "file": self.content(file) if file else None,
                    "frames": results_of(self.folder / file)[0] if file and file.endswith("jsonl") else {}}
        # A call that is interrupted for ever may be tried for ever; the sanitizer needs memory, too, and so
        # does the C library at the end of a program that has loaded FFmpeg's.
        once = number == errno.EINTR or self.arguments.leaks or name == "video"
        for always in (False,) if once else (False, True):
            count = same = 0
            n = 1
            while True:
                outcome = self.run(command, before, (kind, n, always, number))
                if outcome is not None and not self.mark.exists():
                    break  # beyond the last call
                count += 1
                same += outcome is not None and outcome[0] == expected["code"]
                wrong = self.wrong(name, outcome, expected, file, allowed)
                if wrong:
                    self.bad.append(f"{name}: {kind} {errno.errorcode.get(number, '')} {n}"
                                    f"{' on' if always else ''}: {wrong}")
                each = kind == "alloc" and not always and n < EACH and not self.arguments.leaks
                n += 1 if each else self.arguments.every
            self.runs += count
            print(f"{name:12} {kind:6} {errno.errorcode[number]:7} {'from then on' if always else 'once':12} "
                  f"{count:5} runs: {same} right, {count - same} refused", flush=True)

    def keep(self, program, device):
        """Keeps the results of two shares, and what a killed run left."""
        self.kept.mkdir()
        for share in (1, 2):
            subprocess.run([program, "--device", device, "ref", "out", "--shard", f"{share}/2",
                            "--output", f"share{share}.jsonl"], cwd=self.folder, check=True,
                           capture_output=True)
            shutil.move(self.folder / f"share{share}.jsonl", self.kept)
            subprocess.run([program, "check", "ref", "or.ref", "--shard", f"{share}/2", "--output", f"check{share}.jsonl"],
                           cwd=self.folder, check=True, capture_output=True)
            shutil.move(self.folder / f"check{share}.jsonl", self.kept)
        subprocess.run([program, "check", "ref", "or.ref", "--output", "check.jsonl"], cwd=self.folder, check=True,
                       capture_output=True)
        lines = (self.folder / "check.jsonl").read_text().splitlines(keepends=True)
        (self.kept / "new.checked.partial").write_text("".join(lines[:4]) + lines[4][:40])
        subprocess.run([program, "--device", device, "ref", "out", "--output", "all.jsonl"],
                       cwd=self.folder, check=True, capture_output=True)
        lines = (self.folder / "all.jsonl").read_text().splitlines(keepends=True)
        (self.kept / "new.jsonl.partial").write_text("".join(lines[:2]) + lines[2][:40])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--leaks", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--device", default="cpu", help="cuda: PROGRAM is that of fake_cuda.c")
    parser.add_argument("program")
    parser.add_argument("api")
    parser.add_argument("library")
    parser.add_argument("request", nargs="?", type=os.path.realpath)
    arguments = parser.parse_args()
    arguments.program, arguments.api, arguments.library = map(
        os.path.realpath, (arguments.program, arguments.api, arguments.library))
    for_memory = FOR_MEMORY if arguments.device == "cpu" else FOR_DEVICE_MEMORY
    faults = [("alloc", errno.ENOMEM, for_memory), ("thread", errno.EAGAIN, for_memory)]
    if not arguments.leaks:
        faults += [("read", errno.EIO, FOR_FILES), ("read", errno.EINTR, FOR_FILES),
                   ("write", errno.ENOSPC, FOR_FILES), ("write", errno.EINTR, FOR_FILES),
                   ("open", errno.EMFILE, FOR_FILES), ("open", errno.EIO, FOR_FILES),
                   ("sync", errno.EIO, FOR_FILES)]
    with tempfile.TemporaryDirectory() as folder:
        sweep = Sweep(arguments, pathlib.Path(folder))
        prepare(sweep.folder)
        sweep.keep(arguments.program, arguments.device)
        for kind, number, allowed in faults:
            for name, command, before, file in scenarios(arguments.program, arguments.api,
                                                             arguments.request, arguments.device):
                if name == "video" and (arguments.leaks or not reads_video(arguments.program, sweep.folder)):
                    continue
                if name.endswith(" or") and kind in ("read", "open"):
                    continue  # a further reference that cannot be read is named, and REF counts
                if arguments.only in f"{name} {kind}":
                    sweep.scenario(name, command, before, file, kind, number, allowed)
    if sweep.runs == 0:
        sweep.bad.append("no call ever failed: the library does not work")
    for line in sweep.bad:
        print(line)
    print(f"[{'FAIL' if sweep.bad else 'PASS'}] faults: {sweep.runs} runs, {len(sweep.bad)} wrong")
    return 1 if sweep.bad else 0


if __name__ == "__main__":
    sys.exit(main())
