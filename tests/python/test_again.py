"""A second pair of one kind takes a shorter way, and gets what it would have got."""

from __future__ import annotations

import signal
import sys

import numpy as np
import needed
import pytest
import ssimcu
from ssimcu import _context


def _anew(*pair, **options) -> ssimcu.Result:
    _context.forget()
    return ssimcu.compare(*pair, **options)


def _pairs(kind: str):
    """Yields pairs of one kind that differ in their samples and their places."""
    rng = np.random.default_rng(7)
    for _ in range(3):
        pair = [rng.random((40, 36, 3)) * 0.9 for _ in range(2)]
        if kind == "u1":
            yield [(255 * side).astype(kind) for side in pair]
        elif kind == "planes":  # a view of which names each channel
            yield [side.astype("f4").transpose(2, 0, 1)[:, ::-1][::-1] for side in pair]
        elif kind == "strided":
            yield [side.astype("u2" if side is pair[0] else "f4")[:, ::2] for side in pair]
        else:
            yield [side.astype(kind) for side in pair]


@pytest.mark.parametrize("kind", ["u1", "u2", "f2", "f4", "f8", "planes", "strided"])
@pytest.mark.parametrize("options", [{}, {"tile": None}, {"metric": ("psnr", "ssim")}, {"color": "y709"}, {"pad": "zero"}])
def test_the_same_as_the_first(kind: str, options) -> None:
    pairs = list(_pairs(kind))
    wanted = [_anew(*pair, **options) for pair in pairs]
    for pair, first in zip(pairs, wanted):
        found = ssimcu.compare(*pair, **options)
        assert (found.metrics, found.worst, found.level_shift) == (first.metrics, first.worst, first.level_shift)
        assert (found.tiles is None) == (first.tiles is None)
        assert first.tiles is None or np.array_equal(found.tiles, first.tiles)


def test_it_is_shorter() -> None:
    pair = next(_pairs("f4"))
    calls = []
    for _ in range(2):
        calls.append(0)

        def count(frame, event, argument) -> None:
            calls[-1] += event == "call"

        sys.setprofile(count)
        try:
            ssimcu.compare(*pair)
        finally:
            sys.setprofile(None)
    assert calls[1] <= 20 < calls[0]


def test_what_must_be_refused_still_is() -> None:
    ref, out = next(_pairs("f4"))
    bytes_ = (255 * ref).astype("u1")
    assert ssimcu.compare(ref, out).score == ssimcu.compare(ref, out).score
    for wrong, text in ((out + 2, "above data_range 1"), (out - 2, "below 0"), (out * np.nan, "finite")):
        with pytest.raises(ssimcu.Error, match=text):
            ssimcu.compare(ref, wrong.astype("f4"))
    ssimcu.compare(bytes_ // 2, bytes_ // 2, data_range=128)
    with pytest.raises(ssimcu.Error, match="above data_range 128"):
        ssimcu.compare(bytes_ // 2, bytes_, data_range=128)
    ssimcu.compare(ref, out, tile=64, threads=1)
    ssimcu.compare(ref, out, tile=64, threads=1, data_range=(1, 1))
    wrongs = [{"tile": 64.0, "threads": 1}, {"tile": 64, "threads": True, "data_range": True}, {"threads": 1, "linear": 0}]
    wrongs += [{"tile": 64, "threads": 1, "data_range": (True, True)}, {"threads": 1.0}]
    for wrong in wrongs:
        with pytest.raises(ssimcu.Error):
            ssimcu.compare(ref, out, **wrong)


def test_a_type_of_the_same_size_is_another() -> None:
    ml_dtypes = needed.module("ml_dtypes")
    pair = [side.astype(ml_dtypes.bfloat16) for side in next(_pairs("f4"))]
    assert 0 < ssimcu.compare(*pair).score < 1
    with pytest.raises(ssimcu.Error, match="type"):
        ssimcu.compare(*[side.view("V2") for side in pair])


def test_a_range_that_changes() -> None:
    pair = next(_pairs("f4"))
    white = np.array(1.0)
    before = ssimcu.compare(*pair, data_range=white).score
    assert before == ssimcu.compare(*pair, data_range=(white, 1)).score
    white[...] = 2
    assert ssimcu.compare(*pair, data_range=white).score == _anew(*pair, data_range=2.0).score != before


def test_bytes_of_bfloat16_in_the_other_order() -> None:
    ml_dtypes = needed.module("ml_dtypes")
    pair = [side.astype(ml_dtypes.bfloat16) for side in next(_pairs("f4"))]
    swapped = [side.view("u2").byteswap().view(side.dtype.newbyteorder()) for side in pair]
    assert ssimcu.compare(*swapped).score == ssimcu.compare(*pair).score


def test_the_default_tile_is_not_64_of_a_caller() -> None:
    pair = next(_pairs("f4"))
    for _ in range(2):
        assert ssimcu.compare(*pair, metric="psnr").tiles is None
        assert ssimcu.compare(*pair, metric="psnr", tile=64).tiles is not None


def test_a_call_within_the_call() -> None:
    """A signal handler may compare other arrays at any place of a comparison."""
    ref, out = np.zeros((200, 200), np.uint8), np.full((200, 200), 9, np.uint8)
    found, inner = set(), []
    before = signal.signal(signal.SIGALRM, lambda *_: inner.append(ssimcu.compare(ref, out).score))
    try:
        for turn in range(600):
            signal.setitimer(signal.ITIMER_REAL, 1e-6 * (1 + turn % 100))
            found.add(ssimcu.compare(ref, ref).score)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert found == {1.0} and len(set(inner)) == 1 and 1.0 not in inner
