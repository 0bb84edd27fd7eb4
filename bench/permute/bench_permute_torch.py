"""bench_permute_torch.py [--only NAME-PART] [--runs N]: times PyTorch's permute().contiguous()
on bench_permute's cases in the same way, as rows of the same table."""

import argparse
import datetime
import math
import sys
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "common"))
from torch_timer import Timer

# Name, element type, source shape, permutation, as in cases.cu. Integers stand for element types
# that PyTorch lacks or does not copy. A fifth item is the type of the destination.
CASES = [
    ("HWC3 -> CHW u8, 8 x 4K", torch.uint8, (8, 2160, 3840, 3), (0, 3, 1, 2)),
    ("HWC3 -> CHW u8, 1 x 4K", torch.uint8, (2160, 3840, 3), (2, 0, 1)),
    ("HWC3 -> CHW f32, 8 x 4K", torch.float32, (8, 2160, 3840, 3), (0, 3, 1, 2)),
    ("HWC3 u8 -> CHW f32, 8 x 4K", torch.uint8, (8, 2160, 3840, 3), (0, 3, 1, 2), torch.float32),
    ("CHW -> HWC3 u8, 8 x 4K", torch.uint8, (8, 3, 2160, 3840), (0, 2, 3, 1)),
    ("HWC4 -> CHW u8, 8 x 4K", torch.uint8, (8, 2160, 3840, 4), (0, 3, 1, 2)),
    ("HWC2 -> CHW u8, 8 x 4K", torch.uint8, (8, 2160, 3840, 2), (0, 3, 1, 2)),
    ("HWC3 -> CHW u16, 8 x 4K", torch.int16, (8, 2160, 3840, 3), (0, 3, 1, 2)),
    ("(0,2,1) f16, 16 x 5792 x 724", torch.float16, (16, 5792, 724), (0, 2, 1)),
    ("(0,2,1) f32, 16 x 5792 x 724", torch.float32, (16, 5792, 724), (0, 2, 1)),
    ("(0,2,1) 8-byte, 16 x 2896 x 724", torch.int64, (16, 2896, 724), (0, 2, 1)),
    ("(0,2,1) 16-byte, 16 x 1448 x 724", torch.complex128, (16, 1448, 724), (0, 2, 1)),
    ("(1,0,2) f16, 16 x 5792 x 724", torch.float16, (16, 5792, 724), (1, 0, 2)),
    ("(1,0,2) f32, 16 x 5792 x 724", torch.float32, (16, 5792, 724), (1, 0, 2)),
    ("NCHW -> NC/32HW32 u8, 64 x 1080p", torch.uint8, (2, 32, 1080, 1920), (0, 2, 3, 1)),
    ("NCHW -> NC/4HW4 u8, 64 x 1080p", torch.uint8, (16, 4, 1080, 1920), (0, 2, 3, 1)),
    ("HWC3 -> CHW u8, 8 x 2160 x 3841", torch.uint8, (8, 2160, 3841, 3), (0, 3, 1, 2)),
    ("(0,2,1) u8, 13 x 5779 x 727", torch.uint8, (13, 5779, 727), (0, 2, 1)),
    ("(0,2,1) f16, 13 x 5779 x 727", torch.float16, (13, 5779, 727), (0, 2, 1)),
    ("(0,2,1) f32, 13 x 5779 x 727", torch.float32, (13, 5779, 727), (0, 2, 1)),
    ("(1,0,2) u8, 13 x 5779 x 727", torch.uint8, (13, 5779, 727), (1, 0, 2)),
    ("transpose f32, 8192 x 8192", torch.float32, (8192, 8192), (1, 0)),
]


def random_source(dtype, shape):
    if dtype.is_floating_point or dtype.is_complex:
        return torch.randn(shape, dtype=dtype, device="cuda")
    size = math.prod(shape) * dtype.itemsize
    return torch.randint(256, (size,), dtype=torch.uint8, device="cuda").view(dtype).view(shape)


def is_right(result, source, order):
    """Tells whether it is contiguous, with every element where the source's own indices say."""
    inverse = [order.index(i) for i in range(len(order))]
    return result.is_contiguous() and torch.equal(result.permute(inverse), source.to(result.dtype))


def print_row(case, name, bytes_moved, times, copy_us):
    median, low, high = times
    print(f"| {case} | {name} | {bytes_moved / median * 1e-3:.0f} | {100 * copy_us / median:.1f} % "
          f"| {median:.1f} | {low:.1f} .. {high:.1f} |", flush=True)


def ways(source, order, to):
    """Returns the ways to write it in PyTorch, by name."""
    view = source.permute(order)
    if to == source.dtype:
        return {"permute().contiguous()": view.contiguous}
    return {
        "permute().to(float32), contiguous": lambda: view.to(
            to, memory_format=torch.contiguous_format),
        "permute().contiguous().float()": lambda: view.contiguous().to(to),
        "float().permute().contiguous()": lambda: source.to(to).permute(order).contiguous(),
    }


def run_case(timer, name, dtype, shape, order, to=None):
    to = to or dtype
    source = random_source(dtype, shape)
    bytes_moved = math.prod(shape) * (dtype.itemsize + to.itemsize)
    copy_src = torch.zeros(bytes_moved // 2, dtype=torch.uint8, device="cuda")
    copy_dst = torch.empty_like(copy_src)
    copy = timer.measure(bytes_moved, lambda: copy_dst.copy_(copy_src))
    print_row(name, "copy of the same bytes (PyTorch)", bytes_moved, copy, copy[0])
    right = True
    for label, way in ways(source, order, to).items():
        if is_right(way(), source, order):
            print_row(name, f"PyTorch {label}", bytes_moved, timer.measure(bytes_moved, way),
                      copy[0])
        else:
            print(f"| {name} | PyTorch {label} | WRONG | | | |", flush=True)
            right = False
    return right


def warm_up():
    """Copies for half a second or so, so that the clocks are up before the first row."""
    source = torch.zeros(1 << 30, dtype=torch.uint8, device="cuda")
    target = torch.empty_like(source)
    for _ in range(1000):
        target.copy_(source)
    torch.cuda.synchronize()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="cases whose name contains this")
    parser.add_argument("--runs", type=int, default=50)
    options = parser.parse_args()
    if options.runs < 1:
        parser.error("--runs is at least 1")
    cases = [case for case in CASES if options.only in case[0]]
    timer = Timer(options.runs)
    today = datetime.datetime.now(datetime.timezone.utc)
    print(f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}, "
          f"CUDA {torch.version.cuda}, {today:%Y-%m-%d}; {options.runs} runs\n")
    print("| case | implementation | GB/s | of copy | median us | min .. max us |")
    print("|---|---|---|---|---|---|")
    warm_up()
    wrong = 0
    for case in cases:
        wrong += not run_case(timer, *case)
        torch.cuda.empty_cache()
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
