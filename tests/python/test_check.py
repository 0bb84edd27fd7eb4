"""check(): what it finds, and what callers get wrong."""

import json
import os
import re
import shutil
import struct

import needed
import pytest

import ssimcu


@pytest.fixture
def gap(root, tmp_path):
    """A sequence of six frames, of which one is damaged, with a gap."""
    for n in (1, 2, 3, 4, 6, 7):
        shutil.copy(root / "testdata" / ("bad_crc.png" if n == 3 else "rgb8_a.png"), tmp_path / f"f{n}.png")
    return tmp_path


def test_findings(gap, tmp_path_factory):
    results = tmp_path_factory.mktemp("results") / "r.jsonl"
    seen = []
    checked = ssimcu.check(gap, output=results, progress=lambda done, total: seen.append((done, total)))
    assert [(f.kind, f.frame, f.fails, f.width) for f in checked.findings] == [
        ("unreadable", 3, True, 0), ("missing", 5, True, 0)]
    assert {f.shot for f in checked.findings} == {str(gap / "f#.png")}
    assert checked.findings[0].path == str(gap / "f3.png") and checked.findings[1].path is None
    assert checked[0] is False and checked[2:] == (7, 5, 1, 2)
    assert seen == [(n, 6) for n in range(1, 7)]
    assert json.loads(results.read_text().splitlines()[-1])["findings"] == {"unreadable": 1, "missing": 1}
    assert json.loads(json.dumps(checked.as_dict()))["passed"] is False


def test_fail_on(gap, root, tmp_path):
    checked = ssimcu.check(gap, fail_on="nan,flat-area")
    assert checked.passed and checked.failed == 0 and len(checked.findings) == 2
    assert [ssimcu.check(gap, fail_on=kind).failed for kind in ("missing", "unreadable", "all")] == [1, 1, 2]
    paths = []
    for n in range(100):
        paths.append(tmp_path / f"many{n}.png")
        paths[-1].symlink_to(root / "testdata/rgb8_a.png")
    assert ssimcu.check(paths).frames == ssimcu.check([*paths, *paths[:50]]).frames == 100


def test_mistakes(gap):
    with pytest.raises(ssimcu.Error, match="expected kinds") as error:
        ssimcu.check(gap, fail_on="bad")
    assert error.value.status == "argument"
    with pytest.raises(TypeError, match="no option 'metric'"):
        ssimcu.check(gap, metric="psnr")
    with pytest.raises(ssimcu.Error, match="an empty list"):
        ssimcu.check([])
    with pytest.raises(ssimcu.Error) as error:
        ssimcu.check(gap / "nothing")
    assert error.value.status == "file"


def test_a_callback_that_raises(gap):
    def fail(done, total):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        ssimcu.check(gap, progress=fail)


def test_shares_merge_and_resume(gap, root, tmp_path_factory):
    made = tmp_path_factory.mktemp("made")
    frames = [gap, root / "testdata/renders/ref"]
    whole = ssimcu.check(frames, output=made / "whole.jsonl", junit=made / "whole.xml", report=made / "whole")
    shares = [made / f"s{n}.jsonl" for n in (1, 2, 3)]
    assert all(ssimcu.check(frames, shard=(n, 3), output=share).passed for n, share in enumerate(shares, 1))
    merged = ssimcu.merge(shares[::-1], output=made / "m.jsonl", junit=made / "m.xml", report=made / "m")
    assert merged.exit_code == 1 and merged.findings == whole.findings and whole.failed == 2
    assert sorted(os.listdir(made / "whole")) == sorted(os.listdir(made / "m")) != []
    assert {record.kind for record in merged.records} == {"checked", "missing", "failed"}
    assert (made / "m.jsonl").read_bytes() == (made / "whole.jsonl").read_bytes()
    lists = [made / name for name in ("again.txt", "merged.txt")]
    ssimcu.check(frames, rerender=lists[0])
    assert ssimcu.merge(shares, rerender=lists[1]).exit_code == 1
    assert lists[0].read_bytes() == lists[1].read_bytes() != b""
    for bad in (lambda: ssimcu.check(frames, rerender="-"), lambda: ssimcu.run(gap, gap, rerender="x")):
        with pytest.raises(ssimcu.Error, match="--rerender"):
            bad()
    untimed = [re.sub(' time(stamp)?="[^"]*"', "", (made / f"{name}.xml").read_text()) for name in ("m", "whole")]
    assert untimed[0].replace("m/index", "whole/index") == untimed[1]
    seen = []
    again = ssimcu.check(frames, resume=made / "m.jsonl", progress=lambda done, total: seen.append(done))
    assert again == whole and seen == []
    assert ssimcu.merge(shares[:2]).exit_code == 3  # a share is not there


