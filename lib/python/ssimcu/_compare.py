"""compare(): one call for arrays, tensors and files."""

from __future__ import annotations

from typing import Any, Optional, Sequence, Tuple, Union

from . import _again, _arrays, _context, _cuda, _files, _range, _request, _views
from ._arrays import Samples
from ._library import Error
from ._result import Batch, Result
from ._score import USUAL_TILE, score


def compare(
    ref: Any,
    out: Any,
    *,
    metric: Union[str, Sequence[str]] = "ssim",
    map: bool = False,
    tile: Optional[int] = USUAL_TILE,
    pad: str = "valid",
    color: str = "rgb",
    alpha: str = "worst",
    data_range: _views.Range = None,
    layout: Optional[str] = None,
    device: Optional[str] = None,
    linear: bool = False,
    threads: int = 0,
    compat: Optional[str] = None,
    region: Optional[Tuple[int, int, int, int]] = None,
) -> Result:
    """Scores ``out`` against ``ref``.

    Each of the two is one of:

    - a numpy array, or an object with ``__array_interface__``, ``__dlpack__`` or
      ``__cuda_array_interface__``, such as tensors of torch, CuPy and JAX. Samples are uint8,
      uint16, float16, float32, float64 or bfloat16, with any strides.
    - the path of a picture: PNG, JPEG, TIFF, DPX or EXR. For directories and video see `run`, which
      also reports channels of an EXR that the score does not cover.
    - a PIL image. It is turned by its Exif orientation (PIL.ImageOps.exif_transpose), like a file.

    Options:

    - ``metric``: "ssim", "psnr", "ms-ssim" or "ssimulacra2", or several of them. One of several is
      NaN if the picture is too small for it.
    - ``map``: also the SSIM of each window, `Result.map`.
    - ``tile``: side of a tile in pixels, 11 or more, for `Result.tiles` and `Result.worst`; None:
      no tiles. By default the CPU has none if ``metric`` is only "psnr", which is faster. There are
      also none if the picture is too small for SSIM but not for another ``metric``.
    - ``pad``: "valid", the windows inside the picture, or "zero", one window per pixel.
    - ``color``: "rgb", or "y709" or "y601" for luma.
    - ``alpha``: "worst" (over black and white, the lower score), "ignore", "black" or "white".
    - ``data_range``: value of white; None: 255 for uint8, 65535 for uint16, 1 for floats. A pair of
      numbers is for ref and out. Samples in host memory outside 0 to data_range (floats by more
      than 1e-5 of it) are an error; on a GPU they are scored unchanged.
    - ``layout``: "HW", "HWC", "CHW", "NHW", "NHWC" or "NCHW"; None: by the dimension of 1 to 4
      elements. N is a batch.
    - ``device``: "cpu", "cuda", "cuda:1" or "auto"; None: the device of the tensors, or the CPU for
      host memory.
    - ``linear``: floats are linear light, as in an EXR, and are scored as a viewer shows them. They
      may exceed their range, as in HDR.
    - ``threads``: CPU threads; 0: all that the process may use.
    - ``compat``: a tool whose numbers to reproduce, such as "ffmpeg" (ssimcu.h, ssimcu_compat). Its
      results have neither tiles nor a map; "vmaf" needs ``color="y709"`` or "y601".

    - ``region``: width, height, x and y of the area to compare. Positions in the result are
      relative to it.

    Samples are copied only if the library cannot read them in place; `Result.copied` has the
    reason. Tensors on a CUDA device are never copied. They are scored on their framework's current
    stream, after queued work, and the call waits for the score; `Request` does not wait. The GIL is
    released meanwhile. Each thread has separate contexts. A child of fork() may call it for host
    memory.

    Errors: `Error`, whose status is "argument" (also a sample outside 0 to data_range), "mismatch",
    "too small" (a side under 11 pixels; only for SSIMULACRA2 under 8), "unsupported", "data" (a
    float that is not finite, a damaged file), "file", "limit", "memory" or "device". TypeError if
    an argument is not a picture.

    >>> import numpy, ssimcu
    >>> ref = numpy.random.default_rng(1).random((64, 64, 3), numpy.float32)
    >>> ssimcu.compare(ref, ref).score
    1.0
    >>> ssimcu.compare(ref, ref[::-1]).score < 0.1
    True
    """
    for name, flag in (("map", map), ("linear", linear)):
        if type(flag).__name__ not in ("bool", "bool_"):  # also numpy's
            raise Error(f"{name} is {flag!r}, expected True or False")
    if compat is not None:
        if map:
            raise Error(f"compat={compat!r}: the tool has no map")
        if tile not in (64, 0, None):
            raise Error(f"compat={compat!r}: the tool has no tiles")
        tile = None
    options = (_context.names_of(metric), pad, color, alpha, device, threads, compat)
    aim = None
    if not map and region is None and _again.is_kept(data_range):
        types = type(tile), type(threads)  # True is not 1
        aim = _again.aim_of(ref, out, (options, tile, data_range, layout, linear, types))
    try:
        result = _again.score_again(aim) if aim else None
        if result is None:
            result = _compare(ref, out, options, map, tile, data_range, layout, linear, region, aim)
        return result
    except Error as error:
        if error.status == "device":
            _context.forget()
        raise


