"""Converts the options of a run to ssimcu_run_options."""

from __future__ import annotations

import ctypes
import operator
from typing import Any, Callable, Dict, Iterator, Mapping, Optional, Sequence, Tuple, TypedDict, Union

from . import _c, _context
from ._files import Path
from ._library import Error, choice, metric_numbers, path_bytes, text_bytes

Limits = Union[None, Path, Mapping[str, Any]]


class FrameOptions(TypedDict, total=False):
    """Options of `run` and of `check`."""

    channels: str
    format: str
    junit: Path
    junit_cases: str
    layer: str
    layers: bool
    markdown: Path
    max_pixels: int
    memory_bytes: int
    output: Path
    recursive: bool
    report: Path
    resume: Path
    shard: Tuple[int, int]  # share 1 to number, number
    size: str
    threads: int


class RunOptions(FrameOptions, total=False):
    """Options of `run`. Each equals the program's option of that name (man ssimcu), with its default."""

    align: bool
    all_devices: bool
    alpha: str
    color: str
    compat: str
    decode: str
    device: str
    diff_threshold: float
    exposure: float
    frames: str
    group: Sequence[str]  # "x264=a.mp4,b.mp4"
    hdr: str
    labels: Sequence[Optional[str]]  # one per OUT
    map: Path
    map_style: str
    matrix: str
    metric: Union[str, Sequence[str]]
    missing: str
    nan_zero: bool
    offset: int
    pad: str
    range: str
    region: Tuple[int, int, int, int]  # width, height, x, y
    report_frames: Optional[int]
    results: str
    scale: Union[None, str, Tuple[int, int]]  # "ref", "out" or width, height
    scaler: str
    stale: str
    stream: Union[int, Tuple[int, int]]  # for both sides, or for REF and OUT
    tile: Optional[int]
    variant: Sequence[Path]
    white: float
    worst: Optional[int]


_FIELDS = _c.fields("run_options")
_RANGES = {"uint32_t": (0, 2**32 - 1), "uint64_t": (0, 2**64 - 1), "int64_t": (-(2**63), 2**63 - 1)}
_PATHS = ("junit", "map", "markdown", "out", "output", "report", "rerender", "resume", "variant")
_OF_CHECKS = ("rerender",)  # not in RunOptions, because run() cannot have it
_COUNTS = ("report_frames", "tile", "worst")  # None: none; 0: the default
_MOST = {"out": 64, "labels": 64, "variant": 8, "group": 16}  # maximum lengths of lists


def make(ref: Path, outs: Sequence[Path], limits: Limits, options: Mapping[str, Any]) -> _c.RunOptions:
    """Returns the struct of a run, which keeps alive the data that it points to."""
    made = _c.sized(_c.RunOptions)
    if not 1 <= len(outs) <= _MOST["out"]:
        raise Error(f"out: {len(outs)} of them, expected 1 to {_MOST['out']}")
    made.ref = path_bytes(ref, "ref")
    _set_list(made, "out", outs)
    for name, value in options.items():
        if name not in RunOptions.__annotations__ and name not in _OF_CHECKS:
            known = ", ".join(sorted(RunOptions.__annotations__))
            raise TypeError(f"run() has no option {name!r}; it has {known}")
        try:
            if name in _special:
                _special[name](made, value)
            elif name in _MOST:
                _set_list(made, name, value)
            else:
                setattr(made, name, _value(name, _FIELDS[name], value))
        except (TypeError, ValueError) as error:
            raise Error(f"{name} is {value!r}: {error}") from None
    _take_limits(made, limits)
    return made


def _value(name: str, kind: str, value: Any) -> Any:
    """Returns the value of a field, which has the header's type."""
    if kind.startswith("ssimcu_"):
        return choice(_c.enum(kind[7:]), value, name)
    if kind == "double":
        return _number(value)
    if kind == "const char *":
        return None if value is None else path_bytes(value, name) if name in _PATHS else text_bytes(value, name)
    if name in _COUNTS:
        return _c.NONE if value is None else _whole(value, 0, _c.NONE - 1)
    return _whole(value, *_RANGES[kind])


def _number(value: Any) -> float:
    if isinstance(value, (str, bytes, bool)):
        raise ValueError("expected a number")
    try:
        return float(value)
    except OverflowError:
        raise ValueError("expected a number that a double can have") from None


def _whole(value: Any, least: int, most: int) -> int:
    """Returns an integer that fits its C field; another one would be truncated. The library checks its meaning
    (lib/qa/options/options.def)."""
    try:
        number = int(value) if isinstance(value, bool) else operator.index(value)
    except TypeError:
        number = least - 1
    if not least <= number <= most:
        raise ValueError(f"expected a whole number from {least}" + (f" to {most}" if isinstance(value, int) else ""))
    return number


