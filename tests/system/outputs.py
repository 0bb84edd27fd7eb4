#!/usr/bin/env python3
"""outputs.py PROGRAM [FAULTS] [--only TEXT] [--every K] [--list] [--keep DIR] [--show]: every verb with every output and
every early end.

In each cell a run that passed has left its verdict. Then the same run ends early, and this must hold: no verdict of the
earlier run is left; whatever was asked for and not examined fails; JUnit is written last and is red if and only if the exit
code is not 0; an output named "-" is refused; somebody else's file stays; results that are resumed stay; a command line
that is wrong changes nothing.

The verbs and the early ends are in outputs_model.py, and what outputs say is in outputs_said.py. FAULTS is the library
of tests/faults/faults.c. --only takes the cells whose names have TEXT, such as "batch / junit / gone out". --every takes
each K-th. --list prints their commands. --show prints what a cell prints. --keep leaves the folders in DIR.

The table has the early ends that hold, of all. "refused" is an output that the verb does not have.
"""
import argparse
import concurrent.futures
import fcntl
import glob
import os
import pathlib
import re
import resource
import shlex
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time

sys.dont_write_bytecode = True  # nothing is left beside the sources
import outputs_model as model  # noqa: E402
import outputs_said as said  # noqa: E402

OLD = 10**9  # the time of all that an earlier run has left
NOT_LAST = "junit: not last"
SECONDS = 30  # a run takes a few hundredths
QUIET = {"CUDA_VISIBLE_DEVICES": ""}


def old(path):
    """Returns whether a file is that of the earlier run."""
    return path.stat().st_mtime == OLD


def files_of(path):
    """Returns the files at or below a path, in order."""
    if path.is_dir() and not path.is_symlink():
        return [pathlib.Path(folder, name) for folder, _, names in os.walk(path) for name in sorted(names)]
    return [path] if path.exists() or path.is_symlink() else []


def copy(source, place):
    """Copies what an earlier run has left. A page's pictures are only linked, which is cheaper."""
    if os.path.basename(source).startswith("frame-"):
        os.link(source, place)
    else:
        shutil.copy2(source, place)


