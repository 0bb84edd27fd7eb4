"""Results, batches, files, tensors of other libraries."""

from __future__ import annotations

import base64
import inspect
import pickle
import struct
import sys
import zlib
from typing import Tuple

import numpy as np
import needed
import pytest
import reference
import ssimcu
import tensors
from ssimcu import _files, _golden


def test_files_are_what_the_program_says(root) -> None:
    ref, out = root / "testdata/dandelion-ref.png", root / "testdata/dandelion-jpeg-q50.jpg"
    result = ssimcu.compare(ref, str(out))
    assert f"{result.score:.9f}" == "0.934113311"
    assert result.worst[1:] == (1344, 1024, 64, 64)
    assert f"{result.worst.score:.9f}" == "0.868162090"
    arrays = ssimcu.compare(ssimcu.read(ref), ssimcu.read(out))
    assert (arrays.score, arrays.worst, arrays.channels) == (
        result.score,
        result.worst,
        result.channels,
    )
    assert ssimcu.compare(ref, ssimcu.read(out)).score == result.score


@pytest.mark.parametrize("bits", (10, 12, 16))
def test_depths_of_files(tmp_path, bits) -> None:
    """Two DPX of one depth match. One of 10 or 12 bits and a PNG of 8 do not, as in the program; one of 16 does."""
    import struct

    rng = np.random.default_rng(6)
    grey = rng.integers(0, 256, (40, 48, 3), np.uint8)
    head = bytearray(2048)
    struct.pack_into(">4sI", head, 0, b"SDPX", 2048)
    words = grey.astype(np.uint32) << bits - 8
    if bits == 10:
        packed = (
            (words[..., 0] << 22 | words[..., 1] << 12 | words[..., 2] << 2).astype(">u4").tobytes()
        )
    else:
        packed = (words << 16 - bits).astype(">u2").tobytes()
    struct.pack_into(">I", head, 16, 2048 + len(packed))
    struct.pack_into(">8s", head, 8, b"V1.0")
    struct.pack_into(">HHII", head, 768, 0, 1, 48, 40)
    white = 2**bits - 1
    struct.pack_into(">IIfIf", head, 780, 0, 0, 0, white, 0)
    struct.pack_into(">BBBBHHIII", head, 800, 50, 2, 2, bits, 1, 0, 2048, 0, 0)
    (tmp_path / "a.dpx").write_bytes(bytes(head) + packed)
    (tmp_path / "a.png").write_bytes(_golden.png(grey))
    deep = ssimcu.read(tmp_path / "a.dpx")
    assert np.array_equal(deep, grey.astype(np.uint16) << bits - 8)
    assert ssimcu.compare(tmp_path / "a.dpx", tmp_path / "a.dpx").score == 1
    for ref, out, whites in (("a.dpx", "a.png", f"{white} and 255"), ("a.png", "a.dpx", f"255 and {white}")):
        if bits == 16:
            assert ssimcu.compare(tmp_path / ref, tmp_path / out).score > 0.99
            continue
        with pytest.raises(ssimcu.Error, match=whites) as caught:
            ssimcu.compare(tmp_path / ref, tmp_path / out)
        assert caught.value.status == "mismatch"
    assert ssimcu.compare(tmp_path / "a.dpx", deep, data_range=white).score == 1
    (tmp_path / "a.tif").write_bytes(_golden.tiff(grey.astype("f4") / 255))
    one, other = (ssimcu.compare(tmp_path / a, tmp_path / b) for a, b in (("a.dpx", "a.tif"), ("a.tif", "a.dpx")))
    assert one.score == other.score < 1  # light goes with any depth


