"""SSIM as a loss for training with torch: docs/loss.md.

>>> import torch, ssimcu.torch
>>> image = torch.full((1, 3, 32, 32), 0.5, requires_grad=True)
>>> loss = ssimcu.torch.l1_ssim(image, torch.full((1, 3, 32, 32), 0.75))
>>> loss.backward()
>>> image.grad.shape
torch.Size([1, 3, 32, 32])

One pass over the samples computes the loss and its gradient. The backward pass multiplies it by the
incoming gradient. Only the first derivative in reverse mode is supported. A second derivative, one
in forward mode, or one with respect to a weight or a mask is an error, never a silent zero.
"""

from __future__ import annotations

from typing import Any, List, NoReturn, Optional, Sequence, Tuple

import torch  # type: ignore[import-not-found,unused-ignore]

from . import _c, _gate, _loss
from ._library import Error, choice
from ._loss import Spec

__all__ = ["SSIM", "fused_ssim", "l1_ssim", "ssim", "ssim_loss"]

Tensor = torch.Tensor
_PADDING = {"same": _c.PAD["zero"], "valid": _c.PAD["valid"]}
_RULES = _c.enum("loss_mask")
_TOTAL, _SSIM = 0, 1  # SSIMCU_LOSS_TOTAL, SSIMCU_LOSS_SSIM
_DTYPES = (torch.float32, torch.float16, torch.bfloat16, torch.uint8, torch.float64)


def fused_ssim(img1: Tensor, img2: Tensor, padding: str = "same", train: bool = True) -> Tensor:
    """Returns the mean SSIM, like the package fused-ssim. ``train=False``: without a gradient."""
    spec = Spec(choice(_PADDING, padding, "padding"), -1.0, 0.0, 0, 1.0, False, _SSIM)
    return _make((img1, img2, None), ("img1", "img2"), spec, train)


def ssim_loss(
    pred: Tensor,
    target: Tensor,
    mask: Optional[Tensor] = None,
    mask_rule: str = "zero",
    padding: str = "same",
    data_range: float = 1.0,
) -> Tensor:
    """Returns 1 - SSIM."""
    return l1_ssim(pred, target, 1.0, mask, mask_rule, padding, data_range)


def l1_ssim(
    pred: Tensor,
    target: Tensor,
    weight: float = 0.2,
    mask: Optional[Tensor] = None,
    mask_rule: str = "zero",
    padding: str = "same",
    data_range: float = 1.0,
) -> Tensor:
    """Returns (1 - weight) * L1 + weight * (1 - SSIM). L1 is relative to ``data_range``, the value of white in floats. A mask is H x W, or
    N x 1 x H x W: bool, floats from 0 to 1, or uint8 from 0 to 255."""
    share = _gate.number(weight, "weight", "a number from 0 to 1")
    if not 0 <= share <= 1:
        raise Error(f"weight is {weight!r}, expected 0 to 1")
    rule, pad = choice(_RULES, mask_rule, "mask_rule"), choice(_PADDING, padding, "padding")
    spec = Spec(pad, share, 1.0 - share, rule, _white(data_range), False, _TOTAL)
    return _make((pred, target, mask), ("pred", "target"), spec, True)


def ssim(
    X: Tensor,
    Y: Tensor,
    data_range: float = 255,
    size_average: bool = True,
    win_size: int = 11,
    win_sigma: float = 1.5,
    win: Optional[Tensor] = None,
    K: Sequence[float] = (0.01, 0.03),
    nonnegative_ssim: bool = False,
) -> Tensor:
    """Returns the SSIM, like the package pytorch-msssim; ``size_average=False``: per image."""
    _check_window(win_size, win_sigma, win, K, nonnegative_ssim)
    each = not size_average
    spec = Spec(_c.PAD["valid"], -1.0, 0.0, 0, _white(data_range), each, _SSIM)
    return _make((X, Y, None), ("X", "Y"), spec, True)


class SSIM(torch.nn.Module):  # type: ignore[misc,unused-ignore]
    """`ssim` as a module, like that of the package pytorch-msssim."""

    def __init__(
        self,
        data_range: float = 255,
        size_average: bool = True,
        win_size: int = 11,
        win_sigma: float = 1.5,
        channel: int = 3,  # ignored: the tensors have it
        spatial_dims: int = 2,
        K: Sequence[float] = (0.01, 0.03),
        nonnegative_ssim: bool = False,
    ) -> None:
        super().__init__()
        if spatial_dims != 2:
            raise Error(f"spatial_dims is {spatial_dims!r}, expected 2", "unsupported")
        _check_window(win_size, win_sigma, None, K, nonnegative_ssim)
        self.data_range, self.size_average = _white(data_range), size_average

    def forward(self, X: Tensor, Y: Tensor) -> Tensor:
        return ssim(X, Y, self.data_range, self.size_average)


