#!/usr/bin/env python3
"""farm_recipes.py PROGRAM: runs the Python recipes of docs/farm with stand-ins for Deadline, OpenCue and gazu. The first, a middle and
the last frame are damaged or missing, are rendered once more, and are good then, or stay bad."""
import importlib.util
import os
import pathlib
import shutil
import sys
import tempfile
import types

HERE = pathlib.Path(__file__).resolve().parent
RECIPES = HERE.parent.parent / "docs/farm"
sys.path.insert(0, str(HERE.parent / "cli"))
sys.dont_write_bytecode = True
from pictures import png  # noqa: E402

FIRST, LAST = 1001, 1012


def render(folder, name, frames, bucket=False):
    """Makes frames that move. A bucket of 24 x 24 is black."""
    def pixel(x, y, at):
        black = bucket and 40 <= x < 64 and 16 <= y < 40
        return (0, 0, 0) if black else (60 + (x + 3 * at) % 90, 90 + (y + at) % 70, 80 + x * y % 50)

    for frame in frames:
        png(str(folder / f"{name}.{frame}.png"), 96, 64, lambda x, y, at=frame: pixel(x, y, at))


def damage(path):
    path.write_bytes(path.read_bytes()[:-40])


def load(name, modules):
    sys.modules.update(modules)
    spec = importlib.util.spec_from_file_location(name, RECIPES / f"{name}.py")
    recipe = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(recipe)
    return recipe


def module(name, **members):
    made = types.ModuleType(name)
    made.__dict__.update(members)
    return made


def parse(text):
    """Returns the frames of a list such as 1003-1005,1007-1011x2."""
    frames = []
    for part in text.split(","):
        span, _, step = part.partition("x")
        first, _, last = span.partition("-")
        frames += range(int(first), int(last or first) + 1, int(step or 1))
    return frames


# ---- Deadline ----------------------------------------------------------------------------------------


class Job:
    def __init__(self, folder, names):
        self.JobOutputDirectories = [str(folder)] * len(names)
        self.JobOutputFileNames = [f"{name}.####.png" for name in names]
        self.JobFramesList = list(range(FIRST, LAST + 1))
        self.kept = {}

    def GetJobExtraInfoKeyValue(self, key):
        return self.kept.get(key, "")

    def SetJobExtraInfoKeyValue(self, key, value):
        self.kept[key] = value


class Failed(Exception):
    pass


class Plugin:
    def __init__(self, job):
        self.job, self.log = job, []

    def GetJob(self):
        return self.job

    def LogInfo(self, line):
        self.log.append(line)

    def FailRender(self, why):
        raise Failed(why)


def test_deadline(root):
    requeued = []
    tasks = [types.SimpleNamespace(TaskFrameList=[n, n + 1]) for n in range(FIRST, LAST, 2)]
    repository = types.SimpleNamespace(
        GetJobTasks=lambda job, invalidate: types.SimpleNamespace(TaskCollectionTasks=tasks), SaveJob=lambda job: None,
        RequeueTasks=lambda job, some: requeued.extend(task.TaskFrameList for task in some))
    scripting = module("Deadline.Scripting", FrameUtils=types.SimpleNamespace(Parse=parse), RepositoryUtils=repository)
    recipe = load("deadline_check", {"Deadline": module("Deadline"), "Deadline.Scripting": scripting})
    for name in "beauty", "matte":
        render(root, name, range(FIRST, LAST + 1))
    job = Job(root, ["beauty", "matte"])
    recipe.__main__(Plugin(job))
    assert requeued == [] and job.kept == {}
    (root / f"beauty.{FIRST}.png").unlink()
    damage(root / "beauty.1006.png")
    (root / f"matte.{LAST}.png").unlink()
    recipe.__main__(Plugin(job))
    assert requeued == [[1001, 1002], [1005, 1006], [1011, 1012]], requeued
    render(root, "beauty", [FIRST, 1006])
    try:
        recipe.__main__(Plugin(job))
        raise AssertionError("a frame that stays bad passes")
    except Failed as why:
        assert "[1012]" in str(why), why
    render(root, "matte", [LAST])
    recipe.__main__(Plugin(job))
    assert len(requeued) == 3
    recipe.__main__(Plugin(Job(root, ["nothing"])))
    assert len(requeued) == 3 + len(tasks)


# ---- OpenCue -----------------------------------------------------------------------------------------


