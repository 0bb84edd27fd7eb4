"""Converts a caller's objects to samples in memory: their address, shape, strides and type.

Nothing is copied here, except the pixels of a PIL image, which does not expose its memory.
"""

from __future__ import annotations

import functools
import sys
from typing import Any, Optional, Tuple

from . import _cuda, _dlpack, _gate
from ._dlpack import dense
from ._library import Error

_DTYPES = {"?": "bool", "b": "bool", "i": "int", "u": "uint", "c": "complex", "f": "float"}
_TYPES = {"|u1": "u8", "u2": "u16", "f2": "f16", "f4": "f32", "f8": "f64"}
_SIZES = {"u8": 1, "u16": 2, "f16": 2, "bf16": 2, "f32": 4, "f64": 8}
_TORCH_TYPES = {"uint8": "u8", "uint16": "u16", "float16": "f16", "bfloat16": "bf16"}
_TORCH_TYPES.update(float32="f32", float64="f64")
_ORIENTATION = 0x0112  # Exif's tag
_PIL_MODES = ("L", "LA", "RGB", "RGBA", "I;16", "F")
_LITTLE = sys.byteorder == "little"


class Samples:
    """An array in memory."""

    copied = ""  # why the samples were copied
    swapped = False  # the bytes have the other order
    linear = False
    peak: float = 0  # from a file; 0: that of the type
    unranged = ""  # a type without a white

    def __init__(
        self,
        pointer: int,
        shape: Tuple[int, ...],
        strides: Tuple[int, ...],  # bytes
        type_: str,  # one of _c.TYPE
        keep: Any,  # owns the memory
        device: Optional[int] = None,  # CUDA device index; None: host memory
    ) -> None:
        self.pointer, self.shape, self.strides = pointer, shape, strides
        self.type, self.keep, self.device = type_, keep, device

    @property
    def size(self) -> int:
        """The bytes of a sample."""
        return _SIZES[self.type]


def samples(value: Any, name: str, stream: Optional[_cuda.Stream] = None) -> Samples:
    """Returns the samples of an array, a tensor or a PIL image, unchanged. Those of a tensor on a CUDA device are valid for work queued on
    ``stream`` from now on (None: its framework's stream)."""
    if isinstance(value, Samples):
        return value
    numpy = sys.modules.get("numpy")
    if numpy is not None and isinstance(value, numpy.ndarray):
        return _from_interface(value, value.__array_interface__, name)
    if _gate.is_tensor(value):
        if stream is not None and stream.torch_device is not None and _is_torch(value, stream):
            return _from_torch(value, name)
        return _from_host_torch(value, name, stream)
    if _is_pil(value):
        return _from_pil(value, name)
    if hasattr(value, "__dlpack__") and hasattr(value, "__dlpack_device__"):
        return _from_dlpack(value, name, stream)
    if hasattr(value, "__cuda_array_interface__"):
        return _from_cuda(value, name, stream)
    if hasattr(value, "__array_interface__"):
        return _from_interface(value, value.__array_interface__, name)
    if isinstance(value, (bytes, bytearray, memoryview)):
        size = memoryview(value).nbytes
        raise Error(f"{name} is {size} bytes, which are no path; PIL reads a picture in memory: Image.open(io.BytesIO(data))")
    raise TypeError(
        f"{name} is a {type(value).__name__}, expected an array, a tensor, a path or a PIL image"
    )


def _type_of(typestr: str, name: str) -> Tuple[str, bool]:
    """Returns the type of a numpy typestr, and whether its bytes are swapped."""
    kind = _TYPES.get(typestr if typestr == "|u1" else typestr[1:])
    if kind is None:
        bits = "" if typestr[1] not in "iucf" else str(8 * int(typestr[2:]))
        raise unsupported(_DTYPES[typestr[1]] + bits if typestr[1] in _DTYPES else typestr, name)
    return kind, typestr[0] == (">" if _LITTLE else "<")


def unsupported(dtype: str, name: str) -> Error:
    text = f"{name}: samples of type {dtype}, expected uint8, uint16, float16, float32, float64"
    return Error(f"{text} or bfloat16", "unsupported")


