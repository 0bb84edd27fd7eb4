"""run(): directories, sequences and video, frame by frame, under limits."""

from __future__ import annotations

import ctypes
import json
import logging
import math
import os
import queue
import threading
import weakref
from typing import TYPE_CHECKING, Any, Callable, Iterator, List, Mapping, NamedTuple, Optional, Sequence
from typing import Tuple, Union

from . import _c, _options
from ._files import Path, is_path
from ._library import Error, Message, check, metric_numbers, qa, status_name
from ._options import Limits, RunOptions
from ._result import Metrics, Shift, Tile, plain

if TYPE_CHECKING:
    from typing_extensions import Unpack

Progress = Callable[[int, Optional[int]], object]
_log = logging.getLogger("ssimcu")
_LEVELS = {_c.LOG["warning"]: logging.WARNING, _c.LOG["detail"]: logging.DEBUG}
_KINDS = {number: name for name, number in _c.RECORD.items()}


class Record(NamedTuple):
    """What is known of one pair of frames. Objects are as in results (docs/results.schema.json)."""

    frame: int
    kind: str
    """"scored", "missing" (a side has no such frame) or "failed"."""
    ref: Optional[str]
    out: Optional[str]
    out_index: int
    """Place among several OUTs."""
    score: Optional[float]
    """SSIM; None unless scored, and if other metrics alone fit a picture so small."""
    channels: Tuple[float, ...]
    metrics: dict[str, float]
    """Each metric that was asked for; NaN: it has no value."""
    worst: Optional[Tile]
    shift: Optional[Shift]
    background: Optional[str]
    hints: str
    """Possible causes of a low score, "; " between."""
    part: Optional[str]
    """Directory, shot or layer."""
    status: str
    """Why it failed, as `Error.status`; "ok" otherwise."""
    message: str
    not_compared: str
    """Channels of an EXR that the score does not cover, a line each."""
    assumed: Optional[str]
    """What one video does not say of its samples and was taken from the other, such as
    "matrix bt709 in OUT", where a metric reads it."""
    streams: Optional[str]
    """Which streams were compared, if a file has several of video: "0 of 2 in OUT"."""
    colours: Optional[str]
    """How two picture files say that their colours differ, such as "primaries are bt709 in REF,
    smpte432 in OUT". Samples are compared as they are stored."""
    layout: Optional[str]
    """The channels: "rgb", "yuv" (planes), "y" (luma) or "grey"."""
    bits: Optional[int]
    """Bits of the samples that were compared; 0: floats."""
    backend: Optional[str]
    """What scored: "cpu" or "cuda"."""
    decoded: Optional[dict[str, str]]
    """Of each side "nvdec" or "cpu", if NVDEC had a part in it."""
    variant: Optional[str]
    """The reference of `variants` that it was scored against instead of ref."""
    floor: Optional[dict[str, Any]]
    """How far it is beyond its floors: a number for each rule, the worst rule, and its tile."""
    ignored: Optional[dict[str, Any]]
    """Tiles that count for nothing: how many tiles, of how many, and their share of the pixels."""
    light: Optional[dict[str, Any]]
    """Of linear light, for each side: shares clamped and outside, and samples not_finite."""
    range: Optional[dict[str, float]]
    """Of data: the samples that count as 0 and as 1, low and high, and shares that are far and beyond."""
    differing: Optional[dict[str, Any]]
    """Pixels that differ: their share, and the size (blob) and the place of their largest group."""
    coded: Optional[dict[str, Any]]
    """Of compressed video, for each side: bytes and time of its packet."""

    def as_dict(self) -> dict[str, Any]:
        """The fields by name, as JSON can have them. What is infinite is None."""
        return dict(plain(self))


