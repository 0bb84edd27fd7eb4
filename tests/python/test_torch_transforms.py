"""What torch can do to a function, done to each public function of the loss. It either equals the model in float64, or raises
words that say why. Nothing else is accepted: a silent zero and memory that nobody wrote are neither. `-s` shows the table."""

from __future__ import annotations

import io
import os
import re
import warnings

import pytest
from torch_model import model, torch

import ssimcu.torch as loss

if not loss._OPERATOR:
    pytest.skip("before torch 2.4 there is no operator", allow_module_level=True)

SHAPE = (2, 1, 12, 13)
ad, func, forward = torch.autograd, torch.func, torch.autograd.forward_ad


def _score(x, y, padding="same"):
    return 1 - model(x, y, 1.0, padding)


# Each: what a user calls, and the model of it.
FUNCTIONS = {
    "fused_ssim": (lambda x, y: loss.fused_ssim(x, y), lambda x, y: _score(x, y)),
    "l1_ssim": (lambda x, y: loss.l1_ssim(x, y), lambda x, y: model(x, y, 0.2)),
    "ssim_loss": (lambda x, y: loss.ssim_loss(x, y), lambda x, y: model(x, y, 1.0)),
    "ssim": (
        lambda x, y: loss.ssim(x, y, 1, size_average=False),
        lambda x, y: torch.stack([_score(x[n : n + 1], y[n : n + 1], padding="valid") for n in range(len(x))])
        if x.dim() == 4
        else _score(x, y, padding="valid").reshape(1),
    ),
    "SSIM": (loss.SSIM(data_range=1), lambda x, y: _score(x, y, padding="valid")),
}


def inputs(dtype, other: bool):
    rng = torch.Generator().manual_seed(7)
    y = torch.rand(SHAPE, generator=rng, dtype=torch.float64)
    x = (0.6 * y + 0.4 * torch.rand(SHAPE, generator=rng, dtype=torch.float64)).to(dtype)
    return x.requires_grad_(), y.to(dtype).requires_grad_(other)


def plain(*tensors):
    return [tensor.detach().clone() for tensor in tensors]


def fresh(*tensors):
    return [tensor.detach().clone().requires_grad_(tensor.requires_grad) for tensor in tensors]


def summed(f):
    return lambda *given: f(*given).sum()


def direction(x):
    return (37 * torch.arange(x.numel(), dtype=torch.float64)).sin().to(x.dtype).reshape(x.shape)


# ---- What is done: each takes the function and two tensors, and returns tensors ------------------


def backward(f, x, y):
    f(x, y).sum().backward()
    return [side.grad for side in (x, y) if side.requires_grad]


def penalty(f, x, y, by=lambda g: (g * g).sum()):
    wanted = [side for side in (x, y) if side.requires_grad]
    gradients = ad.grad(f(x, y).sum(), wanted, create_graph=True)
    (f(x, y).sum() + 100 * sum(by(g) for g in gradients)).backward()
    return [side.grad for side in wanted]


def learned_factor(f, x, y):
    """A first derivative all the same: of the gradient by what it is multiplied by."""
    factor = torch.tensor(1.5, dtype=x.dtype, requires_grad=True)
    (gradient,) = ad.grad(f(x, y).sum() * factor, x, create_graph=True)
    return ad.grad((gradient * direction(x)).sum(), factor)


def grad_of_grad(f, x, y):
    (gradient,) = ad.grad(f(x, y).sum(), x, create_graph=True)
    return ad.grad((gradient * direction(x)).sum(), x, allow_unused=True, materialize_grads=True)


def batched(f, x, y):
    value = f(x, y).sum()
    return ad.grad(value, x, torch.tensor([1.0, -2.0], dtype=value.dtype), is_grads_batched=True)


def dual(f, x, y, which=0, within=torch.enable_grad):
    with forward.dual_level(), within():
        sides = plain(x, y) if within is torch.enable_grad else [x, y]
        sides[which] = forward.make_dual(sides[which], direction(x))
        return [forward.unpack_dual(f(*sides)).tangent]


def dual_that_requires(f, x, y):
    with forward.dual_level():
        return [forward.unpack_dual(f(forward.make_dual(x, direction(x)), y)).tangent]


