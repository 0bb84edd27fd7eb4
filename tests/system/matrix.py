#!/usr/bin/env python3
"""matrix.py PROGRAM [COMBINATIONS [SEED]]: holds records, verdicts and exit codes against a model of their own.

Each combination is a few small pictures with limits, rules, ignored parts, a baseline, further references and missing
frames, drawn with a fixed seed. It is run in one go, as shares that are merged, cut and resumed, and as CSV. The model
(matrix_model.py) says what must come out. A combination with a number next to a limit is drawn again.

Three things are left out. Hints depend on neighbours, which a resumed run does not see, so no limit is on them. Rules that
ignore parts by the path of OUT do not meet a baseline, which takes such rules by their text. Frames have numbers, because
a baseline finds others by position.
"""
import concurrent.futures
import csv
import json
import math
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as tree

sys.dont_write_bytecode = True  # nothing is left beside the sources
import matrix_model as model  # noqa: E402

FRAMES = (1001, 1002, 1003, 1004)
KINDS = ("equal", "noisy", "noisier", "square", "spot", "bright", "tint")
SHAPES = {False: ("*", "100[12]", "1003", "[!9]*", "1001", "nothing*"),
          True: ("*", "sh010/*", "sh0?0/*", "sh020/100[1-3]", "*/1002", "[!9]*", "sh010/1001", "nothing/*")}
PATHS = {False: ("{}/*", "*.png", "*/1002.png"), True: ("{}/*", "*/sh020/*", "*/sh010/1002.png")}
RANGES = ("1001-1002", "1002", "1001-1004x2,1002", "sh010/1001-1003", "sh020/1002", "1003-1004")


class Pool:
    """All pictures and masks, made once."""

    def __init__(self, folder):
        draw = random.Random("pool")
        self.refs, self.outs, self.masks = {}, {}, {}
        for shot, (width, height, *_) in model.SIZES.items():
            for number in FRAMES:
                base = model.draw_picture(draw, shot)
                others = [model.damage(draw, shot, base, "noisier") for _ in range(2)]
                made = [model.damage(draw, shot, base, kind) for kind in KINDS]
                made += [others[0], model.damage(draw, shot, others[0], "noisy"), others[1]]
                pictures = [model.Picture(folder / f"{shot}-{number}-{i}.png", shot, samples)
                            for i, samples in enumerate([base, *others, *made])]
                self.refs[shot, number], self.outs[shot, number] = pictures[:3], pictures[3:]
            for i, channels in enumerate((1, 3)):
                places = [(draw.randrange(width), draw.randrange(height), draw.randrange(1, 9), draw.randrange(1, 9))
                          for _ in range(i + 1)]
                path = folder / f"mask-{shot}-{i}.png"
                self.masks[str(path)] = model.Mask(path, width, height, places, channels)


# ---- Drawing -------------------------------------------------------------------------------------