def test_map_and_tiles(photo) -> None:
    ref, out = photo
    result = ssimcu.compare(ref, out, map=True)
    assert result.map.shape == (3, 350, 630) and result.map.dtype == np.float32
    for channel in range(3):
        wanted = reference.ssim_map(ref[..., channel], out[..., channel], 255)
        assert np.abs(result.map[channel] - wanted).max() < 5e-6
    assert result.tiles.shape == (6, 10)
    mean = result.map.mean(axis=0)
    assert abs(result.tiles[0, 0] - mean[:59, :59].mean()) < 1e-6  # window centres from 5 on
    assert abs(result.tiles[1, 2] - mean[59:123, 123:187].mean()) < 1e-6
    y, x = np.unravel_index(result.tiles.argmin(), result.tiles.shape)
    assert result.worst == (result.tiles.min(), 64 * x, 64 * y, 64, min(64, 360 - 64 * y))
    assert result.score == ssimcu.compare(ref, out).score
    none = ssimcu.compare(ref, out, tile=None)
    assert none.tiles is None and none.worst is None and none.level_shift is None and none.map is None


def test_options(photo) -> None:
    ref, out = photo
    plain = ssimcu.compare(ref, out)
    assert ssimcu.compare(ref, out, pad="zero").score != plain.score
    assert ssimcu.compare(ref, out, pad="zero", map=True).map.shape == (3, 360, 640)
    luma = ssimcu.compare(ref, out, color="y709")
    assert len(luma.channels) == 1 and luma.score == luma.channels[0]
    bgr = ssimcu.compare(ref[..., ::-1], out[..., ::-1], color="y709")
    assert bgr.score != luma.score and bgr.copied == ()
    assert ssimcu.compare(ref, out, compat="fused-ssim").score != plain.score
    assert ssimcu.compare(ref, out, threads=1).score == plain.score
    assert ssimcu.compare(ref, out, device="cpu").device == "cpu"
    brighter = np.clip(out.astype(int) + 9, 0, 255).astype(np.uint8)
    assert 8 < ssimcu.compare(out, brighter).level_shift.levels <= 9
    linear = [side.astype(np.float32) / 255 for side in (ref, out)]
    curved = [np.where(v <= 0.0031308, v * 12.92, 1.055 * v ** (1 / 2.4) - 0.055) for v in linear]
    score = ssimcu.compare(*linear, linear=True).score
    assert abs(score - reference.ssim(*curved, 1)) < 1e-6
    for wrong in (
        dict(pad="same"),
        dict(color="hsv"),
        dict(alpha="yes"),
        dict(metric="lpips"),
        dict(metric=()),
        dict(device="tpu"),
        dict(device="cuda:x"),
        dict(device="cpu:1"),
        dict(tile=10),
        dict(tile=1.5),
        dict(compat="gimp"),
        dict(threads=-1),
    ):
        with pytest.raises(ssimcu.Error) as caught:
            ssimcu.compare(ref, out, **wrong)
        assert caught.value.status == "argument"


def test_alpha() -> None:
    rgba = np.full((40, 50, 4), 255, np.uint8)
    hidden = rgba.copy()
    hidden[..., 3] = rgba[..., 3] = 0
    hidden[..., :3] = 0
    assert ssimcu.compare(rgba, hidden).score == 1
    assert ssimcu.compare(rgba, hidden, alpha="ignore").score < 0.1
    half = rgba.copy()
    half[:20, :, 3] = 255
    assert ssimcu.compare(rgba, half).background == "black"


def test_metrics(photo) -> None:
    ref, out = photo
    names = ("psnr", "ssim", "ms-ssim", "ssimulacra2")
    result = ssimcu.compare(ref, out, metric=names)
    assert tuple(result.metrics) == names and result.score == result.metrics["psnr"]
    mse = ((ref.astype(float) - out) ** 2).mean() / 255**2
    assert abs(result.score + 10 * np.log10(mse)) < 1e-9 and len(result.channels) == 3
    assert result.metrics["ssim"] == ssimcu.compare(ref, out).score
    assert ssimcu.compare(ref, ref, metric="psnr").score == np.inf
    assert ssimcu.compare(ref, out, metric="ssimulacra2").channels == ()
    assert ssimcu.compare(ref, out, metric="ms-ssim").score == result.metrics["ms-ssim"]


