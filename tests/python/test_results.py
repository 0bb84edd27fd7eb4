"""Results travel, show all of a batch, and have one set of names; regions; runs that fail loudly."""

from __future__ import annotations

import concurrent.futures
import copy
import json
import multiprocessing
import pickle

import numpy as np
import pytest
import ssimcu

RNG = np.random.default_rng(1)
REF = RNG.integers(0, 256, (128, 160, 3), np.uint8)
OUT = np.clip(REF.astype(int) + RNG.integers(-30, 31, REF.shape), 0, 255).astype(np.uint8)


def make(kind: int = 0):
    """One of each kind of result; a process of its own can call it."""
    if kind == 0:
        return ssimcu.compare(REF, OUT, map=True, metric=("psnr", "ssim"))
    if kind == 1:
        return ssimcu.compare(np.stack([REF, REF]), np.stack([OUT, REF]), metric=("ssim", "psnr"))
    return ssimcu.compare(REF, OUT, tile=None)


def same(a, b) -> bool:
    arrays = [(getattr(a, name), getattr(b, name)) for name in ("tiles", "map")]
    alike = all((x is None and y is None) or np.array_equal(x, y) for x, y in arrays)
    return alike and a.as_dict() == b.as_dict() and repr(a) == repr(b)


def timeless(result) -> dict:
    return {name: value for name, value in result.as_dict().items() if name not in ("ms", "pairs")}


@pytest.mark.parametrize("kind", range(3))
def test_results_travel(kind) -> None:
    made = make(kind)
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        assert same(pickle.loads(pickle.dumps(made, protocol)), made)
    assert same(copy.copy(made), made) and same(copy.deepcopy(made), made)
    facts = json.loads(json.dumps(made.as_dict(), allow_nan=False))
    assert facts["score"] == made.score and list(facts["channels"]) == ["r", "g", "b"]
    assert f"{made:.4f}" == f"{made.score:.4f}" and f"{made}" == str(made)


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_pools(method) -> None:
    """Of both kinds; that of concurrent.futures is what joblib's is made of."""
    context = multiprocessing.get_context(method)
    with context.Pool(2) as pool:
        for kind, result in enumerate(pool.map(make, range(3))):
            assert timeless(result) == timeless(make(kind))
    with concurrent.futures.ProcessPoolExecutor(2, context) as pool:
        sent = [(REF, OUT), (REF, REF)] * 3
        scores = [result.score for result in pool.map(ssimcu.compare, *zip(*sent))]
        assert scores == [ssimcu.compare(*pair).score for pair in sent]


def test_other_objects_travel(root) -> None:
    ref, out = root / "testdata/dandelion-ref.png", root / "testdata/dandelion-jpeg-q50.jpg"
    (record,) = ssimcu.run(ref, out, metric=("ssim", "ms_ssim"))
    error = ssimcu.Error("text", "data")
    for value in (record, record.worst, record.level_shift, ssimcu.devices()[0]):
        assert pickle.loads(pickle.dumps(value)) == value == copy.deepcopy(value)
        assert json.loads(json.dumps(value.as_dict(), allow_nan=False))
    assert pickle.loads(pickle.dumps(error)).status == "data"
    pair = ssimcu.compare(ref, out)
    assert record.level_shift == pair.level_shift and record.level_shift.channel in "rgb"
    assert record.metrics["ms_ssim"] == record.metrics["ms-ssim"]
    assert pickle.loads(pickle.dumps(record)).metrics["ms_ssim"] > 0
    with pytest.raises(KeyError):
        record.metrics["no_such"]
    with pytest.raises(TypeError, match="send its records"):
        pickle.dumps(ssimcu.run(ref, out))


def test_a_batch_has_all_of_its_pairs() -> None:
    result = make(1)
    assert result.scores == tuple(pair.score for pair in result.pairs)
    assert result.mse == np.mean([pair.mse for pair in result.pairs])
    assert abs(result.metrics["psnr"] + 10 * np.log10(result.mse)) < 1e-12
    assert result.ms["ssim"] == sum(pair.ms["ssim"] for pair in result.pairs)
    assert [pair["score"] for pair in result.as_dict()["pairs"]] == list(result.scores)
    clear = np.dstack([REF, np.full((128, 160), 255, np.uint8)])
    hole = clear.copy()
    hole[10:30, 10:30, 3] = 0
    one = ssimcu.compare(np.stack([clear, clear]), np.stack([clear, hole]))
    assert one.background == one.pairs[1].background is not None and one.pairs[0].background is None


@pytest.mark.parametrize("place", [0, 1, 2])
@pytest.mark.parametrize("levels", [-20, 20])
def test_a_batch_has_its_worst_tile_and_shift(place, levels) -> None:
    """The largest shift of a pair, up or down, and the lowest tile, wherever the pair is."""
    ref = np.full((3, 64, 64), 100, np.uint8)
    out = ref + np.array([3, -5, 7], np.int8)[:, None, None].astype(np.uint8)
    out[place] = 100 + levels
    batch = ssimcu.compare(ref, out, layout="NHW")
    assert batch.level_shift == batch.pairs[place].level_shift and abs(batch.level_shift.levels - levels) < 0.1
    assert batch.worst == batch.pairs[place].worst == min(pair.worst for pair in batch.pairs)


