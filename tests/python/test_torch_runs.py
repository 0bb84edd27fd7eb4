"""The loss under what torch does with a function: compile, checkpoints, DDP, CUDA graphs, a training."""

from __future__ import annotations

import threading

import pytest
from torch_model import DEVICES, SHAPE, close, each_device, exact, pair, torch

import ssimcu.torch as loss

needs_operator = pytest.mark.skipif(not loss._OPERATOR, reason="before torch 2.4 there is no operator")


@each_device
@needs_operator
def test_operator(device) -> None:
    out, ref = pair(device)
    mask = torch.ones(1, 1, *SHAPE[-2:], device=device)
    both = out, ref.clone().requires_grad_()
    half = [side.detach().half() for side in both]
    tests = ["test_schema", "test_autograd_registration", "test_faketensor", "test_aot_dispatch_dynamic"]
    for given in (
        (out, ref, None, 1, 0.2, 0.8, 0, 1.0, False, 0, True, False),
        (*both, mask, 0, 1.0, 0.0, 1, 1.0, False, 0, True, True),
        (*both, None, 0, -1.0, 0.0, 0, 1.0, True, 1, True, True),
        (half[0].requires_grad_(), half[1], None, 1, 0.2, 0.8, 0, 1.0, False, 0, True, False),
        (out.detach(), ref, None, 1, 0.2, 0.8, 0, 1.0, False, 0, False, False),
    ):
        torch.library.opcheck(torch.ops.ssimcu.loss.default, given, test_utils=tests)


@each_device
@needs_operator
@pytest.mark.parametrize("dynamic", [False, True])
def test_compile(device, dynamic) -> None:
    torch._dynamo.reset()
    out, ref = pair(device)
    mask = torch.ones(SHAPE[-2:], device=device)
    compiler = "inductor" if device == "cuda" else "aot_eager"

    def step(x, y):
        x = x * 1.5
        first = loss.l1_ssim(x, y, mask=mask, mask_rule="mean") + loss.fused_ssim(x, y)
        return first + loss.ssim(x, y, 1, size_average=False).sum() + loss.SSIM(1)(x, y)

    compiled = torch.compile(step, fullgraph=True, backend=compiler, dynamic=dynamic)
    for grad in (True, False):
        with torch.set_grad_enabled(grad):
            values = [work(out, ref) for work in (step, compiled)]
        assert torch.allclose(*values) and values[1].requires_grad == grad
        if grad:
            gradients = [torch.autograd.grad(value, out)[0] for value in values]
            assert torch.allclose(*gradients, rtol=1e-5, atol=1e-9)


@each_device
def test_checkpoint(device) -> None:
    out, ref = pair(device)
    wanted = torch.autograd.grad(loss.l1_ssim(out * 0.9, ref), out)[0]
    for reentrant in (False, True):
        value = torch.utils.checkpoint.checkpoint(
            lambda x: loss.l1_ssim(x * 0.9, ref), out, use_reentrant=reentrant
        )
        assert torch.equal(torch.autograd.grad(value, out)[0] if not reentrant else wanted, wanted)
        if reentrant:
            out.grad = None
            value.backward()
            assert torch.equal(out.grad, wanted)


@each_device
def test_amp(device) -> None:
    """Under autocast a network's picture is of halves, and a factor keeps their gradients from being 0."""
    dtype = torch.float16 if device == "cuda" else torch.bfloat16
    torch.manual_seed(2)
    net = torch.nn.Conv2d(3, 3, 3, padding=1).to(device)
    image, ref = (side.detach() for side in pair(device))
    scaler, optimizer = torch.amp.GradScaler(device), torch.optim.SGD(net.parameters(), 0.1)
    with torch.autocast(device, dtype):
        drawn = net(image)
        value = loss.l1_ssim(drawn, ref)
    assert drawn.dtype == dtype and value.dtype == torch.float32
    scaler.scale(value).backward()
    scaler.unscale_(optimizer)
    before = net.weight.detach().clone()
    assert torch.allclose(net.weight.grad, _plain_gradient(net, image, ref), rtol=0.05, atol=1e-4)
    scaler.step(optimizer)
    assert not torch.equal(net.weight, before)


