"""Arrays of every type, layout and stride against scikit-image or, without it, its formula in float64;
and every misuse that would read other memory."""

from __future__ import annotations

import numpy as np
import needed
import pytest
import reference
import ssimcu

try:
    from skimage.metrics import structural_similarity
except ImportError:
    structural_similarity = None

TYPES = ("uint8", "uint16", "float16", "float32", "float64", ">u2", ">f4")
PEAKS = {"u": {1: 255, 2: 65535}, "f": {2: 1, 4: 1, 8: 1}}


def expected(ref: np.ndarray, out: np.ndarray, peak: float) -> float:
    """The score of H x W or H x W x C."""
    ref, out = ref.astype(np.float64), out.astype(np.float64)
    if structural_similarity is None:
        return reference.ssim(ref, out, peak)
    options = dict(gaussian_weights=True, sigma=1.5, use_sample_covariance=False)
    axis = 2 if ref.ndim == 3 else None
    return structural_similarity(ref, out, data_range=peak, channel_axis=axis, **options)


def pixels(rng: np.random.Generator, shape: tuple, dtype: str) -> np.ndarray:
    peak = PEAKS[np.dtype(dtype).kind][np.dtype(dtype).itemsize]
    values = rng.random(shape)
    if rng.random() < 0.5:  # smooth, as pictures are
        values = np.cumsum(values - 0.5, axis=1)
        values = (values - values.min()) / max(np.ptp(values), 1e-9)
    return (values * peak).astype(dtype)


def strided(rng: np.random.Generator, array: np.ndarray) -> np.ndarray:
    """The same values in other memory."""
    way = rng.integers(9)
    if way == 0:  # part of a larger array
        big = np.zeros([n + 3 for n in array.shape], array.dtype)
        big[1:-2, 2:-1][..., : big[1:-2, 2:-1].shape[-1]][
            tuple(slice(n) for n in array.shape)
        ] = array
        return big[1:-2, 2:-1][tuple(slice(n) for n in array.shape)]
    if way == 1:  # rows from the bottom up
        return array[::-1].copy()[::-1]
    if way == 2:  # pixels from right to left
        return array[:, ::-1].copy()[:, ::-1]
    if way == 3:
        return np.asfortranarray(array)
    if way == 4:  # every second pixel and row
        big = np.zeros([2 * n for n in array.shape[:2]] + list(array.shape[2:]), array.dtype)
        big[::2, ::2] = array
        return big[::2, ::2]
    if way == 5 and array.ndim == 3:  # the last dimension in reverse: BGR
        return array[..., ::-1].copy()[..., ::-1]
    if way == 6 and array.ndim == 3:  # planes
        return np.ascontiguousarray(array.transpose(2, 0, 1)).transpose(1, 2, 0)
    if way == 7:  # not aligned
        raw = np.zeros(array.nbytes + 1, np.uint8)
        place = raw[1:].view(array.dtype).reshape(array.shape)
        place[...] = array
        return place
    array = array.copy()
    array.flags.writeable = False
    return array


@pytest.mark.parametrize("seed", range(300))
def test_random(seed: int) -> None:
    rng = np.random.default_rng(seed)
    small = seed % 10 == 0
    height, width = rng.integers(1, 12, 2) if small else rng.integers(11, 90, 2)
    channels = int(rng.choice([0, 1, 3]))
    shape = (height, width, channels) if channels else (height, width)
    dtype = str(rng.choice(TYPES))
    ref = pixels(rng, shape, dtype)
    out = pixels(rng, shape, dtype) if seed % 2 else ref
    if out is ref:  # near
        noise = rng.normal(0, 0.02, shape) * PEAKS[ref.dtype.kind][ref.dtype.itemsize]
        top = PEAKS[ref.dtype.kind][ref.dtype.itemsize]
        out = np.clip(ref.astype(float) + noise, 0, top).astype(dtype)
    peak = PEAKS[ref.dtype.kind][ref.dtype.itemsize]
    layout = "HWC" if channels else "HW"
    a, b = strided(rng, ref), strided(rng, out)
    assert np.array_equal(a, ref) and np.array_equal(b, out)
    if channels and rng.random() < 0.3:
        a, b, layout = a.transpose(2, 0, 1), b.transpose(2, 0, 1), "CHW"
    if min(height, width) < 11:
        with pytest.raises(ssimcu.Error) as caught:
            ssimcu.compare(a, b, layout=layout)
        assert caught.value.status == "too small"
        return
    result = ssimcu.compare(a, b, layout=layout)
    assert abs(result.score - expected(ref, out, peak)) < 1e-6
    back = ssimcu.compare(b, a, layout=layout)
    assert back.score == result.score
    assert ssimcu.compare(a, a, layout=layout).score == 1


