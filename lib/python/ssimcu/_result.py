"""The result of a comparison."""

from __future__ import annotations

import math
import sys
from ctypes import c_double, c_float
from typing import Any, Dict, Iterable, NamedTuple, Optional, Tuple

from . import _c, _show
from ._library import metric_numbers


def plain(value: Any) -> Any:
    """Returns a value for JSON. A number that is not finite becomes None, as in results."""
    if hasattr(value, "_asdict"):
        value = value._asdict()
    if isinstance(value, dict):
        return {str(name): plain(each) for name, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


class Metrics(Dict[str, float]):
    """Values by metric name. "ms_ssim", as in results, means "ms-ssim"."""

    def __missing__(self, name: str) -> float:
        if "_" in name:
            return self[name.replace("_", "-")]
        raise KeyError(name)


class Tile(NamedTuple):
    """A tile's score and its rectangle in pixels."""

    score: float
    x: int
    y: int
    width: int
    height: int

    def as_dict(self) -> dict[str, Any]:
        """Returns the fields by name, for JSON."""
        return dict(plain(self))

    def __str__(self) -> str:
        return f"{self.score:.9f} at {self.width}x{self.height}+{self.x}+{self.y}"


class LevelShift(NamedTuple):
    """How much brighter OUT is than REF in a tile, in levels, of which white has 255."""

    levels: float
    channel: str
    """"r", "g", "b"; "y", "u", "v" for video and luma; "grey"."""
    x: int
    y: int
    width: int
    height: int

    def as_dict(self) -> dict[str, Any]:
        """Returns the fields by name, for JSON."""
        return dict(plain(self))


class Finding(NamedTuple):
    """One reason why a frame is not clean: an exceeded limit, a hint, or a finding of a check."""

    kind: str
    """Such as "nan", "shift" or "min_tile". man ssimcu-results lists all kinds."""
    fails: bool
    """Whether the frame fails because of it."""
    value: Optional[float]
    """The count or measure of the finding, as in its text."""
    limit: Optional[float]
    """The value of an exceeded limit."""
    shot: Optional[str]
    """The record's shot: a directory or layer, or in a check the pattern of an image sequence or the path of a video."""
    path: Optional[str]
    """Path of OUT or of the checked frame; None: missing."""
    frame: Optional[int]
    """Frame number; None: a picture without a number."""
    x: int
    y: int
    width: int
    """In pixels; 0: the finding concerns the whole frame."""
    height: int
    text: str
    """A sentence for a person."""
    layer: Optional[str] = None
    """Layer of the EXR, in a check with layers=True."""

    def as_dict(self) -> dict[str, Any]:
        """Returns the fields by name, for JSON."""
        return dict(plain(self))


class Result:
    """The score of a pair or of a batch of pairs.

    >>> import numpy, ssimcu
    >>> ref = numpy.zeros((128, 128, 3), numpy.uint8)
    >>> out = ref.copy()
    >>> out[70:80, 70:80] = 255
    >>> result = ssimcu.compare(ref, out)
    >>> result.score < 1, result.worst.x, result.worst.y, result.tiles.shape
    (True, 64, 64, (2, 2))
    """

    __slots__ = ("_score", "_names", "_tiles", "_map", "_luma", "device", "copied", "colours", "pairs")

    device: str
    """The device that scored: "cpu" or, for example, "cuda:0"."""
    copied: Tuple[str, ...]
    """One line for each side whose samples were copied, with the reason."""
    colours: Optional[str]
    """How the declared colours of two files differ, such as "primaries are bt709 in REF, bt2020 in OUT". Samples are compared as stored.
    None if they do not differ, or unless both sides are files."""
    pairs: Tuple["Result", ...]
    """The result of each pair of a batch; empty if the arrays were not a batch."""

    def __init__(
        self,
        score: _c.Score,
        names: Tuple[str, ...],
        tiles: Optional[Any],
        map_: Optional[Any],
        device: str,
        copied: Tuple[str, ...],
        luma: bool = False,
        colours: Optional[str] = None,
    ) -> None:
        self._score = score
        self._names = names
        self._tiles = tiles  # memory of 8-byte floats, by [row, column]
        self._map = map_  # memory of 4-byte floats, by [channel, y, x]
        self._luma = luma  # a single channel is luma
        self.device = device
        self.copied = copied
        self.colours = colours
        self.pairs = ()

    @property
    def score(self) -> float:
        """The first metric's value; for "ssim" 1 if the two are identical. For a batch the mean."""
        return self.metrics[self._names[0]] if self._names[0] != "ssim" else self._ssim()

    def _ssim(self) -> float:
        value: float = self._score.score
        return value

    @property
    def metrics(self) -> dict[str, float]:
        """The value of each requested metric, by name. PSNR is in dB and may be inf."""
        metric, numbers = self._score.metric, metric_numbers()
        return Metrics((n, self._ssim() if n == "ssim" else metric[numbers[n]]) for n in self._names)

    @property
    def channels(self) -> Tuple[float, ...]:
        """The first metric's value per channel: 1 (grey, luma) or 3 (R, G, B). Empty for SSIMULACRA2."""
        score, name = self._score, self._names[0]
        if name == "ssimulacra2":
            return ()
        values = score.channel if name == "ssim" else score.metric_channel[metric_numbers()[name]]
        return tuple(values[: score.channels])

    def _letters(self) -> Tuple[str, ...]:
        return ("r", "g", "b") if self._score.channels == 3 else ("y",) if self._luma else ("grey",)

    @property
    def worst(self) -> Optional[Tile]:
        """The tile with the lowest SSIM; None if no tiles were requested."""
        tile = self._score.worst
        return Tile(tile.score, tile.x, tile.y, tile.width, tile.height) if tile.width else None

    @property
    def level_shift(self) -> Optional[LevelShift]:
        """The largest level shift of a tile, up or down; None if no tiles were requested."""
        shift = self._score.level_shift
        if not shift.width:
            return None
        place = (shift.x, shift.y, shift.width, shift.height)
        return LevelShift(shift.levels, self._letters()[shift.channel], *place)

    @property
    def tiles(self) -> Any:
        """The SSIM of each tile by [row, column], float64; None if there are no tiles. A numpy array, or a memoryview without numpy."""
        return _array(self._tiles)

    @property
    def map(self) -> Any:
        """The SSIM map by [channel, y, x], float32; None if no map was requested. Element (y, x) belongs to the window centred on pixel (y
        + 5, x + 5), or on pixel (y, x) with ``pad="zero"``."""
        return _array(self._map)

    @property
    def background(self) -> Optional[str]:
        """The background that alpha was composited over for this score: "black", "white" or None."""
        names = (None, "black", "white")
        return names[self._score.background]

    @property
    def ms(self) -> dict[str, float]:
        """Milliseconds of each stage, by the device's clock; 0 if a stage did not run."""
        return {name: getattr(self._score.ms, name) for name in _c.fields("stage_ms")}

    @property
    def mse(self) -> float:
        """The mean squared error behind PSNR, of samples whose white is 1; NaN without PSNR."""
        value: float = self._score.mse
        return value

    def heat(self) -> Any:
        """A heat map of the differences, H x W x 3 uint8 (numpy): black is the best of this pair and yellow the worst. It shows the map, or
        the tiles if there is no map."""
        return _show.heat(self)

    def as_dict(self) -> dict[str, Any]:
        """Returns everything except tiles and map, for JSON. Channels are by letter. Infinite values become None."""
        found = {name: getattr(self, name) for name in ("score", "metrics", "worst", "level_shift", "background", "mse")}
        found.update(channels=dict(zip(self._letters(), self.channels)), device=self.device, copied=self.copied)
        found.update(colours=self.colours, ms=self.ms)
        found.update({"pairs": [pair.as_dict() for pair in self.pairs]} if self.pairs else {})
        return dict(plain(found))

    def __reduce__(self) -> Tuple[Any, ...]:
        grids = [None if memory is None else (memoryview(memory).shape, bytes(memory)) for memory in (self._tiles, self._map)]
        return _restore, (bytes(self._score), self._names, *grids, self.device, self.copied, self._luma, self.colours)

    def __format__(self, spec: str) -> str:
        return format(self.score, spec) if spec else str(self)

    def __float__(self) -> float:
        return self.score

    def __repr__(self) -> str:
        text = ", ".join(f"{name} {value:.9f}" for name, value in self.metrics.items())
        batch = f", mean of {len(self.pairs)} pairs" if self.pairs else ""
        worst = f", worst tile {self.worst}" if self.worst else ""
        colours = f", {self.colours}" if self.colours else ""
        return f"<ssimcu.Result {text}{batch}{worst}{colours}>"

    def _repr_html_(self) -> str:
        return _show.html(self)


def _mean(values: Iterable[float]) -> float:
    """Returns a mean, which equals the largest value only if all do: it is 1 only if all pairs are identical."""
    given = list(values)
    mean, low, high = math.fsum(given) / len(given), min(given), max(given)
    return math.nextafter(high, low) if mean >= high > low else mean


class Batch(Result):
    """The result of several pairs: means, and stacked tiles and maps."""

    __slots__ = ()

    def __init__(self, pairs: Tuple[Result, ...]) -> None:
        first = pairs[0]
        super().__init__(first._score, first._names, None, None, first.device, first.copied, first._luma)
        self.pairs = pairs

    def __reduce__(self) -> Tuple[Any, ...]:
        return Batch, (self.pairs,)

    @property
    def scores(self) -> Tuple[float, ...]:
        """The first metric's value of each pair. ``pairs`` has the full results."""
        return tuple(pair.score for pair in self.pairs)

    @property
    def mse(self) -> float:
        """The mean of the pairs' mean squared errors, behind the PSNR of the batch."""
        return math.fsum(pair.mse for pair in self.pairs) / len(self.pairs)

    @property
    def ms(self) -> dict[str, float]:
        """Milliseconds of each stage for all pairs together."""
        return {name: math.fsum(pair.ms[name] for pair in self.pairs) for name in _c.fields("stage_ms")}

    @property
    def background(self) -> Optional[str]:
        """The background that alpha was composited over: "black", "white", "black, white" if pairs differ, or None."""
        return ", ".join(sorted({pair.background for pair in self.pairs if pair.background})) or None

    def _ssim(self) -> float:
        return _mean(pair._ssim() for pair in self.pairs)

    @property
    def metrics(self) -> dict[str, float]:
        """The mean of each metric over the pairs. For PSNR it is the PSNR of the mean error."""
        means = {name: _mean(pair.metrics[name] for pair in self.pairs) for name in self._names if name != "psnr"}
        if "psnr" in self._names:
            means["psnr"] = -10 * math.log10(self.mse) if self.mse else math.inf
        return Metrics((name, means[name]) for name in self._names)

    @property
    def channels(self) -> Tuple[float, ...]:
        """The mean of each channel over the pairs."""
        columns = zip(*(pair.channels for pair in self.pairs))
        return tuple(_mean(column) for column in columns)

    @property
    def worst(self) -> Optional[Tile]:
        """The tile with the lowest SSIM of all pairs."""
        tiles = [pair.worst for pair in self.pairs if pair.worst]
        return min(tiles, key=lambda tile: tile.score) if tiles else None

    @property
    def level_shift(self) -> Optional[LevelShift]:
        """The largest level shift of a tile of all pairs."""
        shifts = [pair.level_shift for pair in self.pairs if pair.level_shift]
        return max(shifts, key=lambda shift: abs(shift.levels)) if shifts else None

    @property
    def tiles(self) -> Any:
        """The tiles of all pairs, by [pair, row, column]."""
        return _stack([pair.tiles for pair in self.pairs])

    @property
    def map(self) -> Any:
        """The maps of all pairs, by [pair, channel, y, x]."""
        return _stack([pair.map for pair in self.pairs])


def _restore(score: bytes, names: Tuple[str, ...], tiles: Any, map_: Any, *rest: Any) -> Result:
    """Restores a pickled result."""
    return Result(_c.Score.from_buffer_copy(score), names, _memory(tiles, c_double), _memory(map_, c_float), *rest)


def _memory(given: Any, kind: Any) -> Any:
    """Makes memory by [row, column], or [channel, y, x], from its shape and bytes."""
    if given is None:
        return None
    shape, data = given
    for size in reversed(shape):
        kind = kind * size
    return kind.from_buffer_copy(data)


def _array(memory: Any) -> Any:
    if memory is None:
        return None
    try:
        import numpy
    except ImportError:
        shown = memoryview(memory)
        plain, shape = shown.cast("B"), shown.shape or ()
        return plain.cast("d", shape) if shown.itemsize == 8 else plain.cast("f", shape)
    return numpy.asarray(memory)


def _stack(parts: list[Any]) -> Any:
    if parts[0] is None:
        return None
    numpy = sys.modules.get("numpy")
    return numpy.stack(parts) if numpy is not None else parts
