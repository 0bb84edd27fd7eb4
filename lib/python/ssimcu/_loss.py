"""The calls of ssimcu_loss.h on torch tensors.

A plan holds the structs of one kind of call, because making them takes longer than the call. A
worker is a context with its plans. One thread at a time has it: the calling thread, or one of
autograd's.
"""

from __future__ import annotations

import collections
import ctypes
import math
import os
from typing import Any, Deque, Dict, List, NamedTuple, Optional, Sequence, Tuple

import torch  # type: ignore[import-not-found,unused-ignore]

from . import _arrays, _c, _context, _cuda, _gate, _views
from ._dlpack import dense
from ._library import Error, Message, check, core

_TYPES = {torch.uint8: "u8", torch.float16: "f16", torch.bfloat16: "bf16", torch.float32: "f32"}
_TYPES[torch.float64] = "f64"  # on the CPU
_TYPES[torch.bool] = "u8"  # for masks
_WHITE = {torch.uint8: 255.0, torch.bool: 1.0}
_MOST_CHANNELS = 4  # per view; more become frames of one channel
_ALIGNMENT = 256  # of a workspace
_MOST_PLANS = 64
NUMBERS = 4  # SSIMCU_LOSS_NUMBERS


class Spec(NamedTuple):
    """The definition of a loss, as numbers of ssimcu_loss_options."""

    pad: int
    ssim: float
    l1: float
    mask_rule: int
    peak: float  # of floats
    each: bool  # one loss per image
    number: int  # index of the number to return


class _Side:
    """A view that points to other memory in each call."""

    def __init__(self, shape: Any, strides: Any, dtype: Any, peak: float, each: bool) -> None:
        kind = _TYPES[dtype]
        self.groups, self.step, shape, strides, self.why = _frames(shape, strides, each)
        given = _arrays.Samples(0, shape, (), kind, None, 0)
        given.strides = tuple(stride * given.size for stride in strides)
        self.step *= given.size
        shown = _views.picture(shape, given.strides, given.size, "NCHW", "tensor")
        self.why = self.why or _views.obstacle(given, shown, "cuda")
        self.view = _views.view_of(given, shown, 0, peak)
        self.view.frames, self.view.frame_stride = shape[0], shown.strides[0]
        pointers = shape[1] if self.view.layout == _c.LAYOUT["planes"] else 1
        self.apart = [self.view.data[channel] or 0 for channel in range(pointers)]
        self.data, self.address = self.view.data, ctypes.addressof(self.view)

    def show(self, pointer: int) -> None:
        for channel, apart in enumerate(self.apart):
            self.data[channel] = pointer + apart


def _frames(shape: Any, strides: Any, each: bool) -> Tuple[int, int, Tuple[int, ...], Tuple[int, ...], str]:
    """Returns the number of calls and their distance, and for one call its shape, strides, and the reason why it is impossible."""
    if len(shape) == 3:
        shape, strides = (1, *shape), (0, *strides)
    images, channels, height, width = shape
    groups, step = (images, strides[0]) if each else (1, 0)
    frames = 1 if each else images
    if channels <= _MOST_CHANNELS:
        return groups, step, (frames, channels, height, width), tuple(strides), ""
    apart = strides[1]
    even = frames == 1 or strides[0] == channels * apart
    planes = (frames * channels, 1, height, width)
    why = "" if even else "its planes do not lie equally far apart"
    return groups, step, planes, (apart, apart, *strides[2:]), why


def wide(*tensors: Any) -> Any:
    """Returns the type of results: float64 if one of the tensors is, otherwise float32."""
    return torch.float64 if any(t.dtype == torch.float64 for t in tensors) else torch.float32


def _gradient_strides(tensor: Any, plain: bool) -> Tuple[int, ...]:
    """Returns the strides of a gradient: those of the tensor if a view can have them."""
    shape, strides = tuple(tensor.shape), tuple(tensor.stride())
    filled = 1
    for stride, size in sorted(zip(strides, shape)):
        if size > 1 and stride != filled:
            plain = True
        filled *= size
    return dense(shape, 1) if plain or _Side(shape, strides, wide(tensor), 1, False).why else strides