def test_reference_is_that_of_skimage() -> None:
    if structural_similarity is None:
        needed.named("skimage")
    rng = np.random.default_rng(7)
    a, b = rng.random((2, 40, 50, 3))
    assert abs(reference.ssim(a, b, 1) - expected(a, b, 1)) < 1e-12


def test_broadcast_strides() -> None:
    rng = np.random.default_rng(3)
    grey = rng.integers(0, 256, (40, 50), np.uint8)
    for view in (
        np.broadcast_to(grey[..., None], (40, 50, 3)),  # one plane three times: no copy
        np.broadcast_to(grey[:1], (40, 50)),  # one row
        np.broadcast_to(grey[:, :1], (40, 50)),  # one column
    ):
        other = np.ascontiguousarray(view)
        assert ssimcu.compare(view, other).score == 1
        noisy = other.copy()
        noisy[20, 20] ^= 255
        score = ssimcu.compare(view, noisy)
        assert abs(score.score - expected(other, noisy, 255)) < 1e-6
    assert (
        ssimcu.compare(
            np.broadcast_to(grey[..., None], (40, 50, 3)), other[..., None].repeat(3, 2)
        ).copied
        == ()
    )


@pytest.mark.parametrize(
    ("way", "why"),
    [
        (lambda a: a[:, ::-1], "reverse"),
        (lambda a: np.asfortranarray(a), "apart"),
        (lambda a: a.astype(">u2"), "other order"),
        (lambda a: np.broadcast_to(a[:1], a.shape), "rows overlap"),
        (lambda a: np.broadcast_to(a[:, :1], a.shape), "pixels overlap"),
    ],
)
def test_a_copy_is_said(way, why: str) -> None:
    array = np.zeros((40, 50, 3), np.uint16)
    result = ssimcu.compare(array, way(array))
    assert len(result.copied) == 1
    assert result.copied[0].startswith("out: ") and why in result.copied[0]


@pytest.mark.parametrize(
    "way",
    [
        lambda a: a,
        lambda a: a[::-1],
        lambda a: a[..., ::-1],
        lambda a: a[:, ::2],
        lambda a: np.ascontiguousarray(a.transpose(2, 0, 1)).transpose(1, 2, 0),
        lambda a: np.pad(a, ((3, 3), (5, 5), (0, 1)))[3:-3, 5:-5, :3],
        lambda a: np.pad(a.transpose(2, 0, 1), ((0, 0), (2, 5), (0, 8)))[
            :, 2:-5, :-8
        ],  # planes apart
        lambda a: np.pad(a.transpose(0, 2, 1), ((0, 0), (1, 0), (0, 8)))[:, 1:, :-8].transpose(
            0, 2, 1
        ),  # row by row
    ],
)
def test_no_copy(way) -> None:
    pair = np.random.default_rng(0).integers(0, 256, (2, 40, 50, 3), np.uint8)
    result = ssimcu.compare(*(way(side) for side in pair))
    assert result.copied == ()
    copies = [np.ascontiguousarray(way(side)) for side in pair]
    assert abs(result.score - ssimcu.compare(*copies).score) < 1e-9


@pytest.mark.parametrize("dtype", ["bool", "int8", "int16", "int32", "int64", "uint32", "uint64"])
def test_other_types(dtype: str) -> None:
    array = np.zeros((40, 50), dtype)
    with pytest.raises(ssimcu.Error, match="samples of type") as caught:
        ssimcu.compare(array, array)
    assert caught.value.status == "unsupported"