class _State:
    """What the thread of a run shares with the iterator."""

    def __init__(self, handle: ctypes.c_void_p, metrics: Tuple[str, ...]) -> None:
        self.handle = handle
        self.metrics = metrics
        self.queue: queue.SimpleQueue[Optional[Record]] = queue.SimpleQueue()
        self.total: Optional[int] = None
        self.error: Optional[BaseException] = None
        self.thread: Optional[threading.Thread] = None

    def score(self) -> None:
        """Runs to the end; on a thread of its own."""

        def begin(_: Any, total: int) -> None:
            self.total = total if total >= 0 else None

        def record(_: Any, made: Any) -> int:
            try:
                self.queue.put(_record(made, self.metrics))
            except BaseException as error:  # a callback cannot raise
                self.error = error
                return _c.ERROR_INTERNAL
            return 0

        def log(_: Any, level: int, line: bytes) -> None:
            _log.log(_LEVELS.get(level, logging.DEBUG), line.decode(errors="replace"))

        hooks = _c.sized(_c.RunHooks)
        hooks.begin, hooks.record, hooks.log = (
            _c.BEGIN(begin),
            _c.RECORD_HOOK(record),
            _c.LOG_HOOK(log),
        )
        why = Message()
        try:
            check(qa().ssimcu_run_score(self.handle, ctypes.byref(hooks), why), why)
        except Error as error:
            self.error = self.error or error
        finally:
            self.queue.put(None)