def _from_interface(value: Any, interface: dict[str, Any], name: str) -> Samples:
    typestr = interface["typestr"]
    if typestr[1] == "V" and getattr(getattr(value, "dtype", None), "name", "") == "bfloat16":
        kind, swapped = "bf16", typestr[0] == (">" if _LITTLE else "<")  # as made by the package ml_dtypes
    else:
        kind, swapped = _type_of(typestr, name)
    shape, data = interface["shape"], interface.get("data")
    if interface.get("mask") is not None or hasattr(value, "filled"):  # as of numpy.ma
        raise Error(f"{name}: a masked array; fill its masked samples first", "unsupported")
    if data is None or isinstance(data, (bytes, bytearray)):
        return samples(numpy_for(f"{name}: its memory is not shown").asarray(value), name)
    strides = interface.get("strides") or getattr(value, "strides", None)
    if strides is None:
        strides = dense(shape, int(typestr[2:]))
    if len(strides) != len(shape):
        raise Error(f"{name}: strides {tuple(strides)} of {len(strides)} dimensions, and a shape of {len(shape)}")
    made = Samples(data[0], shape, strides, kind, value)
    made.swapped = swapped
    return made


def _from_cuda(value: Any, name: str, stream: Optional[_cuda.Stream]) -> Samples:
    try:
        interface = value.__cuda_array_interface__
    except Exception as error:
        raise Error(f"{name}: its __cuda_array_interface__ fails: {error}") from error
    if interface.get("mask") is not None:
        raise Error(f"{name}: a masked array; fill its masked samples first", "unsupported")
    kind, swapped = _type_of(interface["typestr"], name)
    if swapped:
        raise unsupported(interface["typestr"], name)
    shape, pointer = interface["shape"], interface["data"][0]
    strides = interface.get("strides") or dense(shape, int(interface["typestr"][2:]))
    if len(strides) != len(shape):
        raise Error(f"{name}: strides {tuple(strides)} of {len(strides)} dimensions, and a shape of {len(shape)}")
    if stream is not None:
        stream.follow(interface.get("stream"))
    return Samples(pointer, shape, strides, kind, value, _cuda.device_of(pointer, name))


def _is_torch(value: Any, stream: _cuda.Stream) -> bool:
    """Returns whether it is a torch tensor and ``stream`` is torch's current stream."""
    is_tensor = isinstance(value, sys.modules["torch"].Tensor)
    return is_tensor and bool(value.is_cuda) and value.device.index == stream.torch_device


def _from_torch(tensor: Any, name: str) -> Samples:
    """Returns the samples of a torch tensor for work on its current stream. With DLPack, torch would record and await an event for each
    tensor even there, in 40 CUDA calls."""
    if _plain(tensor, name) is not tensor:
        raise Error(f"{name}: a tensor that torch negates when it is read: resolve_neg() it", "unsupported")
    kind = _torch_types().get(tensor.dtype)
    if kind is None:
        raise unsupported(str(tensor.dtype), name)
    try:
        pointer, strides = tensor.data_ptr(), tensor.stride()
    except RuntimeError as error:  # a sparse or traced tensor
        raise Error(f"{name}: its memory is not shown: {error}", "unsupported") from error
    size = _SIZES[kind]
    if size > 1:
        strides = tuple([stride * size for stride in strides])
    return Samples(pointer, tensor.shape, strides, kind, tensor, tensor.device.index)


def _plain(tensor: Any, name: str) -> Any:
    """Returns the readable form of a torch tensor, and refuses one that requires a gradient."""
    if tensor.requires_grad:
        raise Error(f"{name}: a tensor that requires grad; gradients are not computed: detach() it", "unsupported")
    return _gate.plain(tensor, name)


def _from_host_torch(tensor: Any, name: str, stream: Optional[_cuda.Stream]) -> Samples:
    """Returns the samples of a torch tensor through DLPack, which does not report lazy negation."""
    read = _plain(tensor, name)
    made = _from_dlpack(read, name, stream)
    if read is not tensor:
        if made.device is not None:
            raise Error(f"{name}: a tensor that torch negates when it is read: resolve_neg() it", "unsupported")
        made.copied = f"{name}: torch negates it when it is read"
    return made


@functools.lru_cache(maxsize=None)
def _torch_types() -> dict[Any, str]:
    torch = sys.modules["torch"]  # torch before 2.3 has no uint16
    return {getattr(torch, name): kind for name, kind in _TORCH_TYPES.items() if hasattr(torch, name)}