class Case:
    """A combination, drawn from a seed."""

    def __init__(self, pool, seed):
        self.draw = random.Random(seed)
        draw, self.pool, self.masks = self.draw, pool, pool.masks
        self.tree, self.directory = draw.random() < 0.6, draw.choice(("out", "today"))
        self.missing = draw.choice((None, None, "error", "skip", "end"))
        self.max_bad = draw.choice((0, 0, 0, 1, 2, 4, 8))
        self.psnr = draw.random() < 0.3
        self.baseline = draw.random() < 0.4
        self.others = draw.choice((0, 0, 0, 1, 2))
        self.options, self.rules = {}, []
        self.draw_frames()
        self.draw_limits()

    def chance(self, share):
        return self.draw.random() < share

    def draw_frames(self):
        draw, gaps = self.draw, self.chance(0.35)
        shots = list(model.SIZES) if self.tree else [draw.choice(list(model.SIZES))]
        chosen = [(shot, n) for shot in shots for n in FRAMES[:draw.randint(2, 4) if self.tree else 4]]
        self.frames, others = [], self.chance(0.2)  # the baseline has other frames alone
        for i, (shot, number) in enumerate(chosen):
            frame, refs, outs = model.Frame(shot, number, self.tree), self.pool.refs[shot, number], self.pool.outs[shot, number]
            gone = draw.choice(("ref", "out", "out")) if gaps and i > 0 and self.chance(0.3) else ""
            frame.ref = refs[0] if gone != "ref" else None
            frame.out = draw.choice(outs) if gone != "out" else None
            frame.out_path = f"{self.directory}/{frame.file}" if frame.out else None
            frame.before = draw.choice((outs[0], frame.out, draw.choice(outs)))
            if not self.baseline or frame.ref is None or self.chance(1 if others else 0.1):
                frame.before = None
            for k in range(self.others):
                if i == 0 or self.chance(0.7):
                    frame.variants.append((f"or{k + 1}", refs[k + 1]))
            self.frames.append(frame)

    def draw_limits(self):
        draw = self.draw
        if self.chance(0.7):
            self.rules = [self.draw_rule() for _ in range(draw.randint(1, 4))]
        self.records = list(model.expect_run(self)["records"].values())
        for rule in self.rules:
            self.fill(rule)
        for key in self.keys():
            if self.chance(0.2):
                self.options[key] = self.draw_limit(key)
        for metric in ("", "_psnr") if self.psnr else ("",):
            if self.chance(0.2):
                self.options["min_score" + metric] = self.draw_limit("min_frame" + metric)
        named = {*self.options}.union(*map(model.spread, self.rules))
        if self.baseline and not named & {"max_drop", "max_tile_drop"}:
            key = draw.choice(("max_drop", "max_tile_drop"))
            self.options[key] = self.draw_limit(key)
        if self.others and not self.rules and not {*self.options} & {*model.LIMITS}:
            self.options["min_tile"] = self.draw_limit("min_tile")

    def keys(self):
        return [key for key in model.LIMITS if (self.baseline or "drop" not in key) and (self.psnr or "psnr" not in key)]

    def draw_rule(self):
        """A rule without limits, which are drawn when the scores are known."""
        rule, draw, width, height = {}, self.draw, 60, 40
        ignores = not self.psnr and self.chance(0.35)
        if self.chance(0.85):
            paths = [path.format(self.directory) for path in PATHS[self.tree]]
            rule["match"] = draw.choice(SHAPES[self.tree] + tuple(paths if not (ignores and self.baseline) else ()))
        if "match" not in rule or self.chance(0.15):
            rule["frames"] = draw.choice(RANGES)
        if ignores and self.chance(0.7):
            rule["ignore"] = [[draw.randrange(width), draw.randrange(height), draw.choice((1, 4, 20)), draw.choice((1, 4, 20))]
                              for _ in range(draw.randint(1, 2))]
        if ignores and ("ignore" not in rule or self.chance(0.2)):
            fitting = [path for path in self.masks if not self.tree and f"mask-{self.frames[0].shot}" in path]
            rule["ignore_mask"] = draw.choice(fitting if fitting and self.chance(0.9) else list(self.masks))
            if self.tree and self.chance(0.9):
                rule["match"] = rule["ignore_mask"].split("-")[-2] + "/*"
        return rule

    def fill(self, rule):
        if self.chance(0.25):
            rule["may_be_missing"] = self.chance(0.6)
        while len(rule) == ("match" in rule) + ("frames" in rule) or self.chance(0.4):
            key = self.draw.choice(self.keys())
            if "psnr" in key or key == "min_frame" and isinstance(rule.get("min_frame"), dict):
                old = rule.get("min_frame", {})
                rule["min_frame"] = old if isinstance(old, dict) else {"ssim": old}
                rule["min_frame"]["psnr" if "psnr" in key else "ssim"] = self.draw_limit(key)
            else:
                rule[key] = self.draw_limit(key)

    def draw_limit(self, kind):
        """A limit in the midst of what there is, or now and then the best value, which equal frames have."""
        draw, scored = self.draw, [r for r in self.records if r["status"] == "ok"]
        low = kind in model.LOWER
        if "psnr" not in kind and self.chance(0.12):
            return 1 if low else 0
        if "drop" in kind:
            return draw.choice((0.001, 0.01, 0.05, 0.2))
        key = {"min_frame": "score", "min_tile": "tile", "max_level_shift": "level_shift", "min_frame_psnr": "psnr"}[kind]
        found = [r[key] for r in scored if math.isfinite(r[key])] or [0.9 if low else 1]
        width, least, most = {"max_level_shift": (1, 0, 255), "min_frame_psnr": (2, 0.1, 200)}.get(kind, (0.03, -0.99, 1))
        return min(max(round(draw.choice(found) + draw.uniform(-width, width), 4), least), most)


def draw_case(pool, seed):
    """A combination of which no number is next to its limit, and what it comes to."""
    for attempt in range(100):
        try:
            case = Case(pool, f"{seed}.{attempt}")
            return case, model.expect_run(case)
        except model.Near:
            continue
    raise AssertionError(f"{seed}: nothing but numbers next to their limits")


