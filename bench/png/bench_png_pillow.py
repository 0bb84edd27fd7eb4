#!/usr/bin/env python3
"""bench_png_pillow.py FILE.png... [RUNS]: times decoding by Pillow, in CPU time of the thread, for bench_png.

Pillow's decoder unpacks 16-bit RGB to 8 bits, so those files cannot be compared.
"""
import statistics
import sys
import time
from io import BytesIO

import PIL
from PIL import Image

names = [name for name in sys.argv[1:] if not name.isdigit()]
runs = int(sys.argv[-1]) if sys.argv[-1].isdigit() else 11
print(f"Pillow {PIL.__version__}; ms of the thread's CPU: median of {runs} (min to max)\n")
for name in names:
    with open(name, "rb") as file:
        content = file.read()
    times = []
    for _ in range(runs):
        start = time.thread_time()
        Image.open(BytesIO(content)).load()
        times.append((time.thread_time() - start) * 1e3)
    print(f"| {name} | {statistics.median(times):.1f} ({min(times):.1f} to {max(times):.1f}) |")
