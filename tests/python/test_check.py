"""check(): what it finds, and what callers get wrong."""

import json
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


def test_fail_on(gap, root):
    assert ssimcu.check(gap, fail_on="nan,block").passed
    assert ssimcu.check([str(root / "testdata/rgb8_a.png")] * 100).frames == 100


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
