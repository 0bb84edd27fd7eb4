"""Converts samples to views of ssimcu.h: order of dimensions, strides, range."""

from __future__ import annotations

import copy
import functools
import math
import operator
from ctypes import sizeof
from typing import Any, List, NamedTuple, Optional, Tuple, Union

from . import _arrays, _c, _range
from ._arrays import Samples
from ._library import Error

LAYOUTS = ("HW", "HWC", "CHW", "NHW", "NHWC", "NCHW")
_FARTHEST_PIXEL = 64  # bytes, ssimcu_view.pixel_stride
Range = Union[None, float, Tuple[float, float]]


class Picture(NamedTuple):
    """One picture or a batch, with the size and stride of each dimension."""

    frames: Optional[int]  # None: not a batch
    height: int
    width: int
    channels: int
    strides: Tuple[int, int, int, int]  # bytes: frame, row, pixel, channel


@functools.lru_cache(maxsize=256)
def picture(shape: Tuple[int, ...], strides: Tuple[int, ...], size: int, layout: Optional[str], name: str) -> Picture:
    """Returns the dimensions of an array whose samples have ``size`` bytes."""
    layout = layout or _guess(shape, name)
    if layout not in LAYOUTS:
        raise Error(f"layout is {layout!r}, expected one of {', '.join(LAYOUTS)}")
    if len(shape) != len(layout):
        raise Error(f"{name}: shape {_text(shape)} has {len(shape)} dimensions, not {layout}")
    if 0 in shape:
        raise Error(f"{name}: shape {_text(shape)} has no samples")
    row, pixel = layout.index("H"), layout.index("W")
    batch, channel = layout.find("N"), layout.find("C")
    channels = shape[channel] if channel >= 0 else 1
    if max(shape) > _MOST:  # ctypes would truncate it
        raise Error(f"{name}: shape {_text(shape)} has a side above {_MOST}", "limit")
    if channels > 4:
        raise Error(f"{name}: shape {_text(shape)} as {layout} has {channels} channels, not 1 to 4")
    # The stride of a dimension of one element is meaningless.
    apart = strides[channel] if channels > 1 else size
    step = strides[pixel] if shape[pixel] > 1 else (channels * size if apart == size else size)
    pitch = strides[row] if shape[row] > 1 else shape[pixel] * step
    frame = strides[batch] if batch >= 0 and shape[batch] > 1 else 0
    frames = shape[batch] if batch >= 0 else None
    return Picture(frames, shape[row], shape[pixel], channels, (frame, pitch, step, apart))


def _guess(shape: Tuple[int, ...], name: str) -> str:
    """Returns the order of the dimensions, judged by the one with 1 to 4 elements."""
    rank = len(shape)
    if rank == 2:
        return "HW"
    if rank in (3, 4):
        last, first = 1 <= shape[-1] <= 4, 1 <= shape[-3] <= 4
        if last != first:
            return ("HWC" if last else "CHW") if rank == 3 else ("NHWC" if last else "NCHW")
        why = "two dimensions that may be" if last else "no dimension of 1 to 4"
        options = "HWC, CHW or NHW" if rank == 3 else "NHWC or NCHW"
        raise Error(f"{name}: shape {_text(shape)} has {why} channels; give layout={options}")
    raise Error(f"{name}: shape {_text(shape)} has {rank} dimensions, expected 2 to 4")


def cut(given: Samples, layout: Optional[str], region: Any, name: str) -> Samples:
    """Returns the samples of a region: width, height, x and y, as in --region."""
    try:
        width, height, x, y = (operator.index(number) for number in region)
    except (TypeError, ValueError):
        raise Error(f"region is {region!r}, expected four whole numbers: width, height, x, y") from None
    layout = layout or _guess(given.shape, name)
    shown = picture(given.shape, given.strides, given.size, layout, name)
    if not (0 <= x < x + width <= shown.width and 0 <= y < y + height <= shown.height):
        size = f"{shown.height, shown.width}, by (height, width)"
        raise Error(f"region is {region!r}, which is not within {name}: {size}")
    made = copy.copy(given)
    _, row, pixel, _ = shown.strides
    made.pointer = given.pointer + y * row + x * pixel
    sides = {"H": height, "W": width}
    made.shape = tuple(sides.get(letter, size) for letter, size in zip(layout, given.shape))
    return made


