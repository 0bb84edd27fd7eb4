"""Counts what a process calls of CUDA, by CUPTI: every call of the driver and of the runtime, whichever library makes it.
CUPTI tells of one subscriber only, so no profiler may run at the same time."""

from __future__ import annotations

import collections
import ctypes
import re
from ctypes import c_char_p, c_int, c_uint32, c_uint64, c_void_p

DRIVER, RUNTIME, ENTER = 1, 2, 0
WAITS = re.compile(r"Synchronize|cu(da)?(Mem)?(Free|Alloc|Malloc|HostAlloc)|MemPool|HostRegister")
SYNCHRONOUS_COPIES = re.compile(r"cu(da)?Mem(cpy|set)(?!\w*Async)")
COPIES = re.compile(r"cu(da)?Memcpy\w*Async")
LAUNCHES = re.compile(r"cu(da)?Launch\w*Kernel")


class _Data(ctypes.Structure):  # CUpti_CallbackData
    _fields_ = [
        ("site", c_int),
        ("function", c_char_p),
        ("parameters", c_void_p),
        ("returned", c_void_p),
        ("symbol", c_char_p),
    ]


_CALLBACK = ctypes.CFUNCTYPE(None, c_void_p, c_int, c_uint32, ctypes.POINTER(_Data))


def library() -> ctypes.CDLL:
    """Returns CUPTI. Raises OSError if it cannot be found; a torch that was imported has loaded it."""
    return ctypes.CDLL("libcupti.so.13")


class CudaCalls:
    """What was called between enter and exit: names with their numbers, bytes of each copy, kernels."""

    def __init__(self) -> None:
        self.names: collections.Counter[str] = collections.Counter()
        self.copied: list[int] = []
        self.kernels: list[str] = []
        self._callback, self._handle = _CALLBACK(self._note), c_void_p()

    def __enter__(self) -> CudaCalls:
        self._call("cuptiSubscribe", ctypes.byref(self._handle), self._callback, None)
        for domain in (DRIVER, RUNTIME):
            self._call("cuptiEnableDomain", c_uint32(1), self._handle, c_int(domain))
        return self

    def __exit__(self, *error: object) -> None:
        self._call("cuptiUnsubscribe", self._handle)

    def waits(self) -> list[str]:
        """Returns the calls that wait, allocate, free, or copy without a stream."""
        return [n for n in self.names if WAITS.search(n) or SYNCHRONOUS_COPIES.search(n)]

    def _call(self, name: str, *arguments: object) -> None:
        error = getattr(library(), name)(*arguments)
        if error:
            raise RuntimeError(f"{name}: error {error}")

    def _note(self, _: object, domain: int, __: int, data: ctypes._Pointer[_Data]) -> None:
        call = data.contents
        if call.site != ENTER:
            return
        name = call.function.decode()
        self.names[name] += 1
        if domain == DRIVER and LAUNCHES.search(name):
            self.kernels.append((call.symbol or b"?").decode())
        if domain == DRIVER and COPIES.search(name):
            # To, from and the number of bytes are the first parameters.
            self.copied.append(c_uint64.from_address(call.parameters + 16).value)
