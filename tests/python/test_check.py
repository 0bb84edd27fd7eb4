"""check(): what it finds, and what callers get wrong."""

import json
import os
import shutil

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
    assert [(f.kind, f.frame, f.fails, f.place) for f in checked.findings] == [
        ("unreadable", 3, True, None), ("missing", 5, True, None)]
    assert checked.findings[0].path == str(gap / "f3.png") and checked.findings[1].path is None
    assert checked[0] is False and checked[2:] == (6, 5, 1, 2)
    assert seen == [(n, 6) for n in range(1, 7)]
    assert json.loads(results.read_text().splitlines()[-1])["kinds"] == {"unreadable": 1, "missing": 1}
    assert json.loads(json.dumps(checked.as_dict()))["passed"] is False


def test_fail_on(gap, root, tmp_path):
    assert ssimcu.check(gap, fail_on="nan,block").passed
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
    merged = ssimcu.check(merge=shares[::-1], output=made / "m.jsonl", junit=made / "m.xml", report=made / "m")
    assert sorted(os.listdir(made / "whole")) == sorted(os.listdir(made / "m")) != []
    assert merged == whole and merged.failed == 2
    for name in ("jsonl", "xml"):
        assert (made / f"m.{name}").read_bytes() == (made / f"whole.{name}").read_bytes()
    seen = []
    again = ssimcu.check(frames, resume=made / "m.jsonl", progress=lambda done, total: seen.append(done))
    assert again == whole and seen == []
    with pytest.raises(ssimcu.Error, match="share 3 of 3 is not there") as error:
        ssimcu.check(merge=shares[:2])
    assert error.value.status == "mismatch"


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
    assert (last["type"], last["frames"], last["complete"]) == ("summary", 6, False)
    seen = []
    ssimcu.check([gap, made], resume=made / "r.jsonl", progress=lambda done, total: seen.append((done, total)))
    assert seen == [(n, 5) for n in range(1, 6)]


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
    with pytest.raises(TypeError, match="frames, or list, or merge"):
        ssimcu.check(gap, list=names)
