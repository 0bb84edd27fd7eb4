"""Scores tensors on a CUDA device in place, on the caller's stream."""

from __future__ import annotations

import ctypes
import os
import weakref
from ctypes import byref, c_uint32, c_void_p
from typing import Any, Optional, Sequence, Tuple, Union

from . import _arrays, _c, _context, _cuda, _views
from ._library import Error, Message, call, check, core
from ._result import Batch, Result
from ._score import go_without, grid_of, score

_Pair = Tuple[_c.View, _c.View]


class Request:
    """Scores pairs of tensors on a CUDA device without waiting for them.

    A request fits tensors with the shapes, strides and types of ``ref`` and ``out``. Creating it
    allocates all memory, and may wait for the device. `submit` queues the work on a stream and
    returns. It waits for nothing, and neither allocates nor copies. So later work on that stream
    may overwrite the tensors. One submission is in progress at a time; create several requests to
    have more. The options are those of `compare`.

    One thread at a time uses a request. Errors: as `compare`; "device" for tensors in host memory.

    >>> request = ssimcu.Request(ref, out)              # doctest: +SKIP
    >>> request.submit(ref, out)                        # doctest: +SKIP
    >>> request.ready(), request.result().score         # doctest: +SKIP
    """

    def __init__(
        self,
        ref: Any,
        out: Any,
        *,
        metric: Union[str, Sequence[str]] = "ssim",
        tile: Optional[int] = 64,
        pad: str = "valid",
        color: str = "rgb",
        alpha: str = "worst",
        data_range: _views.Range = None,
        layout: Optional[str] = None,
        device: Optional[str] = None,
        linear: bool = False,
        compat: Optional[str] = None,
    ) -> None:
        self._layout, self._linear = layout, linear
        self._peaks = _views.ranges(data_range)
        line = _cuda.stream_of(None, ref)
        a, b = _arrays.samples(ref, "ref", line), _arrays.samples(out, "out", line)
        place = _place(a.device, b.device, device)
        chosen = _context.names_of(metric)
        options, self._names = _context.options_of(chosen, pad, color, alpha, place, 0, compat)
        self._context = _context.context(options)
        self._shape, self._frames, self._batch = self._pair(a, b)
        self._form = _form(a), _form(b)
        self._tiles = grid_of(tile)
        self._keep: Any = None
        self._handle, why = c_void_p(), Message()
        made = self._create(why)
        if self._tiles and go_without(made, self._names):
            self._tiles, why = None, Message()
            made = self._create(why)
        check(made, why)
        columns, rows = self._columns()
        self._grid = ctypes.c_double * columns * rows
        self._close = weakref.finalize(self, _destroy, self._handle, os.getpid())
        self._close.atexit = False

    def submit(self, ref: Any, out: Any, *, stream: Any = None) -> None:
        """Queues the scoring of a pair, or of a batch, on a stream and returns.

        ``stream`` is a torch or CuPy stream, or a handle. None means the current stream of the
        framework of ``ref``, otherwise the stream in its ``__cuda_array_interface__``, otherwise
        the default stream. Errors: "argument" (another shape than the request's, or the previous
        submission is still in progress), "device".
        """
        line = _cuda.stream_of(stream, ref)
        self.queue(_arrays.samples(ref, "ref", line), _arrays.samples(out, "out", line), line)

    def queue(self, a: _arrays.Samples, b: _arrays.Samples, line: _cuda.Stream) -> None:
        """Queues the scoring of samples that are ready on the stream ``line``."""
        if (_form(a), _form(b)) == self._form:
            pair = _aimed(self._shape[0], a), _aimed(self._shape[1], b)
        else:
            pair, frames, batch = self._pair(a, b)
            if (frames, batch) != (self._frames, self._batch):
                raise Error(f"a batch of {frames}, but the request is for {self._frames}")
        why = Message()
        status = core().ssimcu_request_submit(self._handle, byref(pair[0]), byref(pair[1]), line.handle, why)
        self._keep = a.keep, b.keep
        check(status, why)

    def ready(self) -> bool:
        """Returns whether `result` would return without waiting. Errors: "argument" (nothing submitted), "device"."""
        done, why = c_uint32(), Message()
        check(core().ssimcu_request_poll(self._handle, byref(done), why), why)
        return bool(done.value)

    def result(self) -> Result:
        """Returns the result of the last submission. Waits for it if necessary.

        Errors: "argument" (nothing submitted), "data" (a float that is not finite), "device".
        """
        results = tuple(self._result(frame) for frame in range(self._frames))
        self._keep = None
        return Batch(results) if self._batch else results[0]

    def with_map(self, sides: Tuple[_arrays.Samples, _arrays.Samples], tile: int) -> Result:
        """Scores the last submission again, with maps. All work queued before it on the caller's stream is done."""
        (ref, out), frames, batch = self._pair(*sides)
        pairs = ((_frame(ref, n), _frame(out, n)) for n in range(frames))
        results = tuple(score(self._context, a, b, self._names, True, tile, ()) for a, b in pairs)
        return Batch(results) if batch else results[0]

    def close(self) -> None:
        """Waits for submitted work, and releases the memory."""
        self._close()
        self._keep = None

    def __reduce__(self) -> Tuple[Any, ...]:
        raise TypeError("a Request belongs to its process and its GPU: send its results")

    def __enter__(self) -> Request:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _create(self, why: Any) -> int:
        status: int = core().ssimcu_request_create(
            self._context.handle,
            byref(self._shape[0]),
            byref(self._shape[1]),
            self._tiles and byref(self._tiles),
            byref(self._handle),
            why,
        )
        return status

    def _pair(self, a: _arrays.Samples, b: _arrays.Samples) -> Tuple[_Pair, int, bool]:
        """Returns the views of two sides, the number of pairs, and whether they are a batch."""
        a.linear = b.linear = self._linear
        name = self._context.device
        (ref,), shown, _ = _views.views(a, self._layout, self._peaks[0], "ref", name)
        (out,), other, _ = _views.views(b, self._layout, self._peaks[1], "out", name)
        if shown.frames != other.frames:
            raise Error(f"ref has {shown.frames} frames and out {other.frames}: as many", "mismatch")
        return (ref, out), shown.frames or 1, shown.frames is not None

    def _columns(self) -> Tuple[int, int]:
        """Returns columns and rows of the tiles."""
        if not self._tiles:
            return 0, 0
        a, b = (byref(_frame(view, 0)) for view in self._shape)
        call(core().ssimcu_views_layout, self._context.handle, a, b, None, byref(self._tiles))
        return self._tiles.columns, self._tiles.rows

    def _result(self, frame: int) -> Result:
        made, why = _c.sized(_c.Score), Message()
        grid: Any = None
        if self._tiles:
            grid = self._grid()
            self._tiles.data = grid[0]
        tiles = self._tiles and byref(self._tiles)
        check(core().ssimcu_request_score(self._handle, frame, byref(made), tiles, why), why)
        return Result(made, self._names, grid, None, self._context.device, (), self._context.luma)