def fx(mode, pre=False):
    def work(f, x, y):
        from torch.fx.experimental.proxy_tensor import make_fx

        x, y = plain(x, y)
        graph = make_fx(f, tracing_mode=mode, pre_dispatch=pre)(x * 0.5, y)
        return [graph(x, y)]

    return work


def fx_of_gradient(mode):
    def work(f, x, y):
        from torch.fx.experimental.proxy_tensor import make_fx

        def both(a, b):
            a = a.detach().requires_grad_()
            return ad.grad(f(a, b).sum(), a)[0]

        x, y = plain(x, y)
        return [make_fx(both, tracing_mode=mode)(x * 0.5, y)(x, y)]

    return work


def fx_then_gradient(f, x, y):
    from torch.fx.experimental.proxy_tensor import make_fx

    graph = make_fx(f)(*[side * 0.5 for side in plain(x, y)])
    return backward(graph, x, y)


def fx_then_dual(f, x, y):
    from torch.fx.experimental.proxy_tensor import make_fx

    return dual(make_fx(f)(*[side * 0.5 for side in plain(x, y)]), x, y)


def fx_of_backward(f, x, y):
    from torch.fx.experimental.proxy_tensor import make_fx

    value = f(x, y).sum()

    def back(factor):
        return ad.grad(value, x, factor, retain_graph=True)[0]

    return [make_fx(back)(torch.tensor(1.0, dtype=value.dtype))(torch.tensor(-2.0, dtype=value.dtype))]


def jit(f, x, y, then=lambda f, x, y: [f(x, y)]):
    x, y = fresh(x, y)
    return then(torch.jit.trace(f, tuple(side * 0.5 for side in plain(x, y))), x, y)


class Wrapped(torch.nn.Module):
    def __init__(self, f) -> None:
        super().__init__()
        self.f = f

    def forward(self, x, y):
        return self.f(x, y)


def export(f, x, y, strict=False, then=lambda f, x, y: [f(x, y)]):
    program = torch.export.export(Wrapped(f), tuple(side * 0.5 for side in plain(x, y)), strict=strict)
    return then(program.module(), x, y)


def compiled(then, backend="aot_eager"):
    def work(f, x, y):
        torch._dynamo.reset()
        return then(torch.compile(f, backend=backend, fullgraph=True), x, y)

    return work


def compile_all(then):
    """The transform itself is compiled."""

    def work(f, x, y):
        torch._dynamo.reset()
        return torch.compile(lambda a, b: then(f, a, b), backend="aot_eager")(*plain(x, y))

    return work


def compiled_autograd(f, x, y):
    torch._dynamo.reset()
    with torch._dynamo.compiled_autograd._enable(torch.compile(backend="aot_eager")):
        f(x, y).sum().backward()
    return [side.grad for side in (x, y) if side.requires_grad]


def checkpoint(f, x, y, reentrant):
    torch.utils.checkpoint.checkpoint(f, x, y, use_reentrant=reentrant).sum().backward()
    return [side.grad for side in (x, y) if side.requires_grad]


def functional(name, *more):
    def work(f, x, y):
        (x,) = plain(x)
        made = getattr(ad.functional, name)(lambda a: summed(f)(a, y.detach()), x, *(make(x) for make in more))
        return [made[1]] if isinstance(made, tuple) else [made]

    return work


def of_func(transform):
    """torch.func: a transform of the function of the first side."""
    return lambda f, x, y: transform(lambda a: f(a, y.detach()), x.detach())


def vmapped(f, x, y):
    return [func.vmap(lambda a, b: f(a, b).sum())(*plain(x, y))]


def negated(f, x, y, which):
    """Memory whose values torch negates."""
    sides = [x, y]
    hidden = torch.complex(torch.zeros_like(x), -sides[which].detach()).conj().imag
    assert hidden.is_neg()
    leaves = list(fresh(x, y))
    leaves[which] = hidden.requires_grad_(sides[which].requires_grad)
    return backward(f, *leaves) + [f(*leaves)]