# ---- What callers give ---------------------------------------------------------------------------


def _check_window(size: int, sigma: float, win: Any, K: Any, nonnegative: bool) -> None:
    """Refuses other windows and constants, which would give another number."""
    for name, value, only in (
        ("win_size", size, 11),
        ("win_sigma", sigma, 1.5),
        ("win", win, None),
        ("K", tuple(K), (0.01, 0.03)),
        ("nonnegative_ssim", nonnegative, False),
    ):
        if value != only:
            raise Error(f"{name} is {value!r}, expected {only!r}", "unsupported")


def _white(data_range: float) -> float:
    white = _gate.number(data_range, "data_range", "a number above 0")
    if not 0 < white < 1e30:
        raise Error(f"data_range is {data_range!r}, expected to be above 0 and finite")
    return white


def _refuse(tensor: Any, name: str) -> NoReturn:
    if not isinstance(tensor, torch.Tensor):
        raise TypeError(f"{name} is a {type(tensor).__name__}, expected a tensor of torch")
    if tensor.dtype not in _DTYPES:
        expected = "float32, float16, bfloat16, float64 or uint8"
        raise Error(f"{name}: samples of type {tensor.dtype}, expected {expected}", "unsupported")
    if tensor.is_cuda and tensor.dtype == torch.float64:
        text = f"{name}: float64 on {tensor.device}, of which the CPU alone has a loss"
        raise Error(f"{text}: give {name}.float() or {name}.cpu()", "unsupported")
    if tensor.dim() not in (3, 4):
        raise Error(f"{name}: shape {tuple(tensor.shape)}, expected N x C x H x W or C x H x W")
    if not tensor.numel():
        raise Error(f"{name}: shape {tuple(tensor.shape)} has no samples")
    raise Error(f"{name}: on {tensor.device}, expected the CPU or a CUDA device", "device")


def _check(out: Any, ref: Any, names: Tuple[str, str]) -> Tuple[Tensor, Tensor]:
    """Returns the two sides in readable form."""
    sides = []
    for tensor, name in zip((out, ref), names):
        if not isinstance(tensor, torch.Tensor) or tensor.dtype not in _DTYPES:
            _refuse(tensor, name)
        tensor = _gate.plain(tensor, name)
        readable = tensor.is_cpu or (tensor.is_cuda and tensor.dtype != torch.float64)
        if tensor.dim() not in (3, 4) or not tensor.numel() or not readable:
            _refuse(tensor, name)
        sides.append(tensor)
    if out.shape != ref.shape:
        a, b = tuple(out.shape), tuple(ref.shape)
        raise Error(f"{names[0]} has the shape {a}, and {names[1]} {b}", "mismatch")
    if out.device != ref.device:
        raise Error(f"{names[0]} is on {out.device}, and {names[1]} on {ref.device}", "mismatch")
    return sides[0], sides[1]


def _mask_of(mask: Any, out: Tensor, each: bool) -> Any:
    """Returns a mask as N x 1 x H x W, with as many images as calls of the library will have."""
    if not isinstance(mask, torch.Tensor):
        raise TypeError(f"mask is a {type(mask).__name__}, expected a tensor of torch")
    if mask.dtype not in _DTYPES and mask.dtype != torch.bool:
        raise Error(f"mask: samples of type {mask.dtype}, expected bool, uint8 or floats", "unsupported")
    if mask.is_cuda and mask.dtype == torch.float64:
        _refuse(mask, "mask")
    mask = _gate.plain(mask, "mask")
    if mask.requires_grad:
        raise Error("mask: it requires a gradient, and none is made by it: give mask.detach()")
    if mask.device != out.device:
        raise Error(f"mask is on {mask.device}, and the images on {out.device}", "mismatch")
    images = out.shape[0] if out.dim() == 4 else 1
    shape = tuple(mask.shape)
    lead = {2: (), 3: (1,), 4: (shape[0], 1)}.get(len(shape), (0,))
    if shape != (*lead, *out.shape[-2:]) or (len(shape) == 4 and shape[0] not in (1, images)):
        raise Error(f"mask: shape {shape}, expected H x W or N x 1 x H x W of {tuple(out.shape)}", "mismatch")
    mask = mask.reshape(-1, 1, *shape[-2:])
    if mask.shape[0] > 1 and not each and out.shape[-3] > 4:
        mask = mask.repeat_interleave(out.shape[-3], 0)  # there, channels are frames
    return mask


# ---- Ways to the library -------------------------------------------------------------------------


