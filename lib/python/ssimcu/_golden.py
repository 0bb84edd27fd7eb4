"""Golden pictures: files with a test's results, in the format of their extension.

Integers are PNG of 8 or 16 bits. Floats of 0 to data_range are PNG of 16 bits. Linear light is TIFF
of floats.
"""

from __future__ import annotations

import os
import shutil
import struct
import tempfile
import zlib
from pathlib import Path
from typing import Any, Callable, List, Optional, Sequence

from . import _arrays, _files, _views
from ._arrays import Samples
from ._library import Error

_PNG_KINDS = {1: 0, 2: 4, 3: 2, 4: 6}  # colour types by channels


class Pictures:
    """A test's result: one picture, or those of a batch."""

    def __init__(self, actual: Any, layout: Optional[str], data_range: _views.Range, linear: bool) -> None:
        self.path = Path(actual) if _files.is_path(actual) else None
        self.linear, self.floats, self.is_batch = linear, False, False
        self.arrays: List[Any] = []
        if not self.path:
            self._take(_arrays.samples(actual, "actual"), layout, data_range)

    def _take(self, given: Samples, layout: Optional[str], data_range: _views.Range) -> None:
        if given.device is not None:
            raise Error("actual is a tensor on a GPU: give its cpu()", "unsupported")
        shown = _views.picture(given.shape, given.strides, given.size, layout, "actual")
        self.linear = given.linear or self.linear
        self.white = _views.ranges(data_range)[1] or given.peak or 1
        self.floats = given.type not in ("u8", "u16")
        self.is_batch = shown.frames is not None
        self.arrays = _arrays_of(given, shown)

    def paths(self, path: Path) -> List[Path]:
        """Returns the file of each picture: x.0.png, x.1.png ... for a batch."""
        if not self.is_batch:
            return [path]
        return [numbered(path, n) for n in range(len(self.arrays))]

    def write(self, path: Path) -> None:
        """Writes all files, each atomically, so that another process that reads or writes them finds complete ones."""
        path.parent.mkdir(parents=True, exist_ok=True)
        ending = path.suffix.lower()
        if self.path and self.path.suffix.lower() == ending:
            _replace(path, lambda to: shutil.copyfile(self.path or "", to))
            return
        if self.path:
            given = _files.samples(self.path, what="actual")
            Pictures(given, "HWC", given.peak or None, given.linear).write(path)
            return
        write = self._writer(ending, path.name)
        for to, array in zip(self.paths(path), self.arrays):
            _replace(to, lambda name, array=array: Path(name).write_bytes(write(array)))  # type: ignore[misc]

    def _writer(self, ending: str, name: str) -> Callable[[Any], bytes]:
        light = self.floats and self.linear
        if ending == ".png" and not light:
            return lambda array: png(self._whole(array))
        if ending in (".tif", ".tiff") and light:
            return lambda array: tiff(array.astype("f4"))
        wanted = ".tif, as linear light is" if light else ".png; floats of linear light, linear=True, are .tif"
        raise Error(f"{name}: golden pictures of this kind end in {wanted}", "unsupported")

    def _whole(self, array: Any) -> Any:
        """Returns floats as 16-bit integers."""
        if not self.floats:
            return array
        scaled = array.astype("f8") * (65535 / self.white)
        low, high = float(scaled.min()), float(scaled.max())
        if not (low > -1 and high < 65536):
            text = f"actual: samples from {low * self.white / 65535:g} to {high * self.white / 65535:g}, outside 0 to"
            raise Error(f"{text} data_range {self.white:g}")
        return (scaled.clip(0, 65535) + 0.5).astype("u2")


def numbered(path: Path, number: int) -> Path:
    """Returns the file of one picture of a batch."""
    return path.with_name(f"{path.stem}.{number}{path.suffix}")


def _arrays_of(given: Samples, shown: _views.Picture) -> List[Any]:
    """Returns each picture, H x W x C."""
    frame, row, pixel, channel = shown.strides
    made = []
    for number in range(shown.frames or 1):
        shape, strides = (shown.height, shown.width, shown.channels), (row, pixel, channel)
        place = given.pointer + number * frame
        one = Samples(place, shape, strides, given.type, given.keep)
        one.swapped = given.swapped
        made.append(_arrays.values_of(one, "actual"))
    return made


def _replace(path: Path, fill: Callable[[str], object]) -> None:
    with tempfile.NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.", delete=False) as file:
        name = file.name
    try:
        fill(name)
        os.chmod(name, 0o644)
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise


def png(array: Any) -> bytes:
    """Returns H x W x C of uint8 or uint16 as PNG."""
    height, width, channels = array.shape
    rows = array.astype(array.dtype.newbyteorder(">")).reshape(height, -1).view("u1")
    lines: bytes = b"".join(b"\0" + rows[y].tobytes() for y in range(height))

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8 * array.itemsize, _PNG_KINDS[channels], 0, 0, 0)
    parts = (chunk(b"IHDR", header), chunk(b"IDAT", zlib.compress(lines, 6)), chunk(b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


def tiff(array: Any) -> bytes:
    """Returns H x W x C of float32 as TIFF, in one strip."""
    height, width, channels = array.shape
    data: bytes = array.astype("<f4").tobytes()
    extra: Sequence[int] = (2,) if channels in (2, 4) else ()
    tags = [(256, width), (257, height), (258, (32,) * channels), (259, 1), (262, 2 if channels > 2 else 1)]
    tags += [(273, 0), (277, channels), (278, height), (279, len(data)), (284, 1)]
    tags += [(338, extra)] * len(extra) + [(339, (3,) * channels)]
    behind = 8 + 2 + 12 * len(tags) + 4
    entries, tail = b"", b""
    for tag, value in tags:
        values = value if isinstance(value, tuple) else (value,)
        packed = struct.pack(f"<{len(values)}{'H' if isinstance(value, tuple) else 'I'}", *values)
        if len(packed) > 4:
            packed, tail = struct.pack("<I", behind + len(tail)), tail + packed
        if tag == 273:
            packed = b"STRP"
        kind = 3 if isinstance(value, tuple) else 4
        entries += struct.pack("<HHI", tag, kind, len(values)) + packed.ljust(4, b"\0")
    entries = entries.replace(b"STRP", struct.pack("<I", behind + len(tail)), 1)
    return struct.pack("<2sHIH", b"II", 42, 8, len(tags)) + entries + struct.pack("<I", 0) + tail + data
