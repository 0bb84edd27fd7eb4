"""The libraries, their functions, and errors."""

from __future__ import annotations

import ctypes
import functools
import itertools
import os
from typing import Any, Dict

from . import _c

Message = ctypes.c_char * 512


class Error(Exception):
    """An error of the library, in one line.

    ``status`` is the C library's name of it: "argument", "mismatch", "too small", "unsupported",
    "limit", "memory", "device", "file", "data", "write" or "internal". The table in ``ssimcu.h``
    explains each.

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
    """Opens a library, inside the package or otherwise by the loader, and declares its functions."""
    soname = f"{name}.so.{_c.SOVERSION}"
    beside = os.path.join(_c.FOLDER, "lib", soname)
    library = ctypes.CDLL(beside if os.path.exists(beside) else soname)
    for function, result, parameters in _c.functions(soname):
        if hasattr(library, function):
            declared = getattr(library, function)
            declared.restype, declared.argtypes = result, parameters
    return library


@functools.lru_cache(maxsize=None)
def core() -> ctypes.CDLL:
    """Returns libssimcu."""
    return _load("libssimcu")


@functools.lru_cache(maxsize=None)
def io() -> ctypes.CDLL:
    """Returns libssimcu_io."""
    core()
    return _load("libssimcu_io")


@functools.lru_cache(maxsize=None)
def qa() -> ctypes.CDLL:
    """Returns libssimcu_qa."""
    io()
    return _load("libssimcu_qa")


@functools.lru_cache(maxsize=None)
def metric_numbers() -> Dict[str, int]:
    """Returns the numbers of the library's metrics, by name."""
    names = iter(map(core().ssimcu_metric_name, itertools.count()).__next__, None)
    return {name.decode(): number for number, name in enumerate(names)}


@functools.lru_cache(maxsize=None)
def status_name(status: int) -> str:
    """Returns the name of a status of the library."""
    name: str = core().ssimcu_status_name(status).decode()
    return name


def check(status: int, message: Any) -> None:
    """Raises an Error unless a call has returned OK."""
    if status:
        raise Error(message.value.decode(errors="replace"), status_name(status))


def call(function: Any, *arguments: Any) -> None:
    """Calls a function whose last parameter is a message. Raises an Error unless it returns OK."""
    why = Message()
    check(function(*arguments, why), why)


def path_bytes(value: Any, what: str) -> bytes:
    """Returns the bytes of a path. Refuses a NUL, which would truncate it."""
    try:
        if isinstance(value, bytes):
            raise TypeError
        name = os.fsencode(value)
    except TypeError:
        raise Error(f"{what} is a {type(value).__name__}, expected a path: str or os.PathLike") from None
    if b"\0" in name:
        raise Error(f"{what} is {value!r}, which has a NUL")
    if not name:
        raise Error(f"{what} is an empty path")
    return name


def text_bytes(value: object, what: str) -> bytes:
    """Returns the bytes of an option's text."""
    if not isinstance(value, str) or "\0" in value:
        raise Error(f"{what} is {value!r}, expected a text" + (" without a NUL" if isinstance(value, str) else ""))
    try:
        return value.encode()
    except UnicodeEncodeError as error:
        raise Error(f"{what} is {value!r}: {error}") from None


def choice(table: dict[str, int], value: object, what: str) -> int:
    """Returns the number of a name. If it is unknown, the error lists the others."""
    number = table.get(value) if isinstance(value, str) else None
    if number is None:
        raise Error(f"{what} is {value!r}, expected one of {', '.join(table)}")
    return number


__all__ = ["Error", "Message", "call", "check", "choice", "core", "io", "metric_numbers", "path_bytes", "qa", "status_name", "text_bytes"]