@pytest.mark.parametrize("dtype", ["complex64", "complex128", "longdouble", "O", "U3", "M8[s]"])
def test_types_that_are_no_samples(dtype: str) -> None:
    array = np.zeros((40, 50), dtype)
    with pytest.raises(ssimcu.Error) as caught:
        ssimcu.compare(array, array)
    assert caught.value.status == "unsupported"


@pytest.mark.parametrize(
    ("shape", "layout", "says"),
    [
        ((), None, "0 dimensions"),
        ((40,), None, "1 dimensions"),
        ((40, 50, 60), None, "give layout"),
        ((3, 50, 3), None, "give layout"),
        ((40, 50, 60), "HWC", "60 channels"),
        ((40, 50, 3), "HW", "not HW"),
        ((40, 50, 3), "HCW", "expected one of"),
        ((2, 2, 40, 50, 3), None, "5 dimensions"),
        ((40, 0, 3), None, "no samples"),
        ((0, 40, 50, 3), None, "no samples"),
        ((40, 50, 0), "HWC", "no samples"),
    ],
)
def test_shapes(shape, layout, says: str) -> None:
    array = np.zeros(shape, np.uint8)
    with pytest.raises(ssimcu.Error, match=says) as caught:
        ssimcu.compare(array, array, layout=layout)
    assert caught.value.status == "argument"


@pytest.mark.parametrize("shape", [(2**32 + 80, 11), (11, 2**32 + 80), (2**32 + 1, 40, 50, 3)])
def test_sides_above_32_bits(shape) -> None:
    arrays = [np.broadcast_to(np.uint8(value), shape) for value in (0, 9)]
    with pytest.raises(ssimcu.Error, match="above 4294967295") as caught:
        ssimcu.compare(*arrays)
    assert caught.value.status == "limit"


def test_sizes_that_differ() -> None:
    a = np.zeros((40, 50, 3), np.uint8)
    for b in (a[:-1], a[:, :-1], np.zeros((1, 40, 50, 3), np.uint8)):
        with pytest.raises(ssimcu.Error) as caught:
            ssimcu.compare(a, b, layout=None if b.ndim == 3 else None)
        assert caught.value.status == "mismatch"


def test_ranges() -> None:
    ten = np.full((40, 50), 1024, np.uint16)
    with pytest.raises(ssimcu.Error, match="1024 is above data_range 1023"):
        ssimcu.compare(ten, ten, data_range=1023)
    ten[...] = np.arange(50) * 20
    noisy = ten.copy()
    noisy[10:20] = 500
    score = ssimcu.compare(ten, noisy, data_range=1023).score
    assert abs(score - expected(ten, noisy, 1023)) < 1e-6
    eight = (ten >> 2).astype(np.uint8)
    assert ssimcu.compare(ten, eight, data_range=(1023, 255)).score > 0.9
    for wrong in (0, -1, float("nan"), "white", (1, 2, 3), 70000, 1.5):
        with pytest.raises(ssimcu.Error) as caught:
            ssimcu.compare(ten, ten, data_range=wrong)
        assert caught.value.status == "argument"


@pytest.mark.parametrize("dtype", ("uint8", "uint16", "float16", "float32", "float64"))
def test_each_side_has_its_own_range(dtype: str) -> None:
    """A sample may reach the white of its own side, at any place, and not that of the other."""
    low, high = (100, 200) if dtype.startswith("u") else (1, 2)
    for side in (0, 1):
        peaks = (high, low) if side else (low, high)
        for place in ((0, 0), (20, 25), (39, 49)):
            pair = [np.zeros((40, 50), dtype) for _ in peaks]
            pair[side][place], pair[1 - side][place] = low, high
            assert ssimcu.compare(*pair, data_range=peaks).score == 1
            pair[side][place] = low * 1.5
            with pytest.raises(ssimcu.Error, match=f"{('ref', 'out')[side]}: .* above data_range {low}"):
                ssimcu.compare(*pair, data_range=peaks)