def test_stopped_and_resumed(gap, tmp_path_factory):
    made = tmp_path_factory.mktemp("made")
    for n in range(5):
        shutil.copy(gap / "f1.png", made / f"g{n}.png")

    def stop(done, total):
        if done > 8:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ssimcu.check([gap, made], output=made / "r.jsonl", progress=stop)
    last = json.loads((made / "r.jsonl.partial").read_text().splitlines()[-1])
    assert (last["type"], last["frames"], last["complete"]) == ("summary", 5, False)
    seen = []
    ssimcu.check([gap, made], resume=made / "r.jsonl", progress=lambda done, total: seen.append((done, total)))
    assert seen == [(n, 6) for n in range(1, 7)]


def test_layers(root):
    light = root / "testdata/light.exr"
    found = []
    checked = ssimcu.check([light], layers=True, progress=lambda done, total: found.append(total))
    assert checked.passed and found == [1] and checked.findings == []


def test_list(gap, tmp_path):
    names = tmp_path / "names.txt"
    names.write_text("".join(f"{gap}/f{n}.png\n" for n in (4, 9, 1)))
    checked = ssimcu.check(list=names)
    assert (checked.frames, checked.read) == (3, 2) and checked.findings[0].frame == 9
    with pytest.raises(TypeError, match="frames, or list"):
        ssimcu.check(gap, list=names)


def test_a_finding_has_a_place(root, tmp_path):
    """A pixel that is not a number, in the first, a middle or the last place of each axis."""
    numpy = needed.module("numpy")
    for n, (x, y) in enumerate([(0, 0), (20, 12), (39, 23)]):
        path = tmp_path / f"f{n}.tif"
        samples = numpy.zeros((24, 40), numpy.float32)
        samples[y, x] = numpy.nan
        _write_tiff(path, samples)
        (found,) = ssimcu.check(path).findings
        assert found.kind == "nan" and found.fails and found.value == 1 and found.limit is None
        assert found[7:11] == (x, y, 1, 1) and (found.path, found.frame) == (str(path), n)


def _write_tiff(path, samples):
    """Writes grey floats as one strip."""
    height, width = samples.shape
    tags = [(256, width), (257, height), (258, 32), (259, 1), (262, 1), (273, 8), (277, 1), (278, height),
            (279, samples.nbytes), (339, 3)]
    listed = b"".join(struct.pack("<HHII", tag, 4, 1, value) for tag, value in tags)
    head = struct.pack("<2sHI", b"II", 42, 8 + samples.nbytes)
    path.write_bytes(head + samples.tobytes() + struct.pack("<H", len(tags)) + listed + bytes(4))


def test_findings_of_a_run(root):
    """A limit, and the row of a table for people."""
    pair = root / "testdata/dandelion-ref.png", root / "testdata/dandelion-jpeg-q50.jpg"
    with ssimcu.run(*pair, limits={"min_tile": 0.9}) as run:
        (found,) = run.findings
    assert found.kind == "min_tile" and found.fails and found.value < found.limit == 0.9
    assert found[8:11] == run.records[0].worst[2:] and found.path == str(pair[1])
    assert run.records[0].findings == (found,)
    assert [f.fails for f in ssimcu.run(*pair).findings] == []
