"""run(): scores directories, image sequences and video frame by frame, under limits."""

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
from ._library import Error, call, metric_numbers, path_bytes, qa, status_name
from ._options import Limits, RunOptions
from ._result import Finding, Metrics, LevelShift, Tile, plain

if TYPE_CHECKING:
    from typing_extensions import Unpack

Progress = Callable[[int, Optional[int]], object]
_log = logging.getLogger("ssimcu")
_LEVELS = {_c.LOG["warning"]: logging.WARNING, _c.LOG["detail"]: logging.DEBUG}
_KINDS = {number: name for name, number in _c.RECORD.items()}


class Record(NamedTuple):
    """The record of one pair of frames, or of a frame without a reference. Objects are as in results (docs/results.schema.json)."""

    frame: int
    kind: str
    """"scored", "missing" (a side has no such frame), "failed", or in a check "checked"."""
    ref: Optional[str]
    out: Optional[str]
    out_index: int
    """Index among several OUTs."""
    score: Optional[float]
    """SSIM; None unless scored, or if the picture is only large enough for other metrics."""
    channels: Tuple[float, ...]
    metrics: dict[str, float]
    """Each requested metric; NaN: no value."""
    worst: Optional[Tile]
    level_shift: Optional[LevelShift]
    background: Optional[str]
    findings: Tuple[Finding, ...]
    """Why it is not clean: exceeded limits, hints, and findings of a check."""
    shot: Optional[str]
    """Directory, shot or layer."""
    layer: Optional[str]
    """Layer of the EXR, in a check with layers=True."""
    status: str
    """Why it failed, as `Error.status`; "ok" otherwise."""
    message: str
    not_compared: str
    """Channels of an EXR that the score does not cover, one per line."""
    assumed: Optional[str]
    """Properties that one video lacks and took from the other, such as "matrix bt709 in OUT", if a metric depends on them."""
    streams: Optional[str]
    """The compared streams, if a file has several of video: "0 of 2 in OUT"."""
    colours: Optional[str]
    """How the declared colours of two picture files differ, such as "primaries are bt709 in REF, smpte432 in OUT". Samples are compared as
    stored."""
    layout: Optional[str]
    """The channels: "rgb", "yuv" (planes), "y" (luma) or "grey"."""
    bits: Optional[int]
    """Bits of the compared samples; 0: floats."""
    backend: Optional[str]
    """The device that scored: "cpu" or "cuda"."""
    decoded: Optional[dict[str, str]]
    """"nvdec" or "cpu" for each side, if NVDEC decoded one."""
    variant: Optional[str]
    """The reference of `variants` that was used instead of ref."""
    learned: Optional[dict[str, Any]]
    """Its distance from accepted renders: standard deviations per rule, the worst rule, and its tile."""
    ignored: Optional[dict[str, Any]]
    """Ignored tiles: their number, the total, and their share of the pixels."""
    light: Optional[dict[str, Any]]
    """Linear light, per side: shares clamped and outside, and samples not_finite."""
    range: Optional[dict[str, float]]
    """Data: low and high, the samples that count as 0 and 1, and the shares far and beyond."""
    diff: Optional[dict[str, Any]]
    """Pixels that differ: their ratio, and the size (cluster) and position of the largest connected group."""
    coded: Optional[dict[str, Any]]
    """Compressed video, per side: bytes and time of its packet."""

    def as_dict(self) -> dict[str, Any]:
        """Returns the fields by name, for JSON. Infinite values become None."""
        return dict(plain(self))


class _State:
    """State that the thread of a run shares with the iterator."""

    def __init__(self, handle: ctypes.c_void_p, metrics: Tuple[str, ...], read: Optional[Progress]) -> None:
        self.handle = handle
        self.metrics = metrics
        self.read = read
        self.queue: queue.SimpleQueue[Optional[Record]] = queue.SimpleQueue()
        self.total: Optional[int] = None
        self.error: Optional[BaseException] = None
        self.thread: Optional[threading.Thread] = None

    def score(self) -> None:
        """Runs to the end, on a separate thread."""

        def begin(_: Any, total: int) -> None:
            self.total = total if total >= 0 else None

        def record(_: Any, made: Any) -> int:
            try:
                self.queue.put(_record(made, self.metrics))
            except BaseException as error:  # a callback cannot raise
                self.error = error
                return _c.ERROR_INTERNAL
            return 0

        def progress(_: Any, done: int) -> None:
            try:
                if self.read is not None and self.error is None:
                    self.read(done, self.total)
            except BaseException as error:
                self.error = error
                qa().ssimcu_run_cancel(self.handle)

        def log(_: Any, level: int, line: bytes) -> None:
            _log.log(_LEVELS.get(level, logging.DEBUG), line.decode(errors="replace"))

        hooks = _c.sized(_c.RunHooks, begin=_c.BEGIN(begin), record=_c.RECORD_HOOK(record), log=_c.LOG_HOOK(log))
        hooks.progress = _c.PROGRESS_HOOK(progress)
        try:
            call(qa().ssimcu_run_score, self.handle, ctypes.byref(hooks))
        except Error as error:
            self.error = self.error or error
        finally:
            self.queue.put(None)