def test_small(photo) -> None:
    ref, out = (side[:8, :9] for side in photo)
    result = ssimcu.compare(ref, out, metric=("ssimulacra2", "psnr"))
    assert tuple(result.metrics) == ("ssimulacra2", "psnr") and np.isfinite(result.score)
    assert result.tiles is None and result.worst is None
    padded = ssimcu.compare(ref, out, metric=("ssimulacra2", "psnr"), pad="zero")
    assert padded.metrics == result.metrics and padded.worst is not None
    some = ssimcu.compare(ref, out, metric=("psnr", "ssim"))
    assert some.score == result.metrics["psnr"] and np.isnan(some.metrics["ssim"])
    for wrong in ({"metric": "psnr", "map": True}, {}):
        with pytest.raises(ssimcu.Error, match="9x8 pixels: SSIM, its tiles and its map") as caught:
            ssimcu.compare(ref, out, **wrong)
        assert caught.value.status == "too small"


def test_psnr_alone(photo) -> None:
    ref, out = photo
    fast, whole = ssimcu.compare(ref, out, metric="psnr"), ssimcu.compare(ref, out, metric="psnr", tile=64)
    assert fast.score == whole.score and fast.channels == whole.channels and fast.mse == whole.mse
    assert fast.tiles is None and whole.tiles is not None and fast.metrics == whole.metrics
    assert ssimcu.compare(ref, out, metric="psnr", map=True).map is not None


def test_batch(photo) -> None:
    ref, out = (np.stack([side, side[:, ::-1], side[::-1]]) for side in photo)
    result = ssimcu.compare(ref, out, map=True, metric=("ssim", "psnr"))
    alone = [ssimcu.compare(a, b, map=True, metric=("ssim", "psnr")) for a, b in zip(ref, out)]
    assert [pair.score for pair in result.pairs] == [pair.score for pair in alone]
    assert abs(result.score - np.mean([pair.score for pair in alone])) < 1e-15
    assert result.map.shape == (3, 3, 350, 630) and result.tiles.shape == (3, 6, 10)
    assert result.worst == min(pair.worst for pair in alone)
    assert len(result.channels) == 3 and "mean of 3 pairs" in repr(result)
    planes = np.ascontiguousarray(ref.transpose(0, 3, 1, 2)), np.ascontiguousarray(
        out.transpose(0, 3, 1, 2)
    )
    assert abs(ssimcu.compare(*planes).score - result.score) < 1e-6
    assert ssimcu.compare(ref[::-1], out[::-1]).pairs[0].score == alone[2].score
    one = ssimcu.compare(ref[:1], out[:1])
    assert len(one.pairs) == 1
    with pytest.raises(ssimcu.Error, match="as many"):
        ssimcu.compare(ref, out[:2])
    grey = ssimcu.compare(ref[..., 0], out[..., 0], layout="NHW")
    assert len(grey.pairs) == 3 and len(grey.channels) == 1


def test_shows_itself(photo) -> None:
    result = ssimcu.compare(*photo, map=True)
    page = result._repr_html_()
    assert "data:image/png;base64," in page and f"{result.score:.9f}" in page
    assert result.heat().shape == (350, 630, 3) and result.heat().dtype == np.uint8
    worst = np.unravel_index(result.map.mean(axis=0).argmin(), (350, 630))
    assert result.heat()[worst].sum() == result.heat().sum(axis=2).max()
    assert ssimcu.compare(*photo).heat().shape == (6, 10, 3)
    assert float(result) == result.score and repr(result).startswith("<ssimcu.Result ssim 0.")
    assert "<img" not in ssimcu.compare(*photo, tile=None)._repr_html_()


