"""The options of a run, from Python's words to ssimcu_run_options."""

from __future__ import annotations

import ctypes
import os
from typing import Any, Callable, Dict, Mapping, Optional, Sequence, Tuple, TypedDict, Union

from . import _c, _context
from ._files import Path
from ._library import Error, choice, metric_numbers

Limits = Union[None, Path, Mapping[str, Any]]
_LIMITS = ("score", "frame", "tile", "drop", "tile_drop", "shift")
_MOST_OUTS, _MOST_VARIANTS, _MOST_GROUPS = 64, 8, 16


class RunOptions(TypedDict, total=False):
    """Options of `run`. Each is the option of the program with that name (man ssimcu), with its
    default."""

    align: bool
    all_devices: bool
    all_tiles: bool
    alpha: str
    channels: str
    color: str
    compat: str
    decode: str
    device: str
    exposure: float
    format: str
    frames: str
    group: Sequence[str]  # "x264=a.mp4,b.mp4"
    hdr: str
    junit: Path
    junit_cases: str
    labels: Sequence[Optional[str]]  # of each OUT
    layer: str
    layers: bool
    map: Path
    map_style: str
    matrix: str
    max_pixels: int
    memory_bytes: int
    metric: Union[str, Sequence[str]]
    missing: str
    nan_zero: bool
    offset: int
    output: Path
    pad: str
    range: str
    recursive: bool
    region: Tuple[int, int, int, int]  # width, height, x, y
    report: Path
    report_frames: Optional[int]
    results: str
    resume: Path
    scale: Union[None, str, Tuple[int, int]]  # "ref", "out" or width, height
    scaler: str
    shard: Tuple[int, int]  # share 1 to number, number
    size: str
    threads: int
    tile: Optional[int]
    variant: Sequence[Path]
    white: float
    worst: Optional[int]


_CHOICES: Dict[str, Dict[str, int]] = {
    "alpha": _c.ALPHA,
    "color": _c.COLOR,
    "decode": _c.DECODE,
    "hdr": _c.HDR,
    "junit_cases": _c.JUNIT_CASES,
    "map_style": _c.MAP,
    "missing": _c.MISSING,
    "pad": _c.PAD,
    "range": _c.VIDEO_RANGE,
    "results": _c.RESULTS,
    "scaler": _c.SCALER,
}
_TEXTS = ("channels", "format", "frames", "layer", "matrix", "size")
_PATHS = ("junit", "map", "output", "report", "resume")
_COUNTS = ("report_frames", "tile", "worst")  # None: none, 0: the default


def paths(given: Sequence[Path]) -> Any:
    """Returns an array of C texts."""
    return (ctypes.c_char_p * len(given))(*(os.fsencode(path) for path in given))


def make(
    ref: Path, outs: Sequence[Path], limits: Limits, options: Mapping[str, Any]
) -> Tuple[_c.RunOptions, Any]:
    """Returns the struct of a run, and what must live as long."""
    made = _c.RunOptions(struct_size=ctypes.sizeof(_c.RunOptions))
    if not 1 <= len(outs) <= _MOST_OUTS:
        raise Error(f"out: {len(outs)} of them, expected 1 to {_MOST_OUTS}")
    keep = [paths(outs)]
    made.ref, made.out, made.outs = os.fsencode(ref), keep[0], len(outs)
    for name, value in options.items():
        take = _special.get(name) or _plain(name)
        try:
            take(made, value, keep)
        except (TypeError, ValueError) as error:
            raise Error(f"{name} is {value!r}: {error}") from None
    _take_limits(made, limits)
    return made, keep


def _plain(name: str) -> Callable[[_c.RunOptions, Any, Any], None]:
    def take(made: _c.RunOptions, value: Any, keep: Any) -> None:
        if name in _CHOICES:
            setattr(made, name, choice(_CHOICES[name], value, name))
        elif name in _TEXTS:
            setattr(made, name, None if value is None else str(value).encode())
        elif name in _PATHS:
            setattr(made, name, None if value is None else os.fsencode(value))
        elif name in _COUNTS:
            setattr(made, name, _c.NONE if value is None else _whole(value))
        elif name == "white":
            made.white = float(value)
        else:
            setattr(made, name, _whole(value))

    if name not in RunOptions.__annotations__:
        known = ", ".join(sorted(RunOptions.__annotations__))
        raise TypeError(f"run() has no option {name!r}; it has {known}")
    return take


def _whole(value: Any) -> int:
    if isinstance(value, bool) or (isinstance(value, int) and abs(value) < 1 << 31):
        return int(value)
    raise ValueError("expected a whole number")


def _take_device(made: _c.RunOptions, value: Any, keep: Any) -> None:
    made.device, made.device_index = _context.parse_device(value or "auto")


