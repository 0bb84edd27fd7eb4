"""Runs: records, limits, cancelling, progress, errors."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import threading
import time

import numpy as np
import needed
import pytest
import ssimcu
from ssimcu import _c, _golden, _options
from ssimcu._library import metric_numbers


@pytest.fixture(scope="module")
def folders(tmp_path_factory, photo):
    """Eight frames, of which the sixth is bad and the seventh is missing on one side."""
    top = tmp_path_factory.mktemp("run")
    rng = np.random.default_rng(1)
    for number in range(1, 9):
        ref = np.roll(photo[0], number, axis=1)
        out = np.clip(ref + rng.integers(-2, 3, ref.shape), 0, 255).astype(np.uint8)
        if number == 6:
            out[100:160, 200:260] = 0
        for name, array in (("ref", ref), ("out", out)):
            (top / name).mkdir(exist_ok=True)
            if (name, number) != ("out", 7):
                (top / name / f"{number:04}.png").write_bytes(_golden.png(array))
    return top


def test_records(folders) -> None:
    seen = []
    frames = ssimcu.run(
        folders / "ref",
        folders / "out",
        limits={"min_tile": 0.6, "max_bad": 0},
        progress=lambda done, total: seen.append((done, total)),
    )
    records = list(frames)
    assert [record.frame for record in records] == list(range(1, 9))
    assert [record.kind for record in records] == ["scored"] * 6 + ["missing", "scored"]
    assert seen == [(done, 8) for done in range(1, 9)] and frames.total == 8
    for record in records:
        if record.kind == "scored":
            pair = ssimcu.compare(record.ref, record.out)
            assert (record.score, record.channels, record.worst) == (
                pair.score,
                pair.channels,
                pair.worst,
            )
            assert record.level_shift == pair.level_shift and record.metrics == {"ssim": pair.score}
            assert record.status == "ok" and record.message == ""
    (small,) = ssimcu.run(
        records[0].ref, records[0].out, metric="ssimulacra2", region=(9, 8, 0, 0)
    )
    assert small.kind == "scored" and small.score is None and small.channels == ()
    assert small.worst is None and 0 < small.metrics["ssimulacra2"] < 100
    missing = records[6]
    assert missing.score is None and missing.out is None and missing.worst is None
    assert not frames.passed and frames.exit_code == 3 and not frames.cancelled
    assert frames.summary["scored"] == 7 and frames.summary["missing"] == 1
    kinds = {reason["kind"] for reason in frames.verdict["reasons"]}
    assert "min_tile" in kinds
    assert list(frames) == []


def test_the_program_says_the_same(folders, tmp_path) -> None:
    """The results file is the program's, and its lines have the numbers of the records."""
    path = tmp_path / "scores.jsonl"
    frames = ssimcu.run(
        folders / "ref",
        folders / "out",
        output=path,
        missing="skip",
        metric=("ssim", "psnr"),
        limits={"min_frame": {"psnr": 20}, "min_score": 0.2},
    )
    records = list(frames)
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    scored = [line for line in lines if line["type"] == "frame" and line["status"] == "ok"]
    known = [record for record in records if record.kind == "scored"]
    assert [line["score"] for line in scored] == [record.score for record in known]
    psnr = [line["metrics"]["psnr"]["score"] for line in scored]
    assert psnr == [record.metrics["psnr"] for record in known] and len(psnr) == 7
    assert frames.passed and frames.summary["mean"] == lines[-1]["mean"]


FACTS = {
    "learned": {"score": 0.5, "level_shift": 1.5, "difference": 2.0, "texture": -1.0, "bright": 0.0}
    | {"frame_score": 0.25, "frame_level_shift": 1.25, "frame_difference": 3.0, "frame_texture": 2.5}
    | {"dark": 9.25, "worst": "dark", "stale": True}
    | {"x": 64, "y": 0, "width": 64, "height": 64, "channel": "g"},
    "ignored": {"tiles": 2, "of": 9, "crc": 77, "share": 0.25},
    "decoded": {"ref": "nvdec", "out": "cpu"},
    "light": {"ref": {"clamped": 0.25, "outside": 0.125, "not_finite": 3}, "out": {"clamped": 0.0}},
    "range": {"low": -1.0, "high": 2.5, "far": 0.5},
    "assumed": "matrix bt709 in OUT",
    "colours": "primaries are bt709 in REF, smpte432 in OUT",
    "coded": {"ref": {"bytes": 12, "time": 0.5}, "out": {"bytes": 9}},
}


