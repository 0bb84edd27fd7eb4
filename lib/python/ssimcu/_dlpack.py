"""Reads DLPack capsules (dlpack.h, version 0.8 and the unversioned form of later ones)."""

from __future__ import annotations

import ctypes
from ctypes import POINTER, Structure, c_char_p, c_int32, c_int64, c_uint8, c_uint16, c_uint64
from typing import Any, NamedTuple, Optional, Tuple

from ._library import Error

CPU, CUDA, CUDA_HOST, CUDA_MANAGED = 1, 2, 3, 13
_INT, _UINT, _FLOAT, _BFLOAT, _COMPLEX, _BOOL = 0, 1, 2, 4, 5, 6
_TYPES = {(_UINT, 8): "u8", (_UINT, 16): "u16", (_FLOAT, 16): "f16", (_FLOAT, 32): "f32"}
_TYPES.update({(_FLOAT, 64): "f64", (_BFLOAT, 16): "bf16"})
_KINDS = {_INT: "int", _UINT: "uint", _FLOAT: "float", _BFLOAT: "bfloat", _COMPLEX: "complex"}
_WHOLE_NAMES = {(_BOOL, 8): "bool"}  # named without their bits


class _Tensor(Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device_type", c_int32),
        ("device_id", c_int32),
        ("ndim", c_int32),
        ("code", c_uint8),
        ("bits", c_uint8),
        ("lanes", c_uint16),
        ("shape", POINTER(c_int64)),
        ("strides", POINTER(c_int64)),
        ("byte_offset", c_uint64),
    ]


_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_pointer.restype, _pointer.argtypes = ctypes.c_void_p, (ctypes.py_object, c_char_p)


class Capsule(NamedTuple):
    """A tensor. Its memory lives as long as ``capsule``, which releases it."""

    capsule: Any
    pointer: int
    shape: Tuple[int, ...]
    strides: Tuple[int, ...]  # bytes
    type: Optional[str]  # one of _c.TYPE; None: another, named by `dtype`
    dtype: str


def take(exporter: Any, stream: Optional[int], name: str) -> Capsule:
    """Gets an object's capsule, ready for use on ``stream`` (None: in host memory)."""
    try:
        capsule = exporter.__dlpack__() if stream is None else exporter.__dlpack__(stream=stream)
    except Exception as error:
        raise Error(f"{name}: its __dlpack__ fails: {error}") from error
    tensor = _Tensor.from_address(_pointer(capsule, b"dltensor"))
    rank = tensor.ndim
    shape = tuple(tensor.shape[:rank])
    bytes_ = tensor.bits * tensor.lanes // 8
    if tensor.strides:
        strides = tuple(stride * bytes_ for stride in tensor.strides[:rank])
    else:
        strides = dense(shape, bytes_)
    kind = _TYPES.get((tensor.code, tensor.bits)) if tensor.lanes == 1 else None
    usual = f"{_KINDS.get(tensor.code, 'DLPack type ' + str(tensor.code) + ' of bits ')}{tensor.bits}"
    dtype = _WHOLE_NAMES.get((tensor.code, tensor.bits), usual)
    return Capsule(capsule, (tensor.data or 0) + tensor.byte_offset, shape, strides, kind, dtype)


def dense(shape: Tuple[int, ...], bytes_: int) -> Tuple[int, ...]:
    """Returns the strides of an array without gaps, in C order."""
    strides, step = [], bytes_
    for size in reversed(shape):
        strides.append(step)
        step *= size
    return tuple(reversed(strides))