def compare(
    a: _arrays.Samples, b: _arrays.Samples, line: _cuda.Stream, with_map: bool, options: dict[str, Any]
) -> Result:
    """Scores tensors that are ready on the stream ``line``, and waits. The thread keeps the request for the next such pair."""
    key = (*options.values(), _form(a), _form(b))
    request: Request = _context.requests.get(key, lambda: Request(a, b, **options))
    request.queue(a, b, line)
    result = request.result()
    return request.with_map((a, b), options["tile"]) if with_map else result


def _place(ref: Optional[int], out: Optional[int], device: Optional[str]) -> str:
    """Returns the device that both tensors lie on."""
    if ref != out:
        places = ["in host memory" if at is None else f"on cuda:{at}" for at in (ref, out)]
        raise Error(f"ref is {places[0]} and out {places[1]}: move one of them", "mismatch")
    if ref is None:
        raise Error("the tensors are in host memory; a request takes those of a GPU", "device")
    if device is not None and _context.parse_device(device) not in ((_c.DEVICE["auto"], 0), (_c.DEVICE["cuda"], ref)):
        raise Error(f"device is {device!r}, but the tensors are on cuda:{ref}", "mismatch")
    return f"cuda:{ref}"


def _form(side: _arrays.Samples) -> Tuple[Any, ...]:
    """Returns everything about samples in a view except their address, and whether that is aligned."""
    aligned = side.pointer % side.size == 0
    return side.shape, side.strides, side.type, side.device, aligned


def _aimed(view: _c.View, side: _arrays.Samples) -> _c.View:
    """Returns the view that `_pair` would make of samples that differ from those of ``view`` only in their address."""
    moved = side.pointer - view.data[0]
    return _moved(view, moved) if moved else view


def _frame(view: _c.View, frame: int) -> _c.View:
    """Returns the view of one frame of a batch."""
    one = _moved(view, frame * view.frame_stride)
    one.frames = 1
    return one


def _moved(view: _c.View, by: int) -> _c.View:
    """Returns a view whose samples lie so many bytes later."""
    one = _c.View.from_buffer_copy(view)
    for channel in range(4):
        if one.data[channel]:
            one.data[channel] += by
    return one


def _destroy(handle: c_void_p, process: int) -> None:
    """Destroys a request, except in a child of fork(), which must not use its parent's GPU."""
    if os.getpid() == process:
        core().ssimcu_request_destroy(byref(handle))