class Run:
    """A run under way: an iterator over its records. See `run`.

    Leaving a ``with`` block, or dropping the object, cancels what is not done.
    """

    def __init__(
        self,
        ref: Path,
        outs: Sequence[Path],
        limits: Limits,
        progress: Optional[Progress],
        options: RunOptions,
    ) -> None:
        made = _options.make(ref, outs, limits, options)
        handle, why = ctypes.c_void_p(), Message()
        check(qa().ssimcu_run_open(ctypes.byref(made), ctypes.byref(handle), why), why)
        names = tuple(n for n, bit in metric_numbers().items() if made.metrics >> bit & 1)
        self._state = _State(handle, names or ("ssim",))
        self._outs = len(outs)
        self._sides = f"{os.fspath(ref)} and {', '.join(os.fspath(out) for out in outs)}"
        self._progress = progress
        self._ended = False
        self.records: List[Record] = []
        """The records so far."""
        self._close = weakref.finalize(self, _end, self._state, made)

    def __iter__(self) -> Iterator[Record]:
        return self

    def __next__(self) -> Record:
        if self._ended:
            raise StopIteration
        state = self._state
        if state.thread is None:
            state.thread = threading.Thread(target=state.score, name="ssimcu run", daemon=True)
            state.thread.start()
        try:
            record = state.queue.get()
        except BaseException:  # such as KeyboardInterrupt
            self.cancel()
            raise
        if record is None:
            state.thread.join()
            self._ended = True
            if state.error is not None:
                raise state.error
            raise StopIteration
        self.records.append(record)
        if self._progress is not None:
            self._progress(len(self.records), state.total)
        return record

    @property
    def total(self) -> Optional[int]:
        """The number of pairs; None while it is unknown."""
        return self._state.total

    def cancel(self) -> None:
        """Ends the run within about a second: no more pairs begin, and the records end. Any thread
        may call it."""
        if self._close.alive:
            qa().ssimcu_run_cancel(self._state.handle)

    def wait(self) -> Run:
        """Runs to the end."""
        for _ in self:
            pass
        return self

    def check(self) -> Run:
        """Runs to the end. Raises an Error unless all frames are there, were scored, and keep to every limit."""
        if self.passed:
            return self
        bad = [record for record in self.records if record.kind != "scored"]
        wrong = [f"{record.kind}: frame {record.frame} {record.message}".rstrip() for record in bad[:3]]
        for summary in self.summaries if len(bad) < len(self.records) else ():
            for reason in summary.get("verdict", {}).get("reasons", ())[:3]:
                wrong.append(", ".join(f"{name} {value}" for name, value in reason.items()))
        status = bad[0].status if bad and bad[0].status != "ok" else "data"
        raise Error(f"{self._sides}: the run ended with {self.exit_code}: {'; '.join(wrong) or 'not passed'}", status)

    def close(self) -> None:
        """Cancels what is not done, and releases the run. Its result is no longer known."""
        self._close()
        self._ended = True

    def __reduce__(self) -> Tuple[Any, ...]:
        raise TypeError("a Run belongs to its process: send its records")

    def __enter__(self) -> Run:
        return self

    def __exit__(self, *error: object) -> None:
        if not self._ended:
            self.cancel()
            self._drain()

    def _drain(self) -> None:
        try:
            self.wait()
        except Error:
            _log.debug("a run that was cancelled", exc_info=True)

    @property
    def exit_code(self) -> int:
        """The code with which the program would end: 0 within every limit, 1 beyond one."""
        self.wait()
        code: int = qa().ssimcu_run_exit_code(self._handle())
        return code

    @property
    def passed(self) -> bool:
        """Whether all frames are there, were scored, and keep to every limit."""
        return self.exit_code == 0

    @property
    def cancelled(self) -> bool:
        """Whether `cancel` has left something undone."""
        self.wait()
        return bool(qa().ssimcu_run_was_cancelled(self._handle()))

    @property
    def summaries(self) -> List[dict[str, Any]]:
        """The summary of each OUT."""
        self.wait()
        return [self._json(out) for out in range(self._outs)]

    @property
    def summary(self) -> dict[str, Any]:
        """The outcome of the run, by the published schema (docs/results.schema.json): counts, mean,
        percentiles, worst frames. Of two pictures it is their one object. Runs to the end first."""
        return self.summaries[0]

    @property
    def verdict(self) -> dict[str, Any]:
        """Whether the first OUT passed, and why not: ``passed``, ``reasons`` and ``frames``."""
        found: dict[str, Any] = self.summary["verdict"]
        return found

    def to_dataframe(self) -> Any:
        """Returns the records as a DataFrame, a row each. Needs pandas. Runs to the end first."""
        import pandas

        self.wait()
        rows = []
        for record in self.records:
            facts = {**record._asdict(), **record.metrics}
            del facts["metrics"]
            rows.append({k: v for name, value in facts.items() for k, v in _columns(name, value)})
        return pandas.DataFrame(rows)

    def _handle(self) -> ctypes.c_void_p:
        if not self._close.alive:
            raise Error("the run is closed")
        return self._state.handle

    def _json(self, out: int) -> dict[str, Any]:
        found = _object(qa().ssimcu_run_json(self._handle(), out))
        if found is None:
            raise Error(f"OUT {out} has no summary: it could not be compared", "data")
        return found

    def __repr__(self) -> str:
        state = "ended" if self._ended else "under way" if self._state.thread else "not begun"
        return f"<ssimcu.Run {state}, {len(self.records)} of {self.total or '?'} pairs>"


def run(
    ref: Path,
    out: Union[Path, Sequence[Path]],
    *,
    limits: Limits = None,
    progress: Optional[Progress] = None,
    check: bool = False,
    **options: Unpack[RunOptions],
) -> Run:
    """Scores pictures, directories, patterns (``shot.%04d.png``) or video, as the program does.

    The records come while the run goes on; it begins with the first. ``out`` may be several videos
    against one. ``limits`` is a file of limits, or numbers: ``{"min_tile": 0.9}``, with min_score,
    min_frame, min_tile, max_drop, max_tile_drop, max_shift, max_differing, max_blob, max_bad,
    fail_on_hint, baseline and file; ``{"min_frame": {"psnr": 30}}`` is of another metric.
    ``progress(done, total)`` is called for each record in the thread that takes it; total is None
    while unknown. ``options`` are the program's, see `RunOptions`. Lines for a person go to the
    logger "ssimcu".

    A frame that is missing or fails is a record, and no exception; ``check=True`` runs to the end and
    raises an Error of it, or of a limit that is not kept, as `Run.check` does. Errors: "argument" at once, and
    from the iterator what ended the run.

    >>> import ssimcu
    >>> ref, out = "testdata/dandelion-ref.png", "testdata/dandelion-jpeg-q50.jpg"
    >>> frames = ssimcu.run(ref, out, limits={"min_tile": 0.9})
    >>> for record in frames:
    ...     print(record.kind, round(record.score, 6))
    scored 0.934113
    >>> frames.passed, frames.verdict["reasons"][0]["kind"]
    (False, 'min_tile')
    """
    if isinstance(out, (bytes, Mapping)):
        raise Error(f"out is a {type(out).__name__}, expected a path or a list of paths")
    outs: List[Any] = [out] if is_path(out) else list(out)  # type: ignore[arg-type]
    made = Run(ref, outs, limits, progress, options)
    return made.check() if check else made


