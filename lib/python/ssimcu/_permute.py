"""permute(): reorders the dimensions of an array."""

from __future__ import annotations

import ctypes
import sys
from typing import Any, Optional, Sequence, Tuple

from . import _arrays, _c, _context, _cuda
from ._dlpack import dense
from ._library import Error, call, core

_MOST = 8  # dimensions


def permute(array: Any, order: Sequence[int], *, out: Optional[Any] = None, stream: Any = None) -> Any:
    """Returns a new array whose dimension k is dimension ``order[k]`` of ``array``.

    It is ``numpy.ascontiguousarray(array.transpose(order))`` on all cores. It takes up to 8
    dimensions, and elements of any type of 1, 2, 4, 8 or 16 bytes. ``out`` is an array to write to,
    which must have the shape, type and C order of the result and must not overlap ``array``.
    Tensors on a CUDA device need it. They are permuted on ``stream``, chosen as in
    `Request.submit`, and the call does not wait. Errors: "argument", "unsupported", "device".

    >>> import numpy, ssimcu
    >>> ssimcu.permute(numpy.zeros((2160, 3840, 3), numpy.uint8), (2, 0, 1)).shape
    (3, 2160, 3840)
    """
    if not hasattr(array, "__array_interface__"):
        return _on_device(array, order, out, stream)
    numpy = sys.modules.get("numpy")
    if numpy is None:
        raise Error("an array in host memory is permuted into one of numpy's", "unsupported")
    source = numpy.asarray(array)
    if source.dtype.hasobject:
        raise Error(f"array: elements of type {source.dtype} hold objects", "unsupported")
    order = _order(order, source.ndim)
    steps = [(s, n) for s, n in zip(source.strides, source.shape) if n > 1]
    if not source.flags.aligned or any(s <= 0 or s % source.itemsize for s, _ in steps):
        source = source.copy(order="C")  # unlike ascontiguousarray also if it is contiguous but not aligned
    shape = tuple(source.shape[k] for k in order)
    made = _output(numpy, source, shape, out)
    if source.size == 0:
        return made
    layout = _layout(source.shape, source.strides, source.itemsize, order, "array")
    options, _ = _context.options_of(("ssim",), "valid", "rgb", "worst", None, 0, None)
    handle = _context.context(options).handle
    call(core().ssimcu_permute, handle, ctypes.byref(layout), made.ctypes.data, source.ctypes.data)
    return made


def _output(numpy: Any, source: Any, shape: Tuple[int, ...], out: Any) -> Any:
    if out is None:
        return numpy.empty(shape, source.dtype)
    if not isinstance(out, numpy.ndarray) or out.shape != shape or out.dtype != source.dtype:
        raise Error(f"out: expected an array of shape {shape} and type {source.dtype}")
    if not out.flags.c_contiguous or not out.flags.writeable:
        raise Error("out: expected a writable array in C order")
    return out


def _on_device(array: Any, order: Sequence[int], out: Any, stream: Any) -> Any:
    line = _cuda.stream_of(stream, array)
    source = _arrays.samples(array, "array", line)
    order = _order(order, len(source.shape))
    if source.device is None:
        raise Error("array: give it as a numpy array", "unsupported")
    if out is None:
        raise Error("out: tensors on a CUDA device need a tensor to write to")
    to, size = _arrays.samples(out, "out", line), source.size
    shape = tuple(source.shape[k] for k in order)
    if (to.device, to.shape, to.type) != (source.device, shape, source.type):
        raise Error(f"out: expected a {source.type} tensor of shape {shape} on the same device")
    if to.strides != dense(shape, size):
        raise Error("out: expected a tensor in C order")
    layout = _layout(source.shape, source.strides, size, order, "array")
    call(core().ssimcu_permute_async, ctypes.byref(layout), to.pointer, source.pointer, line.handle)
    return out


def _order(order: Sequence[int], rank: int) -> Tuple[int, ...]:
    numbers = tuple(int(k) + (rank if int(k) < 0 else 0) for k in order)
    if not 1 <= rank <= _MOST or sorted(numbers) != list(range(rank)):
        raise Error(f"order is {tuple(order)}, expected each of the {rank} dimensions (at most 8)")
    return numbers


def _layout(
    shape: Tuple[int, ...], strides: Tuple[int, ...], size: int, order: Tuple[int, ...], name: str
) -> _c.PermuteLayout:
    layout = _c.sized(_c.PermuteLayout)
    layout.rank, layout.element = len(shape), size
    for k, (length, stride) in enumerate(zip(shape, strides)):
        if stride % size:
            raise Error(f"{name}: its elements are not aligned")
        layout.size[k], layout.order[k] = length, order[k]
        layout.src_stride[k] = stride // size if length > 1 else 1
    return layout
