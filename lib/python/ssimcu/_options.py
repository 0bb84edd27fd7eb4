"""The options of a run, from Python's words to ssimcu_run_options."""

from __future__ import annotations

import ctypes
import operator
from typing import Any, Callable, Dict, Iterator, Mapping, Optional, Sequence, Tuple, TypedDict, Union

from . import _c, _context
from ._files import Path
from ._library import Error, choice, metric_numbers, path_bytes, text_bytes

Limits = Union[None, Path, Mapping[str, Any]]
_MOST_OUTS, _MOST_VARIANTS, _MOST_GROUPS = 64, 8, 16


class RunOptions(TypedDict, total=False):
    """Options of `run`. Each is the option of the program with that name (man ssimcu), with its
    default."""

    align: bool
    all_devices: bool
    alpha: str
    channels: str
    color: str
    compat: str
    decode: str
    device: str
    differ_above: float
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
    markdown: Path
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
    stale: str
    stream: Union[int, Tuple[int, int]]  # of both sides, or of REF and of OUT
    threads: int
    tile: Optional[int]
    variant: Sequence[Path]
    white: float
    worst: Optional[int]


_FIELDS = _c.fields("run_options")
_RANGES = {"uint32_t": (0, 2**32 - 1), "uint64_t": (0, 2**64 - 1), "int64_t": (-(2**63), 2**63 - 1)}
_PATHS = ("junit", "map", "markdown", "output", "report", "resume")
_COUNTS = ("report_frames", "tile", "worst")  # None: none, 0: the default


def make(ref: Path, outs: Sequence[Path], limits: Limits, options: Mapping[str, Any]) -> _c.RunOptions:
    """Returns the struct of a run, which keeps alive what it points to."""
    made = _c.sized(_c.RunOptions)
    if not 1 <= len(outs) <= _MOST_OUTS:
        raise Error(f"out: {len(outs)} of them, expected 1 to {_MOST_OUTS}")
    made.ref, made.outs = path_bytes(ref, "ref"), len(outs)
    made.out = _array(outs, _MOST_OUTS, "paths", lambda value: path_bytes(value, "out"))
    for name, value in options.items():
        if name not in RunOptions.__annotations__:
            known = ", ".join(sorted(RunOptions.__annotations__))
            raise TypeError(f"run() has no option {name!r}; it has {known}")
        try:
            if name in _special:
                _special[name](made, value)
            else:
                setattr(made, name, _value(name, _FIELDS[name], value))
        except (TypeError, ValueError) as error:
            raise Error(f"{name} is {value!r}: {error}") from None
    _take_limits(made, limits)
    return made


def _value(name: str, kind: str, value: Any) -> Any:
    """Returns the value of a field, whose type the header says."""
    if kind.startswith("ssimcu_"):
        return choice(_c.enum(kind[7:]), value, name)
    if kind == "double":
        return _number(value)
    if kind == "const char *":
        if value is None:
            return None
        return path_bytes(value, name) if name in _PATHS else text_bytes(value, name)
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
    """Returns a whole number that its field of C can have: another one would be cut. Which of these make sense, the
    library says (lib/qa/options/count_options.c)."""
    try:
        number = int(value) if isinstance(value, bool) else operator.index(value)
    except TypeError:
        number = least - 1
    if not least <= number <= most:
        raise ValueError(f"expected a whole number from {least}" + (f" to {most}" if isinstance(value, int) else ""))
    return number


def _counts(values: Any) -> Iterator[int]:
    """Yields what fields of uint32_t can have."""
    return (_whole(value, *_RANGES["uint32_t"]) for value in values)


def _array(given: Any, most: int, what: str, encode: Callable[[Any], Optional[bytes]]) -> Any:
    """Returns an array of C texts."""
    if isinstance(given, (str, bytes, Mapping)) or len(given) > most:
        raise ValueError(f"expected a list of at most {most} {what}")
    return (ctypes.c_char_p * len(given))(*map(encode, given))


def _text(name: str) -> Callable[[Any], Optional[bytes]]:
    return lambda value: None if value is None else text_bytes(value, name)


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


def _take_variant(made: _c.RunOptions, value: Any) -> None:
    made.variant, made.variants = _array(value, _MOST_VARIANTS, "paths", lambda path: path_bytes(path, "variant")), len(value)


def _take_group(made: _c.RunOptions, value: Any) -> None:
    made.group, made.groups = _array(value, _MOST_GROUPS, "texts", _text("group")), len(value)


def _take_labels(made: _c.RunOptions, value: Any) -> None:
    made.labels = _array(value, _MOST_OUTS, "texts", _text("labels"))
    if len(value) != made.outs:
        raise ValueError(f"expected one for each of {made.outs} OUTs")


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
    """Reads limits: a file, or numbers by name; a limit of other metrics is a dict by metric."""
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
        for metric, number in (value if isinstance(value, Mapping) else {"ssim": value}).items():
            _limit_metric(made, name, choice(metric_numbers(), str(metric).replace("_", "-"), name), _number(number))
    elif name in _c.LIMIT:
        _limit(made, name, _number(value))
    elif name == "max_bad":
        made.max_bad = _whole(value, *_RANGES["uint64_t"])
    elif name == "fail_on_hint":
        made.fail_on_hint = text_bytes(value, name)
    elif name in ("baseline", "file"):
        setattr(made, {"file": "limits_file"}.get(name, name), path_bytes(value, name))
    else:
        known = ", ".join(_c.LIMIT)
        raise Error(f"limits has {name!r}, expected min_score, {known}, max_bad, fail_on_hint, baseline or file")


def _limit(made: _c.RunOptions, name: str, value: float) -> None:
    made.limit[_c.LIMIT[name]], made.limits = value, made.limits | 1 << _c.LIMIT[name]


def _limit_metric(made: _c.RunOptions, name: str, metric: int, value: float) -> None:
    if name == "min_score":
        made.min_scores[metric], made.score_limits = value, made.score_limits | 1 << metric
    elif metric == metric_numbers()["ssim"]:
        _limit(made, name, value)
    else:
        made.min_frames[metric], made.frame_limits = value, made.frame_limits | 1 << metric
