"""Times launches of PyTorch as the benchmarks in C++ do. Used by bench_*_torch.py."""

import statistics

import torch

WARM_UP = 3


class Timer:
    """Puts CUDA events around each launch. L2 is overwritten before each run that could find its
    data there, `fills` times: meanwhile Python queues the launch, as it is ahead in a loop of steps."""

    def __init__(self, runs, fills=1):
        self.runs, self.fills = runs, fills
        self.l2_bytes = torch.cuda.get_device_properties(0).L2_cache_size
        self.flush_below = 4 * self.l2_bytes
        size = max(256 << 20, self.flush_below)
        self.flush = torch.empty(size, dtype=torch.uint8, device="cuda")
        self.events = [
            [torch.cuda.Event(enable_timing=True) for _ in range(2)] for _ in range(runs)
        ]

    def measure(self, bytes_moved, launch):
        """Returns median, minimum and maximum in microseconds."""
        for run in range(-WARM_UP, self.runs):
            if bytes_moved < self.flush_below:
                for _ in range(self.fills):
                    self.flush.fill_(run % 256)
            if run >= 0:
                self.events[run][0].record()
            launch()
            if run >= 0:
                self.events[run][1].record()
        torch.cuda.synchronize()
        times = [1e3 * start.elapsed_time(stop) for start, stop in self.events]
        return statistics.median_high(times), min(times), max(times)