class Run:
    """A run in progress: an iterator over its records. See `run`.

    Leaving a ``with`` block, or dropping the object, cancels the remaining frames.
    """

    def __init__(self, made: _c.RunOptions, what: str, progress: Optional[Progress]) -> None:
        handle = ctypes.c_void_p()
        call(qa().ssimcu_run_open, ctypes.byref(made), ctypes.byref(handle))
        names = tuple(n for n, bit in metric_numbers().items() if made.metrics >> bit & 1)
        self._state = _State(handle, names or ("ssim",), progress if made.check else None)
        self._outs = 1 if made.check else max(made.outs, 1)
        self._what = what
        self._progress = None if made.check else progress  # records of a check come shot by shot
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
        """Ends the run within about a second: no further pairs begin, and the records end. Any thread may call it."""
        if self._close.alive:
            qa().ssimcu_run_cancel(self._state.handle)

    def wait(self) -> Run:
        """Runs to the end."""
        for _ in self:
            pass
        return self

    def check(self) -> Run:
        """Runs to the end. Raises an Error unless all frames exist, were scored, and are within every limit."""
        if self.passed:
            return self
        bad = [record for record in self.records if record.kind != "scored"]
        wrong = [f"{record.kind}: frame {record.frame} {record.message}".rstrip() for record in bad[:3]]
        for summary in self.summaries if len(bad) < len(self.records) else ():
            for reason in summary.get("verdict", {}).get("reasons", ())[:3]:
                wrong.append(", ".join(f"{name} {value}" for name, value in reason.items()))
        status = bad[0].status if bad and bad[0].status != "ok" else "data"
        raise Error(f"{self._what}: the run ended with {self.exit_code}: {'; '.join(wrong) or 'not passed'}", status)

    def close(self) -> None:
        """Cancels the remaining frames, and releases the run. Its result is then unavailable."""
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
        self._progress = None
        try:
            self.wait()
        except Error:
            _log.debug("a run that was cancelled", exc_info=True)

    @property
    def exit_code(self) -> int:
        """The exit code of the program for this run: 0 within every limit, 1 beyond one."""
        self.wait()
        code: int = qa().ssimcu_run_exit_code(self._handle())
        return code

    @property
    def passed(self) -> bool:
        """Whether all frames exist, were scored, and are within every limit."""
        return self.exit_code == 0

    @property
    def cancelled(self) -> bool:
        """Whether `cancel` has left frames undone."""
        self.wait()
        return bool(qa().ssimcu_run_was_cancelled(self._handle()))

    @property
    def summaries(self) -> List[dict[str, Any]]:
        """The summary of each OUT."""
        self.wait()
        return [self._json(out) for out in range(self._outs)]

    @property
    def summary(self) -> dict[str, Any]:
        """The outcome of the run, by the published schema (docs/results.schema.json): counts, mean, percentiles, worst frames. For two
        pictures it is their only object. Runs to the end first."""
        return self.summaries[0]

    @property
    def verdict(self) -> dict[str, Any]:
        """Whether the first OUT passed, and why not: ``passed``, ``reasons`` and ``frames``."""
        found: dict[str, Any] = self.summary["verdict"]
        return found

    @property
    def findings(self) -> List[Finding]:
        """The findings of all records. Runs to the end first."""
        self.wait()
        return [finding for record in self.records for finding in record.findings]

    def to_dataframe(self) -> Any:
        """Returns the records as a DataFrame, one per row. Needs pandas. Runs to the end first."""
        import pandas  # type: ignore[import-not-found, import-untyped, unused-ignore]

        self.wait()
        rows = []
        for record in self.records:
            facts = {**record._asdict(), **record.metrics, "fails": _kinds(record), "findings": _sentences(record)}
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
    """Scores pictures, directories, patterns (``shot.%04d.png``) or video, like the program.

    Records come during the run, which begins with the first. ``out`` may be several videos against
    one. ``limits`` is a file of limits, or numbers: ``{"min_tile": 0.9}``, with min_score,
    min_frame, min_tile, max_drop, max_tile_drop, max_level_shift, max_diff_ratio, max_diff_cluster,
    max_bad, fail_on, baseline and file. ``{"min_frame": {"psnr": 30}}`` limits another metric.
    ``progress(done, total)`` is called for each record in the thread that takes it; total is None
    while unknown. ``options`` are those of the program, see `RunOptions`. Messages for a person go
    to the logger "ssimcu".

    A frame that is missing or fails is a record, not an exception. ``check=True`` runs to the end
    and raises an Error for such a frame or an exceeded limit, like `Run.check`. Errors: "argument"
    at once. The iterator raises the error that ended the run.

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
    pairs = _options.make(ref, outs, limits, options)
    made = Run(pairs, f"{os.fspath(ref)} and {', '.join(os.fspath(each) for each in outs)}", progress)
    return made.check() if check else made


def merge(
    paths: Union[Path, Sequence[Path]],
    *,
    limits: Limits = None,
    **options: Unpack[RunOptions],
) -> Run:
    """Joins the results of the shares of a run or of a check, and judges the whole, like ``ssimcu merge``. ``paths`` are JSON Lines.

    ``limits`` are as in `run`. Only ``options`` about output apply.
    """
    return Run(of_files("merge", paths, limits, options), "merge", None)


def of_files(field: str, given: Union[Path, Sequence[Path]], limits: Limits, options: Any) -> Any:
    """Returns the struct of a run without REF. ``field`` takes a list of paths (out or merge) or one path (list)."""
    paths: List[Any] = [given] if is_path(given) else [*given]  # type: ignore[misc]
    if not paths:
        raise Error(f"{field}: an empty list")
    encoded = [path_bytes(path, field) for path in paths]
    made = _options.make(paths[0], paths[:1], limits, options)
    made.ref, made.out, made.outs = None, None, 0
    if field == "list":
        made.list = encoded[0]
    else:
        setattr(made, field, (ctypes.c_char_p * len(paths))(*encoded))
        setattr(made, f"{field}s", len(paths))
    return made


def _end(state: _State, keep: Any) -> None:
    """Cancels and releases a run whose object is gone or whose process ends."""
    if state.thread is not None and state.thread.is_alive():
        qa().ssimcu_run_cancel(state.handle)
        if state.thread is not threading.current_thread():
            state.thread.join()
    qa().ssimcu_run_close(ctypes.byref(state.handle))
    del keep


def _kinds(record: Record) -> str:
    """Returns the kinds by which a record fails, as in CSV."""
    return ";".join(dict.fromkeys(finding.kind for finding in record.findings if finding.fails))


def _sentences(record: Record) -> str:
    return "; ".join(finding.text for finding in record.findings)


def _text(value: Optional[bytes]) -> Optional[str]:
    return None if value is None else os.fsdecode(value)


def _object(text: Optional[int]) -> Optional[dict[str, Any]]:
    """Parses and releases a JSON text; None: there is none."""
    if not text:
        return None
    try:
        found: dict[str, Any] = json.loads(ctypes.string_at(text))
        return found
    finally:
        qa().ssimcu_text_free(text)


_OBJECTS = ("decoded", "learned", "ignored", "light", "range", "diff", "coded")
_SAME = (*_OBJECTS, "background", "bits", "backend", "assumed", "streams", "colours")
"""Facts that a record takes unchanged from the results."""
_PARTS = ("worst", "level_shift", *_OBJECTS)


def _columns(name: str, value: Any) -> Iterator[Tuple[str, Any]]:
    """Yields a fact's columns, one per member of an object."""
    members = value._asdict() if hasattr(value, "_asdict") else value
    if isinstance(members, dict):
        for key, member in members.items():
            yield from _columns(f"{name}_{key}", member)
    elif value is not None or name not in _PARTS:
        yield name, value


