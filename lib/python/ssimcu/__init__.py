"""SSIM of full-resolution frames, on NVIDIA GPUs and on the CPU.

>>> import numpy, ssimcu
>>> ref = numpy.full((64, 64, 3), 128, numpy.uint8)
>>> ssimcu.compare(ref, ref).score
1.0

`compare` takes arrays, tensors, pictures and paths; `run` takes directories and video. `Request`
scores tensors on a GPU without waiting. `check` judges frames without a reference. `merge` joins
results of `run` or `check`. The score is that of ``ssimcu.h``: Wang's SSIM with an 11 x 11 Gaussian
window at full resolution, within 2e-6 of float64 on every device.
"""

from ._check import Checked, CheckOptions, check
from ._compare import compare
from ._device import Device, __version__, devices
from ._files import read
from ._library import Error
from ._permute import permute
from ._request import Request
from ._result import Batch, Finding, Result, LevelShift, Tile
from ._options import RunOptions
from ._run import Record, Run, merge, run

__all__ = ["Batch", "CheckOptions", "Checked", "Device", "Error", "Finding", "Record", "Request", "Result", "Run"]
__all__ += ["RunOptions", "LevelShift", "Tile", "__version__", "check", "compare", "devices", "merge", "permute", "read", "run"]
