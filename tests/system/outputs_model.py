"""The verbs, outputs and early ends of outputs.py."""
import errno
import os
import pathlib
import re
import signal
import struct
import subprocess
import sys
import zlib

from outputs_said import part_of

ROOT = pathlib.Path(__file__).resolve().parents[2]
CODES = (0, 1, 2, 3, 4, 5, 70, 74, 130, 143)
COLUMNS = ("jsonl", "csv", "junit", "markdown", "report", "rerender", "map", "resume", "all")
PATHS = {"jsonl": "o.jsonl", "csv": "o.csv", "junit": "j.xml", "markdown": "n.md", "report": "p", "rerender": "l.txt",
         "map": "m", "resume": "r.jsonl"}
OPTIONS = {"jsonl": "output", "csv": "output"}  # others have their column's name
FRAMES = 6


# ---- Verbs ---------------------------------------------------------------------------------------


class Verb:
    """ends: steps with ; between, joined by &. A step's words are its name and what it is done to. ~: may pass, ?: may be
    refused with exit code 2. fifo: the input that a signal waits for; "": there is none, None: many pictures."""

    def __init__(self, name, words, inputs, ends, fifo=None, labels=(), share=False):
        self.name, self.fixed, self.inputs, self.ends, self.fifo = name, words.split(), inputs.split(), ends, fifo
        self.labels, self.share, self.made, self.beside = labels, share, [], []
        self.several = OPTIONS_OF_SEVERAL if labels else ()

    def outputs(self, column):
        path = PATHS[column] + (".png" if column == "map" and self.name == "pair" else "")
        if self.labels:
            path = "o-" + column
        if self.name == "calibrate":
            outputs = {"limits": "l.json"} if column in ("jsonl", "report", "junit", "markdown") else {}
            return outputs if column == "jsonl" else outputs | {column: path} if outputs else outputs
        return {OPTIONS.get(column, column): path}

    def words(self, outputs, as_csv=False):
        words = ["-q", *self.fixed, *(["--csv"] if as_csv and self.labels else [])]
        for option, path in outputs.items():
            words += [f"--{'output' if option == 'limits' else option}", path]
        return words


OPTIONS_OF_SEVERAL = ("output", "junit", "markdown", "report", "map")
PLACES = ("0001", "0003", "0006")
ONES = "; ".join(f"cut out/{n}.png; gone out/{n}.png; resize out/{n}.png" for n in PLACES)
OTHER = "same out/0003.png ref/0001.png & + --min-tile 0.99"  # exit code 1
PICTURES = f"{OTHER}; gone ref; gone out; hollow ref; hollow out; spoil out; {ONES}; gone ref/0003.png; cut ref/0003.png; " \
           "gone ref/0003.png & gone out/0003.png & + --frames 1-6; + --frames 1-6,50; + --frames 3,50; + --frames 50"
LISTED = f"{OTHER}; gone list; hollow list; text list; gone ref; gone out; spoil out; {ONES}; + --frames 0-5,50; " \
         "+ --frames 3,50; + --frames 50"
STREAM = "gone {0}; hollow {0}; text {0}; cut {0}; resize {0}; short {0}"
VIDEO = STREAM.format("b.y4m") + "; gone a.y4m; cut a.y4m; hollow a.y4m; + --frames 0-2,50; + --frames 50"
SEVERAL = "; ".join(STREAM.format(f"{n}.y4m") for n in "bcd") + "; gone a.y4m; cut a.y4m; + --frames 50; " \
          "gone b.y4m & gone c.y4m & gone d.y4m"
MERGED = "; ".join(f"gone {n}; hollow {n}; text {n}; cut {n}; - {n}; line {n}" for n in ("s1.jsonl", "s2.jsonl", "s3.jsonl"))
ALONE = "; ".join(f"gone {n}; hollow {n}; spoil {n}" for n in ("out", "alt", "ref")) + "; " + \
        "; ".join(f"cut out/{n}.png; resize out/{n}.png" for n in PLACES) + \
        "; gone out/0003.png; gone alt/0002.png; gone ref/0004.png; + --frames 1-6,50; + --frames 50; " \
        "+ --frames 1-6 & gone out/0006.png; + --frames 1-6 & gone ref"
ALONE_LIST = "gone clist; hollow clist; gone out; gone alt; gone ref; spoil alt; cut ref/0003.png; " \
             "+ --frames 1-6 & gone alt; + --frames 1-6,50"