@pytest.mark.parametrize(
    "width, height, shown", [(640, 30, (640, 30)), (641, 30, (321, 15)), (1281, 40, (427, 14)), (30, 641, (30, 641))]
)
def test_widest_picture_of_a_page(width: int, height: int, shown: Tuple[int, int]) -> None:
    """A wide heat map is reduced to 640 pixels across by leaving out pixels. A high one is not."""
    ref = np.random.default_rng(1).integers(0, 256, (height + 10, width + 10), np.uint8)
    page = ssimcu.compare(ref, ref // 2, map=True)._repr_html_()
    data = base64.b64decode(page.split("base64,")[1].split('"')[0])
    assert struct.unpack(">II", data[16:24]) == shown


@pytest.mark.filterwarnings("error")  # as of a division by 0
def test_heat_of_equal_pictures(photo) -> None:
    """No place is worse than another, so all have the colour of the best."""
    from ssimcu import _show

    for shown in (ssimcu.compare(photo[0], photo[0]), ssimcu.compare(photo[0], photo[0], map=True)):
        assert (shown.heat() == _show._colours()[0]).all()


def test_png_of_the_heat_map(photo, tmp_path) -> None:
    from ssimcu import _golden

    heat = ssimcu.compare(*photo, map=True).heat()
    (tmp_path / "heat.png").write_bytes(_golden.png(heat))
    assert np.array_equal(ssimcu.read(tmp_path / "heat.png"), heat)


def test_pil(photo) -> None:
    image = needed.module("PIL.Image")
    ref, out = (image.fromarray(side) for side in photo)
    result = ssimcu.compare(ref, out)
    assert result.score == ssimcu.compare(*photo).score
    assert len(result.copied) == 2 and "PIL" in result.copied[0]
    grey = ssimcu.compare(ref.convert("L"), np.asarray(out.convert("L")))
    assert len(grey.channels) == 1
    assert ssimcu.compare(ref.convert("P"), ref.convert("P")).score == 1
    assert ssimcu.compare(ref.convert("1"), ref.convert("1")).score == 1
    assert ssimcu.compare(ref.convert("RGBA"), ref).score == 1
    alpha = image.linear_gradient("L").resize(ref.size)  # from empty to full
    for mode in ("L", "P", "RGB"):
        clear, opaque = ref.convert(mode), ref.convert(mode)
        clear.putalpha(alpha)
        assert clear.mode in ("LA", "PA", "RGBA")
        assert ssimcu.compare(clear, clear.convert("RGBA")).score == 1
        assert ssimcu.compare(clear, opaque).score < 0.9
    for mode in ("CMYK", "YCbCr", "HSV", "I", "RGBa"):
        source = ref.convert("RGBA" if mode == "RGBa" else "RGB")
        with pytest.raises(ssimcu.Error, match=f"mode {mode}"):
            ssimcu.compare(source.convert(mode), ref)


def test_files_of_other_colours(tmp_path) -> None:
    (tmp_path / "a.png").write_bytes(_golden.png(np.full((32, 32, 3), 99, np.uint8)))
    plain, chunk = (tmp_path / "a.png").read_bytes(), b"cICP\x09\x10\0\1"  # PQ of BT.2020
    said = b"\0\0\0\4" + chunk + zlib.crc32(chunk).to_bytes(4, "big")
    (tmp_path / "b.png").write_bytes(plain[:33] + said + plain[33:])
    result = ssimcu.compare(tmp_path / "a.png", tmp_path / "b.png")
    colours = "transfers are sRGB in REF, smpte2084 in OUT; primaries are bt709 in REF, bt2020 in OUT"
    assert result.score == 1 and result.colours == result.as_dict()["colours"] == colours
    assert colours in repr(result) and colours in result._repr_html_()
    assert pickle.loads(pickle.dumps(result)).colours == colours
    (record,) = ssimcu.run(tmp_path / "a.png", tmp_path / "b.png")
    assert record.colours == colours
    assert ssimcu.compare(tmp_path / "b.png", tmp_path / "b.png").colours is None


@pytest.mark.parametrize("extension", ("png", "jpg", "tif"))
def test_pil_is_turned_like_a_file(tmp_path, photo, extension: str) -> None:
    image = needed.module("PIL.Image")
    picture = image.fromarray(np.ascontiguousarray(photo[0][:90, :120]))
    path = tmp_path / f"a.{extension}"
    for orientation in range(9):
        exif = picture.getexif()
        exif[0x0112] = orientation
        picture.save(path, exif=exif)
        opened = image.open(path)
        result = ssimcu.compare(opened, path)
        assert result.score == 1, orientation
        assert ("turned" in result.copied[0]) == (orientation > 1 and extension != "tif")
        shape = ssimcu.read(path).shape[:2]
        assert shape == ((90, 120) if orientation < 5 else (120, 90))


def test_read(root, tmp_path, photo) -> None:
    for array in (photo[0], photo[0][..., 0], photo[0][..., ::-1], photo[0][:, ::-1]):
        (tmp_path / "a.png").write_bytes(_golden.png(array.reshape(*array.shape[:2], -1)))
        back = ssimcu.read(tmp_path / "a.png")
        assert np.array_equal(back, array) and back.flags.writeable
    for wrong, status in (("nothing.png", "file"), (__file__, "data")):
        with pytest.raises(ssimcu.Error) as caught:
            ssimcu.read(tmp_path / wrong)
        assert caught.value.status == status
    damaged = (root / "testdata/dandelion-ref.png").read_bytes()[:-1000]
    (tmp_path / "cut.png").write_bytes(damaged)
    with pytest.raises(ssimcu.Error) as caught:
        ssimcu.compare(tmp_path / "cut.png", root / "testdata/dandelion-ref.png")
    assert caught.value.status == "data"


def test_exr(root) -> None:
    path = root / "testdata/light.exr"
    try:
        light = ssimcu.read(path)
    except ssimcu.Error as error:
        if error.status == "unsupported":
            pytest.skip(str(error))
        raise
    assert light.dtype in (np.float16, np.float32)
    darker = (light * 0.5).astype(light.dtype)
    mixed = ssimcu.compare(path, darker, linear=True)
    curved = []
    for side in (light, darker):
        v = np.clip(side.astype(np.float64), 0, 1)
        curved.append(np.where(v <= 0.0031308, v * 12.92, 1.055 * v ** (1 / 2.4) - 0.055))
    assert abs(mixed.score - reference.ssim(*curved, 1)) < 1e-6
    assert ssimcu.compare(path, darker).score != mixed.score  # nobody said that the array is light
    assert _files.samples(path).linear


class Exporter:
    """An array that is shown by DLPack alone."""

    def __init__(self, array) -> None:
        self.array = array

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


def test_dlpack(photo) -> None:
    ref, out = photo
    wanted = ssimcu.compare(ref, out).score
    assert ssimcu.compare(Exporter(ref), Exporter(out)).score == wanted
    for way in (lambda a: a[:, ::2], lambda a: a[..., ::-1], lambda a: a[::-1]):
        a, b = way(ref), way(out)
        assert ssimcu.compare(Exporter(a), b).score == ssimcu.compare(a, b).score
    big = np.zeros((40, 50), np.int32)
    with pytest.raises(ssimcu.Error, match="samples of type int32"):
        ssimcu.compare(Exporter(big), Exporter(big))
    held = Exporter(ref.copy())
    counted = sys.getrefcount(held.array)
    for _ in range(5):
        ssimcu.compare(held, out)
    left = sys.getrefcount(held.array)
    assert left == counted


def test_dlpack_by_hand(photo) -> None:
    """Tensors with an offset, with and without strides, of every type."""
    ref, out = photo
    rows, columns, _ = ref.shape
    for kind in ("u8", "u16", "f16", "f32", "bf16"):
        size = tensors.KINDS[kind][1] // 8
        data = [tensors.encode(side.tobytes(), kind) for side in (ref, out)]
        whole = [tensors.on_host(side, ref.shape, kind) for side in data]
        wanted = ssimcu.compare(*whole)
        parts = [
            tensors.Dlpack(
                side.pointer,
                (rows - 20, columns - 20, 3),
                kind,
                None,
                (columns * 3, 3, 1),
                side,
                (10 * columns + 10) * 3 * size,
            )
            for side in whole
        ]
        part = ssimcu.compare(*parts)
        floats = [side[10:-10, 10:-10].astype(np.float64) / 255 for side in photo]
        limit = 0.01 if kind == "bf16" else 1e-3
        assert abs(part.score - reference.ssim(*floats, 1)) < limit and part.score != wanted.score
        if kind in ("u8", "u16", "f32"):
            assert abs(part.score - reference.ssim(*floats, 1)) < 1e-6


def test_tensors_of_a_gpu_take_the_same_options(photo) -> None:
    """All but map and threads; here without a GPU, as far as the library, which says so."""
    ours = set(inspect.signature(ssimcu.compare).parameters)
    assert set(inspect.signature(ssimcu.Request).parameters) == ours - {"map", "threads", "region"}
    if len(ssimcu.devices()) > 1:
        pytest.skip("there is a GPU; device.py looks at it")
    there = tensors.Dlpack(photo[0].ctypes.data, photo[0].shape, "u8", 0)
    for work in (
        lambda: ssimcu.compare(there, there, metric="psnr"),
        lambda: ssimcu.Request(there, there),
    ):
        with pytest.raises(ssimcu.Error) as caught:
            work()
        assert caught.value.status == "device"
    with pytest.raises(ssimcu.Error, match="ref is on cuda:0 and out in host memory"):
        ssimcu.compare(there, photo[1])
    with pytest.raises(ssimcu.Error, match="device is 'cpu'"):
        ssimcu.compare(there, there, device="cpu")


def test_dlpack_of_another_device(photo) -> None:
    class Elsewhere(Exporter):
        def __dlpack_device__(self):
            return (8, 0)  # Metal

    with pytest.raises(ssimcu.Error, match="type 8"):
        ssimcu.compare(Elsewhere(photo[0]), photo[1])


def test_torch(photo) -> None:
    torch = needed.module("torch")
    ref, out = (torch.from_numpy(side) for side in photo)
    wanted = ssimcu.compare(*photo)
    assert ssimcu.compare(ref, out).score == wanted.score
    assert ssimcu.compare(ref.permute(2, 0, 1), out.permute(2, 0, 1)).copied == ()
    floats = [side.permute(2, 0, 1).contiguous().float() / 255 for side in (ref, out)]
    assert abs(ssimcu.compare(*floats).score - wanted.score) < 1e-6
    for type_ in (torch.float64, torch.float16, torch.bfloat16):
        pair = [side.to(type_) for side in floats]
        exact = [side.double().permute(1, 2, 0).numpy() for side in pair]
        assert abs(ssimcu.compare(*pair).score - reference.ssim(*exact, 1)) < 1e-6
    batch = [torch.stack([side, side]) for side in floats]
    assert len(ssimcu.compare(*batch).pairs) == 2
    with pytest.raises(ssimcu.Error, match="grad"):
        ssimcu.compare(floats[0].requires_grad_(), floats[1])
    with pytest.raises(ssimcu.Error, match="host memory"):
        ssimcu.Request(ref, out)


@pytest.mark.parametrize("tile", (64, 0, None))
def test_tiles_that_a_tool_need_not_have(photo, tile) -> None:
    """The default, and no tiles, go with a tool's numbers."""
    result = ssimcu.compare(*photo, compat="ffmpeg", tile=tile)
    assert result.score == ssimcu.compare(*photo, compat="ffmpeg").score and result.worst is None


def test_contexts_that_are_kept() -> None:
    """A thread keeps the last four contexts. The oldest makes way for a fifth."""
    from ssimcu import _context

    options = [_context.options_of(("ssim",), "valid", "rgb", "worst", None, n, None)[0] for n in range(1, 6)]
    made = [_context.context(each) for each in options]
    assert all(_context.context(options[n]) is made[n] for n in (1, 2, 3, 4))
    assert _context.context(options[0]) is not made[0]
