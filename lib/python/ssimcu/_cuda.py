"""CUDA streams of frameworks, and the driver calls that they need."""

from __future__ import annotations

import ctypes
import functools
import sys
from typing import Any, Optional

from ._library import Error

_LEGACY = 1  # handle of the default stream; 0 is the same
_DISABLE_TIMING = 2


class Stream:
    """A stream by its handle. Its work can be ordered after other streams without waiting."""

    def __init__(self, handle: int, torch_device: Optional[int] = None) -> None:
        self.handle = handle
        self.torch_device = torch_device  # the device whose current torch stream this is

    def for_dlpack(self) -> int:
        """Returns DLPack's number of the stream, because 0 would be ambiguous."""
        return self.handle or _LEGACY

    def follow(self, other: Optional[int]) -> None:
        """Makes later work begin after all work queued on another stream."""
        if other is None or other == self.for_dlpack():
            return
        driver, event = _driver(), ctypes.c_void_p()
        _enter()
        _call("cuEventCreate", driver.cuEventCreate(ctypes.byref(event), _DISABLE_TIMING))
        try:
            _call("cuEventRecord", driver.cuEventRecord(event, ctypes.c_void_p(other)))
            wait = driver.cuStreamWaitEvent(ctypes.c_void_p(self.handle), event, 0)
            _call("cuStreamWaitEvent", wait)
        finally:
            driver.cuEventDestroy_v2(event)


def stream_of(given: Any, value: Any) -> Stream:
    """Returns the caller's stream: a handle, a torch or CuPy stream, or an object with ``__cuda_stream__``. None means the current stream
    of the framework of ``value``."""
    if given is None:
        return _current(value)
    if isinstance(given, int):
        return Stream(given)
    if hasattr(given, "__cuda_stream__"):
        protocol = given.__cuda_stream__
        return Stream(int((protocol() if callable(protocol) else protocol)[1]))
    for name in ("cuda_stream", "ptr"):
        if hasattr(given, name):
            return Stream(int(getattr(given, name)))
    raise TypeError(f"stream is a {type(given).__name__}, expected a stream or its handle")


def _current(value: Any) -> Stream:
    """Returns the current stream of a framework, which is already imported if the caller uses it."""
    torch, cupy = sys.modules.get("torch"), sys.modules.get("cupy")
    if torch is not None and isinstance(value, torch.Tensor):
        if not value.is_cuda:
            return Stream(0)
        return _current_of_torch(torch, value.device.index)
    if cupy is not None and isinstance(value, cupy.ndarray):
        return Stream(int(cupy.cuda.get_current_stream().ptr))
    if not hasattr(value, "__dlpack__"):
        return Stream(int(getattr(value, "__cuda_array_interface__", {}).get("stream") or 0))
    return Stream(0)


def _current_of_torch(torch: Any, device: int) -> Stream:
    """Returns torch's current stream. The function that torch uses to launch kernels takes a tenth of the public function's time."""
    ask = getattr(torch._C, "_cuda_getCurrentRawStream", None)
    handle = ask(device) if ask else torch.cuda.current_stream(device).cuda_stream
    return Stream(int(handle), device)


@functools.lru_cache(maxsize=None)
def _driver() -> ctypes.CDLL:
    try:
        library = ctypes.CDLL("libcuda.so.1")
    except OSError as error:
        raise Error(f"a tensor on a CUDA device, but no driver: {error}", "device") from None
    pointer, number = ctypes.c_void_p, ctypes.c_uint
    library.cuEventCreate.argtypes = (ctypes.POINTER(pointer), number)
    library.cuEventRecord.argtypes = (pointer, pointer)
    library.cuStreamWaitEvent.argtypes = (pointer, pointer, number)
    library.cuEventDestroy_v2.argtypes = (pointer,)
    library.cuPointerGetAttribute.argtypes = (pointer, ctypes.c_int, ctypes.c_uint64)
    _call("cuInit", library.cuInit(0))
    return library


def _call(name: str, error: int) -> None:
    if error:
        raise Error(f"{name} failed with error {error} of the CUDA driver", "device")


def _enter() -> None:
    """Ensures that the thread has a CUDA context: that of the first device if it has none."""
    driver, context = _driver(), ctypes.c_void_p()
    _call("cuCtxGetCurrent", driver.cuCtxGetCurrent(ctypes.byref(context)))
    if not context.value:
        retain = driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0)
        _call("cuDevicePrimaryCtxRetain", retain)
        _call("cuCtxSetCurrent", driver.cuCtxSetCurrent(context))


def device_of(pointer: int, name: str) -> int:
    """Returns the index of the CUDA device that owns the memory."""
    ordinal = ctypes.c_int()
    attribute = 9  # CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL
    if _driver().cuPointerGetAttribute(ctypes.byref(ordinal), attribute, pointer):
        raise Error(f"{name}: its memory is not known to CUDA", "device")
    return ordinal.value
