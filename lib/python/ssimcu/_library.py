"""The libraries, their functions, and errors."""

from __future__ import annotations

import ctypes
import functools
import itertools
import os
from ctypes import POINTER, c_char_p, c_int, c_uint32, c_void_p
from typing import Any, Dict

from . import _c

Message = ctypes.c_char * 512
_Names = {"core": "libssimcu", "io": "libssimcu_io", "qa": "libssimcu_qa"}


class Error(Exception):
    """What went wrong, in one line.

    ``status`` is the C library's name for it: "argument", "mismatch", "too small", "unsupported",
    "limit", "memory", "device", "file", "data", "write" or "internal". The table in
    ``ssimcu.h`` says what each means.

    >>> import numpy, ssimcu
    >>> try:
    ...     ssimcu.compare(numpy.zeros((20, 20)), numpy.zeros((20, 21)))
    ... except ssimcu.Error as error:
    ...     print(error.status)
    mismatch
    """

    status: str

    def __init__(self, text: str, status: str = "argument") -> None:
        super().__init__(text)
        self.status = status


def _load(name: str) -> ctypes.CDLL:
    """Opens a library: the one inside the package, else the one that the loader finds."""
    soname = f"{_Names[name]}.so.{_c.SOVERSION}"
    beside = os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib", soname)
    return ctypes.CDLL(beside if os.path.exists(beside) else soname)


def _declare(library: ctypes.CDLL, name: str, result: Any, *arguments: Any) -> None:
    function = getattr(library, "ssimcu_" + name)
    function.restype, function.argtypes = result, arguments


@functools.lru_cache(maxsize=None)
def core() -> ctypes.CDLL:
    """Returns libssimcu."""
    library = _load("core")
    view, status = POINTER(_c.View), c_int
    tiles, score, map_ = POINTER(_c.Tiles), POINTER(_c.Score), POINTER(_c.Map)
    declare = functools.partial(_declare, library)
    declare("version", c_char_p)
    declare("status_name", c_char_p, c_int)
    declare("frame_free", None, POINTER(_c.Frame))
    declare("frame_view", status, POINTER(_c.Frame), view, c_char_p)
    declare("compat_find", c_int, c_char_p)
    declare("metric_name", c_char_p, c_int)
    declare("device_count", status, c_int, POINTER(c_uint32), c_char_p)
    declare("device_describe", status, c_int, c_uint32, POINTER(_c.DeviceInfo), c_char_p)
    declare("cpu_threads", c_uint32)
    declare("open", status, POINTER(_c.Settings), POINTER(c_void_p), c_char_p)
    declare("close", None, POINTER(c_void_p))
    declare("context_device", c_char_p, c_void_p)
    declare("views_layout", status, c_void_p, view, view, map_, tiles, c_char_p)
    declare("compare_views", status, c_void_p, view, view, score, map_, tiles, c_char_p)
    declare("heat_color", None, ctypes.c_double, POINTER(ctypes.c_uint8 * 3))
    layout = POINTER(_c.PermuteLayout)
    declare("permute", status, c_void_p, layout, c_void_p, c_void_p, c_char_p)
    declare("permute_async", status, layout, c_void_p, c_void_p, c_void_p, c_char_p)
    request = POINTER(c_void_p)
    declare("request_create", status, c_void_p, view, view, tiles, request, c_char_p)
    declare("request_destroy", None, request)
    declare("request_submit", status, c_void_p, view, view, c_void_p, c_char_p)
    declare("request_poll", status, c_void_p, POINTER(c_uint32), c_char_p)
    declare("request_score", status, c_void_p, c_uint32, score, tiles, c_char_p)
    return library


@functools.lru_cache(maxsize=None)
def io() -> ctypes.CDLL:
    """Returns libssimcu_io."""
    core()
    library = _load("io")
    options, frame = POINTER(_c.ImageOptions), POINTER(_c.Frame)
    _declare(library, "image_read", c_int, c_char_p, options, frame, c_char_p)
    _declare(library, "image_write_png", c_int, c_char_p, frame, c_char_p)
    return library


@functools.lru_cache(maxsize=None)
def qa() -> ctypes.CDLL:
    """Returns libssimcu_qa."""
    io()
    library = _load("qa")
    declare = functools.partial(_declare, library)
    declare("run_open", c_int, POINTER(_c.RunOptions), POINTER(c_void_p), c_char_p)
    declare("run_score", c_int, c_void_p, POINTER(_c.RunHooks), c_char_p)
    declare("run_cancel", None, c_void_p)
    declare("run_close", None, POINTER(c_void_p))
    declare("run_exit_code", c_int, c_void_p)
    declare("run_was_cancelled", c_int, c_void_p)
    declare("run_json", c_void_p, c_void_p, c_uint32)
    declare("record_json", c_void_p, POINTER(_c.Record))
    declare("text_free", None, c_void_p)
    return library


@functools.lru_cache(maxsize=None)
def metric_numbers() -> Dict[str, int]:
    """Returns the numbers of the library's metrics, by name."""
    names = iter(map(core().ssimcu_metric_name, itertools.count()).__next__, None)
    return {name.decode(): number for number, name in enumerate(names)}


def check(status: int, message: Any) -> None:
    """Raises an Error unless a call has returned OK."""
    if status:
        text = message.value.decode(errors="replace")
        raise Error(text, core().ssimcu_status_name(status).decode())


def choice(table: dict[str, int], value: object, what: str) -> int:
    """Returns the number of a name; names the others if there is none."""
    number = table.get(value) if isinstance(value, str) else None
    if number is None:
        raise Error(f"{what} is {value!r}, expected one of {', '.join(table)}")
    return number


__all__ = ["Error", "Message", "check", "choice", "core", "io", "metric_numbers", "qa"]