def test_frames_without_an_end(folders) -> None:
    """Every n-th of all, and all from one on, as the program takes them."""
    numbers = [record.frame for record in ssimcu.run(folders / "ref", folders / "ref", frames="1-")]
    assert [r.frame for r in ssimcu.run(folders / "ref", folders / "ref", frames="1-x2")] == numbers[::2]
    assert len(numbers) > 2


def test_a_record_has_every_fact(folders, tmp_path) -> None:
    """What earlier results say of a frame is what its record says, whatever it is."""
    path = tmp_path / "scores.jsonl"
    ssimcu.run(folders / "ref", folders / "out", frames="1", output=path).wait()
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    lines[1].update(FACTS, variant=lines[1]["ref"], not_compared=["A", "Z"])
    text = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines[:2])
    (tmp_path / "scores.jsonl.partial").write_text(text)
    path.unlink()
    again = ssimcu.run(folders / "ref", folders / "out", frames="1", resume=path)
    (record,) = again
    assert {name: getattr(record, name) for name in FACTS} == FACTS
    assert record.layout == "rgb" and record.bits == 8 and record.backend == "cpu"
    assert record.variant == record.ref and record.not_compared == "A\nZ"
    needed.module("pandas")
    table = again.to_dataframe()
    assert table.learned_dark[0] == 9.25 and table.light_ref_outside[0] == 0.125


def test_dataframe(folders) -> None:
    pandas = needed.module("pandas")
    table = ssimcu.run(folders / "ref", folders / "out", metric=("ssim", "psnr")).to_dataframe()
    assert isinstance(table, pandas.DataFrame) and len(table) == 8
    assert table.psnr.notna().sum() == 7 and table.worst_x[5] == 192
    assert table.score.idxmin() == 5


def test_columns_without_values(folders) -> None:
    """A fact of every record is a column, even if no record has a value."""
    from ssimcu import _run

    needed.module("pandas")
    table = ssimcu.run(folders / "ref", folders / "ref").to_dataframe()
    own = set(ssimcu.Record._fields) - {"metrics", *_run._PARTS}
    assert own <= set(table.columns), own - set(table.columns)


@pytest.mark.parametrize("place", (0, 1, 2))
@pytest.mark.parametrize("status", ("mismatch", "data", "missing"))
def test_status_of_a_frame(tmp_path, place: int, status: str) -> None:
    """The error of check=True has the status of the first bad frame: the first, the middle or the last one."""
    for side in ("ref", "out"):
        (tmp_path / side).mkdir()
        for number in range(3):
            bad = side == "out" and number == place
            shape = (20, 24) if bad and status == "mismatch" else (20, 20)
            data = _golden.png(np.full((*shape, 1), 9, np.uint8))
            if not (bad and status == "missing"):
                (tmp_path / side / f"f.{number}.png").write_bytes(data[:-20] if bad and status == "data" else data)
    with pytest.raises(ssimcu.Error, match=f"frame {place}") as caught:
        ssimcu.run(tmp_path / "ref", tmp_path / "out", check=True)
    assert caught.value.status == ("mismatch" if status == "mismatch" else "data")


def test_limits_file(folders, tmp_path) -> None:
    (tmp_path / "limits.json").write_text(
        '{"ssimcu_limits": 1, "rules": [{"match": "*", "min_tile": 0.999}]}'
    )
    frames = ssimcu.run(
        folders / "ref", folders / "out", limits=tmp_path / "limits.json", missing="skip"
    )
    assert frames.exit_code == 1
    assert (
        ssimcu.run(
            folders / "ref",
            folders / "out",
            missing="skip",
            limits={"file": tmp_path / "limits.json"},
        ).exit_code
        == 1
    )