class Cell:
    """A verb with outputs and an early end, in a folder of its own."""

    def __init__(self, sweep, verb, column, end):
        self.sweep, self.verb, self.column, self.end = sweep, verb, column, end
        self.name = f"{verb.name} / {column} / {end.name}"
        self.outputs = dict(sweep.columns[verb.name][column])  # option: path
        self.args = verb.words(self.outputs, column == "csv")
        self.faults, self.limit, self.stop, self.stdout, self.fifo = None, None, None, subprocess.PIPE, None
        self.closed, self.theirs = None, {}  # a folder that cannot be read, and somebody else's files
        self.victims = set()  # outputs that cannot be written
        self.free = set()  # outputs that may stay as they were
        self.removed = set()

    # ---- The folder --------------------------------------------------------------------------

    def prepare(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(dir=self.sweep.cells))
        for name in self.verb.inputs:
            source = self.sweep.base / name
            if source.is_dir():
                shutil.copytree(source, self.folder / name, copy_function=os.link)
            else:
                os.link(source, self.folder / name)
        for option, path in self.outputs.items():
            if (self.verb.name, option) == ("list", "map"):
                continue  # maps of a list are not replaced: every end would be 74
            source = self.sweep.green[self.verb.name] / self.column / path
            if source.is_dir():
                shutil.copytree(source, self.folder / path, copy_function=copy)
            else:
                copy(source, self.folder / path)
        for other in self.verb.beside:  # such as the learned limits of limits
            for source in glob.glob(str(self.sweep.green[self.verb.name] / self.column / other)):
                copy(source, self.folder)
        self.records = self.resumed()
        for step in self.end.steps:
            model.STEPS[step[0]](self, *step[1:])
        self.before = self.others()

    def ours(self, path):
        """Returns whether a path is an output or what a run may leave beside one."""
        names = [*self.outputs.values(), *self.verb.made]
        return any(path == name or path.startswith((name + "/", name + ".partial", name + ".resume")) for name in names)

    def others(self):
        """Returns what there is besides outputs, with what a change would change."""
        found = {}
        for path in files_of(self.folder):
            name = str(path.relative_to(self.folder))
            state = path.lstat()
            if not self.ours(name):
                found[name] = (state.st_ino, state.st_size, state.st_mtime_ns)
        return found

    def all_bytes(self):
        return {str(p.relative_to(self.folder)): (p.lstat().st_ino, p.lstat().st_mtime_ns) for p in files_of(self.folder)}

    def replace(self, option, path):
        self.args = [path if word == self.outputs[option] else word for word in self.args]
        self.victims.add(option)

    # ---- The run -----------------------------------------------------------------------------

    def command(self):
        return " ".join(map(shlex.quote, ["ssimcu", *self.args]))

    def run(self):
        environment = {**os.environ, **QUIET}
        if self.faults:
            kind, number, at, always = self.faults
            environment |= {"LD_PRELOAD": self.sweep.faults, "FAULT": kind, "FAULT_ERRNO": str(number), "FAULT_AT": str(at),
                            "FAULT_MARK": str(self.folder) + ".mark"}
            environment |= {"FAULT_ALWAYS": "1"} if always else {}
        process = subprocess.Popen([self.sweep.program, *self.args], cwd=self.folder, env=environment, stdin=subprocess.DEVNULL,
                                   stdout=self.stdout, stderr=subprocess.PIPE, preexec_fn=self.limits if self.limit is not None else None)
        if self.stop:
            self.interrupt(process)
        try:
            out, err = process.communicate(timeout=SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            out, err = process.communicate()
            return -signal.SIGKILL, err
        if self.fifo is not None:
            os.close(self.fifo)
        if self.sweep.options.show:
            print(self.name, self.folder, self.command(), (out or b"").decode(), err.decode(), process.returncode, sep="\n", flush=True)
        return 128 + self.stop if self.stop and process.returncode == -self.stop else process.returncode, err

    def limits(self):
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (self.limit, self.limit))

    def interrupt(self, process):
        """Sends the signal once the program catches it and has read what there is to read."""
        status = pathlib.Path(f"/proc/{process.pid}/status")
        for turn in range(400):
            time.sleep(0.005)
            caught = re.search(r"SigCgt:\s*(\w+)", status.read_text()) if status.exists() else None
            if process.poll() is not None or not caught or not int(caught[1], 16) >> (self.stop - 1) & 1:
                continue
            waiting = b"\1\0\0\0" if self.fifo is None else fcntl.ioctl(self.fifo, termios.FIONREAD, b"\0\0\0\0")
            if (turn > 40 and self.fifo is None) or turn > 100 or struct.unpack("i", waiting)[0] == 0:
                break
        time.sleep(0.05)
        process.send_signal(self.stop)

    # ---- The rule ----------------------------------------------------------------------------

    def judge(self):
        """Returns what does not hold, each as a class and a sentence."""
        self.prepare()
        files = self.all_bytes()
        if self.closed:
            self.closed.chmod(0)
        code, err = self.run()
        if self.closed:
            self.closed.chmod(0o755)
        self.code, wrong = code, []
        if self.faults and not os.path.exists(str(self.folder) + ".mark"):
            return None  # beyond the last call
        if code not in model.CODES:
            return [("crash", f"exit {code}")]
        if code == 2:
            if not self.end.usage:
                wrong.append(("exit 2", err.decode(errors="replace").strip().split("\n")[-1]))
            if self.all_bytes() != files:
                now = self.all_bytes()
                wrong.append(("exit 2 changes files", ", ".join(n for n in sorted({*files, *now}) if files.get(n) != now.get(n))))
            return wrong
        if self.end.usage == "always":
            wrong.append(("not refused", f"exit {code}"))
        if self.end.fails and code == 0:
            wrong.append(("passes", "exit 0"))
        after = self.others()
        changed = [name for name in sorted(self.before) if self.before[name] != after.get(name) and name not in self.theirs]
        wrong += [("other file changes", name) for name in changed]
        wrong += [("left", name) for name in sorted(after) if name not in self.before][:1]
        for name, content in self.theirs.items():
            if not (self.folder / name).is_file() or (self.folder / name).read_bytes() != content:
                wrong.append(("somebody else's file is lost", name))
        for option, path in self.outputs.items():
            if option not in self.victims:
                wrong += [(f"{option}: {what}", detail) for what, detail in self.judge_output(option, self.folder / path)]
        return [w for w in wrong + self.order() if not self.excused(w[0])]

    def excused(self, what):
        """Whoever gets no more memory at all can remove nothing, and a pair whose file hangs is ended from outside."""
        if self.faults and self.faults[0] == "alloc" and self.faults[3]:
            return what == "left" or "old verdict stays" in what
        if "text list" in self.name and "resume" in what:
            return True  # its lines were examined: they are none
        hangs = self.stop and self.verb.name in ("pair", "calibrate")
        return bool(hangs) and what in ("left", "junit: is not there")

    def judge_output(self, option, path):
        if option in self.verb.several:
            found = []
            for label in self.verb.labels:
                found += self.judge_one(option, said.part_of(path, option, label, [1] * (self.column == "csv")), label)
            if option == "report":
                found += self.judge_one(option, path, None)
            if option == "junit" and self.code != 0 and not self.limit_reached() and not self.free:
                red = [said.reds(said.part_of(path, option, label)) for label in self.verb.labels]
                found += [] if any(red) else [("all green", f"exit {self.code}")]
            return found
        return self.judge_one(option, path, None)

    def limit_reached(self):
        return self.limit is not None or self.faults is not None

    def judge_one(self, option, path, label):
        mine = (label is None or label in self.end.labels) and not self.verb.share  # a share has no verdict
        if option in self.free or (option, label) in self.free:
            return []
        if option == "resume":
            return self.lost_records(path)
        if option == "limits":
            return [] if said.whole_limits(path, self.folder) else [("not whole", path.name)]
        if option == "map":
            return []  # a picture, which has no verdict; an older PNG is replaced
        page = path / "index.html" if option == "report" else path
        if not page.exists():
            gone = option == "junit" and not self.limit_reached() or self.code == 0
            return [("is not there", f"exit {self.code}")] if gone and (mine or self.verb.share) else []
        if old(page):
            return [("old verdict stays", f"{page.relative_to(self.folder)}, exit {self.code}")]
        green = self.sweep.green[self.verb.name] / self.column / page.relative_to(self.folder)
        return said.JUDGES[option](page, self.code, green, mine) if option in said.JUDGES else []

    def order(self):
        """JUnit is written last."""
        if "junit" not in self.outputs or "junit" in self.victims or self.verb.several:
            return []
        junit = self.folder / self.outputs["junit"]
        times = [(f.stat().st_ctime_ns, o) for o, p in self.outputs.items() for f in files_of(self.folder / p)
                 if o not in ("junit", *self.victims) and not old(f)]
        late = [o for t, o in times if junit.exists() and not old(junit) and t > junit.stat().st_ctime_ns]
        return [(NOT_LAST, f"{late[0]} is later")] if late else []

    # ---- Resumed results ---------------------------------------------------------------------

    def resumed(self):
        if "resume" not in self.outputs:
            return set()
        return {k for f in files_of(self.folder / self.outputs["resume"]) for k in said.records_of(f)}

    def lost_records(self, path):
        """A run of other frames makes other results."""
        if "--frames" in self.args and not any(old(file) for file in files_of(path)):
            return []
        found = {k for f in glob.glob(f"{path}*") for g in files_of(pathlib.Path(f)) for k in said.records_of(g)}
        kept = {r for r in self.records if not self.removed & {*r[2:]} and not any(f"{n}/" in f"{p}" for p in r[2:] for n in self.removed)}
        return [("resumed results are lost", f"{len(kept - found)} of {len(kept)} records")] if kept - found else []


