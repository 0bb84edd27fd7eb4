"""SSIM of full-resolution frames, on NVIDIA GPUs and on the CPU.

>>> import numpy, ssimcu
>>> ref = numpy.full((64, 64, 3), 128, numpy.uint8)
>>> ssimcu.compare(ref, ref).score
1.0

`compare` takes arrays, tensors, pictures and paths; `run` takes directories and video; `Request`
scores tensors on a GPU without waiting. The number is that of ``ssimcu.h``: Wang's SSIM with an
11 x 11 Gaussian window at full resolution, within 1e-6 of float64, the same on every device.
"""

from ._compare import compare
from ._device import Device, __version__, devices
from ._files import read
from ._library import Error
from ._permute import permute
from ._request import Request
from ._result import Batch, Result, Shift, Tile
from ._options import RunOptions
from ._run import Record, Run, run

__all__ = [
    "Batch",
    "Device",
    "Error",
    "Record",
    "Request",
    "Result",
    "Run",
    "RunOptions",
    "Shift",
    "Tile",
    "__version__",
    "compare",
    "devices",
    "permute",
    "read",
    "run",
]
