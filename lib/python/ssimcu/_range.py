"""Checks the range of floats. The CPU counts floats outside it while it scores them. For a GPU, numpy finds the extremes."""

from __future__ import annotations

from typing import Any, Sequence

from . import _arrays
from ._arrays import Samples
from ._library import Error

ROUNDING = 1e-5  # relative to data_range, as in ssimcu.h
_WHOLE = {"u8": 255, "u16": 65535}


def is_ranged(given: Samples) -> bool:
    """Returns whether samples are floats that must lie from 0 to data_range, unlike linear light."""
    return given.type not in _WHOLE and not given.linear


def needs_scan(given: Samples, peak: float, device: str) -> bool:
    """Returns whether numpy must check samples in host memory, because they may lie outside 0 to a peak (0: that of their type).
    `check_counts` checks floats for the CPU."""
    most = _WHOLE.get(given.type)
    if most is not None:
        return given.device is None and 0 < peak < most
    return given.device is None and not given.linear and device != "cpu"


def check(given: Samples, peak: float, name: str, device: str) -> None:
    """Fails if samples in host memory are outside 0 to a peak."""
    if needs_scan(given, peak, device):
        _refuse(given, peak or 1, name)


def check_counts(sides: Sequence[Samples], peaks: Sequence[float], scores: Sequence[Any]) -> None:
    """Fails if the library has counted floats outside their range."""
    for slot, name in enumerate(("ref", "out")):
        if not is_ranged(sides[slot]):
            continue
        for score in scores:
            if score.light[slot].clamped:
                _refuse(sides[slot], peaks[slot] or 1, name)


def _refuse(given: Samples, peak: float, name: str) -> None:
    values = _arrays.values_of(given, f"{name}: samples outside 0 to data_range {peak:g}")
    low, high = float(values.min()), float(values.max())
    rounding = 0 if given.type in _WHOLE else ROUNDING * peak
    if high > peak + rounding:
        advice = "" if given.type in _WHOLE else "; give data_range=, the value of white, or linear=True of light"
        raise Error(f"{name}: a sample of {high:g} is above data_range {peak:g}{advice}")
    if low < -rounding:
        raise Error(f"{name}: a sample of {low:g} is below 0, which is black: move the samples to 0 to data_range")