def test_opencue(root):
    calls = []
    job = types.SimpleNamespace(name=lambda: "show-sh010", addComment=lambda subject, text: calls.append(text),
                                retryFrames=lambda **request: calls.append(request))
    own = types.SimpleNamespace(createDependencyOnLayer=lambda layer: calls.append(layer))
    api = module("opencue.api", findJob=lambda name: job, findLayer=lambda job, layer: f"{job}/{layer}",
                 findFrame=lambda job, layer, frame: own if (layer, frame) == ("check", 1) else None)
    recipe = load("opencue_check", {"opencue": module("opencue", api=api), "opencue.api": api})
    os.environ.update(CUE_JOB="show-sh010", CUE_LAYER="check", CUE_IFRAME="1")
    render(root, "f", range(FIRST, LAST + 1))
    arguments = "render", str(root / "f.####.png"), f"{FIRST}-{LAST}"
    assert recipe.main(*arguments) == 0 and calls == []
    (root / f"f.{LAST}.png").unlink()
    for bad in FIRST, 1006:
        damage(root / f"f.{bad}.png")
    assert recipe.main(*arguments) == 1
    assert calls[0].startswith("render: frames 1001,1006,1012 fail"), calls
    assert calls[1:] == [{"layer": ["render"], "range": "1001,1006,1012"}, "show-sh010/render"]
    render(root, "f", [FIRST, 1006, LAST])
    assert recipe.main(*arguments) == 0 and len(calls) == 3


# ---- Kitsu -------------------------------------------------------------------------------------------


def test_kitsu(root):
    notes = []
    task = module("gazu.task", get_task=lambda task: {"id": task}, get_task_status_by_short_name=lambda name: name,
                  add_comment=lambda task, status, comment, attachments: notes.append((task, status, comment, attachments)))
    gazu = module("gazu", task=task, set_host=lambda host: None, log_in=lambda user, password: None)
    recipe = load("kitsu_note", {"gazu": gazu, "gazu.task": task})
    os.environ.update(KITSU_HOST="https://kitsu/api", KITSU_USER="farm", KITSU_PASSWORD="-")
    render(root, "f", range(FIRST, LAST + 1))
    results, page = str(root / "r.jsonl"), str(root / "page")
    shutil.copytree(root, root / "ref")
    os.system(f"ssimcu -q check --output {results} --report {page} {root}/f.####.png")
    recipe.main(results, page, "42")
    assert notes[-1] == ({"id": "42"}, "wfa", "**ssimcu: passed**\n", [])
    for bad in FIRST, 1006, LAST:
        damage(root / f"f.{bad}.png")
    render(root, "f", [1004], bucket=True)
    os.system(f"ssimcu -q check --output {results} --report {page} {root}/f.####.png >{root}/log")
    recipe.main(results, page, "42")
    _, status, comment, crops = notes[-1]
    assert status == "retake" and comment.startswith("**ssimcu: failed**\n"), comment
    for bad in FIRST, 1006, LAST:
        assert f"frame {bad}: unreadable: " in comment, comment
    assert "frame 1002" not in comment and "frame 1004: flat-area: " in comment, comment
    assert len(crops) == 1 and pathlib.Path(crops[0]).stat().st_size > 0, crops
    os.system(f"ssimcu -q --min-tile 0.99 --output {root}/run.jsonl --report {page} {root}/ref {root}/f.####.png >{root}/log 2>&1")
    recipe.main(f"{root}/run.jsonl", page, "42")
    _, status, comment, crops = notes[-1]
    assert status == "retake" and "frame 1004: min_tile: " in comment, comment
    assert crops == []


def main():
    failed = 0
    for test in test_deadline, test_opencue, test_kitsu:
        with tempfile.TemporaryDirectory() as scratch:
            root = pathlib.Path(scratch, "frames")
            root.mkdir()
            pathlib.Path(scratch, "bin").mkdir()
            pathlib.Path(scratch, "bin/ssimcu").symlink_to(pathlib.Path(sys.argv[1]).resolve())
            path = os.environ["PATH"]
            os.environ["PATH"] = f"{scratch}/bin:{path}"
            try:
                test(root)
                print(f"[PASS] farm_recipes::{test.__name__[5:]}")
            except AssertionError as why:
                failed += 1
                print(f"[FAIL] farm_recipes::{test.__name__[5:]}: line {why.__traceback__.tb_next.tb_lineno}: {why}")
            os.environ["PATH"] = path
    return failed > 0


sys.exit(main())
