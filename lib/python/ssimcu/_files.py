"""Picture files."""

from __future__ import annotations

import concurrent.futures
import ctypes
import os
import weakref
from typing import Any, List, Tuple, Union

from . import _arrays, _c
from ._arrays import Samples
from ._library import Error, Message, check, core, io, path_bytes, text_bytes

Path = Union[str, "os.PathLike[str]"]
_TYPES = {8: "u8", _c.BITS_F16: "f16", _c.BITS_F32: "f32"}


def is_path(value: Any) -> bool:
    """Whether a side is a file's name."""
    return isinstance(value, str) or hasattr(type(value), "__fspath__")


def samples(value: Any, layer: str = "", channels: str = "", what: str = "path") -> Samples:
    """Reads a picture. Its memory lives as long as the samples."""
    frame, why = _c.Frame(), Message()
    options = _c.sized(_c.ImageOptions, threads=2)
    options.layer = text_bytes(layer, "layer") or None
    options.channels = text_bytes(channels, "channels") or None
    name, place = path_bytes(value, what), ctypes.byref(options)
    check(io().ssimcu_image_read(name, place, ctypes.byref(frame), why), why)
    bits, size = frame.bits, {8: 1, _c.BITS_F32: 4}.get(frame.bits, 2)
    memory = (ctypes.c_uint8 * (frame.pitch * frame.height)).from_address(frame.data)
    weakref.finalize(memory, core().ssimcu_frame_free, ctypes.byref(frame)).atexit = False
    shape: Tuple[int, ...] = (frame.height, frame.width, frame.channels)
    strides = (frame.pitch, frame.channels * size, size)
    made = Samples(frame.data, shape, strides, _TYPES.get(bits, "u16"), memory)
    made.linear = bool(frame.linear)
    if 8 < bits < 16:
        made.peak = (1 << bits) - 1
    return made


def both(ref: Any, out: Any) -> List[Samples]:
    """Reads two pictures at the same time."""
    path_bytes(out, "out")  # a wrong name comes before what a file lacks
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        sides = list(pool.map(lambda side: samples(side[0], what=side[1]), ((ref, "ref"), (out, "out"))))
    a, b = sides
    if a.type[0] == b.type[0] == "u" and a.peak != b.peak:  # as ssimcu_compare: 8 and 16 bits match
        raise Error(
            f"ref and out have other depths: white is {_white(a)} and {_white(b)}", "mismatch"
        )
    return sides


def _white(given: Samples) -> int:
    return int(given.peak) or (255 if given.type == "u8" else 65535)


def read(path: Path, *, layer: str = "", channels: str = "") -> Any:
    """Reads a picture file into a numpy array.

    PNG, JPEG, TIFF, DPX and EXR are known by their content. A file that its decoder complains about
    is an Error and never an array. The array is H x W (grey) or H x W x C with 2 (grey and alpha),
    3 (RGB) or 4 (RGBA) channels, of uint8, uint16, float16 or float32. Floats are linear light:
    compare them with ``linear=True`` for the score of the files. DPX of 10 and 12 bits has uint16
    of 0 to 1023 or 4095, which is ``data_range`` then.

    ``layer`` and ``channels`` choose within an EXR, such as "diffuse", or "Z" or "N.X,N.Y,N.Z".
    Errors: file, data, unsupported, limit, memory.

    >>> import ssimcu
    >>> image = ssimcu.read("testdata/dandelion-ref.png")
    >>> image.shape, str(image.dtype)
    ((2160, 3840, 3), 'uint8')
    """
    made = samples(path, layer, channels)
    if made.shape[2] == 1:
        made.shape, made.strides = made.shape[:2], made.strides[:2]
    return _arrays.as_numpy(made, str(path), read_only=False)


def write_png(path: Path, array: Any) -> None:
    """Writes an array of uint8, H x W or H x W x C with 1 to 4 channels, as PNG.

    The file is written beside ``path`` and then renamed. Errors: argument, unsupported, write.
    """
    given = _arrays.samples(array, "array")
    if given.device is not None or given.type != "u8" or len(given.shape) not in (2, 3):
        raise Error("a PNG is written of uint8, H x W or H x W x C, in host memory", "unsupported")
    given = _arrays.contiguous(given, "array", "a PNG is written of rows without gaps")
    height, width, channels = (given.shape + (1,))[:3]
    frame = _c.Frame(width, height, channels, 8, width * channels, given.pointer)
    why = Message()
    check(io().ssimcu_image_write_png(path_bytes(path, "path"), ctypes.byref(frame), why), why)
