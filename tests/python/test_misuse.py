"""What a caller gets wrong: each row is a call, and what its message must name."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import needed
import pytest
import ssimcu
from ssimcu import _check, _options

HWC = np.zeros((64, 64, 3), np.uint8)
GREY = HWC[..., 0]
FLOATS = np.full((64, 64, 3), 0.5, np.float32)
HDR = FLOATS * 510
BIG = np.zeros((200, 200, 3), np.uint8)


class Lying:
    """Strides of another length than the shape."""

    def __init__(self) -> None:
        self.__array_interface__ = dict(HWC.__array_interface__, strides=(64, 1))


def flat(**options):
    return lambda: ssimcu.compare(HWC, HWC, **options)


def pair(ref, out, **options):
    return lambda: ssimcu.compare(ref, out, **options)


def started(*sides, **options):
    return lambda: ssimcu.run(*sides, **options).wait()


ROWS = {
    "shapes": (pair(HWC, HWC[:32]), r"\(64, 64\).*\(32, 64\)"),
    "list": (pair(HWC.tolist(), HWC), "ref is a list"),
    "None": (pair(HWC, None), "out is a NoneType"),
    "file object": (lambda: ssimcu.compare(HWC, Path(__file__).open()), "out is a TextIOWrapper"),
    "bytes of a picture": (pair(b"\x89PNG\r\n", HWC), "ref is 6 bytes.*Image.open"),
    "bytearray": (pair(HWC, bytearray(3)), "out is 3 bytes"),
    "int32": (pair(HWC.astype("i4"), HWC), "ref: samples of type int32"),
    "bool": (pair(HWC, HWC > 0), "out: samples of type bool"),
    "complex": (pair(HWC.astype("c8"), HWC), "ref: samples of type complex64"),
    "masked": (pair(np.ma.masked_array(HWC, HWC > 3), HWC), "ref: a masked array"),
    "strides of a wrong length": (lambda: ssimcu.compare(Lying(), HWC), "ref: strides .* of 2 dimensions"),
    "5 channels": (pair(np.zeros((64, 64, 5), "u1"), np.zeros((64, 64, 5), "u1")), "64x64x5.*layout="),
    "5 dimensions": (pair(np.zeros((1, 1, 3, 64, 64)), np.zeros((1, 1, 3, 64, 64))), "5 dimensions"),
    "which is the channel": (pair(np.zeros((3, 64, 3)), np.zeros((3, 64, 3))), "give layout="),
    "no samples": (pair(HWC[:0], HWC[:0]), "ref: shape 0x64x3 has no samples"),
    "too small": (pair(HWC[:10], HWC[:10]), "64x10"),
    "small for ms-ssim": (flat(metric="ms-ssim"), "161"),
    "layout": (flat(layout="WHC"), "layout is 'WHC'"),
    "layout of other rank": (flat(layout="HW"), "ref: shape 64x64x3"),
    "batches of other lengths": (pair(np.zeros((2, 3, 64, 64)), np.zeros((3, 3, 64, 64))), "batch of 2.*batch of 3"),
    "batch beside a picture": (pair(np.zeros((2, 3, 64, 64)), np.zeros((3, 64, 64))), "batch of 2.*one picture"),
    "floats above 1": (pair(HDR, HDR), "ref: a sample of 255 is above data_range 1; give data_range=.*linear=True"),
    "a float above 1": (pair(FLOATS, np.where(FLOATS, 1.0001, 0)), "out: a sample of 1.0001 is above data_range 1"),
    "floats below 0": (pair(FLOATS - 1, FLOATS), "ref: a sample of -0.5 is below 0"),
    "planes above 1": (pair(BIG.transpose(2, 0, 1) + 0.0, BIG.transpose(2, 0, 1) + 2.0), "out: a sample of 2 is above"),
    "halves above 1": (pair(HDR.astype("f2"), HDR.astype("f2")), "ref: a sample of 255 is above"),
    "above a range of its own": (pair(HDR, HDR, data_range=100), "above data_range 100"),
    "psnr above 1": (pair(HDR, HDR, metric="psnr"), "above data_range 1"),
    "ssimulacra2 below 0": (pair(FLOATS - 1, FLOATS, metric="ssimulacra2"), "below 0"),
    "bytes above a range": (pair(HWC + 201, HWC, data_range=200), "ref: a sample of 201 is above data_range 200"),
    "NaN": (pair(FLOATS * np.nan, FLOATS), "not finite"),
    "infinite": (pair(FLOATS, np.full_like(FLOATS, np.inf)), "not finite"),
    "data_range 0": (flat(data_range=0), "data_range is 0"),
    "data_range below 0": (flat(data_range=-1), "data_range is -1"),
    "data_range NaN": (flat(data_range=float("nan")), "data_range is nan"),
    "data_range huge": (flat(data_range=10**400), "data_range is 1000"),
    "data_range infinite": (flat(data_range=float("inf")), "data_range is inf"),
    "data_range text": (flat(data_range="1"), "data_range is '1'"),
    "data_range of three": (flat(data_range=(1, 1, 1)), "data_range is"),
    "data_range list": (flat(data_range=[1, 1]), "data_range is"),
    "metric": (flat(metric="lpips"), "metric is 'lpips', expected one of ssim, psnr"),
    "metric in capitals": (flat(metric="SSIM"), "metric is 'SSIM'"),
    "no metric": (flat(metric=[]), "metric is empty"),
    "metric of a number": (flat(metric=3), "metric is 3"),
    "device": (flat(device="tpu"), "device is 'tpu'"),
    "device number": (flat(device="cuda:x"), "device is 'cuda:x'"),
    "tile 10": (flat(tile=10), "tile is 10"),
    "tile text": (flat(tile="64"), "tile is '64'"),
    "tile float": (flat(tile=64.0), "tile is 64.0"),
    "tile below 0": (flat(tile=-1), "tile is -1"),
    "tile huge": (flat(tile=2**40), "tile is"),
    "threads below 0": (flat(threads=-1), "threads is -1"),
    "threads float": (flat(threads=1.5), "threads is 1.5"),
    "map a name": (flat(map="x.png"), "map is 'x.png'"),
    "linear text": (flat(linear="no"), "linear is 'no'"),
    "pad": (flat(pad="same"), "pad is 'same'"),
    "color": (flat(color="gray"), "color is 'gray'"),
    "alpha": (flat(alpha="blend"), "alpha is 'blend'"),
    "compat": (flat(compat="libvmaf"), "compat is 'libvmaf'"),
    "compat NUL": (flat(compat="vmaf\0"), "compat is"),
    "compat of a number": (flat(compat=3), "compat is 3"),
    "vmaf of RGB": (flat(compat="vmaf"), "compat='vmaf': of pictures it takes luma, color='y709'"),
    "map of a tool": (flat(compat="ffmpeg", map=True), "compat='ffmpeg': the tool has no map"),
    "tiles of a tool": (flat(compat="ffmpeg", tile=32), "compat='ffmpeg': the tool has no tiles"),
    "pad of a tool": (flat(compat="ffmpeg", pad="zero"), "compat='ffmpeg'.*pad"),
    "GPU of a tool": (flat(compat="ffmpeg", device="cuda"), "compat='ffmpeg'.*device"),
    "metric of a tool": (flat(compat="ssimulacra2"), "compat='ssimulacra2'.*no ssim"),
    "another metric of a tool": (flat(compat="ffmpeg", metric="ssimulacra2"), "compat='ffmpeg'.*no ssimulacra2"),
    "no such file": (pair("nope.png", HWC), "nope.png"),
    "directory": (pair("/tmp", "/tmp"), "/tmp"),
    "no picture": (pair(__file__, __file__), "test_misuse.py"),
    "NUL in ref": (pair("a.png\0b", HWC), r"ref is 'a.png\\x00b', which has a NUL"),
    "NUL in out": (pair("a.png", "b\0"), "out is .*NUL"),
    "read NUL": (lambda: ssimcu.read("a\0"), "path is .*NUL"),
    "read a number": (lambda: ssimcu.read(3), "path is a int"),
    "layer NUL": (lambda: ssimcu.read("a", layer="x\0"), "layer is .*NUL"),
    "channels of a number": (lambda: ssimcu.read("a", channels=3), "channels is 3"),
    "run NUL": (started("a\0", "b"), "ref is .*NUL"),
    "run out NUL": (started("a", ["b", "c\0"]), "out is .*NUL"),
    "run output empty": (started("a", "b", output=""), "output is an empty path"),
    "run junit empty": (started("a", "b", junit=""), "junit is an empty path"),
    "run exposure huge": (started("a", "b", exposure=10**400), "exposure is 1000"),
    "run limit huge": (started("a", "b", limits={"min_score": 10**400}), "min_score"),
    "run output NUL": (started("a", "b", output="x.jsonl\0"), "output is .*NUL"),
    "run frames NUL": (started("a", "b", frames="1\0,77"), "frames is .*NUL"),
    "run frames list": (started("a", "b", frames=[1, 2]), r"frames is \[1, 2\]"),
    "run arrays": (started(HWC, HWC), "ndarray"),
    "run out dict": (started("a", {"x": "b"}), "out is a dict"),
    "run out bytes": (started("a", b"b"), "out is a bytes"),
    "run no outs": (started("a", []), "expected 1 to 64"),
    "run labels dict": (started("a", ["b"], labels={"x": "b"}), "labels is"),
    "run group text": (started("a", ["b"], group="x=b"), "group is"),
    "run variant NUL": (started("a", "b", variant=["v\0"]), "variant is .*NUL"),
    "run region of three": (started("a", "b", region=(1, 2, 3)), "region is"),
    "run tile text": (started("a", "b", tile="64"), "tile is '64'"),
    "run threads float": (started("a", "b", threads=1.5), "threads is 1.5"),
    "run white text": (started("a", "b", white="200"), "white is '200'"),
    "run missing": (started("a", "b", missing="ignore"), "missing is 'ignore'"),
    "run metric": (started("a", "b", metric="vmaf"), "metric is 'vmaf'"),
    "limit unknown": (started("a", "b", limits={"min_ssim": 0.9}), "limits has 'min_ssim'"),
    "limit text": (started("a", "b", limits={"min_tile": "high"}), "limits: min_tile is 'high'"),
    "limit of a metric text": (started("a", "b", limits={"min_frame": {"psnr": "30"}}), "limits: min_frame"),
    "limit of other metric": (started("a", "b", limits={"min_score": {"vmaf": 9}}), "min_score is 'vmaf'"),
    "limit count": (started("a", "b", limits={"max_bad": 1.5}), "limits: max_bad is 1.5"),
    "limit max_bad below 0": (started("a", "b", limits={"max_bad": -1}), "limits: max_bad is -1: expected a whole number"),
    "limit max_bad huge": (started("a", "b", limits={"max_bad": 2**48 + 1}), "--max-bad 281474976710657: expected up to"),
    "limit max_bad text": (started("a", "b", limits={"max_bad": "1"}), "limits: max_bad is '1'"),
    "limit of no metric": (started("a", "b", limits={"min_frame": {}}), "limits: min_frame is {}"),
    "score of no metric": (started("a", "b", limits={"min_score": {}}), "limits: min_score is {}"),
    "memoryview": (pair(HWC, memoryview(HWC)[::2]), "out is 6144 bytes"),
    "device huge": (flat(device="cuda:4294967296"), "device is 'cuda:4294967296'"),
    "run device huge": (started("a", "b", device="cuda:4294967296"), "device is"),
    "run shard 0": (started("a", "b", shard=(0, 2)), r"shard is \(0, 2\)"),
    "run shard below 0": (started("a", "b", shard=(1, -2)), r"shard is \(1, -2\)"),
    "run shard above": (started("a", "b", shard=(3, 2)), r"shard is \(3, 2\)"),
    "run shards": (started("a", "b", shard=(1, 2**24 + 1)), "--shard 16777217: expected up to 16777216"),
    "run shard of one": (started("a", "b", shard=(1,)), "shard is"),
    "check shard below 0": (lambda: ssimcu.check("a", shard=(1, -2)), r"shard is \(1, -2\)"),
    "check shards": (lambda: ssimcu.check("a", shard=(1, 2**24 + 1)), "--shard 16777217: expected up to 16777216"),
    "run region below 0": (started("a", "b", region=(8, 8, -1, 0)), "region is"),
    "run scale below 0": (started("a", "b", scale=(-8, 8)), "scale is"),
    "run offset huge": (started("a", "b", offset=2**63), "offset is"),
    "run offset": (started("a", "b", offset=-(2**20) - 1), "--offset"),
    "run report_frames": (started("a", "b", report_frames=1001), "--report-frames 1001"),
    "limits NUL": (started("a", "b", limits="l.json\0"), "limits is .*NUL"),
    "baseline NUL": (started("a", "b", limits={"baseline": "x\0"}), "baseline is .*NUL"),
}


UNSIGNED = [
    name
    for name, kind in _options._FIELDS.items()
    if kind.startswith("uint") and name in _options.RunOptions.__annotations__ and name not in _options._special
]


@pytest.mark.parametrize("name", UNSIGNED)
def test_nothing_wraps(name: str) -> None:
    """Of each option whose field has no sign."""
    assert len(UNSIGNED) > 5
    bits = 32 if _options._FIELDS[name] == "uint32_t" else 64
    for value in (-1, -(2**31), -(2**63), 2**bits, 2**70):
        with pytest.raises(ssimcu.Error, match=f"{name} is {value}: expected a whole number"):
            started("a", "b", **{name: value})()
        if name in _check.CheckOptions.__annotations__:
            with pytest.raises(ssimcu.Error, match=f"{name} is {value}"):
                ssimcu.check("a", **{name: value})
    for most in ("worst", "report_frames", "max_pixels", "memory_bytes"):
        if name == most:
            with pytest.raises(ssimcu.Error, match="expected"):
                started("a", "b", **{name: 2**bits - 1})()


def test_a_frame_that_is_bad_is_no_more_than_max_bad(root) -> None:
    ref, out = root / "testdata/dandelion-ref.png", root / "testdata/dandelion-jpeg-q50.jpg"
    for allowed, passed in ((0, False), (1, True), (np.int64(1), True)):
        assert ssimcu.run(ref, out, limits={"min_tile": 0.9, "max_bad": allowed}).passed == passed


@pytest.mark.parametrize("name", ROWS)
def test_is_named(name: str) -> None:
    work, says = ROWS[name]
    kind = TypeError if says.startswith(("ref is a list", "out is a NoneType", "out is a Text")) else ssimcu.Error
    with pytest.raises(kind, match=says):
        work()


def test_floats_in_their_range() -> None:
    """Rounding, HDR that says so, and a range of its own are no error."""
    edge = FLOATS.copy()
    edge[20:40] = 1 + 9e-6
    edge[:20] = -9e-6
    edge[40, :4] = -0.0
    for kind in ("f4", "f8"):
        assert ssimcu.compare(edge.astype(kind), edge.astype(kind)).score == 1
    assert ssimcu.compare(HDR, HDR, linear=True).score == 1
    assert ssimcu.compare(HDR, HDR, data_range=255).score == 1
    assert ssimcu.compare(HDR - 300, HDR - 300, linear=True, metric="psnr").score == np.inf


@pytest.mark.parametrize("shape", [(9, 9), (64, 64), (97, 333), (300, 200, 3), (3, 300, 200), (2, 40, 50, 3), (70, 80, 2)])
@pytest.mark.parametrize("kind", ["f2", "f4", "f8"])
@pytest.mark.parametrize("color", ["rgb", "y709"])
def test_no_float_slips_through(shape, kind, color) -> None:
    """One sample, wherever it is, whatever reads it."""
    rng = np.random.default_rng(1)
    ref = rng.random(shape).astype(kind)
    metric = "ssimulacra2" if 9 in shape else "ssim"
    for value, says in ((1.01, "above"), (-0.01, "below")):
        for place in [0, -1, ref.size // 3 & ~1, ref.size // 2 & ~1]:
            out = ref.copy()
            out.flat[place if shape[-1] != 2 else place & ~1] = value
            for pad in ("valid", "zero"):
                with pytest.raises(ssimcu.Error, match=f"out: a sample of .* is {says}"):
                    ssimcu.compare(ref, out, color=color, metric=metric, pad=pad)


def test_pil_of_floats() -> None:
    image = needed.module("PIL.Image")
    made = image.fromarray(GREY).convert("F")
    with pytest.raises(ssimcu.Error, match="ref: a PIL image of mode F says nothing of its white: give data_range="):
        ssimcu.compare(made, made)
    assert ssimcu.compare(made, made, data_range=255).score == 1


def test_numbers_of_numpy() -> None:
    options = dict(threads=np.int64(1), map=np.bool_(True), linear=np.False_, data_range=np.float32(255))
    assert ssimcu.compare(HDR, HDR, **options).map.shape == (3, 54, 54)


def test_a_tool_has_no_tiles() -> None:
    result = ssimcu.compare(BIG, BIG, compat="vmaf", color="y709")
    assert result.tiles is None and result.worst is None and result.map is None and result.score == 1


def test_without_numpy(root) -> None:
    """read() and heat() say the same."""
    import subprocess
    import sys

    code = """import sys
sys.modules["numpy"] = None
import ssimcu
a = "testdata/dandelion-ref.png"
for work in (lambda: ssimcu.read(a), ssimcu.compare(a, a).heat):
    try: work()
    except ssimcu.Error as error: print(error.status, "numpy" in str(error))"""
    done = subprocess.run([sys.executable, "-c", code], cwd=root, check=True, capture_output=True, text=True)
    assert done.stdout == "unsupported True\n" * 2