def _from_dlpack(value: Any, name: str, stream: Optional[_cuda.Stream]) -> Samples:
    try:
        device_type, device = (int(part) for part in value.__dlpack_device__())
    except Exception as error:
        raise Error(f"{name}: its __dlpack_device__ fails: {error}", "unsupported") from error
    if device_type in (_dlpack.CPU, _dlpack.CUDA_HOST):
        capsule, place = _dlpack.take(value, None, name), None
    elif device_type in (_dlpack.CUDA, _dlpack.CUDA_MANAGED):
        capsule = _dlpack.take(value, stream.for_dlpack() if stream else -1, name)
        place = device
    else:
        raise Error(f"{name}: a tensor on a device of DLPack's type {device_type}, expected CPU or CUDA", "unsupported")
    if capsule.type is None:
        raise unsupported(capsule.dtype, name)
    return Samples(capsule.pointer, capsule.shape, capsule.strides, capsule.type, capsule.capsule, place)


def _is_pil(value: Any) -> bool:
    pil = sys.modules.get("PIL.Image")
    return pil is not None and isinstance(value, pil.Image)


def _from_pil(image: Any, name: str) -> Samples:
    numpy = numpy_for(f"{name}: a PIL image")
    why = "a PIL image shows no memory"
    image.load()
    turned = image.format == "TIFF"  # PIL has applied it, and some versions keep the tag
    if not turned and image.getexif().get(_ORIENTATION, 1) in range(2, 9):
        from PIL import ImageOps

        image = ImageOps.exif_transpose(image)
        why += "; turned as its Exif data says, like a file"
    if image.mode in ("P", "1", "PA"):
        transparent = image.mode == "PA" or "transparency" in image.info
        mode = "L" if image.mode == "1" else "RGBA" if transparent else "RGB"
        why += f"; its mode {image.mode} became {mode}"
        image = image.convert(mode)
    if image.mode not in _PIL_MODES:
        text = f"{name}: a PIL image of mode {image.mode}, expected one of {', '.join(_PIL_MODES)}"
        raise Error(text + "; convert it", "unsupported")
    array = numpy.asarray(image)
    made = _from_interface(array, array.__array_interface__, name)
    made.copied = f"{name}: {why}"
    made.unranged = "a PIL image of mode F" if image.mode == "F" else ""
    return made


def numpy_for(what: str) -> Any:
    try:
        import numpy
    except ImportError:
        raise Error(f"{what}: this needs numpy", "unsupported") from None
    return numpy


def contiguous(given: Samples, name: str, why: str) -> Samples:
    """Returns a copy of samples in host memory, in C order and with the machine's bytes."""
    source = as_numpy(given, f"{name}: {why}, so its samples must be copied")
    return copy_of(given, source.astype(source.dtype.newbyteorder("="), order="C"), given.type, f"{name}: {why}")


def copy_of(given: Samples, array: Any, type_: str, why: str) -> Samples:
    """Returns samples whose memory is replaced by a numpy array."""
    made = Samples(array.ctypes.data, array.shape, array.strides, type_, array)
    made.linear, made.peak, made.unranged, made.copied = given.linear, given.peak, given.unranged, why
    return made


def as_numpy(given: Samples, name: str, read_only: bool = True) -> Any:
    """Returns samples in host memory as a numpy array that shares the memory."""
    order = "|" if given.size == 1 else ">" if given.swapped == _LITTLE else "<"
    kind = "u" if given.type == "bf16" else given.type[0]
    interface = {
        "version": 3,
        "typestr": f"{order}{kind}{given.size}",
        "shape": given.shape,
        "strides": given.strides,
        "data": (given.pointer, read_only),
    }
    return numpy_for(name).asarray(_Shown(given.keep, interface))


def values_of(given: Samples, name: str) -> Any:
    """Returns samples in host memory as a numpy array of a type with the same values: float32 for bfloat16."""
    values = as_numpy(given, name)
    return (values.astype("u4") << 16).view("f4") if given.type == "bf16" else values


class _Shown:
    """Exposes memory to numpy, and owns it."""

    def __init__(self, keep: Any, interface: dict[str, Any]) -> None:
        self.keep, self.__array_interface__ = keep, interface