def negated_factor(f, x, y):
    value = f(x, y)
    factor = torch.complex(torch.zeros_like(value), torch.full_like(value, 3)).detach().conj().imag
    return ad.grad(value, x, factor) + ad.grad(f(x, y), x, factor, create_graph=True)


def flattened(f, x, y):
    """A dispatch mode of someone's, which sees operators."""
    from torch.utils._python_dispatch import TorchDispatchMode

    class Seen(TorchDispatchMode):
        def __torch_dispatch__(self, operator, types, args=(), kwargs=None):
            return operator(*args, **(kwargs or {}))

    with Seen():
        return backward(f, x, y)


WAYS = {
    "value": lambda f, x, y: [f(x, y)],
    "backward": backward,
    "grad, is_grads_batched": batched,
    "penalty on the gradient": penalty,
    "penalty, linear in it": lambda f, x, y: penalty(f, x, y, by=lambda g: (g * direction(g)).sum()),
    "grad of grad": grad_of_grad,
    "grad by a factor": learned_factor,
    "make_dual of OUT": dual,
    "make_dual of REF": lambda f, x, y: dual(f, x, y, 1),
    "make_dual, no_grad": lambda f, x, y: dual(f, x, y, 0, torch.no_grad),
    "make_dual, requires grad": dual_that_requires,
    "functional.jacobian": functional("jacobian"),
    "functional.jacobian, vectorize": lambda f, x, y: [
        ad.functional.jacobian(lambda a: summed(f)(a, y.detach()), x.detach(), vectorize=True)
    ],
    "functional.jacobian, forward": lambda f, x, y: [
        ad.functional.jacobian(lambda a: summed(f)(a, y.detach()), x.detach(), vectorize=True, strategy="forward-mode")
    ],
    "functional.hessian": functional("hessian"),
    "functional.hvp": functional("hvp", direction),
    "functional.vhp": functional("vhp", direction),
    "functional.jvp": functional("jvp", direction),
    "functional.vjp": functional("vjp", lambda x: torch.tensor(2.0, dtype=x.dtype)),
    "func.grad": of_func(lambda g, x: [func.grad(summed(g))(x)]),
    "func.grad_and_value": of_func(lambda g, x: func.grad_and_value(summed(g))(x)),
    "func.grad of grad": of_func(lambda g, x: [func.grad(lambda a: func.grad(summed(g))(a).pow(2).sum())(x)]),
    "func.vjp": of_func(lambda g, x: func.vjp(summed(g), x)[1](torch.tensor(2.0, dtype=x.dtype))),
    "func.jvp": of_func(lambda g, x: [func.jvp(g, (x,), (direction(x),))[1]]),
    "func.linearize": of_func(lambda g, x: [func.linearize(g, x)[1](direction(x))]),
    "func.jacrev": of_func(lambda g, x: [func.jacrev(g)(x)]),
    "func.jacfwd": of_func(lambda g, x: [func.jacfwd(g)(x)]),
    "func.hessian": of_func(lambda g, x: [func.hessian(summed(g))(x)]),
    "func.jacrev of jacrev": of_func(lambda g, x: [func.jacrev(func.jacrev(summed(g)))(x)]),
    "func.functionalize": lambda f, x, y: [func.functionalize(f)(*plain(x, y))],
    "func.vmap": vmapped,
    "func.vmap of grad": lambda f, x, y: [func.vmap(func.grad(summed(f)))(*plain(x, y))],
    "func.grad of vmap": of_func(
        lambda g, x: [func.grad(lambda a: func.vmap(summed(g))(torch.stack([a, a * 0.5])).sum())(x)]
    ),
    "vmap, then backward": lambda f, x, y: backward(lambda a, b: func.vmap(summed(f))(a, b), x, y),
    "make_fx, real": fx("real"),
    "make_fx, fake": fx("fake"),
    "make_fx, symbolic": fx("symbolic"),
    "make_fx, pre_dispatch": fx("real", True),
    "make_fx of a gradient, real": fx_of_gradient("real"),
    "make_fx of a gradient, fake": fx_of_gradient("fake"),
    "make_fx of a gradient, symbolic": fx_of_gradient("symbolic"),
    "make_fx, then backward": fx_then_gradient,
    "make_fx, then make_dual": fx_then_dual,
    "make_fx of a backward pass": fx_of_backward,
    "jit.trace": jit,
    "jit.trace, then backward": lambda f, x, y: jit(f, x, y, backward),
    "jit.trace, then make_dual": lambda f, x, y: jit(f, x, y, dual),
    "export": export,
    "export, strict": lambda f, x, y: export(f, x, y, True),
    "export, then backward": lambda f, x, y: export(f, x, y, False, backward),
    "compile": compiled(lambda f, x, y: [f(x, y)]),
    "compile, backward": compiled(backward),
    "compile, penalty": compiled(penalty),
    "compile, make_dual": compiled(dual),
    "compile of func.grad": compile_all(of_func(lambda g, x: [func.grad(summed(g))(x)])),
    "compile of func.jvp": compile_all(of_func(lambda g, x: [func.jvp(g, (x,), (direction(x),))[1]])),
    "compile of func.hessian": compile_all(of_func(lambda g, x: [func.hessian(summed(g))(x)])),
    "compile of func.vmap": compile_all(vmapped),
    "compiled autograd": compiled_autograd,
    "checkpoint": lambda f, x, y: checkpoint(f, x, y, False),
    "checkpoint, reentrant": lambda f, x, y: checkpoint(f, x, y, True),
    "dispatch mode": flattened,
    "lazy negation of OUT": lambda f, x, y: negated(f, x, y, 0),
    "lazy negation of REF": lambda f, x, y: negated(f, x, y, 1),
    "lazy negation of a factor": negated_factor,
}