def _plain_gradient(net, image, ref) -> torch.Tensor:
    return torch.autograd.grad(loss.l1_ssim(net(image), ref), net.weight)[0]


def _train_apart(rank: int, meet: str) -> None:
    """One of two processes, which has half of the images."""
    torch.distributed.init_process_group("gloo", init_method=meet, rank=rank, world_size=2)
    torch.manual_seed(2)
    net = torch.nn.Conv2d(3, 3, 3, padding=1)
    image, ref = (side.detach() for side in pair("cpu"))
    own = slice(rank, rank + 1)
    wrapped = torch.nn.parallel.DistributedDataParallel(net)
    loss.l1_ssim(wrapped(image[own]), ref[own]).backward()
    assert torch.allclose(net.weight.grad, _plain_gradient(net, image, ref), rtol=1e-4, atol=1e-8)
    torch.distributed.destroy_process_group()


def test_ddp(tmp_path) -> None:
    if not torch.distributed.is_available():
        pytest.skip("a torch without torch.distributed")
    torch.multiprocessing.spawn(_train_apart, (f"file://{tmp_path}/meet",), nprocs=2)


@each_device
def test_threads(device) -> None:
    out, ref = pair(device)
    wanted = torch.autograd.grad(loss.l1_ssim(out, ref), out)[0]
    right = []

    def work() -> None:
        for _ in range(20):
            mine = out.detach().clone().requires_grad_()
            loss.l1_ssim(mine, ref).backward()
            right.append(torch.equal(mine.grad, wanted))

    threads = [threading.Thread(target=work) for _ in range(4)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert len(right) == 80 and all(right)


def test_streams() -> None:
    """The loss waits for what its own stream is still to write, and for no other."""
    if "cuda" not in DEVICES:
        pytest.skip("no GPU")
    out, ref = (side.detach() for side in pair("cuda"))
    wanted, made = exact(out, ref, 0.2), []
    for stream in (torch.cuda.Stream(), torch.cuda.Stream()):
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            late = torch.zeros_like(out)
            torch.cuda._sleep(50_000_000)
            late.copy_(out)
            value = loss.l1_ssim(late.requires_grad_(), ref)
            value.backward()
            made.append((value, late))
    torch.cuda.synchronize()
    for value, late in made:
        close(value, late.grad, wanted)


def test_memory_of_a_gpu() -> None:
    """A step takes its gradient, and little beside it."""
    if "cuda" not in DEVICES:
        pytest.skip("no GPU")
    out, ref = pair("cuda", (1, 3, 1080, 1920))
    for _ in range(2):
        out.grad = None
        before = torch.cuda.memory_allocated()
        torch.cuda.reset_peak_memory_stats()
        loss.l1_ssim(out, ref).backward()
    assert torch.cuda.max_memory_allocated() - before < 1.05 * out.numel() * 4


def test_cuda_graph() -> None:
    if "cuda" not in DEVICES:
        pytest.skip("no GPU")
    out, ref = (side.detach() for side in pair("cuda"))
    out.requires_grad_()
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):
            out.grad = None
            loss.l1_ssim(out, ref).backward()
    torch.cuda.current_stream().wait_stream(side)
    out.grad = None
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        value = loss.l1_ssim(out, ref)
        value.backward()
    ref.copy_(torch.rand_like(ref))
    graph.replay()
    close(value, out.grad, exact(out, ref, 0.2))


def test_fit(root) -> None:
    """A small training ends where that with float64 autograd does."""
    import importlib.util

    spec = importlib.util.spec_from_file_location("fit", root / "bench/loss/fit.py")
    fit = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(fit)
    ours, exactly = (fit.train(way, steps=25, gaussians=60, size=48, device="cpu") for way in ("ssimcu", "float64"))
    assert exactly[-1] < 0.8 * exactly[0]
    assert max(abs(a - b) for a, b in zip(ours, exactly)) < 1e-3