class Sweep:
    def __init__(self, options, folder):
        self.options, self.program = options, os.path.realpath(options.program)
        self.faults = options.faults and os.path.realpath(options.faults)
        self.base, self.cells = folder / "base", folder / "cells"
        self.green, self.columns, self.refused = {}, {}, {}
        self.cells.mkdir()
        model.make_inputs(self.program, self.base)

    def make_green(self, verb):
        """Runs the verb with each output, so that it passes, and notes which outputs it refuses."""
        self.green[verb.name], self.columns[verb.name], every = self.cells.parent / "green" / verb.name, {}, {}
        for column in model.COLUMNS:
            outputs = every if column == "all" else verb.outputs(column)
            if not outputs:
                continue
            folder = self.green[verb.name] / column
            folder.mkdir(parents=True)
            for name in verb.inputs:
                (folder / name).symlink_to(self.base / name)
            first = {"output": outputs["resume"]} if column == "resume" else outputs
            words = [verb.words(first, column == "csv"), verb.words(outputs)]
            runs = [subprocess.run([self.program, *w], cwd=folder, capture_output=True, check=False, env={**os.environ, **QUIET})
                    for w in words[:2 if column == "resume" else 1]]
            if any(run.returncode == 2 for run in runs):
                self.refused[verb.name, column] = runs[-1].stderr.decode().strip().split("\n")[-1]
                continue
            if any(run.returncode for run in runs):
                raise SystemExit(f"{verb.name} / {column}: no passing run: {words} {runs[-1].stderr.decode()}")
            for file in [f for path in outputs.values() for f in files_of(folder / path)]:
                os.utime(file, (OLD, OLD))
            self.columns[verb.name][column] = outputs
            if column not in ("csv", "resume"):
                every |= outputs

    def all_cells(self):
        for verb in model.verbs():
            self.make_green(verb)
            for column, outputs in self.columns[verb.name].items():
                for end in model.ends_of(verb, column, outputs, self.faults):
                    yield Cell(self, verb, column, end)

    def table(self, cells, results):
        """Prints how many early ends hold, of all, for each verb and output. The last column leaves JUnit's order aside."""
        count, names = {}, list(dict.fromkeys([c.verb.name for c in cells] + [v for v, _ in self.refused]))
        for cell in cells:
            wrong = results[cell.name]
            columns = [(cell.column, wrong)]
            if cell.column == "all" and wrong is not None:
                columns.append(("any order", [w for w in wrong if w[0] != NOT_LAST]))
            for column, found in columns if wrong is not None else ():
                held, whole = count.get((cell.verb.name, column), (0, 0))
                count[cell.verb.name, column] = (held + (not found), whole + 1)
        print(f"{'':14}" + "".join(f"{c:>10}" for c in (*model.COLUMNS, "any order")))
        for name in names:
            row = ["%d/%d" % count[name, c] if (name, c) in count else "refused" if (name, c) in self.refused else "-"
                   for c in (*model.COLUMNS, "any order")]
            print(f"{name:14}" + "".join(f"{text:>10}" for text in row))


