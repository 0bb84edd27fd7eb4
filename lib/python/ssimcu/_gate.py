"""The one place that looks at tensors of torch before their memory is used.

A tensor of torch need not have its values in its memory: torch may negate it when it is read, keep it sparse, wrap it in
a transform, or trace what is done with it. All ways to the memory of a tensor lead through here. What is let through
is plain; what is not is an error with the name of the argument. Nothing here imports torch.
"""

from __future__ import annotations

import sys
from typing import Any, Optional, Tuple

from ._library import Error


class Refused(Error, NotImplementedError):
    """A way of differentiation that there is not. torch's own functions raise NotImplementedError then, so it is one, too."""

    def __init__(self, text: str, status: str = "unsupported") -> None:
        super().__init__(text, status)


def is_tensor(value: Any) -> bool:
    """Whether it is a tensor of torch's."""
    torch = sys.modules.get("torch")
    kind = getattr(torch, "Tensor", None)
    return kind is not None and isinstance(value, kind)


def plain(tensor: Any, name: str) -> Any:
    """Returns a tensor whose memory holds its values, by strides: the tensor, or a copy of one that torch negates when
    it is read. Errors: "unsupported" (sparse, nested, mkldnn, and what forward mode differentiates)."""
    torch = sys.modules["torch"]
    if tensor.layout is not torch.strided or tensor.is_nested:
        kind = "nested" if tensor.is_nested else str(tensor.layout).replace("torch.", "").lstrip("_")
        raise Error(f"{name}: a tensor of layout {kind}, expected strided: give a dense copy of it", "unsupported")
    if torch.compiler.is_compiling():  # the rest is for the operator, which the compiled code calls
        return tensor
    refuse_tangent(tensor, name)
    return tensor.resolve_neg() if tensor.is_neg() else tensor


def refuse_tangent(tensor: Any, name: str) -> None:
    """Raises if forward mode differentiates by a tensor: its tangent would be lost."""
    forward = sys.modules["torch"].autograd.forward_ad
    if forward._current_level >= 0 and forward.unpack_dual(tensor).tangent is not None:
        raise no_forward(f"{name}: it has a tangent")


def no_forward(what: str) -> Refused:
    """Returns the error of a derivative in forward mode."""
    return Refused(f"{what}: there is no derivative in forward mode, only in reverse mode")


def is_watched(*tensors: Any) -> bool:
    """Whether torch wants to see one operator rather than memory: it compiles, traces or transforms, or a tensor is of a
    class that has no memory."""
    torch = sys.modules["torch"]
    if torch.compiler.is_compiling():
        return True
    for tensor in tensors:
        if tensor is None:
            continue
        if type(tensor) is not torch.Tensor and type(tensor) is not torch.nn.Parameter:
            return True
        if not _has_storage(tensor):  # of vmap, also that of is_grads_batched
            return True
    return any(asks() for asks in _watchers())


def _has_storage(tensor: Any) -> bool:
    return bool(getattr(sys.modules["torch"]._C, "_has_storage", lambda _: True)(tensor))


def _watchers() -> Tuple[Any, ...]:
    global _found
    if _found is None:
        torch = sys.modules["torch"]
        ways = (
            (torch._C, "_are_functorch_transforms_active"),  # vmap, grad, jvp and functionalize
            (torch._C, "_len_torch_dispatch_stack"),  # make_fx, fake tensors
            (torch._ops, "_len_torch_dispatch_stack_pre_dispatch"),  # torch.export
            (torch._C, "_get_tracing_state"),  # torch.jit.trace
        )
        _found = tuple(getattr(place, way) for place, way in ways if hasattr(place, way))
    return _found


_found: Optional[Tuple[Any, ...]] = None


def is_transformed() -> bool:
    """Whether a transform of torch.func is active that differentiates or batches."""
    part = sys.modules["torch"]._C
    if not part._are_functorch_transforms_active():
        return False
    return bool(part._functorch.peek_interpreter_stack().key() != part._functorch.TransformType.Functionalize)


def is_later_differentiated() -> bool:
    """Whether a tensor does not say now whether it requires a gradient: under a transform, and in a graph of torch.jit."""
    return is_transformed() or sys.modules["torch"]._C._get_tracing_state() is not None


def number(value: Any, name: str, expected: str) -> float:
    """Returns a number that is an option. A tensor is one if no gradient by it is wanted."""
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