def _end(state: _State, keep: Any) -> None:
    """Cancels a run whose object is gone or whose process ends, and releases it."""
    if state.thread is not None and state.thread.is_alive():
        qa().ssimcu_run_cancel(state.handle)
        if state.thread is not threading.current_thread():
            state.thread.join()
    qa().ssimcu_run_close(ctypes.byref(state.handle))
    del keep


def _text(value: Optional[bytes]) -> Optional[str]:
    return None if value is None else os.fsdecode(value)


def _object(text: Optional[int]) -> Optional[dict[str, Any]]:
    """Reads and releases a text of JSON; None: there is none."""
    if not text:
        return None
    try:
        found: dict[str, Any] = json.loads(ctypes.string_at(text))
        return found
    finally:
        qa().ssimcu_text_free(text)


_OBJECTS = ("decoded", "floor", "ignored", "light", "range", "differing", "coded")
_SAME = (*_OBJECTS, "background", "bits", "backend", "assumed", "streams", "colours")
"""Facts that a record has as the results have them."""
_PARTS = ("worst", "shift", *_OBJECTS)


def _columns(name: str, value: Any) -> Iterator[Tuple[str, Any]]:
    """Yields a fact's columns, one for each member of an object."""
    members = value._asdict() if hasattr(value, "_asdict") else value
    if isinstance(members, dict):
        for key, member in members.items():
            yield from _columns(f"{name}_{key}", member)
    elif value is not None or name not in _PARTS:
        yield name, value


def _metric(facts: dict[str, Any], name: str) -> float:
    """Returns a metric's value. null is infinite, as PSNR may be, or no number."""
    own = facts if name == "ssim" else facts.get("metrics", {}).get(name.replace("-", "_"), {})
    value = own.get("score")
    if value is None:
        return math.inf if name == "psnr" and own else math.nan
    return float(value)


def _record(made: Any, metrics: Tuple[str, ...]) -> Record:
    """Makes a record of a pointer to one, which lives until the callback returns. Names of files
    are bytes, which JSON cannot have."""
    head, facts = made.contents, _object(qa().ssimcu_record_json(made))
    if facts is None:
        raise MemoryError("a record")
    is_scored = head.kind == _c.RECORD["scored"]
    channels, tile, shift = (facts.get(name) for name in ("channels", "tile", "shift"))
    layout = None if channels is None else "".join(channels) or "rgb"
    return Record(
        frame=head.frame,
        kind=_KINDS[head.kind],
        ref=_text(head.path[0]),
        out=_text(head.path[1]),
        out_index=head.out,
        score=facts.get("score"),
        channels=tuple((channels or {}).values()),
        metrics=Metrics((name, _metric(facts, name)) for name in (metrics if is_scored else ())),
        worst=Tile(**tile) if tile else None,
        shift=Shift(**shift) if shift else None,
        hints="; ".join(facts.get("hints", ())) if is_scored else "",
        part=_text(head.part),
        status=status_name(head.status),
        message=(head.message or b"").decode(errors="replace"),
        not_compared="\n".join(facts.get("not_compared", ())),
        layout=layout,
        variant=facts.get("variant", {}).get("path"),
        **{name: facts.get(name) for name in _SAME},
    )
