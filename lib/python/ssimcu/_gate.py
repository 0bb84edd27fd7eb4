"""The only place that checks torch tensors before their memory is used.

A torch tensor's memory may not hold its values. torch may negate it lazily, keep it sparse, wrap it
in a transform, or trace operations on it. All access to a tensor's memory goes through here. Plain
tensors pass; others raise an error that names the argument. Nothing here imports torch.
"""

from __future__ import annotations

import functools
import sys
from typing import Any, Tuple

from ._library import Error


class Refused(Error, NotImplementedError):
    """An unsupported kind of differentiation. torch raises NotImplementedError in this case, so it is one, too."""

    def __init__(self, text: str, status: str = "unsupported") -> None:
        super().__init__(text, status)


def is_tensor(value: Any) -> bool:
    """Returns whether it is a torch tensor."""
    torch = sys.modules.get("torch")
    kind = getattr(torch, "Tensor", None)
    return kind is not None and isinstance(value, kind)


def plain(tensor: Any, name: str) -> Any:
    """Returns a strided tensor whose memory holds its values: the tensor, or a copy of a lazily negated one. Errors: "unsupported" (sparse,
    nested, mkldnn, or differentiated in forward mode)."""
    torch = sys.modules["torch"]
    if tensor.layout is not torch.strided or tensor.is_nested:
        kind = "nested" if tensor.is_nested else str(tensor.layout).replace("torch.", "").lstrip("_")
        raise Error(f"{name}: a tensor of layout {kind}, expected strided: give a dense copy of it", "unsupported")
    if torch.compiler.is_compiling():  # the operator, which the compiled code calls, checks the rest
        return tensor
    refuse_tangent(tensor, name)
    return tensor.resolve_neg() if tensor.is_neg() else tensor


def refuse_tangent(tensor: Any, name: str) -> None:
    """Raises if forward mode differentiates a tensor, because its tangent would be lost."""
    forward = sys.modules["torch"].autograd.forward_ad
    if forward._current_level >= 0 and forward.unpack_dual(tensor).tangent is not None:
        raise no_forward(f"{name}: it has a tangent")


def no_forward(what: str) -> Refused:
    """Returns the error for a derivative in forward mode."""
    return Refused(f"{what}: there is no derivative in forward mode, only in reverse mode")


def is_watched(*tensors: Any) -> bool:
    """Returns whether torch needs one operator rather than memory: it compiles, traces or transforms, or a tensor's class has no memory."""
    torch = sys.modules["torch"]
    if torch.compiler.is_compiling():
        return True
    for tensor in tensors:
        if tensor is not None and type(tensor) is not torch.Tensor and type(tensor) is not torch.nn.Parameter:
            return True
        if tensor is not None and not _has_storage(tensor):  # vmap, also that of is_grads_batched
            return True
    return any(asks() for asks in _watchers())


def _has_storage(tensor: Any) -> bool:
    return bool(getattr(sys.modules["torch"]._C, "_has_storage", lambda _: True)(tensor))


@functools.lru_cache(maxsize=None)
def _watchers() -> Tuple[Any, ...]:
    torch = sys.modules["torch"]
    ways = (
        (torch._C, "_are_functorch_transforms_active"),  # vmap, grad, jvp and functionalize
        (torch._C, "_len_torch_dispatch_stack"),  # make_fx, fake tensors
        (torch._ops, "_len_torch_dispatch_stack_pre_dispatch"),  # torch.export
        (torch._C, "_get_tracing_state"),  # torch.jit.trace
    )
    return tuple(getattr(place, way) for place, way in ways if hasattr(place, way))


def is_transformed() -> bool:
    """Returns whether a torch.func transform that differentiates or batches is active."""
    part = sys.modules["torch"]._C
    if not part._are_functorch_transforms_active():
        return False
    return bool(part._functorch.peek_interpreter_stack().key() != part._functorch.TransformType.Functionalize)


def is_later_differentiated() -> bool:
    """Returns whether it is still unknown if a tensor requires a gradient: under a transform, and in a torch.jit graph."""
    return is_transformed() or sys.modules["torch"]._C._get_tracing_state() is not None


def number(value: Any, name: str, expected: str) -> float:
    """Returns the number of an option. A tensor is accepted if it requires no gradient."""
    if is_tensor(value) and (value.requires_grad or is_watched(value)):
        raise Error(f"{name}: a tensor that requires a gradient or is traced, and none is made by it: give float({name})")
    if not is_tensor(value) and isinstance(value, (str, bytes, bool)):
        raise Error(f"{name} is {value!r}, expected {expected}")
    if is_tensor(value):
        refuse_tangent(value, name)
    try:
        return float(value)
    except (TypeError, ValueError, RuntimeError, OverflowError):
        raise Error(f"{name} is {value!r}, expected {expected}") from None