_CHOOSING = ("metric", "pad", "color", "alpha", "device", "threads", "compat")
"""The options that select a context, in the order of _context.options_of."""


def _compare(
    ref: Any,
    out: Any,
    options: Tuple[Any, ...],
    with_map: bool,
    tile: Optional[int],
    data_range: _views.Range,
    layout: Optional[str],
    linear: bool,
    region: Any,
    aim: Optional[_again.Aim],
) -> Result:
    line, colours = _cuda.stream_of(None, ref), None
    if line.torch_device is not None:
        sides = [_arrays.samples(ref, "ref", line), _take(out, "out", line)]
    elif _files.is_path(ref) and _files.is_path(out):
        sides, colours = _files.both(ref, out)
    else:
        sides = [_take(ref, "ref", line), _take(out, "out", line)]
    if region is not None:
        named = ((sides[0], ref, "ref"), (sides[1], out, "out"))
        sides = [_views.cut(side, _layout(value, layout), region, name) for side, value, name in named]
    if linear:
        sides[0].linear = sides[1].linear = True
    if sides[0].device is not None or sides[1].device is not None:
        more: dict[str, Any] = dict(zip(_CHOOSING, options))
        del more["threads"]  # the work is the GPU's
        more.update(tile=tile, data_range=data_range, layout=layout, linear=linear)
        return _request.compare(sides[0], sides[1], line, with_map, more)
    wanted, names = _context.options_of(*options)
    if tile is USUAL_TILE and set(names) == {"psnr"}:
        tile = None
    context = _context.context(wanted)
    peaks, place = _views.ranges(data_range), context.device
    refs, a, ref_samples = _views.views(sides[0], _layout(ref, layout), peaks[0], "ref", place)
    outs, b, out_samples = _views.views(sides[1], _layout(out, layout), peaks[1], "out", place)
    _check_pair(a, b, not (_files.is_path(ref) or _files.is_path(out)))
    copied = tuple(side.copied for side in (ref_samples, out_samples) if side.copied)
    results = tuple(score(context, p, q, names, with_map, tile, copied) for p, q in zip(refs, outs))
    for result in results:
        result.colours = colours
    both = ref_samples, out_samples
    _range.check_counts(both, (refs[0].peak, outs[0].peak), [r._score for r in results])
    if a.frames is not None:
        return Batch(results)
    scanned = any(_range.needs_scan(side, peak, place) for side, peak in zip(both, peaks))
    if aim and not copied and not scanned and place == "cpu":
        _again.keep(aim, context, (refs[0], outs[0]), both, names, tile)
    return results[0]


def _take(value: Any, name: str, line: _cuda.Stream) -> Samples:
    return _files.samples(value, what=name) if _files.is_path(value) else _arrays.samples(value, name, line)


def _layout(value: Any, layout: Optional[str]) -> Optional[str]:
    """Returns the layout of a side. A file's samples have a fixed order, whatever the order of the other side."""
    return "HWC" if _files.is_path(value) else layout


def _check_pair(a: _views.Picture, b: _views.Picture, is_arrays: bool) -> None:
    if a.frames != b.frames:
        raise Error(f"ref is {_frames(a)} and out is {_frames(b)}: they must be as many", "mismatch")
    if is_arrays and (a.height, a.width) != (b.height, b.width):
        text = f"ref is {a.height, a.width} and out is {b.height, b.width}, by (height, width)"
        raise Error(f"{text}: they must be alike", "mismatch")


def _frames(shown: _views.Picture) -> str:
    return "one picture" if shown.frames is None else f"a batch of {shown.frames}"
