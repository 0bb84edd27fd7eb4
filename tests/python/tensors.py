"""Tensors on a CUDA device without a framework: a few functions of the driver by ctypes, and a class that
shows memory by `__cuda_array_interface__` or `__dlpack__`. Needs neither numpy nor torch."""

from __future__ import annotations

import ctypes
import struct
from ctypes import byref, c_int, c_size_t, c_uint, c_uint64, c_void_p

KINDS = {
    "u8": (1, 8, "|u1"),
    "u16": (1, 16, "<u2"),
    "f16": (2, 16, "<f2"),
    "f32": (2, 32, "<f4"),
    "bf16": (4, 16, "<V2"),
}
NON_BLOCKING = 1


class Driver:
    """The first device and its primary context."""

    def __init__(self) -> None:
        self.library = ctypes.CDLL("libcuda.so.1")
        self("cuInit", c_uint(0))
        self.context = c_void_p()
        self("cuDevicePrimaryCtxRetain", byref(self.context), c_int(0))
        self("cuCtxSetCurrent", self.context)

    def __call__(self, name: str, *arguments) -> None:
        error = getattr(self.library, name)(*arguments)
        if error:
            raise RuntimeError(f"{name}: error {error}")

    def alloc(self, size: int) -> int:
        pointer = c_uint64()
        self("cuMemAlloc_v2", byref(pointer), c_size_t(size))
        return pointer.value

    def free(self, pointer: int) -> None:
        self("cuMemFree_v2", c_uint64(pointer))

    def stream(self) -> int:
        handle = c_void_p()
        self("cuStreamCreate", byref(handle), c_uint(NON_BLOCKING))
        return handle.value

    def wait(self, stream: int) -> None:
        self("cuStreamSynchronize", c_void_p(stream))

    def upload(self, pointer: int, data: bytes) -> None:
        self("cuMemcpyHtoD_v2", c_uint64(pointer), data, c_size_t(len(data)))
        self("cuCtxSynchronize")

    def download(self, pointer: int, size: int) -> bytes:
        memory = ctypes.create_string_buffer(size)
        self("cuMemcpyDtoH_v2", memory, c_uint64(pointer), c_size_t(size))
        return memory.raw

    def copy(self, to: int, source: int, size: int, stream: int) -> None:
        self(
            "cuMemcpyDtoDAsync_v2", c_uint64(to), c_uint64(source), c_size_t(size), c_void_p(stream)
        )

    def fill(self, pointer: int, size: int, value: int, stream: int) -> None:
        self(
            "cuMemsetD8Async",
            c_uint64(pointer),
            ctypes.c_ubyte(value),
            c_size_t(size),
            c_void_p(stream),
        )

    def free_bytes(self) -> int:
        free, total = c_size_t(), c_size_t()
        self("cuMemGetInfo_v2", byref(free), byref(total))
        return free.value


class _Tensor(ctypes.Structure):
    _fields_ = [
        ("data", c_void_p),
        ("device_type", c_int),
        ("device_id", c_int),
        ("ndim", c_int),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", c_void_p),
        ("strides", c_void_p),
        ("byte_offset", c_uint64),
    ]


class _Managed(ctypes.Structure):
    _fields_ = [("tensor", _Tensor), ("manager", c_void_p), ("deleter", c_void_p)]


_new = ctypes.pythonapi.PyCapsule_New
_new.restype, _new.argtypes = ctypes.py_object, (c_void_p, ctypes.c_char_p, c_void_p)


class Dlpack:
    """Memory that is shown by DLPack; device None: host memory."""

    def __init__(
        self, pointer: int, shape, kind: str, device=0, strides=None, keep=None, offset: int = 0
    ) -> None:
        self.pointer, self.shape, self.kind, self.device = pointer, tuple(shape), kind, device
        self.strides, self.keep, self.asked = strides, keep, []  # strides count elements
        self.offset = offset  # bytes from the pointer to the first element

    def __dlpack_device__(self):
        return (1, 0) if self.device is None else (2, self.device)

    def __dlpack__(self, *, stream=None):
        self.asked.append(stream)
        code, bits, _ = KINDS[self.kind]
        sizes = (ctypes.c_int64 * len(self.shape))(*self.shape)
        steps = self.strides and (ctypes.c_int64 * len(self.shape))(*self.strides)
        kind, device = self.__dlpack_device__()
        tensor = _Tensor(
            self.pointer,
            kind,
            device,
            len(self.shape),
            code,
            bits,
            1,
            ctypes.addressof(sizes),
            ctypes.addressof(steps) if steps else None,
            self.offset,
        )
        managed = _Managed(tensor)
        self.keep = (self.keep, managed, sizes, steps)
        return _new(ctypes.addressof(managed), b"dltensor", None)


class Interface:
    """Memory of a device that is shown by `__cuda_array_interface__`."""

    def __init__(self, pointer: int, shape, kind: str, stream=None) -> None:
        self.__cuda_array_interface__ = {
            "version": 3,
            "shape": tuple(shape),
            "typestr": KINDS[kind][2],
            "data": (pointer, False),
            "strides": None,
            "stream": stream,
        }


def encode(samples: bytes, kind: str) -> bytes:
    """Bytes as samples of another type: v, v * 257, or v / 255 as floats."""
    if kind == "u8":
        return samples
    pack = {
        "u16": lambda v: struct.pack("<H", v * 257),
        "f16": lambda v: struct.pack("<e", v / 255),
        "f32": lambda v: struct.pack("<f", v / 255),
        "bf16": lambda v: struct.pack("<f", v / 255)[2:],
    }[kind]
    table = [pack(v) for v in range(256)]
    return b"".join(map(table.__getitem__, samples))


def on_host(data: bytes, shape, kind: str) -> Dlpack:
    memory = ctypes.create_string_buffer(data, len(data))
    return Dlpack(ctypes.addressof(memory), shape, kind, None, keep=memory)