TAUGHT = "gone ref; hollow ref; spoil ref; gone r1; gone r4; hollow r2; spoil r3; cut r1/0003.png; ~gone r2/0003.png; cut ref/0001.png; " \
         "resize r4/0005.png"
SHARED = "gone ref; gone out; hollow ref; hollow out; spoil out; cut out/0001.png; cut out/0004.png; + --frames 1-6,50"
ALONE_SHARED = "gone out; hollow ref; spoil out; cut out/0001.png; cut out/0003.png; + --frames 1-6,50"


def verbs():
    """Returns all verbs."""
    several = {"labels": ("b.y4m", "c.y4m", "d.y4m")}
    one = "gone a.y4m; hollow a.y4m; text a.y4m; cut a.y4m; + --frames 0-2,50; + --frames 50"
    all_verbs = [
        Verb("pair", "ref/0003.png out/0003.png", "ref out",
             f"{OTHER}; gone ref/0003.png; gone out/0003.png; cut ref/0003.png; cut out/0003.png; hollow out/0003.png; "
             "text ref/0003.png; resize out/0003.png; ?+ --frames 1-2", "out/0003.png"),
        Verb("batch", "ref out", "ref out", PICTURES),
        Verb("list", "--list list", "list ref out", LISTED, "out/0003.png"),
        Verb("several", "a.y4m b.y4m c.y4m d.y4m", "a.y4m b.y4m c.y4m d.y4m", SEVERAL, "c.y4m", **several),
        Verb("video", "a.y4m b.y4m", "a.y4m b.y4m", VIDEO, "b.y4m"),
        Verb("merge", "merge s1.jsonl s2.jsonl s3.jsonl", "ref out s1.jsonl s2.jsonl s3.jsonl", MERGED, "s2.jsonl"),
        Verb("check", "check out alt ref", "out alt ref", ALONE),
        Verb("check list", "check --list clist", "clist out alt ref", ALONE_LIST, "clist"),
        Verb("check video", "check a.y4m", "a.y4m", one, ""),
        Verb("check merge", "merge c1.jsonl c2.jsonl c3.jsonl", "out alt ref c1.jsonl c2.jsonl c3.jsonl",
             re.sub(r"\bs(\d)", r"c\1", MERGED), "c2.jsonl"),
        Verb("calibrate", "calibrate --tile 24 ref r1 r2 r3 r4", "ref r1 r2 r3 r4", TAUGHT),
        Verb("accept", "accept all.jsonl --into d", "all.jsonl ref out",
             "gone all.jsonl; cut all.jsonl; gone out/0003.png; cut out/0001.png"),
        Verb("share", "--shard 1/2 ref out", "ref out", SHARED, share=True),
        Verb("check share", "check --shard 1/3 out alt ref", "out alt ref", ALONE_SHARED, share=True)]
    for verb in all_verbs:
        verb.made = {"accept": ["d"], "calibrate": ["l.learned"]}.get(verb.name, ["n.pictures"])
        verb.beside = ["*.learned"] if verb.name == "calibrate" else []
    return all_verbs


# ---- Inputs --------------------------------------------------------------------------------------


def y4m(frames, width=64):
    luma = [bytes((x * 3 + y * 5 + n * 7) % 200 + 16 for y in range(48) for x in range(width)) for n in range(frames)]
    return f"YUV4MPEG2 W{width} H48 F25:1 Cmono\n".encode() + b"".join(b"FRAME\n" + frame for frame in luma)