# ---- Running -------------------------------------------------------------------------------------


class Run:
    """A combination in a folder of its own: how it is run, and what differs from the model."""

    def __init__(self, program, case, want, folder, name):
        self.program, self.case, self.want, self.folder, self.name = program, case, want, folder, name
        self.runs, self.checked, self.wrong = 0, 0, []
        folder.mkdir()
        for frame in case.frames:
            for side, picture in (("ref", frame.ref), (case.directory, frame.out), ("before", frame.before), *frame.variants):
                if picture:
                    place = folder / side / frame.file
                    place.parent.mkdir(parents=True, exist_ok=True)
                    os.link(picture.path, place)
        if case.baseline and not any(frame.before for frame in case.frames):
            (folder / "before").mkdir()
            os.link(next(frame.out.path for frame in case.frames if frame.out), folder / "before/9999.png")
        self.judging = self.limits(case.rules, "limits.json")
        for key, value in case.options.items():
            option, _, metric = key.replace("_psnr", " psnr").partition(" ")
            self.judging += ["--" + option.replace("_", "-"), f"{metric}={value!r}" if metric else repr(value)]
        self.missing = ["--missing", case.missing] if case.missing else []
        self.judging += self.missing
        self.judging += ["--max-bad", str(case.max_bad)] if case.max_bad else []
        self.reading = ["--tile", str(model.TILE), "--threads", "1", "--device", "cpu"]
        self.reading += ["--recursive"] if case.tree else []
        self.reading += ["--metric", "psnr"] if case.psnr else []
        self.ways, self.sides = [], ["ref", case.directory]

    def limits(self, rules, file):
        (self.folder / file).write_text(json.dumps({"ssimcu_limits": 1, "rules": rules}))
        return ["--limits", file] if rules else []

    def ignoring(self):
        """The rules that ignore parts, without limits."""
        keys = ("match", "frames", "ignore", "ignore_mask")
        return [{k: v for k, v in rule.items() if k in keys} for rule in self.case.rules if {"ignore", "ignore_mask"} & {*rule}]

    def expect(self, good, how, what):
        if not good:
            self.wrong.append(f"[FAIL] matrix::{self.name} {how}: {what}")

    def call(self, how, code, *arguments):
        self.runs += 1
        done = subprocess.run([self.program, *arguments], cwd=self.folder, capture_output=True, text=True)
        self.expect(done.returncode == code, how, f"exit {done.returncode}, expected {code}: {' '.join(arguments)}\n{done.stderr}")
        return done.stdout

    def judged(self, how, *arguments):
        """A run that comes to a verdict, whose exit status JUnit must agree with."""
        (self.folder / "j.xml").unlink(missing_ok=True)
        printed = self.call(how, self.want["exit"], *arguments, *self.judging, "--junit", "j.xml")
        self.check_junit(how)
        return printed

    def read(self, file):
        """The lines of frames by name, and the summary, of results."""
        *frames, summary = [json.loads(line) for line in open(self.folder / file)][1:]
        return {f"{f['shot']}/{f['frame']}" if "shot" in f else str(f["frame"]): f for f in frames}, summary

    def start(self):
        """The baseline, and the run in one go. Returns the lines of its results."""
        if self.case.baseline:
            self.plain("before.jsonl", "ref", "before")
            self.judging += ["--baseline", "before.jsonl"]
        for directory in sorted({directory for frame in self.case.frames for directory, _ in frame.variants}):
            self.ways += ["--or", directory]
        printed = self.judged("run", *self.reading, *self.ways, "--output", "r.jsonl", *self.sides)
        value = self.want["psnr"] if self.case.psnr else self.want["mean"]
        self.expect(value is None or model.alike(float(printed or "nan"), value, 2e-6), "run", f"printed {printed!r}, expected {value}")
        return self.read("r.jsonl")

    def plain(self, output, *sides):
        """A run that ignores the same parts, without limits, or with one that all frames keep to, as --or needs one."""
        loose = [*self.ways, "--max-level-shift", "255"] if self.ways else []
        done = subprocess.run([self.program, *self.reading, *self.missing, *loose, *self.limits(self.ignoring(), "ignored.json"),
                               "--output", output, *sides], cwd=self.folder, capture_output=True, text=True)
        self.expect(done.returncode in (0, 3, 4), output, f"exit {done.returncode}: {done.stderr}")

    def resume(self, records, summary):
        """Resumes results that were cut: those of the run, or of one before it that had no limits and another OUT."""
        draw, source = self.case.draw, "r.jsonl"
        if self.case.chance(0.6):
            frame, source = draw.choice([frame for frame in self.case.frames if frame.out]), "plain.jsonl"
            place = self.folder / self.case.directory / frame.file
            for picture in (draw.choice(self.case.pool.outs[frame.shot, frame.number]), frame.out):
                place.unlink()
                os.link(picture.path, place)
                if picture is not frame.out or not (self.folder / source).exists():
                    self.plain(source, *self.sides)
        lines = (self.folder / source).read_text().splitlines(keepends=True)
        kept, (cut, place) = draw.randrange(1, len(lines) - 1), draw.choice((("cut.jsonl",) * 2, ("again.jsonl.partial", "again.jsonl")))
        (self.folder / cut).write_text("".join(lines[:kept]) + draw.choice(("", lines[kept][:50])))
        self.judged("resume", *self.reading, *self.ways, "--resume", place, "--output", "again.jsonl", *self.sides)
        self.check_same("resume", "again.jsonl", records, summary)

    def all(self):
        records, summary = self.start()
        self.check_records(records)
        self.check_verdict(records, summary)
        if not self.case.others:
            count = self.case.draw.choice((2, 2, 3))
            for i in range(1, count + 1):
                self.call("share", 0, *self.reading, *self.judging, "--shard", f"{i}/{count}", "--output", f"s{i}.jsonl", *self.sides)
            self.merge("merge", [f"s{i}.jsonl" for i in range(1, count + 1)], records, summary)
        if self.case.chance(0.3):
            self.merge("merge of one", ["r.jsonl"], records, summary)
        self.resume(records, summary)
        if not self.case.psnr and self.case.chance(0.3):
            self.refuse()
        if self.case.chance(0.3):
            self.judged("CSV", *self.reading, *self.ways, "--output", "r.csv", *self.sides)
            self.check_csv(records)

    def merge(self, how, files, records, summary):
        """A merge refuses --missing end, which has nothing to end there."""
        own, self.judging = self.judging, [o for o in self.judging if self.case.missing != "end" or o not in self.missing]
        self.judged(how, "merge", *files, "--output", "m.jsonl")
        self.judging = own
        self.check_same(how, "m.jsonl", records, summary)

    def refuse(self):
        """Scores are neither merged nor resumed where rules ignore other parts."""
        rules, draw = self.ignoring() or [{"match": "*"}], self.case.draw
        rule = draw.choice(rules)
        if "ignore_mask" in rule and self.case.chance(0.7):
            rule["ignore_mask"] = draw.choice([path for path in self.case.masks if path != rule["ignore_mask"]])
        elif "ignore" in rule and self.case.chance(0.5):
            rule[draw.choice(("match", "frames"))] = "7"
        else:
            rule["ignore"] = [[draw.randrange(50), draw.randrange(30), 3, 5]] + rule.get("ignore", [])
        other = self.limits(rules, "other.json")
        self.call("refused merge", 3, "merge", "r.jsonl", *other)
        self.call("refused resume", 3, *self.reading, *self.ways, *other, "--resume", "r.jsonl", "--output", "never.jsonl", *self.sides)

    # ---- Comparing -------------------------------------------------------------------------------

    def check_records(self, records):
        self.expect(list(records) == list(self.want["records"]), "run", f"frames {list(records)}, expected {list(self.want['records'])}")
        for name, want in self.want["records"].items():
            self.checked += 1
            got = records.get(name, {})
            for key, good in model.record_checks(got, want):
                self.expect(good, "run", f"frame {name}: {key}: {model.short(got)}, expected {model.short(want)}")
            kinds = [finding["kind"] for finding in got.get("findings", []) if finding["fails"]]
            self.expect(kinds == want["faults"], "run", f"frame {name}: fails on {kinds}, expected {want['faults']}")

    def check_verdict(self, records, summary):
        verdict, want = summary["verdict"], self.want
        reasons = [r["kind"] if "frames" not in r else (r["kind"], [str(f) for f in r["frames"]]) for r in verdict["reasons"]]
        self.expect(reasons == want["reasons"], "run", f"reasons {reasons}, expected {want['reasons']}")
        self.expect(verdict["passed"] == (not want["reasons"]), "run", f"passed is {verdict['passed']}")
        for kind, count in summary["findings"].items():
            has = sum(kind in (f["kind"] for f in r.get("findings", [])) for r in records.values())
            self.expect(count == has, "run", f"findings {summary['findings']}, but {has} frames have {kind}")
        for reason in verdict["reasons"]:
            limit = self.case.options.get(reason["kind"])
            self.expect(reason.get("limit") == limit and reason.get("count") in (None, len(reason.get("frames", []))), "run", f"{reason}")
        found = {f"{f['shot']}/{f['frame']}" if "shot" in f else str(f["frame"]): f for f in verdict["frames"]}
        bad = {name: r for name, r in want["records"].items() if r["faults"]}
        self.expect(list(found) == list(bad), "run", f"frames of the verdict {list(found)}, expected {list(bad)}")
        for name, own in bad.items():
            failing = [finding for finding in found.get(name, {}).get("findings", []) if finding["fails"]]
            kinds = [finding["kind"] for finding in failing]
            self.expect(kinds == own["faults"], "run", f"frame {name}: fails on {kinds}, expected {own['faults']}")
            for finding in failing:
                checks = model.finding_checks(finding, own) if finding["kind"] in own["limits"] else ()
                for key, good in checks:
                    self.expect(good, "run", f"frame {name}: {key} of {finding}, limits {own['limits']}, {model.short(own)}")

    def check_junit(self, how):
        suite = tree.parse(self.folder / "j.xml").getroot()[0]
        first, *cases = suite.iter("testcase")
        bad = [(c.get("classname") + "/" + c.get("name")).replace("ssimcu.frame/", "").replace("frame ", "")
               for c in cases if c.find("failure") is not None or c.find("error") is not None]
        want = [n for n, r in self.want["records"].items() if r["faults"] and (r["status"] != "ok" or self.want["too_many"])]
        self.expect(bad == want, how, f"bad cases of JUnit {bad}, expected {want}")
        red = (first.find("failure") is not None, suite.get("failures") != "0" or suite.get("errors") != "0")
        self.expect(red == (self.want["exit"] != 0,) * 2, how, f"JUnit's failures are {red}, exit {self.want['exit']}")
        skipped = sum(r["status"] == "missing" and not r["faults"] for r in self.want["records"].values())
        self.expect(suite.get("skipped") == str(skipped), how, f"JUnit skips {suite.get('skipped')}, expected {skipped}")

    def check_same(self, how, file, records, summary):
        """Results are those of the run in one go; a resumed run does not see the neighbours of what it kept."""
        again, end = self.read(file)
        seen = model.without_hints if how == "resume" else dict
        for got, want in ((seen(again), seen(records)), (seen(end), seen(summary))):
            keys = [key for key in {**got, **want} if got.get(key) != want.get(key)]
            self.expect(list(got) == list(want) and not keys, how, "; ".join(
                f"{key}: {got.get(key)}, not {want.get(key)}" for key in keys or ("order",)))

    def check_csv(self, records):
        rows = list(csv.DictReader(open(self.folder / "r.csv", newline="")))
        self.expect(len(rows) == len(records), "CSV", f"{len(rows)} rows")
        for row, record in zip(rows, records.values()):
            flat = model.flat(record)
            wrong = [key for key, value in flat.items() if row[key] != str(value) and (
                "" in (row[key], value) or float(row[key]) != float(value))]
            self.expect(not wrong, "CSV", f"{wrong} of {row}, expected {flat}")


def run_case(program, number, case, want, folder):
    run = Run(program, case, want, folder / str(number), f"combination {number}")
    try:
        run.all()
    except (IndexError, KeyError, OSError, TypeError, ValueError) as error:  # results that nothing can be read from
        run.expect(False, "results", f"{type(error).__name__}: {error}")
    return run


def main():
    program = pathlib.Path(sys.argv[1]).resolve()
    count, seed = [int(text) for text in sys.argv[2:4]] + [250, 1][len(sys.argv[2:4]):]
    with tempfile.TemporaryDirectory() as scratch, concurrent.futures.ThreadPoolExecutor(2) as workers:
        folder = pathlib.Path(scratch)
        (folder / "pool").mkdir()
        pool = Pool(folder / "pool")
        runs = [workers.submit(run_case, program, number, *draw_case(pool, f"{seed}/{number}"), folder) for number in range(count)]
        runs = [run.result() for run in runs]
    wrong = [line for run in runs for line in run.wrong]
    print("\n".join(wrong) if wrong else
          f"[PASS] matrix: {count} combinations, {sum(r.runs for r in runs)} runs, {sum(r.checked for r in runs)} records")
    return 1 if wrong or not runs else 0


if __name__ == "__main__":
    sys.exit(main())