def _metric(facts: dict[str, Any], name: str) -> float:
    """Returns a metric's value. null means infinite, as for PSNR, or NaN."""
    own = facts if name == "ssim" else facts.get("metrics", {}).get(name.replace("-", "_"), {})
    value = own.get("score")
    if value is None:
        return math.inf if name == "psnr" and own else math.nan
    return float(value)


def _finding(head: Any, made: Any) -> Finding:
    return Finding(
        kind=made.kind.decode(),
        fails=bool(made.fails),
        value=None if math.isnan(made.value) else made.value,
        limit=None if math.isnan(made.limit) else made.limit,
        shot=_text(head.shot),
        path=_text(head.path[1]),
        frame=head.frame if head.frame >= 0 else None,
        text=made.text.decode(errors="replace"),
        layer=_text(head.layer),
        **{name: getattr(made, name) for name in ("x", "y", "width", "height")},
    )


def _record(made: Any, metrics: Tuple[str, ...]) -> Record:
    """Makes a record from a pointer that is valid until the callback returns. File names are bytes, which JSON cannot hold."""
    head, facts = made.contents, _object(qa().ssimcu_record_json(made))
    if facts is None:
        raise MemoryError("a record")
    is_scored = head.kind == _c.RECORD["scored"]
    channels, tile, level_shift = (facts.get(name) for name in ("channels", "tile", "level_shift"))
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
        level_shift=LevelShift(**level_shift) if level_shift else None,
        findings=tuple(_finding(head, head.finding[n]) for n in range(head.findings)),
        shot=_text(head.shot),
        layer=_text(head.layer),
        status=status_name(head.status),
        message=(head.message or b"").decode(errors="replace"),
        not_compared="\n".join(facts.get("not_compared", ())),
        layout=layout,
        variant=facts.get("variant", {}).get("path"),
        **{name: facts.get(name) for name in _SAME},
    )