def small_png():
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    head = chunk(b"IHDR", struct.pack(">IIBBBBB", 40, 40, 8, 0, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + head + chunk(b"IDAT", zlib.compress((b"\0" + bytes(range(40))) * 40)) + chunk(b"IEND", b"")


def make_inputs(program, base):
    base.mkdir()
    noisy = ROOT / "tests" / "cli" / "calibrate" / "noisy.py"
    subprocess.run([sys.executable, noisy, str(FRAMES), "ref", "alt", "r1", "r2", "r3", "r4"], cwd=base, check=True)
    subprocess.run(["cp", "-rp", "ref", "out"], cwd=base, check=True)
    (base / "big.png").write_bytes((ROOT / "testdata" / "dandelion-ref.png").read_bytes())
    numbers = [f"{n:04}.png" for n in range(1, FRAMES + 1)]
    (base / "list").write_text("".join(f"ref/{n}\tout/{n}\n" for n in numbers))
    (base / "clist").write_text("out\nalt\nref\n")
    for name in "abcd":
        (base / f"{name}.y4m").write_bytes(y4m(FRAMES))
    runs = [f"--shard {i}/3 ref out --output s{i}.jsonl" for i in (1, 2, 3)] + ["ref out --output all.jsonl"]
    runs += [f"check --shard {i}/3 out alt ref --output c{i}.jsonl" for i in (1, 2, 3)]
    for run in runs:
        subprocess.run([program, "-q", *run.split()], cwd=base, check=True, capture_output=True)


# ---- Steps of an early end -----------------------------------------------------------------------


def fresh(cell, path, data):
    """Replaces an input in this cell alone: it is a link."""
    place = cell.folder / path
    place.unlink()
    place.write_bytes(data)
    cell.removed.add(path)


def gone(cell, path):
    place = cell.folder / path
    if place.is_dir():
        for file in place.iterdir():
            file.unlink()
        place.rmdir()
    else:
        place.unlink()
    cell.removed.add(path)


def each(cell, path, data):
    for file in sorted((cell.folder / path).iterdir()):
        fresh(cell, str(file.relative_to(cell.folder)), data(file))


def cut(cell, path):
    data = (cell.folder / path).read_bytes()
    fresh(cell, path, data[:len(data) * 3 // 5])


def hollow(cell, path):
    if not (cell.folder / path).is_dir():
        return fresh(cell, path, b"")
    for file in (cell.folder / path).iterdir():
        file.unlink()
    cell.removed.add(path)


def resize(cell, path):
    if path.endswith(".y4m"):
        return fresh(cell, path, y4m(FRAMES, 48))
    fresh(cell, path, small_png())


def line(cell, path):
    """Spoils a line of results, the second."""
    lines = (cell.folder / path).read_bytes().splitlines(keepends=True)
    lines[1] = lines[1][:40] + b"\n"
    fresh(cell, path, b"".join(lines))


def theirs(cell, path, content=b"my notes\n"):
    place = cell.folder / path
    if place.is_dir() and not place.is_symlink():
        for file in sorted(place.rglob("*"), reverse=True):
            file.rmdir() if file.is_dir() else file.unlink()
        place.rmdir()
    elif place.exists():
        place.unlink()
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(content)
    cell.theirs[path] = content


def held(cell, option, how):
    """Puts a file of somebody else where an output goes, or its draft."""
    path = cell.outputs[option]
    if how == "beside":
        cell.free.add(option)
        return theirs(cell, path + (".partial" if option == "output" else ".tmp"))
    if how == "killed":  # what a killed run has left
        cell.free.add(option)
        return theirs(cell, path + ".partial", b"".join((cell.folder / path).read_bytes().splitlines(keepends=True)[:3]))
    if how == "one":  # of one of several OUTs
        cell.free.add((option, cell.verb.labels[1]))
        return theirs(cell, str(part_of(pathlib.Path(path), option, cell.verb.labels[1], (cell.folder / path).glob("*.csv"))))
    if how == "folder":
        theirs(cell, path)
        cell.theirs.clear()
        (cell.folder / path).unlink()
        path += "/index.html"
    theirs(cell, path)
    if how == "link":
        (cell.folder / path).rename(cell.folder / "notes")
        (cell.folder / path).symlink_to("notes")
        cell.theirs["notes"] = cell.theirs[path]
    if option != "map" or how != "folder":
        cell.victims.add(option)


def set_fault(cell, kind, number, at, always):
    """Of several threads any may make the n-th call."""
    cell.faults = (kind, int(number), int(at), always == "on")
    cell.args += ["--threads", "1"] if "merge" not in cell.verb.name else []


def set_stop(cell, number):
    """The program waits for an input when the signal comes, or works on many."""
    cell.stop = int(number)
    path = cell.verb.fifo
    if not path:
        for name in {*cell.verb.fixed} & {"ref", "out", "alt", "r1", "r2", "r3", "r4"}:
            for n in range(1001, 1021):
                os.link(cell.sweep.base / "big.png", cell.folder / name / f"{n}.png")
        cell.args += ["--threads", "1"] if "--threads" not in cell.args else []
        return
    data = (cell.folder / path).read_bytes()
    gone(cell, path)
    os.mkfifo(cell.folder / path)
    cell.fifo = os.open(cell.folder / path, os.O_RDWR | os.O_NONBLOCK)
    os.write(cell.fifo, data[:len(data) * 3 // 5])


def drop(cell, word):
    cell.args.remove(word)


STEPS = {
    "gone": gone, "cut": cut, "hollow": hollow, "resize": resize, "line": line, "-": drop,
    "stop": set_stop, "fault": set_fault, "held": held,
    "closed": lambda cell, path: (setattr(cell, "closed", cell.folder / path), cell.removed.add(path)),
    "same": lambda cell, path, other: fresh(cell, path, (cell.folder / other).read_bytes()),
    "spoil": lambda cell, path: each(cell, path, lambda file: file.read_bytes()[:200]),
    "text": lambda cell, path: fresh(cell, path, b"my notes\n"),
    "short": lambda cell, path: fresh(cell, path, y4m(FRAMES - 2)),
    "+": lambda cell, *words: cell.args.extend(words),
    "elsewhere": lambda cell, option, path: cell.replace(option, path),
    "limit": lambda cell, size: setattr(cell, "limit", int(size)),
    "full": lambda cell: (setattr(cell, "stdout", open("/dev/full", "wb")), cell.args.remove("-q")),
}


# ---- Early ends ----------------------------------------------------------------------------------


class End:
    def __init__(self, verb, text, fails=True, usage=None, labels=None):
        self.name, self.fails, self.usage = text, fails, usage  # usage: exit code 2 is right: may be, or always
        self.steps = [step.split() for step in text.split(" & ")]
        self.labels = verb.labels if labels is None else labels


def labels_of(verb, text):
    """An early end of one OUT is its own."""
    hit = [label for label in verb.labels if re.search(rf"\b{label}", text)]
    return tuple(hit) if hit else None


def ends_of(verb, column, outputs, faults):
    busy = verb.name in ("merge", "check merge") or column == "resume"  # they may need no device and no memory
    closed = ["closed out"] * ("out" in verb.inputs and "merge" not in verb.name and os.geteuid() != 0)  # root may read it
    for text in verb.ends.split("; ") + closed:
        lost = re.match(r"(gone|hollow) \w+$", text) and not verb.name.startswith("check")  # a check has others
        bad_frames = verb.share and not lost
        yield End(verb, text.lstrip("~?"), not bad_frames and text[0] != "~", "maybe" if text[0] == "?" else None, labels_of(verb, text))
    for words in ("--no-such", "--threads 0", "--output"):
        yield End(verb, f"+ {words}", usage="always")
    yield End(verb, "+ --limits gone.json", usage="maybe")
    yield End(verb, "+ --baseline gone.jsonl --max-drop 0.1", usage="maybe")
    for words in ("--device cuda", "--memory 2K"):
        yield End(verb, f"+ {words}", not busy and not (verb.share and "memory" in words), "maybe")
    yield End(verb, "full", False)
    for option, path in outputs.items():
        yield from ends_of_output(verb, column, option, path)
    for size in (0, 300, 4000):
        yield End(verb, f"limit {size}", size == 0 and column not in ("map", "rerender"), labels=())
    whole = column in ("junit", "all")
    for number in (signal.SIGTERM, signal.SIGINT)[:1 + whole] if verb.fifo != "" else ():
        yield End(verb, f"stop {number.value}", False)
    for kind, number, always, counts in FAULTS if faults else ():
        for at in counts if column == "all" else counts[::4]:
            yield End(verb, f"fault {kind} {number} {at} {always}", False, labels=())


def ends_of_output(verb, column, option, path):
    """Yields how one output may be in the way."""
    yield End(verb, f"elsewhere {option} -", usage="always")
    yield End(verb, f"elsewhere {option} {verb.fifo or verb.inputs[0] + '/0003.png' * ('.' not in verb.inputs[0])}", usage="maybe")
    if option == "resume":
        return
    yield End(verb, f"elsewhere {option} nodir/{path}")
    hows = ["file", "folder"]
    if not verb.labels and "." in path:
        hows += ["link", "beside"] + ["killed"] * path.endswith("jsonl")
    for how in hows + ["one"] * bool(verb.labels and option != "map"):
        may_pass = how in ("beside", "killed") or how == "folder" and (option == "map" or verb.labels)
        yield End(verb, f"held {option} {how}", not may_pass, "maybe")


FAULTS = [
    ("alloc", errno.ENOMEM, "once", (50, 100, 200, 400, 800, 1600, 3200)), ("alloc", errno.ENOMEM, "on", (200, 800, 1600)),
    ("write", errno.ENOSPC, "once", (1, 2, 4, 8, 16)), ("write", errno.ENOSPC, "on", (1, 4, 8, 16)),
    ("sync", errno.EIO, "once", (1, 2, 3, 4, 5)), ("open", errno.EMFILE, "once", (20, 40, 60)), ("read", errno.EIO, "once", (30, 60, 90))]