class _Plan:
    """One kind of call: its views, options and workspace size."""

    def __init__(self, worker: _Worker, tensors: Sequence[Any], spec: Spec, wants: Sequence[bool], plain: bool) -> None:
        self.sides: List[_Side] = []
        for tensor, peak in zip(tensors, (spec.peak, spec.peak, 1)):
            if tensor is not None:
                white = _WHITE.get(tensor.dtype, peak)
                side = _Side(tensor.shape, tensor.stride(), tensor.dtype, white, spec.each)
                self.sides.append(side)
        self.copies = any(side.why for side in self.sides)
        self.groups = self.sides[0].groups
        self.options = _c.sized(_c.struct("loss_options"), pad=spec.pad, ssim=spec.ssim, l1=spec.l1)
        self.options.mask_rule = spec.mask_rule
        if len(self.sides) == 3:
            self.options.mask = ctypes.pointer(self.sides[2].view)
        self.type, self.types = wide(*tensors[:2]), [wide(tensor) for tensor in tensors[:2]]
        self.gradients: List[Optional[_Side]] = []
        self.strides: List[Tuple[int, ...]] = []
        for tensor, wanted in zip(tensors, wants):
            strides = _gradient_strides(tensor, plain) if wanted else ()
            self.strides.append(strides)
            made = _Side(tensor.shape, strides, wide(tensor), 1, spec.each) if wanted else None
            self.gradients.append(made)
        self.addresses = [side.address if side else None for side in self.gradients]
        self.bytes = 0 if self.copies else self._workspace(worker)

    def _workspace(self, worker: _Worker) -> int:
        found = ctypes.c_size_t()
        out, ref = (side.address for side in self.sides[:2])
        options, place = ctypes.addressof(self.options), ctypes.addressof(found)
        worker.call(worker.workspace, ref, out, options, place)
        return found.value


class _Worker:
    """A context with the plans of its calls."""

    def __init__(self, device: Any, threads: int) -> None:
        options, _ = _context.options_of(("ssim",), "valid", "rgb", "worst", str(device), threads, None)
        self.context = _context.Context(options)
        self.handle = self.context.handle
        self.plans: Dict[Any, Any] = {}
        self.workspace = _untyped("ssimcu_loss_workspace")
        self.loss, self.scale = _untyped("ssimcu_loss_async"), _untyped("ssimcu_loss_scale_async")

    def call(self, function: Any, *arguments: Any) -> None:
        why = Message()  # per call, because a message that holds text keeps it
        status = function(self.handle, *arguments, why)
        if status:
            check(status, why)

    def keep(self, key: Any, made: Any) -> Any:
        if len(self.plans) >= _MOST_PLANS:
            self.plans.clear()
        self.plans[key] = made
        return made


def _untyped(name: str) -> Any:
    """Returns a function that takes addresses as numbers, because making pointers costs more than the call."""
    typed, function = getattr(core(), name), core()[name]
    pointers = (ctypes._Pointer, ctypes.c_char_p)
    function.argtypes = [ctypes.c_void_p if issubclass(kind, pointers) else kind for kind in typed.argtypes]
    function.restype = typed.restype
    return function


_idle: Dict[Any, Deque[_Worker]] = collections.defaultdict(collections.deque)
os.register_at_fork(after_in_child=_idle.clear)


def _place(device: Any) -> Any:
    """Returns the key of workers: their device, and for the CPU torch's current number of threads."""
    return device, torch.get_num_threads() if device.type == "cpu" else 0


def _take(place: Any) -> _Worker:
    try:
        return _idle[place].pop()  # atomic, so no other thread gets it
    except IndexError:
        return _Worker(*place)


def _stream(tensor: Any) -> Optional[int]:
    return _cuda.stream_of(None, tensor).handle if tensor.is_cuda else None


