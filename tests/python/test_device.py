"""Tensors of torch, CuPy and JAX on a GPU: the scores against the CPU, and a submission between other work on a stream.

The work before a submission takes long and writes the right pictures at its end; the work behind overwrites them at once. So a
submission that does not wait for what is before it, or lets what is behind it run first, gives another score. That these tests
would see it is tried as well. `device.py` has what needs no framework."""

from __future__ import annotations

import gc
import os

import needed
import pytest
import ssimcu
from ssimcu import _cuda

torch = needed.module("torch")
if not torch.cuda.is_available() or len(ssimcu.devices()) < 2:
    pytest.skip("no GPU, or a build without CUDA", allow_module_level=True)

from cuda_calls import CudaCalls, library  # noqa: E402

HEIGHT, WIDTH, LONG = 720, 1280, 100_000_000  # clocks, about 55 ms
TYPES = {"u8": "uint8", "f16": "float16", "bf16": "bfloat16", "f32": "float32"}
FORMS = ("u8 HWC", "u8 NHWC", "f16 CHW", "bf16 CHW", "f32 CHW", "f32 NCHW", "bf16 NCHW")
WAYS = ("torch", "cupy", "interface")


def make(form: str) -> tuple[torch.Tensor, torch.Tensor]:
    """Makes two pictures, or two batches of three, on the host."""
    kind, layout = form.split()
    rng = torch.Generator().manual_seed(len(form))
    frames = 3 if "N" in layout else 1
    ref = torch.rand(frames, 3, HEIGHT // 16, WIDTH // 16, generator=rng)
    ref = torch.nn.functional.interpolate(ref, (HEIGHT, WIDTH), mode="bilinear")
    out = (ref + 0.05 * torch.randn(ref.shape, generator=rng)).clamp(0, 1)
    pair = [(side * 255).round() if kind == "u8" else side for side in (ref, out)]
    pair = [side.to(getattr(torch, TYPES[kind])) for side in pair]
    if layout.endswith("HWC"):
        pair = [side.permute(0, 2, 3, 1).contiguous() for side in pair]
    return tuple(side if "N" in layout else side[0] for side in pair)


class Shown:
    """Memory that is shown by the array interface alone."""

    def __init__(self, array) -> None:
        self.array = array

    @property
    def __cuda_array_interface__(self):
        return self.array.__cuda_array_interface__


class Torch:
    """What the tests ask of a framework."""

    def __init__(self) -> None:
        self.stream, self.other = torch.cuda.Stream(), torch.cuda.Stream()

    def current(self):
        return torch.cuda.stream(self.stream)

    def device(self, tensor: torch.Tensor):
        return tensor.cuda()

    def show(self, array):
        return array

    def copy(self, to, source) -> None:
        to.copy_(source)

    def clear(self, array) -> None:
        array.zero_()

    def handle(self, stream) -> int:
        return stream.cuda_stream

    def allocated(self) -> int:
        return torch.cuda.memory_stats()["allocation.all.allocated"]


class Cupy(Torch):
    def __init__(self) -> None:
        self.cupy = needed.module("cupy")
        self.stream = self.cupy.cuda.Stream(non_blocking=True)
        self.other = self.cupy.cuda.Stream(non_blocking=True)

    def current(self):
        return self.stream

    def device(self, tensor: torch.Tensor):
        if tensor.dtype == torch.bfloat16:
            pytest.skip("numpy, which CuPy takes its types from, has no bfloat16")
        return self.cupy.asarray(tensor.numpy())

    def copy(self, to, source) -> None:
        to[...] = source

    def clear(self, array) -> None:
        array.fill(0)

    def handle(self, stream) -> int:
        return stream.ptr

    def allocated(self) -> int:
        return self.cupy.get_default_memory_pool().used_bytes()


class Interface(Cupy):
    def show(self, array):
        return Shown(array)


@pytest.fixture(params=WAYS)
def way(request):
    return {"torch": Torch, "cupy": Cupy, "interface": Interface}[request.param]()


class Scene:
    """A pair that is written late and overwritten early, on the framework's current stream."""

    def __init__(self, way: Torch, form: str) -> None:
        self.way = way
        self.source = [way.device(side) for side in make(form)]
        self.array = [way.device(side) for side in make(form)]
        self.pair = [way.show(side) for side in self.array]
        self.request = ssimcu.Request(*self.pair)
        self.submit(way.stream)  # the first one loads the kernels
        self.wanted = self.request.result().score
        torch.cuda.synchronize()

    def submit(self, stream=None) -> None:
        self.request.submit(*self.pair, stream=stream)

    def delay(self, handle: int) -> None:
        with torch.cuda.stream(torch.cuda.ExternalStream(handle)):
            torch.cuda._sleep(LONG)

    def score(self, stream=None, busy: int = 0) -> tuple[float, bool]:
        """Returns the score, and whether it was there as soon as it was asked for. ``busy``: how many delays are on the other
        stream."""
        for side in self.array:
            self.way.clear(side)
        torch.cuda.synchronize()
        for _ in range(busy):
            self.delay(self.way.handle(self.way.other))
        with self.way.current():
            self.delay(self.way.handle(self.way.stream))
            for to, source in zip(self.array, self.source):
                self.way.copy(to, source)
            self.submit(stream)
            ready = self.request.ready()
            self.way.clear(self.array[0])
        score = self.request.result().score
        torch.cuda.synchronize()
        return score, ready


@pytest.mark.parametrize("form", FORMS)
def test_scores(way, form) -> None:
    pair = make(form)
    host = ssimcu.compare(
        *(side.numpy() if side.dtype != torch.bfloat16 else side for side in pair)
    )
    device = ssimcu.compare(*(way.show(way.device(side)) for side in pair), map=True)
    assert 0.1 < host.score < 0.999
    assert device.device == "cuda:0" and device.copied == ()
    assert device.score == pytest.approx(host.score, abs=1e-6)
    assert len(device.pairs) == len(host.pairs) == (3 if "N" in form else 0)
    for a, b in zip(device.pairs or (device,), host.pairs or (host,)):
        assert a.score == pytest.approx(b.score, abs=1e-6)
        assert a.worst.score == pytest.approx(b.worst.score, abs=1e-5)


@pytest.mark.parametrize("form", FORMS)
def test_order(way, form) -> None:
    scene = Scene(way, form)
    for stream in (None, scene.way.stream):
        assert scene.score(stream) == (scene.wanted, False)


def test_missing_wait_is_seen(way, monkeypatch) -> None:
    """A submission that does not wait for what is before it."""
    scene = Scene(way, "u8 HWC")
    monkeypatch.setattr(_cuda.Stream, "for_dlpack", lambda self: -1)
    monkeypatch.setattr(_cuda.Stream, "follow", lambda self, other: None)
    assert scene.score(way.other)[0] != scene.wanted


def test_overtaking_is_seen(way) -> None:
    """A stream that is not the current one is waited for, but what is behind may overtake it."""
    scene = Scene(way, "u8 HWC")
    assert scene.score(way.other, busy=2)[0] != scene.wanted


@pytest.mark.parametrize("form", FORMS)
def test_calls(way, form) -> None:
    """A submission waits for nothing, allocates nothing and copies no samples."""
    try:
        library()
    except OSError as error:
        pytest.skip(str(error))
    scene = Scene(way, form)
    before = way.allocated()
    with way.current(), CudaCalls() as calls:
        scene.submit()
        scene.request.ready()
    assert way.allocated() == before
    assert calls.waits() == []
    assert not [name for name in calls.names if "EventCreate" in name or "WaitEvent" in name]
    assert calls.kernels and not [n for n in calls.kernels if "2at" in n or "cupy" in n]
    # The one copy is that of the results. A picture has 2.7 MB or more.
    assert len(calls.copied) == 1 and calls.copied[0] < 100_000
    scene.request.result()
    print(f"\n{type(way).__name__} {form}: {dict(calls.names)}, copied {calls.copied}")


def test_calls_are_seen() -> None:
    """The counter sees copies, waits and allocations of the library and of others."""
    ref, out = (side.cuda() for side in make("f32 CHW"))
    with CudaCalls() as calls:
        request = ssimcu.Request(ref, out)
    assert any("Alloc" in name for name in calls.waits())
    with CudaCalls() as calls:
        request.submit(ref.transpose(1, 2).contiguous().transpose(1, 2).contiguous(), out)
    assert [name for name in calls.kernels if "2at" in name]
    with CudaCalls() as calls:
        request.result()
    assert any("Synchronize" in name for name in calls.waits())
    with CudaCalls() as calls:
        ref.clone(), ref.cpu()
    assert ref.nbytes in calls.copied


@pytest.mark.parametrize("form", ("u8 HWC", "f32 NCHW", "u8 rows"))
def test_other_tensors_of_a_request(form) -> None:
    """A request scores tensors elsewhere; their channels may lie in the rows of one another."""
    pairs = []
    for layout in ("f32 CHW", "f32 NCHW"):  # two seeds
        pair = [side[0] if side.dim() == 4 else side for side in make(layout)]
        if form == "f32 NCHW":
            pair = [side.expand(2, *side.shape).contiguous() for side in pair]
        else:
            pair = [(side * 255).round().to(torch.uint8) for side in pair]
            order = (1, 2, 0) if form == "u8 HWC" else (1, 0, 2)
            pair = [side.permute(order).contiguous() for side in pair]
        pair = [side.cuda() for side in pair]
        pairs.append([side.permute(1, 0, 2) for side in pair] if form == "u8 rows" else pair)
    requests = [ssimcu.Request(*pair) for pair in pairs]
    scores = []
    for request, pair in zip(requests, pairs):
        request.submit(*pair)
        scores.append(request.result().score)
    assert scores[0] != scores[1]
    for pair, score in zip(pairs[::-1], scores[::-1]):
        requests[0].submit(*pair)
        assert requests[0].result().score == score
        assert ssimcu.compare(*pair).score == score


def test_memory_lives_until_the_result() -> None:
    """The caller may drop the tensors: their memory is given to nobody else before."""
    ref, out = (side.cuda() for side in make("f32 CHW"))
    request, stream = ssimcu.Request(ref, out), torch.cuda.Stream()
    wanted = ssimcu.compare(ref, out).score
    torch.cuda.synchronize()
    with torch.cuda.stream(stream):
        torch.cuda._sleep(LONG)
        request.submit(ref, out)
    shape, places = ref.shape, {ref.data_ptr(), out.data_ptr()}
    del ref, out
    gc.collect()
    others = [torch.zeros(shape, device="cuda") for _ in range(4)]
    assert not places & {other.data_ptr() for other in others}
    assert request.result().score == wanted
    others = [torch.zeros(shape, device="cuda") for _ in range(4)]
    assert places & {other.data_ptr() for other in others}  # now it is


def test_gradients_are_refused() -> None:
    ref, out = (side.cuda() for side in make("f32 CHW"))
    with pytest.raises(ssimcu.Error, match="grad"):
        ssimcu.compare(ref.requires_grad_(), out)
    assert 0 < ssimcu.compare(ref.detach(), out).score < 1


def test_other_tensors() -> None:
    out = make("f32 CHW")[1].cuda()
    negated = torch.complex(out, out).conj().imag
    for side, says in (
        (negated, "resolve_neg"),
        (out.to_sparse(), "expected strided"),
        (out.int(), "torch.int32"),
        (out.flip(-1).transpose(0, 2), "apart"),
        (out.cpu(), "in host memory"),
    ):
        with pytest.raises(ssimcu.Error, match=says):
            ssimcu.compare(side, out)
    turned = out.transpose(1, 2).contiguous().transpose(1, 2)  # rows and pixels in the other order
    with pytest.raises(ssimcu.Error, match="make it contiguous"):
        ssimcu.compare(turned, out)
    assert ssimcu.compare(turned.contiguous(), out).score == 1
    every = out[:, ::2, 8:-8]  # every second row, without what is at the sides
    assert ssimcu.compare(every, every.contiguous()).score == 1


@pytest.mark.parametrize("form", ("u8 HWC", "f32 CHW", "bf16 NCHW"))
def test_jax(form) -> None:
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    jax = needed.module("jax")
    if jax.default_backend() != "gpu":
        pytest.skip("JAX without a GPU")
    pair = [side.cuda() for side in make(form)]
    arrays = [jax.dlpack.from_dlpack(side) for side in pair]
    assert ssimcu.compare(*arrays).score == ssimcu.compare(*pair).score