def _counts(values: Any) -> Iterator[int]:
    """Yields values that fit in uint32_t."""
    return (_whole(value, *_RANGES["uint32_t"]) for value in values)


def _set_list(made: _c.RunOptions, name: str, given: Any) -> None:
    """Sets a list of paths or texts, and its length."""
    if isinstance(given, (str, bytes, Mapping)) or len(given) > _MOST[name]:
        raise ValueError(f"expected a list of at most {_MOST[name]} {'paths' if name in _PATHS else 'texts'}")
    encode = path_bytes if name in _PATHS else lambda value, name: None if value is None else text_bytes(value, name)
    setattr(made, name, (ctypes.c_char_p * len(given))(*(encode(value, name) for value in given)))
    if name != "labels":
        setattr(made, f"{name}s", len(given))
    elif len(given) != made.outs:
        raise ValueError(f"expected one for each of {made.outs} OUTs")


def _take_device(made: _c.RunOptions, value: Any) -> None:
    made.device, made.device_index = _context.parse_device(value or "auto")


def _take_exposure(made: _c.RunOptions, value: Any) -> None:
    made.has_exposure, made.exposure = 1, _number(value)


def _take_metric(made: _c.RunOptions, value: Any) -> None:
    numbers = _context.metrics_of(_context.names_of(value))
    made.metric, made.metrics = numbers[0], sum(1 << number for number in set(numbers))


def _take_compat(made: _c.RunOptions, value: Any) -> None:
    made.compat = _context.compat_of(value)


def _take_region(made: _c.RunOptions, value: Any) -> None:
    width, height, x, y = _counts(value)
    made.region = width, height, x, y


def _take_shard(made: _c.RunOptions, value: Any) -> None:
    made.shard, made.shards = _counts(value)
    if not 1 <= made.shard <= made.shards:
        raise ValueError("expected a share from 1 to the number of shares, and that number")


def _take_stream(made: _c.RunOptions, value: Any) -> None:
    both = value if isinstance(value, (tuple, list)) else (value, value)
    if len(both) != 2 or any(isinstance(number, bool) for number in both):
        raise ValueError("expected a number from 0, or one for REF and one for OUT")
    made.stream[0], made.stream[1] = _counts(both)


def _take_scale(made: _c.RunOptions, value: Any) -> None:
    if value is None or isinstance(value, str):
        named = {name: _c.SCALE[name] for name in ("ref", "out")}
        made.scale = 0 if value is None else choice(named, value, "scale")
    else:
        made.scale = _c.SCALE["size"]
        made.scale_width, made.scale_height = _counts(value)


_special: Dict[str, Callable[[_c.RunOptions, Any], None]] = {
    name.replace("_take_", ""): take for name, take in list(globals().items()) if name.startswith("_take_")
}


def _take_limits(made: _c.RunOptions, limits: Limits) -> None:
    """Reads limits: a file, or numbers by name. A limit on other metrics is a dict by metric."""
    if limits is None:
        return
    if not isinstance(limits, Mapping):
        made.limits_file = path_bytes(limits, "limits")
        return
    for name, value in limits.items():
        try:
            _take_limit(made, name, value)
        except (TypeError, ValueError) as error:
            raise Error(f"limits: {name} is {value!r}: {error}") from None


def _take_limit(made: _c.RunOptions, name: str, value: Any) -> None:
    if name in ("min_score", "min_frame"):
        if isinstance(value, Mapping) and not value:
            raise ValueError("expected a number, or one for each metric that is named")
        for key, number in (value if isinstance(value, Mapping) else {"ssim": value}).items():
            metric = choice(metric_numbers(), str(key).replace("_", "-"), name)
            if name == "min_frame" and metric == metric_numbers()["ssim"]:
                made.limit[_c.LIMIT[name]], made.limits = _number(number), made.limits | 1 << _c.LIMIT[name]
                continue
            getattr(made, f"{name}s")[metric] = _number(number)
            setattr(made, f"{name[4:]}_limits", getattr(made, f"{name[4:]}_limits") | 1 << metric)
    elif name in _c.LIMIT:
        made.limit[_c.LIMIT[name]], made.limits = _number(value), made.limits | 1 << _c.LIMIT[name]
    elif name == "max_bad":
        made.max_bad = _whole(value, *_RANGES["uint64_t"])
    elif name == "fail_on":
        made.fail_on = text_bytes(value, name)
    elif name in ("baseline", "file"):
        setattr(made, {"file": "limits_file"}.get(name, name), path_bytes(value, name))
    else:
        known = ", ".join(_c.LIMIT)
        raise Error(f"limits has {name!r}, expected min_score, {known}, max_bad, fail_on, baseline or file")