@pytest.mark.parametrize("place", [0, 7, 15])
@pytest.mark.parametrize("metric", ["ssim", "ms-ssim"])
def test_a_batch_is_1_only_if_all_are(place, metric) -> None:
    """A mean would be rounded up to 1."""
    ref = np.random.default_rng(2).random((16, 176, 176))
    out = ref.copy()
    out[place, 50, 60] += 1e-7 if out[place, 50, 60] < 0.5 else -1e-7
    batch = ssimcu.compare(ref, out, metric=(metric, "ssim", "psnr"), layout="NHW")
    assert batch.scores[place] < 1 and sum(batch.scores) / 16 == 1
    values = [batch.score, batch.metrics[metric], batch.metrics["ssim"], *batch.channels, float(batch)]
    assert all(1 - 1e-15 < value < 1 for value in values)
    same = ssimcu.compare(ref, ref, metric=(metric, "ssim", "psnr"), layout="NHW")
    assert same.score == same.metrics["ssim"] == same.channels[0] == 1 and same.metrics["psnr"] == np.inf


def test_letters() -> None:
    grey = ssimcu.compare(REF[..., 0], OUT[..., 0])
    luma = ssimcu.compare(REF, OUT, color="y709")
    assert grey.level_shift.channel == "grey" and list(grey.as_dict()["channels"]) == ["grey"]
    assert luma.level_shift.channel == "y" and list(luma.as_dict()["channels"]) == ["y"]


def test_both_names() -> None:
    ref, out = np.zeros((200, 200), np.uint8), np.full((200, 200), 9, np.uint8)
    both = [ssimcu.compare(ref, out, metric=name).metrics for name in ("ms-ssim", "ms_ssim")]
    assert both[0] == both[1] and both[0]["ms_ssim"] == both[0]["ms-ssim"]
    for name in ("ms-ssim", "ms_ssim"):
        ssimcu.run("a", "b", metric=name, limits={"min_frame": {name: 0.5}})


def test_sizes_are_those_of_arrays() -> None:
    with pytest.raises(ssimcu.Error, match=r"ref is \(128, 160\) and out is \(100, 160\), by \(height, width\)"):
        ssimcu.compare(REF, OUT[:100])


def test_region(root) -> None:
    for x, y in ((0, 0), (160 - 64, 0), (0, 128 - 48), (160 - 64, 128 - 48), (33, 20)):
        region = (64, 48, x, y)
        cut = np.s_[y : y + 48, x : x + 64]
        wanted = ssimcu.compare(REF[cut], OUT[cut])
        assert timeless(ssimcu.compare(REF, OUT, region=region)) == timeless(wanted)
    planes = [np.ascontiguousarray(side.transpose(2, 0, 1)) for side in (REF, OUT)]
    assert abs(ssimcu.compare(*planes, region=region).score - wanted.score) < 1e-6
    batch = ssimcu.compare(np.stack([REF, REF]), np.stack([OUT, OUT]), region=region)
    assert batch.scores == (wanted.score, wanted.score)
    ref, out = root / "testdata/dandelion-ref.png", root / "testdata/dandelion-jpeg-q50.jpg"
    (record,) = ssimcu.run(ref, out, region=(640, 480, 1000, 900))
    assert ssimcu.compare(ref, out, region=(640, 480, 1000, 900)).score == record.score
    for wrong in ((1, 2, 3), (64, 48, 100, 20), (64, 48, -1, 0), (0, 48, 0, 0), "1x2+3+4", (64.0, 48, 0, 0)):
        with pytest.raises(ssimcu.Error, match="region is"):
            ssimcu.compare(REF, OUT, region=wrong)


def test_a_run_fails_loudly(root, tmp_path) -> None:
    ref, out = root / "testdata/dandelion-ref.png", root / "testdata/dandelion-jpeg-q50.jpg"
    assert ssimcu.run(ref, out, check=True).passed
    with pytest.raises(ssimcu.Error, match="ended with 1: .*min_tile"):
        ssimcu.run(ref, out, limits={"min_tile": 0.9}, check=True)
    with pytest.raises(ssimcu.Error, match="nope"):
        ssimcu.run(tmp_path / "nope", tmp_path / "nope2", check=True)
    for name in ("ref", "out"):
        (tmp_path / name).mkdir()
        for number in (1, 2):
            if (name, number) != ("out", 2):
                (tmp_path / name / f"{number}.png").symlink_to(ref)
    with pytest.raises(ssimcu.Error, match="ended with 3: missing: frame 2"):
        ssimcu.run(tmp_path / "ref", tmp_path / "out").check()