def _text(shape: Tuple[int, ...]) -> str:
    return "x".join(str(size) for size in shape) or "()"


def obstacle(given: Samples, shown: Picture, device: str) -> str:
    """Returns why the library cannot read the samples in place; "" if it can."""
    size = given.size
    frame, pitch, step, apart = shown.strides
    if given.swapped:
        return "its bytes are in the other order"
    if given.pointer % size or (size > 1 and any(stride % size for stride in shown.strides)):
        return "its samples are not aligned"
    beside = apart == size
    pixel = shown.channels * size if beside else size
    if step < pixel:
        return "its pixels lie in reverse" if step < 0 else "its pixels overlap"
    if step > _FARTHEST_PIXEL:
        return f"its pixels lie {step} bytes apart, more than {_FARTHEST_PIXEL}"
    if abs(pitch) < (shown.width - 1) * step + pixel:
        return "its rows overlap"
    if device != "cpu" and pitch < 0:
        return "its rows lie in reverse, which only the CPU reads"
    if given.device is not None and shown.frames and shown.frames > 1 and frame < size:
        return "its frames overlap or lie in reverse"
    return ""


def views(
    given: Samples, layout: Optional[str], data_range: float, name: str, device: str
) -> Tuple[List[_c.View], Picture, Samples]:
    """Returns one view per picture of a batch, or one for all on a device. Also returns their samples, which may be a copy."""
    size = given.size
    shown = picture(given.shape, given.strides, size, layout, name)
    why = obstacle(given, shown, device)
    if not why and device != "cpu" and given.type == "f64" and given.device is None:
        why = "a GPU takes no float64 from the host"
    if why:
        if given.device is not None:
            raise Error(f"{name}: {why}; make it contiguous first", "unsupported")
        given = _arrays.contiguous(given, name, why)
        if given.type == "f64" and device != "cpu":
            array = _arrays.as_numpy(given, name).astype("f4")
            given = _arrays.copy_of(given, array, "f32", given.copied)
        size = given.size
        shown = picture(given.shape, given.strides, size, layout, name)
    peak = data_range or given.peak
    if given.unranged and not data_range:
        raise Error(f"{name}: {given.unranged} says nothing of its white: give data_range=")
    _range.check(given, peak, name, device)
    if shown.frames is None:
        return [view_of(given, shown, given.pointer, peak)], shown, given
    if given.device is None:
        frame = shown.strides[0]
        numbers = range(shown.frames)
        return [view_of(given, shown, given.pointer + n * frame, peak) for n in numbers], shown, given
    view = view_of(given, shown, given.pointer, peak)
    view.frames, view.frame_stride = shown.frames, shown.strides[0]
    return [view], shown, given


def view_of(given: Samples, shown: Picture, pointer: int, peak: float) -> _c.View:
    _, pitch, step, apart = shown.strides
    channels = shown.channels
    view = _c.View(_SIZE, shown.width, shown.height, channels)
    view.type = _c.TYPE[given.type]
    view.pitch, view.pixel_stride = pitch, step
    view.data[0] = pointer
    if channels > 1 and apart != given.size:
        if apart >= pitch * shown.height > 0:
            view.layout, view.plane_stride = _c.LAYOUT["chw"], apart
        else:
            view.layout = _c.LAYOUT["planes"]
            for channel in range(1, channels):
                view.data[channel] = pointer + channel * apart
    if peak:
        view.peak = peak
    if given.linear:
        view.linear = 1
    return view


def ranges(data_range: Range) -> Tuple[float, float]:
    """Returns the peaks of REF and OUT; 0: that of the type."""
    if data_range is None:
        return 0, 0
    pair: Any = data_range if isinstance(data_range, tuple) else (data_range, data_range)
    try:
        if any(isinstance(value, (str, bytes, bool)) for value in pair):
            raise TypeError
        low, high = (float(value) for value in pair)
    except (TypeError, ValueError, OverflowError):
        raise Error(f"data_range is {data_range!r}, expected a number or a pair of them") from None
    if not (0 < low < math.inf and 0 < high < math.inf):
        raise Error(f"data_range is {data_range!r}, expected to be above 0 and finite")
    return low, high


_SIZE = sizeof(_c.View)
_MOST = 2**32 - 1  # sides and frames of a view