UNCLEAR = re.compile(r"INTERNAL ASSERT|data pointer|is NULL|has no attribute|recursion|^$", re.I)


def outcome(way, name: str, dtype, other: bool) -> str:
    """Returns "equal", or why it raises; fails if it is neither."""
    ours, exact = FUNCTIONS[name]
    wide = [side.detach().double().requires_grad_(side.requires_grad) for side in inputs(dtype, other)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            got = way(ours, *inputs(dtype, other))
        except Exception as error:  # noqa: BLE001
            lines = [line for line in str(error).splitlines() if line.strip()]
            text = next((line for line in lines if "there is no derivative" in line), (lines or [""])[0])
            assert not UNCLEAR.search(text), f"{type(error).__name__}: {error}"
            return f"{type(error).__name__}: {text.strip()}"
        wanted = way(exact, *wide)
    assert len(got) == len(wanted)
    for mine, theirs in zip(got, wanted):
        assert mine is not None, "a derivative that is None"
        far = float((mine.detach().double() - theirs.detach()).abs().max())
        share = far / (float(theirs.detach().abs().max()) or 1)
        assert share < (2e-5 if dtype == torch.float32 else 1e-9), f"off by {share:.1e} of {float(theirs.abs().max()):.1e}"
    return "equal"


HEAVY = ("compile", "export")  # each takes a second, so there are fewer unless SSIMCU_SEARCH is set
_table: dict[str, dict[str, str]] = {}


@pytest.fixture(scope="module", autouse=True)
def table():
    yield
    stream = io.StringIO()
    for way, found in _table.items():
        texts = sorted(set(found.values()))
        print(f"{way:34} {' | '.join(text[:110] for text in texts)}", file=stream)
    print("\n" + stream.getvalue())


@pytest.mark.parametrize("other", [False, True], ids=["", "both"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=["f32", "f64"])
@pytest.mark.parametrize("way", WAYS)
def test_transform(way: str, dtype, other: bool) -> None:
    wrong = []
    names = list(FUNCTIONS)
    if way.startswith(HEAVY) and not os.environ.get("SSIMCU_SEARCH"):
        names = ["l1_ssim", "ssim"] if dtype == torch.float32 and not other else ["l1_ssim"]
    for name in names:
        try:
            _table.setdefault(way, {})[f"{name} {dtype} {other}"] = outcome(WAYS[way], name, dtype, other)
        except AssertionError as error:
            wrong.append(f"{name}: {str(error).splitlines()[0]}")
            _table.setdefault(way, {})[f"{name} {dtype} {other}"] = "WRONG"
    assert not wrong, wrong