def _make(tensors: Tuple[Any, Any, Any], names: Tuple[str, str], spec: Spec, train: bool) -> Tensor:
    out, ref = _check(tensors[0], tensors[1], names)
    mask = None if tensors[2] is None else _mask_of(tensors[2], out, spec.each)
    if not train:
        out, ref = out.detach(), ref.detach()
    graph = torch.is_grad_enabled()
    wants = (graph and out.requires_grad, graph and ref.requires_grad)
    if _gate.is_watched(out, ref, mask):
        return _watched(out, ref, mask, spec, wants)
    if wants[0] or wants[1]:
        value: Tensor = _Loss.apply(out, ref, mask, spec)
        return value
    return _value(_loss.make((out, ref, mask), spec, (False, False))[0], spec)


def _watched(out: Any, ref: Any, mask: Any, spec: Spec, wants: Tuple[bool, bool]) -> Tensor:
    """Calls the operator, which torch treats as one operation."""
    if not _OPERATOR:
        raise _gate.Refused("torch compiles, traces or transforms the loss, which takes torch 2.4 or later")
    call = torch.ops.ssimcu.loss
    if not torch.compiler.is_compiling():
        if _gate.is_transformed():
            call = _Transformed.apply
        if _gate.is_later_differentiated():
            wants = (out.is_floating_point(), ref.is_floating_point())
    value: Tensor = call(out, ref, mask, *spec, *wants)[0]
    return value