def test_cancel(folders) -> None:
    many = ssimcu.run(folders / "ref", folders / "ref", threads=1, frames="1-8")
    first = next(many)
    many.cancel()
    rest = list(many)
    assert first.frame == 1 and len(rest) < 8
    with ssimcu.run(folders / "ref", folders / "ref") as frames:
        for _ in frames:
            break
    assert next(frames, None) is None
    assert frames.exit_code == 0 or frames.cancelled
    before = threading.active_count()
    del frames, many
    time.sleep(0.1)
    assert threading.active_count() <= before


def test_dropped_and_never_begun(folders) -> None:
    begun = ssimcu.run(folders / "ref", folders / "ref")
    next(begun)
    del begun
    ssimcu.run(folders / "ref", folders / "ref")
    closed = ssimcu.run(folders / "ref", folders / "ref")
    closed.close()
    assert list(closed) == []
    with pytest.raises(ssimcu.Error, match="closed"):
        _ = closed.summary
    closed.cancel()


def test_the_end_of_the_process(folders) -> None:
    code = f"import ssimcu; run = ssimcu.run({str(folders / 'ref')!r}, {str(folders / 'ref')!r}); next(run)"
    done = subprocess.run([sys.executable, "-c", code], timeout=30, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_failed_frame_is_a_record(folders, tmp_path) -> None:
    for name in ("ref", "out"):
        (tmp_path / name).mkdir()
        for number in (1, 2):
            data = (folders / f"ref/{number:04}.png").read_bytes()
            cut = data[:-100] if (name, number) == ("out", 2) else data
            (tmp_path / name / f"{number}.png").write_bytes(cut)
    records = list(ssimcu.run(tmp_path / "ref", tmp_path / "out"))
    assert [record.kind for record in records] == ["scored", "failed"]
    assert records[1].status == "data" and "2.png" in records[1].message


@pytest.mark.parametrize(
    "wrong",
    [
        dict(pad="same"),
        dict(tile=25),
        dict(tile="big"),
        dict(offset=1.5),
        dict(frames="x"),
        dict(region=(1, 2, 3)),
        dict(limits={"min_tiles": 1}),
        dict(limits={"min_tile": 7}),
        dict(metric="lpips"),
        dict(metric=()),
        dict(compat="gimp"),
        dict(compat=["vmaf"]),
        dict(layer="\udc80"),
        dict(device="tpu"),
        dict(exposure="bright"),
        dict(limits={"min_frame": {"lpips": 1}}),
        dict(variant="a.png"),
        dict(report_frames=-1.0),
    ],
)
def test_wrong_options(folders, wrong) -> None:
    with pytest.raises(ssimcu.Error) as caught:
        ssimcu.run(folders / "ref", folders / "out", **wrong)
    assert caught.value.status == "argument"


def test_limits_on_several_metrics() -> None:
    """Each limit counts, in whatever order they are given."""
    numbers = metric_numbers()
    for first in range(4):
        names = [*numbers][first:] + [*numbers][:first]
        wanted = {name: 0.1 * (n + 1) for n, name in enumerate(names)}
        made = _options.make("a", ["b"], {"min_score": wanted, "min_frame": wanted}, {})
        others = {name: limit for name, limit in wanted.items() if name != "ssim"}
        assert made.score_limits == sum(1 << numbers[name] for name in wanted)
        assert made.frame_limits == sum(1 << numbers[name] for name in others)
        assert {name: made.min_scores[numbers[name]] for name in wanted} == wanted
        assert {name: made.min_frames[numbers[name]] for name in others} == others
        assert made.limit[_c.LIMIT["min_frame"]] == wanted["ssim"]


def test_options_of_0() -> None:
    """An option of 0 is given like any other."""
    made = _options.make("a", ["b"], {"min_score": 0, "min_tile": 0}, {"exposure": 0, "tile": 0, "worst": 0})
    assert made.has_exposure == 1 and made.exposure == 0
    assert made.score_limits == 1 and made.limits == 1 << _c.LIMIT["min_tile"]
    assert made.tile == made.worst == 0


def test_unknown_option(folders) -> None:
    with pytest.raises(TypeError, match="no option 'tiles'"):
        ssimcu.run(folders / "ref", folders / "out", tiles=4)
    with pytest.raises(ssimcu.Error, match="expected 1 to 64"):
        ssimcu.run(folders / "ref", [])
    with pytest.raises(ssimcu.Error) as caught:
        list(ssimcu.run(folders / "nothing", folders / "out"))
    assert caught.value.status == "file"


def test_every_metric_is_in_a_record() -> None:
    """Also one whose name is not its key in results."""
    ref, out = "testdata/dandelion-ref.png", "testdata/dandelion-jpeg-q50.jpg"
    names = ("ssim", "psnr", "ms-ssim", "ssimulacra2")
    (record,) = ssimcu.run(ref, out, metric=names)
    assert record.metrics == ssimcu.compare(ref, out, metric=names).metrics


def rows_of(root, verb: str) -> set:
    """The fields of the options that go with a verb, by the names that Python has for them."""
    table = (root / "lib/qa/options/options.def").read_text()
    rows = re.findall(r'^(?:OPTION(?:_OF)?\(|OUTPUT_OF\(.*?, )"[a-z-]+", ([a-z_]+).*?, [A-Z_]+, ([A-Z_| ]+), ', table, re.M)
    assert len(rows) > 50
    known = {"has_exposure": "exposure", "groups": "group", "variants": "variant", "shards": "shard", "metrics": "metric"}
    return {known.get(field, field) for field, verbs in rows if re.search(verb, verbs) and field != "test_output"}


def test_options_are_those_of_the_table(root) -> None:
    """RunOptions and CheckOptions have the fields of options.def, but for what calls take by other names."""
    limits = {"score_limits", "frame_limits", "limits", "max_bad", "baseline", "fail_on", "limits_file"}
    scored = rows_of(root, r"VERB_SCORE|FILES|SIDES|LEARNT|JUDGED|MADE") - limits
    assert set(ssimcu.RunOptions.__annotations__) == scored | {"labels", "all_devices"}
    checked = rows_of(root, r"VERB_CHECK|CHECKED") - {"list", "frames", "results", "fail_on"}
    assert set(ssimcu.CheckOptions.__annotations__) == checked


def test_options_have_the_types_of_the_header() -> None:
    texts = {"double": "float", "const char *": "str"}
    for name, hint in ssimcu.RunOptions.__annotations__.items():
        kind = _options._FIELDS[name]
        wanted = texts.get(kind, "str" if kind.startswith("ssimcu_") else "int|bool")
        wanted = "Path" if name in _options._PATHS else "Optional.int." if name in _options._COUNTS else wanted
        if name not in _options._special and name not in _options._MOST:
            assert re.fullmatch(wanted, getattr(hint, "__forward_arg__", hint)), name


def test_every_option_arrives() -> None:
    """Each option of RunOptions changes its field of the struct."""
    from ssimcu import _c

    given = dict(
        align=True,
        all_devices=True,
        alpha="black",
        channels="Z",
        color="y709",
        compat="ffmpeg",
        decode="cpu",
        device="cuda:3",
        diff_threshold=0.25,
        exposure=1.5,
        format="yuv420p",
        frames="1-2",
        group=["a=b"],
        hdr="pu21",
        junit="j.xml",
        junit_cases="shots",
        labels=["first"],
        layer="diffuse",
        layers=True,
        map="m",
        map_style="heat",
        markdown="n.md",
        matrix="bt709",
        max_pixels=9,
        memory_bytes=1 << 30,
        metric="psnr",
        missing="skip",
        nan_zero=True,
        offset=-3,
        output="o",
        pad="zero",
        range="full",
        recursive=True,
        region=(5, 6, 7, 8),
        report="r",
        report_frames=None,
        results="csv",
        resume="s",
        scale=(640, 360),
        scaler="lanczos",
        shard=(2, 3),
        size="8x9",
        stale="warn",
        stream=(0, 1),
        threads=2,
        tile=None,
        variant=["v", "w"],
        white=200.0,
        worst=4,
    )
    assert set(given) == set(ssimcu.RunOptions.__annotations__)
    plain = _options.make("a", ["b"], None, {})
    for name, value in given.items():
        made = _options.make("a", ["b"], None, {name: value})
        changed = {
            field[0]
            for field in _c.RunOptions._fields_
            if field[0] != "out" and bytes_of(made, field[0]) != bytes_of(plain, field[0])
        }
        assert changed and any(name.rstrip("s") in field for field in changed), (name, changed)
    made = _options.make(
        "a",
        ["b"],
        {"min_tile": 0.5, "max_level_shift": 3, "baseline": "l", "fail_on": "duplicate"},
        given,
    )
    assert (*made.region, made.shard, made.shards) == (5, 6, 7, 8, 2, 3)
    assert (made.device, made.device_index, made.tile, made.report_frames) == (
        2,
        3,
        _c.NONE,
        _c.NONE,
    )
    assert (made.limits, made.limit[1], made.limit[4], made.baseline) == (2 + 16, 0.5, 3, b"l")
    assert (made.metrics, made.metric, made.variant[1], made.variants) == (2, 1, b"w", 2)


def bytes_of(struct, name: str):
    value = getattr(struct, name)
    if name == "variant":
        return bool(value)
    return bytes(value) if hasattr(value, "_fields_") or hasattr(value, "_length_") else value


def test_video(tmp_path, photo) -> None:
    """y4m needs no module."""
    head = b"YUV4MPEG2 W64 H48 F25:1 C420jpeg\n"
    rng = np.random.default_rng(2)
    frames = [rng.integers(0, 256, 64 * 48 * 3 // 2, np.uint8).tobytes() for _ in range(3)]
    for name, order in (("a", (0, 1, 2)), ("b", (0, 2, 2)), ("c", (0, 1, 2))):
        data = head + b"".join(b"FRAME\n" + frames[k] for k in order)
        (tmp_path / f"{name}.y4m").write_bytes(data)
    run = ssimcu.run(tmp_path / "a.y4m", [tmp_path / "b.y4m", tmp_path / "c.y4m"], tile=24)
    records = run.wait().records
    assert len(records) == 6 and len(run.summaries) == 2
    assert {(r.out_index, r.frame): r.score == 1 for r in records} == {
        (k, n): not (k == 0 and n == 1) for k in (0, 1) for n in (0, 1, 2)
    }
    assert len(records[0].channels) == 3


@pytest.fixture
def two_streams(tmp_path):
    """A video of one stream, and one that has it first and another behind it, of a higher bit rate."""
    needed.named("ffmpeg")

    def make(*arguments):
        subprocess.run(["ffmpeg", "-nostdin", "-v", "error", *map(str, arguments)], check=True, cwd=tmp_path)

    for name, source, crf in (("one", "testsrc2", 40), ("other", "mandelbrot", 1)):
        make("-f", "lavfi", "-i", f"{source}=s=64x48:r=25", "-t", "0.2", "-pix_fmt", "yuv420p", "-crf", crf, name + ".mp4")
    make("-i", "one.mp4", "-i", "other.mp4", "-map", "0", "-map", "1", "-c", "copy", "two.mp4")
    try:
        ssimcu.run(tmp_path / "one.mp4", tmp_path / "one.mp4")
    except ssimcu.Error as error:
        pytest.skip(str(error))
    return tmp_path


def test_stream_takes_another_of_both_or_each(two_streams):
    one, other, two = (two_streams / name for name in ("one.mp4", "other.mp4", "two.mp4"))
    for ref, out, stream, streams in (
        (one, two, 0, "0 of 2 in OUT"),
        (other, two, (0, 1), "1 of 2 in OUT"),
        (two, other, [1, 0], "1 of 2 in REF"),
        (two, two, 1, "1 of 2 in REF, 1 of 2 in OUT"),
        (one, one, 0, None),
    ):
        done = ssimcu.run(ref, out, stream=stream)
        assert {(record.score, record.streams) for record in done} == {(1, streams)}
    with pytest.raises(ssimcu.Error, match="--stream 1: the file has one video stream, number 0"):
        list(ssimcu.run(one, two, stream=1))
    for wrong in (-1, True, "1", (0,), (0, 1, 2), 0.5, None):
        with pytest.raises((ssimcu.Error, TypeError)):
            list(ssimcu.run(one, two, stream=wrong))


def test_check_takes_a_stream(two_streams):
    assert ssimcu.check(two_streams / "two.mp4", stream=1).frames == 5
    assert ssimcu.check(two_streams / "two.mp4", stream=2).failed
    with pytest.raises(ssimcu.Error, match="expected one number"):
        ssimcu.check(two_streams / "two.mp4", stream=(0, 1))
