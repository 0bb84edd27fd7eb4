#!/usr/bin/env python3
"""bench_loss_cpu.py [--runs N] [--threads N]: times a step of SSIM + L1 and its gradient on the CPU beside conv2d's autograd, in
turns. Prints Markdown. Ours is held against conv2d in float64 first.
"""

from __future__ import annotations

import argparse
import statistics
import time

import torch
from bench_loss_torch import GRADIENT_LIMIT, LOSS_LIMIT, SIZES, WEIGHT, check, conv_ssim, step, tensors, with_l1
from ssimcu.torch import l1_ssim


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    others = with_l1(lambda x, y: conv_ssim(x, y, 5))
    print(f"torch {torch.__version__}, {options.threads} threads, median ms of {options.runs} in turns\n")
    print("| | ssimcu | conv2d | ratio (least to most) |\n|---|---|---|---|")
    for size in ("4K", "1080p", "1297 x 840"):
        x, y = tensors(SIZES[size], "f32", "cpu")
        check(size, lambda a, b: l1_ssim(a, b, weight=WEIGHT), others, x, y, (LOSS_LIMIT, GRADIENT_LIMIT))
        times: list[list[float]] = []
        for _ in range(options.runs):
            times.append([])
            for loss in (l1_ssim, others):
                start = time.perf_counter()
                step(loss, x, y)
                times[-1].append(1e3 * (time.perf_counter() - start))
        ours, theirs = (statistics.median(run[k] for run in times) for k in (0, 1))
        ratios = sorted(run[1] / run[0] for run in times)
        print(f"| {size} | {ours:.0f} | {theirs:.0f} | {statistics.median(ratios):.1f} ({ratios[0]:.1f} to {ratios[-1]:.1f}) |", flush=True)


if __name__ == "__main__":
    main()