def _key(tensor: Any) -> Any:
    return None if tensor is None else (tensor.shape, tensor.stride(), tensor.dtype)


def make(tensors: Sequence[Any], spec: Spec, wants: Sequence[bool], plain: bool = False) -> Tuple[Any, List[Any]]:
    """Computes the numbers, four per loss, and the requested gradients of OUT and REF, in float32, or float64 if a tensor is. `tensors` are
    OUT, REF and the mask; `plain`: gradients are contiguous."""
    place = _place(tensors[0].device)
    doubt = _doubt(tensors[2])
    worker = _take(place)
    try:
        key = (spec, plain, *wants, *map(_key, tensors))
        plan = worker.plans.get(key)
        if plan is None:
            plan = worker.keep(key, _Plan(worker, tensors, spec, wants, plain))
        made = None if plan.copies else _run(worker, plan, tensors)
    except Error as error:
        if error.status != "device":  # which a context repeats forever
            _idle[place].append(worker)
        raise
    _idle[place].append(worker)
    if made is None:
        return make([None if tensor is None else tensor.contiguous() for tensor in tensors], spec, wants, plain)
    if doubt is not None:
        made[0].add_(doubt)
    return made


def _doubt(mask: Any) -> Any:
    """Detects a mask of bytes whose largest value is 1, which was meant as bool and would count as 1/255. On the CPU that is an error. On a
    GPU, to avoid waiting, the returned value makes the loss NaN."""
    if mask is None or mask.dtype is not torch.uint8:
        return None
    if mask.is_cuda:
        return torch.where(mask.amax() == 1, math.nan, 0.0)
    if int(mask.max()) == 1:
        raise Error("mask: uint8 from 0 to 1, where white is 255: give mask.bool()")
    return None


def _run(worker: _Worker, plan: _Plan, tensors: Sequence[Any]) -> Tuple[Any, List[Any]]:
    out, device = tensors[0], tensors[0].device
    numbers = torch.empty(NUMBERS * plan.groups, dtype=plan.type, device=device)
    memory = torch.empty(plan.bytes + _ALIGNMENT, dtype=torch.uint8, device=device)
    workspace = -(-memory.data_ptr() // _ALIGNMENT) * _ALIGNMENT
    gradients: List[Any] = [None, None]
    shown = [(side, tensor.data_ptr()) for side, tensor in zip(plan.sides, tensors)]
    for k, side in enumerate(plan.gradients):
        if side is not None:
            dtype = plan.types[k]
            made = torch.empty_strided(out.shape, plan.strides[k], dtype=dtype, device=device)
            gradients[k] = made
            shown.append((side, made.data_ptr()))
    stream, loss, options = _stream(out), numbers.data_ptr(), ctypes.addressof(plan.options)
    apart = NUMBERS * numbers.element_size()
    for group in range(plan.groups):
        for side, pointer in shown:
            side.show(pointer + group * side.step)
        worker.call(
            worker.loss,
            plan.sides[1].address,
            plan.sides[0].address,
            options,
            loss + group * apart,
            *plan.addresses,
            workspace,
            plan.bytes,
            stream,
        )
    return numbers, gradients


def scale(gradient: Any, factor: Any, each: bool) -> None:
    """Multiplies a gradient by the incoming gradient in place; `each`: one factor per image."""
    factor = _gate.plain(factor, "the factor of the gradient")
    factor = factor.to(gradient.dtype).contiguous()  # has another type if one side is float64
    place = _place(gradient.device)
    worker = _take(place)
    key = (each, gradient.shape, gradient.stride(), gradient.dtype)
    side = worker.plans.get(key)
    if side is None:
        made = _Side(gradient.shape, gradient.stride(), gradient.dtype, 1, each)
        side = worker.keep(key, made)
    stream, pointer, by = _stream(gradient), gradient.data_ptr(), factor.data_ptr()
    for group in range(side.groups):
        side.show(pointer + group * side.step)
        worker.call(worker.scale, side.address, by + group * factor.element_size(), stream)
    _idle[place].append(worker)