def _value(numbers: Tensor, spec: Spec) -> Tensor:
    """Returns the requested number. A view of the numbers would refuse ``loss += more``."""
    size, stride = ((len(numbers) // _loss.NUMBERS,), (_loss.NUMBERS,)) if spec.each else ((), ())
    value: Tensor = numbers.as_strided_(size, stride, spec.number)
    return value


class _Loss(torch.autograd.Function):  # type: ignore[misc,unused-ignore]
    """The loss outside of compiled code, where a step costs half as much as with an operator."""

    @staticmethod
    def forward(ctx: Any, out: Tensor, ref: Tensor, mask: Optional[Tensor], spec: Spec) -> Tensor:  # type: ignore[override,unused-ignore]
        ctx.save_for_backward(out, ref, mask)
        ctx.spec, ctx.types = spec, (out.dtype, ref.dtype)
        numbers, ctx.made = _loss.make((out, ref, mask), spec, ctx.needs_input_grad[:2])
        return _value(numbers, spec)

    @staticmethod
    def backward(ctx: Any, factor: Tensor) -> Any:  # type: ignore[override,unused-ignore]
        if torch.is_grad_enabled() or _gate.is_watched(factor):
            return _multiply(ctx, factor)
        return _scale(ctx, factor)


def _gradients(ctx: Any, plain: bool = False) -> List[Any]:
    made, ctx.made = ctx.made, None
    if made is None:  # the first backward pass has scaled and returned it
        made = _loss.make(ctx.saved_tensors, ctx.spec, ctx.needs_input_grad[:2], plain)[1]
    return list(made)


def _scale(ctx: Any, factor: Tensor) -> Any:
    made = _gradients(ctx)
    for k, gradient in enumerate(made):
        if gradient is not None:
            _loss.scale(gradient, factor, ctx.spec.each)
            if ctx.types[k] != gradient.dtype:
                made[k] = gradient.to(ctx.types[k])
    return (*made, None, None)


def _multiply(ctx: Any, factor: Tensor) -> Any:
    """Scales with torch operations if this pass is recorded in a graph, traced or transformed. The graph has the derivative with respect to
    the factor, and refuses that with respect to the samples."""
    if ctx.made is None and _gate.is_watched():
        out, ref, mask = ctx.saved_tensors
        made = list(torch.ops.ssimcu.loss(out, ref, mask, *ctx.spec, *ctx.needs_input_grad[:2])[1:])
    else:
        made = _gradients(ctx)
    for k, gradient in enumerate(made):
        if not ctx.needs_input_grad[k]:
            made[k] = None
            continue
        made[k] = _times(_once(gradient, *ctx.saved_tensors[:2]), factor, ctx.spec.each).to(ctx.types[k])
    return (*made, None, None)


def _times(gradient: Tensor, factor: Tensor, each: bool) -> Tensor:
    return gradient * (factor.reshape(-1, 1, 1, 1) if each and gradient.dim() == 4 else factor)


class _Once(torch.autograd.Function):  # type: ignore[misc,unused-ignore]
    """Makes a gradient depend on the samples, so that its derivative is an error and not 0."""

    generate_vmap_rule = True

    @staticmethod
    def forward(gradient: Tensor, out: Tensor, ref: Tensor) -> Tensor:  # type: ignore[override,unused-ignore]
        return gradient.clone()

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        pass

    @staticmethod
    def backward(ctx: Any, *_: Any) -> Any:  # type: ignore[override,unused-ignore]
        raise _gate.Refused("the loss cannot be differentiated twice: a penalty on its gradient, or a Hessian, is not there")

    jvp = backward


def _once(gradient: Tensor, out: Tensor, ref: Tensor) -> Tensor:
    made: Tensor = _Once.apply(gradient, out, ref) if torch.is_grad_enabled() else gradient
    return made


# ---- The operator, for torch.compile and what else traces ----------------------------------------


def _operator(out: Tensor, ref: Tensor, mask: Optional[Tensor], *numbers: Any) -> Tuple[Tensor, Tensor, Tensor]:
    spec = Spec(*numbers[:-2])
    tensors = [tensor if tensor is None else _gate.plain(tensor, name) for tensor, name in zip((out, ref, mask), _NAMES)]
    made, gradients = _loss.make(tensors, spec, numbers[-2:], plain=True)
    for k, side in enumerate((out, ref)):
        if gradients[k] is None:
            gradients[k] = side.new_empty(0, dtype=_loss.wide(side))
    return (_value(made, spec).clone(), gradients[0], gradients[1])


def _fake(out: Tensor, ref: Tensor, mask: Optional[Tensor], *numbers: Any) -> Tuple[Tensor, Tensor, Tensor]:
    spec = Spec(*numbers[:-2])
    for tensor, name in zip((out, ref, mask), _NAMES):
        if tensor is not None:
            _gate.refuse_tangent(tensor, name)
    shape = (out.shape[0] if out.dim() == 4 else 1,) if spec.each else ()
    made = [
        side.new_empty(out.shape if wanted else (0,), dtype=_loss.wide(side))
        for side, wanted in zip((out, ref), numbers[-2:])
    ]
    return (out.new_empty(shape, dtype=_loss.wide(out, ref)), made[0], made[1])


def _save(ctx: Any, inputs: Any, output: Any) -> None:
    ctx.numbers, ctx.types = inputs[3:], (inputs[0].dtype, inputs[1].dtype)
    ctx.save_for_backward(*inputs[:3], *output[1:])
    ctx.mark_non_differentiable(*output[1:])


def _backward(ctx: Any, factor: Tensor, *_: Any) -> Any:
    made: Any = [None, None]
    *tensors, by_out, by_ref = ctx.saved_tensors
    wants = ctx.needs_input_grad[:2]
    if any(wanted and not known for wanted, known in zip(wants, ctx.numbers[-2:])):
        # It was traced when no gradient was required.
        by_out, by_ref = torch.ops.ssimcu.loss(*tensors, *ctx.numbers[:-2], *wants)[1:]
    for k, gradient in enumerate((by_out, by_ref)):
        if wants[k]:
            made[k] = _times(_once(gradient, *tensors[:2]), factor, Spec(*ctx.numbers[:-2]).each).to(ctx.types[k])
    return (*made, *[None] * (1 + len(Spec._fields) + 2))


class _Transformed(torch.autograd.Function):  # type: ignore[misc,unused-ignore]
    """The operator under a torch.func transform, which the autograd of an operator does not support."""

    generate_vmap_rule = True
    setup_context, backward = staticmethod(_save), staticmethod(_backward)

    @staticmethod
    def forward(*given: Any) -> Any:  # type: ignore[override,unused-ignore]
        return torch.ops.ssimcu.loss(*given)

    @staticmethod
    def jvp(ctx: Any, *_: Any) -> Any:  # type: ignore[override,unused-ignore]
        raise _gate.no_forward("the loss")


_SCHEMA = (
    "loss(Tensor out, Tensor ref, Tensor? mask, int pad, float ssim, float l1, int mask_rule, "
    "float peak, bool each, int number, bool wants_out, bool wants_ref) -> (Tensor, Tensor, Tensor)"
)
_NAMES = ("out", "ref", "mask")  # arguments of the operator
_OPERATOR = hasattr(torch.library, "register_autograd")  # from torch 2.4 on
if _OPERATOR:
    _library = torch.library.Library("ssimcu", "DEF")  # type: ignore[no-untyped-call,unused-ignore]
    _library.define(_SCHEMA, tags=(torch.Tag.pt2_compliant_tag,))  # type: ignore[no-untyped-call,unused-ignore]
    for _key in ("CPU", "CUDA"):
        _library.impl("loss", _operator, _key)  # type: ignore[no-untyped-call,unused-ignore]
    torch.library.register_fake("ssimcu::loss", _fake, lib=_library)
    torch.library.register_autograd("ssimcu::loss", _backward, setup_context=_save, lib=_library)