def test_copies_stay_linear_light() -> None:
    """Linear light that must be copied is scored like light that is read in place, whichever side is copied."""
    rng = np.random.default_rng(7)
    pair = [(rng.random((40, 50, 3)) * 2).astype(np.float32) for _ in range(2)]
    wanted = ssimcu.compare(*pair, linear=True)
    assert wanted.copied == () and abs(wanted.score - ssimcu.compare(*pair, data_range=2).score) > 1e-3
    unaligned = np.zeros(4 * pair[0].size + 1, np.uint8)[1:].view(np.float32).reshape(pair[0].shape)
    ways = {
        "reverse": lambda a: np.ascontiguousarray(a[:, ::-1])[:, ::-1],
        "other order": lambda a: a.astype(">f4"),
        "not aligned": lambda a: (np.copyto(unaligned, a), unaligned)[1],
    }
    for why, way in ways.items():
        for side in (0, 1):
            sides = [way(a) if k == side else a for k, a in enumerate(pair)]
            result = ssimcu.compare(*sides, linear=True)
            assert len(result.copied) == 1 and why in result.copied[0]
            assert result.score == wanted.score, (why, side)


@pytest.mark.parametrize("value", [np.nan, np.inf, 1e9])
def test_floats_that_are_no_samples(value: float) -> None:
    array = np.zeros((40, 50), np.float32)
    array[7, 9] = value
    with pytest.raises(ssimcu.Error) as caught:
        ssimcu.compare(array, array)
    assert caught.value.status == "data"


def test_what_is_no_picture() -> None:
    array = np.zeros((40, 50), np.uint8)
    for wrong in (None, 3, {}, [[1, 2], [3, 4]], object()):
        with pytest.raises(TypeError, match="expected an array"):
            ssimcu.compare(array, wrong)
    with pytest.raises(ssimcu.Error, match="masked"):
        ssimcu.compare(array, np.ma.masked_equal(array, 0))


def test_bfloat16() -> None:
    ml_dtypes = needed.module("ml_dtypes")
    rng = np.random.default_rng(4)
    a, b = rng.random((2, 40, 50, 3)).astype(ml_dtypes.bfloat16)
    for way in (lambda x: x, lambda x: x[:, ::-1]):
        result = ssimcu.compare(way(a), way(b))
        wanted = expected(way(a).astype(np.float64), way(b).astype(np.float64), 1)
        assert abs(result.score - wanted) < 1e-6


@pytest.mark.parametrize("dtype", (np.uint8, np.uint16, np.float32))
def test_pixels_that_are_just_near_enough(dtype) -> None:
    """Pixels may lie up to 64 bytes apart."""
    size = np.dtype(dtype).itemsize
    for apart in (64 // size - 1, 64 // size, 64 // size + 1):
        array = np.zeros((20, 20 * apart), dtype)[:, ::apart]
        assert bool(ssimcu.compare(array, array).copied) == (apart * size > 64), apart


@pytest.mark.parametrize("layout, axis", [("HWC", 0), ("HWC", 1), ("HWC", 2), ("CHW", 0), ("NHWC", 0), ("NHWC", 3)])
@pytest.mark.parametrize("stride", (-3, 0, 5, 4096))
def test_dimensions_of_one(layout: str, axis: int, stride: int) -> None:
    """The stride of a dimension of one element means nothing."""
    shape = [{"N": 2, "C": 3, "H": 16, "W": 12}[letter] for letter in layout]
    shape[axis] = 1
    array = np.arange(np.prod(shape), dtype=np.uint8).reshape(shape)
    strides = list(array.strides)
    strides[axis] = stride
    odd = np.lib.stride_tricks.as_strided(array, shape, strides)
    result = ssimcu.compare(odd, array, layout=layout, pad="zero", tile=None)
    assert result.score == 1 and result.copied == ()


def test_permute_of_unaligned_elements() -> None:
    for dtype in (np.uint16, np.float32, np.float64, np.complex128):
        size = np.dtype(dtype).itemsize
        plain = np.arange(4 * 5 * 6).reshape(4, 5, 6).astype(dtype)
        for offset in (1, size - 1):
            memory = b"x" * offset + plain.tobytes()
            array = np.frombuffer(memory, dtype, offset=offset).reshape(4, 5, 6)
            assert np.array_equal(ssimcu.permute(array, (2, 0, 1)), plain.transpose(2, 0, 1))
