"""Picture files."""

from __future__ import annotations

import concurrent.futures
import ctypes
import os
import weakref
from typing import Any, List, Optional, Tuple, Union

from . import _arrays, _c
from ._arrays import Samples
from ._library import Error, Message, call, core, io, path_bytes, text_bytes

Path = Union[str, "os.PathLike[str]"]
_TYPES = {8: "u8", _c.BITS_F16: "f16", _c.BITS_F32: "f32"}


def is_path(value: Any) -> bool:
    """Returns whether a side is a path."""
    return isinstance(value, str) or hasattr(type(value), "__fspath__")


class _Image:
    """A picture file that stays open as long as the object lives."""

    def __init__(self, value: Any, layer: str = "", channels: str = "", what: str = "path") -> None:
        self._handle = ctypes.c_void_p()
        self._options = options = _c.sized(_c.ImageOptions, threads=2)
        options.layer = text_bytes(layer, "layer") or None
        options.channels = text_bytes(channels, "channels") or None
        name = path_bytes(value, what)
        call(io().ssimcu_image_open, name, ctypes.byref(options), ctypes.byref(self._handle))
        weakref.finalize(self, io().ssimcu_image_close, ctypes.byref(self._handle)).atexit = False

    def decode(self) -> _c.Frame:
        """Returns the pixels. The caller releases them."""
        frame = io().ssimcu_image_shape(self._handle)
        call(core().ssimcu_frame_alloc, ctypes.byref(frame))
        try:
            call(io().ssimcu_image_decode, self._handle, ctypes.byref(frame))
        except Error:
            core().ssimcu_frame_free(ctypes.byref(frame))
            raise
        return frame

    def colours_differ(self, out: _Image) -> str:
        """Returns how the declared colours of two files differ."""
        text = Message()
        io().ssimcu_image_colours_differ(self._handle, out._handle, text)
        return text.value.decode(errors="replace")


def samples(value: Any, layer: str = "", channels: str = "", what: str = "path") -> Samples:
    """Reads a picture. Its memory lives as long as the samples."""
    return _samples_of(_Image(value, layer, channels, what))


def _samples_of(image: _Image) -> Samples:
    frame = image.decode()
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


def both(ref: Any, out: Any) -> Tuple[List[Samples], Optional[str]]:
    """Reads two pictures at the same time. Also returns how their colours differ."""

    def read_side(side: Tuple[Any, str]) -> Tuple[_Image, Samples]:
        image = _Image(side[0], what=side[1])
        return image, _samples_of(image)

    path_bytes(out, "out")  # a wrong path is reported before errors of a file
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        (image, a), (other, b) = pool.map(read_side, ((ref, "ref"), (out, "out")))
    if a.type[0] == b.type[0] == "u" and a.peak != b.peak:  # as in ssimcu_compare: 8 and 16 bits match
        raise Error(f"ref and out have other depths: white is {_white(a)} and {_white(b)}", "mismatch")
    return [a, b], image.colours_differ(other) or None


def _white(given: Samples) -> int:
    return int(given.peak) or (255 if given.type == "u8" else 65535)


def read(path: Path, *, layer: str = "", channels: str = "") -> Any:
    """Reads a picture file into a numpy array.

    PNG, JPEG, TIFF, DPX and EXR are recognised by content. Any fault that a decoder reports is an
    Error. The array is H x W (grey) or H x W x C with 2 (grey and alpha), 3 (RGB) or 4 (RGBA)
    channels. Its type is uint8, uint16, float16 or float32. Floats are linear light: compare them
    with ``linear=True`` for the score of the files. DPX of 10 and 12 bits becomes uint16 of 0 to
    1023 or 4095, which is then the ``data_range``.

    ``layer`` ("diffuse") and ``channels`` ("Z" or "N.X,N.Y,N.Z") select parts of an EXR. Errors:
    file, data, unsupported, limit, memory.

    >>> import ssimcu
    >>> image = ssimcu.read("testdata/dandelion-ref.png")
    >>> image.shape, str(image.dtype)
    ((2160, 3840, 3), 'uint8')
    """
    made = samples(path, layer, channels)
    if made.shape[2] == 1:
        made.shape, made.strides = made.shape[:2], made.strides[:2]
    return _arrays.as_numpy(made, str(path), read_only=False)
