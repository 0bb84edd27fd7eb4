"""What the outputs of outputs.py say: whether a file is whole, and whether it says that all is well."""
import csv
import json
import re
import xml.etree.ElementTree as tree

WITH_FRAMES = (1, 3, 4, 5)  # exit codes that say that frames or inputs are bad, and not a machine or a signal


def part_of(path, option, label, as_csv=()):
    """Returns the file or folder of one of several OUTs."""
    ending = {"junit": ".xml", "markdown": ".md", "output": ".csv" if any(as_csv) else ".jsonl"}
    return path / (label + ending.get(option, ""))


def reds(path):
    """Returns a JUnit file's failures and errors, None if it is not there."""
    if not path.exists():
        return None
    return len([e for e in tree.parse(path).iter() if e.tag in ("failure", "error")])


def judge_junit(path, code, green, mine):
    try:
        count = sum(int(s.get("failures")) + int(s.get("errors")) for s in tree.parse(path).iter("testsuite"))
        red = reds(path)
    except (tree.ParseError, TypeError) as error:
        return [("half a file", repr(error))]
    if count != red:
        return [("counts", f"{count} are said, {red} are there")]
    if (red > 0) != (code != 0) and (mine or red > 0):
        return [("green" if red == 0 else "red", f"exit {code}")]
    return []


def judge_results(path, code, green, mine):
    text = path.read_text(errors="replace")
    if not text.startswith("{"):
        return [] if all(len(row) > 1 for row in csv.reader(text.splitlines())) and text.endswith("\n") else [("half a file", path.name)]
    try:
        last = json.loads(text.splitlines()[-1])
    except json.JSONDecodeError:
        return [("half a file", path.name)]
    passed = last.get("verdict", last).get("passed") if last["type"] == "summary" else None
    if not last.get("complete"):
        return [("incomplete results have the final name", f"exit {code}")]
    return [("passed", f"exit {code}")] if passed and code in WITH_FRAMES and mine else []


def judge_page(path, code, green, mine):
    text = path.read_text(errors="replace")
    if not text.rstrip().endswith("</html>"):
        return [("half a file", path.name)]
    lost = [p for p in set(re.findall(r'(?:src|href)="(frame-[^"]*)"', text)) if not (path.parent / p).exists()]
    if lost:
        return [("a picture is missing", lost[0])]
    return says_the_same(r"<title>(\w[^:<]*):", text, code, green, mine)


def judge_note(path, code, green, mine):
    return says_the_same(r"\*\*(.*?)\*\*", path.read_text(errors="replace"), code, green, mine)


def judge_list(path, code, green, mine):
    """A list of frames to render again is empty if and only if the run passed."""
    text = path.read_text(errors="replace")
    whole = all(re.fullmatch(r".+ (all|[0-9][-0-9,x]*)", line) for line in text.splitlines()) and (not text or text.endswith("\n"))
    said = (text != "") == (code in WITH_FRAMES) or code == 4  # there may be no frame at all
    return [] if whole and said else [("wrong list", f"{text!r}, exit {code}")]


def says_the_same(pattern, text, code, green, mine):
    """The words of a run that passed are wrong for bad frames, whatever they are."""
    now, then = re.search(pattern, text), re.search(pattern, green.read_text(errors="replace"))
    same = now and then and now[1] == then[1]
    return [("passed", f"{now[1]}, exit {code}")] if same and code in WITH_FRAMES and mine else []


JUDGES = {"junit": judge_junit, "output": judge_results, "report": judge_page, "markdown": judge_note, "rerender": judge_list}


def whole_limits(path, folder):
    """Limits of an earlier calibration are no verdict and may stay, whole."""
    try:
        return (folder / json.loads(path.read_text())["learned"]["file"]).exists()
    except (OSError, ValueError, KeyError):
        return False


def records_of(path):
    """Returns the frames that results have, each with its paths."""
    found = set()
    for text in path.read_text(errors="replace").splitlines():
        try:
            record = json.loads(text)
        except json.JSONDecodeError:
            continue
        if record.get("type") == "frame" and record.get("status", "ok") == "ok":
            paths = [(record.get(side) or {}).get("path") for side in ("ref", "out")] + [record.get("path")]
            found.add((record.get("shot") or record.get("sequence") or record.get("shot"), record["frame"], *(p for p in paths if p)))
    return found