SWEEP = None  # of a process


def judge(number):
    cell = SWEEP.chosen[number]
    try:
        wrong = cell.judge()
    except Exception as error:  # pylint: disable=broad-except
        wrong = [("test", repr(error))]
    if not SWEEP.options.keep:
        shutil.rmtree(cell.folder, ignore_errors=True)
    return wrong


def main():
    global SWEEP
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for option, kind in (("--only", str), ("--every", int), ("--keep", str), ("--jobs", int)):
        parser.add_argument(option, type=kind)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--show", action="store_true")
    parser.add_argument("program")
    parser.add_argument("faults", nargs="?")
    options = parser.parse_args()
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None  # thousands of small files
    with tempfile.TemporaryDirectory(dir=memory) as folder:
        SWEEP = Sweep(options, pathlib.Path(options.keep or folder).resolve())
        cells = [c for c in SWEEP.all_cells() if not options.only or options.only in c.name][::options.every or 1]
        if options.list:
            for cell in cells:
                cell.prepare()
                print(f"{cell.name}: {cell.command()}")
            return 0
        SWEEP.chosen = cells
        with concurrent.futures.ProcessPoolExecutor(options.jobs or 4) as pool:
            results = dict(zip((c.name for c in cells), pool.map(judge, range(len(cells)), chunksize=8)))
        SWEEP.table(cells, results)
    judged = [wrong for wrong in results.values() if wrong is not None]
    whole, held = len(judged), judged.count([])
    classes = {}
    for cell in cells:
        for what, detail in results[cell.name] or ():
            classes.setdefault(what, []).append(f"{cell.name}: {detail}\n      {cell.command()}")
    for what, found in sorted(classes.items()):
        print(f"\n{what}: {len(found)}", *found, sep="\n  ")
    print(f"\nTo repeat a cell: {sys.argv[0]} --show --only NAME PROGRAM [FAULTS]" if classes else "")
    print(f"[{'FAIL' if held < whole else 'PASS'}] outputs: {whole} early ends, {whole - held} wrong")
    return 1 if held < whole or not whole else 0


if __name__ == "__main__":
    sys.exit(main())