def _take_exposure(made: _c.RunOptions, value: Any, keep: Any) -> None:
    made.has_exposure, made.exposure = 1, float(value)


def _take_metric(made: _c.RunOptions, value: Any, keep: Any) -> None:
    names = (value,) if isinstance(value, str) else tuple(value)
    numbers = [choice(metric_numbers(), name, "metric") for name in names]
    if not numbers:
        raise Error(f"metric is empty, expected one of {', '.join(metric_numbers())}")
    made.metric = numbers[0]
    made.metrics = sum(1 << number for number in set(numbers))


def _take_compat(made: _c.RunOptions, value: Any, keep: Any) -> None:
    chosen = _context.options_of("ssim", "valid", "rgb", "worst", None, 0, value)[0]
    made.compat = chosen.compat


def _take_region(made: _c.RunOptions, value: Any, keep: Any) -> None:
    width, height, x, y = (_whole(number) for number in value)
    made.region = _c.Region(width, height, x, y)


def _take_shard(made: _c.RunOptions, value: Any, keep: Any) -> None:
    made.shard, made.shards = (_whole(number) for number in value)


def _take_variant(made: _c.RunOptions, value: Any, keep: Any) -> None:
    if len(value) > _MOST_VARIANTS or isinstance(value, str):
        raise ValueError(f"expected a list of at most {_MOST_VARIANTS} paths")
    keep.append(paths(value))
    made.variant, made.variants = keep[-1], len(value)


def _texts(value: Any, most: int) -> Any:
    if isinstance(value, str) or len(value) > most:
        raise ValueError(f"expected a list of at most {most} texts")
    return (ctypes.c_char_p * len(value))(*(None if t is None else t.encode() for t in value))


def _take_group(made: _c.RunOptions, value: Any, keep: Any) -> None:
    keep.append(_texts(value, _MOST_GROUPS))
    made.group, made.groups = keep[-1], len(value)


def _take_labels(made: _c.RunOptions, value: Any, keep: Any) -> None:
    keep.append(_texts(value, _MOST_OUTS))
    if len(value) != made.outs:
        raise ValueError(f"expected one for each of {made.outs} OUTs")
    made.labels = keep[-1]


def _take_scale(made: _c.RunOptions, value: Any, keep: Any) -> None:
    if value is None or isinstance(value, str):
        named = {name: _c.SCALE[name] for name in ("ref", "out")}
        made.scale = 0 if value is None else choice(named, value, "scale")
    else:
        made.scale = _c.SCALE["size"]
        made.scale_width, made.scale_height = (_whole(number) for number in value)


_special: Dict[str, Callable[[_c.RunOptions, Any, Any], None]] = {
    "compat": _take_compat,
    "device": _take_device,
    "exposure": _take_exposure,
    "group": _take_group,
    "labels": _take_labels,
    "metric": _take_metric,
    "region": _take_region,
    "scale": _take_scale,
    "shard": _take_shard,
    "variant": _take_variant,
}


def _take_limits(made: _c.RunOptions, limits: Limits) -> None:
    """Reads limits: a file, or numbers by name; a limit of other metrics is a dict by metric."""
    if limits is None:
        return
    if not isinstance(limits, Mapping):
        made.limits_file = os.fsencode(limits)
        return
    for name, value in limits.items():
        kind = name.partition("_")[2]
        if name in ("min_score", "min_frame") and isinstance(value, Mapping):
            for metric, number in value.items():
                _limit_metric(made, kind, choice(metric_numbers(), metric, name), float(number))
        elif kind in _LIMITS and hasattr(_c.RunOptions, name):
            setattr(made, name, float(value))
            made.limits |= _c.LIMIT[kind]
        elif name == "max_bad":
            made.max_bad = _whole(value)
        elif name == "fail_on_hint":
            made.fail_on_hint = str(value).encode()
        elif name in ("baseline", "file"):
            setattr(made, {"file": "limits_file"}.get(name, name), os.fsencode(value))
        else:
            known = "min_score, min_frame, min_tile, max_drop, max_tile_drop, max_shift, max_bad"
            raise Error(f"limits has {name!r}, expected {known}, fail_on_hint, baseline or file")


def _limit_metric(made: _c.RunOptions, kind: str, metric: int, value: float) -> None:
    if metric == metric_numbers()["ssim"]:
        setattr(made, "min_" + kind, value)
        made.limits |= _c.LIMIT[kind]
    elif kind == "score":
        made.min_scores[metric], made.score_limits = value, made.score_limits | 1 << metric
    else:
        made.min_frames[metric], made.frame_limits = value, made.frame_limits | 1 << metric
